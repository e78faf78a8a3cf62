-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- The counts of docs/design/scorecard.md: `lua5.4 spec/support/scorecard.lua`, in the folder of a checkout.
package.path = "spec/?.lua;" .. package.path
local statuses = require "support.statuses"

local function lines_of(command)
  local pipe, list = assert(io.popen(command)), {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

local function of(list, share)
  table.sort(list)
  return list[math.max(1, math.ceil(share * #list))]
end

local function count(list, above)
  local n = 0
  for _, x in ipairs(list) do n = n + (x > above and 1 or 0) end
  return n
end

--- Lines with code, lines with a comment (licences apart), lines that are not empty.
local function shares(text)
  local code, comment, filled, inside = 0, 0, 0, false
  text = text:gsub("^/%* Copyright.-%*/\n", "")
  for line in text:gmatch "[^\n]*" do
    if line:find "%S" then
      filled = filled + 1
      local rest, has = line, inside
      if inside then
        rest = line:match "%*/(.*)"
        inside, rest = rest == nil, rest or ""
      end
      rest = rest:gsub("/%*.-%*/", function() has = true return "" end)
      local before = rest:match "^(.-)/%*"
      if before then inside, has, rest = true, true, before end
      if has then comment = comment + 1 end
      if rest:find "%S" then code = code + 1 end
    end
  end
  return code, comment, filled
end

-- `... scorecard.lua sample [seed]`: sixty numbers of structures of headers with their comments, drawn by chance, to be read
-- for shape, unit or "relative".
if arg[1] == "sample" then
  local fields = {}
  for _, path in ipairs(lines_of "find src/core src/bind src/host src/delassus.h -name '*.h' | LC_ALL=C sort") do
    local inside, comment = false, ""
    for line in read(path):gmatch "[^\n]*" do
      if line:match "^[%w_ ]*struct[^;()=]*{$" then inside = true elseif line:match "^}" then inside = false end
      if inside and line:match "^%s+[%w ]*%f[%w]double%f[%W][^()]*;" then
        fields[#fields + 1] = ("%s: %s%s"):format(path, line:find("/*", 1, true) and "" or comment .. " ", line:match "^%s*(.*)")
      end
      comment = line:match "^%s*/%*.*" or line:match "^%s*%*%*.*" or ""
    end
  end
  math.randomseed(tonumber(arg[2]) or 1, 0)
  for _ = 1, 60 do print(table.remove(fields, math.random(#fields))) end
  return
end

local c = lines_of "find src/core src/bind src/host -name '*.c' | LC_ALL=C sort"
local h = lines_of "find src/core src/bind src/host src/delassus.h -name '*.h'"
local lengths, functions, largest, longest = {}, {}, { 0 }, { 0 }
for _, path in ipairs(c) do
  local text = read(path)
  local _, n = text:gsub("\n", "")
  lengths[#lengths + 1] = n
  if n > largest[1] then largest = { n, path } end
  -- from the line of a name to that of its last brace
  for head, body in text:gmatch "\n(%a[^\n;={}]*%([^;{}]*%)%s*)(%b{})" do
    local _, k = (head .. body):gsub("\n", "")
    functions[#functions + 1] = k + 1
    if k + 1 > longest[1] then longest = { k + 1, path .. ": " .. head:match "([%w_]+)%(" } end
  end
end
print(("C files %d: median %d lines, 90 %% at most %d, largest %d (%s); headers %d"):format(#c, of(lengths, 0.5),
  of(lengths, 0.9), largest[1], largest[2], #h))
print(("functions %d: median %d lines, 90 %% at most %d; %d above 40, %d above 60, largest %d (%s)"):format(#functions,
  of(functions, 0.5), of(functions, 0.9), count(functions, 40), count(functions, 60), longest[1], longest[2]))

local all = { 0, 0, 0 }
for _, room in ipairs{ "core", "bind", "host" } do
  local sum = { 0, 0, 0 }
  for _, path in ipairs(lines_of("find src/" .. room .. " -name '*.[ch]'")) do
    local code, comment, filled = shares(read(path))
    sum[1], sum[2], sum[3] = sum[1] + code, sum[2] + comment, sum[3] + filled
  end
  for k = 1, 3 do all[k] = all[k] + sum[k] end
  print(("comments in %s: %.1f %% (%d lines beside %d of code), licences apart"):format(room, 100 * sum[2] / sum[1], sum[2],
    sum[1]))
end
print(("comments: %.1f %%"):format(100 * all[2] / all[1]))

local texts, named = {}, 0
for _, path in ipairs(lines_of "find src/core -name '*.[ch]'") do texts[path] = read(path) end
local unnamed, declared = statuses.unnamed(texts, { "SINGULAR", "STATE", "UNSTABLE", "RANGE" })
for _, d in ipairs(declared) do named = named + (d.comment:find "DLS_%u%u%u" and 1 or 0) end
print(("functions of core headers that answer a status %d: %d name one in their comment; %d may answer one beyond the rule of " ..
  "base/status.h that is not named"):format(#declared, named, #unnamed))
local sources, headers = 0, 0
for path, text in pairs(texts) do
  if path:match "%.h$" then
    headers = headers + 1
    sources = sources + (text:find "Source" and 1 or text:find "EQUATIONS" and 1 or 0)
  end
end
print(("headers of the core %d: %d name a source or an equation"):format(headers, sources))

local function filled(command)
  local n = 0
  for _, path in ipairs(lines_of(command)) do
    for line in read(path):gmatch "[^\n]+" do n = n + (line:find "%S" and 1 or 0) end
  end
  return n
end
local tests = filled "find spec -type f -name '*.lua' -o -type f -name '*.[ch]' -path 'spec/*'"
local code = filled "find src/core src/bind src/host src/delassus.h -name '*.[ch]'"
local lua = filled "find lua bin -type f -name '*.lua'"
print(("tests %d lines, code %d of C and %d of Lua: %.2f"):format(tests, code, lua, tests / (code + lua)))
