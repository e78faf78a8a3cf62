-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

describe("contacts of disks swept in lanes, sixteen at once", function()
  for _, level in ipairs { "-O0", "-O2" } do
    it("keep Coulomb's law, with the same bits on every path; their residual is the one written out (400 seeds), " ..
      level, function()
      assert.equal("ok\n", host(level .. " -Wall -Wno-psabi",
        "spec/support/disk_sweep_host.c spec/support/disk_sweep_wide.c src/core/disks/sweep_lanes*.c src/core/base/isa.c"))
    end)
  end
end)
