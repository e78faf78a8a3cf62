-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Impacts of redundant contacts in time steps of worlds, by Newton's law and by Poisson's: the same as event-driven, for every
-- order of bodies and contacts, mirrored and turned about the vertical; by Poisson's law no energy is gained without friction.
local delassus = require "delassus"
local seeds = require "support.seeds"
local DT = 1e-9 -- s: what a step turns bodies by is less than what is compared

local function shuffled(n, r)
  local order = {}
  for i = 1, n do order[i] = i end
  for i = n, 2, -1 do
    local j = r and r:integer(1, i) or i
    order[i], order[j] = order[j], order[i]
  end
  return order
end

local function assert_same(first, u, told)
  for i = 1, #first do assert.near(first[i], u[i], 1e-9, ("%s: velocity %d"):format(told, i)) end
end

--- A slab on the points o.points in o.order, by hand-made contacts that close within the first half of a step.
local function board(o, scheme)
  local m, a, b, c, u = o.m, o.a, o.b, o.c, o.u
  local back = scheme and 0 or 0.5 * DT
  local world <close> = delassus.world{ gravity = { 0, 0, 0 }, dt = DT, impact = o.law, record = false, scheme = scheme }
  local body = world:body{ mass = m, inertia = { m / 3 * (b * b + c * c), m / 3 * (a * a + c * c), m / 3 * (a * a + b * b) },
    position = { -back * u[1], -back * u[2], c - back * u[3] }, rotation = { axis = { 0, 0, 1 }, angle = -back * u[4] },
    velocity = { u[1], u[2], u[3] }, angular_velocity = { 0, 0, u[4] } }
  for _, k in ipairs(o.order) do
    local at = o.points[k]
    world:contact{ world.ground, body, point_a = { 0, 0, 0 }, normal = { 0, 0, 1 }, point_b = { at.x, at.y, -c },
      friction = o.mu, restitution = at.e }
  end
  world:step()
  assert.equal(0, world.stats.unconverged)
  return world:velocities():totable()
end

local function random_board(seed, law)
  local r = delassus.random(seed)
  local o = { law = law, m = r:uniform(0.5, 2), a = r:uniform(0.1, 0.3), b = r:uniform(0.1, 0.3), c = r:uniform(0.05, 0.2),
    mu = seed % 5 == 0 and 0 or r:uniform(0, 1), points = {} }
  local e = r:uniform(0, 1)
  for i, at in ipairs{ { 1, 1 }, { 1, -1 }, { -1, 1 }, { -1, -1 }, { 0, 0 } } do
    o.points[i] = { x = at[1] * o.a, y = at[2] * o.b, e = seed % 2 == 0 and e or r:uniform(0, 1) }
  end
  o.u = { r:uniform(-1, 1), r:uniform(-1, 1), -r:uniform(0.2, 1), r:uniform(-0.5, 0.5) }
  return o
end

--- Up to three boxes: one, apart, in a row on the floor whose first strikes the others, one on the other.
local KINDS = { "box", "apart", "row", "stack" }
local function random_boxes(seed, law, smooth)
  local r, kind = delassus.random(seed), KINDS[seed % 4 + 1]
  local o = { law = law, e = r:uniform(0.1, 1), mu = not smooth and seed % 7 > 0 and r:uniform(0, 0.8) or 0, bodies = {} }
  local velocity, spin, height = { r:uniform(-1, 1), r:uniform(-1, 1) }, r:uniform(-2, 2), 0
  for i = 1, kind == "box" and 1 or 3 do
    local size = { r:uniform(0.2, 0.4), r:uniform(0.2, 0.4), r:uniform(0.1, 0.3) }
    local box = { size = size, density = r:uniform(500, 1500), spin = 0 }
    local fall = r:uniform(0.2, 1)
    if kind == "stack" then
      box.position, box.velocity = { 0, 0, height + size[3] / 2 }, { i == 1 and velocity[1] or 0, 0, -fall }
      height = height + size[3]
    elseif kind == "row" then
      size[1] = 0.3
      box.position, box.velocity = { 0.3 * i, 0, size[3] / 2 }, { i == 1 and 1 or 0, 0, -fall / 2 }
    else
      box.position, box.velocity = { 0.5 * i, 0, size[3] / 2 }, { velocity[1], velocity[2], -fall }
      box.spin = spin
    end
    o.bodies[i] = box
  end
  return o, "seed " .. seed .. ", " .. kind
end

-- Mirrored: x to -x. Turned: by 0.7 about the vertical. Vectors, axial ones, and back.
local C, S = math.cos(0.7), math.sin(0.7)
local WAYS = {
  straight = { function(v) return v end, function(v) return v end },
  mirrored = { function(v) return { -v[1], v[2], v[3] } end, function(v) return { v[1], -v[2], -v[3] } end, spin = -1 },
  turned = { function(v) return { C * v[1] - S * v[2], S * v[1] + C * v[2], v[3] } end, angle = 0.7,
    back = function(v) return { C * v[1] + S * v[2], C * v[2] - S * v[1], v[3] } end },
}

local function build(o, order, name)
  local way = WAYS[name]
  local world = delassus.world{ gravity = { 0, 0, 0 }, dt = 1e-4, impact = o.law, record = false }
  local material = delassus.material{ friction = o.mu, restitution = o.e }
  world:floor{ material = material }
  local bodies = {}
  for _, k in ipairs(order) do
    local box = o.bodies[k]
    bodies[k] = world:box{ size = box.size, density = box.density, material = material, position = way[1](box.position),
      velocity = way[1](box.velocity), angular_velocity = { 0, 0, (way.spin or 1) * box.spin },
      rotation = { axis = { 0, 0, 1 }, angle = way.angle or 0 } }
  end
  return world, bodies
end

--- Velocities after a step, as the scene was made.
local function after_step(o, order, name)
  local world <close>, bodies = build(o, order, name)
  world:step()
  local v, way = {}, WAYS[name]
  for _, body in ipairs(bodies) do
    for _, x in ipairs((way.back or way[1])(body.velocity)) do v[#v + 1] = x end
    for _, x in ipairs((way.back or way[2])(body.angular_velocity)) do v[#v + 1] = x end
  end
  return v
end

describe("impacts of redundant contacts in time steps of worlds", function()
  for _, law in ipairs{ "newton", "poisson" } do
    it("are those of the event-driven scheme, in every order: 200 random boards on five points, " .. law, function()
      for seed = 1, seeds(200) do
        local o = random_board(seed, law)
        o.order = shuffled(5)
        local event = board(o, "event-driven")
        for turn = 1, 2 do
          o.order = shuffled(5, turn > 1 and delassus.random(10 * seed) or nil)
          assert_same(event, board(o), "seed " .. seed)
        end
      end
    end)

    it("are the same where bodies are made in another order, mirrored and turned: 200 scenes of boxes, " .. law, function()
      for seed = 1, seeds(200) do
        local o, told = random_boxes(seed, law)
        local straight = after_step(o, shuffled(#o.bodies), "straight")
        assert_same(straight, after_step(o, shuffled(#o.bodies, delassus.random(seed)), "straight"), told .. ", shuffled")
        assert_same(straight, after_step(o, shuffled(#o.bodies), "mirrored"), told .. ", mirrored")
        assert_same(straight, after_step(o, shuffled(#o.bodies), "turned"), told .. ", turned")
      end
    end)

    it("are symmetric: a box that falls flat rebounds as it fell, one that is struck from both sides stands upright, " .. law,
      function()
        for seed = 1, seeds(200) do
          local r = delassus.random(seed)
          local e, mu, told = r:uniform(0.1, 1), r:uniform(0, 1), "seed " .. seed
          local box = { size = { r:uniform(0.1, 0.4), r:uniform(0.1, 0.4), r:uniform(0.1, 0.4) }, density = 800, spin = 0,
            velocity = { 0, 0, -1 } }
          box.position = { 0, 0, box.size[3] / 2 }
          local o = { law = law, e = e, mu = mu, bodies = { box } }
          assert_same({ 0, 0, e, 0, 0, 0 }, after_step(o, { 1 }, "straight"), told)
          for side = -1, 1, 2 do
            o.bodies[#o.bodies + 1] = { size = { 0.2, 0.2, 0.1 }, density = 500, spin = 0, velocity = { -side, 0, -1 },
              position = { side * (box.size[1] / 2 + 0.1), 0, 0.05 } }
          end
          local v = after_step(o, shuffled(3, r), "straight")
          for _, i in ipairs{ 1, 2, 4, 5, 6 } do assert.near(0, v[i], 1e-9, told .. ", the box between") end
          for _, pair in ipairs{ { 7, 13, -1 }, { 9, 15, 1 }, { 11, 17, -1 } } do
            assert.near(v[pair[1]], pair[3] * v[pair[2]], 1e-9, told .. ", the boxes beside it")
          end
        end
      end)
  end

  it("gain no energy of one restitution without friction, by Poisson's law: 200 scenes of boxes", function()
    for seed = 1, seeds(200) do
      local o, told = random_boxes(seed, "poisson", true)
      local world <close> = build(o, shuffled(#o.bodies), "straight")
      local before = world:energy()
      for _ = 1, 4 do
        world:step()
        local now = world:energy()
        assert.is_true(now <= before * (1 + 1e-9), ("%s: %.17g J after %.17g"):format(told, now, before))
        before = now
      end
    end
  end)
end)
