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
      friction = o.friction, restitution = o.restitution, tangential_restitution = o.tangential_restitution, size = 2 * b.r }
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
        -- both arms to one point, the middle of the gap
        tangent = function(x)
          local nx, ny, d = direction(x)
          local half = (d - a.r - b.r) / 2
          return row(ny, -nx, a.r + half, b.r + half)
        end,
        friction = o.friction, restitution = o.restitution, tangential_restitution = o.tangential_restitution,
        size = math.min(a.r, b.r) }
    end
  end
  return delassus.system{ q = q, u = u, mass = mass, forces = forces, contacts = contacts, dt = o.dt, impact = o.impact,
    scheme = o.scheme }
end

local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end

--- Two unit vectors that with n are a frame.
local function across(n)
  local axis = math.abs(n[1]) < 0.6 and { 1, 0, 0 } or { 0, 1, 0 }
  local t = cross(n, axis)
  local length = math.sqrt(t[1] ^ 2 + t[2] ^ 2 + t[3] ^ 2)
  t = { t[1] / length, t[2] / length, t[3] / length }
  return t, cross(n, t)
end

--- The same balls in space: q = (x, y, z, three sums of turns) of each, whose rates are velocity and angular velocity.
function M.spatial_system(o)
  local n, contacts, q, u = #o.balls, {}, {}, {}
  local mass, g, forces = zeros(6 * n, 6 * n), o.gravity or { 0, 0, -9.81 }, {}
  for i, b in ipairs(o.balls) do
    local J = 0.4 * b.m * b.r ^ 2
    for k = 1, 3 do
      local c = 6 * i - 6 + k
      mass[c][c], mass[c + 3][c + 3] = b.m, J
      q[c], q[c + 3], u[c], u[c + 3] = b.x[k], 0, b.v[k], b.w[k]
      forces[c], forces[c + 3] = b.m * g[k], 0
    end
  end
  -- velocity along d of the points at arms * n: of j (its arm -r_j n) less that of i (0: the floor)
  local function row(i, j, d, normal, r_i, r_j)
    local w = zeros(1, 6 * n)[1]
    local turn = cross(normal, d)
    for k = 1, 3 do
      if i > 0 then w[6 * i - 6 + k], w[6 * i - 3 + k] = -d[k], -r_i * turn[k] end
      w[6 * j - 6 + k], w[6 * j - 3 + k] = d[k], -r_j * turn[k]
    end
    return w
  end
  local function laws(contact)
    contact.friction, contact.restitution = o.friction, o.restitution
    contact.tangential_restitution = o.tangential_restitution
    contacts[#contacts + 1] = contact
  end
  for i, b in ipairs(o.balls) do
    local up = { 0, 0, 1 }
    laws{ gap = function(x) return x[6 * i - 3] - b.r end, normal = row(0, i, up, up, 0, b.r),
      tangent = row(0, i, { 1, 0, 0 }, up, 0, b.r), tangent2 = row(0, i, { 0, 1, 0 }, up, 0, b.r) }
  end
  for i = 1, n do
    for j = i + 1, n do
      local r_i, r_j = o.balls[i].r, o.balls[j].r
      local function direction(x)
        local d = {}
        for k = 1, 3 do d[k] = x[6 * j - 6 + k] - x[6 * i - 6 + k] end
        local length = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
        return { d[1] / length, d[2] / length, d[3] / length }, length - r_i - r_j
      end
      local function tangent(which)
        return function(x)
          local d, gap = direction(x)
          return row(i, j, (select(which, across(d))), d, r_i + gap / 2, r_j + gap / 2)
        end
      end
      laws{ gap = function(x) return (select(2, direction(x))) end,
        normal = function(x) local d = direction(x) return row(i, j, d, d, 0, 0) end,
        tangent = tangent(1), tangent2 = tangent(2) }
    end
  end
  return delassus.system{ q = q, u = u, mass = mass, forces = forces, contacts = contacts, dt = o.dt, impact = o.impact,
    scheme = o.scheme }
end

--- The logged events of a kind, in order.
function M.of_kind(world, kind)
  local list = {}
  for _, e in ipairs(world.events) do
    if e.kind == kind then list[#list + 1] = e end
  end
  return list
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

--- Logs thrown into the valley of two parallel ones that lie.
function M.valley(seed)
  local r = delassus.random(seed)
  local function u(a, b) return r:uniform(a, b) end
  local world = delassus.world{ scheme = "event-driven", dt = 0.01 }
  local e = seed % 3 == 0 and u(0, 0.6) or 0
  local wood = delassus.material{ friction = seed % 4 == 0 and 0 or u(0.05, 0.8), restitution = e }
  local lying, tilt = u(0.2, 0.6), seed % 2 == 0 and u(-0.2, 0.2) or 0
  local half = lying + u(0.0, 0.15)
  for side = -1, 1, 2 do
    local askew = seed % 5 == 0 and side * u(0, 0.05) or 0
    world:capsule{ type = "static", radius = lying, length = 40, position = { 0, half * side, 0 }, material = wood,
      rotation = { axis = { 0, 1, 0 }, angle = tilt + askew } }
  end
  local radius, length = u(0.15, 0.4), u(0.4, 1.5)
  local logs = {}
  for i = 1, seed % 3 == 1 and 2 or 1 do
    logs[i] = world:capsule{ mass = u(1, 20), material = wood, radius = radius, length = length,
      position = { u(-0.3, 0.3), u(-0.1, 0.1), lying + (radius + length) * (1.6 * i - 0.6) + 0.05 },
      velocity = { u(-1, 1), u(-0.5, 0.5), u(-1, 0) }, angular_velocity = { u(-2, 2), u(-2, 2), u(-2, 2) },
      rotation = { axis = { u(-1, 1), u(-1, 1), u(-1, 1) }, angle = u(-3, 3) } }
  end
  return world, logs
end

return M
