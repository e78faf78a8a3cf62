-- Random complementarity problems in classes, and a judge that knows no solver.
local delassus = require "delassus"

local M = {}

local function filled(n, m, value)
  local A = {}
  for i = 1, n do
    A[i] = {}
    for j = 1, m do A[i][j] = value(i, j) end
  end
  return A
end

--- A A' + shift I, A n x rank.
local function gram(random, n, rank, shift)
  local A = filled(n, rank, function() return random:normal(0, 1) end)
  return filled(n, n, function(i, j)
    local s = i == j and shift or 0
    for k = 1, rank do s = s + A[i][k] * A[j][k] end
    return s
  end), A
end

local function vector(n, value)
  local x = {}
  for i = 1, n do x[i] = value(i) end
  return x
end

local function times(A, x)
  return vector(#A, function(i)
    local s = 0
    for j = 1, #x do s = s + A[i][j] * x[j] end
    return s
  end)
end

--- Each gives M, q from a generator and a size; `unique` says that the class has one solution always.
M.classes = {
  { name = "symmetric positive definite", unique = true, symmetric = true, make = function(random, n)
    return gram(random, n, n, 0.1), vector(n, function() return random:normal(0, 1) end)
  end },
  { name = "P, not symmetric", unique = true, make = function(random, n)
    local A = gram(random, n, n, 0.1)
    for i = 1, n do
      for j = 1, i - 1 do
        local a = random:normal(0, 1)
        A[i][j], A[j][i] = A[i][j] + a, A[j][i] - a
      end
    end
    return A, vector(n, function() return random:normal(0, 1) end)
  end },
  { name = "copositive-plus with a solution", make = function(random, n)
    -- a convex program: minimise x' P x / 2 + c' x with A x >= b, x >= 0, feasible by construction
    local k = (n + 1) // 2
    local P = gram(random, k, k, 0)
    local A = filled(n - k, k, function() return random:normal(0, 1) end)
    local x = vector(k, function() return math.abs(random:normal(0, 1)) end)
    local b = times(A, x)
    local y = vector(n - k, function() return math.abs(random:normal(0, 1)) end)
    return filled(n, n, function(i, j)
      if i <= k and j <= k then return P[i][j] end
      if i <= k then return -A[j - k][i] end
      return j <= k and A[i - k][j] or 0
    end), vector(n, function(i)
      if i > k then return -b[i - k] end
      local c = math.abs(random:normal(0, 1)) -- dual feasible: c + P x - A' y >= 0
      for j = 1, n - k do c = c + A[j][i] * y[j] end
      for j = 1, k do c = c - P[i][j] * x[j] end
      return c
    end)
  end },
  { name = "degenerate, small whole numbers", unique = true, symmetric = true, make = function(random, n)
    local A = filled(n, n, function(i, j) return i == j and 4 or math.abs(i - j) == 1 and -1 or 0 end)
    return A, vector(n, function() return random:integer(-2, 2) end)
  end },
  { name = "rank deficient", symmetric = true, make = function(random, n)
    local rank = (n + 1) // 2
    local W, A = gram(random, n, rank, 0)
    return W, times(A, vector(rank, function() return random:normal(0, 1) end)) -- redundant contacts
  end },
}

--- Planar friction at the acceleration level, two corners (EQUATIONS E.2): contacts of a rigid body in the plane.
function M.friction(random, n_contacts)
  local m, size = n_contacts, 3 * n_contacts
  local J = {} -- normals, then tangents, on 3 coordinates of unit inertia each
  for i = 1, m do
    local angle, arm_n, arm_t = random:uniform(0, 6.28), random:normal(0, 1), random:normal(0, 1)
    J[i] = { math.cos(angle), math.sin(angle), arm_n }
    J[m + i] = { math.sin(angle), -math.cos(angle), arm_t }
  end
  local G = filled(2 * m, 2 * m, function(i, j)
    return J[i][1] * J[j][1] + J[i][2] * J[j][2] + J[i][3] * J[j][3]
  end)
  local c, mu = vector(2 * m, function() return random:normal(0, 1) end), {}
  for i = 1, m do mu[i] = random:uniform(0, 1) end
  local A, q = filled(size, size, function() return 0 end), vector(size, function(i) return c[i] or 0 end)
  for i = 1, 2 * m do
    for j = 1, m do
      A[i][j] = G[i][j] - G[i][m + j] * mu[j]
      A[i][m + j] = G[i][m + j]
    end
  end
  for i = 1, m do A[m + i][2 * m + i], A[2 * m + i][i], A[2 * m + i][m + i] = 1, 2 * mu[i], -1 end
  return A, q
end

--- max_i |min(d_i z_i, w_i)| / max |q| as the contract says, w from M and q.
function M.residual(A, q, z)
  local worst, scale = 0, 0
  for i = 1, #q do
    local w, row = q[i], 0
    for j = 1, #q do
      w = w + A[i][j] * z[j]
      row = math.max(row, math.abs(A[i][j]))
    end
    local d = A[i][i] > 0 and A[i][i] or row > 0 and row or 1
    worst = math.max(worst, math.abs(math.min(d * z[i], w)))
    scale = math.max(scale, math.abs(q[i]))
  end
  return worst / (scale > 0 and scale or 1)
end

--- Largest difference relative to the largest entry.
function M.apart(x, y)
  local apart, size = 0, 0
  for i = 1, #x do
    apart = math.max(apart, math.abs(x[i] - y[i]))
    size = math.max(size, math.abs(x[i]), math.abs(y[i]))
  end
  return size > 0 and apart / size or 0
end

function M.random(seed) return delassus.random(seed) end

return M
