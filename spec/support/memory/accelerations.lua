-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"

-- What is asked of the equations of motion: a chain with a rigid loop, on the floor.
function phase()
  local text = ""
  for _, planar in ipairs{ true, false } do
    local function at(x, y) return planar and { x, y } or { x, 0, y } end
    local world <close> = delassus.world{ planar = planar, record = false }
    local function hinge(a, b, x, formulation)
      world:joint{ "revolute", a, b, anchor = at(x, 1), axis = not planar and { 0, 1, 0 } or nil, formulation = formulation }
    end
    local links, last = {}, world.ground
    for k = 1, 3 do
      links[k] = world:body{ mass = 1, inertia = planar and 0.1 or { 0.1, 0.1, 0.1 }, position = at(k - 0.5, 1) }
      hinge(last, links[k], k - 1)
      last = links[k]
    end
    hinge(world.ground, last, 3, "rigid")
    text = text .. tostring(world:accelerations()) .. tostring(world:inverse_dynamics(world:velocities()))
    text = text .. tostring(world:mass_matrix()) .. tostring(world:bias()) .. tostring(world:delassus())
    text = text .. tostring(world:jacobian(last, at(2.5, 1)))
    world:integrate{ method = "rk4", dt = 1e-3, to = 2e-3 }
    text = text .. world:hash()
    world:floor{ friction = 0.3 }
    world[planar and "disk" or "sphere"](world, { radius = 0.1, position = at(5, 0.1), velocity = at(1, 0) })
    text = text .. tostring(world:accelerations()) .. tostring(world:delassus())
  end
  return text
end
