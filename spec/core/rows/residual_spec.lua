-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

-- Statistics of a step are judged by the residual: it is held against code that knows nothing of rows.
describe("the residual of rows", function()
  for space, flag in pairs { ["in the plane"] = "", ["in space"] = "-DSPATIAL " } do
    it("is that of a cone problem, for every kind of block, at impulses that solve nothing, 200 seeds, " .. space, function()
      assert.equal("ok\n", host(flag .. "-O0 -Wno-psabi -Wl,--allow-multiple-definition",
        "spec/support/residual_host.c spec/support/path_stubs.c src/core/base/*.c src/core/math/*.c " ..
        "src/core/cone/cone.c src/core/lcp/lcp.c src/core/lcp/residual.c " ..
        "src/core/rows/*.c src/core/graph/*.c src/core/sweeps/*.c src/core/ladder/*.c"))
    end)
  end
end)
