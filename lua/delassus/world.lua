-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- What worlds can do that needs no C: runs with a report, hosts with frames, recordings.
-- Required once by `delassus`; adds methods to `delassus.World`.
-- @module delassus.world
local check = require "delassus.check"
local core = require "delassus.core"

local M = {}

local ROUND_OFF = 1e-12 -- of a run: less is left of it by the rounding of dt
local ULP = 1e-15 -- of a time: no step is shorter
local APART = 1e-4 -- of a body: less is left of an overlap where a pile is large

-- How many whole steps `time` makes, `more` of one given; refused beyond what can be counted.
local function steps_in(name, option, time, dt, more)
  local n = math.tointeger(math.floor(time / dt + more))
  if not n then check.fail(name, "'%s' is too many steps of %s s, got %s", option, tostring(dt), tostring(time)) end
  return n
end

--- The answer of `world:run`: plain fields, and a text.
local Run = {}
Run.__index = Run
Run.__name = "delassus.Run"

function Run:__tostring()
  local lines = {
    ("ran %g s in %d steps%s; the time is now %g s"):format(self.time, self.steps,
      self.dt and (" of %g s"):format(self.dt) or "", self.now),
    ("impacts %d, contacts %d"):format(self.impacts, self.contacts),
    ("worst residual %.2g, worst overlap %.2g of a body (found), %.2g (left)"):format(self.residual, self.overlap,
      math.max(self.penetration, 0)),
    ("energy balance %.2g"):format(self.energy_balance),
  }
  if self.started then
    lines[#lines + 1] = ("bodies started in each other, by up to %.2g of the smaller one; pushing them apart %s %.3g J"):format(
      self.started.overlap, self.started.energy < 0 and "took" or "gave", math.abs(self.started.energy))
  end
  if self.impact_gain > 0 then lines[#lines + 1] = ("impacts gave %.3g J"):format(self.impact_gain) end
  if self.unconverged > 0 then
    lines[#lines + 1] = ("%d steps missed the solver's tolerance"):format(self.unconverged)
  end
  return table.concat(lines, "\n")
end

-- How many steps a run makes, and the time at which the last one ends where that is before `dt` is over: event-driven
-- steps may be of any length, others are whole.
local function steps_of(world, seconds)
  local dt = world.dt
  local n = steps_in("world:run", "seconds", seconds, dt, 0.5)
  local left = seconds - n * dt
  if world.scheme ~= "event-driven" or math.abs(left) <= ROUND_OFF * seconds + ULP * math.abs(world.time) then return n end
  return left > 0 and n + 1 or n, world.time + seconds
end

-- What a run is to do: `most` steps in all, `done` so far, of `dt` each; the time of its end, `to` where the last step meets it.
local function plan_of(world, seconds)
  local n, to = steps_of(world, seconds)
  return { most = n, done = 0, goal = world.time + seconds, to = to, dt = world.dt }
end

local function over(world, plan) return plan.done >= plan.most or plan.to and world.time >= plan.to end

-- Makes up to `n` steps; `each`, where given, is called behind them: where it changes dt, what is left makes other steps.
local function go_on(world, plan, n, each)
  plan.done = plan.done + core.slice(world, n, plan.to)
  if not each then return end
  each(world)
  if world.dt == plan.dt then return end
  plan.dt, plan.changed = world.dt, true
  plan.most = plan.done + steps_of(world, plan.goal - world.time)
end

-- Makes the first steps one by one, until bodies that stand in each other are apart. Answers the worst overlap and the energy
-- (J) that this gave; nil where nothing stood so.
local function step_apart(world, plan, each)
  local found, stats, before = nil, nil, world:ledger().correction
  local function look()
    stats = world.stats
    if plan.done == 1 and core.started(world) then found = { overlap = stats.overlap } end
    if found then found.energy = world:ledger().correction - before end
    if each then each(world) end
  end
  repeat go_on(world, plan, 1, look) until over(world, plan) or not found or stats.penetration <= APART
  return found
end

--- Runs for `seconds`; `each(world)`, where given, is called after every step.
-- Returns to Lua at least every 50 ms, so that Ctrl-C stops it between steps.
-- @tparam number seconds how long, s; rounded to whole steps; an event-driven world meets it by a shorter last step
-- @treturn Run report: time, steps, impacts, contacts; the worst residual, overlap found and penetration left of a step;
-- energy_balance of the run; impact_gain, J that impacts gave (restitution can);
-- started = { overlap =, energy = } where bodies started in each other; unconverged
-- @usage print(world:run(2))
function M.run(world, seconds, each)
  core.worst(world) -- raises where a method is called with '.'
  check.number("world:run", "seconds", seconds)
  if seconds < 0 then check.fail("world:run", "'seconds' must be >= 0, got %s", tostring(seconds)) end
  if each ~= nil and type(each) ~= "function" then
    check.fail("world:run", "'each' must be a function, got %s", check.shown(each))
  end
  local start, before = world.time, world.stats
  local plan = plan_of(world, seconds)
  core.worst(world, true)
  local begun = plan.most > 0 and step_apart(world, plan, each) or nil
  while not over(world, plan) do go_on(world, plan, each and 1 or plan.most - plan.done, each) end
  local stats = world.stats
  local residual, penetration, overlap, balance, gain = core.worst(world)
  return setmetatable({
    time = world.time - start, now = world.time, steps = plan.done, dt = not plan.changed and plan.dt or nil,
    impacts = stats.impacts - before.impacts, contacts = stats.contacts, residual = residual, overlap = overlap,
    penetration = penetration, started = begun, energy_balance = balance, impact_gain = gain,
    unconverged = stats.unconverged - before.unconverged,
  }, Run)
end

-- Time handed to `advance` that has not been stepped yet, by world.
local rest = setmetatable({}, { __mode = "k" })

local AT_ONCE = 0.25 -- s of a world's time in one call of `advance`, where nothing else is asked for

--- For hosts with frames: steps as often as fits into the time given so far, but no more often than `max_steps`: what a
-- slow host has no time for is dropped, and the world runs in slow motion.
-- @tparam number elapsed s since the last call
-- @tparam[opt] integer max_steps most steps of this call; default: those of 0.25 s, at least one
-- @treturn number steps done
-- @treturn number what is left over, s; `body:pose(left / world.dt)` lies between the last two states
-- @treturn number time dropped, s: whole steps that were not made
function M.advance(world, elapsed, max_steps)
  core.worst(world)
  check.number("world:advance", "elapsed", elapsed)
  if elapsed < 0 then check.fail("world:advance", "'elapsed' must be >= 0, got %s", tostring(elapsed)) end
  local dt = world.dt
  if max_steps ~= nil and not (math.tointeger(max_steps) and max_steps >= 0) then
    check.fail("world:advance", "'max_steps' must be a whole number >= 0, got %s", check.shown(max_steps))
  end
  local most = max_steps and math.tointeger(max_steps) or math.max(1, steps_in("world:advance", "max_steps", AT_ONCE, dt, 1e-9))
  local time = (rest[world] or 0) + elapsed
  local fit = steps_in("world:advance", "elapsed", time, dt, 1e-9)
  local n, done = math.min(fit, most), 0
  while done < n do
    local some = math.min(n - done, 1 << 20)
    world:step(some)
    done = done + some
  end
  rest[world] = math.max(0, time - fit * dt)
  return n, rest[world], (fit - n) * dt
end

--- Records from now on: see `delassus.world_record`.
function M.record(...) return require "delassus.world_record".record(...) end

--- Opens the world's latest recording in a browser, or else the replay of the last seconds; prints its path where
-- there is no browser.
-- @tparam[opt] string path of the page; default: a new file
-- @treturn string path, or nil and a message
-- @usage world:run(2)  world:show()
function M.show(world, path)
  local rec = require "delassus.world_record".latest(world) or require "delassus.world_kept"(world)
  return require "delassus.show"(rec, path)
end

--- Opens the live view: see `delassus.view`.
function M.view(world, options) return require "delassus.view".view(world, options) end

require "delassus.class".extend("delassus.World", M, {
  run = "(seconds, each) steps for so long, each(world) after every step -> report",
  advance = "(elapsed, max_steps) as many steps as fit, 0.25 s at most by default -> steps done, time left over, time dropped",
  record = "{ every =, file =, keep = } -> recorder; save() to .html, .rec, .csv, .json",
  view = "{ sliders = { { motor, 'speed', -5, 5 } } } -> View: the page on the running world; view:run() in a script",
  show = "(path) the latest recording, or the last seconds, in the browser",
})

return M
