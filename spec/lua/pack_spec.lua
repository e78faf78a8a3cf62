-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local pack = require "delassus.pack"

describe("pack", function()
  it("is exact: base64 of the texts of RFC 4648", function()
    local known = { [""] = "", f = "Zg==", fo = "Zm8=", foo = "Zm9v", foob = "Zm9vYg==", fooba = "Zm9vYmE=",
      foobar = "Zm9vYmFy" }
    for text, coded in pairs(known) do assert.equal(coded, pack.base64(text)) end
    assert.equal("AP+A/v9/", pack.base64("\0\255\128\254\255\127"))
  end)

  it("is exact: numbers of every length come back", function()
    for n = 0, 300, 37 do
      local list = {}
      for i = 1, n do list[i] = (i - 150) / 8 end
      assert.same(list, (pack.unpack("f", pack.f32(list), 1, n)))
      assert.same(list, (pack.unpack("d", pack.f64(list), 1, n)))
    end
    assert.equal("\1\0\0\0\255\255\255\255", pack.u32{ 1, 4294967295 })
  end)

  it("notices every single changed byte and every lost end by its check sum", function()
    local text = ("frames of a recording, and more "):rep(5)
    local sum = pack.checksum(text)
    for i = 1, #text do
      local other = text:sub(1, i - 1) .. string.char(text:byte(i) ~ 1) .. text:sub(i + 1)
      assert.not_equal(sum, pack.checksum(other), "byte " .. i)
      for bit = 1, 7 do
        local turned = text:sub(1, i - 1) .. string.char(text:byte(i) ~ 1 << bit) .. text:sub(i + 1)
        assert.not_equal(sum, pack.checksum(turned), "byte " .. i .. ", bit " .. bit)
      end
      assert.not_equal(sum, pack.checksum(text:sub(1, i - 1)), "length " .. i)
    end
  end)
end)
