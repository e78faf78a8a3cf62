-- Prints relative deviations of a long forest, to be run with a small C stack:
--   chain N   uniform rods along x, released at rest: first accelerations against the exact limit
--   comb N    a spine of hinges with a tooth on each: residual of M udot + bias = tau by inverse dynamics
local core = require "delassus.core"
local kind, n = arg[1], tonumber(arg[2])

local y, tip, com = { 0, 1, 0 }, { 1, 0, 0 }, { 0.5, 0, 0 }
local inertia, motions = { 0.01, 1 / 12, 1 / 12, 0, 0, 0 }, { { "rotate", y } }
local links = {}
if kind == "chain" then
  for i = 1, n do
    links[i] = { parent = i - 1, position = i > 1 and tip or nil, motions = motions, mass = 1, com = com,
      inertia = inertia }
  end
  local f = core.forest { links = links, gravity = { 0, 0, -9.81 } }
  local udot, sum, worst = f:accelerations(), 0, 0
  local exact = { -12.438581577749314, 3.332907888746569, -0.8930499772369612, 0.2392920202012763 }
  for i = 1, 4 do
    sum = sum - udot[i] -- about +y turns x towards -z
    worst = math.max(worst, math.abs(sum - exact[i]) / math.abs(exact[1]))
  end
  print(("%.3g"):format(worst))
else
  for i = 1, n do -- odd: spine, even: tooth
    local parent = i == 1 and 0 or (i % 2 == 0 and i - 1 or i - 2)
    links[i] = { parent = parent, position = i > 1 and tip or nil, motions = motions, mass = 1, com = com,
      inertia = inertia }
  end
  local f = core.forest { links = links, gravity = { 0, 0, -9.81 } }
  local q = {}
  for i = 1, n do q[i] = 0.1 * math.sin(i) end
  local udot = f:set({ q = q }):accelerations()
  local tau, worst, most = f:inverse_dynamics(udot), 0, 0
  for i = 1, n do
    worst, most = math.max(worst, math.abs(tau[i])), math.max(most, math.abs(udot[i]))
  end
  print(("%.3g"):format(worst / most))
end
