-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- What has no Lua face is tested by small hosts in C.

--- What the program made of these files says, its compiler included: "ok\n" where all is well. flags, files: as they stand
--- in a command; core.a: the library under test. Where that watches itself, its objects stand in for sources that are named.
return function(flags, files)
  local program = os.tmpname()
  local archive = assert(package.searchpath("delassus.core", (package.cpath:gsub("%.so", ".a"))))
  local watched = archive:match "^(.*/asan)/"
  local more = watched and "-fsanitize=address,undefined" or archive:match "/coverage/" and "--coverage" or ""
  if watched then files = files:gsub("src/(core/%S+)%.c", watched .. "/src/%1.o") end
  local pipe = assert(io.popen(("env -u LD_PRELOAD cc %s %s -Isrc -o %s %s -llua5.4 -lm 2>&1 && env -u LD_PRELOAD %s 2>&1")
    :format(flags, more, program, (files:gsub("core%.a", archive)), program)))
  local said = pipe:read("a")
  pipe:close()
  os.remove(program)
  return said
end
