-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The server of a live view: one page and one WebSocket on 127.0.0.1, for whoever has the token. Knows no world.
-- What clients send is kept in `inbox` for the owner to read: callbacks of luv end the process where they raise, so that
-- nothing of the user's is called in one.
-- @module delassus.view_server
local core = require "delassus.core"
local websocket = require "delassus.websocket"

local M = {}

local HEAD, PATIENCE = 8192, 10000 -- bytes of a request's head; ms for it to be there
local MESSAGE, INBOX = 4096, 1000 -- bytes of a message; messages that wait
local CLIENTS, QUEUE = 16, 8 << 20 -- connections at once; bytes that a page may be behind

local KEPT = "delassus.luv" -- in the registry

--- luv, or nil where it is not installed. Kept for good: where it was collected and is loaded again, it crashes.
function M.luv()
  local registry = debug.getregistry()
  if not registry[KEPT] then
    local found, luv = pcall(require, "luv")
    if not found then return nil end
    registry[KEPT] = luv
  end
  package.loaded.luv = registry[KEPT]
  return registry[KEPT]
end

local Server = {}
Server.__index = Server

--- Whether two strings are the same, in a time that does not tell where they differ.
function M.same(a, b)
  local off = #a ~ #b
  for i = 1, #b do off = off | (a:byte(i) or 0) ~ b:byte(i) end
  return off == 0
end

-- The head of a request: method, path, query, fields by their names in small letters; nil where it is none.
local function read_head(text)
  local method, target, rest = text:match("^(%u+) (/[!-~]*) HTTP/1%.1\r\n(.*)$")
  if not method then return nil end
  local fields = {}
  for line in rest:gmatch("(.-)\r\n") do
    if line == "" then break end
    local name, value = line:match("^([%w%-]+):[ \t]*(.-)[ \t]*$")
    if not name or fields[name:lower()] then return nil end -- no field of ours may come twice
    fields[name:lower()] = value
  end
  local path, query = target:match("^([^?#]*)%??([^#]*)")
  return method, path, query, fields
end

local SAFE = "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
  .. "X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: default-src 'none'; "
  .. "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self' ws://127.0.0.1:%d "
  .. "ws://localhost:%d; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\nConnection: close\r\n"

local REASONS = { [200] = "OK", [400] = "Bad Request", [403] = "Forbidden", [404] = "Not Found", [405] = "Method Not Allowed",
  [408] = "Request Timeout", [426] = "Upgrade Required", [431] = "Request Header Fields Too Large" }

local function drop(self, client)
  if client.gone then return end
  client.gone = true
  self.clients[client] = nil
  self.count = self.count - 1
  if client.talks then self.inbox[#self.inbox + 1] = { client = client } end
  if not client.stream:is_closing() then client.stream:close() end
end

local function write(client, bytes, after)
  if not client.gone and not client.stream:is_closing() then client.stream:write(bytes, after) end
end

local function reply(self, client, code, text, kind)
  text = text or (code .. " " .. REASONS[code] .. "\n")
  local head = ("HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %d\r\n"):format(code, REASONS[code],
    kind or "text/plain", #text)
  client.done = true
  write(client, head .. SAFE:format(self.port, self.port) .. "\r\n" .. text, function() pcall(drop, self, client) end)
end

-- Leaves a client of the WebSocket, telling it why.
local function leave(self, client, code, reason)
  client.done = true
  write(client, websocket.goodbye(code, reason), function() pcall(drop, self, client) end)
end

local function shake_hands(self, client, fields)
  local key = fields["sec-websocket-key"]
  if (fields.upgrade or ""):lower() ~= "websocket" or fields["sec-websocket-version"] ~= "13" or not key or #key ~= 24 then
    return reply(self, client, 426)
  end
  client.talks, client.reader = true, websocket.reader(MESSAGE)
  write(client, ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    .. "Sec-WebSocket-Accept: %s\r\n\r\n"):format(websocket.accept(key)))
  self.inbox[#self.inbox + 1] = { client = client, new = true }
end

-- Answers a request. First of all: is it for this server, and does it come from who has the token.
local function answer(self, client, text)
  local method, path, query, fields = read_head(text)
  if not method then return reply(self, client, 400) end
  local origin = fields.origin
  if not self.hosts[fields.host or ""] or origin and not self.hosts[origin:match("^http://(.*)$") or ""] then
    return reply(self, client, 403)
  end
  if not M.same(query:match("^token=(%w+)$") or "", self.token) then return reply(self, client, 403) end
  if method ~= "GET" then return reply(self, client, 405) end
  if path == "/live" then return shake_hands(self, client, fields) end
  if path ~= "/" then return reply(self, client, 404) end
  reply(self, client, 200, self.page(), "text/html")
end

local function hear_messages(self, client, bytes)
  local messages, code, reason = client.reader:take(bytes)
  for _, message in ipairs(messages) do
    if message.kind == websocket.CLOSE then return leave(self, client, 1000) end
    if message.kind == websocket.PING then write(client, websocket.frame(websocket.PONG, message.text)) end
    if message.kind == websocket.BINARY then return leave(self, client, 1003, "text only") end
    if message.kind == websocket.TEXT then
      if #self.inbox >= INBOX then return leave(self, client, 1008, "too many messages") end
      self.inbox[#self.inbox + 1] = { client = client, text = message.text }
    end
  end
  if code then leave(self, client, code, reason) end
end

local function hear(self, client, bytes)
  if client.done then return end
  if client.talks then return hear_messages(self, client, bytes) end
  client.head = client.head .. bytes
  local last = select(2, client.head:find("\r\n\r\n", 1, true))
  if (last or #client.head) > HEAD then return reply(self, client, 431) end
  if not last then return end
  local more = client.head:sub(last + 1)
  answer(self, client, client.head:sub(1, last))
  client.head = ""
  if client.talks and more ~= "" then hear_messages(self, client, more) end
end

local function take_in(self)
  local client = { stream = self.uv.new_tcp(), head = "", since = self.uv.now() }
  if not self.listener:accept(client.stream) or self.count >= CLIENTS then return client.stream:close() end
  self.clients[client] = true
  self.count = self.count + 1
  client.stream:nodelay(true)
  client.stream:read_start(function(problem, bytes)
    if problem or not bytes or not pcall(hear, self, client, bytes) then pcall(drop, self, client) end
  end)
end

--- Sends to one page. Of frames what it cannot take in time is left out; whom a text cannot reach is left.
-- @treturn boolean whether it was sent
function Server:send(client, kind, bytes)
  if client.gone or client.done then return false end
  if client.stream:get_write_queue_size() > QUEUE then
    if kind == websocket.TEXT then drop(self, client) end
    return false
  end
  write(client, websocket.frame(kind, bytes))
  return true
end

--- Leaves a page that sent what is no message.
function Server:refuse(client)
  if not client.gone and not client.done then leave(self, client, 1008, "not understood") end
end

--- Lets the sockets have their turn, without waiting.
function Server:turn()
  core.undisturbed(self.uv.run, "nowait")
  local now = self.uv.now()
  for client in next, self.clients do
    if not client.talks and not client.done and now - client.since > PATIENCE then reply(self, client, 408) end
  end
end

--- Says goodbye, and listens no more.
function Server:close()
  if self.closed then return end
  self.closed = true
  for client in next, self.clients do
    if client.talks and not client.done then leave(self, client, 1001, "the view was closed") end
  end
  self:turn()
  local rest = {}
  for client in next, self.clients do rest[#rest + 1] = client end
  for _, client in ipairs(rest) do drop(self, client) end
  self.listener:close()
  self:turn()
end

--- Begins to listen on 127.0.0.1.
-- @param uv luv
-- @tparam function page what answers the page's text
-- @tparam integer port 0: any that is free
-- @treturn table the server, or nil and a message
function M.open(uv, page, port)
  local self = setmetatable({ uv = uv, page = page, inbox = {}, clients = {}, count = 0 }, Server)
  self.token = uv.random(16):gsub(".", function(c) return ("%02x"):format(c:byte()) end)
  self.listener = uv.new_tcp()
  local ok, message = self.listener:bind("127.0.0.1", port)
  if ok then
    ok, message = self.listener:listen(CLIENTS, function(problem) if not problem then pcall(take_in, self) end end)
  end
  if not ok then
    self.listener:close()
    return nil, message
  end
  self.port = self.listener:getsockname().port
  self.hosts = { ["127.0.0.1:" .. self.port] = true, ["localhost:" .. self.port] = true }
  self.address = ("http://127.0.0.1:%d/?token=%s"):format(self.port, self.token)
  return self
end

return M
