-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- A pair on its way has no Lua face: a small host looks at the distance all along it.
local host = require "support.host"

describe("two bodies on their ways", function()
  it("touch first where their distance is first none, or not at all (2,000 seeds)", function()
    assert.equal("ok\n", host("-O1 -Wall", "spec/support/first_touch_host.c core.a"))
  end)
end)
