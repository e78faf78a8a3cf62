-- Random shapes and poses of the plane, and the separation of two convex shapes along a direction.
local delassus = require "delassus"

local M = {}

local function between(lo, hi) return lo + (hi - lo) * math.random() end
M.between = between

--- A convex polygon around the middle of nowhere in particular: corners on an ellipse.
local function polygon()
  local n, points = math.random(3, 9), {}
  local a, b, cx, cy = between(.3, 1.2), between(.3, 1.2), between(-.5, .5), between(-.5, .5)
  for i = 1, n do
    local t = 2 * math.pi * (i + between(0, .8)) / n
    points[i] = { cx + a * math.cos(t), cy + b * math.sin(t) }
  end
  return delassus.polygon { points = points }
end

M.makers = {
  disk = function() return delassus.disk { radius = between(.1, 1) } end,
  capsule = function() return delassus.capsule { radius = between(.1, .6), length = between(0, 2) } end,
  box = function() return delassus.box { size = { between(.2, 1.5), between(.2, 1.5) } } end,
  polygon = polygon,
  segment = function()
    return delassus.segment { { between(-1, 0), between(-1, 1) }, { between(0.1, 1), between(-1, 1) } }
  end,
}
M.solids = { "disk", "capsule", "box", "polygon" }

function M.solid() return M.makers[M.solids[math.random(#M.solids)]]() end

function M.pose(reach)
  return { position = { between(-reach, reach), between(-reach, reach) }, rotation = between(-4, 4) }
end

local function turn(angle, x, y)
  local c, s = math.cos(angle), math.sin(angle)
  return c * x - s * y, s * x + c * y
end

--- The pose after a rigid motion of the whole plane.
function M.moved(pose, motion)
  local x, y = turn(motion.rotation, pose.position[1], pose.position[2])
  return { position = { x + motion.position[1], y + motion.position[2] },
    rotation = pose.rotation + motion.rotation }
end

--- max over the shape at the pose of x . n
function M.extent(shape, pose, nx, ny)
  local lx, ly = turn(-pose.rotation, nx, ny)
  local p = shape:support { lx, ly }
  return nx * pose.position[1] + ny * pose.position[2] + lx * p[1] + ly * p[2]
end

--- How far b lies beyond a along n.
function M.separation(a, pose_a, b, pose_b, nx, ny)
  return -M.extent(a, pose_a, nx, ny) - M.extent(b, pose_b, -nx, -ny)
end

--- Runs f for 200 seeds; a failure names its seed.
function M.seeds(f, count)
  for seed = 1, count or 200 do
    math.randomseed(seed)
    local ok, message = pcall(f, seed)
    if not ok then
      local text = type(message) == "table" and message.message or message
      error(("seed %d: %s"):format(seed, tostring(text)), 0)
    end
  end
end

return M
