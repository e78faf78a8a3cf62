-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- examples/host, the library as others find it, and many threads.
local host = require "support.c_host"

local function run(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local said = pipe:read("a")
  pipe:close()
  return said
end

local function folder()
  local name = os.tmpname()
  os.remove(name)
  assert(os.execute("mkdir -p " .. name))
  return name
end

describe("host programs", function()
  local archive = host.archive()
  local sanitize = archive:match("asan") and "-fsanitize=address,undefined" or archive:match("coverage") and "--coverage" or ""
  local at = folder()
  teardown(function() host.remove() os.execute("rm -rf " .. at) end)

  --- What an example says on its standard output.
  local function example(name)
    local said = run(("cc -std=c11 -Wall -Wextra -Werror -O1 %s -Isrc -I/usr/include/lua5.4 -o %s/%s examples/host/%s.c %s "
      .. "-llua5.4 -lm -pthread"):format(sanitize, at, name, name, archive))
    assert.equal("", said)
    return run(("env -u LUA_PATH -u LUA_CPATH %s/%s 2>/dev/null && echo done"):format(at, name))
  end

  it("plain.c: a heap without Lua, 60 frames a second, in at most 60 lines", function()
    local said = example("plain")
    assert.matches("^180 frames, 3000 steps, %d+ contacts", said)
    assert.matches("residual below 1e%-6: yes\ndone\n$", said)
    local n = 0
    for _ in io.lines("examples/host/plain.c") do n = n + 1 end
    assert.is_true(n <= 60)
  end)

  it("script.c: a world lent to a script, stepped in a thread, taken back; no search path", function()
    local said = example("script")
    assert.matches("t = 0.5 s, the ball is 0.125 m high", said)
    assert.matches("refused: .*closed world\ndone\n$", said)
  end)

  it("control.c: torques and angles by array, 10,000 turns", function()
    local sag = tonumber(example("control"):match("at most ([%d.]+) rad.*done\n$"))
    -- At rest the root's torque, stiffness times sag, holds six links of 0.75 kg, whose centre is at 0.9 m cos(sag).
    assert.near(6 * 0.75 * 9.81 * 0.9 / 400, sag, 0.02 * sag)
  end)

  it("docs/hosts.md: its program in C prints what it says", function()
    local file = assert(io.open("docs/hosts.md"))
    local text = file:read("a"):match("```c\n(.-)```")
    file:close()
    file = assert(io.open(at .. "/page.c", "w"))
    file:write(text)
    file:close()
    local said = run(("cc -std=c11 -Wall -Wextra -Werror -O1 %s -Isrc -o %s/page %s/page.c %s -lm"):format(sanitize, at, at,
      archive))
    assert.equal("", said)
    assert.equal(text:match('/%* ([%d.]+) %*/') .. "\n", run(at .. "/page"))
  end)

  it("eight threads with a hundred Lua states and a hundred worlds get the same bits", function()
    local said = run(("cc -std=c11 -O1 %s -Isrc -I/usr/include/lua5.4 -o %s/threads spec/support/thread_host.c %s "
      .. "-llua5.4 -lm -pthread && %s/threads"):format(sanitize, at, archive, at))
    assert.equal("ok\n", said)
  end)
end)
