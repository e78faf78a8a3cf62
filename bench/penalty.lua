-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What a step of a chain of N joints costs in the three formulations, and what it is worth:
--   lua5.4 bench/penalty.lua [largest N, default 100]
-- Columns: kind of joint, joints, formulation, scheme, ms a step, steps a second, real time at this dt (1: as fast as it
-- happens), largest violation in m over 0.3 s from the horizontal, energy's change relative to what was turned over,
-- distance of the end from the exact answer there (reduced, integrated by dopri5 to 1e-9), m, stability number.
local delassus = require "delassus"

local largest = tonumber(arg and arg[1]) or 100
local DT, SPAN = 1e-3, 0.3

local function chain(kind, n, formulation, scheme)
  local world = delassus.world { dt = DT, scheme = scheme, record = false }
  local before, joints = world.ground, {}
  for i = 1, n do
    local body = world:body { mass = 1, inertia = { 0.02, 0.09, 0.09 }, position = { i - 0.5, 0, 0 } }
    joints[i] = world:joint { kind, before, body, anchor = { i - 1, 0, 0 }, axis = kind == "revolute" and { 0, 1, 0 } or nil,
      formulation = formulation }
    before = body
  end
  return world, before, joints
end

local function total(world)
  local kinetic, potential, stored = world:energy()
  return kinetic + potential + stored, kinetic
end

local function tip(body) -- mass centre of the last body
  return body.position
end

print("joint,joints,formulation,scheme,ms_per_step,steps_per_s,real_time,violation_m,energy,error_m,stability")
for _, kind in ipairs { "revolute", "spherical" } do
  local n = 10
  while n <= largest do
    local exact <close>, last = chain(kind, n, "reduced")
    exact:integrate { method = "dopri5", rtol = 1e-9, to = SPAN }
    local want = tip(last)
    for _, way in ipairs { { "penalty", "semi-implicit" }, { "penalty", "time-stepping" }, { "reduced", "time-stepping" },
      { "rigid", "time-stepping" } } do
      local world <close>, body, joints = chain(kind, n, way[1], way[2])
      local start = total(world)
      local apart, turned, spent, steps = 0, 0, math.huge, math.tointeger(SPAN / DT // 1)
      for _ = 1, steps // 10 do
        local clock = os.clock()
        world:step(10)
        spent = math.min(spent, (os.clock() - clock) / 10) -- the best of batches
        for _, joint in ipairs(joints) do apart = math.max(apart, (joint:violation())) end
        turned = math.max(turned, select(2, total(world)))
      end
      local now = total(world)
      print(("%s,%d,%s,%s,%.4f,%.0f,%.2f,%.1e,%.1e,%.1e,%.2f"):format(kind, n, way[1], way[2], 1e3 * spent, 1 / spent,
        DT / spent, apart, (now - start) / turned, (tip(body) - want):norm(), world.stats.stability))
    end
    n = n * 10
  end
end
