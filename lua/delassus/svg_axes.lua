-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Axes of charts: round ticks, their texts, the maps from values to pixels. For `delassus.svg`.
-- @module delassus.svg_axes
local M = {}

--- The frame's distance from the picture's edges, pixels.
M.MARGIN = { left = 74, right = 16, top = 12, bottom = 34 }
local MARGIN = M.MARGIN

--- Round numbers from at most `low` to at least `high`: steps of 1, 2 or 5 times a power of ten, about `count` of them.
-- @treturn table the list of ticks, first <= low and last >= high
-- @treturn number the step
function M.ticks(low, high, count)
  if high <= low then
    local pad = low == 0 and 1 or math.abs(low) * 0.5
    low, high = low - pad, high + pad
  end
  local raw = (high - low) / math.max(1, count or 5)
  local power = 10.0 ^ math.floor(math.log(raw, 10))
  local step = 10 * power
  for _, m in ipairs{ 1, 2, 5 } do
    if m * power >= raw * (1 - 1e-9) then step = m * power break end
  end
  local list = {}
  local first = math.floor(low / step + 1e-9)
  local k = first
  repeat
    list[#list + 1] = k * step
    k = k + 1
  until list[#list] >= high - 1e-9 * step
  return list, step
end

--- A tick's number, with as many decimals as its step needs.
function M.tick_text(value, step)
  local size = math.max(math.abs(value), step)
  if size >= 1e6 or step < 1e-5 then
    local text = ("%.3g"):format(math.abs(value) < step * 1e-6 and 0 or value)
    return (text:gsub("e([+-])0*(%d)", function(sign, digits) return "e" .. (sign == "-" and "-" or "") .. digits end))
  end
  local decimals = math.max(0, math.ceil(-math.log(step, 10) - 1e-9))
  local text = ("%." .. decimals .. "f"):format(value)
  return (text:gsub("^%-(0%.?0*)$", "%1"))
end

-- What can be drawn: spans of larger numbers are no numbers.
local function finite(x)
  return math.abs(x) <= 1e300
end

-- Least and greatest of what can be drawn: on a logarithmic axis only what is > 0.
local function span(lists, log)
  local low, high = math.huge, -math.huge
  for _, list in ipairs(lists) do
    for _, v in ipairs(list) do
      if finite(v) and (not log or v > 0) then low, high = math.min(low, v), math.max(high, v) end
    end
  end
  if low > high then return log and 1 or 0, log and 10 or 1 end
  return low, high
end

--- Ticks of a logarithmic axis: powers of ten, with 2 and 5 between where there are few.
-- @treturn table the ticks, first <= low and last >= high
function M.log_ticks(low, high)
  local first, last = math.floor(math.log(low, 10) + 1e-9), math.ceil(math.log(high, 10) - 1e-9)
  if last <= first then last = first + 1 end
  local stride, list = math.max(1, math.ceil((last - first) / 8)), {}
  for k = first, last + (stride - 1 - (last - first - 1) % stride), stride do
    list[#list + 1] = 10.0 ^ k
    if last - first <= 2 and k < last then list[#list + 1], list[#list + 2] = 2 * 10.0 ^ k, 5 * 10.0 ^ k end
  end
  return list
end

--- A tick's number on a logarithmic axis.
function M.log_text(value)
  if value >= 1e-3 and value < 1e5 then return (("%.6f"):format(value):gsub("%.?0+$", "")) end
  return (("%.0e"):format(value):gsub("e([+-])0*(%d)", function(sign, d) return "e" .. (sign == "-" and "-" or "") .. d end))
end

-- An axis over low .. high from pixel `from` to pixel `to`: ticks (within its ends), text of a tick, map to pixels.
-- whole: the ends are ticks.
local function axis(low, high, from, to, count, log, whole)
  local ticks, step
  if log then
    ticks = M.log_ticks(low, high)
  else
    ticks, step = M.ticks(low, high, count)
  end
  if whole then low, high = ticks[1], ticks[#ticks] end
  local kept, slack = {}, log and 0 or 1e-9 * step
  for _, v in ipairs(ticks) do
    if v >= low * (log and 1 - 1e-9 or 1) - slack and v <= high * (log and 1 + 1e-9 or 1) + slack then kept[#kept + 1] = v end
  end
  local a, b = log and math.log(low) or low, log and math.log(high) or high
  return { ticks = kept, low = low, high = high,
    text = log and M.log_text or function(v) return M.tick_text(v, step) end,
    at = function(v) return from + ((log and math.log(v) or v) - a) / (b - a) * (to - from) end }
end

-- Whether numbers rise all along: then what ends at the frame is a course in time, not a curve that turns there.
local function rises(list)
  for i = 2, #list do
    if list[i] < list[i - 1] then return false end
  end
  return true
end

local ROOM = 0.025 -- of the span, at either end, for curves that turn and for points

--- The scale of a chart: the picture's frame and the maps from values to its coordinates.
local function layout(o, names, top)
  local frame = { left = MARGIN.left, right = o.width - MARGIN.right - (o.kind == "heat" and 62 or 0), top = top,
    bottom = o.height - (o.x_label and MARGIN.bottom + 10 or MARGIN.bottom - 6) }
  local lists = { o.rows }
  if o.kind ~= "heat" then
    for i, name in ipairs(names) do lists[i] = o.y[name] end
  end
  local y_low, y_high = span(lists, o.log_y)
  local x_low, x_high = span({ o.x }, o.log_x)
  if o.style == "bars" then
    local half = #o.x > 1 and (o.x[2] - o.x[1]) / 2 or 0.5
    x_low, x_high, y_low = x_low - half, x_high + half, math.min(0, y_low)
  end
  for name, list in next, o.error or {} do
    for i, half in ipairs(list) do
      local v = o.y[name][i]
      if finite(v) and finite(half) then
        y_high = math.max(y_high, v + half)
        if not o.log_y or v - half > 0 then y_low = math.min(y_low, v - half) end
      end
    end
  end
  if x_high <= x_low then x_low, x_high = o.log_x and x_low / 2 or x_low - 0.5, o.log_x and x_low * 2 or x_high + 0.5 end
  if o.style ~= "bars" and o.kind ~= "heat" and (o.style == "points" or not rises(o.x)) then
    local most = o.log_x and (x_high / x_low) ^ ROOM or ROOM * (x_high - x_low)
    if o.log_x then x_low, x_high = x_low / most, x_high * most else x_low, x_high = x_low - most, x_high + most end
  end
  if o.kind == "heat" then -- cells reach half a step beyond the first and the last
    local n, m = #o.x, #o.rows
    x_low, x_high = x_low - (o.x[2] - o.x[1]) / 2, x_high + (o.x[n] - o.x[n - 1]) / 2
    y_low, y_high = y_low - (o.rows[2] - o.rows[1]) / 2, y_high + (o.rows[m] - o.rows[m - 1]) / 2
  end
  if o.x_range then x_low, x_high = o.x_range[1], o.x_range[2] end
  if o.y_range then y_low, y_high = o.y_range[1], o.y_range[2] end
  local wide, tall = frame.right - frame.left, frame.bottom - frame.top
  if o.equal then -- the shorter way in pixels a unit for both; the other axis shows more
    if y_high <= y_low then y_low, y_high = y_low - 0.5, y_high + 0.5 end
    local unit = math.min(wide / (x_high - x_low), tall / (y_high - y_low))
    local more_x, more_y = wide / unit - (x_high - x_low), tall / unit - (y_high - y_low)
    x_low, x_high, y_low, y_high = x_low - more_x / 2, x_high + more_x / 2, y_low - more_y / 2, y_high + more_y / 2
  end
  local whole = not (o.equal or o.y_range or o.kind == "heat")
  return frame, axis(x_low, x_high, frame.left, frame.right, math.max(2, wide // 90), o.log_x, false),
    axis(y_low, y_high, frame.bottom, frame.top, math.max(2, tall // 44), o.log_y, whole)
end

M.finite, M.span, M.layout = finite, span, layout

return M
