--- The prompt: Lua with `delassus` at hand, completion and history where lua-readline is there.
-- @module delassus.prompt
local core = require "delassus.core"
local delassus = require "delassus"

local M = {}

--- Names that `value` answers to, as a set.
local function names_of(value)
  local set = {}
  if type(value) == "table" then
    for name in next, value do set[name] = true end
    for name in next, (getmetatable(value) or {}).parts or {} do set[name] = true end
    return set
  end
  if type(value) == "string" then return names_of(string) end
  return core.names(value) or set
end

--- The value of a dotted path of names, without calling anything: nil where it leads nowhere.
local function follow(path)
  local value = _G
  for name in path:gmatch("[^.:]+") do
    local ok, inner = pcall(function() return value[name] end)
    if not ok then return nil end
    value = inner
  end
  return value
end

--- What could stand for `word`, sorted: "delassus.ve" -> "delassus.vec", "delassus.vector".
-- @tparam string word
-- @treturn {string,...}
function M.complete(word)
  local path, separator, start = word:match("^(.-)([.:]?)([%w_]*)$")
  local matches = {}
  if not path or path:find("[^%w_.:]") then return matches end
  local value = _G
  if separator ~= "" then value = follow(path) else path = "" end
  if value == nil then return matches end
  for name in next, names_of(value) do
    if type(name) == "string" and name:sub(1, #start) == start and name:match("^[%a_][%w_]*$") then
      matches[#matches + 1] = path .. separator .. name
    end
  end
  table.sort(matches)
  return matches
end

--- readline with completion and history, or plain io.read.
local function line_reader()
  local ok, readline = pcall(require, "readline")
  if not ok or not core.is_terminal(0) then
    local read = function(text)
      if core.is_terminal(0) then
        io.write(text)
        io.flush()
      end
      return io.read("l")
    end
    return read, function() end, core.is_terminal(0) and "; install lua-readline for completion" or ""
  end
  readline.set_options { histfile = "~/.delassus_history", keeplines = 1000, completion = true }
  readline.set_complete_function(function(text, from, to) return M.complete(text:sub(from, to)) end)
  readline.set_completion_append_character("")
  return readline.readline, readline.save_history, ""
end

--- Compiles a line as an expression, else as a statement; nil, message, unfinished.
local function compile(text)
  local function ends_early(message) return message:sub(-5) == "<eof>" end
  local chunk, as_value = load("return " .. text:gsub("^%s*=", "", 1), "=prompt") -- `= x`, as at Lua's own prompt
  if chunk then return chunk end
  local as_statement
  chunk, as_statement = load(text, "=prompt")
  return chunk, as_statement, not chunk and (ends_early(as_value) or ends_early(as_statement))
end

local function show(ok, ...)
  if not ok then
    io.stderr:write(tostring((...)), "\n")
  elseif select("#", ...) > 0 then
    print(...)
  end
end

local function plain(message) return tostring(message) end

--- Runs the prompt until the end of the input.
-- @treturn integer exit status
function M.main()
  local read, finish, hint = line_reader()
  _G.delassus = delassus
  if core.is_terminal(0) then
    print(delassus._VERSION .. "  delassus.help(x) says what x answers to; Ctrl-D ends" .. hint)
  end
  local text = nil
  while true do
    local line = read(text and ">> " or "> ")
    if not line then break end
    text = text and text .. "\n" .. line or line
    local chunk, message, unfinished = compile(text)
    if chunk then
      show(core.guarded(plain, chunk))
    elseif not unfinished then
      io.stderr:write(message, "\n")
    end
    if not unfinished then text = nil end
  end
  if core.is_terminal(0) then print() end
  finish()
  return 0
end

return M
