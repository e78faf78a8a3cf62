local drum = require "delassus.drum"
function phase()
  local d = drum { diameter = 1, planar = true, seed = 2, lifters = { count = 2, height = 0.1, width = 0.1 },
    logs = { diameter = 0.3, count = 3 }, dt = 4e-3 }
  d:settle()
  d:run { time = 0.02 }
  local text = tostring(d:report()) .. d.world:hash()
  d.world:close()
  return text
end
