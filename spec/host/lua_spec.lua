-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Worlds between a host in C and its scripts.
local host = require "support.c_host"

describe("a host with Lua", function()
  teardown(host.remove)

  it("lends worlds and takes them back, borrows those of scripts, and meets no error of Lua", function()
    assert.equal("", host.build("lua_host"))
    assert.equal("ok\n", host.run("lua_host", nil, ("LUA_PATH='%s' LUA_CPATH=/nowhere"):format(package.path)))
  end)
end)
