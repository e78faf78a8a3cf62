-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Worlds of the reference trees (EQUATIONS C.6: c_trees.json), built through world:joint.
local delassus = require "delassus"

local M = {}

--- The unit quaternion of a rotation matrix given by rows.
function M.quaternion(R)
  local best, k = R[1][1] + R[2][2] + R[3][3], 0
  for i = 1, 3 do
    if R[i][i] > best then best, k = R[i][i], i end
  end
  local q
  if k == 0 then
    q = { 1 + best, R[3][2] - R[2][3], R[1][3] - R[3][1], R[2][1] - R[1][2] }
  else
    local i, j = k % 3 + 1, (k + 1) % 3 + 1
    q = { R[j][i] - R[i][j], 0, 0, 0 }
    q[1 + k] = 1 + R[k][k] - R[i][i] - R[j][j]
    q[1 + i] = R[i][k] + R[k][i]
    q[1 + j] = R[j][k] + R[k][j]
  end
  local n = math.sqrt(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2)
  return { q[1] / n, q[2] / n, q[3] / n, q[4] / n }
end

local function apply(R, x)
  local y = {}
  for i = 1, 3 do y[i] = R[i][1] * x[1] + R[i][2] * x[2] + R[i][3] * x[3] end
  return y
end

--- World, joints and bodies of one case: moving body 0, chains of elementary motions.
function M.build(case, factor)
  local world = delassus.world{ gravity = case.gravity, factor = factor }
  local base = world:body{ type = "kinematic", motion = function()
    return { 0, 0, 0 }, M.quaternion(case.R0), apply(case.R0, case.v0), apply(case.R0, case.omega0),
      apply(case.R0, case.a0), apply(case.R0, case.eps0)
  end }
  local bodies, joints = {}, {}
  for i, b in ipairs(case.bodies) do
    local J = b.Jc
    bodies[i] = world:body{ mass = b.m, com = b.rc,
      inertia = { J[1][1], J[2][2], J[3][3], J[1][2], J[1][3], J[2][3] } }
  end
  for i, b in ipairs(case.bodies) do
    local motions, driven = {}, 0
    for k, e in ipairs(b.elems) do
      motions[k] = { e[1]:sub(1, 1) == "R" and "rotate" or "slide", e[2] }
      if e[1]:find("*", 1, true) or e[3] then
        driven = driven + 1
        local p = type(b.prescribed[1]) == "table" and b.prescribed[driven] or b.prescribed
        motions[k].motion = function() return p[1], p[2], p[3] end
      end
    end
    joints[i] = world:joint{ "chain", b.parent == 0 and base or bodies[b.parent], bodies[i], motions = motions,
      frame_a = { position = b.p0, rotation = M.quaternion(b.E0) }, frame_b = {} }
  end
  for i, b in ipairs(case.bodies) do
    if #b.q > 0 then
      joints[i].q = #b.q == 1 and b.q[1] or b.q
      joints[i].qd = #b.qd == 1 and b.qd[1] or b.qd
    end
  end
  for i, b in ipairs(case.bodies) do
    local R = bodies[i].rotation
    local function turn(x)
      local w, v = R[1], delassus.vec{ R[2], R[3], R[4] }
      x = delassus.vec(x)
      local t = 2 * v:cross(x)
      return x + w * t + v:cross(t)
    end
    local force = turn(b.f)
    bodies[i]:apply{ force = force, torque = turn(b.mu), at = bodies[i].position }
  end
  return world, bodies, joints
end

local names = { revolute = "revolute", ball = "spherical", free = "free" }

--- World and joints of a case of cases/tree (CONVENTIONS.md).
function M.numbered(case, factor)
  local world = delassus.world{ gravity = case.gravity, factor = factor, record = false }
  local bodies, joints = {}, {}
  for i, b in ipairs(case.bodies) do
    local I = b.Ic_xx_xy_xz_yy_yz_zz
    bodies[i] = world:body{ mass = b.mass, com = b.com, inertia = { I[1], I[4], I[6], I[2], I[3], I[5] } }
    local R, options = b.R0_rowmajor, { names[b.joint] }
    options[2], options[3] = b.parent < 0 and world.ground or bodies[b.parent + 1], bodies[i]
    options.frame_a = { position = b.p,
      rotation = M.quaternion{ { R[1], R[2], R[3] }, { R[4], R[5], R[6] }, { R[7], R[8], R[9] } } }
    options.frame_b = {}
    if b.joint == "revolute" then
      -- the joint's axis is an axis of its frame
      local axis = { 0, 0, 0 }
      axis[b.axis + 1] = 1
      options[1], options.motions = "chain", { { "rotate", axis } }
    end
    joints[i] = world:joint(options)
    local n = b.joint == "revolute" and 1 or b.joint == "ball" and 3 or 6
    joints[i].torque = { table.unpack(case.tau, b.iv + 1, b.iv + n) }
  end
  world:set_coordinates(case.q)
  world:set_velocities(case.qd)
  return world, joints
end

return M
