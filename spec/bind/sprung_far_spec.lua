-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Whirling mechanisms on a stiff spring, of which one body slides in a plane metres away: no step resolves such arms, and where
-- the net moves as one rigid body its angular momentum is another about the axis of least inertia. Energy never grows.
local delassus = require "delassus"
local seeds = require "support.seeds"
local random = require "support.random"

local SHARE = 0.05 -- of what there was

describe("a mechanism on a stiff spring with a body metres away", function()
  it("does not gain, however it whirls (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local function within(lo, hi) return lo + (hi - lo) * 0.5 * (1 + r()) end
      local function three(s) return { s * r(), s * r(), s * r() } end
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false, dt = 1e-3 }
      local function body(at, spin)
        return world:body{ mass = within(0.5, 5), inertia = { 0.01, within(0.01, 0.02), 0.015 }, position = at,
          velocity = three(15), angular_velocity = three(spin) }
      end
      local far = 10 ^ within(0, 1.5)
      local a, b, c, d = body({ 0, 0, 0 }, 100), body({ 0.2, 0.1, 0.3 }, 100), body({ far, 0.3 * r(), 0.3 * r() }, 60),
        body({ 0.3, 0, 0.1 }, 100)
      world:joint{ "universal", a, b, anchor = { 0.1, 0, 0.15 }, axis = { 1, 0, 0 }, axis2 = { 0, 1, 0 } }
      world:joint{ "planar", c, b, anchor = { 0.2, 0.1, 0.3 }, axis = three(1) }
      world:spring{ b, d, stiffness = 10 ^ within(4, 6), length = within(0.2, 0.4) }
      local kinetic, _, stored = world:energy()
      local start = kinetic + stored
      for step = 1, 60 do
        local made, why = pcall(world.step, world)
        if not made then error(("seed %d, step %d: %s"):format(seed, step, why), 0) end
        kinetic, _, stored = world:energy()
        if kinetic + stored ~= kinetic + stored or kinetic + stored > start * (1 + SHARE) then
          error(("seed %d, step %d: %g J of %g J"):format(seed, step, kinetic + stored, start), 0)
        end
      end
    end
  end)
end)
