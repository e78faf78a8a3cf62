-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Random contact problems and plain arithmetic for the specs of `lcp.cone`.
local M = {}

--- W = G G' with G n x k of numbers in (-1, 1): rank min(n, k).
function M.gram(n, k)
  local G, W = {}, {}
  for i = 1, n do
    G[i] = {}
    for j = 1, k do G[i][j] = 2 * math.random() - 1 end
  end
  for i = 1, n do
    W[i] = {}
    for j = 1, n do
      local sum = 0
      for l = 1, k do sum = sum + G[i][l] * G[j][l] end
      W[i][j] = sum
    end
  end
  return W
end

function M.list(n)
  local q = {}
  for i = 1, n do q[i] = 2 * math.random() - 1 end
  return q
end

--- max |a - b| over max(1, |a|).
function M.distance(a, b)
  local most, size = 0, 1
  for i = 1, #a do
    most, size = math.max(most, math.abs(a[i] - b[i])), math.max(size, math.abs(a[i]))
  end
  return most / size
end

function M.image(W, q, p)
  local v = {}
  for i = 1, #q do
    v[i] = q[i]
    for j = 1, #q do v[i] = v[i] + W[i][j] * p[j] end
  end
  return v
end

function M.norm(x)
  local sum = 0
  for i = 1, #x do sum = sum + x[i] * x[i] end
  return math.sqrt(sum)
end

--- The same matrix as a sparse one.
function M.sparse(W)
  local entries = { rows = #W, cols = #W }
  for i, row in ipairs(W) do
    for j, x in ipairs(row) do if x ~= 0 then entries[#entries + 1] = { i, j, x } end end
  end
  return require("delassus").sparse(entries)
end

--- Coulomb's law with Signorini's, written out contact by contact (d = 2 or 3 rows); the largest breach of it,
-- velocities over `speed` and impulses over `impulse`.
function M.breach(p, v, mu, d, speed, impulse)
  local worst = 0
  for i = 1, #p, d do
    local pt, vt, along = 0, 0, 0
    for k = i + 1, i + d - 1 do
      pt, vt, along = pt + p[k] * p[k], vt + v[k] * v[k], along + p[k] * v[k]
    end
    pt, vt = math.sqrt(pt), math.sqrt(vt)
    local open = p[i] <= 1e-9 * impulse
    worst = math.max(worst, -p[i] / impulse, -v[i] / speed, (pt - mu * p[i]) / impulse)
    if not open then worst = math.max(worst, math.abs(v[i]) / speed) end
    if vt > 1e-7 * speed then worst = math.max(worst, math.abs(along + mu * p[i] * vt) / (speed * impulse)) end
  end
  return worst
end

return M
