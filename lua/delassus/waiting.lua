-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- What goes on while the prompt waits for a line: live views have their turns.
-- @module delassus.waiting
local core = require "delassus.core"

local M = {}

local list = {} -- of { poll = function, patience = function -> s, descriptor = function -> of sockets }

--- From now on `thing` has turns: `thing:poll()`, and the next after `thing:patience()` s, or when its descriptor can be read.
function M.add(thing) list[#list + 1] = thing end

--- No more.
function M.remove(thing)
  for i = #list, 1, -1 do
    if list[i] == thing then table.remove(list, i) end
  end
end

local function plain(message) return tostring(message) end

-- Gives each its turn; false where Ctrl-C ended one.
local function turns()
  for _, thing in ipairs(table.move(list, 1, #list, 1, {})) do
    local ok, message = core.guarded(plain, thing.poll, thing)
    if not ok then
      if message:find("interrupted$") then return false end
      M.remove(thing)
      io.stderr:write(message, "\n")
    end
  end
  return true
end

--- Waits for a file descriptor.
-- @treturn boolean true once it can be read from, false after a Ctrl-C
function M.input(fd)
  while #list > 0 do
    local patience = math.huge
    for _, thing in ipairs(list) do patience = math.min(patience, thing:patience()) end
    local answer = core.wait_input(fd, list[1]:descriptor(), patience)
    if answer ~= nil then return answer end
    if not turns() then return false end
  end
  return core.wait_input(fd)
end

--- Whether anything has turns.
function M.any() return #list > 0 end

return M
