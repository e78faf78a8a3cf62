-- A double pendulum let go from the horizontal, integrated by Stormer's method of order six.
-- Two rods of 1 m and 1 kg hang from the ground by revolute joints in relative coordinates.
-- No friction: the energy must stay what it was; halving the step divides its error by about 2^6.
-- The last line tells where the tip is after 2 s.
-- Ends with: dt = 0.0005 s: tip at (0.31352, -1.91475), energy off by less than 1e-09 J
local delassus = require "delassus"

for _, dt in ipairs { 2e-3, 1e-3, 5e-4 } do
  local world <close> = delassus.world { planar = true, record = false }
  local upper = world:body { mass = 1, inertia = 1 / 12, position = { 0.5, 0 } }
  local lower = world:body { mass = 1, inertia = 1 / 12, position = { 1.5, 0 } }
  world:joint { "revolute", world.ground, upper, anchor = { 0, 0 } }
  world:joint { "revolute", upper, lower, anchor = { 1, 0 } }
  world:integrate { method = "stormer", dt = dt, to = 2 }
  local kinetic, potential = world:energy()
  local a = lower.rotation
  local tip = lower.centre + 0.5 * delassus.vec { math.cos(a), math.sin(a) }
  local bound = 10 ^ math.ceil(math.log(math.max(math.abs(kinetic + potential), 1e-9), 10) - 1e-9)
  print(("dt = %g s: tip at (%.5f, %.5f), energy off by less than %.0e J"):format(dt, tip.x, tip.y, bound))
end
