-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- world:gear: two joints anywhere that turn in a ratio.
local delassus = require "delassus"
local near = require "support.near"

local G = 9.81

-- Two wheels on the ground, geared; a torque on the first.
local function wheels(first, second, options)
  options = options or {}
  local world = delassus.world{ gravity = { 0, 0, 0 }, dt = 1e-3, record = false }
  local a = world:body{ mass = 1, inertia = { 1, 1, 0.3 } }
  local b = world:body{ mass = 1, inertia = { 1, 1, 0.5 }, position = { 2, 0, 0 } }
  local one = world:joint{ "revolute", world.ground, a, axis = { 0, 0, 1 }, formulation = first }
  local two = world:joint{ "revolute", world.ground, b, axis = { 0, 0, 1 }, formulation = second }
  local gear = world:gear{ one, two, ratio = options.ratio or -2, offset = options.offset }
  one.torque = 7
  return world, one, two, gear
end

describe("a gear", function()
  for _, case in ipairs{ { "reduced", "reduced" }, { "rigid", "rigid" }, { "reduced", "rigid" } } do
    local name = case[1] .. " and " .. case[2]

    it("is exact: both wheels' inertias, and the torque it passes on (" .. name .. ")", function()
      local world <close>, one, two, gear = wheels(case[1], case[2])
      -- (0.3 + 4 * 0.5) q1'' = 7; on wheel 2 acts 0.5 * (-2) q1'', on wheel 1 as much times the ratio
      local rate = 7 / 2.3
      world:accelerations()
      near(-rate, select(2, two:reaction()).z, 1e-13 * 7)
      near(0.3 * rate, select(2, one:reaction()).z, 1e-13 * 7)
      world:step(2000) -- three rounds and more of the second wheel
      near(2 * rate, one.qd, 1e-10)
      near(2 * rate, one.q, 1e-9)
      near(-4 * rate, two.q, 1e-9)
      near(0, gear:violation(), 1e-12)
      near(-rate, select(2, two:reaction()).z, 1e-9 * 7)
      near(0.3 * rate, select(2, one:reaction()).z, 1e-9 * 7)
      local kinetic = world:energy()
      near(7 * one.q, kinetic, 1e-9 * kinetic)
      assert.is_true(world.stats.residual <= 1e-10)
      assert.is_true(world.stats.energy_balance <= 1e-12, "balance " .. world.stats.energy_balance)
      world:integrate{ method = "rk4", dt = 1e-3, to = 3 }
      near(4.5 * rate, one.q, 1e-9)
      near(-9 * rate, two.q, 1e-9)
    end)
  end

  it("keeps an offset, and counts as a row of mobility", function()
    local world <close>, one, two, gear = wheels("reduced", "reduced", { ratio = 3, offset = 0.1 })
    assert.same({ 1, 1, 0 }, { world:mobility() })
    assert.equal(1, world:delassus():rows())
    near(9 / 0.3 + 1 / 0.5, world:delassus()[1][1], 1e-13 * 40)
    world:step(10)
    near(3 * one.q + 0.1, two.q, 1e-13)
    assert.equal(one, gear.joint1)
    assert.equal(two, gear.joint2)
    assert.equal(3, gear.ratio)
  end)

  it("joins a rack and a pinion in one tree, and bodies of two trees, of order two", function()
    -- A cart on a slide carries a pendulum that is geared to it: q2 = 2 x.
    local function cart(formulation, dt)
      local world = delassus.world{ dt = dt, record = false, tolerance = 1e-13 }
      local base = world:body{ mass = 2, inertia = { 1, 1, 1 } }
      local arm = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0, 0, -0.5 } }
      local slide = world:joint{ "prismatic", world.ground, base, anchor = { 0, 0, 0 }, axis = { 1, 0, 0 },
        formulation = formulation }
      local hinge = world:joint{ "revolute", base, arm, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 },
        formulation = formulation }
      world:gear{ slide, hinge, ratio = 2 }
      slide.torque = 9
      return world, slide
    end
    local exact <close>, x = cart("reduced", 1e-3)
    exact:integrate{ method = "rk4", dt = 1e-3, to = 0.5 }
    local errors = {}
    for k, dt in ipairs{ 4e-3, 2e-3 } do
      local a <close>, one = cart("reduced", dt)
      local b <close>, two = cart("rigid", dt)
      a:step(math.floor(0.5 / dt + 0.5))
      b:step(math.floor(0.5 / dt + 0.5))
      near(one.q, two.q, 1e-11, "formulations")
      errors[k] = math.abs(one.q - x.q)
    end
    assert.is_true(errors[1] / errors[2] > 3.5 and errors[1] / errors[2] < 4.5, errors[1] .. " " .. errors[2])
    assert.is_true(errors[2] < 1e-5)
  end)

  it("is part of snapshots and hashes, and goes with remove", function()
    local world <close>, one, two, gear = wheels("reduced", "rigid")
    world:step(5)
    local state = world:snapshot()
    world:step(5)
    local hash = world:hash()
    world:restore(state)
    world:step(5)
    assert.equal(hash, world:hash())
    local other <close> = wheels("reduced", "rigid", { ratio = 3 })
    assert.has_error(function() other:restore(state) end)
    world:remove(gear)
    local speed = two.qd
    world:step(100)
    near(speed, two.qd, 1e-12)
    assert.has_error(function() return gear.ratio end, "gear: attempt to use a removed gear")
    local third <close>, _, wheel, teeth = wheels("reduced", "reduced")
    third:remove(wheel)
    assert.has_error(function() return teeth.ratio end)
    third:step(3)
    assert.is_truthy(one)
  end)

  it("leaves what is known of the last step as it is", function()
    local world <close>, one, two = wheels("reduced", "reduced")
    world:step(5)
    local force, moment = one:reaction()
    world:gear{ one, two, ratio = 1, offset = 0.1 }
    local now, turning = one:reaction()
    assert.equal(tostring(force), tostring(now))
    assert.equal(tostring(moment), tostring(turning))
  end)

  it("refuses what cannot be geared, and leaves the world as it was", function()
    local world <close>, one, two = wheels("reduced", "reduced")
    local ball = world:joint{ "spherical", world.ground, world:body{ mass = 1, inertia = { 1, 1, 1 } } }
    local other <close>, foreign = wheels("reduced", "reduced")
    local hash = world:hash()
    local function refuses(message, options)
      local ok, text = pcall(world.gear, world, options)
      assert.is_false(ok)
      assert.is_truthy(text:find(message, 1, true), text)
      assert.equal(hash, world:hash())
    end
    refuses("'ratio' must not be 0", { one, two, ratio = 0 })
    refuses("'ratio' is required", { one, two })
    refuses("needs two different joints", { one, one, ratio = 1 })
    refuses("'joint2' must be a joint of this world", { one, foreign, ratio = 1 })
    refuses("'joint2' must be a joint of one degree of freedom", { one, ball, ratio = 1 })
    local driven = world:joint{ "revolute", world.ground, world:body{ mass = 1, inertia = { 1, 1, 1 } }, axis = { 0, 0, 1 },
      motion = function(t) return t end }
    hash = world:hash()
    refuses("'joint1' must not be a driven joint: its motion is given", { driven, two, ratio = 1 })
    refuses("'joint1' must be a joint", { 1, two, ratio = 1 })
    refuses("unknown option 'ratoi' (did you mean 'ratio'?)", { one, two, ratio = 1, ratoi = 1 })
    assert.is_truthy(other)
  end)

  it("balances weights: a lever's equilibrium is kept for a second", function()
    local world <close> = delassus.world{ dt = 1e-3, record = false }
    local a = world:body{ mass = 2, inertia = { 1, 1, 1 } }
    local b = world:body{ mass = 1, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }
    local left = world:joint{ "prismatic", world.ground, a, axis = { 0, 0, 1 } }
    local right = world:joint{ "prismatic", world.ground, b, axis = { 0, 0, 1 } }
    world:gear{ left, right, ratio = -2 }
    world:step(1000)
    near(0, left.q, 1e-12)
    near(G, right:reaction().z, 1e-10 * G)
    near(2 * G, left:reaction().z, 1e-10 * G)
  end)

  it("is held by nobody who moves, whatever had its row before it", function()
    local world <close> = delassus.world{ planar = true, dt = 1e-3, gravity = { 0, 0 }, record = false }
    local joints = {}
    for k = 1, 2 do
      local wheel = world:disk{ radius = 0.2, position = { k, 0 }, density = 500 }
      joints[k] = world:joint{ "revolute", world.ground, wheel, formulation = "rigid" }
    end
    world:gear{ joints[1], joints[2], ratio = 2 }
    joints[1].torque = 7
    local pushed = world:disk{ radius = 0.1, position = { 5, 0 }, density = 500 }
    local first = 3 * (#world.bodies - 1)
    local pushes = {}
    for k = 1, 12 do -- more rows than the joints and the gear have
      pushes[k] = world:contact{ world.ground, pushed, friction = 0,
        gap = function(q, t) return q[first + 2] - 0.5 * t end,
        gradient = function()
          local d = {}
          for i = 1, 3 * (#world.bodies) do d[i] = i == first + 2 and 1 or 0 end
          return d
        end }
    end
    world:step(10)
    local work = world:ledger().kinematic
    assert.is_true(work > 1)
    for _, push in ipairs(pushes) do push.active = false end
    world:step(10)
    assert.equal(work, world:ledger().kinematic)
    near(0, world:ledger().error, 1e-12)
  end)
end)

describe("a geared lever that a ball strikes", function()
  for _, impact in ipairs{ "newton", "poisson", "sequential" } do
    for _, case in ipairs{ { "reduced", "reduced" }, { "rigid", "rigid" }, { "reduced", "rigid" }, { "rigid", "reduced" } } do
      it(("has both wheels' inertias (%s, %s and %s)"):format(impact, case[1], case[2]), function()
        local e, r, v, m, ratio = 0.6, 0.4, 3, 0.2, -2
        local world <close> = delassus.world{ gravity = { 0, 0, 0 }, dt = 1e-3, record = false, impact = impact }
        local lever = world:box{ size = { 1, 0.1, 0.2 }, mass = 1, inertia = { 1, 1, 0.3 }, friction = 0, restitution = e }
        local wheel = world:body{ mass = 1, inertia = { 1, 1, 0.5 }, position = { 3, 0, 0 } }
        local one = world:joint{ "revolute", world.ground, lever, axis = { 0, 0, 1 }, formulation = case[1] }
        local two = world:joint{ "revolute", world.ground, wheel, axis = { 0, 0, 1 }, formulation = case[2] }
        world:gear{ one, two, ratio = ratio }
        local ball = world:sphere{ radius = 0.05, mass = m, position = { r, -0.1001, 0 }, velocity = { 0, v, 0 },
          friction = 0, restitution = e }
        world:step(2)
        local inertia = 0.3 + ratio ^ 2 * 0.5
        local impulse = (1 + e) * v / (1 / m + r ^ 2 / inertia)
        near(v - impulse / m, ball.velocity.y, 1e-11)
        near(r * impulse / inertia, one.qd, 1e-11)
        near(ratio * r * impulse / inertia, two.qd, 1e-11)
        assert.equal(0, world.stats.impact_gain)
      end)
    end
  end

  for _, case in ipairs{ { "reduced", "reduced" }, { "rigid", "rigid" }, { "reduced", "rigid" }, { "rigid", "reduced" } } do
    it(("is struck by two in turn, the faster first (%s and %s)"):format(case[1], case[2]), function()
      local e, r, m, ratio = 0.6, 0.4, 0.2, -2
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, dt = 1e-3, record = false, impact = "sequential" }
      local lever = world:box{ size = { 1, 0.1, 0.2 }, mass = 1, inertia = { 1, 1, 0.3 }, friction = 0, restitution = e }
      local wheel = world:body{ mass = 1, inertia = { 1, 1, 0.5 }, position = { 3, 0, 0 } }
      local one = world:joint{ "revolute", world.ground, lever, axis = { 0, 0, 1 }, formulation = case[1] }
      local two = world:joint{ "revolute", world.ground, wheel, axis = { 0, 0, 1 }, formulation = case[2] }
      world:gear{ one, two, ratio = ratio }
      local at, speed, rate, balls = { r, -r / 2 }, { 3, 1 }, 0, {} -- both turn it the same way, by their sides
      local side = { 1, -1 }
      for i = 1, 2 do
        balls[i] = world:sphere{ radius = 0.05, mass = m, position = { at[i], -0.1 * side[i], 0 },
          velocity = { 0, side[i] * speed[i], 0 }, friction = 0, restitution = e }
      end
      world:step(1)
      local inertia, strikes = 0.3 + ratio ^ 2 * 0.5, 0
      while true do
        local fastest, first = 1e-12, nil
        for i = 1, 2 do
          local closing = speed[i] - side[i] * at[i] * rate
          if closing > fastest then fastest, first = closing, i end
        end
        if not first then break end
        local impulse = (1 + e) * fastest / (1 / m + at[first] ^ 2 / inertia)
        speed[first] = speed[first] - impulse / m
        rate = rate + side[first] * at[first] * impulse / inertia
        strikes = strikes + 1
      end
      assert.equal(2, strikes)
      near(rate, one.qd, 1e-11)
      near(ratio * rate, two.qd, 1e-11)
      for i = 1, 2 do near(side[i] * speed[i], balls[i].velocity.y, 1e-11) end
    end)
  end
end)

-- Turns are counted by where rates lead: at 1/60 s more than half a turn a step is 1,800 rpm.
describe("joints that turn by more than half a turn in a step", function()
  local function hinged(world, x, omega, formulation, more)
    local planar = world.planar
    local o = { mass = 1, inertia = planar and 1 or { 1, 1, 1 }, position = planar and { x, 0 } or { x, 0, 0 },
      angular_velocity = planar and omega or { 0, 0, omega } }
    local joint = { "revolute", world.ground, world:body(o), axis = not planar and { 0, 0, 1 } or nil, formulation = formulation }
    for k, v in pairs(more or {}) do joint[k] = v end
    return world:joint(joint)
  end

  it("keep their gears", function()
    for _, formulation in ipairs{ "reduced", "rigid" } do
      for _, planar in ipairs{ true, false } do
        for _, omega in ipairs{ 150, 200, 377, 1000 } do
          local world <close> = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = 1 / 60 }
          local one, two = hinged(world, 0, omega, formulation), hinged(world, 1, -omega / 10, formulation)
          world:gear{ one, two, ratio = -0.1 }
          world:step(60)
          local what = ("%s, %s, %g rad/s"):format(formulation, planar and "plane" or "space", omega)
          assert.near(omega, one.q, 1e-9, what)
          assert.near(-omega / 10, two.q, 1e-9, what)
          assert.is_false(world.stats.infeasible, what)
        end
        -- run up by a motor: 1 + 1/100 kg m^2 by 2 N m, then at its speed
        local world <close> = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = 1 / 60 }
        local one = hinged(world, 0, 0, formulation, { motor = { speed = 300, max_torque = 202 } })
        local two = hinged(world, 1, 0, formulation)
        world:gear{ one, two, ratio = 0.1 }
        world:step(240)
        assert.near(300, one.qd, 1e-9)
        assert.near(one.q / 10, two.q, 1e-9)
      end
    end
  end)

  it("are counted in event-driven worlds, up to limits, and where they are integrated", function()
    for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
      local function world_of(more)
        local world = delassus.world{ gravity = { 0, 0, 0 }, dt = 0.1, scheme = "event-driven" }
        return world, hinged(world, 0, 40, formulation, more)
      end
      local world, joint = world_of()
      world:run(1)
      assert.near(40, joint.q, 1e-9, formulation)
      world, joint = world_of{ stiffness = 1 } -- 40 sin t
      world:run(1)
      assert.near(40 * math.sin(1), joint.q, 1e-6, formulation)
      assert.near(40 * math.cos(1), joint.qd, 1e-6, formulation)
      world, joint = world_of{ limits = { -1, 30 } }
      world:run(2)
      if formulation ~= "penalty" then
        assert.near(30, joint.q, 1e-9, formulation)
        assert.near(0, joint.qd, 1e-9, formulation)
      else assert.is_true(joint.qd < 0, joint.qd) end -- a spring, soft at such a step
      for _, planar in ipairs{ true, false } do
        world = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 } }
        joint = hinged(world, 0, 40, formulation)
        world:integrate{ method = "dopri5", to = 2 }
        assert.near(80, joint.q, 1e-9, formulation)
        world:integrate{ method = "dopri5", to = 3 }
        assert.near(120, joint.q, 1e-9, formulation)
      end
    end
    local world = delassus.world{ planar = true, gravity = { 0, 0 } }
    local one, two = hinged(world, 0, 40), hinged(world, 1, -20)
    world:gear{ one, two, ratio = -0.5 }
    world:integrate{ method = "dopri5", to = 2 }
    assert.near(80, one.q, 1e-8)
    assert.near(-40, two.q, 1e-8)
  end)
end)
