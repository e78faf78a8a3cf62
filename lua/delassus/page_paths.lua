-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Paths of a world's bodies as charts with equal axes: what a page has of the replay where the viewer is not built.
-- @module delassus.page_paths
local pack = require "delassus.pack"
local plot = require "delassus.plot"

local M = {}

local BODIES, POINTS = 8, 240 -- at most, of a chart

-- The bodies that move farthest (sum of the lengths between the frames looked at), in the order of the scene.
local function movers(at, n, frames)
  local far = {}
  for i = 1, n do
    local length, x, y, z = 0, nil, nil, nil
    for _, k in ipairs(frames) do
      local a, b, c = at(k, i)
      if a == a then
        if x then length = length + math.sqrt((a - x) ^ 2 + (b - y) ^ 2 + (c - z) ^ 2) end
        x, y, z = a, b, c
      end
    end
    if length > 0 then far[#far + 1] = { i, length } end
  end
  table.sort(far, function(a, b) return a[2] > b[2] or a[2] == b[2] and a[1] < b[1] end)
  local list = {}
  for k = 1, math.min(BODIES, #far) do list[k] = far[k][1] end
  table.sort(list)
  return list, #far
end

-- One chart: coordinates `p` and `q` (1 to 3) of the paths.
local function chart(scene, at, list, frames, p, q, title)
  local x, y = {}, {}
  local total = #list * #frames
  for place, i in ipairs(list) do
    local heights = {}
    for m = 1, total do heights[m] = 0 / 0 end
    for m, k in ipairs(frames) do
      local point = { at(k, i) }
      local j = (place - 1) * #frames + m
      x[j], heights[j] = point[p] == point[p] and point[p] or 0, point[q]
    end
    y[place] = { ("%s%s"):format(scene.bodies[i].name or "body", scene.bodies[i].name and "" or " " .. i), heights }
  end
  local seen = {}
  for place, pair in ipairs(y) do -- names that two bodies share
    if seen[pair[1]] then pair[1] = ("%s (%d)"):format(pair[1], list[place]) end
    seen[pair[1]] = true
  end
  local label = { "x (m)", "y (m)", "z (m)" }
  return plot{ x = x, y = y, title = title, x_label = label[p], y_label = label[q], equal = true, width = 960, height = 480 }
end

--- Charts (SVG) of the paths of body origins: one in the plane; in space from the front and from above.
-- @tparam table scene of kind "world", as `delassus.report` takes it
-- @treturn table list of SVG texts; empty where nothing moves
-- @treturn number how many bodies move
function M.charts(scene)
  local n, stride, total = #scene.bodies, scene.planar and 3 or 7, #scene.time
  local poses = scene.poses
  if type(poses) == "string" then poses = pack.unpack("f", poses, 1, #poses // 4) end
  local function at(k, i)
    local j = ((k - 1) * n + i - 1) * stride
    return poses[j + 1], poses[j + 2], scene.planar and 0 or poses[j + 3]
  end
  local frames, every = {}, math.max(1, (total - 1) / (POINTS - 1))
  for m = 0, math.min(total, POINTS) - 1 do frames[m + 1] = math.floor(1 + m * every + 0.5) end
  local list, moving = movers(at, n, frames)
  if #list == 0 then return {}, 0 end
  if scene.planar then return { chart(scene, at, list, frames, 1, 2, "Paths") }, moving end
  return { chart(scene, at, list, frames, 1, 3, "Paths, from the front"),
    chart(scene, at, list, frames, 1, 2, "Paths, from above") }, moving
end

return M
