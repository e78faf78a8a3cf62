-- The neighbour list and the kernels of disks in lanes have no Lua face of their own: a small host tests them.

local host = require "support.host"

describe("neighbour lists and lanes of disks", function()
  it("agree with all pairs, one by one (400 seeds each)", function()
    assert.equal("ok\n", host("-O1 -Wall", "spec/support/broad_host.c core.a"))
  end)
end)
