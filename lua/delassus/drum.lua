-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Debarking drums full of logs: filled, turned, reported.
--
--     local drum = require "delassus.drum"
--     local d = drum{ diameter = 4, rpm = 6, fill = 0.5, planar = true, seed = 42 }
--     d:settle()
--     d:run{ revolutions = 3, progress = true }
--     print(d:report())
--
-- The drum turns about its axis, counterclockwise where the axis (z in the plane, x in space) points at you.
-- In the plane a log is a disk and a slice of 1 m is computed; in space it is a capsule, or a cone where it tapers.
-- @module delassus.drum
local bed = require "delassus.drum_bed"
local check = require "delassus.check"
local core = require "delassus.core"
local progress = require "delassus.progress"
local recording = require "delassus.drum_record"
local report = require "delassus.drum_report"
local settle = require "delassus.drum_settle"
local strict = require "delassus.strict"

--- Options and their rules; lengths in m, SI.
local options_rules = {
  diameter = "positive", length = "positive", rpm = "number", fill = "any", lifters = "table", logs = "table",
  material = "any", planar = "boolean", seed = "integer", dt = "positive", gravity = "positive", tolerance = "positive",
  solver = "string", max_iterations = "count", collision_speed = "positive",
  collision_time = "nonnegative", run_up = "nonnegative", debarking = "table",
  feed = "any", discharge = "any",
}
local lifter_rules = { count = "integer", height = "positive", width = "positive" }
local log_rules = {
  diameter = "any", length = "any", taper = "nonnegative", density = "positive", material = "any",
  strength = "positive", stiffness = "positive", count = "count", file = "string",
}
local run_rules = { revolutions = "positive", time = "positive", progress = "boolean", record = "string",
  every = "positive" }

--- A share given as a number in 0..1 or as "50 %".
local function read_share(value)
  if type(value) == "string" then
    local percent = value:match("^%s*([%d.]+)%s*%%%s*$")
    value = percent and tonumber(percent) and tonumber(percent) / 100 or value
  end
  if type(value) ~= "number" or not (value > 0 and value < 1) then
    core.raise("drum", ("'fill' must be a share between 0 and 1, or text like '50 %%', got %s"):format(tostring(value)))
  end
  return value
end

--- A range {lo, hi} given as two numbers or as one.
local function read_range(name, value)
  if type(value) == "number" then value = { value, value } end
  local lo, hi = type(value) == "table" and value[1], type(value) == "table" and value[2]
  local two = type(value) == "table" and #value <= 2
  if not two or type(lo) ~= "number" or type(hi) ~= "number" or not (lo > 0 and lo <= hi and hi < math.huge) then
    core.raise("drum", ("'logs.%s' must be a number > 0 or {smallest, largest}"):format(name))
  end
  return { lo, hi }
end

local function check_material(name, value)
  if value == nil or getmetatable(value) == getmetatable(core.material {}) then return end
  core.raise("drum", ("'%s' must be a material, got %s"):format(name, check.shown(value)))
end

local function read_logs(given, planar)
  core.check("drum: logs", given, log_rules)
  if planar and (given.taper or 0) > 0 then
    core.raise("drum", "'logs.taper' makes no sense in the plane: a log is a disk there, the same along its length")
  end
  check_material("logs.material", given.material)
  local logs = {
    diameter = read_range("diameter", given.diameter or { 0.1, 0.3 }),
    length = read_range("length", given.length or { 1, 2 }),
    taper = given.taper or 0, density = given.density or 850, material = given.material,
    strength = given.strength, stiffness = given.stiffness, count = given.count,
  }
  if given.file then
    local list, message = require "delassus.logs".read(given.file)
    if not list then return nil, message end
    logs.measured = list
  end
  return logs
end

--- Logs that come and go need a drum that is open at its ends: a slice in the plane has none.
local function refuse_flow(options)
  for _, name in ipairs { "feed", "discharge" } do
    if options[name] ~= nil then
      core.raise("drum", ("'%s' %s"):format(name, options.planar and
        "makes no sense in the plane: a slice across the axis has no ends" or "is not there yet: the drum is a batch"))
    end
  end
end

local function read_lifters(given, radius)
  core.check("drum: lifters", given, lifter_rules)
  local lifters = { count = given.count or 8, height = given.height or 0.15, width = given.width or 0.1 }
  if lifters.count < 0 then core.raise("drum", "'lifters.count' must be >= 0, got " .. lifters.count) end
  if lifters.count > 0 then
    local ok, message = pcall(core.drum, { radius = radius, lifters = lifters })
    if not ok then core.raise("drum", (message:gsub("^.-drum: ", ""))) end -- the shape knows how they may stand
  end
  return lifters
end

--- Angular speed in rad/s.
local function speed_of(d) return d.rpm * math.pi / 30 end

local methods, getters, setters = {}, {}, {}

--- Turns a minute: what is written holds from the next run on, which gets there within the run-up.
function setters.rpm(self, value)
  if type(value) ~= "number" or value ~= value or math.abs(value) == math.huge then
    core.raise("drum", ("'rpm' must be a finite number, got %s"):format(check.shown(value)))
  end
  self._fields.rpm = value
end

function getters.time(self) return self.world.time end
--- Froude number omega^2 R / g.
function getters.froude(self) return speed_of(self) ^ 2 * self.diameter / 2 / self._gravity end
--- One or two names of the bed's motion, by Froude number (H. Henein 1983; J. Mellmann 2001).
function getters.regime(self) return report.regime(self.froude) end

--- Fills the drum to the degree asked for and lets the bed come to rest, the drum standing still: an empty one from
-- nothing, a filled one by what it differs by. What is reported starts here.
-- @raise where the drum cannot be filled as asked: says why; the logs that were added are gone then
-- @treturn drum itself
function methods.settle(self)
  self._settled = false
  settle.settle(self)
  self._settled = true
  self._tally = core.tally(self.world)
  self._tally.least, self._tally.merge = self._least, self._merge
  self._tally:skip() -- the bed touches already
  bed.set_stiffness(self, self._tally)
  self._start, self._angle, self._ledger = self.world.time, 0, self.world:ledger()
  self._unconverged, self._recorder, self._speed = self.world.stats.unconverged, nil, 0
  self._notes = { time = {}, degree = {}, inclination = {} }
  return self
end

local function note(self, degree)
  local notes, n = self._notes, #self._notes.time + 1
  notes.time[n], notes.degree[n] = self.world.time - self._start, degree
  notes.inclination[n] = report.inclination(self)
end

-- Brings the shell to its speed, evenly over the run-up: a shell that starts at once strikes all logs that lie on it.
-- Nothing of this is counted: what is reported goes on where the drum has its speed.
local function run_up(self)
  local world, speed, now = self.world, speed_of(self), self._speed
  if now == speed then return end
  local steps, time, before = math.floor(self._run_up / world.dt + 0.5), world.time, world:ledger()
  for k = 1, steps do
    bed.turn(self, now + (speed - now) * k / steps)
    world:step()
    self._tally:skip()
  end
  bed.turn(self, speed)
  self._speed, self._start = speed, self._start + (world.time - time)
  local after = world:ledger()
  for name, value in pairs(self._ledger) do self._ledger[name] = value + (after[name] - before[name]) end
  self._unconverged = self._unconverged + world.stats.unconverged - self._missed
end

--- Turns the drum. Where it has not its speed yet it gets it first, within the run-up, which is not counted.
-- @tparam table options `revolutions` or `time` (s); `progress` (a bar on stderr), `record` (a file for the
-- replay), `every` (s between recorded frames, 1/30 or more in a long run of many logs)
-- @treturn drum itself, or nil and a message where the file cannot be written
function methods.run(self, options)
  core.check("drum:run", options, run_rules)
  if (options.revolutions == nil) == (options.time == nil) then
    core.raise("drum:run", "needs either 'revolutions' or 'time'")
  end
  if options.revolutions and self.rpm == 0 then core.raise("drum:run", "'revolutions' of a drum that stands still") end
  if options.record then -- what cannot be written is told before anything moves
    local file, message = io.open(options.record, "ab")
    if not file then return nil, message end
    file:close()
  end
  if not self._settled then self:settle() end
  local seconds = options.time or options.revolutions * 60 / math.abs(self.rpm)
  local world, tally, dt = self.world, self._tally, self.world.dt
  local steps = math.ceil(seconds / dt - 1e-9)
  local every = math.max(1, math.floor(recording.pace(self, seconds, options.every) / dt + 0.5))
  local before = options.progress and progress.listen(progress.bar(io.stderr))
  local tell <const> = progress.start("drum", seconds)
  self._missed = world.stats.unconverged
  run_up(self)
  local recorder = recording.start(self, options.record)
  for k = 1, steps do
    world:step()
    tally:add(world)
    self._angle = self._angle + math.abs(speed_of(self)) * dt
    if k % every == 0 or k == steps then note(self, recorder:frame(self)) end
    if k % 10 == 0 or k == steps then tell(k == steps and seconds or k * dt) end
  end
  if options.progress then progress.listen(before) end
  local ok, message = recorder:finish()
  if not ok then return nil, message end
  return self
end

--- What happened since `settle`.
-- @treturn report prints well; `save("drum.html")`, `.csv`, `.json`
function methods.report(self)
  if not self._settled then core.raise("drum:report", "nothing has happened yet: settle and run first") end
  return report.make(self)
end

--- Gives the memory of its world back; what was reported stays. May be called twice.
function methods.close(self)
  if self._gone then return end
  self.world:close()
  self._gone = true
end

local class = strict.class("drum", methods, getters, function(self)
  if self._gone then return "delassus.drum (closed)" end
  return ("delassus.drum (diameter %g m, %g rpm, %d logs%s)"):format(self.diameter, self.rpm, #self.logs,
    self.fill and (", %.1f %% full"):format(100 * self.fill) or "")
end, setters)
class.__close = methods.close

--- Makes a drum, empty until `settle`.
-- @tparam table options `diameter` (4 m), `length` (8 m), `rpm` (6), `fill` (0.5, or "50 %"), `lifters` {count = 8,
-- height = 0.15, width = 0.1} or {count = 0}, `logs` {diameter = {0.1, 0.3}, length = {1, 2}, taper = 0 (in space: m of
-- diameter a m of length; `diameter` is then that of the middle), density = 850, material, strength (N), stiffness (N/m),
-- count, file}, `material` of the shell, `planar`, `seed` (1), `dt` (1e-3 s), `gravity` (9.81), `solver` ("auto"; in space of
-- more than 200 logs "nsgs"), `tolerance` (1e-3) and `max_iterations` (20000; in space 1000, of up to 200 logs 5000) of a step,
-- `collision_speed` (0.05 m/s: a slower approach is no collision), `collision_time` (0.02 s: touches of two bodies that are
-- closer in time are one collision), `run_up` (0.5 s until the shell has its speed), `debarking` (see
-- `delassus.drum_report`)
-- @treturn drum, or nil and a message where `logs.file` cannot be read
local function new(options)
  core.check("drum", options, options_rules)
  check_material("material", options.material)
  refuse_flow(options)
  local wanted, logs, message = read_share(options.fill or 0.5), read_logs(options.logs or {}, options.planar)
  if not logs then return nil, message end
  local self = {
    _fields = {
      diameter = options.diameter or 4, length = options.length or 8, rpm = options.rpm or 6,
      planar = options.planar or false, seed = options.seed or 1, fill = false, solid = false, logs = {},
    },
    _wanted = wanted, _log = logs,
    _lifters = read_lifters(options.lifters or {}, (options.diameter or 4) / 2), _gravity = options.gravity or 9.81,
    _least = options.collision_speed or 0.05, _merge = options.collision_time or 0.02,
    _run_up = options.run_up or 0.5, _debarking = report.debarking(options.debarking or {}),
  }
  if math.abs(self._fields.rpm) == math.huge then core.raise("drum", "'rpm' must be finite") end
  setmetatable(self, class)
  bed.make(self, options)
  return self
end

return new
