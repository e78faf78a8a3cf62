-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Capsules that turn parallel to an edge of a box, or away, while they touch it: event-driven worlds in space.
local delassus = require "delassus"

local PEAK = { axis = { 1, 0, 0 }, angle = math.pi / 4 } -- an edge of a box upwards

--- A box of that length along x whose upper edge is at z = 0.
local function peak(world, length, material)
  local side = 0.4
  return world:box{ type = "static", size = { length, side, side }, position = { 0, 0, -side * math.sqrt(0.5) }, rotation = PEAK,
    material = material }
end

describe("capsules along edges of boxes in event-driven worlds", function()
  for _, length in ipairs{ 0.4, 3 } do
    it("spin on an edge, past parallel again and again: without friction the spin stays, edge of " .. length .. " m", function()
      local world = delassus.world{ scheme = "event-driven", dt = 0.01 }
      local ice = delassus.material{ friction = 0 }
      peak(world, length, ice)
      local top = world:capsule{ radius = 0.1, length = 1, mass = 1, position = { 0, 0, 0.1 }, material = ice,
        rotation = { axis = { 0, 0, 1 }, angle = -0.3 } }
      world:step()
      top.angular_velocity = { 0, 0, 2 }
      world:run(2.5)
      assert.near(0.1, top.position.z, 1e-8)
      assert.near(2, top.angular_velocity.z, 1e-6)
      assert.near(0, top.velocity:norm() + math.abs(top.angular_velocity.x) + math.abs(top.angular_velocity.y), 1e-6)
    end)
  end

  it("fall along it as in the plane, short edges too, whose ends they tip over: 100 random falls", function()
    local lay, over = 0, 0
    for seed = 1, 100 do
      local r, told = delassus.random(seed), "seed " .. seed
      local radius, length, tilt = r:uniform(0.05, 0.3), r:uniform(0.5, 1.5), r:uniform(-0.6, 0.6)
      local edge, aside = seed % 2 == 0 and 40 or r:uniform(0.3, 1), r:uniform(-0.5, 0.5)
      local wood = delassus.material{ friction = seed % 3 == 0 and 0 or r:uniform(0, 0.6) }
      local height = radius + length / 2 * math.abs(math.sin(tilt)) + r:uniform(0, 0.05)
      local inertia, speed, turn = r:uniform(0.09, 0.11), r:uniform(-0.5, 0.5), r:uniform(-1, 1)
      local world = delassus.world{ scheme = "event-driven", dt = 0.01 }
      peak(world, edge, wood)
      local log = world:body{ shape = delassus.capsule{ radius = radius, length = length }, mass = 1, material = wood,
        inertia = { 0.02, inertia, 0.1 }, position = { aside, 0, height }, velocity = { speed, 0, 0 },
        rotation = { axis = { 0, 1, 0 }, angle = -tilt }, angular_velocity = { 0, -turn, 0 } }
      local plane = delassus.world{ planar = true, scheme = "event-driven", dt = 0.01 }
      plane:box{ type = "static", size = { edge, 1 }, position = { 0, -0.5 }, material = wood }
      local flat = plane:body{ shape = delassus.capsule{ radius = radius, length = length }, mass = 1, material = wood,
        inertia = inertia, position = { aside, height }, velocity = { speed, 0 }, rotation = tilt, angular_velocity = turn }
      world:run(0.6)
      plane:run(0.6)
      assert.near(flat.position.x, log.position.x, 1e-7, told)
      assert.near(flat.position.y, log.position.z, 1e-7, told)
      assert.near(0, log.position.y, 1e-12, told)
      assert.near(0, world.stats.energy_balance, 1e-8, told)
      lay = lay + (math.abs(flat.rotation) < 1e-6 and 1 or 0)
      over = over + (flat.position.y < radius - 0.01 and 1 or 0)
    end
    assert.is_true(lay > 30 and over > 5, lay .. ", " .. over)
  end)
end)
