local drum = require "delassus.drum"

-- The hash of a small drum after its first lifts.
return function()
  local d = drum { diameter = 1.5, planar = true, seed = 9, fill = 0.4, logs = { diameter = { 0.1, 0.2 } }, dt = 4e-3 }
  d:settle()
  d:run { time = 0.4 }
  local hash = d.world:hash()
  d.world:close()
  return hash
end
