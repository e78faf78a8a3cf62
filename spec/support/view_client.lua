-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- A page of a live view without a browser: a socket of luv in this process, raw bytes out, messages in.
local core = require "delassus.core"
local json = require "delassus.json"
local uv = require "delassus.view_server".luv()

local Client = {}
Client.__index = Client

--- A client's frame, masked. `head`: its first byte.
local function masked(head, text, mask)
  mask = mask or "\x12\x34\x56\x78"
  local n = #text
  local size = n < 126 and ("B"):pack(0x80 | n) or n < 65536 and (">BI2"):pack(0x80 | 126, n) or (">BI8"):pack(0x80 | 127, n)
  local k = 0
  return string.char(head) .. size .. mask .. text:gsub(".", function(c)
    k = k % 4 + 1
    return string.char(c:byte() ~ mask:byte(k))
  end)
end

--- Connects to the view's port.
local function connect(view)
  local self = setmetatable({ view = view, heard = "", stream = uv.new_tcp(), messages = {}, frames = {} }, Client)
  self.port, self.token = view.address:match(":(%d+)/%?token=(%x+)$")
  self.stream:connect("127.0.0.1", tonumber(self.port), function(problem)
    self.failed = problem
    if problem then return end
    self.stream:read_start(function(_, bytes)
      if bytes then self.heard = self.heard .. bytes else self.ended = true end
    end)
    self.ready = true
  end)
  self:wait(function() return self.ready or self.failed end)
  return self
end

--- Gives the view turns until something is so; false where it never is.
function Client:wait(is)
  for _ = 1, 400 do
    if is() then return true end
    self.view:poll()
    uv.run("nowait")
    if is() then return true end
    core.wait_input(-1, uv.backend_fd(), 0.01)
  end
  return false
end

function Client:send(bytes)
  if not self.stream:is_closing() then self.stream:write(bytes) end
end

--- What a request is answered, whole.
function Client:request(text)
  self:send(text)
  self:wait(function() return self.ended end)
  return self.heard
end

--- Takes the messages out of what was heard: texts as values, frames as bytes.
function Client:read()
  while true do
    local kind, size = self.heard:byte(1, 2)
    local at = 3
    if not size then return end
    if size == 126 and #self.heard >= 4 then size, at = (">I2"):unpack(self.heard, 3)
    elseif size == 127 and #self.heard >= 10 then size, at = (">I8"):unpack(self.heard, 3)
    elseif size >= 126 then return end
    if #self.heard < at - 1 + size then return end
    local text = self.heard:sub(at, at - 1 + size)
    self.heard = self.heard:sub(at + size)
    if kind == 0x81 then
      local message = assert(json.decode(text))
      self.messages[#self.messages + 1], self[message.kind] = message, message
    elseif kind == 0x82 then
      self.frames[#self.frames + 1] = text
    elseif kind == 0x88 then
      self.code, self.reason = (">I2"):unpack(text), text:sub(3)
    elseif kind == 0x8A then
      self.pong = text
    end
  end
end

--- Shakes hands; true where it is let in.
function Client:greet(token, more)
  self:send(("GET /live?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    .. "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n"):format(token or self.token,
    self.port, more or ""))
  self:wait(function() return self.ended or self.heard:find("\r\n\r\n", 1, true) end)
  local head, rest = self.heard:match("^(.-\r\n\r\n)(.*)$")
  self.head = head
  if not head or not head:find("^HTTP/1.1 101") then return false end
  self.heard = rest
  return head:find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", 1, true) ~= nil
end

--- Sends a message, and waits until what comes back is as `is` says.
function Client:ask(message, is)
  self:send(masked(0x81, type(message) == "table" and json.encode(message) or message))
  return self:hear(is or function() return true end)
end

function Client:hear(is)
  return self:wait(function()
    self:read()
    return is(self)
  end)
end

--- The numbers of the last frame.
function Client:frame()
  local bytes = self.frames[#self.frames]
  local serial, n, time, contacts, joints, series = ("<I4I4dI4I4I4"):unpack(bytes)
  return { serial = serial, bodies = n, time = time, contacts = contacts, joints = joints, series = series, bytes = bytes }
end

function Client:close()
  if not self.stream:is_closing() then self.stream:close() end
  uv.run "nowait" -- luv crashes where a state ends before its handles are closed
  self.view:poll()
end

return { connect = connect, masked = masked }
