-- Lines of dominoes fall: islands of 60 contacts of boxes whose corners share their loads, and every step a new set of them.
local delassus = require "delassus"

local function line(seed)
  local random = delassus.random(seed)
  local w = delassus.world{ record = false }
  w:floor{ friction = random:uniform(0.25, 0.75) }
  local x, y, z, between = 0.0075 * random:uniform(0.6, 1.4), 0.024, 0.048, 0.02
  local friction, first = random:uniform(0.12, 0.48), nil
  for i = 1, 20 do
    local box = w:box{ size = { x, y, z }, density = 700, position = { between * i, 0, z / 2 }, friction = friction }
    first = first or box
  end
  first:impulse{ impulse = { 0.0015 * x / 0.0075, 0, 0 }, at = { between, 0, 0.94 * z } }
  return w
end

describe("a line of 20 dominoes", function()
  it("falls with little work, to its tolerance, and without overlap (3 lines)", function()
    local sum, missed = 0, 0
    for seed = 1, 3 do
      local w = line(seed)
      for _ = 1, 1000 do
        w:step()
        sum = sum + w.stats.work
        assert.is_true(w.stats.penetration < 5e-3, "seed " .. seed)
      end
      missed = missed + w.stats.unconverged
      w:close()
    end
    -- 49; where points of small islands paid the whole price 80, 115 with rho |W| up to 10; fewer where normal shifts that
    -- would drive two dominoes apart are kept (they gain energy: contacts/carried.h); more than 200 with sweeps between
    -- Newton's steps
    assert.is_true(sum / 3000 < 70, "sweeps a step: " .. sum / 3000)
    assert.is_true(missed < 2, "missed: " .. missed)
  end)
end)
