-- bench/drum.lua [disks] [steps]: a turning drum of disks, half full, Froude number 0.2, friction 0.4, restitution
-- 0.2, disks of 0.1-0.3 m, eight lifters, steps of 1 ms, after a quarter of a turn. Ours by 30 and by 100 sweeps at most
-- and by "auto" to a tolerance, Box2D 2.4 and Chipmunk from the same state, in turn. Prints CSV: name, ms a step (median,
-- least), residual, overlap (worst, mean of the contacts, of the smaller diameter).
local core = require "delassus.core"
local drum = require "delassus.drum"

local disks, steps = tonumber(arg[1]) or 1000, tonumber(arg[2]) or 200

-- A disk takes 0.034 m^2 of 0.82 solid share in half the circle.
local diameter = math.floor(2 * math.sqrt(disks * 0.0340 / 0.82 / 0.5 / math.pi) * 10 + 0.5) / 10
local lifters = { count = 8, height = 0.15, width = 0.1 }
local omega = math.sqrt(0.2 * 9.81 / (diameter / 2))
local options = { diameter = diameter, planar = true, rpm = omega * 30 / math.pi, fill = 0.5, lifters = lifters, seed = 1,
  logs = { diameter = { 0.1, 0.3 }, count = disks, density = 800 }, dt = 4e-3 }

local d = drum(options)
d:settle()
d:run { revolutions = 0.25 }
d.world.dt = 1e-3
local start = d.world:snapshot()

local path = os.tmpname()
local file = assert(io.open(path, "w"))
file:write(("%.17g %d %.17g %.17g %.17g 9.81 0.4 0.2 800 0.001 %d\n"):format(diameter / 2, lifters.count, lifters.height,
  lifters.width, omega, #d.logs))
for _, body in ipairs(d.logs) do
  local p, v = body.position, body.velocity
  file:write(("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n"):format(body.data.diameter / 2, p.x, p.y, body.rotation, v.x, v.y,
    body.angular_velocity))
end
file:close()

print(("# %d disks, drum of %g m, %d steps; fill %.3f"):format(#d.logs, diameter, steps, d.fill))
print("name,ms a step (median),ms (least),residual,worst overlap,mean overlap")

local function ours(solver, tolerance, iterations)
  d.world:restore(start)
  d.world.solver, d.world.tolerance, d.world.max_iterations = solver, tolerance, iterations
  local times, residual, worst, sum, count = {}, 0, 0, 0, 0
  for k = 1, steps do
    local before = core.now()
    d.world:step()
    times[k] = (core.now() - before) * 1e3
    residual = math.max(residual, d.world.stats.residual)
    worst = math.max(worst, d.world.stats.penetration)
    sum, count = sum + d.world.stats.penetration, count + 1
  end
  table.sort(times)
  local name = ("delassus (%s to %g or %d)"):format(solver, tolerance, iterations)
  print(("%s,%.4f,%.4f,%.2g,%.3g,%.3g"):format(name, times[steps // 2 + 1], times[1], residual, worst,
    sum / count))
end

local function peer(name)
  local source, program = ("bench/peers/drum_%s.cpp"):format(name), os.tmpname()
  local libs = name == "box2d" and "-lbox2d" or "-lchipmunk"
  if os.execute(("g++ -O2 -o %s %s %s 2>/dev/null"):format(program, source, libs)) then
    os.execute(("%s %s %d"):format(program, path, steps))
  else
    print("# " .. name .. " is not here: apt-get install g++ libbox2d-dev libchipmunk-dev")
  end
  os.remove(program)
end

ours("nsgs", 1e-3, 30)
peer("box2d")
ours("nsgs", 1e-3, 100)
peer("chipmunk")
ours("auto", 1e-3, 1000)
os.remove(path)
