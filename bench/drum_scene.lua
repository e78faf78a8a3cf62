-- The scene of bench/drum.lua: a turning drum of disks, half full, Froude number 0.2, friction 0.4, restitution 0.2,
-- disks of 0.1-0.3 m and 800 kg/m3, eight lifters. Settled states are kept under build/, made anew where absent.
local bed = require "delassus.drum_bed"
local delassus = require "delassus"
local drum = require "delassus.drum"
local pack = require "delassus.drum_pack"

local M = { gravity = 9.81, friction = 0.4, restitution = 0.2, density = 800, dt = 1e-3,
  lifters = { count = 8, height = 0.15, width = 0.1 } }

local COARSE = 2e-3 -- s, steps while the bed is brought to its turning shape
local TURN = 0.15   -- revolutions until the bed lies at its angle and slides
local FINE = 0.1    -- s of steps of M.dt at the end

-- A disk takes 0.034 m^2 of 0.82 solid share in half the circle.
local function radius_of(disks)
  return math.floor(2 * math.sqrt(disks * 0.0340 / 0.82 / 0.5 / math.pi) * 10 + 0.5) / 20
end

--- Steps that a run makes before it is timed: 0.4 s, of large beds 0.2 s. A bed just settled is shaken harder.
function M.warm_up(disks) return disks > 2000 and 200 or 400 end

--- Disks laid densely, at rest.
local function lay(disks)
  local state = { radius = radius_of(disks), angle = 0, disks = {} }
  state.omega = math.sqrt(0.2 * M.gravity / state.radius)
  local random = delassus.random(1)
  local p = pack.new { radius = state.radius, lifters = M.lifters, angle = 0, smallest = 0.05, largest = 0.15 }
  for k = 1, disks do
    local r = random:uniform(0.05, 0.15)
    local x, y = p:lay(r)
    state.disks[k] = { r, x, y, 0, 0, 0, 0 }
  end
  return state
end

--- The drum in that state, `delassus.drum` with its bed laid by hand: its world, its shell, its disks. What `options` do not
-- say is as in any world, not as in a drum.
function M.world(state, options)
  local plain <close> = delassus.world { planar = true }
  local d = drum { planar = true, diameter = 2 * state.radius, rpm = state.omega * 30 / math.pi, lifters = M.lifters,
    gravity = M.gravity, dt = M.dt, seed = plain.seed, logs = { density = M.density },
    material = delassus.material { friction = M.friction, restitution = M.restitution } }
  for _, name in ipairs { "solver", "tolerance", "max_iterations" } do d.world[name] = plain[name] end
  for name, value in pairs(options) do d.world[name] = value end
  d.shell.rotation = state.angle
  bed.turn(d, state.omega)
  for _, of in ipairs(state.disks) do
    bed.add(d, { diameter = 2 * of[1], density = M.density }, of[2], of[3])
    local disk = d.logs[#d.logs]
    disk.rotation, disk.velocity, disk.angular_velocity = of[4], { of[5], of[6] }, of[7]
  end
  return d.world, d.shell, d.logs
end

function M.write(state, path)
  local file = assert(io.open(path, "w"))
  local l = M.lifters
  file:write(("%.17g %d %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %d\n"):format(state.radius, l.count,
    l.height, l.width, state.angle, state.omega, M.gravity, M.friction, M.restitution, M.density, M.dt, #state.disks))
  for _, d in ipairs(state.disks) do
    file:write(("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n"):format(table.unpack(d)))
  end
  file:close()
end

local function read(path)
  local file = io.open(path)
  if not file then return nil end
  local head, state = {}, { disks = {} }
  for k = 1, 12 do head[k] = file:read("n") end
  state.radius, state.angle, state.omega = head[1], head[5], head[6]
  for k = 1, head[12] do
    local d = {}
    for i = 1, 7 do d[i] = file:read("n") end
    state.disks[k] = d
  end
  file:close()
  return state
end

--- The state of a world again.
local function look(state, shell, disks)
  local now = { radius = state.radius, omega = state.omega, angle = shell.rotation, disks = {} }
  for k, body in ipairs(disks) do
    local p, v = body.position, body.velocity
    now.disks[k] = { state.disks[k][1], p[1], p[2], body.rotation, v[1], v[2], body.angular_velocity }
  end
  return now
end

local function turn(disks)
  local state = lay(disks)
  local world, shell, bodies = M.world(state, { dt = COARSE, solver = "nsgs", tolerance = 1e-3, max_iterations = 20 })
  world:step(math.ceil(TURN * 2 * math.pi / state.omega / COARSE))
  world.dt = M.dt
  world:step(math.ceil(FINE / M.dt))
  return look(state, shell, bodies)
end

--- The turning bed of so many disks, and the file it is in.
function M.settled(disks)
  local path = ("build/drum_%d.txt"):format(disks)
  local state = read(path)
  if not state then
    io.stderr:write(("# %s is not there: settling %d disks\n"):format(path, disks))
    os.execute("mkdir -p build")
    state = turn(disks)
    M.write(state, path)
  end
  return state, path
end

return M
