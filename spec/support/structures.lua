-- The structures of Popov and Lovtsov's paper, as the specs and the bench build them.
local structure = require "delassus.structure"

local M = {}

--- Example 1: a beam of two spans over three supports with friction, a force between the last two.
-- @treturn structure, list of the four nodes
function M.beam()
  local st, n = structure {}, {}
  for i, x in ipairs { 0, 2, 3, 4 } do n[i] = st:node { x, 0 } end
  for i = 1, 3 do st:frame { n[i], n[i + 1], E = 1, A = 1, I = 1 } end
  for _, i in ipairs { 1, 2, 4 } do st:contact { on = n[i], normal = { 0, 1 }, friction = 0.6 } end
  st:load(n[3], { 0, -1 }, "growing")
  return st, n
end

--- Example 2: a heavy bar of n elements on rough ground, fixed at one end, pulled at the other.
-- @tparam integer n
-- @tparam number at_end share of an element's weight that the free end carries: 1/2 or 1
function M.bar(n, at_end)
  local st, nodes, h = structure {}, {}, 260 / n
  nodes[0] = st:node { 0, 0 }
  st:fix(nodes[0], "x", "y")
  for i = 1, n do
    nodes[i] = st:node { h * i, 0 }
    st:bar { nodes[i - 1], nodes[i], E = 2.1e9, A = 1 }
    st:contact { on = nodes[i], normal = { 0, 1 }, friction = 0.3 }
    st:load(nodes[i], { 0, -3975 * h * (i == n and at_end or 1) })
  end
  st:load(nodes[n], { 243750, 0 }, "growing")
  return st, nodes
end

--- A free bar pressed down by weights, pulled at its last node.
function M.free_bar()
  local st, nodes = structure {}, {}
  for i, w in ipairs { 1, 2, 3, 2, 1.5 } do
    nodes[i] = st:node { i - 1, 0 }
    if i > 1 then st:bar { nodes[i - 1], nodes[i], E = 100, A = 1 } end
    st:spring(nodes[i], "y", 1000)
    st:contact { on = nodes[i], normal = { 0, 1 }, friction = 0.4 }
    st:load(nodes[i], { 0, -w })
  end
  st:load(nodes[5], { 1, 0 }, "growing")
  return st, nodes
end

--- One node on two bars at right angles whose stiffness is {{1, 0.9}, {0.9, 1}}, on ground with friction 2, pressed by 1.
-- @tparam number fx, fy the growing load
function M.point(fx, fy)
  local st, s = structure {}, math.sqrt(2)
  local a, b, o = st:node { -1, -1 }, st:node { 1, -1 }, st:node { 0, 0 }
  st:bar { o, a, E = 1.9 * s, A = 1 }
  st:bar { o, b, E = 0.1 * s, A = 1 }
  st:fix(a, "x", "y")
  st:fix(b, "x", "y")
  st:contact { on = o, normal = { 0, 1 }, friction = 2 }
  st:load(o, { 0, -1 })
  st:load(o, { fx, fy }, "growing")
  return st, o
end

--- Example 3: a pinned wall between two blocks of soil, its top pushed to the right.
-- @treturn structure, list of the wall's nodes from the bottom
function M.wall(nx, ny, formulation)
  local st, wall = structure { assumption = "plane strain", thickness = 1 }, {}
  local function block(x)
    return st:grid { corner = { x, 0 }, size = { 10, 10 }, cells = { nx, ny }, E = 4.5e7, nu = 0.27,
      formulation = formulation or "bilinear" }
  end
  local left, right = block(-10), block(0)
  for i = 1, nx + 1 do
    st:fix(left[1][i], "x", "y")
    st:fix(right[1][i], "x", "y")
  end
  for j = 2, ny + 1 do
    st:fix(left[j][1], "x")
    st:fix(right[j][nx + 1], "x")
  end
  for j = 1, ny + 1 do wall[j] = st:node { 0, 10 * (j - 1) / ny } end
  st:fix(wall[1], "x", "y")
  for j = 1, ny do st:frame { wall[j], wall[j + 1], E = 2e11, A = 1.831e-2, I = 1.016e-5 } end
  for j = 2, ny + 1 do st:contact { left[j][nx + 1], wall[j], normal = { 1, 0 }, friction = 0.4 } end
  for j = 2, ny + 1 do st:contact { wall[j], right[j][1], normal = { 1, 0 }, friction = 0.4 } end
  st:load(wall[ny + 1], { 1000, 0 }, "growing")
  return st, wall
end

--- The zones of a state as the paper writes them, o open, k stick, + and - slip; flip for a tangent of the other sense.
function M.zones(state, flip)
  local z = {}
  for i, c in ipairs(state.contacts) do
    local up = (c.slip > 0) ~= (flip or false)
    z[i] = c.state == "apart" and "o" or c.state == "stick" and "k" or (up and "+" or "-")
  end
  return table.concat(z)
end

return M
