-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- An ellipsoid, or a cylinder on its rim, that rolls on the plane z = 0 without slip, by its equations in its own frame,
-- held together by nothing but the classical method of Runge and Kutta. With the upward vertical u, the angular velocity w
-- and the vector r from the mass centre to the contact,
--
--     u' = u x w,  v = r x w,  F = m (v' + w x v + g u),  I w' + w x I w = r x F,    r = -D^2 u / |D u| - com.
--
-- Of a cylinder of radius R and length L about x, r = -R u_p / |u_p| - sign(u_x) L/2 x, with u_p = u across x.
local M = {}

local function cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end
local function add(a, b, s) return { a[1] + (s or 1) * b[1], a[2] + (s or 1) * b[2], a[3] + (s or 1) * b[3] } end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function times(A, x) return { dot(A[1], x), dot(A[2], x), dot(A[3], x) } end

--- x of A x = b, by Cramer's rule.
local function solve(A, b)
  local c = { { A[1][1], A[2][1], A[3][1] }, { A[1][2], A[2][2], A[3][2] }, { A[1][3], A[2][3], A[3][3] } } -- columns
  local det = dot(c[1], cross(c[2], c[3]))
  return { dot(b, cross(c[2], c[3])) / det, dot(c[1], cross(b, c[3])) / det, dot(c[1], cross(c[2], b)) / det }
end

--- The contact from the mass centre, and its rate.
local function contact(body, u, du)
  local r, dr, h, dh = {}, {}, 0, 0
  if body.rim then
    h, dh = math.sqrt(u[2] ^ 2 + u[3] ^ 2), u[2] * du[2] + u[3] * du[3]
    r[1], dr[1] = (u[1] > 0 and -0.5 or 0.5) * body.rim.length, 0
    for i = 2, 3 do
      r[i] = -body.rim.radius * u[i] / h
      dr[i] = -body.rim.radius * (du[i] / h - u[i] * dh / h ^ 3)
    end
    return r, dr
  end
  for i = 1, 3 do h, dh = h + (body.radii[i] * u[i]) ^ 2, dh + body.radii[i] ^ 2 * u[i] * du[i] end
  h = math.sqrt(h)
  dh = dh / h
  for i = 1, 3 do
    r[i] = -body.radii[i] ^ 2 * u[i] / h - body.com[i]
    dr[i] = -body.radii[i] ^ 2 * (du[i] / h - u[i] * dh / h ^ 2)
  end
  return r, dr
end

local function rates(body, u, w)
  local du = cross(u, w)
  local r, dr = contact(body, u, du)
  local m, I = body.mass, body.inertia
  -- r x m (r x w') = m (r r' - |r|^2) w': what stands with w' on the left is I + m (|r|^2 - r r').
  local A, rr = {}, dot(r, r)
  for i = 1, 3 do
    A[i] = {}
    for j = 1, 3 do A[i][j] = I[i][j] + m * ((i == j and rr or 0) - r[i] * r[j]) end
  end
  local rest = add(add(cross(dr, w), cross(w, cross(r, w))), u, body.gravity) -- F / m without w'
  local b = add(cross(r, rest), cross(w, times(I, w)), -1 / m)
  return du, solve(A, { m * b[1], m * b[2], m * b[3] })
end

--- One step of the vertical u and the angular velocity w.
function M.step(body, u, w, h)
  local u1, w1 = rates(body, u, w)
  local u2, w2 = rates(body, add(u, u1, h / 2), add(w, w1, h / 2))
  local u3, w3 = rates(body, add(u, u2, h / 2), add(w, w2, h / 2))
  local u4, w4 = rates(body, add(u, u3, h), add(w, w3, h))
  for i = 1, 3 do
    u1[i] = u[i] + h / 6 * (u1[i] + 2 * u2[i] + 2 * u3[i] + u4[i])
    w1[i] = w[i] + h / 6 * (w1[i] + 2 * w2[i] + 2 * w3[i] + w4[i])
  end
  return u1, w1
end

function M.energy(body, u, w)
  local r = contact(body, u, cross(u, w))
  local v = cross(r, w)
  return (body.mass * dot(v, v) + dot(w, times(body.inertia, w))) / 2 - body.mass * body.gravity * dot(r, u)
end

return M
