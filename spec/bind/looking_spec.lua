-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Reading coordinates changes nothing, and callbacks after a step may.
local delassus = require "delassus"

local function pendulum()
  local world = delassus.world{ record = false }
  local bob = world:sphere{ radius = 0.1, density = 1000, position = { 0.5, 0, 0 } }
  local joint = world:joint{ "revolute", world.ground, bob, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 } }
  return world, joint
end

describe("reading coordinates", function()
  it("keeps what is known of reactions and accelerations, and the state", function()
    local world <close>, joint = pendulum()
    local other <close>, twin = pendulum()
    for _, known in ipairs{ "step", "accelerations" } do
      for _ = 1, 3 do world[known](world); other[known](other) end
      local force, hash = joint:reaction(), world:hash()
      assert.near(world:coordinates()[1], joint.q, 1e-15)
      assert.near(world:velocities()[1], joint.qd, 1e-15)
      assert.equal(force, joint:reaction())
      assert.equal(hash, world:hash())
      assert.equal(force, (twin:reaction()))
    end
    world:step(10)
    other:step(10)
    assert.equal(other:hash(), world:hash())
  end)

  it("is allowed in callbacks after a step and in each of integrate, not in those within a step", function()
    local world <close>, joint = pendulum()
    local seen = 0
    world:on("step", function()
      assert(world:coordinates()[1] == joint.q)
      seen = seen + 1
    end)
    world:step(3)
    world:integrate{ method = "rk4", dt = 1e-3, to = world.time + 3e-3, each = function(w)
      assert(math.abs(w:coordinates()[1] - joint.q) < 1e-15)
      seen = seen + 1
    end }
    assert.equal(6, seen)
    world:field(function() world:coordinates() end)
    local hash = world:hash()
    assert.error_matches(function() world:step() end, "world:coordinates: not possible while the world steps")
    assert.equal(hash, world:hash())
  end)
end)
