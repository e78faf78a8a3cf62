-- A pile of logs is lifted half a metre and dropped: every collision from the floor up, exactly complementary.
-- Each log is a mass between two springs (Kolesnikov 2013), stiffness 1e7 N/m * diameter / 0.2 m; contacts only push.
-- Usage: lua5.4 examples/stack_of_logs.lua [my_logs.csv [page.html]]: diameter, length and density with their units.
-- Prints the peak force and the collisions of every contact and the energy balance; writes the page with the replay.
-- Ends with: 60 logs, 3.94 t: 374 collisions, peak force 147844.6 N
local stack = require "delassus.stack"
local logs = require "delassus.logs"

local here = arg[0]:match("^(.*)[/\\]") or "."
local file, page = arg[1] or here .. "/data/logs.csv", arg[2] or "stack.html"
local measured = assert(logs.read(file))

local s = stack { bodies = stack.pile { logs = measured, height = 0.5, gap = 0.01, damping = 10 }, dt = 1e-5 }
local bars, mass = {}, 0
for i, log in ipairs(measured) do
  local body = stack.log(log)
  bars[i] = { radius = log.diameter / 2, length = log.length, stiffness = body.stiffness }
  mass = mass + body.mass
end

local recording = s:record { time = 2, every = 1e-3, bars = bars }
print(recording:table())

local report = recording:report {
  title = ("A pile of %d logs, dropped half a metre"):format(#measured),
  subtitle = ("%s: %.2f t of wood on a line, time step %g s"):format(file, mass / 1000, s.dt),
  text = { "Each log is a mass between two springs of 1e7 N/m * diameter / 0.2 m, damped by 10 N s/m per kg while it "
    .. "is touched (little, so that logs bounce). Contacts only push: gap and force are complementary at every step." },
}
assert(report:save(page))
print("the page: " .. page)

local peak = 0
for _, force in ipairs(s.peak_forces:totable()) do peak = math.max(peak, force) end
print(("%d logs, %.2f t: %d collisions, peak force %.1f N"):format(#measured, mass / 1000, s.collisions, peak))
