-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Disks laid one by one into the lowest free place of a drum's cross-section: a dense bed that is nearly at rest.
--
-- A place touches two things: two disks, a disk and the wall, a disk and the tip of a lifter, a lifter and the wall, the
-- tips of two lifters, or, where there is no other, a tip and the wall.
-- Pairs of things are kept while the smallest disk would still fit there; every new disk is tried at all of them, from
-- the lowest up. Lengths in m, the drum's axis is the origin, y is up.
-- @module delassus.drum_pack
local M = {}

local Pack = {}
Pack.__index = Pack

local SLACK = 1e-6 -- of a radius: neighbours are laid this far apart, so that rounding overlaps nothing

--- An empty cross-section.
-- @tparam table def `radius` of the drum, `lifters` {count, height, width}, `angle` of the first lifter (rad), `smallest`
-- and `largest` radius of a disk
function M.new(def)
  local self = setmetatable({ radius = def.radius, smallest = def.smallest, largest = def.largest, cell = 2 * def.largest,
    lifters = {}, tips = {}, sites = {}, cells = {}, n = 0 }, Pack)
  local lifters = def.lifters
  for k = 1, lifters.count do
    local angle = def.angle + 2 * math.pi * (k - 1) / lifters.count
    local lifter = { ux = math.cos(angle), uy = math.sin(angle), half = lifters.width / 2,
      tip = def.radius - lifters.height }
    self.lifters[k] = lifter
    for side = -1, 1, 2 do
      self.sites[#self.sites + 1] = { kind = "foot", lifter = lifter, side = side }
      self.tips[#self.tips + 1] = { x = lifter.tip * lifter.ux - side * lifter.half * lifter.uy,
        y = lifter.tip * lifter.uy + side * lifter.half * lifter.ux, r = 0 }
    end
  end
  self.sites[#self.sites + 1] = { kind = "bottom" }
  return self
end

local function key(ix, iy) return ix * 1048576 + iy end

--- Whether a disk at (x, y) is inside the drum and overlaps nothing.
function Pack:free(x, y, r)
  local room = self.radius - r
  if x * x + y * y > room * room * (1 + 1e-12) then return false end
  for _, lifter in ipairs(self.lifters) do
    local along, across = x * lifter.ux + y * lifter.uy, math.abs(y * lifter.ux - x * lifter.uy)
    local a, b = math.max(lifter.tip - along, 0), math.max(across - lifter.half, 0)
    if along > 0 and a * a + b * b < r * r * (1 - 1e-12) then return false end
  end
  local ix, iy = x // self.cell, y // self.cell
  for i = ix - 1, ix + 1 do
    for j = iy - 1, iy + 1 do
      local list = self.cells[key(i, j)]
      for k = 1, list and #list or 0 do
        local disk = list[k]
        local dx, dy, reach = x - disk.x, y - disk.y, r + disk.r
        if dx * dx + dy * dy < reach * reach * (1 - 1e-12) then return false end
      end
    end
  end
  return true
end

--- Centre of a disk of radius r at a site, or nil. The distances to two centres are given: the wall's is the origin.
local function centre(self, site, r)
  r = r * (1 + SLACK)
  if site.kind == "bottom" then return 0, -(self.radius - r) end
  local room = self.radius - r
  if site.kind == "foot" then
    local lifter, t = site.lifter, site.lifter.half + r
    local s = room * room - t * t
    if s < 0 then return nil end
    s, t = math.sqrt(s), site.side * t
    return s * lifter.ux - t * lifter.uy, s * lifter.uy + t * lifter.ux
  end
  local a, b = site.a, site.b
  local ra, rb = a.r + r, b and b.r + r or room
  local bx, by = b and b.x or 0, b and b.y or 0
  local dx, dy = bx - a.x, by - a.y
  local d2 = dx * dx + dy * dy
  local along = (ra * ra - rb * rb + d2) / (2 * d2)
  local h2 = ra * ra / d2 - along * along
  if h2 ~= h2 or h2 < 0 then return nil end
  local h = site.side * math.sqrt(h2)
  return a.x + along * dx - h * dy, a.y + along * dy + h * dx
end

-- Keeps both sides of a pair where the smallest disk fits.
local function add_pair(self, a, b)
  for side = -1, 1, 2 do
    local site = { a = a, b = b, side = side }
    local x, y = centre(self, site, self.smallest)
    if x and self:free(x, y, self.smallest) then self.sites[#self.sites + 1] = site end
  end
end

-- Places on the tips of two lifters: thinner disks may fall through where thicker ones lie.
local function add_tips(self)
  for i, tip in ipairs(self.tips) do
    for j = 1, i - 1 do
      local other = self.tips[j]
      local d2 = (tip.x - other.x) ^ 2 + (tip.y - other.y) ^ 2
      if d2 > 0 and d2 < 4 * self.largest * self.largest then
        for side = -1, 1, 2 do self.sites[#self.sites + 1] = { kind = "tips", a = tip, b = other, side = side } end
      end
    end
  end
end

--- Adds a disk that lies there already.
function Pack:put(x, y, r)
  local disk = { x = x, y = y, r = r }
  local ix, iy, far = x // self.cell, y // self.cell, 2 * self.largest
  local place = key(ix, iy)
  self.cells[place] = self.cells[place] or {}
  table.insert(self.cells[place], disk)
  for i = ix - 2, ix + 2 do
    for j = iy - 2, iy + 2 do
      for _, other in ipairs(self.cells[key(i, j)] or {}) do
        local gap = math.sqrt((x - other.x) ^ 2 + (y - other.y) ^ 2) - r - other.r
        if other ~= disk and gap < far then add_pair(self, disk, other) end
      end
    end
  end
  for _, tip in ipairs(self.tips) do
    if math.sqrt((x - tip.x) ^ 2 + (y - tip.y) ^ 2) - r < far then add_pair(self, disk, tip) end
  end
  if self.radius - math.sqrt(x * x + y * y) - r < far then add_pair(self, disk, nil) end
  self.n = self.n + 1
end

local function lower(a, b)
  if a.y ~= b.y then return a.y < b.y end
  return a.x < b.x
end

--- Lays a disk of radius r into the lowest free place.
-- @treturn number|nil x, or nil where there is no place
-- @treturn number y
function Pack:lay(r)
  if not self.tipped then
    self.tipped = true
    add_tips(self)
  end
  local places, alive = {}, {}
  for _, site in ipairs(self.sites) do
    local x, y = centre(self, site, r)
    if x then places[#places + 1] = { x = x, y = y, site = site } end
  end
  table.sort(places, lower)
  local found
  for _, place in ipairs(places) do
    if self:free(place.x, place.y, r) then
      found = place
      break
    end
    local x, y = centre(self, place.site, self.smallest)
    place.site.dead = place.site.kind ~= "tips" and not (x and self:free(x, y, self.smallest))
  end
  for _, site in ipairs(self.sites) do
    if not site.dead then alive[#alive + 1] = site end
  end
  self.sites = alive
  if not found and not self.walled then
    self.walled = true
    for _, tip in ipairs(self.tips) do add_pair(self, tip, nil) end
    return self:lay(r)
  end
  if not found then return nil end
  self:put(found.x, found.y, r)
  return found.x, found.y
end

return M
