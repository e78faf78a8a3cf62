-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Contact problems with Coulomb's law: v = W p + q, every group of rows under its own law.
-- @module delassus.cone
require "delassus"
local core = require "delassus.core"

local M = {}

local optional = { unique = true, worst = true, fault = true, trace = true }
local names = { impulse = true, velocity = true, converged = true, status = true, method = true, iterations = true,
  pivots = true, residual = true, natural = true, fallback = true, unique = true, worst = true }

local manners = { __name = "delassus.ConeSolution", __metatable = false }

function manners.__index(_, name)
  if optional[name] then return nil end
  return core.unknown("solution", "property", tostring(name), names)
end

function manners.__tostring(s)
  return ("delassus.ConeSolution (%d rows, %s by %s, residual %.2g)"):format(#s.impulse, s.status, s.method, s.residual)
end

--- Solves one problem.
-- @tparam table options `W` (matrix, dense or sparse), `q` (m/s); `friction` (at most 1e6; or one a contact), `planar`
-- (rows (n, t) a contact in place of (n, t1, t2)), `kinds` ("cone", "unilateral", "bilateral", {"box", lo, hi},
-- {"rolling", spin =, roll =} with rows n, t1, t2, spin, two of rolling; planar n, t, roll), `compliance` (m/(N s), a
-- number or one a row), `shift` (m/s, on the normals or one a row), `length` (m, one a row: 1, or a radius of gyration
-- for rows in rad/s), `scale` (m/s, least divisor of the residual), `method` ("auto", "nsgs", "newton", "admm";
-- planar: "lemke", "energy", "block"), `start`, `unique` (least-norm impulses), `tolerance` (on the residual, 1e-10),
-- `max_iterations`
-- @treturn table `impulse`, `velocity`, `converged`, `status`, `method`, `iterations`, `pivots`, `residual`,
-- `natural`, `fallback`, `worst` (group and its residual), `unique`
-- @raise for sizes that do not fit, numbers that are not finite, unknown options
-- @usage local r = lcp.cone{ W = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, q = {-1, -2, 0}, friction = 0.5 }
-- print(r.impulse)  -- 1, 0.5, 0: it slides
function M.solve(...)
  return setmetatable(core.cone_solve(...), manners)
end

--- A solver that keeps its workspace, matrix and last impulses.
-- @tparam[opt] table options those of `solve` but `W`, `q`, `start`
-- @treturn ConeSolver `solve(W, q)`, `solve(q)`, `impulse`, `velocity`, `residual`, ..., `reset()`
-- @usage local solver <close> = lcp.cone_solver{ friction = 0.3 }
function M.solver(...)
  return core.cone_solver(...)
end

return M
