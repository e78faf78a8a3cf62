-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- world.bodies: one list while the bodies are the same, which no script can change.
local delassus = require "delassus"

local function row_of(n)
  local world = delassus.world { record = false }
  for i = 1, n do world:sphere { radius = 1, position = { 0, 0, 3 * i }, name = "b" .. i } end
  return world
end

local function names(list)
  local out = {}
  for i, body in ipairs(list) do out[i] = body.name end
  return table.concat(out, " ")
end

describe("world.bodies", function()
  it("is the same list while no body is made or removed, so that a loop over it copies nothing", function()
    local world = row_of(3)
    local list = world.bodies
    assert.equal(list, world.bodies)
    world:step(5)
    assert.equal(list, world.bodies)
    local extra = world:sphere { radius = 1, position = { 9, 9, 9 }, name = "extra" }
    assert.equal("b1 b2 b3 extra", names(world.bodies))
    assert.equal("b1 b2 b3", names(list))
    world:remove(extra)
    world:sphere { radius = 1, position = { 9, 9, 9 }, name = "other" } -- in the slot of the one before it
    assert.equal("b1 b2 b3 other", names(world.bodies))
  end)

  it("reads as a list does: length, pairs, unpack, indices", function()
    local world = row_of(3)
    local a, b, c, d = table.unpack(world.bodies)
    assert.same({ "b1", "b2", "b3" }, { a.name, b.name, c.name })
    assert.is_nil(d)
    assert.equal(3, #world.bodies)
    local seen = {}
    for i, body in pairs(world.bodies) do seen[i] = body.name end
    assert.same({ "b1", "b2", "b3" }, seen)
    assert.is_nil(world.bodies[0])
    assert.is_nil(world.bodies.first)
  end)

  it("is the script's own once it is changed: the world's list stays", function()
    local world = row_of(4)
    local list = world.bodies
    table.sort(list, function(a, b) return a.position.z > b.position.z end)
    assert.equal("b4 b3 b2 b1", names(list))
    assert.equal("b1 b2 b3 b4", names(world.bodies))
    table.remove(world.bodies, 1)
    world.bodies[2] = nil
    assert.equal("b1 b2 b3 b4", names(world.bodies))
    assert.equal(4, #world.bodies)
  end)

  it("can be walked while bodies are removed", function()
    local world = row_of(6)
    for i, body in ipairs(world.bodies) do if i % 2 == 0 then world:remove(body) end end
    assert.equal("b1 b3 b5", names(world.bodies))
  end)

  it("follows random making and removing in the order in which bodies were made", function()
    for seed = 1, 200 do
      local random, world, model = delassus.random(seed), row_of(0), {}
      for k = 1, 12 do
        if #model > 0 and random:uniform() < 0.4 then
          local body = table.remove(model, random:integer(1, #model))
          world:remove(body)
        else
          model[#model + 1] = world:sphere { radius = 1, position = { 3 * k, 0, 0 } }
        end
        assert.equal(#model, #world.bodies, seed)
        for i, body in ipairs(model) do assert.equal(body, world.bodies[i], seed) end
      end
    end
  end)
end)
