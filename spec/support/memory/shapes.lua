local delassus = require "delassus"
function phase()
  local disk = delassus.disk { radius = 1 }
  local hull = delassus.convex { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 1 } } }
  local parts = {
    disk, hull, delassus.polygon { { 0, 0 }, { 1, 0 }, { 0, 1 } }, delassus.box { size = { 1, 2, 3 } },
    delassus.drum { radius = 2, lifters = { count = 3, height = .1, width = .1 } },
    delassus.mesh { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } },
    delassus.compound { { shape = disk, position = { 1, 0 } }, { shape = disk } },
  }
  local list = hull:contacts(nil, parts[4], nil, 1)
  local text = { tostring(#list), tostring(parts[7].children[1]) }
  for i, shape in ipairs(parts) do text[i + 2] = tostring(shape) end
  return table.concat(text)
end
