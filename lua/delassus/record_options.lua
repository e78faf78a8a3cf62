-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The options of a recorder, checked: see `delassus.record`.
-- @module delassus.record_options
local check = require "delassus.check"
local json = require "delassus.json"
local mechanism = require "delassus.record_mechanism"
local scenes = require "delassus.scene"

local NAME = "delassus.record"
local KNOWN = { "title", "planar", "bodies", "channels", "series", "contacts", "keep", "file", "stream", "speed", "connections" }

-- What may be called to write to a stream; nil where there is none.
local function writer(stream)
  local known, write = pcall(function() return stream.write end)
  if not known then return nil end
  local meta = type(write) ~= "function" and getmetatable(write)
  return (type(write) == "function" or type(meta) == "table" and meta.__call) and write or nil
end

-- Raises unless what an option says where frames go is such a place, and one.
local function check_stream(options)
  if options.stream == nil then return end
  if options.file ~= nil then check.fail(NAME, "give 'file' or 'stream', not both") end
  if type(options.stream) == "string" or not writer(options.stream) then
    check.fail(NAME, "'stream' must have a method 'write', got %s", check.shown(options.stream))
  end
end

local function read_columns(name, given, known)
  local out = {}
  for i, column in ipairs(check.entries(NAME, name, given)) do
    local where = ("%s: %s[%d]"):format(NAME, name, i)
    check.options(where, column, known)
    local range = column.range
    if range ~= nil then
      range = check.list(where, "range", range)
      if #range ~= 2 then check.fail(where, "'range' must be {lo, hi}, got %d numbers", #range) end
      range = json.list{ check.number(where, "range[1]", range[1]), check.number(where, "range[2]", range[2]) }
    end
    out[i] = { name = check.string(where, "name", column.name), range = range }
    for _, key in ipairs{ "label", "unit", "chart" } do out[i][key] = check.string(where, key, column[key], true) end
  end
  return out
end

--- What a recorder is made of: its lists and numbers.
-- @raise for an unknown or wrong option, naming it
local function read(options)
  check.options(NAME, options, KNOWN)
  local planar = options.planar and true or false
  local out = { planar = planar, stride = planar and 3 or 7, bodies = json.list(), frames = {}, connections = json.list() }
  out.title = check.string(NAME, "title", options.title, true)
  out.channels = read_columns("channels", options.channels, { "name", "label", "unit", "range" })
  out.columns = read_columns("series", options.series, { "name", "label", "unit", "chart" })
  out.contacts = options.contacts and true or false
  out.keep = check.number(NAME, "keep", options.keep, true)
  if out.keep and out.keep < 0 then check.fail(NAME, "'keep' must be >= 0, got %s", tostring(out.keep)) end
  out.speed = check.number(NAME, "speed", options.speed, true)
  if out.speed and out.speed <= 0 then check.fail(NAME, "'speed' must be > 0, got %s", tostring(out.speed)) end
  for i, body in ipairs(check.entries(NAME, "bodies", options.bodies)) do
    out.bodies[i] = scenes.body(("%s: bodies[%d]"):format(NAME, i), body, planar)
  end
  for i, connection in ipairs(check.entries(NAME, "connections", options.connections)) do
    out.connections[i] = mechanism.connection(("%s: connections[%d]"):format(NAME, i), connection, planar, #out.bodies)
  end
  check_stream(options)
  check.string(NAME, "file", options.file, true)
  return out
end

return { read = read }
