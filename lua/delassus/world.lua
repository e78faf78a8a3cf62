-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- What worlds can do that needs no C: runs with a report, hosts with frames, recordings.
-- Required once by `delassus`; adds methods to `delassus.World`.
-- @module delassus.world
local check = require "delassus.check"
local core = require "delassus.core"

local M = {}

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
    ("ran %g s in %d steps of %g s; the time is now %g s"):format(self.time, self.steps, self.dt, self.now),
    ("impacts %d, contacts %d"):format(self.impacts, self.contacts),
    ("worst residual %.2g, worst overlap %.2g of a body"):format(self.residual, self.penetration),
    ("energy balance %.2g"):format(self.energy_balance),
  }
  if self.unconverged > 0 then
    lines[#lines + 1] = ("%d steps missed the solver's tolerance"):format(self.unconverged)
  end
  return table.concat(lines, "\n")
end

--- Runs for `seconds`; `each(world)`, where given, is called after every step.
-- Returns to Lua at least every 50 ms, so that Ctrl-C stops it between steps.
-- @tparam number seconds how long, s; rounded to whole steps
-- @treturn Run report: time, steps, impacts, contacts, residual, penetration, energy_balance, unconverged
-- @usage print(world:run(2))
function M.run(world, seconds, each)
  check.number("world:run", "seconds", seconds)
  if seconds < 0 then check.fail("world:run", "'seconds' must be >= 0, got %s", tostring(seconds)) end
  if each ~= nil and type(each) ~= "function" then
    check.fail("world:run", "'each' must be a function, got %s", check.shown(each))
  end
  local dt, start = world.dt, world.time
  local before = world.stats
  local n = steps_in("world:run", "seconds", seconds, dt, 0.5)
  core.worst(world, true)
  local done = 0
  while done < n do
    done = done + core.slice(world, each and 1 or n - done)
    if each then each(world) end
  end
  local stats = world.stats
  local residual, penetration = core.worst(world)
  return setmetatable({
    time = world.time - start, now = world.time, steps = n, dt = dt, impacts = stats.impacts - before.impacts,
    contacts = stats.contacts, residual = residual, penetration = penetration,
    energy_balance = stats.energy_balance, unconverged = stats.unconverged - before.unconverged,
  }, Run)
end

-- Time handed to `advance` that has not been stepped yet, by world.
local rest = setmetatable({}, { __mode = "k" })

--- For hosts with frames: steps as often as fits into the time given so far.
-- @tparam number elapsed s since the last call
-- @treturn number steps done
-- @treturn number what is left over, s; `body:pose(left / world.dt)` lies between the last two states
function M.advance(world, elapsed)
  check.number("world:advance", "elapsed", elapsed)
  if elapsed < 0 then check.fail("world:advance", "'elapsed' must be >= 0, got %s", tostring(elapsed)) end
  local dt = world.dt
  local time = (rest[world] or 0) + elapsed
  local n, done = steps_in("world:advance", "elapsed", time, dt, 1e-9), 0
  while done < n do
    local some = math.min(n - done, 1 << 20)
    world:step(some)
    done = done + some
  end
  rest[world] = math.max(0, time - n * dt)
  return n, rest[world]
end

--- Records from now on: see `delassus.world_record`.
function M.record(...) return require "delassus.world_record".record(...) end

-- A recorder filled with the frames that the world kept by itself.
local function kept_frames(world)
  local record, shape_of = require "delassus.record", require "delassus.world_record".shape
  local point = { kind = world.planar and "disk" or "sphere", radius = 0.01 }
  local bodies = {}
  for i, body in ipairs(core.slots(world)) do
    bodies[i] = { name = body and body.name or "body " .. i, type = body and body.type or "dynamic",
      shape = body and shape_of(body.shape, world.planar) or point }
  end
  local recorder = record.new{ title = "A world", planar = world.planar, bodies = bodies }
  local size = 4 * (world.planar and 3 or 7)
  local nowhere = string.pack("f", 0 / 0):rep(size // 4)
  for _, frame in ipairs(core.frames(world)) do
    local poses = frame.poses:sub(1, #bodies * size)
    recorder:frame{ time = frame.time, poses = poses .. nowhere:rep(#bodies - #poses // size) }
  end
  if not recorder.last_time then recorder:frame{ time = world.time, poses = (core.poses(world)) } end
  return recorder
end

--- Opens the world's latest recording in a browser, or else the replay of the last seconds; prints its path where
-- there is no browser.
-- @tparam[opt] string path of the page; default: a new file
-- @treturn string path, or nil and a message
-- @usage world:run(2)  world:show()
function M.show(world, path)
  local rec = require "delassus.world_record".latest(world) or kept_frames(world)
  return require "delassus.show"(rec, path)
end

require "delassus.class".extend("delassus.World", M, {
  run = "(seconds, each) steps for so long, each(world) after every step -> report",
  advance = "(elapsed) as many steps as fit -> steps done, time left over",
  record = "{ every =, file =, keep = } -> recorder; save() to .html, .rec, .csv, .json",
  show = "(path) the latest recording, or the last seconds, in the browser",
})

return M
