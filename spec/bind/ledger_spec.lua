-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- The ledger's terms: what friction takes and what impacts take, and who drives.
local delassus = require "delassus"
local chance = require "spec.support.chance"
local random = require "support.random"
local seeds = require "support.seeds"

describe("the ledger", function()
  it("is exact for an oblique bounce: friction mu p (v + v')/2, the impact (1 - e^2) m v^2/2", function()
    local m, v, slide, e, mu = 2, 3, 5, 0.6, 0.1
    local world <close> = delassus.world{ planar = true, record = false, gravity = { 0, 0 }, dt = 1e-3 }
    world:floor{ friction = mu, restitution = e }
    world:disk{ radius = 0.1, mass = m, position = { 0, 0.1 }, velocity = { slide, -v }, friction = mu, restitution = e }
    world:step()
    local l, p = world:ledger(), m * (1 + e) * v
    local after = slide - 3 * mu * p / m -- of the point that touches: 1/m + r^2/I = 3/m
    assert.is_true(after > 0)
    assert.near(mu * p * (slide + after) / 2, l.friction, 1e-12 * 25)
    assert.near(0.5 * m * v * v * (1 - e * e), l.impact, 1e-12 * 25)
    assert.near(0, l.error, 1e-12 * 25)
  end)

  it("lets friction never give: rods that strike askew in the plane and in space (200 seeds)", function()
    local against = 0
    for seed = 1, seeds(200) do
      local r = random(seed)
      local planar = seed % 2 == 0
      local world <close> = delassus.world{ planar = planar, record = false, tolerance = 1e-12,
        impact = ({ "newton", "poisson", "sequential" })[seed % 3 + 1] }
      local law = { friction = 0.6 + 0.5 * r(), restitution = 0.5 + 0.4 * r(), rolling_friction = seed % 5 == 0 and 0.003 or 0 }
      world:floor(law)
      local rod = { radius = 0.02, length = 1, mass = 1, friction = law.friction, restitution = law.restitution,
        rolling_friction = law.rolling_friction }
      if planar then
        rod.position, rod.rotation = { 0, 0.5 }, math.pi / 4 + 0.6 * r()
        rod.velocity, rod.angular_velocity = { 2 * r(), -2 + r() }, 3 * r()
      else
        rod.position, rod.rotation = { 0, 0, 0.5 }, { axis = { 0.2 * r(), 1, 0 }, angle = math.pi / 4 + 0.6 * r() }
        rod.velocity, rod.angular_velocity = { 2 * r(), r(), -2 + r() }, { 0, 3 * r(), r() }
      end
      world:capsule(rod)
      local before = world:ledger()
      for _ = 1, 400 do
        world:step()
        local l = world:ledger()
        if l.friction < before.friction then
          error(("seed %d: friction gave %.3g J"):format(seed, before.friction - l.friction))
        end
        -- friction took nothing though the tip slid on: its impulse worked the other way
        if l.impact - before.impact > 0.1 and l.friction == before.friction then against = against + 1 end
        before = l
      end
      -- in space a spinning rod's energy is kept to second order only
      assert.is_true(math.abs(before.error) < (planar and 1e-13 or 1e-3) * before.turnover, "seed " .. seed)
    end
    assert.is_true(against > seeds.least(20), against)
  end)

  it("lets dry friction of joints never give: chains that strike floors (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local planar = seed % 2 == 0
      local function at(x, z) return planar and { x, z } or { x, 0.1 * r(), z } end
      local world <close> = delassus.world{ planar = planar, record = false, dt = 1 / 120,
        impact = ({ "newton", "poisson", "sequential" })[seed % 3 + 1] }
      world:floor{ friction = 0.5, restitution = 0.3 }
      local last
      for i = 1, 3 do
        local body = world:capsule{ radius = 0.04, length = 0.2, mass = 1 + 0.5 * r(), friction = 0.5, restitution = 0.3,
          position = at(0.3 * i, 0.3 + 0.05 * i), velocity = at(r(), -2 + r()) }
        if last then
          world:joint{ "revolute", last, body, anchor = 0.5 * (last.position + body.position), friction = 2 + r(),
            axis = not planar and { 0, 1, 0.3 * r() } or nil, formulation = r() > 0 and "rigid" or "reduced" }
        end
        last = body
      end
      local before = world:ledger()
      for step = 1, 40 do
        world:step()
        local l = world:ledger()
        if l.friction < before.friction then
          error(("seed %d, step %d: friction gave %.3g J"):format(seed, step, before.friction - l.friction))
        end
        before = l
      end
      assert.is_true(math.abs(before.error) < 1e-11 * before.turnover, "seed " .. seed)
    end
  end)

  it("tells the work of drives and of what carries them as kinematic, in every formulation", function()
    local told = {}
    for k, dt in ipairs{ 1e-3, 5e-4 } do
      told[k] = {}
      for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
        local world <close> = delassus.world{ record = false, dt = dt }
        local cart = world:body{ type = "kinematic", position = { 0, 0, 1 }, motion = function(t)
          return { 0.3 * (1 - math.cos(3 * t)), 0, 1 + 0.1 * (1 - math.cos(5 * t)) }
        end }
        local arm = world:body{ mass = 1, inertia = { 0.1, 0.2, 0.25 }, position = { 0.5, 0, 1 } }
        world:joint{ "revolute", cart, arm, anchor = { 0, 0, 1 }, axis = { 0, 1, 0 }, formulation = formulation }
        local hand = world:body{ mass = 1, inertia = { 0.1, 0.2, 0.25 }, position = { 1, 0, 1 } }
        world:joint{ "chain", arm, hand, anchor = { 0.7, 0, 1 }, formulation = formulation, motions = {
          { "rotate", { 0, 1, 0 }, motion = function(t)
            return 0.2 * (1 - math.cos(4 * t)), 0.8 * math.sin(4 * t), 3.2 * math.cos(4 * t)
          end }, { "rotate", { 1, 0, 0 } } } }
        world:step(math.floor(1 / dt + 0.5))
        local l = world:ledger()
        told[k][formulation] = l
        assert.is_true(math.abs(l.impact) < 1e-9 * l.turnover, formulation)
        assert.is_true(math.abs(l.error) < (formulation == "reduced" and 2e-7 * (dt / 1e-3) ^ 2 or 1e-12) * l.turnover,
          ("%s: %g of %g"):format(formulation, l.error, l.turnover))
      end
      local exact = told[k].rigid.kinematic
      assert.near(exact, told[k].reduced.kinematic, 1e-5 * exact * (dt / 1e-3) ^ 2)
      assert.near(exact, told[k].penalty.kinematic, 2e-2 * exact * dt / 1e-3)
    end
  end)

  -- The first step closes a joint to what moves: p = m v, half of p . v is left as kinetic energy.
  it("keeps a motor's work and its joint's dry friction apart: T q and f q, in every formulation and scheme", function()
    for _, planar in ipairs{ true, false } do
      for _, kind in ipairs{ "revolute", "prismatic" } do
        for _, how in ipairs{ "reduced", "rigid", "penalty", "event-driven" } do
          local events = how == "event-driven"
          local world <close> = delassus.world{ planar = planar, record = false, scheme = events and how or nil,
            gravity = planar and { 0, 0 } or { 0, 0, 0 } }
          local slides, turns = kind == "prismatic", kind == "revolute"
          local body = world:body{ mass = 2, inertia = planar and 2 or { 2, 2, 2 } }
          local joint = world:joint{ kind, world.ground, body, formulation = not events and how or nil, friction = 0.5,
            axis = slides and (planar and { 1, 0 } or { 1, 0, 0 }) or (not planar and { 0, 0, 1 } or nil),
            motor = { speed = 2, max_torque = turns and 3 or nil, max_force = slides and 3 or nil } }
          local name = ("%s, %s, %s"):format(planar and "plane" or "space", kind, how)
          world:run(0.4) -- it speeds up, by (3 - 0.5)/2
          local ledger, q = world:ledger(), joint.q
          assert.near(0.1, q, 1e-9, name)
          assert.near(3 * q, ledger.forces, 1e-9, name)
          assert.near(0.5 * q, ledger.friction, 1e-9, name)
          world:run(1.6) -- it has 2 from 1.6 s on, against friction alone
          ledger = world:ledger()
          assert.near(2, joint.qd, 1e-9, name)
          assert.near(0.5 * joint.q, ledger.friction, 1e-9, name)
          assert.near(4 + 0.5 * joint.q, ledger.forces, 1e-9, name)
        end
      end
    end
  end)

  it("has what a moving body gives where its joint closes at first (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r, planar = delassus.random(seed), seed % 2 == 0
      local function v(x, y) return planar and { x, y } or { x, 0, y } end
      local world <close> = delassus.world{ planar = planar, record = false, gravity = v(0, 0) }
      local vx, vy, m = r:uniform(-2, 2), r:uniform(-2, 2), r:uniform(0.1, 5)
      local cart = world:body{ type = "kinematic", velocity = v(vx, vy), position = v(-1, 0) }
      local load = world:body{ mass = m, inertia = planar and 1 or { 1, 1, 1 } }
      world:joint{ "fixed", cart, load, anchor = v(0, 0), formulation = "rigid" }
      world:step()
      local l, work = world:ledger(), m * (vx * vx + vy * vy)
      assert.near(work, l.kinematic, 1e-12 * work, "seed " .. seed)
      assert.near(work / 2, l.impact, 1e-12 * work, "seed " .. seed)
      assert.near(0, l.error, 1e-12 * work, "seed " .. seed)
    end
  end)

  -- Velocities stay while the projection turns a body, so that its kinetic energy changes: up to a quarter of all there is here.
  it("tells under correction what pushing spinning bodies apart adds (200 seeds)", function()
    local most, moved = 0, 0
    for seed = 1, seeds(200) do
      local generator = delassus.random(seed)
      local function r(a) return generator:uniform(-a, a) end
      local world <close> = delassus.world{ record = false, dt = 1e-6, gravity = { 0, 0, 0 } }
      for i = 0, 1 do
        local place = { position = { 0.2 * i, r(0.05), r(0.05) }, angular_velocity = { r(20), r(20), r(20) },
          rotation = { axis = { r(1), r(1), 1 }, angle = r(3) } }
        if (seed + i) % 2 == 0 then place.size = { 0.4, 0.2, 0.1 } else place.radius, place.length = 0.1, 0.4 end
        world[place.size and "box" or "cylinder"](world, place)
      end
      world:step()
      local l, kinetic = world:ledger(), world:energy()
      most, moved = math.max(most, math.abs(l.error) / kinetic), math.max(moved, math.abs(l.correction) / kinetic)
    end
    assert.is_true(moved > 0.02, moved)
    assert.is_true(most < 1e-8, most) -- what is left is of second order in the step, 1e-6 s
  end)

  -- Bodies that turn with their angular momentum lose energy by O(dt) where theta is not 1/2: known, and no error.
  it("tells under correction what springs store as bodies are pushed apart (exact; 200 seeds)", function()
    local told = 0
    for seed = 1, seeds(200) do
      local r = random(seed)
      local planar = seed % 2 == 0
      local world <close> = delassus.world{ planar = planar, record = false, gravity = planar and { 0, 0 } or { 0, 0, 0 },
        dt = 1 / 60 }
      local size, gap = 1 + 0.5 * r(), 0.3 + 0.2 * r()
      local bodies, energies, sum = {}, {}, 0
      for i = 1, 2 do -- at rest, one in the other; a spring between them and one to the ground, or in a joint
        bodies[i] = world[planar and "disk" or "sphere"](world, { radius = size / 2, mass = 1 + i + r(), friction = 0,
          position = planar and { (i - 1) * (size - gap), 0 } or { (i - 1) * (size - gap), 0, 0 } })
      end
      local length, stiffness = size - gap + 0.1 * r(), 10 ^ (3 + 2 * r())
      local joint
      if seed % 3 == 0 then
        local other = world:body{ mass = 1, inertia = planar and 1 or { 1, 1, 1 }, position = planar and { 0, 5 } or { 0, 0, 5 } }
        joint = world:joint{ "prismatic", bodies[1], other, axis = planar and { 1, 0 } or { 1, 0, 0 }, stiffness = stiffness,
          formulation = seed % 2 == 0 and "rigid" or "reduced" }
      end
      world:spring{ bodies[1], bodies[2], stiffness = stiffness, length = length }
      world:spring{ world.ground, bodies[2], stiffness = 100, length = 0.5 }
      for k = 1, 2 do
        local before = world:ledger()
        energies[1], energies[2], energies[3] = world:energy()
        world:step()
        local now = world:ledger()
        local kinetic, _, stored = world:energy()
        local x = (bodies[2].position - bodies[1].position):norm() - length
        local ground = bodies[2].position:norm() - 0.5
        local by_hand = 0.5 * stiffness * x * x + 50 * ground * ground + (joint and 0.5 * stiffness * joint.q ^ 2 or 0)
        assert.is_true(math.abs(by_hand - stored) < 1e-9 * (1 + stored), "seed " .. seed)
        local gained = kinetic + stored - energies[1] - energies[3]
        local correction = now.correction - before.correction
        if k == 1 then told = told + (correction > 1 and 1 or 0) end
        if gained > correction + 0.05 * (kinetic + energies[3] + sum) then
          error(("seed %d, step %d: %g J gained, %g told"):format(seed, k, gained, correction))
        end
        assert.is_true(math.abs(now.error - before.error) < 1e-11 * (1 + now.turnover), "seed " .. seed)
        sum = sum + math.abs(correction)
      end
    end
    assert.is_true(told > seeds.least(100), told)
  end)

  it("tells under scheme what tumbling bodies lose where theta is not 1/2, free and on soft floors (200 seeds)", function()
    local lost = 0
    for seed = 1, 200 do
      local generator = delassus.random(seed)
      local function r(a) return generator:uniform(-a, a) end
      local soft = seed % 2 == 0
      local world <close> = delassus.world{ record = false, dt = generator:uniform(5e-4, 2e-3),
        gravity = not soft and { 0, 0, 0 } or nil, theta = not soft and generator:uniform(0.51, 1) or nil }
      local wood = delassus.material{ friction = 0.5, stiffness = soft and 1e5 or nil, damping = soft and 10 or nil }
      world:floor{ material = wood }
      local body = world:box{ size = { 0.3, 0.2, 0.1 }, density = 500, material = wood, position = { 0, 0, soft and 0.25 or 9 },
        rotation = { axis = { r(1), r(1), 1 }, angle = r(3) }, angular_velocity = { r(20), r(20), r(20) } }
      local start = world:energy()
      for _ = 1, 100 do
        world:step()
        assert.is_true(world.stats.energy_balance < 1e-10, ("seed %d: %g"):format(seed, world.stats.energy_balance))
      end
      local l = world:ledger()
      if not soft then assert.near(body.energy - start, l.scheme, 1e-12 * start, "seed " .. seed) end
      lost = math.max(lost, not soft and -l.scheme / start or 0)
    end
    assert.is_true(lost > 1e-2, lost)
  end)

  -- What reduced joints hang from turns between the middle of a step, where reactions act, and its end, where velocities are
  -- admitted: the impulses of both work by the carrier's velocity there.
  it("adds up to round-off where joints of any formulation hang from what turns, at up to 2 rad a step (200 seeds)", function()
    for seed = 1, seeds(200) do
      local c = chance(seed)
      local planar, formulation = c.pick{ true, false }, c.pick{ "reduced", "reduced", "rigid", "penalty" }
      local dt = c.pick{ 1e-3, 1 / 240, 1 / 60 }
      local spin = c.from(-1, 1) * (formulation == "penalty" and 0.1 or 2) / dt
      local function at(x, y, z) return planar and { x, y } or { x, y, z } end
      local world <close> = delassus.world{ planar = planar, dt = dt, record = false }
      local slab = world:body{ type = "kinematic", velocity = at(c.from(-1, 1), c.from(-1, 1), 0.3),
        angular_velocity = planar and spin or { 0.3 * spin, 0.4 * spin, 0.8 * spin } }
      local n, before, turns = c.pick{ 1, 2, 3 }, slab, nil
      for k = 1, n do
        local kind = c.pick(planar and { "revolute", "prismatic", "fixed" } or { "revolute", "prismatic", "fixed", "spherical" })
        local body = world:body{ mass = c.from(0.5, 2), inertia = planar and 0.1 or { 0.1, 0.12, 0.15 },
          position = at(k, 0.1, 0.2) }
        local joint = world:joint{ kind, before, body, anchor = at(k - 0.5, 0, 0), formulation = formulation,
          axis = (kind == "prismatic" or kind == "revolute" and not planar) and at(1, c.from(-1, 1), 0.5) or nil }
        if formulation == "reduced" and (kind == "revolute" or kind == "prismatic") then turns = joint end
        before = body
      end
      if n == 3 and turns then -- a loop, which closes before the step after its velocities were set
        world:joint{ planar and "revolute" or "spherical", slab, before, anchor = at(3.2, 0, 0), formulation = "rigid" }
      end
      for step = 1, 20 do
        if turns and step == 10 then turns.qd = c.from(-3, 3) end
        world:step()
        assert.is_true(world.stats.energy_balance < 1e-9,
          ("seed %d, step %d, %s: %g"):format(seed, step, formulation, world.stats.energy_balance))
      end
    end
  end)

  it("has springs under 'springs' in either scheme", function()
    for _, scheme in ipairs{ "time-stepping", "event-driven" } do
      local world <close> = delassus.world{ scheme = scheme, record = false }
      local body = world:body{ mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }
      local joint = world:joint{ "revolute", world.ground, body, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 }, stiffness = 50 }
      world:spring{ world.ground, body, anchor_a = { 1, 0, 1 }, stiffness = 30, length = 1 }
      world:step(200)
      local ledger, long = world:ledger(), (body.position - delassus.vec{ 1, 0, 1 }):norm()
      assert.near(-50 * joint.q ^ 2 / 2 - 30 * (long - 1) ^ 2 / 2, ledger.springs, 1e-5)
      assert.equal(0, ledger.stored)
      assert.is_true(math.abs(ledger.error) < 1e-9 * ledger.turnover)
    end
  end)

  it("has what a gear gives to the base that carries its first joint (20 seeds)", function()
    for seed = 1, 20 do
      local draw = delassus.random(seed)
      local world <close> = delassus.world{ record = false }
      local base = world:body{ type = "kinematic", position = { 0, 0, 1 }, motion = function(t)
        return { 0.1 * math.sin(4 * t), 0, 1 + 0.05 * math.sin(6 * t) }, { axis = { 0, 0.6, 0.8 }, angle = 1.5 * t }
      end }
      local a = world:body{ mass = 1, inertia = { 0.05, 0.05, 0.05 }, position = { 0.5, 0, 1 } }
      local b = world:body{ mass = 1, inertia = { 0.05, 0.06, 0.05 }, position = { 1, 0.2, 1 } }
      local first = world:joint{ "revolute", base, a, anchor = { 0, 0, 1 }, axis = { 0, 1, 0 },
        formulation = seed % 2 == 0 and "rigid" or nil }
      local second = world:joint{ "revolute", a, b, anchor = { 0.7, 0, 1 }, axis = { 0, 0, 1 } }
      world:gear{ first, second, ratio = draw:uniform(-2, 2) }
      world:step(100)
      local ledger = world:ledger()
      assert.is_true(ledger.turnover > 0.1 and math.abs(ledger.kinematic) > 1e-3)
      assert.is_true(math.abs(ledger.error) < 1e-11 * ledger.turnover, ("seed %d: %g J"):format(seed, ledger.error))
    end
  end)

  it("tells the work of a joint's torque from that of the turntable which it hangs on, in every formulation", function()
    for _, planar in ipairs{ true, false } do
      for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
        local world <close> = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, record = false }
        local turn, inertia = planar and 1 or { 0, 0, 1 }, planar and 1 or { 1, 1, 1 }
        local base = world:body{ type = "kinematic", angular_velocity = turn }
        local body = world:body{ mass = 1, inertia = inertia, angular_velocity = turn }
        local joint = world:joint{ "revolute", base, body, axis = not planar and { 0, 0, 1 } or nil, formulation = formulation }
        joint.torque = 2
        world:run(1) -- by 1 rad, as the turntable
        local l = world:ledger()
        assert.near(2, l.forces, 1e-9, formulation)
        assert.near(2, l.kinematic, 1e-9, formulation)
      end
    end
  end)

  it("is in balance where nothing moves: geared slides that friction holds, without weight (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false }
      local slides, ratio = {}, r:uniform(0.2, 3)
      for k = 1, 2 do
        local body = world:body{ mass = r:uniform(0.1, 2), inertia = { 1, 1, 1 }, position = { 3 * k, 0, 0 } }
        slides[k] = world:joint{ "prismatic", world.ground, body, friction = r:uniform(1, 2), torque = r:uniform(-1, 1),
          axis = { r:uniform(-1, 1), r:uniform(-1, 1), r:uniform(-1, 1) } }
      end
      world:gear{ slides[1], slides[2], ratio = ratio }
      slides[1].qd, slides[2].qd = 1, ratio
      world:run(2.5)
      for _ = 1, 100 do
        world:step()
        if world.stats.energy_balance > 1e-9 then error(("seed %d: %g"):format(seed, world.stats.energy_balance)) end
      end
    end
  end)
end)
