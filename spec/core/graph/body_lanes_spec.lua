-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

describe("the block LU of an island in space", function()
  it("multiplies out to the matrix it was made of, every path with the same bits (400 problems)", function()
    assert.equal("ok\n", host("-O2 -Wno-psabi", "spec/support/body_lanes_host.c src/core/graph/body_lanes.c " ..
      "src/core/graph/body_plain.c src/core/graph/body_avx2.c src/core/graph/body_avx512.c src/core/base/isa.c"))
  end)
end)
