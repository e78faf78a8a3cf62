-- Ten thousand random symmetric positive definite problems: by residual, and against every solution there is.
local delassus = require "delassus"
local lcp = require "delassus.lcp"
local seeds = require "support.seeds"

--- M = A A' / n + 0.1 1 and q normal, of the seed.
local function problem(seed)
  local random = delassus.random(seed)
  local n = random:integer(2, 40)
  local A, M, q = {}, {}, {}
  for i = 1, n do
    A[i], q[i] = {}, random:normal(0, 1)
    for j = 1, n do A[i][j] = random:normal(0, 1) end
  end
  for i = 1, n do
    M[i] = {}
    for j = 1, i do
      local sum = i == j and 0.1 or 0
      for k = 1, n do sum = sum + A[i][k] * A[j][k] / n end
      M[i][j], M[j][i] = sum, sum
    end
  end
  return n, M, q
end

--- max |min(M_ii z_i, w_i)| / max |q|, w computed here.
local function residual(M, q, z)
  local worst, scale = 0, 0
  for i = 1, #q do
    local w = q[i]
    for j = 1, #q do w = w + M[i][j] * z[j] end
    worst, scale = math.max(worst, math.abs(math.min(M[i][i] * z[i], w))), math.max(scale, math.abs(q[i]))
  end
  return worst / scale
end

describe("ten thousand random problems, n = 2..40,", function()
  it("are solved: residual computed here, agreement with enumeration where n <= 12", function()
    local compared = 0
    for seed = 1, seeds(10000) do
      local n, M, q = problem(seed)
      local s = lcp.solve { M = M, q = q, method = "energy" }
      local z = s.z:totable()
      assert.is_true(s.converged and residual(M, q, z) <= 1e-12, "seed " .. seed) -- round-off of n <= 40 terms
      if n <= 12 then
        local all = lcp.solve { M = M, q = q, method = "enumerate" }
        assert.equal(1, #all.solutions, "seed " .. seed)
        compared = compared + 1
        local size = math.max(1, all.z:norm())
        for i = 1, n do
          assert.is_true(math.abs(all.z[i] - z[i]) <= 1e-11 * size, "seed " .. seed) -- condition below 100
        end
      end
    end
    assert.is_true(compared > seeds.least(2000))
  end)
end)
