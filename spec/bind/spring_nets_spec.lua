-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Nets of springs between two points, with more springs than freedoms too: kinetic and stored energy, summed here, never
-- grow; momenta, the ledger, order two and energy where the step resolves them; with weight, joints and contacts.
local delassus = require "delassus"
local seeds = require "support.seeds"
local random = require "support.random"

--- Words are made where they are wanted.
local function hold(what, form, ...)
  if not what then error(form:format(...), 2) end
end

--- What a world has, J: kinetic, potential, stored.
local function total(world)
  local kinetic, potential, stored = world:energy()
  return kinetic + potential + stored
end

--- So many steps, of which none leaves more than the start had, but for a share; -> what the start had.
local function descend(world, seed, steps, share)
  local start = total(world)
  for step = 1, steps do
    world:step()
    local now = total(world)
    hold(now <= start * (1 + share), "seed %d, step %d: %g J of %g J", seed, step, now, start)
  end
  return start
end

local RANGES = { { 0, 4 }, { 4, 8 }, { 8, 12 } }

--- Place and rotation matrix of a body, by its position and rotation; nil: the ground.
local function pose(body, planar)
  if not body then return { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 } end
  local x, q = body.position, body.rotation
  if planar then
    local c, s = math.cos(q), math.sin(q)
    return { x[1], x[2], 0, c, -s, 0, s, c, 0, 0, 0, 1 }
  end
  local w, a, b, c = q[1], q[2], q[3], q[4]
  return { x[1], x[2], x[3], 1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b),
    2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a),
    2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b) }
end

--- A point of a body in the world.
local function place(p, r)
  local x, y, z = r[1], r[2], r[3] or 0
  return p[1] + p[4] * x + p[5] * y + p[6] * z, p[2] + p[7] * x + p[8] * y + p[9] * z, p[3] + p[10] * x + p[11] * y + p[12] * z
end

--- Everything between everything, of k from 10^low to 10^high; -> world, energy, the bodies.
local function net(seed, planar, low, high, options)
  options = options or {}
  local r = random(seed)
  local function within(lo, hi) return lo + (hi - lo) * 0.5 * (1 + r()) end
  local function three(s) return planar and { s * r(), s * r() } or { s * r(), s * r(), s * r() } end
  local down = options.weight and -9.81 or 0
  local world = delassus.world{ planar = planar, gravity = planar and { 0, down } or { 0, 0, down }, record = false,
    dt = options.dt or (seed % 2 == 0 and 1e-3 or 5e-3) }
  local bodies, springs, inertia = {}, {}, {}
  if options.hung then bodies[0] = world.ground end
  for i = 1, 3 + seed % 5 do
    inertia[i] = within(0.01, 0.1)
    bodies[i] = world:body{ mass = within(0.5, 5), inertia = planar and inertia[i] or { inertia[i], inertia[i], inertia[i] },
      position = three(1), velocity = three(1), angular_velocity = planar and 3 * r() or three(3) }
  end
  local magnitude = within(low, high)
  for i = options.hung and 0 or 1, #bodies do
    for j = i + 1, #bodies do
      local reach = options.reach or 0
      local s = { i, j, k = 10 ^ (magnitude + 0.3 * r()), L = within(0, 1), a = three(reach), b = three(reach) }
      springs[#springs + 1] = s
      world:spring{ bodies[i], bodies[j], stiffness = s.k, length = s.L, anchor_a = s.a, anchor_b = s.b,
        damping = seed % 3 == 0 and 10 ^ within(0, 9) or 0 }
    end
  end
  local function energy()
    local sum, moves, poses = 0, 0, { [0] = pose() }
    for i, body in ipairs(bodies) do
      poses[i] = pose(body, planar)
      local v, w = body.velocity, body.angular_velocity
      moves = moves + 0.5 * body.mass * v:dot(v) + 0.5 * inertia[i] * (planar and w * w or w:dot(w))
      sum = sum - down * body.mass * body.position[planar and 2 or 3]
    end
    for _, s in ipairs(springs) do
      local x, y, z = place(poses[s[1]], s.a)
      local x2, y2, z2 = place(poses[s[2]], s.b)
      sum = sum + 0.5 * s.k * (math.sqrt((x2 - x) ^ 2 + (y2 - y) ^ 2 + (z2 - z) ^ 2) - s.L) ^ 2
    end
    return sum + moves, moves
  end
  return world, energy, bodies
end

local function each(check)
  for _, planar in ipairs{ true, false } do
    for _, range in ipairs(RANGES) do
      check(("%s, k from 1e%d to 1e%d"):format(planar and "plane" or "space", range[1], range[2]), planar, range[1], range[2])
    end
  end
end

describe("a net of springs", function()
  for name, options in pairs{ free = { reach = 0.1 }, ["of points"] = {}, hung = { hung = true, reach = 0.1, weight = true } } do
    it(name .. " never gains: a midpoint's swing in a step at most, nothing where all are stiff (240 seeds each)", function()
      each(function(range, planar, low, high)
        for seed = 1, seeds(40) do
          local world <close>, energy = net(seed, planar, low, high, options)
          local start, moves = energy()
          local last, scale = start, math.abs(start) + moves
          local p, l = world:momentum()
          for step = 1, 40 do
            world:step()
            local now, moving = energy()
            local swing = low < 8 and 2e-4 * math.max(moving, moves) or 0
            hold(now <= last + swing + 1e-11 * scale, "%s, seed %d, step %d: %.15g J after %.15g J", range, seed, step, now, last)
            last, moves = now, moving
          end
          hold(last <= start + 2e-3 * scale, "%s, seed %d: %g J of %g J", range, seed, last, start)
          local ledger = world:ledger()
          hold(math.abs(ledger.error) <= 1e-11 * ledger.turnover + 1e-13 * scale, "%s, seed %d: ledger %g", range, seed,
            ledger.error)
          if not options.hung then
            local p2, l2 = world:momentum()
            local most = 1e-11 * (1 + math.sqrt(scale))
            hold((p2 - p):norm() <= most, "%s, seed %d: momentum", range, seed)
            hold((planar and math.abs(l2 - l) or (l2 - l):norm()) <= most, "%s, seed %d: moment", range, seed)
          end
        end
      end)
    end)
  end
end)

describe("a resolved net", function()
  it("is of second order, and keeps its energy to it for 4 s (20 seeds)", function()
    local function run(seed, planar, dt, seconds)
      local r = random(seed)
      local function three(s) return planar and { s * r(), s * r() } or { s * r(), s * r(), s * r() } end
      local world <close> = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = dt,
        record = false }
      local bodies = {}
      for i = 1, 5 do -- on a ring: lines that pass through no length are spring_line's
        local at = three(0.1)
        at[1], at[2] = at[1] + math.cos(1.2566 * i), at[2] + math.sin(1.2566 * i)
        bodies[i] = world:body{ mass = 2 + r(), inertia = planar and 0.1 or { 0.1, 0.1, 0.1 }, position = at,
          velocity = three(1), angular_velocity = planar and r() or three(1) }
      end
      for i = 1, 5 do
        for j = i + 1, 5 do
          world:spring{ bodies[i], bodies[j], stiffness = 100 * (1.5 + r()), length = 1.2 + 0.4 * r(), anchor_a = three(0.1),
            anchor_b = three(0.1) }
        end
      end
      local start, out, off = total(world), {}, 0
      for step = 1, math.floor(seconds / dt + 0.5) do
        world:step()
        off = math.max(off, math.abs(total(world) / start - 1))
        if math.abs(step * dt - 0.3) < 0.1 * dt then
          for _, body in ipairs(bodies) do for i = 1, planar and 2 or 3 do out[#out + 1] = body.position[i] end end
        end
      end
      return out, off
    end
    local function apart(a, b)
      local sum = 0
      for i, x in ipairs(a) do sum = sum + (x - b[i]) ^ 2 end
      return math.sqrt(sum)
    end
    for seed = 1, 20 do
      local planar, seconds = seed % 2 == 0, seed <= 4 and 4 or 0.3
      local coarse, off = run(seed, planar, 5e-4, seconds)
      local middle, less = run(seed, planar, 2.5e-4, seconds)
      local fine = run(seed, planar, 1.25e-4, 0.3)
      local ratio = apart(coarse, middle) / apart(middle, fine)
      hold(ratio > 3.7 and ratio < 4.3, "seed %d: %g", seed, ratio)
      hold(off < 1e-3 and less < off / 2, "seed %d: energy off by %g and %g", seed, off, less)
    end
  end)
end)

describe("a net with rigid and penalty joints", function()
  it("that close do not gain either, with springs of their own (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local planar, formulation = seed % 4 > 1, seed % 2 == 0 and "rigid" or "penalty"
      local function three(s) return planar and { s * r(), s * r() } or { s * r(), s * r(), s * r() } end
      local world <close> = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, record = false }
      local bodies = {}
      for i = 1, 4 do
        bodies[i] = world:body{ mass = 1 + 0.5 * r(), inertia = planar and 0.05 or { 0.05, 0.05, 0.05 }, position = three(1) }
      end
      local magnitude = 6 + 6 * math.abs(r())
      for i = 1, 4 do
        for j = i + 1, 4 do
          world:spring{ bodies[i], bodies[j], stiffness = 10 ^ magnitude, length = 0.6 + 0.4 * r(), anchor_a = three(0.1),
            anchor_b = three(0.1) }
        end
      end
      world:joint{ planar and "revolute" or "spherical", bodies[1], bodies[2], anchor = three(1), formulation = formulation,
        stiffness = 10 ^ (8 + 4 * r()) }
      descend(world, seed, 40, 1e-3)
      local ledger = world:ledger()
      hold(math.abs(ledger.error) <= 1e-9 * ledger.turnover, "seed %d: ledger %g of %g", seed, ledger.error, ledger.turnover)
    end
  end)
end)

describe("a net with trees in it", function()
  it("does not gain, keeps its momenta where nothing holds it, and its ledger adds up (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local planar, hung, long = seed % 2 == 0, seed % 3 == 0, seed % 5 == 0
      local function three(s) return planar and { s * r(), s * r() } or { s * r(), s * r(), s * r() } end
      local world <close> = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, record = false,
        dt = seed % 4 < 2 and 1e-3 or 5e-3 }
      local bodies = {}
      for i = 1, 5 do
        local a = 0.06 + 0.02 * r()
        local inertia = planar and a or { a, long and 1.2 * a or a, long and 1.5 * a or a }
        bodies[i] = world:body{ mass = 1 + 0.5 * r(), inertia = inertia, position = three(1), velocity = three(1),
          angular_velocity = planar and 3 * r() or three(3) }
      end
      local kinds = planar and { "revolute", "prismatic" } or { "revolute", "spherical", "universal", "prismatic" }
      for i = hung and 1 or 2, 3 do
        local kind = kinds[1 + (seed + i) % #kinds]
        local straight = kind ~= "spherical" and not (planar and kind == "revolute")
        world:joint{ kind, i == 1 and world.ground or bodies[i - 1], bodies[i], anchor = three(1), formulation = "reduced",
          axis = straight and { 1, 0.3 * r(), not planar and r() or nil } or nil,
          axis2 = kind == "universal" and { r(), 1, r() } or nil }
      end
      local magnitude = 8 + 4 * math.abs(r())
      for i = 1, 5 do
        for j = i + 1, 5 do
          world:spring{ bodies[i], bodies[j], stiffness = 10 ^ magnitude, length = 0.6 + 0.4 * r(), anchor_a = three(0.1),
            anchor_b = three(0.1) }
        end
      end
      world:step() -- joints close
      local p, l = world:momentum()
      local start = descend(world, seed, 40, 1e-9)
      local ledger = world:ledger()
      hold((long and not planar) or math.abs(ledger.error) <= 1e-11 * ledger.turnover, "seed %d: ledger %g of %g", seed,
        ledger.error, ledger.turnover) -- long bodies that tumble gain and lose between steps
      if not hung then
        local p2, l2 = world:momentum()
        local most = 1e-10 * (1 + math.sqrt(start))
        hold((p2 - p):norm() <= most, "seed %d: momentum by %g", seed, (p2 - p):norm())
        hold((planar and math.abs(l2 - l) or (l2 - l):norm()) <= most, "seed %d: moment", seed)
      end
    end
  end)
end)

describe("a net that rests on a floor", function()
  it("does not gain what its bodies meet with (100 seeds)", function()
    for seed = 1, seeds(100) do
      local r = random(seed)
      local world <close> = delassus.world{ planar = true, record = false }
      world:floor{ friction = 0 }
      local bodies, weight = {}, 0
      for i = 1, 4 do
        bodies[i] = world:disk{ radius = 0.1, density = 30, position = { 0.4 * i + 0.05 * r(), 0.4 + 0.25 * r() }, friction = 0 }
        weight = weight + 9.81 * bodies[i].mass
      end
      for i = 1, 4 do
        for j = i + 1, 4 do
          world:spring{ bodies[i], bodies[j], stiffness = 10 ^ (8 + 3 * r()), length = 0.4 * (j - i) + 0.1 * r() }
        end
      end
      descend(world, seed, 100, 1e-3)
    end
  end)
end)
