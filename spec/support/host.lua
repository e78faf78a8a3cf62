-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- What has no Lua face is tested by small hosts in C.

--- What the program made of these files says, its compiler included: "ok\n" where all is well.
--- flags, files: as they stand in a command.
return function(flags, files)
  local program = os.tmpname()
  local pipe = assert(io.popen(("cc %s -Isrc -o %s %s -lm 2>&1 && %s 2>&1"):format(flags, program, files, program)))
  local said = pipe:read("a")
  pipe:close()
  os.remove(program)
  return said
end
