-- SPDX-License-Identifier: MIT
-- Bodies on joints that turn by 0.5 to 3.6 rad a step at pegs and thin walls; paddles that swing at shots. The oracle: angles
-- of hinges and places of bodies before and after, and the way between them in small shares.
local delassus = require "delassus"
local seeds = require "support.seeds"
local chance = require "spec.support.chance"

local SEEDS = seeds(200)
local cos, sin, abs = math.cos, math.sin, math.abs

local function vec(planar, x, y) return planar and { x, y } or { x, y, 0 } end
local function turned(planar, angle) return planar and angle or { axis = { 0, 0, 1 }, angle = angle } end
local function spun(planar, rate) return planar and rate or { 0, 0, rate } end

local function new_world(planar, dt, g)
  return delassus.world{ planar = planar, gravity = vec(planar, 0, -g), record = false, dt = dt }
end

--- A capsule from one distance to another along the direction `angle` from the place (x, y), where its hinge on `to` is, that
--- turns at `rate` and comes along with the velocity v of that place; the body and its hinge.
local function add_bar(world, o)
  local planar, middle, angle = o.planar, (o.from + o.to) / 2, o.angle
  local bar = world:capsule{ radius = o.radius, length = o.to - o.from, density = 1000, material = o.material,
    position = vec(planar, o.x + middle * cos(angle), o.y + middle * sin(angle)), rotation = turned(planar, angle),
    velocity = vec(planar, o.v[1] - o.rate * middle * sin(angle), o.v[2] + o.rate * middle * cos(angle)),
    angular_velocity = spun(planar, o.rate) }
  return bar, world:joint{ "revolute", o.on, bar, anchor = vec(planar, o.x, o.y), axis = not planar and { 0, 0, 1 } or nil,
    formulation = o.formulation }
end

local function draw(seed)
  local c = chance(seed)
  return c, { planar = c.pick{ true, false }, dt = c.pick{ 1e-3, 1 / 60 }, g = c.pick{ 0, 9.81 }, radius = c.from(0.005, 0.02),
    formulation = c.pick{ "reduced", "rigid" }, length = c.from(0.15, 0.5), turn = c.from(0.5, 3.6) * c.pick{ -1, 1 },
    angle = c.from(-3, 3), x = 0, y = 0, v = { 0, 0 },
    material = delassus.material{ restitution = c.pick{ 0, 0.5, 1 }, friction = 0 } }
end

--- A peg at a distance in a direction.
local function add_peg(world, s, distance, direction, radius)
  local o = { type = "static", radius = radius, material = s.material,
    position = vec(s.planar, distance * cos(direction), distance * sin(direction)) }
  if s.planar then return world:disk(o) end
  o.length, o.rotation = 4, { axis = { 0, 1, 0 }, angle = math.pi / 2 }
  return world:capsule(o)
end

--- A long thin wall of its own direction, `distance` from the origin: a box, or a mesh of its triangles.
local function add_wall(world, s, distance, direction, thick, meshed)
  local c, d, x, y = cos(direction), sin(direction), thick / 2, 40
  if not meshed or s.planar then
    return world:box{ type = "static", size = s.planar and { thick, 2 * y } or { thick, 2 * y, 4 }, material = s.material,
      position = vec(s.planar, (distance + x) * c, (distance + x) * d), rotation = turned(s.planar, direction) }
  end
  local vertices, faces = {}, {}
  for k = 0, 7 do
    local a, b = distance + (k & 1) * thick, (k & 2 == 0 and -1 or 1) * y
    vertices[k + 1] = { a * c - b * d, a * d + b * c, k & 4 == 0 and -2 or 2 }
  end
  for _, q in ipairs{ { 1, 3, 4, 2 }, { 5, 6, 8, 7 }, { 1, 2, 6, 5 }, { 3, 7, 8, 4 }, { 1, 5, 7, 3 }, { 2, 4, 8, 6 } } do
    faces[#faces + 1], faces[#faces + 2] = { q[1], q[2], q[3] }, { q[1], q[3], q[4] }
  end
  return world:mesh{ type = "static", vertices = vertices, faces = faces, material = s.material }
end

describe("a bar that whirls on a hinge", function()
  it(("passes no peg with its core, and gains nothing from it (%d seeds)"):format(SEEDS), function()
    for seed = 1, SEEDS do
      local c, s = draw(seed)
      local world <close> = new_world(s.planar, s.dt, 0)
      local back, direction, peg = c.pick{ 0, 0.5 } * s.length, c.from(-3, 3), c.from(0.005, 0.03)
      local distance = c.from(0.5, 1.05) * s.length
      s.on, s.from, s.to, s.rate = world.ground, -back, s.length, s.turn / s.dt
      s.angle = direction + c.pick{ -1, 1 } * c.from(0.7, 2.4) -- clear of the peg
      add_peg(world, s, distance, direction, peg)
      local _, hinge = add_bar(world, s)
      local function core_is_in(angle) -- of the peg
        local along = math.max(s.from, math.min(s.to, distance * cos(direction - angle)))
        local x, y = distance * cos(direction) - along * cos(angle), distance * sin(direction) - along * sin(angle)
        return x * x + y * y < peg * peg
      end
      local start, before, kinetic = hinge.q, s.angle, (world:energy())
      for step = 1, 8 do
        world:step()
        local after = s.angle + hinge.q - start
        local n = math.max(4, math.ceil(abs(after - before) / 0.01))
        for k = 1, n do
          assert.is_false(core_is_in(before + (after - before) * k / n), ("seed %d, step %d: passed"):format(seed, step))
        end
        assert.is_true(world:energy() <= kinetic * (1 + 1e-9), ("seed %d, step %d: gained energy"):format(seed, step))
        before, kinetic = after, world:energy()
      end
    end
  end)

  it(("is not touched by what is just out of its reach (%d seeds)"):format(SEEDS), function()
    for seed = 1, SEEDS do
      local c, s = draw(seed)
      local world <close> = new_world(s.planar, s.dt, 0)
      s.on, s.from, s.to, s.rate = world.ground, -c.from(0, 0.8) * s.length, s.length, s.turn / s.dt
      local reach = s.length + s.radius + c.from(0.0005, 0.005)
      for _ = 1, 3 do
        local peg = c.from(0.005, 0.02)
        add_peg(world, s, reach + peg, c.from(-3, 3), peg)
        add_wall(world, s, reach, c.from(-3, 3), c.from(0.005, 0.02), c.pick{ true, false })
      end
      add_bar(world, s)
      for _ = 1, 10 do
        world:step()
        for contact in world:contacts() do assert.is_true(contact.impulse:norm() == 0, "seed " .. seed .. ": touched") end
      end
    end
  end)
end)

describe("two bars that whirl on hinges", function()
  it(("pass no long thin wall, box or mesh, in any formulation (%d seeds)"):format(SEEDS), function()
    for seed = 1, SEEDS do
      local c, s = draw(seed)
      local world <close> = new_world(s.planar, s.dt, s.g)
      local direction, distance, half = c.from(-3, 3), c.from(0.3, 0.95) * s.length, s.length / 2
      s.formulation = c.pick{ "reduced", "rigid", "penalty" }
      s.angle = direction + math.pi + c.from(-1, 1) -- to the other side
      s.on, s.from, s.to, s.rate = world.ground, 0.1 * s.length, 0.9 * half, s.turn / s.dt
      local first = add_bar(world, s)
      s.x, s.y = half * cos(s.angle), half * sin(s.angle)
      s.v = { -s.rate * s.y, s.rate * s.x }
      s.on, s.from, s.rate, s.angle = first, 0.1 * half, s.rate * c.from(0, 2), direction + math.pi + c.from(-1, 1)
      local second = add_bar(world, s)
      add_wall(world, s, distance, direction, c.from(0.005, 0.02), c.pick{ true, false })
      for step = 1, 10 do
        world:step()
        for k, bar in ipairs{ first, second } do
          local x = bar.centre
          assert.is_true(x.x * cos(direction) + x.y * sin(direction) < distance,
            ("seed %d, step %d: bar %d passed"):format(seed, step, k))
        end
      end
    end
  end)
end)

describe("a paddle that swings by up to 1.2 rad a step", function()
  it(("is passed by no shot (%d seeds)"):format(SEEDS), function()
    for seed = 1, SEEDS do
      local c, s = draw(seed)
      local world <close> = new_world(s.planar, s.dt, 0)
      local long, thick, omega, phase, to_and_fro = c.from(0.3, 1), c.from(0.01, 0.05), c.from(0.1, 1.2) / s.dt, c.from(-3, 3),
        c.pick{ true, false }
      local function angle(t) return to_and_fro and phase + sin(omega * t) or phase + omega * t end
      local function motion(t)
        local a, rate, h = angle(t), to_and_fro and omega * cos(omega * t) or omega, long / 2
        local x, v = vec(s.planar, h * cos(a), h * sin(a)), vec(s.planar, -h * rate * sin(a), h * rate * cos(a))
        return x, s.planar and a or { cos(a / 2), 0, 0, sin(a / 2) }, v, spun(s.planar, rate)
      end
      world:box{ type = "kinematic", size = s.planar and { long, thick } or { long, thick, 1 }, material = s.material,
        motion = motion }
      local away, side = c.from(0.2, 1) * long, phase + c.pick{ -1, 1 } * c.from(0.6, 2)
      local heading, speed = c.from(-3, 3), c.from(0.01, 1)
      local ball = world[s.planar and "disk" or "sphere"](world, { radius = c.from(0.01, 0.04), density = 1000,
        position = vec(s.planar, away * cos(side), away * sin(side)), material = s.material,
        velocity = vec(s.planar, speed / s.dt * cos(heading), speed / s.dt * sin(heading)) })
      for step = 1, 10 do
        local x, y, t, flips, last = ball.position.x, ball.position.y, world.time, 0, 0
        world:step()
        for k = 0, 40 do -- which side of the paddle it is on, beside it
          local a = angle(t + s.dt * k / 40)
          local p, q = x + (ball.position.x - x) * k / 40, y + (ball.position.y - y) * k / 40
          local along, across = cos(a) * p + sin(a) * q, cos(a) * q - sin(a) * p
          local now = abs(along - long / 2) < long / 2 and (across > 0 and 1 or -1) or 0
          if now * last == -1 then flips = flips + 1 end
          last = now
        end
        assert.equal(0, flips % 2, ("seed %d, step %d: passed"):format(seed, step))
      end
    end
  end)
end)
