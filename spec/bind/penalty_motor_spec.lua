-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Speed motors of penalty joints in `accelerations()`: the oracle is the change of velocity in a step of 1e-7 s.
local delassus = require "delassus"

local DT = 1e-7
local function between(lo, hi) return lo + (hi - lo) * math.random() end

--- One or two bodies on motors, by penalties that do not depend on dt; rates at the motor's speed in every third world.
local function driven(seed)
  math.randomseed(seed)
  local planar, holds = seed % 2 == 0, seed % 3 == 0
  local world = delassus.world{ planar = planar, dt = DT, record = false }
  local before, joints = world.ground, {}
  local speed = between(-2, 2)
  for i = 1, holds and 1 or math.random(2) do
    local kind = math.random() < 0.5 and "revolute" or "prismatic"
    local body = world:body{ mass = between(1, 3), inertia = planar and between(0.1, 0.3) or
      { between(0.2, 0.3), between(0.2, 0.3), between(0.2, 0.3) }, position = planar and { i, 0 } or { i, 0, 0 } }
    local axis = planar and { 1, 0 } or kind == "revolute" and { 0, 0, 1 } or { 1, 0, 0 }
    local most = holds and 1e3 or between(0.1, 30)
    local joint = { kind, before, body, anchor = planar and { i, 0 } or { i, 0, 0 }, formulation = "penalty", gains = "published",
      motor = { speed = speed, [kind == "revolute" and "max_torque" or "max_force"] = most } }
    if not (planar and kind == "revolute") then joint.axis = axis end
    joints[i] = world:joint(joint)
    if holds then
      local slides = kind == "prismatic"
      body.velocity = planar and { slides and speed or 0, 0 } or { slides and speed or 0, 0, 0 }
      body.angular_velocity = planar and (slides and 0 or speed) or { 0, 0, slides and 0 or speed }
    end
    before = body
  end
  return world, joints, holds
end

describe("a speed motor of a penalty joint", function()
  it("acts in accelerations() as in a step (200 seeds)", function()
    local pulled, held = 0, 0
    for seed = 1, 200 do
      local world <close>, joints, holds = driven(seed)
      local udot, u = world:accelerations(), world:velocities()
      local wrench = {}
      for i, joint in ipairs(joints) do wrench[i] = { joint:reaction() } end
      world:step(1)
      local after = world:velocities()
      for i = 1, #u do
        local want = (after[i] - u[i]) / DT
        assert.is_true(math.abs(udot[i] - want) < 1e-4 * (1 + math.abs(want)), ("seed %d: %g for %g"):format(seed, udot[i], want))
        if math.abs(want) > 1e-3 then pulled = pulled + 1 end
      end
      for i, joint in ipairs(joints) do
        local now = { joint:reaction() }
        for k = 1, 2 do
          local off = type(now[k]) == "number" and math.abs(now[k] - wrench[i][k]) or (now[k] - wrench[i][k]):norm()
          assert.is_true(off < 1e-3, ("seed %d: reaction off by %g"):format(seed, off))
        end
      end
      if holds then held = held + 1 end
    end
    assert.is_true(pulled > 150 and held > 50, ("%d, %d"):format(pulled, held))
  end)
end)
