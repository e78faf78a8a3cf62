-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Pairs on stiff springs that turn by radians a step: what they do never grows.
local delassus = require "delassus"
local seeds = require "support.seeds"
local random = require "support.random"

local SHARE, SWING = 1e-3, 2e-3 -- of what there was: see sprung_mechanisms_spec.lua

--- Words are made where they are wanted.
local function hold(what, form, ...)
  if not what then error(form:format(...), 2) end
end

--- Numbers of the seed: within bounds; three within s.
local function numbers(seed)
  local r = random(seed)
  return function(lo, hi) return lo + (hi - lo) * 0.5 * (1 + r()) end, function(s) return { s * r(), s * r(), s * r() } end
end

local function ball(world, within, three, spin)
  local a = within(0.02, 0.1)
  return world:body{ mass = within(0.5, 5), inertia = { a, a, a }, position = three(1), velocity = three(1),
    angular_velocity = three(spin) }
end

describe("a universal joint whose axes are nearly one", function()
  for _, formulation in ipairs{ "rigid", "penalty" } do
    it("counts its turns as its springs do, and does not gain: " .. formulation .. " (200 seeds)", function()
      local share = formulation == "rigid" and SHARE or 0.1 -- explicit rows gain by themselves
      for seed = 1, seeds(200) do
        local within, three = numbers(seed)
        local world <close> = delassus.world{ gravity = three(0), record = false, dt = 1e-3 }
        local bodies, axis, other, off = {}, three(1), three(1), within(0.01, 0.1)
        for i = 1, 2 do
          bodies[i] = ball(world, within, three, 30)
          world:spring{ world.ground, bodies[i], stiffness = 10 ^ within(3, 8), length = within(0, 2), anchor_a = three(1),
            anchor_b = three(0.2) }
        end
        for k = 1, 3 do other[k] = axis[k] + off * other[k] end
        world:joint{ "universal", bodies[1], bodies[2], anchor = three(1), axis = axis, axis2 = other,
          formulation = formulation, stiffness = 10 ^ within(2, 7) }
        local kinetic, _, stored = world:energy()
        local start = kinetic + stored
        for step = 1, 25 do
          local made, why = pcall(world.step, world)
          hold(made or formulation == "penalty" and tostring(why):find("would be lost", 1, true), "seed %d: %s", seed, why)
          if not made then break end
          kinetic, _, stored = world:energy()
          hold(kinetic + stored <= start * (1 + share), "seed %d, step %d: %g J of %g J", seed, step, kinetic + stored, start)
        end
      end
    end)
  end
end)

describe("a pair on a hinge that stiff springs stretch", function()
  it("turns freely, at its energy, where no step resolves them and it moves as one rigid body (200 seeds)", function()
    local stood = 0
    for seed = 1, seeds(200) do
      local within, three = numbers(seed)
      local world <close> = delassus.world{ gravity = three(0), record = false, dt = 1e-3 }
      local a, b = ball(world, within, three, 3), ball(world, within, three, 3)
      local hinge = world:joint{ "revolute", a, b, anchor = three(1), axis = three(1), formulation = "rigid" }
      for _ = 1, 2 do
        world:spring{ a, b, stiffness = 10 ^ within(6, 12), length = within(0.5, 1.5), anchor_a = three(0.2),
          anchor_b = three(0.2) }
      end
      local kinetic, _, stored = world:energy()
      for step = 1, 25 do
        local before, held, at = kinetic + stored, stored, hinge.q
        world:step()
        kinetic, _, stored = world:energy()
        local one = math.abs(stored - held) <= 1e-12 * stored and stored > kinetic
        stood = stood + (one and 1 or 0)
        local more = one and 1e-6 * kinetic + 1e-11 * before or SWING * before
        hold(kinetic + stored <= before + more, "seed %d, step %d: %g J of %g J", seed, step, kinetic + stored, before)
        hold(not one or math.abs(hinge.q - at) < 1, "seed %d, step %d: from %g to %g rad", seed, step, at, hinge.q)
      end
    end
    hold(stood > 50, "%d steps as one body", stood)
  end)
end)
