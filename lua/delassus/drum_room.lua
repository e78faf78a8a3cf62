-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Room for logs above the bed of a drum in space: rows of places wide enough for the largest log that waits.
-- @module delassus.drum_room
local bed = require "delassus.drum_bed"
local core = require "delassus.core"

local M = {}

--- Free places for logs of the largest kind, row by row from the surface of the bed upwards.
local function places(d, cell)
  local reach = d.diameter / 2 - (d._lifters.count > 0 and d._lifters.height or 0) - cell / 2
  local taken = {}
  for i, body in ipairs(d.logs) do taken[i] = { bed.centre(d, body) } end
  local list, row = {}, 0
  for up = -reach, reach, cell * 0.88 do
    row = row + 1
    for across = -reach + (row % 2) * cell / 2, reach, cell do
      local free = across ^ 2 + up ^ 2 <= reach ^ 2
      for i = 1, free and #taken or 0 do
        if (taken[i][1] - across) ^ 2 + (taken[i][2] - up) ^ 2 < cell ^ 2 then
          free = false
          break
        end
      end
      if free then list[#list + 1] = { across, up } end
    end
  end
  return list
end

--- How many logs stand behind one another along the axis.
local function layers(d)
  local _, longest = bed.range(d, "length")
  local n = math.floor(d.length / (longest * 1.02))
  if n < 1 then core.raise("drum", ("logs of %g m do not fit into a drum of %g m"):format(longest, d.length)) end
  return n, d.length / n
end

--- Places as many of the waiting logs as there is room for; answers how many.
function M.place(d, waiting)
  local cell = 0
  for _, log in ipairs(waiting) do cell = math.max(cell, log.diameter) end
  cell = cell * 1.02
  local n_layers, depth = layers(d)
  local done = 0
  for _, at in ipairs(places(d, cell)) do
    for k = 1, n_layers do
      local log = table.remove(waiting, 1)
      if not log then return done end
      bed.add(d, log, at[1], at[2], -d.length / 2 + (k - 0.5) * depth)
      done = done + 1
    end
  end
  return done
end

return M
