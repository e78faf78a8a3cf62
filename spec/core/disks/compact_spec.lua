-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

-- Which rows are written out is nothing that Lua could see: a small host tests it.
describe("contacts of disks as few numbers", function()
  it("are the rows they stand for, in every sum and to whatever way solves them (200 heaps)", function()
    assert.equal("ok\n", host("-O1 -Wno-psabi", "spec/support/disk_compact_host.c core.a"))
  end)
end)
