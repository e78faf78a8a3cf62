--- Two capsules in space above a floor, as a world and as a system of equations by hand. q of the system is (x, y, z, yaw,
--- pitch, spin) of each: the axis is (cos yaw cos pitch, sin yaw cos pitch, -sin pitch), spin turns about it.
local delassus = require "delassus"

local M = {}
local abs, cos, sin, sqrt, max, min = math.abs, math.cos, math.sin, math.sqrt, math.max, math.min

local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function plus(a, s, b) return { a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3] } end
local function clamp(s) return max(0, min(1, s)) end

--- Of a capsule: its mass, those about its axis and across it, the cylinder's length.
local function inertia(c)
  local l, r = c.length, c.radius -- a cylinder and two half balls of one density
  local v, w = math.pi * r * r * l, 4 / 3 * math.pi * r ^ 3
  local m, n = c.mass * v / (v + w), c.mass * w / (v + w)
  return m * r * r / 2 + 0.4 * n * r * r,
    m * (l * l / 12 + r * r / 4) + n * (0.4 * r * r + l * l / 4 + 3 / 8 * l * r)
end

local function axis_of(q, i)
  local yaw, pitch = q[6 * i - 2], q[6 * i - 1]
  return { cos(yaw) * cos(pitch), sin(yaw) * cos(pitch), -sin(pitch) }
end

local function centre_of(q, i) return { q[6 * i - 5], q[6 * i - 4], q[6 * i - 3] } end

--- Angular velocity is the sum of these times the rates of yaw, pitch and spin.
local function turns_of(q, i)
  local yaw = q[6 * i - 2]
  return { { 0, 0, 1 }, { -sin(yaw), cos(yaw), 0 }, axis_of(q, i) }
end

--- Nearest points of two segments p + s d, q + t e, 0 <= s, t <= 1: one minimum is clamped, then the other one's (a
--- quadratic function of two numbers in a square: the normal equations). Which are at an end (s, t = 0, 1) is told, and
--- kept where `fixed` is given.
local function nearest(p, d, q, e, fixed)
  local r = plus(p, -1, q)
  local a, b, c, f, g = dot(d, d), dot(d, e), dot(e, e), dot(d, r), dot(e, r)
  local s, t
  if fixed then
    s, t = fixed[1], fixed[2]
    if not s then s = t and (b * t - f) / a or (b * g - c * f) / (a * c - b * b) end
    t = t or (b * s + g) / c
  else
    s = clamp((b * g - c * f) / (a * c - b * b))
    t = (b * s + g) / c
    if t < 0 then s, t = clamp(-f / a), 0
    elseif t > 1 then s, t = clamp((b - f) / a), 1 end
  end
  local function ends(x) return (x == 0 or x == 1) and x end
  return plus(p, s, d), plus(q, t, e), { ends(s), ends(t) }
end

--- Velocity along d of the point `at` of body i, times sign, joins row w.
local function add_row(w, q, i, at, d, sign)
  local arm = plus(at, -1, centre_of(q, i))
  for k = 1, 3 do w[6 * i - 6 + k] = w[6 * i - 6 + k] + sign * d[k] end
  for k, turn in ipairs(turns_of(q, i)) do
    w[6 * i - 3 + k] = w[6 * i - 3 + k] + sign * dot(d, cross(turn, arm))
  end
end

local function zeros(n)
  local w = {}
  for k = 1, n do w[k] = 0 end
  return w
end

local function across(n)
  local t = cross(n, { 0.6, 0.64, 0.48 })
  local length = sqrt(dot(t, t))
  t = { t[1] / length, t[2] / length, t[3] / length }
  return t, cross(n, t)
end

--- o: capsules = { radius, length, mass, x, v, yaw, pitch, rates }, friction, restitution, floor, gravity, dt, impact.
function M.world(o)
  local w = delassus.world{ scheme = o.scheme or "event-driven", dt = o.dt, impact = o.impact, record = false,
    gravity = o.gravity }
  local material, list = delassus.material{ friction = o.friction, restitution = o.restitution }, {}
  if o.floor then w:floor{ material = material } end
  for i, c in ipairs(o.capsules) do
    local q = { 0, 0, 0, c.yaw, c.pitch, 0 }
    local omega = { 0, 0, 0 }
    for k, turn in ipairs(turns_of(q, 1)) do omega = plus(omega, c.rates[k], turn) end
    -- first about y, then about z
    local a, b = c.yaw / 2, c.pitch / 2
    list[i] = w:capsule{ radius = c.radius, length = c.length, mass = c.mass, position = c.x, velocity = c.v,
      rotation = { cos(a) * cos(b), -sin(a) * sin(b), cos(a) * sin(b), sin(a) * cos(b) }, angular_velocity = omega,
      material = material }
  end
  return w, list
end

function M.system(o)
  local n, q, u, contacts = #o.capsules, {}, {}, {}
  local g = o.gravity or { 0, 0, -9.81 }
  for i, c in ipairs(o.capsules) do
    for k = 1, 3 do
      q[6 * i - 6 + k], u[6 * i - 6 + k], u[6 * i - 3 + k] = c.x[k], c.v[k], c.rates[k]
    end
    q[6 * i - 2], q[6 * i - 1], q[6 * i] = c.yaw, c.pitch, 0
  end
  -- Lagrange's equations of symmetric tops: T = I (pitch'^2 + yaw'^2 cos^2)/2 + A (spin' - yaw' sin pitch)^2/2
  local function mass(x)
    local rows = {}
    for k = 1, 6 * n do rows[k] = zeros(6 * n) end
    for i, c in ipairs(o.capsules) do
      local A, I = inertia(c)
      local s, b, at = sin(x[6 * i - 1]), cos(x[6 * i - 1]), 6 * i - 3
      for k = 1, 3 do rows[6 * i - 6 + k][6 * i - 6 + k] = c.mass end
      rows[at + 1][at + 1], rows[at + 1][at + 3], rows[at + 3][at + 1] = I * b * b + A * s * s, -A * s, -A * s
      rows[at + 2][at + 2], rows[at + 3][at + 3] = I, A
    end
    return rows
  end
  local function forces(x, v)
    local h = {}
    for i, c in ipairs(o.capsules) do
      local A, I = inertia(c)
      local s, b, at = sin(x[6 * i - 1]), cos(x[6 * i - 1]), 6 * i - 3
      local yaw, pitch, spin = v[at + 1], v[at + 2], v[at + 3]
      for k = 1, 3 do h[6 * i - 6 + k] = c.mass * g[k] end
      h[at + 1] = -2 * s * b * (A - I) * pitch * yaw + A * b * pitch * spin
      h[at + 2] = s * b * (A - I) * yaw * yaw - A * b * yaw * spin
      h[at + 3] = A * b * pitch * yaw
    end
    return h
  end
  local function laws(contact)
    contact.friction, contact.restitution = o.friction, o.restitution
    if o.friction == 0 then
      for _, name in ipairs { "tangent", "tangent2" } do contact[name], contact[name .. "_bias"] = nil, nil end
    end
    contacts[#contacts + 1] = contact
  end
  -- place(x, fixed): normal, point, gap, feature; i, j: bodies (i = 0: the floor). dw/dt . u by differences along u,
  -- of the feature that is there: across its change they are none
  local function add(place, i, j, size)
    local contact = { gap = function(x) return (select(3, place(x))) end, size = size }
    for which, name in ipairs { "normal", "tangent", "tangent2" } do
      local function row(x, fixed)
        local normal, at = place(x, fixed)
        local t, t2 = across(normal)
        local d, w = ({ normal, t, t2 })[which], zeros(6 * n)
        if i > 0 then add_row(w, x, i, at, d, -1) end
        add_row(w, x, j, at, d, 1)
        return w
      end
      contact[name] = function(x)
        local _, _, gap, feature = place(x)
        local seen = feature and abs(gap) < 1e-9 and (feature[1] or feature[2]) and "ends" or "crossings"
        if feature and abs(gap) < 1e-9 then o.seen[seen] = (o.seen[seen] or 0) + 1 end
        return row(x)
      end
      contact[name .. "_bias"] = function(x, v)
        local fixed, sum, h = select(4, place(x)), 0, 1e-4
        for k, share in pairs { [-2] = 1, [-1] = -8, [1] = 8, [2] = -1 } do
          local beside = {}
          for l = 1, 6 * n do beside[l] = x[l] + k * h * v[l] end
          local w, speed = row(beside, fixed or nil), 0
          for l = 1, 6 * n do speed = speed + w[l] * v[l] end
          sum = sum + share * speed
        end
        return sum / (12 * h)
      end
    end
    laws(contact)
  end
  for i, c in ipairs(o.floor and o.capsules or {}) do
    for _, side in ipairs { -1, 1 } do
      local function place(x)
        local ball = plus(centre_of(x, i), side * c.length / 2, axis_of(x, i))
        return { 0, 0, 1 }, { ball[1], ball[2], ball[3] - c.radius }, ball[3] - c.radius
      end
      add(place, 0, i, c.radius)
    end
  end
  for i = 1, n do
    for j = i + 1, n do
      local a, b = o.capsules[i], o.capsules[j]
      local function place(x, fixed)
        local d, e = axis_of(x, i), axis_of(x, j)
        local p, r, feature = nearest(plus(centre_of(x, i), -a.length / 2, d), plus({ 0, 0, 0 }, a.length, d),
          plus(centre_of(x, j), -b.length / 2, e), plus({ 0, 0, 0 }, b.length, e), fixed)
        local D = plus(r, -1, p)
        local distance = sqrt(dot(D, D))
        local normal = { D[1] / distance, D[2] / distance, D[3] / distance }
        return normal, plus(r, -b.radius, normal), distance - a.radius - b.radius, feature
      end
      add(place, i, j, min(a.radius, b.radius))
    end
  end
  return delassus.system{ q = q, u = u, mass = mass, forces = forces, contacts = contacts, dt = o.dt, impact = o.impact,
    scheme = o.scheme, rtol = o.rtol }
end

--- Centre, axis, velocity and angular velocity of capsule i of a system.
function M.state(system, i)
  local q, u = system.q, system.u
  local omega = { 0, 0, 0 }
  for k, turn in ipairs(turns_of(q, i)) do omega = plus(omega, u[6 * i - 3 + k], turn) end
  return centre_of(q, i), axis_of(q, i), { u[6 * i - 5], u[6 * i - 4], u[6 * i - 3] }, omega
end

--- How many steps of dt end before a second impact within 5 ms, and before the sixth event.
function M.until_chatter(world, dt, most)
  local last, free = -1, 0
  for k, e in ipairs(world.events) do
    if k == 6 or (e.kind == "impact" and e.t - last < 5e-3 and last > 0) then return min(most, math.floor(free / dt)) end
    if e.kind == "impact" and e.t > last then free, last = (max(last, 0) + e.t) / 2, e.t end
  end
  return most
end

--- Two capsules that fly at each other, with a floor below or without.
function M.random(random, floor)
  local o = { capsules = {}, seen = {}, rtol = 1e-11, friction = random(0, 1) < 0.5 and 0 or random(0, 0.8), dt = 0.005,
    restitution = random(0.1, 1),
    floor = floor, gravity = not floor and { 0, 0, 0 } or nil }
  for i = 1, 2 do
    local side = i == 1 and -1 or 1
    local c = { radius = random(0.05, 0.12), length = random(0.2, 0.6), mass = random(0.5, 3), yaw = random(-3, 3),
      pitch = random(-0.5, 0.5), rates = { random(-3, 3), random(-1, 1), random(-4, 4) } }
    c.x = floor and { random(-0.1, 0.1), random(-0.1, 0.1), 0.35 + 0.7 * (i - 1) }
      or { 0.5 * side, random(-0.2, 0.2), random(-0.1, 0.1) }
    c.v = floor and { random(-0.3, 0.3), random(-0.3, 0.3), random(-1, 1) }
      or { -2 * side, random(-0.2, 0.2), random(-0.2, 0.2) }
    o.capsules[i] = c
  end
  return o
end

return M
