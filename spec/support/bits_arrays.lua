local delassus = require "delassus"

return function()
  local A = delassus.matrix { { 1 / 3, 2 / 7 }, { 3 / 11, 4 / 13 } }
  local x = A * (A * delassus.vector { 1 / 17, 19 / 23 })
  return ("%a,%a,%a"):format(x[1], x[2], x:norm())
end
