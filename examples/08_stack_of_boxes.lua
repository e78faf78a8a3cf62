-- Twenty boxes of a metre on each other for five seconds: a stack that stands still.
-- Contact forces are those of statics: the floor carries the weight of all, to rounding.
-- No overlap, no drift, no speed left: exact complementarity, positions projected apart from velocities.
-- Peers leave millimetres of drift here, or sink by percents.
-- Ends with: floor carries 1.000000000 of the weight; overlap, drift, speed below 1e-9
local delassus = require "delassus"

local world <close> = delassus.world { planar = true, record = false }
world:floor { friction = 0.5 }
local boxes, weight = {}, 0
for i = 1, 20 do
  boxes[i] = world:box { size = { 1, 1 }, density = 100, position = { 0, i - 0.5 }, friction = 0.5 }
  weight = weight + boxes[i].mass * 9.81
end
world:run(5)

local floor, worst = 0, world.stats.penetration
for contact in boxes[1]:contacts() do
  if contact.a == boxes[1] or contact.b == boxes[1] then
    if contact.point.y < 0.01 then floor = floor + contact.normal_force end
  end
end
for i, box in ipairs(boxes) do
  worst = math.max(worst, math.abs(box.position.x), math.abs(box.position.y - (i - 0.5)), box.velocity:norm())
end
print(("floor carries %.9f of the weight; overlap, drift, speed below %s"):format(floor / weight,
  worst < 1e-9 and "1e-9" or ("%.1e"):format(worst)))
