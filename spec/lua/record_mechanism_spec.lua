-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local core = require "delassus.core"
local delassus = require "delassus"
local json = require "delassus.json"
local kept = require "delassus.world_kept"
local pack = require "delassus.pack"
local connection = require "delassus.record_mechanism".connection
local record = require "delassus.record"

-- World coordinates of a point of a body, or of the ground.
local function at(body, point)
  local p, r = body.position, body.rotation
  if type(r) == "number" then
    local c, s = math.cos(r), math.sin(r)
    return { p[1] + c * point[1] - s * point[2], p[2] + s * point[1] + c * point[2] }
  end
  local w, u = r[1], { r[2], r[3], r[4] }
  local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end
  local t = cross(u, point)
  local tt, out = cross(u, t), {}
  for i = 1, 3 do out[i] = p[i] + point[i] + 2 * (w * t[i] + tt[i]) end
  return out
end

local function distance(a, b)
  local sum = 0
  for i = 1, #a do sum = sum + (a[i] - b[i]) ^ 2 end
  return math.sqrt(sum)
end

local function mechanism(planar)
  local world = delassus.world{ planar = planar, dt = 1e-3 }
  local function place(x, y) return planar and { x, y } or { x, 0.2, y } end
  local a = world:body{ name = "a", mass = 2, inertia = planar and 0.1 or { 0.1, 0.2, 0.15 }, position = place(1, 0),
    com = planar and { 0.1, 0 } or { 0.1, 0, 0 } }
  local b = world:body{ name = "b", mass = 1, inertia = planar and 0.1 or { 0.1, 0.1, 0.1 }, position = place(2, 0.5),
    rotation = planar and 0.4 or { axis = { 1, 2, 3 }, angle = 0.7 } }
  local hinge = world:joint{ "revolute", world.ground, a, anchor = place(0, 0), axis = not planar and { 0, 1, 0 } or nil,
    limits = { -2, 1 }, name = "hinge" }
  local slide = world:joint{ "prismatic", a, b, axis = planar and { 1, 1 } or { 1, 0, 1 } }
  world:spring{ world.ground, b, anchor_a = place(0, 3), stiffness = 40, length = 2.5 }
  local rope = world:contact{ a, b, rope = 5 }
  return world, { a = a, b = b, hinge = hinge, slide = slide, rope = rope }
end

local function saved(rec)
  local path = os.tmpname()
  os.remove(path)
  assert(rec:save(path .. ".rec"))
  local back = assert(record.read(path .. ".rec"))
  local file <close> = assert(io.open(path .. ".rec", "rb"))
  os.remove(path .. ".rec")
  return back, file:read("a")
end

describe("connections of a world, in its recordings", function()
  it("are of every kind of joint that the core has: taken by recordings and world:joint, told by help", function()
    local world <close> = delassus.world{ record = false }
    local told = delassus.help "joint":match "Kinds: ([^.]+)"
    for _, kind in ipairs(core.joint_kinds) do
      assert.equal(kind, connection("record", { kind = kind, a = 0, b = 1 }, false, 1).kind)
      local _, message = pcall(world.joint, world, { kind, world.ground, world.ground })
      assert.matches("two different bodies", message)
      assert.truthy(told:find("%f[%a]" .. kind .. "%f[%A]"), kind)
    end
  end)

  for _, planar in ipairs{ true, false } do
    local where = planar and "in the plane" or "in space"

    it("hold bodies where they meet, at every time, " .. where, function()
      local world, made = mechanism(planar)
      world:step(400)
      local rec = kept(world)
      local of = { [0] = world.ground, made.a, made.b }
      local hinge, slide, spring, rope = table.unpack(rec.connections)
      assert.same({ "revolute", "prismatic", "spring", "rope" }, { hinge.kind, slide.kind, spring.kind, rope.kind })
      assert.same({ 0, 1, "hinge" }, { hinge.a, hinge.b, hinge.name })
      assert.same({ -2, 1 }, { hinge.limits[1], hinge.limits[2] })
      -- a hinge's two frames have one origin; a slide's differ by its coordinate, along its axis
      assert.near(0, distance(at(of[hinge.a], hinge.frame_a.position), at(of[hinge.b], hinge.frame_b.position)), 1e-9)
      local apart = distance(at(of[slide.a], slide.frame_a.position), at(of[slide.b], slide.frame_b.position))
      assert.is_true(math.abs(made.slide.q) > 1e-3)
      assert.near(math.abs(made.slide.q), apart, 1e-9)
      -- the stored energy is that of the spring as it is drawn
      local _, _, stored = world:energy()
      local length = distance(at(of[spring.a], spring.point_a), at(of[spring.b], spring.point_b))
      assert.near(stored, 0.5 * 40 * (length - spring.length) ^ 2, 1e-9 * stored)
      assert.equal(5, rope.length)
      assert.same({ 2, planar and 2 or 3 }, { rec.bodies[1].mass, #rec.bodies[1].com })
    end)

    it("come back from a file, " .. where, function()
      local world = mechanism(planar)
      world:step(40)
      local rec = kept(world)
      local back = saved(rec)
      assert.equal(json.encode(rec.connections), json.encode(back.connections))
      assert.equal(json.encode(rec.bodies), json.encode(back.bodies))
    end)
  end

  it("are there from when they were made till they are removed", function()
    local world, made = mechanism(true)
    local stream = { text = {}, write = function(self, text) self.text[#self.text + 1] = text return self end }
    local rec = world:record{ every = 1e-2, stream = stream }
    world:step(20)
    world:spring{ made.a, made.b, stiffness = 5 }
    world:step(20)
    world:remove(made.rope)
    world:step(20)
    local list = rec.connections
    assert.equal(5, #list)
    assert.near(0.02, list[5].from, 1e-9)
    assert.is_nil(list[5].till)
    assert.near(0.05, list[4].till, 1e-9)
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(table.concat(stream.text))
    file:close()
    assert.equal(json.encode(list), json.encode(assert(record.read(path)).connections))
    os.remove(path)
  end)

  it("are the same stamp while nothing is joined or removed, and another one then", function()
    local world, made = mechanism(false)
    local seen, one = {}, core.connected(world)
    world:step(10)
    assert.equal(one, core.connected(world))
    for _ = 1, 200 do
      local spring = world:spring{ made.a, made.b, stiffness = 5 }
      local stamp = core.connected(world)
      assert.is_nil(seen[stamp])
      seen[stamp] = true
      world:remove(spring)
      assert.equal(one, core.connected(world))
    end
  end)
end)

local function chunk(tag, payload)
  return tag .. ("<I4I4"):pack(#payload, pack.checksum(tag .. payload)) .. payload
end

-- A recording whose chunks have other tags, and sums that fit.
local function retagged(text, tags)
  local place = text:find("\n", 1, true) + 1
  local out = { text:sub(1, place - 1) }
  while place <= #text do
    local tag, size = text:sub(place, place + 3), ("<I4"):unpack(text, place + 4)
    out[#out + 1] = chunk(tags[tag] or tag, text:sub(place + 12, place + 11 + size))
    place = place + 12 + size
  end
  return table.concat(out)
end

describe("recordings with connections", function()
  local function made(connections)
    local bodies = { { name = "a" }, { name = "b", mass = 2, com = { 0, 1 } } }
    return record{ planar = true, bodies = bodies, connections = connections }
  end

  it("pass over chunks they do not know: a newer file is read as far as it is known", function()
    local rec = made{ { kind = "spring", a = 1, b = 2, length = 1 } }
    rec:frame{ time = 0, poses = { 0, 0, 0, 1, 0, 0 } }
    rec:frame{ time = 1, poses = { 0, 0, 0, 1, 0, 0 } }
    local back, text = saved(rec)
    assert.equal(2, #back:times())
    -- as a reader of old sees it, who knows HEAD, BODY and FRAM: the others' tags are strange to it
    local strange = retagged(text, { CONN = "ABCD", INFO = "EFGH" })
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(strange)
    file:close()
    local old = assert(record.read(path))
    os.remove(path)
    assert.is_nil(old.torn)
    assert.equal(2, #old:times())
    assert.equal(0, #old.connections)
    assert.is_nil(old.bodies[2].mass)
    assert.equal("b", old.bodies[2].name)
  end)

  it("end where a connection names a body that is not there", function()
    local rec = made()
    local path = os.tmpname()
    rec:frame{ time = 0, poses = { 0, 0, 0, 1, 0, 0 } }
    local _, text = saved(rec)
    local payload = '{"a":1,"b":7,"index":1,"kind":"spring"}'
    local file = assert(io.open(path, "wb"))
    file:write(text, chunk("CONN", payload))
    file:close()
    local back = assert(record.read(path))
    os.remove(path)
    assert.equal(12 + #payload, back.torn)
    assert.same({ 1, 0 }, { #back:times(), #back.connections })
  end)

  it("name what is wrong", function()
    local function wrong(message, action) assert.error_matches(action, message, 1, true) end
    wrong("connections[1]: 'kind' must be one of 'spherical'", function() made{ { kind = "hinge", a = 0, b = 1 } } end)
    wrong("connections[1]: 'b' must be the number of a body (0 to 2), got 3",
      function() made{ { kind = "rope", a = 0, b = 3 } } end)
    wrong("connections[1]: 'point_a' must hold 2 numbers, got 3",
      function() made{ { kind = "rope", a = 0, b = 1, point_a = { 1, 2, 3 } } } end)
    wrong("rec:connect: unknown option 'lenght' (did you mean 'length'?)",
      function() made():connect{ kind = "rope", a = 0, b = 1, lenght = 1 } end)
    wrong("rec:disconnect: no connection 4", function() made():disconnect(4, 1) end)
  end)
end)

describe("what a world keeps by itself", function()
  it("has energies, joints and contacts of every frame", function()
    local world, made = mechanism(true)
    world:floor{ offset = -5 }
    local ball = world:disk{ radius = 0.1, mass = 3, position = { 8, -4.9 } }
    local angles, energies, k = {}, {}, 0
    world:run(0.5, function()
      k = k + 1
      angles[k], energies[k] = made.hinge.q, { world:energy() }
    end)
    local rec = kept(world)
    local times = rec:times()
    assert.is_true(#times > 25)
    for i, t in ipairs(times) do
      k = math.floor(t / world.dt + 0.5)
      assert.near(angles[k], rec:values("joint 1")[i], 1e-6)
      assert.near(energies[k][1], rec:values("kinetic")[i], 1e-12 * math.abs(energies[k][1]))
      assert.near(energies[k][3], rec:values("stored")[i], 1e-12 * math.abs(energies[k][3]))
      assert.equal(1, rec:values("contacts")[i])
      local contacts = rec.frames[i].contacts
      assert.equal(16, #contacts)
      assert.near(3 * 9.81, (("<f"):unpack(contacts, 13)), 1e-3)
    end
    local titles = {}
    for i, chart in ipairs(rec:charts()) do titles[i] = chart.title end
    assert.same({ "Energy", "Contacts", "Residual of the step", "Angles of joints", "Slides of joints" }, titles)
    assert.matches("^3 bodies, 1 revolute joint, 1 prismatic joint, 1 spring, 1 rope, 0%.4%d* s$",
      require "delassus.record_scene".summary(rec))
    assert.truthy(ball)
  end)

  it("leaves out of the charts what is 0 throughout", function()
    local world = delassus.world{ gravity = { 0, 0, 0 } }
    world:sphere{ radius = 0.1, velocity = { 1, 0, 0 } }
    world:step(100)
    local charts = kept(world):charts()
    assert.equal(1, #charts)
    assert.same({ "kinetic" }, charts[1].order)
  end)

  it("shows a world that has made no step", function()
    local world = delassus.world{ planar = true }
    world:disk{ radius = 0.1 }
    assert.equal(1, #kept(world):times())
  end)
end)
