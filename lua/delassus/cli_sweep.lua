-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The command `delassus sweep`: a script's sweep, its rows as a table.
-- @module delassus.cli_sweep
local core = require "delassus.core"
local json = require "delassus.json"
local progress = require "delassus.progress"

local OPTIONS = { ["--workers"] = "workers", ["--file"] = "file" }

--- The script's name and the options of a command line.
local function read(args)
  local path, given, k = nil, {}, 2
  while args[k] do
    local word, value = args[k], nil
    if word:match("^%-%-[%w-]+=") then word, value = word:match("^(%-%-[%w-]+)=(.*)$") end
    local name = OPTIONS[word]
    if not name and word:sub(1, 1) == "-" and word ~= "-" then
      core.unknown("sweep", "option", word, { "--workers", "--file" })
    elseif name then
      if not value then
        k = k + 1
        value = args[k]
      end
      if not value or value == "" then core.raise("sweep", word .. " needs a value") end
      given[name] = value
    elseif path then
      core.raise("sweep", ("one script, got '%s' and '%s'"):format(path, word))
    else
      path = word
    end
    k = k + 1
  end
  if not path then core.raise("sweep", "which script? `delassus sweep script.lua`") end
  if given.workers then
    local n = math.tointeger(tonumber(given.workers))
    if not n or n < 1 then core.raise("sweep", ("--workers needs a whole number >= 1, got '%s'"):format(given.workers)) end
    given.workers = n
  end
  return path, given
end

local function shown(value)
  if value == nil then return "-" end
  if math.type(value) == "float" then return ("%.6g"):format(value) end
  return type(value) == "table" and json.encode(value) or tostring(value)
end

--- Rows as an aligned table: names first, other columns sorted behind them; numbers to the right.
local function print_rows(rows, names)
  local columns, seen, others = {}, {}, {}
  for i, name in ipairs(names) do columns[i], seen[name] = name, true end
  for _, row in ipairs(rows) do
    for name in next, row do
      if not seen[name] then seen[name], others[#others + 1] = true, name end
    end
  end
  table.sort(others, function(a, b) return tostring(a) < tostring(b) end)
  table.move(others, 1, #others, #columns + 1, columns)
  local lines = {}
  for k = 0, #rows do lines[k] = {} end
  for _, name in ipairs(columns) do
    local texts, wide, left = { [0] = tostring(name) }, utf8.len(tostring(name)) or #tostring(name), false
    for k, row in ipairs(rows) do
      texts[k] = shown(row[name])
      wide = math.max(wide, utf8.len(texts[k]) or #texts[k])
      left = left or row[name] ~= nil and type(row[name]) ~= "number"
    end
    for k = 0, #rows do
      local blank = (" "):rep(wide - (utf8.len(texts[k]) or #texts[k]))
      table.insert(lines[k], left and texts[k] .. blank or blank .. texts[k])
    end
  end
  for k = 0, #rows do print((table.concat(lines[k], "  "):gsub("%s+$", ""))) end
end

local function is_rows(answer)
  if type(answer) ~= "table" then return false end
  for key, row in next, answer do
    if math.type(key) ~= "integer" or type(row) ~= "table" then return false end
  end
  return true
end

--- Makes the sweep and prints its rows; answers what is wrong with its file, or nothing.
local function work(chunk, path, given)
  local answer, names = chunk(), {}
  if type(answer) == "table" and answer.grid ~= nil then
    local options = {}
    for key, value in next, answer do options[key] = value end
    for key, value in next, given do options[key] = value end
    local message
    answer, message = require "delassus.sweep"(options)
    if not answer then return message end
    for name in next, options.grid do names[#names + 1] = name end
    table.sort(names)
  elseif not is_rows(answer) then
    core.raise("sweep", path .. " must return the options of a sweep, { grid = ..., run = ... }, or the rows of one")
  elseif next(given) then
    io.stderr:write("delassus: sweep: the script has made its sweep itself: --workers and --file say nothing to it\n")
  end
  print_rows(answer, names)
end

local function bare(message) return (tostring(message):gsub("^[^\n]-:%d+: sweep: ", "sweep: ")) end

--- Runs the command.
-- @tparam table args the command line; args[1] is "sweep"
-- @tparam function explain what to say of an error in the script
-- @treturn integer the exit status: 0 success, 1 a run failed, 2 wrong usage, 130 interrupted
return function(args, explain)
  local ok, path, given = pcall(read, args)
  if not ok then
    io.stderr:write("delassus: ", bare(path), path:find "unknown option" and "; `delassus help` lists them\n" or "\n")
    return 2
  end
  local chunk, message = loadfile(path ~= "-" and path or nil)
  if not chunk then
    io.stderr:write("delassus: sweep: ", message, "\n")
    return 2
  end
  _G.arg = { [0] = path }
  if core.is_terminal(2) then progress.listen(progress.bar(io.stderr)) end
  local good, problem = core.guarded(explain, work, chunk, path, given)
  progress.listen(nil)
  if good and not problem then return 0 end
  if good then problem = "sweep: " .. problem end
  io.stderr:write(core.is_terminal(2) and "\n" or "", "delassus: ", bare(problem), "\n")
  return problem:match("interrupted$") and 130 or 1
end
