-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Contacts that joints hardly give way to: a hinge beside the very corner on the floor. Joints miss their velocities by
-- O(h omega^2) within a step, and a row that read it would ask for an impulse without bound (docs/design/step.md).
local delassus = require "delassus"
local hinged = require "support.hinged_boxes"
local seeds = require "support.seeds"

local STEPS = { 2e-4, 1e-3, 2.5e-3, 5e-3 }

--- Words are made where they are wanted.
local function hold(what, form, ...)
  if not what then error(form:format(...), 2) end
end

--- The largest angular velocity, rad/s.
local function fastest(boxes)
  local most = 0
  for _, box in ipairs(boxes) do
    local w = box.angular_velocity
    most = math.max(most, type(w) == "number" and math.abs(w) or w:norm())
  end
  return most
end

--- A tenth of a second with the hinge 1e-13 to 0.1 m beside the corner: steps, contacts that pressed, steps that missed 1e-9.
local function follow(seed, formulation)
  math.randomseed(seed)
  local links = hinged.chain(seed % 2 == 0, math.random(1, 4), 0, 10 ^ (-13 + 12 * math.random()))
  local dt = STEPS[math.random(#STEPS)]
  local world <close>, boxes, joints = hinged.build(links, formulation, true, dt)
  local first, kinetic = hinged.total(world)
  local scale, w = kinetic + math.abs(first) + 1, 0
  local steps, pressed, missed = 0, 0, 0
  for _ = 1, math.floor(0.1 / dt + 0.5) do
    w = math.max(w, fastest(boxes))
    world:step(1)
    local gain, moved = (hinged.total(world) - first) / scale, world:ledger().correction / scale
    -- A chain without a floor swings by 0.11 (h w)^2 of its energy; what projections add is told, and is little.
    hold(gain - math.max(moved, 0) < 0.2 * (dt * w) ^ 2 + 1e-9, "seed %d, dt %g: gains %g", seed, dt, gain)
    hold(gain < 0.2 * (dt * w) ^ 2 + 6e-4, "seed %d, dt %g: gains %g by projections", seed, dt, gain)
    for i, joint in ipairs(joints) do
      local open = joint:violation() -- SHUT (fit.c)
      hold(open < (formulation == "rigid" and 3e-6 or 1e-12), "seed %d, dt %g: joint %d", seed, dt, i)
    end
    local residual = world.stats.residual
    hold(residual < 2e-5, "seed %d, dt %g: residual %g", seed, dt, residual)
    steps, missed = steps + 1, missed + (residual > 1e-9 and 1 or 0)
    for contact in world:contacts() do pressed = pressed + (contact.normal_force > 0 and 1 or 0) end
    if hinged.lowest(links, boxes) < 1e-2 then break end -- the others reach the floor
  end
  return steps, pressed, missed
end

describe("a contact that joints hardly give way to", function()
  for _, formulation in ipairs{ "reduced", "rigid" } do
    it("gains nothing: " .. formulation .. " (200 seeds)", function()
      local steps, pressed, missed = 0, 0, 0
      for seed = 1, seeds(200) do
        local n, held, late = follow(seed, formulation)
        steps, pressed, missed = steps + n, pressed + held, missed + late
      end
      assert.is_true(steps > seeds.least(20000) and pressed > seeds.least(700), ("%d steps, %d contacts"):format(steps, pressed))
      assert.is_true(missed < 0.005 * steps, ("%d of %d steps missed"):format(missed, steps))
    end)
  end

  it("gains nothing beside penalty joints (200 seeds)", function()
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local links = hinged.chain(seed % 2 == 0, math.random(1, 4), 0, 10 ^ (-13 + 12 * math.random()))
      local world <close>, boxes = hinged.build(links, "penalty", true, 1e-3)
      local first, kinetic = hinged.total(world)
      for _ = 1, 100 do
        world:step(1)
        local gain = (hinged.total(world) - first) / (kinetic + math.abs(first) + 1)
        hold(gain < 1e-4, "seed %d: gains %g", seed, gain) -- what the springs of joints lend
        if hinged.lowest(links, boxes) < 1e-2 then break end
      end
    end
  end)

  -- A rod hinged 0.9 m above the floor that friction jams: no velocities obey Newton's law, and it stays where it struck.
  it("has no rebound that nothing gives", function()
    for _, formulation in ipairs{ "reduced", "rigid" } do
      for e = 0, 1, 0.5 do
        local world <close> = delassus.world{ planar = true, dt = 1e-3, record = false }
        world:floor{ friction = 2, restitution = e }
        local lean = math.acos(0.9) + 0.3
        local rod = world:box{ size = { 0.02, 1 }, density = 500, friction = 2, restitution = e, rotation = lean,
          position = { 0.5 * math.sin(lean), 0.9 - 0.5 * math.cos(lean) } }
        world:joint{ "revolute", world.ground, rod, anchor = { 0, 0.9 }, formulation = formulation }
        local first, most = hinged.total(world), 0
        for _ = 1, 600 do
          world:step(1)
          assert.is_true(hinged.total(world) < first + 1e-4 and world.stats.residual < 1e-9, formulation .. e)
          for contact in world:contacts() do most = math.max(most, contact.normal_force) end
        end
        local _, kinetic = hinged.total(world)
        assert.is_true(kinetic < 1e-20 and most > 1e3 and most < 1e4, ("%s %g: %g N"):format(formulation, e, most))
      end
    end
  end)

  -- Rods that friction jams or nearly jams against the floor. The impulse of Newton's, Coulomb's and Poisson's laws by hand:
  -- what turns the rod is p_n (J_n +- mu J_t), J the lever arms of the contact; where J_n < mu J_t p_t may help and needs not.
  it("is struck by what ends its motion, and no more, by every law (200 rods)", function()
    local function between(lo, hi) return lo + (hi - lo) * math.random() end
    local jams, slides = 0, 0
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local e, mu, height = math.random() < 0.5 and 1 or math.random(), between(1, 5), between(0.5, 0.97)
      local lean, dt = math.acos(height) + between(0.05, 0.5), STEPS[math.random(2, 4)]
      for _, case in ipairs{ "newton reduced", "newton rigid", "poisson reduced", "poisson rigid", "sequential reduced",
        "sequential rigid" } do
        local law, formulation = case:match("(%a+) (%a+)")
        local world <close> = delassus.world{ planar = true, dt = dt, record = false, impact = law }
        world:floor{ friction = mu, restitution = e }
        local rod = world:box{ size = { 0.02, 1 }, density = 500, friction = mu, restitution = e, rotation = lean,
          position = { 0.5 * math.sin(lean), height - 0.5 * math.cos(lean) } }
        world:joint{ "revolute", world.ground, rod, anchor = { 0, height }, formulation = formulation }
        local moment = rod.inertia + rod.mass * 0.25
        for _ = 1, math.floor(0.5 / dt + 0.5) do
          local w = math.abs(rod.angular_velocity)
          world:step()
          for contact in world:contacts() do
            local point, impulse = contact.point, contact.normal_force * dt
            local n, t = math.abs(point.x), height - point.y
            local arm = mu * t < n and n - mu * t or n
            local most = (1 + e) * (moment * w + 0.5 * rod.mass * 9.81 * dt) / arm
            local known = math.abs(n - mu * t) > 0.1 * n -- beyond it half a step of turning decides
            hold(not known or impulse < 1.02 * most, "seed %d, %s: %g N s of %g", seed, case, impulse, most)
            if impulse > 0 and mu * t >= n then jams = jams + 1 end
            if impulse > 0 and mu * t < n then slides = slides + 1 end
          end
        end
      end
    end
    assert.is_true(jams > seeds.least(10000) and slides > seeds.least(1000), ("%d jams, %d slides"):format(jams, slides))
  end)

  -- A leg on a foot that sticks, with a trunk on its hip: the same as one that is hinged to the ground there.
  it("turns about a foot that sticks, as about a hinge, to first order (200 seeds)", function()
    local function between(lo, hi) return lo + (hi - lo) * math.random() end
    local met, worst, ratios = 0, 0, {}
    local function run(seed, formulation, foot, dt)
      math.randomseed(seed)
      local lean, length, w1, w2 = between(-0.5, 0.5), between(0.3, 1), between(-2, 2), between(-2, 2)
      local world = delassus.world{ planar = true, dt = dt, record = false }
      local side = lean > 0 and 1 or -1 -- of the corner below
      local width, rotation = 0.05, -lean
      local corner = hinged.turned(rotation, { 0.5 * side * width, -0.5 * length })
      local at, top = { -corner[1], -corner[2] }, hinged.turned(rotation, { 0, 0.5 * length })
      local hip = { at[1] + top[1], at[2] + top[2] }
      local function moving(x) return { -w1 * x[2], w1 * x[1] } end
      local leg = world:box{ size = { width, length }, density = 800, position = at, rotation = rotation, group = "walker",
        friction = 20, velocity = moving(at), angular_velocity = w1 }
      local trunk = world:box{ size = { 0.3, 0.2 }, density = 10 ^ between(2, 3.5), position = hip, group = "walker",
        velocity = moving(hip), angular_velocity = w2 }
      world:joint{ "revolute", leg, trunk, anchor = hip, formulation = formulation }
      if foot then world:floor{ friction = 20 }
      else world:joint{ "revolute", world.ground, leg, anchor = { 0, 0 }, formulation = formulation } end
      for _ = 1, math.floor(0.08 / dt + 0.5) do
        world:step(1)
        local held = 0
        for contact in world:contacts() do
          if contact.state == "stick" and contact.normal_force > 0 then held = held + 1 end
        end
        if held ~= (foot and 1 or 0) then return nil end
      end
      return leg.position.x, leg.position.y, leg.rotation, trunk.rotation
    end
    for seed = 1, seeds(200) do
      local want = { run(seed, "reduced", false, 1e-4) }
      for _, formulation in ipairs{ "reduced", "rigid" } do
        local off = {}
        for k, dt in ipairs{ 2e-3, 1e-3 } do
          local got = { run(seed, formulation, true, dt) }
          off[k] = #got > 0 and 0 or nil
          for i = 1, #got do off[k] = math.max(off[k], math.abs(got[i] - want[i])) end
        end
        if off[1] and off[2] then
          met, worst = met + 1, math.max(worst, off[2])
          ratios[#ratios + 1] = off[1] / off[2]
        end
      end
    end
    table.sort(ratios)
    local ratio = ratios[#ratios // 2]
    assert.is_true(met > seeds(400) - 20 and worst < 1e-2, ("%d runs, off by %g"):format(met, worst))
    assert.is_true(ratio > 1.9 and ratio < 2.1, ("half the step, %g of the error"):format(1 / ratio))
  end)
end)
