-- A leg of the Strandbeest (Theo Jansen's eleven numbers, here in decimetres): a crank of 1.5 drives seven bars and two plates.
-- Loops close by rigid joints; every pin is where two circles meet, so that the foot's path is known in closed form.
-- On the ground the foot goes nearly straight. Leaves strandbeest.svg, the foot's path with equal axes.
-- Ends with: foot off the closed form by less than 1e-9: true; a stride of 6.79 long, 2.25 high
local delassus = require "delassus"

local a, b, c, d, e, f, g, h, i, j, k, l, m = 3.80, 4.15, 3.93, 4.01, 5.58, 3.94, 3.67, 6.57, 4.90, 5.00, 6.19, 0.78, 1.50

local function meet(p, r, q, s) -- the point at r from p and s from q, on the left of the way from p to q
  local dx, dy = q[1] - p[1], q[2] - p[2]
  local D = math.sqrt(dx * dx + dy * dy)
  local along = (D * D + r * r - s * s) / (2 * D)
  local across = math.sqrt(r * r - along * along)
  return { p[1] + (along * dx - across * dy) / D, p[2] + (along * dy + across * dx) / D }
end

local O, F = {0, 0}, {-a, -l} -- the crank's pin and the fixed one
local function pins(angle)
  local A = { m * math.cos(angle), m * math.sin(angle) }
  local B, C = meet(F, b, A, j), meet(A, k, F, c)
  local D = meet(F, d, B, e)
  local E = meet(C, g, D, f)
  return { O = O, F = F, A = A, B = B, C = C, D = D, E = E, foot = meet(C, i, E, h) }
end

local world = delassus.world{ planar = true, gravity = {0, 0} }
local start, bodies, speed = pins(0), {}, 2 * math.pi
for _, link in ipairs{ "OA", "AB", "AC", "CF", "DE", "FBD", "CE*" } do -- two bars FB, FD, BD are one plate, and C, E, foot
  local p, q = start[link:sub(1, 1)], start[link:sub(2, 2)]
  bodies[link] = world:body{ name = link, mass = 1, inertia = 1, position = {(p[1] + q[1]) / 2, (p[2] + q[2]) / 2} }
end
local function pin(one, other, at, motion)
  return world:joint{ "revolute", bodies[one] or world.ground, bodies[other], anchor = start[at], motion = motion }
end
pin("ground", "OA", "O", function(t) return speed * t, speed, 0 end)
pin("OA", "AB", "A"); pin("OA", "AC", "A"); pin("ground", "FBD", "F"); pin("ground", "CF", "F")
pin("FBD", "DE", "D"); pin("CF", "CE*", "C")
pin("AB", "FBD", "B"); pin("AC", "CF", "C"); pin("DE", "CE*", "E") -- three loops

local plate, xs, ys, off = bodies["CE*"], {}, {}, 0
local arm = delassus.vec(start.foot) - plate.position
world:run(1, function()
  local cos, sin, want = math.cos(plate.rotation), math.sin(plate.rotation), pins(speed * world.time).foot
  local foot = plate.position + delassus.vec{ cos * arm.x - sin * arm.y, sin * arm.x + cos * arm.y }
  off = math.max(off, (foot - delassus.vec(want)):norm())
  xs[#xs + 1], ys[#ys + 1] = foot.x, foot.y
end)
assert(delassus.plot{ x = xs, y = { {"foot", ys} }, equal = true, title = "A leg of the Strandbeest", file = "strandbeest.svg" })
local function span(list) return math.max(table.unpack(list)) - math.min(table.unpack(list)) end
print(("foot off the closed form by less than 1e-9: %s; a stride of %.2f long, %.2f high"):format(off < 1e-9 and "true" or off,
  span(xs), span(ys)))
