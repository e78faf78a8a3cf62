-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Hosts of the C interface, built against the objects of the library under test.

local M = {}

local programs = {}

local function run(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local said = pipe:read("a")
  pipe:close()
  return said
end

--- The library's objects as an archive.
function M.archive()
  return assert(package.searchpath("delassus.core", (package.cpath:gsub("%.so", ".a"))))
end

--- Builds spec/support/<name>.c once; says what the compiler says, warnings included. link: further words for it.
function M.build(name, link)
  if programs[name] then return "" end
  programs[name] = os.tmpname()
  local archive = M.archive()
  local sanitize = archive:match("asan") and "-fsanitize=address,undefined" or archive:match("coverage") and "--coverage" or ""
  return run(("env -u LD_PRELOAD cc -std=c11 -pedantic -Wall -Wextra -Wconversion -Wno-sign-conversion -O1 %s "
    .. "-Isrc -Ispec/support -I/usr/include/lua5.4 -o %s spec/support/%s.c %s %s -llua5.4 -lm")
    :format(sanitize, programs[name], name, archive, link or ""))
end

--- What the host says; environment: as before a command.
function M.run(name, arguments, environment)
  local said = M.build(name)
  if said ~= "" then return said end
  return run(("env -u LD_PRELOAD %s %s %s"):format(environment or "", programs[name], arguments or ""))
end

function M.remove()
  for _, file in pairs(programs) do os.remove(file) end
  programs = {}
end

return M
