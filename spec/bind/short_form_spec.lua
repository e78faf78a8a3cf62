-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Messages of short forms speak of the kind of world they are called in.
local delassus = require "delassus"

describe("a short form", function()
  local instead = {
    [true] = { sphere = "disk", cylinder = "box", cone = "polygon", convex = "polygon", mesh = "segment",
      ellipsoid = "disk" },
    [false] = { disk = "sphere", polygon = "convex", segment = "capsule" },
  }
  for planar, names in pairs(instead) do
    for name, other in pairs(names) do
      it("of the other kind of world names its own: " .. name, function()
        local world <close> = delassus.world{ planar = planar, record = false }
        local options = { {}, { radius = 1, density = 1 }, { points = { { 0, 0 }, { 1, 0 }, { 0, 1 } } },
          { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { nonsense = 1 } }
        for _, given in ipairs(options) do
          local hash = world:hash()
          local ok, message = pcall(world[name], world, given)
          assert.is_false(ok)
          assert.equal(("world:%s: %s %s is not a shape of %s worlds (use world:%s)"):format(name,
            name == "ellipsoid" and "an" or "a", name, planar and "planar" or "spatial", other),
            (message:gsub("^[^:]*:%d+: ", "")))
          assert.equal(hash, world:hash())
        end
        assert.is_function(world[other])
      end)
    end
  end

  it("says how many numbers its kind of world wants", function()
    local space <close> = delassus.world{ record = false }
    local plane <close> = delassus.world{ planar = true, record = false }
    local function says(text, world, options)
      local ok, message = pcall(world.capsule, world, options)
      assert.is_false(ok)
      assert.truthy(message:find(text, 1, true), message)
    end
    local function with(key, value) return { radius = 1, length = 1, density = 1, [key] = value } end
    says("'rotation' must be {w, x, y, z} or { axis =, angle = }, got 1", space, with("rotation", 1))
    says("'angular_velocity' must be a list of 3 numbers, got 1", space, with("angular_velocity", 1))
    says("'position' must be a list of 3 numbers, got 2", space, with("position", { 0, 0 }))
    says("'position' must be a list of 2 numbers, got 3", plane, with("position", { 0, 0, 0 }))
    says("'rotation' must be a number, got a table", plane, with("rotation", { 1, 0, 0, 0 }))
    says("'angular_velocity' must be a number, got a table", plane, with("angular_velocity", { 0, 0, 1 }))
  end)
end)
