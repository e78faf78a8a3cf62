-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Ellipsoids: mass by slices, supports and rays by the surface's equation, rolling by its equations of motion.
-- Gaps against every other shape: core/collide/separation_spec.lua.
local delassus = require "delassus"
local rolling = require "spec.support.rolling"
local shapes = require "spec.support.shapes3"
local seeds = require "support.seeds"

local function message_of(fn, ...) return select(2, pcall(fn, ...)) end

--- sum (x_i / r_i)^2
local function level(radii, x) return (x[1] / radii[1]) ^ 2 + (x[2] / radii[2]) ^ 2 + (x[3] / radii[3]) ^ 2 end

--- The integral of f over -1 .. 1, by Simpson's rule.
local function integral(f)
  local n, sum = 400, f(-1) + f(1)
  for i = 1, n - 1 do sum = sum + (i % 2 == 1 and 4 or 2) * f(-1 + 2 * i / n) end
  return sum * 2 / n / 3
end

describe("an ellipsoid", function()
  it("has the mass and inertia of its slices", function()
    local a, b, c = 0.3, 0.2, 0.5
    local mass, centre, inertia = delassus.ellipsoid{ radii = { a, b, c } }:mass(700)
    -- Across z at c t: an ellipse of the semi-axes a s, b s, s^2 = 1 - t^2, of area pi a b s^2, whose second moments about
    -- its middle are area (a s)^2 / 4 and area (b s)^2 / 4.
    local function moment(f) return 700 * c * integral(function(t) return math.pi * a * b * (1 - t * t) * f(t) end) end
    local xx = moment(function(t) return a * a * (1 - t * t) / 4 end)
    local yy = moment(function(t) return b * b * (1 - t * t) / 4 end)
    local zz = moment(function(t) return (c * t) ^ 2 end)
    assert.near(moment(function() return 1 end), mass, 1e-9 * mass)
    assert.is_true(centre:norm() == 0)
    for i, wanted in ipairs{ yy + zz, xx + zz, xx + yy } do assert.near(wanted, inertia[i][i], 1e-9 * wanted) end
    assert.equal(0, inertia[1][2])
  end)

  it("supports where the surface is level with the direction, and nothing of it is farther (200 seeds)", function()
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local radii = { shapes.between(.1, 1), shapes.between(.1, 1), shapes.between(.1, 1) }
      local egg, d = delassus.ellipsoid{ radii = radii }, { shapes.unit() }
      local p = egg:support(d)
      assert.near(1, level(radii, p), 1e-13, "seed " .. seed)
      for _ = 1, 20 do
        local x, y, z = shapes.unit()
        local far = d[1] * radii[1] * x + d[2] * radii[2] * y + d[3] * radii[3] * z
        assert.is_true(far <= d[1] * p[1] + d[2] * p[2] + d[3] * p[3] + 1e-14, "seed " .. seed)
      end
      local turned = { rotation = shapes.rotation(), position = { 1, 2, 3 } }
      local lo, hi = egg:bounds(turned)
      for k, e in ipairs{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } do
        assert.near(shapes.extent(egg, turned, e[1], e[2], e[3]), hi[k], 1e-14, "seed " .. seed)
        assert.near(-shapes.extent(egg, turned, -e[1], -e[2], -e[3]), lo[k], 1e-14, "seed " .. seed)
      end
    end
  end)

  it("is met by rays where they first come in, and by no others (400 seeds)", function()
    for seed = 1, seeds(400) do
      math.randomseed(seed)
      local radii = { shapes.between(.1, 1), shapes.between(.1, 1), shapes.between(.1, 1) }
      local egg = delassus.ellipsoid{ radii = radii }
      local from, to = {}, {}
      for k = 1, 3 do from[k], to[k] = shapes.between(-1.5, 1.5), shapes.between(-1, 1) end
      local function at(t) return level(radii, { from[1] + t * (to[1] - from[1]), from[2] + t * (to[2] - from[2]),
        from[3] + t * (to[3] - from[3]) }) end
      local share, point, normal = egg:raycast({}, from, to)
      local least = 1e300
      for k = 0, 1000 do least = math.min(least, at(k / 1000)) end
      if share then
        assert.near(1, level(radii, point), 1e-11, "seed " .. seed)
        for k = 0, 100 do assert.is_true(at(share * k / 100) >= 1 - 1e-11, "seed " .. seed) end
        local slope = delassus.vec{ point.x / radii[1] ^ 2, point.y / radii[2] ^ 2, point.z / radii[3] ^ 2 }
        assert.is_true((slope / slope:norm() - normal):norm() < 1e-11, "seed " .. seed)
      else
        assert.is_true(least > 1 - 1e-4 or at(0) < 1, "seed " .. seed)
      end
    end
  end)

  it("of equal axes is a sphere, to the last digits of a fall, a bounce and a roll", function()
    local ways = {}
    for i, kind in ipairs{ "sphere", "ellipsoid" } do
      local world <close> = delassus.world{ record = false }
      world:floor{ friction = 0.4, restitution = 0.5 }
      local o = { density = 500, position = { 0, 0, 0.3 }, velocity = { 1.5, 0.2, 0 }, friction = 0.4, restitution = 0.5 }
      if kind == "sphere" then o.radius = 0.1 else o.radii = { 0.1, 0.1, 0.1 } end
      local body = world[kind](world, o)
      world:run(1)
      ways[i] = body.position
    end
    assert.is_true((ways[1] - ways[2]):norm() < 1e-9, tostring((ways[1] - ways[2]):norm()))
  end)

  it("rolls without slip as its equations say, to second order, and keeps its energy", function()
    local radii, mass = { 0.2, 0.12, 0.08 }, 4 / 3 * math.pi * 0.2 * 0.12 * 0.08 * 1000
    local function J(a, b) return mass * (a * a + b * b) / 5 end
    local I = { J(0.12, 0.08), J(0.2, 0.08), J(0.2, 0.12) }
    local egg = { radii = radii, com = { 0, 0, 0 }, mass = mass, gravity = 9.81,
      inertia = { { I[1], 0, 0 }, { 0, I[2], 0 }, { 0, 0, I[3] } } }
    local u, w = { 0, 0, 1 }, { 2, 1, 0.5 }
    local before = rolling.energy(egg, u, w)
    for _ = 1, 4000 do u, w = rolling.step(egg, u, w, 2.5e-4) end
    assert.near(before, rolling.energy(egg, u, w), 1e-10 * before)
    local errors, drift = {}, {}
    for i, dt in ipairs{ 4e-3, 2e-3, 1e-3 } do
      local world <close> = delassus.world{ dt = dt, record = false }
      world:floor{ friction = 1 }
      local body = world:ellipsoid{ radii = radii, density = 1000, friction = 1, position = { 0, 0, 0.08 },
        angular_velocity = { 2, 1, 0.5 }, velocity = { 0.08, -0.16, 0 } }
      local k0, p0 = world:energy()
      world:run(1)
      local k, p = world:energy()
      local q = body.rotation
      local spin = { shapes.turn(q, body.angular_velocity.x, body.angular_velocity.y, body.angular_velocity.z, true) }
      local up = { shapes.turn(q, 0, 0, 1, true) }
      local sum = 0
      for c = 1, 3 do sum = sum + (spin[c] - w[c]) ^ 2 + (up[c] - u[c]) ^ 2 end
      errors[i], drift[i] = math.sqrt(sum), math.abs(k + p - k0 - p0) / k0
    end
    local told = ("errors %g %g %g, energies %g %g %g"):format(errors[1], errors[2], errors[3], drift[1], drift[2], drift[3])
    assert.is_true(errors[1] / errors[2] > 3 and errors[2] / errors[3] > 3 and errors[3] < 1e-4, told)
    assert.is_true(drift[3] < 3e-4, told)
  end)

  it("that slides without friction keeps its energy and its angular momentum about the vertical", function()
    local world <close> = delassus.world{ record = false }
    world:floor{ friction = 0 }
    local body = world:ellipsoid{ radii = { 0.2, 0.12, 0.08 }, density = 1000, friction = 0, position = { 0, 0, 0.08 },
      angular_velocity = { 2, 1, 0.5 } }
    local _, first = world:momentum()
    local k0, p0 = world:energy()
    world:run(2)
    local _, last = world:momentum()
    local k, p = world:energy()
    assert.near(first.z, last.z, 1e-5 * first.z)
    assert.is_true(math.abs(k + p - k0 - p0) < 3e-4 * k0)
    assert.is_true(math.abs(body.velocity.x) + math.abs(body.velocity.y) < 1e-12)
  end)

  it("goes on from a snapshot bit by bit, alone and in a compound, and its axes are part of the structure", function()
    local function scene(z)
      local world = delassus.world{ record = false }
      world:floor{ friction = 0.5 }
      world:ellipsoid{ radii = { 0.2, 0.1, 0.07 }, position = { 0, 0, 0.3 }, angular_velocity = { 1, 2, 3 } }
      local egg = delassus.ellipsoid{ radii = { 0.1, 0.1, z } }
      world:body{ shape = delassus.compound{ { egg, { 0, 0, 0.1 } }, { egg, { 0, 0, -0.1 } } }, position = { 0.1, 0.05, 0.7 } }
      return world
    end
    local one <close> = scene(0.2)
    local two <close> = scene(0.2)
    local other <close> = scene(0.21)
    one:run(0.3)
    local kept = one:snapshot()
    one:run(0.3)
    two:restore(kept)
    two:run(0.3)
    assert.equal(one:hash(), two:hash())
    assert.is_false(pcall(other.restore, other, kept))
  end)

  it("gains nothing where corners, edges, faces and rims of any body strike it without friction (200 seeds)", function()
    local kinds = { "box", "convex", "cylinder", "cone", "capsule", "compound", "ellipsoid" }
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local function from(a, b) return a + (b - a) * random:uniform() end
      local kind, s, t, v = kinds[random:integer(1, #kinds)], from(0.02, 0.1), from(0.005, 1), from(1, 20)
      local world <close> = delassus.world{ record = false, gravity = { 0, 0, 0 } }
      local material = delassus.material{ friction = 0, restitution = from(0, 1) < 0.5 and 0 or 1 }
      world:ellipsoid{ type = "static", radii = { t, 1, 1.5 }, material = material }
      local function turn(most) return { from(-most, most), from(-most, most), from(-most, most) } end
      local o = { density = 1000, material = material, position = { -t - 0.3, from(-0.3, 0.3), from(-0.3, 0.3) },
        velocity = { v, from(-0.2, 0.2) * v, 0 }, rotation = { axis = turn(1), angle = from(0, 6) }, angular_velocity = turn(30) }
      if kind == "box" then o.size = { s, 2 * s, 1.5 * s }
      elseif kind == "cylinder" or kind == "capsule" then o.radius, o.length = s / 2, 2 * s
      elseif kind == "cone" then o.radius1, o.radius2, o.length = s / 2, s / 3, 2 * s
      elseif kind == "ellipsoid" then o.radii = { s, s / 2, s / 3 }
      elseif kind == "convex" then o.points = { { -s, -s, -s }, { s, 0, 0 }, { 0, s, 0 }, { 0, 0, s }, { -s, s, s } }
      else
        local cube, ball = delassus.box{ size = { s, s, s } }, delassus.sphere{ radius = s / 2 }
        kind, o.shape = "body", delassus.compound{ { cube, { -s / 2, 0, 0 } }, { ball, { s / 2, 0, 0 } } }
      end
      world[kind](world, o)
      local before = world:energy()
      for _ = 1, math.ceil(0.4 / v / 1e-3) + 60 do
        world:step()
        local now = world:energy()
        assert.is_true(now < 1.02 * before, ("seed %d: a %s went from %g to %g J"):format(seed, kind, before, now))
        before = now
      end
    end
  end)

  it("has no part in contacts that are stated by hand: a point against a plane, whatever the bodies' shapes", function()
    local function move(kind, shape, under)
      local world <close> = delassus.world{ dt = 1e-3, record = false }
      local ground = world:body{ type = kind, position = { 0, 0, -2 }, shape = under }
      local body = world:body{ mass = 1, inertia = { 0.1, 0.08, 0.05 }, position = { 0, 0, 0.5 }, velocity = { 0.2, 0, 0 },
        angular_velocity = { 1, 0.3, 0.2 }, shape = shape }
      world:contact{ ground, body, point_a = { 0, 0, 2 }, point_b = { 0.1, 0, -0.5 }, normal = { 0, 0, 1 }, friction = 0.3 }
      world:run(0.3)
      return { body.position:unpack() }
    end
    local egg, ball = delassus.ellipsoid{ radii = { 0.3, 0.2, 0.5 } }, delassus.sphere{ radius = 0.3 }
    for _, kind in ipairs{ "static", "kinematic" } do
      local expected = move(kind)
      assert.same(expected, move(kind, egg))
      assert.same(expected, move(kind, ball))
      assert.same(expected, move(kind, nil, egg))
      assert.same(expected, move(kind, egg, ball))
    end
  end)

  it("tells what is wrong", function()
    assert.matches("'radii'%[2%] must be > 0, got %-2", message_of(delassus.ellipsoid, { radii = { 1, -2, 3 } }))
    assert.matches("'radii' must be a list of 3 numbers", message_of(delassus.ellipsoid, { radii = { 1, 2 } }))
    local flat <close> = delassus.world{ planar = true, record = false }
    assert.matches("an ellipsoid is not a shape of planar worlds", message_of(flat.ellipsoid, flat, { radii = { 1, 1, 1 } }))
    local events <close> = delassus.world{ scheme = "event-driven", record = false }
    events:floor{}
    events:ellipsoid{ radii = { 1, 1, 1 }, position = { 0, 0, 3 } }
    assert.matches("the plane of body #1 and the ellipsoid of body #2 have none", message_of(events.step, events), 1, true)
  end)
end)
