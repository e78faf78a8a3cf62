-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Places of mechanisms where a tolerance of 1e-4 or more is asked for: turns of projections end where they leave a thousandth
-- of it, by radii of gyration. The oracles are the same step to round-off, from the same state, and gaps of joints.
local floor_chains = require "support.floor_chains"

local SEEDS, ROUGH, SHARE = 200, 1e-3, 1e-3
local BENT = 3e-6 -- what is left of gaps near singular poses, at any tolerance (joints/fit.c); else a third of it
local HALF = 0.2 -- m: of the longest link; joints are as large as

local function throw(seed)
  local world, bodies = floor_chains.build(seed, "newton", seed % 4 < 2 and "reduced" or "rigid", 0.5, { restitution = 0 })
  world.tolerance = ROUGH
  return world, bodies
end

describe("chains at a tolerance of 1e-3", function()
  it("fly from where they are to where steps to round-off lead, within a thousandth of it", function()
    local worst, steps = 0, 0
    for seed = 1, SEEDS do
      local rough <close>, bodies = throw(seed)
      local fine <close>, others = throw(seed)
      fine.tolerance = 1e-10
      for _ = 1, 10 do
        fine:restore(rough:snapshot())
        fine.tolerance = 1e-10
        rough:step()
        fine:step()
        steps = steps + 1
        if rough.stats.contacts > 0 then break end -- velocities differ from there on
        for i, body in ipairs(bodies) do
          local apart = (body.position - others[i].position):norm()
          if apart > SHARE * ROUGH * HALF then error(("seed %d: %g m apart"):format(seed, apart)) end
          worst = math.max(worst, apart)
        end
      end
    end
    assert.is_true(steps > 5 * SEEDS and worst > 1e-13, "no step was rough") -- else this says nothing
  end)

  it("fall on a floor with joints as near, overlaps that the tolerance allows, and balances that close", function()
    for seed = 1, SEEDS do
      local world <close> = throw(seed)
      for _ = 1, 120 do
        world:step()
        local stats, violation = world.stats, 0
        for _, joint in ipairs(world.joints) do violation = math.max(violation, (joint:violation())) end
        if not (violation <= BENT * HALF and stats.penetration <= 1e-5 and stats.momentum_error <= 1e-9 and
            stats.energy_balance <= 1e-6) then
          error(("seed %d at %g s: joints off by %g m, overlap %g, momentum %g, energy %g"):format(seed, world.time,
            violation, stats.penetration, stats.momentum_error, stats.energy_balance))
        end
      end
    end
  end)
end)
