-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Long bodies that stiff springs draw onto each other: they strike while they turn by radians a step, each stopped on its way
-- by a touch, and what they do never grows.
local delassus = require "delassus"
local seeds = require "support.seeds"
local random = require "support.random"

local SHARE = 0.01 -- of what there was

describe("two long bodies that a stiff spring draws onto each other", function()
  it("gain nothing where a touch stops them on their way, by any law of impact (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local function within(lo, hi) return lo + (hi - lo) * 0.5 * (1 + r()) end
      local function three(s) return { s * r(), s * r(), s * r() } end
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false, dt = 1 / 120,
        impact = ({ "newton", "poisson", "sequential" })[seed % 3 + 1] }
      local bodies = {}
      for i = 1, 2 do
        local radii = { within(0.15, 0.25), within(0.05, 0.1), within(0.03, 0.06) }
        bodies[i] = world:body{ shape = seed % 2 == 0 and delassus.ellipsoid{ radii = radii }
            or delassus.box{ size = { radii[1], radii[2], radii[3] } }, position = { 0.6 * i, 0.1 * r(), 0.1 * r() },
          rotation = { axis = three(1), angle = 3 * r() }, velocity = three(2), angular_velocity = three(6),
          friction = within(0, 1) }
      end
      world:spring{ bodies[1], bodies[2], stiffness = 10 ^ within(4, 6), damping = within(0, 200), length = within(0.1, 0.3) }
      local kinetic, _, stored = world:energy()
      local start = kinetic + stored
      for step = 1, 40 do
        world:step()
        kinetic, _, stored = world:energy()
        if kinetic + stored ~= kinetic + stored or kinetic + stored > start * (1 + SHARE) then
          error(("seed %d, step %d: %g J of %g J"):format(seed, step, kinetic + stored, start), 0)
        end
      end
    end
  end)
end)
