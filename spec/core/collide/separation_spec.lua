-- The largest separation is looked for by a small host, over many directions and with supports of its own.
local host = require "support.host"

local files = { "src/core/base/*.c", "src/core/math/elementary.c" }
for name in ("host walls_host plane_host"):gmatch("%S+") do files[#files + 1] = "spec/support/separation_" .. name .. ".c" end
for name in ("bound3 box3 convex3 core2 drum3 ellipsoid gjk3 hull make manifold3 mass mesh3 planar plane3 polygon polytope " ..
  "round3 separate3 shape spatial support tree3"):gmatch("%S+") do
  files[#files + 1] = "src/core/collide/" .. name .. ".c"
end

describe("contacts of every two kinds of shapes", function()
  it("have the largest separation over all directions, to 1e-6 of a size: apart, overlapping, parallel, coaxial", function()
    -- 60 pairs a kind and order here; `./host 2000 1` looks at 2000
    assert.equal("ok\n", host("-O1 -Wall", table.concat(files, " ")))
  end)
end)
