-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local delassus = require "delassus"
local exact = require "spec.support.exact"
local lcp = delassus.lcp

-- A random problem whose matrix is semidefinite but for a skew part, of a condition up to 1e15.
local function problem(seed)
  local random = delassus.random(seed)
  local n, condition = 2 + seed % 7, 10 ^ (4 + 11 * random:uniform())
  local v, M, q = {}, {}, {}
  for i = 1, n do
    v[i], q[i] = {}, random:uniform(-1, 1)
    for j = 1, n do v[i][j] = random:uniform(-1, 1) end
  end
  for i = 1, n do
    M[i] = {}
    for j = 1, n do
      M[i][j] = 0
      for k = 1, n do M[i][j] = M[i][j] + v[k][i] * v[k][j] * condition ^ (-(k - 1) / (n - 1)) end
    end
  end
  for i = 1, seed % 3 == 0 and n or 0 do
    for j = 1, i - 1 do
      local skew = 1e-3 * random:uniform()
      M[i][j], M[j][i] = M[i][j] + skew, M[j][i] - skew
    end
  end
  return M, q, n
end

describe("the residual of lcp.solve", function()
  it("knows its own round-off: converged is within the tolerance in exact arithmetic, 800 seeds", function()
    local converged = 0
    for seed = 1, 800 do
      local M, q = problem(seed)
      for _, method in ipairs { "auto", "energy", "block", "lemke", "least-index", "newton", "enumerate", "pgs" } do
        local s = lcp.solve { M = M, q = q, method = method }
        if s.converged then
          converged = converged + 1
          local residual = exact.lcp_residual(M, q, s.z)
          assert.is_true(residual <= 1e-10, ("seed %d, %s: %g"):format(seed, method, residual))
          assert.near(residual, s.residual, 1e-10)
        end
      end
    end
    assert.is_true(converged > 4000)
  end)

  it("does so to any tolerance, in any number of rows, dense and sparse", function()
    local told = { [true] = 0, [false] = 0 }
    for seed = 1, 200 do
      local M, q, n = problem(seed)
      local tolerance = 10 ^ (-8 - seed % 8)
      local big, p, m = {}, {}, 5 * n -- five copies side by side: lanes of eight and what is left over
      for i = 1, m do
        big[i], p[i] = {}, q[(i - 1) % n + 1]
        for j = 1, m do big[i][j] = (i - 1) // n == (j - 1) // n and M[(i - 1) % n + 1][(j - 1) % n + 1] or 0 end
      end
      local sparse = { rows = m, cols = m }
      for i = 1, m do for j = 1, m do if big[i][j] ~= 0 then sparse[#sparse + 1] = { i, j, big[i][j] } end end end
      for _, A in ipairs { delassus.matrix(big), delassus.sparse(sparse) } do
        local s = lcp.solve { M = A, q = p, tolerance = tolerance }
        told[s.converged] = told[s.converged] + 1
        if s.converged then
          assert.is_true(exact.lcp_residual(big, p, s.z) <= tolerance, ("seed %d"):format(seed))
        end
      end
    end
    assert.is_true(told[true] > 100 and told[false] > 20) -- both had their turn
  end)

  it("is above the tolerance where nobody can say", function()
    -- z = 1e30 and its neighbours: the row is a difference of numbers whose last bits are 1e14
    local s = lcp.solve { M = { { 1e-30, 0 }, { 0, 1 } }, q = { -1, -1e-30 }, tolerance = 1e-40 }
    assert.is_false(s.converged and exact.lcp_residual({ { 1e-30, 0 }, { 0, 1 } }, { -1, -1e-30 }, s.z) > 1e-40)
  end)

  it("of a cone problem counts what rounding hides, 200 seeds", function()
    local converged = 0
    for seed = 1, 200 do
      local M, q, n = problem(7 * seed) -- 9 rows at most
      local kinds, b = {}, {}
      for i = 1, n do
        kinds[i], b[i] = "unilateral", q[i]
        for j = 1, i - 1 do M[i][j] = M[j][i] end
      end
      local r = lcp.cone { W = M, q = b, kinds = kinds }
      if r.converged then
        converged = converged + 1
        local scale, worst = 0, 0
        for i = 1, n do scale = math.max(scale, math.abs(b[i])) end
        for i = 1, n do -- |p - P(p - y / W)| W of one row is |min(W p, y)|
          worst = math.max(worst, math.abs(math.min(M[i][i] * r.impulse[i], exact.dot(M[i], r.impulse, b[i]))))
        end
        assert.is_true(worst <= 1e-10 * scale * (1 + 1e-9), ("seed %d: %g"):format(seed, worst / scale))
      end
    end
    assert.is_true(converged > 50)
  end)
end)

describe("a ray", function()
  it("proves that there is no solution where M is copositive plus, and says nothing else", function()
    local proofs = {
      { { { 1, 0 }, { 0, 0 } }, { -1, -1 } },                       -- semidefinite
      { { { 0, 1 }, { -1, 0 } }, { -1, -1 } },                      -- skew
      { { { 1, 2, 0 }, { 0, 1, 0 }, { 0, 0, 0 } }, { 1, 1, -1 } },  -- no negative entry, a row of nothing
    }
    for k, p in ipairs(proofs) do
      for _, method in ipairs { "auto", "lemke", "enumerate" } do
        local s = lcp.solve { M = p[1], q = p[2], method = method }
        assert.equal("ray", s.status)
        assert.is_true(s.proven, k .. " " .. method)
      end
    end
    for k, p in ipairs { { { { -1, 0 }, { 0, -1 } }, { -1, -1 } }, { { { 0, -1 }, { -1, 0 } }, { -1, -1 } } } do
      for _, method in ipairs { "auto", "lemke", "enumerate" } do
        local s = lcp.solve { M = p[1], q = p[2], method = method }
        assert.equal("ray", s.status)
        assert.is_false(s.proven, k .. " " .. method)
      end
    end
    assert.is_false(lcp.solve { M = { { 1 } }, q = { -1 } }.proven)
    local solver <close> = lcp.solver {}
    solver:solve({ { 1, 0 }, { 0, 0 } }, { -1, -1 })
    assert.is_true(solver.proven)
  end)

  it("is proven of nothing that has a solution: random semidefinite problems, 400 seeds", function()
    local proven = 0
    for seed = 1, 400 do
      local random = delassus.random(seed)
      local n = 2 + seed % 5
      local M, q, rank = {}, {}, 1 + seed % 3
      local v = {}
      for k = 1, rank do
        v[k] = {}
        for i = 1, n do v[k][i] = math.floor(random:uniform(-2, 3)) end
      end
      for i = 1, n do
        M[i], q[i] = {}, math.floor(random:uniform(-3, 2))
        for j = 1, n do
          M[i][j] = seed % 2 == 0 and (i < j and 1 or i > j and -1) or 0
          for k = 1, rank do M[i][j] = M[i][j] + v[k][i] * v[k][j] end
        end
      end
      local s, all = lcp.solve { M = M, q = q }, lcp.solve { M = M, q = q, method = "enumerate" }
      if s.status == "ray" and s.proven then
        proven = proven + 1
        assert.equal(0, #all.solutions, "seed " .. seed)
      end
      if #all.solutions > 0 then assert.is_true(s.converged, "seed " .. seed) end
    end
    assert.is_true(proven > 20)
  end)

  -- M = D A D is definite: there is one solution, by auto and by every basis, however far apart the units are.
  it("is not seen where units are 300 orders of magnitude apart: 400 seeds", function()
    for seed = 1, 400 do
      local random = delassus.random(seed)
      local n, M, q, unit = 1 + seed % 4, {}, {}, {}
      for i = 1, n do
        unit[i] = 10 ^ random:uniform(-150, 150)
        q[i], M[i] = -10 ^ random:uniform(-3, 3) * unit[i], {}
      end
      for i = 1, n do
        for j = 1, i do
          M[i][j] = unit[i] * (i == j and 2 or random:uniform(-0.5, 0.5)) * unit[j]
          M[j][i] = M[i][j]
        end
      end
      for _, method in ipairs{ "auto", "enumerate" } do
        local s = lcp.solve{ M = M, q = q, method = method }
        assert.is_true(s.converged, method .. ", seed " .. seed)
        assert.is_false(s.proven, method .. ", seed " .. seed)
      end
      assert.is_false(lcp.solve{ M = M, q = q, method = "lemke" }.proven, "seed " .. seed)
    end
    local s = lcp.solve{ M = { { 1e300, 0 }, { 0, 1e-300 } }, q = { -1, -1 } }
    assert.is_true(s.converged)
    assert.same({ 1e-300, 1e300 }, s.z:totable())
  end)
end)
