local stack = require "delassus.stack"

local bodies = {}
for i = 1, 5 do bodies[i] = { mass = 20 + i, stiffness = 1e7, position = 0.3 * i, radius = 0.1, damping = 100 } end
local kept = stack { bodies = bodies, dt = 1e-4 }
kept:step(100)
local hash = kept:hash()

function phase()
  local s <close> = stack { bodies = bodies, dt = 1e-4 }
  s:step(3000)
  local snapshot = kept:snapshot()
  s:restore(snapshot)
  return s.forces, s.events, s.A, s.B, s:hash(), tostring(s)
end

function after()
  assert(kept:hash() == hash)
end
