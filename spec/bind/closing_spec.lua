-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- The impact by which rigid joints and gears close velocities that do not go with them, in a world's first step.
local delassus = require "delassus"

local function between(lo, hi) return lo + (hi - lo) * math.random() end
local function vector(size) return { between(-size, size), between(-size, size), between(-size, size) } end

describe("the impulse that closes a joint's first step", function()
  it("is the exact plastic one: two bodies fixed to each other", function()
    local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, record = false }
    local a = world:body{ mass = 1, inertia = 1, position = { 0, 0 }, velocity = { 1, 0 } }
    local b = world:body{ mass = 1, inertia = 1, position = { 1, 0 } }
    local joint = world:joint{ "fixed", a, b, anchor = { 0.5, 0 }, formulation = "rigid" }
    world:step()
    local force = joint:reaction()
    local ledger = world:ledger()
    assert.near(0.5, force.x * world.dt, 1e-14)
    assert.near(0, force.y * world.dt, 1e-14)
    assert.near(0.25, ledger.impact, 1e-15)
    assert.near(0, ledger.error, 1e-15)
    world:step()
    assert.near(0, joint:reaction():norm(), 1e-11) -- of one step alone
    assert.near(0.25, world:ledger().impact, 1e-15)
  end)

  for _, planar in ipairs{ true, false } do
    it("changes momenta by what reaction() says, and the ledger adds up, " .. (planar and "plane" or "space"), function()
      for seed = 1, 200 do
        math.randomseed(seed)
        local still = planar and { 0, 0 } or { 0, 0, 0 }
        local world <close> = delassus.world{ planar = planar, gravity = still, dt = 1e-7, record = false }
        local bodies = {}
        for k = 1, 3 do
          local p, v = vector(1), vector(1)
          bodies[k] = world:body{ mass = between(0.5, 2),
            inertia = planar and between(0.2, 0.5) or { 0.3, 0.4, between(0.2, 0.5) },
            position = planar and { p[1], p[2] } or p, velocity = planar and { v[1], v[2] } or v,
            angular_velocity = planar and between(-1, 1) or vector(1) }
        end
        -- 1 hangs from the ground in a tree, or is free; 2 and 3 are held by multipliers
        local kinds = { "revolute", "prismatic", "fixed" }
        if not planar then kinds = { "spherical", "revolute", "universal", "cylindrical", "fixed" } end
        local function joint(a, b, formulation)
          local anchor = vector(1)
          local kind = kinds[math.random(#kinds)]
          local axis
          if planar and kind == "prismatic" then axis = { 0.6, 0.8 } end
          if not planar and kind ~= "spherical" and kind ~= "fixed" then axis = { 1, 2, 3 } end
          return world:joint{ kind, a, b, anchor = planar and { anchor[1], anchor[2] } or anchor, axis = axis,
            axis2 = kind == "universal" and { 3, 0, -1 } or nil, formulation = formulation }
        end
        if seed % 2 == 0 then joint(world.ground, bodies[1], "reduced") end
        local one, two = joint(bodies[1], bodies[2], "rigid"), joint(bodies[2], bodies[3], "rigid")
        local kinetic = world:energy()
        local before = {}
        for k, b in ipairs(bodies) do before[k] = b.velocity end
        world:step()
        local ledger, what = world:ledger(), "seed " .. seed .. ": "
        local now = world:energy()
        local f1, f2 = one:reaction(), two:reaction()
        local h, scale = world.dt, 10
        local p2 = bodies[2].mass * (bodies[2].velocity - before[2]) - h * (f1 - f2)
        local p3 = bodies[3].mass * (bodies[3].velocity - before[3]) - h * f2
        assert.is_true(p2:norm() < 1e-12 * scale and p3:norm() < 1e-12 * scale, what .. p2:norm() .. ", " .. p3:norm())
        assert.is_true(ledger.impact > 0, what .. ledger.impact)
        assert.is_true(math.abs(kinetic - now - ledger.impact) < 1e-6, what .. (kinetic - now - ledger.impact)) -- h |u|^2
        assert.is_true(math.abs(ledger.error) < 1e-11, what .. "error " .. ledger.error)
      end
    end)
  end

  it("goes through the joints of trees too: a hanging rod struck where a rigid joint holds its end", function()
    -- rod 1 (reduced, hinged to the ground) and rod 2, moving, joined to its end: exact by the angular momentum about
    -- the hinge
    local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, record = false, dt = 1e-6 }
    local rod = world:body{ mass = 2, inertia = 2 / 12, position = { 0.5, 0 } }
    local point = world:body{ mass = 1, inertia = 1e-3, position = { 1, 0 }, velocity = { 0, 3 } }
    local hinge = world:joint{ "revolute", world.ground, rod, anchor = { 0, 0 } }
    local tie = world:joint{ "revolute", rod, point, anchor = { 1, 0 }, formulation = "rigid" }
    world:step()
    local J = 2 / 3
    local omega = 3 / (J + 1)
    assert.near(omega, rod.angular_velocity, 1e-12)
    assert.near(omega - 3, tie:reaction().y * world.dt, 1e-11)
    -- on the rod: m v_c = hinge + tie's opposite
    assert.near(2 * 0.5 * omega - (3 - omega), hinge:reaction().y * world.dt, 1e-11)
    assert.near(0.5 * 9 - 0.5 * (J + 1) * omega ^ 2, world:ledger().impact, 1e-11)
    assert.near(0, world:ledger().error, 1e-13)
  end)

  it("is the gear's as well", function()
    local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, record = false, dt = 1e-6 }
    local wheel, joint = {}, {}
    for k = 1, 2 do
      wheel[k] = world:body{ mass = 1, inertia = k, position = { 3 * k, 0 }, angular_velocity = k == 1 and 4 or 0 }
      joint[k] = world:joint{ "revolute", world.ground, wheel[k], anchor = { 3 * k, 0 }, formulation = "rigid" }
    end
    world:gear{ joint[1], joint[2], ratio = 0.5 }
    world:step()
    -- (1 + 2/4) omega1 = 4
    assert.near(4 / 1.5, wheel[1].angular_velocity, 1e-12)
    assert.near(0.5 * 16 - 0.5 * 1.5 * (4 / 1.5) ^ 2, world:ledger().impact, 1e-12)
    assert.near(0, world:ledger().error, 1e-13)
    local _, moment = joint[2]:reaction()
    assert.near(2 * 2 / 1.5, moment * world.dt, 1e-11)
  end)

  it("moves rotors with what it closes: their energy is in what it takes (exact; 200 seeds in space)", function()
    -- a body on a slide with a rotor r, fixed to one that moves along it: (M + m + r) v = M v0 + (m + r) u0
    local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, record = false }
    local on = world:body{ mass = 2, inertia = 1, position = { 0, 0 }, velocity = { -1, 0 } }
    local free = world:body{ mass = 3, inertia = 1, position = { 1, 0 }, velocity = { 4, 0 } }
    world:joint{ "prismatic", world.ground, on, axis = { 1, 0 }, inertia = 5 }
    world:joint{ "fixed", on, free, formulation = "rigid" }
    world:step()
    local v = (3 * 4 - (2 + 5)) / (3 + 2 + 5)
    assert.near(v, on.velocity.x, 1e-14)
    assert.near(v, free.velocity.x, 1e-14)
    local taken = 0.5 * 3 * 16 + 0.5 * 7 - 0.5 * 10 * v * v
    assert.near(taken, world:ledger().impact, 1e-13)
    assert.near(0, world:ledger().error, 1e-13)
    for seed = 1, 200 do
      math.randomseed(seed)
      local space <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false }
      local bodies = {}
      for k = 1, 3 do
        bodies[k] = space:body{ mass = between(0.5, 2), inertia = { 0.3, 0.4, between(0.2, 0.5) }, position = vector(1),
          velocity = vector(1), angular_velocity = vector(1) }
      end
      local kind = seed % 2 == 0 and "prismatic" or "revolute"
      space:joint{ kind, bodies[2], bodies[3], axis = { 1, 2, 3 }, inertia = between(0.1, 2) }
      space:joint{ "fixed", bodies[1], bodies[2], formulation = "rigid" }
      local before = space:energy()
      space:step()
      local ledger = space:ledger()
      assert.is_true(math.abs(ledger.error) < 1e-12, ("seed %d: error %g"):format(seed, ledger.error))
      assert.is_true(ledger.impact > 0 and space:energy() < before, "seed " .. seed)
    end
  end)

  it("takes what drives give in their own account", function()
    local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, record = false, dt = 1e-6 }
    local body = world:body{ mass = 2, inertia = 1, position = { 0, 0 } }
    local function motion(t) return 3 * t, 3, 0 end
    world:joint{ "prismatic", world.ground, body, axis = { 1, 0 }, motion = motion, formulation = "rigid" }
    world:step()
    assert.near(3, body.velocity.x, 1e-12)
    local ledger = world:ledger()
    assert.near(18, ledger.kinematic, 1e-11) -- m v v: half of it is lost in the jerk
    assert.near(9, ledger.impact, 1e-11)
    assert.near(0, ledger.error, 1e-12)
  end)
end)
