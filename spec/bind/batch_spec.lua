-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- delassus.batch: many states of one world's model against the world itself.
local delassus = require "delassus"

local kinds = { "ball", "revolute", "prismatic", "universal", "cylindrical", "planar", "fixed", "free" }

--- A random tree; every third joint is made the other way round.
local function tree(random)
  local function vector(size) return { random:uniform(-size, size), random:uniform(-size, size), random:uniform(-size, size) } end
  local world = delassus.world{ record = false, gravity = vector(10) }
  local bodies = { world.ground }
  for i = 2, random:integer(2, 6) do
    bodies[i] = world:body{ mass = random:uniform(0.5, 2), inertia = { 0.2, 0.3, 0.25, 0.02, -0.03, 0.01 }, com = vector(0.3),
      position = vector(1) }
    local kind = kinds[random:integer(1, #kinds)]
    local a, b = bodies[random:integer(1, i - 1)], bodies[i]
    if random:integer(1, 3) == 1 then a, b = b, a end
    local needs = kind ~= "ball" and kind ~= "fixed" and kind ~= "free"
    world:joint{ kind, a, b, axis = needs and { 0, 0.6, 0.8 } or nil, axis2 = kind == "universal" and { 1, 0, 0 } or nil,
      anchor = kind ~= "free" and vector(1) or nil }
  end
  return world
end

--- A random state of the world.
local function stir(random, world)
  local u = {}
  for _, joint in ipairs(world.joints) do
    local x, turn = joint.q, { 0.5, 0.5, -0.5, 0.5 }
    if joint.kind == "spherical" then joint.q = turn
    elseif joint.kind == "free" then joint.q = { 0.1, 0.2, random:uniform(-1, 1), table.unpack(turn) }
    elseif type(x) == "number" then joint.q = random:uniform(-1, 1)
    elseif #x > 0 then
      local new = {}
      for i = 1, #x do new[i] = random:uniform(-1, 1) end
      joint.q = new
    end
  end
  for i = 1, #world:velocities() do u[i] = random:uniform(-2, 2) end
  world:set_velocities(u)
  return world:coordinates(), u
end

--- n random states of a world in a batch have the accelerations that the world has in each of them.
local function compare(random, world, n, seed)
  local many <close> = delassus.batch(world, n)
  local expected = {}
  for k = 1, n do
    local q, u = stir(random, world)
    many:set_coordinates(k, q)
    many:set_velocities(k, u)
    expected[k] = world:accelerations()
  end
  local got = many:accelerations()
  for k = 1, n do
    local size = 1 + expected[k]:norm()
    for i = 1, #expected[k] do assert.near(expected[k][i], got[k][i], 1e-11 * size, ("seed %d, state %d"):format(seed, k)) end
  end
end

describe("delassus.batch", function()
  it("has the accelerations of the world in every state, on 200 random trees", function()
    for seed = 1, 200 do
      local random = delassus.random(seed)
      local world <close> = tree(random)
      compare(random, world, random:integer(1, 9), seed)
    end
  end)

  it("has them with springs, dampers, dry friction and limits of joints as well, 200 random chains", function()
    local own = { "revolute", "ball", "prismatic", "universal", "cylindrical" }
    for seed = 1, 200 do
      local random = delassus.random(seed)
      local world <close> = delassus.world{ record = false }
      local parent = world.ground
      for i = 1, random:integer(1, 5) do
        local body = world:body{ mass = random:uniform(0.5, 2), inertia = { 0.2, 0.3, 0.25 }, position = { i, 0, 0 } }
        local kind = own[random:integer(1, 5)]
        local ball, one = kind == "ball", kind == "revolute" or kind == "prismatic"
        local a, b = parent, body
        if random:integer(1, 3) == 1 then a, b = b, a end -- made the other way round
        local function maybe(x) return random:integer(1, 2) == 1 and random:uniform(0, x) or nil end
        world:joint{ kind, a, b, anchor = { i - 0.5, 0, 0 }, axis = not ball and { 0, 1, 0 } or nil,
          axis2 = kind == "universal" and { 0, 0, 1 } or nil, stiffness = not ball and maybe(20) or nil, damping = maybe(3),
          friction = maybe(2), torque = one and maybe(3) or nil,
          limits = one and { -1.5, 1.5 } or kind == "universal" and { { -2, 2 }, { -2, 2 } } or nil }
        parent = body
      end
      compare(random, world, 9, seed)
    end
  end)

  it("steps springs and dampers as the world does, to round-off along a line, and stays bounded at any stiffness", function()
    for _, law in ipairs{ { 50, 0 }, { 50, 1 }, { 0, 3 }, { 1e8, 0 }, { 1e12, 10 }, { 0, 1e12 } } do
      local world <close> = delassus.world{ record = false, gravity = { 0, 0, 0 }, dt = 2e-3 }
      local body = world:body{ mass = 2, inertia = { 1, 1, 1 } }
      local joint = world:joint{ "prismatic", world.ground, body, axis = { 1, 0, 0 }, stiffness = law[1], damping = law[2] }
      local many <close> = delassus.batch(world, 2)
      joint.q, joint.qd = 0.3, 0.2
      many:set_coordinates(1, { 0.3 })
      many:set_velocities(1, { 0.2 })
      local most = 0
      for _ = 1, 500 do
        world:step()
        many:step()
        most = math.max(most, math.abs(many:coordinates(1)[1]))
      end
      assert.is_true(most <= 0.44, most) -- a damper of 3 lets it go on by m v/c, 0.13
      if law[1] <= 50 and law[2] <= 3 then -- the step resolves it: the same law
        assert.near(joint.q, many:coordinates(1)[1], 1e-12)
        assert.near(joint.qd, many:velocities(1)[1], 1e-12)
      end
      assert.equal(0, many:coordinates(2)[1])
    end
  end)

  -- Against rk4 over 0.1 s: errors of 4 and 2 ms. With u before the step in udot they were of first order.
  it("steps to second order, as the world does (200 trees)", function()
    for seed = 1, 200 do
      local off = {}
      for i, dt in ipairs{ 4e-3, 2e-3 } do
        local random = delassus.random(seed)
        local world <close> = tree(random)
        local q, u = stir(random, world)
        local many <close> = delassus.batch(world, 1)
        many.dt = dt
        many:set_coordinates(1, q)
        many:set_velocities(1, u)
        many:step(math.floor(0.1 / dt + 0.5))
        world:integrate{ method = "rk4", dt = 1e-3, to = 0.1 }
        off[i] = (many:velocities(1) - world:velocities()):norm() / (1 + world:velocities():norm())
      end
      assert.is_true(off[2] < 0.32 * off[1] + 1e-9, ("seed %d: %g, %g"):format(seed, off[1], off[2]))
    end
  end)

  it("raises where a limit would act, friction could hold, or a step does not know a law, and keeps all states", function()
    local function pendulum(options)
      local world = delassus.world{ record = false }
      local body = world:body{ mass = 2, inertia = { 0.1, 0.2, 0.2 }, position = { 1, 0, 0 } }
      options[1], options[2], options[3], options.anchor, options.axis = "revolute", world.ground, body, { 0, 0, 0 }, { 0, 1, 0 }
      local joint = world:joint(options)
      return world, joint
    end
    local function refuses(message, act) assert.error_matches(act, message, 1, true) end
    local world <close>, joint = pendulum{ limits = { -0.5, 0.3 } }
    local many <close> = delassus.batch(world, 3)
    many:set_coordinates(2, { -0.4 })
    many:step(100)
    world:step(100)
    assert.near(joint.q, many:coordinates(1)[1], 1e-8)
    many:step(150)
    refuses("batch:step: state 1: a limit of joint #1 could act: such worlds are stepped", function()
      for _ = 1, 200 do
        joint.data = { many:coordinates(1)[1], many:velocities(1)[1], many:coordinates(2)[1] }
        many:step()
      end
    end)
    assert.same(joint.data, { many:coordinates(1)[1], many:velocities(1)[1], many:coordinates(2)[1] })
    local function all() -- and by several steps
      local out = {}
      for k = 1, 3 do out[k] = many:coordinates(k)[1] out[3 + k] = many:velocities(k)[1] end
      return out
    end
    local before = all()
    refuses("a limit of joint #1 could act", function() many:step(1000) end)
    assert.same(before, all())
    many:set_coordinates(3, { 0.3 })
    many:set_velocities(3, { 0 })
    refuses("batch:accelerations: state 3: a limit of joint #1 could act", function() many:accelerations() end)
    many:set_coordinates(3, { -0.5 }) -- it falls away from this one
    assert.near(2 * 9.81 * math.cos(0.5) / 2.2, many:accelerations()[3][1], 1e-12)
    local dry <close> = pendulum{ friction = 1 }
    local still <close> = delassus.batch(dry, 2)
    still:set_velocities(1, { 1 })
    refuses("batch:accelerations: state 2: the friction of joint #1 could hold it", function() still:accelerations() end)
    refuses("batch:step: joint #1 has friction: not possible in steps of a batch (accelerations are)",
      function() still:step() end)
    local driven <close> = pendulum{ motor = { speed = 1 } }
    refuses("delassus.batch: joint #1 has a motor: not possible in a batch", function() delassus.batch(driven, 2) end)
  end)

  it("refuses what is no state, no step and no model of its kind", function()
    local world <close> = delassus.world{ record = false }
    local body = world:body{ mass = 1, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }
    local joint = world:joint{ "revolute", world.ground, body, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 } }
    local many <close> = delassus.batch(world, 2)
    local function refuses(message, act) assert.error_matches(act, message, 1, true) end
    refuses("batch: 'dt' must be > 0, got -1", function() many.dt = -1 end)
    refuses("batch:step: 'n' must be >= 0, got -1", function() many:step(-1) end)
    local before = tostring(many:coordinates(1))
    many:step(0)
    assert.equal(before, tostring(many:coordinates(1)))
    refuses("batch:coordinates: 'k' must be a whole number, got 'x'", function() many:coordinates "x" end)
    refuses("batch:coordinates: no state 3 of 2", function() many:coordinates(3) end)
    refuses("batch:set_coordinates: expected 1 numbers, got 2", function() many:set_coordinates(1, { 1, 2 }) end)
    local free <close> = delassus.world{ record = false }
    free:body{ mass = 1, inertia = { 1, 1, 1 } }
    local flying <close> = delassus.batch(free, 2)
    refuses("batch:set_coordinates: numbers 4 to 7 must be a unit quaternion", -- as world:set_coordinates
      function() flying:set_coordinates(2, { 1, 2, 3, 0, 0, 0, 0 }) end)
    assert.same({ 0, 0, 0, 1, 0, 0, 0 }, flying:coordinates(2):totable())
    many:step(50)
    world:step(50)
    assert.near(joint.q, many:coordinates(2)[1], 1e-10)
    local other = world:body{ mass = 1, inertia = { 1, 1, 1 } }
    local limited = world:joint{ "ball", body, other, limits = { cone = 1 } }
    refuses("joint #2 has limits or a spring about a point: not possible in a batch", function() delassus.batch(world, 2) end)
    world:remove(limited)
    local hand = world:contact{ world.ground, other, normal = { 0, 0, 1 } }
    refuses("delassus.batch: contacts made by hand are not possible in a batch (but with active = false)",
      function() delassus.batch(world, 2) end)
    hand.active = false
    delassus.batch(world, 2):close()
    world:remove(hand)
    local second = world:joint{ "revolute", world.ground, other, axis = { 0, 1, 0 } }
    local gear = world:gear{ joint, second, ratio = 2 }
    refuses("delassus.batch: gears are not possible in a batch", function() delassus.batch(world, 2) end)
    world:remove(gear)
    world:remove(second)
    world:joint{ "revolute", body, other, axis = { 0, 1, 0 }, motion = function(t) return t, 1, 0 end }
    local driven <close> = delassus.batch(world, 1)
    assert.equal(1, #driven:accelerations()[1])
    refuses("batch:step: prescribed motions are not possible in steps of a batch", function() driven:step() end)
  end)

  it("leaves every state as it was where a step fails in one of them", function()
    local world <close> = delassus.world{ record = false, dt = 1e-2 }
    local arm = world:body{ mass = 1, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }
    local hub = world:body{ mass = 0, inertia = { 0, 0, 0 }, position = { 2, 0, 0 } }
    local tip = world:body{ mass = 1, inertia = { 0, 0, 0 }, position = { 3, 0, 0 } }
    world:joint{ "revolute", world.ground, arm, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 } }
    world:joint{ "revolute", arm, hub, anchor = { 2, 0, 0 }, axis = { 1, 0, 0 } }
    world:joint{ "revolute", hub, tip, anchor = { 2, 0, 0 }, axis = { 0, 1, 0 } }
    local many <close> = delassus.batch(world, 9)
    for k = 1, 9 do
      many:set_coordinates(k, { 0.1 * k, 0.2, k == 6 and 0 or 1 }) -- 6: the tip lies on the axis of the hub
      many:set_velocities(k, { 0.3, 0.1 * k, 0 })
    end
    local q, u = {}, {}
    for k = 1, 9 do q[k], u[k] = many:coordinates(k):totable(), many:velocities(k):totable() end
    local ok, message = pcall(many.step, many, 3)
    assert.is_false(ok)
    assert.matches("batch:step: near state %d a joint has a direction without inertia", message)
    for k = 1, 9 do
      assert.same(q[k], many:coordinates(k):totable())
      assert.same(u[k], many:velocities(k):totable())
    end
  end)

  it("knows nothing of forces on what is gone", function()
    local world <close> = delassus.world{ planar = true, record = false }
    local bodies = {}
    for k = 1, 2 do
      bodies[k] = world:body{ mass = 1, inertia = 1, position = { k, 0 } }
      world:joint{ "revolute", world.ground, bodies[k] }
    end
    bodies[1]:apply{ force = { 1, 0 } }
    world:remove(bodies[1])
    assert.equal(2, #delassus.batch(world, 2))
  end)
end)
