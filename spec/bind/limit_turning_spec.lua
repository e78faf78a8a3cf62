-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Limits of spherical joints that are reached while their own direction turns: what accelerations() keep constant is the
-- angle itself. The oracle moves both bodies by their velocities and accelerations and measures the angle.
local delassus = require "delassus"

local function cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function add(a, b, s) return { a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3] } end
local function norm(a) return math.sqrt(dot(a, a)) end

-- x turned by the rotation vector r (Rodrigues).
local function turn(r, x)
  local angle = norm(r)
  if angle == 0 then return x end
  local e = { r[1] / angle, r[2] / angle, r[3] / angle }
  local out = { x[1] * math.cos(angle), x[2] * math.cos(angle), x[3] * math.cos(angle) }
  return add(add(out, cross(e, x), math.sin(angle)), e, dot(e, x) * (1 - math.cos(angle)))
end

-- A rotation is what it makes of the three axes.
local function axes(r) return { turn(r, { 1, 0, 0 }), turn(r, { 0, 1, 0 }), turn(r, { 0, 0, 1 }) } end
local function apply(R, x) return add(add({ R[1][1] * x[1], R[1][2] * x[1], R[1][3] * x[1] }, R[2], x[2]), R[3], x[3]) end
local function apply_t(R, x) return { dot(R[1], x), dot(R[2], x), dot(R[3], x) } end

-- (w, x, y, z) of a rotation vector, and of one after the other.
local function quaternion(r)
  local angle = norm(r)
  local s = angle > 0 and math.sin(angle / 2) / angle or 0.5
  return { math.cos(angle / 2), r[1] * s, r[2] * s, r[3] * s }
end
local function product(p, q)
  local v = cross({ p[2], p[3], p[4] }, { q[2], q[3], q[4] })
  return { p[1] * q[1] - p[2] * q[2] - p[3] * q[3] - p[4] * q[4], p[1] * q[2] + q[1] * p[2] + v[1],
    p[1] * q[3] + q[1] * p[3] + v[2], p[1] * q[4] + q[1] * p[4] + v[3] }
end

-- Angle between the axes and the twist about them, of b's axes B seen from a's axes A; e: the joint's axis.
local function angles(A, B, e)
  local e_b = apply_t(A, apply(B, e))
  local cone = math.atan(norm(cross(e, e_b)), dot(e, e_b))
  -- the twist is what is left when e is carried to e_b the shortest way
  local n = cross(e, e_b)
  local size = norm(n)
  local back = size > 0 and { -n[1] / size * cone, -n[2] / size * cone, -n[3] / size * cone } or { 0, 0, 0 }
  local f = math.abs(e[1]) < 0.7 and { 1, 0, 0 } or { 0, 1, 0 }
  f = add(f, e, -dot(f, e))
  local g = turn(back, apply_t(A, apply(B, f)))
  return cone, math.atan(dot(cross(f, g), e), dot(f, g))
end

local function pressed(seed, which)
  local r = delassus.random(seed)
  local function v(most) return { r:uniform(-most, most), r:uniform(-most, most), r:uniform(-most, most) } end
  local e = v(1)
  e = { e[1] / norm(e), e[2] / norm(e), e[3] / norm(e) }
  local side = cross(e, v(1))
  side = { side[1] / norm(side), side[2] / norm(side), side[3] / norm(side) }
  local tilt, twist = r:uniform(0.3, 1.2), r:uniform(0.2, 1)
  local world = delassus.world{ gravity = { 0, 0, 0 }, record = false }
  local a = world:body{ mass = 1, inertia = { 0.2, 0.3, 0.4 } }
  local b = world:body{ mass = 1, inertia = { 0.3, 0.25, 0.2 }, position = { 1, 0, 0 } }
  local first = world:joint{ "spherical", world.ground, a, anchor = { -0.5, 0.2, 0 } }
  local joint = world:joint{ "spherical", a, b, anchor = { 0.5, 0.1, 0 }, axis = e,
    limits = which == "cone" and { cone = tilt } or { twist = { -2, twist } } }
  local start = v(1)
  local A = axes(start)
  local bend, spin = { side[1] * tilt, side[2] * tilt, side[3] * tilt }, { e[1] * twist, e[2] * twist, e[3] * twist }
  local function carried(x) return apply(A, turn(bend, turn(spin, x))) end
  local B = { carried{ 1, 0, 0 }, carried{ 0, 1, 0 }, carried{ 0, 0, 1 } }
  first.q = quaternion(start)
  joint.q = product(quaternion(bend), quaternion(spin))
  -- the limit's direction, in the world, and a relative spin that leaves the angle as it is
  local e_a, e_b = apply(A, e), apply(B, e)
  local d = which == "cone" and cross(e_a, e_b) or add(e_a, e_b, 1)
  local om = v(3)
  om = add(om, d, -dot(om, d) / dot(d, d))
  local w_a = v(2)
  first.qd = apply_t(A, w_a)
  joint.qd = apply_t(B, om)
  local press = apply_t(B, { 20 * d[1], 20 * d[2], 20 * d[3] }) -- towards the limit
  joint.torque = press
  return { world = world, first = first, joint = joint, A = A, B = B, e = e, w_a = w_a, w_b = add(w_a, om, 1), om = om }
end

describe("a spherical joint's limit that is reached", function()
  for _, which in ipairs{ "cone", "twist" } do
    it("keeps its angle to second order while its direction turns (" .. which .. ")", function()
      local turned = 0
      for seed = 1, 200 do
        local x <const> = pressed(seed, which)
        local world <close> = x.world
        world:accelerations()
        -- accelerations in the world: u are angular velocities relative to the parent, in the child's axes
        local eps_a = apply(x.A, x.first.qdd)
        local eps_b = add(add(eps_a, apply(x.B, x.joint.qdd), 1), cross(x.w_b, x.om), 1)
        local t, at = 1e-4, {}
        for k = -1, 1 do
          local s = k * t
          local function moved(R, w, eps)
            local r = add({ s * w[1], s * w[2], s * w[3] }, eps, 0.5 * s * s)
            return { turn(r, R[1]), turn(r, R[2]), turn(r, R[3]) }
          end
          local cone, twist = angles(moved(x.A, x.w_a, eps_a), moved(x.B, x.w_b, eps_b), x.e)
          at[k] = which == "cone" and cone or twist
        end
        local scale = dot(x.om, x.om) + dot(x.w_a, x.w_a) + norm(eps_a) + norm(eps_b)
        local second = (at[1] - 2 * at[0] + at[-1]) / (t * t)
        -- the difference's own error: round-off of 1e-16 / t^2, and (omega t)^2 of the scale's square
        assert.is_true(math.abs(second) <= 1e-6 * scale * (1 + scale),
          ("seed %d: the angle accelerates by %g of %g"):format(seed, second, scale))
        assert.is_true(math.abs(at[1] - at[-1]) / (2 * t) <= 1e-6 * scale * (1 + scale), "it stays")
        turned = math.max(turned, norm(cross(x.w_a, x.om)))
      end
      assert.is_true(turned > 1)
    end)
  end
end)
