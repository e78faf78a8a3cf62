-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- A wall of bricks in running bond, every face held at its two ends (statically indeterminate), each brick with a small
-- random push: the planar contact problem of one step of gravity.
local M = {}

local LENGTH, HEIGHT, DENSITY = 0.2, 0.1, 800 -- m, m, kg/m2

--- Mass, inertia, centre and velocity of each brick; contacts as { a, b, x, y }, b = 0 the ground, normal (0, 1).
local function build(o)
  local bricks, contacts, course = {}, {}, {}
  local m = DENSITY * LENGTH * HEIGHT
  for r = 1, o.courses do
    local row = {}
    for c = 1, o.width do
      local x = (c + r % 2 * 0.5) * LENGTH
      bricks[#bricks + 1] = { m = m, j = m * (LENGTH ^ 2 + HEIGHT ^ 2) / 12, x = x, y = (r - 0.5) * HEIGHT,
        v = { 1e-3 * (math.random() - 0.5) + 9.81e-3 * math.sin(o.tilt or 0), -9.81e-3 * math.cos(o.tilt or 0), 0 } }
      row[c] = #bricks
      local function hold(b, at) contacts[#contacts + 1] = { #bricks, b, at, (r - 1) * HEIGHT } end
      local from, to = x - LENGTH / 2, x + LENGTH / 2
      if r == 1 then hold(0, from) hold(0, to) end
      for _, below in ipairs(course) do
        local left = math.max(from, bricks[below].x - LENGTH / 2)
        local right = math.min(to, bricks[below].x + LENGTH / 2)
        if right > left + 1e-9 then hold(below, left) hold(below, right) end
      end
    end
    course = row
  end
  return bricks, contacts
end

--- @tparam table o `courses`, `width` (bricks a course), `seed` (1), `friction` (0.5), `tilt` (rad, of gravity)
-- @treturn table as of cone_pile.problem
function M.problem(o)
  math.randomseed(o.seed or 1)
  local bricks, contacts = build(o)
  local n, touching, J, q = #contacts, {}, {}, {}
  for c, contact in ipairs(contacts) do
    J[c], q[2 * c - 1], q[2 * c] = {}, 0, 0
    for side = 1, 2 do
      local k = contact[side]
      if k > 0 then
        local b, sign = bricks[k], side == 1 and 1 or -1
        local rx, ry = contact[3] - b.x, contact[4] - b.y
        J[c][k] = { { 0, sign, sign * rx }, { -sign, 0, sign * ry } }
        touching[k] = touching[k] or {}
        table.insert(touching[k], c)
        for i = 1, 2 do
          for l = 1, 3 do q[2 * c - 2 + i] = q[2 * c - 2 + i] + J[c][k][i][l] * b.v[l] end
        end
      end
    end
  end
  local entries = { rows = 2 * n, cols = 2 * n }
  for c, contact in ipairs(contacts) do
    for side = 1, 2 do
      local k = contact[side]
      for _, other in ipairs(touching[k] or {}) do
        local a, b, brick = J[c][k], J[other][k], bricks[k]
        for i = 1, 2 do
          for j = 1, 2 do
            entries[#entries + 1] = { 2 * c - 2 + i, 2 * other - 2 + j,
              (a[i][1] * b[j][1] + a[i][2] * b[j][2]) / brick.m + a[i][3] * b[j][3] / brick.j }
          end
        end
      end
    end
  end
  return { entries = entries, q = q, friction = o.friction or 0.5, planar = true, contacts = n, dimension = 2,
    name = ("wall of %d x %d bricks, %d contacts"):format(o.courses, o.width, n) }
end

return M
