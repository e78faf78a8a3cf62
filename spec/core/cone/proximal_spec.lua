local delassus = require "delassus"
local host = require "support.lcp_host"

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

describe("inexact proximal points", function()
  teardown(host.remove)

  -- Exact points end at a hundredth of the tolerance; the host computes residuals from W, b and the impulses alone.
  it("meet 1e-10 wherever exact ones do, with fewer factors: 400 redundant problems, b outside the range of W", function()
    local met, exact_met, factors, exact_factors, count = 0, 0, 0, 0, 0
    for seed, exact, exact_residual, inexact, residual in
      host.run("400", "proximal_host"):gmatch "(%d+) (%d+) (%S+) (%d+) (%S+) %d+ %S+\n" do
      count = count + 1
      local ends, exact_ends = tonumber(residual) <= 1e-10, tonumber(exact_residual) <= 1e-10
      assert.is_true(ends or not exact_ends, ("seed %s: %s, exact points %s"):format(seed, residual, exact_residual))
      if ends then met = met + 1 end
      if exact_ends then
        exact_met, factors, exact_factors = exact_met + 1, factors + inexact, exact_factors + exact
      end
    end
    assert.equal(400, count)
    assert.is_true(met > exact_met and met >= 360, ("%d met, by exact points %d"):format(met, exact_met))
    assert.is_true(factors <= 0.8 * exact_factors, ("%d factors, exact points %d"):format(factors, exact_factors))
  end)

  it("meet 1e-10 as often where they go on from convex points, by the residual from outside (400 problems)", function()
    local met, with_convex = 0, 0
    for residual, convex in host.run("400", "proximal_host"):gmatch "%d+ %d+ %S+ %d+ (%S+) %d+ (%S+)\n" do
      if tonumber(residual) <= 1e-10 then met = met + 1 end
      if tonumber(convex) <= 1e-10 then with_convex = with_convex + 1 end
    end
    assert.is_true(with_convex >= met and met >= 360, ("%d met, with convex points %d"):format(met, with_convex))
  end)
end)
