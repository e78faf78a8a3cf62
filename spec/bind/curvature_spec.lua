-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Mechanisms in the plane whose bodies whip about: what joints admit bends there by as much as bodies weigh, and the nearest
-- point is found by that curvature (core/joints/curvature.h). Trees and rigid rows get theirs in different ways, and are to
-- arrive at the same point.
local delassus = require "delassus"
local seeds = require "support.seeds"

-- A chain of n links, its tip held (loop) or free, links of random length, mass and breadth, spinning; all joints of one
-- formulation but that which closes the loop.
local function mechanism(seed, formulation)
  local random = delassus.random(seed)
  local n, loop = random:integer(2, 7), random:integer(0, 2) > 0
  local world = delassus.world{ planar = true, record = false, dt = 1e-3, gravity = { 0, -9.81 }, tolerance = 1e-13 }
  local before, x, y, bodies, joints = world.ground, 0, 0, {}, {}
  local function join(a, b, at, how)
    joints[#joints + 1] = world:joint{ "revolute", a, b, anchor = at, formulation = how }
  end
  for i = 1, n do
    local length, angle = random:uniform(0.1, 0.5), random:uniform(-1.2, 1.2) + (i > n / 2 and loop and 2.5 or 0)
    local c, s = math.cos(angle), math.sin(angle)
    local body = world:box{ size = { length, random:uniform(0.005, 0.1) }, density = random:uniform(100, 5000), collides = {},
      position = { x + length / 2 * c, y + length / 2 * s }, rotation = angle }
    join(before, body, { x, y }, formulation)
    before, x, y, bodies[i] = body, x + length * c, y + length * s, body
  end
  local slack = loop and world:box{ size = { 0.3, 0.02 }, density = 500, collides = {}, position = { x + 0.15, y } }
  if slack then -- a link back to the ground
    bodies[#bodies + 1] = slack
    join(before, slack, { x, y }, formulation)
    join(world.ground, slack, { x + 0.3, y }, "rigid")
  end
  local fast = 10 ^ random:uniform(0, 1.8)
  for k = 1, formulation == "reduced" and #bodies or 0 do joints[k].qd = random:uniform(-fast, fast) end
  return world, bodies, joints, fast
end

describe("mechanisms that whip about in the plane", function()
  it("go the same way by trees and by rigid rows (240 seeds)", function()
    for seed = 1, seeds(240) do
      local a <close>, of_a, joints_a, fast = mechanism(seed, "reduced")
      local b <close>, of_b, joints_b = mechanism(seed, "rigid")
      for k = 1, #of_a do
        of_b[k].velocity, of_b[k].angular_velocity = of_a[k].velocity, of_a[k].angular_velocity
      end
      for step = 1, 6 do
        a:step() b:step()
        for k = 1, #of_a do
          local way = (of_a[k].position - of_b[k].position):norm()
          assert.is_true(way <= 1e-11 * (1 + fast), ("seed %d, step %d, body %d: %g m apart"):format(seed, step, k, way))
        end
        for k = 1, #joints_a do
          assert.is_true(joints_a[k]:violation() <= 1e-12 and joints_b[k]:violation() <= 1e-12,
            ("seed %d, step %d: joint %d open by %g, %g"):format(seed, step, k, joints_a[k]:violation(), joints_b[k]:violation()))
        end
      end
    end
  end)

  -- Angles of bodies are sums of coordinates: frames either way round, a carrier that turns, hundreds of radians.
  it("have bodies where their joints' points meet (200 seeds)", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local world <close> = delassus.world{ planar = true, record = false }
      local before, x, y = world.ground, 0, 0
      if seed % 3 == 0 then
        before = world:body{ type = "kinematic", rotation = random:uniform(-3, 3), angular_velocity = random:uniform(-2, 2) }
      end
      for i = 1, 6 do
        local angle, flip = random:uniform(-3, 3), random:integer(0, 1) == 1
        local c, s = math.cos(angle), math.sin(angle)
        local body = world:box{ size = { 0.3, 0.1 }, density = 500, collides = {}, rotation = angle,
          position = { x + 0.15 * c, y + 0.15 * s } }
        world:joint{ "revolute", flip and body or before, flip and before or body, anchor = { x, y },
          motor = i == 2 and { speed = random:uniform(-3000, 3000), max_torque = 1000 } or nil }
        before, x, y = body, x + 0.3 * c, y + 0.3 * s
      end
      world:step(400)
      for k, joint in ipairs(world.joints) do
        local apart = joint:violation()
        assert.is_true(apart <= 1e-12, ("seed %d, joint %d: open by %g"):format(seed, k, apart))
      end
    end
  end)
end)
