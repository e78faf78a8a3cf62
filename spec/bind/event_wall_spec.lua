-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Event-driven boxes that strike walls flat, and slide down along them with no force: contacts that touch and bear nothing for as
-- long as that lasts.
local delassus = require "delassus"
local seeds = require "support.seeds"
local random = require "support.random"

local G = 9.81

local function box_before(r, walls, impact)
  local world = delassus.world{ dt = 5e-2, record = false, scheme = "event-driven", impact = impact }
  local material = delassus.material{ friction = 0.15 * (1 + r()) } -- so that nothing tips
  if walls > 1 then world:floor{ material = material } end
  for k = 1, walls do world:wall{ normal = { k == 1 and 1 or 0, k == 1 and 0 or 1, 0 }, offset = 0, material = material } end
  local size, at = {}, {}
  for k = 1, 3 do
    size[k] = 0.2 + 0.1 * r()
    at[k] = size[k] / 2 + 0.11 + 0.1 * r()
  end
  return world, world:box{ size = size, material = material, position = at,
    velocity = { -2 + r(), walls > 1 and -2 + r() or 0, walls > 1 and 0 or 2 * r() } }, material.friction, size
end

describe("an event-driven box", function()
  it("that strikes a wall flat loses what friction takes of its speed along it, and falls freely (200 seeds)", function()
    for seed = 1, seeds(200) do
      local world, box, friction, size = box_before(random(seed), 1, seed % 2 == 0 and "newton" or "poisson")
      local _ <close> = world
      local struck = (box.position[1] - size[1] / 2) / -box.velocity[1]
      local before = box.velocity[3] - G * struck
      local taken = math.min(friction * -box.velocity[1], math.abs(before)) * (before > 0 and 1 or -1)
      world:run(struck + 0.25)
      local told = "seed " .. seed
      assert.near(before - taken - G * 0.25, box.velocity[3], 1e-8, told)
      assert.near(0, box.velocity[1], 1e-8, told)
      assert.near(size[1] / 2, box.position[1], 1e-9, told)
      assert.is_true(#world.events < 40, told)
    end
  end)

  it("that is thrown into a corner comes to lie on the floor along both walls (200 seeds)", function()
    for seed = 1, seeds(200) do
      local world, box, _, size = box_before(random(1000 + seed), 2, seed % 2 == 0 and "newton" or "poisson")
      local _ <close> = world
      world:run(0.5)
      local told = "seed " .. seed
      for k = 1, 3 do assert.is_true(box.position[k] > size[k] / 2 - 1e-9, told) end -- friction may end it before the second wall
      assert.near(size[3] / 2, box.position[3], 1e-9, told)
      assert.near(0, world:energy(), 1e-12, told)
      assert.is_true(#world.events < 200, told)
    end
  end)
end)
