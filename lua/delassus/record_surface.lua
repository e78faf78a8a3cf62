-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The bodies of a recording as surfaces, for files that other programs read.
-- @module delassus.record_surface
local pack = require "delassus.pack"
local triangles = require "delassus.triangles"

local M = {}

--- The poses of every frame as lists of numbers.
function M.poses(rec)
  local out = {}
  for k, frame in ipairs(rec:kept()) do out[k] = pack.unpack("f", frame.poses, 1, #frame.poses // 4) end
  return out
end

--- Position x, y, z and unit quaternion w, x, y, z of body i in a frame's poses; nil where it is not there.
function M.pose(rec, poses, i)
  local j = (i - 1) * rec.stride
  local x = poses[j + 1]
  if x == nil or x ~= x then return nil end
  if rec.planar then
    local a = poses[j + 3] / 2
    return x, poses[j + 2], 0, math.cos(a), 0, 0, math.sin(a)
  end
  local w, a, b, c = poses[j + 4], poses[j + 5], poses[j + 6], poses[j + 7]
  local size = math.sqrt(w * w + a * a + b * b + c * c)
  if size == 0 or size ~= size then return x, poses[j + 2], poses[j + 3], 1, 0, 0, 0 end
  return x, poses[j + 2], poses[j + 3], w / size, a / size, b / size, c / size
end

--- Half of the largest extent of all positions, m; 1 where there is none.
function M.reach(rec, poses)
  local low, high = { math.huge, math.huge, math.huge }, { -math.huge, -math.huge, -math.huge }
  for k = 1, #poses, math.max(1, #poses // 40) do
    for i = 1, #rec.bodies do
      local p = { M.pose(rec, poses[k], i) }
      for c = 1, p[1] and 3 or 0 do low[c], high[c] = math.min(low[c], p[c]), math.max(high[c], p[c]) end
    end
  end
  local most = 0
  for c = 1, 3 do most = math.max(most, high[c] - low[c]) end
  return most > 0 and most ~= math.huge and most / 2 or 1
end

-- Where connections hold the bodies: lists of points by body.
local function anchors(rec)
  local out = {}
  for i = 0, #rec.bodies do out[i] = {} end
  for _, connection in ipairs(rec.connections) do
    for _, side in ipairs{ "a", "b" } do
      local frame = connection["frame_" .. side]
      local list = out[connection[side]]
      if connection.kind ~= "free" then list[#list + 1] = frame and frame.position or connection["point_" .. side] end
    end
  end
  return out
end

-- Bars between the points, or from the one to the mass centre.
local function bars(points, centre, thick)
  local s = { points = {}, faces = {} }
  for k = 2, #points do triangles.bar(s, points[k - 1], points[k], thick) end
  if #points == 1 then triangles.bar(s, points[1], centre, thick) end
  return s
end

--- A surface for every body, in its frame; bodies without a shape are bars between their joints.
-- @tparam Recorder rec
-- @tparam table poses of M.poses
-- @treturn table a list; nil (false) where there is nothing to be seen
function M.of(rec, poses)
  local reach, held, out = M.reach(rec, poses), anchors(rec), {}
  local n = #rec.bodies > 200 and 5 or 10
  for i, body in ipairs(rec.bodies) do
    local shape = body.visuals and { kind = "compound", parts = body.visuals } or body.shape
    local s = shape and triangles.of(shape, rec.planar, n, 3 * reach)
      or bars(held[i], body.com or { 0, 0, 0 }, 0.01 * reach)
    out[i] = #s.faces > 0 and s or false
  end
  return out
end

return M
