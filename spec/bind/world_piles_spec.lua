-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Random clusters of all spatial shapes that fly together over a floor: islands of dozens of contacts, which sweeps in
-- lanes solve (src/core/sweeps/groups_3.c).
local delassus = require "delassus"

local KINDS = { "sphere", "capsule", "box", "cylinder", "convex" }

-- 18 bodies of masses 1 to 100 (of one kind, or of all kinds) that do not touch yet.
local function cluster(seed, options)
  local random = delassus.random(seed)
  local world = delassus.world { dt = 4e-3, record = false, solver = options.solver, tolerance = options.tolerance,
    max_iterations = options.max_iterations }
  world:floor { friction = 0.3 }
  local alike, mu = random:uniform() < 0.5 and KINDS[random:integer(1, 5)], random:uniform(0, 0.7)
  for i = 0, 17 do
    local x, y, z = 0.24 * (i % 3 - 1), 0.24 * (i // 3 % 3 - 1), 0.13 + 0.24 * (i // 9)
    local body = { position = { x, y, z }, rotation = { axis = { 1, random:uniform(), 2 }, angle = 3 * random:uniform() },
      velocity = { -9 * x + random:uniform(), -9 * y + random:uniform(), -6 * z }, friction = random:uniform() < 0.2 and 0 or mu,
      density = 10 ^ random:uniform(2, 4), restitution = i % 3 == 0 and 0.3 or 0,
      rolling_friction = i < options.rolling and 2e-3 or nil,
      angular_velocity = { 3 * random:uniform(), 0, -3 * random:uniform() } }
    local kind = alike or KINDS[random:integer(1, 5)]
    if kind == "box" then body.size = { 0.1, 0.16, 0.2 }
    elseif kind == "convex" then
      body.points = { { -0.08, -0.07, -0.07 }, { 0.12, 0, -0.05 }, { 0, 0.12, 0 }, { 0, 0, 0.12 }, { 0.1, 0.1, 0.1 } }
    else body.radius = 0.1 end
    if kind == "capsule" or kind == "cylinder" then body.radius, body.length = 0.07, 0.1 end
    world[kind](world, body)
  end
  for k = 1, options.joints and 2 or 0 do -- neighbours, hinged
    local a, b = world.bodies[#world.bodies - 3 * k], world.bodies[#world.bodies - 3 * k + 1]
    world:joint { "revolute", a, b, anchor = (a.position + b.position) / 2, axis = { 0, 1, 0 }, formulation = "rigid",
      motor = k == 1 and { speed = 2, max_torque = 5 } or nil }
  end
  return world
end

-- Steps of many seeds; answers how many had a large island. Every other pile has two bodies with rolling friction,
-- whose contacts go one by one.
local function run(seeds, steps, options)
  local large = 0
  for seed = 1, seeds do
    options.rolling = seed % 2 * 2
    local world <close> = cluster(seed, options)
    for step = 1, steps do
      world:step()
      local s, where = world.stats, ("seed %d, step %d"):format(seed, step)
      if s.contacts >= 20 then large = large + 1 end
      assert.is_true(s.residual <= options.tolerance, where)
      assert.is_true(s.momentum_error <= 1e-12, where)
      assert.is_true(s.cone_violation <= 1e-12, where)
    end
  end
  return large
end

describe("a random pile in space", function()
  it("is solved to its tolerance, by the residual's own code, and keeps momentum (200 seeds)", function()
    local large = run(200, 17, { solver = "auto", tolerance = 1e-4, max_iterations = 1000 })
    assert.is_true(large > 800, large .. " large islands")
  end)

  it("is solved by sweeps alone where a hinge and a motor stand among its contacts", function()
    local large = run(10, 17, { solver = "nsgs", tolerance = 1e-3, max_iterations = 1000, joints = true })
    assert.is_true(large > 40, large .. " large islands")
  end)
end)

describe("a pile of balls without friction", function()
  -- Piles come to lie at 0.8e-6 or at 1.25e-6: of seeds 1 to 8 five at the latter, which of them is chance.
  local function lies(seed)
    local world <close> = delassus.world { record = false }
    local random = delassus.random(seed)
    world:floor { friction = 0 }
    for _, n in ipairs { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } } do
      world:wall { normal = n, offset = -0.61, friction = 0 }
    end
    for i = 0, 215 do
      local x, y = random:uniform() - 0.5, random:uniform() - 0.5
      world:sphere { radius = 0.1, density = 1000, friction = 0,
        position = { (i % 6 - 2.5) * 0.2 + 0.002 * x, (i // 6 % 6 - 2.5) * 0.2 + 0.002 * y, 0.1 + i // 36 * 0.2 } }
    end
    world:step(1000)
    local sum, n = 0, 0
    for contact in world:contacts() do
      if contact.normal_force > 0 then sum, n = sum + math.max(0, -contact.gap), n + 1 end
    end
    assert.is_true(n > 400, "not a pile: " .. n .. " contacts press")
    return sum / n
  end

  it("overlaps by 1e-6 m in the mean once it lies (216 balls of 0.1 m)", function()
    for seed = 1, 4 do
      local overlap = lies(seed)
      assert.is_true(overlap < 1.4e-6, ("seed %d: mean overlap %g"):format(seed, overlap))
    end
  end)

  it("overlaps by 1e-6 m in the mean once it lies (36 to 144 disks of 0.1 m)", function()
    for seed = 1, 8 do
      local random, side = delassus.random(seed), 6 + 2 * (seed % 4)
      local half = 0.06 * side
      local world <close> = delassus.world{ planar = true, record = false, dt = 2e-3 }
      world:floor{ friction = 0 }
      world:wall{ normal = {1, 0}, offset = -half, friction = 0 }
      world:wall{ normal = {-1, 0}, offset = -half, friction = 0 }
      for i = 0, side * side - 1 do
        world:disk{ radius = seed > 4 and random:uniform(0.035, 0.05) or 0.05, density = 800, friction = 0,
          position = { (i % side - (side - 1) / 2) * 0.11 + random:uniform(-0.005, 0.005), 0.05 + 0.11 * (i // side) } }
      end
      world:step(1500)
      local sum, n = 0, 0
      for contact in world:contacts() do
        if contact.normal_force > 0 then sum, n = sum + math.max(0, -contact.gap), n + 1 end
      end
      assert.is_true(n > 1.5 * side * side, "not a pile: " .. n .. " contacts press")
      assert.is_true(sum / n < 5e-7, ("seed %d: mean overlap %g"):format(seed, sum / n))
    end
  end)
end)
