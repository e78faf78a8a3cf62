-- Painleve's rod: it slides on its end with friction 1.5, inside the cone of angles where no forces satisfy the laws.
-- There the end jams by an impact without collision; `s:solutions()` shows none, one or two solutions before and after.
-- Exact: for this rod A = 1 + 3 cos^2 - 4.5 sin cos < 0 between 50.6416 and 73.0485 degrees, and b < 0 means none.
-- Leaves painleve.svg: angle and turning speed.
-- Ends with: solutions at 45, 60 (resting), 60 (turning), 80 degrees: 1 0 2 1
local delassus = require "delassus"

local sin, cos, mu = math.sin, math.cos, 1.5
local function rod(degrees, omega)
  local theta = math.rad(degrees) -- of half length 1, its end slides back at 1 m/s
  return delassus.system { q = { 0, sin(theta), theta }, u = { -1 - omega * sin(theta), omega * cos(theta), omega },
    mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 / 3 } }, forces = { 0, -9.81, 0 },
    contacts = { { gap = function(q) return q[2] - sin(q[3]) end, normal = function(q) return { 0, 1, -cos(q[3]) } end,
      tangent = function(q) return { 1, 0, sin(q[3]) } end, friction = mu } } }
end

local s = rod(60, 0)
local track = s:record {}
print(s:run(0.6))
for _, event in ipairs(s.events) do print(("%.6f s  %-12s %s"):format(event.t, event.kind, event.mode)) end
local degrees = {}
for i, theta in ipairs(track.q[3]) do degrees[i] = math.deg(theta) end
assert(delassus.plot { x = degrees, y = track.u[3], title = "Painleve's rod", x_label = "angle (degrees)",
  y_label = "turning (rad/s)", file = "painleve.svg" })
print(("solutions at 45, 60 (resting), 60 (turning), 80 degrees: %d %d %d %d"):format(#rod(45, 0):solutions(),
  #rod(60, 0):solutions(), #rod(60, 5):solutions(), #rod(80, 0):solutions()))
