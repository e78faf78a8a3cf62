-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Capsules against boxes in event-driven worlds, in space.
local delassus = require "delassus"
local seeds = require "support.seeds"
local of_kind = require("support.event_scenes").of_kind

local R = 0.05

local function new(o)
  o.scheme, o.record = "event-driven", false
  return delassus.world(o)
end

local function turned(q, v, back)
  local w, s = q[1], back and -1 or 1
  local x, y, z = s * q[2], s * q[3], s * q[4]
  local a, b, c = 2 * (y * v[3] - z * v[2]), 2 * (z * v[1] - x * v[3]), 2 * (x * v[2] - y * v[1])
  return { v[1] + w * a + y * c - z * b, v[2] + w * b + z * a - x * c, v[3] + w * c + x * b - y * a }
end

--- From the capsule's axis to the box, by a search along the axis: the distance of a box is convex.
local function distance(capsule, length, box, half)
  local between, turn = capsule.position - box.position, box.rotation
  local x = turned(turn, { between.x, between.y, between.z }, true) -- of the capsule in the box, and its axis
  local d = turned(turn, turned(capsule.rotation, { 1, 0, 0 }), true)
  local abs, max = math.abs, math.max
  local function from(s)
    local u, v, w = abs(x[1] + s * d[1]) - half[1], abs(x[2] + s * d[2]) - half[2], abs(x[3] + s * d[3]) - half[3]
    return math.sqrt(max(0, u) ^ 2 + max(0, v) ^ 2 + max(0, w) ^ 2)
  end
  local a, b = -length / 2, length / 2
  for _ = 1, 40 do
    local m, n = a + (b - a) / 3, b - (b - a) / 3
    if from(m) < from(n) then b = n else a = m end
  end
  return from((a + b) / 2)
end

--- A capsule thrown at a box: one that floats (even seeds), or one that stands, with gravity.
local function scene(seed, friction, scheme, dt)
  local r, free = delassus.random(seed), seed % 2 == 0
  local mu = friction and r:uniform(0.1, 0.6) or 0
  local m = delassus.material{ friction = mu, restitution = r:uniform(0, friction and 0.6 or 1) }
  local world = delassus.world{ scheme = scheme or "event-driven", dt = dt or 0.01, record = false,
    gravity = { 0, 0, free and 0 or -9.81 } }
  local half = { r:uniform(0.1, 0.4), r:uniform(0.1, 0.4), r:uniform(0.1, 0.3) }
  local function vec(x) return { r:uniform(-x, x), r:uniform(-x, x), r:uniform(-x, x) } end
  local function turn() return { axis = vec(1), angle = r:uniform(0, 3) } end
  local box = world:box{ type = free and "dynamic" or "static", size = { 2 * half[1], 2 * half[2], 2 * half[3] },
    mass = free and 1 or nil, material = m, rotation = turn(), angular_velocity = free and vec(2) or nil }
  local length = r:uniform(0.3, 1.2)
  local capsule = world:capsule{ radius = R, length = length, mass = r:uniform(0.5, 2), material = m, rotation = turn(),
    position = { r:uniform(-0.3, 0.3), r:uniform(-0.3, 0.3), 1.2 }, velocity = { 0, 0, -2 }, angular_velocity = vec(4) }
  return world, capsule, length, box, half, free
end

describe("capsules against boxes in event-driven worlds, in space", function()
  it("are exact: an axis that crosses an edge at right angles", function()
    for _, e in ipairs{ 1, 0.5, 0.2 } do
      local m = delassus.material{ friction = 0, restitution = e }
      local world = new{ dt = 0.01, gravity = { 0, 0, 0 } }
      local box = world:box{ size = { 2, 1, 1 }, mass = 3, material = m, rotation = { axis = { 1, 0, 0 }, angle = math.pi / 4 } }
      local capsule = world:capsule{ radius = R, length = 1, mass = 1, material = m, velocity = { 0, 0, -1 },
        rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 }, position = { 0.3, 0.2, math.sqrt(0.5) + R + 0.25 } }
      world:step(40)
      local hit = of_kind(world, "impact")
      assert.equal(1, #hit)
      assert.near(0.25, hit[1].t, 1e-12)
      local impulse = (1 + e) / (1 + 0.2 ^ 2 / capsule.inertia[2] + 1 / 3 + 0.3 ^ 2 / box.inertia[2])
      assert.near(impulse, hit[1].impulse, 1e-12)
      for k, x in ipairs{ 0.3, 0, math.sqrt(0.5) } do assert.near(x, hit[1].point[k], 1e-12) end
      assert.near(impulse - 1, capsule.velocity.z, 1e-12)
      assert.near(-impulse / 3, box.velocity.z, 1e-12)
    end
  end)

  it("lie on a face, over its end too, as statics has it, and tip beyond it", function()
    for _, side in ipairs{ 0.1, 0.3, 0.6 } do
      local world = new{ dt = 0.01 }
      world:box{ type = "static", size = { 1, 0.6, 0.4 }, position = { 0, 0, -0.2 }, friction = 0.5 }
      local capsule = world:capsule{ radius = R, length = 1, mass = 2, position = { side, 0, R }, friction = 0.5 }
      world:run(0.2)
      if side < 0.5 then
        assert.near(0, (capsule.position - delassus.vector{ side, 0, R }):norm(), 1e-10)
        local at_edge, at_end = 0, 0 -- the left end at side - 0.5, the edge at 0.5
        for c in world:contacts() do
          if c.point.x > side then at_edge = at_edge + c.normal_force else at_end = at_end + c.normal_force end
        end
        assert.near(2 * 9.81 * 0.5 / (1 - side), at_edge, 1e-8)
        assert.near(2 * 9.81 * (0.5 - side) / (1 - side), at_end, 1e-8)
      else
        assert.is_true(capsule.position.z < R - 0.01)
      end
    end
  end)

  for _, friction in ipairs{ false, true } do
    local how = friction and "with friction" or "without friction"
    it("never overlap, and keep energy and momenta, in 200 random throws " .. how, function()
      local hits = 0
      for seed = 1, seeds(200) do
        local told = how .. ", seed " .. seed
        local world, capsule, length, box, half, free = scene(seed, friction)
        local p, L = world:momentum()
        for _ = 1, 100 do
          local fine, message = pcall(world.step, world)
          assert.is_true(fine, told .. tostring(message))
          assert.is_true(distance(capsule, length, box, half) > R - 1e-9, told)
        end
        local l = world:ledger()
        assert.is_true(math.abs(l.error) < 1e-9 * math.max(l.turnover, 1), told)
        if not friction then assert.equal(0, l.friction, told) end
        local p_after, L_after = world:momentum()
        if free then assert.near(0, (p_after - p):norm() + (L_after - L):norm(), 1e-9, told) end
        hits = hits + #of_kind(world, "impact")
      end
      assert.is_true(hits > seeds.least(300), hits)
    end)
  end

  it("are what time stepping tends to where the way is one: of 200 throws those with a single impact, to first order", function()
    local n, far, near = 0, 0, 0
    for seed = 1, seeds(200) do
      local friction = seed % 4 < 2
      local world, capsule = scene(seed, friction)
      world:run(1)
      if #world.events == 1 and world.events[1].kind == "impact" then
        local function off(dt)
          local stepped, moved = scene(seed, friction, "time-stepping", dt)
          stepped:run(1)
          local by = (moved.position - capsule.position):norm()
          assert.is_true(by < 100 * dt, "seed " .. seed)
          return by
        end
        n, far, near = n + 1, far + off(4e-4), near + off(1e-4)
      end
    end
    assert.is_true(n > seeds.least(30), n)
    assert.is_true(near < 0.4 * far, near / far)
  end)
end)
