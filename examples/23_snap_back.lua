-- Where the load cannot just grow. First one contact whose normal and tangential stiffness are coupled, K = {{1, 0.9}, {0.9, 1}},
-- friction 2: at p = 2 it slips, and the path turns back to p = 10/9, where it separates; between the two loads there are three
-- states, and p = 1.5 is first reached sticking. Then a free bar held by friction alone: it slides node after node, and at
-- p = f (weight) = 3.8 nothing holds it any more, a mechanism. Beyond it there is no state, and solve says so.
-- Ends with: snaps back from 2 to 1.11111, 3 states at 1.5; mechanism at 3.8
local structure = require "delassus.structure"

local st, s = structure {}, math.sqrt(2)
local a, b, o = st:node { -1, -1 }, st:node { 1, -1 }, st:node { 0, 0 }
st:bar { o, a, E = 1.9 * s, A = 1 } -- two bars at right angles whose stiffness is K
st:bar { o, b, E = 0.1 * s, A = 1 }
st:fix(a, "x", "y")
st:fix(b, "x", "y")
st:contact { on = o, normal = { 0, 1 }, friction = 2 }
st:load(o, { 0, -1 })
st:load(o, { -1, 0 }, "growing")
local path = st:follow { to = 10 }
print(path:report())
print(path:table())
for k, state in ipairs(path:all(1.5)) do print("state " .. k .. " at p = 1.5\n" .. state:table()) end
print(st:solve({ p = 1.5 }).explanation)

local bar, nodes = structure {}, {}
for i, weight in ipairs { 1, 2, 3, 2, 1.5 } do
  nodes[i] = bar:node { i - 1, 0 }
  if i > 1 then bar:bar { nodes[i - 1], nodes[i], E = 100, A = 1 } end
  bar:contact { on = nodes[i], normal = { 0, 1 }, friction = 0.4 }
  bar:load(nodes[i], { 0, -weight })
end
bar:load(nodes[5], { 1, 0 }, "growing")
local slide = bar:follow { to = 10 }
print("\n" .. slide:report())
print(bar:solve({ p = 5 }).explanation)
print(("snaps back from %.6g to %.6g, %d states at 1.5; %s at %.6g"):format(path.events[1].p, path.events[2].p,
  #path:all(1.5), slide.status, slide.p_limit))
