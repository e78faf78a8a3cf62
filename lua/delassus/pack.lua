-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Lists of numbers as little-endian bytes, base64 for pages, and a check sum for recordings.
-- @module delassus.pack
local M = {}

local CHUNK = 128 -- numbers packed by one call: bounded, so that a long list does not exhaust the C stack

local DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local PAIRS = {}
for i = 0, 63 do
  for j = 0, 63 do
    PAIRS[i * 64 + j] = DIGITS:sub(i + 1, i + 1) .. DIGITS:sub(j + 1, j + 1)
  end
end

--- Bytes as base64 text.
function M.base64(s)
  local out, n = {}, 0
  local whole = #s - #s % 3
  for i = 1, whole, 3 do
    local a, b, c = s:byte(i, i + 2)
    local bits = a << 16 | b << 8 | c
    out[n + 1], out[n + 2] = PAIRS[bits >> 12], PAIRS[bits & 4095]
    n = n + 2
  end
  if #s - whole == 1 then
    out[n + 1] = PAIRS[s:byte(whole + 1) << 4] .. "=="
  elseif #s - whole == 2 then
    local a, b = s:byte(whole + 1, whole + 2)
    out[n + 1] = PAIRS[a << 4 | b >> 4] .. DIGITS:sub((b & 15) * 4 + 1, (b & 15) * 4 + 1) .. "="
  end
  return table.concat(out)
end

local function packed(code, list)
  local out, format = {}, "<" .. code:rep(CHUNK)
  local n = #list
  for i = 1, n - n % CHUNK, CHUNK do
    out[#out + 1] = format:pack(table.unpack(list, i, i + CHUNK - 1))
  end
  local rest = n % CHUNK
  if rest > 0 then out[#out + 1] = ("<" .. code:rep(rest)):pack(table.unpack(list, n - rest + 1, n)) end
  return table.concat(out)
end

--- A list of numbers as 4-byte floats (`f32`), 8-byte floats (`f64`) or 4-byte unsigned integers (`u32`).
function M.f32(list) return packed("f", list) end
function M.f64(list) return packed("d", list) end
function M.u32(list) return packed("I4", list) end

--- Reads `n` numbers of a code ("f", "d", "I4") from byte `i` on.
-- @treturn table the list
-- @treturn number the first byte after it
function M.unpack(code, s, i, n)
  local out = {}
  local format = "<" .. code:rep(CHUNK)
  while n >= CHUNK do
    local t = { format:unpack(s, i) }
    table.move(t, 1, CHUNK, #out + 1, out)
    i, n = t[CHUNK + 1], n - CHUNK
  end
  if n > 0 then
    local t = { ("<" .. code:rep(n)):unpack(s, i) }
    table.move(t, 1, n, #out + 1, out)
    i = t[n + 1]
  end
  return out, i
end

--- A 32-bit check sum: Fletcher's two sums, over 4-byte words, modulo 2^32 - 5 and with the length in them, differ
-- wherever one word does; their 64 bits are mixed (D. Lea's constants) before 32 are taken.
-- @tparam string s
-- @tparam[opt] boolean unmixed as recordings of format 1 have it: one change of a high bit in 32 is not seen
function M.checksum(s, unmixed)
  local a, b = #s, 1
  local padded = s .. ("\0"):rep(-#s % 32)
  for i = 1, #padded, 32 do
    local c, d, e, f, g, h, j, k = ("<I4I4I4I4I4I4I4I4"):unpack(padded, i)
    a = (a + c) % 4294967291; b = b + a
    a = (a + d) % 4294967291; b = b + a
    a = (a + e) % 4294967291; b = b + a
    a = (a + f) % 4294967291; b = b + a
    a = (a + g) % 4294967291; b = b + a
    a = (a + h) % 4294967291; b = b + a
    a = (a + j) % 4294967291; b = b + a
    a = (a + k) % 4294967291; b = (b + a) % 4294967291
  end
  if unmixed then return (a ~ b * 2654435761) & 0xFFFFFFFF end
  local x = a << 32 | b
  x = (x ~ x >> 32) * 0xdaba0b6eb09322e3
  x = (x ~ x >> 32) * 0xdaba0b6eb09322e3
  return x >> 32
end

return M
