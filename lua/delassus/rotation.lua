--- Rotations as unit quaternions {w, x, y, z} in plain tables, for readers of models.
-- @module delassus.rotation
local math_own = require "delassus.core".math -- the same bits everywhere

local M = {}

M.identity = { 1, 0, 0, 0 }

--- First `q`, then `p`.
function M.multiply(p, q)
  return {
    p[1] * q[1] - p[2] * q[2] - p[3] * q[3] - p[4] * q[4],
    p[1] * q[2] + p[2] * q[1] + p[3] * q[4] - p[4] * q[3],
    p[1] * q[3] + p[3] * q[1] + p[4] * q[2] - p[2] * q[4],
    p[1] * q[4] + p[4] * q[1] + p[2] * q[3] - p[3] * q[2],
  }
end

--- Rows of the 3 x 3 matrix that turns as `q` does.
function M.matrix(q)
  local w, x, y, z = q[1], q[2], q[3], q[4]
  return {
    { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
    { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
    { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) },
  }
end

--- The vector `v`, turned.
function M.apply(q, v)
  local R = M.matrix(q)
  local out = {}
  for i = 1, 3 do out[i] = R[i][1] * v[1] + R[i][2] * v[2] + R[i][3] * v[3] end
  return out
end

--- `q` scaled to length 1.
function M.unit(q)
  local norm = math.sqrt(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2)
  return { q[1] / norm, q[2] / norm, q[3] / norm, q[4] / norm }
end

--- About fixed x, then y, then z (URDF's roll, pitch, yaw), radians.
function M.from_rpy(rpy)
  local q = M.identity
  for i = 1, 3 do
    local turn = { math_own.cos(rpy[i] / 2), 0, 0, 0 }
    turn[i + 1] = math_own.sin(rpy[i] / 2)
    q = M.multiply(turn, q)
  end
  return q
end

--- The quaternion of a rotation matrix given by rows; nil and how far it is from a rotation where it is none.
function M.from_matrix(R)
  local worst = 0
  for i = 1, 3 do
    for j = 1, 3 do
      local dot = 0
      for k = 1, 3 do dot = dot + R[i][k] * R[j][k] end
      worst = math.max(worst, math.abs(dot - (i == j and 1 or 0)))
    end
  end
  local det = R[1][1] * (R[2][2] * R[3][3] - R[2][3] * R[3][2]) - R[1][2] * (R[2][1] * R[3][3] - R[2][3] * R[3][1])
    + R[1][3] * (R[2][1] * R[3][2] - R[2][2] * R[3][1])
  if worst > 1e-6 or det < 0 then return nil, math.max(worst, det < 0 and 2 or 0) end
  local trace = R[1][1] + R[2][2] + R[3][3]
  local best, size = 0, trace
  for i = 1, 3 do
    if R[i][i] > size then best, size = i, R[i][i] end
  end
  if best == 0 then
    return M.unit { 1 + trace, R[3][2] - R[2][3], R[1][3] - R[3][1], R[2][1] - R[1][2] }
  end
  local i, j, k = best, best % 3 + 1, (best + 1) % 3 + 1
  local q = { R[k][j] - R[j][k] }
  q[i + 1] = 1 + R[i][i] - R[j][j] - R[k][k]
  q[j + 1] = R[i][j] + R[j][i]
  q[k + 1] = R[i][k] + R[k][i]
  return M.unit(q)
end

--- A turn that takes the x axis to `axis`.
function M.from_x(axis)
  local norm = math.sqrt(axis[1] ^ 2 + axis[2] ^ 2 + axis[3] ^ 2)
  local x, y, z = axis[1] / norm, axis[2] / norm, axis[3] / norm
  local across = y * y + z * z
  if x < 0 and across == 0 then return { 0, 0, 0, 1 } end
  return M.unit { x < 0 and across / (1 - x) or 1 + x, 0, -z, y }
end

--- An inertia {xx, yy, zz, xy, xz, yz} given along axes turned by `q`, along the axes themselves.
function M.turn_inertia(q, I)
  local R = M.matrix(q)
  local T = { { I[1], I[4], I[5] }, { I[4], I[2], I[6] }, { I[5], I[6], I[3] } }
  local function entry(i, j)
    local sum = 0
    for k = 1, 3 do
      for l = 1, 3 do sum = sum + R[i][k] * T[k][l] * R[j][l] end
    end
    return sum
  end
  return { entry(1, 1), entry(2, 2), entry(3, 3), entry(1, 2), entry(1, 3), entry(2, 3) }
end

return M
