-- Solvers that stand alone, after each has solved once, and further solves of problems of that size in which nothing may
-- ask for memory: every method of lcp.solver and of lcp.cone_solver.
local delassus = require "delassus"
local lcp = require "delassus.lcp"

local n = 12
local M, signs = {}, {}
local random = delassus.random(1)
for i = 1, n do
  M[i] = {}
  for j = 1, n do M[i][j] = i == j and 4 or math.abs(i - j) == 1 and -1 or 0 end
end
for k = 1, 8 do
  signs[k] = {}
  for i = 1, n do signs[k][i] = random:uniform(-4, 4) end
  signs[k] = delassus.vector(signs[k]) -- lists are read into one at each call
end
M = delassus.matrix(M)

local solvers = {}
for _, method in ipairs{ "energy", "block", "lemke", "pgs", "newton", "auto" } do
  local solver = lcp.solver{ method = method, n = n }
  for k = 1, #signs do solver:solve(M, signs[k]) end
  solvers[#solvers + 1] = solver
end
local cones = {}
for _, method in ipairs{ "nsgs", "admm", "newton", "auto" } do
  local solver = lcp.cone_solver{ friction = 0.5, planar = true, method = method }
  for k = 1, #signs do solver:solve(M, signs[k]) end
  cones[#cones + 1] = solver
end

function phase()
  for k = 1, #signs do
    for _, solver in ipairs(solvers) do solver:solve(signs[k]) end
    for _, solver in ipairs(cones) do solver:solve(M, signs[k]) end
  end
end
