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

--- Random numbers of one seed: number(a) in [-a, a], count(n) in 1..n.
function M.random(seed)
  math.randomseed(seed, 17)
  local r = {}
  function r.number(a) return (2 * math.random() - 1) * a end
  function r.list(n, a)
    local list = {}
    for i = 1, n do list[i] = r.number(a) end
    return list
  end
  function r.count(n) return math.random(n) end
  function r.unit(n)
    local list, sum = r.list(n, 1), 0
    for i = 1, n do sum = sum + list[i] ^ 2 end
    if sum < 0.01 then return r.unit(n) end
    for i = 1, n do list[i] = list[i] / math.sqrt(sum) end
    return list
  end
  function r.rotation()
    local q = r.unit(4)
    local w, x, y, z = q[1], q[2], q[3], q[4]
    return { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
      2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
      2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) }
  end
  return r
end

-- Kinds of joint: each fills link, adds its coordinates to q, and says how many velocities it has.
local function motion(r, kind) return { kind, kind == "screw" and r.list(6, 1) or r.unit(3) } end
local function plain(...)
  local kinds = { ... }
  return function(r, link, q)
    link.motions = {}
    for i, kind in ipairs(kinds) do
      link.motions[i] = motion(r, kind)
      q[#q + 1] = r.number(1)
    end
    return #kinds
  end
end

M.joints = {
  revolute = plain("rotate"), prismatic = plain("slide"), screw = plain("screw"),
  fixed = plain(), cylindrical = plain("rotate", "slide"), universal = plain("rotate", "rotate"),
  custom = plain("screw", "screw", "screw"), five = plain("slide", "rotate", "slide", "rotate", "slide"),
  geared = function(r, link, q)
    link.motions = { { "rotate", r.unit(3), rotor = 0.3 } }
    q[#q + 1] = r.number(1)
    return 1
  end,
  planar = function(r, link, q)
    link.motions = { { "slide", { 1, 0, 0 } }, { "slide", { 0, 1, 0 } }, { "rotate", { 0, 0, 1 } } }
    append(q, r.list(3, 1))
    return 3
  end,
  plane = function(r, link, q)
    link.kind = "plane"
    append(q, r.list(3, 1))
    return 3
  end,
  spherical = function(r, link, q)
    link.kind = "spherical"
    append(q, r.unit(4))
    return 3
  end,
  free = function(r, link, q)
    link.kind = "free"
    append(q, r.list(3, 1))
    append(q, r.unit(4))
    return 6
  end,
}
M.joint_names = { "revolute", "prismatic", "screw", "fixed", "cylindrical", "universal", "custom", "five",
  "geared", "planar", "plane", "spherical", "free", "driven" }

function M.joints.driven(r, link, q, drives)
  drives[#drives + 1] = r.list(3, 1)
  link.motions = { { r.count(2) == 1 and "rotate" or "slide", r.unit(3), drive = #drives },
    { "rotate", r.unit(3) } }
  q[#q + 1] = r.number(1)
  return 1
end

--- A random forest of all joint kinds, links in any order, set to a random state.
-- options: driven (drives and a moving base, default true), wrench (on links, true), n (links). Answers the forest, the
-- model and the state that was set.
function M.sample(seed, options)
  local r = M.random(seed)
  local driven = not (options and options.driven == false)
  local n = options and options.n or 1 + r.count(9)
  local links, q, drives, n_u, given = {}, {}, {}, 0, {}
  local place = {} -- a permutation: parents may come later in the list
  for i = 1, n do place[i] = i end
  for i = n, 2, -1 do
    local j = r.count(i)
    place[i], place[j] = place[j], place[i]
  end
  local parent = {}
  for k = 1, n do parent[place[k]] = k == 1 and 0 or (r.count(5) == 1 and 0 or place[r.count(k - 1)]) end
  for i = 1, n do
    local name = M.joint_names[r.count(driven and 14 or 13)]
    local a, b, c = 0.1 + math.random(), 0.1 + math.random(), 0.1 + math.random()
    local d = 0.1
    local link = { parent = parent[i], mass = 0.5 + math.random(), com = r.list(3, 0.3),
      inertia = { b + c, a + c, a + b, r.number(d) * a * 0.3, r.number(d) * b * 0.3, r.number(d) * c * 0.3 },
      position = r.list(3, 1), rotation = r.rotation() }
    for _, x in ipairs { 4, 5, 6 } do link.inertia[x] = link.inertia[x] * 0.3 end
    if driven and parent[i] == 0 and r.count(4) == 1 then
      link = { kind = "given" }
      append(given, r.list(3, 1))
      append(given, r.unit(4))
      append(given, r.list(12, 1))
    else
      if name ~= "free" and name ~= "plane" then
        link.child_position, link.child_rotation = r.list(3, 0.5), r.rotation()
      end
      n_u = n_u + M.joints[name](r, link, q, drives)
    end
    links[i] = link
  end
  local state = { q = q, u = r.list(n_u, 1), tau = r.list(n_u, 1), drives = flat(drives), given = given,
    wrench = options and options.wrench == false and r.list(0) or r.list(6 * n, 2) }
  if #state.wrench == 0 then state.wrench = nil end
  local model = { links = links, drives = #drives, gravity = { 0.3, -1.2, -9.81 } }
  return core.forest(model):set(state), model, state
end

--- Largest |a - b| over the first n entries.
function M.distance(a, b, n)
  local most = 0
  for i = 1, n or #b do
    local d = math.abs(a[i] - b[i])
    if d ~= d then return math.huge end
    most = math.max(most, d)
  end
  return most
end

--- Largest |a| over the entries.
function M.largest(a, n)
  local most = 0
  for i = 1, n or #a do most = math.max(most, math.abs(a[i])) end
  return most
end

return M
