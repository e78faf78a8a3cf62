--- Random scenes for event-driven worlds, each as a world and as a system of equations by hand.
local delassus = require "delassus"

local M = {}

--- Disks (planar) or balls above a floor and each other: { r =, m =, x =, v =, w = } each. A world of any scheme.
function M.world(o)
  local w = delassus.world{ planar = o.planar, scheme = o.scheme, dt = o.dt, impact = o.impact, record = false,
    gravity = o.gravity }
  local material = delassus.material{ friction = o.friction, restitution = o.restitution,
    tangential_restitution = o.tangential_restitution }
  w:floor{ material = material }
  local list = {}
  for i, b in ipairs(o.balls) do
    local make = o.planar and w.disk or w.sphere
    list[i] = make(w, { radius = b.r, mass = b.m, position = b.x, velocity = b.v, angular_velocity = b.w, material = material })
  end
  return w, list
end

local function zeros(n, m)
  local A = {}
  for i = 1, n do
    A[i] = {}
    for j = 1, m do A[i][j] = 0 end
  end
  return A
end

--- The same disks in the plane as a system: q = (x, y, angle) of each; contacts floor by floor, then pair by pair.
function M.planar_system(o)
  local n, contacts, q, u = #o.balls, {}, {}, {}
  local mass = zeros(3 * n, 3 * n)
  local g = o.gravity or { 0, -9.81 }
  local forces = {}
  for i, b in ipairs(o.balls) do
    local J = b.m * b.r ^ 2 / 2
    for k, value in ipairs { b.m, b.m, J } do mass[3 * i - 3 + k][3 * i - 3 + k] = value end
    q[3 * i - 2], q[3 * i - 1], q[3 * i] = b.x[1], b.x[2], 0
    u[3 * i - 2], u[3 * i - 1], u[3 * i] = b.v[1], b.v[2], b.w
    forces[3 * i - 2], forces[3 * i - 1], forces[3 * i] = b.m * g[1], b.m * g[2], 0
    local normal, tangent = zeros(1, 3 * n)[1], zeros(1, 3 * n)[1]
    normal[3 * i - 1] = 1
    tangent[3 * i - 2], tangent[3 * i] = 1, b.r
    contacts[#contacts + 1] = { gap = function(x) return x[3 * i - 1] - b.r end, normal = normal, tangent = tangent,
      friction = o.friction, restitution = o.restitution, tangential_restitution = o.tangential_restitution }
  end
  for i = 1, n do
    for j = i + 1, n do
      local a, b = o.balls[i], o.balls[j]
      local function direction(x)
        local dx, dy = x[3 * j - 2] - x[3 * i - 2], x[3 * j - 1] - x[3 * i - 1]
        local d = math.sqrt(dx * dx + dy * dy)
        return dx / d, dy / d, d
      end
      local function row(nx, ny, ra, rb) -- (v_j - v_i) . n and the turns' arms
        local w = zeros(1, 3 * n)[1]
        w[3 * i - 2], w[3 * i - 1], w[3 * i] = -nx, -ny, ra
        w[3 * j - 2], w[3 * j - 1], w[3 * j] = nx, ny, rb
        return w
      end
      contacts[#contacts + 1] = {
        gap = function(x) local _, _, d = direction(x) return d - a.r - b.r end,
        normal = function(x) local nx, ny = direction(x) return row(nx, ny, 0, 0) end,
        -- t = (ny, -nx): -(omega x r_a) . t with r_a = a.r n is + a.r omega, and for b, r_b = -b.r n, + b.r omega
        tangent = function(x) local nx, ny = direction(x) return row(ny, -nx, a.r, b.r) end,
        friction = o.friction, restitution = o.restitution, tangential_restitution = o.tangential_restitution }
    end
  end
  return delassus.system{ q = q, u = u, mass = mass, forces = forces, contacts = contacts, dt = o.dt, impact = o.impact,
    scheme = o.scheme }
end

--- A random scene of n disks (balls) that do not touch at the start.
function M.random(random, planar, n)
  local o = { planar = planar, balls = {}, friction = random(0, 0.8), restitution = random(0, 0.9), dt = 0.01 }
  for i = 1, n do
    local r = random(0.05, 0.2)
    o.balls[i] = { r = r, m = random(0.5, 3),
      x = planar and { 0.5 * i, r + random(0.01, 0.5) } or { 0.5 * i, random(-0.05, 0.05), r + random(0.01, 0.5) },
      v = planar and { random(-2, 2), random(-2, 2) } or { random(-2, 2), random(-0.3, 0.3), random(-2, 2) },
      w = planar and random(-5, 5) or { random(-5, 5), random(-5, 5), random(-5, 5) } }
  end
  return o
end

return M
