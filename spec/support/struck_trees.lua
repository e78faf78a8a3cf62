-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Random trees of bodies, in the plane (even seeds) and in space, whose points strike planes in a step without measure.
local delassus = require "delassus"
local M = {}

--- s, long enough for impacts alone.
M.DT = 1e-14

local function between(lo, hi) return lo + (hi - lo) * math.random() end

local function vector(planar, r)
  if planar then return { between(-r, r), between(-r, r) } end
  return { between(-r, r), between(-r, r), between(-r, r) }
end

local function body(world, planar, at)
  local function moment() return between(0.1, 0.12) end
  return world:body{ mass = between(0.2, 2), inertia = planar and between(0.02, 0.2) or { moment(), moment(), moment() },
    position = at, velocity = vector(planar, 2), angular_velocity = planar and between(-3, 3) or vector(planar, 3) }
end

local function hang(world, planar, parent, child, anchor, formulation)
  local kind = planar and "revolute" or (math.random() < 0.5 and "spherical" or "revolute")
  local axis, coin = vector(planar, 1), math.random() < 0.5
  if formulation == "mixed" then formulation = coin and "rigid" or "reduced" end
  return world:joint{ kind, parent, child, anchor = anchor, axis = kind == "revolute" and not planar and axis or nil,
    formulation = formulation }
end

--- The world, its bodies, its joints; formulation: also "mixed". loop: the last body of four and more hangs on the first.
function M.build(seed, law, formulation, friction, loop)
  math.randomseed(seed)
  local planar = seed % 2 == 0
  local world = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = M.DT, tolerance = 1e-14,
    impact = law, log = true, record = false }
  local n, bodies, joints, at = math.random(2, 6), {}, {}, {}
  for i = 1, n do
    at[i] = vector(planar, 1)
    bodies[i] = body(world, planar, at[i])
  end
  for i = 2, n do
    local parent, anchor = math.random(1, i - 1), {}
    for k = 1, #at[i] do anchor[k] = 0.5 * (at[i][k] + at[parent][k]) + between(-0.1, 0.1) end
    joints[#joints + 1] = hang(world, planar, bodies[parent], bodies[i], anchor, formulation)
  end
  if loop and n >= 4 then
    joints[#joints + 1] = world:joint{ planar and "revolute" or "spherical", bodies[1], bodies[n], anchor = at[1],
      formulation = "rigid" }
  end
  for _ = 1, math.random(1, 4) do
    local which, point, place = math.random(1, n), vector(planar, 0.3), {}
    for k = 1, #point do place[k] = at[which][k] + point[k] end
    world:contact{ world.ground, bodies[which], point_a = place, point_b = point, normal = vector(planar, 1),
      friction = friction * math.random(), restitution = math.random() < 0.3 and 0 or math.random() }
  end
  return world, bodies, joints
end

return M
