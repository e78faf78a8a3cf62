-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Rigid joints outside of steps: accelerations, integration through singular poses, drives, mobility.
local delassus = require "delassus"
local near = require "support.near"
local json = require "spec.support.json"
local seeds = require "support.seeds"

local G = 9.81

local function total(world)
  local kinetic, potential = world:energy()
  return kinetic + potential
end

-- MB-A02: three posts on the ground, two couplers; loops are closed by rigid joints.
local function two_loops()
  local world, posts = delassus.world{ planar = true, gravity = { 0, -G }, record = false }, {}
  for i = 0, 2 do
    posts[i] = world:body{ mass = 1, inertia = 1 / 12, position = { i, 0.5 } }
    world:joint{ "revolute", world.ground, posts[i], anchor = { i, 0 } }
  end
  for i = 0, 1 do
    local coupler = world:body{ mass = 1, inertia = 1 / 12, position = { i + 0.5, 1 } }
    world:joint{ "revolute", posts[i], coupler, anchor = { i, 1 } }
    world:joint{ "revolute", coupler, posts[i + 1], anchor = { i + 1, 1 } }
  end
  world:set_velocities{ -1, -1, -1, 1, 1 }
  return world, posts
end

describe("MB-A02, a four-bar mechanism of two loops", function()
  local rows = { { 1, -0.19502030194949718, -0.9807992056621616 }, { 2, 0.057815795767658516, 0.998327267863476 },
    { 5, -0.8113104609999918, -0.584615545356075 } }
  for method, limit in pairs{ rk4 = 1e-9, stormer = 1e-8, dopri5 = 1e-6 } do
    it("passes its singular poses on its branch by " .. method, function()
      local world <close>, posts = two_loops()
      local before = total(world)
      for _, row in ipairs(rows) do
        world:integrate{ method = method, dt = method ~= "dopri5" and 2e-3 or nil, to = row[1],
          rtol = method == "dopri5" and 1e-10 or nil }
        near(row[2], 2 * posts[0].position.x, limit)
        near(row[3], 2 * posts[0].position.y, limit)
        for i = 1, 2 do near(posts[0].rotation, posts[i].rotation, 1e-9, "parallel") end -- the case's own limit
      end
      near(before, total(world), limit * math.abs(before))
      for _, joint in ipairs(world.joints) do near(0, joint:violation(), 1e-13) end
    end)
  end
end)

describe("MB-A03, Andrews' squeezer", function()
  local P = { m = { 0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498 },
    I = { 2.194e-06, 4.41e-07, 5.255e-06, 5.667e-07, 1.169e-05, 5.667e-07, 1.912e-05 }, xa = -0.06934, ya = -0.00227,
    xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, c0 = 4530.0, l0 = 0.07785, d = 0.028, da = 0.0115,
    e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02,
    ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421, mom = 0.033 }
  local be, th, ga, ph = -0.06171389001427645, 0, 0.45527981916307037, 0.22266839016588588
  local de, om, ep = 0.48736497954384256, -0.22266839016588588, 1.2305474445498212

  local function squeezer()
    local world, c, s = delassus.world{ planar = true, gravity = { 0, 0 }, record = false }, math.cos, math.sin
    local F = { P.rr * c(be), P.rr * s(be) }
    local E = { F[1] - P.d * c(be + th), F[2] - P.d * s(be + th) }
    local A, B = { P.xa, P.ya }, { P.xb, P.yb }
    local H = { P.xa + P.zt * c(de), P.ya + P.zt * s(de) }
    local M = { P.xa + P.u * s(ep), P.ya - P.u * c(ep) }
    local at = { { P.ra * c(be), P.ra * s(be), be }, { F[1] - P.da * c(be + th), F[2] - P.da * s(be + th), be + th },
      { B[1] + P.sa * s(ga) + P.sb * c(ga), B[2] - P.sa * c(ga) + P.sb * s(ga), ga },
      { H[1] + (P.e - P.ea) * s(ph + de), H[2] - (P.e - P.ea) * c(ph + de), ph + de },
      { A[1] + P.ta * c(de) - P.tb * s(de), A[2] + P.ta * s(de) + P.tb * c(de), de },
      { M[1] + (P.zf - P.fa) * c(om + ep), M[2] + (P.zf - P.fa) * s(om + ep), om + ep },
      { A[1] + P.ua * s(ep) - P.ub * c(ep), A[2] - P.ua * c(ep) - P.ub * s(ep), ep } }
    local K = {}
    for i = 1, 7 do
      K[i] = world:body{ mass = P.m[i], inertia = P.I[i], position = { at[i][1], at[i][2] }, rotation = at[i][3] }
    end
    local tree = { { world.ground, K[1], { 0, 0 } }, { K[1], K[2], F }, { world.ground, K[3], B },
      { world.ground, K[5], A }, { K[5], K[4], H }, { world.ground, K[7], A }, { K[7], K[6], M } }
    for i, j in ipairs(tree) do
      local joint = world:joint{ "revolute", j[1], j[2], anchor = j[3] }
      if i == 1 then joint.torque = P.mom end
    end
    for _, i in ipairs{ 3, 4, 6 } do
      world:joint{ "revolute", K[2], K[i], anchor = E, formulation = "rigid" }
    end
    world:spring{ world.ground, K[3], anchor_a = { P.xc, P.yc }, anchor_b = { P.sd - P.sb, P.sa - P.sc },
      stiffness = P.c0, damping = 0, length = P.l0 }
    return world, K
  end

  it("starts as published", function()
    local world <close> = squeezer()
    local udot = world:accelerations()
    near(14222.443919954114, udot[1], 1e-12 * 14222)
    near(-10666.832939965585, udot[2], 1e-12 * 14222)
    assert.same({ 1, 6, 0 }, { world:mobility() })
  end)

  it("is where the test set's reference says at 0.03 s", function()
    local world <close>, K = squeezer()
    world:integrate{ dt = 1e-5, to = 0.03 }
    local r = {}
    for i = 1, 7 do r[i] = K[i].rotation end
    near(15.81077119629904, r[1], 1e-8) -- beta
    near(-15.75637105984298, r[2] - r[1], 1e-8)
    near(0.04082224013073101, r[3], 1e-8)
    near(-0.5347301163226948, r[4] - r[5], 1e-8)
    near(0.5244099658805303, r[5], 1e-8)
    near(1.048080741042263, r[7], 1e-8)
    near(1139.920302151208, K[1].angular_velocity, 1e-6 * 1139)
  end)
end)

describe("the cases' files of mechanisms", function()
  it("hold: MB-A02 over its 10 s, MB-CHAIN up to 200 rods", function()
    local four = json.file("../shared/cases/MB-A02-fourbar-N2.json")
    if not four then return print("MB-*: no ../shared here, not compared") end
    local world <close>, posts = two_loops()
    local before = total(world)
    for _, row in ipairs(four.expected.rows) do
      world:integrate{ method = "rk4", dt = 4e-3, to = row[1] }
      near(row[2], 2 * posts[0].position.x, four.tolerance.ours_abs_position)
      near(row[3], 2 * posts[0].position.y, four.tolerance.ours_abs_position)
    end
    near(before, total(world), four.tolerance.energy_drift_relative * before)
    local chain = json.file("../shared/cases/MB-CHAIN-horizontal.json")
    for n, expected in pairs(chain.expected) do
      local rods <close> = delassus.world{ planar = true, record = false }
      local carrier = rods.ground
      for i = 1, tonumber(n) do
        local rod = rods:body{ mass = 1, inertia = 1 / 12, position = { i - 0.5, 0 } }
        rods:joint{ "revolute", carrier, rod, anchor = { i - 1, 0 } }
        carrier = rod
      end
      local udot, sum = rods:accelerations(), 0
      for i, alpha in ipairs(expected.alpha_first) do
        sum = sum + udot[i]
        near(alpha, sum, chain.tolerance.relative * 15, n .. " rods")
      end
      near(expected.joint_force_first[1], rods.joints[1]:reaction().y, chain.tolerance.relative * 15)
    end
  end)
end)

describe("a rod on a hinge, reduced and rigid", function()
  for _, formulation in ipairs{ "reduced", "rigid" } do
    local function rod(options)
      local world = delassus.world{ dt = 1e-3, record = false }
      local body = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 1, 0, 0 } }
      options[1], options[2], options[3] = options[1] or "revolute", world.ground, body
      options.anchor, options.formulation = { 0, 0, 0 }, formulation
      if options[1] == "revolute" then options.axis = { 0, 1, 0 } end
      return world, world:joint(options), body
    end

    it("has exact accelerations and reactions: a limit, a motor, friction (" .. formulation .. ")", function()
      local free <close>, joint, body = rod{}
      free:accelerations()
      near(G - G / 1.1, joint:reaction().z, 1e-14 * 10) -- the centre falls with g/1.1
      local held <close>, stop = rod{ limits = { -1, 0 } }
      held:accelerations()
      local force, moment = stop:reaction()
      near(G, force.z, 1e-13 * G)
      near(-G, moment.y, 1e-13 * G)
      local driven <close>, motor = rod{ motor = { speed = 0, max_torque = 20 } }
      driven:accelerations()
      near(-G, select(2, motor:reaction()).y, 1e-13 * G)
      local weak <close>, slack = rod{ motor = { speed = 1, max_torque = 2 } }
      weak:accelerations()
      near(2, select(2, slack:reaction()).y, 1e-13 * G) -- all it has, towards its speed
      local rough <close>, brake = rod{ friction = 12 }
      rough:accelerations()
      near(G, brake:reaction().z, 1e-13 * G)
      near(-G, select(2, brake:reaction()).y, 1e-13 * G)
      assert.is_truthy(body)
    end)

    it("is driven: position, speed and the torque it takes (" .. formulation .. ")", function()
      local world <close>, joint, body = rod{ motion = function(t) return t * t, 2 * t, 2 end }
      world:accelerations()
      near(2 * 1.1 - G, joint.torque, 1e-13 * 10)
      world:step(100)
      near(0.2, body.angular_velocity.y, 1e-12)
      near(math.cos(0.01), body.position.x, 1e-12)
      local angle = 0.0995 ^ 2 -- in the middle of the step, where its mean torque is
      near(2 * 1.1 - G * math.cos(angle), joint.torque, 1e-5)
      world:integrate{ method = "rk4", dt = 1e-3, to = 0.3 }
      near(math.cos(0.09), body.position.x, 1e-12)
      near(0.6, body.angular_velocity.y, 1e-12)
    end)

    it("swings on a spherical spring with its period (" .. formulation .. ")", function()
      local world <close>, joint, body = rod{ "spherical", stiffness = 50 }
      world.gravity = { 0, 0, 0 }
      if formulation == "reduced" then
        joint.qd = { 0, 0, 0.01 }
      else
        body.velocity, body.angular_velocity = { 0, 0.01, 0 }, { 0, 0, 0.01 }
      end
      local half = math.pi / math.sqrt(50 / 1.1)
      world:integrate{ method = "rk4", dt = half / 400, to = half }
      near(0, body.position.y, 1e-7) -- a linear spring about one axis
      near(-0.01, body.angular_velocity.z, 1e-7)
    end)
  end
end)

describe("world:mobility", function()
  it("counts degrees of freedom, independent and redundant rows", function()
    local world <close> = delassus.world{ record = false }
    local before, first = world.ground, nil
    for i, p in ipairs{ { 0, 0.5 }, { 0.5, 1 }, { 1, 0.5 } } do
      local bar = world:body{ mass = 1, inertia = { 1, 1, 1 }, position = { p[1], p[2], 0 } }
      local anchors = { { 0, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } }
      world:joint{ "revolute", before, bar, anchor = anchors[i], axis = { 0, 0, 1 } }
      first, before = first or bar, bar
    end
    assert.same({ 3, 0, 0 }, { world:mobility() })
    local last = world:joint{ "revolute", world.ground, before, anchor = { 1, 0, 0 }, axis = { 0, 0, 1 },
      formulation = "rigid" }
    assert.same({ 1, 2, 3 }, { world:mobility() }) -- a planar loop of parallel hinges: three rows too many
    world:remove(last)
    assert.same({ 3, 0, 0 }, { world:mobility() })
    local free <close> = delassus.world{ planar = true, record = false }
    free:body{ mass = 1, inertia = 1 }
    assert.same({ 3, 0, 0 }, { free:mobility() })
  end)
end)

describe("about a pose with a loop", function()
  -- A parallelogram that swings as a pendulum: M_eff = 3 m l^2 ... two uniform posts and a coupler below.
  local function swing()
    local world = delassus.world{ planar = true, gravity = { 0, -G }, record = false }
    local a = world:body{ mass = 1, inertia = 1 / 12, position = { 0, -0.5 } }
    local b = world:body{ mass = 1, inertia = 1 / 12, position = { 2, -0.5 } }
    local c = world:body{ mass = 1, inertia = 1 / 3, position = { 1, -1 } }
    world:joint{ "revolute", world.ground, a, anchor = { 0, 0 } }
    world:joint{ "revolute", world.ground, b, anchor = { 2, 0 } }
    world:joint{ "revolute", a, c, anchor = { 0, -1 } }
    world:joint{ "revolute", c, b, anchor = { 2, -1 } }
    return world
  end

  it("linearize has the eigenvalue of the small swing", function()
    local world <close> = swing()
    -- 2 m l^2/3 + m l^2 = 5/3, 2 m g l/2 + m g l = 2 g: omega^2 = 6 g / 5; both posts turn, the coupler does not
    local A = world:linearize()
    local d = { 1, 1, -1 }
    for i = 1, 3 do
      local sum = 0
      for k = 1, 3 do sum = sum + A[3 + i][k] * d[k] end
      near(-6 * G / 5 * d[i], sum, 1e-6 * G)
    end
  end)

  it("linearize has the eigenvalues of pendulums from 1 mm to 1 km, reduced and rigid (200 seeds)", function()
    for seed = 1, seeds(200) do
      local random, rigid, planar = delassus.random(seed), seed % 2 == 0, seed % 4 < 2
      local l, share = 10 ^ random:uniform(-3, 3), random:uniform(0.05, 1)
      local inertia = share * l ^ 2
      local world <close> = delassus.world{ planar = planar, record = false }
      local bob = world:body{ mass = 1, inertia = planar and inertia or { inertia, inertia, inertia },
        position = planar and { 0, -l } or { 0, 0, -l } }
      world:joint{ "revolute", world.ground, bob, anchor = planar and { 0, 0 } or { 0, 0, 0 },
        axis = not planar and { 0, 1, 0 } or nil, formulation = rigid and "rigid" or "reduced" }
      local A = world:linearize()
      local n = A:rows() // 2
      local d = not rigid and { 1 } or planar and { l, 0, 1 } or { -l, 0, 0, 0, 1, 0 } -- what the hinge admits
      local turn, sum = #d - (rigid and not planar and 1 or 0), 0
      for k = 1, n do sum = sum + A[n + turn][k] * d[k] end
      assert.is_true(math.abs(sum / (-G / (l * (1 + share))) - 1) < 1e-9, ("seed %d: l = %g, rigid %s"):format(seed, l, rigid))
    end
  end)
end)

describe("an integration that starts off what rigid joints hold", function()
  -- A wheel that a drive turns from rest at once, with a pendulum on it: the first velocities are the nearest that joints admit.
  local function driven(formulation)
    local world = delassus.world{ record = false }
    local wheel = world:body{ mass = 1, inertia = { 0.2, 0.3, 0.25 }, position = { 1, 0, 0 } }
    world:joint{ "revolute", world.ground, wheel, anchor = { 0.5, 0, 0 }, axis = { 0, 1, 0 }, formulation = formulation,
      motion = function(t) return 0.2 * math.sin(2 * t), 0.4 * math.cos(2 * t), -0.8 * math.sin(2 * t) end }
    local body = world:body{ mass = 1, inertia = { 0.2, 0.3, 0.25 }, position = { 2, 0, 0 } }
    world:joint{ "ball", wheel, body, anchor = { 1.5, 0, 0 } }
    return world, body
  end

  it("has the order of its method: RK4 16, Stoermer more, by halving", function()
    local exact <close>, there = driven "rigid"
    exact:integrate{ method = "dopri5", to = 0.5, rtol = 1e-12, atol = 1e-12 }
    for method, least in pairs{ rk4 = 12, stormer = 24 } do
      local off = {}
      for k, dt in ipairs{ 2e-2, 1e-2 } do
        local world <close>, body = driven "rigid"
        world:integrate{ method = method, dt = dt, to = 0.5 }
        off[k] = (body.position - there.position):norm()
      end
      assert.is_true(off[1] > least * off[2] and off[1] < 1e-6, ("%s: %g, %g"):format(method, off[1], off[2]))
    end
  end)

  it("begins with the nearest velocities in the metric of M: what an impact at the joints leaves (200 seeds)", function()
    for seed = 1, 200 do
      local random = delassus.random(seed)
      local function vector(s) return { random:uniform(-s, s), random:uniform(-s, s), random:uniform(-s, s) } end
      local world <close> = delassus.world{ record = false, gravity = { 0, 0, 0 } }
      local mass, inertia, anchor = random:uniform(0.5, 2), random:uniform(0.2, 1), delassus.vec(vector(1))
      local v, w = delassus.vec(vector(2)), delassus.vec(vector(2))
      local body = world:body{ mass = mass, inertia = { inertia, inertia, inertia }, velocity = v, angular_velocity = w }
      world:joint{ "ball", world.ground, body, anchor = anchor, formulation = "rigid" }
      world:integrate{ method = "rk4", dt = 1e-9, to = 1e-9 }
      -- about the anchor the angular momentum stays: (I + m (r^2 - r r')) w' = I w - m r x v, r from the centre to the anchor
      local L = inertia * w - mass * anchor:cross(v)
      local turn = body.angular_velocity
      local J = inertia * turn + mass * anchor:cross(turn:cross(anchor))
      assert.is_true((J - L):norm() < 1e-7 * (1 + L:norm()), "seed " .. seed)
      assert.is_true((body.velocity + turn:cross(anchor)):norm() < 1e-7, "seed " .. seed)
    end
  end)
end)
