local delassus = require "delassus"
local lcp = require "delassus.lcp"

local M = { { 4, -1, 0, 0 }, { -1, 4, -1, 0 }, { 0, -1, 4, -1 }, { 0, 0, -1, 4 } }
local q = { -4, 3, -4, 2 }
local solver = lcp.solver { method = "energy", n = 4 }

function phase()
  for _, method in ipairs { "energy", "block", "lemke", "enumerate", "auto" } do
    local s = lcp.solve { M = M, q = q, method = method, trace = method == "energy" }
    tostring(s)
    if method == "energy" then s:table() end
  end
  lcp.solve { M = delassus.sparse { rows = 2, cols = 2, { 1, 1, 2 }, { 2, 2, 2 } }, q = { -1, 1 }, method = "block" }
  solver:solve(M, q)
  local path = lcp.parametric { M = M, q = { 1, 1, 1, 1 }, d = { -1, 0, -1, 0 }, to = 2 }
  return path:at(1.5)
end

-- A failed call leaves the solver usable.
function after()
  solver:solve(M, q)
  assert(solver.residual < 1e-14)
end
