-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

describe("positions of disks pressed apart in lanes", function()
  for _, level in ipairs { "-O0", "-O2" } do
    it("are the nearest in the metric of the masses, in any units, with the same bits on every path (400 heaps), " ..
      level, function()
      assert.equal("ok\n", host(level .. " -Wall -Wno-psabi",
        "spec/support/disk_position_host.c src/core/disks/position*.c " ..
        "src/core/base/arena.c src/core/base/alloc.c src/core/base/isa.c"))
    end)
  end
end)
