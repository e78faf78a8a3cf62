-- The heavy top of Geradin and Cardona: 15 kg spinning at 150 rad/s about its axis, one point held.
-- A spherical joint has a quaternion as coordinate; it stays unit to rounding after every step.
-- Reference (60 lines of Euler's equations at 1e-13): the centre at 0.1 s is (0.421297, 0.894572, -0.149165) m.
-- Runge and Kutta's classical method on the joint's exponential map, 1000 steps.
-- Ends with: centre at 0.1 s: (0.421297, 0.894572, -0.149165) m
local delassus = require "delassus"

local world <close> = delassus.world { record = false }
local top = world:body { mass = 15, inertia = { 0.234375, 0.46875, 0.234375 }, com = { 0, 1, 0 } }
local joint = world:joint { "spherical", world.ground, top, anchor = { 0, 0, 0 } }
joint.qd = { 0, 150, -4.61538 }
world:integrate { method = "rk4", dt = 1e-4, to = 0.1 }
print(("quaternion off unit by %.0e"):format(math.abs(joint.q:norm() - 1)))
print(("centre at 0.1 s: (%.6f, %.6f, %.6f) m"):format(top.centre:unpack()))
