-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Grazes: bodies that go less than half their thickness a step, and touch what is round, or cut a corner, within half a
-- step, give the impulse of their first touch, which a closed form knows.
local delassus = require "delassus"

local SEEDS, DT = 200, 1e-3

--- What a mover passes: something round at the origin, or with a corner there. Each answers it and its radius (0: a corner).
local TARGETS = {
  disk = function(world, o, from)
    o.radius = from(0.02, 0.2)
    return world[world.planar and "disk" or "sphere"](world, o), o.radius
  end,
  capsule = function(world, o, from)
    o.radius, o.length, o.rotation = from(0.02, 0.2), 3, { axis = { 0, 1, 0 }, angle = math.pi / 2 }
    return world:capsule(o), o.radius
  end,
  box = function(world, o)
    o.type, o.size = "static", world.planar and { 1, 1 } or { 1, 1, 3 }
    o.position = world.planar and { -0.5, -0.5 } or { -0.5, -0.5, 0 }
    return world:box(o), 0
  end,
  polygon = function(world, o)
    o.type, o.points, o.position = "static", { { 0, 0 }, { -1, 0 }, { -0.5, -0.5 }, { 0, -1 } }, { 0, 0 }
    o.shape = delassus.polygon{ points = o.points }
    o.points = nil
    return world:body(o), 0
  end,
  compound = function(world, o)
    local half = delassus.box{ size = world.planar and { 0.5, 1 } or { 0.5, 1, 3 } }
    local function at(x) return world.planar and { x, -0.5 } or { x, -0.5, 0 } end
    o.type, o.shape, o.position = "static", delassus.compound{ { half, at(-0.25) }, { half, at(-0.75) } }, nil
    return world:body(o), 0
  end,
  convex = function(world, o)
    o.type, o.points, o.position = "static", {}, nil
    for i = 0, 7 do o.points[i + 1] = { -(i & 1), -(i >> 1 & 1), 3 * (i >> 2) - 1.5 } end
    return world:convex(o), 0
  end,
  mesh = function(world, o)
    o.type, o.position, o.density = "static", nil, nil
    o.vertices = { { 0, 0, -1.5 }, { -1, 0, -1.5 }, { -1, 0, 1.5 }, { 0, 0, 1.5 }, { 0, -1, -1.5 }, { 0, -1, 1.5 } }
    o.faces = { { 1, 2, 3 }, { 1, 3, 4 }, { 1, 4, 6 }, { 1, 6, 5 } }
    return world:mesh(o), 0
  end,
}

local CASES = {
  { true, "disk", "disk" }, { true, "disk", "box" }, { true, "disk", "polygon" }, { true, "disk", "compound" },
  { false, "sphere", "disk" }, { false, "sphere", "capsule" }, { false, "sphere", "box" }, { false, "sphere", "convex" },
  { false, "sphere", "mesh" }, { false, "sphere", "compound" }, { false, "capsule", "capsule" }, { false, "capsule", "box" },
}

--- A mover of radius r goes at v past a target, both without friction, in and out within the first half of a step. Answers
--- its velocity after that, the right one, and v.
local function pass(seed, planar, kind, target)
  local random = delassus.random(seed)
  local function from(a, b) return a + (b - a) * random:uniform() end
  local world <close> = delassus.world{ planar = planar, record = false, dt = DT, gravity = planar and { 0, 0 } or { 0, 0, 0 } }
  local function at(x, y) return planar and { x, y } or { x, y, 0 } end
  local r, e, free = from(0.02, 0.2), from(0, 1) < 0.5 and 0 or 1, from(0, 1) < 0.5 and target == "disk"
  local other, round = TARGETS[target](world, { density = 1000, restitution = e, friction = 0, position = at(0, 0),
    type = free and "dynamic" or "static" }, from)
  local most = 2 * math.min(r, round > 0 and round or r) -- the smaller thickness
  local way, rho = from(0.2, 0.49) * most, r + round
  local half = from(0.05, 0.4) * way / 2 -- of the chord
  local angle = round > 0 and from(0, 2 * math.pi) or from(0.5, 1.0)
  local nx, ny, near = math.cos(angle), math.sin(angle), math.sqrt(rho ^ 2 - half ^ 2)
  local dx, dy = -ny, nx
  if from(0, 1) < 0.5 then dx, dy = ny, -nx end
  local before = half + from(0.001, 0.999) * (way / 2 - 2 * half) + 3 * way -- to the nearest point
  local o = { density = 1000, restitution = e, friction = 0, radius = r, velocity = at(way / DT * dx, way / DT * dy),
    position = at(near * nx - before * dx, near * ny - before * dy) }
  if kind == "capsule" then o.length, o.rotation = 0.3, { axis = { 0, 1, 0 }, angle = math.pi / 2 } end
  local mover = world[kind](world, o)
  world:step(5)
  local hx, hy = (near * nx - half * dx) / rho, (near * ny - half * dy) / rho -- the normal of the first touch
  local closing = way / DT * (dx * hx + dy * hy)
  local taken = (1 + e) * closing * (free and other.mass / (other.mass + mover.mass) or 1)
  local velocity = mover.velocity
  return { velocity[1], velocity[2] }, { way / DT * dx - taken * hx, way / DT * dy - taken * hy }, way / DT
end

describe("a graze within half a step", function()
  for _, case in ipairs(CASES) do
    local planar, kind, target = table.unpack(case)
    local where = ("%s on %s, %s"):format(kind, target, planar and "in the plane" or "in space")
    it("has the impulse of its first touch: " .. where, function()
      for seed = 1, SEEDS do
        local got, right, v = pass(seed, planar, kind, target)
        for i = 1, 2 do assert.near(right[i], got[i], 1e-6 * v, "seed " .. seed) end
      end
    end)
  end
end)
