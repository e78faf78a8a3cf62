-- The largest separation is looked for by a small host, over many directions and with supports of its own.
local host = require "support.host"

describe("contacts of every two kinds of shapes", function()
  it("have the largest separation over all directions, to 1e-6 of a size: apart, overlapping, parallel, coaxial", function()
    -- 60 pairs a kind and order here; `./host 2000 1` looks at 2000
    assert.equal("ok\n", host("-O1 -Wall", "spec/support/separation_host.c " ..
      "spec/support/separation_walls_host.c spec/support/separation_plane_host.c core.a"))
  end)
end)
