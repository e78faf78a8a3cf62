local delassus = require "delassus"
local lcp = require "delassus.lcp"
local seeds = require "support.seeds"

--- n bodies in a column: tridiagonal 2, -1 (1 at the ground), under its weight.
local function stack(n, q)
  local M = { rows = n, cols = n }
  for i = 1, n do
    M[#M + 1] = { i, i, i == 1 and 1 or 2 }
    if i > 1 then
      M[#M + 1] = { i, i - 1, -1 }
      M[#M + 1] = { i - 1, i, -1 }
    end
  end
  local right = {}
  for i = 1, n do right[i] = q(i) end
  return delassus.sparse(M), right
end

--- The five-point Laplacian on a square of m x m points.
local function membrane(m, load)
  local M, q = { rows = m * m, cols = m * m }, {}
  for x = 1, m do
    for y = 1, m do
      local i = (x - 1) * m + y
      M[#M + 1] = { i, i, 4 }
      for _, j in ipairs { x > 1 and i - m or 0, x < m and i + m or 0, y > 1 and i - 1 or 0, y < m and i + 1 or 0 } do
        if j > 0 then M[#M + 1] = { i, j, -1 } end
      end
      q[i] = load(x, y)
    end
  end
  return delassus.sparse(M), q
end

local function wave(i) return math.sin(1.3 * i * i) end

describe("lcp.solve by blocks", function()
  it("has no unit: a power of two times M has that part of z, to the last bit (200 singular problems)", function()
    for seed = 1, seeds(200) do
      local random, n, m = delassus.random(seed), 9 + seed % 4, 6
      local function any() return random:uniform(-1, 1) end
      local J, x, M, larger, q = {}, {}, {}, {}, {}
      for j = 1, m do x[j] = any() end
      for i = 1, n do
        J[i] = {}
        for j = 1, m do J[i][j] = i % 3 == 2 and -J[i - 1][j] or any() end -- an upper and a lower limit
      end
      local times = 2.0 ^ ({ 24, -20, 2 })[seed % 3 + 1]
      for i = 1, n do
        M[i], larger[i], q[i] = {}, {}, 0.2 * math.abs(any())
        for j = 1, m do q[i] = q[i] - J[i][j] * x[j] end
        for j = 1, n do
          local sum = 0
          for k = 1, m do sum = sum + J[i][k] * J[j][k] end
          M[i][j], larger[i][j] = sum, times * sum
        end
      end
      local one, other = lcp.solve{ M = M, q = q, method = "block" }, lcp.solve{ M = larger, q = q, method = "block" }
      for i = 1, n do assert.equal(one.z[i], other.z[i] * times, ("seed %d, z %d"):format(seed, i)) end
    end
  end)

  it("is exact: a resting stack carries what lies above", function()
    -- z_i = sum of the weights from i up, for q = (-g, 0, ..., 0): every force n g at the ground
    local n = 50
    local M, q = stack(n, function(i) return i == 1 and -0.0981 or 0 end)
    local s = lcp.solve { M = M, q = q, method = "block" }
    assert.is_true(s.converged)
    for i = 1, n do assert.near(0.0981 * (n + 1 - i), s.z[i], 1e-12 * n) end -- condition about n^2
  end)

  it("is in agreement: sparse and dense, stacks and membranes", function()
    for _, n in ipairs { 1, 2, 7, 40, 90 } do
      local sheet = { membrane(1 + n // 8, function(x, y) return wave(7 * x + y) end) }
      for _, problem in ipairs { { stack(n, wave) }, sheet } do
        local M, q = problem[1], problem[2]
        local sparse = lcp.solve { M = M, q = q, method = "block" }
        local dense = lcp.solve { M = M:totable(), q = q, method = "energy" }
        assert.is_true(sparse.converged)
        for i = 1, #q do assert.near(dense.z[i], sparse.z[i], 1e-10 * n * n) end
      end
    end
  end)

  it("has a small residual on a sparse problem of 20,000 rows", function()
    local M, q = stack(20000, wave)
    for _, method in ipairs { "block", "auto" } do
      local s = lcp.solve { M = M, q = q, method = method }
      assert.is_true(s.converged)
      assert.equal("block", s.method)
    end
    M, q = membrane(60, function(x, y) return wave(61 * x + y) end)
    assert.is_true(lcp.solve { M = M, q = q, method = "block" }.converged)
  end)

  it("refuses 20,000 dense rows and says what they would take", function()
    local M, q = stack(20000, wave)
    assert.error_matches(function() lcp.solve { M = M, q = q, method = "energy" } end,
      "lcp.solve: method 'energy' at n = 20000 would take 6.4%d* GB of memory, the most is")
  end)

  it("is exact: singular matrices by proximal steps", function()
    local s = lcp.solve { M = { { 1, 1, 0 }, { 1, 1, 0 }, { 0, 0, 1 } }, q = { -1, -1, 2 }, method = "block" }
    assert.is_true(s.converged)
    assert.near(1, s.z[1] + s.z[2], 1e-12)
    local M = delassus.sparse { rows = 2, cols = 2, { 1, 1, 1 }, { 1, 2, 1 }, { 2, 1, 1 }, { 2, 2, 1 } }
    s = lcp.solve { M = M, q = { -1, -1 }, method = "block" }
    assert.is_true(s.converged)
    assert.near(1, s.z[1] + s.z[2], 1e-12)
  end)

  it("says where there is no solution", function()
    local s = lcp.solve { M = { { 1, -1 }, { -1, 1 } }, q = { -1, -1 }, method = "block" }
    assert.equal("ray", s.status)
    assert.equal("unsuitable", lcp.solve { M = { { -1 } }, q = { -1 }, method = "block" }.status)
  end)
end)

describe("lcp.solve on indefinite matrices", function()
  it("comes to an end, and says so where check is on", function()
    local random = delassus.random(3)
    local n = 120
    local M, q = {}, {}
    for i = 1, n do
      M[i], q[i] = {}, random:normal(0, 1)
      for j = 1, i do
        M[i][j] = random:normal(0, 1)
        M[j][i] = M[i][j]
      end
      M[i][i] = 1 + math.abs(M[i][i])
    end
    for _, method in ipairs { "energy", "block" } do
      local s = lcp.solve { M = M, q = q, method = method }
      assert.is_true(s.converged or s.status == "unsuitable")
      assert.is_true(s.pivots < 100 * n)
      assert.equal("unsuitable", lcp.solve { M = M, q = q, method = method, check = true }.status)
    end
    local S = delassus.sparse { rows = 2, cols = 2, { 1, 1, 1 }, { 1, 2, 2 }, { 2, 1, 2 }, { 2, 2, 1 } }
    assert.equal("unsuitable", lcp.solve { M = S, q = { -1, -1 }, method = "block", check = true }.status)
  end)
end)

describe("lcp.solver", function()
  it("keeps the matrix and starts from the last answer", function()
    local solver <close> = lcp.solver { method = "energy", tolerance = 1e-12 }
    local M = { { 4, -1, 0 }, { -1, 4, -1 }, { 0, -1, 4 } }
    solver:solve(M, { -4, -4, 3 })
    assert.equal(2, solver.pivots)
    assert.is_true(solver:solve { -4, -3, 3 }.converged)
    assert.equal(0, solver.pivots)
    assert.equal(2, solver.total_pivots)
    solver:reset()
    assert.is_nil(solver.z)
    assert.error_matches(function() solver:solve { 1, 2, 3 } end, "solver:solve: needs a matrix and a vector")
  end)

  it("gives its states, and names what is wrong", function()
    local solver = lcp.solver { method = "energy", trace = true }
    solver:solve({ { 2 } }, { -1 })
    assert.equal("z1", solver:trace()[2].basis[1])
    assert.error_matches(function() solver:solve({ { 2 } }, { -1, 2 }) end, "'q' must hold 1 number")
    assert.error_matches(function() solver:solve({ { 2, 1 } }, { -1 }) end, "'M' must be square")
    assert.error_matches(function() return solver.zz end, "unknown property 'zz'")
    solver:close()
    solver:close()
    assert.error_matches(function() solver:solve { 1 } end, "closed")
  end)
end)
