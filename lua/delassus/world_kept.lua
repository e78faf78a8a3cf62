-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The last seconds that a world keeps by itself, as a recording: what `world:show()` shows where nothing was recorded.
-- @module delassus.world_kept
local core = require "delassus.core"
local mechanism = require "delassus.record_mechanism"
local pack = require "delassus.pack"
local record = require "delassus.record"
local world_record = require "delassus.world_record"

-- One number a body and frame: speeds, from the poses of the frames before and after.
local function speeds(frames, k, n, stride)
  local before, after = frames[math.max(1, k - 1)], frames[math.min(#frames, k + 1)]
  local time = after.time - before.time
  local p, q = before.numbers, after.numbers
  local out = {}
  for i = 0, n - 1 do
    local sum = 0
    for c = 1, stride == 3 and 2 or 3 do
      local d = (q[i * stride + c] or 0 / 0) - (p[i * stride + c] or 0 / 0)
      sum = sum + d * d
    end
    local speed = time > 0 and math.sqrt(sum) / time or 0
    out[i + 1] = speed == speed and speed or 0
  end
  return out
end

local function series_of(frame, joints)
  local coordinates = pack.unpack("f", frame.joints, 1, #frame.joints // 4)
  local series = { kinetic = frame.kinetic, potential = frame.potential, stored = frame.stored,
    contacts = frame.contacts, residual = frame.residual }
  for _, joint in ipairs(joints) do series["joint " .. joint.index] = coordinates[joint.index] end
  return series
end

--- A recorder filled with the frames that the world kept.
return function(world)
  local bodies, number = world_record.slots(world)
  local n, stride = #bodies, world.planar and 3 or 7
  local connections, joints = {}, world_record.measured(world)
  for i, connection in ipairs(core.connections(world)) do
    connections[i] = mechanism.of_world(connection, world.planar, number)
  end
  local columns, quiet = world_record.series(joints)
  local frames = core.frames(world)
  if #frames == 0 then
    local kinetic, potential, stored = world:energy()
    frames[1] = { time = world.time, poses = (core.poses(world)), kinetic = kinetic, potential = potential, stored = stored,
      contacts = 0, residual = 0, joints = "", pushes = "" }
  end
  local rec = record.new{ title = "A world", planar = world.planar, bodies = bodies, connections = connections,
    contacts = true, channels = { { name = "speed", unit = "m/s" } }, series = columns }
  rec.quiet = quiet
  local nowhere = string.pack("f", 0 / 0):rep(stride)
  for _, frame in ipairs(frames) do
    local poses = frame.poses:sub(1, n * 4 * stride)
    frame.poses = poses .. nowhere:rep(n - #poses // (4 * stride))
    frame.numbers = pack.unpack("f", frame.poses, 1, n * stride)
  end
  for k, frame in ipairs(frames) do
    rec:frame{ time = frame.time, poses = frame.poses, channels = { speed = speeds(frames, k, n, stride) },
      contacts = frame.pushes, series = series_of(frame, joints) }
  end
  return rec
end
