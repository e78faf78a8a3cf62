-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Random chains of boxes or capsules thrown on a floor, in the plane (even seeds) and in space.
local delassus = require "delassus"
local M = {}

local function between(lo, hi) return lo + (hi - lo) * math.random() end

local function link(planar, box, at, tilt, length, girth, options)
  local c, s = 0.5 * length * math.cos(tilt), 0.5 * length * math.sin(tilt)
  options.position = planar and { at[1] + c, at[2] + s } or { at[1] + c, 0, at[2] + s }
  options.rotation = planar and tilt or { axis = { 0, 1, 0 }, angle = -tilt }
  if box then options.size = planar and { length, 2 * girth } or { length, 2 * girth, 2 * girth * between(0.5, 2) }
  else options.radius, options.length = girth, math.max(length - 2 * girth, 0.02) end
  at[1], at[2] = at[1] + 2 * c, at[2] + 2 * s
  return options
end

--- The world, its bodies, its friction and restitution. change.friction, change.restitution stand in for what was drawn.
function M.build(seed, law, formulation, friction, change)
  math.randomseed(seed)
  local planar, dt = seed % 2 == 0, ({ 1e-3, 1e-3, 2e-3, 5e-3 })[math.random(4)]
  local world = delassus.world{ planar = planar, dt = dt, impact = law, record = false }
  local mu, e = friction * math.random(), math.random() < 0.3 and 0 or math.random()
  if change then mu, e = change.friction or mu, change.restitution or e end
  world:floor{ friction = mu, restitution = e }
  local n, box, tilt, bodies = math.random(2, 8), math.random() < 0.5, between(-0.3, 0.3), {}
  local at = { 0, between(0.15, 0.35) }
  for i = 1, n do
    local anchor = planar and { at[1], at[2] } or { at[1], 0, at[2] }
    local options = link(planar, box, at, tilt, between(0.1, 0.4), between(0.02, 0.05),
      { density = 10 ^ between(2.5, 3.5), friction = mu, restitution = e, group = "chain" })
    options.velocity = planar and { between(-1, 1), between(-1, 0) } or { between(-1, 1), between(-0.5, 0.5), between(-1, 0) }
    options.angular_velocity = planar and between(-3, 3) or { between(-3, 3), between(-3, 3), between(-3, 3) }
    bodies[i] = world[box and "box" or "capsule"](world, options)
    if i > 1 then
      world:joint{ planar and "revolute" or "spherical", bodies[i - 1], bodies[i], anchor = anchor, formulation = formulation }
    end
  end
  return world, bodies, mu, e
end

return M
