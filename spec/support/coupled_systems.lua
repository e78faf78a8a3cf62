-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Random systems whose contacts all move each other: a full mass matrix, rows in any direction, in the plane (one tangent a
-- contact) or in space. Nothing pushes, so that impulses alone change the energy u M u/2.
local delassus = require "delassus"
local M = {}

local function vector(r, n)
  local v = {}
  for i = 1, n do v[i] = r:uniform(-1, 1) end
  return v
end

--- The system, and a function that answers its kinetic energy by masses and velocities alone.
function M.random(seed, law, scheme)
  local r = delassus.random(seed)
  local n, count, spatial = r:integer(3, 8), r:integer(2, 8), r:uniform(0, 1) < 0.5
  local root, mass, zero, contacts, u = {}, {}, {}, {}, {}
  for i = 1, n do root[i], zero[i], u[i] = vector(r, n), 0, r:uniform(-2, 2) end
  for i = 1, n do
    mass[i] = {}
    for j = 1, n do
      mass[i][j] = i == j and 0.3 or 0
      for k = 1, n do mass[i][j] = mass[i][j] + root[k][i] * root[k][j] end
    end
  end
  for k = 1, count do
    local w, away = vector(r, n), r:uniform(0, 1) < 0.5 and 0 or r:uniform(0, 2e-3)
    contacts[k] = { normal = w, tangent = vector(r, n), tangent2 = spatial and vector(r, n) or nil,
      friction = r:uniform(0, 1.2), restitution = r:uniform(0, 1), size = 0.1,
      gap = function(q)
        local gap = away
        for i = 1, n do gap = gap + w[i] * q[i] end
        return gap
      end }
  end
  local system = delassus.system{ q = zero, u = u, mass = mass, forces = zero, contacts = contacts, dt = 1e-3, impact = law,
    scheme = scheme }
  return system, function()
    local now, sum = system.u, 0
    for i = 1, n do
      for j = 1, n do sum = sum + 0.5 * now[i] * mass[i][j] * now[j] end
    end
    return sum
  end
end

return M
