--- The prompt: Lua with `delassus` at hand, completion and history where lua-readline is there.
-- @module delassus.prompt
local core = require "delassus.core"
local delassus = require "delassus"
local pretty = require "delassus.pretty"
local waiting = require "delassus.waiting"

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

local INTERRUPTED = 4 -- EINTR: what io.read answers to Ctrl-C

--- Reads by io.read: line; nil at the end of the input; false where Ctrl-C ended the line. A terminal is waited for: a
-- Ctrl-C between its prompt and the read would be heard by neither.
local function plain_reader(text)
  local terminal = core.is_terminal(0)
  if terminal then
    io.write(text)
    io.flush()
  end
  if (terminal or waiting.any()) and not waiting.input(0) then return false end
  local line, _, code = io.read("l")
  if line == nil and code == INTERRUPTED then return false end
  return line
end

local HISTORY, KEPT = (os.getenv("HOME") or ".") .. "/.delassus_history", 1000 -- lines kept of it

--- Shortens the history to its last lines where it has become twice as long.
local function trim_history()
  local lines, file = {}, io.open(HISTORY)
  if not file then return end
  for line in file:lines() do lines[#lines + 1] = line end
  file:close()
  if #lines <= 2 * KEPT then return end
  file = io.open(HISTORY, "w")
  if file then
    file:write(table.concat(lines, "\n", #lines - KEPT + 1), "\n")
    file:close()
  end
end

--- The same through readline, with a history that is written as it is typed.
local function edited_reader(readline)
  trim_history()
  readline.set_options { histfile = HISTORY, completion = true }
  readline.set_complete_function(function(text, from, to) return M.complete(text:sub(from, to)) end)
  readline.set_completion_append_character("")
  local last
  return function(text)
    local done, line = false, nil
    readline.handler_install(text, function(typed)
      done, line = true, typed
      readline.handler_remove()
    end)
    while not done do
      if not waiting.input(0) then return false end -- the next line begins over this handler: lua-readline's
      -- handler_remove closes the stream that readline still writes to, but within a line's handler
      readline.read_char()
    end
    if line and line:find("%S") and line ~= last then
      readline.add_history(line)
      local file = io.open(HISTORY, "a")
      if file then
        file:write(line, "\n")
        file:close()
      end
      last = line
    end
    return line
  end
end

--- A function that reads a line after a prompt, and what to say of it at the start.
local function line_reader()
  local ok, readline = pcall(require, "readline")
  if not core.is_terminal(0) then return plain_reader, "" end
  if not ok or not readline.handler_install then return plain_reader, "; install lua-readline for completion" end
  return edited_reader(readline), ""
end

local function same(...) return ... end

--- The expression with its values handed on by a function, so that it is no tail call: what it raises is then raised in
-- line 1 of the prompt, and not where the prompt was called. Nil where it cannot be written so.
local function in_its_line(expression)
  local rest = expression:find("--", 1, true) and "\n) end" or ") end" -- behind a comment; else in its last line
  local made = load("local same = ... return function(...) return same(" .. expression .. rest, "=prompt")
  return made and made(same)
end

--- Compiles a line as an expression, else as a statement; nil, message, unfinished.
local function compile(text)
  local function ends_early(message) return message:sub(-5) == "<eof>" end
  local expression = text:gsub("^%s*=", "", 1) -- `= x`, as at Lua's own prompt
  local chunk, as_value = load("return " .. expression, "=prompt")
  if chunk then return in_its_line(expression) or chunk end
  local as_statement
  chunk, as_statement = load(text, "=prompt")
  return chunk, as_statement, not chunk and (ends_early(as_value) or ends_early(as_statement))
end

--- What a line that only makes locals does, told once: they are gone with it.
local told_of_locals = false
local function explain_local(text)
  if told_of_locals or not text:match("^%s*local%s") or not core.is_terminal(0) then return end
  told_of_locals = true
  io.stderr:write("a local is gone at the end of its line here: leave out `local` to keep it\n")
end

-- What a line answered; contacts that it iterates are shown as a table.
local function show(line, ok, ...)
  if not ok then
    io.stderr:write(tostring((...)), "\n")
  elseif select("#", ...) > 0 then
    local contacts = type((...)) == "function" and line:match(":contacts%(%)%s*$")
    print(contacts and pretty.contacts((...)) or pretty.values(...))
  end
end

local function plain(message) return tostring(message) end

--- Runs the prompt until the end of the input. Ctrl-C ends the line, or what it runs, never the session.
-- @treturn integer exit status
function M.main()
  local read, hint = line_reader()
  if read == plain_reader then io.stdin:setvbuf("no") end -- what a buffer held could not be waited for
  _G.delassus, _G.help = delassus, setmetatable({}, { __tostring = function() return delassus.help() end,
    __call = function(_, ...) return delassus.help(...) end })
  core.quiet_interrupts()
  if core.is_terminal(0) then
    print(delassus._VERSION .. "  help(x) says what x answers to, help \"joint\" what a word means; Ctrl-D ends" .. hint)
  end
  local text = nil
  while true do
    local line = read(text and ">> " or "> ")
    if line == nil then break end
    if not line then
      print("^C")
      text = nil
    else
      text = text and text .. "\n" .. line or line
      local chunk, message, unfinished = compile(text)
      if chunk then
        explain_local(text)
        show(text, core.guarded(plain, chunk))
      elseif not unfinished then
        io.stderr:write(message, "\n")
      end
      if not unfinished then text = nil end
    end
  end
  if core.is_terminal(0) then print() end
  return 0
end

return M
