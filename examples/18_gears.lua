-- Two wheels with a gear between them: the second turns -1/3 of the first.
-- A torque T on the first accelerates both: dw1/dt = T / (J1 + J2 / 9), power and angle follow from it.
-- A gear couples the coordinates of two joints, whatever their formulation; here one is reduced, one rigid.
-- Leaves gears.svg: both angles over time.
-- Ends with: acceleration 7.2000 rad/s2, exact 7.2000; after 2 s 14.40000 and -4.80000 rad
local delassus = require "delassus"

local world = delassus.world{ planar = true, gravity = {0, 0} }
local J1, J2, T = 0.125, 0.125, 1
local first = world:body{ name = "first", mass = 1, inertia = J1, position = {0, 0} }
local second = world:body{ name = "second", mass = 1, inertia = J2, position = {1, 0} }
local a = world:joint{ "revolute", world.ground, first, torque = T }
local b = world:joint{ "revolute", world.ground, second, formulation = "rigid" }
local gear = world:gear{ a, b, ratio = -1 / 3 }

local t, q1, q2 = {}, {}, {}
local exact = T / (J1 + J2 / 9)
local udot = world:accelerations()[1]
world:run(2, function() t[#t + 1], q1[#q1 + 1], q2[#q2 + 1] = world.time, first.rotation, second.rotation end)

assert(math.abs(gear:violation()) < 1e-12)
assert(delassus.plot{ x = t, y = { {"first", q1}, {"second", q2} }, x_label = "time (s)", y_label = "angle (rad)",
  title = "A gear of -1/3", file = "gears.svg" })
print(("acceleration %.4f rad/s2, exact %.4f; after 2 s %.5f and %.5f rad"):format(udot, exact, first.rotation,
  second.rotation))
