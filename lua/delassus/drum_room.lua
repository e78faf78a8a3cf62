-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Room for logs in a drum in space. Logs of nearly one diameter are put end to end along the axis, as many as the drum is
-- long; such a row is a disk of the cross-section, which `drum_pack` lays into the lowest free place. A bed laid so is
-- nearly at rest.
-- @module delassus.drum_room
local bed = require "delassus.drum_bed"
local core = require "delassus.core"

local M = {}

local APART = 1e-4 -- of a diameter, at least, between the logs of a row

local function end_to_end(log) return log.length + APART * log.diameter end

local function shuffle(d, list)
  for k = #list, 2, -1 do
    local j = d._random:integer(1, k)
    list[k], list[j] = list[j], list[k]
  end
end

--- Rows of the waiting logs: of nearly one diameter each, in random order.
local function rows_of(d, waiting)
  local sorted = table.move(waiting, 1, #waiting, 1, {})
  for k, log in ipairs(sorted) do log.drawn = k end
  table.sort(sorted, function(a, b)
    if a.diameter ~= b.diameter then return a.diameter < b.diameter end
    return a.drawn < b.drawn
  end)
  local rows, row = {}, nil
  for _, log in ipairs(sorted) do
    log.drawn = nil
    if end_to_end(log) > d.length then
      core.raise("drum", ("logs of %g m do not fit into a drum of %g m"):format(log.length, d.length))
    end
    if not row or row.length + end_to_end(log) > d.length then
      row = { length = 0, radius = 0 }
      rows[#rows + 1] = row
    end
    row[#row + 1] = log
    row.length = row.length + end_to_end(log)
    row.radius = math.max(row.radius, bed.thickest(log) / 2)
  end
  shuffle(d, rows)
  return rows
end

--- Adds the logs of a row at a place of the cross-section, thinner ones lower, evenly spread along the axis.
local function add_row(d, row, x, y)
  shuffle(d, row)
  local gap = (d.length - row.length) / #row
  local at = -d.length / 2
  for _, log in ipairs(row) do
    local room = end_to_end(log) + gap
    bed.add(d, log, x, y - (row.radius - bed.thickest(log) / 2), at + room / 2)
    at = at + room
  end
end

--- Tells a packing of the cross-section where the logs that lie in the drum are: the whole of each, seen along the axis.
function M.show(d, packing)
  for _, body in ipairs(d.logs) do
    local log = body.data
    local r, half = bed.thickest(log) / 2, math.max(log.length - (log.taper and 0 or log.diameter), 0) / 2
    local across, up = bed.centre(d, body)
    local q = body.rotation
    local x, y = 2 * (q[2] * q[3] + q[1] * q[4]), 2 * (q[2] * q[4] - q[1] * q[3]) -- of the axis, across and up
    local n = math.ceil(half * math.sqrt(x * x + y * y) / r)
    for k = -n, n do
      local share = n > 0 and k / n * half or 0
      packing:put(across + share * x, up + share * y, r)
    end
  end
end

--- Lays the waiting logs into a packing of the cross-section; answers how many found no room.
function M.lay(d, packing, waiting)
  local rows = rows_of(d, waiting)
  for k, row in ipairs(rows) do
    local x, y = packing:lay(row.radius)
    if not x then
      local left = 0
      for i = k, #rows do left = left + #rows[i] end
      return left
    end
    add_row(d, row, x, y)
  end
  return 0
end

return M
