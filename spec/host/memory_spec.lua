-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- libc's memory fails in twenty-two scenes of a host in C: the call says so, the world is as it was, and nothing is lost.
-- `make memory` fails every request and 200 pairs a scene.
local host = require "support.c_host"

describe("the C interface without memory", function()
  teardown(host.remove)

  it("tells it, leaves the world as it was, goes on to the same bits, and keeps no block", function()
    assert.equal("", host.build("failing_c_host", "-Wl,--wrap=realloc,--wrap=free"))
    local failures = host.run("failing_c_host", "22 3 5"):match "^scenes 22, failures (%d+), faults 0\n$"
    assert.is_true(tonumber(failures or 0) > 300)
  end)
end)
