-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Islands at rest are answered by a look at the last impulses; what drifts is refined once, and stays at rest.
local delassus = require "delassus"

local function stack(w, n, planar)
  w:floor{ friction = 0.5 }
  for k = 1, n do
    w:box{ size = planar and { 1, 1 } or { 1, 1, 1 }, density = 100, friction = 0.5,
      position = planar and { 0, k - 0.5 } or { 0, 0, k - 0.5 } }
  end
end

local function pyramid(w, rows, planar)
  w:floor{ friction = 0.5 }
  for row = 0, rows - 1 do
    for i = 1, rows - row do
      local x, z = (i - (rows - row) / 2) * 1.05, row + 0.5
      w:box{ size = planar and { 1, 1 } or { 1, 1, 1 }, density = 100, friction = 0.5,
        position = planar and { x, z } or { x, 0, z } }
    end
  end
end

--- Steps of 400 that solve, the largest overlap and residual, and the weight that the floor carries over the boxes'.
local function rest(make, n, planar, boxes)
  local w = delassus.world{ planar = planar, record = false }
  make(w, n, planar)
  for _ = 1, 100 do w:step() end
  local solved, overlap, residual = 0, 0, 0
  for _ = 1, 400 do
    w:step()
    if w.stats.iterations > 0 then solved = solved + 1 end
    overlap, residual = math.max(overlap, w.stats.penetration), math.max(residual, w.stats.residual)
  end
  local load = 0
  for c in w:contacts() do
    if c.a.type == "static" or c.b.type == "static" then load = load + c.normal_force end
  end
  w:close()
  return solved, overlap, residual, load / (boxes * 100 * 9.81)
end

describe("at rest", function()
  for _, case in ipairs{ { "a stack of 20", stack, 20, 20, true }, { "a stack of 20", stack, 20, 20, false },
    { "a pyramid of 55", pyramid, 10, 55, true }, { "a pyramid of 10", pyramid, 4, 10, false } } do
    local name, make, n, boxes, planar = table.unpack(case)
    it(name .. (planar and " in the plane" or " in space") .. " is looked at, and solved in one step of eight at most",
      function()
        local solved, overlap, residual, carried = rest(make, n, planar, boxes)
        -- half of all steps where each was left as soon as its tolerance was met
        assert.is_true(solved <= 50, "steps that solve: " .. solved)
        assert.is_true(overlap < 1e-10, "overlap: " .. overlap)
        assert.is_true(residual < 1.001e-7, "residual: " .. residual)
        assert.is_true(math.abs(carried - 1) < 1e-6, "carried: " .. carried)
      end)
  end
end)
