-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

-- Islands have no Lua face of their own: a small host tests them.
describe("islands", function()
  it("are those of the graph of bodies and blocks, in the order of their first block (2000 seeds)", function()
    assert.equal("ok\n", host("-O1 -Wall", "spec/support/islands_host.c src/core/rows/islands.c"))
  end)
end)
