-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- A settled drum without a simulation: disks dropped one by one into a round drum, each resting on the two supports
-- (disks or wall) where it comes to lie deepest; the contact problem of one step of gravity from rest. The spatial
-- problem takes spheres in the drum's middle plane, with a sideways shove on each.
local M = {}

--- The two points at distance ra from a and rb from b (for the drum, b its centre and rb = R - r); nil where none.
local function meet(ax, ay, ra, bx, by, rb)
  local dx, dy = bx - ax, by - ay
  local d2 = dx * dx + dy * dy
  local d = math.sqrt(d2)
  if d > ra + rb or d < math.abs(ra - rb) or d == 0 then return nil end
  local x = (d2 + ra * ra - rb * rb) / (2 * d)
  local y = math.sqrt(math.max(0, ra * ra - x * x))
  local mx, my = ax + x * dx / d, ay + x * dy / d
  return mx - y * dy / d, my + y * dx / d, mx + y * dy / d, my - y * dx / d
end

local Pile = {}
Pile.__index = Pile

function Pile:cell(x, y) return math.floor(x / self.size) * 65536 + math.floor(y / self.size) end

--- Disks whose cells touch that of (x, y), in the order of cells and of placing.
function Pile:near(x, y)
  local out, i, j = {}, math.floor(x / self.size), math.floor(y / self.size)
  for a = i - 1, i + 1 do
    for b = j - 1, j + 1 do
      for _, k in ipairs(self.grid[a * 65536 + b] or {}) do out[#out + 1] = k end
    end
  end
  return out
end

function Pile:free(x, y, r)
  if x * x + y * y > (self.R - r) ^ 2 * (1 + 1e-9) then return false end
  for _, k in ipairs(self:near(x, y)) do
    local dx, dy, s = x - self.x[k], y - self.y[k], r + self.r[k]
    if dx * dx + dy * dy < s * s * (1 - 1e-9) then return false end
  end
  return true
end

function Pile:place(x, y, r)
  local k = #self.x + 1
  for _, j in ipairs(self:near(x, y)) do
    if (x - self.x[j]) ^ 2 + (y - self.y[j]) ^ 2 < (r + self.r[j] + self.size / 2) ^ 2 then
      self.pairs[#self.pairs + 1] = { j, k }
    end
  end
  if self.R - math.sqrt(x * x + y * y) < r + self.size / 2 then self.pairs[#self.pairs + 1] = { k, 0 } end
  self.x[k], self.y[k], self.r[k] = x, y, r
  local c = self:cell(x, y)
  self.grid[c] = self.grid[c] or {}
  table.insert(self.grid[c], k)
end

--- The two places of a disk of radius r that touches both of a pair, nil where it cannot.
function Pile:places(pair, r)
  local a, b = pair[1], pair[2]
  if b == 0 then return meet(self.x[a], self.y[a], self.r[a] + r, 0, 0, self.R - r) end
  return meet(self.x[a], self.y[a], self.r[a] + r, self.x[b], self.y[b], self.r[b] + r)
end

local LEAST, MOST = 0.04, 0.06 -- m, radii

--- The deepest free place for a disk of radius r beside two neighbours that support it from both sides. Pairs beside
-- which not even the smallest disk fits any more are forgotten.
function Pile:drop(r)
  local best, bx, by
  for n = #self.pairs, 1, -1 do
    local pair = self.pairs[n]
    local a, b = pair[1], pair[2]
    local x1, y1, x2, y2 = self:places(pair, r)
    local any = false
    for k = 1, 2 do
      local x, y = x1, y1
      if k == 2 then x, y = x2, y2 end
      if x and self:free(x, y, r) then
        any = true
        local right = b == 0 and (x < 0 and -math.huge or math.huge) or self.x[b]
        if (self.x[a] - x) * (right - x) < 0 and (not best or y < best) then best, bx, by = y, x, y end
      end
    end
    if not any then
      x1, y1, x2, y2 = self:places(pair, LEAST)
      if not (x1 and (self:free(x1, y1, LEAST) or self:free(x2, y2, LEAST))) then
        self.pairs[n] = self.pairs[#self.pairs]
        self.pairs[#self.pairs] = nil
      end
    end
  end
  assert(best, "the drum is full")
  self:place(bx, by, r)
end

--- Centres and radii of n disks (mean radius 1/20 m) in a drum that they fill by about a third.
function M.disks(n, seed)
  math.randomseed(seed)
  local pile = setmetatable({ x = {}, y = {}, r = {}, grid = {}, pairs = {}, size = 0.24,
    R = 0.05 * math.sqrt(3 * n) }, Pile)
  local r = 0.05
  pile:place(0, -(pile.R - r), r)
  for _ = 2, n do pile:drop(LEAST + (MOST - LEAST) * math.random()) end
  return pile
end

--- Contacts as { a, b, normal, distance }: b = 0 is the wall; the normal points from b to a.
local function contacts(pile)
  local list = {}
  for k = 1, #pile.x do
    local x, y, r = pile.x[k], pile.y[k], pile.r[k]
    local d = math.sqrt(x * x + y * y)
    if pile.R - d - r < 1e-7 then list[#list + 1] = { k, 0, -x / d, -y / d } end
    for _, j in ipairs(pile:near(x, y)) do
      local dx, dy = x - pile.x[j], y - pile.y[j]
      local s = math.sqrt(dx * dx + dy * dy)
      if j < k and s - r - pile.r[j] < 1e-7 then list[#list + 1] = { k, j, dx / s, dy / s } end
    end
  end
  return list
end

--- Rows of J for one contact and one body: sign +1 for a, -1 for b. Planar bodies (x, y, angle), spatial ones
-- (x, y, z, three angles), z along the drum; the tangents are (-ny, nx, 0) and z.
local function rows(nx, ny, r, sign, spatial)
  if not spatial then
    return { { sign * nx, sign * ny, 0 }, { -sign * ny, sign * nx, -r } }
  end
  return { { sign * nx, sign * ny, 0, 0, 0, 0 }, { -sign * ny, sign * nx, 0, 0, 0, -r },
    { 0, 0, sign, r * ny, -r * nx, 0 } }
end

--- The contact problem of one step h = 1 ms from rest: options for lcp.cone and lists for a peer.
-- @tparam table o `disks`, `seed`, `spatial`, `friction`, `tilt` (rad, of gravity; the pile stays)
function M.problem(o)
  local pile = M.disks(o.disks, o.seed or 1)
  local list, d, h = contacts(pile), o.spatial and 3 or 2, 1e-3
  local by_body, q, J = {}, {}, {}
  for c, contact in ipairs(list) do
    J[c] = {}
    for side = 1, 2 do
      local body = contact[side]
      if body > 0 then
        by_body[body] = by_body[body] or {}
        table.insert(by_body[body], c)
        J[c][body] = rows(contact[3], contact[4], pile.r[body], side == 1 and 1 or -1, o.spatial)
      end
    end
  end
  local entries, blocks = { rows = d * #list, cols = d * #list }, 0
  local velocity, weight = {}, {}
  local across, down = 9.81 * h * math.sin(o.tilt or 0), -9.81 * h * math.cos(o.tilt or 0)
  for k = 1, #pile.x do
    local r = pile.r[k]
    local m = 850 * (o.spatial and 4 / 3 * math.pi * r ^ 3 or math.pi * r ^ 2)
    local inertia = (o.spatial and 0.4 or 0.5) * m * r * r
    if o.spatial then
      weight[k] = { 1 / m, 1 / m, 1 / m, 1 / inertia, 1 / inertia, 1 / inertia }
      velocity[k] = { across, down, 9.81 * h * 0.3 * (2 * math.random() - 1), 0, 0, 0 }
    else
      weight[k] = { 1 / m, 1 / m, 1 / inertia }
      velocity[k] = { across, down, 0 }
    end
  end
  for c, contact in ipairs(list) do
    local seen = {}
    for i = 1, d do q[d * (c - 1) + i] = 0 end
    for side = 1, 2 do
      local body = contact[side]
      for _, other in ipairs(by_body[body] or {}) do
        if not seen[other] then seen[other], blocks = true, blocks + 1 end
        for i = 1, d do
          for j = 1, d do
            local sum = 0
            for l, w in ipairs(weight[body]) do sum = sum + J[c][body][i][l] * w * J[other][body][j][l] end
            entries[#entries + 1] = { d * (c - 1) + i, d * (other - 1) + j, sum }
          end
        end
      end
      if body > 0 then
        for i = 1, d do
          for l, v in ipairs(velocity[body]) do
            q[d * (c - 1) + i] = q[d * (c - 1) + i] + J[c][body][i][l] * v
          end
        end
      end
    end
  end
  return { entries = entries, q = q, friction = o.friction or 0.5, planar = not o.spatial, contacts = #list,
    dimension = d, name = ("drum of %d %s, %d contacts"):format(o.disks, o.spatial and "spheres" or "disks", #list) }
end

--- Writes the problem as Siconos reads it: sparse blocks, each by columns.
function M.write(problem, file)
  local d, n, block = problem.dimension, problem.contacts, {}
  for c = 1, n do block[c] = {} end
  for _, e in ipairs(problem.entries) do
    local i, j = (e[1] - 1) // d + 1, (e[2] - 1) // d + 1
    local at = (e[1] - 1) % d + 1 + d * ((e[2] - 1) % d)
    block[i][j] = block[i][j] or {}
    block[i][j][at] = (block[i][j][at] or 0) + e[3]
  end
  local out, start, index, blocks = assert(io.open(file, "w")), { 0 }, {}, {}
  for i = 1, n do
    for j = 1, n do
      if block[i][j] then index[#index + 1], blocks[#blocks + 1] = j - 1, block[i][j] end
    end
    start[i + 1] = #index
  end
  local sizes = {}
  for i = 1, n do sizes[i] = d * i end
  local function line(list) out:write(table.concat(list, "\t"), "\n") end
  out:write(("%d\n%d\n1\n%d\n%d\n%d\n%d\n%d\n"):format(d, n, d * n, d * n, #blocks, n, n))
  line(sizes)
  line(sizes)
  out:write(("%d\n%d\n"):format(n + 1, #blocks))
  line(start)
  line(index)
  for k, b in ipairs(blocks) do
    local numbers = {}
    for m = 1, d * d do numbers[m] = ("%.17g"):format(b[m] or 0) end
    out:write(k - 1, "\t")
    line(numbers)
  end
  for _, x in ipairs(problem.q) do out:write(("%.17g\n"):format(x)) end
  for _ = 1, n do out:write(("%.17g\n"):format(problem.friction)) end
  out:close()
end

return M
