-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Sweeps in lanes have no Lua face of their own: a small host tests them.
local host = require "support.host"

describe("planar contacts swept in lanes", function()
  for _, level in ipairs { "-O0", "-O2" } do
    it("keep Coulomb's law in each lane, with the same bits on every path (400 seeds), " .. level, function()
      assert.equal("ok\n", host(level .. " -Wall", "spec/support/sweep_host.c src/core/rows/lanes.c src/core/rows/lanes_*.c"))
    end)

    it("of disks likewise, sixteen at once as well; and their residual is the one written out, " .. level, function()
      assert.equal("ok\n", host(level .. " -Wall -Wno-psabi",
        "spec/support/round_host.c spec/support/round_wide.c src/core/rows/round*.c"))
    end)
  end
end)

describe("positions of disks pressed apart in lanes", function()
  for _, level in ipairs { "-O0", "-O2" } do
    it("are the nearest in the metric of the masses, in any units, with the same bits on every path (400 heaps), " ..
      level, function()
      assert.equal("ok\n", host(level .. " -Wall -Wno-psabi",
        "spec/support/press_host.c src/core/rows/press*.c src/core/base/arena.c src/core/base/alloc.c"))
    end)
  end
end)

describe("spatial contacts swept in lanes", function()
  for _, level in ipairs { "-O0", "-O2" } do
    it("come to Coulomb's law in each lane, with the same bits on every path and eight wide (400 seeds), " .. level, function()
      assert.equal("ok\n", host(level .. " -Wall -Wno-psabi",
        "spec/support/sweep_host3.c spec/support/lanes3_wide.c src/core/rows/lanes3*.c"))
    end)
  end
end)
