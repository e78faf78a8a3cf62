-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Closed forms in space: bodies that roll, slide, spin and hit (NS-05 and its kin).
local delassus = require "delassus"
local json = require "spec.support.json"

local G = 9.81

local function near(expected, got, tolerance, what)
  local good = math.abs(expected - got) <= tolerance -- false for NaN too
  if not good then
    error(("%s: expected %.17g, got %.17g"):format(what or "value", expected, got), 2)
  end
end

--- A floor under gravity that pulls down the slope `beta` along x.
local function slope(beta, options)
  options.gravity = { G * math.sin(beta), 0, -G * math.cos(beta) }
  options.record, options.tolerance = false, 1e-13
  return delassus.world(options)
end

--- Round bodies of radius 1 and mass 1 that roll along x, with the share k of m R^2 in their inertia about y. The axis of a
-- cylinder is x: a quarter turn about z lays it across.
local across = { axis = { 0, 0, 1 }, angle = math.pi / 2 }
local bodies = {
  ["solid sphere"] = { 2 / 5, function(world, material)
    return world:body{ shape = delassus.sphere{ radius = 1 }, mass = 1, position = { 0, 0, 1 }, material = material }
  end },
  ["hollow sphere"] = { 2 / 3, function(world, material)
    return world:body{ shape = delassus.sphere{ radius = 1 }, mass = 1, inertia = { 2 / 3, 2 / 3, 2 / 3 },
      position = { 0, 0, 1 }, material = material }
  end },
  ["solid cylinder"] = { 1 / 2, function(world, material)
    return world:body{ shape = delassus.cylinder{ radius = 1, length = 2 }, mass = 1, position = { 0, 0, 1 },
      rotation = across, material = material }
  end },
  ["hollow cylinder"] = { 1, function(world, material)
    return world:body{ shape = delassus.cylinder{ radius = 1, length = 2 }, mass = 1, inertia = { 1, 0.8, 0.8 },
      position = { 0, 0, 1 }, rotation = across, material = material }
  end },
}

--- Acceleration, R times angular acceleration and friction of a body with share k on a slope.
local function rolling(beta, mu, k)
  local pull, hold = G * math.sin(beta), G * math.cos(beta)
  local rolls = mu * hold >= pull * k / (1 + k)
  local friction = rolls and pull * k / (1 + k) or mu * hold
  return pull - friction, friction / k, friction
end

describe("NS-05 in space, round bodies on an incline", function()
  for name, body in pairs(bodies) do
    it("is exact: acceleration and spin of a " .. name, function()
      for _, row in ipairs{ { 10, 0.05 }, { 10, 0.3 }, { 30, 0.1 }, { 30, 0.5 }, { 50, 0.2 } } do
        local beta, mu = math.rad(row[1]), row[2]
        local material = delassus.material{ friction = mu }
        local world <close> = slope(beta, {})
        world:floor{ material = material }
        local one = body[2](world, material)
        world:step(200)
        local a, alpha = rolling(beta, mu, body[1])
        near(a * world.time, one.velocity.x, 1e-10, "velocity")
        near(alpha * world.time, one.angular_velocity.y, 1e-10, "spin")
        near(a * world.time ^ 2 / 2, one.position.x, 1e-10, "way")
        near(0, one.velocity.y, 1e-11, "drift")
        near(0, one.angular_velocity.z, 1e-10, "yaw")
      end
    end)
  end

  it("agrees with the case's rows", function()
    local case = json.file("../shared/cases/NS-05-rolling-incline.json")
    if not case then return print("NS-05: no ../shared here, not compared") end
    for _, row in ipairs(case.expected.rows) do
      local material = delassus.material{ friction = row[3] }
      local world <close> = slope(math.rad(row[2]), {})
      world:floor{ material = material }
      local one = bodies[row[1]][2](world, material)
      world:step(20)
      local scale = 1e-6 * math.max(1, math.abs(row[6])) * world.time
      near(row[6] * world.time, one.velocity.x, scale, row[1])
      near(row[7] * world.time, one.angular_velocity.y, scale, row[1])
    end
  end)

  it("is exact: a barbell, compound of two wheels on an axle, its inertia from its shapes", function()
    local wheel, axle = delassus.cylinder{ radius = 1, length = 0.5 }, delassus.cylinder{ radius = 0.2, length = 3 }
    local barbell = delassus.compound{ { shape = wheel, position = { -1.5, 0, 0 } },
      { shape = wheel, position = { 1.5, 0, 0 } }, { shape = axle } }
    for _, row in ipairs{ { 10, 0.3 }, { 35, 0.1 } } do
      local beta, mu = math.rad(row[1]), row[2]
      local material = delassus.material{ friction = mu }
      local world <close> = slope(beta, {})
      world:floor{ material = material }
      local one = world:body{ shape = barbell, density = 100, position = { 0, 0, 1 }, rotation = across, material = material }
      world:step(200)
      local wheels, rod = 2 * 0.5 * math.pi, 3 * math.pi * 0.04
      local k = (wheels / 2 + rod * 0.04 / 2) / (wheels + rod)
      near(100 * (wheels + rod), one.mass, 1e-10)
      local a, alpha = rolling(beta, mu, k)
      near(a * world.time, one.velocity.x, 1e-10, "velocity")
      near(alpha * world.time, one.angular_velocity.y, 1e-10, "spin")
      near(0, one.angular_velocity.z, 1e-10, "yaw")
    end
  end)
end)

describe("rolling friction in space", function()
  local arm = 0.02
  local material = delassus.material{ friction = 1, rolling_friction = arm }

  it("is exact: a ball stands up to tan(beta) = b/R and rolls with the closed form beyond", function()
    for _, tilt in ipairs{ 0.019, 0.021, 0.2 } do
      local beta = math.atan(tilt)
      local world <close> = slope(beta, {})
      world:floor{ material = material }
      local ball = bodies["solid sphere"][2](world, material)
      world:step(300)
      -- m a = m g sin - F, J a/R = F R - b N
      local a = math.max(0, (G * math.sin(beta) - arm * G * math.cos(beta)) / 1.4)
      near(a * world.time, ball.velocity.x, 1e-10)
      near(a * world.time, ball.angular_velocity.y, 1e-10)
    end
  end)

  it("is exact: a rolling ball slows down evenly in any direction, stops after v^2/(2a) and stays", function()
    local v, a = 0.3, G * arm / 1.4
    local cos, sin = math.cos(0.7), math.sin(0.7)
    local world <close> = slope(0, { dt = 1e-3 })
    world:floor{ material = material }
    local ball = world:body{ shape = delassus.sphere{ radius = 1 }, mass = 1, position = { 0, 0, 1 },
      velocity = { v * cos, v * sin, 0 }, angular_velocity = { -v * sin, v * cos, 0 }, material = material }
    world:run(1)
    near((v - a) * cos, ball.velocity.x, 1e-10)
    near((v - a) * sin, ball.velocity.y, 1e-10)
    near(-(v - a) * sin, ball.angular_velocity.x, 1e-10)
    world:run(v / a)
    near(0, ball.velocity:norm(), 1e-12)
    -- the step in which it stops is a step of even braking to zero: half a step's way of what was left
    near(v * v / (2 * a) * cos, ball.position.x, a * world.dt ^ 2)
    near(v * v / (2 * a) * sin, ball.position.y, a * world.dt ^ 2)
  end)
end)

describe("spinning", function()
  it("is exact: a ball's spin about the normal falls evenly with spinning friction, then is none", function()
    local arm, w = 0.03, 2
    local material = delassus.material{ friction = 0.5, spinning_friction = arm }
    local world <close> = slope(0, {})
    world:floor{ material = material }
    local ball = world:body{ shape = delassus.sphere{ radius = 1 }, mass = 1, position = { 0, 0, 1 },
      angular_velocity = { 0, 0, w }, material = material }
    local rate = arm * G / 0.4 -- torque b N over 2/5 m R^2
    world:run(1)
    near(w - rate, ball.angular_velocity.z, 1e-10)
    near(0, ball.velocity:norm(), 1e-11)
    world:run(w / rate)
    near(0, ball.angular_velocity:norm(), 1e-12)
  end)

  it("is exact: without it nothing stops a ball's spin about the normal", function()
    local world <close> = slope(0, {})
    world:floor{ friction = 0.5 }
    local ball = world:body{ shape = delassus.sphere{ radius = 1 }, mass = 1, position = { 0, 0, 1 },
      angular_velocity = { 0, 0, 2 }, friction = 0.5 }
    world:run(0.5)
    near(2, ball.angular_velocity.z, 1e-12)
  end)

  it("is exact: a coin lying flat on four points of its rim loses 2 mu g/R of spin a second", function()
    local mu, w = 0.2, 3
    local world <close> = slope(0, { gravity = { 0, 0, -G } })
    world:floor{ friction = mu }
    local coin = world:body{ shape = delassus.cylinder{ radius = 0.5, length = 0.1 }, mass = 2, position = { 0, 0, 0.05 },
      rotation = { axis = { 0, 1, 0 }, angle = math.pi / 2 }, angular_velocity = { 0, 0, w }, friction = mu }
    world:run(0.2)
    local rate = 2 * mu * G / 0.5
    -- friction opposes the velocity of each point at the end of the step: along the rim
    near(w - rate * world.time, coin.angular_velocity.z, 1e-9)
    near(0, coin.velocity:norm(), 1e-9)
    world:run(w / rate)
    near(0, coin.angular_velocity:norm(), 1e-9)
  end)
end)

describe("a ball on a turning table", function()
  -- It circles with 2/7 of the table's rate, wherever it was set rolling (Ehrlich & Tuszynski 1995).
  local function off(dt)
    local rate = 2
    local world <close> = slope(0, { dt = dt })
    world:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 0, 1 }, offset = 0 },
      angular_velocity = { 0, 0, rate }, friction = 2 }
    -- rolling without slip: v - R w x n = rate x r
    local ball = world:body{ shape = delassus.sphere{ radius = 0.1 }, mass = 1, position = { 1, 0, 0.1 },
      velocity = { 0.3, 0.1, 0 }, friction = 2 }
    local wx, wy = -(0.1 - rate * 1) / 0.1, 0.3 / 0.1
    ball.angular_velocity = { wx, wy, 0 }
    local turn = 2 / 7 * rate
    world:run(1)
    local s, c = math.sin(turn), math.cos(turn)
    local x = 1 + (0.3 * s - 0.1 * (1 - c)) / turn
    local y = (0.3 * (1 - c) + 0.1 * s) / turn
    return math.sqrt((ball.position.x - x) ^ 2 + (ball.position.y - y) ^ 2)
  end

  it("is near the closed form, a circle at 2/7 of the table's rate, and nearer with smaller steps", function()
    local coarse, fine = off(4e-3), off(2e-3)
    assert.is_true(fine < 2e-3, ("%g %g"):format(coarse, fine))
    assert.is_true(fine < 0.6 * coarse, ("%g %g"):format(coarse, fine)) -- first order at least
  end)
end)

describe("an oblique hit of a spinning ball", function()
  it("is exact: sticks or slides in its plane of slip, 200 seeds", function()
    for seed = 1, 200 do
      local random = delassus.random(seed)
      local function number(a) return a * (2 * random:uniform(0, 1) - 1) end
      local mu, e, R, m = random:uniform(0, 1), random:uniform(0, 1), 0.1 + random:uniform(0, 1), 0.5 + random:uniform(0, 1)
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false, tolerance = 1e-13 }
      world:floor{ friction = mu, restitution = e }
      local v, w = { number(3), number(3), -1 - random:uniform(0, 1) }, { number(9), number(9), number(9) }
      local ball = world:body{ shape = delassus.sphere{ radius = R }, mass = m, position = { 0, 0, R }, velocity = v,
        angular_velocity = w, friction = mu, restitution = e }
      world:step()
      local sx, sy = v[1] - R * w[2], v[2] + R * w[1] -- slip of the lowest point
      local slip, p_n = math.sqrt(sx * sx + sy * sy), -(1 + e) * m * v[3]
      local p = math.min(2 / 7 * m * slip, mu * p_n)
      local px, py = -p * sx / slip, -p * sy / slip
      local J, scale = 0.4 * m * R * R, 1e-10 * (1 + 9 / R)
      local what = "seed " .. seed
      near(v[1] + px / m, ball.velocity.x, scale, what)
      near(v[2] + py / m, ball.velocity.y, scale, what)
      near(-e * v[3], ball.velocity.z, scale, what)
      near(w[1] + R * py / J, ball.angular_velocity.x, scale, what) -- (0, 0, -R) x p
      near(w[2] - R * px / J, ball.angular_velocity.y, scale, what)
      near(w[3], ball.angular_velocity.z, scale, what)
    end
  end)
end)

describe("a body that strikes a floor with rolling and spinning friction", function()
  it("rebounds by e within its cones by the sequential law as by Newton's (agreement, exact rebound), 200 seeds", function()
    for seed = 1, 200 do
      local random, after = delassus.random(seed), {}
      local function within(size) return random:uniform(-size, size) end
      local function any(size) return { within(size), within(size), within(size) } end
      local e, angle, straight = random:uniform(0, 0.9), random:uniform(-1.4, 1.4), seed % 2 * 0.3
      local law = { friction = random:uniform(0, 0.8), restitution = e, rolling_friction = 0.01,
        spinning_friction = seed % 3 * 0.01 }
      local v, w = any(1), any(9)
      v[3] = -3
      for _, impact in ipairs{ "newton", "sequential" } do
        local world <close> = delassus.world{ gravity = { 0, 0, 0 }, dt = 1e-9, impact = impact, record = false,
          tolerance = 1e-12 }
        world:floor(law)
        local body = world:body{ shape = delassus.capsule{ radius = 0.1, length = straight }, density = 1000, velocity = v,
          angular_velocity = w, position = { 0, 0, 0.1 + straight / 2 * math.abs(math.sin(angle)) },
          rotation = { axis = { 0, 1, 0 }, angle = angle }, material = delassus.material(law) }
        local low = { (angle > 0 and 1 or -1) * straight / 2 * math.cos(angle), 0, 0 }
        local approach = body:velocity_at(low).z
        world:step()
        near(-e * approach, body:velocity_at(low).z, 1e-6, "rebound by " .. impact .. ", seed " .. seed)
        local u, spin = body.velocity, body.angular_velocity
        after[impact] = { u.x, u.y, u.z, 0.1 * spin.x, 0.1 * spin.y, 0.1 * spin.z }
      end
      for i = 1, 6 do near(after.newton[i], after.sequential[i], 1e-8, "seed " .. seed) end
    end
  end)
end)
