-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Beds of disks: islands of some hundred rows with redundant contacts, which sweeps alone do not solve.
local delassus = require "delassus"

--- n disks of unequal radii over a floor between two walls, `columns` in a row, dropped from close by.
local function bed(n, columns, tolerance)
  local world = delassus.world { planar = true, record = false, tolerance = tolerance, max_iterations = 20000 }
  local felt = delassus.material { friction = 0.4, restitution = 0, rolling_friction = 2e-3 }
  local width = 0.105 * columns
  local floor = world:box { size = { 2 * width + 4, 1 }, position = { 0, -0.5 }, type = "static", material = felt }
  for side = -1, 1, 2 do
    world:box { size = { 1, 20 }, position = { side * (width + 0.5), 10 }, type = "static", material = felt }
  end
  local disks = {}
  for i = 0, n - 1 do
    local row, column = i // columns, i % columns
    local shift = row % 2 == 0 and -0.05 or 0.05
    disks[#disks + 1] = world:disk { radius = 0.09 + 0.01 * ((7 * i) % 11) / 11, density = 850, material = felt,
      position = { 0.21 * (column - 0.5 * (columns - 1)) + 0.5 * shift, 0.1 + 0.19 * row } }
  end
  return world, floor, disks
end

--- Largest speed, m/s or rad/s.
local function fastest(disks)
  local most = 0
  for _, disk in ipairs(disks) do
    most = math.max(most, math.sqrt(disk.velocity.x ^ 2 + disk.velocity.y ^ 2), math.abs(disk.angular_velocity))
  end
  return most
end

local function rests(n, columns, steps)
  -- 1e-9 of h g = 1e-11 m/s a step; a bed spreads it over its bodies.
  local world <close>, floor, disks = bed(n, columns, 1e-9)
  local late = 0
  for step = 1, steps do
    world:step()
    if world.stats.residual > 1e-9 then late = late + 1 end
    assert.is_true(world.stats.momentum_error <= 1e-12, "momentum in step " .. step)
    assert.is_true(world.stats.cone_violation <= 1e-12, "cone in step " .. step)
  end
  local weight, carried, lift = 0, 0, 0
  for _, disk in ipairs(disks) do weight = weight + 9.81 * disk.mass end
  for contact in world:contacts() do
    local up = contact.impulse.y / world.dt
    if contact.a == floor then carried = carried + up elseif contact.b == floor then carried = carried - up end
    if contact.a.type == "static" and contact.a ~= floor then lift = lift + up end
    if contact.b.type == "static" and contact.b ~= floor then lift = lift - up end
  end
  assert.equal(0, late, "steps missed 1e-9")
  assert.is_true(fastest(disks) <= 1e-8, "still moves at " .. fastest(disks))
  -- What the solver's tolerance leaves of h g, over the bodies of a column.
  assert.is_true(math.abs((carried + lift) / weight - 1) <= 1e-9, "carried " .. (carried + lift) / weight)
  -- Gaps close within the step: nothing is left to the projection but round-off.
  local before = world:ledger()
  world:step(10)
  local after = world:ledger()
  assert.is_true(math.abs(after.correction - before.correction) <= 1e-12 * math.abs(after.potential),
    "corrected by " .. after.correction - before.correction .. " of " .. after.potential)
end

--- n disks packed into a drum that turns.
local function drum(n, tolerance)
  local world = delassus.world { planar = true, record = false, tolerance = tolerance }
  local wood = delassus.material { friction = 0.4, restitution = 0.2 }
  local radius, made = 0.16 * math.sqrt(n), 0
  world:drum { radius = radius, lifters = { count = 8, height = 0.1, width = 0.1 }, angular_velocity = 0.6,
    material = wood }
  for y = -0.9 * radius, radius, 0.19 do
    for x = -radius, radius, 0.215 do
      if made < n and x * x + y * y < (radius - 0.22) ^ 2 then
        world:disk { radius = 0.09 + 0.01 * ((7 * made) % 11) / 11, density = 850, material = wood,
          position = { x + 1e-3 * ((13 * made) % 7), y } }
        made = made + 1
      end
    end
  end
  return world
end

describe("a bed of disks", function()
  it("comes to rest and hands its weight to the floor and the walls (conserved), 66 disks", function()
    rests(66, 11, 1600) -- one start in three still has a disk that rolls after 1000 steps
  end)

  it("stays at its tolerance in every step of a turning drum of 200 disks (residual)", function()
    local world <close> = drum(200, 1e-6)
    for step = 1, 500 do
      world:step()
      assert.is_true(world.stats.residual <= 1e-6, "residual " .. world.stats.residual .. " in step " .. step)
      assert.is_true(world.stats.momentum_error <= 1e-12, "momentum in step " .. step)
    end
    assert.is_true(world.stats.contacts > 150)
  end)
end)
