-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- world:joint and the mechanics of trees: kinds, coordinates, reactions, integration, contacts.
local delassus = require "delassus"
local near = require "support.near"
local json = require "spec.support.json"
local samples = require "spec.support.reference_trees"
local reference = require "spec.support.joint_trees"
local seeds = require "support.seeds"

local G = 9.81

local function total(world)
  local kinetic, potential, stored = world:energy()
  return kinetic + potential + stored
end

-- v from world to the axes of a body.
local function into(body, v)
  local q = body.rotation
  local axis = delassus.vec{ -q[2], -q[3], -q[4] }
  local t = 2 * axis:cross(v)
  return v + q[1] * t + axis:cross(t)
end

describe("reference trees through world:joint (C.6)", function()
  local function check(case, factor)
    local world <close>, bodies, joints = reference.build(case, factor)
    local udot, scale, k = world:accelerations(), 1, 0
    for _, R in ipairs(case.expected.R) do
      for _, x in ipairs(R) do scale = math.max(scale, math.abs(x)) end
    end
    for _, list in ipairs(case.expected.qdd) do
      for _, x in ipairs(list) do scale = math.max(scale, math.abs(x)) end
    end
    for _, list in ipairs(case.expected.qdd) do
      for _, x in ipairs(list) do
        k = k + 1
        near(x, udot[k], 1e-12 * scale, case.name .. " udot") -- the tolerance of C.6
      end
    end
    assert.equal(k, #udot)
    for i, R in ipairs(case.expected.R) do
      local force, moment = joints[i]:reaction()
      force, moment = into(bodies[i], force), into(bodies[i], moment)
      for a = 1, 3 do
        near(R[a], moment[a], 1e-12 * scale, case.name .. " moment")
        near(R[3 + a], force[a], 1e-12 * scale, case.name .. " force")
      end
    end
  end

  for _, factor in ipairs{ "auto", "ldl", "sweep", "dense" } do
    it("are exact: accelerations and reactions, factor = " .. factor, function()
      for _, case in ipairs(samples.paper) do check(case, factor) end
      local cases = json.file("../shared/cases/papers/c_trees.json")
      if not cases then return print("c_trees: no ../shared here, not compared") end
      for _, case in ipairs(cases) do check(case, factor) end
    end)
  end
end)

describe("MB-CHAIN, uniform rods from rest", function()
  it("is exact: angular accelerations of five rods, by every factor", function()
    local alpha = { -12.438646408839778, 3.333232044198895, -0.894281767955801, 0.2438950276243094, -0.08129834254143646 }
    for _, factor in ipairs{ "auto", "ldl", "sweep", "dense" } do
      local world <close> = delassus.world{ planar = true, factor = factor, record = false }
      local before, joints = world.ground, {}
      for i = 1, 5 do
        local rod = world:body{ mass = 1, inertia = 1 / 12, position = { i - 0.5, 0 } }
        joints[i] = world:joint{ "revolute", before, rod, anchor = { i - 1, 0 } }
        before = rod
      end
      local udot, sum = world:accelerations(), 0
      for i = 1, 5 do
        sum = sum + udot[i] -- joint angles are relative
        near(alpha[i], sum, 1e-13 * 13)
      end
      near(2.8318922651933702, joints[1]:reaction().y, 1e-13 * 10)
    end
  end)
end)

describe("MB-A01, a point pendulum released horizontally", function()
  it("follows the elliptic functions for 10 s by Stormer's method", function()
    local world <close> = delassus.world{ planar = true, gravity = { 0, -G }, record = false }
    local mass = world:body{ mass = 1, position = { -1, 0 } }
    world:joint{ "revolute", world.ground, mass, anchor = { 0, 0 } }
    local rows = { { 1, 0.9862917511318753, -0.16501085312554117 }, { 5, -0.9423054350437573, -0.3347543384140006 },
      { 10, -0.2750874625761169, -0.961419205099125 } }
    for _, row in ipairs(rows) do
      world:integrate{ to = row[1], dt = 1e-3 }
      near(row[1], world.time, 0)
      near(row[2], mass.position.x, 1e-9) -- order 6 at h = 1e-3, 10 swings
      near(row[3], mass.position.y, 1e-9)
    end
  end)

  it("converges when stepped: the error falls with the step", function()
    local function error_of(dt)
      local world <close> = delassus.world{ planar = true, dt = dt, record = false }
      local mass = world:body{ mass = 1, position = { -1, 0 } }
      world:joint{ "revolute", world.ground, mass, anchor = { 0, 0 } }
      world:step(math.floor(1 / dt + 0.5))
      return (mass.position - delassus.vec{ 0.9862917511318753, -0.16501085312554117 }):norm()
    end
    local coarse, fine = error_of(2e-3), error_of(1e-3)
    assert.is_true(coarse < 1e-2 and fine < 0.6 * coarse, ("%g %g"):format(coarse, fine))
  end)
end)

describe("MB-HT, the heavy top", function()
  it("agrees with the reference at 0.1 s", function()
    local world <close> = delassus.world{ record = false }
    local top = world:body{ mass = 15, inertia = { 0.234375, 0.46875, 0.234375 }, com = { 0, 1, 0 } }
    local joint = world:joint{ "spherical", world.ground, top, anchor = { 0, 0, 0 } }
    joint.qd = { 0, 150, -4.61538 }
    local before = total(world)
    world:integrate{ method = "rk4", dt = 1e-4, to = 0.1 }
    local c = top.centre
    near(0.4212966589253623, c.x, 1e-7) -- 2400 turns a minute at h = 1e-4
    near(0.8945719743456059, c.y, 1e-7)
    near(-0.14916470056193082, c.z, 1e-7)
    near(before, total(world), 1e-9 * before)
    near(1, top.rotation:norm(), 1e-15)
  end)
end)

describe("coordinates of the whole world", function()
  local function arm()
    local world = delassus.world{ record = false }
    local ball = world:body{ mass = 1, inertia = { 1, 1, 1 }, position = { 5, 6, 7 } }
    local lower = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.02 }, position = { 0, 0, 1 } }
    local upper = world:body{ mass = 2, inertia = { 0.1, 0.1, 0.02 }, position = { 0, 0, 2 } }
    local elbow = world:joint{ "universal", lower, upper, anchor = { 0, 0, 1.5 },
      axis = { 1, 0, 0 }, axis2 = { 0, 1, 0 } }
    local shoulder = world:joint{ "cylindrical", world.ground, lower, anchor = { 0, 0, 0 }, axis = { 0, 0, 1 } }
    return world, ball, lower, upper, elbow, shoulder
  end

  it("stand in the order of the bodies, and come back as they went in", function()
    local world <close>, ball, lower, upper, elbow, shoulder = arm()
    local q = { 1, 2, 3, 0.5, 0.5, 0.5, 0.5, 0.3, 0.4, 0.5, 0.6 }
    world:set_coordinates(q)
    for i, x in ipairs(q) do near(x, world:coordinates()[i], 1e-15) end
    assert.same({ 1, 1 }, { world:index(ball) })
    assert.same({ 8, 7 }, { world:index(lower) })
    assert.same({ 10, 9 }, { world:index(upper) })
    near(0.3, shoulder.q[1], 0)
    near(0.4, shoulder.q[2], 0)
    near(0.6, elbow.q[2], 0)
    near(1.4, lower.position.z, 1e-15)
    local u = {}
    for i = 1, 10 do u[i] = i / 10 end
    world:set_velocities(u)
    local vector = delassus.vector(u)
    for i, x in ipairs(u) do near(x, world:velocities(vector)[i], 1e-15) end
    near(0.8, lower.velocity.z, 1e-15)
    assert.has_error(function() world:set_coordinates{ 1, 2 } end, "world:set_coordinates: expected 11 numbers, got 2")
  end)

  it("agree: M udot + bias = tau = inverse dynamics, and J u is the velocity", function()
    local world <close>, _, _, upper, elbow = arm()
    world:set_coordinates{ 1, 2, 3, 0.5, 0.5, 0.5, 0.5, 0.3, 0.4, 0.5, 0.6 }
    world:set_velocities{ 1, 2, 3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1 }
    elbow.torque = { 0.3, -0.2 }
    local udot, M, bias = world:accelerations(), world:mass_matrix(), world:bias()
    local tau, left = world:inverse_dynamics(udot), M * udot
    local applied = { 0, 0, 0, 0, 0, 0, 0, 0, 0.3, -0.2 }
    for i = 1, 10 do
      near(applied[i], left[i] + bias[i], 1e-12 * 100)
      near(applied[i], tau[i], 1e-12 * 100)
    end
    local point = upper.position + delassus.vec{ 0.1, 0.2, 0.3 }
    local v = world:jacobian(upper, point) * world:velocities()
    for i = 1, 3 do
      near(upper.angular_velocity[i], v[i], 1e-13)
      near(upper:velocity_at(point)[i], v[3 + i], 1e-13)
    end
  end)

  it("are kept by snapshots: the run after one is the run that was", function()
    local world <close>, _, _, _, elbow = arm()
    elbow.qd = { 1, 2 }
    world:step(10)
    local state, hash = world:snapshot(), world:hash()
    world:step(20)
    local later = world:hash()
    world:restore(state)
    assert.equal(hash, world:hash())
    world:step(20)
    assert.equal(later, world:hash())
  end)
end)

describe("a joint's reaction", function()
  it("is what Newton and Euler ask of the body, while it swings and is driven", function()
    local world <close> = delassus.world{ record = false }
    local rod = world:body{ mass = 2, inertia = { 0.1, 0.2, 0.3 }, position = { 1, 0, 0 } }
    local joint = world:joint{ "revolute", world.ground, rod, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 } }
    joint.qd, joint.torque = 3, 5
    local udot = world:accelerations()
    local force, moment = joint:reaction()
    -- centre at (1, 0, 0): a = (-9, 0, -udot); about y at the anchor: (0.2 + 2) udot = 2 g + 5
    near((2 * G + 5) / 2.2, udot[1], 1e-14 * 20)
    near(-18, force.x, 1e-13 * 20)
    near(2 * (G - udot[1]), force.z, 1e-13 * 20)
    near(5, moment.y, 1e-13 * 20)
    near(udot[1], joint.qdd, 0)
  end)

  it("of a driven joint holds the torque the drive needs", function()
    local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false }
    local wheel = world:body{ mass = 2, inertia = { 0.1, 0.2, 0.3 } }
    local joint = world:joint{ "revolute", world.ground, wheel, axis = { 0, 0, 1 },
      motion = function(t) return t * t, 2 * t, 2 end }
    world:accelerations()
    near(0.6, joint.torque, 1e-15)
    world:step(100)
    near(0.2, wheel.angular_velocity.z, 1e-12)
    near(0.6, joint.torque, 1e-11) -- a difference over the step of 1e-3
  end)

  it("differences rate and acceleration that a motion does not tell, in every formulation and within a chain", function()
    local function told(n)
      return function(t)
        local s, c = math.sin(3 * t), math.cos(3 * t)
        return table.unpack({ s, 3 * c, -9 * s }, 1, n)
      end
    end
    for _, how in ipairs{ "reduced", "rigid", "penalty", "chain" } do
      for n = 1, 3 do
        local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false }
        local wheel = world:body{ mass = 2, inertia = { 0.2, 0.2, 0.3 }, position = { 1, 0, 0 } }
        local motion = told(n)
        local chain = how == "chain"
        local joint = world:joint{ chain and "chain" or "revolute", world.ground, wheel, anchor = { 0, 0, 0 },
          axis = not chain and { 0, 0, 1 } or nil, formulation = not chain and how or nil,
          motions = chain and { { "rotate", { 0, 0, 1 }, motion = motion }, { "slide", { 0, 0, 1 } } } or nil,
          motion = not chain and motion or nil }
        world:step(400)
        local q = wheel.rotation
        near(math.sin(1.2), 2 * math.atan(q[4], q[1]), how == "penalty" and 2e-2 or 1e-6) -- penalties ring about it
        if how ~= "penalty" then
          near(3 * math.cos(1.2), wheel.angular_velocity.z, 1e-6)
          world:accelerations()
          if not chain then near(-9 * math.sin(1.2) * 2.3, joint.torque, 1e-5) end
        end
      end
    end
  end)

  it("refuses what a joint that is driven has no use for", function()
    local world <close> = delassus.world{ record = false }
    local wheel = world:body{ mass = 2, inertia = { 0.2, 0.2, 0.3 } }
    local hash = world:hash()
    local function motion(t) return t, 1, 0 end
    for name in pairs{ stiffness = 1, damping = 1, friction = 1, inertia = 1 } do
      local rule = name == "inertia" and "'inertia' (of a rotor) is not possible on a %s joint that is driven"
        or "a joint that is driven has no 'stiffness', 'damping' or 'friction'"
      for _, formulation in ipairs(name == "inertia" and { "reduced" } or { "reduced", "rigid", "penalty" }) do
        local message = "world:joint: " .. rule:format("revolute")
        assert.error_matches(function()
          world:joint{ "revolute", world.ground, wheel, axis = { 0, 0, 1 }, formulation = formulation, motion = motion,
            [name] = 1 }
        end, message, 1, true)
      end
      assert.error_matches(function()
        world:joint{ "chain", world.ground, wheel, motions = { { "rotate", { 0, 0, 1 }, motion = motion } }, [name] = 1 }
      end, "world:joint: " .. rule:format("chain"), 1, true)
    end
    assert.equal(hash, world:hash())
  end)

  it("refuses a motion that answers what it cannot mean", function()
    for _, answers in ipairs{ { "1" }, { nil, 1 }, { 1, nil, 1 }, { 1, 0 / 0 }, {} } do
      local world <close> = delassus.world{ record = false }
      local wheel = world:body{ mass = 2, inertia = { 0.2, 0.2, 0.3 } }
      assert.error_matches(function()
        world:joint{ "revolute", world.ground, wheel, axis = { 0, 0, 1 },
          motion = function() return table.unpack(answers, 1, 3) end }
        world:step()
      end, "motion: must return finite numbers: value, rate, acceleration", 1, true)
    end
  end)
end)

describe("links that touch", function()
  -- A chain of capsules above a floor and some logs.
  local function falling(formulation, dt)
    local world = delassus.world{ dt = dt, record = false }
    world:floor{ friction = 0.5 }
    for i = 1, 3 do
      world:capsule{ radius = 0.1, length = 0.6, density = 800, position = { 0.4 * i, 0, 0.1 },
        rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 }, friction = 0.5 }
    end
    local before
    local joints = {}
    for i = 1, 5 do
      local link = world:capsule{ radius = 0.05, length = 0.15, density = 800, friction = 0.5,
        position = { 0.2 + 0.2 * i, 0.02 * i, 0.3 } }
      if before then
        joints[i - 1] = world:joint{ "spherical", before, link, formulation = formulation,
          anchor = { 0.1 + 0.2 * i, 0.02 * i - 0.01, 0.3 } }
      end
      before = link
    end
    return world, joints
  end

  it("obey the laws: residual at tolerance, no overlap, and momentum balance", function()
    local world <close> = falling("reduced", 1e-3)
    local mass = 0
    for _, body in ipairs(world.bodies) do
      if body.type == "dynamic" then mass = mass + body.mass end
    end
    local touched = 0
    for _ = 1, 400 do
      local p0 = world:momentum()
      local k0 = p0
      world:step()
      local p1 = world:momentum()
      -- at the configuration where impulses act, they explain the trees' momentum to rounding
      assert.is_true(world.stats.momentum_error <= 1e-12, "momentum " .. world.stats.momentum_error)
      local floor = delassus.vec{ 0, 0, 0 }
      for contact in world:contacts() do
        if contact.a.type == "static" then floor = floor + contact.impulse end
        if contact.b.type == "static" then floor = floor - contact.impulse end
      end
      touched = math.max(touched, world.stats.contacts)
      assert.is_true(world.stats.residual <= 1e-10, "residual " .. world.stats.residual)
      assert.is_true(world.stats.penetration <= 1e-9, "overlap " .. world.stats.penetration)
      -- tree momenta are those of the new pose: what the impulses do not explain is the turning of the links
      local missing = p1 - p0 - floor - delassus.vec{ 0, 0, -mass * G * 1e-3 }
      assert.is_true(missing:norm() <= 1e-2 * math.max(1, k0:norm()), tostring(missing))
    end
    assert.is_true(touched >= 6)
    assert.equal(0, world.stats.unconverged)
  end)

  it("agree with rigid joints: the difference falls with the step", function()
    local function difference(dt)
      local a <close> = falling("reduced", dt)
      local b <close>, joints = falling("rigid", dt)
      local n = math.floor(0.12 / dt + 0.5) -- before chaos: impacts of the first links only
      a:step(n)
      b:step(n)
      local worst = 0
      for i, body in ipairs(a.bodies) do worst = math.max(worst, (body.centre - b.bodies[i].centre):norm()) end
      for _, joint in ipairs(joints) do
        local apart = joint:violation()
        assert.is_true(apart <= 1e-12, "apart " .. apart)
      end
      return worst
    end
    assert.is_true(difference(1e-3) < 1e-3)
  end)
end)

describe("limits, motors and friction of joints", function()
  it("a motor of a speed gives its largest torque until it is reached, to the step (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r, formulation = delassus.random(seed), seed % 4 < 2 and "reduced" or "rigid"
      local h, J, T = r:uniform(5e-4, 5e-3), r:uniform(0.01, 1), r:uniform(0.1, 10)
      local speed = r:uniform(0.5, 5) * (seed % 2 == 0 and 1 or -1)
      local world <close> = delassus.world{ planar = true, record = false, dt = h, gravity = { 0, 0 } }
      local wheel = world:body{ mass = 1, inertia = J }
      world:joint{ "revolute", world.ground, wheel, anchor = { 0, 0 }, formulation = formulation,
        motor = { speed = speed, max_torque = T } }
      for k = 1, 50 do
        world:step()
        local want = math.min(math.abs(speed), k * h * T / J) * (speed > 0 and 1 or -1)
        assert.near(want, wheel.angular_velocity, 1e-12 * math.abs(speed), ("seed %d, %s, step %d"):format(seed, formulation, k))
      end
    end
  end)

  it("are told as they were asked for, changed number by number, and stay where a change is refused", function()
    local world <close> = delassus.world{ planar = true, record = false, gravity = { 0, 0 }, dt = 1e-3 }
    local body = world:body{ mass = 1, inertia = 1, position = { 1, 0 } }
    local joint = world:joint{ "revolute", world.ground, body, anchor = { 0, 0 }, motor = { speed = 2, max_torque = 5 } }
    local function told()
      local all = {}
      for name, x in pairs(joint.motor) do all[name] = x end
      return all
    end
    assert.same({ speed = 2, max_torque = 5 }, told())
    assert.equal(2, joint.motor.speed)
    joint.motor.speed = 3
    joint.motor = joint.motor
    assert.same({ speed = 3, max_torque = 5 }, told())
    joint.motor = { speed = 3, max_torque = math.huge } -- the default
    assert.same({ speed = 3 }, told())
    joint.motor = { speed = 3, max_torque = 5 }
    for _, wrong in ipairs{ { speed = "fast" }, { speed = 1, position = 1 }, { speed = 1, max_torque = -1 }, { sped = 1 } } do
      assert.has_error(function() joint.motor = wrong end)
      assert.same({ speed = 3, max_torque = 5 }, told())
    end
    assert.error_matches(function() joint.motor.speed = "fast" end, "'speed' must be a number, got 'fast'")
    assert.error_matches(function() joint.motor.sped = 1 end, "motor: unknown option 'sped'")
    assert.error_matches(function() return joint.motor.sped end, "joint.motor: unknown property 'sped' %(did you mean 'speed'")
    for _, absent in ipairs{ "position", "stiffness", "damping", "max_force", 1 } do assert.is_nil(joint.motor[absent]) end
    assert.error_matches(function() joint.motor = { 7 } end, "motor: unexpected value %[1%]: options are named")
    assert.error_matches(function() joint.motor.stiffness = 1 end, "go with 'position'")
    assert.same({ speed = 3, max_torque = 5 }, told())
    world:step()
    near(5 / 2 * 1e-3, joint.qd, 1e-15) -- the greatest torque on 2 kg m^2 for a step
  end)

  for _, formulation in ipairs{ "reduced", "rigid" } do
    local function rod(options)
      local world = delassus.world{ dt = 1e-3, record = false }
      local body = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 1, 0, 0 } }
      options[1], options[2], options[3] = "revolute", world.ground, body
      options.anchor, options.axis, options.formulation = { 0, 0, 0 }, { 0, 1, 0 }, formulation
      return world, world:joint(options), body
    end

    it("are exact: a limit stops the fall and carries the weight (" .. formulation .. ")", function()
      local world <close>, joint = rod{ limits = { -0.5, 0.7 } }
      world:step(1500)
      near(0.7, joint.q, 1e-12)
      near(0, joint.qd, 1e-12)
      local force, moment = joint:reaction()
      near(G, force.z, 1e-9 * G)
      near(-G * math.cos(0.7), moment.y, 1e-9 * G) -- holds the weight at the arm cos q
    end)

    it("are exact: a motor keeps its speed with the torque it needs (" .. formulation .. ")", function()
      local world <close>, joint = rod{ motor = { speed = 2, max_torque = 1e4 } }
      world:step(500)
      near(2, joint.qd, 1e-9)
      near(0.999, joint.q, 1e-5)
    end)

    it("are exact: dry friction holds below its bound and slips above (" .. formulation .. ")", function()
      local world <close>, joint = rod{ friction = 10 }
      world:step(100)
      near(0, joint.q, 1e-12)
      local slipping <close>, other = rod{ friction = 5 }
      slipping:step(1)
      near(1e-3 * (G - 5) / 1.1, other.qd, 1e-9)
    end)
  end

  it("count turns: a limit of three turns is reached after three turns", function()
    local world <close> = delassus.world{ gravity = { 0, 0, 0 }, dt = 1e-2, record = false }
    local body = world:body{ mass = 1, inertia = { 1, 1, 1 } }
    local joint = world:joint{ "revolute", world.ground, body, axis = { 0, 0, 1 }, limits = { -1, 6 * math.pi } }
    joint.qd = 10
    world:step(150)
    near(15, joint.q, 1e-9)
    world:step(100)
    near(6 * math.pi, joint.q, 1e-9)
  end)
end)

describe("world:joint", function()
  local function refuses(message, options, formulation)
    local world <close> = delassus.world{ record = false }
    local a = world:body{ mass = 1, inertia = { 1, 1, 1 } }
    local b = world:body{ mass = 1, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }
    options[2], options[3] = options[2] or a, options[3] or b
    options.formulation = formulation
    local hash = world:hash()
    local ok, text = pcall(world.joint, world, options)
    assert.is_false(ok)
    assert.is_truthy(text:find(message, 1, true), text)
    assert.equal(hash, world:hash())
  end

  it("takes the inertia of a rotor: it adds to what turns", function()
    local world <close> = delassus.world{ record = false }
    local body = world:body{ mass = 1, inertia = { 1, 1, 1 } }
    world:joint{ "revolute", world.ground, body, axis = { 0, 0, 1 }, inertia = 0.5, torque = 3 }
    near(2, world:accelerations()[1], 1e-14) -- 3 / (1 + 0.5)
  end)

  it("refuses what is no joint", function()
    refuses("'axis' must not be the zero vector", { "revolute", axis = { 0, 0, 0 } })
    refuses("a revolute joint needs 'axis'", { "revolute" })
    refuses("a universal joint needs 'axis2'", { "universal", axis = { 0, 0, 1 } })
    refuses("'axis2' lies along 'axis'", { "universal", axis = { 0, 0, 1 }, axis2 = { 0, 0, 2 } })
    refuses("a chain joint needs 'motions'", { "chain" })
    refuses("'motions' must be a list of { kind, axis }, got a table",
      { "chain", motions = { kind = "rotate", axis = { 1, 0, 0 } } })
    refuses("'motions' is for chain joints", { "fixed", motions = {} })
    refuses("'motions'[1] must be one of 'rotate', 'slide'", { "chain", motions = { { "twist", { 1, 0, 0 } } } })
    refuses("a custom joint needs 'subspace'", { "custom" })
    refuses("'subspace' must be a 6 x n matrix", { "custom", subspace = { { 1 } } })
    refuses("column 1 of 'subspace' is zero", { "custom", subspace = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 } } })
    refuses("unknown option 'axs' (did you mean 'axis'?)", { "revolute", axs = 1 })
    refuses("'limits' must be {lo, hi} with lo <= hi", { "revolute", axis = { 0, 0, 1 }, limits = { 1, 0 } })
    refuses("'limits' must be {lo, hi} with lo <= hi", { "revolute", axis = { 0, 0, 1 }, limits = { math.huge, math.huge } })
    refuses("'limits' must be {lo, hi}", { "revolute", axis = { 0, 0, 1 }, limits = { -1, 0, 1 } })
    refuses("'limits' must be {{lo, hi}, {lo, hi}}", { "universal", axis = { 0, 0, 1 }, axis2 = { 0, 1, 0 },
      limits = { { -1, 1 }, { -1, 1 }, { -1, 1 } } })
    refuses("'limits' are not possible on a fixed joint", { "fixed", limits = { 0, 1 } })
    refuses("'motor' needs a joint of one degree of freedom", { "ball", motor = { speed = 1 } })
    refuses("'motor' needs 'speed' or 'position'", { "revolute", axis = { 0, 0, 1 }, motor = {} })
    refuses("a turning motor has 'max_torque'",
      { "revolute", axis = { 0, 0, 1 }, motor = { speed = 1, max_force = 1 } })
    refuses("'motion' needs a joint of one degree of freedom", { "ball", motion = function() end })
    refuses("a free joint that holds nothing cannot be a penalty", { "free" }, "penalty")
    refuses("'stiffness' must be >= 0", { "ball", stiffness = -1 })
    refuses("'anchor' is not used by a free joint", { "free", anchor = { 0, 0, 0 } })
    refuses("give 'anchor' or frames, not both", { "fixed", anchor = { 0, 0, 0 }, frame_a = {} })
    refuses("'motions'[1] takes a kind, an axis and 'motion', got 'mot'",
      { "chain", motions = { { "slide", { 1, 0, 0 }, mot = 1 } } })
    refuses("'limits' of a spherical joint must be { cone =, twist = {lo, hi} }", { "ball", limits = { -1, 1 } })
    refuses("'motor' with 'position' needs its 'stiffness'", { "revolute", axis = { 0, 0, 1 }, motor = { position = 1 } })
    refuses("'torque' must be a list of 3 numbers, got 2", { "ball", torque = { 1, 2 } })
    refuses("'torque' must be a finite number, got nan", { "revolute", axis = { 0, 0, 1 }, torque = 0 / 0 })
    refuses("'torque' is not possible on a fixed joint", { "fixed", torque = 1 })
    local other <close> = delassus.world{}
    refuses("'b' must be a body of this world", { "fixed", nil, other.ground })
  end)

  it("refuses loops of reduced joints, and closes them with a rigid one", function()
    local world <close> = delassus.world{ planar = true, record = false }
    local a = world:body{ mass = 1, inertia = 0.1, position = { 0, 0.5 } }
    local b = world:body{ mass = 1, inertia = 0.1, position = { 0.5, 1 } }
    local c = world:body{ mass = 1, inertia = 0.1, position = { 1, 0.5 } }
    local crank = world:joint{ "revolute", world.ground, a, anchor = { 0, 0 } }
    world:joint{ "revolute", a, b, anchor = { 0, 1 } }
    world:joint{ "revolute", b, c, anchor = { 1, 1 } }
    assert.has_error(function()
      world:joint{ "revolute", c, a, anchor = { 1, 0 }, formulation = "reduced" }
    end, "world:joint: reduced joints cannot close a loop (formulation = 'rigid' can)")
    local closing = world:joint{ "revolute", world.ground, c, anchor = { 1, 0 } }
    assert.equal("rigid", closing.formulation)
    a:impulse{ impulse = { 2, 0 } }
    world:step()
    local energy = total(world)
    world:step(300)
    near(0, (closing:violation()), 1e-10)
    assert.is_true(math.abs(crank.q) > 0.1)
    near(energy, total(world), 1e-3 * energy) -- order 1 in the step
  end)

  -- What a point mass has no inertia for: a pendulum on a rigid joint did not fall, and what was fixed to one had m (1 m)^2.
  it("take point masses whose inertia is that of what holds them, and name those that have none", function()
    for _, planar in ipairs{ true, false } do
      local function point(x) return planar and { x, 0 } or { x, 0, 0 } end
      local function revolute(world, a, b, more)
        local o = { "revolute", a, b, anchor = point(0), axis = not planar and { 0, 0, 1 } or nil }
        for k, v in pairs(more) do o[k] = v end
        return world:joint(o)
      end
      for _, formulation in ipairs{ "rigid", "penalty" } do
        for _, scheme in ipairs{ "time-stepping", "event-driven" } do
          local world <close> = delassus.world{ planar = planar, scheme = scheme, record = false }
          local bob = world:body{ mass = 1, position = point(1), name = "bob" }
          revolute(world, world.ground, bob, { formulation = formulation })
          for _, call in ipairs{ world.step, world.accelerations } do
            local ok, text = pcall(call, world)
            assert.is_false(ok)
            assert.is_truthy(text:find("body 'bob' has no 'inertia', and a rigid or penalty joint would turn it", 1, true), text)
          end
          bob.inertia = planar and 1e-3 or { 1e-3, 1e-3, 1e-3 }
          world:step()
        end
      end
      -- a box fixed to a point, whichever carries the other: T/(I + mu l^2)
      for order = 1, 2 do
        local world <close> = delassus.world{ planar = planar, record = false, gravity = planar and { 0, 0 } or { 0, 0, 0 } }
        local bob = world:body{ mass = 1, position = point(0) }
        local box = world:box{ size = planar and { 1, 1 } or { 1, 1, 1 }, mass = 12, position = point(1) }
        world:joint{ "fixed", order == 1 and bob or box, order == 1 and box or bob, anchor = point(1) }
        box:apply{ torque = planar and 1 or { 0, 0, 1 } }
        world:step()
        local omega = box.angular_velocity
        near(world.dt / (2 + 12 / 13), planar and omega or omega.z, 1e-15)
      end
      -- a point in the middle of a closed chain has that of its tree
      local world <close> = delassus.world{ planar = planar, record = false }
      local bob = world:body{ mass = 1, position = point(1) }
      revolute(world, world.ground, bob, {})
      local rod = world:body{ mass = 1, inertia = planar and 1 or { 1, 1, 1 }, position = point(2) }
      revolute(world, bob, rod, { anchor = point(1) })
      revolute(world, rod, world.ground, { anchor = point(3) })
      world:step(10)
    end
  end)

  it("names the joint that has no inertia to move, and goes on with one that has", function()
    local world <close> = delassus.world{ record = false }
    local cross = world:body{ mass = 0, inertia = 0, position = { 1, 0, 0 }, name = "cross" }
    assert.same({ 0, 0, 0 }, cross.inertia:totable())
    local message = "'inertia' must be {Ixx, Iyy, Izz} or {Ixx, Iyy, Izz, Ixy, Ixz, Iyz}, got 1"
    assert.error_matches(function() world:body{ mass = 1, inertia = 1 } end, message, 1, true)
    assert.has_error(function() world:step() end, "world:step: body 'cross' has no mass and no joint")
    world:joint{ "revolute", world.ground, cross, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 }, name = "hub" }
    local ok, text = pcall(world.step, world)
    assert.is_false(ok)
    assert.is_truthy(text:find("joint 'hub', which carries body 'cross', has a direction without inertia", 1, true), text)
    local rod = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 2, 0, 0 } }
    world:joint{ "revolute", cross, rod, anchor = { 1, 0, 0 }, axis = { 0, 0, 1 } }
    world:step()
    near(-1e-3 * 2 * G / 4.1 * 2, rod.velocity.z, 1e-12)
  end)

  it("turns round where only a can be the child: q keeps its sense", function()
    local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false }
    local b = world:body{ mass = 1, inertia = { 1, 1, 1 } }
    local joint = world:joint{ "chain", b, world.ground,
      motions = { { "slide", { 1, 0, 0 } }, { "rotate", { 0, 0, 1 } } } }
    joint.q = { 0.5, 0.3 }
    near(0.5, joint.q[1], 1e-15)
    -- the ground's frame in b is slide then turn: b is the inverse of that
    near(-0.5 * math.cos(0.3), b.position.x, 1e-15)
    near(0.5 * math.sin(0.3), b.position.y, 1e-15)
  end)

  it("tells the limits, spring, damper and friction that it was given", function()
    local world <close> = delassus.world{ record = false }
    local cases = { { "revolute", axis = { 0, 1, 0 }, limits = { -1, 2 }, stiffness = 3, damping = 0.5, friction = 0.1 },
      { "universal", axis = { 0, 1, 0 }, axis2 = { 1, 0, 0 }, limits = { { -1, 1 }, { -0.5, 0 } } },
      { "spherical", limits = { cone = 1, twist = { -0.2, 0.3 } } }, { "spherical", limits = { cone = 1 } },
      { "spherical", limits = { twist = { 0, 1 } } }, { "spherical" }, { "prismatic", axis = { 0, 1, 0 } } }
    for _, options in ipairs(cases) do
      local body = world:body{ mass = 1, inertia = { 1, 1, 1 } }
      options[2], options[3] = world.ground, body
      for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
        options.formulation = formulation
        local joint = world:joint(options)
        assert.same(options.limits, joint.limits)
        assert.equal(options.stiffness or 0, joint.stiffness)
        assert.equal(options.damping or 0, joint.damping)
        assert.equal(options.friction or 0, joint.friction)
        assert.has_error(function() joint.limits = nil end, "joint: 'limits' is read-only")
        world:remove(joint)
      end
    end
  end)

  it("keeps the projection of the velocities the bodies had", function()
    local world <close> = delassus.world{ record = false }
    local body = world:body{ mass = 1, inertia = { 1, 1, 1 }, position = { 1, 0, 0 }, velocity = { 3, 4, 5 },
      angular_velocity = { 1, 2, 3 } }
    local joint = world:joint{ "prismatic", world.ground, body, axis = { 0, 1, 0 } }
    near(4, joint.qd, 1e-15)
    near(0, body.velocity.x, 0)
    near(0, body.angular_velocity:norm(), 0)
  end)
end)
