-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Soft contacts among rigid joints and redundant contacts: what contacts agree on (cone/agree.h) is left out of rebounds and of
-- what gaps ask for, and of no spring's force, which the ledger has stored.
local delassus = require "delassus"

local function heap(seed)
  local random = delassus.random(seed)
  local function u(lo, hi) return random:uniform(lo, hi) end
  local hard = delassus.material{ friction = u(0.2, 0.9) }
  local soft = delassus.material{ friction = u(0.2, 0.9), stiffness = 1e6 }
  local w = delassus.world{ planar = true, record = false, dt = 1 / 60 }
  w:floor{ friction = 0.5 }
  local bodies = {}
  for i = 1, 9 do
    bodies[i] = w:box{ size = { u(0.1, 0.4), u(0.05, 0.3) }, density = u(300, 3000), material = u(0, 1) < 0.4 and soft or hard,
      position = { u(-0.6, 0.6), 0.1 + 0.12 * i }, rotation = u(-3, 3), velocity = { u(-2, 2), -u(0, 8) } }
  end
  for k = 1, 4 do
    local a, b = random:integer(1, 9), random:integer(1, 9)
    if a ~= b then w:joint{ k % 2 == 0 and "fixed" or "revolute", bodies[a], bodies[b], formulation = "rigid" } end
  end
  return w
end

describe("nine boxes in the plane, some soft, some joined", function()
  -- by soft contacts that agree 72 of 4,000 steps are off by more than that, 3.6e-6 at worst
  it("keep the balance of energy to 1e-9 (200 heaps)", function()
    local contacts = 0
    for seed = 1, 200 do
      local w <close> = heap(seed)
      for step = 1, 20 do
        w:step()
        contacts = contacts + w.stats.contacts
        local off = w.stats.energy_balance
        assert.is_true(math.abs(off) < 1e-9, ("seed %d, step %d: %g"):format(seed, step, off))
      end
    end
    assert.is_true(contacts > 4000, "contacts " .. contacts)
  end)
end)
