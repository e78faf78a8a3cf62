-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Sweeps in lanes have no Lua face of their own: a small host tests them.
local function output_of(command)
  local pipe = io.popen(command)
  local text = pipe:read("a")
  pipe:close()
  return text
end

describe("planar contacts swept in lanes", function()
  for _, level in ipairs { "-O0", "-O2" } do
    it("keep Coulomb's law in each lane, with the same bits on every path (400 seeds), " .. level, function()
      local host = os.tmpname()
      local said = output_of(("cc %s -Wall -Isrc -o %s spec/support/sweep_host.c src/core/rows/lanes*.c -lm 2>&1 && %s 2>&1")
        :format(level, host, host))
      os.remove(host)
      assert.equal("ok\n", said)
    end)
  end
end)
