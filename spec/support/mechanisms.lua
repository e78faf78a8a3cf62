--- Mechanisms with contacts, each as a world of bodies and joints and as a system of equations by hand.
local delassus = require "delassus"

local sin, cos = math.sin, math.cos
local g = 9.81

local M = {}

--- A slider-crank whose slider has a clearance c in its guide: angles of crank, rod and slider. Its four corners meet
-- the walls.
M.crank = { l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, c = 0.001, m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5,
  J2 = 5.9e-4, J3 = 2.7e-6 }

--- o: scheme, dt, impact, friction, restitution, u: speeds of the three angles, data (in place of M.crank).
-- Answers the world and its three angles.
function M.crank_world(o)
  local p = o.data or M.crank
  local w = delassus.world{ planar = true, scheme = o.scheme, dt = o.dt, impact = o.impact, record = false }
  local crank = w:body{ mass = p.m1, inertia = p.J1, position = { p.l1 / 2, 0 } }
  local rod = w:body{ mass = p.m2, inertia = p.J2, position = { p.l1 + p.l2 / 2, 0 } }
  local slider = w:body{ mass = p.m3, inertia = p.J3, position = { p.l1 + p.l2, 0 } }
  w:joint{ "revolute", w.ground, crank, anchor = { 0, 0 } }
  w:joint{ "revolute", crank, rod, anchor = { p.l1, 0 } }
  w:joint{ "revolute", rod, slider, anchor = { p.l1 + p.l2, 0 } }
  for _, side in ipairs { 1, -1 } do
    for _, corner in ipairs { -1, 1 } do
      w:contact{ w.ground, slider, point_a = { 0, side * (p.b + p.c) }, normal = { 0, -side },
        point_b = { corner * p.a, side * p.b }, friction = o.friction, restitution = o.restitution }
    end
  end
  w:set_velocities{ o.u[1], o.u[2] - o.u[1], o.u[3] - o.u[2] }
  return w, function()
    local q = w:coordinates()
    return { q[1], q[1] + q[2], q[1] + q[2] + q[3] }
  end
end

function M.crank_system(o)
  local p = o.data or M.crank
  local k = (p.m2 / 2 + p.m3) * p.l1 * p.l2
  local function wall(side, corner)
    return { restitution = o.restitution, friction = o.friction,
      gap = function(q)
        return p.b + p.c - side * (p.l1 * sin(q[1]) + p.l2 * sin(q[2])) - side * corner * p.a * sin(q[3]) - p.b * cos(q[3])
      end,
      normal = function(q)
        return { -side * p.l1 * cos(q[1]), -side * p.l2 * cos(q[2]), -side * corner * p.a * cos(q[3]) + p.b * sin(q[3]) }
      end,
      tangent = function(q) -- along x
        return { -p.l1 * sin(q[1]), -p.l2 * sin(q[2]), -corner * p.a * sin(q[3]) - side * p.b * cos(q[3]) }
      end }
  end
  local crank, rod = p.J1 + (p.m1 / 4 + p.m2 + p.m3) * p.l1 ^ 2, p.J2 + (p.m2 / 4 + p.m3) * p.l2 ^ 2
  return delassus.system{ q = { 0, 0, 0 }, u = o.u, dt = o.dt, scheme = o.scheme, impact = o.impact,
    mass = function(q)
      local off = k * cos(q[1] - q[2])
      return { { crank, off, 0 }, { off, rod, 0 }, { 0, 0, p.J3 } }
    end,
    forces = function(q, u)
      local turn = k * sin(q[1] - q[2])
      return { -turn * u[2] ^ 2 - g * (p.m1 / 2 + p.m2 + p.m3) * p.l1 * cos(q[1]),
        turn * u[1] ^ 2 - g * (p.m2 / 2 + p.m3) * p.l2 * cos(q[2]), 0 }
    end,
    contacts = { wall(1, -1), wall(1, 1), wall(-1, -1), wall(-1, 1) } }
end

--- The woodpecker toy with turns of any size: a muff on a pole, a bird on a spring. Height of the muff, its angle, the
-- bird's angle; data of EQUATIONS E.6.
M.bird = { m_M = 3e-4, J_M = 5e-9, m_S = 4.5e-3, J_S = 7e-7, c = 5.6e-3, r_0 = 2.5e-3, r_M = 3.1e-3, h_M = 5.8e-3,
  l_M = 0.010, l_G = 0.015, h_S = 0.02, l_S = 0.0201, friction = 0.3, e = 0.5 }

--- o: scheme, dt, impact, q, u. Answers the world and its three coordinates.
function M.woodpecker_world(o)
  local p = o.data or M.bird
  local w = delassus.world{ planar = true, scheme = o.scheme, dt = o.dt, impact = o.impact, record = false }
  local muff = w:body{ name = "muff", mass = p.m_M, inertia = p.J_M }
  local bird = w:body{ name = "bird", mass = p.m_S, inertia = p.J_S, position = { p.l_M + p.l_G, 0 } }
  local ring = w:body{ name = "ring", mass = 0, inertia = 0 } -- what slides along the pole and does not turn
  w:joint{ "prismatic", w.ground, ring, axis = { 0, 1 } }
  w:joint{ "revolute", ring, muff, anchor = { 0, 0 } }
  w:joint{ "revolute", muff, bird, anchor = { p.l_M, 0 }, stiffness = p.c }
  local function edge(body, point, e)
    return w:contact{ w.ground, body, point_a = { p.r_0, 0 }, normal = { 1, 0 }, point_b = point, friction = p.friction,
      restitution = e }
  end
  edge(bird, { -p.l_S, p.h_S }, p.e)
  edge(muff, { p.r_M, -p.h_M }, 0)
  edge(muff, { p.r_M, p.h_M }, 0)
  local at = {}
  for i, b in ipairs { ring, muff, bird } do at[i] = w:index(b) end
  local q, u = w:coordinates():totable(), w:velocities():totable()
  for i = 1, 3 do
    q[at[i]] = o.q[i] - (i == 3 and o.q[2] or 0)
    u[at[i]] = o.u[i] - (i == 3 and o.u[2] or 0)
  end
  w:set_coordinates(q)
  w:set_velocities(u)
  return w, function()
    local x = w:coordinates()
    return { x[at[1]], x[at[2]], x[at[2]] + x[at[3]] }
  end
end

function M.woodpecker_system(o)
  local p = o.data or M.bird
  -- a point (x, y) of a body that turns with q[k], itself at the distance l (on the muff's arm: l_M) from its hinge
  local function edge(k, x, y, e)
    local function arm(q) return x * cos(q[k]) - y * sin(q[k]), x * sin(q[k]) + y * cos(q[k]) end
    local muff = k == 3 and p.l_M or 0 -- the bird hangs on the muff's arm
    local function row(q, along) -- of d/dt (x, y) along a direction
      local rx, ry = arm(q)
      local w = { along[2], muff * (-along[1] * sin(q[2]) + along[2] * cos(q[2])), 0 }
      w[k] = w[k] - along[1] * ry + along[2] * rx
      return w
    end
    return { friction = p.friction, restitution = e,
      gap = function(q) return muff * cos(q[2]) + arm(q) - p.r_0 end,
      normal = function(q) return row(q, { 1, 0 }) end, tangent = function(q) return row(q, { 0, 1 }) end }
  end
  local m, l, r = p.m_S, p.l_M, p.l_G
  return delassus.system{ q = o.q, u = o.u, dt = o.dt, scheme = o.scheme, impact = o.impact,
    mass = function(q)
      local a, b, d = m * l * cos(q[2]), m * r * cos(q[3]), m * l * r * cos(q[2] - q[3])
      return { { m + p.m_M, a, b }, { a, p.J_M + m * l * l, d }, { b, d, p.J_S + m * r * r } }
    end,
    forces = function(q, u)
      local s, twist = m * l * r * sin(q[2] - q[3]), p.c * (q[2] - q[3])
      return { -(m + p.m_M) * g + m * (l * sin(q[2]) * u[2] ^ 2 + r * sin(q[3]) * u[3] ^ 2),
        -s * u[3] ^ 2 - twist - m * g * l * cos(q[2]), s * u[2] ^ 2 + twist - m * g * r * cos(q[3]) }
    end,
    contacts = { edge(3, r - p.l_S, p.h_S, p.e), edge(2, p.r_M, -p.h_M, 0), edge(2, p.r_M, p.h_M, 0) } }
end

return M
