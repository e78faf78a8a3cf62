-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

describe("Newton's step of plain contacts", function()
  it("is the general one's, whether they are open, stick or slip (400 seeds)", function()
    assert.equal("ok\n", host("-O1 -Wno-psabi", "spec/support/contact_step_host.c core.a"))
  end)
end)
