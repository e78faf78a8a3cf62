-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- The live view beside a prompt and in a script of its own process: the world goes on while a line is awaited; Ctrl-C.
if not require "delassus.view_server".luv() then
  describe("the live view at the prompt", function() pending("needs luv (apt install lua-luv)") end)
  return
end

local OPEN = [[world = delassus.world{ record = false } view = world:view{ open = false } n = 0 ]]

local function folder_with_fifo()
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute(("mkdir %s && mkfifo %s/keys"):format(folder, folder)))
  return folder
end

--- Talks with a program: expect(text) reads until then, say(text) types.
local function talk(folder, command)
  local environment = ("HOME=%s DELASSUS_BROWSER= LUA_PATH=\"%s\" LUA_CPATH=\"%s\""):format(folder, package.path, package.cpath)
  local pipe = assert(io.popen(command:format(environment, folder)))
  local keys = assert(io.open(folder .. "/keys", "w"))
  keys:setvbuf("no")
  local seen = ""
  local function expect(what)
    while not seen:find(what, 1, true) do
      seen = seen .. assert(pipe:read(1), "ended before '" .. what .. "': " .. seen)
    end
    seen = ""
  end
  return function(text) keys:write(text) end, expect, function()
    keys:close()
    pipe:read("a")
    local _, _, status = pipe:close()
    os.execute("rm -r " .. folder)
    return status
  end
end

describe("the live view", function()
  for name, command in pairs {
    ["a terminal"] = "timeout 60 script -qfc '%s lua5.4 bin/delassus' /dev/null < %s/keys 2>&1",
    ["a pipe"] = "%s timeout 60 lua5.4 bin/delassus < %s/keys 2>&1",
  } do
    it("goes on while a line is awaited, at " .. name, function()
      local say, expect, finish = talk(folder_with_fifo(), command)
      say(OPEN .. [[view:play() world:on("step", function() n = n + 1 if n == 50 then print("fifty " .. "steps") end end)]])
      say "\n"
      expect "fifty steps" -- nothing was typed meanwhile
      say "view:pause() print('still' .. ' ' .. tostring(view.playing))\n"
      expect "still false"
      say [[world:on("step", function() error("in" .. " a step") end) view:play()]]
      say "\n"
      expect "in a step"
      say "print('problem' .. ' ' .. tostring(view.problem ~= nil))\n"
      expect "problem true"
      if name == "a terminal" then
        say "view:slider{ name = 'x', min = 0, max = 1, set = print } view:run()\3"
        say "\n"
        say "for i = 1, 1 do print('and ' .. 'on') end\n"
        expect "and on"
        say "\4"
      end
      assert.equal(0, finish())
    end)
  end

  it("ends at Ctrl-C in a script, with an error of Lua's and not of luv's", function()
    for _ = 1, 5 do
      local folder = folder_with_fifo()
      local script = assert(io.open(folder .. "/script.lua", "w"))
      script:write("local delassus = require 'delassus'\n", OPEN, [[
        world:on("step", function() n = n + 1 if n == 20 then print("running") io.stdout:flush() end end)
        view:play() view:run()]])
      script:close()
      local say, expect, finish = talk(folder, ("%%s timeout 60 sh -c '"
        .. "lua5.4 %s/script.lua & read line; kill -INT $!; wait $!; echo status $?' < %%s/keys 2>&1"):format(folder))
      expect "running"
      say "now\n"
      expect "interrupted"
      expect "status 1"
      assert.equal(0, finish())
    end
  end)
end)
