-- A rattleback: an ellipsoid whose axes of inertia are turned against those of its underside. Spun one way it begins to
-- rock, stops and spins back; the other way it goes on. Measures as T. R. Kane and D. A. Levinson (1982) have them, but for
-- three times their product of inertia. Beside the world the equations of rolling without slip, integrated on their own:
-- with the upward vertical z, the spin w and r from the mass centre to the contact, in the body's frame,
--   z' = z x w,   F = m (r' x w + r x w' + w x (r x w) + g z),   I w' + w x I w = r x F.
-- Leaves rattleback.svg: the spin by both.
-- Ends with: it turns back: true; when the equations say, to 1 ms: true; energy kept to 1 %: true
local delassus = require "delassus"

local a, b, c, deep, m, g, tilt, spin = 0.2, 0.03, 0.02, 0.01, 1, 9.81, math.rad(0.5), -5
local Ixx, Iyy, Izz, Ixy, vec = 2e-4, 1.6e-3, 1.7e-3, -6e-5, delassus.vec

local function contact(z) -- from the mass centre, which is `deep` below the ellipsoid's
  local h = math.sqrt((a * z.x) ^ 2 + (b * z.y) ^ 2 + (c * z.z) ^ 2)
  return vec{ -a * a * z.x / h, -b * b * z.y / h, deep - c * c * z.z / h }
end
local function rates(z, w) -- z', w'
  local dz, r = z:cross(w), contact(z)
  local dr, k = (contact(z + 1e-5 * dz) - contact(z - 1e-5 * dz)) / 2e-5, m * r:dot(r)
  local p = r:cross(dr:cross(w) + w:cross(r:cross(w)) + g * z) * m -
    w:cross(vec{ Ixx * w.x + Ixy * w.y, Ixy * w.x + Iyy * w.y, Izz * w.z })
  -- (I + m |r|^2 - m r r') w' = p, by Cramer's rule on its columns.
  local A, B = vec{ Ixx + k, Ixy, 0 } - m * r.x * r, vec{ Ixy, Iyy + k, 0 } - m * r.y * r
  local C = vec{ 0, 0, Izz + k } - m * r.z * r
  return dz, vec{ p:dot(B:cross(C)), A:dot(p:cross(C)), A:dot(B:cross(p)) } / A:dot(B:cross(C))
end
local function runge_kutta(z, w, h)
  local z1, w1 = rates(z, w)
  local z2, w2 = rates(z + h / 2 * z1, w + h / 2 * w1)
  local z3, w3 = rates(z + h / 2 * z2, w + h / 2 * w2)
  local z4, w4 = rates(z + h * z3, w + h * w3)
  return z + h / 6 * (z1 + 2 * z2 + 2 * z3 + z4), w + h / 6 * (w1 + 2 * w2 + 2 * w3 + w4)
end

local world = delassus.world{ dt = 2.5e-4 }
world:floor{ friction = 1 }
local z = vec{ 0, math.sin(tilt), math.cos(tilt) }
local arm = contact(z) -- turned by the tilt about x it is the arm in the world
arm = vec{ arm.x, arm.y * z.z - arm.z * z.y, arm.y * z.y + arm.z * z.z }
local stone = world:ellipsoid{ name = "stone", radii = {a, b, c}, com = {0, 0, -deep}, mass = m, friction = 1,
  inertia = {Ixx, Iyy, Izz, Ixy, 0, 0}, rotation = { axis = {1, 0, 0}, angle = tilt }, angular_velocity = {0, 0, spin} }
stone.position = stone.position - vec{ 0, 0, stone.centre.z + arm.z }
stone.velocity = arm:cross(vec{ 0, 0, spin }) -- so that it begins without slip

local t, spins, exact, w, back, right = {}, {}, {}, spin * z, 0, 0
local before = select(1, world:energy()) + select(2, world:energy())
for k = 1, 12000 do
  z, w = runge_kutta(z, w, world.dt)
  world:step()
  t[k], spins[k], exact[k] = world.time, stone.angular_velocity.z, w:dot(z)
  if back == 0 and spins[k] > 0 then back = t[k] end
  if right == 0 and exact[k] > 0 then right = t[k] end
end
assert(delassus.plot{ x = t, y = { {"world", spins}, {"equations", exact} }, x_label = "time (s)", y_label = "spin (rad/s)",
  y_range = {-6, 6}, title = "A rattleback turns back", file = "rattleback.svg" })
local lost = math.abs(select(1, world:energy()) + select(2, world:energy()) - before) / (0.5 * Izz * spin ^ 2)
print(("back after %.4f s, by the equations after %.4f s, energy off by %.2g"):format(back, right, lost))
print(("it turns back: %s; when the equations say, to 1 ms: %s; energy kept to 1 %%: %s"):format(spins[#t] > 4,
  math.abs(back - right) < 1e-3, lost < 0.01))
