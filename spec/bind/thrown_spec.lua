-- SPDX-License-Identifier: MIT
-- What is thrown onto a floor in pieces feels no seam, at 1 to 1,000 m/s in steps of 1 and 5 ms. Oracles: the same throw
-- onto one whole piece; over uneven pieces without friction the velocity along the floor, which nothing there can change.
local delassus = require "delassus"

local SEEDS = 200
local LONG, WIDE, DEEP = 4, 3, 0.3

local FLOORS = { [true] = { "boxes", "segments", "polygons", "compound" }, [false] = { "boxes", "mesh", "compound", "convexes" } }
-- Those that have no flat face, whose touches with what stands out by 1 mm could lean.
local ROUND = { [true] = { "disk", "capsule" }, [false] = { "sphere", "capsule", "cylinder", "cone", "ellipsoid" } }
local ALL = { [true] = { "disk", "box", "capsule", "polygon", "compound" },
  [false] = { "sphere", "box", "capsule", "cylinder", "convex", "cone", "ellipsoid" } }

local function vec(planar, x, y, z) return planar and { x, z } or { x, y, z } end

--- Options of a body of about the size s.
local function body_options(kind, planar, s)
  if kind == "disk" or kind == "sphere" then return { radius = s } end
  if kind == "box" then return { size = planar and { s, 2 * s } or { s, 2 * s, 1.5 * s } } end
  if kind == "capsule" or kind == "cylinder" then return { radius = s / 2, length = 2 * s } end
  if kind == "cone" then return { radius1 = s / 2, radius2 = s / 3, length = 2 * s } end
  if kind == "ellipsoid" then return { radii = { s, s / 2, s / 3 } } end
  if kind == "polygon" then return { points = { { -s, -s / 2 }, { 2 * s, -s / 2 }, { 0, s } } } end
  if kind == "convex" then return { points = { { -s, -s, -s }, { s, 0, 0 }, { 0, s, 0 }, { 0, 0, s }, { -s, s, s } } } end
  local box, disk = delassus.box{ size = { 2 * s, s } }, delassus.disk{ radius = 0.7 * s }
  return { shape = delassus.compound{ { box, { 0, 0 } }, { disk, { s, 0.2 * s } } } }
end

--- Cuts from -half to half, at least 0.35 apart.
local function cuts(random, half, least, most)
  local all = { -half }
  while all[#all] < half do
    local to = all[#all] + random:uniform(least, most)
    all[#all + 1] = half - to < 0.35 and half or to
  end
  return all
end

--- The rectangles {x0, x1, y0, y1, top} of a floor; one if whole.
local function rectangles(random, planar, whole, uneven)
  if whole then return { { -LONG, LONG, -WIDE, WIDE, 0 } } end
  local all, xs = {}, cuts(random, LONG, 0.4, 0.9)
  for i = 1, #xs - 1 do
    local ys = planar and { -WIDE, WIDE } or cuts(random, WIDE, 0.5, 1.5)
    for j = 1, #ys - 1 do all[#all + 1] = { xs[i], xs[i + 1], ys[j], ys[j + 1], -uneven * random:uniform() } end
  end
  return all
end

local function sheets_of(pieces)
  local vertices, faces = {}, {}
  for _, p in ipairs(pieces) do
    local n = #vertices
    for k, c in ipairs{ { 1, 3 }, { 2, 3 }, { 2, 4 }, { 1, 4 } } do vertices[n + k] = { p[c[1]], p[c[2]], p[5] } end
    faces[#faces + 1], faces[#faces + 2] = { n + 1, n + 2, n + 3 }, { n + 1, n + 3, n + 4 }
  end
  return vertices, faces
end

--- A mesh of one piece, triangles askew; a single one if whole.
local function net_of(random, whole)
  if whole then return { { -60, -60, 0 }, { 60, -60, 0 }, { 0, 80, 0 } }, { { 1, 2, 3 } } end
  local vertices, faces, n = {}, {}, 8
  for i = 0, n do
    for j = 0, n do
      local x = i > 0 and i < n and random:uniform(-0.2, 0.2) or 0
      local y = j > 0 and j < n and random:uniform(-0.15, 0.15) or 0
      vertices[#vertices + 1] = { 2 * LONG * i / n - LONG + x, 2 * WIDE * j / n - WIDE + y, 0 }
    end
  end
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local a = i * (n + 1) + j + 1
      faces[#faces + 1], faces[#faces + 2] = { a, a + n + 1, a + n + 2 }, { a, a + n + 2, a + 1 }
    end
  end
  return vertices, faces
end

local function piece_of(kind, planar, p)
  if kind == "segments" then return delassus.segment{ { p[1], p[5] }, { p[2], p[5] } }, { 0, 0 } end
  if kind == "polygons" then
    return delassus.polygon{ points = { { p[1], p[5] }, { p[1], p[5] - DEEP }, { p[2], p[5] - DEEP }, { p[2], p[5] } } }, { 0, 0 }
  end
  if kind == "convexes" then
    local points = {}
    for i = 0, 7 do points[i + 1] = { p[1 + (i & 1)], p[3 + (i >> 1 & 1)], p[5] - DEEP * (i >> 2 & 1) } end
    return delassus.convex{ points = points }, { 0, 0, 0 }
  end
  return delassus.box{ size = vec(planar, p[2] - p[1], p[4] - p[3], DEEP) },
    vec(planar, (p[1] + p[2]) / 2, (p[3] + p[4]) / 2, p[5] - DEEP / 2)
end

local function add_floor(world, random, kind, whole, uneven, material)
  local planar = world.planar
  if kind == "mesh" then
    local vertices, faces
    if uneven > 0 and not whole then vertices, faces = sheets_of(rectangles(random, planar, whole, uneven))
    else vertices, faces = net_of(random, whole) end
    world:mesh{ type = "static", vertices = vertices, faces = faces, material = material }
    return
  end
  local children = {}
  for i, p in ipairs(rectangles(random, planar, whole, uneven)) do
    local shape, at = piece_of(kind, planar, p)
    if kind == "compound" then children[i] = { shape, at }
    else world:body{ type = "static", shape = shape, position = at, material = material } end
  end
  if kind == "compound" then world:body{ type = "static", shape = delassus.compound(children), material = material } end
end

--- The random choices of one throw.
local function choose(seed, planar, kinds, uneven)
  local random = delassus.random(seed)
  local function pick(list) return list[random:integer(1, #list)] end
  local c = { seed = seed, planar = planar, uneven = uneven }
  c.kind, c.floor, c.dt, c.v = pick(kinds), pick(FLOORS[planar]), pick{ 1e-3, 5e-3 }, 10 ^ random:uniform(0, 3)
  local s = uneven > 0 and random:uniform(0.08, 0.15) or random:uniform(0.02, 0.1)
  local down, spin = 10 ^ random:uniform(-2, 0), pick{ 0, 10, 100 }
  local azimuth = planar and pick{ 0, math.pi } or random:uniform(0, 6.283)
  local function turn() return random:uniform(-1, 1) end
  -- What lies flat at once shares friction in many ways: it comes askew where there is some.
  local friction = uneven > 0 and 0 or pick{ 0, 0.3, 1 }
  local askew = friction > 0 or random:integer(0, 2) > 0
  local o = body_options(c.kind, planar, s)
  o.density = 1000
  if askew and planar then o.rotation = random:uniform(0, 6)
  elseif askew then o.rotation = { axis = { turn(), turn(), turn() + 0.01 }, angle = random:uniform(0, 6) } end
  local along = c.v * math.sqrt(1 - math.min(down, 1) ^ 2)
  c.velocity = { along * math.cos(azimuth), planar and 0 or along * math.sin(azimuth), -c.v * down }
  o.velocity = vec(planar, table.unpack(c.velocity))
  o.angular_velocity = planar and spin * turn() or { spin * turn(), spin * turn(), spin * turn() }
  c.options, c.at, c.share = o, { random:uniform(-2.5, 2.5), random:uniform(-1.5, 1.5) }, 1 + random:uniform()
  c.friction, c.restitution = friction, pick{ 0, 0, 0.5, 1 }
  return c
end

--- How high a body is above the level of the floor.
local function height(body, planar)
  local level = delassus.plane{ normal = vec(planar, 0, 0, 1), offset = 0 }
  return (delassus.distance(body.shape, { position = body.position, rotation = body.rotation }, level, nil))
end

--- A world of a throw, which meets the floor in its second step or about it, and the body.
local function throw(c, whole)
  local world = delassus.world{ planar = c.planar, record = false, dt = c.dt, gravity = vec(c.planar, 0, 0, 0) }
  local material = delassus.material{ friction = c.friction, restitution = c.restitution }
  add_floor(world, delassus.random(7919 * c.seed), c.floor, whole, c.uneven, material)
  local o = { material = material, position = vec(c.planar, c.at[1], c.at[2], 5) }
  for k, v in pairs(c.options) do o[k] = v end
  local body = o.shape and world:body(o) or world[c.kind](world, o)
  local t, gap = c.dt * c.share, height(body, c.planar)
  body.position = vec(c.planar, c.at[1] - c.velocity[1] * t, c.at[2] - c.velocity[2] * t, 5 - gap - c.velocity[3] * t)
  return world, body
end

local function told(c) return ("seed %d: a %s onto %s at %.3g m/s"):format(c.seed, c.kind, c.floor, c.v) end

describe("what is thrown onto a floor in pieces", function()
  for _, planar in ipairs{ true, false } do
    local where = planar and "in the plane" or "in space"

    it("goes on as from one whole piece, with friction and rebounds, " .. where, function()
      local struck = 0
      for seed = 1, 2 * SEEDS do
        local c = choose(seed, planar, ALL[planar], 0)
        local one <close>, body = throw(c, true)
        local many <close>, other = throw(c, false)
        local before, hit = body.velocity, false
        for _ = 1, 4 do
          one:step()
          many:step()
          hit = (body.velocity - before):norm() > 1e-9 * c.v or (other.velocity - before):norm() > 1e-9 * c.v
          if hit then break end
        end
        struck = struck + (hit and 1 or 0)
        -- The ends of a flat stand on the other piece by its overlap times its slope, squared, farther.
        assert.is_true((other.velocity - body.velocity):norm() <= 1e-5 * c.v, told(c))
      end
      assert.is_true(struck > 1.8 * SEEDS, "most of them meet the floor")
    end)

    it("keeps its velocity along pieces that are uneven by up to 1 mm, without friction, " .. where, function()
      for seed = 1, 2 * SEEDS do
        local c = choose(seed, planar, ROUND[planar], 1e-3)
        local world <close>, body = throw(c, false)
        world:step(4)
        local after = body.velocity
        assert.near(c.velocity[1], after[1], 1e-4 * c.v, told(c))
        if not planar then assert.near(c.velocity[2], after[2], 1e-4 * c.v, told(c)) end
        -- A tenth of a thickness is what two bodies may go on into each other behind a touch.
        local x, y = body.position[1], planar and 0 or body.position[2]
        local over = math.abs(x) < LONG and math.abs(y) < WIDE
        assert.is_true(not over or height(body, planar) > -0.015, told(c) .. " sinks in")
      end
    end)
  end
end)
