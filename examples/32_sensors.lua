-- Sensors and rays: light barriers that a falling ball passes, and a range finder on a turning head.
-- A sensor is found in contacts and touched by nothing. From three passages at known heights follows g:
-- with times t1, t2 between the barriers, g = 2 (h2 / t2 - h1 / t1) / (t1 + t2).
-- The range finder's distances to a wall are d / cos(angle). Leaves sensors.svg: what the head sees of the room.
-- Ends with: g = 9.8 m/s2 from three barriers; 72 rays off by at most 1e-12 m: true
local delassus = require "delassus"

local world = delassus.world{ dt = 1e-4, planar = true }
local ball = world:disk{ name = "ball", radius = 0.05, density = 100, position = {0, 3} }
local seen = {}
for i, height in ipairs{ 2.5, 1.5, 0.5 } do
  world:box{ name = "barrier " .. i, type = "static", sensor = true, size = {1, 0.002}, position = {0, height} }
end
world:run(0.8, function()
  for contact in world:contacts() do
    local barrier = contact.a == ball and contact.b or contact.a
    if barrier.sensor and contact.gap <= 0 then seen[barrier.name] = seen[barrier.name] or world.time end
  end
end)
local t1, t2 = seen["barrier 2"] - seen["barrier 1"], seen["barrier 3"] - seen["barrier 2"]
local g = 2 * (1 / t2 - 1 / t1) / (t1 + t2)

local room = delassus.world{ planar = true }
for _, wall in ipairs{ { {1, 0}, -2 }, { {-1, 0}, -3 }, { {0, 1}, -1 }, { {0, -1}, -1.5 } } do
  room:wall{ normal = wall[1], offset = wall[2] } -- solid where normal . x < offset: a room from -2 to 3, from -1 to 1.5
end
local xs, ys, worst = {}, {}, 0
for k = 1, 72 do
  local angle = k * math.pi / 36
  local c, s = math.cos(angle), math.sin(angle)
  local _, point = room:raycast({0, 0}, {10 * c, 10 * s})
  local exact = math.min(c > 0 and 3 / c or -2 / c, s > 0 and 1.5 / s or -1 / s)
  worst = math.max(worst, math.abs(point:norm() - exact))
  xs[k], ys[k] = point.x, point.y
end
assert(delassus.plot{ x = xs, y = { {"hits", ys} }, kind = "scatter", equal = true, x_label = "x (m)", y_label = "y (m)",
  title = "What the head sees", file = "sensors.svg" })
print(("g = %.1f m/s2 from three barriers; 72 rays off by at most 1e-12 m: %s"):format(g, worst < 1e-12 and "true" or worst))
