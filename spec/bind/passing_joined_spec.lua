-- SPDX-License-Identifier: MIT
-- Chains flung at walls, and spinning bars thrown through rows of posts: none passes a wall, and what a bar touches is
-- what a step of a hundredth touches.
local delassus = require "delassus"
local chance = require "spec.support.chance"

local SEEDS = 200

local function vec(planar, x, y, z) return planar and { x, y } or { x, y, z or 0 } end

local function new_world(planar, dt)
  return delassus.world{ planar = planar, gravity = vec(planar, 0, 0), record = false, dt = dt }
end

--- A rotation in the plane x, y.
local function turned(planar, angle) return planar and angle or { axis = { 0, 0, 1 }, angle = angle } end

--- A chain of two to five bodies on hinges, along its way or across it, that comes at the speed v; its bodies.
local function add_chain(world, c, planar, v, material)
  local formulation, along = c.pick{ "reduced", "rigid", "penalty" }, c.pick{ true, false }
  local n, r, pitch = c.pick{ 2, 3, 4, 5 }, c.from(0.01, 0.03), c.from(0.05, 0.3)
  local start, links = -c.from(0.5, 1) - n * pitch, {}
  for k = 1, n do
    local x, y = along and start + (k - 1) * pitch or start, along and 0 or (k - 1) * pitch
    local o, kind = { density = 1000, material = material }, c.pick{ "capsule", "box" }
    o.position, o.velocity, o.rotation = vec(planar, x, y), vec(planar, v, 0), turned(planar, along and 0 or math.pi / 2)
    if kind == "capsule" then o.radius, o.length = r, 0.6 * pitch
    else o.size = vec(planar, 0.6 * pitch, 2 * r, 2 * r) end
    links[k] = world[kind](world, o)
    if k > 1 then
      world:joint{ "revolute", links[k - 1], links[k], formulation = formulation, axis = not planar and { 0, 0, 1 } or nil,
        anchor = along and vec(planar, x - pitch / 2, 0) or vec(planar, x, y - pitch / 2) }
    end
  end
  return links
end

--- Whether a spinning bar that goes through a row of posts is touched by one, in steps of dt.
local function touches_posts(seed, planar, dt)
  local c = chance(seed)
  local world <close> = new_world(planar, dt)
  local v, spin, length = c.pick{ 30, 100, 300, 1000 }, c.pick{ 0, 30, 300, -300 }, c.from(0.05, 0.2)
  local pitch, radius = c.from(0.1, 0.4), c.from(0.005, 0.02)
  local material = delassus.material{ restitution = 1, friction = 0 }
  for k = -6, 6 do
    local o = { type = "static", radius = radius, position = vec(planar, 0, pitch * (k + 0.5)), material = material }
    if not planar then o.length, o.rotation = 4, { axis = { 0, 1, 0 }, angle = math.pi / 2 } end
    world[planar and "disk" or "cylinder"](world, o)
  end
  local kind = c.pick{ "capsule", "box" }
  local o = { density = 1000, material = material, velocity = vec(planar, v, 0), rotation = turned(planar, c.from(0, 6)),
    position = vec(planar, -c.from(0.3, 0.3 + v * 1e-3), c.from(-0.1, 0.1)),
    angular_velocity = planar and spin or { 0, 0, spin } }
  if kind == "capsule" then o.radius, o.length = 0.01, length else o.size = vec(planar, length, 0.02, 0.02) end
  local bar = world[kind](world, o)
  world:step(math.ceil((0.6 + v * 1e-3) / v / 1e-3) * math.floor(1e-3 / dt + 0.5))
  return math.abs(bar.velocity.x - v) > 1e-9 * v or math.abs(bar.velocity.y) > 1e-9 * v
end

for _, planar in ipairs{ true, false } do
  local where = (planar and "in the plane" or "in space") .. (" (%d seeds)"):format(SEEDS)

  describe("a chain flung at a wall at up to 1000 m/s", function()
    it("passes it with none of its bodies, in any formulation, " .. where, function()
      for seed = 1, SEEDS do
        local c = chance(seed)
        local world <close> = new_world(planar)
        local v, e, thick = c.pick{ 30, 100, 300, 1000 }, c.pick{ 0, 0.5, 1 }, c.pick{ 0.005, 0.02, 0.05 }
        local material = delassus.material{ restitution = e, friction = 0 }
        world:box{ type = "static", size = vec(planar, thick, 40, 40), position = vec(planar, thick / 2, 0), material = material }
        local links = add_chain(world, c, planar, v, material)
        for step = 1, math.ceil(3 / v / 1e-3) + 15 do
          world:step()
          for k, body in ipairs(links) do
            assert.is_true(body.centre.x < thick, ("seed %d, step %d: body %d passed"):format(seed, step, k))
          end
        end
      end
    end)
  end)

  describe("a spinning bar thrown through a row of posts", function()
    it("is touched where steps of 0.01 ms have it touched, and nowhere else, " .. where, function()
      local touched = 0
      for seed = 1, SEEDS do
        local fine = touches_posts(seed, planar, 1e-5)
        assert.equal(fine, touches_posts(seed, planar, 1e-3), "seed " .. seed)
        touched = touched + (fine and 1 or 0)
      end
      assert.is_true(touched > SEEDS / 5 and touched < 4 * SEEDS / 5, touched .. " were touched")
    end)
  end)
end
