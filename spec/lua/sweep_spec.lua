-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Sweeps: rows by hand, the same for any number of processes, resumed from any file that a kill can leave, ended by an
-- error or a Ctrl-C with no process left, shared out without gap or overlap.
local delassus = require "delassus"
local core = require "delassus.core"
local json = require "delassus.json"
local sweep = require "delassus.sweep"

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))
local names = 0

--- The name of a new file, with a text where one is given.
local function path_of(text)
  names = names + 1
  local path = ("%s/%d"):format(folder, names)
  if text then
    local file <close> = assert(io.open(path, "wb"))
    file:write(text)
  end
  return path
end

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

local function lines(path)
  local list = {}
  for line in io.lines(path) do list[#list + 1] = line end
  return list
end

--- A script as a process of its own: what it says, its status. SCRIPT and FOLDER in the command and the text are filled in.
local function process(command, text)
  local script = path_of(text:gsub("FOLDER", folder))
  local line = ("cd %s && export LUA_PATH='%s' LUA_CPATH='%s'; %s"):format(assert(os.getenv "PWD"), package.path, package.cpath,
    command:gsub("SCRIPT", script):gsub("FOLDER", folder))
  local pipe = assert(io.popen("{ " .. line .. "; echo status $?; } 2>&1"))
  local said = pipe:read("a")
  pipe:close()
  return said:match("^(.*)status %d+\n$"), tonumber(said:match("status (%d+)\n$"))
end

local function line(parameters, result)
  local row = {}
  for _, part in ipairs{ result, parameters } do
    for name, value in pairs(part) do row[name] = value end
  end
  return json.encode(row, true) .. "\n"
end

local grid = { rpm = { 4, 5, 6 }, fill = { 0.3, 0.5 } }
local function product(p) return { power = p.rpm * p.fill } end

teardown(function() os.execute("rm -rf " .. folder) end)

describe("a sweep", function()
  it("makes a row a run, in grid order, parameters and results merged: by hand", function()
    local asked = {}
    local rows = sweep { grid = grid, run = function(p)
      asked[#asked + 1] = ("%s %d"):format(p.fill, p.rpm)
      if p.fill == 0.5 then return { power = 10 * p.rpm } end
    end }
    assert.same({ "0.3 4", "0.3 5", "0.3 6", "0.5 4", "0.5 5", "0.5 6" }, asked)
    assert.same({ { fill = 0.3, rpm = 4 }, { fill = 0.3, rpm = 5 }, { fill = 0.3, rpm = 6 }, { fill = 0.5, rpm = 4, power = 40 },
      { fill = 0.5, rpm = 5, power = 50 }, { fill = 0.5, rpm = 6, power = 60 } }, rows)
  end)

  it("keeps what run returns beside the parameters, whatever run does with its table", function()
    local rows = sweep { grid = { b = { "x", true }, a = { 2, 1.5 } }, run = function(p)
      local a = p.a
      p.a, p.b = nil, "changed"
      if a == 2 then return { whole = 2.0, n = 3, z = -0.0, big = 1e300, third = 1 / 3, least = math.mininteger,
        far = 2.0 ^ 53, text = "a\n\"b\"\0ä", list = { 1, 2.0, { deep = false } }, none = {} } end
    end }
    assert.equal(4, #rows)
    assert.same({ a = 1.5, b = "x" }, rows[3])
    assert.same({ a = 1.5, b = true }, rows[4])
    local row = rows[2]
    assert.same({ 2, true, 2.0, 3, 1e300, 1 / 3, math.mininteger, 2.0 ^ 53, "a\n\"b\"\0ä" },
      { row.a, row.b, row.whole, row.n, row.big, row.third, row.least, row.far, row.text })
    assert.same({ "integer", "float", "integer", "float", "float", "integer" }, { math.type(row.a), math.type(row.whole),
      math.type(row.n), math.type(row.far), math.type(row.list[2]), math.type(row.list[1]) })
    assert.equal(-math.huge, 1 / row.z)
    assert.is_false(row.list[3].deep)
    assert.same({}, row.none)
  end)

  it("gives the same rows, to the bit and in their kinds of numbers, by 1, 2 and 5 processes, and from a file", function()
    local function fall(p)
      local world <close> = delassus.world { planar = true, record = false }
      local random = delassus.random(p.seed)
      world:floor {}
      for i = 1, 8 do world:disk { radius = 0.1, position = { random:uniform(-0.2, 0.2), 0.3 * i }, restitution = p.e } end
      world:run(0.2)
      return { hash = world:hash(), energy = { world:energy() }, time = world.time, nothing = 0 / 0, holes = { 1, 0 / 0 } }
    end
    local options = { grid = { seed = { 1, 2, 3 }, e = { 0, 0.5 } }, run = fall }
    local want = sweep(options)
    assert.equal(6, #want)
    assert.is_true(want[1].hash ~= want[2].hash)
    assert.is_nil(want[1].nothing) -- not in JSON
    assert.equal(json.null, want[1].holes[2])
    local function same(a, b, where)
      assert.equal(math.type(a) or type(a), math.type(b) or type(b), where)
      if type(a) ~= "table" then return assert.equal(a, b, where) end
      for key in pairs(a) do same(a[key], b[key], where .. "." .. key) end
      for key in pairs(b) do assert.is_not_nil(a[key], where .. "." .. key) end
    end
    for _, n in ipairs { 1, 2, 5 } do
      options.workers, options.file = n, path_of()
      same(want, sweep(options), "by " .. n)
      assert.equal(6, #lines(options.file))
      same(want, sweep(options), "from a file by " .. n)
      assert.equal(6, #lines(options.file))
    end
  end)

  it("hands runs to whoever is free, in copies that leave this process alone", function()
    local pids, touched = path_of(""), 0
    local rows = sweep { grid = { k = { 1, 2, 3, 4, 5, 6, 7 } }, workers = 3, run = function()
      touched = touched + 1
      os.execute(("echo run >> %s"):format(pids))
      return { touched = touched }
    end }
    assert.equal(7, #lines(pids))
    assert.equal(core.forks and 0 or 7, touched)
    for _, row in ipairs(rows) do assert.equal(core.forks and 1 or row.k, row.touched) end
  end)

  it("goes on with fewer processes where the system has not so many", function()
    if not core.forks then return end
    local said, status = process("ulimit -n 12; lua5.4 SCRIPT", [[
      local k = {}
      for i = 1, 40 do k[i] = i end
      local rows = require "delassus.sweep"{ grid = { k = k }, workers = 40, run = function(p) return { twice = 2 * p.k } end }
      print(#rows, rows[40].twice)]])
    assert.same({ "40\t80\n", 0 }, { said, status })
    said = process("ulimit -n 4; lua5.4 SCRIPT",
      'require "delassus.sweep"{ grid = { k = {1, 2} }, workers = 2, run = function() end }')
    assert.matches("sweep: no process can be started: ", said, 1, true)
  end)

  it("can be made within a run of a sweep", function()
    local rows = sweep { grid = { a = { 1, 2 } }, workers = 2, run = function(p)
      local inner = sweep { grid = { b = { 10, 20 } }, workers = 2, run = function(q) return { c = p.a + q.b } end }
      return { all = { inner[1].c, inner[2].c } }
    end }
    assert.same({ { a = 1, all = { 11, 21 } }, { a = 2, all = { 12, 22 } } }, rows)
  end)

  it("takes an answer that is longer than a pipe holds", function()
    local rows = sweep { grid = { k = { 1, 2, 3 } }, workers = 2, run = function(p) return { s = ("x"):rep(300000 + p.k) } end }
    for k, row in ipairs(rows) do assert.equal(300000 + k, #row.s) end
  end)

  it("lets what runs print go through, once, and runs no finalizer of this process in a copy", function()
    local said, status = process("lua5.4 SCRIPT", [[
      local sweep = require "delassus.sweep"
      collectgarbage "stop"
      local gone = setmetatable({}, { __gc = function() print "finalized" end })
      local file = io.open("FOLDER/buffered", "w")
      file:write("once\n")
      io.write("before\n")
      setmetatable({}, { __gc = function() print "garbage" end })
      sweep{ grid = { k = {1, 2} }, workers = 2, run = function(p)
        collectgarbage()
        io.write("run ", p.k, "\n")
      end }
      file:close()
      print("after", gone ~= nil)]])
    assert.equal(0, status)
    local counts = {}
    for word in said:gmatch("[^\n]+") do counts[word] = (counts[word] or 0) + 1 end
    assert.same({ before = 1, garbage = 1, ["run 1"] = 1, ["run 2"] = 1, ["after\ttrue"] = 1, finalized = 1 }, counts)
    assert.equal("once\n", read(folder .. "/buffered"))
  end)
end)

describe("a copy of the process", function()
  local function answer_of(child)
    local parts = {}
    for piece in child.hear, child do parts[#parts + 1] = piece end
    return table.concat(parts), child:finish()
  end

  it("ends no other copy, whatever it closes", function()
    if not core.forks then return end
    local go = path_of()
    local one <close> = core.child()
    local other <close> = core.child()
    assert.is_true(one:start(function()
      while not io.open(go) do end
      return "whole"
    end))
    assert.is_true(other:start(function()
      one:close()
      return ""
    end))
    assert.equal("+", other:hear())
    assert.equal(0, other:finish())
    assert(io.open(go, "w")):close()
    while not core.wait_children({ one }, 1) do end
    assert.same({ "+whole", 0 }, { answer_of(one) })
  end)

  it("has no lock of a file that another one has, until that lets it go", function()
    if not core.forks then return end
    local path = path_of("")
    local file <close> = assert(io.open(path, "a+"))
    local function tried()
      local child <close> = core.child()
      assert.is_true(child:start(function()
        local same <close> = assert(io.open(path, "a+"))
        return tostring(core.lock(same, true))
      end))
      return answer_of(child)
    end
    assert.same({ "+true", 0 }, { tried() })
    assert.is_true(core.lock(file, true))
    assert.same({ "+false", 0 }, { tried() })
    core.lock(file, false)
    assert.same({ "+true", 0 }, { tried() })
  end)

  it("is refused arguments that are none", function()
    assert.error_matches(function() core.child():start(3) end, "function expected")
    assert.error_matches(function() core.wait_children({ 3 }, 1) end, "child")
    assert.error_matches(function() core.wait_children({}, -1) end, "not a time to wait")
    local file = assert(io.open(path_of("")))
    file:close()
    assert.error_matches(function() core.lock(file, true) end, "a closed file")
    assert.error_matches(function() core.cut(file, 0) end, "a closed file")
  end)
end)

describe("the file of a sweep", function()
  --- Runs that are made, by whichever process.
  local function counted(options)
    local marks = path_of("")
    options.run = function(p)
      local file <close> = assert(io.open(marks, "a"))
      file:write(p.fill, " ", p.rpm, "\n")
      return product(p)
    end
    local rows = sweep(options)
    local made = lines(marks)
    table.sort(made)
    return rows, made
  end

  it("gets a line a run, and is resumed behind what a kill has left", function()
    local want = sweep { grid = grid, run = product }
    local whole = line({ fill = 0.3, rpm = 5 }, { power = 1.5 }) .. line({ fill = 0.5, rpm = 4.0 }, { power = 2.0 }) ..
      line({ fill = 0.9, rpm = 4 }, { power = 9 }) .. '{"other": 1}\n' ..
      line({ rpm = 5, more = 1 }, { power = 9 }) .. line({ fill = 0.5, rpm = 6 }, { power = 3.0 })
    local torn = line({ fill = 0.5, rpm = 5 }, { power = 2.5 })
    for _, rest in ipairs { "", "{", torn:sub(1, 20), torn:sub(1, -2), torn:sub(1, 20) .. "\n", torn:sub(1, -3) .. "\n\n" } do
      for _, n in ipairs { 1, 2 } do
        local file = path_of(whole .. rest)
        local rows, made = counted { grid = grid, file = file, workers = n }
        assert.same({ "0.3 4", "0.3 6", "0.5 5" }, made)
        assert.same(want, rows)
        local text = read(file)
        assert.equal(whole, text:sub(1, #whole))
        assert.equal(9, #lines(file))
        for each in text:gmatch("[^\n]*\n") do assert.is_table(json.decode(each)) end
        rows, made = counted { grid = grid, file = file, workers = n }
        assert.same({}, made)
        assert.same(want, rows)
      end
    end
  end)

  it("is resumed from wherever a write can have ended", function()
    local all = path_of()
    local want = sweep { grid = grid, file = all, run = product }
    local text = read(all)
    for n = 0, #text do
      local file, made, _, whole = path_of(text:sub(1, n)), 0, text:sub(1, n):gsub("\n", "")
      local rows = sweep { grid = grid, file = file, run = function(p)
        made = made + 1
        return product(p)
      end }
      if made ~= 6 - whole or read(file) ~= text then error(("cut after %d bytes"):format(n)) end
      for k, row in ipairs(rows) do
        if row.power ~= want[k].power or row.rpm ~= want[k].rpm then error(("cut after %d bytes: row %d"):format(n, k)) end
      end
      os.remove(file)
    end
  end)

  it("is used for what a larger grid has in common with it", function()
    local file = path_of()
    counted { grid = grid, file = file }
    local rows, made = counted { grid = { rpm = { 6.0, 7 }, fill = { 0.3 } }, file = file }
    assert.same({ "0.3 7" }, made)
    assert.equal("float", math.type(rows[1].rpm)) -- as the grid has it
    assert.near(1.8, rows[1].power, 1e-15)
  end)

  it("is told of by name and line where it is damaged, and left as it is", function()
    local good = line({ fill = 0.3, rpm = 4 }, { power = 1 })
    for _, text in ipairs { good .. "{oops\n" .. good, good .. good:sub(1, 9) .. "\n" .. good .. "{", good .. "no JSON",
      good .. "5\n" } do
      local file = path_of(text)
      local made = 0
      local rows, message = sweep { grid = grid, file = file, run = function() made = made + 1 end }
      assert.is_nil(rows)
      assert.equal(1, (message:find(("%s:2: not a run of a sweep"):format(file), 1, true)))
      assert.equal(0, made)
      assert.equal(text, read(file))
    end
    local rows, message = sweep { grid = grid, run = product, file = folder .. "/none/x.jsonl" }
    assert.is_nil(rows)
    assert.matches("^" .. folder:gsub("%p", "%%%0") .. "/none/x.jsonl: No such file", message)
  end)

  it("answers nil and a message where it can be written no more", function()
    for _, n in ipairs { 1, 2 } do
      local file, made = path_of(), 0
      local rows, message = sweep { grid = grid, file = file, workers = n, run = function(p)
        made = made + 1
        return product(p)
      end, progress = false }
      assert.equal(6, #rows, message)
      -- what another process has left in it since is none of a sweep
      local spoilt
      rows, message = sweep { grid = { rpm = { 7, 8 }, fill = { 0.1 } }, file = file, workers = n, run = function(p)
        if not spoilt then
          local other <close> = assert(io.open(file, "ab"))
          other:write("spoilt\nby others")
          spoilt = true
        end
        return product(p)
      end }
      assert.is_nil(rows)
      assert.equal(1, (message:find(file .. ":7: not a run of a sweep", 1, true)), message)
    end
  end)

  it("is shared by processes that append side by side, whole lines each", function()
    local four = "for k in 0 1 2 3; do OMPI_COMM_WORLD_RANK=$k OMPI_COMM_WORLD_SIZE=4 lua5.4 SCRIPT & done; wait"
    local said, status = process(four, [[
      local k = {}
      for i = 1, 100 do k[i] = i end
      local rows = require "delassus.sweep"{ grid = { k = k }, workers = 2, file = "FOLDER/shared", run = function(p)
        return { text = ("x"):rep(10000), twice = 2 * p.k }
      end }
      print(#rows)]])
    assert.same({ "25\n25\n25\n25\n", 0 }, { said, status })
    local seen = {}
    for _, each in ipairs(lines(folder .. "/shared")) do
      local run = assert(json.decode(each))
      assert.equal(2 * run.k, run.twice)
      seen[run.k] = true
    end
    assert.equal(100, #seen)
  end)
end)

describe("an error in a run of a sweep", function()
  it("is raised with its message and the parameters, by any number of processes; runs made until then are kept", function()
    for _, n in ipairs { 1, 3 } do
      local file = path_of()
      local ok, message = pcall(sweep, { grid = grid, workers = n, file = file, run = function(p)
        if p.rpm == 5 and p.fill == 0.5 then error("boom") end
        if p.rpm == 6 and p.fill == 0.5 and n > 1 then while true do end end -- ended with it
        return product(p)
      end })
      assert.is_false(ok)
      local place = "spec/lua/sweep_spec.lua:%d+: "
      assert.matches("^" .. place .. "sweep: run of fill = 0.5, rpm = 5: " .. place .. "boom$", message)
      local kept = lines(file)
      assert.is_true(n > 1 and #kept >= 2 or #kept == 4)
      for _, each in ipairs(kept) do assert.is_table(json.decode(each)) end
    end
  end)

  it("is told whatever it is: a table, an end, a signal, a wrong result", function()
    local function told(what, run)
      for n = core.forks and 2 or 1, what:find("^its process") and 2 or 1, -1 do
        local ok, message = pcall(sweep, { grid = { k = { 7 } }, workers = n, run = run })
        assert.is_false(ok)
        assert.truthy(message:find("sweep: run of k = 7: " .. what, 1, true), message)
      end
    end
    told("words", function() error(setmetatable({}, { __tostring = function() return "words" end })) end)
    told("(error object is a table value)", function() error {} end)
    told("'run' must return a table of results or nothing, got 3", function() return 3 end)
    told("results must be named, got the key 1", function() return { 1 } end)
    told("the result 'k' has the name of a parameter", function() return { k = 1 } end)
    told("the result 'a.b' must be of numbers, strings, booleans and tables of them, got a function",
      function() return { a = { b = print } } end)
    told("the result 'v' must be of numbers, strings, booleans and tables of them, got a userdata",
      function() return { v = delassus.vec { 1, 2 } } end)
    told("the result 'a[2]' must be of numbers", function() return { a = { 1, { [5] = 1 } } } end)
    told("the result 'a' must be of numbers, strings, booleans and tables of them, got a table with the key 'n'",
      function() return { a = { 1, n = 2 } } end)
    told("the result 'a.a.a.", function()
      local a = {}
      a.a = a
      return a
    end)
    if not core.forks then return end
    told("its process ended with status 3", function() os.exit(3) end)
    told("its process was ended by signal 9", function() os.execute("kill -9 $PPID") end)
  end)
end)

describe("a Ctrl-C in a sweep", function()
  -- Run 4 sends it to the process that asked for the sweep; 4 and later runs end only if they are ended.
  local script = [[
    local function pid()
      local pipe <close> = io.popen("echo $PPID")
      return pipe:read("n")
    end
    local asker = pid()
    local options = { grid = { k = {1, 2, 3, 4, 5, 6} }, workers = 3, file = "FOLDER/FILE", run = function(p)
      local list <close> = io.open("FOLDER/FILE.pids", "a")
      list:write(pid(), "\n")
      list:flush()
      if p.k >= 4 then
        if p.k == 4 then os.execute("kill -SIGNAL " .. asker) end
        while true do end
      end
      return { square = p.k ^ 2 }
    end }
  ]]

  --- Whether a process is there, and no zombie that the system's first process has not buried yet.
  local function at_work(pid)
    local file = io.open("/proc/" .. pid .. "/stat")
    if not file then return os.execute(("kill -0 %s 2>/dev/null"):format(pid)) end
    local state = (file:read("a") or ""):match("%) (%a)")
    file:close()
    return state ~= "Z" and state ~= "X" and state ~= nil
  end

  local function ended(command, file, signal, last)
    local said, status = process(command, (script .. last):gsub("FILE", file):gsub("SIGNAL", signal))
    local tries = signal == "KILL" and 1000 or 1 -- the system ends them then, in its time
    for _, pid in ipairs(lines(folder .. "/" .. file .. ".pids")) do
      while tries > 0 and at_work(pid) do tries = tries - 1 end
      assert.is_true(tries > 0, "left behind: " .. pid)
    end
    local made, kept = 0, #lines(folder .. "/" .. file)
    assert.is_true(kept >= 1 and kept <= 3)
    local rows = sweep { grid = { k = { 1, 2, 3, 4, 5, 6 } }, file = folder .. "/" .. file, run = function(p)
      made = made + 1
      return { square = p.k ^ 2 }
    end }
    assert.equal(6 - kept, made)
    for k = 1, 6 do assert.equal(k ^ 2, rows[k].square) end
    return said, status
  end

  it("ends every process of it, and its file is resumed", function()
    if not core.forks then return end
    local said, status = ended("lua5.4 SCRIPT", "plain", "INT", 'require "delassus.sweep"(options)')
    assert.matches("interrupted", said)
    assert.equal(1, status)
  end)

  it("does so of the command, with status 130", function()
    if not core.forks then return end
    local said, status = ended("lua5.4 bin/delassus sweep SCRIPT", "command", "INT", "return options")
    assert.matches("interrupted\n$", said)
    assert.equal(130, status)
  end)

  it("is not needed where the process is killed: on Linux the others go with it", function()
    if not core.forks or not io.open "/proc/self/stat" then return end
    local _, status = ended("lua5.4 SCRIPT", "killed", "KILL", 'require "delassus.sweep"(options)')
    assert.equal(137, status)
  end)

  it("ends one run after the other, too, with the parameters told", function()
    local said, status = process("lua5.4 bin/delassus sweep SCRIPT", [[
      return { grid = { k = {1, 2} }, run = function(p)
        if p.k == 2 then io.popen("kill -INT $PPID"):close() end
        while p.k == 2 do end
      end }]])
    assert.equal(130, status)
    assert.matches("sweep: run of k = 2: .*interrupted\n$", said)
  end)
end)

describe("shares of a sweep", function()
  local share = require "delassus.sweep_share"
  local function of(variables) return share(function(name) return variables[name] end) end

  it("are told by mpirun, PMI, srun and arrays of Slurm, arrays first", function()
    assert.same({ 0, 1 }, { of {} })
    assert.same({ 2, 4 }, { of { OMPI_COMM_WORLD_RANK = "2", OMPI_COMM_WORLD_SIZE = "4" } })
    assert.same({ 1, 3 }, { of { PMI_RANK = "1", PMI_SIZE = "3" } })
    local step = { SLURM_PROCID = "5", SLURM_NTASKS = "8", SLURM_JOB_ID = "77", SLURM_STEP_ID = "0" }
    assert.same({ 5, 8 }, { of(step) })
    assert.same({ 5, 8 }, { of { SLURM_PROCID = "5", SLURM_NTASKS = "8" } })
    step.SLURM_STEP_ID = nil -- the script of the batch
    assert.same({ 0, 1 }, { of(step) })
    local array = { SLURM_ARRAY_TASK_ID = "7", SLURM_ARRAY_TASK_MIN = "1", SLURM_ARRAY_TASK_STEP = "3",
      SLURM_ARRAY_TASK_COUNT = "4", SLURM_ARRAY_TASK_MAX = "10", SLURM_PROCID = "0", SLURM_NTASKS = "2" }
    assert.same({ 2, 4 }, { of(array) })
    array.SLURM_ARRAY_TASK_MAX = "12" -- as asked for: 1-12:3
    assert.same({ 2, 4 }, { of(array) })
    array.SLURM_ARRAY_TASK_MAX = nil
    assert.same({ 2, 4 }, { of(array) })
    for id = 1, 4 do -- where they begin is not told: from 0 or from 1
      assert.same({ id % 4, 4 }, { of { SLURM_ARRAY_TASK_ID = tostring(id), SLURM_ARRAY_TASK_COUNT = "4" } })
    end
  end)

  it("are refused where they would leave a gap", function()
    local uneven = { SLURM_ARRAY_TASK_ID = "2", SLURM_ARRAY_TASK_MIN = "1", SLURM_ARRAY_TASK_COUNT = "3",
      SLURM_ARRAY_TASK_MAX = "7" }
    assert.error_matches(function() of(uneven) end, "sweep: the 3 tasks of the Slurm array must be evenly spaced")
    uneven.SLURM_ARRAY_TASK_MAX, uneven.SLURM_ARRAY_TASK_ID = nil, "7"
    assert.error_matches(function() of(uneven) end, "evenly spaced, as in %-%-array=1%-3")
    assert.error_matches(function() of { PMI_RANK = "3", PMI_SIZE = "3" } end, "sweep: PMI_RANK is 3 of PMI_SIZE 3")
    assert.error_matches(function() of { PMI_RANK = "x", PMI_SIZE = "3" } end,
      "sweep: PMI_RANK must be a whole number >= 0, got 'x'")
  end)

  it("are disjoint and the whole; nothing is left for who comes after them", function()
    local script = [[
      local rows = require "delassus.sweep"{ grid = { a = {1, 2, 3, 4}, b = {10, 20, 30} }, file = "FOLDER/union", workers = 2,
        run = function(p) io.stderr:write("made\n") return { sum = p.a + p.b } end }
      for _, row in ipairs(rows) do io.write(row.sum, " ") end]]
    local all = {}
    for rank, want in ipairs { "11 22 33 ", "21 32 14 ", "31 13 24 ", "12 23 34 " } do
      all[rank] = { want = want, said = process(("SLURM_ARRAY_TASK_ID=%d SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=5 " ..
        "SLURM_ARRAY_TASK_COUNT=4 lua5.4 SCRIPT 2>/dev/null"):format(5 + 5 * rank), script) }
    end
    for _, of_rank in ipairs(all) do assert.equal(of_rank.want, of_rank.said) end
    assert.equal(12, #lines(folder .. "/union"))
    local said = process("lua5.4 SCRIPT", script)
    assert.equal("11 21 31 12 22 32 13 23 33 14 24 34 ", said)
  end)
end)

describe("wrong options of a sweep", function()
  it("are named, and nothing is run and no file made", function()
    local file, made = path_of(), 0
    local function run() made = made + 1 end
    for told, options in pairs {
      ["expected a table of options"] = 3,
      ["unknown option 'worker' (did you mean 'workers'?)"] = { grid = grid, run = run, worker = 2 },
      ["'grid' is required"] = { run = run }, ["'run' is required"] = { grid = grid },
      ["'grid' must be a table, got 3"] = { grid = 3, run = run }, ["'run' must be a function, got 4"] = { grid = grid, run = 4 },
      ["'workers' must be >= 1, got 0"] = { grid = grid, run = run, workers = 0 },
      ["'workers' must be"] = { grid = grid, run = run, workers = 1.5 },
      ["'file' must be a string"] = { grid = grid, run = run, file = 7 },
      ["'progress' must be"] = { grid = grid, run = run, progress = "yes" },
      ["'grid' has no parameters"] = { grid = {}, run = run },
      ["'grid' has the key 1: parameters are named"] = { grid = { { 1, 2 } }, run = run },
      ["'grid.rpm' must be a list of numbers, strings or booleans, got 4"] = { grid = { rpm = 4 }, run = run },
      ["'grid.rpm' must be a list of numbers, strings or booleans, it has the key 'x'"] =
        { grid = { rpm = { x = 1 } }, run = run },
      ["'grid.rpm[2]' must be a finite number, a string or a boolean, got nil"] = { grid = { rpm = { 1, nil, 3 } }, run = run },
      ["'grid.rpm' has no values"] = { grid = { rpm = {} }, run = run },
      ["'grid.rpm[2]' must be a finite number, a string or a boolean, got a table"] = { grid = { rpm = { 1, {} } }, run = run },
      ["'grid.rpm[1]' must be a finite number, a string or a boolean, got inf"] = { grid = { rpm = { math.huge } }, run = run },
      ["'grid.rpm' has 4.0 twice"] = { grid = { rpm = { 4, 4.0 } }, run = run },
    } do
      if type(options) == "table" and options.file == nil then options.file = file end
      local ok, message = pcall(sweep, options)
      assert.is_false(ok)
      assert.truthy(message:find(": sweep: " .. told, 1, true), message)
      assert.matches("^spec/lua/sweep_spec.lua:%d+: ", message .. "")
    end
    assert.equal(0, made)
    assert.is_nil(io.open(file))
  end)
end)

describe("progress of a sweep", function()
  local progress = require "delassus.progress"

  it("is told to who listens, of the runs that are made; not that of what runs do", function()
    local heard, file = {}, path_of(line({ k = 1 }, {}))
    local before = progress.listen(function(label, done, total) heard[#heard + 1] = ("%s %d/%d"):format(label, done, total) end)
    finally(function() progress.listen(before) end)
    sweep { grid = { k = { 1, 2, 3 } }, file = file, run = function() progress.start("inner", 1)(1) end }
    assert.equal("sweep 0/2", heard[1])
    assert.equal("sweep 2/2", heard[#heard])
    for _, each in ipairs(heard) do assert.matches("^sweep", each) end
    pcall(sweep, { grid = { k = { 1 } }, progress = true, run = function() error "x" end })
    local mine = progress.listen(nil)
    mine("probe", 1, 1)
    assert.equal("probe 1/1", heard[#heard])
  end)

  it("is a bar on stderr where it is asked for", function()
    local said = process("lua5.4 SCRIPT",
      'require "delassus.sweep"{ grid = { k = {1, 2} }, progress = true, run = function() end }')
    assert.matches("sweep %[#+%] done in", said)
  end)
end)

describe("the command delassus sweep", function()
  local options = [[return { grid = { rpm = {4, 10}, mode = {"a", "bc"} },
    run = function(p) return { power = p.rpm / 3, list = p.rpm == 4 and {1, 2} or nil } end }]]
  local want = "mode  rpm  list     power\na       4  [1,2]  1.33333\na      10  -      3.33333\n" ..
    "bc      4  [1,2]  1.33333\nbc     10  -      3.33333\n"

  it("runs the sweep whose options a script returns, and prints its rows as a table", function()
    assert.same({ want, 0 }, { process("lua5.4 bin/delassus sweep SCRIPT", options) })
    local file = path_of()
    assert.same({ want, 0 }, { process("lua5.4 bin/delassus sweep SCRIPT --workers=2 --file " .. file, options) })
    assert.equal(4, #lines(file))
    assert.same({ want, 0 }, { process("lua5.4 bin/delassus sweep --file " .. file .. " SCRIPT", options) })
    assert.equal(4, #lines(file))
  end)

  it("prints the rows of a script that made its sweep itself", function()
    local said, status = process("lua5.4 bin/delassus sweep SCRIPT", 'return require "delassus.sweep"{ grid = { k = {1, 2} }, ' ..
      "run = function(p) return { a = 2 * p.k } end }")
    assert.same({ "a  k\n2  1\n4  2\n", 0 }, { said, status })
    said = process("lua5.4 bin/delassus sweep SCRIPT --workers 2", "return { { a = 1 } }")
    assert.matches("has made its sweep itself", said)
  end)

  it("answers errors as the other commands do", function()
    for command, told in pairs { [""] = "delassus: sweep: which script? `delassus sweep script.lua`\n",
      ["--wrkers 3 SCRIPT"] = "delassus: sweep: unknown option '--wrkers' (did you mean '--workers'?); " ..
        "`delassus help` lists them\n",
      ["SCRIPT --workers"] = "delassus: sweep: --workers needs a value\n",
      ["SCRIPT --workers 0"] = "delassus: sweep: --workers needs a whole number >= 1, got '0'\n",
      ["a.lua b.lua"] = "delassus: sweep: one script, got 'a.lua' and 'b.lua'\n",
      ["/nowhere/x.lua"] = "delassus: sweep: cannot open /nowhere/x.lua: No such file or directory\n" } do
      assert.same({ told, 2 }, { process("lua5.4 bin/delassus sweep " .. command, options) })
    end
    local said, status = process("lua5.4 bin/delassus sweep SCRIPT", "return 7")
    assert.matches("must return the options of a sweep, { grid = ..., run = ... }, or the rows of one", said, 1, true)
    assert.equal(1, status)
    said, status = process("lua5.4 bin/delassus sweep SCRIPT", "return { grid = { k = {1} }, run = function() error 'boom' end }")
    assert.matches("delassus: sweep: run of k = 1: .*:1: boom\n", said)
    assert.equal(1, status)
    said, status = process("lua5.4 bin/delassus sweep SCRIPT --file /nowhere/x.jsonl", options)
    assert.same({ "delassus: sweep: /nowhere/x.jsonl: No such file or directory\n", 1 }, { said, status })
    assert.matches("delassus sweep script.lua", (process("lua5.4 bin/delassus help", "")), 1, true)
  end)
end)
