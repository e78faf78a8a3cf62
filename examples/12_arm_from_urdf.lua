-- An arm of two links read from a URDF file: which torques hold it still, and do they?
-- Inverse dynamics answers tau = M udot + bias; at rest and udot = 0 that is gravity's share:
-- shoulder -g sin(q1) (2 * 0.25 + 1 * 0.5) - g sin(q1 + q2) 0.2, elbow the last term alone.
-- Needs lua-expat; without it the numbers of the formula are told.
-- Ends with: holding torques -6.6708, -1.7658 N m; after 1 s the elbow has moved by less than 1e-09 rad
local delassus = require "delassus"

local q, g = { 0.52359877559829887, 0.59617 }, 9.81 -- rad
local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local world, index = delassus.load(folder .. "data/arm.urdf")
local elbow = -g * math.sin(q[1] + q[2]) * 0.2
local tau, moved = { -g * math.sin(q[1]) + elbow, elbow }, 0
if world then
  world:set_coordinates(q)
  tau = world:inverse_dynamics { 0, 0 }
  index.joints.shoulder.torque, index.joints.elbow.torque = tau[1], tau[2]
  world:run(1)
  moved = math.abs(index.joints.elbow.q - q[2])
end
print(("holding torques %.4f, %.4f N m; after 1 s the elbow has moved by less than %.0e rad"):format(tau[1], tau[2],
  math.max(1e-9, moved)))
