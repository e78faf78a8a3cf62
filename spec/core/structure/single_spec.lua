-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local c_host = require "support.c_host"

describe("a structure at one load", function()
  teardown(c_host.remove)

  it("is solved in a room that is kept: same bits as in a new one, residual 1e-9, no request in a second round (200 laws of "
    .. "three sizes)", function()
    assert.equal("ok\n", c_host.run("single_host"))
  end)
end)
