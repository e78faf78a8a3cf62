-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The pages of a live view: what is sent to them, and what they ask for.
-- @module delassus.view_pages
local core = require "delassus.core"
local hands = require "delassus.view_hand"
local json = require "delassus.json"
local websocket = require "delassus.websocket"

local M = {}

--- s, of a clock that never goes back.
function M.now(self) return self._uv.hrtime() / 1e9 end

function M.send_all(self, kind, bytes)
  for _, client in ipairs(self._pages) do self._server:send(client, kind, bytes) end
end

--- Shows an error in the page and at the terminal; the world stands still.
function M.tell(self, message)
  self._playing, self._problem, self._news = false, message, true
  self._unseen = #self._pages == 0 and message or nil
  io.stderr:write("view: ", message, "\n")
end

--- f(...), whose errors are told; Ctrl-C goes through. Answers whether it went well, and its first result.
function M.try(self, f, ...)
  local ok, result = pcall(f, ...)
  if ok then return true, result end
  if tostring(result):find("interrupted!?$") then error(result, 0) end
  M.tell(self, tostring(result))
  return false
end

function M.slider_list(self)
  local out = json.list()
  for i, s in ipairs(self._sliders) do out[i] = { name = s.name, unit = s.unit, min = s.min, max = s.max, value = s.value } end
  return json.encode{ kind = "sliders", list = out }
end

function M.state(self)
  local values = json.list()
  for i, s in ipairs(self._sliders) do values[i] = s.value end
  return json.encode{ kind = "state", playing = self._playing, speed = self._speed, rate = self._rate, problem = self._problem,
    sliders = values }
end

-- --- what pages ask for ---------------------------------------------------------------------------------------------

local function is_finite(x) return type(x) == "number" and x == x and math.abs(x) < 1e9 end

local function read_point(self, list)
  local n = self._world.planar and 2 or 3
  if type(list) ~= "table" or #list ~= n then return nil end
  for i = 1, n do
    if not is_finite(list[i]) then return nil end
  end
  return table.move(list, 1, n, 1, {})
end

function M.release(self, client)
  local hand = self._hands[client]
  if not hand then return end
  local same = core.seen(self._world) == self._seen
  hand:release()
  self._hands[client] = nil
  if same then self._seen = core.seen(self._world) end -- its springs were not in the picture
end

local function grab(self, client, point, index)
  local body = self._picture and self._picture.bodies[index]
  if self._hands[client] or core.seen(self._world) ~= self._seen or not body or body.type ~= "dynamic" then return end
  local ok, hand = M.try(self, hands.hold, self._world, body, point, self._grip)
  if not ok then return end
  self._hands[client], self._seen = hand, core.seen(self._world)
end

local function set_slider(self, index, value)
  local slider = self._sliders[index]
  value = math.max(slider.min, math.min(slider.max, value))
  if M.try(self, slider.set, value) then slider.value = value end
  self._news = true
end

function M.step(self, n)
  self._playing, self._problem, self._news = false, nil, true
  self._single = math.min(100, self._single + n)
end

-- Each answers false where the message is none.
local asks = {}
function asks.play(self) self:play() end
function asks.pause(self) self:pause() end
function asks.step(self) M.step(self, 1) end
function asks.speed(self, _, message)
  if not is_finite(message.speed) or message.speed < 1e-3 or message.speed > 100 then return false end
  self._speed, self._news = message.speed, true
end
function asks.slider(self, _, message)
  if math.type(message.index) ~= "integer" or not self._sliders[message.index] or not is_finite(message.value) then
    return false
  end
  set_slider(self, message.index, message.value)
end
function asks.grab(self, client, message)
  local point = read_point(self, message.point)
  if not point or math.type(message.body) ~= "integer" then return false end
  if message.serial == self._serial then grab(self, client, point, message.body) end
end
function asks.drag(self, client, message)
  local to = read_point(self, message.to)
  if not to then return false end
  if self._hands[client] then self._hands[client]:move(to) end
end
function asks.release(self, client) M.release(self, client) end

local function welcome(self, client)
  self._pages[#self._pages + 1] = client
  if self._picture then self._server:send(client, websocket.TEXT, self._picture.text) end
  self._server:send(client, websocket.TEXT, M.slider_list(self))
  self._news, self._frame = true, nil
  if not self._seen_once and not self._paused then self:play() end
  self._seen_once = true
end

local function farewell(self, client)
  M.release(self, client)
  for i, page in ipairs(self._pages) do
    if page == client then table.remove(self._pages, i) break end
  end
  self._left_at = M.now(self)
end

function M.read_inbox(self)
  local inbox = self._server.inbox
  self._server.inbox = {}
  for _, item in ipairs(inbox) do
    if self._closed then return end
    if item.new then welcome(self, item.client)
    elseif not item.text then farewell(self, item.client)
    elseif not item.client.gone and not item.client.done then
      local message = json.decode(item.text)
      local ask = type(message) == "table" and type(message.ask) == "string" and asks[message.ask]
      if not ask or ask(self, item.client, message) == false then self._server:refuse(item.client) end
    end
  end
end

return M
