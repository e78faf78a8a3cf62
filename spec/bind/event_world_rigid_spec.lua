-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Event-driven worlds: friction, motors and limits of rigid and penalty joints against those of reduced ones.
local delassus = require "delassus"
local chance = require "spec.support.chance"
local seeds = require "support.seeds"
local of_kind = require("support.event_scenes").of_kind

local G = 9.81

local function new(o)
  o.scheme, o.record = "event-driven", false
  if o.planar == nil then o.planar = true end
  return delassus.world(o)
end

--- A random chain of n links whose joints are all of one formulation, with friction, motors (some without bound), limits.
local function chain(seed, formulation)
  local r = delassus.random(seed)
  local planar, n = seed % 3 ~= 0, 1 + seed % 3
  local world, joints, bodies = new{ planar = planar, dt = 0.02 }, {}, {}
  local before, x = world.ground, 0
  local kinds = planar and { "revolute", "revolute", "prismatic" } or
    { "revolute", "prismatic", "universal", "cylindrical", "spherical" }
  for i = 1, n do
    local l = r:uniform(0.2, 0.5)
    local body = { mass = r:uniform(0.5, 2), position = planar and { x + l, 0 } or { x + l, 0, 0 } }
    body.inertia = planar and r:uniform(0.01, 0.1) or { r:uniform(0.03, 0.05), r:uniform(0.03, 0.055), r:uniform(0.03, 0.05) }
    bodies[i] = world:body(body)
    local kind = kinds[1 + math.floor(r:uniform(0, #kinds - 1e-6))]
    local one, most = kind == "revolute" or kind == "prismatic", kind == "revolute" and "max_torque" or "max_force"
    local joint = { kind, before, bodies[i], anchor = planar and { x, 0 } or { x, 0, 0 }, formulation = formulation }
    joint.friction = r:uniform(0, 1) < 0.7 and r:uniform(0.1, 2) or 0
    local drives, bounded, limited = r:uniform(0, 1) < 0.3, r:uniform(0, 1) < 0.6, r:uniform(0, 1) < 0.3
    local speed, bound, low, high = r:uniform(-3, 3), r:uniform(0.5, 5), -r:uniform(0.2, 1), r:uniform(0.2, 1)
    if one and drives then joint.motor = { speed = speed, [most] = bounded and bound or nil } end
    if one and limited and (bounded or not drives) then -- with friction at a limit their shares of a force are not unique
      joint.limits, joint.friction = { low, high }, 0
    end
    if kind == "spherical" then
      if limited then joint.limits, joint.axis, joint.friction = { cone = high, twist = { low, 1 } }, { 1, 0, 0 }, 0 end
    elseif kind == "universal" then
      joint.axis, joint.axis2 = { 0, 1, 0 }, { 0, 0, 1 }
    elseif kind ~= "revolute" or not planar then
      joint.axis = planar and { r:uniform(-1, 1), 1 } or { 0.3, 1, r:uniform(-1, 1) }
    end
    joints[i] = world:joint(joint)
    before, x = bodies[i], x + 2 * l
  end
  return world, joints, bodies, r
end

--- The reduced chain and its twin, with the same random velocities.
local function twins(seed, formulation)
  local a, joints, bodies, r = chain(seed, "reduced")
  local b, others, twin = chain(seed, formulation)
  local u = {}
  for i = 1, #a:velocities() do u[i] = r:uniform(-3, 3) end
  a:set_velocities(u)
  for i, body in ipairs(bodies) do twin[i].velocity, twin[i].angular_velocity = body.velocity, body.angular_velocity end
  return a, bodies, b, twin, joints, others
end

local function apart(planar, p, q)
  local d = p - q
  return math.max(math.abs(d.x), math.abs(d.y), planar and 0 or math.abs(d.z))
end

describe("event-driven worlds of rigid joints", function()
  it("go as reduced ones with friction, motors and limits: 200 random chains, event by event", function()
    local slips, sticks, impacts = 0, 0, 0
    for seed = 1, seeds(200) do
      local a, bodies, b, twin, joints, others = twins(seed, "rigid")
      a:run(0.4)
      b:run(0.4)
      local told = "seed " .. seed
      for i, body in ipairs(bodies) do
        assert.is_true(apart(seed % 3 ~= 0, body.position, twin[i].position) < 1e-9, told)
        local f, g = joints[i]:reaction(), others[i]:reaction()
        assert.is_true(apart(seed % 3 ~= 0, f, g) < 1e-6, told .. ": reactions")
      end
      assert.near(a:ledger().friction, b:ledger().friction, 1e-7, told)
      assert.near(a:ledger().impact, b:ledger().impact, 1e-8, told)
      assert.equal(#a.events, #b.events, told)
      for k, e in ipairs(a.events) do
        assert.equal(e.kind, b.events[k].kind, told)
        assert.near(e.t, b.events[k].t, 1e-9, told)
      end
      slips, sticks, impacts = slips + #of_kind(a, "slip"), sticks + #of_kind(a, "stick"), impacts + #of_kind(a, "impact")
    end
    assert.is_true(slips > seeds.least(50) and sticks > seeds.least(50) and impacts > seeds.least(50))
  end)

  it("with friction in every hinge of a loop lose what friction takes, and what holds itself needs none", function()
    local points = { { 0, 0 }, { 0.3, 0.5 }, { 1.2, 0.6 }, { 1.0, 0 } }
    for _, formulation in ipairs{ "rigid", "mixed" } do
      local world = new{ dt = 0.02 }
      local bodies = { [0] = world.ground, [4] = world.ground }
      for i = 1, 3 do
        local p, q = points[i], points[i + 1]
        bodies[i] = world:body{ mass = 1, inertia = 0.05, position = { (p[1] + q[1]) / 2, (p[2] + q[2]) / 2 } }
      end
      for i = 1, 4 do
        world:joint{ "revolute", bodies[i - 1], bodies[i], anchor = points[i], friction = 0.3,
          formulation = formulation == "rigid" and "rigid" or nil }
      end
      local kinetic, potential = world:energy()
      world:run(2)
      local later, at = world:energy()
      local lost = world:ledger().friction
      assert.is_true(lost > 5)
      assert.near(kinetic + potential - later - at, lost, 1e-9 * lost + 5e-9)
    end
    local truss = new{ dt = 0.02 }
    local a = truss:body{ mass = 1, inertia = 0.05, position = { 0.5, 0.2 } }
    local b = truss:body{ mass = 1, inertia = 0.05, position = { 0.5, -0.2 } }
    truss:joint{ "revolute", truss.ground, a, anchor = { 0, 0.2 }, friction = 0.3, formulation = "rigid" }
    truss:joint{ "revolute", truss.ground, b, anchor = { 0, -0.2 }, friction = 0.3, formulation = "rigid" }
    truss:joint{ "revolute", a, b, anchor = { 1, 0 }, friction = 0.3, formulation = "rigid" }
    truss:run(0.5)
    assert.is_true(apart(true, a.position, delassus.vec{ 0.5, 0.2 }) < 1e-12)
  end)

  it("hold a speed whatever it takes where a motor has no bound, through impacts too", function()
    for _, formulation in ipairs{ "reduced", "rigid" } do
      local world = new{ dt = 0.01 }
      local m, J, l, speed = 2, 0.1, 0.4, 3
      local rod = world:body{ mass = m, inertia = J, position = { l, 0 } }
      local joint = world:joint{ "revolute", world.ground, rod, anchor = { 0, 0 }, friction = 0.2,
        motor = { speed = speed }, formulation = formulation }
      world:run(0.8)
      local angle = speed * 0.8
      assert.near(speed, joint.qd, 1e-10)
      assert.near(angle, joint.q, 1e-10)
      local _, moment = joint:reaction() -- the motor's and friction's: what gravity asks for
      assert.near(m * G * l * math.cos(angle), moment, 1e-8)
      -- a slider that a motor pushes through a row of balls: it keeps its speed, a ball leaves with twice as much
      local track = new{ dt = 0.01, gravity = { 0, 0 } }
      local ram = track:disk{ radius = 0.1, mass = 1, position = { 0, 0 } }
      track:joint{ "prismatic", track.ground, ram, axis = { 1, 0 }, motor = { speed = 2 }, formulation = formulation }
      local ball = track:disk{ radius = 0.1, mass = 5, position = { 0.5, 0 }, restitution = 1 }
      ram.material = delassus.material{ restitution = 1 }
      track:run(0.5)
      assert.near(2, ram.velocity.x, 1e-10)
      assert.near(4, ball.velocity.x, 1e-9)
      assert.near(0.15, of_kind(track, "impact")[1].t, 1e-10)
    end
  end)

  it("count turns of limits within and across steps", function()
    for _, formulation in ipairs{ "reduced", "rigid" } do
      local world = new{ dt = 0.1, gravity = { 0, 0 } }
      local wheel = world:body{ mass = 1, inertia = 0.1, position = { 0.2, 0 } }
      local joint = world:joint{ "revolute", world.ground, wheel, anchor = { 0, 0 }, limits = { -1, 9 },
        formulation = formulation }
      if formulation == "reduced" then joint.qd = 12
      else wheel.velocity, wheel.angular_velocity = { 0, 0.2 * 12 }, 12 end
      world:run(1)
      local struck = of_kind(world, "impact")
      assert.equal(1, #struck, formulation)
      assert.near(0.75, struck[1].t, 1e-10, formulation)
      assert.near(9, joint.q, 1e-10, formulation)
    end
  end)
end)

describe("event-driven worlds of penalty joints", function()
  it("tend to reduced ones with friction and motors as their joints grow stiff: 200 random joints", function()
    local near, closer = 0, 0
    for seed = 1, seeds(200) do
      local off = {}
      for k, dt in ipairs{ 4e-3, 1e-3 } do
        local list = {}
        for i, formulation in ipairs{ "reduced", "penalty" } do
          local r = delassus.random(seed)
          local kind = seed % 2 == 0 and "revolute" or "prismatic"
          local world = new{ dt = dt }
          local body = world:body{ mass = r:uniform(0.5, 2), inertia = r:uniform(0.02, 0.1), position = { 0.3, 0.1 } }
          local motor
          if r:uniform(0, 1) < 0.4 then
            motor = { speed = r:uniform(-2, 2), [kind == "revolute" and "max_torque" or "max_force"] = r:uniform(0.5, 3) }
          end
          world:joint{ kind, world.ground, body, anchor = { 0, 0 }, friction = r:uniform(0.1, 2), motor = motor,
            axis = kind == "prismatic" and { r:uniform(-1, 1), r:uniform(-1, 1) } or nil, formulation = formulation }
          local v = r:uniform(-2, 2)
          if i == 1 then world:set_velocities{ v } end
          list[i] = { world = world, body = body }
        end
        list[2].body.velocity, list[2].body.angular_velocity = list[1].body.velocity, list[1].body.angular_velocity
        for _, one in ipairs(list) do one.world:run(0.1) end
        off[k] = apart(true, list[1].body.position, list[2].body.position)
      end
      assert.is_true(off[2] < 0.9 * off[1] or off[2] < 1e-6, "seed " .. seed .. ": " .. off[1] .. " " .. off[2])
      assert.is_true(off[2] < 5e-3, "seed " .. seed)
      if off[2] < off[1] / 2 then near = near + 1 end
      if off[2] < off[1] / 12 then closer = closer + 1 end
    end
    assert.is_true(near > seeds(200) - 10, near .. " of first order") -- a stop holds until the joint's springs have turned round
    assert.is_true(closer > seeds.least(100), closer .. " of second order")
  end)
end)

describe("rigid joints of event-driven worlds", function()
  it("are idle where trees hold all that they hold, and cost nothing: the motion is that without them (200 seeds)", function()
    for seed = 1, seeds(200) do
      local c = chance(seed)
      local planar, L = c.pick{ true, false }, 10 ^ c.from(-3, 3)
      local T = math.sqrt(L)
      local function at(x, z) return planar and { x * L, z * L } or { x * L, 0.1 * L, z * L } end
      local function run(idle)
        local world = delassus.world{ scheme = "event-driven", planar = planar, record = false, dt = 1e-2 * T }
        local shape = planar and delassus.disk{ radius = 0.1 * L } or delassus.sphere{ radius = 0.1 * L }
        local bodies = {}
        for k = 1, 3 do
          bodies[k] = world:body{ shape = shape, position = at(0.5 * k, 1 + 0.1 * k),
            angular_velocity = planar and 3 / T or { 1 / T, 3 / T, 0 } }
        end
        world:joint{ "revolute", bodies[1], bodies[2], anchor = at(0.7, 1.1), axis = not planar and { 0, 1, 0 } or nil }
        world:joint{ "fixed", bodies[2], bodies[3], anchor = at(1.2, 1.3) }
        if idle then
          world:joint{ idle, bodies[2], bodies[3], anchor = at(1.3, 1), formulation = "rigid",
            axis = not planar and idle == "revolute" and { 0, 1, 0 } or nil }
          world:joint{ "revolute", bodies[1], bodies[2], anchor = at(0.7, 1.1), formulation = "rigid",
            axis = not planar and { 0, 1, 0 } or nil }
        end
        world:step(10)
        local places = { bodies[1].centre, bodies[2].centre, bodies[3].centre }
        world:close()
        return places
      end
      local free, idle = run(), run(c.pick{ "fixed", "revolute" })
      for k = 1, 3 do assert.is_true((free[k] - idle[k]):norm() < 1e-9 * L, ("seed %d, body %d"):format(seed, k)) end
    end
  end)
end)

describe("rigid joints that hold one body twice", function()
  it("share its load by the least norm at any time, as accelerations() do (agreement), 200 doors by 20 steps", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local function within(size) return random:uniform(-size, size) end
      local function any(size) return { within(size), within(size), within(size) } end
      local kind = ({ "revolute", "spherical", "fixed" })[seed % 3 + 1]
      local world <close> = new{ planar = false, dt = 5e-3, gravity = any(9) }
      local door = world:body{ mass = 2, inertia = { 0.1, 0.2, 0.15 }, position = { 0.6, 0, 0 },
        rotation = { axis = any(1), angle = 1 } }
      local hinges = {}
      for k = 1, 2 do
        hinges[k] = world:joint{ kind, world.ground, door, anchor = { 0, random:uniform(0, 1) + k - 2, 0 }, formulation = "rigid",
          axis = kind == "revolute" and { 0, 1, 0 } or nil }
      end
      for step = 1, 20 do
        world:step()
        local stepped = {}
        for k = 1, 2 do stepped[k] = { hinges[k]:reaction() } end
        world:accelerations()
        for k = 1, 2 do
          for i, now in ipairs{ hinges[k]:reaction() } do
            -- forces of 20 N; the joints' gaps are closed to 1e-10 of what round-off of rows makes
            local told = ("seed %d, step %d: %s, stepped %s"):format(seed, step, now, stepped[k][i])
            assert.is_true((now - stepped[k][i]):norm() < 1e-7, told)
          end
        end
      end
    end
  end)

  it("tells what a weld carries where nothing moves freely", function()
    for _, planar in ipairs{ true, false } do
      local world <close> = delassus.world{ scheme = "event-driven", planar = planar, record = false }
      local at = planar and function(x, y) return { x, y } end or function(x, y) return { x, 0, y } end
      local body = world:body{ mass = 2, inertia = planar and 1 or { 1, 1, 1 }, position = at(1, 0) }
      local weld = world:joint{ "fixed", world.ground, body }
      world:step(3)
      local force, moment = weld:reaction()
      assert.near(2 * 9.81, planar and force.y or force.z, 1e-12)
      assert.near(0, planar and moment or moment:norm(), 1e-12)
    end
  end)
end)
