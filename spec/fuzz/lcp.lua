-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Fuzzing target: numbers of complementarity problems, cone problems and Siconos' text files. What a method calls
-- solved is judged here: z >= 0, w = M z + q >= 0, z w = 0 to the tolerance.
local lcp = require "delassus.lcp"
local Source = require "fuzz.source"

local methods = { "auto", "lemke", "pgs", "newton", "energy", "block", "least-index", "enumerate" }
local cone_methods = { "auto", "nsgs", "admm", "newton", "energy", "block", "lemke" }
local path = os.tmpname()

local function matrix(s, n)
  local M = {}
  local kind = s:below(3)
  for i = 1, n do M[i] = {} end
  for i = 1, n do
    for j = kind == 0 and 1 or i, n do
      M[i][j] = s:number()
      if kind > 0 then M[j][i] = M[i][j] end
    end
    if kind == 2 then M[i][i] = math.abs(M[i][i]) + n end
  end
  return M
end

-- The largest failure of the conditions against the size of the problem; z in the row's scale d as the residual has it
-- (API 2: M_ii, the row's largest |M_ij| where that is not above 0) where that says less: with M_ii = 5e-324 beside 1e205
-- every z_i is none.
local function judge(M, q, z)
  local worst, size = 0, 1e-300
  for i = 1, #q do
    local w, terms = q[i] + 0.0, math.abs(q[i] + 0.0) -- the least integer has no absolute value
    local d = M[i][i] + 0.0
    for j = 1, #q do
      w, terms = w + M[i][j] * z[j], terms + math.abs(M[i][j] * z[j])
      if M[i][i] <= 0 then d = math.max(d, math.abs(M[i][j] + 0.0)) end
    end
    local natural, scaled = math.abs(math.min(z[i], w)), math.abs(math.min(d * z[i], w))
    worst = math.max(worst, -z[i], natural ~= natural and natural or math.min(natural, scaled))
    size = math.max(size, terms, math.abs(z[i]))
  end
  return worst, size
end

local function solve(s)
  local n = s:below(7)
  local M, q = matrix(s, n), s:list(n)
  local method = s:pick(methods)
  local ok, answer = pcall(lcp.solve, { M = M, q = q, method = method, max_iterations = 500, max_pivots = 500 })
  if not ok then return end
  if answer.status == "solved" then
    local worst, size = judge(M, q, answer.z)
    if worst ~= worst or worst > 1e-6 * size then
      error(("FUZZ: lcp.solve by %s: 'solved' with an error of %g in %g"):format(method, worst, size), 0)
    end
  end
end

local function cone(s)
  local contacts, dim = s:below(3), 2 + s:below(2)
  local n = contacts * dim
  local W, q = matrix(s, n), s:list(n)
  local mu = s:list(contacts)
  pcall(lcp.cone, { W = W, q = q, friction = mu, planar = dim == 2, method = s:pick(cone_methods), max_iterations = 300 })
end

local function path_of(s)
  local n = s:below(5)
  local ok, answer = pcall(lcp.parametric, { M = matrix(s, n), q = s:list(n), d = s:list(n) })
  if ok then tostring(answer) end
end

local function text(bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
  local ok, problem, message = pcall(lcp.read, path)
  os.remove(path)
  if not ok then error("FUZZ: lcp.read raised " .. tostring(problem), 0) end
  if problem == nil and type(message) ~= "string" then error("FUZZ: no message", 0) end
end

return function(bytes)
  local s = Source.new(bytes)
  local kind = s:below(8)
  if kind < 4 then solve(s)
  elseif kind < 6 then cone(s)
  elseif kind == 6 then path_of(s)
  else text(bytes:sub(2)) end
end
