-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Shows a recording or a report in the browser; where there is none, says where the page is.
-- @module delassus.show
local core = require "delassus.core"
local check = require "delassus.check"

local M = {}

local function quoted(path)
  return "'" .. path:gsub("'", "'\\''") .. "'"
end

-- The system's way to open a page, nil without a screen.
local function opener()
  local named = os.getenv("DELASSUS_BROWSER")
  if named then return named ~= "" and named or nil end
  if package.config:sub(1, 1) == "\\" then return 'start ""' end
  for _, name in ipairs{ "DISPLAY", "WAYLAND_DISPLAY" } do
    local screen = os.getenv(name)
    if screen and screen ~= "" then return "xdg-open" end
  end
  local mac = io.open("/usr/bin/open", "rb")
  if mac then mac:close() return "/usr/bin/open" end
end

--- Opens a file in the browser and does not wait for it: whether there is a command for that.
function M.open(path)
  local command = opener()
  return command and os.execute(("%s %s >/dev/null 2>&1 &"):format(command, quoted(path))) or false
end

--- Saves the page and opens it, by the command DELASSUS_BROWSER names (empty: none), else by the system's.
-- @param thing a recorder or a report: anything with a `save` method
-- @tparam string path of the page; default: a new file in the folder for temporary ones
-- @treturn string the path, or nil and a message where the page cannot be written
function M.show(thing, path)
  if type(thing) ~= "table" and type(thing) ~= "userdata" or type(thing.save) ~= "function" then
    core.raise("delassus.show", "expected a recording or a report, got " .. check.shown(thing))
  end
  if check.string("delassus.show", "path", path, true) == nil then
    path = os.tmpname()
    os.remove(path)
    path = path .. ".html"
  end
  if not path:lower():find("%.html$") then
    core.raise("delassus.show", ("'path' must end in .html, got %s (another file is written by world:record{}:save)"):format(
      check.shown(path)))
  end
  local ok, message = thing:save(path)
  if not ok then return nil, message end
  local command = opener()
  local opened = command and os.execute(("%s %s >/dev/null 2>&1"):format(command, quoted(path)))
  if not opened then print("replay: " .. path) end
  return path
end

return setmetatable(M, { __call = function(_, ...) return M.show(...) end })
