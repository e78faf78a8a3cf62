-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Replays the corpus of the fuzzing targets, without busted: `make valgrind`.
local n = 0
for _, target in ipairs{ "api", "models", "recordings", "snapshots", "lcp" } do
  local run, pipe = require("fuzz." .. target), assert(io.popen("ls spec/fuzz/corpus/" .. target))
  for name in pipe:lines() do
    local file = assert(io.open(("spec/fuzz/corpus/%s/%s"):format(target, name), "rb"))
    run(file:read("a"))
    file:close()
    n = n + 1
  end
  pipe:close()
end
print(("replayed %d inputs"):format(n))
