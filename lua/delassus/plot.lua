-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Curves as SVG: one chart, any number of series, axes with round numbers.
--
-- @usage
-- local plot = require "delassus.plot"
-- local svg = plot{ x = {0, 1, 2}, y = { height = {2, 1, 0} }, title = "A fall", x_label = "time (s)" }
-- assert(plot{ x = {0, 1, 2}, y = { height = {2, 1, 0} }, file = "fall.svg" })
-- @module delassus.plot
local check = require "delassus.check"
local svg = require "delassus.svg"

local M = {}

local KNOWN = { "x", "y", "title", "x_label", "y_label", "file", "width", "height", "order", "style" }
local STYLES = { "line", "steps", "points", "bars" }

local function read(options)
  local name = "delassus.plot"
  check.options(name, options, KNOWN)
  local o = { style = check.choice(name, "style", options.style, STYLES, true) or "line" }
  for _, key in ipairs{ "title", "x_label", "y_label", "file" } do
    o[key] = check.string(name, key, options[key], true)
  end
  for key, default in next, { width = 640, height = 320 } do
    o[key] = check.number(name, key, options[key], true) or default
    if o[key] < 120 or o[key] > 20000 then
      check.fail(name, "'%s' must be 120 to 20000, got %s", key, tostring(o[key]))
    end
    o[key] = math.floor(o[key])
  end
  if options.x == nil then check.fail(name, "'x' is required: a list of numbers") end
  o.x = check.list(name, "x", options.x)
  if type(options.y) ~= "table" then
    check.fail(name, "'y' must be a table of named lists, { height = {...} }, got %s", check.shown(options.y))
  end
  o.y = {}
  for _, key in ipairs(check.sorted_names(options.y)) do
    if type(key) ~= "string" then check.fail(name, "'y' must be a table of named lists, { height = {...} }") end
    o.y[key] = check.list(name, "y." .. key, options.y[key])
    if #o.y[key] ~= #o.x then
      check.fail(name, "'y.%s' must have as many numbers as 'x' (%d), got %d", key, #o.x, #o.y[key])
    end
  end
  local names = options.order or check.sorted_names(options.y)
  if type(names) ~= "table" then check.fail(name, "'order' must be a list of names, got %s", check.shown(names)) end
  for i, key in ipairs(names) do
    if o.y[key] == nil then check.fail(name, "'order[%d]' names no series of 'y': %s", i, check.shown(key)) end
  end
  if #names == 0 then check.fail(name, "'y' must hold at least one series") end
  return o, names
end

--- Draws a chart.
-- @tparam table options `x` list; `y` named lists as long as x (NaN is a hole); `title`, `x_label`, `y_label`;
-- `order` of the names (default sorted); `style` "line", "steps", "points", "bars"; `width`, `height` in pixels; `file`
-- @treturn string|boolean the SVG; with `file`, true, or nil and a message
-- @raise for an unknown or wrong option, naming it
function M.plot(options)
  local o, names = read(options)
  local text = svg.draw(o, names)
  if not o.file then return text end
  return M.write(o.file, text)
end

--- Writes a whole file: true, or nil and a message.
function M.write(path, text)
  local file, message = io.open(path, "wb")
  if not file then return nil, message end
  local ok, problem = file:write(text)
  local closed, late = file:close()
  if ok and closed then return true end
  return nil, ("%s: %s"):format(path, problem or late or "cannot write")
end

return setmetatable(M, { __call = function(_, options) return M.plot(options) end })
