-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Springs between two points whose line turns by much in a step, or passes through no length: energy at any stiffness
-- and damping, momenta, the ledger, and order two where the step resolves the turn.
local delassus = require "delassus"
local random = require "support.random"
local seeds = require "support.seeds"

local FAR = 0.1 ^ 2 -- rad^2: joints/spring_line.c

--- Words are made where they are wanted: this is asked 100,000 times.
local function hold(what, form, ...)
  if not what then error(form:format(...), 2) end
end

local function total(world)
  local kinetic, potential, stored = world:energy()
  return kinetic + potential + stored
end

--- Two bodies and a spring whose length at rest does not fit, of k from 10^low to 10^high; -> world, bodies, k, L.
local function pair(seed, planar, low, high, reach)
  local r = random(seed)
  local function within(lo, hi) return lo + (hi - lo) * 0.5 * (1 + r()) end
  local function three(s) return planar and { s * r(), s * r() } or { s * r(), s * r(), s * r() } end
  local world = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, record = false,
    dt = seed % 2 == 0 and 1e-3 or 5e-3 }
  local bodies = {}
  for i = 1, 2 do
    local at, inertia = three(0.1), within(0.01, 0.1)
    at[1] = 0.6 * (i - 1)
    bodies[i] = world:body{ mass = within(0.5, 5), inertia = planar and inertia or { inertia, inertia, inertia },
      position = at, velocity = three(1), angular_velocity = planar and 3 * r() or three(3) }
  end
  local k, L, c = 10 ^ within(low, high), within(0.1, 1), 10 ^ within(0, 9)
  world:spring{ bodies[1], bodies[2], stiffness = k, damping = seed % 3 == 0 and c or 0, length = L,
    anchor_a = three(reach), anchor_b = three(reach) }
  return world, bodies, k, L
end

--- check(name, planar, low, high)
local function each_range(check)
  for _, planar in ipairs{ true, false } do
    for _, range in ipairs{ { -6, 4 }, { 4, 8 }, { 8, 12 } } do
      check(("%s, k from 1e%d to 1e%d"):format(planar and "plane" or "space", range[1], range[2]), planar, range[1], range[2])
    end
  end
end

describe("a spring between two points", function()
  it("through mass centres gives no step more than k L d FAR/8, whatever it turns by (200 seeds each)", function()
    each_range(function(name, planar, low, high)
      for seed = 1, seeds(200) do
        local world <close>, bodies, k, L = pair(seed, planar, low, high, 0)
        local start = total(world)
        local last, way = start, bodies[2].position - bodies[1].position
        for step = 1, 100 do
          world:step()
          local now, next_way = total(world), bodies[2].position - bodies[1].position
          local d = (next_way - way):norm()
          hold(now <= last + k * L * d * FAR / 8 + 1e-12 * start, "%s, seed %d, step %d: %.15g J after %.15g J", name, seed,
            step, now, last)
          last, way = now, next_way
        end
        hold(last <= start * 1.002, "%s, seed %d: %g J of %g J", name, seed, last, start)
      end
    end)
  end)

  it("off the mass centres gains less than a hundredth in a hundred steps, whatever turns (200 seeds each)", function()
    each_range(function(name, planar, low, high)
      for seed = 1, seeds(200) do
        local world <close> = pair(seed, planar, low, high, 0.1)
        local start = total(world)
        local p, l = world:momentum()
        for step = 1, 100 do
          world:step()
          local now, ledger = total(world), world:ledger()
          hold(now <= 1.01 * start, "%s, seed %d, step %d: %g J of %g J", name, seed, step, now, start)
          hold(math.abs(ledger.error) <= 1e-12 * ledger.turnover + 1e-13 * start, "%s, seed %d: ledger", name, seed)
          hold(ledger.scheme <= 1e-12 * start and ledger.damping >= -1e-12 * start, "%s, seed %d: %g, %g of %g J", name, seed,
            ledger.scheme, ledger.damping, start)
        end
        local p2, l2 = world:momentum()
        local scale = math.sqrt(start) -- kg m/s of a kilogram with that energy
        hold((p2 - p):norm() <= 1e-11 * (1 + scale), "%s, seed %d: momentum", name, seed)
        hold((planar and math.abs(l2 - l) or (l2 - l):norm()) <= 1e-11 * (1 + scale), "%s, seed %d: moment", name, seed)
      end
    end)
  end)

  it("keeps its energy as it passes through no length, again and again", function()
    for _, planar in ipairs{ true, false } do
      local function place(x) return planar and { x, 0 } or { x, 0, 0 } end
      for seed = 1, seeds(200) do
        local r = random(seed)
        local world <close> = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, record = false }
        local body = world:body{ mass = 1, inertia = planar and 1 or { 1, 1, 1 }, position = place(0.3 + 0.1 * r()),
          velocity = place(40 + 10 * r()) }
        world:spring{ world.ground, body, stiffness = 10 ^ (3.4 + 0.5 * r()), length = 0.2 + 0.1 * r() }
        local start, passed, x = total(world), 0, body.position[1]
        for _ = 1, 300 do
          world:step()
          local now = body.position[1]
          if now * x < 0 then passed = passed + 1 end
          x = now
          local off = math.abs(total(world) / start - 1)
          hold(off <= 1e-4, "seed %d: %g after %d times", seed, off, passed)
        end
        hold(passed >= 2, "seed %d: %d times", seed, passed)
      end
    end
  end)

  it("is of second order where the step resolves its turn, on turning bodies, in chains (200 seeds)", function()
    local function run(seed, planar, dt)
      local r = random(seed)
      local function three(s) return planar and { s * r(), s * r() } or { s * r(), s * r(), s * r() } end
      local world <close> = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = dt,
        record = false }
      local bodies, out = {}, {}
      for i = 1, 3 do
        local at = three(0.1)
        at[1] = i + at[1]
        bodies[i] = world:body{ mass = 2 + r(), inertia = planar and 0.05 or { 0.04, 0.05, 0.06 }, position = at,
          velocity = three(1), angular_velocity = planar and 3 * r() or three(3) }
      end
      for i = 2, 3 do
        world:spring{ bodies[i - 1], bodies[i], stiffness = 10 ^ (1.5 + r()), damping = 1 + r(), length = 0.8 + 0.2 * r(),
          anchor_a = three(0.1), anchor_b = three(0.1) }
      end
      world:step(math.floor(0.25 / dt + 0.5))
      for _, body in ipairs(bodies) do
        for i = 1, planar and 2 or 3 do out[#out + 1] = body.position[i] end
      end
      return out
    end
    local function apart(a, b)
      local sum = 0
      for i, x in ipairs(a) do sum = sum + (x - b[i]) ^ 2 end
      return math.sqrt(sum)
    end
    for seed = 1, seeds(200) do
      local planar = seed % 2 == 0
      local coarse, middle, fine = run(seed, planar, 2e-3), run(seed, planar, 1e-3), run(seed, planar, 5e-4)
      local ratio = apart(coarse, middle) / apart(middle, fine)
      hold(ratio > 3.8 and ratio < 4.2, "seed %d: %g", seed, ratio)
    end
  end)
end)
