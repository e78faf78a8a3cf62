--- The matrix form of Kolesnikov's step, for any body with massless boundary nodes.
--
--    m U'' + lambda U' + r U = F + C N,    D = D0 + C'U,    0 <= D _|_ N >= 0
--
--    local model = stack.model{
--      r = { {2, -1, -1}, {-1, 1, 0}, {-1, 0, 1} },     -- n x n, N/m: stiffness of all nodes
--      massless = {2, 3},                               -- nodes without mass; the others are the massive ones
--      m = {{26.7}},                                    -- kg: n x n, or of the massive nodes, or the diagonal
--      lambda = nil,                                    -- N s/m: likewise; default none
--      C = {{1, 0}, {0, -1}},                           -- n x k, or of the massless nodes: D = D0 + C'U
--      D0 = {0.1, 0.2},                                 -- k gaps for U = 0, m
--      forces = {-262},                                 -- N: n, or of the massive nodes; default none
--      displacements = nil, velocities = nil,           -- at the start, likewise; default zero
--      dt = 1e-5 }
--
-- @module delassus.stack_model
local core = require "delassus.core"

local NAME = "delassus.stack.model"

local function fail(text, ...) core.raise(NAME, text:format(...)) end

local function is_finite(x) return type(x) == "number" and x - x == 0 end

--- A list of numbers as a plain table; `label` names it in messages.
local function list(name, value, label)
  label = label or ("'%s'"):format(name)
  if type(value) == "userdata" and value.totable then value = value:totable() end
  if type(value) ~= "table" then fail("%s must be a list of numbers, got %s", label, tostring(value)) end
  for i = 1, #value do
    if not is_finite(value[i]) then fail("%s[%d] must be a finite number, got %s", label, i, tostring(value[i])) end
  end
  return value
end

--- A matrix as a plain table of rows; a list of numbers is a diagonal where `diagonal` allows it.
local function matrix(name, value, diagonal)
  if type(value) == "userdata" and value.totable then value = value:totable() end
  if type(value) ~= "table" then fail("'%s' must be a matrix, got %s", name, tostring(value)) end
  if diagonal and type(value[1]) == "number" then
    local rows, entries = {}, list(name, value)
    for i = 1, #entries do
      rows[i] = {}
      for j = 1, #entries do rows[i][j] = i == j and entries[i] or 0 end
    end
    return rows
  end
  local rows = {}
  for i = 1, #value do
    rows[i] = list(name, value[i], ("'%s'[%d]"):format(name, i))
    if #rows[i] ~= #rows[1] then fail("'%s' row %d has %d numbers, row 1 has %d", name, i, #rows[i], #rows[1]) end
  end
  if #rows == 0 then fail("'%s' must have at least one row", name) end
  return rows
end

local function square(name, A)
  if #A ~= #A[1] then fail("'%s' must be square, got %d x %d", name, #A, #A[1]) end
  local most = 0
  for i = 1, #A do
    for j = 1, #A do most = math.max(most, math.abs(A[i][j])) end
  end
  for i = 1, #A do
    for j = 1, i - 1 do
      if math.abs(A[i][j] - A[j][i]) > 1e-10 * most then
        fail("'%s' must be symmetric, got %.14g and %.14g at (%d, %d)", name, A[i][j], A[j][i], i, j)
      end
    end
  end
  return A
end

--- Splits 1..n into the massless nodes as listed and the others.
local function split(massless, n)
  local without, massive = {}, {}
  for k, i in ipairs(list("massless", massless)) do
    if math.type(i) ~= "integer" and math.tointeger(i) == nil or i < 1 or i > n then
      fail("'massless'[%d] must be a node from 1 to %d, got %s", k, n, tostring(i))
    end
    if without[i] then fail("'massless'[%d] names node %d twice", k, i) end
    without[math.tointeger(i)] = true
  end
  for i = 1, n do
    if not without[i] then massive[#massive + 1] = i end
  end
  return massive
end

local function zeros(n, k)
  local A = {}
  for i = 1, n do
    A[i] = {}
    for j = 1, k do A[i][j] = 0 end
  end
  return A
end

--- A matrix of the massive nodes (or of all) brought to all nodes; rows of massless nodes must be zero.
local function spread(name, value, n, massive, massless)
  if value == nil then return zeros(n, n) end
  local A = square(name, matrix(name, value, true))
  if #A == n then
    for _, i in ipairs(massless) do
      for j = 1, n do
        if A[i][j] ~= 0 then fail("'%s' must be zero at massless node %d, got %.14g", name, i, A[i][j]) end
      end
    end
    return A
  end
  if #A ~= #massive then fail("'%s' must have %d rows or %d (the massive nodes), got %d", name, n, #massive, #A) end
  local all = zeros(n, n)
  for a, i in ipairs(massive) do
    for b, j in ipairs(massive) do all[i][j] = A[a][b] end
  end
  return all
end

local function spread_list(name, value, n, massive)
  local all = {}
  for i = 1, n do all[i] = 0 end
  if value == nil then return all end
  local given = list(name, value)
  if #given == n then return given end
  if #given ~= #massive then
    fail("'%s' must have %d numbers or %d (the massive nodes), got %d", name, n, #massive, #given)
  end
  for a, i in ipairs(massive) do all[i] = given[a] end
  return all
end

local function spread_contacts(value, n, massless, k)
  local C = matrix("C", value)
  if #C[1] ~= k then fail("'C' must have a column for each of the %d gaps in 'D0', got %d", k, #C[1]) end
  if #C == n then return C end
  if #C ~= #massless then fail("'C' must have %d rows or %d (the massless nodes), got %d", n, #massless, #C) end
  local all = zeros(n, k)
  for b, i in ipairs(massless) do all[i] = C[b] end
  return all
end

local known = { r = "!any", m = "!any", lambda = "any", C = "!any", D0 = "!any", massless = "!any", forces = "any",
  displacements = "any", velocities = "any", dt = "positive" }

--- Makes a model; it has `step`, `run`, `displacements`, `velocities`, `forces`, `gaps`, `peak_forces`, `pivots`,
-- `collisions`, `A`, `B`, `time`, `residual` as a stack has, of all nodes and contacts.
-- @tparam table options as above
-- @treturn userdata delassus.StackModel
-- @raise for sizes that do not fit, an asymmetric matrix, a node held by nothing
local function model(options)
  core.check(NAME, options, known)
  local r = square("r", matrix("r", options.r))
  local n = #r
  local massive = split(options.massless, n)
  local massless = list("massless", options.massless)
  local D0 = list("D0", options.D0)
  if #D0 == 0 then fail("'D0' must hold at least one gap") end
  return core.stack_model {
    r = r,
    m = spread("m", options.m, n, massive, massless),
    lambda = spread("lambda", options.lambda, n, massive, massless),
    C = spread_contacts(options.C, n, massless, #D0),
    D0 = D0,
    forces = spread_list("forces", options.forces, n, massive),
    displacements = spread_list("displacements", options.displacements, n, massive),
    velocities = spread_list("velocities", options.velocities, n, massive),
    dt = options.dt or 1e-5,
  }
end

return model
