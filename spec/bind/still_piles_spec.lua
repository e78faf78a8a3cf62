-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Piles that hardly move within half a step are not looked at again at its end (scheme/position.c), beside a mechanism either
-- (position_both.c). A body that is driven along far away makes the same world go by the general way: states and overlaps
-- must be the same.
local delassus = require "delassus"

local SEEDS, STEPS, BESIDE, SLOW = 200, 30, 1000, 1e-4

--- A wall of boxes of random sizes in rows, a little apart or in each other, or leaning on a slope of `tilt`.
local function pile(random, planar, driven, hung)
  local w = delassus.world{ planar = planar, record = false, dt = random:uniform(0.5e-3, 5e-3) }
  local friction = random:uniform(0.4, 0.9)
  w:floor{ friction = friction }
  local wide, high = random:uniform(0.2, 2), random:uniform(0.1, 1)
  local bodies, y = {}, random:uniform(-1, 1) < 0 and 0 or random:uniform(-1e-4, 1e-4)
  for row = random:integer(1, 4), 1, -1 do
    for i = 1, row do
      local x = (i - row / 2) * 1.04 * wide
      bodies[#bodies + 1] = w:box{ size = planar and { wide, high } or { wide, wide, high }, density = random:uniform(50, 500),
        friction = friction, position = planar and { x, y + high / 2 } or { x, 0, y + high / 2 } }
    end
    y = y + high
  end
  if driven then w:box{ type = "kinematic", size = planar and { 1, 1 } or { 1, 1, 1 }, position = planar and { BESIDE, 500 } or
    { BESIDE, 0, 500 }, velocity = planar and { SLOW, 0 } or { SLOW, 0, 0 } } end
  local before = w.ground
  for i = 1, hung and 3 or 0 do
    local x = 0.5 * BESIDE + 0.3 * (i - 0.5)
    local bar = w:capsule{ radius = 0.02, length = 0.2, density = 800, position = { x, 0, 20 } }
    w:joint{ "revolute", before, bar, anchor = { x - 0.15, 0, 20 }, axis = { 0, 1, 0 }, formulation = hung }
    before = bar
  end
  return w, bodies
end

--- The same pile beside nothing and beside what moves: largest difference of places, m, and of overlaps, by size.
local function difference(seed, planar, hung)
  local alone, own = pile(delassus.random(seed), planar, false, hung)
  local beside, theirs = pile(delassus.random(seed), planar, true, hung)
  local of_places, of_overlaps = 0, 0
  for _ = 1, STEPS do
    alone:step()
    beside:step()
    of_overlaps = math.max(of_overlaps, math.abs(alone.stats.penetration - beside.stats.penetration))
  end
  for k, body in ipairs(own) do
    local a, b = body.position, theirs[k].position
    for i = 1, planar and 2 or 3 do of_places = math.max(of_places, math.abs(a[i] - b[i])) end
  end
  alone:close()
  beside:close()
  return of_places, of_overlaps
end

describe("Piles that lie still", function()
  for _, planar in ipairs{ true, false } do
    it("go where they go by looks at all shapes, " .. (planar and "in the plane" or "in space"), function()
      for seed = 1, SEEDS do
        local of_places, of_overlaps = difference(seed, planar)
        assert.is_true(of_places == 0, ("seed %d: places differ by %g"):format(seed, of_places))
        assert.is_true(of_overlaps <= 1e-14, ("seed %d: overlaps differ by %g"):format(seed, of_overlaps))
      end
    end)
  end

  it("and so beside a mechanism", function()
    for seed = 1, SEEDS do
      local of_places, of_overlaps = difference(seed, false, seed % 2 == 0 and "reduced" or "rigid")
      assert.is_true(of_places == 0, ("seed %d: places differ by %g"):format(seed, of_places))
      assert.is_true(of_overlaps <= 1e-14, ("seed %d: overlaps differ by %g"):format(seed, of_overlaps))
    end
  end)

  it("tell the overlap that the places of a stack have", function()
    for seed = 1, SEEDS do
      local random = delassus.random(seed)
      local w, boxes, sizes, y = delassus.world{ planar = true, record = false }, {}, {}, 0
      w:floor{ friction = 0.5 }
      for k = 1, 5 do
        sizes[k] = random:uniform(0.3, 1)
        boxes[k] = w:box{ size = { 1, sizes[k] }, density = random:uniform(50, 500), position = { 0, y + sizes[k] / 2 } }
        y = y + sizes[k]
      end
      for _ = 1, 20 do w:step() end
      local deepest, top = 0, 0
      for k = 1, 5 do
        local at = boxes[k].position[2]
        local size = k == 1 and sizes[1] or math.min(sizes[k - 1], sizes[k])
        deepest = math.max(deepest, (top - (at - sizes[k] / 2)) / size)
        top = at + sizes[k] / 2
      end
      assert.is_true(math.abs(w.stats.penetration - deepest) <= 4e-15,
        ("seed %d: %g is told, %g is there"):format(seed, w.stats.penetration, deepest))
      w:close()
    end
  end)
end)
