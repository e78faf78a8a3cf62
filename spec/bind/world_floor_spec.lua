-- SPDX-License-Identifier: MIT
-- Floors in pieces: features that a neighbouring piece covers make no contact, what is really there does. Oracles: what
-- glides without friction keeps its velocity; one body that has no seams; heights that geometry tells.
local delassus = require "delassus"
local seeds = require "support.seeds"

local function world_of(planar) return delassus.world{ record = false, planar = planar } end

local function body_of(world, shape, position, rotation)
  return world:body{ type = "static", shape = shape, position = position, rotation = rotation, friction = 0 }
end

-- --- floors ------------------------------------------------------------------------------------------

--- A strip of rectangles {x, y, length, width, depth, top} from -0.5 to 1 in x and -0.8 to 0.8 in y.
local function pieces_of(random, uneven)
  local all, x = {}, -0.5
  while x < 1 do
    local length, y = random:uniform(0.2, 0.5), -0.8
    while y < 0.8 do
      local width = random:uniform(0.4, 1)
      all[#all + 1] = { x, y, length, width, random:uniform(0.1, 0.6), -uneven * random:uniform() }
      y = y + width
    end
    x = x + length
  end
  return all
end

local function box_of(p)
  return delassus.box{ size = { p[3], p[4], p[5] } }, { p[1] + p[3] / 2, p[2] + p[4] / 2, p[6] - p[5] / 2 }
end

--- The same, narrower below.
local function convex_of(p)
  local x, y, z, s = { p[1], p[1] + p[3] }, { p[2], p[2] + p[4] }, { p[6] - p[5], p[6] }, 0.02
  local points = {}
  for i = 0, 7 do
    local a, b, c = i & 1, i >> 1 & 1, i >> 2
    points[#points + 1] = { x[1 + a] + (1 - c) * s * (1 - 2 * a), y[1 + b] + (1 - c) * s * (1 - 2 * b), z[1 + c] }
  end
  return delassus.convex{ points = points }, { 0, 0, 0 }
end

local function mesh_of(random)
  local vertices, faces, nx, ny = {}, {}, 8, 5
  local function at(i, j) return i * (ny + 1) + j + 1 end
  for i = 0, nx do
    for j = 0, ny do
      local inside = i > 0 and i < nx and j > 0 and j < ny and 1 or 0
      local x, y = inside * random:uniform(-0.05, 0.05), inside * random:uniform(-0.1, 0.1)
      vertices[#vertices + 1] = { -0.5 + 0.25 * i + x, -0.9 + 0.36 * j + y, 0 }
    end
  end
  for i = 0, nx - 1 do
    for j = 0, ny - 1 do
      local a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
      if random:integer(0, 1) == 0 then faces[#faces + 1], faces[#faces + 2] = {a, b, c}, {a, c, d}
      else faces[#faces + 1], faces[#faces + 2] = {a, b, d}, {b, c, d} end
    end
  end
  return vertices, faces
end

local floors = { "boxes", "convexes", "a compound", "a mesh", "a mesh of loose sheets" }

local function add_floor(world, random, kind, uneven)
  if kind == "a mesh" then
    local vertices, faces = mesh_of(random)
    world:mesh{ vertices = vertices, faces = faces, type = "static", friction = 0 }
    return
  end
  local children, vertices, faces = {}, {}, {}
  for i, p in ipairs(pieces_of(random, uneven)) do
    local shape, at = (kind == "boxes" or i % 2 == 0 and kind ~= "convexes") and box_of or convex_of
    shape, at = shape(p)
    if kind == "a compound" then children[i] = { shape, at }
    elseif kind == "a mesh of loose sheets" then
      local n = #vertices
      for k, c in ipairs{ {0, 0}, {1, 0}, {1, 1}, {0, 1} } do
        vertices[n + k] = { p[1] + c[1] * p[3], p[2] + c[2] * p[4], p[6] }
      end
      faces[#faces + 1], faces[#faces + 2] = {n + 1, n + 2, n + 3}, {n + 1, n + 3, n + 4}
    else body_of(world, shape, at) end
  end
  if #children > 0 then body_of(world, delassus.compound(children)) end
  if #faces > 0 then world:mesh{ vertices = vertices, faces = faces, type = "static", friction = 0 } end
end

-- --- what glides ---------------------------------------------------------------------------------------

local cut = { {-0.15, -0.1, -0.1}, {0.15, -0.1, -0.1}, {-0.15, 0.1, -0.1}, {0.15, 0.1, -0.1}, {-0.1, -0.1, 0.1}, {0.1, -0.1, 0.1},
  {-0.1, 0.1, 0.1}, {0.1, 0.1, 0.1} }
local half = delassus.box{ size = {0.15, 0.2, 0.2} }
local upright = { axis = {0, 1, 0}, angle = -math.pi / 2 }
local kinds = {
  function() return delassus.box{ size = {0.3, 0.2, 0.2} } end,
  function() return delassus.sphere{ radius = 0.1 } end,
  function() return delassus.capsule{ radius = 0.1, length = 0.3 } end,
  function() return delassus.cylinder{ radius = 0.1, length = 0.3 } end,
  function() return delassus.cylinder{ radius = 0.1, length = 0.2 }, upright end,
  function() return delassus.cone{ radius1 = 0.1, radius2 = 0.06, length = 0.2 }, upright end,
  function() return delassus.convex{ points = cut } end,
  function() return delassus.ellipsoid{ radii = {0.2, 0.15, 0.1} } end,
  function() return delassus.compound{ { half, {-0.075, 0, 0} }, { half, {0.075, 0, 0} } } end,
}

local function add_gliding(world, random, kind)
  local shape, rotation = kinds[kind]()
  return world:body{ shape = shape, density = 500, friction = 0, position = {-0.1, random:uniform(-0.2, 0.2), 0.1},
    rotation = rotation or { axis = {0, 0, 1}, angle = random:uniform(0, 6) },
    velocity = { random:uniform(0.5, 1.2), random:uniform(-0.3, 0.3), 0 } }
end

describe("a floor in pieces, in space", function()
  for _, floor in ipairs(floors) do
    it("is one to what glides over it: velocities are kept (40 seeds, 9 kinds): " .. floor, function()
      for seed = 1, 40 do
        local random = delassus.random(seed)
        local world <close> = world_of(false)
        add_floor(world, random, floor, 0)
        local body = add_gliding(world, random, 1 + seed % #kinds)
        local start = body.velocity
        world:run(0.4)
        -- Round-off of some hundred steps; a seam that is felt takes 1e-3 to all of it.
        assert.is_true((body.velocity - start):norm() < 1e-9, "seed " .. seed)
        assert.is_true(type(body.angular_velocity) == "number" or body.angular_velocity:norm() < 1e-8, "seed " .. seed)
      end
    end)
  end

  it("stops nothing where its pieces are uneven by up to 1 mm (40 seeds)", function()
    for seed = 1, 40 do
      local random = delassus.random(seed)
      local world <close> = world_of(false)
      add_floor(world, random, floors[1 + seed % 3], 1e-3)
      local body = add_gliding(world, random, 1 + seed % #kinds)
      local start = body.velocity
      world:run(0.4)
      local change = body.velocity - start
      -- It tilts by up to 1 mm over its length on the way: the velocity of its centre sways by as much.
      assert.is_true(math.sqrt(change.x ^ 2 + change.y ^ 2) < 5e-3, "seed " .. seed)
      assert.is_true(math.abs(body.position.z - 0.1) < 2.5e-3, "seed " .. seed)
    end
  end)

  it("turns as one, of boxes that go round a common axis", function()
    local function run(pieces)
      local world <close> = world_of(false)
      for i = 1, pieces do
        local x = -1 + (2 * i - 1) / pieces
        world:box{ type = "kinematic", size = {2 / pieces, 2, 0.2}, friction = 0, motion = function(t)
          local c, d = math.cos(0.5 * t), math.sin(0.5 * t)
          return {x * c, x * d, -0.1}, { axis = {0, 0, 1}, angle = 0.5 * t }, {-0.5 * x * d, 0.5 * x * c, 0}, {0, 0, 0.5}
        end }
      end
      local ball = world:box{ size = {0.2, 0.2, 0.2}, density = 500, friction = 0, position = {-0.4, 0.1, 0.1},
        velocity = {1, 0, 0} }
      world:run(0.8)
      return ball.velocity
    end
    assert.is_true((run(5) - run(1)):norm() < 1e-9)
  end)

  it("has walls, steps and ends as ever", function()
    local shapes = { box = delassus.box{ size = {0.2, 0.2, 0.2} }, ball = delassus.sphere{ radius = 0.1 },
      log = delassus.cylinder{ radius = 0.1, length = 0.3 } }
    local function run(shape, foot, high, how, turn)
      local world <close> = world_of(false)
      local wall = delassus.box{ size = {1, 4, high - foot} }
      local floor = delassus.box{ size = {4, 4, 1} }
      if how == "bodies" then
        body_of(world, floor, {0, 0, -0.5})
        body_of(world, wall, {2.5, 0, (high + foot) / 2})
      else
        body_of(world, delassus.compound{ { floor, {0, 0, -0.5} }, { wall, {2.5, 0, (high + foot) / 2} } })
      end
      local body = world:body{ shape = shapes[shape], density = 500, friction = 0, position = {1.5, 0.05, 0.1},
        velocity = {2, 0, 0}, rotation = turn and { axis = {0, 0, 1}, angle = math.pi / 2 } or nil }
      world:run(0.4)
      return body.position, body.velocity
    end
    for _, how in ipairs{ "bodies", "a compound" } do
      for _, foot in ipairs{ 0, -0.3 } do
        for shape in pairs(shapes) do
          local position, velocity = run(shape, foot, 0.4, how, shape == "log")
          assert.is_near(1.9, position.x, 1e-6)
          assert.is_near(0, velocity:norm(), 1e-9)
          -- 3 mm are a step: a ball is slowed down by its edge, a box trips.
          position, velocity = run(shape, foot, 0.003, how, shape == "log")
          assert.is_true(position.z > 0.1003 and velocity.x < 1.99, shape)
        end
      end
    end
  end)

  it("holds what lies in its grooves, however sharp", function()
    for _, turn in ipairs{ 20, 45, 70 } do -- between either side and the vertical, degrees
      local a = math.rad(turn)
      for _, how in ipairs{ "bodies", "a compound", "a mesh" } do
        local world <close> = world_of(false)
        local children = {}
        for k, s in ipairs{ -1, 1 } do
          local u, n = { s * math.sin(a), math.cos(a) }, { -s * math.cos(a), math.sin(a) }
          children[k] = { delassus.box{ size = {1, 4, 0.2} }, { u[1] / 2 - 0.1 * n[1], 0, u[2] / 2 - 0.1 * n[2] },
            { axis = {0, 1, 0}, angle = math.atan(-u[2], u[1]) } }
        end
        local x, z = math.sin(a), math.cos(a)
        if how == "bodies" then for _, c in ipairs(children) do body_of(world, table.unpack(c)) end
        elseif how == "a compound" then body_of(world, delassus.compound(children))
        else
          world:mesh{ type = "static", friction = 0,
            vertices = { {-x, -2, z}, {0, -2, 0}, {x, -2, z}, {-x, 2, z}, {0, 2, 0}, {x, 2, z} },
            faces = { {1, 2, 5}, {1, 5, 4}, {2, 3, 6}, {2, 6, 5} } }
        end
        local ball = world:sphere{ radius = 0.1, density = 500, friction = 0, position = {0, 0.5, 0.1 / math.sin(a)} }
        local log = world:cylinder{ radius = 0.1, length = 0.3, density = 500, friction = 0,
          position = {0, -0.5, 0.1 / math.sin(a)}, rotation = { axis = {0, 0, 1}, angle = math.pi / 2 } }
        world:run(0.3)
        assert.is_near(0.1 / math.sin(a), ball.position.z, 1e-6)
        assert.is_near(0.1 / math.sin(a), log.position.z, 1e-6)
      end
    end
  end)

  it("stops what falls into its valleys, with whatever comes first (200 seeds)", function()
    local tip = delassus.convex{ points = { {-0.1, -0.1, -0.1}, {0.1, -0.1, -0.1}, {0, 0.12, -0.1}, {0, 0, 0.1} } }
    local shapes = { tip, delassus.box{ size = {0.2, 0.15, 0.1} }, delassus.cone{ radius1 = 0.08, radius2 = 0.04, length = 0.2 },
      delassus.sphere{ radius = 0.05 } }
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local world <close> = world_of(false)
      local children, slope = {}, { random:uniform(0.02, 1.2), random:uniform(-0.5, 1.2) }
      for k, side in ipairs{ -1, 1 } do
        local points = {}
        for _, y in ipairs{ -1, 1 } do
          for _, at in ipairs{ {0, 0}, {side, slope[k]}, {0, -1}, {side, -1} } do points[#points + 1] = { at[1], y, at[2] } end
        end
        children[k] = { delassus.convex{ points = points }, {0, 0, 0} }
      end
      if seed % 2 == 0 then body_of(world, delassus.compound(children))
      else for _, c in ipairs(children) do body_of(world, c[1], c[2]) end end
      local body = world:body{ shape = shapes[1 + seed % #shapes], density = 500, friction = 0.5,
        position = { random:uniform(-3e-3, 3e-3), 0, 0.3 }, velocity = {0, 0, -random:uniform(0.5, 7)},
        rotation = { axis = { random:uniform(-1, 1), random:uniform(-1, 1), 1 }, angle = random:uniform(0, 3) } }
      for _ = 1, 250 do
        world:step()
        local c = body.centre
        assert.is_true(c.z > (c.x < 0 and -slope[1] * c.x or slope[2] * c.x), "seed " .. seed)
      end
    end
  end)

  it("has outer edges as one body has, beside a seam too, and ridges (20 seeds)", function()
    for seed = 1, 20 do
      local random = delassus.random(seed)
      local function fall(pieces, x, y)
        local world <close> = world_of(false)
        for i = 1, pieces do
          world:box{ type = "static", size = {2.5 / pieces, 2, 0.3}, friction = 0.9,
            position = {-1.25 + 2.5 * (i - 0.5) / pieces, 0, -0.15} }
        end
        local ball = world:sphere{ radius = 0.1, density = 500, position = {x, y, 0.15}, velocity = {0, 0, -1} }
        world:run(0.2)
        return ball.position
      end
      local x, y = -0.25 + random:uniform(-1e-3, 1e-3), 1 + random:uniform(-0.02, 0.06)
      assert.is_true((fall(5, x, y) - fall(1, x, y)):norm() < 1e-9, "seed " .. seed)

      local world <close> = world_of(false)
      local a = random:uniform(0.05, 0.8)
      for _, s in ipairs{ -1, 1 } do
        body_of(world, delassus.box{ size = {1, 2, 0.2} },
          {s * (0.5 * math.cos(a) - 0.1 * math.sin(a)), 0, -0.5 * math.sin(a) - 0.1 * math.cos(a)},
          { axis = {0, 1, 0}, angle = s * a })
      end
      local ball = world:sphere{ radius = 0.1, density = 500, position = {0, 0.3, 0.12}, velocity = {0, 0, -1} }
      world:run(0.05)
      assert.is_near(0.1, ball.position.z, 1e-5)
    end
  end)
end)

describe("a floor in pieces, in the plane", function()
  it("is one to what glides over it: velocities are kept (200 seeds)", function()
    local pair = delassus.box{ size = {0.15, 0.2} }
    local shapes = { delassus.disk{ radius = 0.1 }, delassus.capsule{ radius = 0.1, length = 0.3 },
      delassus.box{ size = {0.3, 0.2} }, delassus.polygon{ points = { {-0.15, -0.1}, {0.15, -0.1}, {0.1, 0.1}, {-0.1, 0.1} } },
      delassus.compound{ { pair, {-0.075, 0} }, { pair, {0.075, 0} } } }
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local world <close> = world_of(true)
      local x, children, uneven = -1, {}, seed % 4 == 0 and 1e-3 or 0
      while x < 2 do
        local length, deep, top = random:uniform(0.2, 0.7), random:uniform(0.1, 0.5), -uneven * random:uniform()
        local kind, at, shape = (seed + (seed % 3 == 0 and #children or 0)) % 3, {0, 0}
        if kind == 0 then shape = delassus.segment{ {x, top}, {x + length, top} }
        elseif kind == 1 then shape, at = delassus.box{ size = {length, deep} }, {x + length / 2, top - deep / 2}
        else shape = delassus.polygon{ points = { {x, top}, {x, top - deep}, {x + length, top - deep}, {x + length, top} } } end
        children[#children + 1] = { shape, at }
        x = x + length
      end
      if seed % 2 == 0 then body_of(world, delassus.compound(children))
      else for _, c in ipairs(children) do body_of(world, c[1], c[2]) end end
      local body = world:body{ shape = shapes[1 + seed % #shapes], density = 500, friction = 0, position = {-0.3, 0.1},
        velocity = {random:uniform(0.5, 1.5), 0} }
      local v = body.velocity.x
      world:run(0.4)
      assert.is_near(v, body.velocity.x, uneven > 0 and 5e-3 or 1e-9, "seed " .. seed)
    end
  end)

  it("holds a tip in its grooves", function()
    for _, turn in ipairs{ 30, 45, 60 } do
      local world <close> = world_of(true)
      local a = math.rad(turn)
      for _, s in ipairs{ -1, 1 } do
        local u, n = { s * math.sin(a), math.cos(a) }, { -s * math.cos(a), math.sin(a) }
        world:polygon{ type = "static", friction = 0.5,
          points = { {0, 0}, {u[1], u[2]}, {u[1] - 0.3 * n[1], u[2] - 0.3 * n[2]}, {-0.3 * n[1], -0.3 * n[2]} } }
      end
      local tip = world:polygon{ points = { {0, 0}, {0.05, 0.3}, {-0.05, 0.3} }, density = 500, position = {0, 0.1},
        friction = 0.5 }
      local low = 1
      for _ = 1, 400 do
        world:step()
        low = math.min(low, tip.position.y)
      end
      assert.is_true(low > -2e-3, turn .. " degrees: " .. low)
    end
  end)
end)
