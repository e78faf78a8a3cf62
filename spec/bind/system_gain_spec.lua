-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What impacts add to the energy of systems is told, in time steps as in worlds; sequential impacts add none; rebounds that
-- nothing gives end, in systems as in worlds.
local coupled = require "support.coupled_systems"
local delassus = require "delassus"
local scenes = require "support.time_scenes"
local struck = require "support.struck_bodies"
local seeds = require "support.seeds"

local laws = { "newton", "poisson", "sequential" }

describe("time steps of coupled systems", function()
  for _, law in ipairs(laws) do
    it(("none is refused, and stats.gained is the most that one adds: %s (200 seeds)"):format(law), function()
      local gains, worst = 0, 0
      for seed = 1, seeds(200) do
        local system, energy = coupled.random(seed, law, "time-stepping")
        local most, first = 0, energy()
        for k = 1, 40 do
          local before = energy()
          local ok, why = pcall(system.step, system)
          assert.is_true(ok, ("seed %d, step %d: %s"):format(seed, k, tostring(why)))
          most = math.max(most, energy() - before)
        end
        local off = math.abs(system.stats.gained - most)
        assert.is_true(off <= 1e-10 * (first + most), ("seed %d: %g J, told %g"):format(seed, most, system.stats.gained))
        gains, worst = gains + (most > 1e-6 * first and 1 or 0), math.max(worst, off)
      end
      if law == "newton" then assert.is_true(gains > seeds.least(15), gains) end
    end)
  end
end)

describe("event-driven coupled systems", function()
  for _, law in ipairs(laws) do
    it(("none is refused, where friction jams a rebound either: %s (200 seeds)"):format(law), function()
      for seed = 1, seeds(200) do
        local system, energy = coupled.random(seed, law, "event-driven")
        local first = energy()
        local ok, why = pcall(system.step, system, 40)
        assert.is_true(ok, ("seed %d: %s"):format(seed, tostring(why)))
        assert.is_true(law == "newton" or energy() <= first * (1 + 1e-9), ("seed %d: %g of %g J"):format(seed, energy(), first))
      end
    end)
  end
end)

describe("a sequential impact", function()
  it("adds no energy: event-driven coupled systems (300 seeds), with what would have added some", function()
    local curbed = 0
    for seed = 1, seeds(300) do
      local system, energy = coupled.random(seed, "sequential", "event-driven")
      for k = 1, 30 do
        local before = energy()
        system:step()
        assert.is_true(energy() - before <= 1e-12 * before, ("seed %d, step %d: %g of %g J"):format(seed, k, energy() - before,
          before))
      end
      assert.is_true(system.stats.gained <= 1e-12 * energy() + 1e-14, ("seed %d: %g"):format(seed, system.stats.gained))
      curbed = curbed + system.stats.curbed
    end
    assert.is_true(curbed > seeds.least(30), curbed)
  end)

  -- Kane's rod: the closed form is Newton's law with the largest restitution that adds none, sought by halves.
  it("gives back at the corner of a rod what the energy allows, continuously: systems and worlds (200 seeds)", function()
    local curbed = 0
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local turn, mu, e = r:uniform(0.2, 1.4), r:uniform(0, 1.5), r:uniform(0.3, 1)
      local u = { r:uniform(-3, 3), -1, r:uniform(-1, 1) }
      local c, s = math.cos(turn), math.sin(turn)
      local ended, gained = {}, 0
      for _, scheme in ipairs{ "event-driven", "time-stepping" } do
        local system = delassus.system{ q = { 0, s, turn }, u = u, mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 / 3 } },
          forces = { 0, 0, 0 }, dt = 1e-12, impact = "sequential", scheme = scheme, contacts = { { friction = mu, restitution = e,
            gap = function(q) return q[2] - math.sin(q[3]) end, normal = function(q) return { 0, 1, -math.cos(q[3]) } end,
            tangent = function(q) return { 1, 0, math.sin(q[3]) } end } } }
        system:step()
        ended[#ended + 1], gained = system.u, math.max(gained, system.stats.gained)
        curbed = curbed + system.stats.curbed
      end
      local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, dt = 1e-12, tolerance = 1e-14, record = false,
        impact = "sequential" }
      local rod = world:body{ mass = 1, inertia = 1 / 3, position = { 0, s }, rotation = turn, velocity = { u[1], u[2] },
        angular_velocity = u[3] }
      world:contact{ world.ground, rod, point_b = { -1, 0 }, normal = { 0, 1 }, friction = mu, restitution = e }
      local before = world:energy()
      world:step()
      assert.is_true(world:energy() - before <= 1e-12, ("seed %d: %g J"):format(seed, world:energy() - before))
      ended[3] = { rod.velocity.x, rod.velocity.y, rod.angular_velocity }
      for i = 1, 3 do
        assert.near(ended[1][i], ended[2][i], 1e-9, "seed " .. seed)
        assert.near(ended[1][i], ended[3][i], 1e-9, "seed " .. seed)
      end
      assert.is_true(gained <= 1e-12, ("seed %d: %g"):format(seed, gained))
      -- the rebound: e of the approach, or as much less as keeps the energy
      local approach, back = u[2] - c * u[3], ended[1][2] - c * ended[1][3]
      if approach < 0 then
        local kept = math.abs(world:energy() - before) <= 1e-12
        assert.is_true(back >= -1e-12 and back <= -e * approach + 1e-9, ("seed %d: %g of %g"):format(seed, back, approach))
        assert.is_true(kept or math.abs(back + e * approach) <= 1e-9, ("seed %d: %g of %g"):format(seed, back, approach))
      end
    end
    assert.is_true(curbed > seeds.least(10), curbed)
  end)

  it("adds no energy in worlds: bodies free and on joints (200 seeds each)", function()
    local curbed = 0
    for _, formulation in ipairs{ "none", "reduced", "rigid" } do
      for seed = 1, seeds(200) do
        local velocities
        for turn = 0, 2 do
          local world <close>, parts = struck.build(seed, "sequential", formulation, 2)
          if velocities then world:set_velocities(-1 * velocities) end
          local before, after = 0, 0
          for _, part in ipairs(parts) do before = before + struck.energy(part) end
          world:step()
          for _, part in ipairs(parts) do after = after + struck.energy(part) end
          local where = ("%s, seed %d, turn %d: %g of %g J"):format(formulation, seed, turn, after - before, before)
          assert.is_true(after - before <= 1e-10 * before or world.stats.unconverged > 0, where)
          velocities, curbed = world:velocities(), curbed + world.stats.curbed
        end
      end
    end
    assert.is_true(curbed > seeds.least(30), curbed)
  end)
end)

describe("a world and the same written as a system", function()
  it("tell the same gains and strikes to 1e-9: 200 boxes thrown on their corners, by every law", function()
    local gains, curbs = 0, 0
    for seed = 1, seeds(200) do
      local r, law = delassus.random(seed), seed % 2 == 0 and "sequential" or laws[1 + seed // 2 % 2]
      local world, system, read = scenes.random_box(r, { dt = 1e-3, scheme = "time-stepping", impact = law,
        friction = r:uniform(0.3, 1.5), restitution = r:uniform(0.5, 1) })
      local most, curbed = 0, 0
      for k = 1, 150 do
        local turnover = world:ledger().turnover
        world:step()
        system:step()
        most = math.max(most, world.stats.impact_gain * (world:ledger().turnover - turnover))
        curbed = curbed + world.stats.curbed
        local where = ("seed %d, %s, step %d"):format(seed, law, k)
        for i, x in ipairs(read()) do assert.near(x, system.q[i], 1e-9, where) end
        assert.near(most, system.stats.gained, 1e-9, where)
        assert.equal(curbed, system.stats.curbed, where)
      end
      gains, curbs = gains + (most > 1e-6 and 1 or 0), curbs + curbed
    end
    assert.is_true(gains > seeds.least(3) and curbs > seeds.least(3), gains .. ", " .. curbs)
  end)
end)
