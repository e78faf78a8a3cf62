-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What a step makes of velocities, divided by its length, tends to world:accelerations() as the length does to zero.
local delassus = require "delassus"
local chance = require "support.chance"

--- du/h of the step, from the world's state; extrapolated from h and h/2.
local function by_steps(w, h)
  local kept, before = w:snapshot(), w:velocities():totable()
  local function once(dt)
    w:restore(kept)
    w.dt = dt
    w:step()
    local u, a = w:velocities(), {}
    for i = 1, #before do a[i] = (u[i] - before[i]) / dt end
    return a
  end
  local whole, half, quarter = once(h), once(h / 2), once(h / 4)
  local a, spread = {}, 0
  for i = 1, #before do
    a[i] = 2 * quarter[i] - half[i]
    spread = math.max(spread, math.abs(a[i] - 2 * half[i] + whole[i]))
  end
  w:restore(kept)
  return a, spread
end

local function agree(w, what, most)
  local udot, size, off = w:accelerations(), 10, 0
  local a, spread = by_steps(w, 1e-5)
  for i = 1, #udot do size = math.max(size, math.abs(udot[i])) end
  for i = 1, #udot do off = math.max(off, math.abs(udot[i] - a[i])) end
  assert.is_true(off <= 1e-5 * size + most * spread, ("%s: off by %g of %g, steps by %g"):format(what, off, size, spread))
end

--- Two or three bodies that move as one; answers the world, them, a maker of vectors, whether it is in the plane.
local function moved_as_one(r)
  local planar = r.pick{ true, false }
  local function vec(s) return { r.from(-s, s), r.from(-s, s), not planar and r.from(-s, s) or nil } end
  local w = delassus.world{ planar = planar, record = false, tolerance = 1e-13, gravity = vec(10) }
  local V, spin, bodies = vec(1), planar and r.from(-3, 3) or vec(2), {}
  for i = 1, r.pick{ 2, 3 } do
    local a, b, c, at = r.from(0.05, 0.2), r.from(0.05, 0.2), r.from(0.05, 0.2), vec(1)
    local v = planar and { V[1] - spin * at[2], V[2] + spin * at[1] } or
      (delassus.vec(V) + delassus.vec(spin):cross(delassus.vec(at)))
    bodies[i] = w:body{ mass = r.from(0.5, 2), inertia = planar and a or { b + c, a + c, a + b }, position = at,
      rotation = planar and r.from(-3, 3) or { axis = vec(1), angle = r.from(-3, 3) }, velocity = v, angular_velocity = spin }
  end
  return w, bodies, vec, planar
end

describe("steps", function()
  it("drive a motor and brake by dry friction with what they have, beside springs: 400 seeds, any step", function()
    for seed = 1, 400 do
      local r = chance(seed)
      local w <close> = delassus.world{ planar = true, record = false, dt = 10 ^ r.from(-6, -3.5) }
      local spin = r.from(0.2, 1)
      local body = w:body{ mass = 1, inertia = 0.1, position = { 1, 0 }, velocity = { 0, spin }, angular_velocity = spin }
      local most = r.from(0, 3)
      local motor = seed % 2 == 0 and { speed = r.from(-2, 0), max_torque = most } or nil
      w:joint{ "revolute", w.ground, body, anchor = { 0, 0 }, motor = motor, friction = not motor and most or nil,
        formulation = r.pick{ "reduced", "rigid" } }
      w:spring{ w.ground, body, anchor_a = { r.from(-1, 1), r.from(-1, 1) }, stiffness = r.from(0, 200), length = r.from(0, 1) }
      local u, udot = w:velocities():totable(), w:accelerations()
      w:step()
      local now = w:velocities()
      for i = 1, #u do
        local a = (now[i] - u[i]) / w.dt
        assert.is_true(math.abs(a - udot[i]) < 0.5 + 2e3 * w.dt, ("seed %d, dt %g: %g, not %g"):format(seed, w.dt, a, udot[i]))
      end
    end
  end)

  it("hold limits at rest against forces of inertia, motors and springs: 400 seeds", function()
    local pressed = 0
    for seed = 1, 400 do
      local r = chance(seed)
      local w <close>, bodies, vec, planar = moved_as_one(r)
      local joints = {}
      for i = 2, #bodies do
        local kind = r.pick{ "revolute", "prismatic" }
        local most = kind == "revolute" and "max_torque" or "max_force"
        joints[i - 1] = w:joint{ kind, bodies[i - 1], bodies[i], anchor = vec(1),
          axis = (kind == "prismatic" or not planar) and vec(1) or nil, formulation = r.pick{ "reduced", "rigid" },
          limits = r.pick{ { 0, 1 }, { -1, 0 } }, damping = r.pick{ 0, r.from(0, 3) }, torque = r.from(-3, 3),
          motor = r.pick{ false, true } and { speed = r.from(-2, 2), [most] = r.from(0.5, 5) } or nil }
      end
      if r.pick{ true, false } then
        w:spring{ bodies[1], bodies[#bodies], anchor_a = vec(1), anchor_b = vec(0.5), stiffness = r.from(1, 200),
          damping = r.pick{ 0, r.from(0, 5) }, length = r.from(0, 1) }
      end
      agree(w, "seed " .. seed, 1)
      w:accelerations()
      for _, joint in ipairs(joints) do if math.abs(joint.qdd) < 1e-9 then pressed = pressed + 1 end end
    end
    assert.is_true(pressed > 150, pressed .. " pressed")
  end)

  it("hold and give way by dry friction against forces of inertia, in all formulations: 300 seeds", function()
    local held, slid = 0, 0
    for seed = 1, 300 do
      local r = chance(seed)
      local w <close>, bodies, vec, planar = moved_as_one(r)
      for i = 2, #bodies do
        local kind = planar and r.pick{ "revolute", "prismatic" } or
          r.pick{ "revolute", "prismatic", "cylindrical", "universal", "spherical" }
        local formulation = r.pick{ "reduced", "rigid", "penalty" }
        local joint = w:joint{ kind, bodies[i - 1], bodies[i], anchor = vec(1), axis2 = kind == "universal" and vec(1) or nil,
          axis = (kind == "prismatic" or not (planar or kind == "spherical")) and vec(1) or nil, friction = r.from(0.05, 1.5),
          formulation = formulation, gains = formulation == "penalty" and "published" or nil }
        w:accelerations()
        local rate = joint.qdd
        if type(rate) ~= "number" then rate = rate[1] end
        if math.abs(rate) < 1e-9 then held = held + 1 else slid = slid + 1 end
      end
      agree(w, "seed " .. seed, 1)
    end
    assert.is_true(held > 100 and slid > 80, held .. " held, " .. slid .. " slid")
  end)
end)

describe("world:accelerations", function()
  it("of a wheel whose axle stands are its torque's: what presses on its rim has no force (200 seeds)", function()
    for seed = 1, 200 do
      local r = chance(seed)
      local planar, angle, spin, torque = r.pick{ true, false }, r.from(0, 6), r.pick{ 0, r.from(-5, 5) }, r.from(-3, 3)
      local w <close> = delassus.world{ planar = planar, record = false }
      local n = planar and delassus.vec{ math.cos(angle), math.sin(angle) } or
        delassus.vec{ math.cos(angle), 0, math.sin(angle) }
      w:wall{ normal = n, offset = -0.37, friction = 0.5 }
      local at = -0.17 * n
      local wheel = planar and w:disk{ radius = 0.2, density = 1000, position = at, angular_velocity = spin } or
        w:sphere{ radius = 0.2, density = 1000, position = at, angular_velocity = { 0, spin, 0 } }
      local formulation = r.pick{ "reduced", "rigid" }
      w:joint{ "revolute", w.ground, wheel, anchor = at, axis = not planar and { 0, 1, 0 } or nil, formulation = formulation }
      wheel:apply{ torque = planar and torque or { 0, torque, 0 } }
      local udot = w:accelerations()
      local got = udot[planar and #udot or formulation == "reduced" and 1 or 5]
      local exact = torque / (planar and wheel.inertia or wheel.inertia[1])
      assert.is_true(math.abs(got - exact) < 1e-9 * math.abs(exact), ("seed %d: %g, not %g"):format(seed, got, exact))
    end
  end)
end)
