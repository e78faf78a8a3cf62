-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Swift bodies on penalty joints: one that another's first touch stops goes on from where it is then (ways.c). What a step
-- makes of a state does not depend on what the world did before it.
local delassus = require "delassus"

local function between(lo, hi) return lo + (hi - lo) * math.random() end

--- A box and a partner, with or without a shape, on a penalty joint, thrown on a floor so fast that they are followed.
local function thrown(seed)
  math.randomseed(seed)
  local planar = seed % 2 == 0
  local world = delassus.world{ planar = planar, dt = 1e-3, record = false }
  world:floor{ friction = between(0, 1), restitution = between(0, 1) }
  local z, fall = between(0.15, 0.5), between(-200, -50)
  local spin = planar and between(-400, 400) or { between(-400, 400), between(-400, 400), between(-400, 400) }
  local size = planar and { between(0.1, 0.3), between(0.05, 0.1) } or
    { between(0.1, 0.3), between(0.1, 0.2), between(0.05, 0.1) }
  local a = world:box{ size = size, density = 500, position = planar and { 0, z } or { 0, 0, z },
    velocity = planar and { 0, fall } or { 0, 0, fall }, angular_velocity = spin }
  local b = world:body{ mass = 1, inertia = planar and 0.1 or { 0.1, 0.12, 0.14 },
    shape = seed % 3 > 0 and (planar and delassus.disk{ radius = 0.05 } or delassus.sphere{ radius = 0.05 }) or nil,
    position = planar and { 0.3, z } or { 0.3, 0, z }, velocity = planar and { 0, fall } or { 0, 0, fall },
    angular_velocity = spin }
  world:joint{ planar and "revolute" or "spherical", a, b, anchor = planar and { 0.2, z } or { 0.2, 0, z },
    formulation = "penalty" }
  return world
end

describe("swift bodies on penalty joints", function()
  it("make of a restored state what the world made of it (200 seeds)", function()
    local stepped = 0
    for seed = 1, 200 do
      local world <close> = thrown(seed)
      local other <close> = thrown(seed)
      pcall(other.step, other, seed % 5) -- leaves other bytes in its scratch
      for i = 1, 10 do
        local state = world:snapshot()
        if not pcall(world.step, world, 1) then break end
        other:restore(state)
        other:step(1)
        assert.equal(world:hash(), other:hash(), ("seed %d, step %d"):format(seed, i))
        stepped = stepped + 1
      end
    end
    assert.is_true(stepped > 500, stepped)
  end)
end)
