local delassus = require "delassus"

--- A rope of n capsules laid over a fixed cylinder. Its links do not stretch and all its contacts stick at last: their
--- rows are redundant, and what joints drift by takes their free velocities out of the range of W.
local function rope(n)
  local w = delassus.world { record = false }
  w:cylinder { type = "static", radius = 0.3, length = 2, position = { 0, 0, 2 }, friction = 0.3,
    rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 } }
  local before
  for i = 1, n do
    local x = 0.06 * (i - (n + 1) / 2)
    local link = w:capsule { radius = 0.02, length = 0.06, density = 900, friction = 0.3, position = { x, 0, 2.35 } }
    if before then w:joint { "spherical", before, link, anchor = { x - 0.03, 0, 2.35 } } end
    before = link
  end
  return w
end

describe("redundant contacts whose velocities drift apart", function()
  for n = 16, 24, 2 do
    it(("of a rope of %d links end below the tolerance in every step"):format(n), function()
      local w <close> = rope(n)
      local sweeps = 0
      for _ = 1, 1000 do
        w:step()
        sweeps = sweeps + w.stats.iterations
      end
      assert.equal(0, w.stats.unconverged)
      assert.is_true(w.stats.contacts >= n // 4, "it has slid off")
      assert.is_true(sweeps < 30 * 1000, "iterations: " .. sweeps)
    end)
  end
end)
