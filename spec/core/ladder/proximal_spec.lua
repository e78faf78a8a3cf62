-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Proximal points on bodies: boxes that lean on each other by edges, and beds of balls, whose contacts share loads and slip at
-- all speeds.
local delassus = require "delassus"
local seeds = require "support.seeds"

local function line(seed)
  local random = delassus.random(seed)
  local w = delassus.world{ record = false }
  w:floor{ friction = random:uniform(0.2, 0.8) }
  local first, z = nil, random:uniform(0.03, 0.06)
  local size = { random:uniform(0.005, 0.01), random:uniform(0.015, 0.03), z }
  local friction, between = random:uniform(0.1, 0.5), random:uniform(0.3, 0.5) * z
  for i = 1, 10 do
    local box = w:box{ size = size, density = 700, position = { between * i, 0, z / 2 }, friction = friction }
    first = first or box
  end
  first.velocity = { 0.3, 0, 0 }
  first.angular_velocity = { 0, 2 * 9.81 ^ 0.5, 0 }
  return w
end

describe("lines of ten dominoes", function()
  it("fall to 1e-10 in every step, with little work (200 lines)", function()
    local missed, steps, most, work, peak = 0, 0, 0, 0, 0
    for seed = 1, seeds(200) do
      local w = line(seed)
      for _ = 1, 250 do
        w:step()
        local stats = w.stats
        steps, work, most, peak = steps + 1, work + stats.work, math.max(most, stats.residual), math.max(peak, stats.work)
        if stats.residual >= 1e-4 then error(("seed %d: %g"):format(seed, stats.residual)) end
      end
      missed = missed + w.stats.unconverged
      w:close()
    end
    -- by proximal points contact by contact alone 10 of 50,000 missed
    assert.equal(0, missed, "at most " .. most)
    assert.is_true(work / steps < 60, "sweeps a step: " .. work / steps)
    -- 840 where edges that touch at two points do not agree
    assert.is_true(peak < 250, "the most: " .. peak)
  end)
end)

-- What contacts agree on is no spring's force: that is stored, and told in the balance.
describe("seven boxes that fall on each other, some of them soft", function()
  it("keep the balance of energy to 1e-10 (200 heaps; by soft contacts that agree 5e-9 and 1e-9 of two)", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local function between(lo, hi) return random:uniform(lo, hi) end
      local hard = delassus.material{ friction = between(0.2, 0.9) }
      local soft = delassus.material{ friction = between(0.2, 0.9), stiffness = 1e6 }
      local w = delassus.world{ record = false, dt = 1 / 60 }
      w:floor{ friction = 0.5 }
      for i = 1, 7 do
        w:box{ size = { between(0.2, 0.6), between(0.2, 0.6), between(0.1, 0.4) }, density = between(300, 3000),
          position = { between(-0.4, 0.4), between(-0.4, 0.4), 0.3 + 0.3 * i },
          rotation = { axis = { 0, 0, 1 }, angle = between(-3, 3) }, velocity = { 0, 0, -between(0, 4) },
          angular_velocity = { between(-1, 1), between(-1, 1), between(-1, 1) }, material = between(0, 1) < 0.3 and soft or hard }
      end
      for step = 1, 60 do
        w:step()
        local off = math.abs(w.stats.energy_balance)
        assert.is_true(off < 1e-10, ("seed %d, step %d: %g"):format(seed, step, off))
      end
      w:close()
    end
  end)
end)

-- More than 300 contacts, whose faces share loads: rungs for large beds ran nearly out of work on them.
describe("walls of sixty boxes", function()
  it("stand to their tolerance, and no step takes much work (6 walls)", function()
    for seed = 1, seeds(6) do
      local random = delassus.random(seed)
      local w = delassus.world{ record = false }
      w:floor{ friction = 0.6 }
      for row = 0, 9 do
        for column = 0, 5 do
          w:box{ size = { 0.3, 0.5, 0.3 }, density = 800 * random:uniform(0.5, 2), friction = random:uniform(0.3, 0.9),
            position = { random:uniform(-0.01, 0.01), (column - 2.5) * 0.5 + row % 2 * 0.1, 0.15 + 0.3 * row } }
        end
      end
      local most = 0
      for _ = 1, 100 do
        w:step()
        most = math.max(most, w.stats.work)
        assert.is_true(w.stats.residual < 1e-6, "seed " .. seed .. ": " .. w.stats.residual)
      end
      assert.is_true(w.stats.contacts > 300)
      assert.is_true(most < 250, "seed " .. seed .. ", sweeps in a step: " .. most) -- 970 without
      w:close()
    end
  end)
end)

-- Blows at large steps: gaps of 1e-5 m that redundant contacts ask to close at speeds of no one motion.
describe("walls of 64 bricks that a ball strikes at 1/60 s", function()
  it("seldom miss 1e-6 (four walls: 5 of 480 steps; 47, and 1.9 of the work, where all contacts are damped alike)", function()
    local missed, work = 0, 0
    for seed = 1, seeds(4) do
      local w = delassus.world{ record = false, dt = 1 / 60 }
      w:floor{ friction = 0.6 }
      for row = 0, 7 do
        for k = 0, 7 do
          w:box{ size = { 0.4, 0.2, 0.2 }, density = 1800, friction = 0.6,
            position = { 0.41 * k + row % 2 * 0.2, 0, 0.1 + 0.2 * row } }
        end
      end
      w:sphere{ radius = 0.2, density = 5000, position = { 1.6, -2, 0.8 }, velocity = { 0, 9 + 0.2 * seed, 0 }, friction = 0.5,
        restitution = 0.2 }
      for step = 1, 120 do
        local before = w.stats.unconverged
        w:step()
        work = work + w.stats.work
        if w.stats.unconverged > before then missed = missed + 1 end
        assert.is_true(w.stats.residual < 1e-3, ("seed %d, step %d: %g"):format(seed, step, w.stats.residual))
      end
      w:close()
    end
    assert.is_true(missed <= 12, "missed " .. missed)
    assert.is_true(work / 480 < 300, "sweeps a step: " .. work / 480)
  end)
end)

--- n^3 balls, above each other in a box of planes.
local function poured(n)
  local random, w = delassus.random(n), delassus.world{ record = false }
  w:floor{ friction = 0.4 }
  local r = 0.05
  for _, normal in ipairs{ { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } } do
    w:wall{ normal = normal, offset = -1.1 * n * r, friction = 0.4 }
  end
  for i = 0, n ^ 3 - 1 do
    local x, y, z = i % n - (n - 1) / 2, i // n % n - (n - 1) / 2, i // n ^ 2
    w:sphere{ radius = r * random:uniform(0.9, 1.1), friction = 0.4,
      position = { 2.2 * r * x + random:uniform(0, 5e-4), 2.2 * r * y + random:uniform(0, 5e-4), r * (1.2 + 2.3 * z) } }
  end
  return w
end

local function velocities(w)
  local list = {}
  for _, body in ipairs(w.bodies) do
    if body.type == "dynamic" then list[#list + 1] = body.velocity end
  end
  return list
end

describe("343 balls poured into a box", function()
  it("meet the default tolerance in every step of their fall, and go as by sweeps alone", function()
    local w = poured(7)
    local missed, contacts, compared = 0, 0, 0
    for step = 1, 750 do
      w:step()
      missed = missed + w.stats.unconverged
      contacts = math.max(contacts, w.stats.contacts)
      assert.is_true(w.stats.residual <= 1e-6, "step " .. step .. ": " .. w.stats.residual)
      if step >= 475 and step <= 650 and step % 25 == 0 then -- later two solutions to 1e-8 part by up to 1e-3: they creep
        local other = poured(7)
        local before = w:snapshot()
        w.tolerance = 1e-8
        w:step()
        other:restore(before)
        other.solver, other.tolerance, other.max_iterations = "nsgs", 1e-8, 100000 -- those of the snapshot are ours
        other:step()
        if w.stats.unconverged + other.stats.unconverged == 0 then
          compared = compared + 1
          local mine, theirs = velocities(w), velocities(other)
          for i, v in ipairs(mine) do
            local d = v - theirs[i]
            assert.is_true(d:norm() < 1e-5, "step " .. step .. ", ball " .. i .. ": " .. d:norm())
          end
        end
        w:restore(before)
        other:close()
      end
    end
    assert.equal(0, missed)
    assert.is_true(contacts > 500, "contacts " .. contacts)
    assert.is_true(compared >= 7, "compared " .. compared)
    w:close()
  end)
end)
