-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Contact problems that iterations stall on: piles in space whose faces and lines touch exactly, with more points than
-- are needed to carry them, in one step of gravity from rest with a small random push on each body. Every maker takes a
-- seed and answers options for lcp.cone (W sparse, q, friction, kinds) and a name.
local delassus = require "delassus"

local M = {}

local G, H = 9.81, 1e-3 -- m/s2, s

local function cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

local function unit(a)
  local s = 1 / math.sqrt(dot(a, a))
  return { a[1] * s, a[2] * s, a[3] * s }
end

local Pile = {}
Pile.__index = Pile

--- An empty pile; tilt: of gravity, rad, about y; push: m/s.
local function pile(o)
  return setmetatable({ bodies = {}, contacts = {}, push = o.push or 1e-3,
    g = { G * H * math.sin(o.tilt or 0), 0, -G * H * math.cos(o.tilt or 0) } }, Pile)
end

--- A body with the moments of inertia j about the axes of the world.
function Pile:body(m, j, x)
  local v, w = {}, {}
  for i = 1, 3 do
    v[i] = self.g[i] + self.push * (2 * math.random() - 1)
    w[i] = 10 * self.push * (2 * math.random() - 1)
  end
  table.insert(self.bodies, { m = m, j = j, x = x, v = v, w = w })
  return #self.bodies
end

--- A contact at x, normal n from a to b; a = 0: the ground.
function Pile:touch(a, b, x, n) table.insert(self.contacts, { a, b, x, n }) end

function Pile:rows(c)
  local contact = self.contacts[c]
  local n = contact[4]
  local least = 1
  for i = 2, 3 do if math.abs(n[i]) < math.abs(n[least]) then least = i end end
  local e = { 0, 0, 0 }
  e[least] = 1
  local t = unit(cross(n, e))
  local axes, out = { n, t, cross(n, t) }, { {}, {} }
  for side = 1, 2 do
    local body = self.bodies[contact[side]]
    for k = 1, body and (self.arms and 6 or 3) or 0 do
      local sign, d = side == 2 and 1 or -1, axes[(k - 1) % 3 + 1]
      local r = { contact[3][1] - body.x[1], contact[3][2] - body.x[2], contact[3][3] - body.x[3] }
      local arm = k <= 3 and cross(r, d) or d
      local l = k <= 3 and d or { 0, 0, 0 }
      out[side][k] = { sign * l[1], sign * l[2], sign * l[3], sign * arm[1], sign * arm[2], sign * arm[3] }
    end
  end
  return out
end

--- W and q of all contacts.
function Pile:problem(o)
  self.arms = o.arms
  local d, J, by_body = o.arms and 6 or 3, {}, {}
  local entries, q = {}, {}
  for c, contact in ipairs(self.contacts) do
    J[c] = self:rows(c)
    for side = 1, 2 do
      local k = contact[side]
      if k > 0 then
        by_body[k] = by_body[k] or {}
        table.insert(by_body[k], { c, side })
      end
      for i = 1, d do
        local sum = 0
        local x, row = self.bodies[k], J[c][side][i]
        for l = 1, x and 3 or 0 do sum = sum + row[l] * x.v[l] + row[3 + l] * x.w[l] end
        q[d * (c - 1) + i] = (q[d * (c - 1) + i] or 0) + sum
      end
    end
  end
  for k, list in ipairs(by_body) do
    local body = self.bodies[k]
    for _, one in ipairs(list) do
      for _, two in ipairs(list) do
        for i = 1, d do
          for j = 1, d do
            local a, b, sum = J[one[1]][one[2]][i], J[two[1]][two[2]][j], 0
            for l = 1, 3 do sum = sum + a[l] * b[l] / body.m + a[3 + l] * b[3 + l] / body.j[l] end
            if sum ~= 0 then entries[#entries + 1] = { d * (one[1] - 1) + i, d * (two[1] - 1) + j, sum } end
          end
        end
      end
    end
  end
  entries.rows, entries.cols = #q, #q
  return { W = delassus.sparse(entries), q = q, friction = o.friction, kinds = o.kinds, contacts = #self.contacts,
    entries = entries, name = o.name }
end

local function log_of(self, r, l, x, axis)
  local m = 800 * math.pi * r * r * l
  local j = { m * l * l / 12 + m * r * r / 4, m * l * l / 12 + m * r * r / 4, m * l * l / 12 + m * r * r / 4 }
  j[axis] = m * r * r / 2
  return self:body(m, j, x)
end

local function box_of(self, size, x)
  local a, b, c = size[1], size[2], size[3]
  local m = 800 * a * b * c
  return self:body(m, { m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12 }, x)
end

--- The four corners of the overlap of two upright boxes' faces at height z.
local function face(self, below, above, box, z)
  local lo, hi = {}, {}
  for i = 1, 2 do
    lo[i] = math.max(box[below].lo[i], box[above].lo[i])
    hi[i] = math.min(box[below].hi[i], box[above].hi[i])
    if hi[i] - lo[i] < 1e-9 then return end
  end
  for _, x in ipairs{ lo[1], hi[1] } do
    for _, y in ipairs{ lo[2], hi[2] } do self:touch(below, above, { x, y, z }, { 0, 0, 1 }) end
  end
end

local FLOOR = { lo = { -1e9, -1e9 }, hi = { 1e9, 1e9 } }

--- Layers of parallel logs, each layer across the one below: every log rests on every log under it.
function M.crossed(seed, o)
  math.randomseed(seed)
  o = o or {}
  local layers, wide, r = o.layers or 4, o.wide or 3, 0.1
  local p, span = pile{ tilt = 0.15 * math.random(), push = 10 ^ (-1 - 3 * math.random()) }, 1
  local before
  for layer = 1, layers do
    local axis, here, z = layer % 2 + 1, {}, (2 * layer - 1) * r
    for i = 1, wide do
      local off = span * ((i - 0.5) / wide - 0.5)
      local x = axis == 1 and { 0, off, z } or { off, 0, z }
      local k = log_of(p, r, 1.2, x, axis)
      here[i] = { k, off }
      if layer == 1 then
        for _, end_at in ipairs{ -0.6, 0.6 } do
          local at = { x[1], x[2], 0 }
          at[axis] = end_at
          p:touch(0, k, at, { 0, 0, 1 })
        end
      end
      for _, other in ipairs(before or {}) do
        p:touch(other[1], k, axis == 1 and { other[2], off, z - r } or { off, other[2], z - r }, { 0, 0, 1 })
      end
    end
    before = here
  end
  return p:problem{ friction = 0.1 + 0.7 * math.random(), name = "crossed layers" }
end

--- Logs stacked exactly parallel, a pyramid: two points a line of contact, logs of a layer touching.
function M.parallel(seed, o)
  math.randomseed(seed)
  o = o or {}
  local base, r, l = o.base or 4, 0.1, 1
  local p, before = pile{ tilt = 0.3 * math.random(), push = 10 ^ (-1 - 3 * math.random()) }, nil
  local function line(a, b, y, z, n)
    for _, x in ipairs{ -l / 2, l / 2 } do p:touch(a, b, { x, y, z }, n) end
  end
  for layer = 1, base do
    local here = {}
    for i = 1, base - layer + 1 do
      local y, z = (2 * i + layer) * r, r + (layer - 1) * math.sqrt(3) * r
      here[i] = log_of(p, r, l, { 0, y, z }, 1)
      if layer == 1 then line(0, here[i], y, 0, { 0, 0, 1 }) end
      if i > 1 then line(here[i - 1], here[i], y - r, z, { 0, 1, 0 }) end
      for side = 0, before and 1 or -1 do
        local n = { 0, side == 0 and 0.5 or -0.5, math.sqrt(3) / 2 }
        line(before[i + side], here[i], y - r * n[2], z - r * n[3], n)
      end
    end
    for _, wall in ipairs{ -1, 1 } do
      if layer == 1 and o.walls ~= false then
        local k = here[wall < 0 and 1 or #here]
        line(0, k, p.bodies[k].x[2] + wall * r, r, { 0, -wall, 0 })
      end
    end
    before = here
  end
  return p:problem{ friction = 0.1 + 0.7 * math.random(), name = "parallel logs" }
end

--- A column of boxes, four points a face.
function M.column(seed, o)
  math.randomseed(seed)
  o = o or {}
  local p = pile{ tilt = 0.2 * math.random(), push = 10 ^ (-1 - 3 * math.random()) }
  local boxes, z, last = { [0] = FLOOR }, 0, 0
  for _ = 1, o.boxes or 8 do
    local size = { 0.2 + 0.2 * math.random(), 0.2 + 0.2 * math.random(), 0.1 + 0.1 * math.random() }
    local k = box_of(p, size, { 0, 0, z + size[3] / 2 })
    boxes[k] = { lo = { -size[1] / 2, -size[2] / 2 }, hi = { size[1] / 2, size[2] / 2 } }
    face(p, last, k, boxes, z)
    z, last = z + size[3], k
  end
  return p:problem{ friction = 0.1 + 0.7 * math.random(), name = "column of boxes" }
end

--- A wall of bricks in running bond, also touching side by side.
function M.wall(seed, o)
  math.randomseed(seed)
  o = o or {}
  local l, b, h = 0.2, 0.1, 0.06
  local p = pile{ tilt = 0.2 * math.random(), push = 10 ^ (-1 - 3 * math.random()) }
  local boxes, before = { [0] = FLOOR }, {}
  for course = 1, o.courses or 5 do
    local here = {}
    for i = 1, o.wide or 3 do
      local x = (i + course % 2 / 2) * l
      local k = box_of(p, { l, b, h }, { x, 0, (course - 0.5) * h })
      boxes[k], here[i] = { lo = { x - l / 2, -b / 2 }, hi = { x + l / 2, b / 2 } }, k
      if course == 1 then face(p, 0, k, boxes, 0) end
      for _, below in ipairs(before) do face(p, below, k, boxes, (course - 1) * h) end
      if i > 1 then
        for corner = 0, 3 do
          p:touch(here[i - 1], k, { x - l / 2, (corner % 2 - 0.5) * b, (course - 1 + corner // 2) * h }, { 1, 0, 0 })
        end
      end
    end
    before = here
  end
  return p:problem{ friction = 0.1 + 0.7 * math.random(), name = "wall of bricks" }
end

--- A pyramid of balls with rolling and spinning friction on a square base.
function M.rolling(seed, o)
  math.randomseed(seed)
  o = o or {}
  local base, r = o.base or 3, 0.1
  local p, before = pile{ tilt = 0.3 * math.random(), push = 10 ^ (-1 - 3 * math.random()) }, nil
  for layer = 1, base do
    local n, here = base - layer + 1, {}
    for i = 1, n do
      for k = 1, n do
        local x = { (2 * i + layer) * r, (2 * k + layer) * r, r + (layer - 1) * math.sqrt(2) * r }
        local m = 800 * 4 / 3 * math.pi * r ^ 3
        local b = p:body(m, { 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r }, x)
        here[i * 100 + k] = b
        if layer == 1 then p:touch(0, b, { x[1], x[2], 0 }, { 0, 0, 1 }) end
        if i > 1 then p:touch(here[(i - 1) * 100 + k], b, { x[1] - r, x[2], x[3] }, { 1, 0, 0 }) end
        if k > 1 then p:touch(here[i * 100 + k - 1], b, { x[1], x[2] - r, x[3] }, { 0, 1, 0 }) end
        for corner = 0, before and 3 or -1 do
          local a = before[(i + corner % 2) * 100 + k + corner // 2]
          local y = p.bodies[a].x
          local normal = unit{ x[1] - y[1], x[2] - y[2], x[3] - y[3] }
          p:touch(a, b, { (x[1] + y[1]) / 2, (x[2] + y[2]) / 2, (x[3] + y[3]) / 2 }, normal)
        end
      end
    end
    before = here
  end
  local kinds, friction = {}, 0.1 + 0.7 * math.random()
  local law = { "rolling", spin = 0.02 * r * math.random(), roll = 0.02 * r * math.random() }
  for c = 1, #p.contacts do kinds[c] = law end
  return p:problem{ friction = friction, kinds = kinds, arms = true, name = "rolling balls" }
end

M.names = { "crossed", "parallel", "column", "wall", "rolling" }

return M
