-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local host = require "support.lcp_host"

describe("contact sweeps in lanes", function()
  teardown(host.remove)

  it("give the same bits on every path of this processor, 200 problems", function()
    assert.matches("^done 200, failed 0\n$", host.run("paths 200", "cone_host"))
  end)

  it("agree with the exact solver of one group in the same order, 200 problems", function()
    assert.matches("^done 200, failed 0\n$", host.run("visits 200", "cone_host"))
  end)
end)
