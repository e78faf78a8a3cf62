-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Sums of products without round-off: each product is two doubles (Dekker), their sum a list of doubles that do not
-- overlap (Shewchuk), rounded once at the end.
local M = {}

local function two_sum(a, b)
  local s = a + b
  local bb = s - a
  return s, (a - (s - bb)) + (b - bb)
end

local function halves(a)
  local c = 134217729.0 * a
  local high = c - (c - a)
  return high, a - high
end

local function two_prod(a, b)
  local p = a * b
  local ah, al = halves(a)
  local bh, bl = halves(b)
  return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl
end

local function add(parts, x)
  local n = 0
  for k = 1, #parts do
    local s, e = two_sum(x, parts[k])
    if e ~= 0 then
      n = n + 1
      parts[n] = e
    end
    x = s
  end
  for k = #parts, n + 1, -1 do parts[k] = nil end
  parts[n + 1] = x
end

--- a . b + c, b any array of numbers.
function M.dot(a, b, c)
  local parts = { c + 0.0 }
  for k = 1, #a do
    local p, e = two_prod(a[k], b[k])
    add(parts, p)
    add(parts, e)
  end
  local sum = 0.0
  for k = #parts, 1, -1 do sum = sum + parts[k] end
  return sum
end

--- The residual of z in w = M z + q as the contract has it, and max |min(z, w)|.
function M.lcp_residual(A, q, z)
  local worst, plain, scale = 0, 0, 0
  for i = 1, #q do
    local w, d = M.dot(A[i], z, q[i]), A[i][i]
    if d <= 0 then
      d = 0
      for j = 1, #q do d = math.max(d, math.abs(A[i][j])) end
      if d == 0 then d = 1 end
    end
    worst = math.max(worst, math.abs(math.min(d * z[i], w)))
    plain = math.max(plain, math.abs(math.min(z[i], w)))
    scale = math.max(scale, math.abs(q[i]))
  end
  return worst / (scale > 0 and scale or 1), plain
end

return M
