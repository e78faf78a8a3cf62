-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- make install in a folder of its own, and a host that finds the library by pkg-config.
local host = require "support.c_host"

local function run(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local said = pipe:read("a")
  pipe:close()
  return said
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

describe("make install", function()
  local archive = host.archive()
  local sanitize = archive:match("asan") and "-fsanitize=address,undefined" or ""
  local at = os.tmpname()
  os.remove(at)
  setup(function()
    local thin = read(archive):sub(1, 7) == "!<thin>" -- the developers' archive only names its objects
    local command = thin and "mkdir -p %s && ar rcs %s/whole.a $(ar t %s)" or "mkdir -p %s && cp %s %s/whole.a"
    assert(os.execute(thin and command:format(at, at, archive) or command:format(at, archive, at)))
  end)
  teardown(function() os.execute("rm -rf " .. at) end)

  it("gives a header, a library and a .pc with which a host builds; all says one version", function()
    assert.equal("", run(("make -s install PREFIX=%s/usr LIBRARY=%s/whole.a"):format(at, at)))
    assert.equal(read("src/delassus.h"), read(at .. "/usr/include/delassus.h"))
    local config = ("PKG_CONFIG_PATH=%s/usr/lib/pkgconfig pkg-config "):format(at)
    local version = read("src/delassus.h"):match('DELASSUS_VERSION "([^"]+)"')
    assert.equal(version .. "\n", run(config .. "--modversion delassus"))
    assert.equal("delassus " .. version, require("delassus")._VERSION)
    assert.equal("", run(("cc -std=c11 %s -o %s/plain examples/host/plain.c $(%s --cflags --libs delassus)"):format(sanitize, at,
      config)))
    assert.matches("^180 frames, 3000 steps", run(at .. "/plain"))
    local names = run(("nm -g --defined-only %s/usr/lib/libdelassus.a | awk 'NF == 3 { print $3 }'"):format(at))
    assert.matches("\ndelassus_world_create\n", names)
    assert.is_nil(("\n" .. names):find("\ndls_"))
    if archive:match("asan") or archive:match("coverage") then return end -- names of the instruments stand there, too
    for name in names:gmatch("[^\n]+") do assert.matches("^delassus", (name:gsub("^luaopen_", ""))) end
  end)
end)
