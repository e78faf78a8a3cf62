-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Scenes of a replay: checked plain tables, and the form in which a page's data holds them.
-- The inputs are described in `delassus.report` (bars) and `delassus.record` (worlds).
-- @module delassus.scene
local check = require "delassus.check"
local json = require "delassus.json"
local mechanism = require "delassus.record_mechanism"
local pack = require "delassus.pack"
local squeeze = require "delassus.scene_squeeze"

local M = {}

local FEW = 4096 -- numbers up to which a list is written out, so that a person can read and change it

--- A list for a page's data: plain numbers where few, base64 of 4-byte floats where many.
function M.array(list)
  if #list <= FEW then
    local out = json.list()
    for i = 1, #list do
      local x = list[i]
      out[i] = (x == x and math.abs(x) ~= math.huge) and x or json.null
    end
    return out
  end
  return { f32 = pack.base64(pack.f32(list)) }
end

local BARS = { "kind", "time", "bars", "heights", "forces", "floor", "ceiling", "exaggeration", "speed" }
local BAR = { "name", "radius", "length", "stiffness", "mass", "damping" }
local WORLD = { "kind", "planar", "time", "bodies", "poses", "channels", "contacts", "speed", "connections" }
local BODY = table.move(mechanism.DETAILS, 1, #mechanism.DETAILS, 4, { "name", "type", "shape" })

local SHAPES = { -- the fields every kind needs: a number, or a table
  disk = { radius = "number" }, sphere = { radius = "number" }, capsule = { radius = "number", length = "number" },
  cylinder = { radius = "number", length = "number" },
  cone = { radius1 = "number", radius2 = "number", length = "number" },
  ellipsoid = { radii = "table" },
  box = { size = "table" }, polygon = { points = "table" }, segment = { points = "table" },
  convex = { points = "table" },
  plane = { normal = "table" }, mesh = { vertices = "table", faces = "table" }, drum = { radius = "number" },
  compound = { parts = "table" },
}
local PLANAR = { "disk", "capsule", "box", "polygon", "segment", "plane", "drum", "compound" }
local SPATIAL = { "sphere", "capsule", "cylinder", "cone", "ellipsoid", "box", "plane", "convex", "mesh", "drum",
  "compound" }

local function check_shape(name, shape, planar)
  if type(shape) ~= "table" then check.fail(name, "'shape' must be a table with a kind, got %s", check.shown(shape)) end
  check.choice(name, "shape.kind", shape.kind, planar and PLANAR or SPATIAL)
  for _, key in ipairs(check.sorted_names(SHAPES[shape.kind])) do
    local wanted = SHAPES[shape.kind][key]
    if wanted == "number" then check.number(name, "shape." .. key, shape[key])
    elseif type(shape[key]) ~= "table" then
      check.fail(name, "'shape.%s' must be a list, got %s", key, check.shown(shape[key]))
    end
  end
  if shape.kind == "drum" and not planar then check.number(name, "shape.length", shape.length) end
  for _, part in ipairs(shape.parts or {}) do check_shape(name, part.shape, planar) end
end

--- Checks one body of a scene of a world: `name`, `type`, `shape`, and the details of `delassus.record_mechanism`.
function M.body(name, given, planar)
  check.options(name, given, BODY)
  check.string(name, "name", given.name, true)
  check.choice(name, "type", given.type, { "dynamic", "kinematic", "static" }, true)
  if given.shape ~= nil then check_shape(name, given.shape, planar) end
  local out = mechanism.details(name, given, planar, check_shape)
  out.name, out.type, out.shape = given.name, given.type, given.shape
  return out
end

local function read_time(name, given)
  if given == nil then check.fail(name, "'time' is required: a list of seconds, one a frame") end
  local time = check.list(name, "time", given)
  if #time == 0 then check.fail(name, "'time' must hold at least one frame") end
  for k = 1, #time do
    check.number(name, ("time[%d]"):format(k), time[k])
    if k > 1 and time[k] <= time[k - 1] then
      check.fail(name, "'time' must rise: time[%d] = %s after %s", k, tostring(time[k]), tostring(time[k - 1]))
    end
  end
  return time
end

-- Lists a frame, one after the other.
local function flatten(name, key, given, frames, least, most)
  if type(given) ~= "table" or #given ~= frames then
    check.fail(name, "'%s' must hold one list a frame (%d), got %s", key, frames,
      type(given) == "table" and tostring(#given) or check.shown(given))
  end
  local out, n, width = {}, 0, nil
  for k = 1, frames do
    local row = given[k]
    local size = (type(row) == "table" or type(row) == "userdata") and #row or -1
    width = width or size
    if size ~= width or size < least or size > most then
      local wanted = width >= least and width <= most and width or least
      check.fail(name, "'%s[%d]' must be a list of %d numbers, got %s", key, k, wanted,
        size < 0 and check.shown(row) or tostring(size))
    end
    for i = 1, size do
      if type(row[i]) ~= "number" then
        check.fail(name, "'%s[%d][%d]' must be a number, got %s", key, k, i, check.shown(row[i]))
      end
      out[n + i] = row[i]
    end
    n = n + size
  end
  return out
end

local function read_bars(name, given)
  check.options(name, given, BARS)
  local time = read_time(name, given.time)
  if type(given.bars) ~= "table" or #given.bars == 0 then
    check.fail(name, "'bars' is required: a list of bars from the floor up")
  end
  local bars = json.list()
  for i = 1, #given.bars do
    local bar, where = given.bars[i], ("%s: bars[%d]"):format(name, i)
    check.options(where, bar, BAR)
    bars[i] = { name = check.string(where, "name", bar.name, true) }
    for _, key in ipairs{ "radius", "length", "stiffness" } do
      local x = bar[key]
      if x ~= math.huge then x = check.number(where, key, x, true) end
      if x and x < 0 then check.fail(where, "'%s' must be >= 0, got %s", key, tostring(x)) end
      bars[i][key] = x ~= math.huge and x or nil
    end
  end
  local n = #bars
  local out = { kind = "bars", time = time, bars = bars }
  out.heights = flatten(name, "heights", given.heights, #time, n, n)
  if given.forces ~= nil then out.forces = flatten(name, "forces", given.forces, #time, n, n + 1) end
  for _, key in ipairs{ "floor", "ceiling", "exaggeration", "speed" } do
    out[key] = check.number(name, key, given[key], true)
  end
  return out
end

local function read_world(name, given)
  check.options(name, given, WORLD)
  local time = read_time(name, given.time)
  if type(given.bodies) ~= "table" then check.fail(name, "'bodies' is required: a list of { name, type, shape }") end
  local n, stride = #given.bodies, given.planar and 3 or 7
  local out = { kind = "world", planar = given.planar and true or false, time = time, bodies = json.list(),
    poses = flatten(name, "poses", given.poses, #time, stride * n, stride * n), channels = {},
    speed = check.number(name, "speed", given.speed, true) }
  for i = 1, n do out.bodies[i] = M.body(("%s: bodies[%d]"):format(name, i), given.bodies[i], out.planar) end
  out.connections = json.list()
  for i, connection in ipairs(given.connections or {}) do
    out.connections[i] = mechanism.connection(("%s: connections[%d]"):format(name, i), connection, out.planar, n)
  end
  for c, channel in ipairs(given.channels or {}) do
    local where = ("%s: channels[%d]"):format(name, c)
    check.options(where, channel, { "name", "label", "unit", "range", "values" })
    local fixed = type(channel.values) == "table" and type(channel.values[1]) == "number"
    out.channels[c] = { name = check.string(where, "name", channel.name), label = channel.label, unit = channel.unit,
      range = channel.range and json.list{ channel.range[1], channel.range[2] },
      values = fixed and check.list(where, "values", channel.values)
        or flatten(where, "values", channel.values, #time, n, n) }
  end
  if given.contacts then
    local width = given.planar and 4 or 6
    local offsets, values = { 0 }, {}
    for k = 1, #time do
      local row = given.contacts[k] or {}
      if #row % width ~= 0 then
        check.fail(name, "'contacts[%d]' must hold %d numbers a contact: point and force", k, width)
      end
      table.move(row, 1, #row, #values + 1, values)
      offsets[k + 1] = #values // width
    end
    out.contacts = { offsets = offsets, values = values }
  end
  return out
end

--- Checks a scene given as plain tables, or takes a recorder's.
function M.read(name, given)
  if type(given) ~= "table" then check.fail(name, "expected a table or a recorder, got %s", check.shown(given)) end
  if type(given.scene) == "function" then return given:scene() end
  check.choice(name, "kind", given.kind, { "bars", "world" })
  return (given.kind == "bars" and read_bars or read_world)(name, given)
end

--- A scene as the page's data: lists become arrays; byte strings (from a recorder) become base64, long ones rounded and
-- compressed (`delassus.scene_squeeze`).
function M.encode(scene)
  local function floats(list)
    if type(list) == "string" then return { f32 = pack.base64(list) } end
    return M.array(list)
  end
  local time = #scene.time <= FEW and M.array(scene.time) or { f64 = pack.base64(pack.f64(scene.time)) }
  local out = { kind = scene.kind, time = time, speed = scene.speed }
  if scene.kind == "bars" then
    out.bars, out.heights, out.forces = scene.bars, floats(scene.heights), scene.forces and floats(scene.forces)
    out.floor, out.ceiling, out.exaggeration = scene.floor, scene.ceiling, scene.exaggeration
    return out
  end
  out.planar, out.bodies, out.channels = scene.planar, scene.bodies, json.list()
  out.poses = squeeze.poses(scene) or floats(scene.poses)
  for c, channel in ipairs(scene.channels) do
    out.channels[c] = { name = channel.name, label = channel.label, unit = channel.unit, range = channel.range,
      values = squeeze.channel(channel.values, #scene.bodies) or floats(channel.values) }
  end
  if scene.connections and #scene.connections > 0 then out.connections = scene.connections end
  if scene.contacts then
    local contacts = squeeze.contacts(scene.contacts, scene.planar) or { offsets = scene.contacts.offsets,
      values = floats(scene.contacts.values) }
    contacts.offsets = { u32 = pack.base64(pack.u32(contacts.offsets)) }
    out.contacts = contacts
  end
  return out
end

return M
