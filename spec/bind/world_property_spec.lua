-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Options of worlds as properties: readable, writable between steps, part of the state.
local delassus = require "delassus"

local function fails(fn, message)
  local ok, said = pcall(fn)
  assert.is_false(ok)
  assert.truthy(said:find(message, 1, true), said)
end

describe("options of a world", function()
  local defaults = { dt = 1e-3, theta = 0.5, impact = "newton", solver = "auto", friction_corners = 2, factor = "auto",
    max_iterations = 1000, seed = 1, log = false, strict = false, scheme = "time-stepping", planar = true, profile = false }
  local others = { dt = 2e-3, theta = 0.75, impact = "poisson", solver = "nsgs", friction_corners = 4, factor = "dense",
    tolerance = 1e-7, max_iterations = 77, seed = -5, log = true, strict = true }
  local bad = { dt = 0, theta = 0.4, impact = "moreau", solver = "simplex", friction_corners = 3, factor = "lu",
    tolerance = -1, max_iterations = 0, seed = 0.5, log = 1, strict = "yes", gravity = { 0, 0, 0 } }

  it("are readable: the defaults, and what was given", function()
    local world <close> = delassus.world{ planar = true, record = false }
    for name, value in pairs(defaults) do assert.equal(value, world[name], name) end
    assert.is_nil(world.tolerance)
    for name, value in pairs(others) do
      local other <close> = delassus.world{ planar = true, record = false, [name] = value }
      assert.equal(value, other[name], name)
    end
  end)

  it("are writable between steps, show in the hash, and come back with a snapshot, in another world too", function()
    for name, value in pairs(others) do
      local world <close> = delassus.world{ planar = true, record = false }
      local same <close> = delassus.world{ planar = true, record = false }
      local hash, kept = world:hash(), world:snapshot()
      local was = world[name]
      world[name] = value
      assert.equal(value, world[name], name)
      assert.not_equal(hash, world:hash(), name)
      same:restore(world:snapshot())
      assert.equal(value, same[name], name)
      world:restore(kept)
      assert.equal(was, world[name], name)
      assert.equal(hash, world:hash(), name)
    end
  end)

  it("refuse what does not make sense, and stay as they were", function()
    local world <close> = delassus.world{ planar = true, record = false }
    local hash = world:hash()
    for name, value in pairs(bad) do
      fails(function() world[name] = value end, "'" .. name .. "'")
      assert.equal(hash, world:hash(), name)
    end
    fails(function() world.theta = 0.4 end, "must be between 0.5 and 1")
    for _, name in ipairs{ "planar", "scheme", "time", "bodies", "ground", "stats" } do
      fails(function() world[name] = 1 end, "'" .. name .. "' is read-only")
    end
  end)

  it("cannot be changed while the world steps", function()
    local world <close> = delassus.world{ planar = true, record = false }
    local said = {}
    world:on("step", function()
      for name, value in pairs(others) do said[name] = select(2, pcall(function() world[name] = value end)) end
    end)
    world:step()
    for name in pairs(others) do assert.truthy(tostring(said[name]):find("not possible while the world steps", 1, true), name) end
  end)

  it("act from the next step on: theta back to nil is chosen, a seed starts the generator anew", function()
    local world <close> = delassus.world{ planar = true, record = false, theta = 0.8 }
    world.theta = nil
    assert.equal(0.5, world.theta)
    local hash = world:hash()
    world.seed = 2
    assert.not_equal(hash, world:hash())
    world.seed = 1
    assert.equal(hash, world:hash())
    world.gravity, world.dt = { 0, -1 }, 0.1
    local ball = world:body{ mass = 1 }
    world:step()
    assert.near(-0.1, ball.velocity.y, 1e-15)
  end)
end)
