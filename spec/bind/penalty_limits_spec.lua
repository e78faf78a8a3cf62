-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Penalty hinges and slides with limits, torn at until they come apart: rows of limits grow without bound there (their angles
-- about axes that lean, their arms along the slide). A step either keeps the energy, added up from kinetic and stored, or is
-- refused as one that would lose the joint.
local delassus = require "delassus"
local chance = require "support.chance"

local SHARE = 0.2 -- of what moves and is stored

describe("limits of penalty joints that come apart", function()
  for _, kind in ipairs{ "revolute", "prismatic" } do
    it("no step gains energy that is not refused, 200 seeds: " .. kind, function()
      local refused = 0
      for seed = 1, 200 do
        local r = chance(seed)
        local planar = kind == "prismatic" and r.pick{ true, false }
        local function vec(s) return { r.from(-s, s), r.from(-s, s), not planar and r.from(-s, s) or nil } end
        local world <close> = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = 1 / 60,
          record = false }
        local function body(x)
          local m = r.from(0.5, 5)
          local a, b, c = m * r.from(0.01, 0.1), m * r.from(0.01, 0.1), m * r.from(0.01, 0.1)
          return world:body{ mass = m, inertia = planar and a or { b + c, a + c, a + b },
            position = planar and { x, 0 } or { x, 0, 0 }, velocity = vec(3),
            angular_velocity = planar and r.from(-30, 30) or vec(30) }
        end
        local a, b = body(0), body(0.4)
        world:joint{ kind, a, b, anchor = planar and { 0.2, 0 } or { 0.2, 0, 0 },
          axis = (kind == "prismatic" or not planar) and vec(1) or nil, formulation = "penalty", limits = { -0.1, 0.1 } }
        local kinetic, _, stored = world:energy()
        for step = 1, 30 do
          local made, why = pcall(world.step, world)
          if not made then
            assert.is_truthy(tostring(why):find("would be lost", 1, true), tostring(why))
            refused = refused + 1
            break
          end
          local before = kinetic + stored
          kinetic, _, stored = world:energy()
          local gained = kinetic + stored - before
          if gained > SHARE * before or gained ~= gained then
            error(("seed %d, step %d: gained %g of %g J"):format(seed, step, gained, before))
          end
        end
      end
      assert.is_true(refused < 60, refused .. " of 200 refused")
    end)
  end
end)
