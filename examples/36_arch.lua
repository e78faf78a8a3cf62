-- A semicircular arch of 15 stones without mortar stands or falls with its thickness: t / R = 0.13 stands, 0.09 falls.
-- The line of thrust must stay within the stones; for a half circle that needs t / R >= 0.1075 (Milankovitch 1907).
-- Friction is high, so that joints open and do not slide. What stands carries its weight: the springings' forces are the arch's.
-- Leaves arch.svg: height of the crown over time of both.
-- Ends with: t/R = 0.13 stands: crown lower by less than 1e-6 m: true, floor carries 1.000000 of the weight; 0.09 falls: true
local delassus = require "delassus"

local stones, R = 15, 5
local function arch(ratio, seconds)
  local world = delassus.world{ planar = true, dt = 2e-3, record = false }
  world:floor{ friction = 2 }
  local t, bodies = ratio * R, {}
  for k = 1, stones do
    local points = {}
    for _, corner in ipairs{ {k - 1, -1}, {k - 1, 1}, {k, 1}, {k, -1} } do
      local angle, radius = math.pi * corner[1] / stones, R + corner[2] * t / 2
      points[#points + 1] = { radius * math.cos(angle), radius * math.sin(angle) }
    end
    bodies[k] = world:polygon{ name = "stone " .. k, points = points, density = 2000, friction = 2 }
  end
  local crown, time, heights = bodies[(stones + 1) // 2], {}, {}
  local start = crown.centre.y
  world:run(seconds, function() time[#time + 1], heights[#heights + 1] = world.time, crown.centre.y - start end)
  local carried, weight = 0, 0
  for _, body in ipairs(bodies) do weight = weight + 9.81 * body.mass end
  for contact in world:contacts() do
    if contact.a == world.bodies[1] then carried = carried + contact.force.y end
  end
  return time, heights, carried / weight
end

local time, standing, carried = arch(0.13, 2)
local _, falling = arch(0.09, 2)
assert(delassus.plot{ x = time, y = { {"t/R = 0.13", standing}, {"t/R = 0.09", falling} }, x_label = "time (s)",
  y_label = "crown (m)", title = "An arch that stands and one that falls", file = "arch.svg" })
print(("t/R = 0.13 stands: crown lower by less than 1e-6 m: %s, floor carries %.6f of the weight; 0.09 falls: %s"):format(
  math.abs(standing[#standing]) < 1e-6 and "true" or standing[#standing], carried, falling[#falling] < -1 and "true"
  or falling[#falling]))
