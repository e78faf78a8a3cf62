-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Bodies on sprung joints that strike within a step go on behind their first touch, or wait there: springs do not get the way
-- that their rows worked along. What they store by that is a correction (API 3), and the ledger's `springs` is what they gave.
local delassus = require "delassus"
local seeds = require "support.seeds"

local STEPS = 40
--- Of the kinetic energy at first, in a step: rows have the spring at q_c, right to second order in 5 m/s times 1/40 s. Without
--- ways it was up to 0.3.
local OFF = 0.06

local function build(seed)
  local random = delassus.random(seed)
  local function between(a, b) return random:uniform(a, b) end
  local planar = seed % 2 == 0
  local function place(x, z) return planar and { x, z } or { x, 0, z } end
  local world = delassus.world{ planar = planar, dt = ({ 1 / 40, 1 / 60, 1 / 120 })[seed % 3 + 1], record = false }
  world:floor{ friction = between(0, 1) }
  for _, normal in ipairs{ place(1, 0), place(-1, 0) } do world:wall{ normal = normal, offset = -1 } end
  local formulation, before = random:uniform() < 0.5 and "reduced" or "rigid", nil
  for i = 1, random:integer(2, 4) do
    local x = 0.25 * i - 0.3
    local body = world:box{ size = planar and { 0.2, 0.1 } or { 0.2, 0.1, 0.1 }, density = 1000, position = place(x, 0.6),
      velocity = place(between(-6, 6), between(-8, 2)) }
    if before then
      local slides = random:uniform() < 0.4
      local axis = not planar and { 0, 1, 0 } or nil
      if slides then axis = place(1, 0) end
      world:joint{ slides and "prismatic" or "revolute", before, body, anchor = place(x - 0.125, 0.6), axis = axis,
        stiffness = 10 ^ between(1, 3) * (slides and 100 or 1), formulation = formulation }
    end
    before = body
  end
  for i = 1, random:integer(0, 3) do
    local o = { radius = between(0.05, 0.15), density = 1000, position = place(between(-0.7, 0.7), 1 + 0.4 * i),
      velocity = place(between(-3, 3), between(-8, 0)) }
    if planar then world:disk(o) else world:sphere(o) end
  end
  return world
end

describe("springs of joints whose bodies go behind first touches", function()
  it("give what the ledger says (200 seeds)", function()
    for seed = 1, seeds(200) do
      local world <close> = build(seed)
      local scale, _, stored = world:energy()
      local springs = world:ledger().springs
      for step = 1, STEPS do
        world:step()
        local _, _, now = world:energy()
        local given = world:ledger().springs
        local off = math.abs(now - stored + given - springs)
        if off > OFF * scale then error(("seed %d, step %d: %g of %g J"):format(seed, step, off, scale)) end
        stored, springs = now, given
      end
    end
  end)
end)
