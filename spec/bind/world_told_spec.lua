-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local seeds = require "support.seeds"

-- What a step tells of itself, held against what bodies do.

--- Bodies thrown between walls, in the plane or in space.
local function throw(seed, planar, options)
  local random = delassus.random(seed)
  options.planar, options.record, options.dt = planar, false, 1e-3
  local world = delassus.world(options)
  local friction = random:uniform(0.2, 0.8)
  world:floor{ friction = friction }
  for _, side in ipairs{ 1, -1 } do
    world:wall{ normal = planar and { side, 0 } or { side, 0, 0 }, offset = -0.5, friction = friction }
    if not planar then world:wall{ normal = { 0, side, 0 }, offset = -0.5, friction = friction } end
  end
  local function around(size)
    local v = {}
    for k = 1, planar and 2 or 3 do v[k] = random:uniform(-size, size) end
    return v
  end
  for k = 1, planar and 6 or 4 do
    local at = planar and { 0.3 * ((k - 1) % 3) - 0.3, 0.12 + 0.2 * ((k - 1) // 3) } or
      { 0.4 * ((k - 1) % 2) - 0.2, 0.4 * ((k - 1) // 2) - 0.2, 0.15 }
    local turn = planar and random:uniform(-3, 3) or { axis = around(1), angle = random:uniform(-3, 3) }
    local down = around(2)
    down[#down] = down[#down] - 3
    local body = { density = 700, friction = friction, position = at, rotation = turn, velocity = down,
      angular_velocity = planar and random:uniform(-9, 9) or around(9) }
    if k % 3 == 0 then body.radius = 0.05
    else body.size = planar and { 0.12, 0.08 } or { 0.12, 0.08, 0.06 } end
    world[k % 3 == 0 and (planar and "disk" or "sphere") or "box"](world, body)
  end
  return world
end

--- Where a body's centre is in the middle of the step, and how it moves before it.
local function middle(world)
  local at = {}
  for _, body in ipairs(world.bodies) do
    if body.type == "dynamic" then at[body] = body.centre + world.dt / 2 * body.velocity end
  end
  return at
end

--- The tangential velocity of a disk or sphere against a wall, from its state after the step.
local function sliding(contact, body, centre, planar)
  local n, arm = contact.normal, contact.point - centre
  local w = body.angular_velocity
  local v = body.velocity + (planar and delassus.vec{ -w * arm[2], w * arm[1] } or w:cross(arm))
  return (v - v:dot(n) * n):norm()
end

describe("a contact that is told", function()
  for _, planar in ipairs{ true, false } do
    local name = planar and "in the plane" or "in space"
    it("to stick does not slide, to slip slides against its friction (200 seeds), " .. name, function()
      local sticks, slips = 0, 0
      for seed = 1, seeds(200) do
        local world <close> = throw(seed, planar, {})
        for _ = 1, 100 do
          local centre = middle(world)
          world:step()
          for contact in world:contacts() do
            local n, p = contact.normal, contact.impulse
            local v = contact.velocity - contact.velocity:dot(n) * n
            local p_n, speed = p:dot(n), v:norm()
            local p_t, told = p - p_n * n, ("seed %d: %s at %g m/s"):format(seed, contact.state, speed)
            if contact.state == "stick" then
              sticks = sticks + 1
              assert.is_true(speed < 1e-8, told)
              assert.is_true(p_t:norm() <= contact.friction * p_n * (1 + 1e-6) + 1e-9, told)
            elseif contact.state == "slip" then
              slips = slips + 1
              assert.is_true(speed > 0, told)
              if speed > 1e-6 then
                assert.is_true((p_t + contact.friction * p_n / speed * v):norm() <= 1e-6 * p_n + 1e-9, told)
              end
            end
            local round = contact.b.shape and contact.b.shape.radius and contact.a.type == "static"
            if round and not contact.b.shape.size then
              assert.near(sliding(contact, contact.b, centre[contact.b], planar), speed, 1e-9, told)
            end
          end
        end
      end
      assert.is_true(sticks > 200 and slips > 200, sticks .. " stick, " .. slips .. " slip")
    end)
  end

  it("to stick does not slide where a step is solved roughly, by sweeps to 1e-4 (200 seeds)", function()
    for seed = 1, seeds(200) do
      local world <close> = throw(seed, seed % 2 == 0, { solver = "nsgs", tolerance = 1e-4, max_iterations = 200 })
      for _ = 1, 60 do
        world:step()
        for contact in world:contacts() do
          local n = contact.normal
          local speed = (contact.velocity - contact.velocity:dot(n) * n):norm()
          local told = ("seed %d: %s at %g m/s, residual %g"):format(seed, contact.state, speed, world.stats.residual)
          -- velocities are below 10 m/s: so is the scale of the residual
          if contact.state == "stick" then assert.is_true(speed <= 2.1 * world.stats.residual * 10 + 1e-8, told) end
        end
      end
    end
  end)

  it("to stick is told so by events too, and has the friction of rest only then (200 seeds)", function()
    local told_of = 0
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local world <close> = delassus.world{ planar = true, record = false }
      local rough = delassus.material{ friction = { static = 0.6, kinetic = 0.3, decay = 1e9 } }
      world:floor{ material = rough }
      local box = world:box{ size = { 0.2, 0.1 }, density = 700, material = rough, position = { 0, 0.05 },
        velocity = { random:uniform(-0.05, 0.05), 0 } }
      local state
      for _, kind in ipairs{ "stick", "slip" } do
        world:on(kind, function(event) state = event.contact.state == kind and kind end)
      end
      for k = 1, 40 do
        box:apply{ force = { (k > 20 and random:uniform(0.3, 0.9) or 0) * box.mass * 9.81, 0 } }
        world:step()
        for contact in world:contacts() do
          if contact.normal_force > 0 then
            local speed, name = math.abs(contact.velocity.x), ("seed %d step %d"):format(seed, k)
            assert.equal(speed > 1e-8 and "slip" or "stick", contact.state, name)
            if speed > 1e-8 then assert.near(0.3, contact.friction, 1e-12, name) end
            told_of = told_of + (state == contact.state and 1 or 0)
          end
        end
      end
    end
    assert.is_true(told_of > seeds.least(4000), told_of)
  end)
end)

describe("a normal force", function()
  --- Steps while the force that `right` answers is above a hundredth of the weight; the largest error, by weight.
  local function follow(world, other, body, weight, right, name)
    local steps, pressed = 0, math.huge
    while pressed > 0.01 * weight do
      local centre, turn, v, w = body.centre, body.rotation, body.velocity, body.angular_velocity
      pressed = right(centre, turn, v, w)
      world:step()
      local force = 0
      for contact in body:contacts() do
        if contact.a == other or contact.b == other then force = force + contact.normal_force end
      end
      steps = steps + 1
      if steps > 1 then -- the first sets off at q, not at q_c
        assert.near(pressed, force, 0.02 * weight, ("%s, step %d"):format(name, steps))
      end
      assert.is_true(steps < 5000, name)
    end
    assert.is_true(steps > 100, name .. steps)
  end

  local g = 9.81
  -- A round body slides down a round one without friction: N = m (g cos(angle) - v^2/R).
  it("of a weakly pressed body comes in every step: balls and disks on round tops, until they leave", function()
    for seed = 1, 8 do
      local random = delassus.random(seed)
      local r, R, v, dt = random:uniform(0.01, 0.1), random:uniform(0.3, 1), random:uniform(0.1, 0.5), random:uniform(3e-4, 1e-3)
      for _, kind in ipairs{ "sphere", "capsule", "disk", "free disks" } do
        local planar, free = kind:find "disk" ~= nil, kind == "free disks"
        local at = planar and { 0, R + r } or { 0, 0, R + r }
        local world <close> = delassus.world{ planar = planar, record = false, dt = dt, gravity = free and { 0, 0 } or nil }
        local top = { type = not free and "static" or nil, friction = 0, radius = R, mass = free and 1e12 or nil }
        if kind == "capsule" then top.length, top.rotation = 1, { axis = { 0, 0, 1 }, angle = math.pi / 2 } end
        top = world[planar and "disk" or kind](world, top)
        local small = world[planar and "disk" or "sphere"](world, { radius = r, density = 500, friction = 0, position = at,
          velocity = planar and { v, 0 } or { v, 0, 0 } })
        local m = small.mass
        if free then small:apply{ force = { 0, -m * g } } end
        follow(world, top, small, m * g, function(p, _, u)
          local up = p[#p] / (R + r)
          return m * (g * up - u:dot(u) / (R + r))
        end, ("seed %d %s"):format(seed, kind))
      end
    end
  end)

  -- A rod slides down a wall and along the floor without friction; its ends hold it at the angle a to the floor:
  -- x = l cos a, N at the wall = -m l (a'' sin a + a'^2 cos a), (m l^2 + J) a'' = -m g l cos a.
  it("of a weakly pressed body comes in every step: rods between wall and floor, until they leave the wall", function()
    for seed = 1, 8 do
      local random = delassus.random(seed)
      local l, r, a = random:uniform(0.2, 0.6), random:uniform(0.005, 0.02), random:uniform(1.1, 1.4)
      local x, z, dt = l * math.cos(a) + r, l * math.sin(a) + r, random:uniform(3e-4, 1e-3)
      for _, planar in ipairs{ true, false } do
        local world <close> = delassus.world{ planar = planar, record = false, dt = dt }
        world:floor{ friction = 0 }
        local wall = world:wall{ normal = planar and { 1, 0 } or { 1, 0, 0 }, offset = 0, friction = 0 }
        local rod = world:capsule{ radius = r, length = 2 * l, density = 500, friction = 0,
          position = planar and { x, z } or { x, 0, z }, rotation = planar and -a or { axis = { 0, 1, 0 }, angle = a } }
        local m = rod.mass
        local J = planar and rod.inertia or rod.inertia[2]
        follow(world, wall, rod, m * g, function(p, _, _, w)
          local s, rate = (p[#p] - r) / l, planar and w or w[2]
          local c = math.sqrt(1 - s * s)
          return m * l * (m * g * l * c / (m * l * l + J) * s - rate * rate * c)
        end, ("seed %d planar %s"):format(seed, planar))
      end
    end
  end)
end)

describe("an overlap that a step finds", function()
  it("is told before the projection opens it: of random pairs the share of the smaller body (200 seeds)", function()
    for seed = 1, seeds(200) do
      local random, planar = delassus.random(seed), seed % 2 == 0
      local name = "seed " .. seed
      local world <close> = delassus.world{ planar = planar, record = false, gravity = planar and { 0, 0 } or { 0, 0, 0 } }
      local r1, r2 = random:uniform(0.1, 1), random:uniform(0.1, 1)
      local share = random:uniform(0.01, 0.8)
      local d = r1 + r2 - 2 * share * math.min(r1, r2)
      world[planar and "disk" or "sphere"](world, { radius = r1, density = 10, position = planar and { 0, 0 } or { 0, 0, 0 } })
      if seed % 4 < 2 then
        world[planar and "disk" or "sphere"](world, { radius = r2, density = 10, position = planar and { d, 0 } or { d, 0, 0 } })
      else
        share = (r1 + r2 - d) / (2 * math.min(r1, r2))
        world:box{ type = "static", size = planar and { 2 * r2, 9 } or { 2 * r2, 9, 9 },
          position = planar and { d, 0 } or { d, 0, 0 } }
      end
      world:step()
      assert.near(share, world.stats.overlap, 1e-12, name)
      assert.is_true(world.stats.penetration <= 1e-10, name)
      world:step()
      assert.is_true(world.stats.overlap <= 1e-10, name)
    end
  end)

  it("is told by a run's report, with what pushing apart bodies that started so took or gave", function()
    for seed = 1, 20 do
      local random, planar = delassus.random(seed), seed % 2 == 0
      local world <close> = delassus.world{ planar = planar, record = false }
      local r, share = random:uniform(0.05, 0.2), random:uniform(0.01, 0.9)
      world:floor{}
      local high = r - 2 * r * share
      local ball = world[planar and "disk" or "sphere"](world, { radius = r, density = 800,
        position = planar and { 0, high } or { 0, 0, high } })
      local weight = ball.mass * 9.81
      local calls = 0
      local report = world:run(0.01, function() calls = calls + 1 end)
      assert.equal(10, calls)
      assert.near(share, report.overlap, 1e-3)
      assert.near(share, report.started.overlap, 1e-3)
      assert.near(2 * r * share * weight, report.started.energy, 1e-3 * r * weight)
      assert.truthy(tostring(report):find("bodies started in each other", 1, true))
      assert.truthy(tostring(report):find("gave", 1, true))
      report = world:run(0.01)
      assert.is_true(report.overlap <= 1e-9)
      assert.is_nil(report.started)
      assert.is_nil(tostring(report):find("started in each other", 1, true))
    end
  end)

  it("of a blow is no start in each other (200 seeds)", function()
    for seed = 1, seeds(200) do
      local world <close> = throw(seed, seed % 2 == 0, {})
      local report = world:run(0.05)
      assert.is_nil(report.started, "seed " .. seed)
    end
  end)
end)

describe("the energy balance", function()
  it("is at rest where a scene is at rest, in every step and of the run (200 seeds)", function()
    for seed = 1, seeds(200) do
      local random, planar = delassus.random(seed), seed % 2 == 0
      local world <close> = delassus.world{ planar = planar, record = false }
      world:floor{ friction = 0.5 }
      local height = 0
      for _ = 1, 3 do
        local size = { random:uniform(0.1, 1), random:uniform(0.1, 1), random:uniform(0.1, 1) }
        local tall = planar and size[2] or size[3]
        world:box{ size = planar and { size[1], size[2] } or size, density = random:uniform(1, 5000), friction = 0.5,
          position = planar and { 7, height + tall / 2 } or { 7, 3, height + tall / 2 } }
        height = height + tall
      end
      local report = world:run(0.1, function()
        assert.is_true(world.stats.energy_balance <= 1e-11, "seed " .. seed .. ": " .. world.stats.energy_balance)
      end)
      assert.is_true(report.energy_balance <= 1e-11, "seed " .. seed .. ": " .. report.energy_balance)
    end
  end)

  it("is that of the last step: its error and what it turned over, by the ledger (200 seeds)", function()
    local some = 0
    for seed = 1, seeds(200) do
      local world <close> = throw(seed, seed % 2 == 0, {})
      local mass = 0
      for _, body in ipairs(world.bodies) do if body.type == "dynamic" then mass = mass + body.mass end end
      local before = world:ledger()
      local energy = select(1, world:energy()) + select(2, world:energy())
      for _ = 1, 30 do
        world:step()
        local now, kinetic, potential = world:ledger(), world:energy()
        local taken = now.forces + now.kinematic - now.friction - now.impact + now.correction + now.scheme -
          (before.forces + before.kinematic - before.friction - before.impact + before.correction + before.scheme)
        local error = math.abs(kinetic + potential - energy - taken)
        local turnover = math.max(now.turnover - before.turnover, mass * (9.81e-3) ^ 2 / 2)
        assert.near(error / turnover, world.stats.energy_balance, 1e-13 * (kinetic + potential + 1) / turnover, "seed " .. seed)
        some = some + (now.turnover > before.turnover and 1 or 0)
        before, energy = now, kinetic + potential
      end
    end
    assert.equal(30 * seeds(200), some)
  end)

  it("tells overlaps as shares of what is thinnest of a body, wherever its frame is", function()
    local function overlap(planar, make)
      local world <close> = delassus.world { planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, record = false }
      world:floor {}
      make(world)
      world:step()
      return world.stats.overlap
    end
    -- 0.01 m of 0.2 m
    for _, x in ipairs { 0, 10 } do
      assert.near(0.05, overlap(true, function(world)
        world:polygon { position = { 0, 0.09 },
          points = { { x - 0.5, -0.1 }, { x + 0.5, -0.1 }, { x + 0.5, 0.1 }, { x - 0.5, 0.1 } } }
      end), 1e-12)
      assert.near(0.05, overlap(false, function(world)
        local points = {}
        for i = 0, 7 do
          points[#points + 1] = { x + (i % 2) - 0.5, (i // 2 % 2) - 0.5, 0.2 * (i // 4) - 0.1 }
        end
        world:convex { points = points, density = 100, position = { 0, 0, 0.09 } }
      end), 1e-12)
    end
    assert.near(0.05, overlap(false, function(world)
      world:cylinder { radius = 0.5, length = 0.2, density = 100, position = { 0, 0, 0.09 },
        rotation = { axis = { 0, 1, 0 }, angle = math.pi / 2 } }
    end), 1e-12)
    assert.near(0.05, overlap(false, function(world)
      local plate = delassus.compound { { delassus.box { size = { 1, 1, 0.2 } }, position = { 0, 0, 0 } } }
      world:body { shape = plate, density = 100, position = { 0, 0, 0.09 } }
    end), 1e-12)
  end)
end)
