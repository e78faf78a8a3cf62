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
    assert.equal("time,a.x,a.y,a.angle\n0.5,1,2,3\n", file:read("a"))
    file:close()
    text, status = run(("replay %s.csv"):format(path))
    assert.equal(("delassus: replay: %s.csv: not a recording of delassus\n"):format(path), text)
    assert.equal(2, status)
    os.remove(path .. ".rec")
    os.remove(path .. ".csv")
  end)

  it("names the nearest command, and answers status 2 to wrong usage", function()
    local text, status = run("vrsion")
    assert.matches("unknown command 'vrsion' %(did you mean 'version'%?%)", text)
    assert.equal(2, status)
    text, status = run("run")
    assert.matches("which script", text)
    assert.equal(2, status)
    text, status = run("run --fast x.lua")
    assert.matches("unknown option '%-%-fast'", text)
    assert.equal(2, status)
    text, status = run("run /nowhere/x.lua")
    assert.matches("cannot open /nowhere/x.lua", text)
    assert.equal(2, status)
  end)

  it("is a prompt without arguments: values are printed, errors do not end it", function()
    local text, status = run("", "v = delassus.vec{3, 4}\nv:norm()\nv.nrm\nfor i = 1, 2 do\nprint(i)\nend\n1 +\n2\n")
    assert.matches("5%.0\n", text)
    assert.matches("unknown property 'nrm'", text)
    assert.matches("1\n2\n3\n", text)
    assert.equal(0, status)
  end)

  it("stops a script at Ctrl-C with status 130", function()
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write("print('ready') io.stdout:flush() while true do end")
    file:close()
    local line = "LUA_PATH='%s' LUA_CPATH='%s' timeout -s INT 1 lua5.4 bin/delassus run %s 2>&1"
    local pipe = assert(io.popen(line:format(package.path, package.cpath, script)))
    local text = pipe:read("a")
    pipe:close()
    os.remove(script)
    assert.matches("ready\n", text)
    assert.matches("interrupted", text)
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
