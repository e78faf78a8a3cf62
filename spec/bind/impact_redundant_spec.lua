-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Impacts of redundant contacts: the answer is the same for every order of the contacts, and as symmetric as these are.
local delassus = require "delassus"
local seeds = require "support.seeds"

local function shuffled(n, r)
  local order = {}
  for i = 1, n do order[i] = i end
  for i = n, 2, -1 do
    local j = r and r:integer(1, i) or i
    order[i], order[j] = order[j], order[i]
  end
  return order
end

--- A slab of half sizes a, b, c on points under it (each with x, y, e), struck by velocities u.
local function slab(o)
  local m, a, b, c = o.m, o.a, o.b, o.c
  local M = {}
  for i = 1, 6 do M[i] = { 0, 0, 0, 0, 0, 0 } end
  for i, x in ipairs{ m, m, m, m / 3 * (b * b + c * c), m / 3 * (a * a + c * c), m / 3 * (a * a + b * b) } do M[i][i] = x end
  local contacts = {}
  for i, k in ipairs(o.order) do
    local at = o.points[k]
    contacts[i] = { gap = function(q) return q[3] - at.x * q[5] + at.y * q[4] - c end,
      normal = function() return { 0, 0, 1, at.y, -at.x, 0 } end,
      tangent = function() return { 1, 0, 0, 0, -c, -at.y } end, tangent2 = function() return { 0, 1, 0, c, 0, at.x } end,
      friction = o.mu, restitution = at.e, tangential_restitution = o.e_T }
  end
  local s = delassus.system{ q = { 0, 0, c, 0, 0, 0 }, u = o.u, mass = M, contacts = contacts, impact = o.law, dt = 1e-3,
    forces = function() return { 0, 0, 0, 0, 0, 0 } end, scheme = o.scheme or "event-driven" }
  if o.scheme then s:step() else s:impact() end
  return s.u
end

--- The same as a world, by hand-made contacts.
local function board(o)
  local m, a, b, c = o.m, o.a, o.b, o.c
  local world = delassus.world{ gravity = { 0, 0, 0 }, dt = 1e-4, impact = o.law, record = false, scheme = "event-driven" }
  local body = world:body{ mass = m, inertia = { m / 3 * (b * b + c * c), m / 3 * (a * a + c * c), m / 3 * (a * a + b * b) },
    position = { 0, 0, c }, velocity = { o.u[1], o.u[2], o.u[3] }, angular_velocity = { o.u[4], o.u[5], o.u[6] } }
  for _, k in ipairs(o.order) do
    local at = o.points[k]
    world:contact{ world.ground, body, point_a = { 0, 0, 0 }, normal = { 0, 0, 1 }, point_b = { at.x, at.y, -c },
      friction = o.mu, restitution = at.e, tangential_restitution = o.e_T }
  end
  world:step()
  return world:velocities()
end

local function random_slab(r, seed)
  local o = { m = r:uniform(0.5, 2), a = r:uniform(0.1, 0.3), b = r:uniform(0.1, 0.3), c = r:uniform(0.05, 0.2),
    mu = r:uniform(0, 1), e_T = seed % 4 >= 2 and r:uniform(0, 1) or 0, points = {} }
  local e = r:uniform(0, 1)
  for i, at in ipairs{ { 1, 1 }, { 1, -1 }, { -1, 1 }, { -1, -1 }, { 0, 0 } } do
    o.points[i] = { x = at[1] * o.a, y = at[2] * o.b, e = seed % 2 == 0 and e or r:uniform(0, 1) }
  end
  o.u = { r:uniform(-1, 1), r:uniform(-1, 1), -r:uniform(0.2, 1) }
  for i = 4, 6 do o.u[i] = r:uniform(-0.5, 0.5) end
  return o
end

local function assert_same(first, u, told)
  for i = 1, #first do assert.near(first[i], u[i], 1e-9, ("%s: velocity %d"):format(told, i)) end
end

describe("impacts of redundant contacts", function()
  for _, law in ipairs{ "poisson", "newton" } do
    it("do not depend on the order of the contacts, in space: 200 random slabs on five points, " .. law, function()
      for seed = 1, seeds(200) do
        local o, told = random_slab(delassus.random(seed), seed), "seed " .. seed
        o.law = law
        local first, whole, stepped
        for turn = 1, 3 do
          o.order, o.scheme = shuffled(5, turn > 1 and delassus.random(10 * seed + turn) or nil), nil
          local u, v = slab(o), seed <= 50 and board(o) or nil
          o.scheme = "time-stepping"
          local w = seed <= 50 and slab(o) or nil
          first, whole, stepped = first or u, whole or v, stepped or w
          assert_same(first, u, told)
          if v then assert_same(whole, v, told .. ", world") end
          if w then assert_same(stepped, w, told .. ", time step") end
          if w and law == "newton" then assert_same(first, w, told .. ", time step and instant") end
        end
      end
    end)

    it("do not depend on the order of the contacts, in the plane: 300 random bars on two to four points, " .. law, function()
      for seed = 1, seeds(300) do
        local r, points, told = delassus.random(seed), {}, "seed " .. seed
        local m, J, mu = r:uniform(0.5, 2), r:uniform(0.01, 0.1), r:uniform(0, 1)
        local e_T = seed % 2 == 0 and r:uniform(0, 1) or 0
        local n, lean, e = r:integer(2, 4), seed % 3 == 0 and r:uniform(0, 0.3) or 0, r:uniform(0, 1)
        for i = 1, n do
          points[i] = { x = r:uniform(-0.3, 0.3), lean = i % 2 == 0 and lean or -lean, e = e }
          if seed % 5 == 0 then points[i].e = r:uniform(0, 1) end
        end
        local u, first = { r:uniform(-1, 1), -r:uniform(0.2, 1), r:uniform(-2, 2) }, {}
        for turn = 1, 4 do
          local contacts = {}
          for i, k in ipairs(shuffled(n, turn > 1 and delassus.random(10 * seed + turn) or nil)) do
            local x, y, nx, ny = points[k].x, -0.2, math.sin(points[k].lean), math.cos(points[k].lean)
            contacts[i] = { gap = function() return 0 end, normal = function() return { nx, ny, x * ny - y * nx } end,
              tangent = function() return { ny, -nx, -x * nx - y * ny } end, friction = mu, restitution = points[k].e,
              tangential_restitution = e_T }
          end
          for corners = 2, 4, 2 do
            local s = delassus.system{ q = { 0, 0, 0 }, u = u, mass = { { m, 0, 0 }, { 0, m, 0 }, { 0, 0, J } }, impact = law,
              forces = function() return { 0, 0, 0 } end, contacts = contacts, friction_corners = corners, dt = 1e-3,
              scheme = "event-driven" }
            s:impact()
            first[corners] = first[corners] or s.u
            assert_same(first[corners], s.u, told)
          end
        end
      end
    end)

    it("are symmetric: a table on four legs does not tilt, nor turn, whatever its order and friction are, " .. law, function()
      for seed = 1, seeds(200) do
        local r = delassus.random(seed)
        local o, told = random_slab(r, 4 * seed + 2), "seed " .. seed
        o.law, o.points[5] = law, nil
        for turn = 1, 2 do
          o.order = shuffled(4, delassus.random(10 * seed + turn))
          for _, vx in ipairs{ 0, o.u[1] } do
            o.u = { vx, 0, o.u[3], 0, 0, 0 }
            for way, u in ipairs{ slab(o), board(o) } do
              local still = vx == 0 and { 1, 2, 4, 5, 6 } or { 2, 4, 6 }
              for _, i in ipairs(still) do assert.near(0, u[i], 1e-9, told .. " " .. way) end
            end
          end
        end
      end
    end)
  end
end)
