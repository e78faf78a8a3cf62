-- A Geneva drive with clearance: a pin on a turning driver enters a slot of a four-slotted wheel and turns it by a quarter.
-- Distance of the axes C = R sqrt 2: the pin enters along the slot. The slots are 1 mm wider than the pin; friction at the
-- wheel's axis holds it between the quarters. While the pin is in, wheel and driver follow tan(w) = sin(a) / (sqrt 2 - cos(a)).
-- Leaves geneva.svg: the wheel's angle over the driver's, and the law without clearance.
-- Ends with: four quarters: 360.3 degrees; off the law by at most 0.0121 rad, the play of the slot: 0.0121 rad
local delassus = require "delassus"

local R, pin, clearance = 0.1, 0.01, 0.001
local C = R * math.sqrt(2)
local world = delassus.world{ planar = true, gravity = {0, 0}, dt = 5e-4 }
local rail, half = 0.004, pin + clearance / 2 -- half width of a rail and of a slot
local parts = {}
for k = 0, 3 do -- each slot between two rails from the wheel's middle to its rim
  local angle = 3 * math.pi / 4 + k * math.pi / 2
  for _, side in ipairs{ -1, 1 } do
    local across = side * (half + rail)
    parts[#parts + 1] = { shape = delassus.box{ size = {0.075, 2 * rail} }, rotation = angle,
      position = { 0.0625 * math.cos(angle) - across * math.sin(angle), 0.0625 * math.sin(angle) + across * math.cos(angle) } }
  end
end
local wheel = world:body{ name = "wheel", shape = delassus.compound(parts), density = 2700, position = {C, 0}, friction = 0 }
local arm = world:disk{ name = "pin", radius = pin, density = 7800, position = {0, R}, friction = 0 } -- turned by its joint
world:joint{ "revolute", world.ground, wheel, anchor = {C, 0}, friction = 0.05, formulation = "reduced" }
local speed = 2 * math.pi
world:joint{ "revolute", world.ground, arm, anchor = {0, 0}, motion = function(t) return -speed * t, -speed, 0 end }

local driver, turned, law, worst = {}, {}, {}, 0
world:run(4, function()
  local a = math.pi / 2 - speed * world.time -- the pin's angle; the wheel is driven while it is within 45 degrees of 0
  local turns = math.floor((a + math.pi) / (2 * math.pi))
  local near = a - 2 * math.pi * turns
  local rest, driven = -turns * math.pi / 2, math.abs(near) < math.pi / 4
  local want = rest + math.pi / 4 - math.atan(math.sin(near), math.sqrt(2) - math.cos(near))
  if not driven then want = rest + (near > 0 and 0 or math.pi / 2) end
  driver[#driver + 1], turned[#turned + 1], law[#law + 1] = speed * world.time, wheel.rotation, want
  worst = math.max(worst, math.abs(wheel.rotation - want))
end)
assert(delassus.plot{ x = driver, y = { {"wheel", turned}, {"law", law} }, x_label = "driver (rad)", y_label = "wheel (rad)",
  title = "A Geneva drive", file = "geneva.svg" })
print(("four quarters: %.1f degrees; off the law by at most %.4f rad, the play of the slot: %.4f rad"):format(
  math.deg(wheel.rotation), worst, clearance / 2 / (C - R))) -- where the pin is nearest to the wheel's axis
