-- A block on a belt, held by a spring, static friction 0.5, kinetic 0.3: stick and slip for ever.
-- Event-driven: the slip begins where the spring reaches mu_s N, with mu(0+) = mu_k; the stop is found by its own time.
-- Exact period for the belt's 0.1 m/s: 0.8068887871591406 s (0.4 s of it sticking).
-- Leaves belt.svg, the phase portrait.
-- Ends with: period 0.806888787 s, exact 0.806888787 s
local delassus = require "delassus"

local m, k, weight, belt = 1, 100, 10, 0.1
local s = delassus.system { q = { 0, 0 }, u = { belt, 0 }, dt = 5e-3, mass = { { m, 0 }, { 0, m } }, -- along the belt, up
  forces = function(q) return { -k * q[1], -weight } end,
  contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 },
    tangent_speed = function() return -belt end, friction = { static = 0.5, kinetic = 0.3 } } } }

local portrait = s:record {}
print(s:run(5))
local slips = {}
for _, event in ipairs(s.events) do
  if event.kind == "slip" then slips[#slips + 1] = event.t end
end
assert(delassus.plot { x = portrait.q[1], y = portrait.u[1], title = "Stick and slip on a belt",
  x_label = "position (m)", y_label = "speed (m/s)", y_range = { -0.25, 0.15 }, file = "belt.svg" })
local w = math.sqrt(k / m)
local stick_end, centre = 0.5 * weight / k, 0.3 * weight / k
local slip = 2 / w * (math.pi - math.atan((stick_end - centre) * w / belt))
local exact = slip + 2 * (stick_end - centre) / belt
print(("period %.9f s, exact %.9f s"):format((slips[#slips] - slips[1]) / (#slips - 1), exact))
