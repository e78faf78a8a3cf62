-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- world:accelerations() with the contacts of now: closed forms of bodies that rest, slide, roll and tip.
local delassus = require "delassus"
local near = require "support.near"

local G = 9.81

-- A slope of the angle alpha by a turned gravity; x runs downhill.
local function slope(alpha, friction)
  local world = delassus.world{ gravity = { G * math.sin(alpha), 0, -G * math.cos(alpha) }, record = false }
  world:floor{ friction = friction }
  return world
end

describe("accelerations with contacts", function()
  it("of a box that rests are zero, though its corners share the load in many ways", function()
    local world <close> = slope(0.3, 0.5) -- tan 0.3 < 0.5
    local box = world:box{ size = { 0.4, 0.4, 0.2 }, density = 500, position = { 0, 0, 0.1 }, friction = 0.5 }
    local hash = world:hash()
    local udot = world:accelerations()
    for i = 1, 6 do near(0, udot[i], 1e-11 * G) end
    assert.equal(hash, world:hash())
    local free = world:accelerations{ contacts = false }
    near(-G * math.cos(0.3), free[3], 1e-13 * G)
    assert.is_truthy(box)
  end)

  it("of a box that slides are those of Coulomb's law", function()
    local world <close> = slope(0.3, 0.2)
    world:box{ size = { 0.4, 0.4, 0.1 }, density = 500, position = { 0, 0, 0.05 }, friction = 0.2 }
    local udot = world:accelerations() -- it begins to slide: the cone decides
    near(G * (math.sin(0.3) - 0.2 * math.cos(0.3)), udot[1], 1e-9 * G)
    world:set_velocities{ 0, 2, 0, 0, 0, 0 } -- it slides across: friction is against it
    udot = world:accelerations()
    near(G * math.sin(0.3), udot[1], 1e-9 * G)
    near(-0.2 * G * math.cos(0.3), udot[2], 1e-9 * G)
    near(0, udot[3], 1e-9 * G)
    world:set_velocities{ 0, 0, 0.1, 0, 0, 0 } -- it leaves
    near(-G * math.cos(0.3), world:accelerations()[3], 1e-13 * G)
  end)

  it("of boxes that slide any way are -mu g, though four corners share the load in many ways (200 seeds)", function()
    for seed = 1, 200 do
      local rng = delassus.random(seed)
      local function r(lo, hi) return lo + (hi - lo) * rng:uniform() end
      local mu, a, size = r(0, 0.5), r(0, 6.28), { r(0.4, 1), r(0.4, 1), r(0.1, 0.4) }
      local world <close> = slope(0, mu)
      world:box{ size = size, mass = r(1, 2), position = { 0, 0, size[3] / 2 }, velocity = { math.cos(a), math.sin(a), 0 },
        rotation = { axis = { 0, 0, 1 }, angle = r(0, 6) }, friction = mu }
      local udot = world:accelerations()
      local expected = { -mu * G * math.cos(a), -mu * G * math.sin(a), 0, 0, 0, 0 }
      for i = 1, 6 do near(expected[i], udot[i], 1e-9 * G, ("seed %d, %d"):format(seed, i)) end
    end
  end)

  it("of a ball that rolls are 5/7 g sin alpha, at rest and at speed", function()
    local world <close> = slope(0.3, 0.5)
    local ball = world:sphere{ radius = 0.1, density = 700, position = { 0, 0, 0.1 }, friction = 0.5 }
    for _, v in ipairs{ 0, 3 } do
      ball.velocity, ball.angular_velocity = { v, 0, 0 }, { 0, v / 0.1, 0 }
      local udot = world:accelerations()
      near(5 / 7 * G * math.sin(0.3), udot[1], 1e-9 * G, "v = " .. v)
      near(0, udot[3], 1e-7 * G) -- differences over a way of 1e-5: rounding is 1e-11 v^2 / r
      near(5 / 7 * G * math.sin(0.3) / 0.1, udot[5], 1e-7 * G * 10)
    end
  end)

  it("of a link on a hinge that leans on a floor: nothing moves, and the hinge carries its share", function()
    local world <close> = delassus.world{ record = false }
    world:floor{ friction = 0 }
    local rod = world:capsule{ radius = 0.1, length = 1, density = 800, position = { 0.5, 0, 0.1 }, friction = 0 }
    local joint = world:joint{ "revolute", world.ground, rod, anchor = { 0, 0, 0.1 }, axis = { 0, 1, 0 } }
    near(0, world:accelerations()[1], 1e-11)
    local force, moment = joint:reaction()
    -- two points of the capsule's line can share the load: about the hinge it is always the weight's
    near(0, moment.y, 1e-9)
    near(0, force.x, 1e-9)
    assert.is_true(force.z < rod.mass * G)
  end)

  it("of a step's start are what a step makes of them", function()
    -- three balls on each other and on the floor, one of them pushed
    local world <close> = delassus.world{ dt = 1e-5, record = false }
    world:floor{ friction = 0.4 }
    local r = 0.1
    for i, p in ipairs{ { 0, 0, r }, { 2 * r, 0, r }, { r, 0, r + math.sqrt(3) * r } } do
      local ball = world:sphere{ radius = r, density = 800, position = p, friction = 0.4 }
      if i == 3 then ball:apply{ force = { 20, 3, 0 } } end
    end
    local udot = world:accelerations()
    world:step()
    local u = world:velocities()
    for i = 1, 18 do near(udot[i], u[i] / 1e-5, 1e-6 * 30, "velocity " .. i) end
  end)
end)
