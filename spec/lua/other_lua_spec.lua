-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Another Lua than 5.4 is told so, in two lines, before anything of this library is loaded.
describe("another Lua", function()
  for _, lua in ipairs { "lua5.1", "lua5.2", "lua5.3", "luajit" } do
    it(lua .. " says which Lua delassus needs", function()
      if not os.execute("command -v " .. lua .. " >/dev/null") then return pending(lua .. " is not installed") end
      local pipe = assert(io.popen(([[%s -e 'package.path = "lua/?.lua;lua/?/init.lua" package.cpath = "build/dev/?.so" ]]
        .. [[print(select(2, pcall(require, "delassus")))' 2>&1]]):format(lua)))
      local said = pipe:read("a")
      pipe:close()
      assert.truthy(said:find(
        "^delassus needs Lua 5%.4; this is Lua.- ?5%.[123]%)?\nDebian, Ubuntu: apt install lua5%.4[^\n]+\n$"), said)
    end)
  end
end)
