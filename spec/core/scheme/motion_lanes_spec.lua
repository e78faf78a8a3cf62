-- What a step in the plane does to all bodies at once has no Lua face of its own: a small host tests it.

local function output_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("a")
  pipe:close()
  return text
end

describe("bodies of the plane in lanes", function()
  it("move, are pushed and are placed as one by one, to the bit", function()
    local host = os.tmpname()
    local said = output_of(("cc -O1 -Wall -Isrc -o %s spec/support/motion_host.c src/core/scheme/motion_lanes*.c -lm 2>&1 "
      .. "&& %s 2>&1"):format(host, host))
    os.remove(host)
    assert.equal("ok\n", said)
  end)
end)
