--- Mechanisms given by their equations, with unilateral contacts: `delassus.system`.
--
--     M(q, t) du/dt = h(q, u, t) + W lambda,   dq/dt = u
--
--     local s = delassus.system{ q = {1}, u = {0}, mass = {{1}}, forces = function() return {-9.81} end,
--       contacts = { { gap = function(q) return q[1] end, normal = {1}, restitution = 0.8 } } }
--     print(s:run(2))
--     for _, event in ipairs(s.events) do print(event.t, event.kind) end
--
-- The class is the C core's; here are its runs, recordings and the page.
-- @module delassus.system
local check = require "delassus.check"
local class = require "delassus.class"
local core = require "delassus.core"
local page = require "delassus.system_page"
local record = require "delassus.system_record"

local Run = {}
Run.__index = Run
Run.__name = "delassus.SystemRun"

function Run:__tostring()
  local lines = {
    ("ran %.9g s; the time is now %.9g s"):format(self.time, self.now),
    ("events %d, instants of impact %d, worst residual %.2g"):format(self.events, self.impacts, self.residual),
    ("impacts took %.6g J"):format(self.dissipated),
  }
  if self.gained > 0 then lines[#lines + 1] = ("an impact gained %.3g J: its law allows that"):format(self.gained) end
  if self.inconsistent > 0 then
    lines[#lines + 1] = ("%d times no accelerations existed and an impact stood in for them"):format(self.inconsistent)
  end
  return table.concat(lines, "\n")
end

local recorders = setmetatable({}, { __mode = "k" }) -- recordings that run, a list a system
local kept = setmetatable({}, { __mode = "k" }) -- samples that systems keep by themselves

local KEPT = 2000 -- of them, and fewer where a system has many coordinates

-- What `show` shows where nothing was recorded.
local function samples_of(system)
  if not kept[system] then
    local n = #system.q
    kept[system] = page.samples(n, math.max(64, math.min(KEPT, 200000 // (2 * n))))
    kept[system]:add(system)
  end
  return kept[system]
end

-- Steps up to number n, back in Lua every few hundredths of a second; `go(k, most)` makes some behind number k and answers
-- the last one's number.
local function advance(system, n, go)
  local k, running, own, seen = 0, recorders[system] or {}, samples_of(system), 0
  while k < n do
    k = go(k, running[1] and k + 1 or math.min(n, seen + own.stride))
    for _, recording in ipairs(running) do recording:look(system) end
    if k >= seen + own.stride or k == n then
      own:add(system)
      seen = k
    end
  end
end

local M = {}

--- `n` output steps of `dt`; one where `n` is absent.
-- @tparam[opt=1] integer n
-- @raise what a callback raised; the system is as it was before the step that failed
-- @usage s:step(100)
function M.step(system, n)
  n = n == nil and 1 or n
  local whole = math.type(n) == "float" and math.tointeger(n) or n
  if math.type(whole) ~= "integer" or whole < 0 then
    check.fail("system:step", "'n' must be a whole number >= 0, got %s", check.shown(n))
  end
  advance(system, whole, function(k, most) return k + core.system_steps(system, most - k) end)
end

--- Runs for `seconds`, which is met exactly; output steps are `dt` long at most.
-- @tparam number seconds s, >= 0
-- @treturn table time, now, events, impacts, residual, dissipated (J), gained (J), inconsistent; prints well
-- @usage print(s:run(2))
function M.run(system, seconds)
  check.number("system:run", "seconds", seconds)
  if seconds < 0 then check.fail("system:run", "'seconds' must be >= 0, got %s", tostring(seconds)) end
  local before, start = system.stats, system.time
  local n = math.tointeger(math.ceil(seconds / system.dt * (1 - 1e-12)))
  if not n then check.fail("system:run", "'seconds' is too many steps of %s s", tostring(system.dt)) end
  if seconds > 0 then
    n = math.max(n, 1)
    advance(system, n, function(k, most) return core.system_advance(system, start, seconds, k, n, most) end)
  end
  local stats = system.stats
  return setmetatable({ time = system.time - start, now = system.time, events = stats.events - before.events,
    impacts = stats.impacts - before.impacts, residual = stats.residual,
    dissipated = stats.dissipated - before.dissipated, gained = stats.gained,
    inconsistent = stats.inconsistent - before.inconsistent }, Run)
end

local function forget(system, recording)
  local running = recorders[system]
  for k = #running, 1, -1 do
    if running[k] == recording then table.remove(running, k) end
  end
end

--- Records from now on, every `every` seconds (default: every output step), until the recording is closed. Several may run.
-- @tparam[opt] table options `every` (s), `names` (of the coordinates), `title`, `potential` = function(q, t), J, `file` (a .rec:
-- samples are written there as they come) or `stream`, `keep` (s)
-- @treturn table t, q[i], u[i] lists; `save(path)`: .csv, .html, .json, .rec; `close()`; or nil and a message where the
-- file cannot be opened
function M.record(system, options)
  recorders[system] = recorders[system] or {}
  local recording, message = record.new(system, options, function(ended) forget(system, ended) end)
  if not recording then return nil, message end
  table.insert(recorders[system], recording)
  return recording
end

--- Opens the page of the recording that runs, the last that was begun, or of what the system kept by itself: 2,000 output
-- steps at most, ever farther apart.
-- @tparam[opt] string|table options the page's path, or `path`, `names`, `title`, `potential` = function(q, t), J
-- @treturn string its path, or nil and a message where it cannot be written
-- @usage s:show()
function M.show(system, options)
  if type(options) == "string" then options = { path = options } end
  options = options or {}
  core.check("system:show", options, { path = "string", names = "table", title = "string", potential = "function" })
  local running = recorders[system] or {}
  local recording = running[#running]
  local told = recording or {}
  return require "delassus.show"(page.report(system, recording and recording.samples or samples_of(system),
    { names = options.names or told.names, title = options.title or told.title,
      potential = options.potential or told.potential }), options.path)
end

class.extend("delassus.System", M, {
  step = "(n) n output steps of dt; one where n is absent",
  run = "(seconds) for so long -> report",
  record = "{ every =, file =, names =, title =, potential = } keeps samples from now on -> recording",
  show = "(path or { names =, title =, potential = }) the recording, or what was kept, in the browser",
})

return core.system
