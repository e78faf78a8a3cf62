-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local websocket = require "delassus.websocket"
local seeds = require "support.seeds"

local function hex(bytes) return (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end

--- A client's frame, masked by `mask`.
local function frame(head, text, mask)
  local n, k = #text, 0
  local size = n < 126 and ("B"):pack(0x80 | n) or n < 65536 and (">BI2"):pack(0x80 | 126, n) or (">BI8"):pack(0x80 | 127, n)
  return string.char(head) .. size .. mask .. text:gsub(".", function(c)
    k = k % 4 + 1
    return string.char(c:byte() ~ mask:byte(k))
  end)
end

describe("a WebSocket", function()
  it("has the SHA-1 of FIPS 180-4", function()
    assert.equal("da39a3ee5e6b4b0d3255bfef95601890afd80709", hex(websocket.sha1 ""))
    assert.equal("a9993e364706816aba3e25717850c26c9cd0d89d", hex(websocket.sha1 "abc"))
    assert.equal("84983e441c3bd26ebaae4aa1f95129e5e54670f1",
      hex(websocket.sha1 "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))
  end)

  it("answers the handshake of RFC 6455", function()
    assert.equal("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", websocket.accept "dGhlIHNhbXBsZSBub25jZQ==")
  end)

  it("writes frames of every size", function()
    for _, n in ipairs { 0, 125, 126, 65535, 65536 } do
      local bytes = websocket.frame(websocket.BINARY, ("x"):rep(n))
      assert.equal(n + (n < 126 and 2 or n < 65536 and 4 or 10), #bytes)
      assert.equal(0x82, bytes:byte())
    end
    assert.equal("\x88\x05\x03\xe9bye", websocket.goodbye(1001, "bye"))
  end)

  it("reads messages cut anywhere, in one frame or in many, with others between", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local want, bytes = {}, {}
      for i = 1, 3 do
        local text = {}
        for k = 1, random:integer(0, 150) do text[k] = string.char(random:integer(0, 127)) end
        want[i] = table.concat(text)
        local parts, at = random:integer(1, 3), 1
        for part = 1, parts do
          local last = part == parts
          local to = last and #want[i] or math.min(#want[i], at + random:integer(0, 100))
          local mask = ("<I4"):pack(random:integer(0, 0x7FFFFFFF))
          bytes[#bytes + 1] = frame((last and 0x80 or 0) | (part == 1 and 1 or 0), want[i]:sub(at, to), mask)
          if not last then bytes[#bytes + 1] = frame(0x89, "ping", mask) end
          at = to + 1
        end
      end
      local all, reader, got, from = table.concat(bytes), websocket.reader(1000), {}, 1
      while from <= #all do
        local to = from + random:integer(0, 40)
        local messages, code = reader:take(all:sub(from, to))
        assert.is_nil(code, "seed " .. seed)
        for _, message in ipairs(messages) do
          if message.kind == websocket.TEXT then got[#got + 1] = message.text else assert.equal("ping", message.text) end
        end
        from = to + 1
      end
      assert.same(want, got, "seed " .. seed)
    end
  end)

  it("leaves whoever breaks the rules", function()
    local mask = "abcd"
    local cases = {
      { "\x81\x00", 1002 }, -- without a mask
      { frame(0xC1, "x", mask), 1002 }, { frame(0x80, "x", mask), 1002 }, { frame(0x83, "x", mask), 1002 },
      { frame(0x8B, "x", mask), 1002 }, { frame(0x09, "x", mask), 1002 }, { frame(0x89, ("x"):rep(126), mask), 1002 },
      { frame(0x01, "x", mask) .. frame(0x81, "x", mask), 1002 },
      { frame(0x81, "\xff\xfe", mask), 1007 }, { frame(0x81, ("x"):rep(101), mask), 1009 },
      { frame(0x01, ("x"):rep(60), mask) .. frame(0x80, ("x"):rep(60), mask), 1009 },
      { "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 1009 }, { "\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff", 1002 },
    }
    for i, case in ipairs(cases) do
      local _, code = websocket.reader(100):take(case[1])
      assert.equal(case[2], code, "case " .. i)
    end
  end)

  it("never raises, whatever comes", function()
    for seed = 1, seeds(300) do
      local random, reader = delassus.random(seed), websocket.reader(200)
      for _ = 1, 10 do
        local bytes = {}
        for k = 1, 50 do bytes[k] = string.char(random:integer(0, 255)) end
        local _, code = reader:take(table.concat(bytes))
        if code then break end
      end
      assert.is_true(#reader.rest <= 10 * 50, "seed " .. seed)
    end
  end)
end)
