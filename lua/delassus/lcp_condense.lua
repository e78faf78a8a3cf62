--- Contact problems of systems with masses, M v = H r + f, u = H' v + b, written as u = W r + q.
-- @module delassus.lcp_condense

--- Coordinates that hang together in the mass matrix beyond which it is not inverted here.
local most_coupled = 400

--- The parts of a mass matrix that hang together, each a list of its coordinates with its block A; and the
-- place of each coordinate in its part.
local function parts_of(M)
  local root = {}
  for i = 1, M.rows do root[i] = i end
  local function find(i)
    while root[i] ~= i do root[i] = root[root[i]]; i = root[i] end
    return i
  end
  for _, e in ipairs(M) do root[find(e[1])] = find(e[2]) end
  local part_of, place, parts = {}, {}, {}
  for i = 1, M.rows do
    local r = find(i)
    if not parts[r] then parts[r] = { A = {} } end
    local part = parts[r]
    part[#part + 1], part_of[i], place[i] = i, part, #part + 1
  end
  for i = 1, M.rows do
    local part = part_of[i]
    if #part > most_coupled then
      return nil, ("%d coupled coordinates are too many to condense here"):format(#part)
    end
    local row = {}
    for j = 1, #part do row[j] = 0.0 end
    part.A[place[i]] = row
  end
  for _, e in ipairs(M) do
    local row = part_of[e[1]].A[place[e[1]]]
    row[place[e[2]]] = row[place[e[2]]] + e[3]
  end
  return part_of, place
end

--- Gauss-Jordan: part.inverse takes the place of part.A. False where a pivot is not positive.
local function invert(part)
  local A, n = part.A, #part
  for k = 1, n do
    local pivot = A[k][k] -- masses: symmetric positive definite, so the diagonal will do
    if pivot <= 0 or pivot ~= pivot then return false end
    local row = A[k]
    row[k] = 1.0
    for j = 1, n do row[j] = row[j] / pivot end
    for i = 1, n do
      local f = i ~= k and A[i][k] or 0.0
      if f ~= 0 then
        local to = A[i]
        to[k] = 0.0
        for j = 1, n do to[j] = to[j] - f * row[j] end
      end
    end
  end
  part.inverse, part.A = A, nil
  return true
end

--- W = H' M^-1 H and q = H' M^-1 f + b.
-- @tparam table M mass matrix, positive definite; as H with `rows`, `cols` and entries {i, j, value}
-- @tparam table H directions of the contacts, a column each
-- @tparam table f,b lists of numbers
-- @treturn table W of the same form, `dense` up to 300 columns; or nil
-- @treturn table q; nil, and why not as a third value
local function condense(M, H, f, b)
  local part_of, place = parts_of(M)
  if not part_of then return nil, nil, place end
  local columns, W, q = {}, { rows = H.cols, cols = H.cols, dense = H.cols <= 300 }, {}
  for j = 1, H.cols do columns[j] = {} end
  for _, e in ipairs(H) do columns[e[2]][e[1]] = (columns[e[2]][e[1]] or 0.0) + e[3] end
  local rows = {} -- of H: which columns touch a degree of freedom, in ascending order
  for i = 1, H.rows do rows[i] = {} end
  for j = 1, H.cols do
    for i = 1, H.rows do
      if columns[j][i] then rows[i][#rows[i] + 1] = j end
    end
  end
  for j = 1, H.cols do
    local y, sums, seen = {}, {}, {}
    q[j] = b[j]
    for i = 1, H.rows do
      local h = columns[j][i]
      local part = h and part_of[i]
      if part and not part.inverse and not invert(part) then
        return nil, nil, "the mass matrix is not positive definite"
      end
      for k = 1, part and #part or 0 do
        local dof = part[k]
        y[dof] = (y[dof] or 0.0) + part.inverse[k][place[i]] * h
      end
    end
    for i = 1, H.rows do
      if y[i] then
        q[j] = q[j] + y[i] * f[i]
        for _, l in ipairs(rows[i]) do
          if not sums[l] then seen[#seen + 1] = l end
          sums[l] = (sums[l] or 0.0) + columns[l][i] * y[i]
        end
      end
    end
    for _, l in ipairs(seen) do W[#W + 1] = { l, j, sums[l] } end
  end
  return W, q
end

return condense
