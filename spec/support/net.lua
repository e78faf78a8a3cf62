-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"

--- A net of m x m knots hangs from its upper edge: rods, joined at every knot one after the other.
return function(m, kind, formulation)
  local world = delassus.world{ dt = 1e-3, record = false, gravity = { 3, kind == "spherical" and 2 or 0, -9.81 } }
  local length, last, anchors = 0.2, {}, {}
  local function meet(i, j, rod)
    local before = last[i * m + j] or (j == 0 and world.ground)
    last[i * m + j] = rod
    if not before then return end
    local joint = world:joint{ kind, before, rod, anchor = { i * length, 0, -j * length },
      axis = kind == "revolute" and { 0, 1, 0 } or nil, formulation = formulation }
    if before == world.ground then anchors[#anchors + 1] = joint end
  end
  local function rod(i, j, di, dj)
    local body = world:body{ mass = 0.1, inertia = di == 1 and { 1e-4, 4e-4, 4e-4 } or { 4e-4, 4e-4, 1e-4 },
      position = { (i + di / 2) * length, 0, -(j + dj / 2) * length } }
    meet(i, j, body)
    meet(i + di, j + dj, body)
  end
  for j = 0, m - 1 do
    for i = 0, m - 1 do
      if i < m - 1 then rod(i, j, 1, 0) end
      if j < m - 1 then rod(i, j, 0, 1) end
    end
  end
  return world, anchors
end
