-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

describe("Newton's step of plain contacts", function()
  it("is the general one's, whether they are open, stick or slip (400 seeds)", function()
    assert.equal("ok\n", host("-O0 -Wno-psabi -Wl,--allow-multiple-definition",
      "spec/support/contact_step_host.c spec/support/path_stubs.c src/core/base/*.c src/core/math/*.c " ..
      "src/core/rows/rows.c src/core/rows/island.c src/core/graph/body_*.c src/core/graph/elimination.c " ..
      "src/core/graph/graph_*.c src/core/rows/residual*.c src/core/rows/impulses.c src/core/rows/coupling.c " ..
      "src/core/rows/tree_rows.c src/core/rows/special.c src/core/ladder/newton_step.c src/core/ladder/contact_step.c " ..
      "src/core/ladder/supported.c src/core/rows/support.c"))
  end)
end)
