-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

-- The path of exact solutions has no Lua face of its own, and what it misses other methods finish: a small host tests
-- it. Solvers and trees that the host never calls are left out of it.
describe("large islands in the plane, on the path from what sweeps leave", function()
  it("keep Coulomb's law to 1e-6, and changes of state are a new factor's (200 heaps)", function()
    assert.equal("ok\n", host("-O0 -Wno-psabi", "spec/support/path_host.c spec/support/path_stubs.c " ..
      "src/core/base/*.c src/core/math/*.c src/core/rows/*.c " ..
      "src/core/graph/*.c src/core/sweeps/*.c src/core/ladder/*.c " ..
      "src/core/disks/room.c src/core/disks/compact.c src/core/disks/residual.c src/core/disks/groups.c " ..
      "src/core/disks/fill.c src/core/disks/last.c src/core/disks/sweep*.c"))
  end)
end)
