-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- All solutions of a planar contact problem v = W p + q with rows (n, t): every contact is open, sticks, or slides to
-- either side; each choice is a system of linear equations. Knows no solver of the library.
local M = {}

--- Solves A x = b by elimination with row pivots; nil where A is singular to working accuracy.
function M.linear(A, b)
  local n, U, x = #b, {}, {}
  local scale = 0
  for i = 1, n do
    U[i] = { table.unpack(A[i]) }
    U[i][n + 1] = b[i]
    for j = 1, n do scale = math.max(scale, math.abs(A[i][j])) end
  end
  for k = 1, n do
    local best = k
    for i = k + 1, n do if math.abs(U[i][k]) > math.abs(U[best][k]) then best = i end end
    U[k], U[best] = U[best], U[k]
    if math.abs(U[k][k]) <= 1e-11 * scale then return nil end
    for i = k + 1, n do
      local f = U[i][k] / U[k][k]
      for j = k, n + 1 do U[i][j] = U[i][j] - f * U[k][j] end
    end
  end
  for k = n, 1, -1 do
    local sum = U[k][n + 1]
    for j = k + 1, n do sum = sum - U[k][j] * x[j] end
    x[k] = sum / U[k][k]
  end
  return x
end

--- The equations of one mode a contact: "0" open, "S" stick, "+" u_t > 0, "-" u_t < 0.
local function equations(W, q, mu, modes)
  local n, A, b = #q, {}, {}
  for c = 1, n // 2 do
    local i, t, mode = 2 * c - 1, 2 * c, modes[c]
    A[i], A[t], b[i], b[t] = {}, {}, 0, 0
    for j = 1, n do A[i][j], A[t][j] = 0, 0 end
    if mode == "0" then
      A[i][i], A[t][t] = 1, 1
    else
      A[i], b[i] = W[i], -q[i]
      if mode == "S" then
        A[t], b[t] = W[t], -q[t]
      else
        A[t][t], A[t][i] = 1, mode == "+" and mu or -mu
      end
    end
  end
  return A, b
end

local function holds(v, p, mu, modes, tol)
  for c = 1, #modes do
    local n, t, mode = 2 * c - 1, 2 * c, modes[c]
    if mode == "0" then
      if v[n] < -tol.v then return false end
    elseif p[n] < -tol.p or math.abs(p[t]) > mu * p[n] + tol.p then
      return false
    elseif mode == "+" and v[t] < -tol.v or mode == "-" and v[t] > tol.v then
      return false
    end
  end
  return true
end

local function image(W, q, p)
  local v = {}
  for i = 1, #q do
    v[i] = q[i]
    for j = 1, #q do v[i] = v[i] + W[i][j] * p[j] end
  end
  return v
end

--- A list of { p =, v =, modes = }, solutions with other velocities or impulses counted once.
function M.solutions(W, q, mu)
  local m, found, names = #q // 2, {}, { "0", "S", "+", "-" }
  local function same(a, b, tol)
    for i = 1, #a do if math.abs(a[i] - b[i]) > tol then return false end end
    return true
  end
  for code = 0, 4 ^ m // 1 - 1 do
    local modes, rest = {}, code // 1
    for c = 1, m do modes[c], rest = names[rest % 4 + 1], rest // 4 end
    local p = M.linear(equations(W, q, mu, modes))
    if p then
      local v, size = image(W, q, p), 1
      for i = 1, #p do size = math.max(size, math.abs(p[i])) end
      if holds(v, p, mu, modes, { v = 1e-9 * size, p = 1e-9 * size }) then
        local new = true
        for _, s in ipairs(found) do if same(s.p, p, 1e-6 * size) then new = false end end
        if new then found[#found + 1] = { p = p, v = v, modes = table.concat(modes) } end
      end
    end
  end
  return found
end

return M
