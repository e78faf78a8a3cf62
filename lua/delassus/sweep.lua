-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Parameter sweeps: one function for every point of a grid, by several processes where there are processors, resumed
-- from a file, shared out under mpirun, srun or in a Slurm array.
--
--     local sweep = require "delassus.sweep"
--     local rows = sweep{ grid = { rpm = {4, 5, 6}, fill = {0.3, 0.5} }, workers = 2, file = "sweep.jsonl",
--                         run = function(p) ... return { power = ... } end }
--     for _, row in ipairs(rows) do print(row.fill, row.rpm, row.power) end
-- @module delassus.sweep
local check = require "delassus.check"
local core = require "delassus.core"
local files = require "delassus.sweep_file"
local json = require "delassus.json"
local progress = require "delassus.progress"
local share = require "delassus.sweep_share"
local workers = require "delassus.sweep_workers"

local NAME <const> = "sweep"
local VALUES <const> = "numbers, strings or booleans"
local rules = { grid = "!table", run = "!function", workers = "integer", file = "string", progress = "boolean" }

-- --- the grid ------------------------------------------------------------------------------------------------

--- A value as a text that is the same for 4 and 4.0; nil for what is no value of a parameter.
local function text_of(value)
  local kind = type(value)
  if kind == "number" then
    local whole = math.tointeger(value)
    if whole then return ("%d"):format(whole) end
    return value == value and math.abs(value) < math.huge and ("%.17g"):format(value) or nil
  end
  return kind == "string" and ("%d:%s"):format(#value, value) or kind == "boolean" and tostring(value) or nil
end

local function check_values(name, values)
  if type(values) ~= "table" then
    check.fail(NAME, "'grid.%s' must be a list of %s, got %s", name, VALUES, check.shown(values))
  end
  local n, seen = #values, {}
  for key in next, values do
    if math.type(key) ~= "integer" or key < 1 or key > n then
      check.fail(NAME, "'grid.%s' must be a list of %s, it has the key %s", name, VALUES, check.shown(key))
    end
  end
  if n == 0 then check.fail(NAME, "'grid.%s' has no values", name) end
  for i = 1, n do
    local value = values[i]
    local text = text_of(value)
    if not text then
      check.fail(NAME, "'grid.%s[%d]' must be a finite number, a string or a boolean, got %s", name, i, check.shown(value))
    end
    if seen[text] then check.fail(NAME, "'grid.%s' has %s twice", name, check.shown(value)) end
    seen[text] = true
  end
end

--- Names in order, lists of values, how many points.
local function read_grid(grid)
  local names, lists, n = {}, {}, 1
  for name in next, grid do
    if type(name) ~= "string" then check.fail(NAME, "'grid' has the key %s: parameters are named", check.shown(name)) end
    names[#names + 1] = name
  end
  if #names == 0 then check.fail(NAME, "'grid' has no parameters") end
  table.sort(names)
  for _, name in ipairs(names) do
    check_values(name, grid[name])
    lists[name] = table.move(grid[name], 1, #grid[name], 1, {})
    n = n * #lists[name]
  end
  return { names = names, lists = lists, n = n }
end

--- Parameters of point k: the last name varies fastest.
local function point(grid, k)
  local p, left = {}, k - 1
  for i = #grid.names, 1, -1 do
    local name = grid.names[i]
    local list = grid.lists[name]
    p[name], left = list[left % #list + 1], left // #list
  end
  return p
end

--- A text by which points are compared; nil where a row has no value of one of the names.
local function key_of(grid, row)
  local texts = {}
  for i, name in ipairs(grid.names) do
    texts[i] = text_of(row[name])
    if not texts[i] then return nil end
  end
  return table.concat(texts, "\0")
end

local function told(grid, p)
  local texts = {}
  for i, name in ipairs(grid.names) do texts[i] = ("%s = %s"):format(name, check.shown(p[name])) end
  return table.concat(texts, ", ")
end

-- --- results -------------------------------------------------------------------------------------------------

--- What of a value a line cannot keep: its path and why, or nothing.
local function flaw(value, path, depth)
  local kind = type(value)
  if kind == "number" or kind == "string" or kind == "boolean" or value == json.null then return nil end
  if kind ~= "table" then return path, check.shown(value) end
  if depth > 90 then return path, "tables nested too deeply, or within themselves" end
  local n, listed = #value, value[1] ~= nil
  for key, inner in next, value do
    local fits = type(key) == "string" and not listed or listed and math.type(key) == "integer" and key >= 1 and key <= n
    if not fits then return path, ("a table with the key %s"):format(check.shown(key)) end
    local where, why = flaw(inner, listed and ("%s[%d]"):format(path, key) or path .. "." .. key, depth + 1)
    if where then return where, why end
  end
end

local function refuse(rule, ...) error(rule:format(...), 0) end

--- The result of a run as it is kept, or an error.
local function check_result(grid, result)
  if result == nil then return {} end
  if type(result) ~= "table" then refuse("'run' must return a table of results or nothing, got %s", check.shown(result)) end
  for key, value in next, result do
    if type(key) ~= "string" then refuse("results must be named, got the key %s", check.shown(key)) end
    if grid.lists[key] then refuse("the result '%s' has the name of a parameter", key) end
    local where, why = flaw(value, key, 1)
    if where then refuse("the result '%s' must be of numbers, strings, booleans and tables of them, got %s", where, why) end
  end
  return result
end

local function explain(message)
  if type(message) == "string" then return message end
  local meta = getmetatable(message)
  if type(meta) == "table" and meta.__tostring then return tostring(message) end
  return ("(error object is a %s value)"):format(type(message))
end

--- work(k) -> the line of run k; raises the message of what went wrong.
local function worker(grid, run)
  return function(k)
    local before = progress.listen(nil) -- a bar in a bar
    local p = point(grid, k)
    local ok, result = xpcall(run, explain, p)
    progress.listen(before)
    if not ok then error(result, 0) end
    return files.line(point(grid, k), check_result(grid, result))
  end
end

-- --- the sweep -----------------------------------------------------------------------------------------------

local function listening(wanted)
  if not wanted then return nil end
  local before = progress.listen(progress.bar(io.stderr))
  return setmetatable({}, { __close = function() progress.listen(before) end })
end

--- Rows that are there already, by run, of those that are asked for.
local function take(grid, there, places)
  local rows = {}
  for _, row in ipairs(there) do
    local key = key_of(grid, row)
    local k = key and places[key]
    if k then rows[k] = row end
  end
  return rows
end

--- Runs a function for every point of a grid.
-- @tparam table options `grid` (lists of values by name), `run` (function of a table of parameters, which returns a table of
-- results or nothing), `workers` (processes side by side, 1), `file` (a line a run; runs that it holds are not made again),
-- `progress` (a bar on stderr)
-- @treturn {table,...} a row a run, parameters and results merged, in grid order: names sorted, the last varies fastest; or nil
-- and a message where the file cannot be read or written, or is none of a sweep
-- @raise what `run` raised, with the parameters; runs made until then stay in the file
local function sweep(options)
  core.check(NAME, options, rules)
  local n <const> = options.workers or 1
  if n < 1 then check.fail(NAME, "'workers' must be >= 1, got %d", n) end
  local grid = read_grid(options.grid)
  local rank, size = share(os.getenv)
  local mine, places, results, todo, keep = {}, {}, {}, {}, nil
  for k = 1 + rank, grid.n, size do
    mine[#mine + 1] = k
    if options.file then places[key_of(grid, point(grid, k))] = k end
  end
  if options.file then
    local file, runs = files.open(options.file)
    if not file then return nil, runs end
    keep, results = file, take(grid, runs, places)
  end
  local _ <close> = keep
  for _, k in ipairs(mine) do if not results[k] then todo[#todo + 1] = k end end
  local _ <close> = listening(options.progress)
  local tell, done = progress.start(NAME, #todo), 0
  if #todo > 0 then tell(0) end
  local lost -- why the file cannot be written
  local ended, problem = pcall(workers.run, todo, n, worker(grid, options.run), function(k, ok, answer)
    if not ok then core.raise(NAME, ("run of %s: %s"):format(told(grid, point(grid, k)), answer)) end
    if keep then
      local kept, message = keep:append(answer)
      if not kept then
        lost = message
        error(lost, 0)
      end
    end
    results[k], done = files.read(answer), done + 1
    tell(done)
  end)
  if lost then return nil, lost end
  if not ended then error(problem, 0) end
  local rows = {}
  for i, k in ipairs(mine) do
    rows[i] = results[k]
    for name, value in next, point(grid, k) do rows[i][name] = value end
  end
  return rows
end

return sweep
