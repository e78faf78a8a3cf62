-- A drum of logs in space, and its report: settled, turned, every collision counted.
-- What the shell gives goes into friction, impacts and the logs' energy. The work by the report's power, what its contacts took,
-- the energy that the world has before and after, and what the projection of overlaps gave (4 mm a step at the rim) must agree.
-- Leaves drum3.html, the report with its replay, and drum3.svg, the logs' collisions.
-- Ends with: work of the shell against what became of it: agree to 0.1 J of some 2,400 J: true
local delassus = require "delassus"
local drum = require "delassus.drum"

local d = drum{ diameter = 2, length = 2, rpm = 10, seed = 3, dt = 2e-3, lifters = { count = 4, height = 0.1, width = 0.1 },
  logs = { diameter = {0.15, 0.25}, length = {1, 1.5}, density = 850, count = 12, strength = 5e4 } }
d:settle()
local function energy()
  local kinetic, potential = d.world:energy()
  return kinetic + potential
end
d:run{ revolutions = 0.02 } -- the shell has its speed from here on
local before, first, pushed = energy(), d:report(), d.world:ledger().correction
d:run{ revolutions = 0.2 }
local r = d:report()
local gained, push = energy() - before, d.world:ledger().correction - pushed
print(r)

local names, collisions = {}, {}
for i, log in ipairs(r.per_log) do names[i], collisions[i] = i, log.collisions end
assert(delassus.plot{ x = names, y = collisions, style = "bars", x_label = "log", y_label = "collisions",
  title = "Collisions of each log", file = "drum3.svg" })
assert(r:save "drum3.html")
local work, lost = r.power * r.time - first.power * first.time, r.dissipated - first.dissipated
print(("work %.1f J = %.1f J at contacts + %.1f J gained - %.1f J by the projection"):format(work, lost, gained, push))
print(("work of the shell against what became of it: agree to 0.1 J of some 2,400 J: %s"):format(
  tostring(math.abs(work - lost - gained + push) < 0.1 and math.abs(work - 2400) < 200)))
