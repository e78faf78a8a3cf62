-- Gear rattle: an idle gear between the flanks of a tooth gap of 0.2 mm whose driver shakes, with a drag torque.
-- Two unilateral contacts with gaps that move with time, e = 0.6: flights and impacts, no lasting contact.
-- Momentum: J (omega - omega_0) = r (impulses of the flanks) - drag t, to round-off of the sums.
-- Leaves gear_rattle.svg: play and relative speed of the idle gear.
-- Ends with: angular momentum and impulses agree to 1e-9: true
local delassus = require "delassus"

local J, r, play, drag, A, w = 1e-3, 0.04, 1e-4, 2e-3, 4e-3, 2 * math.pi * 25
local function driver(t) return A * math.sin(w * t) end
local function flank(side) -- pushes the gear on (1) or back (-1)
  return { restitution = 0.6, gap = function(q, t) return side * r * (q[1] - driver(t)) + play end, normal = { side * r },
    normal_speed = function(_, t) return -side * r * A * w * math.cos(w * t) end,
    normal_bias = function(_, _, t) return side * r * A * w * w * math.sin(w * t) end }
end
local s = delassus.system { q = { 0 }, u = { 0 }, dt = 1e-4, mass = { { J } }, forces = { -drag },
  contacts = { flank(1), flank(-1) } }

local track, held = s:record {}, 0
for _ = 1, 4000 do
  s:step()
  for _, i in ipairs(s:sets().N) do held = held + (s.contacts[i].normal_force > 0 and 1 or 0) end
end
local impulse, hits = 0, {}
for _, event in ipairs(s.events) do
  if event.kind == "impact" then
    impulse, hits[#hits + 1] = impulse + r * (event.index == 1 and 1 or -1) * event.normal_impulse, event.t
  end
end
local relative, speed, k = {}, {}, 1
for i, t in ipairs(track.t) do
  relative[i], speed[i] = 1e3 * r * (track.q[1][i] - driver(t)), r * (track.u[1][i] - A * w * math.cos(w * t))
  if hits[k] and hits[k] <= t then speed[i] = 0 / 0 end -- a hole in the curve where it jumps
  while hits[k] and hits[k] <= t do k = k + 1 end
end
assert(delassus.plot { x = relative, y = speed, title = "Gear rattle", x_label = "between the flanks (mm)",
  y_label = "speed to the driver (m/s)", x_range = { -0.11, 0.11 }, file = "gear_rattle.svg" })
print(("%d impacts in %g s, %d of 4000 samples in contact"):format(#hits, s.time, held))
local off = J * s.u[1] - impulse + drag * s.time
print("angular momentum and impulses agree to 1e-9: " .. tostring(held == 0 and math.abs(off) < 1e-9))
