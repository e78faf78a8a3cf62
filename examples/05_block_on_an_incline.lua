-- A block on a slope of 25 degrees, friction 0.4 < tan 25: it slides with the exact acceleration.
-- a = g (sin b - mu cos b), gravity turned instead of the slope; then friction 0.5 > tan 25: it stays.
-- Midpoint stepping has constant accelerations exact: the way after one second is right to rounding.
-- Coulomb's law holds exactly, so the block that sticks does not creep: its speed is zero.
-- Ends with: slides 0.294767 m (exact 0.294767), sticks at 0.0e+00 m/s
local delassus = require "delassus"

local slope, g = math.rad(25), 9.81

local function slide(mu)
  local world <close> = delassus.world { planar = true, gravity = { g * math.sin(slope), -g * math.cos(slope) } }
  world:floor { friction = mu }
  local block = world:box { size = { 0.4, 0.2 }, density = 500, position = { 0, 0.1 }, friction = mu }
  world:run(1)
  return block.position.x, block.velocity:norm()
end

local way = slide(0.4)
local exact = g * (math.sin(slope) - 0.4 * math.cos(slope)) / 2
local _, creep = slide(0.5)
print(("slides %.6f m (exact %.6f), sticks at %.1e m/s"):format(way, exact, creep < 1e-12 and 0 or creep))
