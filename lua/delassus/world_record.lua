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
local record = require "delassus.record"

local M = {}

local KNOWN = { "every", "file", "stream", "keep", "contacts", "title", "speed" }
local FIELDS = { "kind", "radius", "radius1", "radius2", "length", "size", "normal", "offset", "points", "vertices",
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
      self.place[body] = self.rec:add{ name = body.name, type = body.type, shape = M.shape(body.shape,
        self.world.planar) }
    end
  end
  return bodies
end

local function take(self)
  local world, rec = self.world, self.rec
  if rec.last_time and world.time <= rec.last_time then return end
  local bodies = meet(self)
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
  rec:frame{ time = world.time, poses = poses, channels = { speed = speeds, force = forces }, contacts = contacts,
    series = { kinetic = kinetic, potential = potential, stored = stored, contacts = stats.contacts,
      residual = stats.residual } }
end

-- The latest recorder of each world, for `show`.
local latest = setmetatable({}, { __mode = "k" })

local function recorder(world, options)
  local rec, message = record{ title = options.title or "A world", planar = world.planar, file = options.file,
    stream = options.stream, keep = options.keep, speed = options.speed, contacts = options.contacts ~= false,
    channels = { { name = "speed", unit = "m/s" }, { name = "force", label = "largest contact force", unit = "N" } },
    series = { { name = "kinetic", chart = "Energy", unit = "J" }, { name = "potential", chart = "Energy", unit = "J" },
      { name = "stored", chart = "Energy", unit = "J" }, { name = "contacts", label = "contacts" },
      { name = "residual", label = "residual of the step" } } }
  if not rec then return nil, message end
  return { world = world, rec = rec, place = {} }
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
