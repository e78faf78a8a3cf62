-- The neighbour list and the batch kernels have no Lua face of their own: a small host tests them.

local function output_of(command)
  local pipe = io.popen(command)
  local text = pipe:read("a")
  pipe:close()
  return text
end

describe("neighbour lists and batches", function()
  it("agree with all pairs, one by one (400 seeds each)", function()
    local host = os.tmpname()
    local said = output_of(("cc -O1 -Wall -Isrc -o %s spec/support/broad_host.c src/core/collide/*.c src/core/base/*.c "
      .. "src/core/math/elementary.c -lm 2>&1 && %s 2>&1"):format(host, host))
    os.remove(host)
    assert.equal("ok\n", said)
  end)
end)
