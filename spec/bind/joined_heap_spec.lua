-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Positions of worlds with joints and more than 120 touches in space: what joints have part in is projected together with
-- them, the rest as bodies without joints are. Beside each other both are what they are alone; where they meet joints
-- stay shut and bodies apart.
local delassus = require "delassus"
local seeds = require "support.seeds"
local near = require "support.near"
local chance = require "support.chance"

local R, SEEDS = 0.05, seeds(200)

--- 64 balls of unequal mass in a pit, each touching its neighbours, nearly.
local function add_heap(w, c, friction)
  local side, balls = 4 * R, {}
  w:floor{ friction = friction }
  for k = 1, 4 do
    local angle = k * math.pi / 2
    w:box{ size = { 0.1, 4 * side, 15 * R }, type = "static", friction = friction,
      rotation = { axis = { 0, 0, 1 }, angle = angle },
      position = { (side + 0.05) * math.cos(angle), (side + 0.05) * math.sin(angle), 0 } }
  end
  for i = 1, 4 do for j = 1, 4 do for k = 1, 4 do
    balls[#balls + 1] = w:sphere{ radius = R, mass = c.from(0.5, 2), friction = friction, position = {
      (2 * i - 5) * R + 1e-3 * R * c.from(-1, 1), (2 * j - 5) * R + 1e-3 * R * c.from(-1, 1), (2 * k - 1) * R * (1 - 1e-4) } }
  end end end
  return balls
end

--- Two bars on hinges, the first on the ground at `at`.
local function add_chain(w, c, formulation, at)
  local bars, before = {}, w.ground
  for i = 1, 2 do
    bars[i] = w:capsule{ radius = 0.02, length = 0.3, mass = c.from(0.5, 2), friction = 0.3,
      position = { at[1] + 0.3 * (i - 0.5), at[2], at[3] } }
    w:joint{ "revolute", before, bars[i], anchor = { at[1] + 0.3 * (i - 1), at[2], at[3] }, axis = { 0, 1, 0 },
      formulation = formulation }
    before = bars[i]
  end
  return bars
end

--- No two balls or disks overlap by a thousandth of their size.
local function hold_apart(balls, seed)
  local at = {}
  for i, ball in ipairs(balls) do at[i] = ball.position:totable() end
  for i = 1, #balls do
    local a = at[i]
    for k = i + 1, #balls do
      local b = at[k]
      local d = math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2 + ((a[3] or 0) - (b[3] or 0)) ^ 2)
      local apart = d > 2 * R * (1 - 1e-3)
      if not apart then error(("seed %d: %d and %d, %g"):format(seed, i, k, d / 2 / R - 1)) end
    end
  end
end

describe("a heap of many touches beside joints", function()
  it("is what it is alone, and so is the mechanism", function()
    for seed = 1, SEEDS do
      local c = chance(seed)
      local formulation, start = c.pick{ "reduced", "rigid" }, c.from(0, 1)
      local function at_start() local own = chance(seed) own.from(0, start) return own end
      local both <close> = delassus.world{ record = false }
      local balls = add_heap(both, at_start(), 0)
      local bars = add_chain(both, at_start(), formulation, { 3, 0, 2 })
      local heap <close> = delassus.world{ record = false }
      local alone = add_heap(heap, at_start(), 0)
      local mechanism <close> = delassus.world{ record = false }
      local only = add_chain(mechanism, at_start(), formulation, { 3, 0, 2 })
      for _, w in ipairs{ both, heap, mechanism } do w:step(3) end
      assert.is_true(both.stats.contacts > 120, "seed " .. seed)
      assert.is_true(both.stats.penetration < 1e-3, "seed " .. seed)
      for i, bar in ipairs(bars) do
        for k = 1, 3 do near(only[i].position[k], bar.position[k], 1e-12, "seed " .. seed) end
      end
      for i, ball in ipairs(balls) do
        for k = 1, 3 do near(alone[i].position[k], ball.position[k], 4e-4 * R, "seed " .. seed) end
      end
    end
  end)

  it("is struck by a mechanism: its joints stay shut, bodies stay apart, and nothing is gained", function()
    for seed = 1, SEEDS do
      local c = chance(seed)
      local w <close> = delassus.world{ record = false }
      local balls = add_heap(w, c, 0.3)
      local formulation, turn, turn2 = c.pick{ "reduced", "rigid" }, c.from(0, 3), c.from(-3, 3)
      local bars = add_chain(w, c, formulation, { -0.25, c.from(-0.1, 0.1), 8 * R + 0.02 + 1e-3 * c.from(0, 1) })
      if formulation == "reduced" then
        w.joints[1].qd, w.joints[2].qd = turn, turn2 - turn
      else
        for i, omega in ipairs{ turn, turn2 } do
          bars[i].angular_velocity = { 0, omega, 0 }
          bars[i].velocity = { 0, 0, i == 1 and -0.15 * turn or -0.3 * turn - 0.15 * turn2 }
        end
      end
      local most = 0
      for _ = 1, 3 do
        w:step(1)
        most = math.max(most, w.stats.contacts)
        assert.is_true(w.stats.energy_balance < 1e-6, ("seed %d: energy %g"):format(seed, w.stats.energy_balance))
        for _, joint in ipairs(w.joints) do
          near(0, (joint:violation()), 1e-6, "seed " .. seed)
        end
      end
      assert.is_true(most > 120, "seed " .. seed)
      hold_apart(balls, seed)
    end
  end)

  it("fills a pit to the brim, in the plane: nothing is flung", function()
    for seed = 1, SEEDS do
      local c = chance(seed)
      local w <close> = delassus.world{ planar = true, record = false }
      local disks, before = {}, w.ground
      w:floor{ friction = 0.3 }
      for _, x in ipairs{ -6 * R - 0.05, 6 * R + 0.05 } do
        w:box{ size = { 0.1, 22 * R }, type = "static", friction = 0.3, position = { x, 0 } }
      end
      for i = 1, 6 do
        for j = 1, 5 do
          disks[#disks + 1] = w:disk{ radius = R, mass = c.from(0.5, 2), friction = 0.3,
            position = { (2 * i - 7) * R + 1e-3 * R * c.from(-1, 1), (2 * j - 1) * R * (1 - 1e-4) + 1e-3 * R * c.from(-1, 1) } }
        end
      end
      local formulation = c.pick{ "reduced", "rigid" }
      for i = 1, 2 do
        local bar = w:box{ size = { 0.3, 0.04 }, mass = c.from(0.5, 2), position = { 2 + 0.3 * (i - 0.5), 2 } }
        w:joint{ "revolute", before, bar, anchor = { 2 + 0.3 * (i - 1), 2 }, formulation = formulation }
        before = bar
      end
      for _ = 1, 5 do
        w:step(1)
        for _, joint in ipairs(w.joints) do near(0, (joint:violation()), 1e-6, "seed " .. seed) end
      end
      hold_apart(disks, seed)
    end
  end)
end)
