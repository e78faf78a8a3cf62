-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Recordings of moving bodies: frames of poses, values a body and values a frame; kept, streamed to a file, saved.
--
-- A recorder knows no world: it is given plain lists.
--
--     local record = require "delassus.record"
--     local rec = record{
--       title = "A falling ball", planar = true,
--       bodies = { { name = "ball", type = "dynamic", shape = { kind = "disk", radius = 0.1 } }, ... },
--       channels = { { name = "force", label = "contact force", unit = "N", range = nil } },  -- one a body and frame
--       series = { { name = "power", label = "Power", unit = "W", chart = nil } },            -- one a frame; those
--                                                            -- with the same `chart` title share a chart
--       contacts = true,       -- frames carry contacts: point and force, 4 numbers each (planar) or 6
--       keep = nil,            -- seconds kept in memory (the latest); default: all
--       file = "run.rec",      -- frames are written there as they come; or stream = anything with a `write` method
--       speed = nil,           -- of the replay at first
--     }
--     rec:frame{ time = t, poses = {x1, y1, angle1, ...}, channels = { force = {f1, ...} }, series = { power = p },
--                contacts = {x, y, fx, fy, ...} }
--     rec:save("run.html")   -- or .json, .csv, .rec
--     local rec = record.read("run.rec")     -- or nil and a message; a torn end is read up to the last whole frame
--
-- Poses are those of the body frames: x, y, angle (planar; the angle counts turns), or x, y, z and the unit quaternion
-- w, x, y, z. NaN in a body's first number: it is not there. A list may also be a string of packed 4-byte floats.
-- Bodies may be added later by `rec:add(body)`. What joins them (`connections` of the options, or `rec:connect(connection)`
-- later): joints, springs, ropes; see `delassus.record_mechanism`, also for a body's mass centre, inertia and looks.
--
-- Shapes are tables with a `kind`: planar `disk{radius}`, `capsule{radius, length}` (axis x), `box{size}`,
-- `polygon{points}`, `segment{points}` (two), `plane{normal, offset}`, `drum{radius, lifters}`; spatial `sphere`,
-- `capsule`, `cylinder{radius, length}`, `cone{radius1, radius2, length}` (radius1 at -x), `ellipsoid{radii}`, `box`,
-- `plane`, `convex{points}`, `mesh{vertices, faces}`, `drum{radius, length, lifters}` (axis x);
-- `compound{parts = {{shape =, position =, rotation =}, ...}}`. A drum's first lifter stands on the body's +x axis
-- (planar) or +y axis (spatial), the others follow counterclockwise about the axis.
-- @module delassus.record
local check = require "delassus.check"
local files = require "delassus.record_file"
local pack = require "delassus.pack"
local mechanism = require "delassus.record_mechanism"
local parts = require "delassus.record_scene"
local plot = require "delassus.plot"
local scenes = require "delassus.scene"
local settings = require "delassus.record_options"
local strict = require "delassus.strict"

local M = {}

local FRAME = { "time", "poses", "channels", "series", "contacts" }

local Recorder = {} -- methods
local BLANK = { "title", "keep", "speed", "last_time", "torn", "file", "out", "handle", "problem", "quiet" }
local class = { __index = strict.reader("recording", Recorder, BLANK), __name = "delassus.Recorder" }

-- A list of numbers, or bytes already packed as f32, as such bytes.
local function bytes(key, value, n)
  if type(value) == "string" then
    if #value ~= 4 * n then check.fail("rec:frame", "'%s' must hold %d numbers, got %s", key, n, #value / 4) end
    return value
  end
  local list = check.list("rec:frame", key, value)
  if #list ~= n then check.fail("rec:frame", "'%s' must hold %d numbers, got %d", key, n, #list) end
  return pack.f32(list)
end

--- Adds a body; frames from now on hold it too.
-- @treturn number its place in the list of bodies
function Recorder:add(body)
  body = scenes.body("rec:add", body, self.planar)
  self.bodies[#self.bodies + 1] = body
  if self.out then self.problem = self.problem or files.body(self.out, body, #self.bodies) end
  return #self.bodies
end

--- Adds a connection between bodies, from now on.
-- @treturn number its place in the list of connections
function Recorder:connect(connection)
  connection = mechanism.connection("rec:connect", connection, self.planar, #self.bodies)
  connection.from = connection.from or self.last_time
  local list = self.connections
  list[#list + 1] = connection
  if self.out then self.problem = self.problem or files.connection(self.out, self, #list) end
  return #list
end

--- Connection number `index` is there no more from time `till` (s) on.
function Recorder:disconnect(index, till)
  if not self.connections[index] then check.fail("rec:disconnect", "no connection %s", check.shown(index)) end
  self.connections[index].till = check.number("rec:disconnect", "till", till)
  if self.out then self.problem = self.problem or files.connection(self.out, self, index) end
end

--- Takes one frame.
-- @treturn boolean|nil true, or nil and a message where the file cannot be written (the frame is kept all the same)
-- @raise for lists of wrong length, for time that does not rise
function Recorder:frame(given)
  check.options("rec:frame", given, FRAME)
  local n = #self.bodies
  local frame = { time = check.number("rec:frame", "time", given.time), n = n, channels = {}, series = {} }
  local last = self.last_time
  if last and frame.time <= last then
    check.fail("rec:frame", "'time' must rise: %s after %s", tostring(frame.time), tostring(last))
  end
  frame.poses = bytes("poses", given.poses, n * self.stride)
  for c, channel in ipairs(self.channels) do
    frame.channels[c] = bytes("channels." .. channel.name, (given.channels or {})[channel.name], n)
  end
  for s, column in ipairs(self.columns) do
    local x = (given.series or {})[column.name]
    if x ~= nil and type(x) ~= "number" then
      check.fail("rec:frame", "'series.%s' must be a number, got %s", column.name, check.shown(x))
    end
    frame.series[s] = x or 0 / 0
  end
  local contacts = self.contacts and given.contacts or ""
  frame.contacts = bytes("contacts", contacts, type(contacts) == "string" and #contacts // 4 or #contacts)
  if #frame.contacts % (self.planar and 16 or 24) ~= 0 then
    check.fail("rec:frame", "'contacts' must hold %d numbers a contact: point and force", self.planar and 4 or 6)
  end
  self.last_time = frame.time
  self.frames[#self.frames + 1] = frame
  self:forget()
  if self.out then self.problem = self.problem or files.frame(self.out, frame) end
  if self.problem then return nil, self.problem end
  return true
end

-- Drops what is older than `keep` seconds, in batches.
function Recorder:forget()
  local frames = self.frames
  if not self.keep or #frames < 64 or frames[#frames // 2].time > self.last_time - self.keep then return end
  local first = #frames // 2
  while frames[first].time < self.last_time - self.keep do first = first + 1 end
  self.frames = table.move(frames, first, #frames, 1, {})
end

--- Ends the stream (and the following of a world); the frames stay. May be called twice.
function Recorder:close()
  if self.handle then self.handle:off() end
  self.handle = nil
  if self.file then
    local ok, message = self.file:close()
    if not ok then self.problem = self.problem or message end
  end
  self.file, self.out = nil, nil
  if self.problem then return nil, self.problem end
  return true
end
class.__close = Recorder.close

-- The frames within `keep`.
function Recorder:kept()
  local frames, first = self.frames, 1
  if self.keep and self.last_time then
    while frames[first].time < self.last_time - self.keep do first = first + 1 end
  end
  return first == 1 and frames or table.move(frames, first, #frames, 1, {})
end

--- The times of the frames.
function Recorder:times()
  local out = {}
  for k, frame in ipairs(self:kept()) do out[k] = frame.time end
  return out
end

--- The values of a series, one a frame.
function Recorder:values(name)
  for s, column in ipairs(self.columns) do
    if column.name == name then
      local out = {}
      for k, frame in ipairs(self:kept()) do out[k] = frame.series[s] end
      return out
    end
  end
  check.fail("rec:values", "no series '%s'", tostring(name))
end

--- The poses (or a channel's values) of frame k as a list of numbers.
function Recorder:poses(k)
  local frame = self:kept()[k]
  return frame and (pack.unpack("f", frame.poses, 1, #frame.poses // 4))
end

function Recorder:channel(name, k)
  for c, channel in ipairs(self.channels) do
    local frame = self:kept()[k]
    if channel.name == name then return frame and (pack.unpack("f", frame.channels[c], 1, frame.n)) end
  end
  check.fail("rec:channel", "no channel '%s'", tostring(name))
end

--- The scene of a report: `report{ title = "...", scene = rec }` calls this.
Recorder.scene = parts.scene

--- Charts of the series, as a report takes them.
Recorder.charts = parts.charts

local SEEN = { html = true, glb = true, pvd = true } -- what needs a frame to show

--- Saves the kept frames: a replay (".html"), plain numbers (".json", ".csv": one line a frame), ".rec", an animation
-- (".glb": glTF 2.0), or a series for ParaView (".pvd", with ".vtp" files in a folder beside it).
-- @treturn boolean|nil true, or nil and a message
-- @raise for another ending
function Recorder:save(path)
  check.string("rec:save", "file", path)
  local ending = path:lower():match("%.(%w+)$")
  if SEEN[ending] and #self:kept() == 0 then check.fail("rec:save", "there is no frame yet") end
  if ending == "html" then
    local report = require "delassus.report"
    return report{ title = self.title or "delassus", subtitle = parts.summary(self), scene = self,
      charts = self:charts() }:save(path)
  elseif ending == "json" or ending == "csv" then
    return plot.write(path, files[ending](self))
  elseif ending == "rec" then
    return files.save(self, path)
  elseif ending == "glb" or ending == "pvd" then
    return require("delassus.record_" .. ending)(self, path)
  end
  check.fail("rec:save", "the ending must be .html, .json, .csv, .glb, .pvd or .rec, got %s", check.shown(path))
end

function class:__tostring()
  local text = "delassus.Recorder (%d bodies, %d frames, t = %s s)"
  return text:format(#self.bodies, #self.frames, tostring(self.last_time))
end

--- Makes a recorder.
-- @treturn Recorder, or nil and a message where `file` cannot be opened
-- @raise for an unknown or wrong option, naming it
function M.new(options)
  local out = setmetatable(settings.read(options), class)
  if options.file then
    local file, message = io.open(options.file, "wb")
    if not file then return nil, message end
    out.file, out.out = file, file
  end
  out.out = out.out or options.stream
  if out.out then out.problem = files.head(out.out, out) end
  return out
end

--- Reads a recording.
-- @treturn Recorder, with `torn` the number of bytes after the last whole frame (nil when none); or nil and a message
function M.read(path)
  check.string("delassus.record.read", "file", path)
  local file, message = io.open(path, "rb")
  if not file then return nil, message end
  local text = file:read("a")
  file:close()
  if not text then return nil, path .. ": cannot be read" end
  local head, bodies, frames, torn = files.parse(text)
  if not head then return nil, path .. ": " .. bodies end
  local good, out = pcall(M.new, { title = head.title, planar = head.planar, contacts = head.contacts,
    speed = type(head.speed) == "number" and head.speed > 0 and head.speed or nil,
    bodies = bodies, channels = head.channels, series = head.series, connections = head.connections })
  if not good then
    return nil, path .. ": the recording is damaged: " .. tostring(out):gsub("^[^\n]-delassus%.record: ", "")
  end
  out.frames, out.torn = frames, torn
  out.last_time = #frames > 0 and frames[#frames].time or nil
  return out
end

return setmetatable(M, { __call = function(_, options) return M.new(options) end })
