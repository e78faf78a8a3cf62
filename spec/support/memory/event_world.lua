-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"

-- Event-driven worlds: impacts, sliding, a hinge with friction and a limit, a gap function.
function phase()
  local text = ""
  for _, planar in ipairs{ true, false } do
    local function at(x, y) return planar and { x, y } or { x, 0, y } end
    local world <close> = delassus.world{ planar = planar, scheme = "event-driven", record = false, dt = 2e-3 }
    world:floor{ friction = 0.3 }
    local kind = planar and "disk" or "sphere"
    world[kind](world, { radius = 0.1, position = at(0, 0.103), velocity = at(0.4, -1), restitution = 0.5, friction = 0.3 })
    world[kind](world, { radius = 0.1, position = at(0.5, 0.1), velocity = at(1, 0), friction = 0.3 })
    local bob = world:body{ mass = 1, inertia = planar and 0.1 or { 0.1, 0.1, 0.1 }, position = at(2, 1) }
    world:joint{ "revolute", world.ground, bob, anchor = at(1.5, 1), axis = not planar and { 0, 1, 0 } or nil,
      friction = 0.1, limits = { -0.001, 1 } }
    world:step(5)
    text = text .. world:hash()
  end
  return text
end
