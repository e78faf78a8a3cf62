-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Fuzzing target: snapshots. The first byte chooses a scene, and whether the seal is made anew; then pieces of the
-- scene's own snapshot are replaced: place (2 bytes), length (1 to 8), bytes; a place beyond the end cuts. The world
-- refuses what comes out and stays, or goes on.
local delassus = require "delassus"
local core = require "delassus.core"
local lies = require "support.snapshot_lies"

local scenes, order = {}, { "planar", "spatial", "disks", "spheres" }

local function scene(name)
  local s = scenes[name]
  if s == nil then
    local world = lies.scenes[name](delassus)
    world:step(20)
    s = { world = world, bytes = world:snapshot(), hash = world:hash() }
    scenes[name] = s
  end
  return s
end

local function edited(body, edits)
  local at = 1
  while at + 2 <= #edits do
    local place, n = ("<I2B"):unpack(edits, at)
    local bytes = edits:sub(at + 3, at + 3 + n % 8)
    at = at + 3 + #bytes
    place = place + 1
    if place > #body then body = body:sub(1, #body - (place - #body) % #body)
    else body = (body:sub(1, place - 1) .. bytes .. body:sub(place + #bytes)):sub(1, #body) end
  end
  return body
end

return function(bytes)
  if #bytes == 0 then return end
  local s = scene(order[1 + bytes:byte() % 4])
  local body = edited(s.bytes:sub(1, -9), bytes:sub(2))
  local seal = bytes:byte() >= 64 and ("<I8"):pack(tonumber(core.hash(body), 16)) or s.bytes:sub(-8)
  local world = s.world
  if pcall(world.restore, world, body .. seal) then
    lies.go_on(world)
    world:restore(s.bytes)
  end
  if world:hash() ~= s.hash then error("FUZZ: the world is another one", 0) end
end
