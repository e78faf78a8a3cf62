-- Newton's cradle of five balls, e = 1, the first one at 1 m/s: two laws of impact, two answers.
-- All contacts at once (Newton's law for every pair): (-0.6, 0.4, 0.4, 0.4, 0.4) m/s, the exact solution.
-- Pair after pair ("sequential"): (0, 0, 0, 0, 1), what steel balls do.
-- Both keep momentum and, at e = 1, energy.
-- Ends with: sequential   0.0  0.0  0.0  0.0  1.0
local delassus = require "delassus"

for _, law in ipairs { "newton", "sequential" } do
  local world <close> = delassus.world { planar = true, gravity = { 0, 0 }, impact = law, tolerance = 1e-13 }
  local balls = {}
  for i = 1, 5 do
    balls[i] = world:disk { radius = 0.05, density = 7800, position = { 0.1 * i, 0 }, restitution = 1, friction = 0 }
  end
  balls[1].velocity = { 1, 0 }
  world:step()
  local line = {}
  for i, ball in ipairs(balls) do
    local v = math.floor(ball.velocity.x * 1e9 + 0.5) / 1e9
    line[i] = ("%4.1f"):format(v == 0 and 0 or v)
  end
  print(("%-11s %s"):format(law, table.concat(line, " ")))
end
