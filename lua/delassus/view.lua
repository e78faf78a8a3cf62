-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The live view: the replay's page on a running world.
--
--     local view = world:view{ sliders = { { hinge.motor, "speed", -5, 5 } } }   -- opens the page
--     view:slider{ name = "wind", min = 0, max = 20, unit = "m/s", set = function(v) wind = v end }
--     view:run()                                                               -- in a script: until the page is closed
--
-- At the prompt the world goes on while a line is awaited. A view steps the world between two turns of its own server
-- (`delassus.view_server`), never within a callback of luv; a page may stop, step, slow down, set sliders and pull bodies.
-- @module delassus.view
local check = require "delassus.check"
local core = require "delassus.core"
local json = require "delassus.json"
local pages = require "delassus.view_pages"
local servers = require "delassus.view_server"
local show = require "delassus.show"
local sliders = require "delassus.view_slider"
local strict = require "delassus.strict"
local turns = require "delassus.view_turn"
local waiting = require "delassus.waiting"
local websocket = require "delassus.websocket"

local M = {}

local NAME = "world:view"
local KNOWN = { "title", "sliders", "speed", "paused", "open", "port", "grip" }
local GRACE = 2 -- s in which a page may come back
local NO_LUV = "needs the rock 'luv': luarocks --lua-version=5.4 install luv (Debian, Ubuntu: apt install lua-luv)"
local NO_PAGE = "<!DOCTYPE html><title>delassus</title><p>The page is not built: run <code>make viewer</code> in delassus' "
  .. "folder (it needs Node.js and npm; a rock packed by <code>make rock</code> has it), then open the view again.</p>"

local by_world = setmetatable({}, { __mode = "k" })

local methods = {}

local function check_open(self)
  if self._closed then core.raise("view", "attempt to use a closed view") end
end

--- One turn: hears the pages, steps as the clock says, sends a frame. For loops of your own; `run` and the prompt do it.
function methods.poll(self)
  if self._closed then return end
  if self._busy then check.fail("view:poll", "the view is at it already") end
  self._busy = true
  local ok, message = pcall(turns.turn, self)
  self._busy = false
  if not ok then error(message, 0) end
end

--- How long nothing needs to be done, s; unless its sockets have something.
function methods.patience(self)
  if self._closed or self._single > 0 then return 0 end
  return self._playing and math.max(0, turns.FRAME - (pages.now(self) - self._clock)) or turns.STILL / 2
end

--- The file descriptor that can be read from when its sockets have something.
function methods.descriptor(self) return self._uv.backend_fd() end

--- Steps in real time until the last page is closed (or for good where none was opened), the view is closed, or
-- `seconds` of the world's time are over; Ctrl-C ends it as an error.
-- @tparam[opt] number seconds s of the world's time; it runs then from now on, page or not
-- @treturn string "closed", or "time"
-- @raise an error of a step or a slider where no page shows it
function methods.run(self, seconds)
  if self._busy then check.fail("view:run", "the view is at it already") end
  self._left = nil
  if check.number("view:run", "seconds", seconds, true) then
    if seconds < 0 then check.fail("view:run", "'seconds' must be >= 0, got %s", tostring(seconds)) end
    if self._closed then return "closed" end
    self:play()
    self._left = math.floor(seconds / self._world.dt + 0.5)
  end
  self._problem, self._unseen = nil, nil
  local why
  repeat
    self:poll()
    if self._closed or self._seen_once and #self._pages == 0 and pages.now(self) - self._left_at > GRACE then why = "closed"
    elseif self._left and self._left <= 0 then why = "time"
    elseif self._unseen then error(self._unseen, 0)
    elseif core.wait_input(-1, self:descriptor(), self:patience()) == false then error("interrupted", 0) end
  until why
  self._left = nil
  return why
end

--- Goes on, in `speed` times real time.
function methods.play(self, speed)
  check_open(self)
  if speed ~= nil then
    check.number("view:play", "speed", speed)
    if speed < 1e-3 or speed > 100 then check.fail("view:play", "'speed' must be 0.001 to 100, got %s", tostring(speed)) end
    self._speed = speed
  end
  if not self._playing then self._clock, self._debt = pages.now(self), 0 end
  self._playing, self._problem, self._news = true, nil, true
end

--- Stands still.
function methods.pause(self)
  check_open(self)
  self._playing, self._news = false, true
end

--- Stands still after `n` steps more, one where it is absent.
function methods.step(self, n)
  check_open(self)
  n = n == nil and 1 or math.tointeger(n)
  if not n or n < 1 or n > 100 then check.fail("view:step", "'n' must be a whole number, 1 to 100") end
  pages.step(self, n)
end

--- Adds a slider: see `delassus.view_slider`.
function methods.slider(self, options)
  check_open(self)
  self._sliders[#self._sliders + 1] = sliders.read(self._world, options)
  pages.send_all(self, websocket.TEXT, pages.slider_list(self))
end

--- Opens the page (once more), and prints its address.
function methods.open(self)
  check_open(self)
  local folder = self._folder or self._uv.fs_mkdtemp(self._uv.os_tmpdir() .. "/delassus-view-XXXXXX")
  self._folder = folder
  local path = folder and folder .. "/view.html" -- commands are seen by others on this machine, a file in here is not
  local file = path and io.open(path, "w")
  if file then
    file:write(('<!DOCTYPE html><meta http-equiv="refresh" content="0; url=%s">'):format(self._server.address))
    file:close()
    show.open(path)
  end
  print("view: " .. self._server.address)
end

--- Says goodbye to the pages and listens no more; the world stays. May be called twice.
function methods.close(self)
  if self._closed then return end
  for client in next, self._hands do pcall(pages.release, self, client) end
  self._closed, self._playing = true, false
  waiting.remove(self)
  if by_world[self._world] == self then by_world[self._world] = nil end
  self._server:close()
  if self._folder then
    os.remove(self._folder .. "/view.html")
    self._uv.fs_rmdir(self._folder)
  end
end

local class = strict.class("view", methods, {
  address = function(self) return self._server.address end,
  playing = function(self) return self._playing end,
  speed = function(self) return self._speed end,
  pages = function(self) return #self._pages end,
  problem = function(self) return self._problem end,
  world = function(self) return self._world end,
}, function(self)
  return ("delassus.View %s (%s, %d page%s)"):format(self._server.address, self._closed and "closed" or self._playing
    and "playing" or "paused", #self._pages, #self._pages == 1 and "" or "s")
end)
class.__close = methods.close

local function positive(options, key, least, most, default)
  local x = check.number(NAME, key, options[key], true) or default
  if x < least or x > most then check.fail(NAME, "'%s' must be %g to %g, got %s", key, least, most, tostring(x)) end
  return x
end

-- Title, port, speed and grip of what is asked for.
local function read(options)
  local title = check.string(NAME, "title", options.title, true) or "A world"
  local port = positive(options, "port", 0, 65535, 0)
  if math.type(port) ~= "integer" then check.fail(NAME, "'port' must be a whole number, got %s", tostring(port)) end
  return title, port, positive(options, "speed", 1e-3, 100, 1), positive(options, "grip", 1e-3, 1000, 3)
end

local function made(world, options)
  local uv = servers.luv()
  if not uv then core.raise(NAME, NO_LUV) end
  local page = require "delassus.page"
  local title, port, speed, grip = read(options)
  local template = page.template()
  local function html()
    local data = { format = "delassus.report", version = 1, title = title, live = true }
    return template and page.fill(template, json.encode(data), title) or NO_PAGE
  end
  local self = setmetatable({ _world = world, _uv = uv, _title = title, _speed = speed, _grip = grip,
    _paused = options.paused, _playing = false, _debt = 0, _single = 0,
    _pages = {}, _hands = {}, _sliders = {}, _serial = 0, _rate = 0, _measured_at = world.time, _left_at = 0, _drawn = 0,
    _next_picture = 0,
  }, class)
  for i, slider in ipairs(options.sliders or {}) do self._sliders[i] = sliders.read(world, slider) end
  local server, message = servers.open(uv, html, port)
  if not server then core.raise(NAME, message) end
  self._server, self._clock, self._measured = server, pages.now(self), pages.now(self)
  if not template then io.stderr:write("delassus: the replay page is not built (make viewer): the view has none\n") end
  waiting.add(self)
  by_world[world] = self
  return self
end

--- Opens the live view of a world; that of a world that has one is opened again, with the sliders added.
function M.view(world, options)
  options = options or {}
  check.options(NAME, options, KNOWN)
  for _, key in ipairs{ "paused", "open" } do
    if options[key] ~= nil and type(options[key]) ~= "boolean" then
      check.fail(NAME, "'%s' must be true or false, got %s", key, check.shown(options[key]))
    end
  end
  check.entries(NAME, "sliders", options.sliders)
  read(options)
  local self = by_world[world]
  if not self then self = made(world, options)
  else
    for _, slider in ipairs(options.sliders or {}) do sliders.read(world, slider) end -- all of them, or none
    for _, slider in ipairs(options.sliders or {}) do self:slider(slider) end
  end
  if options.open ~= false then self:open() end
  return self
end

return M
