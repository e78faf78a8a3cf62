-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- world:linearize of mechanisms with equations: x' = A x + B tau is what world:accelerations says.
local delassus = require "delassus"
local seeds = require "support.seeds"

--- A parallelogram or a chain whose joints are geared, loaded and in motion; -> world, its reduced joints.
local function mechanism(seed)
  local r = delassus.random(seed)
  local world = delassus.world{ planar = true, record = false, gravity = { r:uniform(-5, 5), -9.81 } }
  local function link(x, y) return world:body{ mass = r:uniform(0.5, 2), inertia = r:uniform(0.05, 0.3), position = { x, y } } end
  local joints = {}
  if seed % 2 == 0 then
    local long = r:uniform(0.5, 1.5)
    local left, top, right = link(0, 0.5), link(long / 2, 1), link(long, 0.5)
    joints[1] = world:joint{ "revolute", world.ground, left, anchor = { 0, 0 }, stiffness = r:uniform(0, 20) }
    joints[2] = world:joint{ "revolute", left, top, anchor = { 0, 1 }, damping = r:uniform(0, 2) }
    joints[3] = world:joint{ "revolute", world.ground, right, anchor = { long, 0 } }
    world:joint{ "revolute", top, right, anchor = { long, 1 }, formulation = "rigid" }
  else
    local before = world.ground
    for k = 1, 3 do
      local body = link(k - 0.5, 0)
      joints[k] = world:joint{ "revolute", before, body, anchor = { k - 1, 0 }, stiffness = r:uniform(0, 20) }
      before = body
    end
    world:gear{ joints[1], joints[3], ratio = r:uniform(0.5, 3) }
  end
  return world, joints
end

describe("world:linearize", function()
  -- B had been M^-1 of the open tree: 1, 0 for 0.2, 0.4 of two geared wheels.
  it("has in B what torques make of accelerations, beside gears and loops: 200 mechanisms", function()
    for seed = 1, seeds(200) do
      local world <close>, joints = mechanism(seed)
      local _, B = world:linearize()
      local n, free = #world:velocities(), world:accelerations()
      for k, joint in ipairs(joints) do
        joint.torque = 1
        local more = world:accelerations()
        joint.torque = 0
        for i = 1, n do
          local off = B[n + i][k] - (more[i] - free[i])
          if math.abs(off) > 1e-8 * (1 + more:norm()) or B[i][k] ~= 0 then
            error(("seed %d: %g of %g by torque %d on %d"):format(seed, B[n + i][k], more[i] - free[i], k, i))
          end
        end
      end
    end
  end)
end)
