-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- A dense planar scene, and what another process makes of its snapshot. As a program:
--     lua spec/support/world_scene.lua SNAPSHOT_FILE STEPS    prints the hash after so many steps
local M = {}

function M.build()
  local delassus = require "delassus"
  local world = delassus.world { planar = true, log = true, record = false, seed = 3 }
  local random = delassus.random(11)
  local wood = delassus.material { friction = 0.4, restitution = 0.2, rolling_friction = 1e-3 }
  world:drum { radius = 1, lifters = { count = 4, height = 0.1, width = 0.1 }, angular_velocity = 1, material = wood }
  for i = -2, 2 do
    for j = -1, 2 do
      local place = { 0.25 * i + 0.01 * random:uniform(), 0.24 * j }
      if (i + j) % 2 == 0 then world:disk { radius = 0.1, position = place, material = wood }
      else world:box { size = { 0.18, 0.15 }, position = place, rotation = random:uniform(), material = wood } end
    end
  end
  return world
end

if arg and arg[0] and arg[0]:match("world_scene%.lua$") then
  local world = M.build()
  world:restore(assert(io.open(arg[1], "rb")):read("a"))
  world:step(tonumber(arg[2]))
  print(world:hash())
end

return M
