-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Impacts in steps in which forces act, too: energy told as theirs, and friction of the blow and of the forces.
local delassus = require "delassus"
local G, DT = 9.81, 1e-3

local function uniform(lo, hi) return lo + (hi - lo) * math.random() end

--- A block that slides, lifts off more slowly than gravity takes back in a step, and is turned round by a force within one:
--- friction works on it, the floor too, and neither is an impact's doing. falls: a small block comes down on it, which
--- rebounds, and slides by a mean speed of `over` m/s. The step's gain that is told, and the works of its contacts, J.
local function turn_round(seed, falls)
  math.randomseed(seed)
  local world <close> = delassus.world{ planar = true, dt = DT, gravity = { 0, -G }, tolerance = 1e-13, record = false }
  local rough = delassus.material{ friction = uniform(0.1, 0.4), restitution = 1 }
  local mass, speed, back = uniform(1, 3), uniform(0.8, 1.2), uniform(0.2, 0.4)
  world:floor{ material = rough }
  local block = world:box{ size = { 1, 0.2 }, mass = mass, position = { 0, 0.1 }, material = rough }
  world:step(3)
  block.velocity = { speed, uniform(0.3, 0.7) * G * DT }
  block:apply{ force = { -mass * (speed + back) / DT, 0 } }
  local top
  if falls then
    top = world:box{ size = { 0.2, 0.2 }, mass = 0.005 * mass, position = { 0, 0.3 }, material = rough,
      velocity = { 0.5 * (speed - back) + rough.friction * 0.1 + uniform(-0.002, 0.01), -0.1 } }
  end
  local lower, upper = block.velocity, top and top.velocity - block.velocity
  local turnover, thrown, against, work = world:ledger().turnover, 0, 0, 0
  world:step()
  for contact in world:contacts() do
    local was, p = contact.b == top and upper or lower, contact.impulse
    local along = 0.5 * p.x * (was.x + contact.velocity.x)
    work = work + along + 0.5 * p.y * (was.y + contact.velocity.y)
    thrown, against = thrown + math.max(along, 0), against + math.max(-along, 0)
  end
  assert.equal(0, world.stats.unconverged)
  return world.stats.impact_gain * (world:ledger().turnover - turnover), thrown, work, against
end

describe("an impact in a step of forces", function()
  it("is told nothing of what friction and a floor give where nothing strikes (200 seeds)", function()
    for seed = 1, 200 do
      local told, thrown = turn_round(seed, false)
      assert.is_true(told == 0 and thrown > 1e-5, ("seed %d: told %g of %g J"):format(seed, told, thrown))
    end
  end)

  it("is told the work along tangents that throws, whatever other contacts take (200 seeds)", function()
    local met = 0
    for seed = 1, 200 do
      local told, thrown, work, against = turn_round(seed, true)
      local where = ("seed %d: told %.9g, thrown %.9g, work %.9g, against %.3g J"):format(seed, told, thrown, work, against)
      assert.is_true(math.abs(told - math.min(thrown, work)) < 1e-9 * thrown, where)
      if thrown < work and against > 1e-6 * thrown then met = met + 1 end
    end
    assert.is_true(met > 40, met)
  end)

  -- What comes before the forces has the friction of rest, and the forces' part that of the slide: N = j + m g h,
  -- T = mu_s j + mu_k m g h, and a contact that slides tells the mean of both by the normal impulses.
  for _, law in ipairs{ "poisson", "sequential" } do
    it("slides by the friction of rest, then by that of the slide: exact, " .. law .. " (200 seeds)", function()
      for seed = 1, 200 do
        math.randomseed(seed)
        local static, mass, blow = uniform(0.4, 0.8), uniform(1, 3), uniform(0.01, 0.1)
        local kinetic = static * uniform(0.2, 0.8)
        local world <close> = delassus.world{ planar = true, dt = DT, gravity = { 0, -G }, impact = law, tolerance = 1e-13,
          record = false }
        local wood = delassus.material{ friction = { static = static, kinetic = kinetic } }
        world:floor{ material = wood }
        local block = world:box{ size = { 1, 0.2 }, mass = mass, position = { 0, 0.1 }, material = wood }
        world:step(3)
        block:impulse{ impulse = { 2 * blow + mass * G * DT, -blow } }
        world:step()
        local normal, tangential = 0, 0
        for contact in world:contacts() do
          local p, where = contact.impulse, ("seed %d: friction %.9g"):format(seed, contact.friction)
          assert.is_true(math.abs(-p.x - contact.friction * p.y) < 1e-7 * p.y, where)
          normal, tangential = normal + p.y, tangential - p.x
        end
        local pressed = mass * G * DT
        assert.near(blow + pressed, normal, 1e-7 * blow, "seed " .. seed)
        assert.near(static * blow + kinetic * pressed, tangential, 1e-7 * blow, "seed " .. seed)
      end
    end)
  end
end)
