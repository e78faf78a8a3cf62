-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local seeds = require "support.seeds"

-- Many disks that overlap at the start. The projection has to bring the bed apart as a whole: it touches no velocity, keeps
-- the mass centre of what lies on nothing, and tells what it lifts.
local function world_with(g)
  return delassus.world { planar = true, dt = 1e-3, gravity = { 0, -g }, tolerance = 1e-3, record = false }
end

local material = delassus.material { friction = 0.3, restitution = 0.2 }
local RADIUS, ROWS, COLUMNS = 0.1, 9, 12

-- Disks on a net of triangles, radii up to 0.2 % too large.
local function heap(world, seed)
  local random, disks = delassus.random(seed), {}
  local x0, y0 = random:uniform(-5, 5), random:uniform(-5, 5)
  for row = 0, ROWS - 1 do
    for column = 0, COLUMNS - 1 do
      disks[#disks + 1] = world:disk { radius = RADIUS * (1 + 2e-3 * random:uniform()), density = random:uniform(300, 900),
        position = { x0 + 2 * RADIUS * (column + row % 2 / 2), y0 + 2 * RADIUS * math.sqrt(0.75) * row }, material = material }
    end
  end
  return disks
end

local function centre(disks)
  local x, y, mass = 0, 0, 0
  for _, disk in ipairs(disks) do
    local p, m = disk.position, disk.mass
    x, y, mass = x + m * p[1], y + m * p[2], mass + m
  end
  return x / mass, y / mass
end

local function deepest(disks)
  local worst = 0
  for i, a in ipairs(disks) do
    local p = a.position
    for j = i + 1, math.min(i + COLUMNS + 1, #disks) do
      local q, r, s = disks[j].position, a.shape.radius, disks[j].shape.radius
      local gap = math.sqrt((q[1] - p[1]) ^ 2 + (q[2] - p[2]) ^ 2) - r - s
      worst = math.max(worst, -gap / (2 * math.min(r, s)))
    end
  end
  return worst
end

describe("a bed of disks that overlap", function()
  it("comes apart about its mass centre and stays at rest (200 seeds)", function()
    for seed = 1, seeds(200) do
      local name = "seed " .. seed
      local world = world_with(0)
      local disks = heap(world, seed)
      local x, y = centre(disks)
      assert.is_true(deepest(disks) > 1e-3, name)
      world:step(3)
      local x1, y1 = centre(disks)
      assert.near(x, x1, 1e-8, name)
      assert.near(y, y1, 1e-8, name)
      assert.is_true(deepest(disks) <= 1e-4, name .. ": " .. deepest(disks))
      assert.is_true(world.stats.penetration <= 1e-4, name)
      for _, disk in ipairs(disks) do
        local v = disk.velocity
        assert.is_true(v[1] == 0 and v[2] == 0 and disk.angular_velocity == 0, name)
        assert.equal(0, disk.rotation, name)
      end
    end
  end)

  it("falls meanwhile, and what is lifted is told (200 seeds)", function()
    for seed = 1, seeds(200) do
      local world = world_with(9.81)
      local disks = heap(world, seed)
      for _, disk in ipairs(disks) do disk.velocity = { 0.3, 1 } end
      world:step(3)
      for _, disk in ipairs(disks) do
        assert.near(0.3, disk.velocity[1], 1e-12)
        assert.near(1 - 3 * 9.81e-3, disk.velocity[2], 1e-12)
      end
      assert.is_true(math.abs(world:ledger().error) <= 1e-9 * world:ledger().turnover, "seed " .. seed)
      assert.is_true(deepest(disks) <= 2e-3, "seed " .. seed)
    end
  end)

  it("rises as a whole, however deep", function()
    local world, disks, high = world_with(0), {}, 100
    world:plane { normal = { 0, 1 }, type = "static", material = material }
    for k = 1, high do
      disks[k] = world:disk { radius = RADIUS, position = { 0, RADIUS * (2 * k - 1) * (1 - 1e-3) }, density = 800,
        material = material }
    end
    local before = disks[high].position[2]
    for step = 1, 10 do
      world:step()
      local now = disks[high].position[2]
      assert.is_true(now >= before and now <= RADIUS * (2 * high - 1) * (1 + 1e-6), "step " .. step)
      before = now
    end
    assert.is_true(world.stats.penetration <= 1e-4)
    assert.near(RADIUS * (2 * high - 1), before, 1e-2 * RADIUS)
  end)
end)
