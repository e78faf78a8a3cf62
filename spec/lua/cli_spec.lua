-- The command as a user runs it: a process of its own.

local function run(command, input)
  local script = os.tmpname()
  if input then
    local file = assert(io.open(script, "w"))
    file:write(input)
    file:close()
  end
  local line = "LUA_PATH='%s' LUA_CPATH='%s' lua5.4 bin/delassus %s 2>&1 < %s; echo \"status $?\""
  local pipe = assert(io.popen(line:format(
    package.path, package.cpath, (command:gsub("SCRIPT", script)), input and script or "/dev/null")))
  local text = pipe:read("a")
  pipe:close()
  os.remove(script)
  return text:match("^(.*)status %d+\n$"), tonumber(text:match("status (%d+)\n$"))
end

describe("the command", function()
  it("prints its version", function()
    local text, status = run("version")
    assert.matches("^delassus %d+%.%d+%.%d+, Lua 5%.4\n$", text)
    assert.equal(0, status)
  end)

  it("runs a script with its arguments", function()
    local text, status = run("run SCRIPT 1 two", "print(arg[0] ~= nil, arg[1], arg[2], ...)")
    assert.equal("true\t1\ttwo\t1\ttwo\n", text)
    assert.equal(0, status)
  end)

  it("answers a script's error with the line and status 1", function()
    local text, status = run("run SCRIPT", "local x = 1\nerror('boo')")
    assert.matches(":2: boo", text)
    assert.equal(1, status)
  end)

  it("writes a recording in another form", function()
    local record = require "delassus.record"
    local rec = record{ planar = true, bodies = { { name = "a", shape = { kind = "disk", radius = 1 } } } }
    rec:frame{ time = 0.5, poses = { 1, 2, 3 } }
    local path = os.tmpname()
    os.remove(path)
    assert.is_true(rec:save(path .. ".rec"))
    local text, status = run(("replay %s.rec -o %s.csv"):format(path, path))
    assert.equal("", text)
    assert.equal(0, status)
    local file = assert(io.open(path .. ".csv"))
    assert.equal("time (s),a.x (m),a.y (m),a.angle (rad)\n0.5,1,2,3\n", file:read("a"))
    file:close()
    for option, told in pairs{ ["--at 1"] = "--at goes with --png",
      ["-o"] = "expected -o FILE, --png FILE or --at SECONDS, got -o",
      ["--png a.png -o b.csv"] = "-o and --png: one of them", ["--png a.png --at x"] = "--at must be a number of seconds" } do
      text, status = run(("replay %s.rec %s"):format(path, option))
      assert.same({ "delassus: replay: " .. told .. "\n", 2 }, { text, status })
    end
    text, status = run(("replay %s.csv"):format(path))
    assert.equal(("delassus: replay: %s.csv: not a recording of delassus\n"):format(path), text)
    assert.equal(2, status)
    os.remove(path .. ".rec")
    os.remove(path .. ".csv")
  end)

  it("fills and turns a drum, and names wrong options of it", function()
    local path = os.tmpname()
    local text, status = run(("drum --rpm=10 --fill 30%% --diameter 2 --revolutions 0.01 --quiet --logs 0.1-0.2 -o %s.csv")
      :format(path))
    assert.matches("Drum report", text)
    assert.equal(0, status)
    assert.is_true(os.remove(path .. ".csv"))
    text, status = run("drum --rmp 6")
    assert.matches("^delassus: drum: unknown option '%-%-rmp' %(did you mean '%-%-rpm'%?%)", text)
    assert.equal(2, status)
    text, status = run("drum --rpm six")
    assert.matches("%-%-rpm needs a number, got 'six'", text)
    assert.equal(2, status)
    text, status = run("drum --quiet=3")
    assert.matches("%-%-quiet takes no value", text)
    assert.equal(2, status)
    for option, told in pairs { ["--revolutions 0"] = "%-%-revolutions must be > 0, got 0",
      ["--rpm 0"] = "%-%-rpm must not be 0" } do
      text, status = run(("drum %s -o %s.html"):format(option, path))
      assert.matches("^delassus: drum: " .. told, text)
      assert.equal(1, status)
    end
    text, status = run(("drum --fill 2 --quiet -o %s.html"):format(path))
    assert.matches("'fill' must be a share", text)
    assert.equal(1, status)
    assert.is_nil(io.open(path .. ".html"), "a run that failed has left a file")
    local kept = assert(io.open(path .. ".html", "w"))
    kept:write("kept")
    kept:close()
    run(("drum --fill 2 --quiet -o %s.html"):format(path))
    assert.equal("kept", assert(io.open(path .. ".html")):read("a"), "a run that failed has changed a file")
    assert.is_true(os.remove(path .. ".html"))
    assert.matches("%-%-fill SHARE", (run("drum --help")))
    os.remove(path)
  end)

  it("names the nearest command, and answers status 2 to wrong usage", function()
    local text, status = run("vrsion")
    assert.matches("unknown command 'vrsion' %(did you mean 'version'%?%)", text)
    assert.equal(2, status)
    text, status = run("run")
    assert.matches("which script", text)
    assert.equal(2, status)
    for _, asked in ipairs { "run --help", "replay -h", "sweep --help", "version --help" } do
      text, status = run(asked)
      assert.matches("^delassus: nonsmooth multibody dynamics", text)
      assert.equal(0, status)
    end
    text, status = run("run --fast x.lua")
    assert.matches("unknown option '%-%-fast'", text)
    assert.equal(2, status)
    text, status = run("run /nowhere/x.lua")
    assert.matches("cannot open /nowhere/x.lua", text)
    assert.equal(2, status)
  end)

  it("is a prompt without arguments: values are printed, errors do not end it", function()
    local text, status = run("", "v = delassus.vec{3, 4}\nv:norm()\nv.nrm\n=6*7\nfor i = 1, 2 do\nprint(i)\nend\n1 +\n2\n")
    assert.matches("5%.0\n", text)
    assert.matches("prompt:1: vec: unknown property 'nrm'", text, 1, true)
    assert.matches("42\n1\n2\n3\n", text)
    assert.equal(0, status)
  end)

  it("is told of what a call raises as of line 1 of the prompt, also where Lua's side raises; all values are shown", function()
    local text = run("", "delassus.sphere{ radiu = 1 }\ndelassus.plot{ equl = 1 }\n1, 'two' -- three\n{1,\n2}\n= 7\n1;\n")
    assert.matches("prompt:1: sphere: unknown option 'radiu'", text, 1, true)
    assert.matches("prompt:1: delassus.plot: unknown option 'equl'", text, 1, true)
    assert.matches("1\ttwo\n{ 1, 2 }\n7\n1\n", text, 1, true)
  end)

  it("ends the line at Ctrl-C, or what it runs, never the session; keeps the history as it is typed", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. folder .. " && mkfifo " .. folder .. "/keys"))
    local inner = ("HOME=%s LUA_PATH=\"%s\" LUA_CPATH=\"%s\" lua5.4 bin/delassus"):format(folder, package.path, package.cpath)
    local pipe = assert(io.popen(("timeout 60 script -qfc '%s' /dev/null < %s/keys 2>&1"):format(inner, folder)))
    local keys = assert(io.open(folder .. "/keys", "w"))
    keys:setvbuf("no")
    local seen = ""
    local function expect(what) -- all the terminal shows until then
      while not seen:find(what, 1, true) do
        seen = seen .. assert(pipe:read(1), "ended before '" .. what .. "': " .. seen)
      end
      seen = seen:sub(select(2, seen:find(what, 1, true)) + 1)
    end
    local function type_in(text, shown)
      keys:write(text)
      expect(shown)
    end
    expect("> ")
    type_in("probe = 41\n", "> ")
    type_in("half a li", "half a li")
    type_in("\3", "> ")
    type_in("for i = 1, 3 do\n", ">> ")
    type_in("\3", "> ")
    type_in("print('g' .. 'o!') while true do end\n", "go!")
    type_in("\3", "interrupted")
    expect("> ")
    type_in("local gone = 1\n", "leave out `local`")
    expect("> ")
    type_in("probe + 1\n", "42")
    keys:write("\4")
    keys:close()
    pipe:read("a")
    pipe:close()
    local file = io.open(folder .. "/.delassus_history")
    if file then -- with readline
      local lines = file:read("a")
      file:close()
      assert.equal("probe = 41\nfor i = 1, 3 do\nprint('g' .. 'o!') while true do end\nlocal gone = 1\nprobe + 1\n", lines)
    end
    os.execute("rm -r " .. folder)
  end)

  it("stops a script at Ctrl-C with status 130", function()
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write("local d = require 'delassus' print('ready') io.stdout:flush()\nd.world{ planar = true }:run(1e9)")
    file:close()
    local line = "LUA_PATH='%s' LUA_CPATH='%s' timeout -s INT 1 lua5.4 bin/delassus run %s 2>&1"
    local pipe = assert(io.popen(line:format(package.path, package.cpath, script)))
    local text = pipe:read("a")
    pipe:close()
    os.remove(script)
    assert.matches("ready\n", text)
    assert.truthy(text:find(script .. ":2: interrupted", 1, true), text)
  end)
end)

describe("completion at the prompt", function()
  local prompt = require "delassus.prompt"

  it("lists fields of tables and what objects answer to, sorted", function()
    _G.probe = require("delassus").vec { 1, 2 }
    finally(function() _G.probe = nil end)
    assert.same({ "probe:norm" }, prompt.complete("probe:no"))
    assert.same({ "probe.dot" }, prompt.complete("probe.do"))
    assert.same({ "string.find", "string.format" }, prompt.complete("string.f"))
    assert.same({}, prompt.complete("nothing.at.all"))
    assert.same({}, prompt.complete("f(x).y"))
  end)
end)
