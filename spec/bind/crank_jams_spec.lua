-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Impacts ever nearer to each other, of several contacts at once: where gaps have come down to what counts as closed they
-- are one impact, in a world and in a system alike, and what remains is no matter of round-off.
local chance = require "support.chance"
local delassus = require "delassus"
local mechanisms = require "support.mechanisms"
local seeds = require "support.seeds"

local laws = { "newton", "poisson", "sequential" }
local max = math.max

--- A slider-crank of random lengths, clearance, masses, friction, restitution and speeds.
local function crank(seed)
  local c, data = chance(seed), {}
  for _, name in ipairs { "l1", "l2", "a", "b", "m1", "m2", "m3", "J1", "J2", "J3" } do
    data[name] = mechanisms.crank[name] * c.from(0.7, 1.4)
  end
  data.c = mechanisms.crank.c * c.from(0.3, 2)
  return { scheme = "event-driven", dt = 2e-4, impact = laws[1 + seed % 3], data = data,
    friction = seed % 5 == 0 and 0 or c.from(0, 0.4), restitution = seed % 7 == 0 and 0 or c.from(0, 0.9),
    u = { c.from(-150, 150), c.from(-80, 80), c.from(-5, 5) } }
end

local function count(events)
  local impacts = 0
  for _, event in ipairs(events) do impacts = impacts + (event.kind == "impact" and 1 or 0) end
  return impacts
end

describe("a slider that jams in its clearance", function()
  it("is the same as a world and as a system: 200 random slider-cranks, three laws of impact, to 1e-9", function()
    local impacts, most = 0, 0
    for seed = 1, seeds(200) do
      local o = crank(seed)
      local world, read = mechanisms.crank_world(o)
      local system = mechanisms.crank_system(o)
      for step = 1, 60 do
        world:step()
        system:step()
        local a, b = read(), system.q
        for i = 1, 3 do
          assert.near(b[i], a[i], 1e-9, ("seed %d, %s, step %d, angle %d"):format(seed, o.impact, step, i))
        end
      end
      local n = count(system.events)
      impacts, most = impacts + n, max(most, n)
    end
    assert.is_true(impacts > seeds.least(4000) and most < 400, ("%d impacts, at most %d"):format(impacts, most))
  end)
end)

describe("contacts that touch where others are struck", function()
  -- Three balls in a row; the gap of the last two is 5e-13 m, and closes, opens or stands, where the first one hits.
  local function row(o, q, u)
    return delassus.system{ q = q, u = u, dt = 1e-2, forces = { 0, 0, 0 }, impact = o.law,
      mass = { { o.m[1], 0, 0 }, { 0, o.m[2], 0 }, { 0, 0, o.m[3] } },
      contacts = { { gap = function(x) return x[2] - x[1] end, normal = { -1, 1, 0 }, restitution = o.e },
        { gap = function(x) return x[3] - x[2] end, normal = { 0, -1, 1 }, restitution = o.e } } }
  end

  it("are struck in that same impact: 200 rows of three balls, velocities as from gaps of 0", function()
    local t = 0.045
    for seed = 1, seeds(200) do
      local c = chance(seed)
      local o = { law = laws[1 + seed % 3], e = c.from(0, 1), m = { c.from(0.5, 2), c.from(0.5, 2), c.from(0.5, 2) } }
      local v, w = c.from(0.5, 2), c.from(-1, 1) * 1e-6
      local s = row(o, { -v * t, 0, 5e-13 - w * t }, { v, 0, w })
      local touching = row(o, { 0, 0, 0 }, { v, 0, w })
      touching:impact()
      s:run(0.05)
      for i = 1, 3 do
        assert.near(touching.u[i], s.u[i], 1e-9, ("seed %d, %s, ball %d"):format(seed, o.law, i))
      end
    end
  end)

  it("and come as fast, by the sequential law: the first by index, whatever round-off says, in worlds and systems", function()
    for seed = 1, seeds(200) do -- a bar falls flat on two springless feet; its ends part from level by round-off alone
      local c = chance(seed)
      local v, e, tilt = c.from(0.5, 2), c.from(0, 0.9), (seed % 5 - 2) * 1e-14
      local function foot(side)
        return { gap = function(q) return q[1] + side * q[2] end, normal = { 1, side }, restitution = e }
      end
      local s = delassus.system{ q = { 0, 0 }, u = { -v, tilt * v }, dt = 1e-2, mass = { { 1, 0 }, { 0, 0.2 } },
        forces = { 0, 0 }, contacts = { foot(-1), foot(1) }, impact = "sequential" }
      s:impact()
      local u = { -v, 0 } -- the first foot, then the other, each alone, until none approaches
      for k = 1, 1000 do
        local side = k % 2 == 1 and -1 or 1
        local rate = u[1] + side * u[2]
        if rate >= 0 then break end
        local p = -(1 + e) * rate / (1 + 1 / 0.2)
        u[1], u[2] = u[1] + p, u[2] + side * p / 0.2
      end
      assert.near(u[1], s.u[1], 1e-8 * v, "seed " .. seed)
      assert.near(u[2], s.u[2], 1e-8 * v, "seed " .. seed)
    end
  end)
end)
