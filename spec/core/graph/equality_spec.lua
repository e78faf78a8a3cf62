-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

describe("the factor of bilateral rows", function()
  it("undoes what a dense matrix does, knows rows over again and what it leaves of others, 600 random problems", function()
    assert.equal("ok\n", host("-O1 -Wno-psabi -Ispec/support", "spec/support/equality_host.c core.a"))
  end)
end)
