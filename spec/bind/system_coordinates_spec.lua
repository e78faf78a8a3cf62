-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- One step of EQUATIONS G.1 in the coordinates of bodies, with joints held (worlds), and in those of joints (systems): where
-- they part, and that they are the same where the coordinates are (docs/design/systems.md). Slides: system_time_spec.lua.
local delassus = require "delassus"
local solve = require "support.solve"
local seeds = require "support.seeds"

local sin, cos, abs, max = math.sin, math.cos, math.abs, math.max
local g = 9.81

-- --- the step of worlds, from its definition: a chain of hinges, q absolute angles, links { l, c, m, J } ----------------

local function places(links, q)
  local x, hx, hy = {}, 0, 0
  for i, link in ipairs(links) do
    x[3 * i - 2], x[3 * i - 1], x[3 * i] = hx + link.c * cos(q[i]), hy + link.c * sin(q[i]), q[i]
    hx, hy = hx + link.l * cos(q[i]), hy + link.l * sin(q[i])
  end
  return x
end

local function subspace(links, q) -- S: velocities of bodies by those of joints
  local S = {}
  for i = 1, #q do
    local x, y, turn = {}, {}, {}
    for j = 1, #q do
      local arm = j < i and links[j].l or j == i and links[i].c or 0
      x[j], y[j], turn[j] = -arm * sin(q[j]), arm * cos(q[j]), j == i and 1 or 0
    end
    S[3 * i - 2], S[3 * i - 1], S[3 * i] = x, y, turn
  end
  return S
end

local function spread(S, u)
  local v = {}
  for k, row in ipairs(S) do
    v[k] = 0
    for j = 1, #u do v[k] = v[k] + row[j] * u[j] end
  end
  return v
end

--- argmin |S du - y|_M at q, and S.
local function nearest(links, q, y)
  local S, A, b, n = subspace(links, q), {}, {}, #q
  for i = 1, n do
    A[i], b[i] = {}, 0
    for j = 1, n do A[i][j] = 0 end
  end
  for k = 1, 3 * n do
    local link = links[(k + 2) // 3]
    local weight = k % 3 == 0 and link.J or link.m
    for i = 1, n do
      b[i] = b[i] + S[k][i] * weight * y[k]
      for j = 1, n do A[i][j] = A[i][j] + S[k][i] * weight * S[k][j] end
    end
  end
  return solve(A, b), S
end

--- The point that joints admit nearest to where bodies would be at `aim`, from q on, as far as round-off lets it be told.
local function fit(links, q, aim)
  local last = math.huge
  q = { table.unpack(q) }
  for _ = 1, 200 do
    local x, size = places(links, q), 0
    for k = 1, #x do x[k] = aim[k] - x[k] end
    for i, d in ipairs((nearest(links, q, x))) do q[i], size = q[i] + d, max(size, abs(d)) end
    if size < 1e-16 or (size < 1e-13 and size > last / 2) then break end
    last = size
  end
  return q
end

local function step(links, q, u, h, gravity)
  local x, v = places(links, q), spread(subspace(links, q), u)
  for k = 1, #x do x[k] = x[k] + h / 2 * v[k] end -- bodies drift by themselves
  local q_c = fit(links, q, x)
  local u_c, S = nearest(links, q_c, v)
  local admitted, y = spread(S, u_c), {} -- P v at q_c
  for k = 1, #x do y[k] = admitted[k] - (k % 3 == 2 and h * gravity or 0) end
  local v_n = spread(S, (nearest(links, q_c, y)))
  x = places(links, q_c)
  for k = 1, #x do
    v_n[k] = v_n[k] + admitted[k] - v[k] -- what joints held before comes back
    x[k] = x[k] + h / 2 * v_n[k]
  end
  local q_n = fit(links, q_c, x)
  return q_n, (nearest(links, q_n, v_n))
end

--- A world of such a chain, and what reads its absolute angles and their speeds.
local function chain(links, q, u, h, gravity)
  local w = delassus.world{ planar = true, gravity = { 0, -gravity }, dt = h, record = false }
  local before, x, rel, rate = w.ground, 0, {}, {}
  for i, link in ipairs(links) do
    local body = w:body{ mass = link.m, inertia = link.J, position = { x + link.c, 0 } }
    w:joint{ "revolute", before, body, anchor = { x, 0 } }
    before, x = body, x + link.l
    rel[i], rate[i] = q[i] - (q[i - 1] or 0), u[i] - (u[i - 1] or 0)
  end
  w:set_coordinates(rel)
  w:set_velocities(rate)
  local function sums(list)
    local out, sum = {}, 0
    for i = 1, #list do
      sum = sum + list[i]
      out[i] = sum
    end
    return out
  end
  return w, function() return sums(w:coordinates()), sums(w:velocities()) end
end

describe("coordinates of a time step", function()
  it("are those of bodies in worlds: 200 random chains of hinges make the step from its definition, to 1e-11", function()
    for seed = 1, seeds(200) do
      local r, links, q, u, h = delassus.random(seed), {}, {}, {}, 2e-3
      for i = 1, 1 + seed % 3 do
        links[i] = { l = r:uniform(0.1, 0.5), c = r:uniform(0, 0.4), m = r:uniform(0.1, 2), J = r:uniform(1e-3, 0.1) }
        q[i], u[i] = r:uniform(-3, 3), r:uniform(-8, 8)
      end
      local w, read = chain(links, q, u, h, g)
      for k = 1, 60 do
        w:step()
        q, u = step(links, q, u, h, g)
        local a, b = read()
        for i = 1, #q do
          local told = ("seed %d, step %d, angle %d"):format(seed, k, i)
          assert.near(q[i], a[i], 1e-11, told)
          assert.near(u[i], b[i], 1e-9, told)
        end
      end
    end
  end)

  it("are not to be had from M, h, W: pendulums of equal ones part by (m c^2/M) h^2 u^3 t/48 in worlds, as they say", function()
    local M, u, T = 0.11, 5, 1
    local function lag(share, h) -- of the angle behind u T, in a world where m c^2 is that share of M
      local c = 0.3
      local link = share > 0 and { l = c, c = c, m = share * M / c ^ 2, J = (1 - share) * M } or { l = c, c = 0, m = 1, J = M }
      local w, read = chain({ link }, { 0 }, { u }, h, 0)
      w:step(math.floor(T / h + 0.5))
      return u * T - read()[1]
    end
    local function system(h)
      local s = delassus.system{ q = { 0 }, u = { u }, mass = { { M } }, forces = { 0 }, dt = h, scheme = "time-stepping" }
      s:run(T)
      return u * T - s.q[1]
    end
    for _, h in ipairs { 2e-3, 1e-3 } do
      assert.near(0, system(h), 1e-12)
      assert.near(0, lag(0, h), 1e-12) -- the body turns about its centre: its coordinates are those of the joint
      for _, share in ipairs { 0.3, 0.6, 0.9 } do
        local told = ("share %g, h %g"):format(share, h)
        assert.near(1, (4 * lag(share, h / 2) / (h / 2) ^ 2 - lag(share, h) / h ^ 2) / (3 * share * u ^ 3 * T / 48), 0.04, told)
        assert.near(4, lag(share, h) / lag(share, h / 2), 0.06, told)
      end
    end
  end)
end)
