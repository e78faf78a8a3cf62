-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- A ball between floor and ceiling with tangential restitution by Poisson's law (EQUATIONS E.3), four rebounds, against the law
-- of one contact worked out by hand: worlds in the plane and in space, time steps and event-driven; systems with 2 and 4 corners.
local delassus = require "delassus"
local seeds = require "support.seeds"
local REBOUNDS = 4

--- Velocities (x, height, turning about +y) after a rebound: from the floor (side 1) or the ceiling (-1). With c the height of
--- the point in contact over the centre it slides at v_x + c w, and 1/m + c^2/J answers its friction.
local function rebound(o, u, side)
  local c, W_t = -side * o.R, 1 / o.m + o.R ^ 2 / o.J
  local p_n = -side * u[2] * o.m
  local function friction(slip, bound) return math.max(-bound, math.min(bound, -slip / W_t)) end
  local slip = u[1] + c * u[3]
  local p_t = friction(slip, o.mu * p_n)
  local e_n = o.e * p_n
  local plain = friction(slip + W_t * p_t, o.mu * e_n)
  local back = math.max(-o.mu * e_n, math.min(o.mu * e_n, plain + o.e_T * o.e * p_t))
  local function after(t) return { u[1] + (p_t + t) / o.m, side * (p_n + e_n) / o.m + u[2], u[3] + c * (p_t + t) / o.J } end
  local function energy(x) return o.m * (x[1] ^ 2 + x[2] ^ 2) / 2 + o.J * x[3] ^ 2 / 2 end
  local x = after(back)
  return energy(x) > energy(u) * (1 + 1e-13) and after(plain) or x
end

local function random_ball(seed)
  local r = delassus.random(seed)
  local o = { R = r:uniform(0.05, 0.2), m = r:uniform(0.1, 2), e = seed % 3 == 0 and 1 or r:uniform(0.2, 1),
    e_T = seed % 4 == 0 and 1 or r:uniform(0, 1), mu = seed % 5 == 0 and 50 or r:uniform(0, 1) }
  o.J, o.H = r:uniform(0.2, 1) * o.m * o.R ^ 2, 4 * o.R
  o.u = { r:uniform(-2, 2), -r:uniform(0.5, 2), r:uniform(-20, 20) }
  return o
end

--- Steps of a world, and velocities x, height, turning.
local function ball_of(o, planar, scheme)
  local function v(x, z) return planar and { x, z } or { x, 0, z } end
  local world = delassus.world{ planar = planar, gravity = v(0, 0), dt = 4e-2, impact = "poisson", scheme = scheme,
    record = false }
  local material = delassus.material{ friction = o.mu, restitution = o.e, tangential_restitution = o.e_T }
  world:floor{ material = material }
  world:body{ type = "static", shape = delassus.plane{ normal = v(0, -1), offset = -o.H }, material = material }
  local options = { radius = o.R, mass = o.m, position = v(0, o.H / 2), velocity = v(o.u[1], o.u[2]), material = material,
    inertia = planar and o.J or { o.J, o.J, o.J }, angular_velocity = planar and -o.u[3] or { 0, o.u[3], 0 } }
  local ball = planar and world:disk(options) or world:sphere(options)
  local height = planar and 2 or 3
  return world, function()
    return ball.velocity[1], ball.velocity[height], planar and -ball.angular_velocity or ball.angular_velocity[2]
  end
end

--- The same as a system, q = (x, height, turned about +y).
local function system_of(o, corners, scheme)
  local contacts = {}
  for i, side in ipairs{ 1, -1 } do
    contacts[i] = { gap = function(q) return side == 1 and q[2] - o.R or o.H - o.R - q[2] end,
      normal = function() return { 0, side, 0 } end, tangent = function() return { 1, 0, -side * o.R } end,
      friction = o.mu, restitution = o.e, tangential_restitution = o.e_T }
  end
  local s = delassus.system{ q = { 0, o.H / 2, 0 }, u = o.u, mass = { { o.m, 0, 0 }, { 0, o.m, 0 }, { 0, 0, o.J } }, dt = 4e-2,
    forces = function() return { 0, 0, 0 } end, contacts = contacts, impact = "poisson",
    friction_corners = corners, scheme = scheme }
  return s, function() return s.u[1], s.u[2], s.u[3] end
end

--- Four rebounds against the law of one contact.
local function follow(o, stepped, velocities, told)
  local x, n = o.u, 0
  for _ = 1, 400 do
    local _, before = velocities()
    stepped:step()
    local a, b, c = velocities()
    if (b > 0) ~= (before > 0) then
      x, n = rebound(o, x, before < 0 and 1 or -1), n + 1
      for i, y in ipairs{ a, b, c } do assert.near(x[i], y, 1e-10, ("%s, rebound %d, velocity %d"):format(told, n, i)) end
      if n == REBOUNDS then return end
    end
  end
  assert.is_true(o.e ^ n < 0.2, told .. ": " .. n .. " rebounds") -- it has become too slow to go on
end

for _, scheme in ipairs{ "time-stepping", "event-driven" } do
  describe("a ball with tangential restitution between floor and ceiling, " .. scheme, function()
    it("rebounds by Poisson's law of one contact in worlds, in the plane and in space (200 seeds)", function()
      for seed = 1, seeds(200) do
        local o = random_ball(seed)
        for _, planar in ipairs{ true, false } do
          local world <close>, velocities = ball_of(o, planar, scheme)
          follow(o, world, velocities, ("seed %d, planar %s"):format(seed, planar))
        end
      end
    end)

    it("rebounds likewise in systems with two and four corners (200 seeds)", function()
      for seed = 1, seeds(200) do
        local o = random_ball(seed)
        for corners = 2, 4, 2 do
          local system, velocities = system_of(o, corners, scheme)
          follow(o, system, velocities, ("seed %d, %d corners"):format(seed, corners))
        end
      end
    end)
  end)
end
