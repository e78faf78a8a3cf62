-- A ball bounces with e = 0.9: every impact keeps e of the speed, with no threshold below which it sticks.
-- What the weight did in the step of the impact before the gap closed comes back only as e of it: the speeds at the
-- ends of that step have a ratio a little below e (to the bit e where nothing presses), and impacts are right to
-- two steps. t_3 = t_0 (1 + 2 e + 2 e^2), t_0 = sqrt(2 h / g) with h the way of the ball's lowest point.
-- Ends with: dt = 0.0005 s: third impact at 1.9965 s, exact 1.9957, e = 0.89994
local delassus = require "delassus"

local e, h, g = 0.9, 1, 9.81
local exact = math.sqrt(2 * h / g) * (1 + 2 * e + 2 * e * e)

for _, dt in ipairs { 2e-3, 1e-3, 5e-4 } do
  local world <close> = delassus.world { planar = true, dt = dt, log = true }
  world:floor { restitution = e }
  local ball = world:disk { radius = 0.1, density = 850, position = { 0, h + 0.1 }, restitution = e }
  local impacts, ratio = 0, 0
  while impacts < 3 do
    local before = ball.velocity.y
    world:step()
    if ball.velocity.y > 0 and before < 0 then
      impacts, ratio = impacts + 1, -ball.velocity.y / before
    end
  end
  assert(math.abs(world.time - exact) < 2 * dt)
  print(("dt = %g s: third impact at %.4f s, exact %.4f, e = %.5f"):format(dt, world.time, exact, ratio))
end
