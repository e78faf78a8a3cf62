--- The bed of a drum: logs drawn, placed, settled, and the share of the drum under its surface measured.
-- @module delassus.drum_bed
local core = require "delassus.core"
local delassus = require "delassus"

local M = {}

local PACKING = { [true] = 0.82, [false] = 0.60 } -- first guess of the solid share of a settled bed: planar, spatial
local CLOSE = 0.008     -- the reached fill may differ by this (the contract says 0.01)
local ROUNDS = 24       -- of adding and taking away logs
local LONGEST = 30      -- s of simulated time one round may take to come to rest
local SLICE = 0.05      -- s between two looks at a bed that comes to rest
local OVERLAP = 1e-4    -- of a diameter, worst overlap of a bed at rest
local FALL = 1e-3       -- m: a log at rest has less kinetic energy than this fall gives

--- Unit vectors of the cross-section in world coordinates: across and up.
local function point_of(d, across, up, along)
  if d.planar then return { across, up } end
  return { along or 0, across, up }
end

--- Makes the world and the shell.
function M.make(d, options)
  local rough = delassus.material { friction = 0.4, restitution = 0.2 }
  d.world = delassus.world {
    planar = d.planar, dt = options.dt or 1e-3, seed = d.seed, record = false, tolerance = options.tolerance or 1e-6,
    gravity = d.planar and { 0, -d._gravity } or { 0, 0, -d._gravity },
  }
  local lifters = d._lifters
  local shell = {
    radius = d.diameter / 2, material = options.material or rough, name = "shell", type = "kinematic",
    lifters = lifters.count > 0 and lifters or nil,
  }
  if not d.planar then shell.length, shell.ends = d.length, true end
  d.shell = d.world:drum(shell)
  d._wood = d._log.material or options.material or rough
  d._random = delassus.random(d.seed)
  local largest = d._log.diameter[2]
  for _, log in ipairs(d._log.measured or {}) do largest = math.max(largest, log.diameter) end
  if largest > d.diameter / 2 - (lifters.count > 0 and lifters.height or 0) then
    core.raise("drum", ("a log of %g m diameter does not tumble in a drum of %g m with lifters of %g m"):format(
      largest, d.diameter, lifters.height))
  end
end

--- Draws the next log: diameter, length (m).
local function draw(d)
  local log, random = d._log, d._random
  if log.measured then
    local one = log.measured[random:integer(1, #log.measured)]
    return { diameter = one.diameter, length = one.length, density = one.density or log.density }
  end
  return { diameter = random:uniform(log.diameter[1], log.diameter[2]),
    length = random:uniform(log.length[1], log.length[2]), density = log.density }
end

--- What one log takes of the cross-section (plane, m^2) or of the drum (space, m^3).
local function wood_of(d, log)
  local area = math.pi / 4 * log.diameter ^ 2
  return d.planar and area or area * (log.length - log.diameter / 3)
end

--- Clear cross-section (m^2), times the length in space (m^3).
local function clear_of(d)
  local lifters = d._lifters
  local area = math.pi / 4 * d.diameter ^ 2 - lifters.count * lifters.height * lifters.width
  return d.planar and area or area * d.length
end

local function add(d, log, across, up, along)
  local body = { name = ("log %d"):format(#d.logs + 1), density = log.density, material = d._wood,
    position = point_of(d, across, up, along) }
  local made
  if d.planar then
    body.radius = log.diameter / 2
    made = d.world:disk(body)
  else
    body.radius, body.length = log.diameter / 2, math.max(log.length - log.diameter, 0)
    made = d.world:capsule(body)
  end
  made.data = log
  d.logs[#d.logs + 1] = made
end

--- Centre of a log in the cross-section.
local function centre(d, body)
  local p = body.position
  if d.planar then return p[1], p[2] end
  return p[2], p[3]
end

--- Free places for logs of the largest kind, row by row from the surface of the bed upwards.
local function places(d, cell)
  local reach = d.diameter / 2 - (d._lifters.count > 0 and d._lifters.height or 0) - cell / 2
  local taken = {}
  for i, body in ipairs(d.logs) do taken[i] = { centre(d, body) } end
  local list, row = {}, 0
  for up = -reach, reach, cell * 0.88 do
    row = row + 1
    for across = -reach + (row % 2) * cell / 2, reach, cell do
      local free = across ^ 2 + up ^ 2 <= reach ^ 2
      for i = 1, free and #taken or 0 do
        if (taken[i][1] - across) ^ 2 + (taken[i][2] - up) ^ 2 < cell ^ 2 then
          free = false
          break
        end
      end
      if free then list[#list + 1] = { across, up } end
    end
  end
  return list
end

--- How many logs stand behind one another along the axis.
local function layers(d)
  if d.planar then return 1, 0 end
  local longest = d._log.length[2]
  for _, log in ipairs(d._log.measured or {}) do longest = math.max(longest, log.length) end
  local n = math.floor(d.length / (longest * 1.02))
  if n < 1 then core.raise("drum", ("logs of %g m do not fit into a drum of %g m"):format(longest, d.length)) end
  return n, d.length / n
end

--- Places as many of the waiting logs as there is room for; answers how many.
local function place(d, waiting)
  local cell = 0
  for _, log in ipairs(waiting) do cell = math.max(cell, log.diameter) end
  cell = cell * 1.02
  local n_layers, depth = layers(d)
  local done = 0
  for _, at in ipairs(places(d, cell)) do
    for k = 1, n_layers do
      local log = table.remove(waiting, 1)
      if not log then return done end
      add(d, log, at[1], at[2], d.planar and 0 or -d.length / 2 + (k - 0.5) * depth)
      done = done + 1
    end
  end
  return done
end

--- Largest kinetic energy of a log over its weight, as a height (m).
local function liveliest(d)
  local most = 0
  for _, body in ipairs(d.logs) do
    most = math.max(most, (body.energy) / (body.mass * d._gravity))
  end
  return most
end

--- Steps until every log is at rest; false where that takes too long.
local function rest(d)
  local until_time, steps = d.world.time + LONGEST, math.max(1, math.floor(SLICE / d.world.dt + 0.5))
  repeat
    d.world:step(steps)
    if liveliest(d) < FALL and d.world.stats.penetration < OVERLAP then return true end
  until d.world.time > until_time
  return false
end

--- Highest point of the bed on a line across the section, or nil. In space along the axis at `along`.
local function surface(d, across, along)
  local top
  for _, body in ipairs(d.logs) do
    local y, z = centre(d, body)
    local r, x = body.data.diameter / 2, across - y
    if x * x < r * r then
      local here = true
      if not d.planar then
        local p = body.position
        here = math.abs(p[1] - along) <= body.data.length / 2
      end
      local up = z + math.sqrt(r * r - x * x)
      if here and (not top or up > top) then top = up end
    end
  end
  return top
end

--- The share of the clear cross-section under the bed's surface, by lines across it.
-- In space the mean over slices along the axis.
function M.measure(d)
  local lines, slices = 400, d.planar and 1 or 24
  local radius, area = d.diameter / 2, 0
  local lifters, hidden = d._lifters, 0
  local tops = {}
  for s = 1, slices do
    local along = d.planar and 0 or -d.length / 2 + (s - 0.5) * d.length / slices
    for k = 1, lines do
      local across = -radius + (k - 0.5) * d.diameter / lines
      local bottom, top = -math.sqrt(radius ^ 2 - across ^ 2), surface(d, across, along)
      tops[k] = math.max(tops[k] or bottom, top or bottom)
      if top and top > bottom then area = area + (top - bottom) * d.diameter / lines end
    end
  end
  for i = 0, lifters.count - 1 do -- lifters under the surface are not clear cross-section
    local angle, middle = 2 * math.pi * i / lifters.count, radius - lifters.height / 2
    local across, up = middle * math.cos(angle), middle * math.sin(angle)
    local k = math.min(lines, math.max(1, math.ceil((across + radius) / d.diameter * lines)))
    if up < tops[k] then hidden = hidden + lifters.height * lifters.width end
  end
  local clear = math.pi * radius ^ 2 - lifters.count * lifters.height * lifters.width
  return (area / slices - hidden) / clear
end

local function wood_in(d)
  local sum = 0
  for _, body in ipairs(d.logs) do sum = sum + wood_of(d, body.data) end
  return sum
end

--- Takes the highest logs away until about `volume` of wood is gone.
local function take_away(d, volume)
  table.sort(d.logs, function(a, b)
    local _, up_a = centre(d, a)
    local _, up_b = centre(d, b)
    if up_a ~= up_b then return up_a < up_b end
    return a.index < b.index
  end)
  local gone = 0
  while gone < volume and #d.logs > 1 do
    local body = table.remove(d.logs)
    gone = gone + wood_of(d, body.data)
    d.world:remove(body)
  end
  table.sort(d.logs, function(a, b) return a.index < b.index end)
end

local function refuse(why) core.raise("drum:settle", "the drum cannot be filled as asked: " .. why) end

--- Drops what is waiting, wave by wave, until all lies at rest.
local function drop(d, waiting)
  repeat
    local left = #waiting
    if left > 0 and place(d, waiting) == 0 then refuse(("%d logs found no room above the bed"):format(left)) end
    if #waiting > 0 then
      d.world:step(math.max(1, math.floor(0.8 / d.world.dt)))
    elseif not rest(d) then
      refuse(("the bed did not come to rest within %g s"):format(LONGEST))
    end
  until #waiting == 0
end

--- Draws logs until their wood reaches a volume, to the nearest log.
local function draw_wood(d, volume)
  local list, sum = {}, 0
  while true do
    local log = draw(d)
    local wood = wood_of(d, log)
    if sum + wood / 2 > volume and #list > 0 then return list end
    list[#list + 1] = log
    sum = sum + wood
    if sum >= volume then return list end
  end
end

local function fill_by_count(d)
  local list = {}
  for k = 1, d._log.count do list[k] = draw(d) end
  drop(d, list)
end

--- Adds and takes away until the surface is where it is wanted.
local function fill_by_share(d)
  local clear, solid = clear_of(d), PACKING[d.planar]
  local best
  drop(d, draw_wood(d, d._wanted * clear * solid))
  for _ = 1, ROUNDS do
    local reached = M.measure(d)
    local missing = d._wanted - reached
    best = math.min(best or math.huge, math.abs(missing))
    if math.abs(missing) <= CLOSE then return end
    local density = wood_in(d) / (clear * math.max(reached, 1e-9))
    if missing > 0 then
      drop(d, draw_wood(d, missing * clear * density))
    else
      take_away(d, -missing * clear * density)
      if not rest(d) then refuse(("the bed did not come to rest within %g s"):format(LONGEST)) end
    end
  end
  refuse(("the surface stayed %.3f away from the share wanted: one log is too much of this drum"):format(best))
end

--- Fills the drum and lets it come to rest; sets `fill` and `solid`.
function M.settle(d)
  M.turn(d, 0)
  if d._log.count then fill_by_count(d) else fill_by_share(d) end
  rawset(d, "fill", M.measure(d))
  rawset(d, "solid", wood_in(d) / clear_of(d))
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
