-- A cylinder pressed on a rigid plane, Hertz's line contact (NAFEMS' benchmark; N, mm): R = 10, E = 200,000, nu = 0.3, 1000 N/mm.
-- Half of it, as a block whose underside stands x^2 / (2 R) above the plane; quads grow with their distance from the contact.
-- The active nodes are found exactly, no penalty: the sum of the contact forces is the load to round-off.
-- Half width 0.24069 and largest pressure 2644.96 are approached as the mesh is refined.
-- Ends with: pressure 2635 2642 2644
local structure = require "delassus.structure"

local R, E, nu, load = 10, 200000, 0.3, 1000
local E_star = E / (1 - nu * nu)
local a = math.sqrt(4 * load * R / (math.pi * E_star))
local p_max = 2 * load / (math.pi * a)

--- 0, h, 2 h, ... to 1.5 a, then wider by a quarter from cell to cell, to 40 a.
local function spaced(h)
  local x = { 0 }
  while x[#x] < 40 * a do
    x[#x + 1] = x[#x] + h
    if x[#x] > 1.5 * a then h = 1.25 * h end
  end
  return x
end

local function press(n)
  local h = a / n
  local st, x, nodes = structure { assumption = "plane strain" }, spaced(h), {}
  for j = 1, #x do
    nodes[j] = {}
    for i = 1, #x do nodes[j][i] = st:node { x[i], x[j] } end
    st:fix(nodes[j][1], "x") -- the plane of symmetry
  end
  for j = 1, #x - 1 do
    for i = 1, #x - 1 do
      local low, high = nodes[j], nodes[j + 1]
      st:quad { low[i], low[i + 1], high[i + 1], high[i], E = E, nu = nu }
    end
  end
  for i = 1, #x do
    if x[i] < 1.5 * a then st:contact { on = nodes[1][i], normal = { 0, 1 }, gap = x[i] ^ 2 / (2 * R) } end
    local width = ((x[i + 1] or x[i]) - (x[i - 1] or x[i])) / 2
    st:load(nodes[#x][i], { 0, -load / 2 * width / x[#x] }, "growing")
  end
  return st:solve {}, h
end

print(("half width %.5f, largest pressure %.2f by Hertz"):format(a, p_max))
local list = {}
for k, n in ipairs { 4, 8, 16 } do
  local state, h = press(n)
  local force, touching = 0, 0
  for i, c in ipairs(state.contacts) do
    force = force + 2 * c.normal_force
    if c.normal_force > 0 then touching = i end
  end
  list[k] = ("%.0f"):format(state.contacts[1].normal_force / (h / 2))
  print(("elements of a/%-2d  half width %.3f to %.3f  pressure %s  force %.9g  residual %.1e"):format(n,
    (touching - 1) * h, touching * h, list[k], force, state.residual))
end
print("pressure " .. table.concat(list, " "))
