-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Which directions two boxes are looked at along has no Lua face: a small host compares with all of them.
local host = require "support.host"

describe("two boxes", function()
  it("are looked at along the directions that matter, to the last bit as along all (20,000 seeds)", function()
    assert.equal("ok\n", host("-O1 -Wall", "spec/support/box_host.c core.a"))
  end)
end)
