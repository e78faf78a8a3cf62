--- The command `delassus`.
-- @module delassus.cli
require "delassus"
local core = require "delassus.core"
local progress = require "delassus.progress"

local M = {}

local usage = [[
delassus: nonsmooth multibody dynamics from Lua scripts

  delassus                      a prompt, with completion and history where lua-readline is installed
  delassus run script.lua ...   runs a script, with progress; what follows is the script's `arg`
  delassus replay run.rec       shows a recording in the browser; with -o run.html (.csv, .json, .glb, .pvd) it is written there;
                                --png run.png [--at 1.5] draws one instant by Chromium
  delassus drum --rpm 6 ...     fills a drum with logs, turns it and writes drum.html; `delassus drum --help`
  delassus sweep script.lua     runs the sweep whose options the script returns, { grid = {...}, run = function(p) ... end }, and
                                prints its rows; --workers 4: so many processes, --file sweep.jsonl: goes on where it stopped
  delassus version              prints the version
  delassus help                 prints this page
]]

local function complain(text)
  io.stderr:write("delassus: ", text, "\n")
  return 2
end

--- An error message with where it came from, without the frames of the command itself.
local function explain(message)
  if type(message) ~= "string" then
    local meta = getmetatable(message)
    if type(meta) == "table" and meta.__tostring then return tostring(message) end
    return ("(error object is a %s value)"):format(type(message))
  end
  if message:match("interrupted$") then return message end
  local trace = debug.traceback(message, 2)
  return (trace:gsub("\n%s*%[C%]: in function [^\n]*guarded.*", ""))
end

local commands = {}

--- Runs a script as lua would, with its own `arg`; Ctrl-C stops it between two steps.
function commands.run(args)
  local path = args[2]
  if not path then return complain("run: which script? `delassus run script.lua`") end
  if path:sub(1, 1) == "-" and path ~= "-" then
    return complain(("run: unknown option '%s'; options of the script come after its name"):format(path))
  end
  local chunk, message = loadfile(path ~= "-" and path or nil)
  if not chunk then return complain("run: " .. message) end
  local script_args = { [0] = path }
  for i = 3, #args do script_args[i - 2] = args[i] end
  _G.arg = script_args
  if core.is_terminal(2) then progress.listen(progress.bar(io.stderr)) end
  local ok, problem = core.guarded(explain, chunk, table.unpack(script_args))
  progress.listen(nil)
  if ok then return 0 end
  io.stderr:write(core.is_terminal(2) and "\n" or "", "delassus: ", problem, "\n")
  return problem:match("interrupted$") and 130 or 1
end

-- -o FILE, --png FILE, --at SECONDS after the recording's name: a table, or nil and a message.
local function replay_options(args)
  local out, names = {}, { ["-o"] = "output", ["--png"] = "png", ["--at"] = "at" }
  for i = 3, #args, 2 do
    local key = names[args[i]]
    if not key or not args[i + 1] then return nil, "expected -o FILE, --png FILE or --at SECONDS, got " .. args[i] end
    out[key] = args[i + 1]
  end
  if out.output and out.png then return nil, "-o and --png: one of them" end
  if out.at then
    if not out.png then return nil, "--at goes with --png" end
    out.at = tonumber(out.at)
    if not out.at then return nil, "--at must be a number of seconds" end
  end
  return out
end

--- Shows a recording, or writes it in another form.
function commands.replay(args)
  local path = args[2]
  if not path then return complain("replay: which recording? `delassus replay run.rec`") end
  local options, wrong = replay_options(args)
  if not options then return complain("replay: " .. wrong) end
  local record = require "delassus.record"
  local rec, message = record.read(path)
  if not rec then return complain("replay: " .. message) end
  if rec.torn then
    io.stderr:write(("delassus: %s: %d bytes at its end are not a whole frame\n"):format(path, rec.torn))
  end
  local ok, answer, problem = pcall(function()
    if options.output then return rec:save(options.output) end
    if options.png then return require "delassus.picture".save(rec, options.png, { at = options.at }) end
    return require "delassus.show"(rec)
  end)
  if not ok then problem = tostring(answer):gsub("^[^\n]-:%d+: ", "") end -- without the place in the command
  if not ok or not answer then return complain("replay: " .. problem) end
  return 0
end

--- Fills and turns a drum of logs.
function commands.drum(args)
  return require "delassus.cli_drum"(args, function(message)
    return type(message) == "string" and message or explain(message)
  end)
end

--- Runs a script's sweep.
function commands.sweep(args) return require "delassus.cli_sweep"(args, explain) end

function commands.version()
  print(require("delassus")._VERSION .. ", " .. _VERSION)
  return 0
end

function commands.help()
  io.write(usage)
  return 0
end

commands["--help"], commands["-h"] = commands.help, commands.help
commands["--version"], commands["-v"] = commands.version, commands.version

--- Runs the command line `args` (args[1] is the first argument).
-- @treturn integer the exit status: 0 success, 1 a script's error, 2 wrong usage, 130 interrupted
function M.main(args)
  if #args == 0 then return require("delassus.prompt").main() end
  local command = commands[args[1]]
  local asks = args[2] == "--help" or args[2] == "-h" -- the drum has a page of its own
  if command and asks and command ~= commands.drum then return commands.help() end
  if command then return command(args) end
  local names = {}
  for name in next, commands do names[name] = true end
  local _, message = pcall(core.unknown, "command", "command", args[1], names)
  return complain((message:gsub("^.-command: ", "")) .. "; `delassus help` lists them")
end

return M
