-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Sweeps in lanes have no Lua face of their own: a small host tests them.
local host = require "support.host"

describe("planar contacts swept in lanes", function()
  for _, level in ipairs { "-O0", "-O2" } do
    it("keep the laws of friction and rolling friction in each lane, with the same bits on every path (400 seeds), " .. level,
      function()
      assert.equal("ok\n", host(level .. " -Wall",
        "spec/support/sweep_host.c src/core/sweeps/lanes.c src/core/sweeps/lanes_*.c src/core/base/isa.c"))
    end)
  end
end)

describe("spatial contacts swept in lanes", function()
  it("come to the laws of friction, of spinning and of rolling, by their impulses alone (200 heaps)", function()
    assert.equal("ok\n", host("-O1 -Wno-psabi", "spec/support/turns_host.c core.a"))
  end)

  for _, level in ipairs { "-O0", "-O2" } do
    it("come to Coulomb's law in each lane, with the same bits on every path and eight wide (400 seeds), " .. level, function()
      assert.equal("ok\n", host(level .. " -Wall -Wno-psabi",
        "spec/support/sweep_host3.c spec/support/lanes3_wide.c src/core/sweeps/lanes3*.c src/core/base/isa.c"))
    end)
  end
end)
