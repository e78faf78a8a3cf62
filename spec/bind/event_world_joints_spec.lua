-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Event-driven worlds: dry friction and speed motors of joints; the log replayed with smooth pieces.
local delassus = require "delassus"
local seeds = require "support.seeds"
local of_kind = require("support.event_scenes").of_kind

local G = 9.81

local function new(o)
  o.scheme, o.planar, o.record = "event-driven", true, false
  return delassus.world(o)
end

describe("event-driven worlds", function()
  it("take dry friction of joints: 200 pendulums as systems whose friction is that of a block pressed on a floor", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local m, l, J, f = r:uniform(0.5, 2), r:uniform(0.2, 0.6), r:uniform(0.01, 0.2), r:uniform(0.1, 4)
      local world = new{ dt = 0.1 }
      local rod = world:body{ mass = m, inertia = J, position = { l, 0 } }
      local joint = world:joint{ "revolute", world.ground, rod, anchor = { 0, 0 }, friction = f }
      joint.qd = r:uniform(-6, 6)
      local system = delassus.system{ q = { 0, 0 }, u = { joint.qd, 0 }, dt = 0.1, mass = { { m * l * l + J, 0 }, { 0, 1 } },
        forces = function(q) return { -m * G * l * math.cos(q[1]), -f } end,
        contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 }, friction = 1 } } }
      world:run(1)
      system:run(1)
      local told = "seed " .. seed
      assert.near(system.q[1], joint.q, 1e-9, told)
      assert.near(system.u[1], joint.qd, 1e-8, told)
      local others = {}
      for _, e in ipairs(system.events) do
        if e.kind == "stick" or e.kind == "slip" then others[#others + 1] = e end
      end
      assert.equal(#others, #world.events, told)
      for k, e in ipairs(world.events) do
        assert.equal(others[k].kind, e.kind, told)
        assert.near(others[k].t, e.t, 1e-9, told)
        assert.equal(rod, e.b, told)
      end
    end
  end)

  it("tell what joints with friction take and transmit: energies of a chain add up, a stopped one holds its weight", function()
    local world = new{ dt = 0.01 }
    world:floor{ friction = 0.4, restitution = 0.3 }
    local before = world.ground
    for i = 1, 3 do
      local link = world:body{ mass = 1, inertia = 0.02, position = { 0.4 * i - 0.2, 0.8 },
        shape = delassus.disk{ radius = 0.05 }, friction = 0.4, restitution = 0.3 }
      world:joint{ "revolute", before, link, anchor = { 0.4 * i - 0.4, 0.8 }, friction = 0.5 }
      before = link
    end
    local kinetic, potential = world:energy()
    world:run(2)
    local later, at = world:energy()
    local l = world:ledger()
    assert.is_true(#of_kind(world, "impact") > 0 and #of_kind(world, "stick") > 0)
    assert.near(kinetic + potential - later - at, l.friction + l.impact, 1e-8)
    local still = new{ dt = 0.1 }
    local rod = still:body{ mass = 2, inertia = 0.1, position = { 0.5, 0 } }
    local joint = still:joint{ "revolute", still.ground, rod, anchor = { 0, 0 }, friction = 10 }
    still:run(0.5)
    assert.equal(0, joint.qd)
    local force, moment = joint:reaction()
    assert.near(2 * G, force.y, 1e-10)
    assert.near(2 * G * 0.5, moment, 1e-10)
  end)

  it("take motors that hold a speed: at their bound until it is reached, then what it needs, and no more", function()
    local world = new{ dt = 0.01, gravity = { 0, 0 } }
    local wheel = world:body{ mass = 2, inertia = 0.1, position = { 0, 0 } }
    local joint = world:joint{ "revolute", world.ground, wheel, anchor = { 0, 0 }, friction = 0.05,
      motor = { speed = 5, max_torque = 0.25 } }
    world:run(4) -- 2 rad/s^2 for 2.5 s
    assert.near(2.5, of_kind(world, "stick")[1].t, 1e-10)
    assert.near(5 * 4 - 6.25, joint.q, 1e-9)
    assert.near(5, joint.qd, 1e-12)
    local _, moment = joint:reaction()
    assert.near(0, moment, 1e-10) -- the motor gives what friction takes
    joint.torque = -1 -- more than the motor holds
    world:run(0.5)
    assert.near(5 - 0.5 * (1 + 0.05 - 0.25) / 0.1, joint.qd, 1e-9)
  end)

  it("hold the speed of a penalty joint by a motor without bound: the limit of time steps, and of stiffer joints", function()
    local function swing(o, stiff)
      local alpha = 2000 * (stiff or 1)
      local gains = o.rigid and {} or { alpha = alpha, beta = 0.01 * alpha, alpha_rotation = alpha, beta_rotation = 0.01 * alpha }
      o.planar, o.record, o.rigid = true, false, nil
      local world = delassus.world(o)
      local function hinge(a, b, x, motor)
        local j = { "revolute", a, b, anchor = { x, 0 }, motor = motor, formulation = next(gains) and "penalty" or "rigid" }
        for k, v in pairs(gains) do j[k] = v end
        return world:joint(j)
      end
      local arm = world:body{ mass = 1, inertia = 0.02, position = { 0.3, 0 } }
      local joint = hinge(world.ground, arm, 0, { speed = 2 })
      local bob = world:body{ mass = 0.5, inertia = 0.01, position = { 0.6, -0.2 } }
      hinge(arm, bob, 0.6)
      world:run(0.3)
      assert.near(2, joint.qd, 1e-9)
      return bob.position.x, bob.position.y, arm.position.y, joint, world
    end
    local function off(x, y, z, a, b, c) return math.abs(x - a) + math.abs(y - b) + math.abs(z - c) end
    local x, y, z, joint, world = swing{ scheme = "event-driven", dt = 1e-3 }
    local a, b, c = swing{ scheme = "time-stepping", dt = 2e-4 }
    local a2, b2, c2 = swing{ scheme = "time-stepping", dt = 1e-4 }
    local coarse, fine = off(x, y, z, a, b, c), off(x, y, z, a2, b2, c2)
    assert.is_true(coarse < 1e-3 and math.abs(fine / coarse - 0.5) < 0.05, coarse .. " " .. fine)
    local rx, ry, rz, held = swing{ scheme = "event-driven", dt = 1e-3, rigid = true }
    local near = off(rx, ry, rz, swing({ scheme = "event-driven", dt = 1e-3 }, 100))
    local far = off(rx, ry, rz, x, y, z)
    assert.is_true(near < 1e-3 and near < far / 20, near .. " " .. far)
    local _, moment = joint:reaction()
    local _, rigid_moment = held:reaction()
    assert.is_true(math.abs(moment) > 0.1 and math.abs(rigid_moment) > 0.1)
    local l = world:ledger() -- the motor gives the work
    assert.is_true(l.forces > 1 and math.abs(l.error) < 1e-9 * l.turnover)
  end)

  it("replay from their log with smooth pieces alone; without one event, or with two swapped, they do not", function()
    local world = new{ dt = 0.02 }
    local material = delassus.material{ friction = 0.3, restitution = 0.7 }
    world:floor{ material = material }
    local r, m = 0.1, 2
    local disk = world:disk{ radius = r, mass = m, position = { 0, 0.6 }, velocity = { 1.5, 0 }, angular_velocity = 20,
      material = material }
    world:run(4)
    local J = m * r * r / 2

    --- Free flight, rolling or sliding with constant forces between events; the friction of an impact by Coulomb's law.
    local function replay(events, to)
      local x, y, v, vy, w, t, state = 0, 0.6, 1.5, 0, 20, 0, "apart"
      local function smooth(h)
        if state == "apart" then
          x, y, vy = x + h * v, y + h * vy - G * h * h / 2, vy - G * h
        else
          local a = state == "slip" and (v + r * w > 0 and -0.3 * G or 0.3 * G) or 0
          x, v, w = x + h * v + a * h * h / 2, v + a * h, w + m * a * h * r / J
        end
      end
      for _, e in ipairs(events) do
        smooth(e.t - t)
        t = e.t
        if e.kind == "impact" then
          local p = -(v + r * w) / (1 / m + r * r / J)
          p = math.max(-0.3 * e.impulse, math.min(0.3 * e.impulse, p))
          v, vy, w = v + p / m, vy + e.impulse / m, w + p * r / J
        elseif e.kind ~= "accumulation" then
          state = e.state
          if state ~= "apart" then vy = 0 end
        end
      end
      smooth(to - t)
      return x, y, w
    end
    local events = {}
    for _, e in ipairs(world.events) do
      if e.kind ~= "accumulation" then events[#events + 1] = { t = e.t, kind = e.kind, impulse = e.impulse, state = e.state } end
    end
    local function off(list)
      local x, y, w = replay(list, 4)
      return math.abs(x - disk.position.x) + math.abs(y - disk.position.y) + math.abs(w - disk.angular_velocity)
    end
    assert.is_true(off(events) < 1e-8, "off by " .. off(events))
    local n = #events
    assert.is_true(n > 5)
    for k = 1, math.min(n, 8) do
      local less = table.move(events, 1, n, 1, {})
      table.remove(less, k)
      assert.is_true(off(less) > 1e-3, "without event " .. k)
      if k < n and events[k].impulse ~= events[k + 1].impulse then
        local swapped = table.move(events, 1, n, 1, {})
        local a, b = swapped[k], swapped[k + 1]
        swapped[k], swapped[k + 1] = { t = a.t, kind = b.kind, impulse = b.impulse, state = b.state },
          { t = b.t, kind = a.kind, impulse = a.impulse, state = a.state }
        assert.is_true(off(swapped) > 1e-3, "with event " .. k .. " after the next one")
      end
    end
  end)

  -- A mass that a dry slide or a brake holds, and one that slips: m g, and the bound.
  it("tell reactions with friction and motors in them, in every formulation", function()
    for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
      for _, case in ipairs{ { "friction", 30, 2 * 9.81 }, { "friction", 5, 5 },
        { "motor", { speed = 0, max_force = 100 }, 2 * 9.81 }, { "motor", { speed = 0, max_force = 7 }, 7 } } do
        local world <close> = delassus.world{ scheme = "event-driven", record = false }
        local body = world:body{ mass = 2, inertia = { 1, 1, 1 } }
        local joint = world:joint{ "prismatic", world.ground, body, axis = { 0, 0, 1 }, formulation = formulation,
          [case[1]] = case[2] }
        world:step(20)
        assert.near(case[3], joint:reaction().z, 1e-9, formulation .. " " .. case[1])
      end
    end
  end)
end)
