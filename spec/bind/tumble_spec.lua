-- SPDX-License-Identifier: MIT
-- Free rotation in space by any angle a step, and contacts of what turns so: energy and angular momentum are the oracles.
local delassus = require "delassus"

local SEEDS = 200

local function chance(seed)
  local random = delassus.random(seed)
  local c = {}
  function c.from(a, b) return a + (b - a) * random:uniform() end
  function c.pick(list) return list[random:integer(1, #list)] end
  --- A vector of the length l in any direction.
  function c.vector(l)
    local v = { c.from(-1, 1), c.from(-1, 1), c.from(-1, 1) }
    local n = l / math.sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2)
    return { n * v[1], n * v[2], n * v[3] }
  end
  function c.turn() return { axis = c.vector(1), angle = c.from(0, 6) } end
  return c
end

--- Shape options of a bar, a plate or a block.
local function shape_of(c)
  local kind = c.pick{ "box", "capsule", "cylinder", "cone", "ellipsoid", "convex" }
  if kind == "box" then return kind, { size = { c.from(0.02, 0.4), c.from(0.02, 0.1), c.from(0.02, 0.1) } } end
  if kind == "ellipsoid" then return kind, { radii = { c.from(0.02, 0.2), c.from(0.02, 0.1), c.from(0.02, 0.1) } } end
  if kind == "cone" then return kind, { radius1 = c.from(0.02, 0.06), radius2 = 0.01, length = c.from(0.05, 0.3) } end
  if kind == "convex" then
    local points = {}
    for i = 1, 6 do points[i] = c.vector(c.from(0.05, 0.2)) end
    return kind, { points = points }
  end
  return kind, { radius = c.from(0.01, 0.05), length = c.from(0.05, 0.4) }
end

describe("a body that tumbles", function()
  it("keeps its energy to 1e-9 and its angular momentum to 1e-12, whatever it turns by in a step", function()
    for seed = 1, SEEDS do
      local c = chance(seed)
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false, dt = c.pick{ 1e-3, 5e-3 } }
      local kind, options = shape_of(c)
      options.density, options.rotation = 1000, c.turn()
      options.angular_velocity = c.vector(c.pick{ 0.11, 0.3, 1, 10, 100 } / world.dt) -- rad a step
      world[kind](world, options)
      local energy, _, L = world:energy(), world:momentum()
      for _ = 1, 30 do
        world:step()
        assert.near(energy, (world:energy()), 1e-9 * energy, ("seed %d, a %s"):format(seed, kind))
      end
      local _, after = world:momentum()
      assert.near(0, (after - L):norm(), 1e-12 * L:norm(), ("seed %d, a %s"):format(seed, kind))
    end
  end)

  it("precesses about L as the closed form of a symmetric body says, whatever it turns by in a step", function()
    for seed = 1, SEEDS do
      local c = chance(seed)
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false }
      local body = world:cylinder{ radius = c.from(0.02, 0.2), length = c.from(0.02, 0.4), density = 1000, rotation = c.turn(),
        angular_velocity = c.vector(c.pick{ 300, 3000, 30000 }) }
      local _, L = world:momentum()
      local function axis_now()
        local q = body.rotation
        return delassus.vec{ 1 - 2 * (q[3] ^ 2 + q[4] ^ 2), 2 * (q[2] * q[3] + q[1] * q[4]), 2 * (q[2] * q[4] - q[1] * q[3]) }
      end
      local axis, n, steps = axis_now(), L * (1 / L:norm()), 20
      world:step(steps)
      -- the axis turns about L at |L|/J
      local angle = L:norm() / body.inertia[2] * steps * world.dt
      local along, side = n * n:dot(axis), n:cross(axis)
      local expected, now = along + (axis - along) * math.cos(angle) + side * math.sin(angle), axis_now()
      assert.near(0, (now - expected):norm(), 1e-9 + 1e-14 * angle, "seed " .. seed)
    end
  end)

  it("keeps its energy in contacts without loss, at any speed and spin", function()
    local met = 0
    for seed = 1, SEEDS do
      local c = chance(seed)
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false, dt = c.pick{ 5e-4, 1e-3, 5e-3 } }
      local material = delassus.material{ restitution = 1, friction = 0 }
      if c.from(0, 1) < 0.5 then world:wall{ normal = { -1, 0, 0 }, offset = 0, material = material }
      else world:box{ type = "static", size = { 0.1, 8, 8 }, position = { 0.05, 0, 0 }, material = material } end
      local way, kind, options = c.pick{ 0.1, 0.3 }, shape_of(c) -- m a step
      local v = way / world.dt
      options.density, options.rotation, options.material = 1000, c.turn(), material
      options.position, options.velocity = { -0.4 - c.from(0, way), 0, 0 }, { v, c.from(-v, v), c.from(-v, v) }
      options.angular_velocity = c.vector(c.pick{ 0.01, 0.1, 0.6, 1, 3, 20 } / world.dt)
      local body = world[kind](world, options)
      for _ = 1, math.ceil(1 / way) do
        local before = world:energy()
        world:step()
        for contact in world:contacts() do
          if contact.impulse:norm() > 0 then
            met = met + 1
            assert.near(before, (world:energy()), 1e-8 * before, ("seed %d, a %s"):format(seed, kind))
          end
        end
      end
      assert.is_true(body.centre.x < 0.05, ("seed %d: a %s passed"):format(seed, kind))
    end
    assert.is_true(met > SEEDS, met .. " contacts")
  end)
end)
