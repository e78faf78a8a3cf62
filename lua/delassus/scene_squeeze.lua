-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Long recordings made small for pages: numbers rounded to steps too small to be seen, told as differences, compressed
-- (`core.squeeze`). The steps are as fine as the room for them allows.
-- @module delassus.scene_squeeze
local core = require "delassus.core"
local json = require "delassus.json"
local pack = require "delassus.pack"

local M = {}

local SHORT = 1 << 18 -- bytes that go as they are
local ROOM = { poses = 3500000, channel = 600000, contacts = 600000 } -- bytes after compression
local FINEST, COARSER, TURNS = 1e-5, 3, 4 -- of the largest number; by which it grows; how often
local TURN = 3e-5 -- of quaternions (a planar angle: twice that, rad)

-- The largest distance from the first number, over columns `first` to `last` of each `period`, in some of the rows.
local function reach_of(bytes, columns, period, first, last)
  local rows, most = #bytes // (4 * columns), 0
  local from = {}
  for row = 0, rows - 1, math.max(1, rows // 24) do
    local x = pack.unpack("f", bytes, 1 + 4 * columns * row, columns)
    for c = 1, columns do
      local k = (c - 1) % period + 1
      if k >= first and k <= last and x[c] == x[c] then
        from[k] = from[k] or x[c]
        most = math.max(most, math.abs(x[c] - from[k]))
      end
    end
  end
  return most
end

-- Compressed at the finest steps that fit into the room; steps(factor) answers a list.
local function fitted(bytes, columns, room, steps)
  local factor, best = 1, nil
  for _ = 1, TURNS do
    best = core.squeeze(bytes, columns, steps(factor))
    if #best <= room then break end
    factor = factor * COARSER
  end
  factor = #best <= room and factor or factor / COARSER
  return { squeezed = pack.base64(best), columns = columns, steps = json.list(steps(factor)) }
end

--- The poses of a scene, or nil where they are short or plain numbers.
function M.poses(scene)
  local bytes = scene.poses
  if type(bytes) ~= "string" or #bytes < SHORT then return nil end
  local planar = scene.planar
  local period = planar and 3 or 7
  local columns = #scene.bodies * period
  local reach = reach_of(bytes, columns, period, 1, planar and 2 or 3)
  if reach == 0 then reach = 1 end
  return fitted(bytes, columns, ROOM.poses, function(factor)
    local p, q = factor * FINEST * reach, factor * TURN
    return planar and { p, p, 2 * q } or { p, p, p, q, q, q, q }
  end)
end

--- The values of a channel of n bodies, or nil.
function M.channel(values, n)
  if type(values) ~= "string" or #values < SHORT then return nil end
  local reach = reach_of(values, n, 1, 1, 1)
  if reach == 0 then reach = 1 end
  return fitted(values, n, ROOM.channel, function(factor) return { 1e-4 * factor * reach } end)
end

local MOST, OFTEN = 75000, 4 -- contacts on a page; frames of which one has contacts, at most

-- The numbers of the strongest `n` contacts of a frame, in their order.
local function strongest(x, width, count, n)
  local list, force = {}, {}
  for i = 1, count do
    local sum = 0
    for k = (i - 1) * width + width // 2 + 1, i * width do sum = sum + x[k] * x[k] end
    list[i], force[i] = i, sum
  end
  if count <= n then return list end
  table.sort(list, function(a, b) return force[a] > force[b] or force[a] == force[b] and a < b end)
  local kept = table.move(list, 1, n, 1, {})
  table.sort(kept)
  return kept
end

--- Contacts { offsets, values }: of many, those of every second to fourth frame (`every`), and of these the strongest.
function M.contacts(contacts, planar)
  local bytes, offsets, width = contacts.values, contacts.offsets, planar and 4 or 6
  if type(bytes) ~= "string" or #bytes < SHORT then return nil end
  local frames = #offsets - 1
  local every = math.min(OFTEN, math.ceil(offsets[frames + 1] / MOST))
  local most = math.max(1, MOST * every // frames)
  local out, kept = { 0 }, {}
  for k = 1, frames, every do
    local count = offsets[k + 1] - offsets[k]
    local first = 1 + 4 * width * offsets[k]
    local x = pack.unpack("f", bytes, first, count * width)
    local list = strongest(x, width, count, most)
    for _, i in ipairs(list) do kept[#kept + 1] = bytes:sub(first + 4 * width * (i - 1), first + 4 * width * i - 1) end
    out[#out + 1] = out[#out] + #list
  end
  local text = table.concat(kept)
  local near, strong = reach_of(text, width, width, 1, width // 2), reach_of(text, width, width, width // 2 + 1, width)
  local values = fitted(text, width, ROOM.contacts, function(factor)
    local p, f = 1e-4 * factor * (near > 0 and near or 1), 1e-3 * factor * (strong > 0 and strong or 1)
    return planar and { p, p, f, f } or { p, p, p, f, f, f }
  end)
  return { offsets = out, values = values, every = every > 1 and every or nil }
end

return M
