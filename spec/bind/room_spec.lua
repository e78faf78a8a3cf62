-- SPDX-License-Identifier: MIT
-- Rooms of fast bodies: several touches a step of every body, of walls and of each other.
local delassus = require "delassus"
local seeds = require "support.seeds"

local SEEDS = seeds(200)

local KINDS = {
  [true] = { "disk", "box", "capsule", "polygon" },
  [false] = { "sphere", "box", "capsule", "convex", "cylinder", "cone", "ellipsoid" },
}

local function vec(planar, x, y, z) return planar and { x, y } or { x, y, z or 0 } end

--- Options of a shape of about the size s.
local function options_of(kind, planar, s)
  if kind == "disk" or kind == "sphere" then return { radius = s } end
  if kind == "box" then return { size = planar and { s, 2 * s } or { s, 2 * s, 1.5 * s } } end
  if kind == "capsule" or kind == "cylinder" then return { radius = s / 2, length = 2 * s } end
  if kind == "cone" then return { radius1 = s / 2, radius2 = s / 3, length = 2 * s } end
  if kind == "ellipsoid" then return { radii = { s, s / 2, s / 3 } } end
  if kind == "polygon" then return { points = { { -s, -s / 2 }, { 2 * s, -s / 2 }, { 0, s } } } end
  return { points = { { -s, -s, -s }, { s, 0, 0 }, { 0, s, 0 }, { 0, 0, s }, { -s, s, s } } }
end

--- The inside is [-1, 1] in every direction: of boxes of the thickness t, or of half spaces.
local function add_walls(world, planar, kind, t, material)
  local d = planar and 2 or 3
  for k = 1, d do
    for _, side in ipairs{ -1, 1 } do
      local size, place, normal = {}, {}, {}
      for j = 1, d do size[j], place[j], normal[j] = 2 + 2 * t, 0, 0 end
      size[k], place[k], normal[k] = t, side * (1 + t / 2), -side
      if kind == "plane" then world:wall{ normal = normal, offset = -1, material = material }
      else world:box{ type = "static", size = size, position = place, material = material } end
    end
  end
end

--- Twelve bodies of mixed shapes on a grid, each at the speed v somewhere.
local function new_room(seed, planar, v, o)
  local random = delassus.random(seed)
  local function from(a, b) return a + (b - a) * random:uniform() end
  local function pick(list) return list[random:integer(1, #list)] end
  local world = delassus.world{ planar = planar, gravity = vec(planar, 0, 0), record = false, dt = pick(o.dt) }
  local material = delassus.material{ restitution = pick(o.restitution), friction = pick(o.friction) }
  add_walls(world, planar, pick{ "box", "plane" }, from(0.01, 0.05), material)
  local d, spin, side = planar and 2 or 3, pick{ 0, 30, 300 }, planar and 4 or 3
  local function place(i) return (i % side + 0.5) / side * 1.6 - 0.8 end
  local bodies = {}
  for i = 0, 11 do
    local kind, dir, speed = pick(KINDS[planar]), { from(-1, 1), from(-1, 1), planar and 0 or from(-1, 1) }, 0
    for j = 1, d do speed = speed + dir[j] ^ 2 end
    for j = 1, d do dir[j] = dir[j] * v / math.sqrt(speed) end
    local options = options_of(kind, planar, from(0.01, 0.06))
    options.density, options.material = 1000, material
    options.position = vec(planar, place(i), place(i // side), place(i // (side * side)))
    options.velocity = vec(planar, dir[1], dir[2], dir[3])
    options.rotation = planar and from(0, 6) or { axis = { from(-1, 1), from(-1, 1), from(-1, 1) + 0.01 }, angle = from(0, 6) }
    options.angular_velocity = planar and from(-spin, spin) or { from(-spin, spin), from(-spin, spin), from(-spin, spin) }
    bodies[#bodies + 1] = { body = world[kind](world, options), kind = kind }
  end
  return world, bodies
end

describe("a room of twelve bodies", function()
  for _, planar in ipairs{ true, false } do
    it("gains no energy by touches without friction and loss, " .. (planar and "in the plane" or "in space"), function()
      local options = { dt = { 5e-4, 1e-3 }, restitution = { 1 }, friction = { 0 } }
      for seed = 1, planar and SEEDS or SEEDS / 4 do
        local world <close> = new_room(seed, planar, seed % 2 == 0 and 100 or 1000, options)
        local energy = world:energy()
        for step = 1, planar and 60 or 6 do
          world:step()
          assert.is_true(world:energy() < energy * (1 + 1e-8), ("seed %d, step %d"):format(seed, step))
        end
      end
    end)

    it("lets none out at 300 and 1000 m/s, " .. (planar and "in the plane" or "in space"), function()
      local steps = planar and 30 or 4
      local options = { dt = { 5e-4, 1e-3, 2e-3 }, restitution = { 0, 0.5, 1 }, friction = { 0, 0.3 } }
      for seed = 1, SEEDS do
        local world <close>, bodies = new_room(seed, planar, seed % 2 == 0 and 300 or 1000, options)
        for step = 1, steps do
          world:step()
          for _, of in ipairs(bodies) do
            for k = 1, planar and 2 or 3 do
              local x = of.body.centre[k]
              assert.is_true(x > -1 and x < 1, ("seed %d, step %d: a %s is at %.4f"):format(seed, step, of.kind, x))
            end
          end
        end
      end
    end)
  end
end)

describe("a room of twelve bodies in the plane", function()
  it("gains no energy in any step without restitution and friction (200 seeds)", function()
    local options = { dt = { 5e-4, 1e-3, 2e-3 }, restitution = { 0 }, friction = { 0 } }
    for seed = 1, SEEDS do
      local world <close> = new_room(seed, true, ({ 10, 100, 300, 1000 })[seed % 4 + 1], options)
      local energy = world:energy()
      for step = 1, 60 do
        world:step()
        local now = world:energy()
        assert.is_true(now <= energy * (1 + 1e-9), ("seed %d, step %d: gains %.3g"):format(seed, step, now / energy - 1))
        energy = now
      end
    end
  end)
end)

describe("What comes to rest by thin walls", function()
  it("goes through none where they meet: it sinks into one and strikes another; all steps are solved (200 seeds)", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local function from(a, b) return a + (b - a) * random:uniform() end
      local function pick(list) return list[random:integer(1, #list)] end
      -- In the smaller rooms of small convexes all walls are in reach of a step at once.
      local small = seed % 3 == 0
      local half, kinds = 0.4, { "convex", "box", "compound", "cylinder", "cone" }
      if small then half, kinds = pick{ 0.05, 0.1, 0.2 }, { "convex" } end
      --- A random shape of about the size s.
      local function shape_of(s, kind)
        if kind == "box" then return delassus.box{ size = { from(0.5, 2) * s, from(0.5, 2) * s, from(0.5, 2) * s } } end
        if kind == "cylinder" then return delassus.cylinder{ radius = from(0.2, 1) * s, length = from(0.5, 3) * s } end
        if kind == "cone" then
          return delassus.cone{ radius1 = from(0.2, 1) * s, radius2 = from(0.1, 1) * s, length = from(0.5, 3) * s }
        end
        if kind == "compound" then
          local bar, ball = delassus.box{ size = { 2 * s, s / 2, s / 2 } }, delassus.sphere{ radius = s / 2 }
          return delassus.compound{ { bar, { 0, 0, 0 } }, { ball, { s, 0.2 * s, 0 } } }
        end
        local points = {}
        for k = 1, random:integer(4, 10) do points[k] = { from(-s, s), from(-s, s), from(-s, s) } end
        for _, p in ipairs{ { 0, 0, s }, { s, 0, 0 }, { 0, s, 0 }, { -s, -s, -s } } do points[#points + 1] = p end
        return delassus.convex{ points = points }
      end
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false, dt = pick{ 1e-3, 5e-3 } }
      local t, v = pick{ 0.001, 0.002, 0.01 }, pick{ 30, 100, 300 }
      if small then t, v = pick{ 0.001, 0.002 }, pick{ 300, 1000 } end
      for k = 1, 3 do
        for _, side in ipairs{ -1, 1 } do
          local size, place = { 2 * (half + t), 2 * (half + t), 2 * (half + t) }, { 0, 0, 0 }
          size[k], place[k] = t, side * (half + t / 2)
          world:box{ type = "static", size = size, position = place, friction = 0 }
        end
      end
      local bodies = {}
      for i = 1, 3 do
        local shape = shape_of(half * from(small and 0.1 or 0.025, small and 0.25 or 0.15), pick(kinds))
        bodies[i] = world:body{ shape = shape, density = 1000, friction = pick{ 0, 0.5 },
          position = { half * 0.6 * (i - 2), half * from(-0.5, 0.5), half * from(-0.5, 0.5) },
          rotation = { axis = { from(-1, 1), from(-1, 1), from(-1, 1) + 0.01 }, angle = from(0, 6) },
          velocity = { v * from(-1, 1), v * from(-1, 1), v * from(-1, 1) },
          angular_velocity = { from(-100, 100), from(-100, 100), from(-100, 100) } }
      end
      for _ = 1, small and 12 or 40 do
        world:step()
        for i = 1, 3 do
          local centre = bodies[i].centre
          local out = math.max(math.abs(centre[1]), math.abs(centre[2]), math.abs(centre[3]))
          assert.is_true(out < half, ("seed %d: a %s is out at %g s"):format(seed, tostring(bodies[i].shape), world.time))
        end
      end
      assert.equal(0, world.stats.unconverged, "seed " .. seed)
    end
  end)
end)
