-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
--- x with A x = b, by elimination with pivots; A and b stay as they are.
return function(A, b)
  local n, M, x = #b, {}, {}
  for i = 1, n do
    M[i] = { table.unpack(A[i], 1, n) }
    M[i][n + 1] = b[i]
  end
  for k = 1, n do
    local best = k
    for i = k + 1, n do if math.abs(M[i][k]) > math.abs(M[best][k]) then best = i end end
    M[k], M[best] = M[best], M[k]
    for i = k + 1, n do
      local f = M[i][k] / M[k][k]
      for j = k, n + 1 do M[i][j] = M[i][j] - f * M[k][j] end
    end
  end
  for i = n, 1, -1 do
    x[i] = M[i][n + 1]
    for j = i + 1, n do x[i] = x[i] - M[i][j] * x[j] end
    x[i] = x[i] / M[i][i]
  end
  return x
end
