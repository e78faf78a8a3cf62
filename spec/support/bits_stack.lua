local stack = require "delassus.stack"

-- The hash of a pile of unequal logs after its first collisions.
return function()
  local bodies = {}
  for i = 1, 12 do
    local r = 0.05 + 0.01 * ((7 * i) % 5)
    bodies[i] = { mass = 2670 * r * r, stiffness = 1e8 * r, position = 0.3 * i, radius = r, damping = 500 }
  end
  local s <close> = stack { bodies = bodies, dt = 2e-5 }
  s:step(20000)
  return s:hash()
end
