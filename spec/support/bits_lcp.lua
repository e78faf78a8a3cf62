local delassus = require "delassus"
local lcp = require "delassus.lcp"

-- A hash over the bits of answers to random symmetric problems, by every exact method.
return function()
  local random = delassus.random(7)
  local parts = {}
  for n = 2, 40, 2 do
    local A, M, q = {}, {}, {}
    for i = 1, n do
      A[i], q[i] = {}, random:normal(0, 1)
      for j = 1, n do A[i][j] = random:normal(0, 1) end
    end
    for i = 1, n do
      M[i] = {}
      for j = 1, n do
        M[i][j] = 0
        for k = 1, n do M[i][j] = M[i][j] + A[i][k] * A[j][k] end
      end
      M[i][i] = M[i][i] + 0.1
    end
    for _, method in ipairs { "energy", "block", "lemke" } do
      for _, z in ipairs(lcp.solve { M = M, q = q, method = method }.z:totable()) do
        parts[#parts + 1] = ("%a"):format(z)
      end
    end
  end
  local pile = { rows = 60, cols = 60 }
  for i = 1, 60 do
    pile[#pile + 1] = { i, i, 4 }
    for _, step in ipairs { 1, 7 } do
      if i > step then
        pile[#pile + 1] = { i, i - step, -1 }
        pile[#pile + 1] = { i - step, i, -1 }
      end
    end
  end
  local q = {}
  for i = 1, 60 do q[i] = random:normal(0, 1) end
  for _, z in ipairs(lcp.solve { M = delassus.sparse(pile), q = q, method = "block" }.z:totable()) do
    parts[#parts + 1] = ("%a"):format(z)
  end
  return require("delassus.core").hash(table.concat(parts, ","))
end
