-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What a step does at contacts, against what can be said in advance.
local delassus = require "delassus"

local function world_of(planar, options)
  options.planar, options.record = planar, false
  options.gravity = options.gravity or (planar and { 0, 0 } or { 0, 0, 0 })
  return delassus.world(options)
end

--- A point (x, height) of the plane, in space along x and z.
local function at(planar, x, height) return planar and { x, height } or { x, 0, height } end

--- A body whose lowest point is its centre's height below it, and that height.
local function body(world, random, planar, x, height, options)
  local kind, r = random:integer(1, 3), random:uniform(0.1, 0.6)
  options.density = 500
  local made
  if kind == 1 then
    options.radius, options.position = r, at(planar, x, height + r)
    made = planar and world:disk(options) or world:sphere(options)
  elseif kind == 2 then
    options.size, options.position = planar and { 1, 2 * r } or { 1, 0.8, 2 * r }, at(planar, x, height + r)
    made = world:box(options)
  else
    options.radius, options.length, options.position = r, 1, at(planar, x, height + r)
    made = world:capsule(options)
  end
  return made, r
end

for _, planar in ipairs{ true, false } do
  local up, space = planar and 2 or 3, planar and ", plane" or ", space"

  describe("a falling body" .. space, function()
    it("is exact: it ends the step of its arrival at gap 0, neither short of the floor nor in it, 200 seeds", function()
      for seed = 1, 200 do
        local random = delassus.random(seed)
        local theta, dt = seed % 2 == 0 and 0.5 or 1, 1e-2
        local world <close> = world_of(planar, { theta = theta, dt = dt })
        world:floor{ friction = 0 }
        local gap = random:uniform(1e-3, 9e-3)
        local way = gap * random:uniform(1.05, 3) -- of a step that nothing ends
        local ball, r = body(world, random, planar, 0, gap, { velocity = at(planar, 0.1, -way / dt), friction = 0 })
        world:step()
        assert.near(0, ball.position[up] - r, 1e-10 * way, "seed " .. seed) -- the tolerance of the solve
        world:step(3)
        assert.near(0, ball.position[up] - r, 1e-10 * way, "seed " .. seed) -- the tolerance of the solve
      end
    end)

    it("is exact: it that does not arrive goes on as if there were no floor, 200 seeds", function()
      for seed = 1, 200 do
        local random = delassus.random(seed)
        local dt = 1e-2
        local world <close> = world_of(planar, { theta = seed % 2 == 0 and 0.5 or 1, dt = dt })
        world:floor{ friction = 0 }
        local gap = random:uniform(1e-3, 9e-3)
        local way = gap * random:uniform(0.6, 0.999)
        local ball, r = body(world, random, planar, 0, gap, { velocity = at(planar, 0, -way / dt), friction = 0 })
        world:step()
        assert.near(gap - way, ball.position[up] - r, 1e-14, "seed " .. seed)
        assert.near(-way / dt, ball.velocity[up], 1e-14 * way / dt + 1e-14, "seed " .. seed)
      end
    end)
  end)

  describe("the projection" .. space, function()
    it("closes every overlap, the first and the last as well, 200 seeds", function()
      for seed = 1, 200 do
        local random = delassus.random(seed)
        local world <close> = world_of(planar, { dt = 1e-3 })
        world:floor{ friction = 0 }
        local bodies = {}
        for k = 1, random:integer(1, 5) do
          local depth = random:uniform(1e-5, 1e-4)
          local ball, r = body(world, random, planar, 2 * k, -depth, { friction = 0 })
          bodies[k] = { ball, r }
        end
        world:step(30)
        for k, one in ipairs(bodies) do
          local gap = one[1].position[up] - one[2]
          assert.is_true(gap > -1e-7, ("seed %d: body %d of %d overlaps by %g m"):format(seed, k, #bodies, -gap))
        end
      end
    end)
  end)

  describe("the memory of a contact" .. space, function()
    it("belongs to the contact with the same bodies and key, 200 seeds", function()
      for seed = 1, 200 do
        local random = delassus.random(seed)
        local world <close> = world_of(planar, { dt = 1e-2, gravity = at(planar, 0, -9.81) })
        world:floor{ friction = 0.5 }
        -- a box across the floor, first on one corner, then on all: corners come one after the other
        local tilt = random:uniform(0.02, 0.1) * (seed % 2 == 0 and 1 or -1)
        local box = world:box{ size = planar and { 1, 0.4 } or { 1, 0.7, 0.4 }, density = 500,
          rotation = planar and tilt or { axis = { 0, 1, 0 }, angle = tilt },
          position = at(planar, 0, 0.2 + 0.5 * math.abs(tilt)), velocity = at(planar, 0, -0.3) }
        local own = {} -- steps of every key, by our count
        for step = 1, 25 do
          world:step()
          local now = {}
          for contact in world:contacts() do
            local key = ("%s %s %s"):format(contact.a.index, contact.b.index, tostring(contact.key))
            now[key] = (own[key] or -1) + 1
            assert.equal(now[key], contact.age, ("seed %d, step %d, contact %s"):format(seed, step, key))
          end
          own = now
        end
        assert.is_true(next(own) ~= nil and box.position[up] < 0.3)
      end
    end)
  end)
end
