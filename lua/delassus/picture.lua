-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- One instant of a recording as a picture (PNG), by the replay page in a headless Chromium where there is one.
-- @module delassus.picture
local check = require "delassus.check"
local page = require "delassus.page"

local M = {}

local NAMES = { "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome" }
local FLAGS = "--headless=new --no-sandbox --hide-scrollbars --no-first-run --disable-background-networking --mute-audio "
  .. "--use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --virtual-time-budget=8000"

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- The browser's command: the one CHROMIUM names (empty: none), else the first that is installed.
local function browser()
  local named = os.getenv("CHROMIUM")
  if named then return named ~= "" and named or nil end
  for _, name in ipairs(NAMES) do
    if os.execute("command -v " .. name .. " >/dev/null 2>&1") then return name end
  end
end

local function is_png(path)
  local file = io.open(path, "rb")
  if not file then return false end
  local head = file:read(8)
  file:close()
  return head == "\137PNG\r\n\26\n"
end

local function absolute(path)
  if path:sub(1, 1) == "/" then return path end
  local pipe = assert(io.popen("pwd"))
  local here = pipe:read("l")
  pipe:close()
  return here .. "/" .. path
end

--- Draws a recording at a time.
-- @tparam Recorder rec
-- @tparam string path of the picture
-- @tparam[opt] table options `at` (s, default: the last frame), `width`, `height` (1280 by 800 pixels), `view`, `show`, `hide`
-- as in the page's address
-- @treturn boolean|nil true, or nil and a message: without a browser, or the built page
function M.save(rec, path, options)
  options = options or {}
  check.options("delassus.picture", options, { "at", "width", "height", "view", "show", "hide" })
  check.string("delassus.picture", "path", path)
  local times = rec:times()
  local at = check.number("delassus.picture", "at", options.at, true) or times[#times]
  local wide = check.number("delassus.picture", "width", options.width, true) or 1280
  local high = check.number("delassus.picture", "height", options.height, true) or 800
  if not page.template() then return nil, "a picture needs the replay page, which is not built (make viewer)" end
  local command = browser()
  if not command then return nil, "a picture needs Chromium, which is not there (Debian: chromium)" end
  local html = os.tmpname()
  os.remove(html)
  html = html .. ".html"
  local ok, message = rec:save(html)
  if not ok then return nil, message end
  local query = ("?picture=1&theme=light&t=%.9g"):format(at)
  for _, key in ipairs{ "view", "show", "hide" } do
    local value = check.string("delassus.picture", key, options[key], true)
    local coded = value and value:gsub("[^%w,]", function(c) return ("%%%02X"):format(c:byte()) end)
    if value then query = ("%s&%s=%s"):format(query, key, coded) end
  end
  os.remove(path)
  local line = "timeout 60 %s %s --window-size=%d,%d --screenshot=%s %s >/dev/null 2>&1"
  os.execute(line:format(command, FLAGS, wide // 1, high // 1, quoted(absolute(path)), quoted("file://" .. html .. query)))
  os.remove(html)
  if not is_png(path) then return nil, ("%s: %s wrote no picture"):format(path, command) end
  return true
end

return M
