-- SPDX-License-Identifier: MIT
-- Floors in pieces: where one ends and the next begins, level with it, nothing stops what slides over them.
local delassus = require "delassus"
local seeds = require "support.seeds"

local G = 9.81

--- Adds a floor along the x axis from -3 to 3 in pieces of one kind, as bodies or as one compound, turned by `angle`.
local function add_floor(world, random, kind, angle, friction)
  local pieces, from = {}, -3
  while from < 3 do
    local to = math.min(3, from + random:uniform(0.2, 1))
    local deep = random:uniform(0.1, 0.5)
    local shape, at
    if kind == "segments" then shape, at = delassus.segment{ {from, 0}, {to, 0} }, {0, 0}
    elseif kind == "boxes" then shape, at = delassus.box{ size = {to - from, deep} }, {(from + to) / 2, -deep / 2}
    else shape, at = delassus.polygon{ points = { {from, 0}, {from, -deep}, {to, -deep}, {to, 0} } }, {0, 0} end
    pieces[#pieces + 1] = { shape, at }
    from = to
  end
  local material = delassus.material{ friction = friction }
  if random:integer(0, 1) == 1 then
    return world:body{ type = "static", shape = delassus.compound(pieces), rotation = angle, material = material }
  end
  local c, s = math.cos(angle), math.sin(angle)
  for _, piece in ipairs(pieces) do
    local x, y = piece[2][1], piece[2][2]
    world:body{ type = "static", shape = piece[1], position = {c * x - s * y, s * x + c * y}, rotation = angle,
      material = material }
  end
end

describe("A block that slides over a floor in pieces", function()
  for _, kind in ipairs{ "segments", "boxes", "polygons" } do
    it("is exact: nothing but friction brakes it, over every seam (200 seeds): " .. kind, function()
      for seed = 1, seeds(200) do
        local random = delassus.random(seed)
        local world <close> = delassus.world{ planar = true, record = false }
        local angle, mu = random:uniform(-0.3, 0.3), seed % 3 == 0 and 0 or random:uniform(0, 0.2)
        add_floor(world, random, kind, angle, mu)
        local c, s = math.cos(angle), math.sin(angle)
        local height, v = random:uniform(0.1, 0.3), random:uniform(4, 8)
        local block = world:box{ size = {random:uniform(0.2, 0.4), height}, density = 100, friction = mu, rotation = angle,
          position = {-2.7 * c - height / 2 * s, -2.7 * s + height / 2 * c}, velocity = {v * c, v * s} }
        local rate, t = G * (s + mu * c), 0.4
        world:run(t)
        assert.is_near(v - rate * t, block.velocity.x * c + block.velocity.y * s, 1e-9, "seed " .. seed)
        assert.is_near(-2.7 + v * t - rate * t * t / 2, block.position.x * c + block.position.y * s, 1e-9)
        assert.is_near(height / 2, block.position.y * c - block.position.x * s, 1e-9)
        assert.is_near(angle, block.rotation, 1e-9)
      end
    end)
  end

  it("is stopped by what stands on the floor, from its level or from below", function()
    for _, foot in ipairs{ 0, -0.3 } do
      local world <close> = delassus.world{ planar = true }
      world:body{ type = "static", shape = delassus.box{ size = {4, 1} }, position = {0, -0.5} }
      world:body{ type = "static", shape = delassus.box{ size = {1, 1} }, position = {2, foot + 0.5} }
      local block = world:box{ size = {0.2, 0.2}, density = 100, position = {0, 0.1}, velocity = {2, 0}, friction = 0 }
      world:run(1)
      assert.is_near(1.4, block.position.x, 1e-9)
      assert.is_near(0, block.velocity:norm(), 1e-9)
    end
  end)
end)

--- Adds a floor of boxes side by side, or of triangles askew, about the origin.
local function add_level_floor(world, random, kind, material)
  if kind == "boxes" then
    for i = -4, 4 do
      for j = -4, 4 do
        world:box{ type = "static", size = {0.6, 0.6, 0.3}, material = material,
          position = {0.6 * i + 0.3 * (j % 2), 0.6 * j, -0.15} }
      end
    end
    return
  end
  local vertices, faces, n = {}, {}, 8
  for i = 0, n do
    for j = 0, n do
      local inside = i > 0 and i < n and j > 0 and j < n
      local x, y = random:uniform(-0.15, 0.15), random:uniform(-0.15, 0.15)
      vertices[#vertices + 1] = { 0.6 * i - 2.4 + (inside and x or 0), 0.6 * j - 2.4 + (inside and y or 0), 0 }
    end
  end
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local a = i * (n + 1) + j + 1
      faces[#faces + 1], faces[#faces + 2] = { a, a + n + 1, a + n + 2 }, { a, a + n + 2, a + 1 }
    end
  end
  world:mesh{ type = "static", vertices = vertices, faces = faces, material = material }
end

describe("What tumbles without friction over a level floor in pieces, and comes to lie flat over its seams", function()
  for _, kind in ipairs{ "boxes", "mesh" } do
    it("keeps its velocity along the floor to round-off (200 seeds): " .. kind, function()
      for seed = 1, seeds(200) do
        local random = delassus.random(seed)
        local world <close> = delassus.world{ record = false }
        local material, s, points = delassus.material{ friction = 0 }, random:uniform(0.05, 0.15), {}
        add_level_floor(world, random, kind, material)
        for k = 1, random:integer(5, 10) do
          points[k] = { random:uniform(-s, s), random:uniform(-s, s), random:uniform(-s, s) }
        end
        local body = world:convex{ points = points, density = 500, material = material }
        local v, turn = 10 ^ random:uniform(-1, 0.5), random:uniform(0, 6)
        local level = delassus.plane{ normal = {0, 0, 1}, offset = 0 }
        local gap = delassus.distance(body.shape, { position = {0, 0, 0} }, level, nil)
        local vx, vy = v * math.cos(turn), v * math.sin(turn)
        body.position, body.velocity = { -0.25 * vx, -0.25 * vy, -gap }, { vx, vy, 0 }
        world:step(500)
        local after = body.velocity
        assert.near(0, math.sqrt((after[1] - vx) ^ 2 + (after[2] - vy) ^ 2), 1e-9 * v, "seed " .. seed)
      end
    end)
  end
end)

-- A corner of the body is in the corner of the room, in up to three thin walls at once: each wall's neighbours hold that
-- place, too, and must not answer for it. Oracle: no point of the body is beyond the planes of the walls in the end.
describe("a corner between three thin walls", function()
  it("lets out what has sunk into all of them (200 seeds)", function()
    local half = 0.4
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local world <close> = delassus.world{ gravity = {0, 0, 0}, record = false }
      local t = random:uniform(0.001, 0.003)
      for k = 1, 3 do
        local size, place = { 2 * (half + t), 2 * (half + t), 2 * (half + t) }, { 0, 0, 0 }
        size[k], place[k] = t, half + t / 2
        world:box{ type = "static", size = size, position = place }
      end
      local s, points = random:uniform(0.02, 0.1), {}
      local function sunk() return half + 0.3 * t * random:uniform(-0.3, 1) end
      local function inside() return half - s * random:uniform(0.1, 1) end
      for k = 1, random:integer(5, 10) do
        points[k] = k == 1 and { sunk(), sunk(), sunk() } or { inside(), inside(), inside() }
      end
      local body = world:convex{ points = points, density = 1000 }
      world:step(30)
      for k = 1, 3 do
        local normal = { 0, 0, 0 }
        normal[k] = -1
        local level = delassus.plane{ normal = normal, offset = -half }
        local at = { position = body.position, rotation = body.rotation }
        assert.is_true(delassus.distance(body.shape, at, level, nil) > -1e-8, "seed " .. seed)
      end
    end
  end)
end)

describe("a child of a compound", function()
  local function uniform(random, a) return random:uniform(-a, a) end

  --- Touches of a body on a ground in pieces, as text; packed: as the one child of a compound
  local function touches(seed, planar, shape, ground, packed)
    local world <close> = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, record = false }
    local random = delassus.random(seed)
    ground(world)
    if packed then shape = delassus.compound{ { shape = shape } } end
    local tilt = (seed % 2 == 0 and 0.1 or 1.5) * uniform(random, 1)
    local at = { uniform(random, 0.5), uniform(random, 0.5), 0.1 + random:uniform(0, 0.1) }
    world:body{ shape = shape, density = 1000, position = planar and { at[1], at[3] } or at,
      rotation = planar and tilt or { axis = { uniform(random, 1), uniform(random, 1), uniform(random, 1) }, angle = tilt } }
    world:step()
    local list = {}
    for contact in world:contacts() do
      local text, up = ("%.6f"):format(contact.gap + 1e-9), contact.normal[planar and 2 or 3] < 0 and -1 or 1
      for i = 1, planar and 2 or 3 do
        text = text .. (" %.6f %.4f"):format(contact.point[i] + 1e-9, up * contact.normal[i] + 1e-9)
      end
      list[#list + 1] = text
    end
    table.sort(list)
    return table.concat(list, "\n")
  end

  local function look(planar, shapes, grounds, n)
    local failed = {}
    for name, shape in pairs(shapes) do
      for floor, ground in pairs(grounds) do
        for seed = 1, seeds(n) do
          local alone, packed = touches(seed, planar, shape, ground, false), touches(seed, planar, shape, ground, true)
          local told = "%s on %s, seed %d:\n%s\nin a compound:\n%s"
          if alone ~= packed then failed[#failed + 1] = told:format(name, floor, seed, alone, packed) end
        end
      end
    end
    assert.is_true(#failed == 0, #failed .. " differ: " .. (failed[1] or ""))
  end

  it("touches seams of a floor as by itself (agreement), in space", function()
    local function tiles(world, together)
      local tile, children = delassus.box{ size = { 0.5, 0.5, 0.4 } }, {}
      for i = -3, 3 do
        for j = -3, 3 do
          local place = { 0.5 * i, 0.5 * j, -0.2 }
          children[#children + 1] = { shape = tile, position = place }
          if not together then world:body{ type = "static", shape = tile, position = place } end
        end
      end
      if together then world:body{ type = "static", shape = delassus.compound(children) } end
    end
    local function mesh(world)
      local vertices, faces = {}, {}
      for i = 0, 6 do for j = 0, 6 do vertices[#vertices + 1] = { -1.5 + 0.5 * i, -1.5 + 0.5 * j, 0 } end end
      for i = 0, 5 do
        for j = 0, 5 do
          local a = i * 7 + j + 1
          faces[#faces + 1], faces[#faces + 2] = { a, a + 7, a + 8 }, { a, a + 8, a + 1 }
        end
      end
      world:mesh{ vertices = vertices, faces = faces, type = "static" }
    end
    look(false, { box = delassus.box{ size = { 0.4, 0.3, 0.2 } }, cylinder = delassus.cylinder{ radius = 0.1, length = 0.4 },
      cone = delassus.cone{ radius1 = 0.12, radius2 = 0.07, length = 0.4 },
      capsule = delassus.capsule{ radius = 0.1, length = 0.4 } },
      { tiles = tiles, compound = function(world) tiles(world, true) end, mesh = mesh }, 60)
  end)

  it("touches seams of a floor as by itself (agreement), in the plane", function()
    local function tiles(world)
      for i = -3, 3 do world:box{ type = "static", size = { 0.5, 0.4 }, position = { 0.5 * i, -0.2 } } end
    end
    look(true, { box = delassus.box{ size = { 0.4, 0.3 } }, capsule = delassus.capsule{ radius = 0.1, length = 0.4 },
      polygon = delassus.polygon{ points = { { -0.2, -0.1 }, { 0.2, -0.1 }, { 0.1, 0.1 }, { -0.1, 0.1 } } } },
      { tiles = tiles }, 100)
  end)
end)

describe("a box in a corner between two slopes", function()
  -- A corner of it that sinks into both within a step touches both: each wall had answered for the other.
  it("comes to rest in large steps (200 seeds)", function()
    for _, planar in ipairs{ true, false } do -- half spaces in the plane, boxes in space
      for seed = 1, seeds(200) do
        local random = delassus.random(seed)
        local friction, left, right = random:uniform(0.02, 0.2), random:uniform(0.2, 1.2), random:uniform(0.2, 1.4)
        local world <close> = delassus.world{ planar = planar, dt = 1 / 60, record = false }
        for _, angle in ipairs{ -left, right } do
          local x, y = -math.sin(angle), math.cos(angle)
          if planar then world:plane{ type = "static", normal = { x, y }, friction = friction }
          else
            world:box{ type = "static", size = { 10, 10, 1 }, position = { -0.5 * x, 0, -0.5 * y },
              rotation = { axis = { 0, -1, 0 }, angle = angle }, friction = friction }
          end
        end
        local long, high, angle = random:uniform(0.1, 0.6), random:uniform(0.1, 0.6), random:uniform(-3, 3)
        local box = world:box{ size = planar and { long, high } or { long, random:uniform(0.1, 0.6), high }, density = 100,
          position = planar and { 0, 1 } or { 0, 0, 1 }, friction = friction,
          rotation = planar and angle or { axis = { 0, 1, seed % 2 / 2 }, angle = angle } }
        world:run(5)
        for _ = 1, 2 do
          world:step()
          local w = box.angular_velocity
          local speed = box.velocity:norm() + (planar and math.abs(w) or w:norm())
          assert.is_true(speed < 1e-3, ("seed %d, %s: %g"):format(seed, planar and "plane" or "space", speed))
        end
      end
    end
  end)
end)
