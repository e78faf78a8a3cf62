-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- world:equilibrium() of mechanisms that rest on several limits, beside springs, motors, torques and loads. The oracle is
-- the energy, added up outside: its gradient by differences obeys Karush, Kuhn and Tucker, its Hessian along the coordinates
-- whose limits do not press has the sign that `stable` tells.
local delassus = require "delassus"
local chance = require "support.chance"
local seeds = require "support.seeds"

--- A random tree with limits: the world, its joints and their options, its energy at coordinates q.
local function build(r, formulation)
  local planar = r.pick{ true, false }
  local function vec(s) return { r.from(-s, s), r.from(-s, s), not planar and r.from(-s, s) or nil } end
  local w = delassus.world{ planar = planar, record = false }
  local bodies, joints, options, n = {}, {}, {}, r.pick{ 2, 3, 4, 5 }
  for i = 1, n do
    local a, b, c = r.from(0.05, 0.2), r.from(0.05, 0.2), r.from(0.05, 0.2)
    bodies[i] = w:body{ mass = r.from(0.5, 2), inertia = planar and a or { b + c, a + c, a + b }, position = vec(1) }
    local kind = r.from(0, 1) < 0.75 and "revolute" or "prismatic"
    local o = { kind, i == 1 and w.ground or bodies[r.pick{ i - 1, math.max(1, i // 2) }], bodies[i], anchor = vec(1),
      formulation = formulation, axis = (kind == "prismatic" or not planar) and vec(1) or nil }
    if r.from(0, 1) < 0.7 or kind == "prismatic" then o.limits = { -r.from(0.05, 1), r.from(0.05, 1) } end
    if r.from(0, 1) < 0.3 then o.stiffness = r.from(1, 30) end
    if r.from(0, 1) < 0.2 then
      o.motor = { position = r.from(-0.5, 0.5), stiffness = r.from(1, 50),
        [kind == "revolute" and "max_torque" or "max_force"] = 1e3 }
    end
    if r.from(0, 1) < 0.2 then o.torque = r.from(-3, 3) end
    joints[i], options[i] = w:joint(o), o
  end
  if r.pick{ true, false } then
    w:spring{ w.ground, bodies[n], anchor_a = vec(1), anchor_b = vec(0.5), stiffness = r.from(1, 100), length = r.from(0, 1) }
  end
  local load = r.pick{ true, false } and delassus.vec(vec(5))
  if load then bodies[n]:apply{ force = load } end
  local function energy(q)
    w:set_coordinates(q)
    local _, potential, stored = w:energy()
    local sum = potential + stored - (load and load:dot(bodies[n].centre) or 0)
    for i, o in ipairs(options) do
      sum = sum - (o.torque or 0) * q[i]
      if o.motor then sum = sum + 0.5 * o.motor.stiffness * (q[i] - o.motor.position) ^ 2 end
    end
    return sum
  end
  return w, joints, options, energy
end

local function moved(q, i, by, k, and_by)
  local there = table.move(q, 1, #q, 1, {})
  there[i] = there[i] + by
  if k then there[k] = there[k] + and_by end
  return there
end

--- 1: positive definite, -1: not even semidefinite, 0: neither is sure.
local function sign_of(H)
  local n = #H
  for k = 1, n do
    if H[k][k] < 1e-3 then return H[k][k] < -1e-2 and -1 or 0 end
    for i = k + 1, n do
      local f = H[i][k] / H[k][k]
      for j = k, n do H[i][j] = H[i][j] - f * H[k][j] end
    end
  end
  return 1
end

describe("world:equilibrium on several limits", function()
  it("is where the energy has no way down: 200 seeds", function()
    local pressed = {}
    for seed = 1, seeds(200) do
      local w <close>, joints, options, energy = build(chance(seed), "reduced")
      local e = w:equilibrium()
      local what = ("seed %d: residual %g, %d steps"):format(seed, e.residual, e.iterations)
      assert.is_true(e.converged, what)
      local q, free, n_pressed = w:coordinates():totable(), {}, 0
      local h = 1e-4
      for i = 1, #joints do
        local slope = (8 * (energy(moved(q, i, h)) - energy(moved(q, i, -h))) -
          (energy(moved(q, i, 2 * h)) - energy(moved(q, i, -2 * h)))) / (12 * h)
        local limits = options[i].limits or { -math.huge, math.huge }
        assert.is_true(q[i] > limits[1] - 1e-8 and q[i] < limits[2] + 1e-8, what .. ", limit of joint " .. i)
        if q[i] < limits[1] + 1e-8 and slope > 0 or q[i] > limits[2] - 1e-8 and slope < 0 then
          n_pressed = n_pressed + 1
        else
          free[#free + 1] = i
          assert.is_true(math.abs(slope) < 1e-5, what .. (": slope %g of joint %d"):format(slope, i))
        end
      end
      local H = {}
      h = 1e-3
      for a, i in ipairs(free) do
        H[a] = {}
        for b, k in ipairs(free) do
          H[a][b] = (energy(moved(q, i, h, k, h)) - energy(moved(q, i, h, k, -h)) - energy(moved(q, i, -h, k, h)) +
            energy(moved(q, i, -h, k, -h))) / (4 * h * h)
        end
      end
      local sign = sign_of(H)
      assert.is_true(sign == 0 or e.stable == (sign == 1), what .. ", stable: " .. tostring(e.stable))
      pressed[n_pressed] = (pressed[n_pressed] or 0) + 1
    end
    assert.is_true(pressed[1] > seeds.least(40) and pressed[2] > seeds.least(40) and pressed[3] > seeds.least(20))
  end)

  it("is found with rigid joints as well, joints closed and limits kept: 15 seeds", function()
    for seed = 1, 15 do
      local w <close>, joints, options = build(chance(seed), "rigid")
      local e = w:equilibrium()
      local what = ("seed %d: residual %g, %d steps"):format(seed, e.residual, e.iterations)
      assert.is_true(e.converged, what)
      for i, joint in ipairs(joints) do
        local limits = options[i].limits or { -math.huge, math.huge }
        assert.is_true((joint:violation()) < 1e-10 and joint.q > limits[1] - 1e-8 and joint.q < limits[2] + 1e-8, what)
      end
    end
  end)

  it("does not call stable what a limit that does not press holds: bars upright or hanging, 200 seeds", function()
    for seed = 1, seeds(200) do
      local r = chance(seed)
      local planar, formulation = r.pick{ true, false }, r.pick{ "reduced", "rigid" }
      local world <close> = delassus.world{ planar = planar, record = false }
      local function place(z) return planar and { 0, z } or { 0, 0, z } end
      local last, z, n, all = world.ground, 0, r.pick{ 1, 2, 3 }, {}
      local limited = r.pick{ 1, n }
      for i = 1, n do -- every other limit would let it fall the one way, every other the other way
        local half, m = r.pick{ -1, -1, 1 } * r.from(0.3, 1), r.from(0.5, 5)
        local body = world:body{ mass = m, inertia = planar and 0.1 * m or { 0.1 * m, 0.1 * m, 0.05 * m },
          position = place(z + half) }
        world:joint{ "revolute", last, body, anchor = place(z), axis = not planar and { 0, 1, 0 } or nil,
          formulation = formulation, limits = i == limited and r.pick{ { 0, 2 }, { -2, 0 } } or nil }
        last, z, all[i] = body, z + 2 * half, { half = half, m = m }
      end
      local hangs = true -- V = sum of -k angle^2/2, angles from the vertical
      for i = 1, n do
        local k = all[i].m * all[i].half
        for j = i + 1, n do k = k + 2 * all[i].half * all[j].m end
        hangs = hangs and k < 0
      end
      local e = world:equilibrium()
      assert.is_true(e.converged, "seed " .. seed)
      assert.equal(hangs, e.stable, "seed " .. seed)
    end
  end)

  it("tells that contacts, which it leaves out, would act where it ends", function()
    for _, height in ipairs{ 0.4, 2 } do
      local world <close> = delassus.world{ record = false }
      world:floor{}
      local ball = world:sphere{ radius = 0.1, mass = 1, position = { 0.5, 0, height } }
      world:joint{ "revolute", world.ground, ball, anchor = { 0, 0, height }, axis = { 0, 1, 0 } }
      local e = world:equilibrium()
      assert.is_true(e.converged and e.stable)
      assert.equal(height < 0.6, e.contacts)
    end
  end)
end)
