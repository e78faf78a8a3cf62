-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The contact problem of a world's next step, assembled from its contacts and bodies: free bodies only.
--
--     lua5.4 bench/cone_world.lua planar|spatial FILE.dat [logs' size factor]
--
-- settles a drum of logs (disks, or capsules; about a minute in space), turns it a little and writes its problem.
package.path = (arg and arg[0] or "."):gsub("[^/]*$", "") .. "?.lua;" .. package.path
local M = {}

local function cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

local function dot(a, b)
  local sum = 0
  for i = 1, #a do sum = sum + a[i] * b[i] end
  return sum
end

local function three(v, planar) return planar and { v.x, v.y, 0 } or { v.x, v.y, v.z } end

--- Unit vectors: the normal, then what is across it.
local function axes(n, planar)
  if planar then return { { n.x, n.y, 0 }, { n.y, -n.x, 0 } } end
  local a = { n.x, n.y, n.z }
  local least = math.abs(a[1]) < math.abs(a[2]) and 1 or 2
  if math.abs(a[3]) < math.abs(a[least]) then least = 3 end
  local e = { 0, 0, 0 }
  e[least] = 1
  local t = cross(a, e)
  local size = math.sqrt(dot(t, t))
  for i = 1, 3 do t[i] = t[i] / size end
  return { a, t, cross(a, t) }
end

--- Columns of the rotation of a unit quaternion {w, x, y, z}.
local function columns(q)
  local w, x, y, z = q[1], q[2], q[3], q[4]
  return { { 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y) },
    { 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x) },
    { 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y) } }
end

--- Square roots of the inverse inertia about the principal axes, for bodies whose inertia is diagonal in their frame.
local function rooted(body, planar)
  if planar then return { { 0, 0, 1 / math.sqrt(body.inertia) } } end
  local out = columns(body.rotation)
  for k = 1, 3 do
    for i = 1, 3 do out[k][i] = out[k][i] / math.sqrt(body.inertia[k]) end
  end
  return out
end

--- One row of J M^-1/2 on one body: a force along d at the arm r.
local function row(body, roots, sign, r, d)
  local moment, m = cross(r, d), math.sqrt(body.mass)
  local out = { sign * d[1] / m, sign * d[2] / m, sign * d[3] / m }
  for k, axis in ipairs(roots) do out[3 + k] = sign * dot(axis, moment) end
  return out
end

--- The contacts of the last step whose gap is closed, and the velocities that gravity leaves in one step more.
-- @tparam World world
-- @tparam table o `planar`, `name`, `friction` (0.4)
-- @treturn table as of cone_pile.problem
function M.problem(world, o)
  local list, planar = {}, o.planar
  for c in world:contacts() do
    if c.gap < 1e-5 then list[#list + 1] = c end
  end
  local d, n = planar and 2 or 3, #list
  local J, q, by_body, roots = {}, {}, {}, {}
  local g, h = three(world.gravity, planar), world.dt
  for c, contact in ipairs(list) do
    local A = axes(contact.normal, planar)
    J[c] = {}
    for i = 1, d do q[d * (c - 1) + i] = 0 end
    for side, body in ipairs{ contact.b, contact.a } do
      local sign, r, centre = side == 1 and 1 or -1, three(contact.point, planar), three(body.centre, planar)
      for k = 1, 3 do r[k] = r[k] - centre[k] end
      local v = cross(planar and { 0, 0, body.angular_velocity } or three(body.angular_velocity), r)
      local speed, free = three(body.velocity, planar), body.type == "dynamic"
      for k = 1, 3 do v[k] = v[k] + speed[k] + (free and h * g[k] or 0) end
      for i = 1, d do q[d * (c - 1) + i] = q[d * (c - 1) + i] + sign * dot(v, A[i]) end
      if free then
        local k = body.index
        roots[k] = roots[k] or rooted(body, planar)
        J[c][k] = {}
        for i = 1, d do J[c][k][i] = row(body, roots[k], sign, r, A[i]) end
        by_body[k] = by_body[k] or {}
        table.insert(by_body[k], c)
      end
    end
  end
  local entries = { rows = d * n, cols = d * n }
  for c = 1, n do
    local seen = {}
    for k in pairs(J[c]) do
      for _, other in ipairs(by_body[k]) do seen[#seen + 1] = other * 4096 + k end
    end
    table.sort(seen) -- an order that does not depend on how tables are laid out
    for _, key in ipairs(seen) do
      local other, k = key // 4096, key % 4096
      for i = 1, d do
        for j = 1, d do
          entries[#entries + 1] = { d * (c - 1) + i, d * (other - 1) + j, dot(J[c][k][i], J[other][k][j]) }
        end
      end
    end
  end
  return { entries = entries, q = q, friction = o.friction or 0.4, planar = planar, contacts = n, dimension = d,
    name = ("%s, %d contacts"):format(o.name, n) }
end

if not arg or not arg[0]:match("cone_world%.lua$") then return M end

local planar, factor = arg[1] == "planar", tonumber(arg[3]) or 1
local drum = require "delassus.drum"
local logs = planar and { diameter = { 0.08 * factor, 0.12 * factor } }
  or { diameter = { 0.1 * factor, 0.16 * factor }, length = { 0.6 * factor, factor } }
local d = drum(planar and { diameter = 4, fill = 0.5, planar = true, seed = 3, logs = logs }
  or { diameter = 2.5, length = 2.2, fill = 0.45, seed = 3, lifters = { count = 0 }, logs = logs })
d:settle()
local problem = M.problem(d.world, { planar = planar, name = ("drum of %d %s"):format(#d.logs,
  planar and "disks" or "capsules") })
require "cone_pile".write(problem, arg[2])
print(problem.name)
