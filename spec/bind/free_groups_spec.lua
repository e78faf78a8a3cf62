-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Bodies that hang from nothing, joined and on springs, and what strikes them: momentum whatever joints could not follow,
-- and ledgers that add up by every impact law.
local delassus = require "delassus"
local random = require "support.random"
local seeds = require "support.seeds"

--- A chain of bodies in the plane with springs beside it; -> world. masses: powers of ten from 10^-2 to 10^2.
local function chain(seed)
  local r = random(seed)
  local function pick(list) return list[1 + math.floor((r() + 1) / 2 * #list) % #list] end
  local world = delassus.world{ planar = true, gravity = { 0, 0 }, record = false, dt = pick{ 1e-3, 5e-3, 1e-2 } }
  local bodies = {}
  for i = 1, 4 do
    local mass = 10 ^ (2 * r())
    bodies[i] = world:body{ mass = mass, inertia = mass * (0.03 + 0.02 * r()), position = { 0.35 * i, 0.1 * r() }, rotation = r(),
      velocity = { r(), r() }, angular_velocity = 2 * r() }
    if i > 1 and r() < 0.6 then
      local kind = pick{ "revolute", "prismatic" }
      world:joint{ kind, bodies[i - 1], bodies[i], anchor = { 0.35 * i - 0.17, 0 }, formulation = pick{ "reduced", "rigid" },
        axis = kind == "prismatic" and { 1, 0.3 } or nil }
    end
    if i > 2 then
      world:spring{ bodies[i - 2], bodies[i], anchor_a = { 0.1 * r(), 0.1 * r() }, anchor_b = { 0.1 * r(), 0.1 * r() },
        stiffness = 10 ^ (6 + 4 * r()), length = 0.4 + 0.3 * r() }
    end
  end
  return world
end

describe("what hangs from nothing", function()
  it("keeps its momentum where joints cannot follow what stiff springs throw at them (200 seeds)", function()
    for seed = 1, seeds(200) do
      local world <close> = chain(seed)
      local before, fastest = world:momentum(), 0
      for _ = 1, 40 do
        world:step()
        fastest = math.max(fastest, (world:energy()))
      end
      local mass = 0
      for _, body in ipairs(world.bodies) do mass = mass + body.mass end
      local lost, scale = (world:momentum() - before):norm(), math.sqrt(2 * fastest * mass)
      assert.is_true(lost <= 1e-9 * scale, ("seed %d: %g of %g"):format(seed, lost, scale))
    end
  end)

  it("keeps its momentum where penalty joints have motors, friction and limits beside stiff springs (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, dt = 5e-3, record = false }
      local bodies = {}
      for i = 1, 4 do
        bodies[i] = world:box{ size = { 0.3, 0.1 }, density = 30, position = { 0.35 * i, 0.1 * r() }, velocity = { r(), r() },
          angular_velocity = 2 * r() }
        local o = { "prismatic", bodies[i - 1], bodies[i], axis = { 1, r() }, formulation = "penalty" }
        if i % 3 == seed % 3 then o.motor = { speed = r(), max_force = 10 ^ r() }
        elseif i % 3 == (seed + 1) % 3 then o.friction = 10 ^ r()
        else o.limits = { -0.1, 0.1 } end
        if i > 1 then world:joint(o) end
      end
      local a, b = bodies[1 + seed % 2], bodies[3 + seed % 2]
      world:spring{ a, b, stiffness = 1e9, length = (a.position - b.position):norm() }
      local before, fastest, mass = world:momentum(), 0, 0
      for _ = 1, 40 do
        world:step()
        fastest = math.max(fastest, (world:energy()))
      end
      for _, body in ipairs(world.bodies) do mass = mass + body.mass end
      local lost, scale = (world:momentum() - before):norm(), math.sqrt(2 * fastest * mass)
      assert.is_true(lost <= 1e-12 * scale, ("seed %d: %g of %g"):format(seed, lost, scale))
    end
  end)

  it("is pushed out of a floor that it parts from, and gains nothing (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local planar = seed % 2 == 0
      local function three(x, y, z) return planar and { x, z } or { x, y, z } end
      local world <close> = delassus.world{ planar = planar, gravity = three(0, 0, 0), dt = 1 / 60, record = false }
      world:floor{}
      local last
      for i = 1, 4 do
        local body = world:box{ size = three(0.3, 0.1, 0.1), density = 100, position = three(0.35 * i, 0, 0.06 + 0.1 * r()),
          velocity = three(10 * r(), r(), 5 + r()) }
        if last then
          world:joint{ planar and "revolute" or "spherical", last, body, anchor = 0.5 * (last.position + body.position),
            formulation = seed % 3 == 0 and "rigid" or "reduced" }
        end
        last = body
      end
      for step = 1, 3 do
        local before = world:energy()
        world:step()
        local after = world:energy()
        assert.is_true(after <= before * (1 + 1e-3), ("seed %d, step %d: %g to %g J"):format(seed, step, before, after))
      end
    end
  end)

  for _, impact in ipairs{ "newton", "poisson", "sequential" } do
    it("has a ledger that adds up when it is struck, by the law of " .. impact .. " (200 seeds)", function()
      local holds = { "friction", "damping", "stiffness", "stiff", "limits", "motor", "spring", "gear" }
      for seed = 1, seeds(200) do
        local r = random(seed)
        local what, slides = holds[1 + seed % #holds], r() < -0.2
        local mu, e = math.max(0, r()), math.max(0, r())
        local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, dt = 5e-3, record = false, impact = impact }
        local bodies, joints = {}, {}
        for i = 1, 4 do
          bodies[i] = world:box{ size = { 0.3, 0.1 }, density = 10, position = { 0.4 * i, 0 }, friction = mu, restitution = e,
            velocity = { r(), r() }, angular_velocity = 2 * r() }
          if i > 1 then
            local o = { slides and "prismatic" or "revolute", bodies[i - 1], bodies[i], anchor = { 0.4 * i - 0.2, 0 },
              axis = slides and { 1, 0.3 } or nil, formulation = r() < 0 and "reduced" or "rigid" }
            if what == "friction" then o.friction = 0.1
            elseif what == "damping" then o.damping = 0.05
            elseif what == "stiffness" then o.stiffness, o.damping = 2, 0.01
            elseif what == "stiff" then o.stiffness = 1e9
            elseif what == "limits" then o.limits = { -0.05, 0.05 }
            elseif what == "motor" then o.motor = { speed = 1, [slides and "max_force" or "max_torque"] = 0.1 } end
            joints[#joints + 1] = world:joint(o)
          end
          if i > 2 and what == "spring" then
            world:spring{ bodies[i - 2], bodies[i], anchor_a = { 0, 0.05 }, anchor_b = { 0, 0.05 }, length = 0.8,
              stiffness = 10 ^ (4 + 5 * r()), damping = 0.1 }
          end
        end
        if what == "gear" then world:gear{ joints[1], joints[3], ratio = 0.7 } end
        world:disk{ radius = 0.1, density = 20, position = { 1, 0.3 }, velocity = { 0, -1 }, friction = mu, restitution = e }
        world:disk{ radius = 0.1, density = 20, position = { 0.6, -0.3 }, velocity = { 0, 1 }, friction = mu, restitution = e }
        world:step(80)
        local ledger = world:ledger()
        local said = ("seed %d, %s: "):format(seed, what)
        assert.is_true(math.abs(ledger.error) <= 1e-11 * ledger.turnover, said .. ledger.error)
        assert.is_true(ledger.scheme <= 1e-11 * ledger.turnover, said .. "the scheme gave " .. ledger.scheme)
      end
    end)
  end
end)
