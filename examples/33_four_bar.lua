-- A four-bar and its coupler curve, with equal axes: crank 0.2 m, coupler 0.6 m, rocker 0.5 m, ground 0.7 m.
-- Grashof: shortest + longest < sum of the others, so that the crank turns round. The loop is closed by a rigid joint.
-- The curve of a point of the coupler against the closed form: the pin between coupler and rocker is where two circles meet.
-- Leaves four_bar.svg.
-- Ends with: coupler point off the closed form by less than 1e-9 m, loop open by less than 1e-12 m: true true
local delassus = require "delassus"

local crank, coupler, rocker, ground = 0.2, 0.6, 0.5, 0.7
local px, py = 0.3, 0.25 -- the point, in the coupler's frame: along it and across

local function positions(angle) -- pins A and B, and the coupler's angle, by the meeting of two circles
  local ax, ay = crank * math.cos(angle), crank * math.sin(angle)
  local dx, dy = ground - ax, -ay
  local d = math.sqrt(dx * dx + dy * dy)
  local along = (d * d + coupler ^ 2 - rocker ^ 2) / (2 * d)
  local across = math.sqrt(coupler ^ 2 - along ^ 2)
  local bx, by = ax + (along * dx - across * dy) / d, ay + (along * dy + across * dx) / d
  return ax, ay, bx, by, math.atan(by - ay, bx - ax)
end

local world = delassus.world{ planar = true }
local function bar(x1, y1, x2, y2)
  local length = math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2)
  return world:body{ shape = delassus.capsule{ radius = 0.015, length = length }, density = 500, collides = false,
    position = {(x1 + x2) / 2, (y1 + y2) / 2}, rotation = math.atan(y2 - y1, x2 - x1) }
end
local ax, ay, bx, by = positions(0)
local a, b, c = bar(0, 0, ax, ay), bar(ax, ay, bx, by), bar(bx, by, ground, 0)
local speed = 2 * math.pi
world:joint{ "revolute", world.ground, a, anchor = {0, 0}, motion = function(t) return speed * t, speed, 0 end }
world:joint{ "revolute", a, b, anchor = {ax, ay} }
world:joint{ "revolute", world.ground, c, anchor = {ground, 0} }
local last = world:joint{ "revolute", b, c, anchor = {bx, by} } -- closes the loop

local xs, ys, off, open = {}, {}, 0, 0
world:run(1, function()
  local angle = b.rotation
  local across = delassus.vec{ -math.sin(angle), math.cos(angle) } * py
  local along = delassus.vec{ math.cos(angle), math.sin(angle) } * (px - coupler / 2)
  local point = b.position + along + across
  local x, y, _, _, exact = positions(speed * world.time)
  local want = delassus.vec{ x + px * math.cos(exact) - py * math.sin(exact), y + px * math.sin(exact) + py * math.cos(exact) }
  off, open = math.max(off, (point - want):norm()), math.max(open, (last:violation()))
  xs[#xs + 1], ys[#ys + 1] = point.x, point.y
end)
assert(delassus.plot{ x = xs, y = { {"coupler point", ys} }, equal = true, x_label = "x (m)", y_label = "y (m)",
  title = "The coupler curve of a four-bar", file = "four_bar.svg" })
print(("coupler point off the closed form by less than 1e-9 m, loop open by less than 1e-12 m: %s %s"):format(off < 1e-9
  and "true" or off, open < 1e-12 and "true" or open))
