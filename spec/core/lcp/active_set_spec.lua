-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local host = require "support.lcp_host"

describe("the active set of a mixed complementarity problem", function()
  teardown(host.remove)

  it("goes on where rows are added, from none and from all, by the law and the cone problem, 400 problems", function()
    assert.matches("^done 400, failed 0\n$", host.run("active 400", "mixed_host"))
  end)
end)
