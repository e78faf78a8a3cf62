-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Logs side by side, nearly parallel and pressed into each other by up to a twentieth of their diameter: what touches at
-- one end touches at the other as soon as it is pushed. The projection parts them; distances are taken by the spec.
local delassus = require "delassus"
local seeds = require "support.seeds"

local RADIUS, HALF = 0.1, 0.4

local function axis_of(body)
  local q = body.rotation
  local w, x, y, z = q[1], q[2], q[3], q[4]
  return delassus.vec { 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y) }
end

-- Least distance of two segments of half length HALF, by ends and crossing.
local function distance(a, b)
  local u, v = axis_of(a), axis_of(b)
  local d, least = b.position - a.position, math.huge
  local function clamp(x) return math.max(-HALF, math.min(HALF, x)) end
  local function along_a(s)
    s = clamp(s)
    local t = clamp((s * u - d):dot(v))
    least = math.min(least, (d + t * v - s * u):norm())
  end
  local function along_b(t)
    t = clamp(t)
    local s = clamp((d + t * v):dot(u))
    least = math.min(least, (d + t * v - s * u):norm())
  end
  for _, x in ipairs { -HALF, HALF } do along_a(x) along_b(x) end
  local uv = u:dot(v)
  if 1 - uv * uv > 1e-12 then along_a((d:dot(u) - uv * d:dot(v)) / (1 - uv * uv)) end
  return least
end

local function heap(seed)
  local random = delassus.random(seed)
  local world = delassus.world { dt = 2e-3, record = false, gravity = { 0, 0, 0 } }
  world:floor {}
  local logs = {}
  for i = 0, 5 do
    local row = i // 3
    logs[i + 1] = world:capsule { radius = RADIUS, length = 2 * HALF, density = 10 ^ random:uniform(2.5, 3.5),
      position = { random:uniform(-0.05, 0.05), 0.195 * (i % 3 + 0.5 * row), 0.0975 + 0.168 * row },
      rotation = { axis = { 0, random:uniform(-0.2, 0.2), 1 }, angle = random:uniform(-0.03, 0.03) } }
  end
  return world, logs
end

describe("logs side by side", function()
  it("are parted to round-off, as seen by their axes", function()
    for seed = 1, seeds(200) do
      local world, logs = heap(seed)
      world:step()
      local worst = 0
      for i, a in ipairs(logs) do
        local tip = math.abs(HALF * axis_of(a).z)
        worst = math.max(worst, RADIUS - (a.position.z - tip))
        for k = 1, i - 1 do worst = math.max(worst, 2 * RADIUS - distance(logs[k], a)) end
      end
      assert.is_true(worst <= 1e-9, ("seed %d: overlap of %.2e m, told %.2e"):format(seed, worst, world.stats.penetration))
      world:close()
    end
  end)

  it("in a bundle go no farther than the bundle would have to swell, about its mass centre", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local world, logs, was = delassus.world { dt = 2e-3, record = false, gravity = { 0, 0, 0 } }, {}, {}
      for i = 0, 6 do
        local angle, out = i * math.pi / 3, i == 0 and 0 or 2 * RADIUS - 10 ^ random:uniform(-6, -3)
        logs[i + 1] = world:capsule { radius = RADIUS, length = 2 * HALF, density = 800,
          position = { random:uniform(-0.05, 0.05), out * math.cos(angle), out * math.sin(angle) },
          rotation = { axis = { 0, random:uniform(-1, 1), random:uniform(-1, 1) }, angle = 10 ^ random:uniform(-5, -2.5) } }
        was[i + 1] = logs[i + 1].position
      end
      local function overlap(swell)
        local worst = 0
        for i, a in ipairs(logs) do
          for k = 1, i - 1 do
            local b = logs[k]
            local moved = { position = a.position + swell * (was[i] - was[k]), rotation = a.rotation }
            worst = math.max(worst, 2 * RADIUS - distance(b, moved))
          end
        end
        return worst
      end
      local low, high, name = 0, 1, ("seed %d"):format(seed)
      for _ = 1, 12 do
        local middle = 0.5 * (low + high)
        if overlap(middle) > 0 then low = middle else high = middle end
      end
      local centre, swollen = (was[1] + was[2] + was[3] + was[4] + was[5] + was[6] + was[7]) / 7, 0
      for i = 1, 7 do swollen = swollen + (high * (was[i] - centre)):dot(was[i] - centre) * high end
      world:step()
      local drift, way = delassus.vec { 0, 0, 0 }, 0
      for i, log in ipairs(logs) do
        local d = log.position - was[i]
        drift, way = drift + d, way + d:dot(d)
      end
      assert.is_true(overlap(0) <= 1e-9, name)
      assert.is_true(drift:norm() <= 1e-9, name)
      assert.is_true(way <= swollen * (1 + 1e-6), ("%s: %.3e beside %.3e"):format(name, way, swollen))
      world:close()
    end
  end)

  it("leave alone who only a contact made by hand holds apart, in the same projection", function()
    for seed = 1, 20 do
      local random, name = delassus.random(seed), ("seed %d"):format(seed)
      local world = delassus.world { dt = 2e-3, record = false, gravity = { 0, 0, 0 } }
      for i = 0, 6 do
        local angle, out = i * math.pi / 3, i == 0 and 0 or 2 * RADIUS - 10 ^ random:uniform(-5, -3)
        world:capsule { radius = RADIUS, length = 2 * HALF, density = 800,
          position = { random:uniform(-0.05, 0.05), out * math.cos(angle), out * math.sin(angle) },
          rotation = { axis = { 0, random:uniform(-1, 1), random:uniform(-1, 1) }, angle = 10 ^ random:uniform(-4, -2.5) } }
      end
      local a = world:capsule { radius = RADIUS, length = 2 * HALF, density = 800, position = { 10, 0, 0 }, collides = {} }
      local b = world:capsule { radius = RADIUS, length = 2 * HALF, density = 800, position = { 10.29999, 0, 0.1 }, collides = {},
        rotation = { axis = { 0, 0, 1 }, angle = 1e-3 } }
      local gradient = {}
      for i = 1, 54 do gradient[i] = i == 43 and -1 or i == 49 and 1 or 0 end
      world:contact { a, b, gap = function(q) return q[57] - q[50] - 0.3 end, gradient = function() return gradient end }
      world:step()
      assert.near(0.3, b.position.x - a.position.x, 1e-9, name)
      assert.near(0.1, b.position.z - a.position.z, 1e-9, name)
      world:close()
    end
  end)
end)
