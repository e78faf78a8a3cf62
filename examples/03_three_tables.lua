-- The three worked examples of Kolesnikov (2013), tableau by tableau, as the paper prints them.
-- Each table is the state before a pivot: labels, tableau, right side and the criterion q^2 / d of every candidate.
-- The second one has fractions for answers: z2 = 4/93, z4 = 2/93, w1 = 77/93, w3 = 233/93.
-- Two signs and a digit differ from the printed tables: they are misprints there (rows z2 and w3 of example 2).
-- Ends with: pivots 1 3 | 2 4 | 1
local lcp = require "delassus.lcp"

local examples = {
  { M = { { 4, -1, 0, 0 }, { -1, 4, -1, 0 }, { 0, -1, 4, -1 }, { 0, 0, -1, 4 } }, q = { -4, 3, -4, 2 } },
  { M = { { 100, -2, -3, -4 }, { -2, 50, -6, -7 }, { -3, -6, 100, -11 }, { -4, -7, -11, 200 } }, q = { 1, -2, 3, -4 } },
  { M = { { 4, -1, 2, 0 }, { -1, 4, -1, 0 }, { 2, -1, 4, -1 }, { 0, 0, -1, 4 } }, q = { -4, 1, -2, 0 } },
}

local summary = {}
for k, example in ipairs(examples) do
  local s = lcp.solve { M = example.M, q = example.q, method = "energy", trace = true }
  local pivots = {}
  for i, state in ipairs(s.trace) do pivots[i] = state.pivot end
  print(("Example %d\n\n%s\nz = %s\nw = %s\n"):format(k, s:table(), s.z, s.w))
  summary[k] = table.concat(pivots, " ")
end
print("pivots " .. table.concat(summary, " | "))
