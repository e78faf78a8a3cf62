-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What impacts add to the energy is told, to round-off, and nothing else is: by kinetic energies before and after from
-- masses and velocities, of bodies that impulses join.
local delassus = require "delassus"
local struck = require "support.struck_bodies"
local seeds = require "support.seeds"
local TURNS = 4

--- One step: energy that what impulses join gained in all, what is told, kinetic energy before, J; nil: it missed its
--- tolerance. joints: pairs that are joined in any case.
local function step(world, parts, joints)
  local before, change, pressed, turnover, kinetic = {}, {}, {}, world:ledger().turnover, 0
  for i, part in ipairs(parts) do
    before[i] = struck.energy(part)
    kinetic = kinetic + before[i]
  end
  world:step()
  local stats = world.stats
  if stats.unconverged > 0 then return nil end
  for contact in world:contacts() do
    if contact.impulse:norm() > 0 then pressed[#pressed + 1] = { a = contact.a.index, b = contact.b.index } end
  end
  local of, gain = struck.islands(parts, pressed, joints), 0
  for i, part in ipairs(parts) do change[of[i]] = (change[of[i]] or 0) + struck.energy(part) - before[i] end
  for i = 1, #parts do gain = gain + math.max(0, change[i] or 0) end
  return gain, stats.impact_gain * (world:ledger().turnover - turnover), kinetic
end

describe("stats.impact_gain", function()
  for _, law in ipairs{ "newton", "poisson", "sequential" } do
    for _, formulation in ipairs{ "none", "reduced", "rigid", "mixed", "penalty" } do
      it(("is what %s impacts add, joints: %s (200 seeds, without and with friction)"):format(law, formulation), function()
        local steps, gains, missed = 0, 0, 0
        for seed = 1, seeds(400) do
          local velocities
          for turn = 0, TURNS do
            local world <close>, parts, joints = struck.build(seed, law, formulation, seed > 200 and 2 or 0)
            if velocities then world:set_velocities(-1 * velocities) end
            local gain, told, kinetic = step(world, parts, formulation == "penalty" and {} or joints)
            velocities = world:velocities()
            if not gain then
              missed = missed + 1
            elseif turn > 0 or formulation == "none" or formulation == "penalty" then -- set velocities are admitted from then on
              local where = ("seed %d, turn %d: gained %g, told %g J of %g"):format(seed, turn, gain, told, kinetic)
              assert.is_true(math.abs(gain - told) <= 1e-10 * (kinetic + gain), where)
              assert.is_true(told == 0 or gain > 1e-13 * kinetic, where)
              steps, gains = steps + 1, gains + (gain > 1e-6 * kinetic and 1 or 0)
            end
          end
        end
        assert.is_true(steps > seeds.least(1500) and missed < 0.03 * steps, ("%d steps, %d missed"):format(steps, missed))
        if law == "newton" then assert.is_true(gains > seeds.least(10), gains) end
      end)
    end
  end

  -- Disks of one material go by rows of their own (core/disks). Without forces each step changes energies by impulses alone.
  it("is what impacts of heaps of disks add (200 seeds)", function()
    local steps, gains = 0, 0
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, dt = 1e-3, tolerance = 1e-13, record = false }
      local material = delassus.material{ friction = math.random(), restitution = math.random() }
      local parts = {}
      for i = 0, 11 do
        local radius, mass = 0.05, 0.5 + math.random()
        local at = { 0.1 * (i % 4) + 0.05 * (i // 4 % 2), 0.0866 * (i // 4) }
        local body = world:disk{ radius = radius, mass = mass, position = at, material = material,
          velocity = { 4 * math.random() - 2, 4 * math.random() - 2 }, angular_velocity = 40 * math.random() - 20 }
        parts[i + 1] = { body = body, mass = mass, inertia = 0.5 * mass * radius ^ 2 }
      end
      for _ = 1, 20 do
        local gain, told, kinetic = step(world, parts, {})
        local where = ("seed %d: gained %g, told %g J of %g"):format(seed, gain, told, kinetic)
        assert.is_true(math.abs(gain - told) <= 1e-10 * (kinetic + gain), where)
        steps, gains = steps + 1, gains + (gain > 1e-6 * kinetic and 1 or 0)
      end
    end
    assert.is_true(gains > seeds.least(3), ("%d steps, %d gains"):format(steps, gains))
  end)
end)
