-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

local host = require "support.host"

-- Statistics of a step are judged by the residual: it is held against code that knows nothing of rows.
describe("the residual of rows", function()
  for space, flag in pairs { ["in the plane"] = "", ["in space"] = "-DSPATIAL " } do
    it("is that of a cone problem, for every kind of block, at impulses that solve nothing, 200 seeds, " .. space, function()
      assert.equal("ok\n", host(flag .. "-O1 -Wno-psabi", "spec/support/residual_host.c core.a"))
    end)
  end
end)
