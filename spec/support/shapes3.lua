-- Random shapes and poses of space, and the separation of two convex shapes along a direction.
local delassus = require "delassus"
local shapes2 = require "spec.support.shapes2"

local between = shapes2.between
local M = { between = between, seeds = shapes2.seeds }

M.makers = {
  sphere = function() return delassus.sphere { radius = between(.1, 1) } end,
  capsule = function() return delassus.capsule { radius = between(.1, .5), length = between(0, 2) } end,
  cylinder = function() return delassus.cylinder { radius = between(.1, .8), length = between(.2, 2) } end,
  cone = function()
    return delassus.cone { radius1 = between(.1, .8), radius2 = between(0, .8), length = between(.3, 2) }
  end,
  ellipsoid = function() return delassus.ellipsoid { radii = { between(.1, .8), between(.1, .8), between(.1, 1) } } end,
  box = function() return delassus.box { size = { between(.2, 1.5), between(.2, 1.5), between(.2, 1.5) } } end,
  convex = function()
    local points = {}
    for i = 1, math.random(4, 14) do points[i] = { between(-1, 1), between(-1, 1), between(-1, 1) } end
    return delassus.convex { points = points }
  end,
}
M.kinds = { "sphere", "capsule", "cylinder", "cone", "box", "convex", "ellipsoid" }

function M.solid() return M.makers[M.kinds[math.random(#M.kinds)]]() end

function M.unit()
  while true do
    local x, y, z = between(-1, 1), between(-1, 1), between(-1, 1)
    local r = math.sqrt(x * x + y * y + z * z)
    if r > .1 and r <= 1 then return x / r, y / r, z / r end
  end
end

function M.rotation()
  local x, y, z = M.unit()
  local half = between(-2, 2)
  local s = math.sin(half)
  return { math.cos(half), s * x, s * y, s * z }
end

function M.pose(reach)
  return { position = { between(-reach, reach), between(-reach, reach), between(-reach, reach) },
    rotation = M.rotation() }
end

--- r turned by the unit quaternion q; back: by its inverse.
function M.turn(q, x, y, z, back)
  local w, a, b, c = q[1], q[2], q[3], q[4]
  if back then a, b, c = -a, -b, -c end
  local tx, ty, tz = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
  return x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx
end

local function product(p, q)
  return { p[1] * q[1] - p[2] * q[2] - p[3] * q[3] - p[4] * q[4],
    p[1] * q[2] + p[2] * q[1] + p[3] * q[4] - p[4] * q[3],
    p[1] * q[3] - p[2] * q[4] + p[3] * q[1] + p[4] * q[2],
    p[1] * q[4] + p[2] * q[3] - p[3] * q[2] + p[4] * q[1] }
end

--- The pose after a rigid motion of all space.
function M.moved(pose, motion)
  local x, y, z = M.turn(motion.rotation, table.unpack(pose.position))
  local p = motion.position
  return { position = { x + p[1], y + p[2], z + p[3] }, rotation = product(motion.rotation, pose.rotation) }
end

--- max over the shape at the pose of x . n
function M.extent(shape, pose, nx, ny, nz)
  local lx, ly, lz = M.turn(pose.rotation, nx, ny, nz, true)
  local p, o = shape:support { lx, ly, lz }, pose.position
  return nx * o[1] + ny * o[2] + nz * o[3] + lx * p[1] + ly * p[2] + lz * p[3]
end

function M.separation(a, pose_a, b, pose_b, nx, ny, nz)
  return -M.extent(a, pose_a, nx, ny, nz) - M.extent(b, pose_b, -nx, -ny, -nz)
end

return M
