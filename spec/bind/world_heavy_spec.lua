-- SPDX-License-Identifier: MIT
-- Worlds whose masses differ by orders of magnitude: what one method does not solve must not be lost by the next.
local delassus = require "delassus"
local seeds = require "support.seeds"

local function loaded(ratio, solver)
  local world = delassus.world{ planar = true, solver = solver }
  world:floor{}
  local light = world:box{ size = {0.2, 0.2}, mass = 1, position = {0, 0.1} }
  local heavy = world:box{ size = {0.2, 0.2}, mass = ratio, position = {0, 0.3} }
  return world, light, heavy
end

describe("A heavy box on a light one", function()
  for _, solver in ipairs{ "auto", "newton", "lemke", "block" } do
    it("rests, a million times as heavy, and the floor carries both: " .. solver, function()
      local world, light, heavy = loaded(1e6, solver)
      world:run(0.2)
      local carried = 0
      for contact in light:contacts() do
        if contact.a ~= heavy and contact.b ~= heavy then carried = carried + contact.normal_force end
      end
      assert.is_near(1, carried / (9.81 * (1 + 1e6)), 1e-9)
      assert.is_near(0.3, heavy.position.y, 1e-11)
      assert.is_near(0.1, light.position.y, 1e-11)
      assert.is_true(heavy.velocity:norm() < 1e-10)
    end)
  end
end)

describe("The steps that missed the tolerance", function()
  it("are those whose residual is above it, whatever the masses (200 seeds)", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local tolerance = random:integer(0, 1) == 1 and 10 ^ random:uniform(-12, -6) or nil
      local world = delassus.world{ planar = true, tolerance = tolerance }
      world:floor{ friction = random:uniform(0, 1) }
      for k = 1, random:integer(2, 5) do
        world:box{ size = {0.2, 0.2}, mass = 10 ^ random:uniform(0, 8), friction = random:uniform(0, 1),
          position = {random:uniform(-0.03, 0.03), 0.2 * k - 0.1} }
      end
      for _ = 1, 5 do
        local before = world.stats.unconverged
        world:step()
        local missed = world.stats.unconverged - before
        assert.are.equal(world.stats.residual > (tolerance or 1e-10) and 1 or 0, missed,
          ("seed %d: residual %g"):format(seed, world.stats.residual))
      end
    end
  end)
end)
