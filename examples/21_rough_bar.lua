-- Popov and Lovtsov's example 2: a heavy bar on rough ground, fixed at one end and pulled at the other. L = 260 m, EA = 2.1e9 N,
-- 3975 N/m, friction 0.3, P = 243,750 N. The exact slip reaches P / (f q) = 204.40 m, the end moves P^2 / (2 f q EA).
-- With tributary weights the error is exactly (theta / s)^2, s = P / (f q h), theta = s - floor(s + 1/2); with an element's whole
-- weight at the end it is of first order. The paper's last table scatters for this reason, not by round-off.
-- Ends with: n = 160: 0.00029 % (126 nodes slip), 0.79394 % (125)
local structure = require "delassus.structure"

local L, EA, q, f, P = 260, 2.1e9, 3975, 0.3, 243750
local exact = P ^ 2 / (2 * f * q * EA)

local function pull(n, at_end)
  local st, nodes, h = structure {}, {}, L / n
  nodes[0] = st:node { 0, 0 }
  st:fix(nodes[0], "x", "y")
  for i = 1, n do
    nodes[i] = st:node { h * i, 0 }
    st:bar { nodes[i - 1], nodes[i], E = EA, A = 1 }
    st:contact { on = nodes[i], normal = { 0, 1 }, friction = f }
    st:load(nodes[i], { 0, -q * h * (i == n and at_end or 1) })
  end
  st:load(nodes[n], { P, 0 }, "growing")
  local state, slipping = st:solve { p = 1 }, 0
  for _, c in ipairs(state.contacts) do slipping = slipping + (c.state == "slip" and 1 or 0) end
  return 100 * math.abs((state:displacement(nodes[n])) / exact - 1), slipping, st
end

print(("exact: end moves %.10e m, slip over %.4f m"):format(exact, P / (f * q)))
print(("%5s %16s %9s %16s %9s"):format("n", "tributary %", "slipping", "full end %", "slipping"))
local last
for _, n in ipairs { 5, 10, 20, 40, 80, 160 } do
  local a, slip_a = pull(n, 0.5)
  local b, slip_b = pull(n, 1)
  print(("%5d %16.5f %9d %16.5f %9d"):format(n, a, slip_a, b, slip_b))
  last = ("n = %d: %.5f %% (%d nodes slip), %.5f %% (%d)"):format(n, a, slip_a, b, slip_b)
end
local _, _, st = pull(5, 0.5)
print("\n" .. st:follow({ to = math.huge }):report()) -- node after node, from the end
print(last)
