-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- What worlds can do that needs no C: runs with a report, hosts with frames, recordings.
-- Required once by `delassus`; adds methods to `delassus.World`.
-- @module delassus.world
local check = require "delassus.check"
local core = require "delassus.core"

local M = {}

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
  local n = math.floor(seconds / dt + 0.5)
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
  local n = math.floor(time / dt + 1e-9)
  if n > 0 then world:step(n) end
  rest[world] = math.max(0, time - n * dt)
  return n, rest[world]
end

--- Shapes as recordings know them.
local function shape_of(shape)
  if not shape then return { kind = "disk", radius = 0.01 } end
  local out = { kind = shape.kind }
  for _, key in ipairs{ "radius", "radius1", "radius2", "length", "offset", "lifters", "vertices", "faces" } do
    out[key] = shape[key]
  end
  for _, key in ipairs{ "size", "normal" } do out[key] = shape[key] and { shape[key]:unpack() } end
  if shape.points then
    out.points = {}
    for i, p in ipairs(shape.points) do out.points[i] = { p:unpack() } end
  end
  return out
end

local function bodies_of(world)
  local bodies = {}
  for i, body in ipairs(core.slots(world)) do
    if not body then
      bodies[i] = { name = "body " .. i, type = "dynamic", shape = { kind = world.planar and "disk" or "sphere", radius = 0.01 } }
    else
      local shape = shape_of(body.shape)
      if not body.shape and not world.planar then shape.kind = "sphere" end
      if shape.normal and world.planar then shape.normal[3] = nil end
      bodies[i] = { name = body.name or ("body " .. i), type = body.type, shape = shape }
    end
  end
  return bodies
end

local Recording = {}
Recording.__index = Recording

-- Takes a frame where one is due.
function Recording:take(world)
  if world.time < self.due then return end
  self.due = world.time + self.every * (1 - 1e-9)
  local poses, n = core.poses(world)
  while #self.recorder.bodies < n do
    self.recorder:add(bodies_of(world)[#self.recorder.bodies + 1])
  end
  local kinetic = world:energy()
  self.recorder:frame{ time = world.time, poses = poses, contacts = core.pushes(world),
    series = { kinetic = kinetic, residual = world.stats.residual } }
end

--- Records from now on.
-- @tparam[opt=1/60] number every s between frames
-- @tparam[opt] string file where frames are written as they come
-- @treturn delassus.Recorder with `save(path)`, `close()`; `stop()` ends it
-- @usage local rec = world:record{ every = 1/60 }  world:run(2)  rec:save("run.html")
function M.record(world, options)
  options = options or {}
  check.options("world:record", options, { "every", "file", "title", "keep" })
  local every = check.number("world:record", "every", options.every, true) or 1 / 60
  if every <= 0 then check.fail("world:record", "'every' must be > 0, got %s", tostring(every)) end
  local record = require "delassus.record"
  local recorder, message = record.new{ title = options.title or "delassus", planar = world.planar,
    bodies = bodies_of(world), contacts = true, keep = options.keep, file = options.file,
    series = { { name = "kinetic", label = "Kinetic energy", unit = "J" },
      { name = "residual", label = "Residual" } } }
  if not recorder then return nil, message end
  local self = setmetatable({ recorder = recorder, every = every, due = world.time }, Recording)
  self:take(world)
  local handle = world:on("step", function() self:take(world) end)
  function recorder.stop() handle:off() end
  return recorder
end

-- The browser's command of this system, or nil.
local function open(path)
  if not os.getenv("DISPLAY") and not os.getenv("WAYLAND_DISPLAY") then return false end
  return os.execute(("xdg-open '%s' >/dev/null 2>&1"):format(path)) == true
end

--- Opens the replay of the last seconds in a browser; prints its path where there is none.
-- @tparam[opt] string path of the page; default: a temporary file
-- @treturn string path, or nil and a message
function M.show(world, path)
  local frames = core.frames(world)
  local record = require "delassus.record"
  local recorder = record.new{ title = "delassus", planar = world.planar, bodies = bodies_of(world) }
  local known = #recorder.bodies
  local size = world.planar and 12 or 28
  local nowhere = string.pack("f", 0 / 0):rep(size // 4)
  for _, frame in ipairs(frames) do
    local poses = frame.poses:sub(1, known * size)
    poses = poses .. nowhere:rep(known - #poses // size)
    recorder:frame{ time = frame.time, poses = poses }
  end
  if #frames == 0 then recorder:frame{ time = world.time, poses = (core.poses(world)) } end
  path = path or os.tmpname() .. ".html"
  local ok, message = recorder:save(path)
  if not ok then return nil, message end
  if not open(path) then print(path) end
  return path
end

local methods = core.methods("delassus.World")
for name, method in pairs(M) do methods[name] = method end

return M
