-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Light chains that carry much, in steps that do not resolve their swings: (h omega)^2 up to some hundreds,
-- omega^2 = 12 T/(m l) of links of mass m and length l under the tension T.
local delassus = require "delassus"
local seeds = require "support.seeds"

-- A ball of so many links' mass on a chain of n, drawn aside by an angle; -> ball, the weight times the length.
local function hang(world, n, ratio, angle, across)
  local s, c = math.sin(angle), math.cos(angle)
  local before, link = world.ground, nil
  for i = 1, n do
    local at = 0.1 * i - 0.05
    link = world:capsule{ radius = 0.02, length = 0.06, density = 7800, position = { at * s, 0, -at * c },
      rotation = { axis = { 0, 1, 0 }, angle = math.pi / 2 - angle } }
    world:joint{ "spherical", before, link, anchor = { 0.1 * (i - 1) * s, 0, -0.1 * (i - 1) * c } }
    before = link
  end
  local length = 0.1 * n
  local ball = world:sphere{ radius = 0.2, mass = ratio * link.mass, velocity = { 0, across, 0 },
    position = { (length + 0.2) * s, 0, -(length + 0.2) * c } }
  world:joint{ "spherical", before, ball, anchor = { length * s, 0, -length * c } }
  return ball, link.mass * 9.81 * length * (ratio + n / 2)
end

local function energy(world)
  local kinetic, potential = world:energy()
  return kinetic + potential
end

describe("a light chain that carries much", function()
  -- Turns of fits by rows alone went away where they should come nearer: whole chains folded in a step, gained up to 16 times
  -- what they can fall, and took 100 ms a step.
  it("swings at 1/60 and 1/120 s without a gain, and loses little (200 chains of 3 to 40 links)", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local world <close> = delassus.world{ dt = random:uniform() < 0.5 and 1 / 60 or 1 / 120, record = false }
      local _, scale = hang(world, 3 + math.floor(random:uniform(0, 38)), 10 ^ random:uniform(0, 3), random:uniform(0.05, 1.5),
        random:uniform(-1, 1))
      local first = energy(world)
      for step = 1, 0.5 / world.dt do
        world:step()
        local change = (energy(world) - first) / scale
        assert.is_true(change < 0.02 and change > -0.08, ("seed %d, step %d: %g of m g l"):format(seed, step, change))
      end
    end
  end)

  it("goes where it goes in steps of 1 ms (8 chains)", function()
    for seed = 1, seeds(8) do
      local at = {}
      for k, dt in ipairs{ 1 / 60, 1e-3 } do
        local random = delassus.random(seed)
        local world <close> = delassus.world{ dt = dt, record = false }
        local n = 5 + math.floor(random:uniform(0, 20))
        local ball = hang(world, n, 10 ^ random:uniform(1, 3), random:uniform(0.1, 0.8), random:uniform(-0.5, 0.5))
        world:run(1)
        at[k] = ball.position
        at.length = 0.1 * n
      end
      local off = (at[2] - at[1]):norm() / at.length
      assert.is_true(off < 0.05, ("seed %d: %g of the length"):format(seed, off))
    end
  end)

  it("is drawn along by a jib that starts at once, as in steps of 1 ms", function()
    local at = {}
    for k, dt in ipairs{ 1 / 60, 1e-3 } do
      local world <close> = delassus.world{ dt = dt, record = false }
      local jib = world:box{ size = { 4, 0.2, 0.2 }, density = 500, position = { 2, 0, 6 } }
      world:joint{ "revolute", world.ground, jib, anchor = { 0, 0, 6 }, axis = { 0, 0, 1 },
        motor = { speed = 0.5, max_torque = 1e5 } }
      local before, z = jib, 5.9
      for _ = 1, 30 do
        local link = world:capsule{ radius = 0.02, length = 0.06, density = 7800, position = { 3.8, 0, z - 0.05 } }
        world:joint{ "spherical", before, link, anchor = { 3.8, 0, z } }
        before, z = link, z - 0.1
      end
      local load = world:box{ size = { 0.6, 0.6, 0.6 }, density = 1500, position = { 3.8, 0, z - 0.3 } }
      world:joint{ "spherical", before, load, anchor = { 3.8, 0, z } }
      world:run(2)
      at[k] = load.position
    end
    assert.is_true((at[2] - at[1]):norm() < 0.25, tostring(at[1] - at[2]))
  end)

  -- Impulses that are beyond all measure for a moment, in a loop that lies flat, left no numbers for velocities of bodies in
  -- trees.
  it("may hang beside a four-bar that falls flat on itself", function()
    local world <close> = delassus.world{ dt = 1 / 240, record = false }
    hang(world, 30, 300, 0.5, 0)
    local a = world:box{ size = { 0.1, 0.1, 1 }, density = 500, position = { 5, 0, 0.5 } }
    local b = world:box{ size = { 1, 0.1, 0.1 }, density = 500, position = { 5.5, 0, 1 } }
    local c = world:box{ size = { 0.1, 0.1, 1 }, density = 500, position = { 6, 0, 0.5 }, angular_velocity = { 0, 1, 0 },
      velocity = { 0.5, 0, 0 } }
    for _, joint in ipairs{ { world.ground, a, 5, 0 }, { a, b, 5, 1 }, { world.ground, c, 6, 0 }, { b, c, 6, 1 } } do
      world:joint{ "revolute", joint[1], joint[2], anchor = { joint[3], 0, joint[4] }, axis = { 0, 1, 0 } }
    end
    world:run(3)
    assert.is_true(energy(world) < 0)
  end)
end)
