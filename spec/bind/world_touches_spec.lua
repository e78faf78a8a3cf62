-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Pairs of bodies that touch at many points at once: none of them is dropped.
local delassus = require "delassus"

--- A comb of n disks of radius 0.1, 0.25 apart, as one body.
local function comb(n)
  local children = {}
  for k = 1, n do
    children[k] = { shape = delassus.disk { radius = 0.1 }, position = { 0.25 * (k - (n + 1) / 2), 0 } }
  end
  return delassus.compound(children)
end

describe("a pair that touches at more than 64 points", function()
  it("carries its weight on all of them (balance), 150 in the plane", function()
    local world <close> = delassus.world { planar = true, tolerance = 1e-9, record = false }
    local floor = world:floor {}
    local body = world:body { shape = comb(150), density = 500, position = { 0, 0.1 } }
    world:step(3)
    local count, carried = 0, 0
    for contact in world:contacts() do
      count, carried = count + 1, carried + contact.impulse.y * (contact.a == floor and 1 or -1)
    end
    assert.equal(150, count)
    -- The solver's tolerance, of h g, is what the sum may miss.
    assert.near(1, carried / (body.mass * 9.81 * world.dt), 1e-8)
    assert.is_true(world.stats.penetration <= 1e-9, "overlap " .. world.stats.penetration)
  end)

  it("is the same to the bit when the room has grown before (agreement)", function()
    local function run(steps_before)
      local world <close> = delassus.world { planar = true, record = false }
      world:floor {}
      local body = world:body { shape = comb(80), density = 500, position = { 0, 0.1 + 1e-3 }, velocity = { 1, -0.5 } }
      local start = world:snapshot()
      if steps_before > 0 then world:step(steps_before) end
      world:restore(start)
      world:step(20)
      return body.position.x, body.position.y, body.velocity.x
    end
    assert.same({ run(0) }, { run(30) })
  end)
end)
