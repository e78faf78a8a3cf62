-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- How what is carried goes together has no Lua face: a small host measures the distance all along the way that is named.
local host = require "support.host"

describe("two bodies that one carrier moves", function()
  it("come nearer on the way that they are let go by no more than the gap (2,000 seeds)", function()
    assert.equal("ok\n", host("-O1 -Wall", "spec/support/stretch_host.c core.a"))
  end)
end)
