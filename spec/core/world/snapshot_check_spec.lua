-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Snapshots whose seal is right and whose content lies (spec/support/snapshot_lies.lua). That no lie brings the process
-- down is best seen under a sanitizer: `make asan`, or the program by itself with more tries.
local delassus = require "delassus"
local core = require "delassus.core"
local lies = require "spec.support.snapshot_lies"

local function sealed(content) return content .. ("<I8"):pack(tonumber(core.hash(content), 16)) end

-- The bytes with those at `place` replaced.
local function with(bytes, place, word) return bytes:sub(1, place - 1) .. word .. bytes:sub(place + #word, -9) end

-- All places of a word.
local function places(bytes, word)
  local list, at = {}, 1
  while true do
    local place = bytes:find(word, at, true)
    if not place then return list end
    list[#list + 1] = place
    at = place + 1
  end
end

describe("a snapshot that lies", function()
  for _, scene in ipairs { "planar", "spatial", "disks", "spheres" } do
    it("is refused whole or goes on as a world, 200 seeds: " .. scene, function()
      local taken, refused = 0, 0
      for seed = 1, 200, 20 do -- a scene is made once for twenty of them
        local t, r = lies.try(delassus, scene, seed, 20)
        taken, refused = taken + t, refused + r
      end
      assert.is_true(refused > 20 and taken > 20, ("%d taken, %d refused"):format(taken, refused))
    end)
  end

  it("is stepped in bounded time: a proof of separation ends at the last digits of bodies 1e22 m apart", function()
    local taken = lies.try(delassus, "spatial", 3, 700) -- try 608
    assert.is_true(taken > 400)
  end)

  -- A number that stands in the state once is found there and made another.
  local function one_ball(options)
    local world = delassus.world { record = false }
    world:floor {}
    local ball = world:sphere { radius = 0.1, density = 500, position = { 0.123456789, 0, 0.1 } }
    for name, value in pairs(options or {}) do ball[name] = value end
    world:step(2)
    return world, ball
  end

  it("has coordinates, velocities and loads that are numbers, and rotations of length 1", function()
    local world <close>, ball = one_ball()
    ball.velocity = { 0.7654321, 0, 0 }
    ball:apply { force = { 0.2718281, 0, 0 } }
    local bytes, hash = world:snapshot(), world:hash()
    local numbers = { ball.centre.x, 0.7654321, 0.2718281, world.dt, world.gravity[3] }
    for _, number in ipairs(numbers) do
      local found = places(bytes, ("<d"):pack(number))
      assert.is_true(#found > 0)
      for _, bad in ipairs { 0 / 0, math.huge, -math.huge } do
        for _, place in ipairs(found) do
          assert.error_matches(function() world:restore(sealed(with(bytes, place, ("<d"):pack(bad)))) end,
            "world:restore: the snapshot is of a world built differently, or damaged", 1, true)
          assert.equal(hash, world:hash())
        end
      end
    end
    local turn = places(bytes, ("<dddd"):pack(1, 0, 0, 0))
    assert.is_true(#turn > 0)
    for _, bad in ipairs { 0, 2, -1.1, 0.999 } do
      assert.is_false(pcall(world.restore, world, sealed(with(bytes, turn[1], ("<d"):pack(bad)))))
    end
    world:restore(bytes)
    assert.equal(hash, world:hash())
  end)

  it("has motors whose targets, gains and bounds are such", function()
    local world <close>, ball = one_ball()
    local joint = world:joint { "revolute", world.ground, ball, axis = { 0, 1, 0 },
      motor = { position = 0.7654321, stiffness = 0.2718281, damping = 0.3141592, max_torque = 0.5772156 } }
    world:step(2)
    local bytes, hash = world:snapshot(), world:hash()
    local function lie(number, bad)
      local found = places(bytes, ("<d"):pack(number))
      assert.equal(1, #found)
      return pcall(world.restore, world, sealed(with(bytes, found[1], ("<d"):pack(bad))))
    end
    for _, bad in ipairs { 0 / 0, math.huge, -math.huge } do
      for _, number in ipairs { 0.7654321, 0.2718281, 0.3141592 } do assert.is_false(lie(number, bad), bad) end
    end
    for _, number in ipairs { 0.2718281, 0.3141592, 0.5772156 } do
      for _, bad in ipairs { 0 / 0, -1, -math.huge } do assert.is_false(lie(number, bad), bad) end
    end
    assert.equal(hash, world:hash())
    assert.is_true(lie(0.5772156, math.huge)) -- no bound
    assert.is_nil(joint.motor.max_torque)
    world:step(2)
  end)

  it("has a time that its steps have reached", function()
    local world <close> = one_ball()
    world:step(1234)
    local bytes, hash, steps = world:snapshot(), world:hash(), world.stats.steps
    local found = places(bytes, ("<i8"):pack(steps))
    assert.is_true(#found > 0)
    for _, bad in ipairs { steps + 1, steps - 1, 0, 1 << 40 } do
      assert.is_false(pcall(world.restore, world, sealed(with(bytes, found[1], ("<i8"):pack(bad)))), bad)
      assert.equal(hash, world:hash())
    end
    -- as it is after a change of the step, and after an integration
    world.dt = 3e-3
    world:step(7)
    world:restore(world:snapshot())
    world:step(7)
  end)

  it("has contacts of bodies that are there, in their order", function()
    local world <close> = one_ball()
    local bytes = world:snapshot()
    -- a = 1 (the floor), b = 2, no hand-made one: the head of the one contact's record behind its key
    local found = places(bytes, ("<i4i4i4"):pack(1, 2, -1))
    assert.equal(1, #found)
    local wrong = { { 1, 3, -1 }, { 1, -1, -1 }, { 0, 2, -1 }, { 2, 2, -1 }, { 1, 2, 0 }, { 1, 2, 7 }, { 1 << 30, 2, -1 } }
    for _, bad in ipairs(wrong) do
      assert.is_false(pcall(world.restore, world, sealed(with(bytes, found[1], ("<i4i4i4"):pack(table.unpack(bad))))),
        table.concat(bad, " "))
    end
    for at, most in pairs { [12] = 2, [16] = 1 << 30, [20] = 1, [24] = (1 << 20) - 1 } do -- state, age, whether listed, marks
      for _, bad in ipairs { -1, most + 1 } do
        assert.is_false(pcall(world.restore, world, sealed(with(bytes, found[1] + at, ("<i4"):pack(bad)))), at .. " " .. bad)
      end
    end
    world:restore(bytes)
  end)

  it("has neighbours that have shapes, one of which moves", function()
    local world <close> = delassus.world { record = false, planar = true }
    world:floor {}
    world:wall { normal = { 1, 0 }, offset = -5 }
    world:body { mass = 1, inertia = 1, position = { 3, 3 } }
    world:disk { radius = 0.1, density = 500, position = { 0, 0.1 } }
    world:disk { radius = 0.1, density = 500, position = { 0.2, 0.1 } }
    world:step(1)
    local bytes = world:snapshot()
    -- pairs (1, 4), (1, 5), (2, 4), (2, 5), (4, 5): all first ones, then all second ones; what is near is listed
    local first, second
    for _, n in ipairs { 5, 4, 3 } do
      local a, b = { 1, 1, 2, 2, 4 }, { 4, 5, 4, 5, 5 }
      if n == 3 then a, b = { 1, 1, 4 }, { 4, 5, 5 } end
      local word = ("<" .. ("i4"):rep(n)):pack(table.unpack(a, 1, n)) .. ("<" .. ("i4"):rep(n)):pack(table.unpack(b, 1, n))
      local found = places(bytes, word)
      if #found == 1 then first, second = found[1], found[1] + 4 * n break end
    end
    assert.is_not_nil(first)
    local wrong = { { first, -1 }, { first, 9 }, { first, 4 }, { second, 2 }, { second, 3 }, { second, 6 }, { second, 1 << 30 },
      { second + 4, 4 } }
    for _, bad in ipairs(wrong) do
      local lie = with(bytes, bad[1], ("<i4"):pack(bad[2]))
      assert.is_false(pcall(world.restore, world, sealed(lie)), bad[1] - first .. " " .. bad[2])
    end
    world:restore(bytes)
  end)
end)

describe("a stack's snapshot that lies", function()
  it("is refused where a number is none", function()
    local s <close> = delassus.stack { bodies = { { mass = 1, stiffness = 1e5, position = 0.1234567, radius = 0.1 } } }
    s:step(3)
    local bytes, hash = s:snapshot(), s:hash()
    assert.is_true(pcall(s.restore, s, bytes))
    assert.is_false(pcall(s.restore, s, bytes:sub(1, -9) .. ("<d"):pack(0 / 0)))
    assert.equal(hash, s:hash())
  end)
end)
