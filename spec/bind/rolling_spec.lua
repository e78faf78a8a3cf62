-- SPDX-License-Identifier: MIT
-- Rolling on what stands still: exact motions as oracles, second order of the step.
local delassus = require "delassus"
local rolling = require "spec.support.rolling"
local shapes = require "spec.support.shapes3"

--- A tapered body that rolls on the floor about its apex at the rate om about its line of contact, for `time`: by how much
--- its energy changed, relatively, and how far its azimuth is off. Exactly: K is constant, the line turns at om tan(half).
local function roll_cone(r1, r2, length, om, dt, time)
  local half = math.atan((r1 - r2) / length)
  local world <close> = delassus.world{ record = false, dt = dt }
  world:floor{ friction = 1 }
  local body = world:cone{ radius1 = r1, radius2 = r2, length = length, density = 500, friction = 1,
    rotation = { axis = { 0, 1, 0 }, angle = half } }
  body.position = { 0, 0, 0.5 * (r1 + r2) * math.cos(half) }
  local function azimuth()
    local q = body.rotation
    return math.atan(2 * (q[2] * q[3] + q[1] * q[4]), 1 - 2 * (q[3] ^ 2 + q[4] ^ 2))
  end
  world:step(math.floor(0.1 / dt + 0.5))
  local height, start = body.centre.z, azimuth()
  local rate = delassus.vec{ om * math.cos(start), om * math.sin(start), 0 }
  body.angular_velocity, body.velocity = rate, rate:cross(delassus.vec{ 0, 0, height })
  local energy, turned, last = world:energy(), 0, start
  local kinetic = energy - body.mass * 9.81 * height
  for _ = 1, math.floor(time / dt + 0.5) do
    world:step()
    local now = azimuth()
    turned = turned + (now - last + math.pi) % (2 * math.pi) - math.pi
    last = now
  end
  return (world:energy() - energy) / kinetic, math.abs(turned) - om * math.tan(half) * time, body.centre.z - height
end

describe("what rolls on what stands still", function()
  it("does so to second order: a cone about its apex keeps its energy and its rate", function()
    for _, c in ipairs{ { 0.1, 0.03, 0.3, 10 }, { 0.05, 0.04, 0.4, 15 }, { 0.15, 0.02, 0.3, 8 } } do
      local told = ("cone %g %g %g"):format(c[1], c[2], c[3])
      local before
      for _, dt in ipairs{ 4e-3, 2e-3, 1e-3 } do
        local lost, off, rise = roll_cone(c[1], c[2], c[3], c[4], dt, 2)
        assert.near(0, lost, 2 * dt * dt * c[4] ^ 2 * 0.1, told)
        assert.near(0, off, dt * dt * c[4] ^ 2 * 2, told)
        assert.near(0, rise, 1e-8, told)
        if before and math.abs(before) > 1e-7 then assert.is_true(math.abs(lost) < math.abs(before) / 3.4, told) end
        before = lost
      end
    end
  end)
end)

-- What tilt, angular velocity (world) and time each has: a coin that rolls in a circle, one that rattles as it falls flat,
-- a log's end on which it spins.
local coins = {
  { radius = 0.1, length = 0.01, tilt = 0.25, w = { 20, 0, 2 }, time = 0.5, fast = 20 },
  { radius = 0.1, length = 0.002, tilt = 1.07, w = { -12, 0, 6 }, time = 0.5, fast = 25 },
  { radius = 0.05, length = 0.2, tilt = 0.9, w = { 3, -2, 3 }, time = 0.15, fast = 8 },
}

describe("a cylinder on its rim", function()
  it("rolls without slip as its equations say, to second order, and keeps its energy", function()
    for k, c in ipairs(coins) do
      local body = { rim = c, com = { 0, 0, 0 }, mass = 1, gravity = 9.81 }
      local I1, I3 = c.radius ^ 2 / 2, c.radius ^ 2 / 4 + c.length ^ 2 / 12
      body.inertia = { { I1, 0, 0 }, { 0, I3, 0 }, { 0, 0, I3 } }
      -- Its axis leans by `tilt` out of the floor, towards +z; the rim's lowest point is on the side of -x.
      local cos, sin = math.cos(c.tilt), math.sin(c.tilt)
      local turn = { axis = { 0, -1, 0 }, angle = c.tilt }
      local u, w = { sin, 0, cos }, { cos * c.w[1] + sin * c.w[3], c.w[2], -sin * c.w[1] + cos * c.w[3] }
      local below = delassus.vec{ c.radius * sin - c.length / 2 * cos, 0, -c.radius * cos - c.length / 2 * sin }
      local v = delassus.vec{ c.w[1], c.w[2], c.w[3] }:cross(-1 * below)
      local steps = math.floor(c.time / 1e-4 + 0.5)
      local before = rolling.energy(body, u, w)
      for _ = 1, steps do u, w = rolling.step(body, u, w, 1e-4) end
      assert.near(before, rolling.energy(body, u, w), 1e-9 * before)
      local errors, drift = {}, {}
      for i, dt in ipairs{ 2e-3, 1e-3, 5e-4 } do
        local world <close> = delassus.world{ dt = dt, record = false }
        world:floor{ friction = 5 }
        local coin = world:cylinder{ radius = c.radius, length = c.length, mass = 1, friction = 5, rotation = turn,
          position = { 0, 0, -below.z }, angular_velocity = c.w, velocity = v }
        local kinetic, potential = world:energy()
        local start = kinetic + potential
        world:run(c.time)
        kinetic, potential = world:energy()
        local q, spin = coin.rotation, coin.angular_velocity
        local own, up = { shapes.turn(q, spin.x, spin.y, spin.z, true) }, { shapes.turn(q, 0, 0, 1, true) }
        local sum = 0
        for j = 1, 3 do sum = sum + ((own[j] - w[j]) / c.fast) ^ 2 + (up[j] - u[j]) ^ 2 end
        errors[i], drift[i] = math.sqrt(sum), math.abs(kinetic + potential - start) / start
      end
      local told = ("coin %d: errors %g %g %g, energies %g %g %g"):format(k, errors[1], errors[2], errors[3], drift[1],
        drift[2], drift[3])
      assert.is_true(errors[2] / errors[3] > 3 and errors[3] < 1e-4 and drift[3] < 1e-4, told)
    end
  end)
end)
