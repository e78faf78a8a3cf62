-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Islands have no Lua face of their own: a small host tests them.
describe("islands", function()
  it("are those of the graph of bodies and blocks, in the order of their first block (2000 seeds)", function()
    local host = os.tmpname()
    local pipe = io.popen(("cc -O1 -Wall -Isrc -o %s spec/support/islands_host.c src/core/rows/islands.c -lm 2>&1 && %s 2>&1")
      :format(host, host))
    local said = pipe:read("a")
    pipe:close()
    os.remove(host)
    assert.equal("ok\n", said)
  end)
end)
