-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Poses and forces of all bodies at once.
local delassus = require "delassus"

--- A world in which slots are used again, so that the order of making is not that of slots.
local function world_of(planar, random)
  local world = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, record = false }
  local bodies = {}
  for i = 1, 20 do
    local com = i % 3 == 0 and (planar and { 0.1, 0 } or { 0.1, 0, 0.2 }) or nil
    bodies[i] = world:body{ mass = 1 + random:uniform(), inertia = planar and 1 or { 1, 1, 1 }, com = com,
      position = planar and { i, random:uniform() } or { i, random:uniform(), 0 },
      rotation = planar and random:uniform() or { axis = { 1, 2, random:uniform() }, angle = random:uniform() } }
    if i % 4 == 0 then world:remove(table.remove(bodies, 1 + i // 8)) end
  end
  return world
end

describe("world:poses and world:set_forces", function()
  for _, planar in ipairs{ false, true } do
    local name = planar and "plane" or "space"
    local n_pose, n_force = planar and 3 or 7, planar and 3 or 6

    it("are positions, rotations, forces and torques in the order of world.bodies: " .. name, function()
      for seed = 1, 200 do
        local random = delassus.random(seed)
        local world <close> = world_of(planar, random)
        local x, bodies, d = world:poses(), world.bodies, planar and 2 or 3
        assert.equal(n_pose * #bodies, #x, seed)
        local forces = {}
        for k, body in ipairs(bodies) do
          for i = 1, d do assert.equal(body.position[i], x[(k - 1) * n_pose + i], seed) end
          for i = d + 1, n_pose do
            local rotation = planar and body.rotation or body.rotation[i - d]
            assert.equal(rotation, x[(k - 1) * n_pose + i], seed)
          end
          for i = 1, n_force do forces[(k - 1) * n_force + i] = random:uniform() - 0.5 end
        end
        local twin <close> = world_of(planar, delassus.random(seed))
        world:set_forces(seed % 2 == 0 and forces or delassus.vector(forces))
        for k, body in ipairs(twin.bodies) do
          local f = table.move(forces, (k - 1) * n_force + 1, k * n_force, 1, {})
          body:apply{ force = table.move(f, 1, d, 1, {}), torque = planar and f[3] or table.move(f, 4, 6, 1, {}) }
        end
        world:step(3)
        twin:step(3)
        assert.equal(twin:hash(), world:hash(), seed)
        assert.equal(x, world:poses(x))
        assert.equal(bodies[1].position[1], x[1])
      end
    end)
  end

  it("make no garbage where they fill a vector", function()
    local world <close> = delassus.world{ record = false }
    for i = 1, 100 do world:sphere{ radius = 0.1, position = { i, 0, 0 } } end
    local into = world:poses()
    collectgarbage()
    collectgarbage("stop")
    local before = collectgarbage("count")
    for _ = 1, 1000 do world:poses(into) end
    local after = collectgarbage("count")
    collectgarbage("restart")
    assert.is_true(after - before < 1)
  end)

  it("refuse what does not fit, and change nothing", function()
    local world <close> = delassus.world{}
    world:sphere{ radius = 0.1 }
    local hash = world:hash()
    assert.error_matches(function() world:poses(delassus.vector{ 1, 2 }) end,
      "world:poses: 'into' must hold 7 numbers, 7 a body, got 2")
    assert.error_matches(function() world:poses{ 1 } end, "world:poses: 'into' must be a vector")
    assert.error_matches(function() world:set_forces{ 1, 2, 3 } end,
      "world:set_forces: 'forces' must hold 6 numbers, 6 a body, got 3")
    assert.error_matches(function() world:set_forces{ 1, 2, 3, 4, 5, 0 / 0 } end, "world:set_forces: 'forces'")
    assert.error_matches(function() world:set_forces() end, "world:set_forces: 'forces'")
    assert.equal(hash, world:hash())
  end)
end)
