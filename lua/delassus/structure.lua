-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Plane structures with unilateral frictional contacts under a growing load: finite elements, contact pairs, and
-- Lemke's path in the load parameter, which shows every change of the working scheme (Popov & Lovtsov 2023).
--
--    local structure = require "delassus.structure"
--    local st = structure{ assumption = "plane strain" }
--    local a, b = st:node{0, 0}, st:node{4, 0}
--    st:frame{ a, b, E = 2e11, A = 1e-2, I = 1e-5 }
--    st:fix(a, "x", "y", "rotation")
--    st:contact{ on = b, normal = {0, 1}, gap = 0.01, friction = 0.3 }
--    st:load(b, {0, -1000}, "growing")
--    local path = st:follow{ to = 1 }
--    print(path.status, path:at(1).contacts[1].normal_force)
--
-- @module delassus.structure
require "delassus"
local check = require "delassus.check"
local class = require "delassus.class"
local core = require "delassus.core"
local draw = require "delassus.structure_draw"
local page = require "delassus.structure_page"
local plot = require "delassus.plot"
local tables = require "delassus.structure_table"

local M = {}

local DIRECTIONS = { "x", "y", "rotation" }

--- Writes a text to a file, or answers the text where there is none.
local function written(file, text)
  if not file then return text end
  return plot.write(file, text)
end

--- The node with the largest growing load and the direction of that load.
local function loaded_node(path)
  local zero, one = path:step(0), path:step(path.steps)
  if not zero then return nil end
  local d = core.structure_drawing(one)
  local before, best, most = core.structure_drawing(zero).load, 1, -1
  for i = 1, #d.load do
    local grown = math.abs(d.load[i] - before[i])
    if grown > most then best, most = i, grown end
  end
  return (best - 1) // 3 + 1, (best - 1) % 3 + 1
end

--- Displacements and loads of a path's states: its events, its target, a bit of its ray.
local function curve(path, node, direction)
  local x, p = {}, {}
  local function add(state)
    if not state then return end
    x[#x + 1] = core.structure_displacements(state)[3 * node - 3 + direction]
    p[#p + 1] = state.p
  end
  for k = 0, path.steps do add(path:step(k)) end
  add(page.last_state(path))
  return x, p
end

local path_methods = {}

--- The load-displacement path as SVG: displacement to the right, p upwards, snap-back and all.
-- @tparam[opt] table options `node` and `displacement` ("x", "y", "rotation"; default: where the largest growing load
-- is), `title`, `width`, `height`, `file`
-- @treturn string|boolean the SVG; with `file` true, or nil and a message
-- @usage path:plot{ node = b, displacement = "y", file = "path.svg" }
function path_methods.plot(path, options)
  local o = options or {}
  check.options("path:plot", o, { "node", "displacement", "title", "width", "height", "file" })
  local direction
  check.choice("path:plot", "displacement", o.displacement, DIRECTIONS, true)
  for k, name in ipairs(DIRECTIONS) do if name == o.displacement then direction = k end end
  local node, usual = loaded_node(path)
  if not node or #core.structure_displacements(path:step(0)) == 0 then
    check.fail("path:plot", "the path has no state to show")
  end
  if o.node ~= nil then
    path:step(0):displacement(o.node) -- refuses what is no node of this structure
    node, usual = o.node.index, direction or 1
  end
  local x, p = curve(path, node, direction or usual)
  local name = ("node %d"):format(node)
  return plot { x = x, y = { [name] = p }, title = o.title or ("%s of node %d"):format(DIRECTIONS[direction or usual], node),
    x_label = DIRECTIONS[direction or usual], y_label = "p", width = o.width, height = o.height, file = o.file }
end

--- The tables of the paper as text: every tableau with the ratios of the entering column, the row that leaves marked.
-- @treturn string
function path_methods.table(path) return tables.tableaux(path) end

--- Every change of the contacts, one a line, and how the path ended.
-- @treturn string
function path_methods.report(path) return tables.events(path) end

--- A page with a slider for the load, self-contained; or, for a file that ends in ".svg", the load-displacement path.
-- @tparam string file
-- @tparam[opt] string title
-- @treturn boolean true, or nil and a message
-- @usage path:save "wall.html"
function path_methods.save(path, file, title)
  check.string("path:save", "file", file)
  check.string("path:save", "title", title, true)
  if file:match "%.svg$" then return path:plot { file = file, title = title } end
  if not file:match "%.html?$" then check.fail("path:save", "'file' must end in .html or .svg, got '%s'", file) end
  return plot.write(file, page.path(path, title))
end

class.extend("delassus.StructurePath", path_methods, {
  plot = "{ node =, displacement =, title =, file = } the load-displacement path as SVG",
  table = "() the paper's tables as a string",
  report = "() every change of the contacts as a string",
  save = "(file, title) a page with a slider for the load (.html), or the load-displacement path (.svg)",
})

local state_methods = {}

--- A picture: the structure at rest and deformed, contacts by colour (stick green, slip orange, apart grey), loads and
-- contact forces by arrows.
-- @tparam[opt] table options `scale` of displacements (default: the largest is a twelfth of the structure), `forces`
-- (true), `title`, `width` in pixels, `file`
-- @treturn string|boolean the SVG; with `file` true, or nil and a message
-- @usage st:solve{}:plot{ file = "state.svg" }
function state_methods.plot(state, options)
  local o = options or {}
  check.options("state:plot", o, { "scale", "forces", "title", "width", "file" })
  check.number("state:plot", "scale", o.scale, true)
  check.string("state:plot", "title", o.title, true)
  check.string("state:plot", "file", o.file, true)
  local width = check.number("state:plot", "width", o.width, true) or 640
  if width < 120 or width > 20000 then check.fail("state:plot", "'width' must be 120 to 20000, got %s", width) end
  if o.forces ~= nil and type(o.forces) ~= "boolean" then
    check.fail("state:plot", "'forces' must be true or false, got %s", check.shown(o.forces))
  end
  return written(o.file, draw.state(state, { scale = o.scale, forces = o.forces, title = o.title, width = width }))
end

--- The contacts, one a line.
-- @treturn string
function state_methods.table(state) return tables.contacts(state) end

class.extend("delassus.StructureState", state_methods, {
  plot = "{ scale =, forces =, title =, file = } a picture as SVG",
  table = "() the contacts as a string",
})

return setmetatable(M, {
  __call = function(_, options) return core.structure(options) end,
})
