-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Newton's law with Coulomb friction at one point, by hand: bodies thrown at an ellipsoid, of which what they gain is Kane's.
local delassus = require "delassus"

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end
local function add(a, s, b) return { a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3] } end

--- The columns of a quaternion's rotation, and sum over k of f_k (column_k . v) column_k.
local function axes_of(q)
  local w, x, y, z = q.w, q.x, q.y, q.z
  return { { 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y) },
    { 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x) },
    { 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y) } }
end
local function along(axes, f, v)
  local sum = { 0, 0, 0 }
  for k = 1, 3 do sum = add(sum, f[k] * dot(axes[k], v), axes[k]) end
  return sum
end

--- Impulses (normal, tangents) by Newton's and Coulomb's laws: the point sticks, or slides by -l p_t with the l > 0, sought by
--- halves, at which friction is at its bound.
local function strike(W, v, e, mu)
  local function with(l) -- p whose tangential velocity is -l p_t
    local a, b, c = W[2][2] + l, W[2][3], W[3][3] + l
    local det = a * c - b * b
    local function solve(x, y) return (c * x - b * y) / det, (a * y - b * x) / det end
    local f1, f2 = solve(v[2], v[3])
    local g1, g2 = solve(W[2][1], W[3][1])
    local n = (-(1 + e) * v[1] + W[1][2] * f1 + W[1][3] * f2) / (W[1][1] - W[1][2] * g1 - W[1][3] * g2)
    return { n, -f1 - n * g1, -f2 - n * g2 }
  end
  local function beyond(p) return math.sqrt(p[2] ^ 2 + p[3] ^ 2) > mu * p[1] end
  local p = with(0)
  if not beyond(p) then return p end
  local low, high = -60, 60
  for _ = 1, 100 do
    local middle = (low + high) / 2
    if beyond(with(math.exp(middle) * W[1][1])) then low = middle else high = middle end
  end
  return with(math.exp(high) * W[1][1])
end

describe("Newton's law with friction", function()
  it("at an ellipsoid is that of two bodies by hand, what it gains is Kane's (200 seeds)", function()
    local kinds, struck, gains, most = { "box", "ellipsoid", "capsule", "sphere", "cylinder" }, 0, 0, 0
    for seed = 1, 200 do
      local r = delassus.random(seed)
      local kind, s, t = kinds[seed % 5 + 1], r:uniform(0.02, 0.1), r:uniform(0.05, 1)
      local v, mu = r:uniform(1, 20), r:uniform(0, 1.5)
      local e = r:uniform(0, 1) < 0.7 and 1 or r:uniform(0, 1)
      local material = delassus.material{ friction = mu, restitution = e }
      local function vector(l) return { r:uniform(-l, l), r:uniform(-l, l), r:uniform(-l, l) } end
      local shape = kind == "box" and delassus.box{ size = { s, 2 * s, 1.5 * s } }
        or kind == "ellipsoid" and delassus.ellipsoid{ radii = { s, s / 2, s / 3 } }
        or kind == "sphere" and delassus.sphere{ radius = s } or delassus[kind]{ radius = s / 2, length = 2 * s }
      local J = 0.4 * s * s
      local inertia = kind == "sphere" and { J, J, J } or { 0.75 * J, 0.9 * J, J }
      local state = { position = { -t - 0.3, r:uniform(-0.3, 0.3), r:uniform(-0.3, 0.3) },
        velocity = { v, r:uniform(-0.2, 0.2) * v, 0 },
        rotation = { axis = vector(1), angle = r:uniform(0, 6) }, angular_velocity = vector(30) }
      -- the step of the touch, its steps, and theirs: bodies are where they touch to 1e-9 m
      local world, body, touch
      for dt = 3, 9, 2 do
        local now
        touch = nil
        if world then world:close() end
        world = delassus.world{ record = false, gravity = { 0, 0, 0 }, dt = 10 ^ -dt, tolerance = 1e-13 }
        world:ellipsoid{ type = "static", radii = { t, 1, 1.5 }, material = material }
        body = world:body{ shape = shape, mass = 1, inertia = inertia, material = material, position = state.position,
          velocity = state.velocity, rotation = state.rotation, angular_velocity = state.angular_velocity }
        for _ = 1, dt == 3 and 500 or 150 do
          now = { position = { body.position:unpack() }, velocity = { body.velocity:unpack() }, rotation = body.rotation,
            angular_velocity = { body.angular_velocity:unpack() } }
          world:step()
          local n = 0
          for contact in world:contacts() do
            if contact.impulse:norm() > 0 then touch, n = contact, n + 1 end
          end
          if n > 1 then touch = nil end -- in parallel
          if n > 0 then break end
        end
        if not touch then break end
        state = now
      end
      if touch then
        local n, axes = { touch.normal:unpack() }, axes_of(state.rotation)
        if touch.b ~= body then n = { -n[1], -n[2], -n[3] } end
        local t1 = cross(n, math.abs(n[1]) < 0.8 and { 1, 0, 0 } or { 0, 1, 0 })
        local length, arm = math.sqrt(dot(t1, t1)), add({ touch.point:unpack() }, -1, state.position)
        t1 = { t1[1] / length, t1[2] / length, t1[3] / length }
        local rows, W, before = { n, t1, cross(n, t1) }, {}, {}
        local by = { 1 / inertia[1], 1 / inertia[2], 1 / inertia[3] }
        for i = 1, 3 do
          W[i], before[i] = {}, dot(rows[i], add(state.velocity, 1, cross(state.angular_velocity, arm)))
          for j = 1, 3 do
            W[i][j] = dot(rows[i], rows[j]) + dot(cross(arm, rows[i]), along(axes, by, cross(arm, rows[j])))
          end
        end
        local p, u, w = strike(W, before, e, mu), state.velocity, state.angular_velocity
        local energy = dot(u, u) + dot(w, along(axes, inertia, w))
        for i = 1, 3 do u, w = add(u, p[i], rows[i]), add(w, p[i], along(axes, by, cross(arm, rows[i]))) end
        local gain, where = (dot(u, u) + dot(w, along(axes, inertia, w))) / energy - 1, ("seed %d, a %s"):format(seed, kind)
        for k, x in ipairs{ body.velocity:unpack() } do assert.near(u[k], x, 1e-5 * v, where) end
        for k, x in ipairs{ body.angular_velocity:unpack() } do assert.near(w[k], x, 1e-5 * v / s, where) end
        struck, gains, most = struck + 1, gains + (gain > 1e-3 and 1 or 0), math.max(most, gain)
      end
      world:close()
    end
    assert.is_true(struck > 150 and gains > 20 and most > 0.2, ("%d struck, %d gain, up to %g"):format(struck, gains, most))
  end)
end)
