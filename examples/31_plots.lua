-- Figures: curves, phase portrait with equal axes, logarithmic axes with error bars, a heat map, on one sheet.
-- A pendulum integrated at four steps by the midpoint rule: the error falls by 4 as the step is halved, slope 2.
-- The heat map is the energy over angle and speed: orbits follow its lines.
-- Leaves plots.svg.
-- Ends with: slope of the error over the step: 2.0
local delassus = require "delassus"

local function swing(dt, seconds)
  local world = delassus.world{ planar = true, dt = dt, record = false }
  local bob = world:body{ mass = 1, inertia = 0, position = {1, 0} }
  local joint = world:joint{ "revolute", world.ground, bob, anchor = {0, 0} }
  local t, q, u = {}, {}, {}
  world:run(seconds, function() t[#t + 1], q[#q + 1], u[#u + 1] = world.time, joint.q, joint.qd end)
  return t, q, u
end

local t, q, u = swing(1e-3, 4)
local exact = delassus.world{ planar = true }
local joint = exact:joint{ "revolute", exact.ground, exact:body{ mass = 1, inertia = 0, position = {1, 0} }, anchor = {0, 0} }
exact:integrate{ method = "dopri5", to = 1, rtol = 1e-12, atol = 1e-14 }
local steps, errors, bars = {}, {}, {}
for k = 0, 3 do
  steps[k + 1] = 1 / (100 * 2 ^ k)
  local _, some = swing(steps[k + 1], 1)
  errors[k + 1] = math.abs(some[#some] - joint.q)
  bars[k + 1] = 0.1 * errors[k + 1]
end
local slope = math.log(errors[3] / errors[4]) / math.log(2)

local angles, speeds, energy = {}, {}, {}
for i = 1, 60 do angles[i] = -4 + 5 * i / 60 end
for j = 1, 40 do
  speeds[j], energy[j] = -5 + 10 * j / 40, {}
  for i = 1, 60 do energy[j][i] = speeds[j] ^ 2 / 2 + 9.81 * math.sin(angles[i]) end
end

assert(delassus.plot.figures{
  { x = t, y = { {"angle (rad)", q}, {"speed (rad/s)", u} }, x_label = "time (s)", title = "A pendulum" },
  { x = q, y = u, equal = true, x_label = "angle (rad)", y_label = "speed (rad/s)", title = "Phase portrait, equal axes" },
  { x = steps, y = errors, error = bars, log = "xy", kind = "scatter", x_label = "step (s)", y_label = "error (rad)",
    title = "Second order" },
  { x = angles, y = speeds, z = energy, kind = "heat", x_label = "angle (rad)", y_label = "speed (rad/s)", title = "Energy (J)" },
  columns = 2, file = "plots.svg" })
print(("slope of the error over the step: %.1f"):format(slope))
