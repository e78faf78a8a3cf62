-- A slider-crank whose slider has 1 mm of clearance in its guide: its four corners hit the walls, e = 0.4.
-- Event-driven with Newton's law; coordinates are the angles of crank, rod and slider (the system of Flores and Leine).
-- Without friction only impacts take energy: what is missing after 0.1 s is what the log of impacts took.
-- Leaves slider_crank.svg: the slider's height between its walls, and its phase portrait.
-- Ends with: energy lost and energy that impacts took agree to 1e-8: true
local delassus = require "delassus"

local sin, cos, g = math.sin, math.cos, 9.81
local l1, l2, a, b, c = 0.153, 0.306, 0.05, 0.025, 0.001
local m1, m2, m3, J1, J2, J3 = 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 2.7e-6
local k = (m2 / 2 + m3) * l1 * l2

local function wall(side, corner) -- side 1: the upper wall; corner 1: the right one
  return { restitution = 0.4,
    gap = function(q)
      return b + c - side * (l1 * sin(q[1]) + l2 * sin(q[2])) - side * corner * a * sin(q[3]) - b * cos(q[3])
    end,
    normal = function(q)
      return { -side * l1 * cos(q[1]), -side * l2 * cos(q[2]), -side * corner * a * cos(q[3]) + b * sin(q[3]) }
    end }
end
local function mass(q)
  local off = k * cos(q[1] - q[2])
  return { { J1 + (m1 / 4 + m2 + m3) * l1 ^ 2, off, 0 }, { off, J2 + (m2 / 4 + m3) * l2 ^ 2, 0 }, { 0, 0, J3 } }
end
local s = delassus.system { q = { 0, 0, 0 }, u = { 150, -75, 3 }, dt = 4e-5, mass = mass,
  forces = function(q, u)
    local turn = k * sin(q[1] - q[2])
    return { -turn * u[2] ^ 2 - g * (m1 / 2 + m2 + m3) * l1 * cos(q[1]),
      turn * u[1] ^ 2 - g * (m2 / 2 + m3) * l2 * cos(q[2]), 0 }
  end,
  contacts = { wall(1, -1), wall(1, 1), wall(-1, -1), wall(-1, 1) } }

local function energy()
  local q, u, M, sum = s.q, s.u, mass(s.q), 0
  for i = 1, 3 do
    for j = 1, 3 do sum = sum + u[i] * M[i][j] * u[j] / 2 end
  end
  return sum + g * ((m1 / 2 + m2 + m3) * l1 * sin(q[1]) + (m2 / 2 + m3) * l2 * sin(q[2]))
end

local before, turning = energy(), s:record {}
print(s:run(0.1))
local height, speed, time = {}, {}, {}
for i, t in ipairs(turning.t) do
  local q1, q2 = turning.q[1][i], turning.q[2][i]
  height[i], time[i] = 1e3 * (l1 * sin(q1) + l2 * sin(q2)), 1e3 * t
  speed[i] = l1 * cos(q1) * turning.u[1][i] + l2 * cos(q2) * turning.u[2][i]
end
assert(delassus.plot.figures { file = "slider_crank.svg", columns = 1,
  { x = time, y = height, title = "A slider with a clearance of 1 mm on each side", x_label = "time (ms)",
    y_label = "height (mm)", y_range = { -1.2, 1.2 } },
  { x = height, y = speed, title = "Its phase portrait", x_label = "height (mm)", y_label = "speed (m/s)",
    x_range = { -1.2, 1.2 } } })
local lost = before - energy()
print(("lost %.9f J, impacts took %.9f J"):format(lost, s.stats.dissipated))
print("energy lost and energy that impacts took agree to 1e-8: " .. tostring(math.abs(lost - s.stats.dissipated) < 1e-8 * before))
