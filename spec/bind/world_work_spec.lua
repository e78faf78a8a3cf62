-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local seeds = require "support.seeds"
local scenes = dofile "bench/bound_scenes.lua"

-- With max_iterations set everything that iterates in a step pays out of it, in sweeps: what is counted is below it, what
-- was left undone is told, and no energy comes of it (kinetic and potential, less what projections and drives did).

local function energy_of(world)
  local kinetic, potential = world:energy()
  local ledger = world:ledger()
  return kinetic + potential - ledger.correction - ledger.kinematic
end

--- A row of swinging balls that is struck (sequential impacts, one after the other).
local function cradle(random, options)
  options.impact, options.planar, options.record = "sequential", true, false
  local world = delassus.world(options)
  local n = random:integer(3, 9)
  for k = 1, n do
    world:disk{ radius = 0.1, density = 10 ^ random:uniform(2, 3), restitution = random:uniform(0, 1), friction = 0,
      position = { 0.2 * k, 1 }, velocity = { k <= 2 and random:uniform(1, 5) or 0, 0 } }
  end
  return world
end

--- Boxes and balls that start in each other or fall into each other: projections.
local function crush(random, options)
  options.planar, options.record, options.dt = random:integer(0, 1) == 1, false, 5e-3
  local world = delassus.world(options)
  world:floor{ friction = 0.5 }
  for k = 0, random:integer(3, 15) do
    local x, z = 0.19 * (k % 4) + random:uniform(0, 0.02), 0.1 + 0.18 * (k // 4)
    local at = options.planar and { x, z } or { x, random:uniform(-0.02, 0.02), z }
    if k % 3 == 0 then world[options.planar and "disk" or "sphere"](world, { radius = 0.1, density = 500, position = at })
    else world:box{ size = options.planar and { 0.2, 0.2 } or { 0.2, 0.2, 0.2 }, density = 800, position = at } end
  end
  return world
end

--- Bodies that go many times their size in a step, turning, at a wall and at each other.
local function shots(random, options)
  options.planar, options.record = random:integer(0, 1) == 1, false
  local world = delassus.world(options)
  local planar = options.planar
  world:box{ type = "static", size = planar and { 0.02, 4 } or { 0.02, 4, 4 }, position = planar and { 1, 0 } or { 1, 0, 0 } }
  for k = 1, random:integer(1, 6) do
    local y = 0.3 * k - 1
    world:box{ size = planar and { 0.1, 0.02 } or { 0.1, 0.02, 0.05 }, density = 1000,
      position = planar and { random:uniform(0, 0.9), y } or { random:uniform(0, 0.9), y, 0 },
      velocity = planar and { random:uniform(10, 800), random:uniform(-50, 50) }
        or { random:uniform(10, 800), random:uniform(-50, 50), 0 },
      angular_velocity = planar and random:uniform(-300, 300) or { 0, 0, random:uniform(-300, 300) } }
  end
  return world
end

--- A closed chain of rigid joints above boxes.
local function loop(random, options)
  options.planar, options.record, options.dt = true, false, random:uniform(1e-3, 2e-2)
  local world = delassus.world(options)
  world:floor{ friction = 0.5 }
  local before, n = world.ground, random:integer(4, 9)
  for k = 1, n do
    local link = world:box{ size = { 0.2, 0.05 }, density = 500, position = { 0.2 * k - 0.1, 0.4 }, friction = 0.5 }
    world:joint{ "revolute", before, link, anchor = { 0.2 * (k - 1), 0.4 }, formulation = "rigid" }
    before = link
  end
  world:joint{ "revolute", world.ground, before, anchor = { 0.2 * n, 0.4 }, formulation = "rigid" }
  for k = 1, random:integer(1, 4) do world:disk{ radius = 0.08, density = 2000, position = { 0.3 * k, 0.7 } } end
  return world
end

local function told_of(given_up) return given_up or "" end

--- Runs a world; what was counted, told, and the most by which the energy rose above its start.
local function run(world, steps, most, name)
  local start, gain, told, limited, turnover = energy_of(world), 0, {}, 0, 0
  for step = 1, steps do
    local before = world.stats.unconverged
    world:step()
    local s = world.stats
    local missed, given_up = s.unconverged > before, s.given_up
    assert.is_true(s.work <= most + 1, ("%s step %d: %.3f of %d"):format(name, step, s.work, most))
    assert.is_true(s.work >= 0 and s.iterations <= most, name)
    assert.equal(s.limited, told_of(given_up):find("solve", 1, true) ~= nil, name)
    if s.limited then assert.is_true(missed, name) end
    limited = limited + (given_up and 1 or 0)
    for word in told_of(given_up):gmatch("[^,]+") do told[word:match("^%s*(.-)$")] = true end
    gain = math.max(gain, energy_of(world) - start)
    turnover = math.max(turnover, math.abs(start), (world:energy()))
    assert.is_true(s.momentum_error <= 1e-9 and s.cone_violation <= 1e-9, name)
  end
  return gain / turnover, told, limited
end

describe("the work of a step that max_iterations bounds", function()
  for _, scene in ipairs(scenes) do
    it("is counted and never above it: " .. scene.name, function()
      for turn, most in ipairs{ 1, 3, 12, 40, 150 } do
        local world <close> = scene.make(turn, { max_iterations = most })
        local gain, _, limited = run(world, 220, most, ("%s of %d"):format(scene.name, most))
        assert.is_true(gain <= 1e-3, ("%s of %d: gains %g"):format(scene.name, most, gain))
        assert.is_true(limited > 0, scene.name)
        assert.is_true(world.stats.penetration < 0.1, ("%s of %d: %g"):format(scene.name, most, world.stats.penetration))
      end
    end)
  end

  local makers = { cradle = cradle, crush = crush, shots = shots, loop = loop }
  for name, make in pairs(makers) do
    it("is counted and never above it: " .. name .. " (200 seeds)", function()
      local all = {}
      for seed = 1, seeds(200) do
        local random = delassus.random(seed)
        local most = random:integer(1, 60)
        local world <close> = make(random, { max_iterations = most })
        local gain, told = run(world, name == "loop" and 60 or 12, most, ("%s seed %d of %d"):format(name, seed, most))
        assert.is_true(gain <= 1e-3, ("%s seed %d of %d: gains %g"):format(name, seed, most, gain))
        for word in pairs(told) do all[word] = true end
      end
      local expected = { cradle = "impacts", crush = "projection", shots = "swift pairs", loop = "joints" }
      assert.is_true(all[expected[name]], name)
    end)
  end

  it("is told alike twice, and nothing is given up where there is enough of it", function()
    for seed = 1, 5 do
      local hashes, works = {}, {}
      for turn, most in ipairs{ 9, 9, 100000 } do
        local world <close> = crush(delassus.random(seed), { max_iterations = most })
        world:step(30)
        hashes[turn], works[turn] = world:hash(), world.stats.work
        if turn == 3 then assert.is_false(world.stats.given_up) end
      end
      assert.equal(hashes[1], hashes[2])
      assert.equal(works[1], works[2])
    end
  end)
end)
