-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Files of recordings.
--
-- A `.rec` begins with the line `delassus.rec 2`. Chunks follow: a tag of four letters, the payload's length, the
-- check sum of tag and payload (4-byte little-endian), the payload. In format 1 the sum is the payload's alone, unmixed.
--
-- - `HEAD`: JSON of title, planar, channels, series, contacts.
-- - `BODY`: JSON of one body: name, type, shape.
-- - `INFO`: JSON of a body's details (`delassus.record_mechanism`), with its number `body`.
-- - `CONN`: JSON of one connection, with its number `index`; a later one of the same number takes its place.
-- - `FRAM`: time (8-byte float), number of bodies, number of contact numbers (4-byte), then 4-byte floats: the poses,
--   every channel, the contacts; then the series as 8-byte floats.
--
-- Other tags are passed over in format 2. What follows the last whole chunk is a torn end.
-- @module delassus.record_file
local json = require "delassus.json"
local mechanism = require "delassus.record_mechanism"
local pack = require "delassus.pack"

local M = {}

local MAGIC = "delassus.rec 2\n"

local function chunk(tag, payload)
  return tag .. ("<I4I4"):pack(#payload, pack.checksum(tag .. payload)) .. payload
end

-- Writes to a stream; nil when all is well, else the message.
local function put(stream, text)
  local ok, message = stream:write(text)
  if not ok then return tostring(message or "cannot write") end
end

local function head_chunk(rec)
  return MAGIC .. chunk("HEAD", json.encode{ title = rec.title, planar = rec.planar, channels = json.list(rec.channels),
    series = json.list(rec.columns), contacts = rec.contacts, speed = rec.speed })
end

function M.head(stream, rec)
  local problem = put(stream, head_chunk(rec))
  for i, body in ipairs(rec.bodies) do problem = problem or M.body(stream, body, i) end
  for i = 1, #rec.connections do problem = problem or M.connection(stream, rec, i) end
  return problem
end

function M.body(stream, body, number)
  local problem = put(stream, chunk("BODY", json.encode{ name = body.name, type = body.type, shape = body.shape }))
  local details = { body = number }
  for _, key in ipairs(mechanism.DETAILS) do details[key] = body[key] end
  if problem or next(details, next(details)) == nil then return problem end
  return put(stream, chunk("INFO", json.encode(details)))
end

--- Writes connection `index` as it is now.
function M.connection(stream, rec, index)
  local out = { index = index }
  for key, value in next, rec.connections[index] do out[key] = value end
  return put(stream, chunk("CONN", json.encode(out)))
end

function M.frame(stream, frame)
  return put(stream, chunk("FRAM", ("<dI4I4"):pack(frame.time, frame.n, #frame.contacts // 4) .. frame.poses
    .. table.concat(frame.channels) .. frame.contacts .. pack.f64(frame.series)))
end

--- Saves the kept frames: true, or nil and a message.
function M.save(rec, path)
  local file, message = io.open(path, "wb")
  if not file then return nil, message end
  local problem = M.head(file, rec)
  for _, frame in ipairs(rec:kept()) do problem = problem or M.frame(file, frame) end
  local ok, late = file:close()
  if problem or not ok then return nil, ("%s: %s"):format(path, problem or late) end
  return true
end

-- A frame from its payload, or nil where the numbers do not fit.
local function read_frame(payload, head, n_bodies)
  if #payload < 16 then return nil end
  local time, n, m, i = ("<dI4I4"):unpack(payload)
  local stride = head.planar and 3 or 7
  local expected = 16 + 4 * n * (stride + #head.channels) + 4 * m + 8 * #head.series
  if n > n_bodies or #payload ~= expected then return nil end
  local frame = { time = time, n = n, channels = {} }
  local function take(count)
    local part = payload:sub(i, i + 4 * count - 1)
    i = i + 4 * count
    return part
  end
  frame.poses = take(n * stride)
  for c = 1, #head.channels do frame.channels[c] = take(n) end
  frame.contacts = take(m)
  frame.series = pack.unpack("d", payload, i, #head.series)
  return frame
end

-- What a chunk adds to what was read, by its tag: true, or what is no truth where it does not fit.
local readers = {}

-- One head, for frames are read by it. What its lists hold is looked at by `record.new`.
function readers.HEAD(read, payload)
  local head = json.decode(payload)
  local good = not read.head and type(head) == "table" and type(head.channels) == "table" and type(head.series) == "table"
  if good then read.head = head end
  return good
end

function readers.BODY(read, payload)
  local body = json.decode(payload)
  local good = type(body) == "table"
  if good then read.bodies[#read.bodies + 1] = body end
  return good
end

function readers.INFO(read, payload)
  local details = json.decode(payload)
  local body = type(details) == "table" and read.bodies[details.body]
  for _, key in ipairs(body and mechanism.DETAILS or {}) do body[key] = details[key] end
  return body
end

function readers.CONN(read, payload)
  local connection = json.decode(payload)
  if type(connection) ~= "table" or not read.head then return false end
  local index = connection.index
  connection.index = nil
  local good = math.type(index) == "integer" and index >= 1 and index <= #read.connections + 1
    and pcall(mechanism.connection, "recording", connection, read.head.planar, #read.bodies)
  if good then read.connections[index] = connection end
  return good
end

function readers.FRAM(read, payload)
  local frames = read.frames
  local frame = read.head and read_frame(payload, read.head, #read.bodies)
  local good = frame and frame.time > (#frames > 0 and frames[#frames].time or -math.huge)
  if good then frames[#frames + 1] = frame end
  return good
end

--- Reads a recording's text.
-- @treturn table head (with the list `connections`), bodies, frames, and the number of bytes lost at a torn end (nil when
-- none); or nil and a message
function M.parse(text)
  local version = text:match("^delassus%.rec (%d+)\n")
  if not version then return nil, "not a recording of delassus" end
  if version ~= "1" and version ~= "2" then
    return nil, ("recorded in version %s of the format, this one reads 1 and 2"):format(version)
  end
  local first = version == "1"
  local at, read = #MAGIC + 1, { bodies = {}, frames = {}, connections = {} }
  while at <= #text do
    if at + 11 > #text then break end
    local tag = text:sub(at, at + 3)
    local size, sum = ("<I4I4"):unpack(text, at + 4)
    local payload = text:sub(at + 12, at + 11 + size)
    if #payload < size or pack.checksum(first and payload or tag .. payload, first) ~= sum then break end
    local reader = readers[tag]
    if reader then
      if not reader(read, payload) then break end
    elseif first then -- a tag that no sum covers
      break
    end
    at = at + 12 + size
  end
  local head = read.head
  if not head then return nil, "the recording's head is damaged" end
  head.connections = read.connections
  return head, read.bodies, read.frames, at <= #text and #text - at + 1 or nil
end

local function with_unit(name, unit)
  return unit and ("%s (%s)"):format(name, unit) or name
end

-- Names of the columns with their units; rows of bodies are padded with nothing where a body is not there yet.
local function columns_of(rec)
  local names = { "time (s)" }
  for _, column in ipairs(rec.columns) do names[#names + 1] = with_unit(column.name, column.unit) end
  local parts = rec.planar and { "x (m)", "y (m)", "angle (rad)" } or { "x (m)", "y (m)", "z (m)", "qw", "qx", "qy", "qz" }
  for i, body in ipairs(rec.bodies) do
    local name = body.name or ("body %d"):format(i)
    for _, part in ipairs(parts) do names[#names + 1] = name .. "." .. part end
    for _, channel in ipairs(rec.channels) do
      names[#names + 1] = with_unit(name .. "." .. channel.name, channel.unit)
    end
  end
  return names
end

local function quoted(s)
  return s:find('[",\r\n]') and '"' .. s:gsub('"', '""') .. '"' or s
end

local function plain(x)
  return x == x and json.number(x) or ""
end

--- One line a frame: time, the series, then for every body its pose and its channels.
function M.csv(rec)
  local names, lines = columns_of(rec), {}
  for i, name in ipairs(names) do names[i] = quoted(name) end
  lines[1] = table.concat(names, ",")
  for k, frame in ipairs(rec:kept()) do
    local row = { plain(frame.time) }
    for _, x in ipairs(frame.series) do row[#row + 1] = plain(x) end
    local poses, channels = pack.unpack("f", frame.poses, 1, #frame.poses // 4), {}
    for c = 1, #rec.channels do channels[c] = pack.unpack("f", frame.channels[c], 1, frame.n) end
    for i = 1, #rec.bodies do
      for j = 1, rec.stride do row[#row + 1] = plain(poses[(i - 1) * rec.stride + j] or 0 / 0) end
      for c = 1, #rec.channels do row[#row + 1] = plain(channels[c][i] or 0 / 0) end
    end
    lines[k + 1] = table.concat(row, ",")
  end
  return table.concat(lines, "\n") .. "\n"
end

--- Everything as plain numbers, for other programs.
function M.json(rec)
  local out = { format = "delassus.recording", version = 1, title = rec.title, planar = rec.planar, bodies = rec.bodies,
    connections = #rec.connections > 0 and rec.connections or nil,
    time = json.list(rec:times()), poses = json.list(), channels = {}, series = {} }
  for k, frame in ipairs(rec:kept()) do
    out.poses[k] = json.list((pack.unpack("f", frame.poses, 1, #frame.poses // 4)))
    for c, channel in ipairs(rec.channels) do
      out.channels[channel.name] = out.channels[channel.name] or json.list()
      out.channels[channel.name][k] = json.list((pack.unpack("f", frame.channels[c], 1, frame.n)))
    end
  end
  for _, column in ipairs(rec.columns) do out.series[column.name] = json.list(rec:values(column.name)) end
  return json.encode(out) .. "\n"
end

return M
