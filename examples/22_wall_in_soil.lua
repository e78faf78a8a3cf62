-- Popov and Lovtsov's example 3, from its mesh: a pinned wall between two blocks of soil, both faces unilateral, friction 0.4,
-- its top pushed by 1000 N a unit of p. Soil: 10 x 10 m, plane strain, E = 4.5e7, nu = 0.27; wall: EA = 3.662e9, EI = 2.032e6.
-- The load opens and closes 20 to 40 contacts again and again before the working scheme stands still; zones from the bottom
-- to the top, left / right face: o open, + slides up, - slides down, k sticks. Writes wall.html: a slider for the load.
-- Ends with: 76 events, 1.16243e-04 m per 1000 N, oooooooooo-k+ooooooo / oooooooooooooooooo++
local structure = require "delassus.structure"

local function wall_in_soil(nx, ny)
  local st, wall = structure { assumption = "plane strain", thickness = 1 }, {}
  local function block(x)
    return st:grid { corner = { x, 0 }, size = { 10, 10 }, cells = { nx, ny }, E = 4.5e7, nu = 0.27,
      formulation = "bilinear" }
  end
  local left, right = block(-10), block(0)
  for i = 1, nx + 1 do
    st:fix(left[1][i], "x", "y")
    st:fix(right[1][i], "x", "y")
  end
  for j = 1, ny + 1 do
    st:fix(left[j][1], "x")
    st:fix(right[j][nx + 1], "x")
    wall[j] = st:node { 0, 10 * (j - 1) / ny }
    if j > 1 then st:frame { wall[j - 1], wall[j], E = 2e11, A = 1.831e-2, I = 1.016e-5 } end
  end
  st:fix(wall[1], "x", "y")
  for j = 2, ny + 1 do st:contact { left[j][nx + 1], wall[j], normal = { 1, 0 }, friction = 0.4 } end
  for j = 2, ny + 1 do st:contact { wall[j], right[j][1], normal = { 1, 0 }, friction = 0.4 } end
  st:load(wall[ny + 1], { 1000, 0 }, "growing")
  return st, wall[ny + 1]
end

print(("%4s %8s %14s %14s  %s"):format("ny", "events", "p at the ray", "top, m", "zones"))
local last
for _, ny in ipairs { 5, 10, 20 } do
  local st, top = wall_in_soil(10, ny)
  local path = st:follow { to = math.huge, tightening = 1 }
  local rate, zones = path:rate(), {}
  for i, c in ipairs(rate.contacts) do -- the tangent of normal +x points down
    zones[i] = c.state == "apart" and "o" or c.state == "stick" and "k" or (c.slip < 0 and "+" or "-")
  end
  local z = table.concat(zones, "", 1, ny) .. " / " .. table.concat(zones, "", ny + 1)
  local ux = rate:displacement(top)
  print(("%4d %8d %14.9g %14.5e  %s"):format(ny, path.steps, path.events[path.steps].p, ux, z))
  last = ("%d events, %.5e m per 1000 N, %s"):format(path.steps, ux, z)
  if ny == 10 then assert(path:save("wall.html", "A wall in soil")) end
end
print(last)
