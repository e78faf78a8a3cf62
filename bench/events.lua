-- Systems and worlds with events: events and steps a second, event-driven and by time stepping, and Siconos' kernel on
-- the same. CSV. lua5.4 bench/events.lua [PROGRAM], with the rock's paths set (make bench BENCH=events); PROGRAM is
-- bench/peers/siconos_events.cpp compiled, without it only ours runs. Seconds are processor time.
-- error: of the first coordinate at the end; of balls against the closed form, of the woodpecker against its events by
-- rtol = 1e-12. The woodpecker as a world has turns of any size: its own event-driven run is its measure.
local delassus = require "delassus"
package.path = "./spec/?.lua;" .. package.path
local mechanisms = require "support.mechanisms"
local systems = require "support.systems"

local program = arg[1]
local g, e = 9.81, 0.7

local function balls(n, o) -- on floors of their own, dropped from heights that differ
  local q, u, M, h, contacts = {}, {}, {}, {}, {}
  for i = 1, n do
    q[i], u[i], h[i], M[i] = 0.5 + 0.5 * i / n, 0, -g, {}
    local w = {}
    for j = 1, n do M[i][j], w[j] = i == j and 1 or 0, i == j and 1 or 0 end
    contacts[i] = { gap = function(x) return x[i] end, normal = w, restitution = e }
  end
  return delassus.system{ q = q, u = u, mass = M, forces = h, contacts = contacts, dt = o.dt, scheme = o.scheme }
end

local function balls_world(n, o)
  local world = delassus.world{ planar = true, dt = o.dt, scheme = o.scheme, record = false }
  local material = delassus.material{ friction = 0, restitution = e }
  world:floor{ material = material }
  local first
  for i = 1, n do
    local ball = world:disk{ radius = 0.1, mass = 1, position = { i, 0.6 + 0.5 * i / n }, material = material }
    first = first or ball
  end
  return world, function() return first.position.y - 0.1 end
end

--- Height of the first ball after t s, in closed form.
local function height(n, t)
  local y = 0.5 + 0.5 / n
  local fall = math.sqrt(2 * y / g)
  if t < fall then return y - g * t * t / 2 end
  local v, at = e * g * fall, fall
  while v > 1e-9 and at + 2 * v / g < t do v, at = e * v, at + 2 * v / g end
  t = t - at
  return v > 1e-9 and v * t - g * t * t / 2 or 0
end

local function row(scenario, by, scheme, dt, span, wall, steps, events, error, residual)
  print(("%s,%s,%s,%g,%g,%.4f,%d,%.0f,%s,%s,%.1e,%s"):format(scenario, by, scheme, dt, span, wall, steps, steps / wall,
    events or "", events and ("%.0f"):format(events / wall) or "", error, residual and ("%.1e"):format(residual) or ""))
end

local function system_row(scenario, s, dt, span, exact)
  collectgarbage()
  local from = os.clock()
  s:run(span)
  local wall, stats = os.clock() - from, s.stats
  row(scenario, "system", s.scheme, dt, span, wall, stats.steps, stats.events, math.abs(s.q[1] - exact), stats.residual)
end

local function world_row(scenario, world, read, dt, span, exact)
  collectgarbage()
  local from = os.clock()
  local fine, told = pcall(world.run, world, span)
  if not fine then return print(("%s,world,%s,%g,%g,%q,,,,,,"):format(scenario, world.scheme, dt, span, told)) end
  local wall = os.clock() - from
  row(scenario, "world", world.scheme, dt, span, wall, math.floor(span / dt + 0.5),
    world.scheme == "event-driven" and #world.events or nil, math.abs(read() - exact), world.stats.residual)
end

local function siconos_row(scenario, scene, n, scheme, dt, span, exact)
  if not program then return end
  local pipe = assert(io.popen(("%s %s %d %s %.17g %.17g 2>/dev/null"):format(program, scene, n, scheme, dt, span)))
  local wall, steps, q = (pipe:read("a") or ""):match("(%S+) (%S+) (%S+)%s*$")
  pipe:close()
  if not wall then return print(("%s,siconos,%s,%g,%g,failed,,,,,,"):format(scenario, scheme, dt, span)) end
  row(scenario, "siconos", scheme, dt, span, tonumber(wall), tonumber(steps), nil, math.abs(tonumber(q) - exact))
end

print("scenario,by,scheme,dt,simulated_s,seconds,steps,steps_per_s,events,events_per_s,error,residual")
for _, of in ipairs { { 10, 2 }, { 100, 1 } } do
  local n, span = of[1], of[2]
  local scenario, exact = n .. " bouncing balls", height(n, span)
  for _, way in ipairs { { "event-driven", 0.01 }, { "time-stepping", 1e-3 } } do
    local scheme, dt = way[1], way[2]
    system_row(scenario, balls(n, { scheme = scheme, dt = dt }), dt, span, exact)
    local world, read = balls_world(n, { scheme = scheme, dt = dt })
    world_row(scenario, world, read, dt, span, exact)
    siconos_row(scenario, "balls", n, scheme, dt, span, exact)
  end
end

local span, start = 1, { q = { 0, -0.1, -0.2788 }, u = { -0.3411, 0, -7.4583 } }
local fine = systems.woodpecker{ dt = 1e-3 }
fine:run(span)
start.scheme, start.dt = "event-driven", 1e-3
local turned = mechanisms.woodpecker_system(start)
turned:run(span)
for _, way in ipairs { { "event-driven", 1e-3 }, { "time-stepping", 1e-4 } } do
  local scheme, dt = way[1], way[2]
  system_row("woodpecker", systems.woodpecker{ scheme = scheme, dt = dt }, dt, span, fine.q[1])
  start.scheme, start.dt = scheme, dt
  local world, read = mechanisms.woodpecker_world(start)
  world_row("woodpecker", world, function() return read()[1] end, dt, span, turned.q[1])
  if scheme == "time-stepping" then siconos_row("woodpecker", "woodpecker", 3, scheme, dt, span, fine.q[1]) end
end
