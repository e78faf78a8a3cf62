-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Worlds by the scheme of EQUATIONS B.1: what joints and stiff springs hold turns once, not by the gyroscopic torque and by
-- its angular momentum too.
local delassus = require "delassus"
local chance = require "spec.support.chance"
local seeds = require "support.seeds"

--- A chain of boxes that tumble, weightless, on joints of a formulation.
local function chain(seed, formulation, dt)
  local c = chance(seed)
  local world = delassus.world{ scheme = "semi-implicit", gravity = { 0, 0, 0 }, record = false, dt = dt }
  local before, bodies = nil, {}
  for k = 1, c.pick{ 2, 3, 4 } do
    local body = world:box{ size = { c.from(0.1, 0.4), c.from(0.1, 0.4), c.from(0.1, 0.4) }, density = 500,
      position = { 0.5 * k, 0, 0 }, angular_velocity = { c.from(-9, 9), c.from(-9, 9), c.from(-9, 9) }, sensor = true }
    local kind, axis = c.pick{ "spherical", "revolute", "universal" }, { c.from(-1, 1), c.from(-1, 1), 1 }
    if before then
      world:joint{ kind, before, body, anchor = { 0.5 * k - 0.25, 0, 0 }, formulation = formulation,
        axis = kind ~= "spherical" and axis or nil, axis2 = kind == "universal" and { 1, 1, -axis[1] - axis[2] } or nil }
    end
    bodies[k], before = body, body
  end
  return world, bodies
end

describe("a world by the semi-implicit scheme", function()
  it("moves chains on rigid joints as reduced ones, keeps their angular momentum, and its account adds up (200 seeds)", function()
    for seed = 1, seeds(200) do
      local reduced <close>, of_reduced = chain(seed, "reduced", 1e-3)
      local rigid <close>, of_rigid = chain(seed, "rigid", 1e-3)
      reduced:step() -- joints close on what was thrown
      rigid:step()
      local _, start = rigid:momentum()
      for _ = 1, 50 do
        reduced:step()
        rigid:step()
        assert.is_true(rigid.stats.energy_balance < 1e-9, ("seed %d: %g"):format(seed, rigid.stats.energy_balance))
      end
      local _, L = rigid:momentum()
      assert.is_true((L - start):norm() < 1e-10 * start:norm(), ("seed %d: %s, %s"):format(seed, start, L))
      for k, body in ipairs(of_rigid) do
        local twin = of_reduced[k]
        local off = (body.velocity - twin.velocity):norm() + (body.angular_velocity - twin.angular_velocity):norm()
        assert.is_true(off < 1e-8, ("seed %d, body %d: off by %g"):format(seed, k, off)) -- of 10 rad/s
      end
    end
  end)

  it("keeps the angular momentum of bodies on stiff springs to first order in the step (200 seeds)", function()
    for seed = 1, seeds(200) do
      local lost = {}
      for halving = 0, 2 do
        local c = chance(seed)
        local world <close> = delassus.world{ scheme = "semi-implicit", gravity = { 0, 0, 0 }, record = false,
          dt = 4e-4 / 2 ^ halving }
        local bodies = {}
        for k = 1, 2 do
          bodies[k] = world:box{ size = { c.from(0.1, 0.4), c.from(0.1, 0.4), c.from(0.1, 0.4) }, density = 500,
            position = { 0.5 * k, 0, 0 }, angular_velocity = { c.from(-9, 9), c.from(-9, 9), c.from(-9, 9) }, sensor = true }
        end
        world:spring{ bodies[1], bodies[2], anchor_a = { 0.1, 0.05, 0 }, anchor_b = { 0, 0.1, 0.1 }, stiffness = 1e9 }
        local _, start = world:momentum()
        world:run(0.1)
        local _, L = world:momentum()
        lost[halving] = (L - start):norm() / start:norm()
      end
      assert.is_true(lost[2] < 0.5 * lost[0] + 1e-6 and lost[2] < 0.02,
        ("seed %d: %g, %g, %g"):format(seed, lost[0], lost[1], lost[2]))
    end
  end)

  -- Explicit gyroscopic torques grow without bound from a radian a step on, as published: such throws end before.
  it("has an account that adds up where fast bodies are stopped by walls and pushed out of each other (200 seeds)", function()
    local struck = 0
    for seed = 1, seeds(200) do
      local c = chance(seed)
      local world <close> = delassus.world{ scheme = "semi-implicit", record = false, dt = c.pick{ 1e-3, 1 / 240 } }
      local material = delassus.material{ friction = c.pick{ 0, 0.5 }, restitution = c.pick{ 0, 0.5, 1 } }
      world:box{ type = "static", size = { 0.02, 9, 9 }, position = { 1, 0, 0 }, material = material }
      world:floor{ material = material }
      local fastest = 0
      for k = 1, 3 do
        world:box{ size = { c.from(0.1, 0.3), c.from(0.1, 0.3), c.from(0.1, 0.3) }, density = 500, material = material,
          position = { c.from(-0.5, 0.5), c.from(-0.5, 0.5), 0.5 + 0.5 * k }, velocity = { c.from(0, 200), 0, 0 },
          angular_velocity = { c.from(-9, 9), c.from(-9, 9), c.from(-9, 9) } }
      end
      for step = 1, 20 do
        for _, body in ipairs(world.bodies) do fastest = math.max(fastest, body.angular_velocity:norm() * world.dt) end
        if fastest > 0.3 then break end
        world:step()
        assert.is_true(world.stats.energy_balance < 1e-8, ("seed %d, step %d: %g"):format(seed, step, world.stats.energy_balance))
        if world.stats.contacts > 0 then struck = struck + 1 end
      end
    end
    assert.is_true(struck > seeds.least(100), struck)
  end)
end)
