-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Random chains and loops with springs that steps of 1/60 s do not resolve, in joints of every formulation and between two
-- points of bodies that nothing else holds, thrown on a floor: what projections of overlaps move stretches no spring. Kinetic,
-- potential and stored energy, summed here from poses and velocities (but what rows of penalty joints store, the world's), grow
-- in no step by more than a share of what moves.
local delassus = require "delassus"
local random = require "support.random"

local STEPS, H = 30, 1 / 60
local SHARE = 0.1 -- of the kinetic and stored energy before, and of m g times how far bodies fall in a step

local function turned(q, v)
  if type(q) == "number" then
    local c, s = math.cos(q), math.sin(q)
    return { c * v[1] - s * v[2], s * v[1] + c * v[2] }
  end
  local r = delassus.vec{ q[2], q[3], q[4] }
  local t = 2 * r:cross(delassus.vec(v))
  return delassus.vec(v) + q[1] * t + r:cross(t)
end

local function length_of(s)
  local A, B, sum = turned(s.a.rotation, s.r_a), turned(s.b.rotation, s.r_b), 0
  for k = 1, #A do sum = sum + (s.a.position[k] + A[k] - s.b.position[k] - B[k]) ^ 2 end
  return math.sqrt(sum)
end

--- A chain of boxes and balls, one above the other; joints of one degree have springs, and so have some pairs of points.
local function chain(seed, planar, formulation)
  local r = random(seed)
  local function within(lo, hi) return lo + (hi - lo) * 0.5 * (1 + r()) end
  local function two_or_three(x, y, z) return planar and { x, z } or { x, y, z } end
  local world = delassus.world{ planar = planar, dt = H, record = false, impact = seed % 3 == 0 and "sequential" or "newton" }
  world:floor{ friction = 0.3 }
  local bodies, inertia, joints, springs = {}, {}, {}, {}
  local x, z, speed = 0, within(0.15, 0.4), within(-3, 3)
  for i = 1, 3 + seed % 5 do
    local size, m = within(0.1, 0.3), 10 ^ within(-0.5, 1)
    inertia[i] = m * size ^ 2 / 6 -- of a cube, and given to balls
    local o = { mass = m, inertia = planar and inertia[i] or { inertia[i], inertia[i], inertia[i] }, friction = 0.3,
      position = two_or_three(x, 0, z), velocity = two_or_three(speed, 0, within(-6, -2)),
      angular_velocity = planar and within(-8, 8) or { within(-8, 8), within(-8, 8), within(-8, 8) } }
    if r() > 0 then
      o.size = two_or_three(size, size, size)
      bodies[i] = world:box(o)
    else
      o.radius = size / 2
      bodies[i] = world[planar and "disk" or "sphere"](world, o)
    end
    x, z = x + within(0.2, 0.35) + (formulation == "none" and 0.13 or 0), z + within(-0.1, 0.2) -- bodies with no joint collide
    if z < 0.16 then z = 0.16 end
  end
  for i = 2, formulation == "none" and 0 or #bodies do
    local kind, a, b = r() > 0 and "revolute" or "prismatic", bodies[i - 1], bodies[i]
    local how = formulation == "mixed" and (r() > 0 and "rigid" or "reduced") or formulation
    local stiffness = r() > 0 and 10 ^ within(5, 10) or 0
    local axis = two_or_three(within(-1, 1), within(-1, 1), within(-1, 1))
    local joint = world:joint{ kind, a, b, anchor = 0.5 * (a.position + b.position), formulation = how,
      axis = not (planar and kind == "revolute") and axis or nil, stiffness = stiffness }
    joints[#joints + 1] = { joint = joint, k = stiffness }
  end
  for i = 3, #bodies, 2 do
    local s = { a = bodies[i - 2], b = bodies[i], k = 10 ^ within(4, 9) }
    s.r_a = two_or_three(within(-0.05, 0.05), within(-0.05, 0.05), within(-0.05, 0.05))
    s.r_b = two_or_three(within(-0.05, 0.05), within(-0.05, 0.05), within(-0.05, 0.05))
    s.L = length_of(s)
    world:spring{ s.a, s.b, anchor_a = s.r_a, anchor_b = s.r_b, stiffness = s.k, length = s.L }
    springs[#springs + 1] = s
  end
  return world, function()
    local moves, potential, mass = 0, 0, 0
    for i, body in ipairs(bodies) do
      local v, w = body.velocity, body.angular_velocity
      moves = moves + 0.5 * body.mass * v:dot(v) + 0.5 * inertia[i] * (planar and w * w or w:dot(w))
      potential = potential + 9.81 * body.mass * body.position[planar and 2 or 3]
      mass = mass + body.mass
    end
    if formulation == "penalty" then
      local kinetic, _, stored = world:energy()
      return kinetic + stored, potential, mass
    end
    for _, s in ipairs(springs) do moves = moves + 0.5 * s.k * (length_of(s) - s.L) ^ 2 end
    for _, e in ipairs(joints) do moves = moves + 0.5 * e.k * e.joint.q ^ 2 end
    return moves, potential, mass
  end
end

describe("springs that steps do not resolve, where overlaps are taken out", function()
  for _, formulation in ipairs{ "reduced", "rigid", "mixed", "penalty", "none" } do
    for _, planar in ipairs{ true, false } do
      it(formulation .. (planar and ", in the plane" or ", in space"), function()
        for seed = 1, 40 do
          local world <close>, energies = chain(seed, planar, formulation)
          local moves, potential, mass = energies()
          for step = 1, STEPS do
            world:step()
            local moves_n, potential_n = energies()
            local gained = moves_n + potential_n - moves - potential
            local most = SHARE * (moves + mass * 9.81 * H * math.sqrt(2 * moves / mass) + mass * (9.81 * H) ^ 2)
            if gained > most or gained ~= gained then
              error(("seed %d, step %d: gained %g J of %g J that move"):format(seed, step, gained, moves))
            end
            moves, potential = moves_n, potential_n
          end
        end
      end)
    end
  end
end)
