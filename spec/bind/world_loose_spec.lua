-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local seeds = require "support.seeds"

-- Where nothing but gravity and loads acts, all bodies of the plane are moved at once, from columns of what they are. A
-- field that pushes nothing has every body moved by itself: both must agree to the bit, also where bodies change in between.
local function run(seed, change, field)
  local random = delassus.random(seed)
  local world = delassus.world { planar = true, dt = 2e-3, gravity = { 0.3, -9.81 }, tolerance = 1e-10, record = false }
  if field then world:field(function() return nil end) end
  local bodies, turned = {}, 0
  world:drum { radius = 1, lifters = { count = 3, height = 0.1, width = 0.1 }, type = "kinematic", angular_velocity = 2 }
  world:disk { radius = 0.1, position = { 0.2, -0.7 }, type = seed % 2 == 0 and "static" or "kinematic" }
  if seed % 3 == 0 then
    world:disk { radius = 0.08, position = { -0.3, -0.6 }, type = "kinematic",
      motion = function(t) return { -0.3 + 0.1 * t, -0.6 } end }
  end
  for k = 0, 8 do
    bodies[k + 1] = world:disk { radius = random:uniform(0.06, 0.12), density = 500,
      position = { 0.3 * (k % 3 - 1), -0.2 + 0.3 * (k // 3) }, velocity = { random:uniform(-1, 1), random:uniform(-3, 0) },
      angular_velocity = random:uniform(-5, 5) }
  end
  bodies[10] = world:box { size = { 0.2, 0.1 }, position = { 0, 0.7 }, density = 500 }
  for turn = 1, 5 do
    if change then change(world, bodies, random, turn) end
    for i = 1, #bodies do
      if random:uniform() < 0.3 then bodies[i]:apply { force = { random:uniform(-9, 9), random:uniform(-9, 9) } } end
    end
    world:step(30)
    turned = turned + world.stats.contacts
  end
  return world, bodies, turned
end

--- Changes of what the columns are made from.
local function change_some(world, bodies, random, turn)
  local body = bodies[random:integer(1, #bodies)]
  if turn == 1 then body.mass = 2 * body.mass end
  if turn == 2 then body.inertia = 1.5 * body.inertia end
  if turn == 3 then bodies[1].type = "kinematic" end
  if turn == 4 then bodies[2].shape = delassus.disk { radius = 0.05 } end
  if turn == 5 then
    bodies[#bodies + 1] = world:disk { radius = 0.05, position = { 0, 0.85 }, density = 800 }
    world:remove(table.remove(bodies, 3))
  end
end

local function same(seed, change)
  local quick, one, met = run(seed, change, false)
  local slow, other = run(seed, change, true)
  assert.equal(#one, #other)
  for i = 1, #one do
    local a, b = one[i], other[i]
    local name = ("seed %d, body %d"):format(seed, i)
    for k = 1, 2 do
      assert.equal(b.position[k], a.position[k], name)
      assert.equal(b.velocity[k], a.velocity[k], name)
    end
    assert.equal(b.rotation, a.rotation, name)
    assert.equal(b.angular_velocity, a.angular_velocity, name)
  end
  assert.near(slow.stats.energy_balance, quick.stats.energy_balance, 1e-12)
  return met
end

describe("bodies that nothing pushes", function()
  it("move as one by one (200 seeds)", function()
    local met = 0
    for seed = 1, seeds(200) do met = met + same(seed) end
    assert.truthy(met > seeds.least(1000), met)
  end)

  it("do so after they have changed (200 seeds)", function()
    for seed = 1, seeds(200) do same(seed, change_some) end
  end)

  it("fall by their own weight, push and pull", function()
    local world = delassus.world { planar = true, dt = 1e-3, gravity = { 0, -9.81 } }
    local disks = {}
    for i = 1, 7 do
      disks[i] = world:disk { radius = 0.1, position = { i, 0 }, density = 100 * i, angular_velocity = i }
      disks[i]:apply { force = { 3, 1 }, torque = 0.2 }
    end
    world:step(1)
    for _, disk in ipairs(disks) do
      assert.near(3 / disk.mass * 1e-3, disk.velocity[1], 1e-15)
      assert.near((1 / disk.mass - 9.81) * 1e-3, disk.velocity[2], 1e-15)
    end
    for i, disk in ipairs(disks) do assert.near(i + 0.2 / disk.inertia * 1e-3, disk.angular_velocity, 1e-14 * i) end
  end)
end)
