-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Forests whose frames all lie in the plane are computed by three numbers a motion; the same forest that does not know that
-- it is planar goes by six, and answers the same.
local core = require "delassus.core"
local delassus = require "delassus"

local function turn(angle)
  local c, s = math.cos(angle), math.sin(angle)
  return { c, -s, 0, s, c, 0, 0, 0, 1 }
end

local function sample(seed)
  local r = delassus.random(seed)
  local function x() return r:uniform(-1, 1) end
  local links, q, u, f, nu = {}, {}, {}, {}, 0
  local hinges = r:uniform(0, 1) < 0.5 -- alone, beside bodies that are free
  for i = 1, 2 + math.floor(r:uniform(0, 10)) do
    local link = { mass = r:uniform(0.5, 2), com = { x(), x(), 0 }, inertia = { 1, 1, r:uniform(0.5, 2), 0, 0, 0 } }
    local how = i == 1 and 0 or r:uniform(0, 1)
    if how < 0.15 then
      link.kind = "plane"
      for _ = 1, 3 do q[#q + 1], u[#u + 1] = x(), x() end
      nu = nu + 3
    else
      link.parent = r:uniform(0, 1) < 0.2 and 0 or 1 + math.floor(r:uniform(0, i - 1 - 1e-9))
      link.position, link.rotation = { x(), x(), 0 }, turn(3 * x())
      link.child_position, link.child_rotation = { x(), x(), 0 }, turn(3 * x())
      local over = r:uniform(0, 1) < 0.3 and -1 or 1
      link.motions = { { "rotate", { 0, 0, over } } }
      if not hinges and how < 0.3 then link.motions = {} -- a weld
      elseif not hinges and how < 0.45 then link.motions = { { "screw", { 0, 0, 0.7 * over, x(), x(), 0 } } } end
      for _ = 1, #link.motions do q[#q + 1], u[#u + 1], nu = 3 * x(), x(), nu + 1 end
    end
    links[i] = link
  end
  for i = 1, nu do f[i] = x() end
  local rows = {}
  for k = 1, 4 do
    rows[k] = { 1 + math.floor(r:uniform(0, #links - 1e-9)), 0, 0, x(), x(), x(), 0 }
    local more = { 1 + math.floor(r:uniform(0, #links - 1e-9)), 0, 0, x(), x(), x(), 0 }
    if k > 2 then table.move(more, 1, 7, 8, rows[k]) end
  end
  return links, q, u, f, rows
end

local function answers(links, planar, q, u, f, rows)
  local forest = core.forest{ planar = planar, gravity = { 0, -9.81, 0 }, links = links }
  forest:set{ q = q, u = u, tau = f }
  forest:accelerations()
  return forest:solve(f), forest:delassus(rows), forest:places(), forest:link_velocities()
end

describe("forests in the plane", function()
  it("answer as those in space, 200 random ones", function()
    for seed = 1, 200 do
      local links, q, u, f, rows = sample(seed)
      local x, W, P, V = answers(links, true, q, u, f, rows)
      local x_3, W_3, P_3, V_3 = answers(links, false, q, u, f, rows)
      for i = 1, #x do assert.is_true(x[i] == x_3[i], ("seed %d: solve %d: %.17g, %.17g"):format(seed, i, x[i], x_3[i])) end
      for i = 1, #rows do
        for j = 1, #rows do assert.is_true(W[i][j] == W_3[i][j], ("seed %d: W %d %d"):format(seed, i, j)) end
      end
      for i = 1, #links do
        for k = 1, 12 do assert.is_true(P[i][k] == P_3[i][k], ("seed %d: place %d"):format(seed, i)) end
        for k = 1, 6 do assert.is_true(V[i][k] == V_3[i][k], ("seed %d: velocity %d"):format(seed, i)) end
      end
    end
  end)
end)
