-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What hangs on springs that no step resolves, and turns by radians in one: its energy never grows.
local delassus = require "delassus"
local seeds = require "support.seeds"
local random = require "support.random"

--- Numbers of the seed: within bounds; three within s.
local function numbers(seed)
  local r = random(seed)
  return function(lo, hi) return lo + (hi - lo) * 0.5 * (1 + r()) end, function(s) return { s * r(), s * r(), s * r() } end
end

--- In so many steps the world comes to no more than 1 + share of what there was; `each` is called behind each of them.
local function hold(world, steps, share, seed, each)
  local kinetic, _, stored = world:energy()
  local start = kinetic + stored
  for step = 1, steps do
    local made, why = pcall(world.step, world)
    if not made then error(("seed %d, step %d: %s"):format(seed, step, why), 0) end
    kinetic, _, stored = world:energy()
    local now = kinetic + stored
    if now ~= now or now > start * (1 + share) then
      error(("seed %d, step %d: %g J of %g J"):format(seed, step, now, start), 0)
    end
    if each then each(step) end
  end
end

describe("two long bodies that a stiff spring draws onto each other", function()
  it("gain nothing where a touch stops them on their way, by any law of impact (200 seeds)", function()
    for seed = 1, seeds(200) do
      local within, three = numbers(seed)
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false, dt = 1 / 120,
        impact = ({ "newton", "poisson", "sequential" })[seed % 3 + 1] }
      local bodies = {}
      for i = 1, 2 do
        local radii = { within(0.15, 0.25), within(0.05, 0.1), within(0.03, 0.06) }
        bodies[i] = world:body{ shape = seed % 2 == 0 and delassus.ellipsoid{ radii = radii } or delassus.box{ size = radii },
          position = { 0.6 * i, within(-0.1, 0.1), within(-0.1, 0.1) }, rotation = { axis = three(1), angle = within(-3, 3) },
          velocity = three(2), angular_velocity = three(6), friction = within(0, 1) }
      end
      world:spring{ bodies[1], bodies[2], stiffness = 10 ^ within(4, 6), damping = within(0, 200), length = within(0.1, 0.3) }
      hold(world, 40, 0.01, seed)
    end
  end)
end)

-- No step resolves such arms: where the net moves as one rigid body its angular momentum is another about the axis of least
-- inertia.
describe("a whirling mechanism on a stiff spring, of which one body slides in a plane metres away", function()
  it("does not gain, and tells what it loses of its angular momentum (200 seeds)", function()
    for seed = 1, seeds(200) do
      local within, three = numbers(seed)
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false, dt = 1e-3 }
      local function body(at, spin)
        return world:body{ mass = within(0.5, 5), inertia = { 0.01, within(0.01, 0.02), 0.015 }, position = at,
          velocity = three(15), angular_velocity = three(spin) }
      end
      local far = 10 ^ within(0, 1.5)
      local a, b = body({ 0, 0, 0 }, 100), body({ 0.2, 0.1, 0.3 }, 100)
      local c, d = body({ far, within(-0.3, 0.3), within(-0.3, 0.3) }, 60), body({ 0.3, 0, 0.1 }, 100)
      world:joint{ "universal", a, b, anchor = { 0.1, 0, 0.15 }, axis = { 1, 0, 0 }, axis2 = { 0, 1, 0 } }
      world:joint{ "planar", c, b, anchor = { 0.2, 0.1, 0.3 }, axis = three(1) }
      world:spring{ b, d, stiffness = 10 ^ within(4, 6), length = within(0.2, 0.4) }
      local before = select(2, world:momentum())
      hold(world, 60, 0.05, seed, function(step)
        local after, told = select(2, world:momentum()), world.stats.momentum_error
        if (after - before):norm() > 1e-8 * before:norm() and told <= 1e-10 then
          error(("seed %d, step %d: loses angular momentum, and tells %g"):format(seed, step, told), 0)
        end
        before = after
      end)
    end
  end)
end)
