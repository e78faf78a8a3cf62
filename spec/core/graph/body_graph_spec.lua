-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

describe("the graph of an island's bodies", function()
  it("has every pair that a block joins, and its factor solves the equations, in the plane and in space, 200 seeds", function()
    assert.equal("ok\n", host("-O1 -Wno-psabi", "spec/support/body_graph_host.c core.a"))
  end)
end)
