-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- A recorder's frames as a report shows them: the scene and the charts of its series.
-- @module delassus.record_scene
local check = require "delassus.check"

local M = {}

-- One byte string of all frames; bodies that were added later are absent before.
local function joined(frames, n, stride, part)
  local out, nan = {}, ("<f"):pack(0 / 0)
  for k, frame in ipairs(frames) do out[k] = part(frame) .. nan:rep((n - frame.n) * stride) end
  return table.concat(out)
end

--- The scene of a report: `report{ title = "...", scene = rec }` calls this.
function M.scene(rec)
  local frames, n = rec:kept(), #rec.bodies
  if #frames == 0 then check.fail("rec:scene", "there is no frame yet") end
  local out = { kind = "world", planar = rec.planar, time = rec:times(), bodies = rec.bodies,
    connections = rec.connections, speed = rec.speed,
    poses = joined(frames, n, rec.stride, function(frame) return frame.poses end), channels = {} }
  for c, channel in ipairs(rec.channels) do
    out.channels[c] = { name = channel.name, label = channel.label, unit = channel.unit, range = channel.range,
      values = joined(frames, n, 1, function(frame) return frame.channels[c] end) }
  end
  if rec.contacts then
    local offsets, values, total = { 0 }, {}, 0
    for k, frame in ipairs(frames) do
      total = total + #frame.contacts // (rec.planar and 16 or 24)
      offsets[k + 1], values[k] = total, frame.contacts
    end
    out.contacts = { offsets = offsets, values = table.concat(values) }
  end
  return out
end

-- Whether a series tells nothing: it is among those that need not be shown (`rec.quiet`), and 0 throughout.
local function is_silent(rec, name)
  if not (rec.quiet and rec.quiet[name]) then return false end
  for _, x in ipairs(rec:values(name)) do
    if x ~= 0 and x == x then return false end
  end
  return true
end

--- One sentence about a recording: how many bodies and connections of which kind, how long.
function M.summary(rec)
  local counts, order = {}, {}
  local function count(kind)
    if not counts[kind] then order[#order + 1] = kind end
    counts[kind] = (counts[kind] or 0) + 1
  end
  for _, body in ipairs(rec.bodies) do
    if body.type ~= "static" then count("body") end
  end
  for _, connection in ipairs(rec.connections) do
    local is_joint = connection.frame_a ~= nil
    count(connection.kind == "free" and "joint" or is_joint and connection.kind .. " joint" or connection.kind)
  end
  local words = {}
  for i, kind in ipairs(order) do
    local many = kind == "body" and "bodies" or kind .. "s"
    words[i] = ("%d %s"):format(counts[kind], counts[kind] == 1 and kind or many)
  end
  local times = rec:times()
  if #times > 1 then words[#words + 1] = ("%.4g s"):format(times[#times] - times[1]) end
  return table.concat(words, ", ")
end

--- Charts of the series, as a report takes them.
function M.charts(rec)
  local out, by_title, times = {}, {}, rec:times()
  local columns = {}
  for _, column in ipairs(rec.columns) do
    if not is_silent(rec, column.name) then columns[#columns + 1] = column end
  end
  for _, column in ipairs(columns) do
    local label = column.label or column.name
    local title = column.chart or label:gsub("^%l", string.upper)
    local chart = by_title[title]
    if not chart then
      local quantity = (column.chart or label):gsub("^%u%l", string.lower)
      chart = { title = title, x_label = "time (s)", x = times, y = {}, order = {},
        y_label = column.unit and ("%s (%s)"):format(quantity, column.unit) }
      by_title[title], out[#out + 1] = chart, chart
    end
    chart.y[label], chart.order[#chart.order + 1] = rec:values(column.name), label
  end
  return out
end

return M
