-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Ropes and gap functions whose normals turn as bodies go: what is taut keeps its speed to second order of the step.
local delassus = require "delassus"
local seeds = require "support.seeds"

local G = { 0, 0, -9.81 }

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

--- A point on a string of length |x| about the origin, by the method of Runge and Kutta in n steps of h: x, v changed.
local function swing(x, v, h, n)
  local L2 = dot(x, x)
  local function rate(y, w)
    local tension, a = (dot(w, w) + dot(G, y)) / L2, {}
    for k = 1, 3 do a[k] = G[k] - tension * y[k] end
    return w, a
  end
  local function moved(y, d, s)
    local z = {}
    for k = 1, 3 do z[k] = y[k] + s * d[k] end
    return z
  end
  for _ = 1, n do
    local v1, a1 = rate(x, v)
    local v2, a2 = rate(moved(x, v1, h / 2), moved(v, a1, h / 2))
    local v3, a3 = rate(moved(x, v2, h / 2), moved(v, a2, h / 2))
    local v4, a4 = rate(moved(x, v3, h), moved(v, a3, h))
    for k = 1, 3 do
      x[k] = x[k] + h / 6 * (v1[k] + 2 * v2[k] + 2 * v3[k] + v4[k])
      v[k] = v[k] + h / 6 * (a1[k] + 2 * a2[k] + 2 * a3[k] + a4[k])
    end
  end
end

--- A stone on a string, by a rope or by a function, so fast that it stays taut: where it starts, how fast.
local function stone(seed, planar)
  local r = delassus.random(seed)
  local function some() return r:uniform(-1, 1) end
  local x, w = { some(), planar and 0 or some(), some() }, { some(), planar and 0 or some(), some() }
  local L, speed = r:uniform(0.4, 2), r:uniform(9, 12)
  local size = math.sqrt(dot(x, x))
  for k = 1, 3 do x[k] = x[k] * L / size end
  local along = dot(w, x) / (L * L)
  for k = 1, 3 do w[k] = w[k] - along * x[k] end
  local fast = math.sqrt(dot(w, w))
  for k = 1, 3 do w[k] = w[k] * speed / fast end
  return x, w, L
end

--- A world with that stone; the plane's y is z.
local function world_of(seed, planar, dt, by_function)
  local x, w, L = stone(seed, planar)
  local function flat(y) return planar and { y[1], y[3] } or { y[1], y[2], y[3] } end
  local world = delassus.world{ planar = planar, gravity = flat(G), dt = dt, record = false }
  local made = { radius = 0.05, density = 2000, position = flat(x), velocity = flat(w) }
  local body = planar and world:disk(made) or world:sphere(made)
  if by_function then
    local n = planar and 2 or 3
    world:contact{ world.ground, body, gap = function(q)
      local sum = 0
      for k = 1, n do sum = sum + q[k] * q[k] end
      return L - math.sqrt(sum)
    end, gradient = function(q)
      local sum, out = 0, planar and { 0, 0, 0 } or { 0, 0, 0, 0, 0, 0 }
      for k = 1, n do sum = sum + q[k] * q[k] end
      for k = 1, n do out[k] = -q[k] / math.sqrt(sum) end
      return out
    end }
  else
    world:contact{ world.ground, body, rope = L }
  end
  return world, body, x, w
end

describe("what is taut", function()
  it("swings as a pendulum to second order: 400 stones on strings, in the plane and in space", function()
    local fine, rough = 0, 0
    for seed = 1, seeds(400) do
      local planar, off = seed % 2 == 0, {}
      for k, dt in ipairs{ 2e-3, 1e-3 } do
        local world <close>, body, x, v = world_of(seed, planar, dt)
        swing(x, v, 1e-3, 200)
        world:run(0.2)
        local p = body.position
        off[k] = math.sqrt((p[1] - x[1]) ^ 2 + (planar and 0 or p[2] - x[2]) ^ 2 + (p[planar and 2 or 3] - x[3]) ^ 2)
      end
      rough, fine = rough + off[1], fine + off[2]
      if off[2] > 2.5e-3 then error(("seed %d: %g m off"):format(seed, off[2])) end
    end
    assert.is_true(rough / fine > 3.6, "order: " .. rough / fine)
  end)

  it("is the same by a rope and by a gap function, 200 stones", function()
    for seed = 1, seeds(200) do
      local planar = seed % 2 == 0
      local one <close>, a = world_of(seed, planar, 1e-3)
      local two <close>, b = world_of(seed, planar, 1e-3, true)
      one:run(0.1)
      two:run(0.1)
      local p, q = a.position, b.position
      for k = 1, planar and 2 or 3 do
        if math.abs(p[k] - q[k]) > 1e-10 then error(("seed %d: %g m apart"):format(seed, p[k] - q[k])) end
      end
    end
  end)

  -- A rope over two pegs: its gap has gradients by the two weights that are not opposite. By the turn of the second one's alone
  -- the energy was of first order, 0.04 J of it gone at 1 ms, and another where the two were named the other way round.
  it("runs over two pegs to second order, whoever is named first: 200 pairs of weights", function()
    local rough, fine = 0, 0
    for seed = 1, seeds(200) do
      local change, places = {}, {}
      for k, case in ipairs{ { 2e-3, 1, 2 }, { 1e-3, 1, 2 }, { 1e-3, 2, 1 } } do
        local r = delassus.random(seed)
        local world <close> = delassus.world{ planar = true, dt = case[1], record = false }
        local weight, hung = {}, {}
        for i = 1, 2 do
          hung[i] = r:uniform(0.7, 1.3)
          weight[i] = world:body{ mass = r:uniform(1, 1.5), inertia = 1, position = { 2 * i - 3, -hung[i] },
            velocity = { r:uniform(1, 2) * (r:uniform() < 0.5 and -1 or 1), 0 } }
        end
        local function length(q, i)
          local x, y = q[3 * i - 2] - (2 * i - 3), q[3 * i - 1]
          return math.sqrt(x * x + y * y), x, y
        end
        world:contact{ weight[case[2]], weight[case[3]], gap = function(q)
          return hung[1] + hung[2] - length(q, 1) - length(q, 2)
        end, gradient = function(q)
          local a, ax, ay = length(q, 1)
          local b, bx, by = length(q, 2)
          return { -ax / a, -ay / a, 0, -bx / b, -by / b, 0 }
        end }
        local kinetic, potential = world:energy()
        world:run(0.3)
        local now, below = world:energy()
        change[k], places[k] = math.abs(now + below - kinetic - potential), weight[2].position
      end
      rough, fine = rough + change[1], fine + change[2]
      if (places[3] - places[2]):norm() > 1e-11 then error(("seed %d: named the other way round"):format(seed)) end
    end
    assert.is_true(fine < 1e-4 * seeds(200), "J " .. fine / seeds(200))
    assert.is_true(rough / fine > 3, "order: " .. rough / fine)
  end)

  it("whirls on: 200 pairs of boxes on a rope between two corners keep their energy to second order", function()
    local rough, fine = 0, 0
    for seed = 1, seeds(200) do
      local lost = {}
      for k, dt in ipairs{ 2e-3, 1e-3 } do
        local r = delassus.random(seed)
        local function some(most) return r:uniform(-most, most) end
        local world <close> = delassus.world{ dt = dt, gravity = { 0, 0, 0 }, record = false }
        local pair = {}
        for i = 1, 2 do
          pair[i] = world:box{ size = { 0.3, r:uniform(0.2, 0.3), 0.2 }, density = 500, position = { i == 1 and -1 or 1, 0, 0 },
            velocity = { 0, (2 * i - 3) * r:uniform(4, 7), some(0.5) }, angular_velocity = { some(1), some(1), some(1) } }
        end
        world:contact{ pair[1], pair[2], point_a = { 0.15, some(0.1), 0 }, point_b = { -0.15, some(0.1), 0 },
          rope = 1.73 }
        world:run(0.1) -- it is taut by then
        local before = world:energy()
        world:run(0.2)
        lost[k] = math.abs(world:energy() / before - 1)
        if lost[k] > 4e-3 then error(("seed %d: %g of its energy"):format(seed, lost[k])) end
      end
      rough, fine = rough + lost[1], fine + lost[2]
    end
    assert.is_true(fine < 1e-3 * seeds(200), "a share of " .. fine / seeds(200))
    assert.is_true(rough / fine > 2, "order: " .. rough / fine)
  end)

  it("is of second order where the rope hangs on what joints hold: a bob on an arm, reduced and rigid, 200 seeds", function()
    for seed = 1, seeds(200) do
      local ends = {}
      for k, dt in ipairs{ 2e-3, 1e-3, 5e-4 } do
        for i, formulation in ipairs{ "reduced", "rigid" } do
          local r = delassus.random(seed)
          local world <close> = delassus.world{ planar = true, dt = dt, gravity = { 0, -9.81 }, record = false }
          local arm = world:box{ size = { 1, 0.1 }, density = 500, position = { 0.5, 0 } }
          world:joint{ "revolute", world.ground, arm, anchor = { 0, 0 }, formulation = formulation }
          local bob = world:disk{ radius = 0.1, density = r:uniform(1000, 3000), position = { 1.8, 0 },
            velocity = { 0, r:uniform(-8, -4) } }
          world:contact{ arm, bob, point_a = { 0.5, 0 }, rope = 0.8 }
          world:run(0.1)
          ends[k] = ends[k] or {}
          ends[k][i] = { bob.position[1], bob.position[2], arm.rotation }
        end
      end
      local function apart(a, b)
        return math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2 + (a[3] - b[3]) ^ 2)
      end
      local order = apart(ends[1][1], ends[2][1]) / apart(ends[2][1], ends[3][1])
      if order <= 3 then error(("seed %d: order %g"):format(seed, order)) end
      if apart(ends[2][1], ends[2][2]) >= 1e-9 then error(("seed %d: reduced and rigid part"):format(seed)) end
    end
  end)

  it("gains nothing: 200 nets of up to eight ropes between balls and fixed points, without weight", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local function some(most) return r:uniform(-most, most) end
      local world <close> = delassus.world{ dt = ({ 1e-3, 5e-3, 1 / 60 })[seed % 3 + 1], gravity = { 0, 0, 0 }, record = false }
      local balls = { world.ground }
      for i = 2, r:integer(2, 6) do
        balls[i] = world:body{ mass = r:uniform(0.5, 4), inertia = { 1, 1, 1 }, position = { some(1), some(1), some(1) },
          velocity = { some(4), some(4), some(4) } }
      end
      for _ = 1, r:integer(1, 8) do
        local a, b = r:integer(1, #balls), r:integer(2, #balls)
        if a ~= b then
          local from, to = a == 1 and { some(1), some(1), some(1) } or { 0, 0, 0 }, balls[b].position
          local x = a == 1 and from or balls[a].position
          world:contact{ balls[a], balls[b], point_a = from,
            rope = r:uniform(1, 1.2) * math.sqrt((x[1] - to[1]) ^ 2 + (x[2] - to[2]) ^ 2 + (x[3] - to[3]) ^ 2) }
        end
      end
      local before = world:energy()
      for k = 1, 300 do
        world:step()
        local now = world:energy()
        if now > before * (1 + 1e-6) then error(("seed %d, step %d: %g J of %g"):format(seed, k, now - before, before)) end
        before = now
      end
    end
  end)

  it("gains nothing where theta is above 1/2 or what bounces is taut: 200 stones on ropes with restitution", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local planar, by_function = seed % 2 == 0, seed % 3 == 0
      local function flat(x, y) return planar and { x, y } or { x, y, 0 } end
      local world <close> = delassus.world{ planar = planar, gravity = flat(0, 0), record = false,
        dt = ({ 1e-3, 5e-3, 1 / 60 })[r:integer(1, 3)], theta = ({ 0.5, 0.75, 1 })[r:integer(1, 3)] }
      local made = { radius = 0.05, density = 1000, position = flat(0.95, 0), velocity = flat(r:uniform(-2, 2), r:uniform(2, 8)) }
      local body = planar and world:disk(made) or world:sphere(made)
      local restitution, n = r:uniform(0, 1), planar and 2 or 3
      local function length(q)
        local sum = 0
        for k = 1, n do sum = sum + q[k] * q[k] end
        return math.sqrt(sum)
      end
      world:contact{ world.ground, body, restitution = restitution, rope = not by_function and 1 or nil,
        gap = by_function and function(q) return 1 - length(q) end or nil,
        gradient = by_function and function(q)
          local l, out = length(q), planar and { 0, 0, 0 } or { 0, 0, 0, 0, 0, 0 }
          for k = 1, n do out[k] = -q[k] / l end
          return out
        end or nil }
      local before = world:energy()
      local first = before
      for k = 1, 400 do
        world:step()
        local now = world:energy()
        if now > before + 1e-6 * first then error(("seed %d, step %d: gains %g of %g J"):format(seed, k, now - before, first)) end
        before = now
      end
    end
  end)
end)
