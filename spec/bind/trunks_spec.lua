-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- The way of a row to the root of its tree, or six numbers for what all rows have in common (dls_trunk, forest/dynamics.h):
-- a chain whose last links lie on a floor is the same chain whichever of its links is the root.
local delassus = require "delassus"
local seeds = require "support.seeds"

local LINKS, LYING = 24, 15

-- The first links stand in the air, the last ones lie on the floor and slide. root: who carries the others.
local function chain(seed, root)
  local r = delassus.random(seed)
  local w = delassus.world{ record = false, dt = 0.001 }
  w:floor{ friction = 0.4 }
  local links, kinds = {}, {}
  local v, omega = { r:uniform(-0.1, 0.1), r:uniform(-0.1, 0.1), 0 }, { 0, 0, r:uniform(-0.1, 0.1) } -- as one rigid body
  for i = 1, LINKS do
    local up, along = math.max(0, LINKS - LYING - i + 1), math.max(0, i - LINKS + LYING)
    local x, y, z = 0.06 * math.min(i, LINKS - LYING) + 0.1 * along, r:uniform(-1e-3, 1e-3), 0.02 + 0.08 * up
    links[i] = w:sphere{ radius = 0.02, density = r:uniform(300, 3000), friction = r:uniform(0, 0.5),
      position = { x, y, z }, angular_velocity = omega, velocity = { v[1] + omega[2] * z - omega[3] * y,
        v[2] + omega[3] * x - omega[1] * z, v[3] + omega[1] * y - omega[2] * x } }
    kinds[i] = r:uniform(0, 1) < 0.25
  end
  local function join(from, to)
    local a, b = links[from].position, links[to].position
    local anchor = { (a[1] + b[1]) / 2, (a[2] + b[2]) / 2, (a[3] + b[3]) / 2 }
    if kinds[math.min(from, to)] then w:joint{ "revolute", links[from], links[to], anchor = anchor, axis = { 0, 1, 0.2 } }
    else w:joint{ "spherical", links[from], links[to], anchor = anchor } end
  end
  for i = root, LINKS - 1 do join(i, i + 1) end
  for i = root, 2, -1 do join(i, i - 1) end
  return w, links
end

describe("trunks", function()
  it("are the ways of rows to a root that is far away", function()
    for seed = 1, seeds(200) do
      local far, a = chain(seed, 1)
      local near, b = chain(seed, 16)
      for k = 1, 3 do
        local what = ("seed %d step %d"):format(seed, k)
        for _, w in ipairs{ far, near } do
          w:step()
          assert(w.stats.unconverged == 0 and w.stats.penetration < 1e-11, what)
        end
        for i = 1, LINKS do
          local p, q, u, v = a[i].position, b[i].position, a[i].velocity, b[i].velocity
          for m = 1, 3 do
            local apart = math.max(math.abs(p[m] - q[m]), 1e-3 * math.abs(u[m] - v[m]))
            assert(apart < 1e-10, what)
          end
        end
      end
    end
  end)
end)
