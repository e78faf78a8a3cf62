-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- A mesh is a surface without inside: it holds from both sides.
local delassus = require "delassus"
local seeds = require "support.seeds"

-- A plate of n x n cells of a metre, its corners up and down by `rough`; turned: faces the other way round.
local function plate(world, n, turned, friction, rough, random)
  local v, f = {}, {}
  for i = 0, n do
    for j = 0, n do v[#v + 1] = { i - n / 2, j - n / 2, rough and random:uniform(-rough, rough) or 0 } end
  end
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local a = i * (n + 1) + j + 1
      for _, t in ipairs { { a, a + n + 1, a + n + 2 }, { a, a + n + 2, a + 1 } } do
        f[#f + 1] = turned and { t[1], t[3], t[2] } or t
      end
    end
  end
  return world:mesh { vertices = v, faces = f, type = "static", friction = friction }
end

local KINDS = {
  sphere = { radius = 0.05 }, capsule = { radius = 0.04, length = 0.1 }, box = { size = { 0.1, 0.08, 0.06 } },
  cylinder = { radius = 0.05, length = 0.1 }, cone = { radius1 = 0.05, radius2 = 0.03, length = 0.1 },
  convex = { points = { { -0.05, -0.05, -0.04 }, { 0.07, 0, -0.04 }, { 0, 0.06, -0.04 }, { 0, 0, 0.06 } } },
}

local function body(world, kind, o)
  for name, value in pairs(KINDS[kind]) do o[name] = value end
  return world[kind](world, o)
end

describe("a mesh", function()
  it("carries on its back what it carries on its front, to round-off", function()
    for kind in pairs(KINDS) do
      local last = {}
      for side = 1, 2 do
        local world = delassus.world { record = false }
        plate(world, 4, side == 2, 0) -- with friction, four contacts may share it in many ways
        local b = body(world, kind, { density = 700, friction = 0, position = { 0.1, 0.3, 0.12 }, velocity = { 0.8, 0.2, -1 },
          rotation = { axis = { 1, 2, 3 }, angle = 0.7 }, restitution = 0.2 })
        world:step(400)
        last[side] = b.position
        assert.is_true(b.position.z > 0, kind)
      end
      assert.is_true((last[1] - last[2]):norm() < 1e-9, kind .. " parts by " .. (last[1] - last[2]):norm())
    end
  end)

  it("lets nothing through, at any speed, to either side", function()
    for seed = 1, seeds(240) do
      local random = delassus.random(seed)
      local names = { "box", "capsule", "cone", "convex", "cylinder", "sphere" }
      local kind, speed = names[seed % 6 + 1], 10 ^ random:uniform(0, 3)
      local from = random:uniform() < 0.5 and -1 or 1
      local world = delassus.world { record = false, gravity = { 0, 0, 0 } }
      plate(world, 6, random:uniform() < 0.5, 0.3, 0.2, random)
      local b = body(world, kind, { density = 700,
        position = { random:uniform(-1, 1), random:uniform(-1, 1), from * (0.6 + random:uniform(0, 2e-3) * speed) },
        velocity = { 0.3 * speed * random:uniform(-1, 1), 0.3 * speed * random:uniform(-1, 1), -from * speed },
        angular_velocity = { random:uniform(-20, 20), random:uniform(-20, 20), random:uniform(-20, 20) } })
      world:step(math.ceil((1 + 4e-3 * speed) / speed / 1e-3))
      local p = b.position
      assert.is_true(from * p.z > -0.2 or math.abs(p.x) > 3 or math.abs(p.y) > 3,
        ("seed %d: a %s at %.1f m/s ended at z = %.3f"):format(seed, kind, speed, p.z))
      world:close()
    end
  end)

  it("that is closed keeps outside what is outside, and inside what is inside", function()
    local v, f = {}, { { 1, 3, 2 }, { 2, 3, 4 }, { 5, 6, 7 }, { 6, 8, 7 }, { 1, 2, 5 }, { 2, 6, 5 }, { 3, 7, 4 }, { 4, 7, 8 },
      { 1, 5, 3 }, { 3, 5, 7 }, { 2, 4, 6 }, { 4, 8, 6 } }
    for k = 0, 7 do v[k + 1] = { k % 2 - 0.5, k // 2 % 2 - 0.5, k // 4 - 0.5 } end
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local world = delassus.world { record = false, gravity = { 0, 0, 0 } }
      world:mesh { vertices = v, faces = f, type = "static", restitution = 1, friction = 0 }
      local speed, inside = 10 ^ random:uniform(0, 2.5), seed % 2 == 0
      local p, u = {}, {}
      for k = 1, 3 do p[k], u[k] = random:uniform(-0.4, 0.4), random:normal() end
      if not inside then p[3], u[3] = 0.7 + 2e-3 * speed, -1 end
      local norm = math.sqrt(u[1] ^ 2 + u[2] ^ 2 + u[3] ^ 2)
      for k = 1, 3 do u[k] = u[k] / norm * speed end
      local b = world:sphere { radius = 0.05, density = 1000, position = p, velocity = u, restitution = 1, friction = 0 }
      world:step(60)
      local q = b.position
      local most = math.max(math.abs(q.x), math.abs(q.y), math.abs(q.z))
      assert.are.equal(inside, most < 0.5, ("seed %d: %.1f m/s, ended %.3f from the middle"):format(seed, speed, most))
      local after = b.velocity:norm()
      assert.is_true(math.abs(after - speed) < 1e-9 * speed, ("seed %d: %g m/s became %g"):format(seed, speed, after))
      world:close()
    end
  end)
end)

-- Corners and faces of a box as a closed mesh.
local function block(size)
  local v = {}
  for i = 0, 7 do v[#v + 1] = { ((i & 1) - 0.5) * size[1], ((i >> 1 & 1) - 0.5) * size[2], ((i >> 2) - 0.5) * size[3] } end
  return { vertices = v, type = "static", faces = { { 1, 3, 4 }, { 1, 4, 2 }, { 5, 6, 8 }, { 5, 8, 7 }, { 1, 2, 6 }, { 1, 6, 5 },
    { 3, 7, 8 }, { 3, 8, 4 }, { 1, 5, 7 }, { 1, 7, 3 }, { 2, 4, 8 }, { 2, 8, 6 } } }
end

-- Axis k of a body, in the world.
local function axis_of(b, k)
  local w, x, y, z = b.rotation:unpack()
  local u, e = delassus.vec { x, y, z }, delassus.vec { k == 1 and 1 or 0, k == 2 and 1 or 0, k == 3 and 1 or 0 }
  return e + 2 * w * u:cross(e) + 2 * u:cross(u:cross(e))
end

--- The point of a body of the kind and options that is farthest along the unit n, from its middle.
local function farthest(b, o, kind, n)
  local p = delassus.vec { 0, 0, 0 }
  if kind == "box" then
    for k = 1, 3 do
      local u = axis_of(b, k)
      p = p + (u:dot(n) < 0 and -0.5 or 0.5) * o.size[k] * u
    end
    return p
  end
  local axis = axis_of(b, 1)
  local across = n - axis:dot(n) * axis
  return (axis:dot(n) < 0 and -0.5 or 0.5) * o.length * axis + o.radius / across:norm() * across
end

describe("a closed mesh", function()
  it("touches what is in it, no deeper than along its faces: boxes and cylinders at its edges (400 seeds)", function()
    for seed = 1, seeds(400) do
      local random = delassus.random(seed)
      local size = { random:uniform(0.2, 0.8), random:uniform(0.2, 0.8), random:uniform(0.2, 0.8) }
      local world = delassus.world { record = false, gravity = { 0, 0, 0 } }
      world:mesh(block(size))
      local kind = seed % 2 == 0 and "box" or "cylinder"
      local o = { density = 700, radius = random:uniform(0.03, 0.3), length = random:uniform(0.06, 0.8) }
      if kind == "box" then
        o = { density = 700, size = { random:uniform(0.1, 0.6), random:uniform(0.1, 0.6), random:uniform(0.1, 0.6) } }
      end
      local axis = { random:uniform(-1, 1), random:uniform(-1, 1), random:uniform(-1, 1) }
      o.rotation = { axis = axis, angle = random:uniform(-3, 3) }
      local b = world[kind](world, o)
      -- The farthest point of the body against a direction n, in the mesh by up to 2 mm near one of its edges.
      local n, q = {}, {}
      for k = 1, 3 do n[k], q[k] = random:uniform(0.1, 1), (0.5 * size[k] - random:uniform(0, 2e-3)) end
      q[seed % 3 + 1] = random:uniform(-0.5, 0.5) * size[seed % 3 + 1]
      n = delassus.vec(n)
      b.position = delassus.vec(q) - farthest(b, o, kind, (-1 / n:norm()) * n)
      local least = -math.huge -- separation along the mesh's faces, m
      for k = 1, 3 do
        for _, sign in ipairs { -1, 1 } do
          local m = delassus.vec { k == 1 and sign or 0, k == 2 and sign or 0, k == 3 and sign or 0 }
          least = math.max(least, m:dot(b.position + farthest(b, o, kind, -m)) - 0.5 * size[k])
        end
      end
      world:step()
      local gap = math.huge
      for c in world:contacts() do gap = math.min(gap, c.gap) end
      assert.is_true(gap < 0, kind .. " is not touched, seed " .. seed)
      assert.is_true(gap >= least - 1e-7, ("%s: gap %g, along a face %g, seed %d"):format(kind, gap, least, seed))
      world:close()
    end
  end)
end)
