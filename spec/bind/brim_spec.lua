-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Pits that are filled to the brim and beyond it, some under a lid, without joints and with joints beside, in, and on what
-- fills them: where bodies have no place near by without an overlap nothing is flung, the worst overlap is no more than the
-- step found, joints are shut, and what is crushed is told.
local delassus = require "delassus"
local seeds = require "support.seeds"
local chance = require "support.chance"

local R, SEEDS, STEPS = 0.05, seeds(200), 2
local LATER = 2e-3 -- of a body: what a large pile that moves leaves for the next step

local MADE = {
  ball = function(w, o, size)
    o.radius = size
    return w.planar and w:disk(o) or w:sphere(o)
  end,
  box = function(w, o, size)
    o.size = w.planar and { 2 * size, 2 * size } or { 2 * size, 2 * size, 2 * size }
    return w:box(o)
  end,
  capsule = function(w, o, size, c)
    local angle = c.pick{ 0, math.pi / 2 }
    o.radius, o.length, o.rotation = size / 2, size, w.planar and angle or { axis = { 0, 1, 0 }, angle = angle }
    return w:capsule(o)
  end,
}
local KINDS = { "ball", "box", "capsule" }

--- Walls and a floor around n columns (n x n in space) of m layers; a lid, where wanted.
local function build_pit(w, n, m, friction, lid)
  local side, high = n * R, (4 * m - 1) * R
  w:floor{ friction = friction }
  for k = 1, w.planar and 2 or 4 do
    local angle = k * math.pi / (w.planar and 1 or 2)
    local x, y = (side + R) * math.cos(angle), (side + R) * math.sin(angle)
    w:box{ type = "static", friction = friction, size = w.planar and { 2 * R, high } or { 2 * R, 4 * side, high },
      position = w.planar and { x, 0 } or { x, y, 0 }, rotation = w.planar and 0 or { axis = { 0, 0, 1 }, angle = angle } }
  end
  if not lid then return end
  local z = (2 * m + 1) * R
  w:box{ type = "static", friction = friction, size = w.planar and { 4 * side, 2 * R } or { 4 * side, 4 * side, 2 * R },
    position = w.planar and { 0, z } or { 0, 0, z } }
end

--- Bodies that are larger than their places by a share `over`; and those of the first row as grid[column][layer].
local function fill_pit(w, c, n, m, kind, over, friction)
  local bodies, grid, jitter = {}, {}, R * c.pick{ 0, 1e-3, 1e-6 }
  for i = 1, n do
    grid[i] = {}
    for j = 1, m do
      for k = 1, w.planar and 1 or n do
        local p = { (2 * i - n - 1) * R, (2 * k - n - 1) * R, (2 * j - 1) * R }
        if w.planar then p = { p[1], p[3] } end
        for at = 1, #p do p[at] = p[at] + c.from(-jitter, jitter) end
        local what = kind == "mixed" and c.pick(KINDS) or kind
        local body = MADE[what](w, { mass = c.from(0.5, 2), friction = friction, position = p }, R * (1 + over), c)
        bodies[#bodies + 1] = body
        if k == 1 then grid[i][j] = body end
      end
    end
  end
  return bodies, grid
end

local function join(w, c, a, b, at, formulation, driven, alone)
  local o = { "revolute", a, b, anchor = at, formulation = formulation, axis = not w.planar and { 0, 1, 0 } or nil }
  if driven then
    o.motor = { speed = c.from(-3, 3), max_torque = c.from(0, 20) }
    o.limits = alone and { -c.from(0, 0.2), c.from(0, 0.2) } or nil
  end
  w:joint(o)
end

local function add_joints(w, c, bodies, grid, place, m)
  local formulation, driven = c.pick{ "reduced", "rigid", "penalty" }, c.pick{ true, false }
  if place == "none" then return formulation end
  if place == "in" then
    local j = math.floor(c.from(1, m + 1 - 1e-9))
    for i = 1, #grid - 1, 2 do
      local p, q = grid[i][j].position, grid[i + 1][j].position
      join(w, c, grid[i][j], grid[i + 1][j], (p + q) / 2, formulation, driven)
    end
    return formulation
  end
  local x, z, before = place == "on" and -0.25 or 3, place == "on" and 2 * m * R + 0.02 or 2, w.ground
  for i = 1, 3 do
    local p, at = { x + 0.25 * (i - 0.5), 0, z }, { x + 0.25 * (i - 1), 0, z }
    if w.planar then p, at = { p[1], z }, { at[1], z } end
    local bar = w:capsule{ mass = c.from(0.2, 5), friction = 0.3, position = p, radius = 0.02, length = 0.25 }
    bodies[#bodies + 1] = bar
    join(w, c, before, bar, at, formulation, driven, true)
    before = bar
  end
  return formulation
end

local function places_of(bodies)
  local places = {}
  for i, body in ipairs(bodies) do places[i] = { body.centre, body.velocity:norm() } end
  return places
end

--- What a projection may move: thirty overlaps, or all overlaps in a row, or a hundredth of a body; the step beside it.
local function hold_ways(w, before, after, size, what)
  local found = w.stats.overlap * size
  for i, now in ipairs(after) do
    local way = (now[1] - before[i][1]):norm()
    local step = w.dt * math.max(now[2], before[i][2]) + 10 * w.dt ^ 2 + 1e-7
    local allowed = step + math.max(math.max(30, w.stats.contacts) * found, 1e-2 * R)
    assert.is_true(way <= allowed, ("%s: body %d went %g m of %g"):format(what, i, way, allowed))
  end
end

local function hold(planar, n, layers)
  for seed = 1, SEEDS do
    local c = chance(seed)
    local w <close> = delassus.world{ planar = planar, record = false, dt = c.pick{ 1e-3, 5e-3 } }
    local m, place = c.pick(layers), c.pick{ "in", "on", "beside", "none" }
    local kind, over = c.pick{ "ball", "box", "capsule", "mixed" }, c.pick{ -1e-4, 1e-4, c.from(1e-3, 1e-2), c.from(1e-2, 5e-2) }
    local friction = c.pick{ 0, 0.3, 0.8 }
    build_pit(w, n, m, friction, place ~= "on" and c.pick{ true, false })
    local bodies, grid = fill_pit(w, c, n, m, kind, over, friction)
    local formulation = add_joints(w, c, bodies, grid, place, m)
    local before = places_of(bodies)
    for step = 1, STEPS do
      w:step(1)
      local what = ("seed %d, step %d: %s, %g over, %s, joints %s"):format(seed, step, kind, over, formulation, place)
      local after, stats = places_of(bodies), w.stats
      hold_ways(w, before, after, 2 * R * (1 + over), what)
      local left = ("%s: %g left of %g"):format(what, stats.penetration, stats.overlap)
      assert.is_true(stats.penetration <= math.max(stats.overlap, LATER), left)
      assert.is_true(stats.infeasible or stats.penetration <= 1e-2, left)
      assert.is_true(stats.energy_balance < 1e-6, what .. ": energy " .. stats.energy_balance)
      for _, joint in ipairs(w.joints) do
        assert.is_true(formulation == "penalty" or (joint:violation()) < 1e-6, what .. ": open")
      end
      before = after
    end
  end
end

describe("a pit filled to the brim and beyond (200 seeds)", function()
  it("flings nothing in the plane", function() hold(true, 4, { 3, 5 }) end)
  it("flings nothing in space", function() hold(false, 3, { 1 }) end)
end)

-- Boxes that share loads at 15 to 30 contacts each. Factors on contacts took 500 to 990 iterations, 2.7 s a step, and
-- left residuals of up to 0.25.
describe("a pit of 125 boxes, jammed", function()
  for _, lid in ipairs{ true, false } do
    for _, friction in ipairs{ 0, 0.3 } do
      it(("is solved by few iterations on its bodies: friction %g, %s"):format(friction, lid and "a lid" or "open"), function()
        local c = chance(3)
        local w <close> = delassus.world{ record = false }
        build_pit(w, 5, 5, friction, lid)
        for i = 1, 125 do
          local p = { 2 * ((i - 1) % 5) - 4, 2 * ((i - 1) // 5 % 5) - 4, 2 * ((i - 1) // 25) + 1 }
          for k = 1, 3 do p[k] = R * (p[k] + c.from(-1e-3, 1e-3)) end
          MADE.box(w, { mass = c.from(0.5, 2), friction = friction, position = p }, R * (1 + 1e-4), c)
        end
        for step = 1, 2 do
          w:step()
          local stats, what = w.stats, ("step %d: %d iterations, residual %g"):format(step, w.stats.iterations, w.stats.residual)
          assert.is_true(stats.contacts > 1500, what)
          assert.is_true(stats.iterations <= 450 and stats.residual < 1e-3, what)
          assert.is_true(stats.penetration <= math.max(stats.overlap, LATER), what)
        end
      end)
    end
  end
end)
