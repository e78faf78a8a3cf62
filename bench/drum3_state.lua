-- bench/drum3_state.lua STATE [logs]: a drum of logs in space that has turned a quarter, for bench/drum3.lua: capsules of
-- 0.1-0.3 m by 2-4 m, 800 kg/m^3, half full, eight lifters, Froude number 0.2, friction 0.4, restitution 0.2. Laid densely and
-- turned with steps of 4 ms. Writes "radius length lifters height width omega gravity friction restitution density n", then a
-- line a log: "radius straight-length x y z qw qx qy qz vx vy vz wx wy wz"; the axis is x, z is up.
local bed = require "delassus.drum_bed"
local core = require "delassus.core"
local drum = require "delassus.drum"
local pack = require "delassus.drum_pack"
local room = require "delassus.drum_room"

local path, count = assert(arg[1], "drum3_state.lua STATE [logs]"), tonumber(arg[2]) or 1000

-- A log takes 0.1 m^3 of 0.36 solid share of a drum half full.
local length = 12 * (count / 1000) ^ (1 / 3)
length = math.max(length, 4.1)
local diameter = math.sqrt(count * 0.1 / 0.36 / length * 4 / math.pi)
local lifters = { count = 8, height = 0.15, width = 0.1 }
local omega = math.sqrt(0.2 * 9.81 / (diameter / 2))
local d = drum { diameter = diameter, length = length, rpm = omega * 30 / math.pi, lifters = lifters, seed = 1, dt = 4e-3,
  solver = "nsgs", max_iterations = 60, logs = { diameter = { 0.1, 0.3 }, length = { 2, 4 }, density = 800 } }

local list = {}
for k = 1, count do list[k] = bed.draw(d) end
local section = pack.new { radius = diameter / 2, lifters = lifters, angle = 0, smallest = 0.05, largest = 0.15 }
assert(room.lay(d, section, list) == 0, "no room for all logs")
io.stderr:write(("%d logs, drum of %.2f x %.2f m, fill as laid %.3f\n"):format(#d.logs, diameter, length, bed.measure(d)))
local start, steps = core.now(), math.floor(math.pi / 2 / omega / 4e-3) + 100 -- that much more for gathering speed
for k = 1, steps do
  bed.turn(d, omega * math.min(1, k / 200)) -- a drum that jerks drives the bed into itself
  d.world:step()
  if k % 50 == 0 then
    io.stderr:write(("step %d of %d, %.0f ms each, %d contacts, overlap %.2g\n"):format(k, steps,
      (core.now() - start) / k * 1e3, d.world.stats.contacts, d.world.stats.penetration))
  end
end

local file = assert(io.open(path, "w"))
local function write(...)
  local text = {}
  for i, x in ipairs { ... } do text[i] = ("%.17g"):format(x) end
  file:write(table.concat(text, " "), "\n")
end
-- eight lifters, an eighth of a turn apart: the quarter turn leaves them where they were, to a step
write(diameter / 2, length, lifters.count, lifters.height, lifters.width, omega, 9.81, 0.4, 0.2, 800, #d.logs)
for _, log in ipairs(d.logs) do
  local p, q, v, w = log.position, log.rotation, log.velocity, log.angular_velocity
  write(log.shape.radius, log.shape.length, p.x, p.y, p.z, q[1], q[2], q[3], q[4], v.x, v.y, v.z, w.x, w.y, w.z)
end
file:close()
