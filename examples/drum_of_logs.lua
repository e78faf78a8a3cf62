-- A debarking drum in the plane: filled half with logs, turned three times, every collision with exact Coulomb friction.
-- The bed is settled first; then the shell, 5 m wide with 8 lifters, turns at 6 rpm, and what happens to each log is kept.
-- Steps of 5 ms, chosen for a demonstration of about a minute, are solved to a residual of 1e-3: steps that missed it and the
-- overlap that was left are in the report and its charts. Usage: lua5.4 examples/drum_of_logs.lua [page.html [revolutions]]
-- Ends with a line like: 516 logs, 3 revolutions, 50.0 % full: 124498 collisions, 23.4 kW at the shell
local drum = require "delassus.drum"

local page, revolutions = arg[1] or "drum.html", tonumber(arg[2] or 3)

local d = drum {
  diameter = 5, rpm = 6, fill = "50 %", planar = true, seed = 42,
  lifters = { count = 8, height = 0.15, width = 0.1 },
  logs = { diameter = { 0.08, 0.2 }, density = 850, strength = 2000 },
  dt = 5e-3, tolerance = 1e-3,
}
d:settle()
d:run { revolutions = revolutions, progress = true, every = 1 / 15 }

local r = d:report()
print(r)
assert(r:save(page))
print("the page: " .. page)
print(("%d logs, %g revolutions, %.1f %% full: %d collisions, %.1f kW at the shell"):format(r.logs, r.revolutions,
  100 * d.fill, r.collisions, r.power / 1000))
