-- A linear complementarity problem at the prompt: w = M z + q, w >= 0, z >= 0, w . z = 0.
-- Two blocks in a row are pushed against a wall: z are the forces between them, w the gaps that stay open.
-- The energy criterion (Kolesnikov 2013) takes the row whose pivot lowers the energy most, until none is negative.
-- Every answer carries a residual computed by code that knows no method.
-- Ends with: z = {1.3333333333333, 2.3333333333333}  w = {0.0, 0.0}  2 pivots
local lcp = require "delassus.lcp"

local s = lcp.solve { M = { { 2, 1 }, { 1, 2 } }, q = { -5, -6 }, method = "energy" }
print(s)
print("residual", s.residual)

-- The same by trying all four complementary bases: an independent method, the same answer.
local all = lcp.solve { M = { { 2, 1 }, { 1, 2 } }, q = { -5, -6 }, method = "enumerate" }
assert(#all.solutions == 1 and math.abs(all.z[1] - s.z[1]) < 1e-12)

print(("z = %s  w = %s  %d pivots"):format(s.z, s.w, s.pivots))
