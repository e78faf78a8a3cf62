-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

-- The path of exact solutions has no Lua face of its own, and what it misses other methods finish: a small host tests
-- it.
describe("islands in the plane, on the path from what sweeps leave", function()
  it("keep the laws of friction and rolling friction to 1e-6, small ones to 1e-11; changes of state are a new factor's "
    .. "(200 heaps each, with and without rolling friction, with and without contacts that share numbers beside "
    .. "bodies; 200 whose redundant contacts agree)", function()
    assert.equal("ok\n", host("-O1 -Wno-psabi", "spec/support/path_host.c core.a"))
  end)
end)
