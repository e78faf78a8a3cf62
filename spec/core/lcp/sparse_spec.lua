local delassus = require "delassus"
local lcp = require "delassus.lcp"
local piles = require "support.lcp_piles"

--- max |min(d z, w)| / max |q| with w = M z + q formed here.
local function residual(M, q, z)
  local w, worst, scale = (M * z):totable(), 0, 0
  for i = 1, #q do
    w[i] = w[i] + q[i]
    worst = math.max(worst, math.abs(math.min(z[i], w[i])))
    scale = math.max(scale, math.abs(q[i]))
  end
  return worst / scale
end

describe("lcp.solve on sparse problems", function()
  it("has a small residual on a column of 100,000 bodies", function()
    local M, q = piles.stack(100000, 1)
    local s = lcp.solve { M = M, q = q }
    assert.is_true(s.converged)
    assert.equal("block", s.method)
    assert.is_true(s.iterations < 100) -- each linear in the rows
    assert.is_true(residual(M, q, s.z) < 1e-9) -- z is not weighed here; 1 / M_ii <= 2
  end)

  it("has a small residual on planar piles, at rest and stirred", function()
    for _, case in ipairs { { 20000, 0 }, { 5000, 0.1 } } do
      local M, q = piles.pile(case[1], case[2])
      local s = lcp.solve { M = M, q = q }
      assert.is_true(s.converged)
      assert.is_true(s.iterations < 100)
      assert.is_true(residual(M, q, s.z) < 1e-10)
    end
  end)

  it("comes to an end where block steps go round in circles", function()
    -- every copy of this one returns to its first set after a few exchanges of all that is negative
    local M = { { 1, 1, 4, -3 }, { 1, 2, 1, -2 }, { 4, 1, 26, -12 }, { -3, -2, -12, 20 } }
    local q = { 0, -2, 2, -10 }
    local one = lcp.solve { M = M, q = q, method = "enumerate" }
    for _, copies in ipairs { 20, 1000 } do
      local A, b = { rows = 4 * copies, cols = 4 * copies }, {}
      for k = 0, copies - 1 do
        for i = 1, 4 do
          b[4 * k + i] = q[i]
          for j = 1, 4 do A[#A + 1] = { 4 * k + i, 4 * k + j, M[i][j] } end
        end
      end
      local s = lcp.solve { M = delassus.sparse(A), q = b, method = "block" }
      assert.is_true(s.converged)
      assert.is_true(s.fallback)
      for i = 1, 4 * copies do assert.near(one.z[(i - 1) % 4 + 1], s.z[i], 1e-10) end -- condition below 1e4
    end
  end)

  it("writes a matrix out whose factor would be full", function()
    local random, n = delassus.random(5), 400
    local A, q = { rows = n, cols = n }, {}
    for i = 1, n do
      A[#A + 1], q[i] = { i, i, 30 }, random:normal(0, 1)
      for _ = 1, 6 do
        local j = random:integer(1, n)
        if j ~= i then
          A[#A + 1] = { i, j, 1 }
          A[#A + 1] = { j, i, 1 }
        end
      end
    end
    local M = delassus.sparse(A)
    local sparse, dense = lcp.solve { M = M, q = q }, lcp.solve { M = M:totable(), q = q, method = "energy" }
    assert.is_true(sparse.converged)
    for i = 1, n do assert.near(dense.z[i], sparse.z[i], 1e-13) end
  end)

  it("knows dense matrices with few entries: the answer of the sparse factor, to the bit", function()
    for _, n in ipairs { 64, 200, 700 } do
      local M, q = piles.stack(n, 1)
      local given, written = lcp.solve { M = M, q = q }, lcp.solve { M = M:totable(), q = q }
      assert.equal("block", written.method)
      assert.is_true(written.converged)
      for i = 1, n do assert.equal(given.z[i], written.z[i]) end
    end
  end)
end)
