-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local host = require "support.lcp_host"

describe("mixed complementarity problems", function()
  teardown(host.remove)

  it("with rows that depend on each other keep the law, and have the cone problem's velocities, 400 problems", function()
    assert.matches("^done 400, failed 0\n$", host.run("laws 400", "mixed_host"))
  end)
end)
