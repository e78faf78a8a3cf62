-- An elastic bar on a rough line, pulled, let go, pushed and pulled again (N, m): EA = 1e6, 200 N/m, friction 0.5, length 1.
-- Under F the end moves F^2 / (2 mu q EA); when it is let go it keeps half of that: F^2 / (4 mu q EA), friction holds it back.
-- A cycle between F and -F is Masing's loop and dissipates (2/3) F^3 / (mu q EA). `commit` makes the slips of a turning point
-- permanent; the law knows no other history, so that between two turning points any number of steps gives the same.
-- Ends with: residual / exact 1.000, loop / exact 1.000
local structure = require "delassus.structure"

local EA, q, mu, F, n = 1e6, 200, 0.5, 60, 200
local st, nodes, h = structure {}, {}, 1 / n
for i = 0, n do
  nodes[i] = st:node { i * h, 0 }
  if i > 0 then st:bar { nodes[i - 1], nodes[i], E = EA, A = 1 } end
  st:contact { on = nodes[i], normal = { 0, 1 }, friction = mu }
  st:load(nodes[i], { 0, -q * h * ((i == 0 or i == n) and 0.5 or 1) })
end
st:load(nodes[n], { 1, 0 }, "growing")

local u, p, work = {}, {}, 0
local function go(from, to, steps)
  local state
  for i = 0, steps do
    state = st:solve { p = from + (to - from) * i / steps }
    u[#u + 1], p[#p + 1] = (state:displacement(nodes[n])), state.p
    if #u > 1 then work = work + (p[#p] + p[#p - 1]) / 2 * (u[#u] - u[#u - 1]) end
  end
  return state
end

st:commit(go(0, F, 30))
print(("under F = %g: %.6e m, exact %.6e m"):format(F, u[#u], F ^ 2 / (2 * mu * q * EA)))
local kept = st:solve({ p = 0 }):displacement(nodes[n])
work = 0
st:commit(go(F, -F, 60))
go(-F, F, 60)
require("delassus.plot") { x = u, y = { F = p }, title = "Masing's loop", x_label = "end, m", y_label = "F, N",
  file = "loop.svg" }
print(("residual / exact %.3f, loop / exact %.3f"):format(kept / (F ^ 2 / (4 * mu * q * EA)),
  work / (2 / 3 * F ^ 3 / (mu * q * EA))))
