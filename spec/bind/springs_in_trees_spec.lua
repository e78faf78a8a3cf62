-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Springs and dampers eliminated into the factor of a tree, against the mass matrix: a step from rest, and which springs
-- the step resolves.
local delassus = require "delassus"
local random = require "support.random"
local near = require "support.near"
local solve = require "support.solve"

local H = 1e-3

--- A random tree, at rest in its zero pose; springs(i) answers stiffness and damping of joint i.
local function tree(seed, springs, formulation)
  local r = random(seed)
  local planar = seed % 3 == 0
  local world = delassus.world{ planar = planar, dt = H, gravity = planar and { 0, 0 } or { 0, 0, 0 }, record = false }
  local kinds = planar and { "revolute", "prismatic" } or { "revolute", "spherical", "prismatic", "universal", "cylindrical" }
  local function three(s) return planar and { s * r(), s * r() } or { s * r(), s * r(), s * r() } end
  local bodies, joints = { [0] = world.ground }, {}
  for i = 1, 7 do
    local a, b, c = 0.05 + 0.01 * r(), 0.05 + 0.01 * r(), 0.06 + 0.01 * r()
    bodies[i] = world:body{ mass = 1 + 0.5 * r(), inertia = planar and a or { a, b, c }, position = three(1) }
    local kind = kinds[1 + (seed + i) % #kinds]
    local k, d = springs(i)
    joints[i] = world:joint{ kind, bodies[math.floor((i - 1) * (0.5 + 0.5 * math.abs(r())))], bodies[i], anchor = three(1),
      axis = not (planar and kind == "revolute") and kind ~= "spherical" and (planar and { 1, r() } or { 1, r(), r() }) or nil,
      axis2 = kind == "universal" and { r(), 1, r() } or nil, stiffness = k, damping = d, formulation = formulation }
  end
  return world, joints, kinds
end

describe("springs inside trees", function()
  it("are an inertia h (c + h k/2)/2 on their velocities: a step from rest against the mass matrix (200 seeds)", function()
    for seed = 1, 200 do
      local r = random(1000 + seed)
      local laws = {}
      for i = 1, 7 do
        laws[i] = { (seed + i) % 3 == 0 and 0 or 10 ^ (2 + r()), (seed + i) % 3 == 1 and 0 or 10 ^ (r() - 1.5) }
        if i == 4 then laws[i] = { 0, 0 } end
      end
      local world <close>, joints = tree(seed, function(i) return laws[i][1], laws[i][2] end)
      local M, n, f = world:mass_matrix():totable(), 0, {}
      for i, joint in ipairs(joints) do
        local size = type(joint.qd) == "number" and 1 or #joint.qd
        local torque = {}
        for k = 1, size do
          torque[k] = 1e-3 * r()
          n = n + 1
          M[n][n] = M[n][n] + 0.5 * H * (laws[i][2] + 0.5 * H * laws[i][1])
          f[n] = H * torque[k]
        end
        joint.torque = size == 1 and torque[1] or torque
      end
      local exact, most = solve(M, f), 0
      for i = 1, n do most = math.max(most, math.abs(exact[i])) end
      world:step()
      local u = world:velocities()
      for i = 1, n do near(exact[i], u[i], 1e-6 * most, ("seed %d, velocity %d"):format(seed, i)) end
    end
  end)

  it("are taken as resolved up to h^2 (M^-1)_kk k = 1, and not beyond, reduced and rigid (200 seeds)", function()
    for seed = 1, 200 do
      local which = 1 + seed % 7
      local world <close>, joints = tree(seed, function() return 0, 0 end)
      local M, at, n = world:mass_matrix():totable(), nil, 0
      for i, joint in ipairs(joints) do
        local size = type(joint.qd) == "number" and 1 or #joint.qd
        if i == which and size == 1 then at = n + 1 end
        n = n + size
      end
      if at then
        local unit = {}
        for i = 1, n do unit[i] = i == at and 1 or 0 end
        local give = solve(M, unit)[at]
        for _, formulation in ipairs{ "reduced", "rigid" } do
          for share, apart in pairs{ [0.999] = false, [1.001] = true } do
            local k = share / (H * H * give)
            local sprung <close>, its = tree(seed, function(i) return i == which and k or 0, 0 end, formulation)
            its[which].torque = 1
            sprung:step()
            -- what the scheme takes of unresolved springs; what bodies get by turning is 1e-20 at most
            local scheme = math.abs(sprung:ledger().scheme)
            assert.equal(apart, scheme > 1e-15, ("seed %d, %s, %g: %g J"):format(seed, formulation, share, scheme))
          end
        end
      end
    end
  end)
end)
