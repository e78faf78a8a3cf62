-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Compliant contacts whose restitution stands for the damper: c = 2 zeta(e) sqrt(k/w), w that of the two bodies alone.
local delassus = require "delassus"
local seeds = require "support.seeds"
local of_kind = require("support.event_scenes").of_kind

local G = 9.81
local pi, sqrt, exp, sin, cos = math.pi, math.sqrt, math.exp, math.sin, math.cos

local function bisect(f, a, b)
  for _ = 1, 200 do
    local m = (a + b) / 2
    if f(a) * f(m) <= 0 then b = m else a = m end
  end
  return (a + b) / 2
end

--- zeta of e = exp(-(pi - 2 a) tan a), zeta = sin a, beyond which (e < exp(-2)) of the overcritical formula.
local function ratio(e)
  if e > exp(-2) then
    return sin(bisect(function(a) return exp(-(pi - 2 * a) * math.tan(a)) - e end, 1e-9, pi / 2 - 1e-9))
  end
  return bisect(function(z)
    local r = sqrt(z * z - 1)
    return exp(-2 * z / r * math.log(z + r)) - e
  end, 1 + 1e-12, 1e3)
end

local function ball_of(world, planar, o)
  o.position = planar and { o.x or 0, o.z } or { o.x or 0, 0, o.z }
  o.velocity = planar and { o.vx or 0, o.vz or 0 } or { o.vx or 0, 0, o.vz or 0 }
  o.x, o.z, o.vx, o.vz = nil, nil, nil, nil
  return (planar and world.disk or world.sphere)(world, o)
end

describe("restitution in place of the damper of a compliant contact", function()
  it("is met whatever damping is given with it (EQUATIONS G.1.3): v' = e v, to first order where time is stepped", function()
    for _, scheme in ipairs{ "event-driven", "time-stepping" } do
      for _, planar in ipairs{ true, false } do
        for _, e in ipairs{ 0.2, 0.5, 0.8, 1 } do
          local off = {}
          for i, dt in ipairs{ 2e-5, 1e-5 } do
            local world <close> = delassus.world{ planar = planar, scheme = scheme, record = false, dt = dt,
              gravity = planar and { 0, 0 } or { 0, 0, 0 } }
            local wood = delassus.material{ restitution = e, stiffness = 5e6, damping = 2e3 }
            world:floor{ material = wood }
            local ball = ball_of(world, planar, { radius = 0.1, mass = 35, material = wood, z = 0.105, vz = -2 })
            world:run(0.02)
            off[i] = math.abs(ball.velocity[planar and 2 or 3] - 2 * e)
          end
          local told = ("%s, %s, %g"):format(scheme, planar and "plane" or "space", e)
          if scheme == "event-driven" then assert.is_true(off[1] < 1e-9, told)
          else assert.is_true(off[1] < 0.03 and off[2] < 0.6 * off[1], told) end
        end
      end
    end
  end)

  it("is met exactly: v' = e v, pressed for as long as the damped swing says, 200 of random e, k, m", function()
    for seed = 1, seeds(200) do
      local r, told = delassus.random(seed), "seed " .. seed
      local planar, e, m, k, v = seed % 2 == 0, r:uniform(0.02, 1), r:uniform(0.5, 3), 10 ^ r:uniform(3, 6), r:uniform(0.5, 3)
      local world = delassus.world{ planar = planar, scheme = "event-driven", record = false, dt = 0.01,
        gravity = planar and { 0, 0 } or { 0, 0, 0 } }
      world:floor{ friction = 0.3, restitution = 1 }
      local ball = ball_of(world, planar, { radius = 0.1, mass = m, stiffness = k, restitution = e, friction = 0.3,
        z = 0.1 + 0.01 * v, vz = -v })
      local w, z = sqrt(k / m), ratio(e)
      world:run(0.02 + 12 / w)
      assert.near(e * v, ball.velocity[planar and 2 or 3], 1e-8 * v, told)
      local begins, ends = of_kind(world, "contact"), of_kind(world, "separation")
      assert.equal(1, #begins, told)
      assert.equal(1, #ends, told)
      assert.near(0.01, begins[1].t, 1e-12, told)
      local root = sqrt(math.abs(1 - z * z))
      local pressed = z < 1 and (pi - 2 * math.asin(z)) / (w * root) or 2 * math.log(z + root) / (w * root)
      assert.near(0.01 + pressed, ends[1].t, 1e-8 / w + 1e-10, told)
      local l = world:ledger()
      assert.near(m / 2 * v * v * (1 - e * e), l.damping + l.stored, 1e-8 * v * v * m, told)
      assert.near(0, l.error, 1e-8 * v * v * m, told)
    end
  end)

  it("is met exactly in gravity: the force ends where the swing about m g/k says, bounce after bounce", function()
    for seed = 1, seeds(200) do
      local r, told = delassus.random(seed), "seed " .. seed
      local e, m, k = r:uniform(0.3, 1), r:uniform(0.5, 3), 10 ^ r:uniform(4, 6)
      local world = delassus.world{ planar = true, scheme = "event-driven", record = false, dt = 0.02 }
      world:floor{ restitution = 1, friction = 0 }
      local H = r:uniform(0.3, 1)
      ball_of(world, true, { radius = 0.1, mass = m, stiffness = k, restitution = e, friction = 0, z = 0.1 + H })
      local w, z = sqrt(k / m), ratio(e)
      local wd, v = w * sqrt(1 - z * z), sqrt(2 * G * H)
      local t, times = v / G, {}
      for bounce = 1, 2 do
        local A = G / w ^ 2
        local B = (z * w * A - v) / wd
        local function y(s) return -A + exp(-z * w * s) * (A * cos(wd * s) + B * sin(wd * s)) end
        local function rate(s)
          return exp(-z * w * s) * ((wd * B - z * w * A) * cos(wd * s) - (wd * A + z * w * B) * sin(wd * s))
        end
        local function force(s) return -w * w * y(s) - 2 * z * w * rate(s) end
        local s = 1e-3 / w
        while force(s) > 0 and s < 20 / w do s = s + 1e-2 / w end
        s = bisect(force, s - 1e-2 / w, s)
        times[bounce] = { t, t + s }
        local up, below = rate(s), y(s)
        local flight = (up + sqrt(up * up + 2 * G * below)) / G -- to the plane: the node is back by then
        v = sqrt(up * up + 2 * G * below)
        t = t + s + flight
      end
      world:run(times[2][2] + 0.02)
      local begins, ends = of_kind(world, "contact"), of_kind(world, "separation")
      for bounce = 1, 2 do
        assert.near(times[bounce][1], begins[bounce].t, 1e-8, told)
        assert.near(times[bounce][2], ends[bounce].t, 1e-8, told)
      end
    end
  end)

  it("is met exactly by two balls, off their centres too, where the floor is far; the momentum stays", function()
    for seed = 1, seeds(200) do
      local r, told = delassus.random(seed), "seed " .. seed
      local planar, e, k = seed % 2 == 0, r:uniform(0.1, 1), 10 ^ r:uniform(3, 6)
      local world = delassus.world{ planar = planar, scheme = "event-driven", record = false, dt = 0.01,
        gravity = planar and { 0, 0 } or { 0, 0, 0 } }
      local m1, m2, v = r:uniform(0.5, 5), r:uniform(0.5, 5), r:uniform(0.5, 3)
      local function ball(R, m, z, vz)
        return ball_of(world, planar, { radius = R, mass = m, stiffness = 2 * k, restitution = e, friction = 0, z = z, vz = vz })
      end
      local a, b = ball(0.1, m1, 0, v), ball(0.2, m2, 0.31, 0)
      world:run(0.01 / v + 12 / sqrt(k * (1 / m1 + 1 / m2)))
      local up = planar and 2 or 3
      assert.near(e * v, b.velocity[up] - a.velocity[up], 1e-8 * v, told)
      assert.near(m1 * v, m1 * a.velocity[up] + m2 * b.velocity[up], 1e-9 * m1 * v, told)
    end
  end)

  it("is the force that a system has with it written into h: a box that falls on its corner, 200 random ones", function()
    for seed = 1, seeds(200) do
      local r, told = delassus.random(seed), "seed " .. seed
      local a, b, m = r:uniform(0.2, 0.5), r:uniform(0.1, 0.3), r:uniform(0.5, 3)
      local k, e = 10 ^ r:uniform(3, 5), r:uniform(0.1, 0.95)
      local J, z, th = m * (a * a + b * b) / 12, ratio(e), r:uniform(0.3, 1.2)
      local spin, vx = r:uniform(-2, 2), r:uniform(-1, 1)
      local function corners(q)
        local out = {}
        for i, c in ipairs{ { -a, -b }, { a, -b }, { a, b }, { -a, b } } do
          local s, co = sin(q[3]), cos(q[3])
          out[i] = { (co * c[1] - s * c[2]) / 2, (s * c[1] + co * c[2]) / 2 }
        end
        return out
      end
      local low = 0
      for _, c in ipairs(corners{ 0, 0, th }) do low = math.min(low, c[2]) end
      local y = 0.01 - low
      local world = delassus.world{ planar = true, scheme = "event-driven", record = false, dt = 0.005 }
      world:floor{ restitution = 1, friction = 0 }
      local box = world:box{ size = { a, b }, mass = m, stiffness = k, restitution = e, friction = 0, position = { 0, y },
        rotation = th, velocity = { vx, -1 }, angular_velocity = spin }
      local s = delassus.system{ q = { 0, y, th }, u = { vx, -1, spin }, dt = 0.002, scheme = "event-driven",
        mass = { { m, 0, 0 }, { 0, m, 0 }, { 0, 0, J } }, contacts = {},
        forces = function(q, u)
          local h = { 0, -m * G, 0 }
          for _, c in ipairs(corners(q)) do
            local gap, rate = q[2] + c[2], u[2] + c[1] * u[3]
            if gap < 0 then
              local damper = 2 * z * sqrt(k / (1 / m + c[1] * c[1] / J))
              local force = math.max(0, -k * gap - damper * rate)
              h[2], h[3] = h[2] + force, h[3] + c[1] * force
            end
          end
          return h
        end }
      local T, ends, parted, again = 0, nil, false, false
      for step = 1, 12 do -- until a node that has not come back is met again: h knows of none
        world:step()
        for _, event in ipairs(world.events) do
          again = again or (parted and event.kind == "contact")
          parted = parted or event.kind == "separation"
        end
        if again then break end
        T = step * world.dt
        ends = { box.position.x, box.position.y, box.rotation, box.velocity.x, box.velocity.y, box.angular_velocity }
      end
      assert.is_true(T > 0.012, told)
      s:run(T)
      for i, at in ipairs(ends) do
        local of = i <= 3 and s.q[i] or s.u[i - 3]
        assert.near(of, at, 1e-6 * (1 + math.abs(of)), told .. " coordinate " .. i)
      end
      assert.near(0, world:ledger().error, 1e-8 * m, told)
    end
  end)

  it("is what time stepping tends to, of first order, with friction: 200 random scenes", function()
    local orders = {}
    for seed = 1, seeds(200) do
      local told = "seed " .. seed
      local function scene(scheme, dt)
        local r, planar = delassus.random(seed), seed % 2 == 0
        local world, list = delassus.world{ planar = planar, scheme = scheme, dt = dt, record = false }, {}
        world:floor{ friction = 0.4, stiffness = 10 ^ r:uniform(3, 4.5), restitution = r:uniform(0.2, 0.9) }
        for i = 1, 1 + seed % 2 do
          local R = r:uniform(0.1, 0.2)
          list[i] = ball_of(world, planar, { radius = R, mass = r:uniform(0.5, 2), friction = r:uniform(0, 0.8),
            stiffness = 10 ^ r:uniform(3, 4.5), restitution = r:uniform(0.2, 0.9), x = 0.4 * i, z = R + r:uniform(0, 0.03),
            vx = r:uniform(-1.5, 1.5), vz = r:uniform(-1, 0.3) })
        end
        world:run(0.09)
        return list
      end
      local exact = scene("event-driven", 0.01)
      local function off(dt)
        local sum = 0
        for i, b in ipairs(scene("time-stepping", dt)) do
          sum = sum + (b.position - exact[i].position):norm() + 0.05 * (b.velocity - exact[i].velocity):norm()
        end
        return sum
      end
      orders[seed] = math.log(off(1e-4) / off(2.5e-5), 4)
      assert.is_true(orders[seed] > 0.6, ("%s: order %g"):format(told, orders[seed]))
    end
    table.sort(orders)
    assert.near(1, orders[#orders // 2], 0.03)
  end)

  it("is that of the two bodies alone where joints hold them: reduced and rigid ones, both schemes, part by e", function()
    for _, formulation in ipairs { "reduced", "rigid" } do
      for _, planar in ipairs { true, false } do
        local e, off = 0.5, {}
        for i, how in ipairs { { "event-driven", 0.01 }, { "time-stepping", 4e-5 }, { "time-stepping", 1e-5 } } do
          local world = delassus.world{ planar = planar, scheme = how[1], dt = how[2], record = false,
            gravity = planar and { 0, 0 } or { 0, 0, 0 } }
          world:floor{ restitution = 1, friction = 0 }
          local ball = ball_of(world, planar, { radius = 0.1, mass = 1, stiffness = 1e5, restitution = e, friction = 0,
            z = 0.11, vz = -1 })
          world:joint{ "prismatic", world.ground, ball, axis = planar and { 0, 1 } or { 0, 0, 1 },
            anchor = planar and { 0, 0.11 } or { 0, 0, 0.11 }, formulation = formulation }
          world:run(0.05)
          off[i] = math.abs(ball.velocity[planar and 2 or 3] - e)
        end
        assert.is_true(off[1] < 1e-8 and off[2] < 0.02 and off[3] < 0.3 * off[2], formulation .. ": " .. table.concat(off, " "))
      end
    end
  end)

  it("goes by a gap function, and into accelerations(), snapshots and contacts", function()
    local ends = {}
    for way = 1, 2 do
      local world = delassus.world{ planar = true, scheme = "event-driven", dt = 0.002, record = false }
      local ball = world:disk{ radius = 0.1, mass = 2, position = { 0, 0.11 }, velocity = { 0, -1 }, friction = 0,
        stiffness = 1e4, restitution = 0.6 }
      if way == 1 then world:floor{ friction = 0, restitution = 1 }
      else
        world:contact{ world.ground, ball, stiffness = 1e4, restitution = 0.6, friction = 0, point_b = { 0, 0 },
          gap = function(q) return q[2] - 0.1 end, gradient = function() return { 0, 1, 0 } end }
      end
      world:run(0.014)
      local each, state, control = world:contacts()
      local c, x, v = each(state, control), 0.1 - ball.position.y, ball.velocity.y
      assert.is_true(c ~= nil and x > 0)
      local now = 1e4 * x - 2 * ratio(0.6) * sqrt(1e4 * 2) * v
      assert.near(now / 2 - G, world:accelerations()[2], 1e-8 * now)
      local kept = world:snapshot()
      world:run(0.1)
      local hash = world:hash()
      world:restore(kept)
      world:run(0.1)
      assert.equal(hash, world:hash())
      ends[way] = { ball.position.y, ball.velocity.y, world:ledger().damping }
    end
    for i = 1, 3 do assert.near(ends[1][i], ends[2][i], 1e-9) end
  end)
end)
