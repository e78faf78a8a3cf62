--- Systems given by their equations that several specs build.
local delassus = require "delassus"

local M = {}

--- A point mass above a floor at 0 (vertical coordinate alone).
function M.ball(changes)
  local o = { q = { 1 }, u = { 0 }, mass = { { 1 } }, forces = function() return { -9.81 } end,
    contacts = { { gap = function(q) return q[1] end, normal = { 1 }, restitution = 0.8 } } }
  for name, value in pairs(changes or {}) do o[name] = value end
  return delassus.system(o)
end

--- A rod of half length 1, mass 1, J = 1/3, whose end touches the floor: q = (x, y, theta) of its centre. At theta,
-- with velocity u, its end exactly on the floor.
function M.rod(theta, u, o)
  local sin, cos = math.sin, math.cos
  return delassus.system{ q = { 0, sin(theta), theta }, u = u, mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 / 3 } },
    forces = function() return { 0, -9.81, 0 } end, impact = o.impact, dt = o.dt,
    inconsistent = o.inconsistent, friction_corners = o.friction_corners,
    contacts = { { gap = function(q) return q[2] - sin(q[3]) end,
      normal = function(q) return { 0, 1, -cos(q[3]) } end, tangent = function(q) return { 1, 0, sin(q[3]) } end,
      friction = o.friction, restitution = o.restitution, tangential_restitution = o.tangential_restitution } } }
end

--- The woodpecker toy: q = (y, angle of the muff, angle of the bird). Contacts: beak, lower and upper edge.
function M.woodpecker(o)
  o = o or {}
  local m_M, J_M, m_S, J_S, c, r_0, r_M, h_M = 3e-4, 5e-9, 4.5e-3, 7e-7, 5.6e-3, 2.5e-3, 3.1e-3, 5.8e-3
  local l_M, l_G, h_S, l_S, g = 0.010, 0.015, 0.02, 0.0201, 9.81
  return delassus.system{ q = o.q or { 0, -0.1036, -0.2788 }, u = o.u or { -0.3411, 0, -7.4583 }, scheme = o.scheme, dt = o.dt,
    impact = o.impact, friction_corners = o.friction_corners,
    mass = { { m_S + m_M, m_S * l_M, m_S * l_G }, { m_S * l_M, J_M + m_S * l_M ^ 2, m_S * l_M * l_G },
      { m_S * l_G, m_S * l_M * l_G, J_S + m_S * l_G ^ 2 } },
    forces = function(q)
      return { -(m_S + m_M) * g, -c * (q[2] - q[3]) - m_S * g * l_M, -c * (q[3] - q[2]) - m_S * g * l_G }
    end,
    contacts = {
      { gap = function(q) return l_M + l_G - l_S - r_0 - h_S * q[3] end, normal = { 0, 0, -h_S },
        tangent = { 1, l_M, l_G - l_S }, friction = 0.3, restitution = 0.5 },
      { gap = function(q) return r_M - r_0 + h_M * q[2] end, normal = { 0, h_M, 0 }, tangent = { 1, r_M, 0 },
        friction = 0.3 },
      { gap = function(q) return r_M - r_0 - h_M * q[2] end, normal = { 0, -h_M, 0 }, tangent = { 1, r_M, 0 },
        friction = 0.3 } } }
end

--- A block of half width b and half height h on a floor: q = (x, y, turn); its two lower corners.
function M.block(o)
  local b, h, m = o.b, o.h, 1
  local function corner(side)
    local function arm(q)
      local c, s = math.cos(q[3]), math.sin(q[3])
      return side * b * c + h * s, side * b * s - h * c
    end
    return { friction = o.friction, restitution = o.restitution,
      gap = function(q) local _, ry = arm(q) return q[2] + ry end,
      normal = function(q) return { 0, 1, (arm(q)) } end,
      tangent = function(q) local _, ry = arm(q) return { 1, 0, -ry } end }
  end
  return delassus.system{ q = o.q, u = o.u or { 0, 0, 0 }, dt = o.dt, impact = o.impact, scheme = o.scheme,
    mass = { { m, 0, 0 }, { 0, m, 0 }, { 0, 0, m * (b * b + h * h) / 3 } },
    forces = o.forces or function() return { 0, -9.81 * m, 0 } end, contacts = { corner(-1), corner(1) } }
end

--- A point that slides on a plane inclined by `angle` along x: q = (x, y, z), z normal to it.
function M.slider(o)
  local g, s, c = 9.81, math.sin(o.angle), math.cos(o.angle)
  return delassus.system{ q = { 0, 0, 0 }, u = { o.v[1], o.v[2], 0 }, dt = o.dt,
    mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, forces = function() return { g * s, 0, -g * c } end,
    contacts = { { gap = function(q) return q[3] end, normal = { 0, 0, 1 }, tangent = { 1, 0, 0 },
      tangent2 = { 0, 1, 0 }, friction = o.friction } } }
end

--- A row of n balls of masses m on a line, neighbours touching (radius 0), velocities u.
function M.row(o)
  local n, q, M_, contacts = #o.u, {}, {}, {}
  for i = 1, n do
    q[i], M_[i] = 0, {}
    for j = 1, n do M_[i][j] = i == j and (o.m and o.m[i] or 1) or 0 end
  end
  for i = 1, n - 1 do
    local w = {}
    for j = 1, n do w[j] = j == i and -1 or j == i + 1 and 1 or 0 end
    contacts[i] = { gap = function(x) return x[i + 1] - x[i] end, normal = w, restitution = o.e }
  end
  local zero = {}
  for i = 1, n do zero[i] = 0 end
  return delassus.system{ q = q, u = o.u, mass = M_, forces = function() return zero end, contacts = contacts,
    impact = o.impact }
end

--- The events of a kind (nil: all), as a list of { t, kind, index }.
function M.events(system, kind)
  local list = {}
  for _, event in ipairs(system.events) do
    if kind == nil or event.kind == kind then list[#list + 1] = event end
  end
  return list
end

return M
