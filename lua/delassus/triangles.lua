-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Shapes as triangles, for files that other programs read: coordinates in the body's frame, m; planar shapes lie in z = 0.
--
-- A surface is `{ points = {x1, y1, z1, x2, ...}, faces = {a, b, c, ...} }`, faces counted from 0, counterclockwise seen
-- from outside. Points are shared where the surface is smooth, and are there twice along edges.
-- @module delassus.triangles
local M = {}

local function surface() return { points = {}, faces = {} } end

local function point(s, x, y, z)
  local n = #s.points
  s.points[n + 1], s.points[n + 2], s.points[n + 3] = x, y, z
  return n // 3
end

local function face(s, a, b, c)
  local n = #s.faces
  s.faces[n + 1], s.faces[n + 2], s.faces[n + 3] = a, b, c
end

local function fan(s, list)
  for i = 2, #list - 1 do face(s, list[1], list[i], list[i + 1]) end
end

-- A surface of revolution about x through rings { x, r }, from -x to +x; radius 0 is a tip.
local function turned(s, rings, n)
  local before
  for _, ring in ipairs(rings) do
    local now = {}
    for i = 0, n - 1 do
      local a = 2 * math.pi * i / n
      if ring[2] > 0 then now[i + 1] = point(s, ring[1], ring[2] * math.cos(a), ring[2] * math.sin(a))
      else now[i + 1] = now[1] or point(s, ring[1], 0, 0) end
    end
    for i = 1, before and n or 0 do
      local j = i % n + 1
      if now[i] ~= now[j] then face(s, before[i], now[j], now[i]) end
      if before[i] ~= before[j] then face(s, before[i], before[j], now[j]) end
    end
    before = now
  end
end

-- A disk across x, seen from +x (side 1) or -x (side -1).
local function lid(s, x, r, n, side)
  local list = {}
  for i = 0, n - 1 do
    local a = side * 2 * math.pi * i / n
    list[i + 1] = point(s, x, r * math.cos(a), r * math.sin(a))
  end
  fan(s, list)
end

-- A box of half sizes h about c, turned by angle about x.
local function block(s, c, h, angle)
  local cos, sin = math.cos(angle or 0), math.sin(angle or 0)
  for axis = 1, 3 do
    for side = -1, 1, 2 do
      local list, u, v = {}, axis % 3 + 1, (axis + 1) % 3 + 1
      for i, corner in ipairs{ { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } } do
        local p = { 0, 0, 0 }
        p[axis], p[u], p[v] = side * h[axis], corner[1] * h[u], side * corner[2] * h[v]
        local y, z = c[2] + p[2], c[3] + p[3]
        list[i] = point(s, c[1] + p[1], cos * y - sin * z, sin * y + cos * z)
      end
      fan(s, list)
    end
  end
end

local function arc(out, cx, r, from, n)
  for i = 0, n do
    local a = from + math.pi * i / n
    out[#out + 1] = { cx + r * math.cos(a), r * math.sin(a) }
  end
end

local function flat(s, outline)
  local list = {}
  for i, p in ipairs(outline) do list[i] = point(s, p[1], p[2], 0) end
  fan(s, list)
end

local function lifters(shape) return shape.lifters or { count = 0, height = 0, width = 0 } end

local planar, spatial = {}, {}

function planar.disk(s, shape, n)
  local outline = {}
  for i = 0, 2 * n - 1 do
    outline[i + 1] = { shape.radius * math.cos(math.pi * i / n), shape.radius * math.sin(math.pi * i / n) }
  end
  flat(s, outline)
end
function planar.capsule(s, shape, n)
  local outline = {}
  arc(outline, shape.length / 2, shape.radius, -math.pi / 2, n)
  arc(outline, -shape.length / 2, shape.radius, math.pi / 2, n)
  flat(s, outline)
end
function planar.box(s, shape)
  local w, h = shape.size[1] / 2, shape.size[2] / 2
  flat(s, { { -w, -h }, { w, -h }, { w, h }, { -w, h } })
end
function planar.polygon(s, shape) flat(s, shape.points) end
function planar.segment(s, shape, _, reach)
  local a, b = shape.points[1], shape.points[2]
  local x, y = b[1] - a[1], b[2] - a[2]
  local k = 0.003 * reach / math.max(1e-300, math.sqrt(x * x + y * y))
  x, y = k * x, k * y
  flat(s, { { a[1] + y, a[2] - x }, { b[1] + y, b[2] - x }, { b[1] - y, b[2] + x }, { a[1] - y, a[2] + x } })
end
function planar.plane(s, shape, _, reach)
  local x, y, d = shape.normal[1], shape.normal[2], shape.offset or 0
  local function at(along, deep) return { x * (d - deep) - y * along, y * (d - deep) + x * along } end
  flat(s, { at(-reach, 0), at(reach, 0), at(reach, 0.1 * reach), at(-reach, 0.1 * reach) })
end
function planar.drum(s, shape, n)
  local r, l = shape.radius, lifters(shape)
  for i = 0, 4 * n - 1 do
    local a, b = math.pi * i / (2 * n), math.pi * (i + 1) / (2 * n)
    flat(s, { { r * math.cos(a), r * math.sin(a) }, { 1.03 * r * math.cos(a), 1.03 * r * math.sin(a) },
      { 1.03 * r * math.cos(b), 1.03 * r * math.sin(b) }, { r * math.cos(b), r * math.sin(b) } })
  end
  for i = 0, l.count - 1 do
    local c, t, w = math.cos(2 * math.pi * i / l.count), math.sin(2 * math.pi * i / l.count), l.width / 2
    local function at(q, v) return { c * q - t * v, t * q + c * v } end
    flat(s, { at(r - l.height, -w), at(1.01 * r, -w), at(1.01 * r, w), at(r - l.height, w) })
  end
end

function spatial.sphere(s, shape, n)
  local rings = {}
  for i = 0, n do
    local a = math.pi * i / n
    rings[i + 1] = { -shape.radius * math.cos(a), i % n == 0 and 0 or shape.radius * math.sin(a) }
  end
  turned(s, rings, 2 * n)
end
function spatial.capsule(s, shape, n)
  local rings, half, quarter = {}, shape.length / 2, math.max(2, n // 2)
  for i = 0, quarter do
    local a = math.pi / 2 * i / quarter
    rings[i + 1] = { -half - shape.radius * math.cos(a), i == 0 and 0 or shape.radius * math.sin(a) }
  end
  for i = quarter, 0, -1 do rings[#rings + 1] = { -rings[i + 1][1], rings[i + 1][2] } end
  turned(s, rings, 2 * n)
end
function spatial.cone(s, shape, n)
  local half = shape.length / 2
  turned(s, { { -half, shape.radius1 }, { half, shape.radius2 } }, 2 * n)
  if shape.radius1 > 0 then lid(s, -half, shape.radius1, 2 * n, -1) end
  if shape.radius2 > 0 then lid(s, half, shape.radius2, 2 * n, 1) end
end
function spatial.cylinder(s, shape, n)
  spatial.cone(s, { radius1 = shape.radius, radius2 = shape.radius, length = shape.length }, n)
end
function spatial.ellipsoid(s, shape, n)
  local first = #s.points
  spatial.sphere(s, { radius = 1 }, n)
  for i = first + 1, #s.points do s.points[i] = s.points[i] * shape.radii[(i - first - 1) % 3 + 1] end
end
function spatial.box(s, shape)
  block(s, { 0, 0, 0 }, { shape.size[1] / 2, shape.size[2] / 2, shape.size[3] / 2 })
end
function spatial.mesh(s, shape)
  for _, corners in ipairs(shape.faces) do
    local list = {}
    for i, k in ipairs(corners) do list[i] = point(s, table.unpack(shape.vertices[k], 1, 3)) end
    fan(s, list)
  end
end
function spatial.convex(s, shape)
  local hull = require "delassus".convex{ points = shape.points }
  local vertices, faces = {}, {}
  for i = 1, #hull.points do vertices[i] = { hull.points[i][1], hull.points[i][2], hull.points[i][3] } end
  for i = 1, #hull.faces do
    faces[i] = {}
    for k = 1, #hull.faces[i] do faces[i][k] = math.tointeger(hull.faces[i][k]) end
  end
  spatial.mesh(s, { vertices = vertices, faces = faces })
end
function spatial.plane(s, shape, _, reach)
  local n, d = shape.normal, shape.offset or 0
  local size = math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2)
  local e = { n[1] / size, n[2] / size, n[3] / size }
  local u = math.abs(e[1]) < 0.9 and { 0, -e[3], e[2] } or { e[3], 0, -e[1] } -- e x u, e x (e x u) span the plane
  local v = { e[2] * u[3] - e[3] * u[2], e[3] * u[1] - e[1] * u[3], e[1] * u[2] - e[2] * u[1] }
  local long, list = reach / math.sqrt(u[1] ^ 2 + u[2] ^ 2 + u[3] ^ 2), {}
  for i, k in ipairs{ { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } } do
    local p = {}
    for c = 1, 3 do p[c] = e[c] * d + long * (k[1] * u[c] + k[2] * v[c]) end
    list[i] = point(s, p[1], p[2], p[3])
  end
  fan(s, list)
end
function spatial.drum(s, shape, n)
  local r, half, l = shape.radius, shape.length / 2, lifters(shape)
  turned(s, { { half, r }, { -half, r } }, 4 * n) -- seen from within
  for i = 0, l.count - 1 do
    block(s, { 0, r - l.height / 2, 0 }, { half, l.height / 2, l.width / 2 }, 2 * math.pi * i / l.count)
  end
end

-- A point of a part, where the part is placed in its compound.
local function placed(x, y, z, part)
  local p, r = part.position or { 0, 0, 0 }, part.rotation
  if type(r) == "number" then x, y = math.cos(r) * x - math.sin(r) * y, math.sin(r) * x + math.cos(r) * y
  elseif r then
    local w, a, b, c = r[1], r[2], r[3], r[4]
    local tx, ty, tz = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    x, y, z = x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx
  end
  return x + p[1], y + p[2], z + (p[3] or 0)
end

local function add(s, shape, is_planar, n, reach)
  if shape.kind ~= "compound" then
    local make = (is_planar and planar or spatial)[shape.kind]
    return make and make(s, shape, n, reach)
  end
  for _, part in ipairs(shape.parts) do
    local first = #s.points
    add(s, part.shape, is_planar, n, reach)
    for i = first + 1, #s.points, 3 do
      s.points[i], s.points[i + 1], s.points[i + 2] = placed(s.points[i], s.points[i + 1], s.points[i + 2], part)
    end
  end
end

--- The surface of a shape as recordings hold it.
-- @tparam table shape
-- @tparam boolean is_planar
-- @tparam[opt=10] number n of parts of half a turn
-- @tparam[opt=10] number reach size of what has no end, m
function M.of(shape, is_planar, n, reach)
  local s = surface()
  add(s, shape, is_planar, n or 10, reach or 10)
  return s
end

--- A bar from p to q, r thick: what stands for a body without a shape between its joints.
function M.bar(s, p, q, r)
  local d = { q[1] - p[1], q[2] - p[2], (q[3] or 0) - (p[3] or 0) }
  local length = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
  if length == 0 then return end
  local x = d[1] / length
  local rotation -- that takes x to the bar's direction: about e_x x d
  if x < -1 + 1e-12 then rotation = { 0, 0, 0, 1 }
  else
    local w = math.sqrt((1 + x) / 2)
    rotation = { w, 0, -d[3] / length / (2 * w), d[2] / length / (2 * w) }
  end
  add(s, { kind = "compound", parts = { { shape = { kind = "cylinder", radius = r, length = length }, rotation = rotation,
    position = { (p[1] + q[1]) / 2, (p[2] + q[2]) / 2, ((p[3] or 0) + (q[3] or 0)) / 2 } } } }, false, 4, 1)
end

--- Normals of the points: means of the faces around, by their areas.
function M.normals(s)
  local out, p = {}, s.points
  for i = 1, #p do out[i] = 0 end
  for f = 1, #s.faces, 3 do
    local a, b, c = 3 * s.faces[f], 3 * s.faces[f + 1], 3 * s.faces[f + 2]
    local ux, uy, uz = p[b + 1] - p[a + 1], p[b + 2] - p[a + 2], p[b + 3] - p[a + 3]
    local vx, vy, vz = p[c + 1] - p[a + 1], p[c + 2] - p[a + 2], p[c + 3] - p[a + 3]
    local x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    for _, k in ipairs{ a, b, c } do out[k + 1], out[k + 2], out[k + 3] = out[k + 1] + x, out[k + 2] + y, out[k + 3] + z end
  end
  for i = 1, #out, 3 do
    local size = math.sqrt(out[i] ^ 2 + out[i + 1] ^ 2 + out[i + 2] ^ 2)
    if size > 0 then out[i], out[i + 1], out[i + 2] = out[i] / size, out[i + 1] / size, out[i + 2] / size
    else out[i], out[i + 1], out[i + 2] = 0, 0, 1 end
  end
  return out
end

return M
