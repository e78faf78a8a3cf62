-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Projections of a mechanism that something stands in push others where nobody was looked for (position_brought.c); then what
-- the mechanism has no part in is projected, of more pairs than those (position_both.c). A pile far away goes as by itself.
local delassus = require "delassus"
local seeds = require "support.seeds"

local STEPS = 3

local function build(seed, beside)
  local random = delassus.random(seed)
  local function between(a, b) return random:uniform(a, b) end
  local planar = seed % 2 == 0
  local function place(x, z, y) return planar and { x, z } or { x, y or 0, z } end
  local function size(a, b) return planar and { a, b } or { a, b, b } end
  local world = delassus.world{ planar = planar, dt = ({ 1e-3, 1 / 240, 1 / 60 })[seed % 3 + 1], record = false }
  world:floor()
  local pile = {}
  for i = 0, 19 do
    local a = between(0.1, 0.12)
    pile[i + 1] = world:box{ size = size(a, a), position = place(3 + 0.125 * (i % 5), 0.07 + 0.125 * (i // 5)) }
  end
  if not beside then return world, pile end
  local a = world:box{ size = size(0.4, 0.2), position = place(0, 0.1) }
  local b = world:box{ size = size(0.4, 0.2), position = place(0.4, 0.1) }
  world:joint{ "revolute", a, b, anchor = place(0.2, 0.1), axis = not planar and { 0, 1, 0 } or nil,
    formulation = seed % 4 < 2 and "rigid" or "reduced" }
  for _ = 1, 4 do -- in the mechanism
    local s = between(0.1, 0.2)
    world:box{ size = size(s, s), density = 10 ^ between(2, 4),
      position = place(between(-0.3, 0.7), between(0.1, 0.3), between(-0.05, 0.05)) }
  end
  for _ = 1, 10 do -- about it
    world:box{ size = size(0.1, 0.1), position = place(between(-0.8, 1.2), between(0.35, 0.8), between(-0.2, 0.2)) }
  end
  return world, pile
end

describe("a pile beside a mechanism that something stands in", function()
  it("goes as by itself (200 seeds)", function()
    for seed = 1, seeds(200) do
      local world <close>, pile = build(seed, true)
      local other <close>, alone = build(seed, false)
      for step = 1, STEPS do
        world:step()
        other:step()
        for i, body in ipairs(pile) do
          -- 1e-8 m: the tolerance, of velocities of m/s in a step
          local off = (body.position - alone[i].position):norm()
          local holds = off < 1e-8 -- not where it is no number
          if not holds then error(("seed %d, step %d: box %d is %g m off"):format(seed, step, i, off)) end
        end
      end
    end
  end)
end)
