-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- What a live view sends: the world's picture as the replay's scene of one frame, then frames as bytes.
-- @module delassus.view_scene
local core = require "delassus.core"
local json = require "delassus.json"
local mechanism = require "delassus.record_mechanism"
local pack = require "delassus.pack"
local record = require "delassus.record"
local scenes = require "delassus.scene"
local world_record = require "delassus.world_record"

local M = {}

local CONTACTS = 500 -- of a frame, at most

--- The picture of a world.
-- @tparam table hidden keys of connections (of `core.connections`) that are left out
-- @treturn table { text = the message, joints = those whose coordinate is in frames, reacting = those whose reaction is,
-- bodies = body by slot, or false }
function M.picture(world, serial, title, hidden)
  local bodies, number = world_record.slots(world)
  local connections, reacting, joints = {}, {}, world_record.measured(world)
  for _, connection in ipairs(core.connections(world)) do
    if not hidden[connection.key] then
      connections[#connections + 1] = mechanism.of_world(connection, world.planar, number)
      reacting[#reacting + 1] = connection.joint
    end
  end
  local rec = record.new{ title = title, planar = world.planar, bodies = bodies, connections = connections }
  rec:frame{ time = world.time, poses = (core.poses(world)) }
  local columns = json.list((world_record.series(joints)))
  local text = json.encode{ kind = "scene", serial = serial, title = title, scene = scenes.encode(rec:scene()), columns = columns,
    dt = world.dt }
  return { text = text, joints = joints, reacting = reacting, bodies = core.slots(world) }
end

-- Force and moment on b of each joint, N and N m, world axes; NaN where they are not known yet.
local function reactions(picture, planar)
  local out, n = {}, planar and 2 or 3
  for _, joint in ipairs(picture.reacting) do
    local known, force, moment = pcall(joint.reaction, joint)
    for i = 1, n do out[#out + 1] = known and force[i] or 0 / 0 end
    for i = 1, planar and 1 or 3 do out[#out + 1] = known and (planar and moment or moment[i]) or 0 / 0 end
  end
  return pack.f32(out)
end

--- A frame: serial of the picture, time, numbers of bodies, contacts, joints and series (little-endian: I4 I4 d I4 I4 I4), then
-- poses, contacts and the joints' reactions as 4-byte floats, series as 8-byte ones in the order of the picture's columns.
function M.frame(world, serial, picture)
  local poses, n = core.poses(world)
  local size = world.planar and 16 or 24
  local pushes = core.pushes(world):sub(1, CONTACTS * size)
  local kinetic, potential, stored = world:energy()
  local stats = world.stats
  local series = { kinetic, potential, stored, stats.contacts, stats.residual }
  for _, joint in ipairs(picture.joints) do series[#series + 1] = joint.world and joint.q or 0 / 0 end
  return ("<I4I4dI4I4I4"):pack(serial, n, world.time, #pushes // size, #picture.reacting, #series) .. poses .. pushes
    .. reactions(picture, world.planar) .. ("<" .. ("d"):rep(#series)):pack(table.unpack(series))
end

return M
