-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What bodies of space gain or lose by turning with their angular momenta (each step's is of third order in its angle, and goes
-- to and fro) is the ledger's `scheme`: energy added up from poses and velocities changes by what the ledger tells, and
-- energy_balance is round-off.
local delassus = require "delassus"
local chance = require "support.chance"
local seeds = require "support.seeds"

describe("energy of turning in space", function()
  for _, formulation in ipairs{ "none", "reduced", "rigid", "penalty" } do
    it("is told: bars that tumble, 200 seeds, joints: " .. formulation, function()
      for seed = 1, seeds(200) do
        local r = chance(seed)
        local function vec(s) return { r.from(-s, s), r.from(-s, s), r.from(-s, s) } end
        local world <close> = delassus.world{ record = false, dt = r.pick{ 1e-3, 5e-3 } }
        local last
        for i = 1, 3 do
          local m, a, b, c = r.from(0.5, 2), r.from(0.02, 0.2), r.from(0.02, 0.2), r.from(0.02, 0.2)
          local body = world:body{ mass = m, inertia = { b + c, a + c, a + b }, position = { i, 0, 0 }, velocity = vec(1),
            angular_velocity = vec(8) }
          if last and formulation ~= "none" then
            local kind = r.pick{ "spherical", "revolute", "universal" }
            world:joint{ kind, last, body, anchor = { i - 0.5, 0, 0 }, axis = kind ~= "spherical" and vec(1) or nil,
              axis2 = kind == "universal" and vec(1) or nil, formulation = formulation }
          end
          last = body
        end
        local kinetic, potential, stored = world:energy()
        local first = kinetic + potential + stored
        local worst = 0
        for _ = 1, 25 do
          world:step()
          worst = math.max(worst, world.stats.energy_balance)
        end
        kinetic, potential, stored = world:energy()
        local l = world:ledger()
        local told = l.scheme - l.damping - l.impact - l.friction + l.correction
        local what = ("seed %d: balance %g, grew by %g, told %g"):format(seed, worst, kinetic + potential + stored - first, told)
        assert.is_true(worst < 1e-9, what)
        assert.is_true(math.abs(kinetic + potential + stored - first - told) < 1e-10 * (1 + first), what)
      end
    end)
  end

  it("is told where touches stop bodies within a step: boxes thrown on a floor, 60 seeds", function()
    for seed = 1, 60 do
      local r = chance(seed)
      local function vec(s) return { r.from(-s, s), r.from(-s, s), r.from(-s, s) } end
      local theta = r.pick{ 0.5, 0.75, 1 }
      local world <close> = delassus.world{ record = false, dt = r.from(1e-3, 1e-2), theta = theta }
      local law = r.pick{ { friction = 0, restitution = 1 }, { friction = 0.5, restitution = 0.5 } }
      world:floor(law)
      for i = 1, 4 do
        world:box{ size = { r.from(0.1, 0.5), r.from(0.1, 0.5), r.from(0.05, 0.3) }, density = 1000,
          position = { i, 0, r.from(0.5, 2) }, velocity = { r.from(-2, 2), 0, r.from(-20, 0) }, angular_velocity = vec(20),
          friction = law.friction, restitution = law.restitution }
      end
      local worst = 0
      for _ = 1, 60 do
        world:step()
        worst = math.max(worst, world.stats.energy_balance)
      end
      assert.is_true(worst < 1e-6, ("seed %d, theta %g: %g of the energy turned over"):format(seed, theta, worst))
    end
  end)

  for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
    it("is told at blows: boxes on joints thrown on a floor, steps of 1/60 s and less, 200 seeds: " .. formulation, function()
      local struck = 0
      for seed = 1, seeds(200) do
        local r = chance(seed)
        local function vec(s) return { r.from(-s, s), r.from(-s, s), r.from(-s, s) } end
        local world <close> = delassus.world{ record = false, dt = r.pick{ 1 / 60, 5e-3 } }
        local law = { friction = r.pick{ 0, 0.5 }, restitution = r.pick{ 0, 0.5, 1 } }
        local last
        world:floor(law)
        for i = 1, 3 do
          local body = world:box{ size = { r.from(0.1, 0.4), r.from(0.1, 0.4), r.from(0.05, 0.3) }, density = 1000,
            position = { 0.6 * i, 0, 0.6 }, velocity = { r.from(-1, 1), 0, r.from(-5, 0) }, angular_velocity = vec(3),
            friction = law.friction, restitution = law.restitution }
          if r.pick{ true, false } then body:apply{ torque = vec(5), force = vec(100) } end
          if last then
            local kind = r.pick{ "spherical", "revolute", "universal" }
            local free = i == 3 and r.pick{ true, false }
            if free then world:spring{ last, body, stiffness = r.pick{ 10, 1e4 }, damping = r.pick{ 0, 1 }, length = 0.6 }
            else
              world:joint{ kind, last, body, anchor = { 0.6 * i - 0.3, 0, 0.6 }, axis = kind ~= "spherical" and vec(1) or nil,
                axis2 = kind == "universal" and vec(1) or nil, formulation = formulation }
            end
          end
          last = body
        end
        for step = 1, 24 do
          world:step()
          local balance = world.stats.energy_balance
          if world.stats.contacts > 0 then struck = struck + 1 end
          assert.is_true(balance < 1e-9, ("seed %d, step %d: %g of the energy turned over"):format(seed, step, balance))
        end
      end
      assert.is_true(struck > seeds(200), struck .. " steps had contacts")
    end)
  end
end)
