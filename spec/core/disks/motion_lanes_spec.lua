-- What a step in the plane does to all bodies at once has no Lua face of its own: a small host tests it.

local host = require "support.host"

describe("bodies of the plane in lanes", function()
  it("move, are pushed and are placed as one by one, to the bit", function()
    assert.equal("ok\n", host("-O1 -Wall",
      "spec/support/disk_motion_host.c src/core/disks/motion_lanes*.c src/core/base/isa.c"))
  end)
end)
