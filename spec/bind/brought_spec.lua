-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- stats.penetration against all pairs, from outside: balls at rest that overlap by anything, which projections move far, to
-- where pairs meet that were not near before. What is left is told, and is not more than was found.
local delassus = require "delassus"
local chance = require "support.chance"
local seeds = require "support.seeds"

local SEEDS = 200

local function worst_overlap(balls)
  local worst = 0
  for i = 1, #balls do
    for k = 1, i - 1 do
      local a, b = balls[i].shape.radius, balls[k].shape.radius
      worst = math.max(worst, (a + b - (balls[i].position - balls[k].position):norm()) / (2 * math.min(a, b)))
    end
  end
  return worst
end

describe("what a projection brings together (200 seeds)", function()
  for _, planar in ipairs{ true, false } do
    it("counts " .. (planar and "in the plane" or "in space"), function()
      for seed = 1, SEEDS do
        local c, balls = chance(seed), {}
        local w <close> = delassus.world{ planar = planar, record = false, gravity = planar and { 0, 0 } or { 0, 0, 0 } }
        local n = math.floor(c.from(3, 41))
        local half = planar and 0.1 * n ^ (1 / 2) or 0.1 * n ^ (1 / 3)
        for i = 1, n do
          local o = { radius = c.from(0.03, 0.08), mass = c.from(0.5, 2), position = {} }
          for k = 1, planar and 2 or 3 do o.position[k] = c.from(-half, half) end
          balls[i] = planar and w:disk(o) or w:sphere(o)
        end
        for step = 1, 3 do
          w:step(1)
          local worst, told, found = worst_overlap(balls), w.stats.penetration, w.stats.overlap
          local what = ("seed %d, step %d: %g is left, %g is told, %g was found"):format(seed, step, worst, told, found)
          assert.is_true(math.abs(worst - told) <= 1e-12 + 1e-9 * worst, what)
          assert.is_true(told <= math.max(found, 1e-4), what)
        end
      end
    end)
  end
end)

-- Of two round bodies deep in each other one is pushed into a third that it may not touch: as if that were not there.
describe("what a projection brings to what it may not touch", function()
  local kinds = { "sensor", "soft", "jointed" }
  local function push(seed, kind)
    local r, planar = delassus.random(seed), seed % 2 == 0
    local deep, gap, size = r:uniform(0.05, 0.15), r:uniform(0.001, 0.01), r:uniform(0.05, 0.2)
    local function v(x) return planar and { x, 0 } or { x, 0, 0 } end
    local world <close> = delassus.world{ planar = planar, record = false, gravity = v(0), theta = 1 }
    local ball, third = planar and "disk" or "sphere", nil
    local a = world[ball](world, { radius = 0.1, density = 500, position = v(0) })
    local b = world[ball](world, { radius = 0.1, density = 500, position = v(0.2 - deep) })
    if kind then
      third = world[ball](world, { radius = size, density = 500, position = v(0.3 - deep + size + gap),
        sensor = kind == "sensor", stiffness = kind == "soft" and 1e3 or nil })
      if kind == "jointed" then world:joint{ planar and "revolute" or "spherical", b, third, formulation = "penalty" } end
    end
    world:step()
    return a.position, b.position, third and 0.1 + size - (third.position - b.position):norm()
  end
  for _, kind in ipairs(kinds) do
    it("stays where it was brought: " .. kind .. " (200 seeds)", function()
      for seed = 1, seeds(200) do
        local a, b, reach = push(seed, kind)
        local a_alone, b_alone = push(seed)
        assert.is_true((a - a_alone):norm() + (b - b_alone):norm() < 1e-12, "seed " .. seed)
        assert.is_true(reach > 1e-3, "seed " .. seed)
      end
    end)
  end
end)

-- A heavy ball throws a light one that lies still, at up to twice its velocity, against a third one that was out of reach of
-- both. None is swift.
describe("what an impact throws at what was not near", function()
  for _, planar in ipairs{ true, false } do
    it(("overlaps it no more when the step ends, in the %s (200 seeds)"):format(planar and "plane" or "space"), function()
      local met = 0
      for seed = 1, SEEDS do
        local r = delassus.random(seed)
        local function v(x, y) return planar and { x, y } or { x, y, 0 } end
        local w <close> = delassus.world{ planar = planar, record = false, gravity = v(0, 0), dt = 1e-3 }
        local kind, speed = planar and "disk" or "sphere", r:uniform(1, 10)
        local wood = delassus.material{ restitution = r:uniform(0.5, 1) }
        local balls, way = {}, speed * w.dt
        local function add(x, y, mass, u)
          balls[#balls + 1] = w[kind](w, { radius = 0.1, mass = mass, position = v(x, y), velocity = v(u, 0), material = wood })
        end
        add(0, 0, 100, speed)
        add(0.2 + r:uniform(0, 0.4) * way, 0, 1, 0)
        add(0.4 + r:uniform(0.5, 1) * way, r:uniform(-0.02, 0.02), r:uniform(1, 100), 0)
        for _ = 1, 2 do
          w:step()
          local worst, told = worst_overlap(balls), w.stats.penetration
          met = met + (w.stats.overlap > 1e-4 and 1 or 0)
          assert.is_true(worst <= 1e-9, ("seed %d: overlap %g"):format(seed, worst))
          assert.near(worst, told, 1e-12, "seed " .. seed)
        end
      end
      assert.is_true(met > 50, met)
    end)
  end
end)
