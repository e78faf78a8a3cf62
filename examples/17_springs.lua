-- Springs and dampers between bodies: a damped oscillation against its closed form, and a spring as stiff as you like.
-- m x'' + c x' + k x = 0: x = exp(-z w t) (cos(d t) + z w / d sin(d t)), w^2 = k/m, z = c / (2 m w), d = w sqrt(1 - z^2).
-- Springs are implicit: with k = 1e12 N/m and 1 ms the step stays stable, and the spring is a rod (to g dt^2 / 4).
-- Leaves springs.svg: both curves.
-- Ends with: off by at most 6.1e-06 m at 1 ms, 1.5e-06 at 0.5 ms; the stiff spring keeps its length to 3e-06 m: true
local delassus = require "delassus"

local m, k, c = 2, 200, 2
local w = math.sqrt(k / m)
local z = c / (2 * m * w)
local d = w * math.sqrt(1 - z * z)

local function oscillate(dt)
  local world = delassus.world{ planar = true, gravity = {0, 0}, dt = dt, record = false }
  local body = world:disk{ radius = 0.1, mass = m, position = {1.1, 0} }
  world:spring{ world.ground, body, stiffness = k, damping = c, length = 1 }
  local t, x, exact, worst = {}, {}, {}, 0
  world:run(2, function()
    local s = world.time
    t[#t + 1], x[#x + 1] = s, body.position.x - 1
    exact[#exact + 1] = 0.1 * math.exp(-z * w * s) * (math.cos(d * s) + z * w / d * math.sin(d * s))
    worst = math.max(worst, math.abs(x[#x] - exact[#x]))
  end)
  return worst, t, x, exact
end

local worst, t, x, exact = oscillate(1e-3)
local finer = oscillate(5e-4)

local stiff = delassus.world{ planar = true }
local bob = stiff:disk{ radius = 0.1, mass = 1, position = {1, 0} }
stiff:spring{ stiff.ground, bob, stiffness = 1e12, length = 1 }
local stretch = 0
stiff:run(2, function() stretch = math.max(stretch, math.abs(bob.position:norm() - 1)) end)

assert(delassus.plot{ x = t, y = { {"stepped", x}, {"exact", exact} }, x_label = "time (s)", y_label = "x (m)",
  title = "A damped oscillation", file = "springs.svg" })
print(("off by at most %.1e m at 1 ms, %.1e at 0.5 ms; the stiff spring keeps its length to 3e-06 m: %s"):format(worst, finer,
  stretch < 3e-6 and "true" or stretch))
