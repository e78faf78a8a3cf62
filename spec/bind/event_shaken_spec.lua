-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Gaps that move by time alone, whose derivatives nobody gives: a mass above a table z(t) = A sin(w t) + b t + c t^2.
local delassus = require "delassus"
local seeds = require "support.seeds"

local sin, cos, abs = math.sin, math.cos, math.abs
local G, LATE = 9.81, 0.8

--- The impacts of a mass at height y with velocity v, by a search for signs in steps of 1e-4 s and halves: while they
--- come at more than 0.05 m/s, at most eight.
local function impacts_on(o)
  local function table_at(t) return o.A * sin(o.w * t) + o.b * t + o.c * t * t end
  local t, y, v, list = 0, o.y, o.v, {}
  while #list < 8 do
    local function gap(x) return y + v * x - G / 2 * x * x - table_at(t + x) end
    local x = #list == 0 and 0 or 1e-7
    while gap(x + 1e-4) > 0 and t + x < LATE do x = x + 1e-4 end
    local lo, hi = x, x + 1e-4
    if t + hi >= LATE or gap(lo) <= 0 then break end
    for _ = 1, 60 do
      local middle = (lo + hi) / 2
      if gap(middle) > 0 then lo = middle else hi = middle end
    end
    x = (lo + hi) / 2
    t, y, v = t + x, y + v * x - G / 2 * x * x, v - G * x
    local surface = o.A * o.w * cos(o.w * t) + o.b + 2 * o.c * t
    if v - surface > -0.05 then break end
    v, list[#list + 1] = surface - o.e * (v - surface), t
  end
  return list, table_at
end

local function scene(seed)
  local r = delassus.random(seed)
  return { A = r:uniform(0, 0.02), w = r:uniform(5, 30), b = r:uniform(-0.5, 0.5), c = r:uniform(-1, 1),
    e = r:uniform(0.3, 0.95), y = r:uniform(0.01, 0.5), v = r:uniform(-1, 1), dt = ({ 0.1, 0.01, 1e-3 })[r:integer(1, 3)],
    law = ({ "newton", "poisson", "sequential" })[r:integer(1, 3)] }
end

--- Each is met to 1e-11 s, times what earlier ones make of that.
local function assert_met(list, run, told)
  local n = 0
  for _, event in ipairs(run.events) do
    if event.kind == "impact" and n < #list then
      n = n + 1
      assert.near(list[n], event.t, 1e-11 * 3 ^ n, told .. ", impact " .. n)
    end
  end
  assert.equal(#list, n, told)
  return n
end

describe("gaps that move by time alone", function()
  it("are met at their times whatever dt is: 200 tables that shake under systems", function()
    local met = 0
    for seed = 1, seeds(200) do
      local o = scene(seed)
      local list, height = impacts_on(o)
      local s = delassus.system{ q = { o.y }, u = { o.v }, mass = { { 2 } }, forces = { -2 * G }, dt = o.dt, impact = o.law,
        contacts = { { gap = function(q, t) return q[1] - height(t) end, normal = { 1 }, restitution = o.e } } }
      s:run((list[#list] or 0) + 1e-3)
      met = met + assert_met(list, s, "seed " .. seed)
    end
    assert.is_true(met > seeds.least(500), met)
  end)

  --- 2 to 25 periods in a step of 0.1 s, where four samples see none.
  it("are met at their times where dt is many of their periods: first impacts on 200 tables, 100 to 1,500 rad/s", function()
    local met = 0
    for seed = 1, seeds(200) do
      local o, r = scene(seed), delassus.random(seed)
      o.w, o.A, o.dt = 10 ^ r:uniform(2, 3.18), r:uniform(1e-3, 5e-3), 0.1
      local list, height = impacts_on(o)
      local s = delassus.system{ q = { o.y }, u = { o.v }, mass = { { 2 } }, forces = { -2 * G }, dt = o.dt, impact = o.law,
        contacts = { { gap = function(q, t) return q[1] - height(t) end, normal = { 1 }, restitution = o.e } } }
      if list[1] then s:run(list[1] + 1e-5) end
      met = met + assert_met({ list[1] }, s, "seed " .. seed)
    end
    assert.is_true(met > seeds.least(150), met)
  end)

  it("are met at their times whatever dt is: 200 in worlds, in the plane and in space", function()
    local met = 0
    for seed = 1, seeds(200) do
      local o, planar = scene(seed), seed % 2 == 0
      local list, height = impacts_on(o)
      local world = delassus.world{ planar = planar, scheme = "event-driven", impact = o.law, dt = o.dt, record = false }
      local function up(z) return planar and { 0, z } or { 0, 0, z } end
      local make = planar and world.disk or world.sphere
      local ball = make(world, { radius = 0.1, mass = 2, position = up(o.y), velocity = up(o.v) })
      world:contact{ world.ground, ball, restitution = o.e, gap = function(q, t) return q[planar and 2 or 3] - height(t) end,
        gradient = function() return planar and { 0, 1, 0 } or { 0, 0, 1, 0, 0, 0 } end }
      world:run((list[#list] or 0) + 1e-3)
      met = met + assert_met(list, world, "seed " .. seed)
    end
    assert.is_true(met > seeds.least(500), met)
  end)

  it("move though dt, or a share of it, is a period: 0.01 s, and what lies on them knows their acceleration", function()
    for _, times in ipairs{ 0.25, 0.5, 1, 2 } do
      local A, w = 1e-5, 2 * math.pi / (0.01 * times)
      local s = delassus.system{ q = { 0 }, u = { A * w }, mass = { { 1 } }, forces = { -G }, dt = 0.01,
        contacts = { { gap = function(q, t) return q[1] - A * sin(w * t) end, normal = { 1 } } } }
      for _, t in ipairs{ 0, 0.0012, 0.0049 } do
        s.time, s.q, s.u = t, { A * sin(w * t) }, { A * w * cos(w * t) }
        local a = -A * w * w * sin(w * t)
        assert.near(math.max(a, -G), s:accelerations()[1], 1e-8 * (G + A * w * w), times .. " at " .. t)
        assert.is_true(abs(s.contacts[1].velocity[1]) < 1e-12)
      end
    end
  end)

  it("press what lies on them by their acceleration, in worlds of both schemes and whatever dt is", function()
    for _, scheme in ipairs{ "time-stepping", "event-driven" } do
      for _, dt in ipairs{ 1e-3, 0.01, 0.1 } do
        for seed = 1, 20 do
          local r = delassus.random(seed)
          local A, w, t0 = r:uniform(1e-3, 5e-3), r:uniform(5, 40), r:uniform(0, 1)
          local x, planar = r:uniform(0.1, 3), seed % 2 == 0
          local function height(t) return A * sin(w * (t0 + t)) end
          local function up(z) return planar and { x, z } or { x, 0, z } end
          local world = delassus.world{ planar = planar, scheme = scheme, dt = dt, record = false }
          local ball = (planar and world.disk or world.sphere)(world, { radius = 0.1, mass = 2,
            position = up(height(0) + 0.1), velocity = planar and { 0, A * w * cos(w * t0) } or { 0, 0, A * w * cos(w * t0) } })
          world:contact{ world.ground, ball, gap = function(q, t) return q[planar and 2 or 3] - 0.1 - height(t) end,
            gradient = function() return planar and { 0, 1, 0 } or { 0, 0, 1, 0, 0, 0 } end }
          local a = world:accelerations()[planar and 2 or 3]
          assert.near(math.max(-A * w * w * sin(w * t0), -G), a, 1e-8, ("%s, dt %g, seed %d"):format(scheme, dt, seed))
        end
      end
    end
  end)
end)
