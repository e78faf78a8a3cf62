--- What keeps a model of strangers (see `delassus.load_rbdl`): the text of a chunk that runs with it in a state of its
-- own (`core.caged`). It makes what the model may call, runs it and returns what of it is read, as plain tables: what
-- answers by functions of the model's is asked in there. Functions in C that could take long by themselves, which no
-- limit would see, are written out or look at their arguments first.
-- @module delassus.load_keeper
return [==[
local text, name = ...
local error, type, next, select, setmetatable = error, type, next, select, setmetatable
local c_concat, c_find, c_match, c_gmatch, c_gsub = table.concat, string.find, string.match, string.gmatch, string.gsub
local LONG = 1e8 -- character comparisons, at most, of one call

math.randomseed(1) -- the same numbers for every model; nobody else's
local env = { print = function() end, ipairs = ipairs, pairs = pairs, next = next, select = select, type = type,
  tonumber = tonumber, tostring = tostring, assert = assert, error = error, unpack = table.unpack }
for _, library in ipairs{ "math", "string", "table" } do
  env[library] = {}
  for key, value in next, _G[library] do env[library][key] = value end
end
env._G = env
env.math.randomseed = nil
env.getmetatable = function() return nil end
function env.setmetatable(t, meta) -- finalizers would run outside of all limits
  if type(meta) == "table" and next(meta) ~= nil then
    for key in next, meta do if key == "__gc" then error("a model has no finalizers", 2) end end
  end
  return setmetatable(t, meta)
end

-- A search may try each repetition at every length, from every place: n^(repetitions + 1) comparisons of the pattern.
local function check(s, pattern, plain)
  if type(s) ~= "string" or type(pattern) ~= "string" then return end -- the function itself says what is wrong
  local n, work = #s + 1, (#s + 1) * #pattern
  if not plain then
    if #pattern > 1000 then error("stopped: a pattern is too long", 0) end
    local back = 0
    for k = 1, #pattern do
      local byte = pattern:byte(k)
      -- - * + ?, and what follows %: captures met again, balanced strings
      local escaped = byte == 37 and c_find("123456789bf", pattern:sub(k + 1, k + 1), 1, true)
      if byte == 45 or byte == 42 or byte == 43 or byte == 63 or escaped then back = back + 1 end
    end
    work = work * n ^ back
  end
  if work > LONG then error("stopped: a pattern could take too long on " .. #s .. " characters", 0) end
end
local function plain_string(s) return type(s) == "number" and s .. "" or s end
local strings = env.string
strings.dump, strings.rep = nil, nil
function strings.find(s, pattern, init, plain)
  s, pattern = plain_string(s), plain_string(pattern)
  check(s, pattern, plain)
  return c_find(s, pattern, init, plain)
end
function strings.match(s, pattern, init)
  s, pattern = plain_string(s), plain_string(pattern)
  check(s, pattern)
  return c_match(s, pattern, init)
end
function strings.gmatch(s, pattern)
  s, pattern = plain_string(s), plain_string(pattern)
  check(s, pattern)
  return c_gmatch(s, pattern)
end
function strings.gsub(s, pattern, with, n)
  s, pattern = plain_string(s), plain_string(pattern)
  check(s, pattern)
  return c_gsub(s, pattern, with, n)
end
getmetatable("").__index = strings

-- Tables may say any length: their functions count as instructions.
local tables = env.table
local MANY = 1e7
local function count(n)
  if n > MANY then error("stopped: a table of too many elements", 0) end
  return n
end
function tables.insert(t, at, ...)
  local n = count(#t + 1)
  if select("#", ...) == 0 then t[n] = at return end
  if type(at) ~= "number" or at < 1 or at > n then error("bad argument #2 to 'insert' (position out of bounds)", 2) end
  for k = n, at + 1, -1 do t[k] = t[k - 1] end
  t[at] = (...)
end
function tables.remove(t, at)
  local n = count(#t)
  if at == nil then at = n end
  local value = t[at]
  for k = at, n - 1 do t[k] = t[k + 1] end
  if at <= n then t[n] = nil end
  return value
end
function tables.move(from, first, last, at, to)
  to = to or from
  count((last + 0.0) - first)
  if at > first and at <= last and to == from then
    for k = last - first, 0, -1 do to[at + k] = from[first + k] end
  else
    for k = 0, last - first do to[at + k] = from[first + k] end
  end
  return to
end
function tables.concat(t, between, first, last)
  local parts, n = {}, 0
  count((last or #t) + 0.0 - (first or 1))
  for k = first or 1, last or #t do
    n = n + 1
    parts[n] = t[k]
    if parts[n] == nil then error("invalid value (at index " .. k .. ") in table for 'concat'", 2) end
  end
  return c_concat(parts, between)
end
-- By halves: as many comparisons as n log n, whatever they answer.
function tables.sort(t, before)
  before = before or function(x, y) return x < y end
  local function sort(list, n)
    if n < 2 then return list end
    local half, a, b = n // 2, {}, {}
    for k = 1, half do a[k] = list[k] end
    for k = half + 1, n do b[k - half] = list[k] end
    a, b = sort(a, half), sort(b, n - half)
    local out, i, j = {}, 1, 1
    for k = 1, n do
      if j > n - half or i <= half and not before(b[j], a[i]) then out[k], i = a[i], i + 1
      else out[k], j = b[j], j + 1 end
    end
    return out
  end
  local n = count(#t)
  local list = {}
  for k = 1, n do list[k] = t[k] end
  list = sort(list, n)
  for k = 1, n do t[k] = list[k] end
end

local model = assert(load(text, "=" .. name, "t", env), "")()
if type(model) ~= "table" then error("the model must return a table, got a " .. type(model), 0) end

local names = { "gravity", "frames", "name", "parent", "body", "mass", "com", "inertia", "joint", "joint_frame", "r", "E",
  "constraint_sets", "millard2016_torque_muscles" }
local function plain(x, depth)
  if type(x) ~= "table" then
    if type(x) == "function" or type(x) == "userdata" or type(x) == "thread" then return type(x) end
    return x
  end
  local out = {}
  if depth == 0 then return out end
  for _, key in ipairs(names) do out[key] = plain(x[key], depth - 1) end
  for k = 1, #x do out[k] = plain(x[k], depth - 1) end
  return out
end
return plain(model, 8)
]==]
