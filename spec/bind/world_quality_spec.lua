-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- What a step promises in any scene: balances, cones, the residual, and nothing that moves by itself.
local delassus = require "delassus"

local function planar(options)
  options.planar = true
  options.record = false
  return delassus.world(options)
end

-- Disks, boxes and polygons dropped into a drum that turns; numbers from the library's own generator.
local function tumble(options)
  local world = planar(options)
  local random = delassus.random(7)
  local wood = delassus.material{ friction = 0.4, restitution = 0.2 }
  world:drum{ radius = 1.2, lifters = { count = 4, height = 0.15, width = 0.1 }, angular_velocity = 1.3,
    material = wood }
  for i = -2, 2 do
    for j = -1, 2 do
      local place = { 0.32 * i + 0.02 * random:uniform(), 0.3 * j }
      local kind = (i + j) % 3
      if kind == 0 then world:disk{ radius = 0.1, position = place, density = 700, material = wood }
      elseif kind == 1 then
        world:box{ size = { 0.2, 0.15 }, position = place, rotation = random:uniform(), density = 700, material = wood }
      else
        world:polygon{ points = { { -0.1, -0.1 }, { 0.12, -0.05 }, { 0, 0.12 } }, position = place, density = 700,
          material = wood }
      end
    end
  end
  return world
end

describe("a planar world full of shapes", function()
  it("keeps its balances in every step: momentum 1e-12, cones 1e-12, residual, energy, overlap", function()
    local world <close> = tumble{ tolerance = 1e-9 }
    local most = 0
    for _ = 1, 1500 do
      world:step()
      local s = world.stats
      most = math.max(most, s.contacts)
      assert.is_true(s.momentum_error <= 1e-12)
      assert.is_true(s.cone_violation <= 1e-12)
      assert.is_true(s.residual <= 1e-9)
      assert.is_true(s.penetration <= 5e-3, "overlap")
    end
    assert.is_true(most > 20) -- else the scene shows nothing
    assert.equal(0, world.stats.unconverged)
    -- Round-off of some 1e5 terms; the plane has no gyroscopic defect.
    assert.is_true(world.stats.energy_balance <= 1e-11)
  end)

  it("is conserved: the ledger explains the energy, and friction work scaled by 0.99 would not", function()
    local world <close> = tumble{ tolerance = 1e-11 }
    local k0, p0 = world:energy()
    world:step(800)
    local k1, p1 = world:energy()
    local l = world:ledger()
    local change = k1 + p1 - k0 - p0
    local explained = l.forces + l.kinematic - l.friction - l.impact - l.damping + l.correction + l.scheme
    assert.near(change, explained, 1e-10 * l.turnover)
    assert.is_true(math.abs(change - (explained + 0.01 * l.friction)) > 1e-6 * l.turnover)
    assert.is_true(l.friction > 0 and l.impact > 0)
  end)

  it("has residuals of its own: the contacts' impulses are the bodies' change of momentum", function()
    local world <close> = tumble{ tolerance = 1e-10 }
    world:step(600)
    local before = {}
    for _, body in ipairs(world.bodies) do before[body] = body.velocity end
    world:step()
    local sum = {}
    for contact in world:contacts() do
      sum[contact.b] = (sum[contact.b] or delassus.vec{ 0, 0 }) + contact.impulse
      sum[contact.a] = (sum[contact.a] or delassus.vec{ 0, 0 }) - contact.impulse
    end
    for _, body in ipairs(world.bodies) do
      if body.type == "dynamic" then
        local want = body.mass * (body.velocity - before[body] - world.dt * world.gravity)
        local got = sum[body] or delassus.vec{ 0, 0 }
        assert.near(0, (want - got):norm(), 1e-12 * body.mass * 10)
      end
    end
  end)
end)

describe("solvers of a planar world", function()
  it("agree: every method reaches its tolerance, and the velocities of a block that sticks and slides", function()
    for _, solver in ipairs{ "auto", "nsgs", "admm", "newton", "lemke", "energy", "block", "pgs" } do
      local world <close> = planar{ solver = solver, tolerance = 1e-11, max_iterations = 20000,
        gravity = { 4, -9.81 } }
      world:floor{ friction = 0.3 }
      local lower = world:box{ size = { 1, 0.2 }, position = { 0, 0.1 }, density = 500, friction = 0.3 }
      local upper = world:box{ size = { 0.5, 0.2 }, position = { 0.1, 0.3 }, density = 500, friction = 0.3 }
      world:pair{ lower, upper, friction = 0.6 }
      for _ = 1, 100 do
        world:step()
        assert.is_true(world.stats.residual <= 1e-11, solver)
      end
      -- Together down the slope: g_x - mu g_y.
      assert.near((4 - 0.3 * 9.81) * 0.1, lower.velocity.x, 1e-9, solver)
      assert.near(lower.velocity.x, upper.velocity.x, 1e-9, solver)
    end
    assert.has_error(function() delassus.world{ solver = "lemke" } end)
  end)
end)

describe("a stack of 20 boxes", function()
  it("stands: overlap 1e-6 of a side, drift 1e-9 m, speed 1e-9 m/s after 5 s", function()
    local world <close> = planar{ tolerance = 1e-12 }
    world:floor{}
    local boxes = {}
    for i = 1, 20 do boxes[i] = world:box{ size = { 1, 1 }, position = { 0, i - 0.5 }, density = 800 } end
    local worst = 0
    for _ = 1, 5000 do
      world:step()
      worst = math.max(worst, world.stats.penetration)
    end
    assert.is_true(worst <= 1e-6)
    for i, box in ipairs(boxes) do
      assert.is_true(math.abs(box.position.x) <= 1e-9 and math.abs(box.position.y - (i - 0.5)) <= 1e-9)
      assert.is_true(box.velocity:norm() <= 1e-9)
    end
  end)
end)

describe("a free body in space", function()
  it("is conserved: momentum to round-off, energy to second order without drift", function()
    local function drift(dt)
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, dt = dt, record = false }
      world:box{ size = { 0.3, 0.2, 0.1 }, mass = 2, position = { 1, 0, 0 }, velocity = { 1, 2, 3 },
        angular_velocity = { 3, -5, 7 } }
      local e0 = world:energy()
      local p0, l0 = world:momentum()
      local worst = 0
      for _ = 1, math.floor(2 / dt + 0.5) do
        world:step()
        worst = math.max(worst, math.abs(world:energy() / e0 - 1))
      end
      local p1, l1 = world:momentum()
      assert.near(0, (p1 - p0):norm(), 1e-13 * p0:norm())
      assert.near(0, (l1 - l0):norm(), 1e-12 * l0:norm()) -- a thousand quaternions, each rounded
      return worst
    end
    local coarse, fine = drift(4e-3), drift(2e-3)
    assert.is_true(coarse < 1e-5)
    assert.is_true(coarse / fine > 3.5 and coarse / fine < 4.5)
  end)

  it("is conserved: two boxes that collide keep their momentum and angular momentum", function()
    local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false, tolerance = 1e-12 }
    world:box{ size = { 0.3, 0.2, 0.1 }, mass = 2, position = { -0.5, 0, 0.02 }, velocity = { 2, 0.1, 0 },
      angular_velocity = { 1, 2, 3 }, restitution = 0.6 }
    world:box{ size = { 0.2, 0.2, 0.2 }, mass = 1, position = { 0.5, 0.05, 0 }, velocity = { -1, 0, 0.1 },
      rotation = { axis = { 1, 1, 0 }, angle = 0.7 }, restitution = 0.6 }
    local p0, l0 = world:momentum()
    local report = world:run(0.6)
    local p1, l1 = world:momentum()
    assert.is_true(report.impacts > 0)
    assert.near(0, (p1 - p0):norm(), 1e-12)
    assert.near(0, (l1 - l0):norm(), 1e-11)
  end)
end)

describe("a sphere on an incline in space", function()
  it("is exact: rolls with 5/7 g sin, slides with g (sin - mu cos)", function()
    for _, row in ipairs{ { 10, 0.3 }, { 30, 0.1 }, { 30, 0.5 }, { 50, 0.2 } } do
      local a, mu = math.rad(row[1]), row[2]
      local world <close> = delassus.world{ gravity = { 9.81 * math.sin(a) * 0.6, 9.81 * math.sin(a) * 0.8,
        -9.81 * math.cos(a) },
        tolerance = 1e-13, record = false }
      world:floor{ friction = mu }
      local ball = world:sphere{ radius = 1, mass = 1, position = { 0, 0, 1 }, friction = mu }
      world:step(1000)
      local rolls = mu >= math.tan(a) * 2 / 7
      local friction = rolls and 2 / 7 * 9.81 * math.sin(a) or mu * 9.81 * math.cos(a)
      assert.near(9.81 * math.sin(a) - friction, ball.velocity:norm(), 1e-10)
      assert.near(2.5 * friction, ball.angular_velocity:norm(), 1e-10)
    end
  end)
end)

describe("a compliant contact", function()
  local function peak(stiffness, dt)
    local world <close> = planar{ dt = dt }
    world:floor{ stiffness = stiffness }
    world:disk{ radius = 0.1, mass = 1, position = { 0, 0.5 }, stiffness = stiffness }
    assert.equal(1, world.theta)
    local most = 0
    while world.time < 0.35 do
      world:step()
      for contact in world:contacts() do most = math.max(most, contact.normal_force) end
    end
    assert.is_true(world.stats.energy_balance <= 1e-12)
    return most
  end

  it("converges to M g + sqrt((M g)^2 + k M v^2) with order one", function()
    local exact = 9.81 + math.sqrt(9.81 ^ 2 + 1e5 * 2 * 9.81 * 0.4) -- k = 1e5: two of 2e5 in series
    local coarse, fine = 1 - peak(2e5, 2e-4) / exact, 1 - peak(2e5, 1e-4) / exact
    assert.is_true(coarse > 0 and coarse < 0.1)
    assert.is_true(coarse / fine > 1.8 and coarse / fine < 2.2)
  end)

  it("bounces with its restitution where a stiffness is given too, up to the scheme's own damping", function()
    for _, e in ipairs{ 0.1, 0.5, 0.9 } do
      local world <close> = planar{ gravity = { 0, 0 }, dt = 1e-6 }
      world:floor{ stiffness = 2e5, restitution = e }
      local ball = world:disk{ radius = 0.1, mass = 1, position = { 0, 0.1 }, velocity = { 0, -1 }, stiffness = 2e5,
        restitution = e }
      world:step(20000)
      -- omega h = 3e-4: the scheme loses about pi/2 of that.
      assert.near(e, ball.velocity.y, 1e-3)
      assert.is_false(world.stats.overdamped)
    end
  end)

  it("is the rigid contact with e = 0 as the stiffness grows", function()
    local function speed(stiffness)
      local world <close> = planar{ dt = 1e-3, theta = 1 }
      world:floor{ stiffness = stiffness }
      local ball = world:disk{ radius = 0.1, mass = 1, position = { 0, 0.1 }, velocity = { 0, -1 },
        stiffness = stiffness }
      world:step(40)
      return ball.position.y, ball.velocity.y
    end
    local y, v = speed(1e13)
    local y0, v0 = speed(math.huge)
    assert.near(y0, y, 1e-9)
    assert.near(v0, v, 1e-6)
  end)
end)

describe("rolling friction", function()
  it("is exact: a disk stands up to tan(beta) = b/r and rolls with the closed form beyond", function()
    local arm, r = 0.05, 0.5
    for _, tilt in ipairs{ 0.08, 0.12, 0.3 } do
      local a = math.atan(tilt)
      local world <close> = planar{ gravity = { 9.81 * math.sin(a), -9.81 * math.cos(a) }, tolerance = 1e-13 }
      world:floor{ friction = 1, rolling_friction = arm }
      local disk = world:disk{ radius = r, mass = 1, position = { 0, r }, friction = 1, rolling_friction = arm }
      world:step(500)
      -- m a = m g sin - F, J w' = F r - b N, J = m r^2/2
      local expected = math.max(0, 9.81 * (math.sin(a) - arm / r * math.cos(a)) / 1.5)
      assert.near(expected * 0.5, disk.velocity.x, 1e-10)
    end
  end)
end)

describe("numbers by which a step judges itself", function()
  it("are round-off, not nothing, in a heap that moves", function()
    for _, flat in ipairs { true, false } do
      local world <close> = delassus.world { planar = flat, record = false }
      world:floor {}
      local random = delassus.random(5)
      for k = 1, 12 do
        local x, z = 0.17 * (k % 3) + 0.02 * random:uniform(), 0.2 + 0.2 * (k // 3)
        world:box { size = flat and { 0.2, 0.13 } or { 0.2, 0.15, 0.13 }, density = 700,
          position = flat and { x, z } or { x, 0, z },
          rotation = flat and random:uniform() or { axis = { 0, 1, 0 }, angle = random:uniform() } }
      end
      local most = { momentum_error = 0, residual = 0, correction = 0, penetration = 0, contacts = 0, unknowns = 0 }
      for _ = 1, 300 do
        world:step()
        local stats = world.stats
        for name in pairs(most) do most[name] = math.max(most[name], math.abs(stats[name])) end
      end
      for name, value in pairs(most) do assert.is_true(value > 0, name) end
      assert.is_true(most.momentum_error < 1e-12)
    end
  end)
end)
