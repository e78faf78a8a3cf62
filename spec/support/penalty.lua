-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Worlds of penalty joints as the reference data describe them (EQUATIONS B.4).
local delassus = require "delassus"
local json = require "spec.support.json"

local M = {}

-- Quaternion {w, x, y, z} of the rotation with the given columns.
local function quaternion(c)
  local m = { { c[1][1], c[2][1], c[3][1] }, { c[1][2], c[2][2], c[3][2] }, { c[1][3], c[2][3], c[3][3] } }
  local t = m[1][1] + m[2][2] + m[3][3]
  local q
  if t > 0 then
    q = { 1 + t, m[3][2] - m[2][3], m[1][3] - m[3][1], m[2][1] - m[1][2] }
  elseif m[1][1] >= m[2][2] and m[1][1] >= m[3][3] then
    q = { m[3][2] - m[2][3], 1 + 2 * m[1][1] - t, m[1][2] + m[2][1], m[1][3] + m[3][1] }
  elseif m[2][2] >= m[3][3] then
    q = { m[1][3] - m[3][1], m[1][2] + m[2][1], 1 + 2 * m[2][2] - t, m[2][3] + m[3][2] }
  else
    q = { m[2][1] - m[1][2], m[1][3] + m[3][1], m[2][3] + m[3][2], 1 + 2 * m[3][3] - t }
  end
  local n = math.sqrt(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2)
  return { q[1] / n, q[2] / n, q[3] / n, q[4] / n }
end

-- Some data have moments that no body can have (one larger than the sum of the others), which worlds refuse. Rows know
-- no inertia, and the free axis of a hinge has no part in its stability: the largest is cut to what is possible.
local function possible(J)
  local sum = J[1] + J[2] + J[3]
  local out = {}
  for k = 1, 3 do out[k] = math.min(J[k], sum - J[k]) end
  return out
end

--- Bodies of `list` in `world`.
function M.bodies(world, list)
  local bodies = {}
  for k, b in ipairs(list) do
    bodies[k] = world:body{ name = "body " .. k, mass = b.m, inertia = possible(b.J_body_diag), position = b.r, rotation = b.quat,
      velocity = b.v, angular_velocity = b.om }
  end
  return bodies
end

--- The joint of one entry; a is moved so that the paper's c1, c2 are zero (the same rows).
function M.joint(world, bodies, j, more)
  local anchor = {}
  for k = 1, 3 do
    anchor[k] = j.anchor_i[k]
    if j.type == "prismatic" then
      anchor[k] = anchor[k] + j.c[1] * j.frame_i_columns[2][k] + j.c[2] * j.frame_i_columns[3][k]
    end
  end
  local limits = j.limits ~= json.null and j.limits or nil
  if limits and j.type == "universal" then
    limits = { { -limits[1], limits[1] }, { -limits[2], limits[2] } }
  elseif limits then
    limits = { -limits[1], limits[1] }
  end
  local options = { j.type, j.i < 0 and world.ground or bodies[j.i + 1], bodies[j.j + 1], formulation = "penalty",
    frame_a = { position = anchor, rotation = quaternion(j.frame_i_columns) },
    frame_b = { position = j.anchor_j, rotation = quaternion(j.frame_j_columns) },
    limits = limits, limit_law = "published", gains = "published" }
  for k, v in pairs(more or {}) do options[k] = v or nil end -- false: not given
  return world:joint(options)
end

--- World and its parts of a setup of b_runs.json.
function M.build(setup, options, more)
  local world = delassus.world{ dt = options.dt or setup.dt, scheme = options.scheme or "semi-implicit", record = false }
  local bodies, joints = M.bodies(world, setup.bodies), {}
  for k, j in ipairs(setup.joints) do joints[k] = M.joint(world, bodies, j, more) end
  return world, bodies, joints
end

return M
