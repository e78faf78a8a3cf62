-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- One turn of a live view: what pages ask for, steps as the clock says, a picture or a frame to the pages. See
-- `delassus.view`, whose fields these functions read and set.
-- @module delassus.view_turn
local core = require "delassus.core"
local pages = require "delassus.view_pages"
local scenes = require "delassus.view_scene"
local websocket = require "delassus.websocket"

local BUDGET, LATEST = 0.02, 0.1 -- s of steps between two looks at the server; of real time that is made up for
local RATE = 0.5 -- s over which the rate is measured
local PICTURES = 10 -- times as long as a picture took there is no other: of worlds whose bodies come and go

local M = { FRAME = 1 / 60, STILL = 0.1 } -- s between frames, and where it stands still

-- Makes n steps, no longer than the budget; answers how many. Hands are led along.
local function advance(self, n)
  local world, done, limit = self._world, 0, pages.now(self) + BUDGET
  while done < n and pages.now(self) < limit do
    for _, client in ipairs(self._pages) do
      local hand = self._hands[client]
      if hand and not pcall(hand.follow, hand, world.dt) then pages.release(self, client) end -- its body is gone
    end
    local ok, some = pages.try(self, core.slice, world, next(self._hands) and 1 or math.min(8, n - done))
    if not ok then break end
    done = done + some
  end
  return done
end

local function go_on(self)
  local time = pages.now(self)
  local passed = math.min(LATEST, time - self._clock)
  self._clock = time
  local n = self._single
  if self._playing then
    self._single = 0
    self._debt = self._debt + passed * self._speed
    n = math.floor(self._debt / self._world.dt * (1 + 1e-12))
    if self._left then n = math.min(n, self._left) end
  end
  if n == 0 then return end
  local done = advance(self, n)
  self._single = self._playing and 0 or not self._problem and math.max(0, self._single - done) or 0
  self._debt = done < n and 0 or math.max(0, self._debt - n * self._world.dt)
  if self._left then self._left = self._left - done end
end

local function measure(self)
  local time, at = pages.now(self), self._world.time
  if time - self._measured < RATE then return end
  self._rate = (at - self._measured_at) / (time - self._measured)
  self._measured, self._measured_at, self._news = time, at, true
end

-- A new picture to all pages.
local function picture(self, seen)
  local hidden, begun = {}, pages.now(self)
  for _, hand in next, self._hands do
    for key in next, hand.keys do hidden[key] = true end
  end
  self._serial = self._serial + 1
  self._picture = scenes.picture(self._world, self._serial, self._title, hidden)
  self._seen, self._frame = seen, nil
  pages.send_all(self, websocket.TEXT, self._picture.text)
  self._next_picture = pages.now(self) + PICTURES * (pages.now(self) - begun)
end

local function draw(self)
  if #self._pages == 0 then return end
  local time, seen = pages.now(self), core.seen(self._world)
  if seen ~= self._seen or not self._picture then
    if time < self._next_picture then return end
    picture(self, seen)
  end
  if self._frame and time - self._drawn < (self._playing and M.FRAME or M.STILL) * 0.95 then return end
  self._drawn = time
  local frame = scenes.frame(self._world, self._serial, self._picture)
  if frame ~= self._frame then pages.send_all(self, websocket.BINARY, frame) end
  self._frame = frame
end

--- Hears the pages, steps, shows.
function M.turn(self)
  self._server:turn()
  if not pcall(core.seen, self._world) then
    pages.tell(self, "the world was closed")
    return self:close()
  end
  pages.read_inbox(self)
  if self._closed then return end
  go_on(self)
  if self._closed then return end -- by a callback of the world
  measure(self)
  draw(self)
  if self._news then
    self._news = false
    pages.send_all(self, websocket.TEXT, pages.state(self))
  end
  self._server:turn()
end

return M
