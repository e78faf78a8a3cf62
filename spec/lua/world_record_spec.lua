-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local cjson = require "cjson"
local delassus = require "delassus"
local record = require "delassus.record"
local world_record = require "delassus.world_record"

local FLOAT = 2 ^ -24 -- half the last digit of a 4-byte float, relative

describe("world:record", function()
  it("is exact: a body in flight, at the times of the frames", function()
    local world = delassus.world{ planar = true, dt = 1 / 1024 }
    world:disk{ name = "ball", radius = 0.1, density = 1, position = { 1, 5 }, velocity = { 2, 3 },
      angular_velocity = 4 }
    local rec = world_record.record(world, { every = 1 / 64 })
    world:step(256)
    local times = rec:times()
    assert.equal(17, #times)
    for k, t in ipairs(times) do
      assert.near((k - 1) / 64, t, 1e-12)
      local pose = rec:poses(k)
      assert.near(1 + 2 * t, pose[1], FLOAT * 2 + 1e-12)
      assert.near(5 + 3 * t - 9.81 * t * t / 2, pose[2],
        FLOAT * 8 + 1e-12) -- the midpoint step is exact for constant force
      assert.near(4 * t, pose[3], FLOAT * 2 + 1e-12)
      assert.near(math.sqrt(4 + (3 - 9.81 * t) ^ 2), rec:channel("speed", k)[1], FLOAT * 4 + 1e-12)
    end
  end)

  it("agrees with the bodies of a world in space, in the order of their making", function()
    local world = delassus.world{ dt = 1e-3 }
    local a = world:sphere{ radius = 0.1, density = 500, position = { 0, 0, 2 }, velocity = { 1, 2, 3 } }
    local b = world:capsule{ radius = 0.1, length = 1, density = 500, position = { 3, 0, 2 }, angular_velocity = { 1,
      2, 3 } }
    local rec = world_record.record(world, { every = 1e-3 })
    world:step(20)
    local pose = rec:poses(#rec:times())
    for i, body in ipairs{ a, b } do
      for k = 1, 3 do assert.near(body.position[k], pose[7 * i - 7 + k], FLOAT * 4) end
      for k = 1, 4 do assert.near(body.rotation[k], pose[7 * i - 4 + k], FLOAT) end
    end
  end)

  it("conserves the sum of forces: contacts at rest carry the weight", function()
    local world = delassus.world{ planar = true, dt = 1e-3 }
    world:floor{}
    local box = world:box{ size = { 1, 0.5 }, mass = 8, position = { 0, 0.25 } }
    local rec = world_record.record(world, { every = 1e-3 })
    world:step(50)
    local contacts, up = rec.frames[#rec.frames].contacts, 0
    for i = 1, #contacts, 16 do up = up + (("<f"):unpack(contacts, i + 12)) end
    assert.near(box.mass * 9.81, math.abs(up), 1e-6 * box.mass * 9.81)
  end)

  it("holds shapes as plain tables, parts of compounds at their places", function()
    local compound = delassus.compound{ { shape = delassus.disk{ radius = 0.1 }, position = { 0.5, -0.25 } },
      { shape = delassus.box{ size = { 1, 2 } }, position = { 0, 1 }, rotation = 0.75 } }
    local plain = world_record.shape(compound, true)
    assert.equal("compound", plain.kind)
    assert.same({ kind = "disk", radius = 0.1 }, plain.parts[1].shape)
    assert.same({ 0.5, -0.25 }, plain.parts[1].position)
    assert.same({ 1, 2 }, plain.parts[2].shape.size)
    assert.near(0.75, plain.parts[2].rotation, 1e-15)
    assert.same({ 0, 1 }, world_record.shape(delassus.plane{ normal = { 0, 1 } }, true).normal)
    local turned = delassus.compound{ { shape = delassus.sphere{ radius = 1 }, rotation = { 0.5, 0.5, -0.5, 0.5 } } }
    local rotation = world_record.shape(turned, false).parts[1].rotation
    local sign = rotation[1] < 0 and -1 or 1
    for k, want in ipairs{ 0.5, 0.5, -0.5, 0.5 } do assert.near(want, sign * rotation[k], 1e-15) end
  end)

  it("follows bodies that come and go", function()
    local world = delassus.world{ planar = true, dt = 1e-3 }
    local first = world:disk{ name = "first", radius = 0.1, density = 1, position = { 0, 1 } }
    local rec = world_record.record(world, { every = 1e-3 })
    world:step(1)
    world:disk{ name = "second", radius = 0.1, density = 1, position = { 5, 1 } }
    world:step(1)
    world:remove(first)
    world:step(1)
    assert.equal(3, #rec:poses(1))
    assert.near(5, rec:poses(3)[4], FLOAT * 8)
    local pose = rec:poses(4)
    assert.is_true(pose[1] ~= pose[1])
    assert.near(5, pose[4], FLOAT * 8)
  end)

  it("goes on where joints are removed, also with the bodies that they hold", function()
    local world = delassus.world{ planar = true, gravity = { 0, 0 }, dt = 1e-3 }
    local joints, wheels = {}, {}
    for i = 1, 3 do
      wheels[i] = world:disk{ radius = 0.1, density = 1, position = { i, 0 }, angular_velocity = i }
      joints[i] = world:joint{ "revolute", world.ground, wheels[i], anchor = { i, 0 } }
    end
    local rec = world_record.record(world, { every = 1e-3 })
    world:step(1)
    world:remove(joints[1])
    world:step(1)
    world:remove(wheels[2])
    world:joint{ "revolute", world.ground, wheels[1], anchor = { 1, 0 } } -- in the place of the first; not recorded
    world:step(1)
    for i, last in ipairs{ 2, 3, 4 } do
      local column = rec:values("joint " .. i)
      for k = 1, 4 do
        if k <= last then assert.near(i * (k - 1) * 1e-3, column[k], 1e-12) else assert.is_true(column[k] ~= column[k]) end
      end
    end
  end)

  it("changes nothing of the run", function()
    local function run(recorded)
      local world = delassus.world{ planar = true, dt = 1e-3 }
      world:floor{ friction = 0.5 }
      for i = 1, 5 do world:disk{ radius = 0.1, density = 1, position = { 0.15 * i, 0.1 + 0.19 * i } } end
      if recorded then world_record.record(world) end
      world:step(300)
      return world:hash()
    end
    assert.equal(run(false), run(true))
  end)

  it("streams to a file, ends when closed, and shows", function()
    local path = os.tmpname()
    local world = delassus.world{ planar = true, dt = 1e-3 }
    world:disk{ name = "ball", radius = 0.1, density = 1, position = { 0, 1 } }
    local rec = world_record.record(world, { every = 0.01, file = path })
    world:step(100)
    assert.is_true(rec:close())
    world:step(100)
    assert.equal(11, #rec:times())
    assert.same(rec:times(), assert(record.read(path)):times())
    os.remove(path)
    assert.is_true(rec:save(path .. ".json"))
    local file <close> = assert(io.open(path .. ".json"))
    assert.equal("ball", cjson.decode(file:read("a")).bodies[1].name)
    os.remove(path .. ".json")
  end)

  it("names a wrong option, and answers nil and a message for a file that cannot be", function()
    local world = delassus.world{ planar = true }
    assert.error_matches(function() world_record.record(world, { evry = 1 }) end,
      "world:record: unknown option 'evry' (did you mean 'every'?)", 1, true)
    assert.error_matches(function() world_record.record(world, { every = 0 }) end,
      "world:record: 'every' must be > 0, got 0", 1, true)
    local rec, message = world_record.record(world, { file = "/no/such/folder/run.rec" })
    assert.is_nil(rec)
    assert.matches("/no/such/folder/run.rec", message, 1, true)
    local path, problem = world:show("/no/such/folder/x.html")
    assert.is_nil(path)
    assert.matches("/no/such/folder/x.html", problem, 1, true)
  end)
end)
