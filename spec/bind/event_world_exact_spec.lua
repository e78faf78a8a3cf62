-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Event-driven worlds and systems against closed forms: a point that bounces to rest, round bodies on inclines.
local delassus = require "delassus"
local seeds = require "support.seeds"

local sin, cos, sqrt, abs = math.sin, math.cos, math.sqrt, math.abs
local G = 9.81

local function new(o)
  o.scheme, o.record = "event-driven", false
  return delassus.world(o)
end

local function of_kind(of, kind)
  local list = {}
  for _, e in ipairs(of.events) do
    if e.kind == kind then list[#list + 1] = e end
  end
  return list
end

--- NS-01: mass 1 dropped from 1 m with e = 0.9. Impact k, its speed, height at t, and when it rests.
local E = 0.9
local fall, hit = sqrt(2 / G), sqrt(2 * G)
local zeno = fall + 2 * fall * E / (1 - E)

local function impact_time(k) return fall + 2 * fall * E * (1 - E ^ (k - 1)) / (1 - E) end

local function height(t)
  if t <= fall then return 1 - G * t * t / 2 end
  if t >= zeno then return 0 end
  local k = 1
  while impact_time(k + 1) <= t do k = k + 1 end
  local s = t - impact_time(k)
  return hit * E ^ k * s - G * s * s / 2
end

--- One who bounces: a world of a ball, of a disk, of a point on a hand-made contact, or a system.
local bouncers = {
  ball = function()
    local w = new{ dt = 0.05 }
    w:floor{ restitution = E }
    local b = w:sphere{ radius = 0.1, mass = 1, position = { 0, 0, 1.1 }, restitution = E }
    return w, function() return b.position.z - 0.1, b.velocity.z end
  end,
  disk = function()
    local w = new{ planar = true, dt = 0.05 }
    w:floor{ restitution = E }
    local b = w:disk{ radius = 0.1, mass = 1, position = { 0, 1.1 }, restitution = E }
    return w, function() return b.position.y - 0.1, b.velocity.y end
  end,
  point = function()
    local w = new{ planar = true, dt = 0.05 }
    local b = w:body{ mass = 1, inertia = 1, position = { 0, 1 } }
    w:contact{ w.ground, b, normal = { 0, 1 }, restitution = E }
    return w, function() return b.position.y, b.velocity.y end
  end,
  system = function()
    local s = delassus.system{ q = { 1 }, u = { 0 }, dt = 0.05, mass = { { 1 } }, forces = { -G },
      contacts = { { gap = function(q) return q[1] end, normal = { 1 }, restitution = E } } }
    return s, function() return s.q[1], s.u[1] end
  end }

describe("NS-01, a point that bounces with e = 0.9, event-driven:", function()
  for _, name in ipairs { "ball", "disk", "point", "system" } do
    it("impacts, heights, the geometric limit and the force at rest of a " .. name .. " are exact to 1e-9", function()
      local of, state = bouncers[name]()
      for i = 1, 20 do
        of:run(i / 2 - of.time)
        local y, v = state()
        assert.near(height(i / 2), y, 1e-9)
        if i / 2 > zeno then
          assert.is_true(abs(v) < 1e-8 and abs(y) < 1e-9)
        end
      end
      local impacts = of_kind(of, "impact")
      assert.is_true(#impacts > 80)
      for k = 1, 80 do
        assert.near(impact_time(k), impacts[k].t, 1e-9)
        if name == "system" then
          assert.near((1 + E) * hit * E ^ (k - 1), impacts[k].normal_impulse, 1e-8)
        else
          assert.near(-hit * E ^ (k - 1), impacts[k].speed, 1e-8)
        end
      end
      -- published with the case: to the fifth digit of its decimals
      for k, t in pairs{ [1] = 0.4515236409857309, [10] = 5.430218002585346, [20] = 7.481054503936921 } do
        assert.near(t, impacts[k].t, 1e-9)
      end
      local limit = of_kind(of, "accumulation")
      assert.equal(1, #limit)
      assert.near(8.578949178728887, limit[1].t, 1e-8)
      local force
      if name == "system" then force = of.contacts[1].normal_force
      else
        for c in of:contacts() do force = c.normal_force end
      end
      assert.near(G, force, 1e-9)
    end)
  end
end)

--- The inertias of NS-05, J / (m R^2), and the friction that rolling needs at 10, 30 and 50 degrees.
local bodies = { { "solid sphere", 2 / 5, { 0.050379137345275715, 0.16495721976846447, 0.34050102645548863 } },
  { "solid cylinder", 1 / 2, { 0.05877566023615499, 0.1924500897298752, 0.3972511975314033 } },
  { "hollow cylinder", 1, { 0.08816349035423249, 0.2886751345948128, 0.595876796297105 } },
  { "hollow sphere", 2 / 3, { 0.07053079228338599, 0.23094010767585027, 0.47670143703768403 } } }

--- A round body of radius 1 and mass 1 on an incline, x down along it: its world, and x, v, spin (along rolling).
local function on_incline(planar, k, a, mu, v, spin)
  local world = new{ planar = planar, dt = 0.05,
    gravity = planar and { G * sin(a), -G * cos(a) } or { G * sin(a), 0, -G * cos(a) } }
  world:floor{ friction = mu }
  local make = planar and world.disk or world.sphere
  local body = make(world, { radius = 1, mass = 1, inertia = planar and k or { k, k, k }, friction = mu,
    position = planar and { 0, 1 } or { 0, 0, 1 }, velocity = planar and { v, 0 } or { v, 0, 0 },
    angular_velocity = planar and -spin or { 0, spin, 0 } })
  return world, function()
    local w = body.angular_velocity
    return body.position.x, body.velocity.x, planar and -w or w.y
  end
end

describe("NS-05, round bodies on an incline, event-driven:", function()
  it("roll where friction is above the critical one and slide below: 4 bodies, 3 inclines, 10 frictions", function()
    for _, body in ipairs(bodies) do
      local name, k = body[1], body[2]
      for i, degrees in ipairs { 10, 30, 50 } do
        local a, critical = math.rad(degrees), body[3][i]
        assert.near(critical, math.tan(a) * k / (1 + k), 1e-14)
        for _, planar in ipairs { true, false } do
          for _, mu in ipairs { 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, critical * (1 - 1e-3), critical * (1 - 1e-6),
            critical * (1 + 1e-6), 0 } do
            local world, state = on_incline(planar, k, a, mu, 0, 0)
            world:run(0.5)
            local x, v, spin = state()
            local rolls, told = mu > critical, ("%s, %d degrees, mu = %g"):format(name, degrees, mu)
            local force = rolls and G * sin(a) * k / (1 + k) or mu * G * cos(a) -- friction over mass
            assert.near(G * sin(a) - force, 2 * v, 1e-9, told)
            assert.near(force / k, 2 * spin, 1e-9, told)
            assert.near((G * sin(a) - force) / 8, x, 1e-10, told)
            for c in world:contacts() do
              assert.equal(rolls and "stick" or "slip", c.state, told)
              assert.near(G * cos(a), c.normal_force, 1e-9, told)
            end
          end
        end
      end
    end
  end)

  it("slide until they roll, or turn and slide on: 200 random throws, by their times and ways, in worlds and systems",
    function()
      for seed = 1, seeds(200) do
        local r = delassus.random(seed)
        local k, a, mu = bodies[1 + seed % 4][2], r:uniform(0, 0.9), r:uniform(0.05, 0.8)
        local v, spin, planar = r:uniform(-3, 3), r:uniform(-3, 3), seed % 2 == 0
        local told = "seed " .. seed
        -- slip v - spin falls to 0 at t_1; friction `force` (over mass) acts up the incline where it is positive
        local side = v > spin and 1 or -1
        local force = side * mu * G * cos(a)
        local rate = G * sin(a) - force * (1 + 1 / k)
        local t_1 = (spin - v) / rate
        if t_1 <= 0 or t_1 ~= t_1 then t_1 = math.huge end
        local needed = G * sin(a) * k / (1 + k)
        local after = needed <= mu * G * cos(a) and needed or mu * G * cos(a)
        local function exact(t)
          local s, rest = math.min(t, t_1), math.max(t - t_1, 0)
          local x, u = v * s + (G * sin(a) - force) * s * s / 2, v + (G * sin(a) - force) * s
          return x + u * rest + (G * sin(a) - after) * rest ^ 2 / 2, u + (G * sin(a) - after) * rest,
            spin + force / k * s + after / k * rest
        end
        local world, state = on_incline(planar, k, a, mu, v, spin)
        local system = delassus.system{ q = { 0, 1, 0 }, u = { v, 0, spin }, dt = 0.05,
          mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, k } }, forces = { G * sin(a), -G * cos(a), 0 },
          contacts = { { gap = function(q) return q[2] - 1 end, normal = { 0, 1, 0 }, tangent = { 1, 0, -1 }, friction = mu } } }
        world:run(1.5)
        system:run(1.5)
        local x, u, w = exact(1.5)
        local at, speed, turn = state()
        assert.near(x, at, 1e-8, told)
        assert.near(u, speed, 1e-8, told)
        assert.near(w, turn, 1e-8, told)
        assert.near(x, system.q[1], 1e-8, told)
        assert.near(w, system.u[3], 1e-8, told)
        if t_1 < 1.5 then
          local kind = needed <= mu * G * cos(a) and "stick" or "slip"
          assert.near(t_1, of_kind(world, kind)[kind == "slip" and #of_kind(world, kind) or 1].t, 1e-9, told)
          assert.near(t_1, of_kind(system, kind)[kind == "slip" and #of_kind(system, kind) or 1].t, 1e-9, told)
        end
      end
    end)
end)

describe("a body that slides on an incline in space, event-driven,", function()
  it("keeps V sin psi tan(psi / 2)^(-mu / tan alpha), be it as slow as it may: 40 frictions near that of the incline", function()
    local seen = 0
    for seed = 1, 40 do
      local r = delassus.random(seed)
      local alpha, near = r:uniform(0.1, 0.8), 10 ^ r:uniform(-6, -1)
      local ratio = 1 + (seed % 2 == 0 and near or -near) -- mu / tan alpha
      local mu, psi = ratio * math.tan(alpha), r:uniform(0.5, 2.5) -- psi: from the steepest way down
      local s = delassus.system{ q = { 0, 0, 0 }, u = { cos(psi), sin(psi), 0 }, dt = 0.05,
        mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, forces = { G * sin(alpha), 0, -G * cos(alpha) },
        contacts = { { gap = function(q) return q[3] end, normal = { 0, 0, 1 }, tangent = { 0.6, 0.8, 0 },
          tangent2 = { -0.8, 0.6, 0 }, friction = mu } } }
      local function integral()
        local v, angle = sqrt(s.u[1] ^ 2 + s.u[2] ^ 2), math.atan(s.u[2], s.u[1])
        return v * sin(angle) * math.tan(angle / 2) ^ -ratio, v, angle
      end
      local first = integral()
      for _ = 1, 40 do
        s:run(0.05)
        local now, v, angle = integral()
        if angle < 1e-6 or v < 1e-3 then break end
        seen = seen + 1
        -- what the velocity is off by, through the angle
        assert.near(0, (now / first - 1) * angle, 1e-8, ("seed %d, t = %g, psi = %g"):format(seed, s.time, angle))
      end
    end
    assert.is_true(seen > 400, seen .. " states")
  end)

  it("begin to slip when a spring has come to what rest holds, to 1e-10: 20 blocks on belts, with two corners each", function()
    for seed = 1, 20 do
      local r = delassus.random(seed)
      local stiffness, static, speed = r:uniform(50, 200), r:uniform(0.4, 0.8), r:uniform(0.05, 0.4)
      local wood = delassus.material{ friction = { static = static, kinetic = r:uniform(0.1, 0.35) } }
      local world = delassus.world{ planar = true, gravity = { 0, -10 }, scheme = "event-driven", dt = 0.02 }
      local plane = delassus.plane{ normal = { 0, 1 }, offset = 0 }
      world:body{ type = "kinematic", shape = plane, velocity = { speed, 0 }, material = wood }
      local block = world:box{ size = { 0.2, 0.1 }, mass = 1, position = { 0, 0.05 }, velocity = { speed, 0 }, material = wood }
      world:field(function(body) return body == block and { -stiffness * body.position.x, 0 } or { 0, 0 } end)
      local t, first = static * 10 / stiffness / speed, nil
      world:run(t + 0.05)
      for _, e in ipairs(world.events) do
        if e.kind == "slip" then first = first or e.t end
      end
      assert.near(t, first, 1e-10, "seed " .. seed)
    end
  end)
end)
