-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- world:accelerations() with compliant and hand-made contacts, rolling and spinning friction: closed forms, second
-- differences of the gaps themselves, the complementarity problem put together by hand, and short steps.
local delassus = require "delassus"
local random = require "support.random"
local near = require "support.near"
local lcp = require "delassus.lcp"

local G = 9.81

local function floored(material, options)
  options = options or {}
  options.record = false
  local world = delassus.world(options)
  world:floor(material)
  return world
end

describe("accelerations with compliant contacts", function()
  it("are exact: spring and dashpot of a ball pressed into a floor, pulling never", function()
    local law = { stiffness = 4e4, damping = 60, friction = 0 } -- two in series: 2e4, 30
    for _, case in ipairs{ { 0.01, 0 }, { 0.01, 2 }, { 0.01, -2 }, { 0.001, 3 }, { -1e-3, -1 } } do
      local world <close> = floored(law)
      local ball = world:sphere{ radius = 0.1, mass = 2, position = { 0, 0, 0.1 - case[1] }, velocity = { 0, 0, case[2] },
        stiffness = 4e4, damping = 60, friction = 0 }
      local hash = world:hash()
      local force = case[1] < 0 and 0 or math.max(0, 2e4 * case[1] - 30 * case[2])
      near(force / 2 - G, world:accelerations()[3], 1e-10 * G * 10)
      near(-G, world:accelerations{ contacts = false }[3], 1e-13 * G)
      assert.equal(hash, world:hash())
      assert.is_truthy(ball)
    end
  end)

  it("are exact: friction of what slides and of what rests is bounded by the spring's force", function()
    for _, push in ipairs{ 10, 60, -60 } do
      local world <close> = floored({ stiffness = 4e4, friction = 0.5 })
      local box = world:box{ size = { 1, 1, 0.2 }, mass = 2, position = { 0, 0, 0.098 }, stiffness = 4e4, friction = 0.5 }
      box:apply{ force = { push, 0, 0 }, at = { 0, 0, -0.002 } } -- at the corners' height: it does not tip
      local normal = 4 * 2e4 * 0.002 -- four corners, two springs of 4e4 in series
      local friction = math.max(-0.5 * normal, math.min(0.5 * normal, push))
      local udot = world:accelerations()
      near((push - friction) / 2, udot[1], 1e-8 * G)
      near(normal / 2 - G, udot[3], 1e-9 * G)
      box.velocity = { 0, 1, 0 }
      udot = world:accelerations()
      near(push / 2, udot[1], 1e-8 * G)
      near(-0.5 * normal / 2, udot[2], 1e-8 * G)
    end
  end)

  it("are the limit of short steps, with the dashpot that a restitution asks for", function()
    for _, law in ipairs{ { damping = 50 }, { restitution = 0.4 } } do
      local off = {}
      for k, dt in ipairs{ 1e-5, 5e-6 } do
        local world <close> = floored({ stiffness = 2e4, friction = 0.3, damping = law.damping, restitution = law.restitution },
          { dt = dt })
        local ball = world:sphere{ radius = 0.1, mass = 2, position = { 0, 0, 0.1 }, velocity = { 0.5, 0, -0.5 },
          stiffness = 2e4, friction = 0.3, damping = law.damping, restitution = law.restitution }
        world:run(4e-3) -- on its way down: 2 mm deep
        local before, udot = world:velocities(), world:accelerations()
        world:step()
        local after = world:velocities()
        off[k] = 0
        for i = 1, 6 do off[k] = math.max(off[k], math.abs((after[i] - before[i]) / dt - udot[i])) end
        assert.is_true(udot[3] > 0.2 * G and udot[1] < -0.2 * G and ball.position.z < 0.099)
      end
      assert.is_true(off[1] < 0.2 and off[2] < 0.6 * off[1], ("%g, %g"):format(off[1], off[2])) -- first order
    end
  end)

  it("say nothing presses where a slow node has not come back to the surface", function()
    local law = { stiffness = 1e3, damping = 1e3, friction = 0 } -- relaxes in a second
    local world <close> = floored(law)
    local ball = world:sphere{ radius = 0.1, mass = 2, position = { 0, 0, 0.1 }, velocity = { 0, 0, -1 },
      stiffness = 1e3, damping = 1e3, friction = 0 }
    world:run(0.2)
    assert.is_true(ball.position.z < 0.1)
    ball.velocity = { 0, 0, 1 } -- torn out of its dent
    world:step(2)
    assert.is_true(ball.position.z < 0.1)
    near(-G, world:accelerations()[3], 1e-12 * G)
  end)
end)

describe("accelerations with hand-made contacts", function()
  it("are exact: a pendulum on a rope that is taut, slack, or pulled in", function()
    for _, case in ipairs{ { 1, 0 }, { 1, 2 }, { 0.999, 2 }, { 1, 2, 3 }, { 1, 2, -3 } } do
      local length, v, radial = case[1], case[2], case[3] or 0
      local world <close> = delassus.world{ record = false }
      local c, s = math.cos(0.4), math.sin(0.4)
      local bob = world:body{ mass = 2, inertia = { 0.1, 0.1, 0.1 }, position = { length * s, 0, -length * c },
        velocity = { v * c + radial * s, 0, v * s - radial * c } }
      local rope = world:contact{ world.ground, bob, rope = 1, point_a = { 0, 0, 0 }, point_b = { 0, 0, 0 } }
      local udot = world:accelerations()
      local along = udot[1] * s - udot[3] * c -- outward
      local taut = length == 1 and radial >= 0
      near(-G * s, udot[1] * c + udot[3] * s, 1e-9 * G)
      near(taut and -v * v or G * c, along, 1e-8 * (G + v * v))
      rope.active = false
      near(-G, world:accelerations()[3], 1e-12 * G)
    end
  end)

  it("keep the gap's second derivative at zero, by differences of the gap itself (200 seeds)", function()
    local pressed = 0
    for seed = 1, 200 do
      local r = random(seed)
      local function three(s) return { s * r(), s * r(), s * r() } end
      local world <close> = delassus.world{ record = false }
      local inertia = { 0.3 + 0.1 * r(), 0.3 + 0.1 * r(), 0.3 + 0.1 * r() }
      local one = world:body{ mass = 2 + r(), inertia = inertia, position = three(1), rotation = { axis = { 1, r(), r() },
        angle = r() },
        velocity = three(2), angular_velocity = three(3) }
      local two = world:body{ mass = 2 + r(), inertia = inertia, position = three(1), rotation = { axis = { r(), 1, r() },
        angle = r() },
        velocity = three(2), angular_velocity = three(3) }
      local pa, pb, n = delassus.vector(three(0.5)), delassus.vector(three(0.5)), { 0.3 * r(), 0.3 * r(), 1 }
      local kind = seed % 2
      -- a vector of the body after the rotation exp(w s), and where its point is
      local function turn(q, x)
        local w, a, b, c = q[1], q[2], q[3], q[4]
        local t = { 2 * (b * x[3] - c * x[2]), 2 * (c * x[1] - a * x[3]), 2 * (a * x[2] - b * x[1]) }
        return { x[1] + w * t[1] + b * t[3] - c * t[2], x[2] + w * t[2] + c * t[1] - a * t[3],
          x[3] + w * t[3] + a * t[2] - b * t[1] }
      end
      local contact
      -- the surfaces are put where they just touch
      local function point(body, p) local x, d = body.position, turn(body.rotation, p) return { x[1] + d[1], x[2] + d[2],
        x[3] + d[3] } end
      local a, b = point(one, pa), point(two, pb)
      local d = { b[1] - a[1], b[2] - a[2], b[3] - a[3] }
      local length = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
      if kind == 0 then
        contact = world:contact{ one, two, rope = length, point_a = pa, point_b = pb, friction = 0 }
      else
        local nw = turn(one.rotation, n)
        local len = math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2)
        local gap = (nw[1] * d[1] + nw[2] * d[2] + nw[3] * d[3]) / len
        pa = delassus.vector{ pa[1] + gap * n[1] / len, pa[2] + gap * n[2] / len, pa[3] + gap * n[3] / len }
        contact = world:contact{ one, two, normal = n, point_a = pa, point_b = pb, friction = 0 }
      end
      -- they approach: velocities along the gap are taken out of b's
      local h = 1e-4
      local u, udot = world:velocities(), nil
      local function gap_at(s)
        local q = {}
        for k = 0, 1 do
          local body, o = k == 0 and one or two, 6 * k
          local x, w, al = body.position, { u[o + 4], u[o + 5], u[o + 6] }, { udot[o + 4], udot[o + 5], udot[o + 6] }
          local th = { w[1] * s + al[1] * s * s / 2, w[2] * s + al[2] * s * s / 2, w[3] * s + al[3] * s * s / 2 } -- body axes
          local angle = math.sqrt(th[1] ^ 2 + th[2] ^ 2 + th[3] ^ 2)
          local f = angle > 0 and math.sin(angle / 2) / angle or 0.5
          local p, e = body.rotation, { math.cos(angle / 2), f * th[1], f * th[2], f * th[3] }
          q[k + 1] = { x = { x[1] + u[o + 1] * s + udot[o + 1] * s * s / 2, x[2] + u[o + 2] * s + udot[o + 2] * s * s / 2,
              x[3] + u[o + 3] * s + udot[o + 3] * s * s / 2 },
            r = { p[1] * e[1] - p[2] * e[2] - p[3] * e[3] - p[4] * e[4], p[1] * e[2] + p[2] * e[1] + p[3] * e[4] - p[4] * e[3],
              p[1] * e[3] - p[2] * e[4] + p[3] * e[1] + p[4] * e[2], p[1] * e[4] + p[2] * e[3] - p[3] * e[2] + p[4] * e[1] } }
        end
        local da, db = turn(q[1].r, pa), turn(q[2].r, pb)
        local x = {}
        for i = 1, 3 do x[i] = q[2].x[i] + db[i] - q[1].x[i] - da[i] end
        if kind == 0 then return length - math.sqrt(x[1] ^ 2 + x[2] ^ 2 + x[3] ^ 2) end
        local nw, len = turn(q[1].r, n), math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2)
        return (nw[1] * x[1] + nw[2] * x[2] + nw[3] * x[3]) / len
      end
      local function second() return (gap_at(h) - 2 * gap_at(0) + gap_at(-h)) / (h * h) end
      udot = {}
      for i = 1, #u do udot[i] = 0 end
      local rate = (gap_at(h) - gap_at(-h)) / (2 * h)
      local m = contact.normal
      assert.is_truthy(m)
      udot = world:accelerations{ contacts = false }
      local free = second()
      udot = world:accelerations()
      local got = second()
      local scale = 1 + math.abs(free)
      if rate > 1e-6 then near(free, got, 1e-9 * scale, "opens, seed " .. seed) -- nothing acts
      elseif free > 0 then near(free, got, 1e-6 * scale, "lifts, seed " .. seed)
      else
        near(0, got, 1e-6 * scale, "pressed, seed " .. seed)
        pressed = pressed + 1
      end
    end
    assert.is_true(pressed > 40, pressed)
  end)

  it("of a body on points are those of the problem put together by hand (200 seeds)", function()
    for seed = 1, 200 do
      local r = random(1000 + seed)
      local world <close> = delassus.world{ record = false, gravity = { 6 * r(), 6 * r(), -G } }
      local m, I = 2 + r(), { 0.4 + 0.1 * r(), 0.4 + 0.1 * r(), 0.4 + 0.1 * r() }
      local body = world:body{ mass = m, inertia = I, position = { 0, 0, 0.3 } }
      body:apply{ force = { 5 * r(), 5 * r(), 20 * r() }, torque = { 3 * r(), 3 * r(), r() } }
      local mu = seed % 3 == 0 and 0 or 0.4 + 0.3 * r()
      local rows, n = {}, 1 + seed % 3
      for k = 1, n do
        local angle = 2 * math.pi * k / n + r()
        local p = { 0.4 * math.cos(angle), 0.4 * math.sin(angle), -0.3 }
        world:contact{ world.ground, body, normal = { 0, 0, 1 }, point_b = p, friction = mu }
        for _, d in ipairs(mu > 0 and { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } } or { { 0, 0, 1 } }) do
          rows[#rows + 1] = { d[1], d[2], d[3], p[2] * d[3] - p[3] * d[2], p[3] * d[1] - p[1] * d[3], p[1] * d[2] - p[2] * d[1] }
        end
      end
      local free = world:accelerations{ contacts = false }
      local inverse = { 1 / m, 1 / m, 1 / m, 1 / I[1], 1 / I[2], 1 / I[3] }
      local W, q = {}, {}
      for i, a in ipairs(rows) do
        W[i], q[i] = {}, 0
        for k = 1, 6 do q[i] = q[i] + a[k] * free[k] end
        for j, b in ipairs(rows) do
          W[i][j] = 0
          for k = 1, 6 do W[i][j] = W[i][j] + a[k] * inverse[k] * b[k] end
        end
      end
      local answer = mu > 0 and lcp.cone{ W = W, q = q, friction = mu, method = "nsgs", tolerance = 1e-12,
        max_iterations = 100000 }
        or lcp.solve{ M = W, q = q, method = "enumerate" }
      local p = mu > 0 and answer.impulse or answer.z
      assert.is_true(answer.converged, "seed " .. seed)
      local udot = world:accelerations()
      for k = 1, 6 do
        local expected = free[k]
        for i, a in ipairs(rows) do expected = expected + inverse[k] * a[k] * p[i] end
        near(expected, udot[k], 1e-7 * 100, ("seed %d, %d"):format(seed, k))
      end
    end
  end)

  it("are exact: a bead on a parabola and on a plate that shakes", function()
    local world <close> = delassus.world{ planar = true, record = false }
    local x, v = 0.3, 2
    local bead = world:body{ mass = 2, inertia = 1, position = { x, x * x }, velocity = { v, 2 * x * v } }
    world:contact{ world.ground, bead, friction = 0, gap = function(q) return q[2] - q[1] * q[1] end,
      gradient = function(q) return { -2 * q[1], 1, 0 } end }
    local udot = world:accelerations()
    -- y'' = 2 v^2 + 2 x x'', and the force is along (-2x, 1)
    local along = (-G - 2 * v * v) * 2 * x / (1 + 4 * x * x)
    near(along, udot[1], 1e-8 * G)
    near(2 * v * v + 2 * x * along, udot[2], 1e-8 * G)

    for _, t in ipairs{ 0, 0.2, 0.5 } do
      local shaken <close> = delassus.world{ planar = true, record = false, gravity = { 0, 0 } }
      local A, w = 0.1, 5
      local body = shaken:body{ mass = 2, inertia = 1 }
      shaken:contact{ shaken.ground, body, friction = 0, gap = function(q, time) return q[2] + A * math.cos(w * (t + time)) end,
        gradient = function() return { 0, 1, 0 } end }
      body.position, body.velocity = { 0, -A * math.cos(w * t) }, { 0, A * w * math.sin(w * t) }
      near(math.max(0, A * w * w * math.cos(w * t)), shaken:accelerations()[2], 1e-5 * A * w * w, "t = " .. t)
    end
  end)

  it("on a platform that is driven are the platform's", function()
    for dim = 2, 3 do
      local world <close> = delassus.world{ planar = dim == 2, record = false }
      local size, top = dim == 2 and { 4, 1 } or { 4, 4, 1 }, dim == 2 and { 0, 0.1 } or { 0, 0, 0.1 }
      local acceleration = dim == 2 and { 1, 3 } or { 1, 0.5, 3 }
      local still, zero = dim == 2 and 0 or { 0, 0, 0 }, dim == 2 and { 0, 0 } or { 0, 0, 0 }
      world:box{ type = "kinematic", size = size, friction = 0.5,
        motion = function()
          return dim == 2 and { 0, -0.5 } or { 0, 0, -0.5 }, dim == 2 and 0 or { 1, 0, 0, 0 }, zero, still, acceleration, still
        end }
      world:box{ size = dim == 2 and { 0.2, 0.2 } or { 0.2, 0.2, 0.2 }, density = 500, position = top, friction = 0.5 }
      local udot = world:accelerations()
      for k = 1, dim do near(acceleration[k], udot[k], 1e-8 * G, dim .. ", " .. k) end
    end
    -- not told: from the velocity, or from the place alone
    for told = 0, 1 do
      local world <close> = delassus.world{ planar = true, record = false, dt = 1e-3 }
      world:box{ type = "kinematic", size = { 4, 1 }, friction = 0.5, motion = function(t)
        return { 0.1 * t * t, -0.5 + 0.2 * t * t }, 0.03 * t * t, told == 1 and { 0.2 * t, 0.4 * t } or nil
      end }
      world:box{ size = { 0.2, 0.2 }, density = 500, position = { 0, 0.1 }, friction = 0.5 }
      local udot = world:accelerations()
      near(0.2 - 0.6 * 0.06, udot[1], 1e-6 * G, "not told " .. told) -- 0.6 m above the pivot of 0.06 rad/s^2
      near(0.4, udot[2], 1e-6 * G)
      near(0.06, udot[3], 1e-6 * G)
    end
  end)
end)

describe("accelerations with rolling and spinning friction", function()
  local r, mass, arm = 0.2, 3, 0.01
  local I = 0.4 * mass * r * r

  local function slope(alpha, law)
    local world = delassus.world{ gravity = { G * math.sin(alpha), 0, -G * math.cos(alpha) }, record = false }
    law.friction = 0.6
    world:floor(law)
    local ball = world:sphere{ radius = r, mass = mass, position = { 0, 0, r }, friction = 0.6,
      rolling_friction = law.rolling_friction, spinning_friction = law.spinning_friction }
    return world, ball
  end

  it("are exact: a ball rests below tan alpha = arm / r, and rolls slower above and at speed", function()
    for _, alpha in ipairs{ 0.02, 0.049, 0.051, 0.3 } do
      local world <close>, ball = slope(alpha, { rolling_friction = arm })
      local pull = math.max(0, math.sin(alpha) - arm / r * math.cos(alpha))
      local udot = world:accelerations()
      near(G * pull / (1 + I / (mass * r * r)), udot[1], 1e-9 * G, "rest, " .. alpha)
      near(udot[1] / r, udot[5], 1e-8 * G)
      for _, v in ipairs{ 2, -2 } do
        ball.velocity, ball.angular_velocity = { v, 0, 0 }, { 0, v / r, 0 }
        udot = world:accelerations()
        local braked = math.sin(alpha) - (v > 0 and 1 or -1) * arm / r * math.cos(alpha)
        near(G * braked / (1 + I / (mass * r * r)), udot[1], 1e-7 * G, "v = " .. v)
        near(udot[1] / r, udot[5], 1e-6 * G)
      end
    end
  end)

  it("are exact: a top's spin is braked by arm times the weight, and a slide that does not turn begins to", function()
    local world <close>, ball = slope(0, { rolling_friction = arm, spinning_friction = arm / 2 })
    ball.angular_velocity = { 0, 0, 7 }
    local udot = world:accelerations()
    near(-arm / 2 * mass * G / I, udot[6], 1e-7 * G / r)
    for k = 1, 5 do near(0, udot[k], 1e-7 * G) end
    ball:apply{ torque = { 0, 0, 0.9 * arm / 2 * mass * G } }
    ball.angular_velocity = { 0, 0, 0 }
    near(0, world:accelerations()[6], 1e-8 * G)
    ball:apply{ torque = { 0, 0, 0 } }
    ball.velocity = { 2, 0, 0 } -- slides without turning: its rolling part rests, up to arm N
    udot = world:accelerations()
    near(-0.6 * G, udot[1], 1e-8 * G)
    near((0.6 * r - arm) * mass * G / I, udot[5], 1e-7 * G / r)
  end)

  it("are exact in the plane, on rigid and on compliant floors", function()
    for _, stiffness in ipairs{ math.huge, 1e5 } do
      local law = { friction = 0.6, rolling_friction = arm, stiffness = stiffness }
      local world <close> = delassus.world{ planar = true, record = false }
      world:floor(law)
      local deep = stiffness == math.huge and 0 or 2 * mass * G / stiffness -- two springs in series
      local disk = world:disk{ radius = r, mass = mass, position = { 0, r - deep }, friction = 0.6, rolling_friction = arm,
        stiffness = stiffness }
      for _, v in ipairs{ 0, 3 } do
        disk.velocity, disk.angular_velocity = { v, 0 }, -v / r -- its arm is its radius, pressed or not
        disk:apply{ force = { v == 0 and 0.9 * mass * G * arm / r or 0, 0 } }
        local udot = world:accelerations()
        local J = 0.5 * mass * r * r
        near(v == 0 and 0 or -arm * mass * G / (J / r + mass * r), udot[1], 3e-3 * arm / r * G, "v = " .. v)
        near(0, udot[2], 1e-7 * G)
      end
    end
  end)

  it("are what a short step makes of them: a ball on a ball (200 seeds)", function()
    for seed = 1, 200 do
      local x = random(seed)
      local world <close> = delassus.world{ dt = 1e-6, record = false, tolerance = 1e-12 }
      local law = { friction = 0.3, rolling_friction = 0.01, spinning_friction = 0.005 }
      world:floor(law)
      local b = 0.1
      for i, p in ipairs{ { 0, 0, b }, { 0.6 * b, 0, 2.6 * b } } do -- three would wedge, and have many answers
        local ball = world:sphere{ radius = b, density = 800, position = p, friction = 0.3, rolling_friction = 0.01,
          spinning_friction = 0.005 }
        ball:apply{ force = { 10 * x(), 10 * x(), i == 2 and -10 or 0 }, torque = { 0.3 * x(), 0.3 * x(), 0.3 * x() } }
      end
      local udot = world:accelerations()
      world:step()
      local u = world:velocities()
      for i = 1, 12 do near(udot[i], u[i] / 1e-6, 1e-8 * 100, ("seed %d, velocity %d"):format(seed, i)) end
    end
  end)
end)
