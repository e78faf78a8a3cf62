-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Contacts between two links of a four-bar linkage, or of one and the ground, that the sequential law strikes: the linkage
-- leaves their points one way to move, along which W is of rank one, and most impulses of the friction cone move nothing.
local delassus = require "delassus"
local seeds = require "support.seeds"

local STEPS, DT = 25, 1e-3

local function build(seed, planar, formulation)
  local random = delassus.random(seed)
  local function between(a, b) return random:uniform(a, b) end
  local function place(x, z) return planar and { x, z } or { x, 0, z } end
  local world = delassus.world{ planar = planar, impact = "sequential", dt = DT, record = false }
  local at = { { 0, 0 }, { between(-0.3, 0.3), between(0.2, 0.6) }, { between(0.6, 1.2), between(0.3, 0.9) },
    { between(0.7, 1.1), 0 } }
  local bars = {}
  for i = 1, 3 do
    local a, b, m = at[i], at[i + 1], 10 ^ between(-1.5, 1.5)
    bars[i] = world:body{ mass = m, inertia = planar and 0.02 * m or { 0.02 * m, 0.02 * m, 0.01 * m },
      position = place((a[1] + b[1]) / 2 + between(-0.1, 0.1), (a[2] + b[2]) / 2 + between(-0.1, 0.1)) }
  end
  for i = 1, 4 do
    world:joint{ "revolute", bars[i - 1] or world.ground, bars[i] or world.ground, anchor = place(table.unpack(at[i])),
      axis = not planar and { 0, 1, 0 } or nil, formulation = i == 4 and "rigid" or formulation }
  end
  local a, b = bars[random:integer(1, 3)], bars[random:integer(1, 3)]
  if a == b then a = world.ground end
  local angle, point = between(-math.pi, math.pi), place(between(0, 1), between(0, 0.6))
  local function seen_from(body)
    local from, seen = body == world.ground and place(0, 0) or body.position, {}
    for i = 1, #point do seen[i] = point[i] - from[i] end
    return seen
  end
  world:contact{ a, b, point_a = seen_from(a), point_b = seen_from(b), normal = place(math.cos(angle), math.sin(angle)),
    friction = between(0, 2), restitution = random:uniform() < 0.5 and 0 or between(0, 1) }
  local m = bars[2].mass
  bars[2]:impulse{ impulse = place(m * between(-1, 1), m * between(-1, 1)) }
  return world
end

describe("a contact inside a linkage, by the sequential law", function()
  for _, case in ipairs{ { true, "rigid" }, { true, "reduced" }, { false, "rigid" }, { false, "reduced" } } do
    local planar, formulation = table.unpack(case)
    it(("gains nothing and does not pass: %s, in %s (300 seeds)"):format(formulation, planar and "the plane" or "space"),
      function()
        for seed = 1, seeds(300) do
          local world <close> = build(seed, planar, formulation)
          for step = 1, STEPS do
            local kinetic, potential = world:energy()
            local made, why = pcall(world.step, world)
            if not made then error(("seed %d, step %d: %s"):format(seed, step, why)) end
            local now, high = world:energy()
            -- 1e-3: a swing of the links within a step; 1e-6 J beside what rests
            local most = 1e-3 * (kinetic + math.abs(potential)) + 1e-6
            local holds = now + high - kinetic - potential < most -- not where it is no number
            if not holds then
              error(("seed %d, step %d: gains %g of %g J"):format(seed, step, now + high - kinetic - potential, kinetic))
            end
            for contact in world:contacts() do
              if contact.velocity:dot(contact.normal) < -1e-6 and contact.state ~= "apart" then
                error(("seed %d, step %d: %s goes on"):format(seed, step, contact))
              end
            end
          end
        end
      end)
  end
end)
