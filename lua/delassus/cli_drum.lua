-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The command `delassus drum`: a drum of logs filled, turned, and reported as a page.
-- @module delassus.cli_drum
local core = require "delassus.core"
local drum = require "delassus.drum"

local usage = [[
delassus drum [options]         fills a drum with logs, turns it and writes a page with the replay

  --rpm N          turns a minute (6)            --diameter M     of the drum, m (5)
  --fill SHARE     0.5 or "50 %" (0.5)           --logs A-B       diameters of the logs, m (0.08-0.2)
  --revolutions N  to turn (3)                   --file CSV       measured logs instead
  --lifters N      bars on the shell (8)         --density N      of the wood, kg/m^3 (850)
  --dt S           step, s (0.005)               --iterations N   of a step's solver, at most (1000)
  --seed N         of the logs drawn (42)        --record FILE    the replay's data, as a recording
  --quiet          no progress                   -o FILE          .html, .csv or .json (drum.html)

The drum is a slice across its axis (in the plane).
]]

--- What follows an option, and where it goes.
local OPTIONS = { rpm = "number", fill = "text", revolutions = "number", lifters = "number", dt = "number", seed = "number",
  diameter = "number", logs = "range", file = "text", density = "number", iterations = "number", record = "text",
  quiet = "none", help = "none", output = "text" }
local SHORT = { ["-o"] = "output", ["-h"] = "help" }

local function name_of(word)
  local name = SHORT[word] or word:match("^%-%-([%w-]+)$")
  if OPTIONS[name] then return name end
  local known = {}
  for option in next, OPTIONS do known["--" .. option] = true end
  known["-o"] = true
  core.unknown("drum", "option", word, known)
end

local READ = {}
function READ.text(_, text) return text end
function READ.number(word, text)
  local x = tonumber(text)
  if not x then core.raise("drum", ("%s needs a number, got '%s'"):format(word, text)) end
  return math.tointeger(x) or x
end
function READ.range(word, text)
  local lo, hi = text:match("^([%d.]+)%-([%d.]+)$")
  lo, hi = tonumber(lo or text), tonumber(hi or text)
  if not lo or not hi then core.raise("drum", ("%s needs one number or two, like 0.1-0.3, got '%s'"):format(word, text)) end
  return { lo, hi }
end

--- Options of a command line, by name.
local function read(args)
  local given, k = {}, 2
  while args[k] do
    local word, value = args[k], nil
    if word:match("^%-%-[%w-]+=") then word, value = word:match("^(%-%-[%w-]+)=(.*)$") end
    local name = name_of(word)
    if OPTIONS[name] == "none" then
      if value then core.raise("drum", word .. " takes no value") end
      given[name] = true
    else
      if not value then
        k = k + 1
        value = args[k]
      end
      if not value then core.raise("drum", word .. " needs a value") end
      given[name] = READ[OPTIONS[name]](word, value)
    end
    k = k + 1
  end
  return given
end

local function share(text)
  if not text then return 0.5 end
  return tonumber(text) or text
end

--- What a call answered; raises the message where a file could not be read or written.
local function told(answer, message)
  if not answer then core.raise("drum", message) end
  return answer
end

local function work(given)
  local output = given.output or "drum.html"
  if not output:lower():match("%.html$") and not output:lower():match("%.csv$") and not output:lower():match("%.json$") then
    core.raise("drum", ("-o '%s' must end in .html, .csv or .json"):format(output))
  end
  local old = io.open(output, "rb")
  if old then old:close() end
  local file, problem = io.open(output, "ab") -- told before the work, not after it
  if not file then core.raise("drum", problem) end
  file:close()
  if not old then os.remove(output) end -- a run that fails leaves nothing behind
  if (given.revolutions or 3) <= 0 then core.raise("drum", ("--revolutions must be > 0, got %s"):format(given.revolutions)) end
  if given.rpm == 0 then core.raise("drum", "--rpm must not be 0: a drum that stands still makes no revolutions") end
  local d = told(drum { planar = true, diameter = given.diameter or 5, rpm = given.rpm or 6, fill = share(given.fill),
    lifters = { count = given.lifters or 8 }, seed = given.seed or 42, dt = given.dt or 5e-3,
    max_iterations = given.iterations,
    logs = { diameter = given.logs or { 0.08, 0.2 }, density = given.density or 850, file = given.file } })
  d:settle()
  told(d:run { revolutions = given.revolutions or 3, progress = not given.quiet, every = 1 / 15, record = given.record })
  local r = d:report()
  print(r)
  told(r:save(output))
  print("written: " .. output)
end

-- A message without the place in the command where it was raised.
local function bare(message) return (tostring(message):gsub("^[^\n]-:%d+: ", "")) end

--- Runs the command.
-- @tparam table args the command line; args[1] is "drum"
-- @tparam function explain what to say of an error in the run
-- @treturn integer the exit status: 0 success, 1 the run failed, 2 wrong usage, 130 interrupted
return function(args, explain)
  local ok, given = pcall(read, args)
  if not ok then
    io.stderr:write("delassus: ", bare(given), "; `delassus drum --help` lists them\n")
    return 2
  end
  if given.help then
    io.write(usage)
    return 0
  end
  local good, problem = core.guarded(explain, work, given)
  if good then return 0 end
  io.stderr:write("delassus: ", bare(problem), "\n")
  return problem:match("interrupted$") and 130 or 1
end
