-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Drawing of a chart as SVG: ticks, axes, legend, curves. `delassus.plot` checks the options and calls `draw`.
-- @module delassus.svg
local M = {}

local COLOURS = { "#c8643c", "#3f7fb5", "#5b9a57", "#a05fa8", "#c79a2b", "#3fa39b", "#b8556f", "#7a7f88" }
local MARGIN = { left = 74, right = 16, top = 12, bottom = 34 }

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

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }
function M.escape(s)
  return (tostring(s):gsub('[&<>"]', ENTITIES))
end

local function finite(x)
  return x == x and x ~= math.huge and x ~= -math.huge
end

local function span(lists)
  local low, high = math.huge, -math.huge
  for _, list in ipairs(lists) do
    for _, v in ipairs(list) do
      if finite(v) then low, high = math.min(low, v), math.max(high, v) end
    end
  end
  if low > high then return 0, 1 end
  return low, high
end

-- A polyline through many points: of those that fall into one column of the picture, the first, least, greatest and
-- last are kept, so that no peak is lost and the text stays short.
local function thinned(points)
  local out, n, i = {}, #points, 1
  while i <= n do
    local column, j, least, most = math.floor(points[i][1]), i, i, i
    while j < n and math.floor(points[j + 1][1]) == column do
      j = j + 1
      if points[j][2] < points[least][2] then least = j end
      if points[j][2] > points[most][2] then most = j end
    end
    local kept = { i, math.min(least, most), math.max(least, most), j }
    for k, index in ipairs(kept) do
      if k == 1 or index ~= kept[k - 1] then out[#out + 1] = points[index] end
    end
    i = j + 1
  end
  return out
end

local function number(x)
  return (("%.2f"):format(x):gsub("%.?0+$", ""):gsub("^%-0$", "0"))
end

local function run_path(points, style)
  local out = {}
  for k, p in ipairs(thinned(points)) do
    local previous = out[#out]
    if k == 1 then out[1] = "M" .. number(p[1]) .. " " .. number(p[2])
    elseif style == "steps" and previous then out[#out + 1] = "H" .. number(p[1]) .. "V" .. number(p[2])
    else out[#out + 1] = "L" .. number(p[1]) .. " " .. number(p[2]) end
  end
  if #points == 1 then out[#out + 1] = "h0.01" end
  return table.concat(out)
end

local function curve(xs, ys, at_x, at_y, colour, style)
  local out, run = {}, {}
  local function flush()
    if #run > 0 then out[#out + 1] = run_path(run, style) end
    run = {}
  end
  for i = 1, #xs do
    if finite(xs[i]) and finite(ys[i]) then run[#run + 1] = { at_x(xs[i]), at_y(ys[i]) } else flush() end
  end
  flush()
  return ('<path fill="none" stroke="%s" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round" d="%s"/>')
    :format(colour, table.concat(out))
end

local function dots(xs, ys, at_x, at_y, colour)
  local out = {}
  for i = 1, #xs do
    if finite(xs[i]) and finite(ys[i]) then
      out[#out + 1] = ('<circle cx="%s" cy="%s" r="2.5"/>'):format(number(at_x(xs[i])), number(at_y(ys[i])))
    end
  end
  return ('<g fill="%s">%s</g>'):format(colour, table.concat(out))
end

local function columns(xs, ys, at_x, at_y, colour)
  local out, half = {}, #xs > 1 and (xs[2] - xs[1]) * 0.44 or 0.4
  for i = 1, #xs do
    if finite(xs[i]) and finite(ys[i]) then
      local top, base = at_y(math.max(ys[i], 0)), at_y(math.min(ys[i], 0))
      out[#out + 1] = ('<rect x="%s" y="%s" width="%s" height="%s"/>'):format(number(at_x(xs[i] - half)), number(top),
        number(at_x(xs[i] + half) - at_x(xs[i] - half)), number(base - top))
    end
  end
  return ('<g fill="%s" fill-opacity="0.75">%s</g>'):format(colour, table.concat(out))
end

local function axes(frame, x_ticks, x_step, y_ticks, y_step, at_x, at_y, o)
  local out = { '<g font-size="11" fill="#756f66">' }
  local function add(text, ...) out[#out + 1] = text:format(...) end
  for _, v in ipairs(y_ticks) do
    local y = number(at_y(v))
    add('<path stroke="#756f66" stroke-opacity="0.22" d="M%s %sH%s"/>', number(frame.left), y, number(frame.right))
    add('<text x="%s" y="%s" text-anchor="end" dy="0.32em">%s</text>', number(frame.left - 8), y, M.tick_text(v,
      y_step))
  end
  for _, v in ipairs(x_ticks) do
    local x = number(at_x(v))
    add('<path stroke="#756f66" stroke-opacity="0.22" d="M%s %sV%s"/>', x, number(frame.top), number(frame.bottom))
    add('<text x="%s" y="%s" text-anchor="middle">%s</text>', x, number(frame.bottom + 16), M.tick_text(v, x_step))
  end
  if o.x_label then
    add('<text x="%s" y="%s" text-anchor="middle">%s</text>', number((frame.left + frame.right) / 2),
      number(frame.bottom + 34), M.escape(o.x_label))
  end
  if o.y_label then
    local x, y = number(14), number((frame.top + frame.bottom) / 2)
    add('<text x="%s" y="%s" text-anchor="middle" transform="rotate(-90 %s %s)">%s</text>',
      x, y, x, y, M.escape(o.y_label))
  end
  out[#out + 1] = "</g>"
  return table.concat(out, "\n")
end

-- The legend's entries, in rows that do not run over the right edge; returns the text and the height it took.
local function legend(names, width, top)
  local out, x, y = {}, 0, top
  for k, name in ipairs(names) do
    local wide = 26 + 6.4 * (utf8.len(name) or #name)
    if x > 0 and MARGIN.left + x + wide > width - MARGIN.right then x, y = 0, y + 18 end
    local left = MARGIN.left + x
    out[#out + 1] = ('<rect x="%s" y="%s" width="9" height="9" rx="2.5" fill="%s"/><text x="%s" y="%s">%s</text>')
      :format(number(left), number(y + 2), COLOURS[(k - 1) % #COLOURS + 1], number(left + 14), number(y + 10.5),
        M.escape(name))
    x = x + wide
  end
  return '<g font-size="12" fill="#756f66">' .. table.concat(out) .. "</g>", y + 18 - top
end

--- The scale of a chart: the picture's frame and the maps from values to its coordinates.
local function layout(o, names, top)
  local frame = { left = MARGIN.left, right = o.width - MARGIN.right, top = top,
    bottom = o.height - (o.x_label and MARGIN.bottom + 10 or MARGIN.bottom - 6) }
  local lists = {}
  for _, name in ipairs(names) do lists[#lists + 1] = o.y[name] end
  local y_low, y_high = span(lists)
  local x_low, x_high = span{ o.x }
  if o.style == "bars" then
    local half = #o.x > 1 and (o.x[2] - o.x[1]) / 2 or 0.5
    x_low, x_high, y_low = x_low - half, x_high + half, math.min(0, y_low)
  end
  if x_high <= x_low then x_low, x_high = x_low - 0.5, x_high + 0.5 end
  local y_ticks, y_step = M.ticks(y_low, y_high, math.max(2, (frame.bottom - frame.top) // 44))
  local all_x, x_step = M.ticks(x_low, x_high, math.max(2, (frame.right - frame.left) // 90))
  local x_ticks = {}
  for _, v in ipairs(all_x) do
    if v >= x_low - 1e-9 * x_step and v <= x_high + 1e-9 * x_step then x_ticks[#x_ticks + 1] = v end
  end
  local bottom, top_value = y_ticks[1], y_ticks[#y_ticks]
  local function at_x(v) return frame.left + (v - x_low) / (x_high - x_low) * (frame.right - frame.left) end
  local function at_y(v) return frame.bottom - (v - bottom) / (top_value - bottom) * (frame.bottom - frame.top) end
  return frame, x_ticks, x_step, y_ticks, y_step, at_x, at_y
end

--- The chart as text.
-- @tparam table o the options of `delassus.plot`, checked, defaults filled in
-- @tparam table names of the series, in the order drawn
function M.draw(o, names)
  local top, head = MARGIN.top, {}
  if o.title then
    head[1] = ('<text x="%d" y="%d" font-size="14" font-weight="600" fill="currentColor">%s</text>')
      :format(MARGIN.left, top + 12, M.escape(o.title))
    top = top + 24
  end
  if #names > 1 or names[1] ~= "" then
    local text, taken = legend(names, o.width, top)
    head[#head + 1], top = text, top + taken + 6
  end
  local frame, x_ticks, x_step, y_ticks, y_step, at_x, at_y = layout(o, names, top)
  local body = { axes(frame, x_ticks, x_step, y_ticks, y_step, at_x, at_y, o) }
  for k, name in ipairs(names) do
    local colour = COLOURS[(k - 1) % #COLOURS + 1]
    local make = o.style == "points" and dots or o.style == "bars" and columns or curve
    body[#body + 1] = make(o.x, o.y[name], at_x, at_y, colour, o.style)
  end
  return ([[
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img"
  font-family="system-ui, sans-serif">
%s
%s
</svg>
]]):format(o.width, o.height, o.width, o.height, table.concat(head, "\n"), table.concat(body, "\n"))
end

return M
