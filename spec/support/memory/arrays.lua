local delassus = require "delassus"
function phase()
  local A = delassus.matrix { { 2, 1 }, { 1, 3 } }
  local S = delassus.sparse { rows = 2, cols = 2, { 1, 1, 2 }, { 2, 1, 1 } }
  local x = A * (S * { 1, 2 }) + { 1, 1 }
  return tostring(x) .. tostring(delassus.vec { 1, 2, 3 } * 2) .. tostring(A)
end
