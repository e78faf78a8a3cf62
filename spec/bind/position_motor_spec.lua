-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- A motor that holds a position is a spring and a damper about it, within its torque.
local delassus = require "delassus"

describe("a motor that holds a position", function()
  --- The coordinate after 1 s of one body on a joint, from 0.5, about `target`.
  local function coordinate(kind, planar, formulation, dt, options)
    local world = delassus.world{ planar = planar, dt = dt, gravity = planar and { 0, 0 } or { 0, 0, 0 } }
    local body = world:body{ mass = 1, inertia = planar and 1 or { 1, 1, 1 } }
    options[1], options[2], options[3], options.formulation = kind, world.ground, body, formulation
    options.axis = not (planar and kind == "revolute") and (planar and { 1, 0 } or { 0, 0, 1 }) or nil
    local joint = world:joint(options)
    if formulation == "reduced" then joint.q = 0.5 else
      if kind == "revolute" then body.rotation = planar and 0.5 or { axis = { 0, 0, 1 }, angle = 0.5 }
      else body.position = planar and { 0.5, 0 } or { 0, 0, 0.5 } end
    end
    world:run(1)
    assert.equal(0, world.stats.unconverged)
    return joint.q
  end

  --- x'' + c x' + k (x - target) = 0 from 0.5 at rest, after 1 s.
  local function exact(k, c, target)
    local omega, x = math.sqrt(k - c * c / 4), 0.5 - target
    return target + math.exp(-c / 2) * x * (math.cos(omega) + c / (2 * omega) * math.sin(omega))
  end

  for _, planar in ipairs{ true, false } do
    for _, kind in ipairs{ "revolute", "prismatic" } do
      for _, formulation in ipairs{ "reduced", "rigid" } do
        local where = ("%s, %s, %s"):format(planar and "plane" or "space", kind, formulation)
        it("is right to second order (" .. where .. ")", function()
          for seed = 1, 25 do
            local random = delassus.random(seed)
            local k, c, target = random:uniform(5, 40), random:uniform(0.2, 2), random:uniform(-1, 1)
            local off = {}
            for i, dt in ipairs{ 4e-3, 2e-3 } do
              off[i] = coordinate(kind, planar, formulation, dt, { motor = { position = target, stiffness = k, damping = c } })
                - exact(k, c, target)
            end
            if not (math.abs(off[1]) < 3e-4 and math.abs(off[1] / off[2] - 4) < 0.2 or math.abs(off[1]) < 3e-7) then
              error(("seed %d: off by %g and %g"):format(seed, off[1], off[2]))
            end
          end
        end)
        it("is the joint's own spring and damper, where that stands at zero (" .. where .. ")", function()
          for seed = 1, 25 do
            local random = delassus.random(seed)
            local k, c = random:uniform(5, 40), random:uniform(0.2, 2)
            local motor = coordinate(kind, planar, formulation, 2e-3, { motor = { position = 0, stiffness = k, damping = c } })
            local spring = coordinate(kind, planar, formulation, 2e-3, { stiffness = k, damping = c })
            if math.abs(motor - spring) >= 1e-10 then error(("seed %d: %.17g, %.17g"):format(seed, motor, spring)) end
          end
        end)
        it("is at its target in a few steps where it is far stiffer than a step resolves (" .. where .. ")", function()
          local at = coordinate(kind, planar, formulation, 1e-2, { motor = { position = 0.2, stiffness = 1e9, damping = 1e3 } })
          assert.near(0.2, at, 1e-9)
        end)
      end
    end
  end
end)
