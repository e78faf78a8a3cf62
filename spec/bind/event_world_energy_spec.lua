-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- The ledger of event-driven worlds: each term by a closed form, and all of them together in random scenes.
local delassus = require "delassus"
local seeds = require "support.seeds"

local G = 9.81

local function new(o)
  o.scheme, o.planar, o.record = "event-driven", true, false
  return delassus.world(o)
end

--- Disks above a floor, rigid or compliant, some hanging from damped, sprung, driven joints of two formulations, some
-- drawn by springs with dampers, some pushed.
local function scene(seed)
  local r = delassus.random(seed)
  local world = new{ dt = 0.02 }
  local o = r:uniform(0, 1) < 0.5 and { stiffness = 5e3, damping = 20 } or { restitution = 0.5 }
  world:floor{ friction = 0.4, stiffness = o.stiffness, damping = o.damping, restitution = o.restitution }
  local before, last = world.ground, nil
  for i = 1, 1 + seed % 3 do
    local radius = r:uniform(0.05, 0.1)
    local b = world:disk{ radius = radius, mass = r:uniform(0.5, 2), position = { 0.5 * i, radius + r:uniform(0.05, 0.4) },
      friction = 0.4, stiffness = o.stiffness, damping = o.damping, restitution = o.restitution }
    if r:uniform(0, 1) < 0.6 then b:apply{ force = { r:uniform(-3, 3), r:uniform(-3, 3) }, torque = r:uniform(-1, 1) } end
    if r:uniform(0, 1) < 0.6 then
      local speed = { speed = r:uniform(-2, 2), max_torque = 1 }
      local hold = { position = 1, stiffness = 3, damping = 0.3, max_torque = r:uniform(0.5, 5) }
      local which = r:uniform(0, 3)
      world:joint{ "revolute", before, b, anchor = { 0.5 * i - 0.25, 0.7 },
        formulation = r:uniform(0, 1) < 0.5 and "rigid" or "reduced", damping = r:uniform(0, 0.5), stiffness = r:uniform(0, 3),
        torque = r:uniform(-1, 1), friction = r:uniform(0, 1) < 0.3 and 0.2 or 0,
        motor = which < 1 and speed or which < 2 and hold or nil }
    else
      b.velocity = { r:uniform(-1, 1), 0 }
    end
    if last and r:uniform(0, 1) < 0.6 then world:spring{ last, b, stiffness = 50, damping = r:uniform(0, 2) } end
    before, last = b, b
  end
  return world
end

describe("the ledger of event-driven worlds", function()
  it("adds up in 200 random scenes with dampers, loads, motors, friction and impacts", function()
    local forces, damping = 0, 0
    for seed = 1, seeds(200) do
      local world = scene(seed)
      world:run(0.6)
      local l = world:ledger()
      local given = l.forces + l.springs - l.friction - l.impact - l.damping + l.correction
      assert.is_true(math.abs(given - l.kinetic - l.potential - l.stored) < 2e-9 * l.turnover, "seed " .. seed)
      assert.near(l.kinetic + l.potential + l.stored - given, l.error, 1e-12 * l.turnover, "seed " .. seed)
      if math.abs(l.forces) > 0.1 then forces = forces + 1 end
      if l.damping > 0.1 then damping = damping + 1 end
    end
    assert.is_true(forces > seeds.least(100) and damping > seeds.least(80), forces .. " " .. damping)
  end)

  it("has what dampers take: a swing of a slider, of a spring, of a joint of each formulation, as the closed form", function()
    local m, k, c, x0 = 2, 80, 3, 0.1
    local a, w = c / (2 * m), math.sqrt(k / m - (c / (2 * m)) ^ 2)
    for _, formulation in ipairs{ "reduced", "rigid", "spring" } do
      local world = new{ dt = 0.05, gravity = { 0, 0 } }
      local block = world:body{ mass = m, inertia = 1, position = { formulation == "spring" and 1 + x0 or 0, 0 } }
      local joint
      if formulation == "spring" then
        world:spring{ world.ground, block, stiffness = k, damping = c, length = 1 }
      else
        joint = world:joint{ "prismatic", world.ground, block, axis = { 1, 0 }, stiffness = k, damping = c,
          formulation = formulation }
        if formulation == "reduced" then joint.q = x0 else block.position = { x0, 0 } end
      end
      local T = 0.7
      world:run(T)
      local e, C, S = math.exp(-a * T), math.cos(w * T), math.sin(w * T)
      local x, v = x0 * e * (C + a / w * S), -x0 * e * (w + a * a / w) * S
      local l = world:ledger()
      assert.near(k * x0 * x0 / 2 - k * x * x / 2 - m * v * v / 2, l.damping, 1e-9, formulation)
      assert.equal(0, l.friction)
      assert.equal(0, l.forces)
    end
  end)

  it("has what motors, torques and loads give, and motors' slip is no friction", function()
    for _, formulation in ipairs{ "reduced", "rigid" } do
      local world = new{ dt = 0.01, gravity = { 0, 0 } }
      local wheel = world:body{ mass = 2, inertia = 0.1, position = { 0, 0 } }
      world:joint{ "revolute", world.ground, wheel, anchor = { 0, 0 }, friction = 0.05, formulation = formulation,
        motor = { speed = 5, max_torque = 0.25 } }
      world:run(4) -- 2 rad/s^2 for 2.5 s, then what friction takes
      local l = world:ledger()
      assert.near(0.25 * 6.25 + 0.05 * 7.5, l.forces, 1e-9)
      assert.near(0.05 * 13.75, l.friction, 1e-9)
      assert.near(1.25, l.kinetic, 1e-9)
      local pushed = new{ dt = 0.01, gravity = { 0, 0 } }
      local rod = pushed:body{ mass = 2, inertia = 0.1, position = { 0, 0 } }
      local joint = pushed:joint{ "revolute", pushed.ground, rod, anchor = { 0, 0 }, torque = 0.3, formulation = formulation }
      pushed:run(1)
      assert.near(0.3 * 1.5, pushed:ledger().forces, 1e-10)
      assert.near(3, joint.qd, 1e-10)
    end
  end)

  it("has what compliant contacts take, and nodes that relax: a ball that bounces", function()
    local world = new{ dt = 0.01 }
    local o = { stiffness = 4e3, damping = 15 }
    world:floor(o)
    local ball = world:disk{ radius = 0.1, mass = 1, position = { 0, 0.6 }, stiffness = o.stiffness, damping = o.damping }
    for k = 1, 150 do
      world:step()
      local l = world:ledger()
      assert.near(G * (0.6 - ball.position.y) - ball.velocity.y ^ 2 / 2 - l.stored, l.damping, 1e-8, "step " .. k)
    end
    assert.is_true(world:ledger().damping > 1)
  end)

  it("takes what a start that joints do not admit loses as a correction", function()
    local world = new{ dt = 0.01, gravity = { 0, 0 } }
    local rod = world:body{ mass = 2, inertia = 0.1, position = { 0.5, 0 } }
    world:joint{ "revolute", world.ground, rod, anchor = { 0, 0 }, formulation = "rigid" }
    rod.velocity = { 1, 2 }
    world:run(0.2)
    local w = 2 * 0.5 * 2 / (0.1 + 2 * 0.25) -- the momentum that the hinge lets pass
    local l = world:ledger()
    assert.near((0.1 + 2 * 0.25) * w * w / 2 - 5, l.correction, 1e-12)
    assert.near(0, l.error, 1e-12)
  end)

  it("has what drives and carriers give where nothing moves freely, as the change of energies (closed form)", function()
    for _, planar in ipairs{ true, false } do
      local function at(x, z) return planar and { x, z } or { x, 0, z } end
      local world <close> = delassus.world{ scheme = "event-driven", planar = planar, record = false, dt = 0.01 }
      local rod = world:body{ mass = 2, inertia = planar and 0.1 or { 0.1, 0.1, 0.1 }, position = at(0.5, 0) }
      local joint = world:joint{ "revolute", world.ground, rod, anchor = at(0, 0), axis = not planar and { 0, -1, 0 } or nil,
        motion = function(t) return t * t, 2 * t, 2 end }
      world:run(0.7)
      local l, kinetic = world:ledger(), (0.1 + 2 * 0.25) * 1.4 ^ 2 / 2
      assert.near(kinetic + 2 * G * 0.5 * math.sin(0.49), l.kinematic, 1e-11)
      assert.near(kinetic, l.kinetic, 1e-13)
      assert.is_true(world.stats.energy_balance < 1e-9, world.stats.energy_balance)
      assert.near((0.1 + 2 * 0.25) * 2 + 2 * G * 0.5 * math.cos(0.49), joint.torque, 1e-10)
      local pushed <close> = delassus.world{ scheme = "event-driven", planar = planar, record = false, dt = 0.01 }
      local slab = pushed:body{ type = "kinematic", velocity = at(1, 0) }
      local arm = pushed:body{ mass = 2, inertia = planar and 0.1 or { 0.1, 0.1, 0.1 }, position = at(0.5, 0) }
      pushed:joint{ "fixed", slab, arm }
      slab:apply{ force = at(3, 0) } -- moves nothing: whoever moves it bears it
      arm:apply{ force = at(5, 1) }
      pushed:run(0.5)
      l = pushed:ledger()
      assert.near(5 * 0.5, l.forces, 1e-12)
      assert.near(-5 * 0.5, l.kinematic, 1e-12)
      pushed:body{ mass = 1, inertia = planar and 1 or { 1, 1, 1 }, position = at(9, 9) }
      pushed:run(0.5) -- beside what moves freely, too
      assert.near(5, pushed:ledger().forces, 1e-11)
      assert.near(-5, pushed:ledger().kinematic, 1e-11)
    end
  end)

  it("adds up with penalty joints of every kind between free bodies, whose gains give way to long arms (200 seeds)", function()
    local planar_kinds = { "revolute", "prismatic", "fixed" }
    local kinds = { "spherical", "revolute", "universal", "prismatic", "cylindrical", "planar", "fixed" }
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local planar = seed % 2 == 0
      local kind = planar and planar_kinds[r:integer(1, 3)] or kinds[r:integer(1, 7)]
      local world <close> = delassus.world{ scheme = "event-driven", planar = planar, record = false, dt = 1 / 240,
        gravity = planar and { 0, 0 } or { 0, 0, 0 } }
      local function at(x, z) return planar and { x, z } or { x, 0, z } end
      local a = world:body{ mass = r:uniform(1, 3), inertia = planar and 0.2 or { 0.2, 0.25, 0.3 } }
      local b = world:body{ mass = r:uniform(1, 3), inertia = planar and 0.1 or { 0.1, 0.12, 0.15 },
        velocity = at(r:uniform(-1, 1), -0.1), position = at(r:uniform(0.4, 2), 0),
        angular_velocity = planar and r:uniform(-5, 5) or { 1, r:uniform(-5, 5), 3 } }
      local turns = kind ~= "spherical" and kind ~= "fixed" and not (planar and kind == "revolute")
      world:joint{ kind, a, b, anchor = at(0.25, 0), formulation = "penalty", axis = turns and at(1, 0.3) or nil,
        axis2 = kind == "universal" and { -0.3, 0, 1 } or nil }
      for step = 1, 20 do
        world:step()
        local balance = world.stats.energy_balance -- of a step that turns over little
        assert.is_true(balance < 1e-4, ("seed %d, %s, step %d: %g"):format(seed, kind, step, balance))
      end
      local l = world:ledger()
      -- forces have a kink where arms begin to be longer, which no rule of quadrature sees
      assert.is_true(math.abs(l.error) < 2e-6 * l.turnover, ("seed %d: %g of %g"):format(seed, l.error, l.turnover))
    end
  end)

  it("tells nothing of what only tumbles and flies: the integrator's tolerance is no miss (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local world <close> = delassus.world{ scheme = "event-driven", record = false, gravity = { 0, 0, 0 } }
      world:box{ size = { 0.2, 0.1, r:uniform(0.05, 0.3) }, density = 10 ^ r:uniform(1, 4), velocity = { r:uniform(-5, 5), 1, 0 },
        angular_velocity = { r:uniform(-100, 100), r:uniform(-100, 100), r:uniform(-100, 100) } }
      for step = 1, 5 do
        world:step()
        assert.equal(0, world.stats.energy_balance, ("seed %d, step %d"):format(seed, step))
      end
    end
  end)

  it("and forces of contacts know what was set between steps from their start on (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local world <close> = new{ dt = r:uniform(1e-3, 0.05) }
      world:floor{ friction = 0.5 }
      local block = world:box{ size = { 1, 1 }, mass = r:uniform(0.5, 5), position = { 0, 0.5 }, friction = 0.5 }
      local wheel = world:body{ mass = 1, inertia = r:uniform(0.1, 1), position = { 9, 9 } }
      local hinge = world:joint{ "revolute", world.ground, wheel, formulation = r:uniform() < 0.5 and "rigid" or "reduced" }
      local turned, given = 0, 0
      for step = 1, 6 do
        local push, press, torque = r:uniform(-1, 1), -r:uniform(0, 20), r:uniform(-1, 1)
        block:apply{ force = { push, press } }
        hinge.torque = torque
        world:step()
        local x, y = 0, 0
        for contact in world:contacts() do
          local sign = contact.b == block and 1 or -1
          x, y = x + sign * contact.force.x, y + sign * contact.force.y
        end
        assert.near(-push, x, 1e-8, "seed " .. seed .. ", step " .. step)
        assert.near(block.mass * G - press, y, 1e-8, "seed " .. seed .. ", step " .. step)
        local rate = turned + torque * world.dt / wheel.inertia
        given, turned = given + torque * (turned + rate) / 2 * world.dt, rate
        assert.near(given, world:ledger().forces, 1e-10, "seed " .. seed .. ", step " .. step)
        assert.near(rate, wheel.angular_velocity, 1e-10)
      end
    end
  end)
end)
