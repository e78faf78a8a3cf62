-- A run of 15 dominoes, and how hard the first must be pushed: it turns about its lower edge and must pass its balance.
-- Energy: J w^2 / 2 = m g (r - h / 2), r the distance of the centre from the edge, J = m (4 r^2) / 3 about the edge.
-- With 0.99 of that speed it falls back and the run stands; with 1.01 all fall, one after the other.
-- Leaves dominoes.svg: when each domino has turned by 0.3 rad.
-- Ends with: 0.99 of 1.059 rad/s: 0 of 15 fall; 1.01: 15 of 15
local delassus = require "delassus"

local n, h, b, gap = 15, 0.5, 0.1, 0.3
local r = math.sqrt(h * h + b * b) / 2
local least = math.sqrt(2 * 9.81 * (r - h / 2) / (4 * r * r / 3))

local function run(share)
  local world = delassus.world{ planar = true, record = 5 }
  world:floor{ friction = 0.8 }
  local dominoes, when = {}, {}
  for k = 1, n do
    dominoes[k] = world:box{ name = "domino " .. k, size = {b, h}, density = 600, position = {k * gap, h / 2}, friction = 0.8 }
  end
  local first, speed = dominoes[1], share * least -- about its lower edge on the right
  first.angular_velocity, first.velocity = -speed, { speed * h / 2, speed * b / 2 }
  world:run(5, function()
    for k = 1, n do if not when[k] and dominoes[k].rotation < -0.3 then when[k] = world.time end end
  end)
  local fallen = 0
  for k = 1, n do if dominoes[k].rotation < -0.3 then fallen = fallen + 1 end end
  return fallen, when
end

local back = run(0.99)
local all, when = run(1.01)
local numbers = {}
for k = 1, n do numbers[k], when[k] = k, when[k] or 0 / 0 end
assert(delassus.plot{ x = numbers, y = { {"turned by 0.3 rad", when} }, style = "points", x_label = "domino",
  y_label = "time (s)", title = "A run of dominoes", file = "dominoes.svg" })
print(("0.99 of %.3f rad/s: %d of %d fall; 1.01: %d of %d"):format(least, back, n, all, n))
