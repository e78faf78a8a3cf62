local drum = require "delassus.drum"

-- The hash of a drum after its first lifts.
local function lifted(options, time)
  options.seed, options.fill, options.dt = 9, 0.4, 4e-3
  local d = drum(options)
  d:settle()
  d:run { time = time }
  local hash = d.world:hash()
  d.world:close()
  return hash
end

-- A small drum in the plane, and one in space with enough contacts for the sweeps in lanes.
return function()
  return lifted({ diameter = 1.5, planar = true, logs = { diameter = { 0.1, 0.2 } } }, 0.4) .. "," ..
    lifted({ diameter = 1.2, length = 1.6, rpm = 15, logs = { diameter = { 0.15, 0.25 }, length = { 0.5, 0.8 } } }, 0.2)
end
