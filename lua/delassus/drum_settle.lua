-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- A drum filled to the degree asked for, its bed at rest; or a reason why it cannot be.
--
-- Logs are laid densely, so that little is left to fall, until the surface is where it is wanted; then the bed comes to
-- rest, is measured, and a few logs are added on top or taken away. While it comes to rest all logs lose half their
-- velocity after every slice of time; whether it is at rest is looked at over a longer time without that help.
-- @module delassus.drum_settle
local bed = require "delassus.drum_bed"
local core = require "delassus.core"
local pack = require "delassus.drum_pack"
local progress = require "delassus.progress"
local room = require "delassus.drum_room"

local M = {}

local CLOSE = 0.005   -- the reached fill may differ by this (the contract says 0.01)
local ENOUGH = 0.01   -- the same, where logs are so large that it does not get closer
local ROUNDS = 16     -- of adding and taking away logs
local MORE = 3        -- times as many where all are alike: a log is much of a small drum, but beds of as many differ
local LONGEST = 10    -- s of simulated time one round may take to come to rest
local SLICE = 0.05    -- s after which all logs are slowed while they come to rest
local SLOWER = 0.5    -- share of their velocity that they keep
local LOOK = 0.1      -- s without stopping them, over which a bed at rest stays at rest
local FINE_LOOK = 0.012 -- s, the same with the drum's own settings
local FALL = 1e-3     -- m: a log at rest has less kinetic energy than this fall gives
local OVERLAP = 1e-4  -- of a diameter, worst overlap of a bed at rest
local CREEP = 1e-3    -- the same while it comes to rest: what a step lets be
local WEDGED = 1e-2   -- the same where nothing moves and logs wedge each other: a fourth of 0.1 m between lifters 0.4 m apart
local LOOKS = 4       -- at a bed that is still, but for overlaps, until it counts as wedged
local THROW = 0.2     -- of a diameter: how high logs that are all alike are thrown at first, at most
local POLISH, POLISH_DT = 200, 1e-5 -- steps at most, and s, in which next to nothing moves but overlaps are taken out
-- The world while the bed comes to rest: what counts is where it ends, and that is looked at with the drum's own settings.
-- Sweeps alone, as far as they come: while logs fall, more would be much work for nothing.
local COARSE = { dt = 4e-3, tolerance = 1e-3, solver = "nsgs", max_iterations = 300 }

local function refuse(why, ...)
  core.raise("drum:settle", "the drum cannot be filled as asked: " .. why:format(...))
end

--- Largest kinetic energy of a log over its weight, as a height (m).
local function liveliest(d)
  local most = 0
  for _, body in ipairs(d.logs) do
    most = math.max(most, body.energy / (body.mass * d._gravity) - bed.height(d, body)) -- kinetic and potential
  end
  return most
end

local function slow_all(d)
  for _, body in ipairs(d.logs) do
    body.velocity, body.angular_velocity = body.velocity * SLOWER, body.angular_velocity * SLOWER
  end
end

local function steps_of(d, seconds) return math.max(1, math.floor(seconds / d.world.dt + 0.5)) end

-- Throws logs, each another way across the axis: those that are all alike are laid alike, whatever the seed.
local function throw(d, from)
  for k = from, #d.logs do
    local body = d.logs[k]
    local speed = math.sqrt(2 * d._gravity * THROW * body.data.diameter)
    local across, up = d._random:uniform(-speed, speed), d._random:uniform(-speed, speed)
    body.velocity = d.planar and { across, up } or { 0, across, up }
  end
end

local function are_alike(d)
  local thin, thick = bed.range(d, "diameter")
  return thin == thick
end

-- Whether the bed stays at rest and free of overlap when nothing helps it.
local function rests(d, seconds, overlap)
  for _ = 1, 4 do
    d.world:step(steps_of(d, seconds / 4))
    if liveliest(d) >= FALL then return false end
  end
  return d.world.stats.penetration < overlap
end

-- Uses the settings of the drum (true) or the coarse ones; a drum's own steps may be the longer ones.
local function refine(d, fine)
  local world, own = d.world, d._own
  world.dt = fine and own.dt or math.max(own.dt, COARSE.dt)
  world.tolerance = fine and own.tolerance or COARSE.tolerance
  world.solver = fine and own.solver or COARSE.solver
  world.max_iterations = fine and math.max(own.max_iterations, COARSE.max_iterations) or COARSE.max_iterations
end

--- Steps until every log is at rest; raises where that takes too long.
local function rest(d)
  local world = d.world
  local longest, before, looks = world.time + LONGEST, math.huge, 0
  repeat
    world:step(steps_of(d, SLICE))
    local now = liveliest(d)
    slow_all(d)
    if now < FALL and before < FALL then
      looks = looks + 1
      if rests(d, LOOK, looks > LOOKS and WEDGED or CREEP) then return end
    end
    before = now
  until world.time > longest
  refuse("the bed did not come to rest within %g s (kinetic energy of a log %.2g m of its weight, overlap %.2g)", LONGEST,
    liveliest(d), world.stats.penetration)
end

-- The cross-section with the logs there are.
local function section(d)
  local lo, hi = bed.range(d, "diameter")
  hi = hi + bed.widened(d)
  local p = pack.new { radius = d.diameter / 2, lifters = d._lifters, angle = bed.angle(d),
    smallest = lo / 2, largest = hi / 2 }
  if not d.planar then
    room.show(d, p)
    return p
  end
  for _, body in ipairs(d.logs) do
    local across, up = bed.centre(d, body)
    p:put(across, up, body.data.diameter / 2)
  end
  return p
end

local function no_room(d, left, placed, wood)
  refuse("%d logs found no room above the bed; %d did (%.0f %% of the clear section is wood)", left, #d.logs + placed,
    100 * (bed.wood_in(d) + wood) / bed.clear_of(d))
end

-- Lays the waiting logs into the lowest free places, once there is one for each.
local function lay(d, waiting)
  local p, places, wood = section(d), {}, 0
  for k, log in ipairs(waiting) do
    local x, y = p:lay(log.diameter / 2)
    if not x then no_room(d, #waiting - k + 1, k - 1, wood) end
    places[k], wood = { x, y }, wood + bed.wood_of(d, log)
  end
  for k, log in ipairs(waiting) do bed.add(d, log, places[k][1], places[k][2]) end
end

-- Puts the waiting logs into the drum and lets them come to rest.
local function fill_in(d, waiting)
  local before = #d.logs
  if d.planar then
    lay(d, waiting)
  else
    local left = room.lay(d, section(d), waiting)
    if left > 0 then no_room(d, left, 0, 0) end
  end
  if are_alike(d) then throw(d, before + 1) end
  rest(d)
end

--- Draws logs until their wood reaches a volume, to the nearest log but one at least.
local function draw_wood(d, volume)
  local list, sum = {}, 0
  repeat
    local log = bed.draw(d)
    local wood = bed.wood_of(d, log)
    if sum + wood / 2 > volume and #list > 0 then return list end
    list[#list + 1] = log
    sum = sum + wood
  until sum >= volume
  return list
end

local function fill_by_count(d)
  local list = {}
  for k = 1, d._log.count - #d.logs do list[k] = bed.draw(d) end
  fill_in(d, list)
end

local PACKING = { [true] = 0.82, [false] = 0.68 } -- first guess of the solid share of a settled bed: planar, spatial

--- Adds and takes away until the surface is where it is wanted.
local function fill_by_share(d)
  local clear, best = bed.clear_of(d), math.huge
  fill_in(d, #d.logs > 0 and {} or draw_wood(d, d._wanted * clear * PACKING[d.planar]))
  local alike = are_alike(d)
  for round = 1, alike and MORE * ROUNDS or ROUNDS do
    local reached = bed.measure(d)
    local missing = d._wanted - reached
    best = math.min(best, math.abs(missing))
    if math.abs(missing) <= (round < ROUNDS / 2 and CLOSE or ENOUGH) then return end
    local density = bed.wood_in(d) / (clear * math.max(reached, 1e-9))
    if alike and round >= ROUNDS / 2 and round % 3 > 0 then -- another bed of as many
      throw(d, 1)
      rest(d)
    elseif missing > 0 then
      fill_in(d, draw_wood(d, missing * clear * density))
    else
      bed.take_away(d, -missing * clear * density)
      rest(d)
    end
  end
  refuse("the surface stayed %.3f away from the share wanted: one log is too much of this drum", best)
end

-- Looks at the bed with the drum's own settings; goes back to slowing where it does not rest with them.
local function confirm(d)
  for look = 1, 8 do
    if rests(d, FINE_LOOK, look > LOOKS and WEDGED or CREEP) then return end
    refine(d, false)
    rest(d)
    refine(d, true)
  end
  refuse("the bed does not rest with steps of %g s", d.world.dt)
end

-- Takes out of a bed in space the overlaps that a step lets be.
local function polish(d)
  local world = d.world
  local dt = world.dt
  world.dt = math.min(dt, POLISH_DT)
  for _ = 1, POLISH do
    world:step()
    if world.stats.penetration < OVERLAP then break end
  end
  world.dt = dt
end

local function fill(d)
  refine(d, false)
  if d._log.count then fill_by_count(d) else fill_by_share(d) end
  refine(d, true)
  confirm(d)
  polish(d)
end

-- Takes out the logs that were not there before.
local function empty(d, before)
  local logs = d.logs
  for k = #logs, 1, -1 do
    local body = logs[k]
    if not before[body] then d.world:remove(table.remove(logs, k)) end
  end
end

--- Fills the drum, or adds and takes away what its bed differs by, and lets it come to rest; sets `fill` and `solid`.
-- Where that fails the logs added are gone again.
function M.settle(d)
  local world, before, random = d.world, {}, d._random:copy()
  for _, body in ipairs(d.logs) do before[body] = true end
  d._own = { dt = world.dt, tolerance = world.tolerance, max_iterations = world.max_iterations,
    solver = world.solver }
  bed.turn(d, 0)
  local tell = progress.start("filling the drum", 1)
  tell(0)
  local ok, message = pcall(fill, d)
  world.dt = d._own.dt
  refine(d, true)
  world.max_iterations = d._own.max_iterations
  if not ok then
    empty(d, before)
    d._random = random
    error(message, 0)
  end
  tell(1)
  bed.solve_well(d)
  for i, body in ipairs(d.logs) do body.name = ("log %d"):format(i) end
  d._fields.fill, d._fields.solid = bed.measure(d), bed.wood_in(d) / bed.clear_of(d)
end

return M
