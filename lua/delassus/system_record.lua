-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Systems recorded: `system:record`.
--
--     local rec = s:record{ every = 1e-3, file = "run.rec" }  -- from now on
--     s:run(5)
--     rec:save("run.html")
--
-- @module delassus.system_record
local check = require "delassus.check"
local core = require "delassus.core"
local page = require "delassus.system_page"
local plot = require "delassus.plot"
local record = require "delassus.record"
local strict = require "delassus.strict"

local M = {}

local Recording = {} -- methods
local BLANK = { "keep", "potential", "out", "count" }
local class = { __index = strict.reader("recording", Recording, BLANK), __name = "delassus.SystemRecording" }

function class:__tostring()
  return ("delassus.SystemRecording (%d coordinates, %d samples, t = %s s)"):format(#self.q, #self.t, tostring(self.t[#self.t]))
end

local function name_of(names, i) return names[i] or "q" .. i end

-- A recorder of no bodies, the coordinates and their rates its series: what a `.rec` of a system holds.
local function recorder(title, names, n, options)
  local series = {}
  for i = 1, n do
    series[2 * i - 1] = { name = name_of(names, i) }
    series[2 * i] = { name = "d/dt " .. name_of(names, i) }
  end
  return record{ title = title, planar = true, series = series, file = options.file, stream = options.stream,
    keep = options.keep }
end

-- Sample k into a recorder.
local function frame(self, rec, k)
  local series = {}
  for i = 1, #self.q do
    series[name_of(self.names, i)], series["d/dt " .. name_of(self.names, i)] = self.q[i][k], self.u[i][k]
  end
  return rec:frame{ time = self.t[k], poses = "", series = series }
end

--- Takes the state of now, where it is time for it. What is written already stays: a file's time only rises.
function Recording:look(system)
  local t, last = system.time, self.t[#self.t]
  local count = self.every > 0 and math.floor((t - self.start) / self.every + 1e-6) or nil
  if last and t > last and count and count <= self.count then return end
  self.count = count
  self.samples:add(system)
  if self.out and not (self.out.last_time and t <= self.out.last_time) then frame(self, self.out, #self.t) end
  if not self.keep or self.t[1] >= t - 2 * self.keep then return end
  self.samples:filter(function(k) return self.t[k] >= t - self.keep end)
end

local function csv(self)
  local head = { "t (s)" }
  for i = 1, #self.q do head[#head + 1] = name_of(self.names, i) end
  for i = 1, #self.q do head[#head + 1] = "d/dt " .. name_of(self.names, i) end
  local lines = { table.concat(head, ",") }
  for k = 1, #self.t do
    local row = { ("%.17g"):format(self.t[k]) }
    for _, group in ipairs { self.q, self.u } do
      for i = 1, #group do row[#row + 1] = ("%.17g"):format(group[i][k]) end
    end
    lines[#lines + 1] = table.concat(row, ",")
  end
  return table.concat(lines, "\n") .. "\n"
end

--- Writes t, q and u: .csv, .json, a page of charts: .html, or a recording that `delassus replay` reads: .rec.
-- @treturn boolean true, or nil and a message
-- @raise for another ending
function Recording:save(path)
  if type(path) ~= "string" then check.fail("recording:save", "'path' must be a string, got %s", check.shown(path)) end
  local ending = path:lower():match("%.(%w+)$")
  if ending == "csv" then return plot.write(path, csv(self)) end
  if ending == "html" then return self:report():save(path) end
  if ending == "rec" or ending == "json" then
    local rec = recorder(self.title, self.names, #self.q, {})
    for k = 1, #self.t do frame(self, rec, k) end
    return rec:save(path)
  end
  check.fail("recording:save", "'%s' must end in .csv, .html, .json or .rec: a system has no bodies to be drawn", path)
end

--- A page: coordinates over time, phase portraits, gaps, what contacts do, events, energy.
function Recording:report()
  return page.report(self.system, self.samples, self)
end

local OPTIONS = { every = "positive", names = "table", title = "string", potential = "function", file = "string",
  stream = "any", keep = "positive" }

--- Ends it and closes its file; the samples stay. May be called twice.
-- @treturn boolean true, or nil and a message where the file could not be written
function Recording:close()
  return self.stop()
end
class.__close = Recording.close

--- `ended(recording)` is called where `recording:close()` is.
-- @treturn Recording, or nil and a message where `file` cannot be opened
function M.new(system, options, ended)
  options = options or {}
  core.check("system:record", options, OPTIONS)
  local n, names, title = #system.q, options.names or {}, options.title or "A system"
  local out
  if options.file or options.stream then
    local message
    out, message = recorder(title, names, n, { file = options.file, stream = options.stream, keep = 0 })
    if not out then return nil, message end
  end
  local samples = page.samples(n)
  local self = setmetatable({ samples = samples, t = samples.t, q = samples.q, u = samples.u, system = system,
    every = options.every or 0, names = names, title = title, potential = options.potential, keep = options.keep,
    start = system.time, out = out }, class)
  function self.stop()
    ended(self)
    if out then return out:close() end
    return true
  end
  self:look(system)
  return self
end

return M
