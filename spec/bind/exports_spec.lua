-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- What the shared object shows to a process that loads it: names of others must not meet ours.

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local list = {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

describe("the shared object", function()
  local object = assert(package.searchpath("delassus.core", package.cpath))
  local shown = lines_of(("nm -D --defined-only '%s' 2>&1"):format(object))

  it("exports the entry of Lua's module", function()
    assert.matches(" T luaopen_delassus_core", table.concat(shown, "\n"), 1, true)
  end)

  it("exports nothing but delassus_* and luaopen_*", function()
    local wrong = {}
    for _, line in ipairs(shown) do
      local name = line:match("(%S+)$")
      if not (name:match("^delassus_") or name:match("^luaopen_")) then wrong[#wrong + 1] = name end
    end
    assert.same({}, wrong)
  end)
end)
