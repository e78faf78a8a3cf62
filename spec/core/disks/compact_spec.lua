-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

-- Which rows are written out is nothing that Lua could see: a small host tests it. Solvers and trees that the host never
-- calls are left out of it.
describe("contacts of disks as few numbers", function()
  it("are the rows they stand for, in every sum and to whatever way solves them (200 heaps)", function()
    assert.equal("ok\n", host("-O0 -Wno-psabi", "spec/support/disk_compact_host.c spec/support/path_stubs.c " ..
      "src/core/base/*.c src/core/math/*.c src/core/rows/*.c " ..
      "src/core/graph/*.c src/core/sweeps/*.c src/core/ladder/*.c " ..
      "src/core/disks/room.c src/core/disks/compact.c src/core/disks/residual.c src/core/disks/groups.c " ..
      "src/core/disks/fill.c src/core/disks/last.c src/core/disks/sweep*.c"))
  end)
end)
