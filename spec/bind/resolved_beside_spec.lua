-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Whether a step resolves a spring, or a motor that holds a position, is told by all that moves with it: gears and rigid joints
-- beside it, too. What is resolved goes by the implicit midpoint and keeps its energy.
local delassus = require "delassus"
local seeds = require "support.seeds"

--- A light wheel on a spring or a motor, geared or welded to a heavy one; its joint and the inertia that moves in all.
local function wheels(seed, o)
  local r = delassus.random(seed)
  local light, heavy, ratio = 10 ^ r:uniform(-4, -2), r:uniform(0.05, 0.5), r:uniform(0.5, 2)
  local planar = seed % 2 == 0
  local function place(x) return planar and { x, 0 } or { x, 0, 0 } end
  local function inertia(i) return planar and i or { i, i, i } end
  local geared = seed % 3 > 0
  local all = geared and light + ratio ^ 2 * heavy or light + heavy
  local dt = 1 / 50
  local stiffness = r:uniform(0.005, 0.1) * all / dt ^ 2
  local world = delassus.world{ dt = dt, planar = planar, gravity = place(0), record = false, tolerance = 1e-13 }
  local one, two = world:body{ mass = 1, inertia = inertia(light) },
    world:body{ mass = 1, inertia = inertia(heavy), position = place(geared and 2 or 0) }
  local function hinge(body, x, options)
    options[1], options[2], options[3], options.anchor = "revolute", world.ground, body, place(x)
    options.axis, options.formulation = not planar and { 0, 0, 1 } or nil, o.formulation
    return world:joint(options)
  end
  local a = hinge(one, 0, o.motor and { motor = { position = 0, stiffness = stiffness, damping = 0, max_torque = 1e9 } }
    or { stiffness = stiffness })
  local b = hinge(two, geared and 2 or 0, {})
  if geared then world:gear{ a, b, ratio = ratio } else world:joint{ "fixed", one, two, formulation = "rigid" } end
  if o.formulation == "rigid" then
    local function spin(x) return planar and x or { 0, 0, x } end
    one.angular_velocity, two.angular_velocity = spin(1), spin(geared and ratio or 1)
  else
    a.qd, b.qd = 1, geared and ratio or 1
  end
  return world, a, math.sqrt(stiffness / all)
end

describe("what a step resolves", function()
  for _, motor in ipairs{ false, true } do
    it("swings by the midpoint beside a gear or a weld: " .. (motor and "motors" or "springs") .. " (200 seeds)", function()
      for seed = 1, seeds(200) do
        local world <close>, joint, omega = wheels(seed, { motor = motor, formulation = seed % 4 > 1 and "rigid" or "reduced" })
        local turn = 2 * math.atan(omega * world.dt / 2) -- of a step, rad
        for k = 1, 60 do
          world:step()
          local want = math.sin(k * turn) / omega
          if math.abs(joint.q - want) > 1e-7 / omega then
            error(("seed %d, step %d: %g, not %g"):format(seed, k, joint.q, want))
          end
        end
      end
    end)
  end
end)
