-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What joints hold of a world's energy: springs and rotors.
local delassus = require "delassus"

local function near(expected, got, tolerance, what)
  local off = math.abs(expected - got)
  if off > tolerance or off ~= off then
    error(("%s: expected %.17g, got %.17g (off by %.3g)"):format(what, expected, got, off), 2)
  end
end

local function total(world)
  local kinetic, potential, stored = world:energy()
  return kinetic + potential + stored
end

describe("the energy of joints", function()
  for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
    it("holds that of their springs: " .. formulation, function()
      for kind, options in pairs{ revolute = { axis = { 0, 1, 0 } }, prismatic = { axis = { 1, 0, 2 } }, ball = {},
        universal = { axis = { 0, 1, 0 }, axis2 = { 0, 0, 1 } } } do
        local world <close> = delassus.world{ record = false, dt = 5e-4 }
        local body = world:body{ mass = 1, inertia = { 0.4, 0.5, 0.6 }, position = { 0.5, 0.2, 0 } }
        options[1], options[2], options[3] = kind, world.ground, body
        options.anchor, options.stiffness, options.formulation = { 0, 0, 0 }, 20, formulation
        local joint = world:joint(options)
        local start, most = total(world), 0
        for _ = 1, 1000 do
          world:step()
          most = math.max(most, select(3, world:energy()))
        end
        local tolerance = formulation == "penalty" and 5e-3 or 2e-4
        near(start, total(world), tolerance * most, kind)
        assert.is_true(most > 0.5, kind)
        if kind == "revolute" or kind == "prismatic" then
          near(10 * joint.q ^ 2, select(3, world:energy()), formulation == "penalty" and 1e-3 or 1e-14, kind .. ", stored")
        end
      end
    end)
  end

  it("is that of rotors too: steps are of second order, as without", function()
    local function scene(dt)
      local world = delassus.world{ record = false, dt = dt }
      local a = world:body{ mass = 1, inertia = { 0.4, 0.5, 0.6 }, position = { 0.5, 0, 0 } }
      local b = world:body{ mass = 1, inertia = { 0.4, 0.5, 0.6 }, position = { 1, 0, 0 } }
      local turn = world:joint{ "revolute", world.ground, a, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 }, inertia = 0.7,
        torque = 3 }
      local slide = world:joint{ "prismatic", a, b, axis = { 1, 0, 0 }, inertia = 0.4, torque = -1 }
      turn.qd, slide.qd = 2, 1
      return world, turn, slide
    end
    local exact <close>, turn0, slide0 = scene(1e-3)
    exact:integrate{ method = "rk4", dt = 1e-3, to = 0.4 }
    local before
    for _, dt in ipairs{ 4e-3, 2e-3, 1e-3 } do
      local world <close>, turn, slide = scene(dt)
      world:run(0.4)
      local off = { turn.q - turn0.q, slide.q - slide0.q, turn.qd - turn0.qd, slide.qd - slide0.qd }
      for i = 1, 4 do
        assert.is_true(math.abs(off[i]) < 5 * dt * dt, i)
        if before then assert.is_true(math.abs(before[i] / off[i] - 4) < 0.15, i .. ": " .. before[i] / off[i]) end
      end
      before = off
    end
  end)

  it("holds that of their rotors, and the ledger knows it", function()
    local world <close> = delassus.world{ record = false }
    local a = world:body{ mass = 1, inertia = { 0.4, 0.5, 0.6 }, position = { 0.5, 0, 0 } }
    local b = world:body{ mass = 1, inertia = { 0.4, 0.5, 0.6 }, position = { 1, 0, 0 } }
    world:joint{ "revolute", world.ground, a, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 }, inertia = 0.7, torque = 3 }
    world:joint{ "prismatic", a, b, axis = { 1, 0, 0 }, inertia = 0.4, torque = -1 }
    local start = total(world)
    for _ = 1, 300 do
      world:step()
      local u, sum = world:velocities(), 0
      local M = world:mass_matrix()
      for i = 1, 2 do for j = 1, 2 do sum = sum + 0.5 * u[i] * M[i][j] * u[j] end end
      near(sum, (world:energy()), 1e-12 * (1 + sum), "kinetic")
    end
    near(total(world) - start, world:ledger().kinetic + world:ledger().potential, 1e-12, "ledger")
    assert.is_true(world.stats.energy_balance < 1e-12)
    assert.is_true(math.abs(world:velocities()[1]) > 1)
    local c = world:body{ mass = 1, inertia = { 1, 1, 1 } }
    assert.error_matches(function()
      world:joint{ "revolute", world.ground, c, axis = { 0, 1, 0 }, inertia = 0.7, formulation = "rigid" }
    end, "'inertia' (of a rotor) needs the reduced formulation", 1, true)
  end)
end)
