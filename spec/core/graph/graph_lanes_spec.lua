-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

describe("the block LU of an island in the plane, and the search for kinks", function()
  it("solve and find what they should, every path with the same bits (400 problems)", function()
    assert.equal("ok\n", host("-O2 -Wno-psabi", "spec/support/graph_host.c src/core/graph/graph_*.c src/core/base/isa.c"))
  end)
end)
