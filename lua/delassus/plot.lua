-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Curves as SVG: one chart or several, axes with round numbers.
--
-- @usage
-- local plot = require "delassus.plot"
-- local svg = plot{ x = {0, 1, 2}, y = { height = {2, 1, 0} }, title = "A fall", x_label = "time (s)" }
-- assert(plot{ x = {0, 1, 2}, y = { {"height", {2, 1, 0}}, {"speed", {0, 1, 2}} }, file = "fall.svg", log = "y" })
-- plot{ x = {0, 1, 2}, y = {0, 10}, kind = "heat", z = { {1, 2, 3}, {4, 5, 6} } }   -- z[j][i] at x[i], y[j]
-- plot.figures{ { x = t, y = a }, { x = t, y = b }, columns = 2, file = "both.svg" }
-- @module delassus.plot
local check = require "delassus.check"
local json = require "delassus.json"
local svg = require "delassus.svg"

local M = {}

local KNOWN = { "x", "y", "z", "title", "x_label", "y_label", "file", "width", "height", "order", "style", "kind",
  "equal", "log", "x_range", "y_range", "error" }
local STYLES = { "line", "steps", "points", "bars" }
local KINDS = { "line", "scatter", "heat" }
local LOGS = { "x", "y", "xy" }
local NAME = "delassus.plot"

-- { low, high }: two different numbers in rising order.
local function range(key, value)
  if value == nil then return nil end
  local list = check.list(NAME, key, value)
  if #list ~= 2 or list[1] >= list[2] then
    check.fail(NAME, "'%s' must be { low, high } with low < high, got %s", key, check.shown(value))
  end
  return list
end

-- One series: as long as x.
local function series(key, list, n)
  local values = check.list(NAME, key, list)
  if #values ~= n then
    check.fail(NAME, "'%s' must have as many numbers as 'x' (%d), got %d", key, n, #values)
  end
  return values
end

-- y as given (one list, pairs of name and list, named lists) -> lists by name, names in the order drawn.
local function read_series(y, order, n)
  if type(y) ~= "table" and type(y) ~= "userdata" then
    check.fail(NAME, "'y' must be a list, pairs { name, list } or named lists, got %s", check.shown(y))
  end
  local lists, names = {}, {}
  if type(y) == "userdata" or type(y[1]) == "number" then return { [""] = series("y", y, n) }, { "" } end
  if y[1] ~= nil then
    for i, pair in ipairs(y) do
      if type(pair) ~= "table" or type(pair[1]) ~= "string" then
        check.fail(NAME, "'y[%d]' must be a pair { name, list }, got %s", i, check.shown(pair))
      end
      if lists[pair[1]] then check.fail(NAME, "'y' names %s twice", check.shown(pair[1])) end
      names[i], lists[pair[1]] = pair[1], series("y." .. pair[1], pair[2], n)
    end
    return lists, names
  end
  for _, key in ipairs(check.sorted_names(y)) do
    if type(key) ~= "string" then check.fail(NAME, "'y' must be a table of named lists, { height = {...} }") end
    lists[key] = series("y." .. key, y[key], n)
  end
  names = order or check.sorted_names(y)
  if type(names) ~= "table" then check.fail(NAME, "'order' must be a list of names, got %s", check.shown(names)) end
  for i, key in ipairs(names) do
    if lists[key] == nil then check.fail(NAME, "'order[%d]' names no series of 'y': %s", i, check.shown(key)) end
  end
  if #names == 0 then check.fail(NAME, "'y' must hold at least one series") end
  return lists, names
end

-- z[j][i] at x[i], y[j]: cells between rising numbers.
local function read_heat(o, options)
  o.rows = check.list(NAME, "y", options.y)
  if type(options.z) ~= "table" and type(options.z) ~= "userdata" then
    check.fail(NAME, "'z' is required by kind 'heat': a row of numbers for each of 'y'")
  end
  o.z = {}
  for j = 1, #o.rows do
    o.z[j] = series(("z[%d]"):format(j), options.z[j] or {}, #o.x)
  end
  for key, list in next, { x = o.x, y = o.rows } do
    if #list < 2 then check.fail(NAME, "'%s' must have at least two numbers for kind 'heat'", key) end
    for i = 2, #list do
      if list[i] <= list[i - 1] then check.fail(NAME, "'%s' must rise for kind 'heat', got %g at %d", key, list[i], i) end
    end
  end
end

-- Half lengths of error bars by series: one list for all, or named lists.
local function read_error(o, value)
  if value == nil then return end
  o.error = {}
  local one = type(value) == "userdata" or type(value[1]) == "number"
  for name in next, o.y do
    local list = one and value or value[name]
    if list ~= nil then o.error[name] = series("error", list, #o.x) end
  end
end

--- What is drawn is SVG, whatever another ending says.
local function check_ending(name, file)
  local ending = file and file:match("%.(%w+)$")
  if ending and ending:lower() ~= "svg" then check.fail(name, "'file' must end in .svg, got %s", check.shown(file)) end
end

local function read(options)
  check.options(NAME, options, KNOWN)
  local o = { style = check.choice(NAME, "style", options.style, STYLES, true) or "line" }
  o.kind = check.choice(NAME, "kind", options.kind, KINDS, true) or "line"
  if o.kind == "scatter" then o.style = "points" end
  local log = check.choice(NAME, "log", options.log, LOGS, true) or ""
  o.log_x, o.log_y = log:find("x") ~= nil, log:find("y") ~= nil
  if options.equal ~= nil and type(options.equal) ~= "boolean" then
    check.fail(NAME, "'equal' must be true or false, got %s", check.shown(options.equal))
  end
  o.equal = options.equal
  if o.equal and log ~= "" then check.fail(NAME, "'equal' and 'log' exclude each other") end
  if o.style == "bars" and o.log_y then check.fail(NAME, "'log' of y and style 'bars' exclude each other") end
  o.x_range, o.y_range = range("x_range", options.x_range), range("y_range", options.y_range)
  if (o.log_x and o.x_range and o.x_range[1] <= 0) or (o.log_y and o.y_range and o.y_range[1] <= 0) then
    check.fail(NAME, "a range on a logarithmic axis must be > 0")
  end
  for _, key in ipairs{ "title", "x_label", "y_label", "file" } do
    o[key] = check.string(NAME, key, options[key], true)
  end
  check_ending(NAME, o.file)
  for key, default in next, { width = 640, height = 320 } do
    o[key] = check.number(NAME, key, options[key], true) or default
    if o[key] < 120 or o[key] > 20000 then
      check.fail(NAME, "'%s' must be 120 to 20000, got %s", key, tostring(o[key]))
    end
    o[key] = math.floor(o[key])
  end
  if options.x == nil then check.fail(NAME, "'x' is required: a list of numbers") end
  o.x = check.list(NAME, "x", options.x)
  if o.kind == "heat" then
    if log ~= "" then check.fail(NAME, "'log' and kind 'heat' exclude each other") end
    read_heat(o, options)
    return o, { "" }
  end
  if options.z ~= nil then check.fail(NAME, "'z' needs kind 'heat'") end
  local names
  o.y, names = read_series(options.y, options.order, #o.x)
  read_error(o, options.error)
  return o, names
end

--- Draws a chart.
-- @tparam table options `x` list; `y` a list as long as x (NaN is a hole), pairs { name, list } drawn in this order, or
-- named lists with `order` (default sorted); `kind` "line", "scatter", "heat" (then `y` are the rows' places and
-- `z[j][i]` the values); `style` "line", "steps", "points", "bars"; `equal`: one scale for both axes; `log` "x", "y",
-- "xy" (what is not > 0 is a hole); `x_range`, `y_range` { low, high }; `error` half lengths of error bars (a list, or
-- by name); `title`, `x_label`, `y_label`; `width`, `height` in pixels; `file`
-- @treturn string|boolean the SVG; with `file`, true, or nil and a message
-- @raise for an unknown or wrong option, naming it
function M.plot(options)
  local o, names = read(options)
  local text = svg.draw(o, names)
  if not o.file then return text end
  return M.write(o.file, text)
end

--- Several charts in one picture, row by row.
-- @tparam table charts a list of options as for a chart (without `file`); `columns` (default 1), `file`
-- @treturn string|boolean as for one chart
function M.figures(charts)
  if type(charts) ~= "table" or #charts == 0 then
    check.fail("delassus.plot.figures", "expected a list of charts, got %s", check.shown(charts))
  end
  local columns = charts.columns or 1
  if math.type(columns) ~= "integer" or columns < 1 then
    check.fail("delassus.plot.figures", "'columns' must be a whole number >= 1, got %s", check.shown(columns))
  end
  local drawn = {}
  for i, options in ipairs(charts) do
    local o, names = read(options)
    drawn[i] = { text = svg.draw(o, names), width = o.width, height = o.height }
  end
  check_ending("delassus.plot.figures", check.string("delassus.plot.figures", "file", charts.file, true))
  local text = svg.sheet(drawn, columns)
  if not charts.file then return text end
  return M.write(charts.file, text)
end

--- Writes a whole file: true, or nil and a message.
function M.write(path, text)
  local file, message = io.open(path, "wb")
  if not file then return nil, message end
  local ok, problem = file:write(json.utf8(text))
  local closed, late = file:close()
  if ok and closed then return true end
  return nil, ("%s: %s"):format(path, problem or late or "cannot write")
end

return setmetatable(M, { __call = function(_, options) return M.plot(options) end })
