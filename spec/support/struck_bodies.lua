-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Random bodies, in the plane (even seeds) and in space, free or hung on each other, whose points strike planes of the ground
-- and of each other in a step without measure. Energies by masses, inertias and velocities alone.
local delassus = require "delassus"
local M = {}

--- s, long enough for impacts alone; where penalties push, whose work is told from what impacts give.
M.DT, M.DT_OF_PENALTIES = 1e-14, 1e-17

local function between(lo, hi) return lo + (hi - lo) * math.random() end

local function vector(planar, r)
  local v = {}
  for k = 1, planar and 2 or 3 do v[k] = between(-r, r) end
  return v
end

local function make(world, planar, at)
  local function moment() return between(0.1, 0.12) end
  local mass, inertia = between(0.2, 2), planar and between(0.02, 0.2) or { moment(), moment(), moment() }
  local body = world:body{ mass = mass, inertia = inertia, position = at, velocity = vector(planar, 2),
    angular_velocity = planar and between(-3, 3) or vector(planar, 3) }
  return { body = body, mass = mass, inertia = inertia }
end

local function hang(world, planar, parts, at, i, formulation)
  local parent, anchor, axis = math.random(1, i - 1), {}, vector(planar, 1)
  for k = 1, #at[i] do anchor[k] = 0.5 * (at[i][k] + at[parent][k]) + between(-0.1, 0.1) end
  local kind = planar and "revolute" or (math.random() < 0.5 and "spherical" or "revolute")
  local coin = math.random() < 0.5
  if formulation == "mixed" then formulation = coin and "rigid" or "reduced" end
  local options = { kind, parts[parent].body, parts[i].body, anchor = anchor, formulation = formulation,
    axis = kind == "revolute" and not planar and axis or nil }
  if formulation == "penalty" then options.alpha, options.beta = 1e4, 200 end -- forces: nothing within an impact
  if formulation == "penalty" then options.alpha_rotation, options.beta_rotation = 1e4, 200 end
  world:joint(options)
  return { a = parent, b = i }
end

--- The world; its parts { body =, mass =, inertia = }; its joints { a =, b = } by numbers of parts. formulation: of joints, or
--- "none". Restitutions are equal, different, or some of them zero.
function M.build(seed, law, formulation, friction)
  math.randomseed(seed)
  local planar = seed % 2 == 0
  local world = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, tolerance = 1e-13,
    dt = formulation == "penalty" and M.DT_OF_PENALTIES or M.DT, impact = law, record = false }
  local n, parts, at, joints = math.random(1, 5), {}, {}, {}
  for i = 1, n do
    at[i] = vector(planar, 1)
    parts[i] = make(world, planar, at[i])
  end
  for i = 2, formulation == "none" and 0 or n do
    if math.random() < 0.7 then joints[#joints + 1] = hang(world, planar, parts, at, i, formulation) end
  end
  local how, equal = math.random(3), math.random()
  for _ = 1, math.random(1, 5) do
    local b, a = math.random(1, n), math.random() < 0.5 and 0 or math.random(1, n)
    if a == b then a = 0 end
    local point, place = vector(planar, 0.3), {}
    for i = 1, #point do place[i] = at[b][i] + point[i] - (a > 0 and at[a][i] or 0) end
    local e = how == 1 and equal or how == 2 and math.random() or (math.random() < 0.4 and 0 or math.random())
    world:contact{ a == 0 and world.ground or parts[a].body, parts[b].body, point_a = place, point_b = point,
      normal = vector(planar, 1), friction = friction * math.random(), restitution = e }
  end
  return world, parts, joints
end

--- A world of bodies, free or hung on each other by hinges, in steps of 1 ms, whose points are on planes of the ground and of
--- each other or up to 2 mm away; its parts { body =, energy = }, the kinetic energy of one.
function M.build_near(seed, law, formulation)
  local r = delassus.random(seed)
  local planar = seed % 2 == 0
  local function within(most)
    local v = {}
    for k = 1, planar and 2 or 3 do v[k] = r:uniform(-most, most) end
    return v
  end
  local world = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, tolerance = 1e-13, impact = law,
    record = false }
  local n, parts, at = r:integer(1, 5), {}, {}
  for i = 1, n do
    at[i] = within(1)
    local mass, inertia = r:uniform(0.2, 2), r:uniform(0.02, 0.2) -- a sphere's: its axes turn as they like
    local body = world:body{ mass = mass, inertia = planar and inertia or { inertia, inertia, inertia }, position = at[i],
      velocity = within(2), angular_velocity = planar and r:uniform(-3, 3) or within(3) }
    parts[i] = { body = body, energy = function()
      local v, w = body.velocity, body.angular_velocity
      return 0.5 * (mass * v:dot(v) + inertia * (planar and w * w or w:dot(w)))
    end }
  end
  for i = 2, formulation == "none" and 0 or n do
    local parent, anchor = r:integer(1, i - 1), {}
    for k = 1, #at[i] do anchor[k] = 0.5 * (at[i][k] + at[parent][k]) end
    if r:uniform(0, 1) < 0.7 then
      world:joint{ "revolute", parts[parent].body, parts[i].body, anchor = anchor, axis = not planar and within(1) or nil,
        formulation = formulation }
    end
  end
  for _ = 1, r:integer(2, 7) do
    local b, a = r:integer(1, n), r:uniform(0, 1) < 0.5 and 0 or r:integer(1, n)
    if a == b then a = 0 end
    local point, place, normal, away, length = within(0.3), {}, within(1), r:uniform(0, 1) < 0.5 and 0 or r:uniform(0, 2e-3), 0
    for i = 1, #normal do length = length + normal[i] ^ 2 end
    for i = 1, #point do
      place[i] = at[b][i] + point[i] - (a > 0 and at[a][i] or 0) - away * normal[i] / math.sqrt(length)
    end
    world:contact{ a == 0 and world.ground or parts[a].body, parts[b].body, point_a = place, point_b = point, normal = normal,
      friction = r:uniform(0, 1.2), restitution = r:uniform(0, 1) }
  end
  return world, parts
end

--- Kinetic energy of a part, whose axes are the world's.
function M.energy(part)
  local v, w = part.body.velocity, part.body.angular_velocity
  local turning = type(w) == "number" and part.inertia * w * w or 0
  for k = 1, type(w) == "number" and 0 or 3 do turning = turning + part.inertia[k] * w[k] ^ 2 end
  return 0.5 * (part.mass * v:dot(v) + turning)
end

--- Of each part the number of one of those that the lists of pairs { a =, b = } join it to; 0 is the ground.
function M.islands(parts, ...)
  local root = {}
  for i = 1, #parts do root[i] = i end
  local function find(i)
    while root[i] ~= i do i = root[i] end
    return i
  end
  for _, list in ipairs{ ... } do
    for _, pair in ipairs(list) do
      if pair.a > 0 then root[find(pair.a)] = find(pair.b) end
    end
  end
  local of = {}
  for i = 1, #parts do of[i] = find(i) end
  return of
end

return M
