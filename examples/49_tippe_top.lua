-- A tippe top: a ball whose mass centre lies below its middle, spun fast, turns over and spins on with its heavy side up.
-- Sliding friction does it. For any friction at the point of contact Jellett's integral is constant: the angular momentum
-- times the vector from the contact to the mass centre, L . (R z + a n), n from the middle to the mass centre.
-- Upright it spun with w, upside down it spins with w (R - a) / (R + a). Leaves tippe_top.svg: lean and spin over time.
-- Ends with: turned over: true; spin within 0.2 % of 166.667 rad/s: true; Jellett's integral kept to 5e-4: true
local delassus = require "delassus"

local R, a, m, w = 0.02, 0.004, 0.02, 250
local J = 0.4 * m * R * R
local world = delassus.world{ dt = 2e-4 }
world:floor{ friction = 0.3 }
local lean = 0.1 -- of the axis at first, rad
local top = world:sphere{ name = "top", radius = R, mass = m, inertia = {J, J, J}, com = {0, 0, -a}, friction = 0.3,
  position = {0, 0, R}, rotation = { axis = {0, 1, 0}, angle = lean }, angular_velocity = {0, 0, w} }

local z = delassus.vec{0, 0, 1}
local function jellett()
  local n = (top.centre - top.position) / a
  return J * top.angular_velocity:dot(R * z + a * n), n.z
end

local first = jellett()
local t, leans, spins, worst = {}, {}, {}, 0
for k = 1, 800 do
  world:run(0.01)
  local now, up = jellett()
  worst = math.max(worst, math.abs(now / first - 1))
  t[k], leans[k], spins[k] = world.time, math.deg(math.acos(math.max(-1, math.min(1, -up)))), top.angular_velocity.z
end
assert(delassus.plot.figures{
  { x = t, y = leans, x_label = "time (s)", y_label = "lean (degrees)", title = "A tippe top turns over" },
  { x = t, y = spins, x_label = "time (s)", y_label = "spin (rad/s)", title = "and keeps Jellett's integral" },
  columns = 1, file = "tippe_top.svg" })
local exact = w * (R - a) / (R + a)
print(("lean %.1f degrees, spin %.3f rad/s, Jellett's integral off by %.1e"):format(leans[800], spins[800], worst))
print(("turned over: %s; spin within 0.2 %% of %.3f rad/s: %s; Jellett's integral kept to 5e-4: %s"):format(leans[800] > 170,
  exact, math.abs(spins[800] / exact - 1) < 2e-3, worst < 5e-4))
