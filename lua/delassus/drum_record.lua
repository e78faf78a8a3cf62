-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- A running drum as a recording: poses of the logs, what happened to each so far, a few series over time.
-- @module delassus.drum_record
local bed = require "delassus.drum_bed"
local core = require "delassus.core"
local record = require "delassus.record"
local world_record = require "delassus.world_record"

local M = {}

local CHANNELS = {
  { name = "debarked", label = "debarked (share)" }, { name = "collisions", label = "collisions so far" },
  { name = "work", label = "work suffered so far", unit = "J" },
  { name = "force", label = "largest force so far", unit = "N" }, { name = "speed", label = "speed", unit = "m/s" },
}
local SERIES = {
  { name = "collisions", label = "collisions a second", unit = "1/s" },
  { name = "power", label = "power at the shell", unit = "W" },
  { name = "debarked", label = "mean debarking (share)" },
  { name = "residual", label = "worst residual of a step" },
  { name = "overlap", label = "worst overlap, of a diameter" },
}
local MOST = 1e6 -- log frames in a recording, unless the user wants another pace: 30 MB

--- Degree of debarking of a log after work (J) and collisions: exponential saturation (see `delassus.drum_report`).
function M.degree(d, one, log)
  local area = bed.bark_of(d, log)
  -- One contact of several in an impact may give energy back: what a log suffered is not below zero.
  return 1 - core.math.exp(-(math.max(one.work, 0) / (area * d._debarking.work) + one.collisions / d._debarking.collisions))
end

--- Seconds between two frames of a run: 1/30, more where the recording would become too large.
function M.pace(d, seconds, wanted)
  return wanted or math.max(1 / 30, seconds * #d.logs / MOST)
end

local function bodies_of(d)
  local bodies = { { name = "shell", type = "kinematic", shape = world_record.shape(d.shell.shape, d.planar) } }
  for i, log in ipairs(d.logs) do
    bodies[i + 1] = { name = log.name, type = "dynamic", shape = world_record.shape(log.shape, d.planar) }
  end
  return bodies
end

-- The recorder of a run: the one before goes on, unless a file is wanted.
local function recorder_of(d, file)
  if d._recorder and not file then return d._recorder end
  local rec, message = record { title = "Drum", planar = d.planar, bodies = bodies_of(d), file = file,
    channels = CHANNELS, series = SERIES }
  if not rec then core.raise("drum:run", "'record': " .. message) end
  d._recorder = rec
  return rec
end

local function add_pose(poses, body, planar)
  local n, position, rotation = #poses, body.position, body.rotation
  for i = 1, #position do poses[n + i] = position[i] end
  if planar then poses[n + 3] = rotation else for i = 1, 4 do poses[n + 3 + i] = rotation[i] end end
end

local Recording = {}
Recording.__index = Recording

--- Follows a run.
-- @tparam[opt] string file where the recording goes
function M.start(d, file)
  local self = setmetatable({ rec = recorder_of(d, file), file = file }, Recording)
  core.worst(d.world, true)
  if not self.rec.last_time then self:frame(d) end
  self.last = self:now(d)
  return self
end

function Recording:now(d) -- luacheck: no self
  return { t = d.world.time - d._start, collisions = d._tally.collisions, work = d.world:ledger().kinematic }
end

--- Takes a frame; answers the mean degree of debarking.
function Recording:frame(d)
  local poses, channels, mean = {}, {}, 0
  for _, channel in ipairs(CHANNELS) do channels[channel.name] = { 0 } end
  add_pose(poses, d.shell, d.planar)
  for i, log in ipairs(d.logs) do
    local one = d._tally:body(log.index)
    local degree = M.degree(d, one, log.data)
    add_pose(poses, log, d.planar)
    channels.debarked[i + 1], channels.collisions[i + 1], channels.work[i + 1] = degree, one.collisions, one.work
    channels.force[i + 1], channels.speed[i + 1] = one.peak_force, log.velocity:norm()
    mean = mean + degree / #d.logs
  end
  local now, last = self:now(d), self.last
  local dt = last and now.t - last.t or 0
  local residual, overlap = core.worst(d.world, true)
  self.rec:frame { time = now.t, poses = poses, channels = channels, series = {
    collisions = dt > 0 and (now.collisions - last.collisions) / dt or nil,
    power = dt > 0 and (now.work - last.work) / dt or nil, debarked = mean,
    residual = last and residual or nil, overlap = last and overlap or nil } }
  self.last = now
  return mean
end

--- Ends the file, if there is one.
-- @treturn boolean|nil true, or nil and a message
function Recording:finish()
  if not self.file then return true end
  return self.rec:close()
end

return M
