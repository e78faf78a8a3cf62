-- Prints relative deviations of a world with very many joints, to be run with a small C stack:
--   chain N   uniform rods along x, released at rest: first accelerations against the exact limit
--   comb N    a spine of hinges with a tooth on each: residual of M udot + bias = tau by inverse dynamics
local delassus = require "delassus"
local kind, n = arg[1], tonumber(arg[2])

local world = delassus.world{ planar = true, record = false }
local bodies = { [0] = world.ground }
for i = 1, n do
  local tooth = kind == "comb" and i % 2 == 0
  local carrier = (kind == "chain" or tooth) and i - 1 or math.max(i - 2, 0)
  local x = kind == "chain" and i - 1 or (i - 1) // 2
  bodies[i] = world:body{ mass = 1, inertia = 1 / 12, position = tooth and { x + 1, -0.5 } or { x + 0.5, 0 } }
  world:joint{ "revolute", bodies[carrier], bodies[i], anchor = { tooth and x + 1 or x, 0 } }
end
if kind == "chain" then
  local udot, sum, worst = world:accelerations(), 0, 0
  local exact = { -12.438581577749314, 3.332907888746569, -0.8930499772369612, 0.2392920202012763 }
  for i = 1, 4 do
    sum = sum + udot[i]
    worst = math.max(worst, math.abs(sum - exact[i]) / math.abs(exact[1]))
  end
  print(("%.3g"):format(worst))
else
  local q = {}
  for i = 1, n do q[i] = 0.1 * math.sin(i) end
  world:set_coordinates(q)
  local udot = world:accelerations()
  local tau, worst, most = world:inverse_dynamics(udot), 0, 0
  for i = 1, n do
    worst, most = math.max(worst, math.abs(tau[i])), math.max(most, math.abs(udot[i]))
  end
  print(("%.3g"):format(worst / most))
end
