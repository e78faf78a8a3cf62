-- SPDX-License-Identifier: MIT
-- Rolling on what stands still: exact motions as oracles, second order of the step.
local delassus = require "delassus"

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
