-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Event-driven worlds whose bodies turn fast: the first touch by a closed form, and where following them ends.
local delassus = require "delassus"

local G = 9.81

describe("event-driven worlds of bodies that turn fast", function()
  it("find the first touch of a corner however many turns a step has: 200 random boxes above a floor", function()
    for seed = 1, 200 do
      local r = delassus.random(seed)
      local rate, side = 10 ^ r:uniform(1, 5), r:uniform(0.2, 1)
      local reach = side / math.sqrt(2)
      local height = reach + r:uniform(-0.1, 0) * reach
      local start = r:uniform(-0.1, 0.1)
      local world = delassus.world{ planar = true, scheme = "event-driven", dt = 0.01, record = false }
      world:floor{ friction = r:uniform(0, 0.5), restitution = r:uniform(0, 1) }
      world:box{ size = { side, side }, mass = r:uniform(0.5, 2), position = { 0, height }, rotation = start,
        angular_velocity = rate }
      local function gap(t) -- of the lowest corner: side 45 degrees below the middle at rest
        local turn = (rate * t + start) % (math.pi / 2) - math.pi / 4 -- how far that corner is beyond straight below
        return height - G * t * t / 2 - reach * math.cos(turn)
      end
      local h = 1e-3 / rate
      local t = h
      while gap(t) > 0 do t = t + h end
      local a, b = t - h, t
      for _ = 1, 60 do
        local c = (a + b) / 2
        if gap(c) > 0 then a = c else b = c end
      end
      repeat world:step() until #world.events > 0 or world.time > b + 0.01
      assert.equal(true, #world.events > 0, "seed " .. seed)
      assert.near(b, world.events[1].t, 1e-10 + 1e-9 * b, "seed " .. seed .. ", " .. rate .. " rad/s")
    end
  end)

  it("say so where a body would turn by more than 1e5 rad in a step, and are as they were", function()
    for _, planar in ipairs{ true, false } do
      local world = delassus.world{ planar = planar, scheme = "event-driven", dt = 0.01, record = false }
      world:floor{}
      local box = world:box{ size = planar and { 1, 1 } or { 1, 1, 2 }, mass = 1, position = planar and { 0, 0.5 } or { 0, 0, 1 },
        angular_velocity = planar and 1e9 or { 1e9, 1e8, 2e8 } }
      local before = world:hash()
      local fine, message = pcall(world.step, world)
      assert.is_false(fine)
      assert.matches("would turn by more than 1e5 rad in a step of dt", message)
      assert.equal(before, world:hash())
      box.angular_velocity = planar and 1e3 or { 1e3, 1e2, 2e2 }
      world:step()
      local disk = delassus.world{ planar = true, scheme = "event-driven", dt = 0.01, record = false }
      disk:floor{}
      local wheel = disk:disk{ radius = 0.1, mass = 1, position = { 0, 1 }, angular_velocity = 1e9 }
      disk:step() -- what turns about its middle is followed at any rate
      assert.equal(1e9, wheel.angular_velocity)
    end
  end)
end)
