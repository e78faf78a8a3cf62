-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- release.lua [FOLDER]: the rockspec of the version in src/delassus.h, made from that of the sources as they are
-- (delassus-scm-1.rockspec): the same but for version and tag. Used by make; answers the file it wrote.

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local folder = arg[1] or "rockspec"
local version = assert(read("src/delassus.h"):match '#define DELASSUS_VERSION "([%d.]+)"', "release: delassus.h has no version")
local text = read("rockspec/delassus-scm-1.rockspec")

local function change(from, to)
  local first, last = text:find(from, 1, true)
  assert(first, "release: the rockspec has no " .. from)
  text = text:sub(1, first - 1) .. to .. text:sub(last + 1)
end
change('version = "scm-1"', ('version = "%s-1"'):format(version))
change('delassus.git" }', ('delassus.git", tag = "v%s" }'):format(version))

local path = ("%s/delassus-%s-1.rockspec"):format(folder, version)
local file = assert(io.open(path, "wb"))
assert(file:write("-- Made by rockspec/release.lua from delassus-scm-1.rockspec; make keeps it so.\n", text))
assert(file:close())
print(path)
