-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The Lua blocks of a page of the manual as one program: what it prints is what `-->` promises.
-- @module docs.run
local M = {}

--- The text between ```lua and ``` of all blocks, one after the other, at their own lines of the page.
function M.program(page)
  local out, inside = {}, false
  for line in (page .. "\n"):gmatch("(.-)\n") do
    if inside and line:match("^```%s*$") then inside = false; line = "" end
    out[#out + 1] = inside and line or ""
    if line:match("^```lua%s*$") then inside = true end
  end
  return table.concat(out, "\n")
end

--- Runs the blocks of a page with a `print` that is listened to.
-- @tparam string page its text
-- @tparam string name for messages
-- @treturn {string,...} what was printed by lines that end in `-->`, or that stand before one
-- @treturn {string,...} what was promised there
function M.run(page, name)
  local program = M.program(page)
  local said, wanted, here = {}, {}, {}
  local k = 0
  for line in (program .. "\n"):gmatch("(.-)\n") do
    k = k + 1
    local promise = line:match("%-%->%s?(.*)$")
    if promise then
      wanted[#wanted + 1] = promise
      here[k] = true
    end
  end
  local env = setmetatable({}, { __index = _G })
  env.print = function(...)
    local texts = table.pack(...)
    for i = 1, texts.n do texts[i] = tostring(texts[i]) end
    local text = table.concat(texts, "\t")
    local line = debug.getinfo(2, "l").currentline
    if here[line] or here[line + 1] then said[#said + 1] = text end
  end
  assert(load(program, "=" .. name, "t", env))()
  return said, wanted
end

--- What does not keep its promise, as lines; none where all is well.
-- @tparam string page text of a page
-- @tparam string name for messages
-- @treturn {string,...}
function M.complaints(page, name)
  local ok, said, wanted = xpcall(M.run, debug.traceback, page, name)
  if not ok then return { said } end
  local out = {}
  for i = 1, math.max(#said, #wanted) do
    if said[i] ~= wanted[i] then
      out[#out + 1] = ("%s: promise %d: printed %s, promised %s"):format(name, i, tostring(said[i]), tostring(wanted[i]))
    end
  end
  return out
end

if arg and arg[0] and arg[0]:match("docs/run%.lua$") then -- lua5.4 docs/run.lua page.md ...
  local bad = false
  for _, path in ipairs(arg) do
    local file = assert(io.open(path))
    for _, line in ipairs(M.complaints(file:read("a"), path)) do
      print(line)
      bad = true
    end
    file:close()
  end
  os.exit(not bad, true)
end

return M
