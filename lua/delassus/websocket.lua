-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The server's side of a WebSocket (RFC 6455): the answer to a handshake, frames written, frames read from bytes as they
-- come. Knows no socket.
-- @module delassus.websocket
local pack = require "delassus.pack"

local M = {}

local UNIQUE = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11" -- RFC 6455, 1.3
local WORD = 0xFFFFFFFF

local function rotated(x, n) return (x << n | x >> (32 - n)) & WORD end

-- Round t of SHA-1 (FIPS 180-4, 6.1): function and constant.
local function round(t, b, c, d)
  if t < 20 then return b & c | ~b & d, 0x5A827999 end
  if t < 40 then return b ~ c ~ d, 0x6ED9EBA1 end
  if t < 60 then return b & c | b & d | c & d, 0x8F1BBCDC end
  return b ~ c ~ d, 0xCA62C1D6
end

--- The SHA-1 of a string: 20 bytes. Handshakes want it; it protects nothing here.
function M.sha1(text)
  local h = { 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0 }
  local padded = text .. "\x80" .. ("\0"):rep((55 - #text) % 64) .. (">I8"):pack(8 * #text)
  for at = 1, #padded, 64 do
    local w = { (">" .. ("I4"):rep(16)):unpack(padded, at) }
    for t = 17, 80 do w[t] = rotated(w[t - 3] ~ w[t - 8] ~ w[t - 14] ~ w[t - 16], 1) end
    local a, b, c, d, e = table.unpack(h)
    for t = 0, 79 do
      local f, k = round(t, b, c, d)
      a, b, c, d, e = (rotated(a, 5) + (f & WORD) + e + k + w[t + 1]) & WORD, a, rotated(b, 30), c, d
    end
    for i, x in ipairs{ a, b, c, d, e } do h[i] = (h[i] + x) & WORD end
  end
  return (">I4I4I4I4I4"):pack(table.unpack(h))
end

--- What `Sec-WebSocket-Accept` answers to a key.
function M.accept(key) return pack.base64(M.sha1(key .. UNIQUE)) end

M.TEXT, M.BINARY, M.CLOSE, M.PING, M.PONG = 1, 2, 8, 9, 10

--- A whole message as one frame.
function M.frame(kind, text)
  local n = #text
  local size = n < 126 and ("B"):pack(n) or n < 65536 and (">BI2"):pack(126, n) or (">BI8"):pack(127, n)
  return string.char(0x80 | kind) .. size .. text
end

--- A frame that ends the connection, for a reason (RFC 6455, 7.4.1).
function M.goodbye(code, reason) return M.frame(M.CLOSE, (">I2"):pack(code) .. (reason or "")) end

-- The masked bytes made plain.
local function unmasked(text, mask)
  local a, b, c, d = mask:byte(1, 4)
  local out = text:gsub("..?.?.?", function(four)
    local w, x, y, z = four:byte(1, 4)
    if z then return string.char(w ~ a, x ~ b, y ~ c, z ~ d) end
    if y then return string.char(w ~ a, x ~ b, y ~ c) end
    return x and string.char(w ~ a, x ~ b) or string.char(w ~ a)
  end)
  return out
end

local Reader = {}
Reader.__index = Reader

--- Reads what a client sends, in pieces of any size.
-- @tparam integer most bytes of a message
function M.reader(most) return setmetatable({ rest = "", most = most }, Reader) end

-- The first frame of `text`: kind, whether it ends a message, its bytes, where the next begins. Nil where it is not all
-- there; nil, code and reason where it cannot be.
local function first_frame(text, most)
  if #text < 2 then return nil end
  local head, size = text:byte(1, 2)
  if head & 0x70 ~= 0 then return nil, 1002, "reserved bits" end
  if size & 0x80 == 0 then return nil, 1002, "a frame without a mask" end
  size = size & 0x7F
  local kind, at = head & 15, 3
  if kind >= 8 and (size > 125 or head & 0x80 == 0) then return nil, 1002, "a control frame too long, or in parts" end
  if size >= 126 then
    local long = size == 127 and ">I8" or ">I2"
    if #text < 2 + long:packsize() then return nil end
    size, at = long:unpack(text, 3)
    if size < 0 then return nil, 1002, "a wrong length" end
  end
  if size > most then return nil, 1009, "a message too long" end
  if #text < at + 3 + size then return nil end
  return kind, head & 0x80 ~= 0, unmasked(text:sub(at + 4, at + 3 + size), text:sub(at, at + 3)), at + 4 + size
end

-- Puts the parts of a message together: kind and text of a whole one; nil, or nil, code and reason.
local function assembled(self, kind, last, text)
  if kind >= 8 then
    if kind > M.PONG then return nil, 1002, "an unknown kind of frame" end
    return kind, text
  end
  if (kind == 0) ~= (self.kind ~= nil) or kind > M.BINARY then return nil, 1002, "frames out of order" end
  self.kind, self.parts = self.kind or kind, (self.parts or "") .. text
  if #self.parts > self.most then return nil, 1009, "a message too long" end
  if not last then return nil end
  kind, text = self.kind, self.parts
  self.kind, self.parts = nil, nil
  if kind == M.TEXT and not utf8.len(text) then return nil, 1007, "not UTF-8" end
  return kind, text
end

--- Takes bytes; answers the messages that they complete: a list of { kind =, text = }, and where the client broke the
-- rules the code and reason to leave it with.
function Reader:take(bytes)
  local out = {}
  self.rest = self.rest .. bytes
  while true do
    local kind, last, text, next_at = first_frame(self.rest, self.most)
    if not kind then return out, last, text end
    self.rest = self.rest:sub(next_at)
    local whole, code, reason = assembled(self, kind, last, text)
    if whole then out[#out + 1] = { kind = whole, text = code }
    elseif code then return out, code, reason end
  end
end

return M
