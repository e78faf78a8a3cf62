-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The file of a sweep: a row a run as a line of JSON, parameters and results merged. Processes append to it side by side:
-- who looks at its end or writes holds its lock, a line is one write, and what a writer that died has left is cut off.
-- @module delassus.sweep_file
local core = require "delassus.core"
local json = require "delassus.json"

local M = {}

--- A run as a line, its results beside its parameters; what is read from it is the same.
function M.line(parameters, result)
  local row = {}
  for name, value in next, result do row[name] = value end
  for name, value in next, parameters do row[name] = value end
  return json.encode(row, true)
end

--- The row of a line, or nil and a message.
function M.read(line)
  local row, message = json.decode(line)
  if type(row) ~= "table" then return nil, message or "json: no object" end
  return row
end

local function with_lock(file, act)
  while not core.lock(file, true) do core.wait_children({}, 0.005) end
  local _ <close> = setmetatable({}, { __close = function() core.lock(file, false) end })
  return act()
end

--- All whole lines, read with the lock held; the torn one behind them is cut off, where it is one of ours. Or nil and a message.
local function whole_lines(file, path)
  file:seek("set")
  local text, message = file:read("a")
  if not text then return nil, ("%s: %s"):format(path, message) end
  local runs, at, number = {}, 1, 0
  while at <= #text do
    local stop = text:find("\n", at, true)
    local line = text:sub(at, (stop or #text + 1) - 1)
    number = number + 1
    if stop == nil or line:find("%S") then
      local row, problem = M.read(line)
      local last = not (stop and text:find("%S", stop))
      if not stop or not row then
        if not last or not line:find("^{") then
          return nil, ("%s:%d: not a run of a sweep (%s)"):format(path, number, problem or "no end")
        end
        local cut, why = core.cut(file, at - 1)
        if not cut then return nil, ("%s: %s"):format(path, why) end
        break
      end
      runs[#runs + 1] = row
    end
    at = stop + 1
  end
  return runs
end

local file_methods = {}
local FILE = { __index = file_methods, __close = function(self) self.file:close() end }

--- Appends a line: true, or nil and a message.
function file_methods:append(line)
  return with_lock(self.file, function()
    local file = self.file
    if file:seek("end") > 0 then
      file:seek("end", -1)
      if file:read(1) ~= "\n" then -- another process has died in its line
        local runs, message = whole_lines(file, self.path)
        if not runs then return nil, message end
      end
    end
    file:seek("end")
    local ok, message = file:write(line, "\n")
    if not ok then return nil, ("%s: %s"):format(self.path, message) end
    return true
  end)
end

--- Opens the file of a sweep, or makes it.
-- @treturn table with `append(line)`, to be closed by <close>; or nil and a message
-- @treturn {table,...} the rows that it holds
function M.open(path)
  local file, message = io.open(path, "a+b")
  if not file then return nil, message end
  file:setvbuf("no")
  local ok, runs, why = pcall(with_lock, file, function() return whole_lines(file, path) end)
  if ok and runs then return setmetatable({ file = file, path = path }, FILE), runs end
  file:close()
  if not ok then error(runs, 0) end
  return nil, why
end

return M
