--- Random scenes for time stepping, each as a world and as a system of equations by hand.
local delassus = require "delassus"
local disks = require "support.event_scenes"

local sin, cos = math.sin, math.cos
local g = 9.81

local M = {}

local function zeros(n)
  local w = {}
  for i = 1, n do w[i] = 0 end
  return w
end

local function world(o)
  return delassus.world{ planar = true, dt = o.dt, impact = o.impact, scheme = o.scheme, record = false }
end

--- Disks (planar) or balls that fall on a floor and on each other.
function M.round(r, planar, o)
  local s = disks.random(function(a, b) return r:uniform(a, b) end, planar, o.n)
  s.scheme, s.dt, s.impact, s.tangential_restitution = o.scheme, o.dt, o.impact, o.tangential_restitution
  local w, list = disks.world(s)
  local d, m = planar and 2 or 3, planar and 3 or 6
  local function read()
    local q = {}
    for i, b in ipairs(list) do
      for k = 1, d do q[m * (i - 1) + k] = b.position[k] end
    end
    return q
  end
  return w, planar and disks.planar_system(s) or disks.spatial_system(s), read
end

--- A box { a, b } of mass m at q with velocities u above a floor; its four corners as contacts. o: friction, restitution.
function M.box(o)
  local w = world(o)
  local material = delassus.material{ friction = o.friction, restitution = o.restitution }
  w:floor{ material = material }
  local a, b, m = o.size[1], o.size[2], o.mass
  local body = w:box{ size = { a, b }, mass = m, position = { o.q[1], o.q[2] }, rotation = o.q[3],
    velocity = { o.u[1], o.u[2] }, angular_velocity = o.u[3], material = material }
  local contacts = {}
  for _, x in ipairs { -a / 2, a / 2 } do
    for _, y in ipairs { -b / 2, b / 2 } do
      local function arm(q) return x * cos(q[3]) - y * sin(q[3]), x * sin(q[3]) + y * cos(q[3]) end
      contacts[#contacts + 1] = { friction = o.friction, restitution = o.restitution, size = math.sqrt(a * a + b * b) / 2,
        gap = function(q) return q[2] + select(2, arm(q)) end,
        normal = function(q) return { 0, 1, (arm(q)) } end,
        tangent = function(q) return { 1, 0, -select(2, arm(q)) } end }
    end
  end
  local s = delassus.system{ q = o.q, u = o.u, mass = { { m, 0, 0 }, { 0, m, 0 }, { 0, 0, m * (a * a + b * b) / 12 } },
    forces = { 0, -m * g, 0 }, contacts = contacts, dt = o.dt, impact = o.impact, scheme = o.scheme }
  return w, s, function() return { body.position.x, body.position.y, body.rotation } end
end

--- A random one, in any turn, up to 5 cm above the floor.
function M.random_box(r, o)
  local a, b, turn, low = r:uniform(0.1, 0.5), r:uniform(0.1, 0.5), r:uniform(-1.5, 1.5), math.huge
  for _, x in ipairs { -a / 2, a / 2 } do
    for _, y in ipairs { -b / 2, b / 2 } do low = math.min(low, x * sin(turn) + y * cos(turn)) end
  end
  o.size, o.mass = { a, b }, r:uniform(0.5, 3)
  o.q = { 0, -low + r:uniform(0, 0.05), turn }
  o.u = { r:uniform(-1, 1), r:uniform(-1, 1), r:uniform(-3, 3) }
  return M.box(o)
end

--- A chain of n slides in random directions, the last one between a floor and a ceiling that it rubs on.
function M.slides(r, o)
  local w, n = world(o), o.n
  local at, along, mass, parent, last = r:uniform(0, 3), {}, {}, w.ground, nil
  for i = 1, n do
    at = at + r:uniform(0.6, 1.2)
    along[i], mass[i] = { cos(at), sin(at) }, r:uniform(0.5, 2)
    last = w:body{ mass = mass[i], inertia = 0.1, position = { 0, 0 } }
    w:joint{ "prismatic", parent, last, axis = along[i] }
    parent = last
  end
  local inertia, forces, contacts, u = {}, zeros(n), {}, {}
  for i = 1, n do
    inertia[i], u[i] = {}, r:uniform(-1, 1)
    for j = 1, n do
      local m = 0
      for k = math.max(i, j), n do m = m + mass[k] end
      inertia[i][j] = m * (along[i][1] * along[j][1] + along[i][2] * along[j][2])
    end
    for k = i, n do forces[i] = forces[i] - g * mass[k] * along[i][2] end
  end
  for _, wall in ipairs { { 1, r:uniform(0.01, 0.1) }, { -1, r:uniform(0.05, 0.3) } } do
    local side, away, normal, tangent = wall[1], wall[2], {}, {}
    w:contact{ w.ground, last, point_a = { 0, -side * away }, normal = { 0, side }, point_b = { 0, 0 },
      friction = o.friction, restitution = o.restitution }
    for j = 1, n do normal[j], tangent[j] = side * along[j][2], along[j][1] end
    contacts[#contacts + 1] = { normal = normal, tangent = tangent, friction = o.friction, restitution = o.restitution,
      gap = function(q)
        local gap = away
        for j = 1, n do gap = gap + normal[j] * q[j] end
        return gap
      end }
  end
  w:set_velocities(u)
  local s = delassus.system{ q = zeros(n), u = u, mass = inertia, forces = forces, contacts = contacts, dt = o.dt,
    impact = o.impact, scheme = o.scheme }
  return w, s, function() return w:coordinates() end
end

return M
