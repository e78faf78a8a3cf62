-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Drawing of a chart as SVG: ticks, axes, legend, curves. `delassus.plot` checks the options and calls `draw`.
-- @module delassus.svg
local axes_of = require "delassus.svg_axes"

local M = { ticks = axes_of.ticks, tick_text = axes_of.tick_text }

local finite, layout, number_text = axes_of.finite, axes_of.layout, axes_of.tick_text
local COLOURS = { "#c8643c", "#3f7fb5", "#5b9a57", "#a05fa8", "#c79a2b", "#3fa39b", "#b8556f", "#7a7f88" }
local MARGIN = axes_of.MARGIN

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }
function M.escape(s)
  return (tostring(s):gsub('[&<>"]', ENTITIES):gsub("[\0-\8\11\12\14-\31]", "\u{FFFD}")) -- XML has no place for these
end

-- A polyline through many points: of those that fall into one column, half a pixel wide, the first, least, greatest
-- and last are kept, so that no peak is lost, curves that turn back stay round, and the text stays short.
local function thinned(points)
  local out, n, i = {}, #points, 1
  while i <= n do
    local column, j, least, most = math.floor(2 * points[i][1]), i, i, i
    while j < n and math.floor(2 * points[j + 1][1]) == column do
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

local function axes(frame, x, y, o)
  local out = { '<g font-size="11" fill="#756f66">' }
  local function add(text, ...) out[#out + 1] = text:format(...) end
  for _, v in ipairs(y.ticks) do
    local at = number(y.at(v))
    add('<path stroke="#756f66" stroke-opacity="0.22" d="M%s %sH%s"/>', number(frame.left), at, number(frame.right))
    add('<text x="%s" y="%s" text-anchor="end" dy="0.32em">%s</text>', number(frame.left - 8), at, y.text(v))
  end
  for _, v in ipairs(x.ticks) do
    local at = number(x.at(v))
    add('<path stroke="#756f66" stroke-opacity="0.22" d="M%s %sV%s"/>', at, number(frame.top), number(frame.bottom))
    add('<text x="%s" y="%s" text-anchor="middle">%s</text>', at, number(frame.bottom + 16), x.text(v))
  end
  if o.x_label then
    add('<text x="%s" y="%s" text-anchor="middle">%s</text>', number((frame.left + frame.right) / 2),
      number(frame.bottom + 34), M.escape(o.x_label))
  end
  if o.y_label then
    local left, middle = number(14), number((frame.top + frame.bottom) / 2)
    add('<text x="%s" y="%s" text-anchor="middle" transform="rotate(-90 %s %s)">%s</text>',
      left, middle, left, middle, M.escape(o.y_label))
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

-- Error bars: upright strokes of a half length on both sides.
local function bars_of_error(xs, ys, halves, at_x, at_y, log, colour)
  local out = {}
  for i = 1, #xs do
    if finite(xs[i]) and finite(ys[i]) and finite(halves[i]) and (not log or ys[i] - halves[i] > 0) then
      local x = number(at_x(xs[i]))
      out[#out + 1] = ("M%s %sV%s"):format(x, number(at_y(ys[i] - halves[i])), number(at_y(ys[i] + halves[i])))
    end
  end
  return ('<path fill="none" stroke="%s" stroke-width="1" d="%s"/>'):format(colour, table.concat(out))
end

-- From dark blue over teal to yellow, in which lightness rises all the way.
local SCALE = { { 46, 31, 94 }, { 49, 84, 132 }, { 38, 130, 142 }, { 83, 178, 120 }, { 244, 225, 80 } }
local function shade(share)
  local at = math.max(0, math.min(1, share)) * (#SCALE - 1)
  local k = math.min(math.floor(at), #SCALE - 2)
  local a, b, f, rgb = SCALE[k + 1], SCALE[k + 2], at - k, {}
  for i = 1, 3 do rgb[i] = math.floor(a[i] + f * (b[i] - a[i]) + 0.5) end
  return ("#%02x%02x%02x"):format(rgb[1], rgb[2], rgb[3])
end

-- Edges of cells: halfway between the centres.
local function edges(list)
  local n, out = #list, {}
  out[1] = list[1] - (list[2] - list[1]) / 2
  for i = 2, n do out[i] = (list[i - 1] + list[i]) / 2 end
  out[n + 1] = list[n] + (list[n] - list[n - 1]) / 2
  return out
end

-- Cells and, on the right, the scale of their colours.
local function heat(o, frame, x, y)
  local low, high = axes_of.span(o.z)
  if high <= low then high = low + 1 end
  local out, ex, ey = {}, edges(o.x), edges(o.rows)
  for j, row in ipairs(o.z) do
    for i, v in ipairs(row) do
      local left, right, bottom, top = x.at(ex[i]), x.at(ex[i + 1]), y.at(ey[j]), y.at(ey[j + 1])
      left, right = math.max(left, frame.left), math.min(right, frame.right)
      top, bottom = math.max(top, frame.top), math.min(bottom, frame.bottom)
      if finite(v) and right > left and bottom > top then
        out[#out + 1] = ('<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>'):format(number(left), number(top),
          number(right - left + 0.3), number(bottom - top + 0.3), shade((v - low) / (high - low)))
      end
    end
  end
  local n, left = 24, frame.right + 12
  local tall = frame.bottom - frame.top
  for k = 0, n - 1 do
    out[#out + 1] = ('<rect x="%s" y="%s" width="12" height="%s" fill="%s"/>'):format(number(left),
      number(frame.bottom - (k + 1) * tall / n), number(tall / n + 0.3), shade((k + 0.5) / n))
  end
  local ticks, step = axes_of.ticks(low, high, math.max(2, tall // 44))
  for _, v in ipairs(ticks) do
    if v >= low - 1e-9 * step and v <= high + 1e-9 * step then
      out[#out + 1] = ('<text x="%s" y="%s" dy="0.32em" font-size="11" fill="#756f66">%s</text>'):format(number(left + 16),
        number(frame.bottom - (v - low) / (high - low) * tall), number_text(v, step))
    end
  end
  return table.concat(out, "\n")
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
  local frame, x, y = layout(o, names, top)
  local body = { axes(frame, x, y, o) }
  if o.kind == "heat" then
    body[2] = heat(o, frame, x, y)
    names = {}
  end
  -- what a logarithmic axis cannot show is a hole; what lies beyond a range is cut off
  local function hole(list, log)
    if not log then return list end
    local out = {}
    for i, v in ipairs(list) do out[i] = v > 0 and v or 0 / 0 end
    return out
  end
  local xs = hole(o.x, o.log_x)
  for k, name in ipairs(names) do
    local colour = COLOURS[(k - 1) % #COLOURS + 1]
    local make = o.style == "points" and dots or o.style == "bars" and columns or curve
    body[#body + 1] = make(xs, hole(o.y[name], o.log_y), x.at, y.at, colour, o.style)
    if o.error and o.error[name] then
      body[#body + 1] = bars_of_error(xs, hole(o.y[name], o.log_y), o.error[name], x.at, y.at, o.log_y, colour)
    end
  end
  if (o.x_range or o.y_range) and #names > 0 then
    head[#head + 1] = ('<clipPath id="frame"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath>'):format(
      number(frame.left), number(frame.top), number(frame.right - frame.left), number(frame.bottom - frame.top))
    body[2], body[#body + 1] = '<g clip-path="url(#frame)">' .. body[2], "</g>"
  end
  return ([[
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img"
  font-family="system-ui, sans-serif">
%s
%s
</svg>
]]):format(o.width, o.height, o.width, o.height, table.concat(head, "\n"), table.concat(body, "\n"))
end

--- Several pictures in one, `a_row` beside one another.
-- @tparam table drawn a list of { text, width, height }
function M.sheet(drawn, a_row)
  local out, x, y, tall, wide = {}, 0, 0, 0, 0
  for i, picture in ipairs(drawn) do
    out[#out + 1] = picture.text:gsub("<svg ", ('<svg x="%d" y="%d" '):format(x, y), 1):gsub('"frame"', ('"frame%d"'):format(i))
      :gsub("#frame", "#frame" .. i)
    x, tall, wide = x + picture.width, math.max(tall, picture.height), math.max(wide, x + picture.width)
    if i % a_row == 0 or i == #drawn then x, y, tall = 0, y + tall, 0 end
  end
  return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">\n%s</svg>\n')
    :format(wide, y, wide, y, table.concat(out))
end

return M
