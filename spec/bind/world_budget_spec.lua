-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local seeds = require "support.seeds"

-- max_iterations bounds the work of a step over all methods together: what is not solved then is told, and harmless.

--- A heap that sweeps do not solve: boxes and disks (balls) of very unequal masses thrown onto each other, some jointed.
local function heap(seed, options)
  local random = delassus.random(seed)
  options.record, options.dt = false, 4e-3
  local world = delassus.world(options)
  local planar, last = options.planar, nil
  local rough = delassus.material{ friction = 0.7 }
  world:floor{ material = rough }
  for k = 1, 14 do
    local x, z = 0.25 * ((k - 1) % 4) + 0.1 * random:uniform(), 0.15 + 0.25 * ((k - 1) // 4)
    local body = { density = 10 ^ random:uniform(1, 4), material = rough,
      position = planar and { x, z } or { x, 0.05 * random:uniform(), z },
      velocity = planar and { random:uniform(-1, 1), -2 } or { random:uniform(-1, 1), 0, -2 } }
    local made
    if k % 3 == 0 then
      body.radius = 0.1
      made = world[planar and "disk" or "sphere"](world, body)
    else
      body.size = planar and { 0.2, 0.15 } or { 0.2, 0.2, 0.15 }
      made = world:box(body)
    end
    if last and options.solver == nil and k % 5 == 0 then
      world:joint{ planar and "revolute" or "spherical", last, made, formulation = "rigid",
        anchor = (last.position + made.position) / 2 }
    end
    last = made
  end
  return world
end

local SOLVERS = { "auto", "nsgs", "newton", "admm", "pgs", "energy", "block" }

describe("the work of a step", function()
  it("is bounded by max_iterations, whatever methods follow one another, and told where that acts (200 seeds)", function()
    local limited, solved = 0, 0
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local planar, most = seed % 2 == 0, random:integer(1, 40)
      local solver = SOLVERS[seed % 8]
      local world <close> = heap(seed, { planar = planar, max_iterations = most, solver = solver, tolerance = 1e-11 })
      local start = select(1, world:energy()) + select(2, world:energy())
      for step = 1, 25 do
        local before = world.stats.unconverged
        world:step()
        local missed = world.stats.unconverged > before
        local s, name = world.stats, ("seed %d %s step %d"):format(seed, solver, step)
        assert.is_true(s.iterations <= most, name .. ": " .. s.iterations .. " of " .. most)
        assert.equal(s.residual > 1e-11, missed, name)
        if s.limited then assert.is_true(missed, name) end
        limited, solved = limited + (s.limited and 1 or 0), solved + (missed and 0 or 1)
        assert.is_true(s.momentum_error <= 1e-9 and s.cone_violation <= 1e-9, name)
      end
      local kinetic, potential = world:energy()
      assert.is_true(kinetic + potential - world:ledger().correction <= start * (1 + 1e-3), "seed " .. seed)
    end
    assert.is_true(limited > 300 and solved > 300, limited .. " limited, " .. solved .. " solved")
  end)

  it("is the same again, to the bit, and more of it solves what less does not", function()
    for seed = 1, 20 do
      local better, worse = 0, 0
      local hashes, residuals = {}, {}
      for turn, most in ipairs{ 20, 20, 20000 } do
        local world <close> = heap(seed, { planar = seed % 2 == 0, max_iterations = most, tolerance = 1e-10 })
        world:step(50)
        hashes[turn], residuals[turn] = world:hash(), world.stats.unconverged
      end
      assert.equal(hashes[1], hashes[2])
      better, worse = better + residuals[3], worse + residuals[1]
      assert.is_true(better <= worse, "seed " .. seed)
    end
  end)

  it("is that of the default where more is given: the same bits unless that ran short, no more missed (200 seeds)", function()
    local same, steps = 0, 0
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local world <close> = heap(seed, { planar = seed % 4 == 0, tolerance = 1e-10 })
      world:step(random:integer(1, 60))
      local more = random:integer(1001, 20000)
      for step = 1, 3 do
        local start, before, name = world:snapshot(), world.stats.unconverged, ("seed %d of %d, step %d"):format(seed, more, step)
        world.max_iterations = more
        world:step()
        local hash, missed = world:hash(), world.stats.unconverged > before
        world:restore(start)
        world.max_iterations = 1000
        world:step()
        if missed then assert.is_true(world.stats.unconverged > before, name) end
        world.max_iterations = more -- the hash may know the options
        steps = steps + 1
        if world:hash() == hash then same = same + 1 end
      end
    end
    assert.is_true(same >= 0.95 * steps, same .. " of " .. steps)
  end)

  it("raises where the world is strict, and leaves it as it was", function()
    local world <close> = heap(1, { planar = true, max_iterations = 2, tolerance = 1e-12, strict = true })
    local before, ok
    for _ = 1, 200 do
      before = world:hash()
      ok = pcall(world.step, world)
      if not ok then break end
    end
    assert.is_false(ok)
    assert.equal(before, world:hash())
  end)
end)

describe("a host that hands time to a world", function()
  it("gets at most max_steps of it, by default 0.25 s, and is told what was dropped", function()
    local world <close> = delassus.world{ record = false, dt = 1e-3 }
    local function told(steps, rest, dropped, ...)
      local a, b, c = world:advance(...)
      assert.equal(steps, a)
      assert.near(rest, b, 1e-9)
      assert.near(dropped, c, 1e-9)
    end
    told(10, 0.5e-3, 0, 0.0105)
    told(3, 0.2e-3, 4e-3, 6.7e-3, 3)
    told(250, 0.2e-3, 0.75, 1)
    told(0, 0.2e-3, 1, 1, 0)
    told(1000, 0.2e-3, 0, 1, 5000)
    assert.near(1.263, world.time, 1e-9)
    world.dt = 0.5
    told(1, 0.2e-3, 0.5, 1)
    for _, bad in ipairs{ -1, 0.5, "x", 1 / 0 } do
      assert.error_matches(function() world:advance(1, bad) end, "world:advance: 'max_steps' must be a whole number >= 0, got")
    end
  end)

  it("steps a world as if it had been stepped, whatever the frames (20 seeds)", function()
    for seed = 1, 20 do
      local random = delassus.random(seed)
      local one <close> = heap(seed, { planar = true })
      local other <close> = heap(seed, { planar = true })
      local steps, dropped = 0, 0
      for _ = 1, 30 do
        local n, _, lost = one:advance(random:uniform(0, 0.02), random:integer(1, 4))
        steps, dropped = steps + n, dropped + lost
      end
      other:step(steps)
      assert.equal(one:hash(), other:hash())
      assert.is_true(dropped > 0)
    end
  end)
end)
