-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local host = require "support.host"

describe("Coulomb's law of one planar block", function()
  it("holds exactly with friction and normal coupled: separation, sticking, slip both ways, 2000 seeds", function()
    assert.equal("ok\n", host("-O1", "spec/support/coulomb_host.c src/core/rows/coulomb_2.c src/core/base/random.c"))
  end)
end)

describe("Coulomb's law of one block in space", function()
  it("holds in numbers where joints leave no tangential motion (2,000 seeds)", function()
    assert.equal("ok\n", host("-O1", "spec/support/coulomb_pinned_host.c src/core/rows/coulomb_3.c"))
  end)
end)
