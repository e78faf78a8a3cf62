-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Pairs of bodies that touch at many points at once: none of them is dropped.
local delassus = require "delassus"
local seeds = require "support.seeds"

--- A comb of n disks of radius 0.1, 0.25 apart, as one body.
local function comb(n)
  local children = {}
  for k = 1, n do
    children[k] = { shape = delassus.disk { radius = 0.1 }, position = { 0.25 * (k - (n + 1) / 2), 0 } }
  end
  return delassus.compound(children)
end

describe("a pair that touches at more than 64 points", function()
  it("carries its weight on all of them (balance), 150 in the plane", function()
    local world <close> = delassus.world { planar = true, tolerance = 1e-9, record = false }
    local floor = world:floor {}
    local body = world:body { shape = comb(150), density = 500, position = { 0, 0.1 } }
    world:step(3)
    local count, carried = 0, 0
    for contact in world:contacts() do
      count, carried = count + 1, carried + contact.impulse.y * (contact.a == floor and 1 or -1)
    end
    assert.equal(150, count)
    -- The solver's tolerance, of h g, is what the sum may miss.
    assert.near(1, carried / (body.mass * 9.81 * world.dt), 1e-8)
    assert.is_true(world.stats.penetration <= 1e-9, "overlap " .. world.stats.penetration)
  end)

  it("is the same to the bit when the room has grown before (agreement)", function()
    local function run(steps_before)
      local world <close> = delassus.world { planar = true, record = false }
      world:floor {}
      local body = world:body { shape = comb(80), density = 500, position = { 0, 0.1 + 1e-3 }, velocity = { 1, -0.5 } }
      local start = world:snapshot()
      if steps_before > 0 then world:step(steps_before) end
      world:restore(start)
      world:step(20)
      return body.position.x, body.position.y, body.velocity.x
    end
    assert.same({ run(0) }, { run(30) })
  end)
end)

describe("a pair of bodies in space", function()
  local function makers(random)
    local function some(lo, hi) return random:uniform(lo, hi) end
    return {
      function() return delassus.box { size = { 0.4, some(0.1, 0.4), some(0.1, 0.4) } } end,
      function() return delassus.capsule { radius = 0.1, length = 0.4 } end,
      function() return delassus.cylinder { radius = 0.13, length = 0.4 } end,
      function() return delassus.cone { radius1 = 0.13, radius2 = 0.08, length = 0.4 } end,
      function() return delassus.ellipsoid { radii = { 0.2, 0.13, 0.1 } } end,
      function()
        local points = {}
        for k = 1, 8 do
          local v = delassus.vec { some(-1, 1), some(-1, 1), some(-1, 1) }
          points[k] = 0.2 / v:norm() * v
        end
        return delassus.convex { points = points }
      end }
  end

  it("touches at no point twice, and each touch has a key of its own, 3,000 random pairs", function()
    local failed, touched = {}, 0
    for seed = 1, seeds(3000) do
      local random = delassus.random(seed)
      local make = makers(random)
      local world <close> = delassus.world { gravity = { 0, 0, 0 }, record = false }
      local function some() return random:uniform(-1, 1) end
      local function any() return { some(), some(), some(), some() } end
      local way = delassus.vec { random:uniform(-1, 1), random:uniform(-1, 1), random:uniform(-1, 1) }
      local place = random:uniform(0.15, 0.45) / way:norm() * way
      world:body { shape = make[random:integer(1, #make)](), density = 1000, stiffness = 1e5, rotation = any() }
      world:body { shape = make[random:integer(1, #make)](), density = 1000, stiffness = 1e5, rotation = any(), position = place }
      world:step()
      local points, keys = {}, {}
      for contact in world:contacts() do
        local point, key = contact.point, contact.key
        for _, other in ipairs(points) do
          if (point - other):norm() < 1e-7 then failed[#failed + 1] = "seed " .. seed .. ": a point twice" end
        end
        if keys[key] then failed[#failed + 1] = "seed " .. seed .. ": a key twice" end
        points[#points + 1], keys[key], touched = point, true, touched + 1
      end
    end
    assert.is_true(#failed == 0, table.concat(failed, "\n"))
    assert.is_true(touched > seeds.least(1000))
  end)
end)
