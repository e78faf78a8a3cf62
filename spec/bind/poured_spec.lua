-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Shapes poured into a bin. In the plane small ones that a blow drives among the others, farther than any pair was near: no
-- step leaves bodies in each other by half a percent of them, and none says that it could not. In space to a rough
-- tolerance, where sweeps that are enough for most piles leave some deep in themselves (18 % of a body, step after step).
local delassus = require "delassus"
local seeds = require "support.seeds"
local chance = require "support.chance"

local SEEDS = seeds(200)

local function poured(c)
  local w = delassus.world{ planar = true, dt = 1 / 240, record = false }
  local friction = c.from(0, 1)
  w:floor{ friction = friction }
  w:wall{ normal = { 1, 0 }, offset = -1.5 }
  w:wall{ normal = { -1, 0 }, offset = -1.5 }
  for i = 1, math.floor(c.from(10, 30)) do
    local s = c.from(0.05, 0.2)
    local o = { density = c.pick{ 200, 1000, 7800 }, friction = c.from(0, 1), position = { c.from(-1, 1), 0.3 + 0.35 * i },
      rotation = c.from(-3, 3), velocity = { c.from(-2, 2), c.from(-2, 2) } }
    local kind = c.pick{ "disk", "box", "polygon" }
    if kind == "disk" then
      o.radius = s
    elseif kind == "box" then
      o.size = { 2 * s, s * c.from(0.6, 2) }
    else
      local corners = math.floor(c.from(3, 8))
      o.points = {}
      for j = 1, corners do
        local angle = 2 * math.pi * j / corners
        o.points[j] = { s * math.cos(angle), s * math.sin(angle) }
      end
    end
    w[kind](w, o)
  end
  return w
end

local function unit(c)
  local v = { c.from(-1, 1), c.from(-1, 1), c.from(-1, 1) }
  local length = math.sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2)
  return { v[1] / length, v[2] / length, v[3] / length }
end

local function poured_in_space(c)
  local w = delassus.world{ dt = c.pick{ 1 / 60, 1 / 120 }, tolerance = 1e-3, record = false }
  w:floor{ friction = c.from(0, 1) }
  for _, n in ipairs{ { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } } do w:wall{ normal = n, offset = -1 } end
  for i = 1, math.floor(c.from(15, 30)) do
    local s = c.from(0.05, 0.2)
    local o = { density = c.pick{ 200, 1000, 7800 }, friction = c.from(0, 1) }
    o.rotation = { axis = unit(c), angle = c.from(0, 3) }
    o.position = { c.from(-0.6, 0.6), c.from(-0.6, 0.6), 0.3 + 0.3 * i }
    o.velocity = { c.from(-2, 2), c.from(-2, 2), c.from(-2, 2) }
    local kind = c.pick{ "sphere", "box", "capsule", "cylinder", "convex" }
    if kind == "box" then
      o.size = { 2 * s, s * c.from(0.6, 2), s * c.from(0.6, 2) }
    elseif kind == "convex" then
      o.points = {}
      for j = 1, 12 do
        local at = unit(c)
        o.points[j] = { s * at[1], s * at[2], s * at[3] }
      end
    else
      o.radius, o.length = kind == "sphere" and s or 0.6 * s, kind ~= "sphere" and s * c.from(1, 4) or nil
    end
    w[kind](w, o)
  end
  return w
end

describe(("small bodies among large ones (%d seeds)"):format(SEEDS), function()
  it("are left apart by every step", function()
    for seed = 1, SEEDS do
      local w <close> = poured(chance(seed))
      for step = 1, math.floor(1 / w.dt) do
        w:step()
        local left = w.stats.penetration
        local what = ("seed %d, step %d: %g of a body is left, %g was found"):format(seed, step, left, w.stats.overlap)
        assert.is_true(step == 1 or (left < 5e-3 and not w.stats.infeasible), what)
      end
    end
  end)
  it("are not left deep in each other by a rough tolerance", function()
    for seed = 1, SEEDS do
      local w <close> = poured_in_space(chance(seed))
      for step = 1, math.floor(1.2 / w.dt) do
        w:step()
        local left = w.stats.penetration
        local what = ("seed %d, step %d: %g of a body is left, %g was found"):format(seed, step, left, w.stats.overlap)
        assert.is_true(left < 5e-3, what)
      end
    end
  end)
end)
