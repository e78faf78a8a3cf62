-- A continuous beam on supports that cannot pull (EI = 1, spans of 1, a unit force in the middle of some spans): the far supports
-- lift off. For two spans, one loaded: reactions 1/2, 1/2, 0 in place of 13/32, 22/32, -3/32, and an uplift of 1/16.
-- The reactions of supports that hold both ways come from the same structure with the supports fixed.
-- Without weight every change happens at p = 0: the path says so.
-- Ends with: reactions 0.5 0.5 0, uplift 0.0625
local structure = require "delassus.structure"

local function beam(spans, loaded, bilateral)
  local st, supports, mid, before = structure {}, {}, {}, nil
  for i = 0, 2 * spans do
    local node = st:node { i / 2, 0 }
    if before then st:frame { before, node, E = 1, A = 1, I = 1 } end
    if i % 2 == 0 then supports[#supports + 1] = node else mid[#mid + 1] = node end
    before = node
  end
  st:fix(supports[1], "x")
  for _, node in ipairs(supports) do
    if bilateral then st:fix(node, "y") else st:contact { on = node, normal = { 0, 1 } } end
  end
  for _, span in ipairs(loaded) do st:load(mid[span], { 0, -1 }, "growing") end
  return st, supports
end

local function numbers(list) return (("%10.6f"):rep(#list):format(table.unpack(list))) end

for _, case in ipairs { { 2, { 1 } }, { 3, { 1 } }, { 4, { 2 } }, { 5, { 3 } }, { 5, { 1, 5 } } } do
  local st, supports = beam(case[1], case[2], true)
  local fixed, both, one, gap = st:solve {}, {}, {}, {}
  for i, node in ipairs(supports) do both[i] = select(2, fixed:reaction(node)) end
  for i, c in ipairs(beam(case[1], case[2]):solve({}).contacts) do one[i], gap[i] = c.normal_force, c.opening end
  print(("%d spans, loaded %s\n  held    %s\n  lifting %s\n  uplift  %s"):format(case[1], table.concat(case[2], ", "),
    numbers(both), numbers(one), numbers(gap)))
end

local path = beam(2, { 1 }):follow { to = 1 }
print("\n" .. path:report())
local c = path:at(1).contacts
print(("reactions %.6g %.6g %.6g, uplift %.6g"):format(c[1].normal_force, c[2].normal_force, c[3].normal_force,
  c[3].opening))
