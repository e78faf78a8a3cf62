-- An arm of three links takes boxes from a row, one after the other, and stacks them.
-- Its joints are driven: two links to the wrist by the law of cosines, the third keeps the hand level. A rigid joint between
-- hand and box is the grip, made and removed while the world runs. Each way goes as 10 s^3 - 15 s^4 + 6 s^5.
-- The tower stands, and its forces are those of statics. Leaves stacking.svg: the hand's path with equal axes.
-- Ends with: heights 0.1000 0.3000 0.5000 m, the lowest carries 2.0000 boxes
local delassus = require "delassus"

local l1, l2, reach, side = 0.8, 0.8, 0.1, 0.2 -- upper arm, forearm, from the wrist down to the grip, edge of a box
local world = delassus.world{ planar = true, dt = 2e-3, record = 30 }
world:floor{ friction = 0.6 }
local boxes = {}
for k = 1, 3 do boxes[k] = world:box{ size = {side, side}, mass = 8, position = {0.4 + 0.3 * k, side / 2}, friction = 0.6 } end

local function angles(x, y) -- of the two links for the wrist at x, y; the shoulder is at (0, 0.6), the elbow up
  local d2 = x * x + (y - 0.6) ^ 2
  local elbow = -math.acos((d2 - l1 * l1 - l2 * l2) / (2 * l1 * l2))
  return math.atan(y - 0.6, x) - math.atan(l2 * math.sin(elbow), l1 + l2 * math.cos(elbow)), elbow
end
local goal, from, began, lasts = { 0.7, 0.9 }, { 0.7, 0.9 }, 0, 1
local function wrist(t)
  local s = math.max(0, math.min(1, (t - began) / lasts))
  s = s * s * s * (10 + s * (6 * s - 15))
  return from[1] + s * (goal[1] - from[1]), from[2] + s * (goal[2] - from[2])
end
local a0, b0 = angles(goal[1], goal[2])
local function drive(which) -- the joint's angle, from the pose in which it is made, and its rates by differences
  local function at(t)
    local a, b = angles(wrist(t))
    return which == 1 and a - a0 or which == 2 and b - b0 or a0 + b0 - a - b
  end
  local e = 1e-4
  return function(t) return at(t), (at(t + e) - at(t - e)) / (2 * e), (at(t + e) - 2 * at(t) + at(t - e)) / (e * e) end
end
local elbow = delassus.vec{ l1 * math.cos(a0), 0.6 + l1 * math.sin(a0) }
local last = world.ground
for i, pin in ipairs{ delassus.vec{0, 0.6}, elbow, delassus.vec(goal) } do
  local link = world:body{ name = "link " .. i, mass = 2, inertia = 0.1, position = pin }
  world:joint{ "revolute", last, link, anchor = pin, motion = drive(i) }
  last = link
end

local hand, xs, ys = last, {}, {}
local function go(x, y, seconds) -- the grip to x, y
  from, goal, began, lasts = goal, { x, y + reach }, world.time, seconds
  world:run(seconds, function() xs[#xs + 1], ys[#ys + 1] = hand.position.x, hand.position.y - reach end)
end
for k, box in ipairs(boxes) do
  local x = box.position.x
  go(x, 0.8, 1); go(x, side, 0.6)
  local grip = world:joint{ "fixed", hand, box, formulation = "rigid" }
  go(x, 0.8, 0.6); go(0.3, 0.8, 0.8); go(0.3, side * k + 1e-4, 0.6)
  world:remove(grip); world:run(0.2); go(0.3, 0.8, 0.6)
end

local carried = 0
for c in boxes[1]:contacts() do if c.b == boxes[2] or c.a == boxes[2] then carried = carried + c.normal_force end end
assert(delassus.plot{ x = xs, y = ys, equal = true, x_label = "x (m)", title = "The hand", file = "stacking.svg" })
print(("heights %.4f %.4f %.4f m, the lowest carries %.4f boxes"):format(boxes[1].position.y, boxes[2].position.y,
  boxes[3].position.y, carried / (9.81 * boxes[1].mass)))
