-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Ragdolls that fall into a heap in long steps: limbs that turn by a tenth of a radian in a step meet at either end in turn,
-- and projections that go back to where they came from never part them (40 of 3,000 steps overlapped by up to 20 %).
local delassus = require "delassus"
local seeds = require "support.seeds"

local function ragdolls(n, dt, r)
  local w = delassus.world{ dt = dt, record = false }
  w:floor{ friction = 0.6 }
  for k = 1, n do
    local z, x = 1 + 1.2 * k, 0.2 * (r:uniform(0, 1) - 0.5)
    local y = 0.2 * (r:uniform(0, 1) - 0.5)
    local trunk = w:capsule{ radius = 0.12, length = 0.4, density = 900, position = { x, y, z },
      rotation = { axis = { 0, 1, 0 }, angle = math.pi / 2 } }
    for s = -1, 1, 2 do
      for h = -1, 1, 2 do
        local upper = w:capsule{ radius = 0.06, length = 0.25, density = 900, position = { x + 0.15 * s,
          y + 0.2 * h, z + 0.1 * s }, rotation = { axis = { 0, 1, 0 }, angle = 0.3 * s } }
        w:joint{ "spherical", trunk, upper, anchor = { x + 0.05 * s, y + 0.12 * h, z + 0.1 * s }, limits = { cone = 1 } }
        local lower = w:capsule{ radius = 0.05, length = 0.25, density = 900, position = { x + 0.45 * s,
          y + 0.2 * h, z + 0.1 * s } }
        w:joint{ "revolute", upper, lower, anchor = { x + 0.3 * s, y + 0.2 * h, z + 0.1 * s }, axis = { 0, 1, 0 },
          limits = { -1, 1 } }
      end
    end
  end
  return w
end

describe("a heap of ragdolls", function()
  it("does not overlap in steps of 1/60 s, and meets its tolerance at rest (20 seeds)", function()
    local missed = 0
    for seed = 1, seeds(20) do
      local w <close> = ragdolls(3, 1 / 60, delassus.random(seed))
      for step = 1, 300 do
        w:step()
        assert.is_true(w.stats.penetration < 1e-9,
          ("seed %d, step %d: overlap %.2g of a body"):format(seed, step, w.stats.penetration))
        assert.is_false(w.stats.infeasible, ("seed %d, step %d"):format(seed, step))
      end
      missed = missed + w.stats.unconverged
    end
    -- 7 to 22 by the order of solvers; 34 where limits read J u'
    assert.is_true(missed <= 28, "missed steps of 6,000: " .. missed)
  end)
end)
