--- Sparse complementarity problems of any size: columns and piles of equal disks.
local delassus = require "delassus"

local M = {}

--- n bodies in a column on the ground, masses and velocities by turns.
function M.stack(n, wave)
  local A, q, before, v_before = { rows = n, cols = n }, {}, 0, 0
  for i = 1, n do
    local inverse, v = 1 / (0.5 + 1.5 * (0.5 + 0.5 * math.sin(7.1 * i))), -0.0981 + wave * math.sin(1.3 * i * i)
    A[#A + 1] = { i, i, inverse + before }
    if i < n then
      A[#A + 1] = { i, i + 1, -inverse }
      A[#A + 1] = { i + 1, i, -inverse }
    end
    q[i] = v - v_before
    before, v_before = inverse, v
  end
  return delassus.sparse(A), q
end

--- The first n contacts of a hexagonal pile of equal disks in a box: { disk, below (nil: the box), x, y }.
local function contacts(n)
  local columns, list, row, first, below = math.max(3, math.ceil((n / 3) ^ 0.5) + 1), {}, 0, 0, 0
  local function add(...) if #list < n then list[#list + 1] = { ... } end end
  while #list < n do
    local odd = row % 2
    for i = 0, columns - odd - 1 do
      local disk, left, n_below = first + i, odd == 1 and i or i - 1, columns - (row + 1) % 2
      if row == 0 then add(disk, false, 0, 1) end
      if odd == 0 and i == 0 then add(disk, false, 1, 0) end
      if odd == 0 and i == columns - 1 then add(disk, false, -1, 0) end
      if i > 0 then add(disk, disk - 1, 1, 0) end
      if row > 0 and left >= 0 then add(disk, below + left, 0.5, 3 ^ 0.5 / 2) end
      if row > 0 and left + 1 < n_below then add(disk, below + left + 1, -0.5, 3 ^ 0.5 / 2) end
    end
    below, first, row = first, first + columns - odd, row + 1
  end
  return list
end

--- A planar pile: semidefinite and singular; gravity alone, or velocities of that size beside it.
function M.pile(n, speed)
  local list, at, A, q = contacts(n), {}, { rows = n, cols = n }, {}
  local function velocity(disk)
    if not disk then return 0, 0 end
    return speed * math.sin(3.7 * disk * disk), -0.0981 + speed * math.sin(2.3 * disk * disk + 1)
  end
  for k, c in ipairs(list) do
    for place = 1, 2 do
      local disk = c[place]
      if disk then
        at[disk] = at[disk] or {}
        table.insert(at[disk], { k, place == 1 and 1 or -1 })
      end
    end
    local xa, ya = velocity(c[1])
    local xb, yb = velocity(c[2])
    q[k] = c[3] * (xa - xb) + c[4] * (ya - yb)
  end
  for disk = 0, list[n][1] do
    for _, one in ipairs(at[disk] or {}) do
      for _, other in ipairs(at[disk]) do
        local a, b = list[one[1]], list[other[1]]
        A[#A + 1] = { one[1], other[1], one[2] * other[2] * (a[3] * b[3] + a[4] * b[4]) }
      end
    end
  end
  return delassus.sparse(A), q
end

return M
