-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Proximal points on bodies: boxes that lean on each other by edges, whose contacts share loads and slip at all speeds.
local delassus = require "delassus"

local function line(seed)
  local random = delassus.random(seed)
  local w = delassus.world{ record = false }
  w:floor{ friction = random:uniform(0.2, 0.8) }
  local first, z = nil, random:uniform(0.03, 0.06)
  local size = { random:uniform(0.005, 0.01), random:uniform(0.015, 0.03), z }
  local friction, between = random:uniform(0.1, 0.5), random:uniform(0.3, 0.5) * z
  for i = 1, 10 do
    local box = w:box{ size = size, density = 700, position = { between * i, 0, z / 2 }, friction = friction }
    first = first or box
  end
  first.velocity = { 0.3, 0, 0 }
  first.angular_velocity = { 0, 2 * 9.81 ^ 0.5, 0 }
  return w
end

describe("lines of ten dominoes", function()
  it("fall to 1e-10 in every step, with little work (200 lines)", function()
    local missed, steps, most, work = 0, 0, 0, 0
    for seed = 1, 200 do
      local w = line(seed)
      for _ = 1, 250 do
        w:step()
        steps, work = steps + 1, work + w.stats.work
        missed = missed + w.stats.unconverged
        most = math.max(most, w.stats.residual)
        assert.is_true(w.stats.residual < 1e-4, "seed " .. seed .. ": " .. w.stats.residual)
      end
      w:close()
    end
    -- by proximal points contact by contact alone 10 of 50,000 missed
    assert.equal(0, missed, "at most " .. most)
    assert.is_true(work / steps < 60, "sweeps a step: " .. work / steps)
  end)
end)
