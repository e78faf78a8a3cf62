-- Forests for specs: from the reference files, and random ones of all joint kinds.
local core = require "delassus.core"

local M = {}

local unit_axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }

--- The forest of a file of cases/tree, set to its state.
function M.from_file(case)
  local links = {}
  for i, b in ipairs(case.bodies) do
    local I = b.Ic_xx_xy_xz_yy_yz_zz
    local link = {
      parent = math.tointeger(b.parent) + 1, position = b.p, rotation = b.R0_rowmajor,
      mass = b.mass, com = b.com, inertia = { I[1], I[4], I[6], I[2], I[3], I[5] },
    }
    if b.joint == "revolute" then
      link.motions = { { "rotate", unit_axes[math.tointeger(b.axis) + 1] } }
    else
      link.kind = b.joint == "ball" and "spherical" or "free"
    end
    links[i] = link
  end
  local forest = core.forest { links = links, gravity = case.gravity }
  return forest:set { q = case.q, u = case.qd, tau = case.tau }
end

--- R v for a rotation as rows {{..}, {..}, {..}}; transposed: R' v.
function M.rotate(R, v, transposed)
  local out = {}
  for i = 1, 3 do
    out[i] = 0
    for j = 1, 3 do out[i] = out[i] + (transposed and R[j][i] or R[i][j]) * v[j] end
  end
  return out
end

function M.cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

local function quaternion(R)
  local t = R[1][1] + R[2][2] + R[3][3]
  local q
  if t > 0 then
    q = { 1 + t, R[3][2] - R[2][3], R[1][3] - R[3][1], R[2][1] - R[1][2] }
  elseif R[1][1] >= R[2][2] and R[1][1] >= R[3][3] then
    q = { R[3][2] - R[2][3], 1 + R[1][1] - R[2][2] - R[3][3], R[1][2] + R[2][1], R[1][3] + R[3][1] }
  elseif R[2][2] >= R[3][3] then
    q = { R[1][3] - R[3][1], R[1][2] + R[2][1], 1 + R[2][2] - R[1][1] - R[3][3], R[2][3] + R[3][2] }
  else
    q = { R[2][1] - R[1][2], R[1][3] + R[3][1], R[2][3] + R[3][2], 1 + R[3][3] - R[1][1] - R[2][2] }
  end
  local n = math.sqrt(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2)
  return { q[1] / n, q[2] / n, q[3] / n, q[4] / n }
end

local function append(list, values)
  for _, x in ipairs(values) do list[#list + 1] = x end
end

local function flat(rows)
  local list = {}
  for _, row in ipairs(rows) do append(list, row) end
  return list
end

--- The forest of one case of papers/c_trees.json: link 1 is body 0, link i + 1 is body i.
function M.from_paper(case)
  local links, q, u, drives, wrench = { { kind = "given" } }, {}, {}, {}, { 0, 0, 0, 0, 0, 0 }
  local n_drives = 0
  for i, b in ipairs(case.bodies) do
    local motions = {}
    for _, e in ipairs(b.elems) do
      local kind = e[1]:sub(1, 1) == "R" and "rotate" or "slide"
      if e[1]:sub(2) == "*" then
        n_drives = n_drives + 1
        motions[#motions + 1] = { kind, e[2], drive = n_drives }
      else
        motions[#motions + 1] = { kind, e[2] }
      end
    end
    for _, prescribed in ipairs(b.prescribed) do append(drives, prescribed) end
    links[i + 1] = {
      parent = math.tointeger(b.parent) + 1, position = b.p0, rotation = flat(b.E0), motions = motions,
      mass = b.m, com = b.rc,
      inertia = { b.Jc[1][1], b.Jc[2][2], b.Jc[3][3], b.Jc[1][2], b.Jc[1][3], b.Jc[2][3] },
    }
    append(q, b.q)
    append(u, b.qd)
    local arm = M.cross(b.rc, b.f)
    local moment = { b.mu[1] - arm[1], b.mu[2] - arm[2], b.mu[3] - arm[3] }
    append(wrench, M.rotate(b.matrices.R_world, moment))
    append(wrench, M.rotate(b.matrices.R_world, b.f))
  end
  local given = { 0, 0, 0 }
  append(given, quaternion(case.R0))
  for _, key in ipairs { "omega0", "v0", "eps0", "a0" } do append(given, M.rotate(case.R0, case[key])) end
  local forest = core.forest { links = links, drives = n_drives, gravity = case.gravity }
  return forest:set { q = q, u = u, drives = drives, given = given, wrench = wrench }
end

return M
