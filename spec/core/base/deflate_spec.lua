-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local core = require "delassus.core"

local CRC = {}
for i = 0, 255 do
  local x = i
  for _ = 1, 8 do x = x & 1 == 1 and 0xEDB88320 ~ (x >> 1) or x >> 1 end
  CRC[i] = x
end

local function crc32(s)
  local x = 0xFFFFFFFF
  for i = 1, #s do x = CRC[(x ~ s:byte(i)) & 255] ~ (x >> 8) end
  return x ~ 0xFFFFFFFF
end

-- gzip's wrapper (RFC 1952) around texts, one after the other; gzip itself checks length and sum of each.
local function by_gzip(texts)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  for _, text in ipairs(texts) do
    file:write("\31\139\8\0\0\0\0\0\0\255", core.deflate(text), ("<I4I4"):pack(crc32(text), #text))
  end
  file:close()
  local pipe = assert(io.popen("gzip -dc < " .. path .. " 2>&1"))
  local out = pipe:read("a")
  pipe:close()
  os.remove(path)
  return out
end

describe("deflate", function()
  it("is undone by gzip: nothing, runs, noise, text, far repeats", function()
    local noise = {}
    math.randomseed(7)
    for i = 1, 100000 do noise[i] = string.char(math.random(0, 255)) end
    noise = table.concat(noise)
    local texts = { "", "a", "ab", ("a"):rep(259), ("abc"):rep(50000), noise, noise:sub(1, 32767):rep(3),
      noise:sub(1, 32768) .. noise:sub(1, 40000), (noise:gsub(".", function(c) return string.char(c:byte() % 3) end)) }
    for i, text in ipairs(texts) do assert.is_true(by_gzip{ text } == text, "text " .. i) end
    assert.is_true(#core.deflate(("abc"):rep(50000)) < 400)
    assert.is_true(#core.deflate(noise) < 1.01 * #noise + 200)
  end)

  it("is undone by gzip on 300 random texts of uneven alphabets", function()
    local seed = 20261123
    math.randomseed(seed)
    local texts = {}
    for k = 1, 300 do
      local letters, n, part = math.random(1, 256), math.random(0, 4000), {}
      for i = 1, n do
        local x = math.random() ^ math.random(1, 12)
        local again = math.random() < 0.1 and i > 9
        part[i] = again and table.concat(part, "", i - 8, i - 1):sub(1, 40) or string.char(math.floor(x * letters) % 256)
      end
      texts[k] = table.concat(part)
    end
    assert.is_true(by_gzip(texts) == table.concat(texts), "seed " .. seed)
  end)
end)
