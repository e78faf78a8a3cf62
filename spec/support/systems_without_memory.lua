-- Systems given by their equations, after their first steps, and further ones in which the core may not ask for memory, of
-- which Lua needs some: every call of a function is handed a table. Events are not kept: a list of them grows.
local delassus = require "delassus"
local core = require "delassus.core"

--- Two points coupled by their masses that bounce on floors; a block that a force drives to and fro against friction.
local function system(scheme, impact)
  local contacts = {}
  for i = 1, 3 do
    local normal = { 0, 0, 0, 0 }
    normal[i] = 1
    contacts[i] = { gap = function(q) return q[i] end, normal = normal, restitution = i < 3 and 0.3 * i or 0 }
  end
  contacts[3].tangent, contacts[3].friction = { 0, 0, 0, 1 }, 0.3
  return delassus.system{ q = { 0.1, 0.2, 0, 0 }, u = { 0, 0, 0, 1 }, scheme = scheme, impact = impact, log = false, dt = 1e-3,
    mass = { { 1, 0.1, 0, 0 }, { 0.1, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } }, contacts = contacts,
    forces = function(_, _, t) return { -9.81, -9.81, -9.81, 4 * math.sin(9 * t) } end }
end

local systems = { of_core(system, "time-stepping") } -- of_core: see failing_host.c
for k, impact in ipairs{ "newton", "poisson", "sequential" } do
  systems[1 + k] = of_core(system, "event-driven", impact)
end

local function steps(n)
  for _, s in ipairs(systems) do
    local left = n
    while left > 0 do left = left - core.system_steps(s, left) end
  end
end

steps(500)
local before = {}
for k, s in ipairs(systems) do before[k] = s.stats.impacts end

function phase() steps(500) end

function after() -- the points still bounce, the block slips and sticks
  for k, s in ipairs(systems) do assert(s.stats.impacts > before[k] and s.time > 0.999) end
end
