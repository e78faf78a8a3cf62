local lcp = require "delassus.lcp"

local M = { { 3, 1, 0, -1 }, { -1, 2, 1, 1 }, { 0, 1, 3, -1 }, { 0, 0, 1, 2 } }
local q = { -2, 1, -1, 1 }

function phase()
  for _, method in ipairs { "least-index", "pgs", "newton", "enumerate" } do
    local s = lcp.solve { M = M, q = q, method = method, trace = method == "least-index" }
    assert(s.converged)
  end
  local path = lcp.parametric { M = M, q = q, d = { 1, -2, 1, -1 }, to = math.huge, margin = { 0, 0, 0, 1e-9 } }
  assert(path.converged)
  return #path.events + #path:all(0.5) + #path:step(0) + #tostring(path)
end
