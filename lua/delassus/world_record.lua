-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Worlds recorded: `world:record`.
--
--     local rec = world:record{ every = 1/60, file = "run.rec" }   -- from now on
--     world:run(5)
--     rec:save("run.html")                                         -- a `delassus.record` recorder
--
-- @module delassus.world_record
local check = require "delassus.check"
local core = require "delassus.core"
local looks = require "delassus.looks"
local mechanism = require "delassus.record_mechanism"
local record = require "delassus.record"

local M = {}

local KNOWN = { "every", "file", "stream", "keep", "contacts", "title", "speed" }
local FIELDS = { "kind", "radius", "radius1", "radius2", "radii", "length", "size", "normal", "offset", "points", "vertices",
  "faces", "lifters", "ends" }

local function plain(value, planar)
  if type(value) ~= "userdata" and type(value) ~= "table" then return value end
  if type(value) == "table" and #value == 0 then return value end
  local out = {}
  for i = 1, #value do out[i] = plain(value[i], planar) end
  return out
end

--- A shape as a plain table, as recordings hold it.
function M.shape(shape, planar)
  if shape == nil then return nil end
  local out = {}
  for _, field in ipairs(FIELDS) do out[field] = plain(shape[field]) end
  if out.normal and planar then out.normal[3] = nil end
  if out.kind == "convex" then out.faces = nil end
  if out.kind ~= "compound" then return out end
  out.parts = {}
  for i, child in ipairs(shape.children) do
    local place = shape.placements[i]
    out.parts[i] = { shape = M.shape(child, planar), position = plain(place.position),
      rotation = plain(place.rotation) }
  end
  return out
end

--- A body as recordings hold it.
function M.body(body, planar)
  local inertia = body.inertia
  return { name = body.name, type = body.type, shape = M.shape(body.shape, planar), mass = body.mass,
    com = plain(body.com), visuals = looks.of(body), inertia = type(inertia) == "number" and inertia or plain(inertia) }
end

--- Bodies of a world by slot, as `core.poses` has them; those that are gone as points.
-- @treturn table bodies
-- @treturn function the number of a body, 0 where it has none
function M.slots(world)
  local bodies, number = {}, {}
  for i, body in ipairs(core.slots(world)) do
    bodies[i] = body and M.body(body, world.planar) or { name = "body " .. i }
    if body then number[body] = i end
  end
  return bodies, function(body) return number[body] or 0 end
end

-- Contacts of the last step as a flat list, and the largest normal force on each body.
local function read_contacts(world, force)
  local out = {}
  for contact in world:contacts() do
    local point, vector, normal = contact.point, contact.force, contact.normal_force
    for i = 1, #point do out[#out + 1] = point[i] end
    for i = 1, #vector do out[#out + 1] = vector[i] end
    local a, b = contact.a, contact.b
    force[a], force[b] = math.max(force[a] or 0, normal), math.max(force[b] or 0, normal)
  end
  return out
end

-- Adds the bodies that are new; answers the list of bodies now.
local function meet(self)
  local bodies = self.world.bodies
  for _, body in ipairs(bodies) do
    if not self.place[body] then
      self.place[body] = self.rec:add(M.body(body, self.world.planar))
    end
  end
  return bodies
end

-- Adds the connections that are new, ends those that are gone; learns which joints are there.
local function connect(self)
  local world, rec, stamp = self.world, self.rec, core.connected(self.world)
  if stamp == self.stamp then return end
  self.stamp = stamp
  local function number(body) return self.place[body] or 0 end
  local seen = {}
  self.there = {}
  for _, connection in ipairs(core.connections(world)) do
    local key = connection.key
    seen[key] = true
    if connection.joint then self.there[connection.joint] = true end
    self.connected[key] = self.connected[key] or rec:connect(mechanism.of_world(connection, world.planar, number))
  end
  for _, key in ipairs(check.sorted_names(self.connected)) do
    if not seen[key] then
      rec:disconnect(self.connected[key], world.time)
      self.connected[key] = nil
    end
  end
end

local IN_CHARTS = 24 -- joints

--- The joints whose coordinate is recorded: of one degree of freedom, the first of them.
function M.measured(world)
  local out = {}
  for _, connection in ipairs(core.connections(world)) do
    if connection.freedom == 1 and #out < IN_CHARTS then out[#out + 1] = connection.joint end
  end
  return out
end

--- The series of a world's recordings: energies, contacts, residual, coordinates of joints.
-- @treturn table columns, as `delassus.record` takes them
-- @treturn table names of those that are left out of the charts where they are 0 throughout
function M.series(joints)
  local out = { { name = "kinetic", chart = "Energy", unit = "J" }, { name = "potential", chart = "Energy", unit = "J" },
    { name = "stored", chart = "Energy", unit = "J" }, { name = "contacts", label = "contacts" },
    { name = "residual", label = "residual of the step" } }
  for _, joint in ipairs(joints) do
    local slides, name = joint.kind == "prismatic", joint.name
    local number = "joint " .. joint.index
    out[#out + 1] = { name = number, label = name and ("%s (%d)"):format(name, joint.index) or number,
      chart = slides and "Slides of joints" or "Angles of joints", unit = slides and "m" or "rad" }
  end
  return out, { stored = true, contacts = true, residual = true, potential = true }
end

local function take(self)
  local world, rec = self.world, self.rec
  if rec.last_time and world.time <= rec.last_time then return end
  local bodies = meet(self)
  connect(self)
  local n, stride = #rec.bodies, rec.stride
  local poses, speeds, forces, force = {}, {}, {}, {}
  for i = 1, n * stride do poses[i] = 0 / 0 end
  for i = 1, n do speeds[i], forces[i] = 0, 0 end
  local contacts = rec.contacts and read_contacts(world, force) or nil
  for _, body in ipairs(bodies) do
    local i = self.place[body]
    local at, position, rotation = (i - 1) * stride, body.position, body.rotation
    for k = 1, #position do poses[at + k] = position[k] end
    if world.planar then poses[at + 3] = rotation else
      for k = 1, 4 do poses[at + 3 + k] = rotation[k] end
    end
    speeds[i], forces[i] = body.velocity:norm(), force[body] or 0
  end
  local kinetic, potential, stored = world:energy()
  local stats = world.stats
  local series = { kinetic = kinetic, potential = potential, stored = stored, contacts = stats.contacts,
    residual = stats.residual }
  for _, measured in ipairs(self.measured) do
    series[measured.name] = self.there[measured.joint] and measured.joint.q or nil
  end
  rec:frame{ time = world.time, poses = poses, channels = { speed = speeds, force = forces }, contacts = contacts,
    series = series }
end

-- The latest recorder of each world, for `show`.
local latest = setmetatable({}, { __mode = "k" })

local function recorder(world, options)
  local joints = M.measured(world)
  local series, quiet = M.series(joints)
  local rec, message = record{ title = options.title or "A world", planar = world.planar, file = options.file,
    stream = options.stream, keep = options.keep, speed = options.speed, contacts = options.contacts ~= false,
    channels = { { name = "speed", unit = "m/s" }, { name = "force", label = "largest contact force", unit = "N" } },
    series = series }
  if not rec then return nil, message end
  rec.quiet = quiet
  local measured = {} -- names stay where joints are removed
  for i, joint in ipairs(joints) do measured[i] = { joint = joint, name = "joint " .. joint.index } end
  return { world = world, rec = rec, place = {}, connected = {}, there = {}, measured = measured }
end

--- Records the world from now on, a frame every so often, until the recorder is closed.
-- @tparam table options `every` (s, default 1/60), `file` or `stream`, `keep` (s), `contacts` (false: without), `title`
-- @treturn Recorder (see `delassus.record`), or nil and a message where the file cannot be opened
-- @raise for an unknown or wrong option
function M.record(world, options)
  options = options == nil and {} or options
  check.options("world:record", options, KNOWN)
  local every = check.number("world:record", "every", options.every, true) or 1 / 60
  if every <= 0 then check.fail("world:record", "'every' must be > 0, got %s", tostring(every)) end
  local self, message = recorder(world, options)
  if not self then return nil, message end
  local start, k = world.time, 0
  take(self)
  self.rec.handle = world:on("step", function()
    local now = math.floor((world.time - start) / every + 1e-6)
    if now <= k then return end
    k = now
    take(self)
  end)
  latest[world] = self.rec
  return self.rec
end

--- The recorder that `world:record` made last, or nil.
function M.latest(world) return latest[world] end

return M
