-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local seeds = require "support.seeds"

-- Rigid disks with Coulomb's friction go a way of their own. With the same coefficient as a function of the speed they go
-- the way of all contacts: both must agree, in what moves and in what is told of it.
local function throw(seed, friction)
  local random = delassus.random(seed)
  local world = delassus.world { planar = true, dt = 1e-3, gravity = { 0, -9.81 }, tolerance = 1e-12, record = false }
  local material = delassus.material { friction = friction, restitution = random:uniform(0, 0.3),
    tangential_restitution = seed % 3 == 0 and 0.3 or 0 }
  world:drum { radius = 0.9, type = "kinematic", angular_velocity = 2, material = material }
  world:disk { radius = 0.3, type = "static", position = { 0, -0.75 }, material = material }
  local disks = {}
  for k = 0, 8 do
    local r = random:uniform(0.1, 0.2)
    local x, y = 0.41 * (k % 3 - 1) + random:uniform(-0.02, 0.02), -0.2 + 0.41 * (k // 3) + random:uniform(-0.02, 0.02)
    disks[k + 1] = world:disk { radius = r, position = { x, y }, velocity = { random:uniform(-1, 1), random:uniform(-3, 0) },
      angular_velocity = random:uniform(-5, 5), density = 500, material = material }
  end
  world:step(250)
  return world, disks
end

-- Plain ones between others: of another material, with lifters, under a box, past a sensor, and some that do not see each
-- other. Events are kept.
local function mix(seed, friction)
  local random = delassus.random(seed)
  local world = delassus.world { planar = true, dt = 1e-3, gravity = { 0, -9.81 }, tolerance = 1e-12, record = false, log = true }
  local material = delassus.material { friction = friction(0.4), restitution = 0.2 }
  local other = delassus.material { friction = friction(0.2), restitution = 0 }
  local bodies = {}
  for k = 0, 5 do
    local of, x = k % 3 == 2 and other or material, 0.36 * (k % 3 - 1) + random:uniform(-0.02, 0.02)
    bodies[k + 1] = world:disk { radius = random:uniform(0.1, 0.17), position = { x, -0.4 + 0.36 * (k // 3) }, density = 500,
      velocity = { random:uniform(-1, 1), random:uniform(-3, 0) }, material = of,
      group = k == 4 and "few" or nil, collides = k == 3 and { "default" } or nil }
  end
  world:drum { radius = 0.9, lifters = { count = 4, height = 0.1, width = 0.1 }, type = "kinematic", angular_velocity = 2,
    material = material }
  world:disk { radius = 0.2, position = { 0, -0.3 }, sensor = true, density = 500, material = material }
  bodies[7] = world:box { size = { 0.3, 0.2 }, position = { 0, 0.4 }, density = 500, material = material }
  bodies[8] = world:disk { radius = 0.1, position = { 0.3, 0.4 }, density = 500, material = material }
  bodies[1]:apply { force = { 30, 5 } }
  world:step(200)
  return world, bodies
end

-- Plain ones behind compliant ones that struck and still remember their compression when they are apart. That memory is
-- the first contact, and all others have greater numbers by it.
local function remember(seed, friction)
  local random = delassus.random(seed)
  local world = delassus.world { planar = true, dt = 1e-3, gravity = { 0, -9.81 }, tolerance = 1e-12, record = false }
  local soft = delassus.material { friction = 0.3, stiffness = 3e6, damping = random:uniform(2e3, 1e4) }
  local hard = delassus.material { friction = friction, restitution = 0.2 }
  world:body { type = "static", shape = delassus.plane { normal = { 0, 1 }, offset = 0 }, material = soft }
  local bodies = {}
  for k = 1, 3 do
    bodies[k] = world:disk { radius = 0.1, position = { k, 0.1 + random:uniform(0, 0.02) }, density = 500,
      velocity = { 0.1, -random:uniform(1, 3) }, material = soft }
  end
  for k = 0, 5 do
    bodies[4 + k] = world:disk { radius = random:uniform(0.1, 0.14), position = { 6 + 0.285 * (k % 3), 0.15 + 0.285 * (k // 3) },
      velocity = { random:uniform(-2, 2), random:uniform(-2, 0) }, density = 500, material = hard }
  end
  return world, bodies
end

local function list(world)
  local all = {}
  for contact in world:contacts() do all[#all + 1] = contact end
  return all
end

describe("contacts of rigid disks", function()
  it("are those of any shapes (200 seeds)", function()
    local touched = 0
    for seed = 1, seeds(200) do
      local name = "seed " .. seed
      local quick, one = throw(seed, 0.4)
      local general, other = throw(seed, function() return 0.4 end)
      for k, disk in ipairs(one) do
        local p, q, v, u = disk.position, other[k].position, disk.velocity, other[k].velocity
        for i = 1, 2 do
          assert.near(q[i], p[i], 1e-9, name)
          assert.near(u[i], v[i], 1e-8, name)
        end
        assert.near(other[k].angular_velocity, disk.angular_velocity, 1e-7, name)
      end
      local a, b = quick:ledger(), general:ledger()
      for _, of in ipairs { "kinetic", "potential", "friction", "impact", "kinematic" } do
        assert.near(b[of], a[of], 1e-7, name .. ", " .. of)
      end
      assert.is_true(math.abs(a.error) < 1e-9, name)
      local c, d = list(quick), list(general)
      assert.equal(#d, #c, name)
      for k, contact in ipairs(c) do
        touched = touched + 1
        assert.equal(d[k].state, contact.state, name)
        for i = 1, 2 do
          assert.near(d[k].impulse[i], contact.impulse[i], 1e-7, name)
          assert.near(d[k].point[i], contact.point[i], 1e-9, name)
          assert.near(d[k].velocity[i], contact.velocity[i], 1e-7, name)
        end
      end
    end
    assert.is_true(touched > seeds.least(400), "few contacts: " .. touched)
  end)

  it("are those of any shapes behind memories of compliant ones (200 seeds)", function()
    local touched = 0
    for seed = 1, seeds(200) do
      local name = "seed " .. seed
      local quick <close>, one = remember(seed, 0.4)
      local general <close>, other = remember(seed, function() return 0.4 end)
      for _ = 1, 40 do
        quick:step()
        general:step()
        local c, d = list(quick), list(general)
        assert.equal(#d, #c, name)
        for k, contact in ipairs(c) do
          assert.equal(d[k].a.index, contact.a.index, name)
          assert.equal(d[k].b.index, contact.b.index, name)
          assert.near(d[k].gap, contact.gap, 1e-9, name)
          touched = touched + (contact.a.index > 5 and 1 or 0)
          for i = 1, 2 do
            assert.near(d[k].impulse[i], contact.impulse[i], 1e-7, name)
            assert.near(d[k].point[i], contact.point[i], 1e-9, name)
          end
        end
      end
      for k, body in ipairs(one) do
        for i = 1, 2 do assert.near(other[k].position[i], body.position[i], 1e-9, name) end
      end
      assert.equal(quick.stats.contacts, general.stats.contacts, name)
    end
    assert.is_true(touched > seeds.least(300), "few contacts: " .. touched)
  end)

  it("are those of any shapes among others, and are told of alike (200 seeds)", function()
    local told, wedged = 0, 0
    for seed = 1, seeds(200) do
      local name = "seed " .. seed
      local quick, one = mix(seed, function(mu) return mu end)
      local general, other = mix(seed, function(mu) return function() return mu end end)
      for k, body in ipairs(one) do
        local p, q = body.position, other[k].position
        for i = 1, 2 do assert.near(q[i], p[i], 1e-8, name) end
      end
      local a, b = quick:ledger(), general:ledger()
      for _, of in ipairs { "kinetic", "potential", "kinematic" } do assert.near(b[of], a[of], 1e-6, name .. ", " .. of) end
      -- What is wedged between lifters has impulses that are not unique, and what they take by friction is not either.
      assert.near(b.friction + b.impact, a.friction + a.impact, 1e-6, name)
      if math.abs(a.friction - b.friction) > 1e-6 then wedged = wedged + 1 end
      assert.is_true(math.abs(a.error) < 1e-9, name)
      for _, world in ipairs { quick, general } do
        assert.is_true(world.stats.momentum_error < 1e-12 and world.stats.cone_violation < 1e-12, name)
      end
      local events, others = quick.events, general.events
      assert.equal(#others, #events, name)
      for k, event in ipairs(events) do
        told = told + 1
        assert.equal(others[k].kind, event.kind, name)
        assert.equal(others[k].t, event.t, name)
        assert.near(others[k].impulse, event.impulse, 1e-6, name)
      end
    end
    assert.is_true(told > seeds.least(4000), "few events: " .. told)
    assert.is_true(wedged <= 2, "wedged: " .. wedged)
  end)
end)

-- Small disks in the holes between heavy ones, which are a bit too narrow for them, each pushed aside into its neighbours.
local function squeezed(seed)
  local random = delassus.random(seed)
  local world = delassus.world { planar = true, record = false, gravity = { 0, 0 }, dt = 1e-3, tolerance = 1e-3 }
  local large, small, narrow = 0.1, 0.05, 4e-3
  local side = (large + small - narrow) * math.sqrt(3)
  for i = 0, 11 do
    for j = 0, 11 do
      local x, y = side * (i + 0.5 * (j % 2)), side * math.sqrt(0.75) * j
      world:disk { radius = large, density = 8000, position = { x, y } }
      if i < 11 then
        local angle, away = random:uniform(0, 2 * math.pi), random:uniform(4e-3, 8e-3)
        world:disk { radius = small, density = 800, position = { x + side / 2 + away * math.cos(angle),
          y + side / math.sqrt(12) + away * math.sin(angle) } }
      end
    end
  end
  return world
end

describe("overlaps of many disks", function()
  it("are taken out of where a small one stands between three others (200 seeds)", function()
    for seed = 1, seeds(200) do
      local world <close> = squeezed(seed)
      world:step()
      assert.is_true(world.stats.penetration <= 1e-3, "seed " .. seed .. ": " .. world.stats.penetration)
      assert.is_false(world.stats.infeasible, "seed " .. seed)
    end
  end)
end)
