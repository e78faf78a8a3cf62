-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Snapshots, hashes, callbacks: a step is whole or not at all, and the same bits everywhere.
local delassus = require "delassus"
local core = require "delassus.core"
local scene = require "support.world_scene"
local seeds = require "support.seeds"

--- A snapshot's content with the hash that ends it.
local function sealed(content)
  return content .. ("<I8"):pack(tonumber(core.hash(content), 16))
end

-- The same interpreter's other process.
local function elsewhere(bytes, steps)
  local file = os.tmpname()
  local out = assert(io.open(file, "wb"))
  out:write(bytes)
  out:close()
  local command = ("LUA_PATH='%s' LUA_CPATH='%s' lua5.4 spec/support/world_scene.lua %s %d"):format(
    package.path, package.cpath, file, steps)
  local pipe = assert(io.popen(command))
  local answer = pipe:read("l")
  pipe:close()
  os.remove(file)
  return answer
end

describe("a world's state", function()
  -- numbers above 1e100, which bodies may be given and steps go on with, had counted as damage
  it("takes whatever state a world can be in", function()
    for _, size in ipairs{ 1e99, 1e120, 1e150, 1e300 } do
      for _, what in ipairs{ "position", "velocity", "angular_velocity" } do
        local world <close> = delassus.world{ record = false }
        local ball = world:sphere{ radius = 1, density = 1, position = { 0, 0, 5 } }
        ball[what] = { size, 0, -size }
        world:joint{ "revolute", world.ground, world:sphere{ radius = 1, density = 1, position = { 0, 0, 9 } },
          axis = { 0, 1, 0 }, motor = { speed = size, max_torque = 1 } } -- as a motor's target
        local kept, hash = world:snapshot(), world:hash()
        pcall(world.step, world)
        world:restore(kept)
        assert.equal(hash, world:hash(), ("%s %g"):format(what, size))
      end
    end
  end)

  it("is exact: the same bits twice, after restore, and in another process", function()
    local one <close> = scene.build()
    local two <close> = scene.build()
    one:step(700)
    two:step(700)
    assert.equal(one:hash(), two:hash())
    assert.is_true(one.stats.contacts > 15)
    local bytes = one:snapshot()
    one:step(200)
    local want = one:hash()
    assert.are_not.equal(two:hash(), want)
    two:step(37)
    two:restore(bytes)
    two:step(200)
    assert.equal(want, two:hash())
    assert.equal(want, elsewhere(bytes, 200))
  end)

  -- Fast disks in a box: their neighbour list is made anew every few steps.
  local function stirred(jointed)
    local world = delassus.world { planar = true, record = false, gravity = { 0, -9.81 }, dt = 5e-3 }
    for _, wall in ipairs { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
      world:body { type = "static", shape = delassus.plane { normal = wall, offset = -1.5 } }
    end
    local random, last = delassus.random(4), nil
    for k = 0, 24 do
      local disk = world:disk { radius = random:uniform(0.08, 0.16), density = 100,
        position = { -1.2 + 0.5 * (k % 5), -1.2 + 0.5 * (k // 5) },
        velocity = { random:uniform(-6, 6), random:uniform(-6, 6) } }
      if jointed and k < 3 then world:joint { "revolute", last or world.ground, disk } end
      last = disk
    end
    return world
  end

  for _, jointed in ipairs { false, true } do
    it("is as before where a callback refuses a step that is done, neighbours and all (exact): "
      .. (jointed and "with a tree" or "disks"), function()
      local world <close> = stirred(jointed)
      local twin <close> = stirred(jointed)
      for k = 1, 200 do
        local before = world:snapshot()
        local refusing = world:on("step", function() error("no", 0) end)
        assert.is_false((pcall(world.step, world)))
        refusing:off()
        assert.is_true(before == world:snapshot(), "step " .. k)
        world:step()
        twin:step()
        assert.equal(twin:hash(), world:hash(), "step " .. k)
      end
    end)
  end

  -- Rolling cylinders thrown into a corner: Newton's steps need factors, and hand over where they stall. What room a world
  -- has got from earlier steps must not count: seeds 13 and 14 parted after the steps 4 and 1 while it did.
  it("goes on from a snapshot alone, whatever memory the world that takes it has", function()
    local function make(seed, solver)
      local random = delassus.random(seed)
      local function r(a, b) return random:uniform(a, b) end
      local world = delassus.world { solver = solver, dt = 0.01, gravity = { r(-9, 9), r(-9, 9), r(-9, 9) } }
      for k = 1, 3 do
        for s = -1, 1, 2 do
          local normal = { 0, 0, 0 }
          normal[k] = s
          world:wall { normal = normal, offset = -0.5, restitution = 1 }
        end
      end
      for _ = 1, 4 do
        world:cylinder { radius = 0.15, length = 0.4, position = { r(-0.3, 0.3), r(-0.3, 0.3), r(-0.3, 0.3) },
          rotation = { axis = { r(-1, 1), r(-1, 1), 1 }, angle = r(-3, 3) }, velocity = { r(-3, 3), r(-3, 3), r(-3, 3) },
          restitution = 1, friction = 0.8, rolling_friction = 0.01, spinning_friction = 0.01 }
      end
      return world
    end
    for _, solver in ipairs { "newton", "energy" } do
      for _, seed in ipairs { 13, 14 } do
        local world <close> = make(seed, solver)
        local before = world:snapshot()
        for k = 1, 12 do
          world:step()
          local fresh <close> = make(seed, solver)
          fresh:restore(before)
          fresh:step()
          assert.equal(world:hash(), fresh:hash(), ("%s, seed %d, step %d"):format(solver, seed, k))
          before = world:snapshot()
        end
      end
    end
  end)

  it("is hashed bit by bit: each byte of a snapshot that differs changes the hash, or is refused", function()
    local world <close> = scene.build()
    world:step(600)
    local bytes, hash = world:snapshot(), world:hash()
    local n_changed, n_taken = 0, 0
    -- After the header (32 bytes) and the five counts; single bits all over the state.
    assert.equal(bytes, sealed(bytes:sub(1, -9)))
    for place = 60, #bytes - 8, #bytes // 800 do
      local changed = bytes:sub(1, place - 1) .. string.char(bytes:byte(place) ~ 1) .. bytes:sub(place + 1)
      if n_changed < 40 then
        assert.error_matches(function() world:restore(changed) end, "no snapshot of a world, or is damaged", 1, true)
      end
      local was = world:hash()
      if pcall(world.restore, world, sealed(changed:sub(1, -9))) then -- else it is a state that no world has
        assert.are_not.equal(hash, world:hash())
        n_taken = n_taken + 1
      else
        assert.equal(was, world:hash())
      end
      n_changed = n_changed + 1
    end
    assert.is_true(n_changed > 50 and n_taken > 0.8 * n_changed)
    world:restore(bytes)
    assert.equal(hash, world:hash())
  end)

  it("refuses a snapshot of another world whole", function()
    local world <close> = scene.build()
    world:step(3)
    local hash, bytes = world:hash(), world:snapshot()
    local other <close> = delassus.world { planar = true }
    other:floor {}
    assert.has_error(function() other:restore(bytes) end)
    for _, bad in ipairs { "", "text", bytes:sub(1, -2), bytes .. "x", ("\0"):rep(#bytes) } do
      assert.has_error(function() world:restore(bad) end)
      assert.equal(hash, world:hash())
    end
  end)
end)

describe("callbacks", function()
  local function falling()
    local world = delassus.world { planar = true, record = false }
    world:floor { restitution = 0.5 }
    local ball = world:disk { radius = 0.1, position = { 0, 0.3 }, restitution = 0.5 }
    return world, ball
  end

  it("tell impacts with both bodies, the contact and the speed", function()
    local world, ball = falling()
    local seen = {}
    local handle = world:on("impact", function(event)
      seen[#seen + 1] = event.speed
      assert.equal(ball, event.b)
      assert.equal("delassus.Contact", tostring(event.contact):match("^[%w.]+"))
      local weight = ball.mass * 9.81 * world.dt -- of which half comes back, where it pressed before the gap closed
      local blow = ball.mass * 1.5 * -event.speed
      assert.is_true(event.impulse <= blow + weight + 1e-9 and event.impulse >= blow + 0.5 * weight - 1e-9)
    end)
    world:run(0.5)
    assert.is_true(#seen >= 2 and seen[2] > seen[1])
    handle:off()
    local n = #seen
    world:run(0.5)
    assert.equal(n, #seen)
  end)

  it("that raise leave the world as it was, pass the error on, and it can go on", function()
    for _, what in ipairs { "field", "step", "motion", "friction", "gap" } do
      local world, ball = falling()
      local broken, token = false, { "mine" }
      local function maybe() if broken then error(token, 0) end end
      if what == "field" then world:field(function() maybe() return { 0.1, 0 } end)
      elseif what == "step" then world:on("step", maybe)
      elseif what == "motion" then
        world:body { type = "kinematic", shape = delassus.disk { radius = 0.1 }, position = { 3, 0.5 },
          motion = function(t) maybe() return { 3, 0.5 + 0.1 * t }, 0, { 0, 0.1 }, 0 end }
      elseif what == "friction" then
        world:disk { radius = 0.1, position = { 1, 0.1 }, friction = function() maybe() return 0.3 end }
      else
        world:contact { world.ground, ball, gap = function(q) maybe() return q[1] + 5 end,
          gradient = function() return { 1, 0, 0, table.unpack({ 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 1, 0) } end }
      end
      world:step(5)
      local hash = world:hash()
      broken = true
      local ok, message = pcall(world.step, world, 3)
      assert.is_false(ok)
      assert.equal(token, message)
      assert.equal(hash, world:hash())
      broken = false
      world:step(5)
      assert.near(0.01, world.time, 1e-12)
    end
  end)

  it("may read and apply forces; stepping and closing raise, removals wait", function()
    local world, ball = falling()
    local said = {}
    world:on("step", function()
      ball:apply { force = { 1, 0 } }
      for _, method in ipairs { "step", "run", "close" } do
        local ok, message = pcall(world[method], world, 1)
        said[method] = not ok and message
      end
      said.restore = not pcall(world.restore, world, "")
      if world.time > 0.0095 then world:remove(ball) end
    end)
    world:step(9)
    assert.is_true(#world == 2)
    world:step(1)
    assert.equal(1, #world)
    for _, method in ipairs { "step", "run", "close", "restore" } do assert.is_truthy(said[method]) end
    assert.has_error(function() return ball.position end)
  end)

  it("end with off, once: the place of an ended one can become another's; they tell what they are", function()
    local world <close> = delassus.world { planar = true, record = false }
    world:disk { radius = 1 }
    local calls = { 0, 0, 0 }
    local function count(k) return function() calls[k] = calls[k] + 1 end end
    local first, second = world:on("step", count(1)), world:on("step", count(2))
    world:step()
    assert.equal("delassus.Callback (on 'step')", tostring(second))
    second:off()
    local third = world:on("step", count(3))
    second:off()
    first:off()
    world:step()
    assert.same({ 1, 1, 1 }, calls)
    assert.equal("delassus.Callback (ended)", tostring(first))
    third:off()
    local field = world:field(function() return { 1, 0 } end)
    assert.equal("delassus.Callback (field)", tostring(field))
    for _ = 1, 3 do field:off() end
    world:step()
    assert.same({ 1, 1, 1 }, calls)
    assert.equal(0, world.bodies[1].velocity.x)
    local again = world:field(function() return { 1, 0 } end)
    field:off()
    world:step()
    assert.is_true(world.bodies[1].velocity.x > 0)
    again:off()
  end)

  it("are not called for by world:step, which makes no garbage", function()
    local world <close> = scene.build()
    world.log = false
    world:step(400)
    collectgarbage()
    collectgarbage("stop")
    local before = collectgarbage("count")
    world:step(50)
    local after = collectgarbage("count")
    collectgarbage("restart")
    assert.equal(before, after)
  end)
end)

describe("children of a world", function()
  it("are the same Lua values each time; contacts raise when their world has moved on", function()
    local world <close> = delassus.world { planar = true }
    local floor = world:floor { name = "ground floor" }
    local ball = world:disk { radius = 0.1, position = { 0, 0.1 }, name = "ball", data = { 1 } }
    world:step()
    assert.equal(ball, world:find("ball"))
    assert.equal(ball, world.bodies[2])
    assert.equal(2, #world)
    local contact = world:contacts()()
    assert.equal(contact, ball:contacts()())
    assert.equal(floor, contact.a)
    assert.equal(ball, contact.b)
    assert.equal(0.1, ball.shape.radius)
    assert.near(ball.mass * 9.81, contact.normal_force, 1e-9)
    assert.equal("stick", contact.state)
    local key = contact.key
    world:step()
    local ok, message = pcall(function() return contact.gap end)
    assert.is_false(ok)
    assert.matches("moved on", message)
    local again = world:contacts()()
    assert.equal(key, again.key)
    assert.equal(1, again.age)
    world:remove(ball)
    assert.has_error(function() return ball.mass end)
    assert.is_nil(world:find("ball"))
  end)

  it("keep filters, sensors and rays", function()
    local world <close> = delassus.world { planar = true }
    world:floor {}
    local ghost = world:disk { radius = 0.1, position = { 0, 0.05 }, sensor = true, type = "static" }
    local a = world:disk { radius = 0.1, position = { 1, 0.5 }, group = "red", collides = { "blue" } }
    local b = world:disk { radius = 0.1, position = { 1, 0.3 }, group = "red" }
    local body, point, normal, fraction = world:raycast({ 1, 2 }, { 1, -1 })
    assert.equal(a, body)
    assert.near(0.6, point.y, 1e-12)
    assert.near(1, normal.y, 1e-12)
    assert.near(1.4 / 3, fraction, 1e-12)
    world:run(0.5)
    assert.is_true(a.position.y < 0) -- touches neither the floor nor its like
    assert.near(0.1, b.position.y, 1e-3)
    assert.is_true(ghost.sensor)
  end)
end)

-- Everything that can be set and belongs to the state: how it is set, how it is read, two values.
describe("a snapshot", function()
  local function made()
    local world = delassus.world { planar = true, record = false, seed = 7, log = true }
    world:floor { restitution = 0.5 }
    local o = { world = world }
    o.ball = world:disk { radius = 0.1, density = 500, position = { 0, 0.12 }, restitution = 0.5 }
    o.other = world:disk { radius = 0.1, density = 500, position = { 1, 0.5 } }
    o.joint = world:joint { "revolute", world.ground, o.other, anchor = { 1, 0.9 } }
    o.driven = world:joint { "revolute", world.ground, world:disk { radius = 0.1, density = 500, position = { 3, 2 } },
      motor = { speed = 1, max_torque = 9 } }
    o.held = world:joint { "revolute", world.ground, world:disk { radius = 0.1, density = 500, position = { 5, 2 } },
      formulation = "rigid", motor = { position = 1, stiffness = 7, damping = 1 } }
    o.tie = world:contact { world.ground, o.ball, rope = 9 }
    return o
  end
  local state = {
    time = { function(o) return o.world.time end, function(o, v) o.world:step(v) end, 1, 2 },
    steps = { function(o) return o.world.stats.steps end, function(o, v) o.world:step(v) end, 1, 2 },
    gravity = { function(o) return o.world.gravity:totable() end, function(o, v) o.world.gravity = v end, { 0, -1 }, { 2, 3 } },
    dt = { function(o) return o.world.dt end, function(o, v) o.world.dt = v end, 2e-3, 3e-3 },
    theta = { function(o) return o.world.theta end, function(o, v) o.world.theta = v end, 0.7, 1 },
    impact = { function(o) return o.world.impact end, function(o, v) o.world.impact = v end, "poisson", "newton" },
    solver = { function(o) return o.world.solver end, function(o, v) o.world.solver = v end, "nsgs", "newton" },
    tolerance = { function(o) return o.world.tolerance end, function(o, v) o.world.tolerance = v end, 1e-7, 1e-8 },
    max_iterations = { function(o) return o.world.max_iterations end, function(o, v) o.world.max_iterations = v end, 77, 88 },
    factor = { function(o) return o.world.factor end, function(o, v) o.world.factor = v end, "sweep", "dense" },
    friction_corners = { function(o) return o.world.friction_corners end, function(o, v) o.world.friction_corners = v end, 4, 2 },
    seed = { function(o) return o.world.seed end, function(o, v) o.world.seed = v end, 11, 12 },
    log = { function(o) return o.world.log end, function(o, v) o.world.log = v end, false, true },
    strict = { function(o) return o.world.strict end, function(o, v) o.world.strict = v end, true, false },
    position = { function(o) return o.ball.position:totable() end, function(o, v) o.ball.position = v end, { 3, 4 }, { 5, 6 } },
    rotation = { function(o) return o.ball.rotation end, function(o, v) o.ball.rotation = v end, 0.25, 0.5 },
    velocity = { function(o) return o.ball.velocity:totable() end, function(o, v) o.ball.velocity = v end, { 3, 4 }, { 5, 6 } },
    ["angular velocity"] = { function(o) return o.ball.angular_velocity end,
      function(o, v) o.ball.angular_velocity = v end, 3, 4 },
    ["joint.q"] = { function(o) return o.joint.q end, function(o, v) o.joint.q = v end, 0.3, 0.4 },
    ["joint.qd"] = { function(o) return o.joint.qd end, function(o, v) o.joint.qd = v end, 0.3, 0.4 },
    ["joint.torque"] = { function(o) return o.joint.torque end, function(o, v) o.joint.torque = v end, 0.3, 0.4 },
    ["joint.motor.speed"] = { function(o) return o.driven.motor.speed end, function(o, v) o.driven.motor.speed = v end, 3, 4 },
    ["joint.motor.max_torque"] = { function(o) return o.driven.motor.max_torque end,
      function(o, v) o.driven.motor.max_torque = v end, 3, 4 },
    ["joint.motor of a position"] = { function(o)
      local motor = o.held.motor
      return { motor.position, motor.stiffness, motor.damping }
    end, function(o, v) o.held.motor = { position = v, stiffness = 10 * v, damping = v / 10 } end, 3, 4 },
    ["contact.active"] = { function(o) return o.tie.active end, function(o, v) o.tie.active = v end, false, true },
    force = { function(o) -- is seen in what it does
      local u, t = o.ball.velocity, o.ball.angular_velocity
      o.world.gravity = { 0, 0 }
      o.world:step()
      return { o.ball.velocity.x - u.x, o.ball.angular_velocity - t }
    end, function(o, v) o.ball:apply { force = { v, 0 }, torque = v / 10 } end, 3, 0 },
    impacts = { function(o) return o.world.stats.impacts end, function(o, v) o.world:step(v) end, 150, 400 },
    ledger = { function(o) return o.world:ledger() end, function(o, v) o.world:step(v) end, 150, 40 },
    unconverged = { function(o) return o.world.stats.unconverged end, function(o, v)
      o.world.solver, o.world.max_iterations, o.world.tolerance = "nsgs", 1, 1e-15
      o.world:step(v)
    end, 150, 40 },
    events = { function(o) return #o.world.events end, function(o, v) o.world:step(v) end, 150, 400 },
  }
  local names = {}
  for name in pairs(state) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    it("brings back " .. name, function()
      local get, set, first, second = table.unpack(state[name])
      local o, fresh = made(), made()
      set(o, first)
      local bytes, hash = o.world:snapshot(), o.world:hash()
      set(o, second)
      assert.not_equal(hash, o.world:hash())
      o.world:restore(bytes)
      assert.equal(hash, o.world:hash())
      set(fresh, first)
      assert.equal(fresh.world:hash(), hash)
      assert.same(get(fresh), get(o))
    end)
  end

  it("fits a world with the same mesh alone: faces over the same vertices count", function()
    local function on(faces)
      local world = delassus.world { record = false }
      world:mesh { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0.5 } }, faces = faces }
      return world
    end
    local one <close> = on { { 1, 2, 3 }, { 2, 4, 3 } }
    local same <close> = on { { 1, 2, 3 }, { 2, 4, 3 } }
    local other <close> = on { { 1, 2, 4 }, { 1, 4, 3 } }
    same:restore(one:snapshot())
    assert.has_error(function() other:restore(one:snapshot()) end)
    assert.not_equal(one:hash(), other:hash())
  end)

  it("brings back when time was counted anew", function()
    local o, other = made(), made()
    o.world:step(100)
    local bytes = o.world:snapshot()
    o.world.dt = 3e-3
    o.world:step(50)
    o.world:restore(bytes)
    o.world:step(7)
    other.world:step(107)
    assert.equal(other.world.time, o.world.time)
    assert.equal(other.world:hash(), o.world:hash())
  end)
end)

describe("a world made anew that gets the state of another", function()
  it("goes on with the same bits, and as it was after a step that fails: some bodies without shapes (200 seeds)", function()
    for seed = 1, seeds(200) do
      local planar = seed % 2 == 0
      local function at(x, z) return planar and { x, z } or { x, 0, z } end
      local function make()
        local random = delassus.random(seed)
        local world = delassus.world{ planar = planar, record = false, dt = seed % 3 == 0 and 1 / 60 or 1e-3 }
        world:floor()
        for i = 1, random:integer(5, 20) do
          if random:integer(1, 3) < 3 then
            world:box{ size = planar and { 0.1, 0.1 } or { 0.1, 0.1, 0.1 }, density = 500,
              position = at(0.12 * (i % 7) + random:uniform(0, 0.01), 0.1 + 0.15 * (i // 7)),
              velocity = at(random:uniform(-1, 1), 0) }
          else
            world:body{ mass = 1, inertia = planar and 0.1 or { 0.1, 0.1, 0.1 }, position = at(i, 3) }
          end
        end
        return world
      end
      local world <close> = make()
      local fresh <close> = make()
      local fails = false
      fresh:on("step", function() if fails then error("no") end end)
      world:step(20)
      fresh:restore(world:snapshot())
      for step = 1, 10 do
        local before = fresh:hash()
        fails = true
        assert.is_false(pcall(fresh.step, fresh))
        assert.equal(before, fresh:hash(), ("seed %d, step %d fails"):format(seed, step))
        fails = false
        world:step()
        fresh:step()
        assert.equal(world:hash(), fresh:hash(), ("seed %d, step %d"):format(seed, step))
      end
    end
  end)
end)

describe("an event-driven world with driven penalty joints", function()
  it("goes on from a snapshot with the same bits: what they store is that of its time", function()
    for _, told in ipairs{ 1, 2, 3 } do
      local world <close> = delassus.world{ record = false, scheme = "event-driven" }
      local a = world:body{ mass = 3, inertia = { 0.03, 0.04, 0.05 }, position = { 0, 0, 0 }, velocity = { 1, 0.5, -1 } }
      local b = world:body{ mass = 1, inertia = { 0.01, 0.01, 0.01 }, position = { 0.3, 0.1, 0.5 }, velocity = { -1, 2, 0.3 } }
      local function motion(t)
        local list = { 0.1 * math.sin(3 * t), 0.3 * math.cos(3 * t), -0.9 * math.sin(3 * t) }
        return table.unpack(list, 1, told)
      end
      world:joint{ "chain", a, b, formulation = "penalty", anchor = { 0.15, 0.05, 0.25 },
        motions = { { "rotate", { 0, 0, 1 } }, { "slide", { 1, 0, 0 }, motion = motion } } }
      for _ = 1, 3 do
        local kept, hashes = world:snapshot(), {}
        for step = 1, 3 do
          world:step()
          hashes[step] = world:hash()
        end
        world:restore(kept)
        for step = 1, 3 do
          world:step()
          assert.equal(hashes[step], world:hash(), ("told %d, step %d"):format(told, step))
        end
        assert.near(0, world.stats.energy_balance, 1e-6)
      end
    end
  end)
end)
