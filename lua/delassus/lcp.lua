--- Linear complementarity: w = M z + q, w >= 0, z >= 0, w . z = 0.
-- @module delassus.lcp
require "delassus"
local core = require "delassus.core"

local M = {}

local solution = {}

--- One number of a table, right-aligned.
local function cell(x)
  if x == 0 then x = 0 end
  return ("%11.5g"):format(x)
end

--- The label opposite to a basic one: "w1" <-> "z1".
local function opposite(label)
  return (label:sub(1, 1) == "w" and "z" or "w") .. label:sub(2)
end

--- Energy criterion of each candidate row of a state, "" for the others.
local function criterion(state, i)
  local q, d = state.q[i], state.tableau[i][i]
  return q < 0 and d > 0 and cell(-q * q / d) or ""
end

local function state_lines(state, number)
  local n, lines = #state.basis, {}
  local head = { ("%-6s"):format("step " .. number) }
  for j = 1, n do head[j + 1] = ("%11s"):format(opposite(state.basis[j])) end
  head[n + 2], head[n + 3] = ("%11s"):format("q"), ("%11s"):format("criterion")
  lines[1] = table.concat(head)
  for i = 1, n do
    local row = { ("%-6s"):format(state.basis[i]) }
    for j = 1, n do row[j + 1] = cell(state.tableau[i][j]) end
    row[n + 2], row[n + 3] = cell(state.q[i]), criterion(state, i)
    lines[i + 1] = table.concat(row)
  end
  local pivot = state.pivot and ("pivot in row %d"):format(state.pivot) or "no candidate left"
  if state.partner then pivot = ("%s with row %d"):format(pivot, state.partner) end
  lines[n + 2] = ("energy %.7g, %s"):format(state.energy, pivot)
  return table.concat(lines, "\n")
end

--- The tables of the paper as one string: labels, tableau, right side, criterion of every state.
-- @treturn string
-- @raise where the states were not kept (`trace = true`)
-- @usage print(lcp.solve{ M = {{2}}, q = {-1}, method = "energy", trace = true }:table())
function solution:table()
  local states = rawget(self, "trace")
  if not states then core.raise("solution:table", "the states were not kept: solve with trace = true") end
  local parts = {}
  for k, state in ipairs(states) do parts[k] = state_lines(state, k - 1) end
  return table.concat(parts, "\n\n") .. (#parts > 0 and "\n" or "")
end

--- Fields that may be absent.
local optional = { trace = true, fault = true, solutions = true }
local names = { table = true, z = true, w = true, converged = true, status = true, method = true, pivots = true,
  iterations = true, residual = true, natural = true, fallback = true, proven = true, trace = true, fault = true,
  solutions = true }

local manners = { __name = "delassus.LcpSolution", __metatable = false }

function manners.__index(_, name)
  if solution[name] then return solution[name] end
  if optional[name] then return nil end
  return core.unknown("solution", "property", tostring(name), names)
end

function manners.__tostring(s)
  return ("delassus.LcpSolution (n = %d, %s by %s, residual %.2g)"):format(#s.z, s.status, s.method, s.residual)
end

--- Solves one problem.
-- @tparam table options `M`, `q`; `method` ("auto", "energy", "block", "lemke", "least-index", "pgs", "newton",
-- "enumerate"), `tolerance` (on the residual, 1e-10), `max_pivots`, `max_iterations`, `relaxation`, `start`, `trace`,
-- `check`
-- @treturn table `z`, `w`, `converged`, `status`, `method`, `pivots`, `iterations`, `residual`, `natural`, `fallback`,
-- `proven` (status "ray" proves that there is no solution: M is copositive plus), `fault`, `trace`, `solutions`, `table()`
-- @raise for sizes that do not fit, numbers that are not finite, unknown options
-- @usage local s = lcp.solve{ M = {{2, 1}, {1, 2}}, q = {-5, -6} }  -- s.z is (4/3, 7/3)
function M.solve(...)
  return setmetatable(core.lcp_solve(...), manners)
end

--- A solver that keeps its workspace, matrix and last answer.
-- @tparam[opt] table options those of `solve` but `M`, `q`, `start`; `n`
-- @treturn LcpSolver `solve(M, q)`, `solve(q)`, `z`, `w`, `residual`, `pivots`, ..., `trace()`, `reset()`
-- @usage local solver <close> = lcp.solver{ method = "energy" }
function M.solver(...)
  return core.lcp_solver(...)
end

--- Lemke's path in a load parameter: w = M z + q + p d, p from 0 up to `to`.
-- @tparam table options `M`, `q`, `d`; `to` (1, may be math.huge), `tolerance` (on the residual, 1e-9), `margin` (a
-- vector added to `q` in ratio tests), `contacts` (m: rows are n, x+, x- of m contacts, with a margin of their own),
-- `max_pivots`
-- @treturn LcpPath `status` ("reached", "ray", "mechanism"; "unsolved" where no start was found, "limit"), `events`,
-- `p_limit`, `steps`, `pivots`, `residual`, `converged`, `at(p)`, `all(p)`, `step(k)`, `rate()`
-- @raise for sizes that do not fit, numbers that are not finite, unknown options
-- @usage local path = lcp.parametric{ M = {{1}}, q = {1}, d = {-1}, to = 2 }  -- path:at(2) is (1), (0)
function M.parametric(...)
  return core.lcp_parametric(...)
end

--- Reads one of Siconos' text files (LCP, FrictionContact, the global form too, Relay).
-- @tparam string file its path
-- @treturn table `{ M =, q = }` for `solve`, `{ W =, q =, friction =, planar = }` or `{ W =, q =, kinds = }` for `cone`; or
-- nil and a message
-- @usage local s = lcp.solve(assert(lcp.read "lcp_mmc.dat"))
function M.read(file)
  return require("delassus.lcp_read").read(file)
end
--- Contact problems with friction: see `delassus.cone`.
M.cone, M.cone_solver = require("delassus.cone").solve, require("delassus.cone").solver

return M
