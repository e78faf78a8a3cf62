-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What joints hold together in free flight keeps its angular momentum to round-off (joints/moment.h), in steps of 10 ms,
-- reduced and rigid, with springs, motors, dry friction and limits among its bodies, and stays of second order.
local delassus = require "delassus"
local seeds = require "support.seeds"

local function between(lo, hi) return lo + (hi - lo) * math.random() end
local function vector(planar, lo, hi)
  return planar and { between(lo, hi), between(lo, hi) } or { between(lo, hi), between(lo, hi), between(lo, hi) }
end

--- What acts in a joint of one degree.
local function act(joint, kind)
  local what = math.random(4)
  if what == 1 then joint.stiffness, joint.damping = between(1, 100), between(0, 5)
  elseif what == 2 then
    joint.motor = { speed = between(-2, 2), [kind == "revolute" and "max_torque" or "max_force"] = between(0.1, 5) }
  elseif what == 3 then joint.friction = between(0.1, 2)
  else joint.limits = { -0.2, 0.2 } end
end

--- Two to four bodies in a row, joined by any kinds; `acted`: something acts in their joints.
local function flying(seed, formulation, dt, acted)
  math.randomseed(seed)
  local planar, before = seed % 2 == 0, nil
  local world = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = dt, record = false }
  local kinds = planar and { "revolute", "prismatic", "fixed" }
    or { "revolute", "spherical", "universal", "prismatic", "cylindrical", "planar", "fixed" }
  for i = 1, math.random(2, 4) do
    local position, anchor = vector(planar, -0.3, 0.3), vector(planar, -0.2, 0.2)
    position[1], anchor[1] = position[1] + i, anchor[1] + i - 0.5
    local body = world:body{ mass = between(0.5, 3), inertia = planar and between(0.05, 0.5) or
      { between(0.2, 0.3), between(0.25, 0.35), between(0.22, 0.4) }, position = position, velocity = vector(planar, -1, 1),
      angular_velocity = planar and between(-3, 3) or vector(false, -3, 3) }
    local kind = kinds[math.random(#kinds)]
    local joint = { kind, before, body, anchor = anchor, formulation = formulation }
    if kind == "universal" then joint.axis, joint.axis2 = { 0, 0, 1 }, { 1, 0, 0 }
    elseif kind ~= "spherical" and kind ~= "fixed" and not (planar and kind == "revolute") then
      joint.axis = vector(planar, -1, 1)
    end
    if acted and (kind == "revolute" or kind == "prismatic") then act(joint, kind) end
    if before then world:joint(joint) end
    before = body
  end
  return world
end

--- How far momenta go from those after the first step (which closes velocities), over those of the bodies.
local function follow(seed, formulation, acted, steps)
  local world <close> = flying(seed, formulation, 1e-2, acted)
  world:step(1)
  local p, L = world:momentum()
  local scale, worst = 1, 0
  for _, body in ipairs(world.bodies) do scale = scale + body.momentum:norm() end
  for _ = 1, steps do
    world:step(1)
    local p_now, L_now = world:momentum()
    local turned = type(L) == "number" and math.abs(L_now - L) or (L_now - L):norm()
    worst = math.max(worst, turned / scale, (p_now - p):norm() / scale)
  end
  return worst
end

describe("bodies joined in free flight", function()
  for _, formulation in ipairs{ "reduced", "rigid" } do
    for _, acted in ipairs{ false, true } do
      it(("keep their momenta: %s%s (200 seeds)"):format(formulation, acted and ", acted on" or ""), function()
        for seed = 1, seeds(200) do
          local worst = follow(seed, formulation, acted, 60)
          assert.is_true(worst < 1e-12, ("seed %d: %g"):format(seed, worst))
        end
      end)
    end
  end

  --- Two pairs of capsules that meet: contacts with friction and restitution among what is joined.
  local function meeting(seed, formulation)
    math.randomseed(seed)
    local planar = seed % 2 == 0
    local world = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = 5e-3, record = false }
    local mu, e = between(0, 1), between(0, 1)
    for side = -1, 1, 2 do
      local bodies = {}
      for i = 1, 2 do
        local velocity, position = vector(planar, -0.3, 0.3), vector(planar, -0.02, 0.02)
        velocity[1], position[1], position[2] = -side * between(0.5, 2), side * 0.6, position[2] + 0.42 * i
        bodies[i] = world:capsule{ radius = 0.1, length = 0.2, density = 500, friction = mu, restitution = e,
          position = position, velocity = velocity,
          rotation = planar and math.pi / 2 or { axis = { 0, 0, 1 }, angle = math.pi / 2 } }
      end
      world:joint{ planar and "revolute" or "spherical", bodies[1], bodies[2], formulation = formulation,
        anchor = planar and { side * 0.6, 0.63 } or { side * 0.6, 0.63, 0 } }
    end
    return world
  end

  for _, formulation in ipairs{ "reduced", "rigid" } do
    it("keep their momenta as they meet: " .. formulation .. " (200 seeds)", function()
      local met = 0
      for seed = 1, seeds(200) do
        local world <close> = meeting(seed, formulation)
        world:step(1)
        local p, L = world:momentum()
        local scale = 0
        for _, body in ipairs(world.bodies) do scale = scale + body.momentum:norm() end
        for _ = 1, 120 do
          world:step(1)
          local p_now, L_now = world:momentum()
          local turned = type(L) == "number" and math.abs(L_now - L) or (L_now - L):norm()
          local off = math.max(turned, (p_now - p):norm()) / scale
          assert.is_true(off < 1e-12, ("seed %d: %g"):format(seed, off))
          met = met + (world.stats.contacts > 0 and 1 or 0)
        end
      end
      assert.is_true(met > seeds.least(400), met)
    end)
  end

  it("go the way of their equations to second order (40 seeds)", function()
    local ratios = {}
    for seed = 1, 40 do
      local off = {}
      for k, dt in ipairs{ 4e-3, 2e-3 } do
        local world <close> = flying(seed, "reduced", dt)
        local exact <close> = flying(seed, "reduced", dt)
        world:run(0.2)
        exact:integrate{ method = "rk4", dt = 1e-3, to = 0.2 }
        off[k] = 0
        for i, body in ipairs(world.bodies) do
          off[k] = math.max(off[k], (body.position - exact.bodies[i].position):norm())
        end
      end
      assert.is_true(off[2] < 5e-5, ("seed %d: off by %g m"):format(seed, off[2]))
      if off[2] > 1e-9 then ratios[#ratios + 1] = off[1] / off[2] end
    end
    table.sort(ratios)
    local ratio = ratios[#ratios // 2]
    assert.is_true(#ratios > 30 and ratio > 3.8 and ratio < 4.2, ("%d runs, ratio %g"):format(#ratios, ratio))
  end)
end)
