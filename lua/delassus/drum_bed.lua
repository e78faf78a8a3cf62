-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The bed of a drum: its shell, its logs, and the share of the drum under its surface.
-- @module delassus.drum_bed
local core = require "delassus.core"
local delassus = require "delassus"

local M = {}

--- Unit vectors of the cross-section in world coordinates: across and up.
local function point_of(d, across, up, along)
  if d.planar then return { across, up } end
  return { along or 0, across, up }
end

--- How far the drum has turned, rad.
function M.angle(d)
  local turned = d.shell.rotation
  return d.planar and turned or 2 * math.atan(turned[2], turned[1])
end

--- Smallest and largest of a quantity of the logs there can be.
function M.range(d, name)
  local lo, hi = d._log[name][1], d._log[name][2]
  if d._log.measured then lo, hi = math.huge, 0 end
  for _, log in ipairs(d._log.measured or {}) do
    if log[name] then lo, hi = math.min(lo, log[name]), math.max(hi, log[name]) end
  end
  return lo, hi
end


--- In space sweeps alone: Newton's steps, where these fall short, take seconds on a bed of 1000 logs.
function M.solver(d) return d.planar and "auto" or "nsgs" end

local FEW, FEW_ITERATIONS = 200, 5000 -- logs in space; sweeps
local PLANAR_ITERATIONS = 20000 -- sweeps: exact methods for the steps in which much strikes (516 logs: 1 of 70)

--- A settled bed in the plane, or of few logs in space, is solved by all methods, and for longer: a step is short there,
-- and sweeps alone miss the tolerance now and then. What was asked for stays.
function M.solve_well(d)
  if not d.planar and #d.logs > FEW then return end
  if not d._asked.solver then d.world.solver = "auto" end
  if not d._asked.max_iterations then d.world.max_iterations = d.planar and PLANAR_ITERATIONS or FEW_ITERATIONS end
end

--- Makes the world and the shell.
function M.make(d, options)
  local rough = delassus.material { friction = 0.4, restitution = 0.2 }
  local lifters = d._lifters
  local thinnest, largest = M.range(d, "diameter")
  largest = largest + M.widened(d)
  if M.widened(d) >= thinnest then
    core.raise("drum", ("'logs.taper' of %g m/m leaves the longest logs (thinnest: %g m) without a thin end"):format(
      d._log.taper, thinnest))
  end
  local free = d.diameter / 2 - (lifters.count > 0 and lifters.height or 0)
  if largest > free then
    core.raise("drum", ("a log of %g m diameter does not tumble in a drum of %g m with lifters of %g m"):format(
      largest, d.diameter, lifters.height))
  end
  d._fields.world = delassus.world {
    planar = d.planar, dt = options.dt or 1e-3, seed = d.seed, record = false, tolerance = options.tolerance or 1e-3,
    solver = options.solver or M.solver(d), max_iterations = options.max_iterations or 1000,
    gravity = d.planar and { 0, -d._gravity } or { 0, 0, -d._gravity },
  }
  d._asked = { solver = options.solver, max_iterations = options.max_iterations }
  local shell = {
    radius = d.diameter / 2, material = options.material or rough, name = "shell", type = "kinematic",
    lifters = lifters.count > 0 and lifters or nil,
  }
  if not d.planar then shell.length, shell.ends = d.length, true end
  d._fields.shell = d.world:drum(shell)
  d._wood = d._log.material or options.material or rough
  d._random = delassus.random(d.seed)
end

-- Half of what a log's diameter falls by from one end to the other, m; the diameter is that of its middle.
local function fall(log) return log.taper and log.taper * log.length / 2 or 0 end

--- The largest diameter of a log, m.
function M.thickest(log) return log.diameter + fall(log) end

--- By how much the thick end of a log may be thicker than its middle, m.
function M.widened(d)
  local _, longest = M.range(d, "length")
  return d._log.taper * longest / 2
end

-- A log that tapers lies either way.
local function laid(d, log)
  if d._log.taper == 0 then return log end
  log.taper = d._log.taper
  log.turned = d._random:uniform() < 0.5
  return log
end

--- Draws the next log: diameter (of its middle), length (m), density (kg/m^3), and taper where there is one.
function M.draw(d)
  local log, random = d._log, d._random
  if log.measured then
    local one = log.measured[random:integer(1, #log.measured)]
    return laid(d, { diameter = one.diameter, length = one.length, density = one.density or log.density })
  end
  local function between(range)
    return range[1] < range[2] and random:uniform(range[1], range[2]) or range[1]
  end
  return laid(d, { diameter = between(log.diameter), length = between(log.length), density = log.density })
end

--- Area of a log's bark, m^2: all around it, without its ends; in the plane of a slice of 1 m.
function M.bark_of(d, log)
  if d.planar then return math.pi * log.diameter end
  local slope = fall(log)
  return math.pi * log.diameter * math.sqrt(log.length ^ 2 + slope ^ 2)
end

--- What one log takes of the cross-section (plane, m^2) or of the drum (space, m^3).
function M.wood_of(d, log)
  local area = math.pi / 4 * log.diameter ^ 2
  if log.taper then return (area + math.pi / 12 * fall(log) ^ 2) * log.length end -- of a cone cut off
  return d.planar and area or area * (log.length - log.diameter / 3)
end

function M.wood_in(d)
  local sum = 0
  for _, body in ipairs(d.logs) do sum = sum + M.wood_of(d, body.data) end
  return sum
end

--- Clear cross-section (m^2), times the length in space (m^3).
function M.clear_of(d)
  local lifters = d._lifters
  local area = math.pi / 4 * d.diameter ^ 2 - lifters.count * lifters.height * lifters.width
  return d.planar and area or area * d.length
end

--- Adds a log at a place of the cross-section and, in space, of the axis.
function M.add(d, log, across, up, along)
  local body = { density = log.density, material = d._wood, position = point_of(d, across, up, along) }
  local made
  if d.planar then
    body.radius = log.diameter / 2
    made = d.world:disk(body)
  elseif log.taper then
    local half = (log.turned and -1 or 1) * fall(log) / 2
    body.shape = delassus.cone { radius1 = log.diameter / 2 + half, radius2 = log.diameter / 2 - half, length = log.length }
    made = d.world:body(body)
  else
    body.radius, body.length = log.diameter / 2, math.max(log.length - log.diameter, 0)
    made = d.world:capsule(body)
  end
  made.data = log
  d.logs[#d.logs + 1] = made
end

--- Height of a log's mass centre, m.
function M.height(d, body) return body.centre[d.planar and 2 or 3] end

--- Centre of a log in the cross-section: across, up; and along the axis.
function M.centre(d, body)
  local p = body.position
  if d.planar then return p[1], p[2], 0 end
  return p[2], p[3], p[1]
end

--- Takes the highest logs away until `volume` of wood is gone, to the nearest log but one at least.
function M.take_away(d, volume)
  local height = {}
  for _, body in ipairs(d.logs) do
    local _, up = M.centre(d, body)
    height[body] = up + body.data.diameter / 2
  end
  table.sort(d.logs, function(a, b)
    if height[a] ~= height[b] then return height[a] < height[b] end
    return a.index < b.index
  end)
  local gone = 0
  repeat
    local body = table.remove(d.logs)
    gone = gone + M.wood_of(d, body.data)
    d.world:remove(body)
  until #d.logs < 2 or gone + M.wood_of(d, d.logs[#d.logs].data) / 2 > volume
  table.sort(d.logs, function(a, b) return a.index < b.index end)
end

local LINES, SLICES = 400, 24 -- of the measured surface: across the section; along the axis in space

-- Raises the surface on the lines that a log lies under.
local function raise_surface(tops, radius, across, up, r)
  local width = 2 * radius / LINES
  local first = math.max(1, math.ceil((across - r + radius) / width + 0.5))
  local last = math.min(LINES, math.floor((across + r + radius) / width + 0.5))
  for k = first, last do
    local x = (k - 0.5) * width - radius - across
    local top = up + math.sqrt(math.max(r * r - x * x, 0))
    if top > tops[k] then tops[k] = top end
  end
end

-- Area between the wall and the surface.
local function area_under(tops, bottoms, radius)
  local area = 0
  for k = 1, LINES do area = area + (tops[k] - bottoms[k]) end
  return area * 2 * radius / LINES
end

-- Area of lifters under a surface, in 25 x 4 pieces each.
local function hidden_area(d, tops)
  local lifters, radius, hidden = d._lifters, d.diameter / 2, 0
  local turned = M.angle(d)
  for i = 0, lifters.count - 1 do
    local angle = turned + 2 * math.pi * i / lifters.count
    local c, s = math.cos(angle), math.sin(angle)
    for a = 1, 25 do
      for b = 1, 4 do
        local out, side = radius - (a - 0.5) / 25 * lifters.height, ((b - 0.5) / 4 - 0.5) * lifters.width
        local across, up = out * c - side * s, out * s + side * c
        local k = math.min(LINES, math.max(1, math.ceil((across + radius) / (2 * radius) * LINES)))
        if up < tops[k] then hidden = hidden + lifters.height * lifters.width / 100 end
      end
    end
  end
  return hidden
end

--- Radius of a log, m, so far from its middle along the drum's axis.
function M.radius_at(d, body, along)
  local log = body.data
  if d.planar or not log.taper then return log.diameter / 2 end
  local q = body.rotation
  local way = (q[1] ^ 2 + q[2] ^ 2 >= q[3] ^ 2 + q[4] ^ 2) == log.turned and 1 or -1 -- it grows this way along the axis
  return log.diameter / 2 + way * log.taper / 2 * math.max(-log.length / 2, math.min(log.length / 2, along))
end

--- The share of the clear cross-section under the bed's surface, by lines across it; in space the mean over slices.
function M.measure(d)
  local slices, radius = d.planar and 1 or SLICES, d.diameter / 2
  local bottoms, area = {}, 0
  for k = 1, LINES do
    local across = (k - 0.5) * 2 * radius / LINES - radius
    bottoms[k] = -math.sqrt(radius ^ 2 - across ^ 2)
  end
  for s = 1, slices do
    local tops = table.move(bottoms, 1, LINES, 1, {})
    local at = -d.length / 2 + (s - 0.5) * d.length / slices
    for _, body in ipairs(d.logs) do
      local across, up, along = M.centre(d, body)
      if d.planar or math.abs(along - at) <= body.data.length / 2 then
        raise_surface(tops, radius, across, up, M.radius_at(d, body, at - along))
      end
    end
    area = area + area_under(tops, bottoms, radius) - hidden_area(d, tops)
  end
  local lifters = d._lifters
  return area / slices / (math.pi * radius ^ 2 - lifters.count * lifters.height * lifters.width)
end

--- Sets the drum's angular speed, rad/s.
function M.turn(d, speed)
  d.shell.angular_velocity = d.planar and speed or { speed, 0, 0 }
end

--- Boundary springs: given, or 1e7 N/m at 0.2 m in proportion to the diameter.
function M.set_stiffness(d, tally)
  for _, body in ipairs(d.logs) do
    tally:stiffness(body.index, d._log.stiffness or 1e7 * body.data.diameter / 0.2)
  end
end

return M
