-- Materials: what two of them make of each other, and a pair that is told.
-- Blocks slide down a slope of 0.5 rad: s = g (sin b - mu cos b) t^2 / 2 with mu the geometric mean sqrt(mu1 mu2) of the
-- block's and the slope's friction; of one pair the friction is told instead. Balls: the smaller restitution counts (0.9, 0.6).
-- Leaves materials.svg: way over friction, and the exact line.
-- Ends with: 6 blocks off by less than 1e-9 m; the told pair slides 2.1364 m, exact 2.1364; a ball bounces at 0.600
local delassus = require "delassus"

local b, slope_friction = 0.5, 0.36
local world = delassus.world{ gravity = { 9.81 * math.sin(b), 0, -9.81 * math.cos(b) } }
local stone = delassus.material{ friction = slope_friction }
world:floor{ material = stone }
local frictions, blocks, ways, exact, worst = { 0.04, 0.16, 0.25, 0.36, 0.49, 0.64 }, {}, {}, {}, 0
for i, mu in ipairs(frictions) do
  blocks[i] = world:box{ size = {0.4, 0.4, 0.2}, friction = mu, position = {0, i, 0.1} }
end
local ice = delassus.material{ friction = 0.5 }
local told = world:box{ size = {0.4, 0.4, 0.2}, material = ice, position = {0, 0, 0.1} }
world:pair{ ice, stone, friction = 0.05 }
world:run(1)

local function way(mu) return math.max(0, 9.81 * (math.sin(b) - mu * math.cos(b)) / 2) end
for i, mu in ipairs(frictions) do
  ways[i], exact[i] = blocks[i].position.x, way(math.sqrt(mu * slope_friction))
  worst = math.max(worst, math.abs(ways[i] - exact[i]))
end

local hall = delassus.world{ gravity = {0, 0, 0} }
hall:floor{ restitution = 0.6 }
local ball = hall:sphere{ radius = 0.1, position = {0, 0, 0.2}, velocity = {0, 0, -1}, restitution = 0.9 }
hall:run(0.5)

assert(delassus.plot{ x = frictions, y = { {"exact", exact}, {"blocks", ways} }, style = "points", x_range = {0, 0.7},
  y_range = {0, 2}, x_label = "friction of the block", y_label = "way (m)", title = "Two materials: the geometric mean",
  file = "materials.svg" })
print(("%d blocks off by %s; the told pair slides %.4f m, exact %.4f; a ball bounces at %.3f"):format(#blocks,
  worst < 1e-9 and "less than 1e-9 m" or worst, told.position.x, way(0.05), ball.velocity.z))
