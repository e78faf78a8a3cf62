-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Every basic solution of small problems of whole numbers, many of them degenerate, by trying all sets of columns.
local delassus = require "delassus"
local lcp = require "delassus.lcp"
local seeds = require "support.seeds"

--- The numbers x with sum_j x_j cols[j] = b; nil where columns depend on each other or there are none.
local function solve(cols, b, n)
  local k, A, row = #cols, {}, 1
  for i = 1, n do
    A[i] = {}
    for j = 1, k do A[i][j] = cols[j][i] end
    A[i][k + 1] = b[i]
  end
  for j = 1, k do
    local p
    for i = row, n do
      if math.abs(A[i][j]) > 1e-9 and (not p or math.abs(A[i][j]) > math.abs(A[p][j])) then p = i end
    end
    if not p then return nil end
    A[row], A[p] = A[p], A[row]
    for i = 1, n do
      local f = i ~= row and A[i][j] / A[row][j] or 0
      for c = j, f ~= 0 and k + 1 or 0 do A[i][c] = A[i][c] - f * A[row][c] end
    end
    row = row + 1
  end
  for i = row, n do
    if math.abs(A[i][k + 1]) > 1e-9 then return nil end
  end
  local x = {}
  for j = 1, k do x[j] = A[j][k + 1] / A[j][j] end
  return x
end

local function key(z, n)
  local words = {}
  for i = 1, n do words[i] = ("%.6f"):format(z[i] + 0.0) end
  return table.concat(words, ",")
end

--- All z > 0, w > 0 of disjoint supports whose columns are independent.
local function basic(M, q, n)
  local found = {}
  for code = 0, 3 ^ n - 1 do
    local cols, of, rest = {}, {}, code
    for i = 1, n do
      local kind, column = rest % 3, {}
      rest = rest // 3
      for k = 1, n do column[k] = kind == 1 and -M[k][i] or k == i and 1 or 0 end
      if kind > 0 then cols[#cols + 1], of[#of + 1] = column, kind == 1 and i or 0 end
    end
    local x, z, positive = solve(cols, q, n), {}, true
    for i = 1, n do z[i] = 0 end
    for k, v in ipairs(x or {}) do
      positive = positive and v > 1e-9
      if of[k] > 0 then z[of[k]] = v end
    end
    if x and positive then found[key(z, n)] = true end
  end
  return found
end

describe('lcp.solve{ method = "enumerate" }', function()
  -- Midpoints of segments of solutions were listed beside their ends.
  it("lists all basic solutions and nothing else: 900 problems of up to four unknowns", function()
    for seed = 1, seeds(900) do
      local r = delassus.random(seed)
      local n, M, q = r:integer(1, 4), {}, {}
      for i = 1, n do
        M[i], q[i] = {}, r:integer(-3, 3)
        for j = 1, n do M[i][j] = r:integer(-2, 2) end
      end
      if seed % 3 == 0 and n > 1 then M[2], q[2] = M[1], seed % 2 == 0 and q[1] or q[2] end
      local wanted, got = basic(M, q, n), {}
      for _, solution in ipairs(lcp.solve{ M = M, q = q, method = "enumerate" }.solutions) do
        local k = key(solution.z, n)
        if got[k] or not wanted[k] then error(("seed %d: %s"):format(seed, k)) end
        got[k] = true
      end
      for k in pairs(wanted) do
        if not got[k] then error(("seed %d: not %s"):format(seed, k)) end
      end
    end
  end)
end)
