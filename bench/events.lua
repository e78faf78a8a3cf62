-- Event-driven systems: events and steps a second, the residual of their complementarity problems beside. CSV.
-- lua5.4 bench/events.lua, with the rock's paths set (make bench BENCH=events).
local delassus = require "delassus"
package.path = "./spec/?.lua;" .. package.path
local systems = require "support.systems"

local function balls(n) -- on floors of their own, dropped from heights that differ
  local q, u, M, h, contacts = {}, {}, {}, {}, {}
  for i = 1, n do
    q[i], u[i], h[i], M[i] = 0.5 + 0.5 * i / n, 0, -9.81, {}
    for j = 1, n do M[i][j] = i == j and 1 or 0 end
    local w = {}
    for j = 1, n do w[j] = i == j and 1 or 0 end
    contacts[i] = { gap = function(x) return x[i] end, normal = w, restitution = 0.7 }
  end
  return delassus.system{ q = q, u = u, mass = M, forces = h, contacts = contacts, dt = 0.01 }
end

print("scenario,coordinates,contacts,simulated_s,wall_s,steps,events,events_per_s,residual")
for _, row in ipairs{ { "woodpecker", systems.woodpecker{ impact = "poisson" }, 1 }, { "10 bouncing balls", balls(10), 2 },
  { "100 bouncing balls", balls(100), 1 } } do
  local s, from = row[2], os.clock()
  s:run(row[3])
  local wall, stats = os.clock() - from, s.stats
  print(("%s,%d,%d,%g,%.3f,%d,%d,%.0f,%.1e"):format(row[1], #s.q, #s.contacts, row[3], wall, stats.steps, stats.events,
    stats.events / wall, stats.residual))
end
