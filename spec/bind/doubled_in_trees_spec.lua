-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local seeds = require "support.seeds"
local vec = delassus.vec

-- Two joints between a body and the one that carries it are one joint of the tree where both together are a hinge or a weld. The
-- oracle is that hinge or weld alone, whose tree has no row of a joint.

--- What two joints of one pair are together: kinds, and whether the second one's point is another.
local PAIRS = {
  { "spherical", "spherical", one = "revolute", apart = true },
  { "spherical", "revolute", one = "revolute" },
  { "spherical", "revolute", one = "revolute", apart = true },
  { "revolute", "revolute", one = "revolute", apart = true },
  { "revolute", "spherical", one = "revolute", apart = true },
  { "fixed", "spherical", one = "fixed", apart = true },
  { "fixed", "revolute", one = "fixed" },
  { "fixed", "fixed", one = "fixed", apart = true },
  { "spherical", "spherical", one = "spherical" },
}

local function direction(random)
  local x
  repeat x = vec{ random:uniform(-1, 1), random:uniform(-1, 1), random:uniform(-1, 1) } until x:norm() > 0.1 and x:norm() < 1
  return x / x:norm()
end

--- x turned by the quaternion q = {w, x, y, z}, or back.
local function turned(q, x, back)
  local v = (back and -1 or 1) * vec{ q[2], q[3], q[4] }
  local t = 2 * v:cross(x)
  return x + q[1] * t + v:cross(t)
end

--- A thrown tree of boxes of 1 : 100, free or on the ground; the joints of each pair as one or as two (PAIRS), whose bodies come
--- in any order. Answers the world and, by pair, the way from the first joint's point to the second's, in the later body.
local function tree(seed, doubled, floor)
  local random = delassus.random(seed)
  local w = delassus.world{ record = false, dt = random:uniform(1e-3, 4e-3) }
  if floor then w:floor{ friction = random:uniform(0, 1) } end
  local bodies, arms = {}, {}
  if random:uniform() < 0.5 then bodies[1] = w.ground end
  for k = 1, random:integer(3, 7) do
    local at = vec{ 0.4 * k + random:uniform(-0.1, 0.1), random:uniform(-0.2, 0.2),
      (floor and 0.5 or 1) + random:uniform(-0.2, 0.2) }
    local size = { random:uniform(0.1, 0.3), random:uniform(0.1, 0.3), random:uniform(0.1, 0.3) }
    local b = w:box{ size = size, density = 10 ^ random:uniform(2, 4), collides = not floor and {} or nil, position = at,
      rotation = { axis = direction(random), angle = random:uniform(-2, 2) } }
    local a, anchor, axis = bodies[random:integer(math.max(1, #bodies - 1), math.max(1, #bodies))],
      at - vec{ 0.2, random:uniform(-0.2, 0.2), random:uniform(-0.2, 0.2) }, direction(random)
    local pair, length, swap, around = PAIRS[random:integer(1, #PAIRS)], random:uniform(0.05, 0.4), random:uniform() < 0.5,
      random:uniform() < 0.3
    local function join(kind, point, swapped)
      local first, second = a, b
      if swapped then first, second = b, a end
      local options = { kind, first, second, anchor = point }
      if kind == "revolute" then options.axis = axis end
      return w:joint(options)
    end
    if a then
      arms[#arms + 1] = { b, turned(b.rotation, (pair.apart and length or 0) * axis, true) }
      if doubled then
        join(pair[1], anchor, around)
        join(pair[2], pair.apart and anchor + length * axis or anchor, swap)
      else
        join(pair.one, anchor, around)
      end
    end
    bodies[#bodies + 1] = b
    b:impulse{ impulse = b.mass * vec{ random:uniform(-1, 1), random:uniform(-1, 1), random:uniform(-1, 1) } }
  end
  return w, arms
end

--- The largest distance between bodies of two worlds, of places and of quaternions.
local function apart(one, two)
  local most = 0
  for k, a in ipairs(one.bodies) do
    local b = two.bodies[k]
    most = math.max(most, (a.position - b.position):norm())
    local q, r = a.rotation, b.rotation
    most = math.max(most, math.min((q - r):norm(), (q + r):norm()))
  end
  return most
end

describe("two joints of one pair in a tree", function()
  -- velocities before the first step are those of impulses on a ball, which the second joint does not admit: the second step
  -- begins with both joints closed
  it("are the hinge or weld that both together are: free flight (200 seeds)", function()
    for seed = 1, seeds(200) do
      local one <close> = tree(seed, false)
      local two <close> = tree(seed, true)
      one:step(40)
      two:step(40)
      local d = apart(one, two)
      if d > 1e-9 or d ~= d then error(("seed %d: %g"):format(seed, d)) end
      local k_1, p_1 = one:energy()
      local k_2, p_2 = two:energy()
      if math.abs(k_1 + p_1 - k_2 - p_2) > 1e-9 * (k_1 + math.abs(p_1)) then error(("seed %d: energies"):format(seed)) end
      for _, joint in ipairs(two.joints) do
        if joint:violation() > 1e-11 then error(("seed %d: %g m"):format(seed, (joint:violation()))) end
      end
      assert.equal(0, two.stats.unknowns, "seed " .. seed)
      assert.equal(0, two.stats.unconverged, "seed " .. seed)
    end
  end)

  it("add no unknown to contacts (200 seeds)", function()
    local touched, equal = 0, 0 -- steps
    for seed = 1, seeds(200) do
      local one <close> = tree(seed, false, true)
      local two <close> = tree(seed, true, true)
      for _ = 1, 120 do
        one:step()
        two:step()
        if two.stats.unconverged > one.stats.unconverged then error(("seed %d: a missed step"):format(seed)) end
        if two.stats.contacts > 0 then touched = touched + 1 end
        if two.stats.unknowns == one.stats.unknowns then equal = equal + 1 end
        for _, joint in ipairs(two.joints) do
          if joint:violation() > 1e-9 then error(("seed %d: %g m"):format(seed, (joint:violation()))) end
        end
      end
    end
    assert.is_true(touched > 20 * seeds(200), tostring(touched))
    assert.is_true(equal >= 119.9 * seeds(200), tostring(equal)) -- ways part where touches come and go
  end)

  -- each has what the hinge has of it: of two forces the sum, and a moment about the hinge's anchor
  it("share the wrench of the hinge (200 seeds)", function()
    local looked = 0
    for seed = 1, seeds(200) do
      local one <close> = tree(seed, false)
      local two <close>, arms = tree(seed, true)
      one:step(3)
      two:step(3)
      one.dt, two.dt = 1e-6, 1e-6 -- poses at its end are those where forces acted
      one:step()
      two:step()
      for k, hinge in ipairs(one.joints) do
        local first, second = two.joints[2 * k - 1], two.joints[2 * k]
        local force, moment = hinge:reaction()
        local f_1, m_1 = first:reaction()
        local f_2, m_2 = second:reaction()
        if second.b ~= first.b then f_2, m_2 = -1 * f_2, -1 * m_2 end -- on the same body, about the same point
        local arm = turned(arms[k][1].rotation, arms[k][2])
        local size = force:norm() + moment:norm() + f_2:norm() + 1
        local off = (f_1 + f_2 - force):norm() + (m_1 + m_2 + arm:cross(f_2) - moment):norm()
        if off > 1e-5 * size or off ~= off then error(("seed %d, joint %d: %g of %g"):format(seed, k, off, size)) end
        for _, ball in ipairs{ first, second } do
          local _, m = ball:reaction()
          if ball.kind == "spherical" and m:norm() > 1e-5 * size then
            error(("seed %d, joint %d: a ball has %g N m"):format(seed, k, m:norm()))
          end
          looked = looked + 1
        end
      end
    end
    assert.is_true(looked > 5 * seeds(200), tostring(looked))
  end)

  --- A door of width 1 m on two joints 1.5 m one above the other.
  local function door(options)
    local w = delassus.world{ record = false }
    local b = w:box{ size = { 1, 0.05, 2 }, mass = 20, position = { 0.5, 0, 1 } }
    local joints = {}
    for k, z in ipairs{ 0.25, 1.75 } do
      local joint = { "spherical", w.ground, b, anchor = { 0, 0, z } }
      for name, value in pairs(k == 1 and options or {}) do joint[name] = value end
      joints[k] = w:joint(joint)
    end
    return w, b, joints
  end

  it("carry a door: each m g/3 across, the one of the tree its weight", function()
    local w <close>, _, joints = door()
    w:step(10)
    local low, high = joints[1]:reaction(), joints[2]:reaction()
    local weight = 20 * 9.81
    assert.near(weight / 3, low[1], 1e-9 * weight)
    assert.near(-weight / 3, high[1], 1e-9 * weight)
    assert.near(weight, low[3] + high[3], 1e-9 * weight)
    assert.near(0, high[3], 1e-9 * weight)
    local along, square = 0, 0 -- its rows' lambda are its reaction
    for _, row in ipairs(joints[2].rows) do
      square = square + row.lambda ^ 2
      along = along + 1
    end
    assert.equal(3, along)
    assert.near((weight / 3) ^ 2, square, 1e-9 * weight ^ 2)
  end)

  -- a plane across the line comes from below: impulses along the line move nothing, and what round-off makes of their W is not
  -- divided by (such doors then turned by 1e60 rad/s)
  it("know which contacts move nothing", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local e = direction(random)
      local w <close> = delassus.world{ record = false, gravity = -9.81 * e }
      local half = vec{ 1 + e[3], -e[2], e[1], 0 } -- z to e
      half = half / half:norm()
      w:body{ type = "kinematic", shape = delassus.plane{ normal = e }, friction = random:uniform(0, 1), velocity = 0.1 * e }
      local tall, out = random:uniform(0.5, 3), turned(half, vec{ 1, 0, 0 })
      local b = w:box{ size = { 1, 0.05, tall }, mass = 10 ^ random:uniform(-1, 3), position = 0.5 * out + 0.5 * tall * e,
        rotation = half }
      local at = random:uniform(0, 0.3) * tall
      for _, z in ipairs{ at, tall - at } do w:joint{ "spherical", w.ground, b, anchor = z * e } end
      b:apply{ torque = b.mass * e }
      w:step(20)
      assert.is_true(w.stats.contacts > 0, "seed " .. seed)
      assert.equal(0, w.stats.unconverged, "seed " .. seed)
      for c in w:contacts() do
        if c.normal_force > 1e-9 * b.mass then error(("seed %d: %g N"):format(seed, c.normal_force)) end
      end
      -- torque 20 h/J
      assert.near(20 * w.dt / ((1 + 0.05 ^ 2) / 12 + 0.25), b.angular_velocity:dot(e), 1e-9, "seed " .. seed)
    end
  end)

  it("close a velocity that both do not admit, and its loss is in the ledger", function()
    local w <close>, b, joints = door()
    joints[1].qd = { 1, 0.5, 2 }
    local before = w:energy()
    w:step()
    local kinetic = w:energy()
    assert.is_true(kinetic < before)
    assert.near(before - kinetic, w:ledger().impact, 1e-12 * before)
    assert.is_true(w.stats.energy_balance <= 1e-12)
    -- what J of the ball's point leaves about z: 2 J_zz + 1 J_xz
    assert.near(2 - 0.5 * 0.75 / ((1 + 0.05 ^ 2) / 12 + 0.25), b.angular_velocity[3], 1e-12)
    assert.is_true(joints[2]:violation() <= 1e-15)
  end)

  it("close an axis that stands apart", function()
    for _, angle in ipairs{ 1e-6, 5e-3, 0.05 } do
      local w <close>, _, joints = door()
      local q = joints[1].q
      joints[1].q = { math.cos(angle / 2), q[2] + math.sin(angle / 2), q[3], q[4] }
      assert.is_true(joints[2]:violation() > 1.4 * angle)
      w:step(2)
      assert.is_true(joints[2]:violation() <= 1e-12, ("%g rad: %g m"):format(angle, (joints[2]:violation())))
    end
  end)

  -- a ball that resists is not one with the other; of a rigid one with limits the limits are left
  it("are two joints beside a ball with limits or springs", function()
    for _, options in ipairs{ { limits = { cone = 0.3 } }, { stiffness = 50 }, { damping = 3 } } do
      local one <close>, a, joints = door(options)
      options.formulation = "rigid"
      local two <close>, b, others = door(options)
      joints[1].qd, others[2].qd = { 0, 0, 2 }, { 0, 0, 2 }
      for _ = 1, 200 do
        one:step()
        two:step()
        assert.is_true((a.position - b.position):norm() <= 1e-9)
      end
      assert.is_true(math.abs(a.position[2]) > 0.01)
    end
  end)

  it("are one again when the other goes, and repeat from a snapshot", function()
    local w <close>, b, joints = door()
    b:apply{ torque = { 3, 1, 2 } }
    w:step(20)
    local snapshot = w:snapshot()
    w:step(20)
    local hash = w:hash()
    w:restore(snapshot)
    w:step(20)
    assert.equal(hash, w:hash())
    assert.is_true(math.abs(b.angular_velocity[1]) < 1e-12)
    w:remove(joints[2])
    w:step(20)
    assert.is_true(math.abs(b.angular_velocity[1]) > 0.01)
    assert.is_true(joints[1]:violation() <= 1e-14)
  end)
end)
