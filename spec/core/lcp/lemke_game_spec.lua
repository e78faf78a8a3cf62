-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local delassus = require "delassus"
local exact = require "spec.support.exact"
local lcp = delassus.lcp

-- A random bimatrix game of n strategies, its rows in random order, q by `need`.
local function game(seed, n, payoff, need)
  local random, M, q, order = delassus.random(seed), {}, {}, {}
  for i = 1, n do
    M[i], q[i], order[i] = {}, -need(random), i
    for j = 1, n do M[i][j] = 0 end
  end
  for i = n, 2, -1 do
    local k = 1 + math.floor(random:uniform() * i)
    order[i], order[k] = order[k], order[i]
  end
  local first = 1 + math.floor(random:uniform() * (n - 1))
  for i = 1, first do
    for j = first + 1, n do M[order[i]][order[j]], M[order[j]][order[i]] = payoff(random), payoff(random) end
  end
  return M, q
end

local function one() return 1 end

describe("bimatrix games", function()
  it("are solved, by every size and order of rows, 200 seeds a size", function()
    for _, n in ipairs { 2, 3, 8, 13, 14, 21 } do
      for seed = 1, 200 do
        local M, q = game(1000 * n + seed, n, function(random) return random:uniform(0.1, 1) end, one)
        for _, method in ipairs { "auto", "lemke" } do
          local s = lcp.solve { M = M, q = q, method = method }
          assert.is_true(s.converged, ("n %d, seed %d, %s: %s"):format(n, seed, method, s.status))
          assert.is_true(exact.lcp_residual(M, q, s.z) <= 1e-10)
          if s.method == "lemke" then assert.is_true(s.pivots <= 5 * n) end -- one path: the longest has 55 at n = 21
        end
      end
    end
  end)

  it("are solved where many payoffs are equal, and where sides differ in size: 200 seeds", function()
    for seed = 1, 200 do
      local M, q = game(seed, 14, function(random) return math.ceil(3 * random:uniform()) end, one)
      assert.is_true(lcp.solve { M = M, q = q }.converged, "seed " .. seed)
      M, q = game(seed, 14, function(random) return 10 ^ random:uniform(-3, 3) end,
        function(random) return random:uniform(0.01, 10) end)
      assert.is_true(lcp.solve { M = M, q = q }.converged, "seed " .. seed)
    end
  end)

  it("are exact: matching pennies is played by halves", function()
    local s = lcp.solve { M = { { 0, 0, 1, 3 }, { 0, 0, 3, 1 }, { 3, 1, 0, 0 }, { 1, 3, 0, 0 } },
      q = { -1, -1, -1, -1 }, method = "lemke" }
    for i = 1, 4 do assert.near(0.25, s.z[i], 1e-15) end
    assert.equal(4, s.pivots) -- each of the four numbers enters once; the path ends as the first pair's other half leaves
  end)
end)
