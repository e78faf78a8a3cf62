-- Beds of disks under way: what sweeps with momentum leave here and there is settled one by one (core/disks/last.h).
local delassus = require "delassus"
local seeds = require "support.seeds"

-- 600 disks thrown into a box.
local function bed(seed)
  local random = delassus.random(seed)
  local world = delassus.world { planar = true, record = false, gravity = { 0, -9.81 }, dt = 1e-3, tolerance = 1e-3 }
  world:box { type = "static", size = { 6, 1 }, position = { 2, -0.5 } }
  for _, x in ipairs { -0.5, 4.5 } do world:box { type = "static", size = { 1, 9 }, position = { x, 4 } } end
  for i = 0, 599 do
    local x, y = 0.12 + i % 18 * 0.21 + 0.01 * random:uniform(), 0.12 + i // 18 * 0.205
    world:disk { radius = 0.05 + 0.05 * random:uniform(), density = 800, position = { x, y }, friction = 0.4,
      velocity = { random:uniform() - 0.5, -2 - random:uniform() }, restitution = 0.2 }
  end
  return world
end

-- Disks of several materials, smooth ones among them, stirred by lifters.
local function stirred(seed)
  local random = delassus.random(seed)
  local world = delassus.world { planar = true, record = false, gravity = { 0, -9.81 }, dt = 1e-3, tolerance = 1e-3,
    solver = "nsgs" }
  local materials = {}
  for k, friction in ipairs { 0.4, 0.1, 0, 0.7 } do
    materials[k] = delassus.material { friction = friction, restitution = 0.2, tangential_restitution = k == 4 and 0.3 or 0 }
  end
  world:drum { radius = 1, type = "kinematic", angular_velocity = 3, material = materials[1],
    lifters = { count = 4, height = 0.1, width = 0.1 } }
  for k = 0, 47 do
    local x, y = 0.2 * (k % 8 - 3.5) + 0.01 * random:uniform(), -0.5 + 0.2 * (k // 8)
    if x * x + y * y < 0.8 then
      world:disk { radius = random:uniform(0.075, 0.099), density = random:uniform(400, 1000), position = { x, y },
        velocity = { 0, -2 }, material = materials[random:uniform() < 0.6 and 1 or random:integer(1, 4)] }
    end
  end
  return world
end

describe("a bed of disks to 1e-3", function()
  it("is reached by sweeps alone, with whatever frictions beside each other, in all but few steps (200 seeds)", function()
    local contacts, missed = 0, 0
    for seed = 1, seeds(200) do
      local world <close> = stirred(seed)
      world:step(300)
      for _ = 1, 20 do
        world:step()
        contacts = contacts + world.stats.contacts
        missed = missed + (world.stats.residual <= 1e-3 and 0 or 1)
      end
    end
    assert.is_true(contacts > seeds.least(200) * 20 * 30, "not beds: " .. contacts / 4000)
    assert.is_true(missed <= 4, missed .. " of 4000") -- none when this was written
  end)

  it("is reached in every step, in three quarters of the sweeps that momentum alone takes", function()
    for seed = 1, 2 do
      local world <close> = bed(seed)
      world:step(550)
      local sweeps, contacts = 0, 0
      for _ = 1, 80 do
        world:step()
        assert.is_true(world.stats.residual <= 1e-3, "seed " .. seed)
        sweeps, contacts = sweeps + world.stats.iterations, contacts + world.stats.contacts
      end
      assert.are.equal(0, world.stats.unconverged)
      assert.is_true(contacts > 80 * 600, "seed " .. seed .. ": not a bed")
      assert.is_true(sweeps < 80 * 50, "seed " .. seed .. ": " .. sweeps / 80) -- 65 without
    end
  end)
end)
