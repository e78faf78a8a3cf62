-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Chains of boxes that are hinged to the ground at or beside the corner that they stand on (pinned_spec, near_pinned_spec).
local delassus = require "delassus"
local vec = delassus.vec
local M = {}

local function between(lo, hi) return lo + (hi - lo) * math.random() end

--- v turned by what the options of a body call its rotation.
function M.turned(rotation, v)
  if type(rotation) == "number" then
    local c, s = math.cos(rotation), math.sin(rotation)
    return { c * v[1] - s * v[2], s * v[1] + c * v[2] }
  end
  local c, s = math.cos(rotation.angle), math.sin(rotation.angle)
  local k = vec(rotation.axis) / vec(rotation.axis):norm()
  local out = c * vec(v) + s * k:cross(vec(v)) + (1 - c) * k:dot(vec(v)) * k
  return { out[1], out[2], out[3] }
end

local function plus(a, b, share)
  local out = {}
  for i = 1, #a do out[i] = a[i] + (share or 1) * b[i] end
  return out
end

--- Boxes that stand on each other, each hinged by its lowest corner to the highest of the one below; the first to the
--- ground, `sunk` below the floor and `beside` the corner (0: at it), m. Numbers only.
function M.chain(planar, n, sunk, beside)
  local links = { planar = planar, sunk = sunk }
  local at = planar and { between(-3, 3), -sunk } or { between(-3, 3), between(-3, 3), -sunk }
  for i = 1, n do
    local size, lowest, highest, foot, rotation = {}
    for k = 1, #at do size[k] = between(0.05, 1) end
    if planar then rotation = between(-3, 3)
    else rotation = { axis = { between(-1, 1), between(-1, 1), between(-1, 1) }, angle = between(-3, 3) } end
    for bits = 0, 2 ^ #at - 1 do
      local corner = {}
      for k = 1, #at do corner[k] = (bits >> (k - 1) & 1 == 0 and -0.5 or 0.5) * size[k] end
      corner = M.turned(rotation, corner)
      if not lowest or corner[#at] < lowest[#at] then lowest, foot = corner, bits end
      if not highest or corner[#at] > highest[#at] then highest = corner end
    end
    local centre = plus(at, lowest, -1)
    links[i] = { size = size, rotation = rotation, position = centre, density = 10 ^ between(1, 3.5), foot = foot,
      anchor = plus(at, at, 0), kind = planar and "revolute" or math.random() < 0.5 and "revolute" or "spherical",
      axis = { between(-1, 1), between(-1, 1), between(-1, 1) }, rate = between(-3, 3) }
    at = plus(centre, highest)
  end
  for k = 1, beside and #at or 0 do links[1].anchor[k] = links[1].anchor[k] + beside * between(-0.5, 0.5) end
  links.friction, links.restitution = math.random() < 0.3 and 0 or between(0.1, 3), math.random() < 0.3 and between(0, 1) or 0
  links.rolling = math.random() < 0.3 and between(0, 0.1) or nil
  return links
end

--- The world, its boxes and its joints.
function M.build(links, formulation, floor, dt)
  local world = delassus.world{ planar = links.planar, record = false, dt = dt or 1 / 400 }
  if floor then world:floor{ friction = links.friction, restitution = links.restitution, group = "floor" } end
  local before, foot, first, boxes, joints = world.ground, links[1].anchor, links[1], {}, {}
  local w = links.planar and first.rate or first.rate / vec(first.axis):norm() * vec(first.axis)
  for i, link in ipairs(links) do -- all turn about the foot at first
    local arm = plus(link.position, foot, -1)
    boxes[i] = world:box{ size = link.size, density = link.density, position = link.position, rotation = link.rotation,
      friction = links.friction, restitution = links.restitution, rolling_friction = links.rolling,
      group = "link", collides = "floor",
      velocity = links.planar and { -w * arm[2], w * arm[1] } or w:cross(vec(arm)), angular_velocity = w }
    joints[i] = world:joint{ link.kind, before, boxes[i], anchor = link.anchor, formulation = formulation,
      axis = not links.planar and link.kind == "revolute" and link.axis or nil }
    before = boxes[i]
  end
  return world, boxes, joints
end

--- The height of the lowest corner but the foot.
function M.lowest(links, boxes)
  local low = math.huge
  for i, link in ipairs(links) do
    local n, q = #link.size, boxes[i].rotation
    for bits = 0, 2 ^ n - 1 do
      local corner, height = {}
      for k = 1, n do corner[k] = (bits >> (k - 1) & 1 == 0 and -0.5 or 0.5) * link.size[k] end
      if n == 2 then
        height = boxes[i].position.y + math.sin(q) * corner[1] + math.cos(q) * corner[2]
      else
        local u, v = vec{ q[2], q[3], q[4] }, vec(corner)
        local t = 2 * u:cross(v)
        height = boxes[i].position.z + (v + q[1] * t + u:cross(t))[3]
      end
      if not (i == 1 and bits == link.foot) then low = math.min(low, height) end
    end
  end
  return low
end

--- Energy without what joints store, and its kinetic part.
function M.total(world)
  local kinetic, potential = world:energy()
  return kinetic + potential, kinetic
end

return M
