-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Reports: one page with a replay, charts, key numbers and tables, that opens from a file.
--
-- Plain tables in, one page out; a report knows no world. With the built viewer (`make viewer`) beside this module
-- the page replays the scene; without it the page holds the same tables and charts (SVG) and says how to get it.
--
--     local report = require "delassus.report"
--     local r = report{
--       title = "A pile of 60 logs",                                 -- required
--       subtitle = "dropped 0.5 m onto a floor",
--       text = { "A paragraph under the tables." },
--       numbers = { {"Peak force", 81234.5, "N"}, {"Collisions", 5120} },     -- label, number or string, unit
--       tables = { { title = "Logs", columns = {"log", "peak force (N)"}, rows = { {1, 81234.5}, ... }, note = nil } },
--       charts = { {
--         title = "Force at the contacts", x_label = "time (s)", y_label = "force (N)",
--         x = {0, 1e-4, ...}, y = { floor = {...}, ["gap 2"] = {...} },       -- any number of series; NaN is a hole
--         order = nil,        -- names in the order wanted; default: sorted, numbers in names by value
--         shown = nil,        -- names drawn at first; default: all up to eight (the rest can be chosen on the page)
--         style = "line",     -- "steps", "bars" (a histogram: x are the centres), "points"
--         linked = true,      -- x is the scene's time: the chart's cursor and the scrubber move together
--       } },
--       scene = { ... },      -- see below, or a recorder of delassus.record
--     }
--     assert(r:save("stack.html"))           -- or "stack.json"; true, or nil and a message; r:html() is the string
--
-- **Scene of bars**, a pile on a vertical line (from the floor up; contact 1 is at the floor, as in `delassus.stack`):
--
--     { kind = "bars",
--       time = {t1, t2, ...},                                 -- one a frame, rising; a few hundred frames are enough
--       bars = { {name = nil, radius = 0.1, length = 2.4, stiffness = 1e7}, ... },   -- radius 0: drawn as thin bars
--       heights = { {h1, ..., hn}, ... },                     -- a list a frame: centres above the floor
--       forces = { {f1, ..., fn}, ... },                      -- a list a frame, n + 1 with a ceiling; may be nil
--       floor = 0, ceiling = nil,                             -- heights of the two walls
--       exaggeration = nil }                                  -- of the drawn compression; default: so that it is seen
--
-- **Scene of a world**: see `delassus.record`, whose recorder is given as `scene`.
-- @module delassus.report
local check = require "delassus.check"
local json = require "delassus.json"
local page = require "delassus.page"
local plot = require "delassus.plot"
local scenes = require "delassus.scene"

local M = {}

local NAME = "delassus.report"
local KNOWN = { "title", "subtitle", "text", "numbers", "tables", "charts", "scene" }
local CHART = { "title", "x_label", "y_label", "x", "y", "order", "shown", "style", "linked" }
local TABLE = { "title", "columns", "rows", "note" }
local STYLES = { "line", "steps", "points", "bars" }

local function list_of(key, value, kind)
  value = check.entries(NAME, key, value)
  for i = 1, #value do
    if type(value[i]) ~= kind then
      check.fail(NAME, "'%s[%d]' must be a %s, got %s", key, i, kind, check.shown(value[i]))
    end
  end
  return value
end

local function cell(value)
  if value == nil or type(value) == "number" or type(value) == "boolean" then return value end
  return tostring(value)
end

local function read_numbers(list)
  local out = {}
  for i, row in ipairs(list_of("numbers", list, "table")) do
    if row[1] == nil or row[2] == nil then
      check.fail(NAME, "'numbers[%d]' must be {label, value, unit}", i)
    end
    out[i] = { tostring(row[1]), cell(row[2]), row[3] and tostring(row[3]) }
  end
  return out
end

local function read_table(given, i)
  local name = ("%s: tables[%d]"):format(NAME, i)
  check.options(name, given, TABLE)
  if type(given.columns) ~= "table" or type(given.rows) ~= "table" then
    check.fail(name, "'columns' and 'rows' are required: lists")
  end
  local out = { title = check.string(name, "title", given.title, true),
    note = check.string(name, "note", given.note, true), columns = json.list(), rows = json.list() }
  for k = 1, #given.columns do out.columns[k] = tostring(given.columns[k]) end
  for r = 1, #given.rows do
    if type(given.rows[r]) ~= "table" then check.fail(name, "'rows[%d]' must be a list", r) end
    local row = json.list()
    for k = 1, #out.columns do
      local value = cell(given.rows[r][k])
      if value == nil then value = json.null end
      row[k] = value
    end
    out.rows[r] = row
  end
  return out
end

-- A chart keeps its lists; they are written as numbers where few and as bytes where many (`scene.array`).
local function read_chart(given, i)
  local name = ("%s: charts[%d]"):format(NAME, i)
  check.options(name, given, CHART)
  local out = { x = check.list(name, "x", given.x), y = {}, style = given.style, linked = given.linked ~= false }
  check.choice(name, "style", given.style, STYLES, true)
  for _, key in ipairs{ "title", "x_label", "y_label" } do
    out[key] = check.string(name, key, given[key], true)
  end
  if given.style == "bars" and given.linked == nil then out.linked = false end
  if type(given.y) ~= "table" then
    check.fail(name, "'y' must be a table of named lists, got %s", check.shown(given.y))
  end
  out.order = given.order or check.sorted_names(given.y)
  if type(out.order) ~= "table" then
    check.fail(name, "'order' must be a list of names, got %s", check.shown(out.order))
  end
  for k, key in ipairs(out.order) do
    if given.y[key] == nil then check.fail(name, "'order[%d]' names no series: %s", k, check.shown(key)) end
    out.y[key] = check.list(name, "y." .. tostring(key), given.y[key])
    if #out.y[key] ~= #out.x then
      check.fail(name, "'y.%s' must have as many numbers as 'x' (%d), got %d", key, #out.x, #out.y[key])
    end
  end
  for k, key in ipairs(given.shown or {}) do
    if not out.y[key] then check.fail(name, "'shown[%d]' names no series: %s", k, check.shown(key)) end
  end
  out.shown = given.shown
  return out
end

local function chart_data(chart)
  local series = json.list()
  for k, name in ipairs(chart.order) do series[k] = { name = name, y = scenes.array(chart.y[name]) } end
  return { title = chart.title, x_label = chart.x_label, y_label = chart.y_label, style = chart.style,
    linked = chart.linked, x = scenes.array(chart.x), series = series,
    shown = chart.shown and json.list(table.move(chart.shown, 1, #chart.shown, 1, {})) }
end

local Report = {}
Report.__index = Report
Report.__name = "delassus.Report"

--- The page's data as one table of plain values, as src/viewer/README.md describes it.
function Report:data()
  local charts = json.list()
  for i, chart in ipairs(self.charts) do charts[i] = chart_data(chart) end
  return { format = "delassus.report", version = 1, title = self.title, subtitle = self.subtitle,
    text = json.list(self.text), numbers = json.list(self.numbers), tables = json.list(self.tables), charts = charts,
    scene = self.scene and scenes.encode(self.scene) }
end

--- The data as JSON.
function Report:json()
  return json.encode(self:data())
end

--- The page as a string: with the replay where the viewer is built, with tables and SVG charts anyway.
function Report:html()
  local template = page.template()
  if template then return page.fill(template, self:json(), self.title) end
  return page.plain(self)
end

-- Whether it has been told that pages have no replay.
local told = false

--- Writes the page (".html") or its data (".json"). Where the viewer is not built, the terminal (stderr) says so once.
-- @treturn boolean|nil true, or nil and a message where the file cannot be written
-- @raise for another ending
function Report:save(path)
  check.string("report:save", "file", path)
  local ending = path:lower():match("%.(%w+)$")
  if ending ~= "html" and ending ~= "json" then
    check.fail("report:save", "a report is saved as .html or .json, got %s", check.shown(path))
  end
  local ok, message = plot.write(path, ending == "html" and self:html() or self:json() .. "\n")
  if ok and ending == "html" and not told and not page.template() then
    told = true
    io.stderr:write("delassus: the replay page is not built (make viewer): ", path, " has paths, charts and tables\n")
  end
  return ok, message
end

function Report:__tostring()
  return ("delassus.Report (%q, %d charts, %d tables)"):format(self.title, #self.charts, #self.tables)
end

--- Makes a report; nothing is written before `save`.
-- @tparam table options see above
-- @raise for an unknown or wrong option, naming it
function M.new(options)
  check.options(NAME, options, KNOWN)
  if options.title == nil then check.fail(NAME, "'title' is required") end
  local out = { title = check.string(NAME, "title", options.title),
    subtitle = check.string(NAME, "subtitle", options.subtitle, true),
    text = table.move(list_of("text", options.text, "string"), 1, #(options.text or {}), 1, {}),
    numbers = read_numbers(options.numbers), tables = {}, charts = {} }
  for i, given in ipairs(list_of("tables", options.tables, "table")) do out.tables[i] = read_table(given, i) end
  for i, given in ipairs(list_of("charts", options.charts, "table")) do out.charts[i] = read_chart(given, i) end
  if options.scene ~= nil then out.scene = scenes.read(NAME .. ": scene", options.scene) end
  return setmetatable(out, Report)
end

return setmetatable(M, { __call = function(_, options) return M.new(options) end })
