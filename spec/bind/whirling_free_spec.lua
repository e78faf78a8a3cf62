-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Mechanisms that whirl freely, up to 2 rad a step: no step gives them energy, and what angular momentum a step loses is told.
-- Oracles: energy and momentum from poses and velocities.
local delassus = require "delassus"
local chance = require "support.chance"

local SEEDS, STEPS = require "support.seeds"(200), 100

--- Three boxes on two joints at rest but for their turning, away from everything.
local function whirling(seed, planar, formulation, rate)
  local r = chance(seed)
  local function vec(s) return { r.from(-s, s), r.from(-s, s), r.from(-s, s) } end
  local world = delassus.world{ planar = planar, record = false, dt = 1 / 60, gravity = planar and { 0, 0 } or { 0, 0, 0 } }
  local last
  for i = 1, 3 do
    local size = { r.from(0.1, 0.4), r.from(0.1, 0.4), not planar and r.from(0.05, 0.3) or nil }
    local body = world:box{ size = size, density = 1000, position = planar and { 0.6 * i, 0 } or { 0.6 * i, 0, 0 },
      angular_velocity = planar and r.from(-rate, rate) or vec(rate), collides = false }
    if last then
      local kind = planar and "revolute" or r.pick{ "spherical", "revolute", "universal" }
      world:joint{ kind, last, body, anchor = planar and { 0.6 * i - 0.3, 0 } or { 0.6 * i - 0.3, 0, 0 },
        axis = not planar and kind ~= "spherical" and vec(1) or nil, axis2 = kind == "universal" and vec(1) or nil,
        formulation = formulation }
    end
    last = body
  end
  world:step() -- joints stop what they do not admit
  return world
end

local function size_of(x) return type(x) == "number" and math.abs(x) or x:norm() end

describe("mechanisms that whirl freely", function()
  for _, formulation in ipairs{ "reduced", "rigid" } do
    for _, planar in ipairs{ true, false } do
      it(("gain nothing: %s, %s, %d seeds"):format(formulation, planar and "plane" or "space", SEEDS), function()
        local lost = 0
        for seed = 1, SEEDS do
          local rate = ({ 10, 20, 60, 120 })[seed % 4 + 1]
          local world <close> = whirling(seed, planar, formulation, rate)
          local first = world:energy()
          local most = rate <= 20 and 1.001 or 1.1
          for step = 1, STEPS do
            local _, before = world:momentum()
            world:step()
            local energy = world:energy()
            local what = ("seed %d, %g rad/s, step %d"):format(seed, rate, step)
            assert.is_true(energy < most * first, ("%s: %g times"):format(what, energy / first))
            local _, after = world:momentum()
            local told = world.stats.momentum_error
            assert.is_true(told <= 1, what)
            if told > 0 then lost = lost + 1
            else
              assert.is_true(size_of(after - before) < 1e-10 * (size_of(before) + world.dt * first),
                ("seed %d, %g rad/s, step %d: %s of %s N m s"):format(seed, rate, step, after - before, before))
            end
          end
        end
        assert.is_true(lost < SEEDS * STEPS / 25, lost .. " steps lost angular momentum")
      end)
    end
  end
end)
