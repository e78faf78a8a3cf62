-- A motor with a bounded torque brings a flywheel to speed against dry friction, and another holds a position.
-- J dw/dt = T - T_f until the speed is reached, so that it takes w J / (T - T_f); then the motor gives T_f alone.
-- The second motor is a spring and damper with a bound: a beam hangs where spring and weight balance, k q = m g l cos q.
-- Leaves motors.svg: speed and torque over time.
-- Ends with: 10 rad/s after 0.625 s, exact 0.625 s; then 1.000 N m; the beam hangs at -0.0896 rad, exact -0.0896
local delassus = require "delassus"

local world = delassus.world{ planar = true, gravity = {0, 0} }
local wheel = world:disk{ radius = 0.5, mass = 2 }
local joint = world:joint{ "revolute", world.ground, wheel, friction = 1, motor = { speed = 10, max_torque = 5 } }

local t, speed, torque, reached = {}, {}, {}, nil
for k = 1, 1000 do
  local before = wheel.angular_velocity
  world:step()
  t[k], speed[k] = world.time, wheel.angular_velocity
  torque[k] = wheel.inertia * (wheel.angular_velocity - before) / world.dt + joint.friction -- what the motor gave
  if not reached and speed[k] > 10 - 1e-9 then reached = world.time end
end

local hall = delassus.world{ planar = true }
local beam = hall:box{ size = {1, 0.1}, mass = 2, position = {0.5, 0} }
local servo = hall:joint{ "revolute", hall.ground, beam, anchor = {0, 0},
  motor = { position = 0, stiffness = 109.05, damping = 20 } }
hall:run(10)

local q = 0 -- k q = -m g l cos q by Newton's method
for _ = 1, 20 do q = q - (109.05 * q + 9.81 * math.cos(q)) / (109.05 - 9.81 * math.sin(q)) end
assert(math.abs(servo.q - q) < 1e-6)

assert(delassus.plot{ x = t, y = { {"speed (rad/s)", speed}, {"motor (N m)", torque} }, x_label = "time (s)",
  title = "A flywheel brought to speed", file = "motors.svg" })
print(("10 rad/s after %.3f s, exact %.3f s; then %.3f N m; the beam hangs at %.4f rad, exact %.4f"):format(reached,
  10 * 0.25 / 4, torque[1000], servo.q, q))
