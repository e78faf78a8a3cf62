-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Trees of hinges in the plane are projected and answered in the axes of the world (core/forest/pivots.h, core/joints/hinged.h).
-- The oracle: the same mechanism in a world that has a pair of welded bodies far away as well, whose forest is then one of
-- the general recursions.
local delassus = require "delassus"

local DT, MOST = 1e-3, 240 -- seeds

local function decoy(world)
  local a = world:box{ size = { 0.1, 0.1 }, density = 500, position = { 1e3, 50 } }
  local b = world:box{ size = { 0.1, 0.1 }, density = 500, position = { 1e3, 50.2 } }
  world:joint{ "fixed", a, b, anchor = { 1e3, 50.1 } }
end

-- What the first body hangs on: nothing, the ground, or a box that is moved.
local function root_of(world, random)
  local pick = random:uniform(0, 1)
  if pick < 0.3 then return nil end
  if pick < 0.7 then return world.ground end
  return world:box{ type = "kinematic", size = { 0.1, 0.1 }, position = { 0.1, 0.2 }, rotation = random:uniform(-2, 2),
    velocity = { 0.2, 0.1 }, angular_velocity = 0.5, collides = {} }
end

-- Bodies anywhere, each hinged to one before it (what.last: to the last), either end first, about z or against it.
local function mechanism(what, seed, apart)
  local random = delassus.random(seed)
  local world = delassus.world{ planar = true, dt = random:uniform(0.5, 3) * DT, record = false, tolerance = 1e-12 }
  if apart then decoy(world) end
  local carriers, bodies, joints = { root_of(world, random) }, {}, {}
  for i = 1, random:integer(9, 16) do
    local x, y = random:uniform(-1, 1), random:uniform(-1, 1)
    local body = world:box{ size = { random:uniform(0.1, 0.2), random:uniform(0.05, 0.2) }, density = random:uniform(200, 2000),
      position = { x, y }, rotation = random:uniform(-3, 3), velocity = { random:uniform(-1, 1), random:uniform(-1, 1) },
      angular_velocity = random:uniform(-4, 4), collides = {} }
    local a = carriers[what.last and #carriers or random:integer(1, math.max(#carriers, 1))]
    if a then
      local o = { "revolute", a, body, anchor = { x + random:uniform(-0.4, 0.4), y + random:uniform(-0.4, 0.4) } }
      if random:uniform(0, 1) < 0.3 then o[2], o[3] = body, a end
      if what.soft then o.stiffness, o.damping = random:uniform(0, 5), random:uniform(0, 0.1) end
      joints[#joints + 1] = world:joint(o)
    end
    carriers[#carriers + 1], bodies[i] = body, body
  end
  for _ = 1, what.loops or 0 do
    local a, b = bodies[random:integer(1, #bodies)], bodies[random:integer(1, #bodies)]
    if a ~= b then
      joints[#joints + 1] = world:joint{ "revolute", a, b, formulation = "rigid",
        anchor = { random:uniform(-1, 1), random:uniform(-1, 1) } }
    end
  end
  return world, bodies, joints
end

local function largest(...)
  local most = 0
  for _, x in ipairs{ ... } do most = math.max(most, math.abs(x)) end
  return most
end

-- Of places, of velocities, and of reactions by the largest of them.
local function compare(bodies, others, joints, their)
  local x, v, f, force = 0, 0, 0, 0
  for i, body in ipairs(bodies) do
    local p, q, s, t = body.position, others[i].position, body.velocity, others[i].velocity
    x = largest(x, p[1] - q[1], p[2] - q[2], body.rotation - others[i].rotation)
    v = largest(v, s[1] - t[1], s[2] - t[2], body.angular_velocity - others[i].angular_velocity)
  end
  for i, joint in ipairs(joints) do
    local p, q = joint:reaction(), their[i]:reaction()
    for k = 1, 2 do
      force = largest(force, q[k])
      f = largest(f, p[k] - q[k])
    end
  end
  return x, v, f / math.max(force, 1)
end

-- Planks between two pins, hanging through a little, and a disk that lands on them.
local function bridge(_, seed, apart)
  local random = delassus.random(seed)
  local world = delassus.world{ planar = true, dt = random:uniform(0.5, 2) * DT, record = false, tolerance = 1e-12 }
  if apart then decoy(world) end
  local half, before, bodies, joints, x, y = random:integer(5, 10), world.ground, {}, {}, 0, 0
  for i = 1, 2 * half do
    local angle = (i <= half and -1 or 1) * (0.1 + 0.3 * math.abs(i - half - 0.5) / half)
    local c, s, length = math.cos(angle), math.sin(angle), 0.2
    bodies[i] = world:box{ size = { length, 0.05 }, density = random:uniform(300, 800), rotation = angle, friction = 0.5,
      position = { x + length / 2 * c, y + length / 2 * s } }
    joints[i] = world:joint{ "revolute", before, bodies[i], anchor = { x, y } }
    before, x, y = bodies[i], x + length * c, y + length * s
  end
  joints[#joints + 1] = world:joint{ "revolute", world.ground, before, anchor = { x, y }, formulation = "rigid" }
  local plank = bodies[random:integer(2, 2 * half - 1)]
  bodies[#bodies + 1] = world:disk{ radius = 0.1, density = 800, friction = 0.5, velocity = { 0, -0.3 },
    position = { plank.position[1], plank.position[2] + 0.15 } }
  return world, bodies, joints
end

-- The worst over the seeds is within what is said; they touch in so many steps at least.
local function check(what, steps, same, touching)
  local touched = 0
  for seed = 1, MOST do
    local make = what.make or mechanism
    local a, bodies, joints = make(what, seed, false)
    local b, others, their = make(what, seed, true)
    for _ = 1, steps do
      a:step()
      b:step()
      touched = touched + (a.stats.contacts > 0 and 1 or 0)
    end
    local x, v, f = compare(bodies, others, joints, their)
    local said = ("seed %d: %g m, %g m/s, reactions %g"):format(seed, x, v, f)
    assert.is_true(x <= same.x and v <= same.v and (not same.f or f <= same.f), said)
    for _, joint in ipairs(joints) do
      local off = joint:violation()
      assert.is_true(off <= 1e-13, ("seed %d: apart by %g"):format(seed, off))
    end
    a:close()
    b:close()
  end
  assert.is_true(touched >= touching, "steps with contacts: " .. touched)
end

describe("trees of hinges in the plane, in the axes of the world, go as by the general recursions: 240", function()
  it("chains", function() check({ last = true }, 30, { x = 1e-12, v = 1e-11, f = 1e-9 }, 0) end)
  it("trees", function() check({}, 30, { x = 1e-12, v = 1e-11, f = 1e-9 }, 0) end)
  -- rows that depend on others share their forces in more than one way
  it("nets", function() check({ loops = 2 }, 30, { x = 1e-11, v = 1e-11 }, 0) end)
  it("trees with soft springs", function() check({ soft = true }, 30, { x = 1e-12, v = 1e-11, f = 1e-9 }, 0) end)
  it("bridges that a disk lands on", function() check({ make = bridge }, 60, { x = 1e-8, v = 1e-6 }, 10 * MOST) end)
end)
