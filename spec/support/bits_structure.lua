local structures = require "support.structures"

-- Events, top and forces of a wall between two blocks, as hexadecimal numbers.
return function()
  local st, wall = structures.wall(12, 24, "incompatible")
  local path = st:follow { to = math.huge, tightening = 1 }
  local parts = { ("%d"):format(path.steps) }
  for k = 1, path.steps, 10 do parts[#parts + 1] = ("%a"):format(path.events[k].p) end
  local state = path:at(40)
  parts[#parts + 1] = ("%a,%a,%a"):format(state:displacement(wall[25]))
  for i = 1, 48, 7 do parts[#parts + 1] = ("%a,%a"):format(state.contacts[i].normal_force, state.contacts[i].slip) end
  return table.concat(parts, " ")
end
