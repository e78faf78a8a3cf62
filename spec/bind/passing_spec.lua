-- SPDX-License-Identifier: MIT
-- Fast bodies: nothing passes through, and nothing is touched by what passes by, in the plane and in space.
local delassus = require "delassus"
local seeds = require "support.seeds"

local SEEDS = seeds(200)

local function vec(planar, x, y, z) return planar and { x, y } or { x, y, z or 0 } end

local function new_world(planar, options)
  options = options or {}
  options.planar, options.record = planar, false
  options.gravity = options.gravity or vec(planar, 0, 0)
  return delassus.world(options)
end

--- The random choices of one seed.
local function chance(seed)
  local random = delassus.random(seed)
  local c = {}
  function c.from(a, b) return a + (b - a) * random:uniform() end
  function c.pick(list) return list[random:integer(1, #list)] end
  function c.turn(planar)
    if planar then return c.from(0, 6) end
    return { axis = { c.from(-1, 1), c.from(-1, 1), c.from(-1, 1) + 0.01 }, angle = c.from(0, 6) }
  end
  return c
end

local BODIES = {
  [true] = { "disk", "box", "capsule", "polygon" },
  [false] = { "sphere", "box", "capsule", "convex", "cylinder", "cone", "ellipsoid" },
}

--- Shape options of a random body of about the size s, its kind, and how far it reaches from its mass centre.
local function body_options(c, planar, s)
  local kind, o, reach = c.pick(BODIES[planar]), {}, s
  if kind == "disk" or kind == "sphere" then o.radius = s
  elseif kind == "box" then o.size, reach = planar and { s, 2 * s } or { s, 2 * s, 1.5 * s }, 1.4 * s
  elseif kind == "capsule" then o.radius, o.length, reach = s / 2, 2 * s, 1.5 * s
  elseif kind == "cylinder" then o.radius, o.length, reach = s / 2, 2 * s, 1.2 * s
  elseif kind == "cone" then o.radius1, o.radius2, o.length, reach = s / 2, s / 3, 2 * s, 1.4 * s
  elseif kind == "ellipsoid" then o.radii, reach = { s, s / 2, s / 3 }, s
  elseif kind == "polygon" then o.points, reach = { { -s, -s / 2 }, { 2 * s, -s / 2 }, { 0, s } }, 2.2 * s
  else o.points, reach = { { -s, -s, -s }, { s, 0, 0 }, { 0, s, 0 }, { 0, 0, s }, { -s, s, s } }, 2.2 * s end
  return o, kind, reach
end

local WALLS = {
  [true] = { "box", "segment", "polygon", "capsule", "plane", "compound" },
  [false] = { "box", "mesh", "convex", "cylinder", "plane", "compound" },
}

local bouncy = delassus.material{ restitution = 1, friction = 0 } -- so that the other material decides

--- A wall of thickness t about x = 0, six metres wide.
local function add_wall(world, planar, kind, t)
  if kind == "box" then return world:box{ type = "static", material = bouncy, size = vec(planar, t, 6, 6) } end
  if kind == "plane" then return world:wall{ normal = vec(planar, -1, 0), offset = 0, material = bouncy } end
  if kind == "segment" then
    return world:body{ type = "static", material = bouncy, shape = delassus.segment{ {0, -3}, {0, 3} } }
  end
  if kind == "capsule" then
    return world:capsule{ type = "static", material = bouncy, radius = t / 2, length = 6, rotation = math.pi / 2 }
  end
  if kind == "cylinder" then return world:cylinder{ type = "static", material = bouncy, radius = 3, length = t } end
  if kind == "polygon" then
    local points = { {-t / 2, -3}, {t / 2, -3}, {t / 2, 3}, {-t / 2, 3} }
    return world:polygon{ type = "static", material = bouncy, points = points }
  end
  if kind == "compound" then
    local half = delassus.box{ size = vec(planar, t, 3, 6) }
    local both = delassus.compound{ { half, vec(planar, 0, 1.5) }, { half, vec(planar, 0, -1.5) } }
    return world:body{ type = "static", material = bouncy, shape = both }
  end
  if kind == "convex" then
    local points = {}
    for i = 0, 7 do points[i + 1] = { (i & 1) * t - t / 2, 3 * (i & 2) - 3, 1.5 * (i & 4) - 3 } end
    return world:convex{ type = "static", material = bouncy, points = points }
  end
  local vertices, faces, n = {}, {}, 4
  for i = 0, n do for j = 0, n do vertices[#vertices + 1] = { 0, 6 * i / n - 3, 6 * j / n - 3 } end end
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local a = i * (n + 1) + j + 1
      faces[#faces + 1], faces[#faces + 2] = { a, a + 1, a + n + 2 }, { a, a + n + 2, a + n + 1 }
    end
  end
  return world:mesh{ type = "static", material = bouncy, vertices = vertices, faces = faces }
end

describe("a fast body", function()
  for _, planar in ipairs{ true, false } do
    local where = planar and "in the plane" or "in space"

    it("passes no wall of millimetres up to 1000 m/s at 1 ms, whatever their shapes and spin, " .. where, function()
      for seed = 1, 2 * SEEDS do
        local c = chance(seed)
        local world <close> = new_world(planar)
        local wall, v, spin = c.pick(WALLS[planar]), c.pick{ 20, 50, 100, 300, 1000 }, c.pick{ 0, 30, 300 }
        add_wall(world, planar, wall, c.from(0.002, 0.05))
        local o, kind = body_options(c, planar, c.from(0.01, 0.1))
        o.density, o.restitution, o.friction = 1000, c.pick{ 0, 0.5, 1 }, c.pick{ 0, 0.5 }
        o.position = vec(planar, -1 - c.from(0, v * 1e-3), c.from(-0.2, 0.2), c.from(-0.2, 0.2))
        o.velocity = vec(planar, v, 0.2 * c.from(-v, v), 0.2 * c.from(-v, v))
        o.rotation = c.turn(planar)
        o.angular_velocity = planar and c.from(-spin, spin) or { c.from(-spin, spin), c.from(-spin, spin), c.from(-spin, spin) }
        local body = world[kind](world, o)
        world:step(math.ceil((1.6 + v * 1e-3) / v / 1e-3))
        assert.is_true(body.position.x < 0, ("seed %d: a %s at %g m/s passed a %s"):format(seed, kind, v, wall))
        assert.is_true(body.velocity.x < v * (1 - 1e-9), ("seed %d: a %s was not met by a %s"):format(seed, kind, wall))
      end
    end)

    it("comes back with e times its normal speed and the whole of its tangential one, exactly, " .. where, function()
      for seed = 1, SEEDS do
        local c = chance(seed)
        local world <close> = new_world(planar)
        local v, e, r = c.pick{ 20, 100, 300, 1000 }, c.from(0, 1), c.from(0.005, 0.05)
        add_wall(world, planar, c.pick(WALLS[planar]), c.from(0.001, 0.05))
        local slide, lift = 0.5 * c.from(-v, v), planar and 0 or 0.5 * c.from(-v, v)
        local ball = world[planar and "disk" or "sphere"](world, { radius = r, density = 1000, restitution = e, friction = 0,
          position = vec(planar, -0.6 - c.from(0, v * 1e-3), 0.1), velocity = vec(planar, v, slide, lift) })
        world:step(math.ceil((0.8 + v * 1e-3) / v / 1e-3))
        local after = ball.velocity
        assert.near(-e * v, after[1], 1e-12 * v, "seed " .. seed)
        assert.near(slide, after[2], 1e-12 * v, "seed " .. seed)
        if not planar then assert.near(lift, after[3], 1e-12 * v, "seed " .. seed) end
      end
    end)

    it("keeps its velocity to round-off where it passes by, between 10 micrometres and a centimetre, " .. where, function()
      local kinds = planar and { "box", "capsule", "polygon", "disk" } or
        { "box", "capsule", "convex", "sphere", "mesh", "cylinder" }
      for seed = 1, 2 * SEEDS do
        local c = chance(seed)
        local v, dt = c.pick{ 1, 5, 20, 100, 500 }, c.pick{ 1e-3, 5e-3 }
        local world <close> = new_world(planar, { dt = dt })
        local kind, L = c.pick(kinds), c.from(0.1, 1)
        local function below(depth) return planar and { 0, -depth } or { 0, 0, -depth } end
        if kind == "box" then
          world:box{ type = "static", size = vec(planar, 2 * L, planar and 1 or 2 * L, 1), position = below(0.5) }
        elseif kind == "disk" or kind == "sphere" then
          world[kind](world, { type = "static", radius = L, position = below(L) })
        elseif kind == "capsule" or kind == "cylinder" then
          world[kind](world, { type = "static", radius = L / 3, length = L, position = below(L / 3) })
        elseif kind == "polygon" then
          world:polygon{ type = "static", points = { {-L, -1}, {L, -1}, {c.from(-L, L), 0} } }
        elseif kind == "convex" then
          world:convex{ type = "static", points = { {-L, -L, -1}, {L, -L, -1}, {0, L, -1}, {c.from(-L, L), 0, 0} } }
        else
          world:mesh{ type = "static", vertices = { {-L, -L, -0.2}, {L, -L, -0.1}, {0, L, -0.3}, {c.from(-L, L), 0, 0} },
            faces = { {1, 2, 4}, {2, 3, 4}, {3, 1, 4} } }
        end
        local o, what, reach = body_options(c, planar, c.from(0.01, 0.1))
        local height = reach + 10 ^ c.from(-5, -2)
        o.density, o.restitution, o.friction, o.rotation = 1000, c.pick{ 0, 1 }, c.pick{ 0, 0.5 }, c.turn(planar)
        local spin = c.pick{ 0, 0, 100 }
        o.angular_velocity = planar and spin or { spin, 0.5 * spin, -spin }
        local body = world[what](world, o)
        local start = vec(planar, -1.5 - c.from(0, v * dt), planar and height or c.from(-0.1, 0.1), height)
        body.position = body.position + (delassus.vec(start) - body.centre)
        body.velocity = vec(planar, v, 0)
        local before = body.velocity
        world:step(math.ceil(3.2 / v / dt) + 2)
        local change = (body.velocity - before):norm()
        assert.near(0, change, 1e-12 * v, ("seed %d: a %s at %g m/s past a %s"):format(seed, what, v, kind))
      end
    end)

    it("meets another one head-on: momentum is kept, of balls that rebound the energy too, " .. where, function()
      for seed = 1, SEEDS do
        local c = chance(seed)
        local v, r = c.pick{ 20, 100, 300, 1000 }, { c.from(0.01, 0.05), c.from(0.01, 0.05) }
        local world <close> = new_world(planar)
        local off, back = 0.9 * c.from(-1, 1) * (r[1] + r[2]), c.pick{ 0, 0.3, 1 }
        local pair = {}
        for i = 1, 2 do
          local side = i == 1 and -1 or 1
          pair[i] = world[planar and "disk" or "sphere"](world, { radius = r[i], density = c.from(100, 8000),
            restitution = 1, friction = 0,
            position = vec(planar, side * (0.5 + c.from(0, v * 1e-3)), i == 1 and 0 or off),
            velocity = vec(planar, i == 1 and v or -back * v, 0) })
        end
        local p, L = world:momentum()
        local energy, scale = world:energy(), v * math.min(pair[1].mass, pair[2].mass)
        world:step(math.ceil((2 + 2 * v * 1e-3) / v / 1e-3))
        local p_n, L_n = world:momentum()
        assert.is_true((pair[1].velocity - delassus.vec(vec(planar, v, 0))):norm() > 1e-6 * v, "seed " .. seed .. ": met")
        assert.near(0, (p_n - p):norm(), 1e-12 * scale, "seed " .. seed)
        assert.near(energy, (world:energy()), 1e-12 * energy, "seed " .. seed)
        local dL = type(L) == "number" and math.abs(L_n - L) or (L_n - L):norm()
        assert.near(0, dL, 1e-12 * scale, "seed " .. seed .. ": angular momentum about the origin")
      end
    end)

    it("meets where a fine step meets: at 1 ms as at 0.02 ms, " .. where, function()
      for seed = 1, SEEDS do
        local touched = {}
        for k, dt in ipairs{ 1e-3, 2e-5 } do
          local c = chance(seed)
          local world <close> = new_world(planar, { dt = dt })
          local v, pair = c.pick{ 50, 100, 300 }, {}
          for i = 1, 2 do
            local o, kind = body_options(c, planar, c.from(0.02, 0.1))
            o.density, o.restitution, o.friction, o.rotation = 1000, 1, 0, c.turn(planar)
            o.position = vec(planar, (i == 1 and -1 or 1) * (0.3 + c.from(0, v * 1e-3)), c.from(-0.1, 0.1), c.from(-0.1, 0.1))
            o.velocity = vec(planar, i == 1 and v or 0, 0)
            pair[i] = world[kind](world, o)
          end
          local n = math.ceil((1 + 2 * v * 1e-3) / v / 1e-3)
          world:step(n * math.floor(1e-3 / dt + 0.5))
          touched[k] = pair[2].velocity:norm() > 1e-9 * v
        end
        assert.equal(touched[2], touched[1], "seed " .. seed)
      end
    end)
  end

  it("passes no wall that comes towards it: a stop travels with the surface (200 seeds, plane and space)", function()
    for seed = 1, SEEDS do
      local c, planar = chance(seed), seed % 2 == 0
      local world <close> = new_world(planar)
      local speed, thick, e = -c.pick{ 5, 20, 100 }, c.pick{ 0.005, 0.05 }, c.pick{ 0, 0.5, 1 }
      world:box{ type = "kinematic", size = planar and { thick, 6 } or { thick, 6, 6 }, velocity = vec(planar, speed, 0),
        restitution = e }
      local box = world:box{ density = 7800, friction = c.pick{ 0, 0.5 }, restitution = e,
        size = planar and { 0.02, 0.03 } or { 0.02, 0.03, 0.02 }, position = vec(planar, -0.4, c.from(-0.2, 0.2)),
        velocity = vec(planar, 30, 0), rotation = c.turn(planar), angular_velocity = planar and 10 or { 3, 5, 10 } }
      for _ = 1, 25 do
        world:step()
        assert.is_true(box.position.x < speed * world.time, "seed " .. seed)
      end
    end
  end)

  it("has room for first touches among many neighbours", function()
    for n = 8, 40 do
      local world <close> = new_world(false)
      for i = -n, n do
        world:capsule{ type = "static", radius = 0.03, length = 4, position = { 0, 0, 0.05 * i },
          rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 } }
      end
      local ball = world:sphere{ radius = 0.01, density = 7800, position = { -0.4, 0, 0 }, velocity = { 1000, 0, 300 } }
      world:step(2)
      assert.is_true(ball.position.x < 0, n .. " capsules each way")
    end
  end)

  it("leaves no step unsolved for the round-off of what it slides along, without gravity", function()
    for seed = 1, SEEDS do
      local c = chance(seed)
      local world <close> = new_world(false, { dt = c.pick{ 1e-3, 5e-3 } })
      world:wall{ normal = { -1, 0, 0 }, offset = 0 }
      local v = c.pick{ 30, 100, 300, 1000 }
      world:sphere{ radius = 0.01, density = 7800, position = { -0.4, 0, 0 },
        velocity = { v, 0.1 * v * c.from(-1, 1), 0.1 * v * c.from(-1, 1) },
        angular_velocity = { c.from(0, 50), c.from(0, 50), c.from(0, 50) } }
      world:step(40)
      assert.equal(0, world.stats.unconverged, "seed " .. seed)
    end
  end)

  it("lands on its side as one that does not spin about its own axis, which makes nothing round about it swift", function()
    for seed = 1, SEEDS do
      local c = chance(seed)
      local r, e, kind = c.from(0.02, 0.1), c.pick{ 0, 0.5, 1 }, c.pick{ "capsule", "cylinder" }
      local length, height, v, spin = c.from(20, 60) * r, c.from(0.01, 0.1), c.from(0, 3), c.from(100, 450)
      local at = {}
      for k = 1, 2 do
        local world <close> = new_world(false, { gravity = { 0, 0, -9.81 } })
        world:box{ type = "static", size = { 3 * length, 3 * length, 1 }, position = { 0, 0, -0.5 }, friction = 0,
          restitution = e }
        local rod = world[kind](world, { radius = r, length = length, density = 800, friction = 0, restitution = e,
          position = { 0, 0, r + height }, velocity = { 0, 0, -v }, angular_velocity = { k == 1 and spin or 0, 0, 0 } })
        world:step(200)
        at[k] = rod.position.z
      end
      assert.near(at[2], at[1], 1e-9 * r, ("seed %d: a %s"):format(seed, kind))
    end
  end)

  it("passes none that waits for the next step: a row of slender rods (200 seeds, plane and space)", function()
    for seed = 1, SEEDS do
      local c, planar = chance(seed), seed % 2 == 0
      local world <close> = new_world(planar)
      local row, x, v, e, length = {}, 0, c.pick{ 30, 100, 300, 1000 }, c.pick{ 0, 0.5, 1 }, c.from(1, 3)
      for k = 1, 7 do
        local r, upright = c.from(0.01, 0.03), planar and math.pi / 2 or { axis = { 0, 1, 0 }, angle = math.pi / 2 }
        row[k] = world[planar and "capsule" or c.pick{ "capsule", "cylinder" }](world, { radius = r, length = length,
          density = 800, friction = 0, restitution = e, rotation = upright, velocity = vec(planar, k == 1 and v or 0, 0),
          position = vec(planar, k == 1 and -c.from(0.06, 0.2) or x + 2 * r, 0) })
        x = k == 1 and 0 or x + 4 * r + c.from(0, 0.02)
      end
      local start = row[2].position.x
      for _ = 1, 12 do
        world:step()
        for k = 2, #row do
          assert.is_true(row[k].position.x > row[k - 1].position.x, ("seed %d: rod %d passed the next"):format(seed, k - 1))
        end
      end
      assert.is_true(row[2].position.x ~= start, ("seed %d: nothing was struck"):format(seed))
    end
  end)
end)
