-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- The impact laws of worlds (EQUATIONS E.3) against closed forms, against the enumeration of modes, and by energy.
local delassus = require "delassus"
local json = require "support.json"
local modes = require "support.planar_modes"
local seeds = require "support.seeds"

local function planar(options)
  options.planar, options.record = true, false
  return delassus.world(options)
end

--- A rod of half length 1 that meets the ground with its end; tiny steps, so that it does not turn before it is struck.
local function rod(law, theta, mu, e, u)
  local world = planar{ gravity = { 0, 0 }, impact = law, tolerance = 1e-14, dt = 1e-12 }
  local body = world:body{ mass = 1, inertia = 1 / 3, position = { 0, math.sin(theta) }, rotation = theta,
    velocity = { u[1], u[2] }, angular_velocity = u[3] }
  world:contact{ world.ground, body, point_b = { -1, 0 }, normal = { 0, 1 }, friction = mu, restitution = e }
  world:step()
  local after = { body.velocity.x, body.velocity.y, body.angular_velocity }
  local energy = world:energy()
  world:close()
  return after, energy
end

local function dot(a, b)
  local sum = 0
  for i = 1, #a do sum = sum + a[i] * b[i] end
  return sum
end

--- Both phases of Poisson's law for any contacts, by choosing among all modes: rows (n, t) a contact, gamma before.
local function poisson(W, gamma, mu, e)
  local first = modes.solutions(W, gamma, mu)
  if #first ~= 1 then return nil end
  local n, compressed, least = #gamma, first[1], {}
  for c = 1, n // 2 do least[c] = e * compressed.p[2 * c - 1] end
  local found = {}
  -- Normal held at its least or pressed until it does not move; tangent sticks or slides to either side.
  for code = 0, 6 ^ (n // 2) // 1 - 1 do
    local A, b, choice, rest = {}, {}, {}, code // 1
    for c = 1, n // 2 do
      local i, t = 2 * c - 1, 2 * c
      local held, slide = rest % 2 == 0, (rest // 2) % 3 - 1
      choice[c], rest = { held, slide }, rest // 6
      A[i], A[t], b[i], b[t] = {}, {}, 0, 0
      for j = 1, n do A[i][j], A[t][j] = 0, 0 end
      if held then A[i][i], b[i] = 1, least[c] else A[i], b[i] = W[i], -compressed.v[i] end
      if slide == 0 then A[t], b[t] = W[t], -compressed.v[t] else A[t][t], A[t][i] = 1, slide * mu end
    end
    local p = modes.linear(A, b)
    local good = p ~= nil
    for c = 1, good and n // 2 or 0 do
      local i, t = 2 * c - 1, 2 * c
      local v_n, v_t = compressed.v[i] + dot(W[i], p), compressed.v[t] + dot(W[t], p)
      good = good and v_n >= -1e-11 and p[i] >= least[c] - 1e-11 and math.abs(p[t]) <= mu * p[i] + 1e-11 and
        choice[c][2] * v_t >= -1e-11
    end
    if good then found[#found + 1] = p end
  end
  for k = 2, #found do
    for i = 1, n do
      if math.abs(dot(W[i], found[k]) - dot(W[i], found[1])) > 1e-8 then return nil end
    end
  end
  if #found == 0 then return nil end
  local total = {}
  for i = 1, n do total[i] = compressed.p[i] + found[1][i] end
  return total
end

describe("Poisson's law", function()
  -- theta, mu, e, velocities before, after: from the rod cases, which were not made with this library.
  local rows = { { 30, 0, 0, { 0, -1, 0 }, { 0, -0.6923076923076923, -0.7994080650317896 } },
    { 30, 0, 0, { 1, -1, 0 }, { 1, -0.6923076923076923, -0.7994080650317896 } } }

  it("is exact: the rod that meets the ground, a few cases here and all 252 where the file is", function()
    for _, row in ipairs(rows) do
      local u = rod("poisson", math.rad(row[1]), row[2], row[3], row[4])
      for i = 1, 3 do assert.near(row[5][i], u[i], 1e-10) end
    end
    local file = io.open("/work/shared/cases/papers/e_cases.json")
    if not file then return end
    local data = json.decode(file:read("a"))
    file:close()
    for k, case in ipairs(data.rod_impact.cases) do
      for _, law in ipairs{ "newton", "poisson" } do
        local u, energy = rod(law, math.rad(case.theta_deg), case.mu, case.eN, case.u_minus)
        for i = 1, 3 do assert.near(case[law].u_plus[i], u[i], 1e-10, law .. " case " .. k) end
        local m = case.u_minus
        local before = 0.5 * (m[1] ^ 2 + m[2] ^ 2 + m[3] ^ 2 / 3)
        assert.near(case[law].energy_ratio, energy / before, 1e-10, law .. " case " .. k)
      end
    end
    for _, case in ipairs(data.chain_of_balls) do
      local world <close> = planar{ gravity = { 0, 0 }, impact = "poisson", tolerance = 1e-14 }
      local balls = {}
      for i = 1, case.n do
        balls[i] = world:disk{ radius = 0.5, position = { i, 0 }, mass = 1, friction = 0, restitution = case.e,
          velocity = { i == 1 and 1 or 0, 0 } }
      end
      world:step()
      for i, ball in ipairs(balls) do assert.near(case.poisson_u[i], ball.velocity.x, 1e-12) end
    end
  end)

  it("is exact: where Newton's law adds energy by friction it does not", function()
    local theta, mu, e = 1.02138, 0.76118, 0.99624
    -- gamma = (-1, 0.58501) at the end, without spin: the mass centre has it.
    local _, newton = rod("newton", theta, mu, e, { 0.58501, -1, 0 })
    local _, mine = rod("poisson", theta, mu, e, { 0.58501, -1, 0 })
    local before = 0.5 * (0.58501 ^ 2 + 1)
    assert.near(0.1146350, newton - before, 5e-6) -- five digits of theta, mu and e are given
    assert.near(-0.0554747, mine - before, 5e-6)
  end)

  it("agrees with the enumeration of both phases to 1e-10 for 200 random rods with one or two ends struck", function()
    local compared = 0
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local function between(lo, hi) return lo + (hi - lo) * random:uniform() end
      local theta, mu, e = between(-1.4, 1.4), between(0, 1.2), between(0, 1)
      local u, J, ends = { between(-1, 1), between(-2, 0.5), between(-2, 2) }, { between(0.05, 1) }, random:integer(1, 2)
      local world <close> = planar{ gravity = { 0, 0 }, impact = "poisson", tolerance = 1e-13, dt = 1e-13 }
      local body = world:body{ mass = 1, inertia = J[1], rotation = theta, velocity = { u[1], u[2] }, angular_velocity = u[3] }
      local rows_of, W, gamma = {}, {}, {}
      for k = 1, ends do
        local s, angle = k == 1 and -1 or 1, k == 1 and math.pi / 2 or between(0.3, 2.8)
        local n, t = { math.cos(angle), math.sin(angle) }, { math.sin(angle), -math.cos(angle) }
        local r = { s * math.cos(theta), s * math.sin(theta) }
        world:contact{ world.ground, body, point_a = r, point_b = { s, 0 }, normal = n, friction = mu, restitution = e }
        rows_of[2 * k - 1] = { n[1], n[2], r[1] * n[2] - r[2] * n[1] }
        rows_of[2 * k] = { t[1], t[2], r[1] * t[2] - r[2] * t[1] }
      end
      for i, row in ipairs(rows_of) do
        W[i], gamma[i] = {}, dot(row, u)
        for j, other in ipairs(rows_of) do
          W[i][j] = row[1] * other[1] + row[2] * other[2] + row[3] * other[3] / J[1]
        end
      end
      -- A contact that opens before takes part in E.3, but not in a step: its gap does not close in it.
      local all_close = true
      for i = 1, #gamma, 2 do all_close = all_close and gamma[i] < 0 end
      local p = all_close and poisson(W, gamma, mu, e)
      if p then
        compared = compared + 1
        local before = world:energy()
        world:step()
        local now = { body.velocity.x, body.velocity.y, body.angular_velocity }
        for c = 1, 3 do
          local sum = u[c]
          for i, row in ipairs(rows_of) do sum = sum + row[c] * p[i] / (c == 3 and J[1] or 1) end
          assert.near(sum, now[c], 1e-9 * math.max(1, math.abs(sum)), "seed " .. seed)
        end
        assert.is_true(world:energy() <= before * (1 + 1e-12), "energy grows, seed " .. seed)
      end
    end
    assert.is_true(compared > seeds.least(80), compared .. " compared")
  end)

  it("is exact: one contact without friction is Newton's law, with weight too; at rest nothing bounces", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local speed, e, gap = -2 * random:uniform(), random:uniform(), 1e-3 * random:uniform()
      local after = {}
      for k, law in ipairs{ "newton", "poisson", "sequential" } do
        local world <close> = planar{ impact = law, tolerance = 1e-13 }
        local ball = world:disk{ radius = 0.1, mass = 1, position = { 0, 0.1 + gap }, velocity = { 0.3, speed }, friction = 0,
          restitution = e }
        world:floor{ friction = 0, restitution = e }
        world:step(3)
        after[k] = ball.velocity.y
      end
      assert.near(after[1], after[2], 1e-12, "seed " .. seed)
      assert.near(after[1], after[3], 1e-12, "seed " .. seed)
    end
    for _, law in ipairs{ "poisson", "sequential" } do
      local world <close> = planar{ impact = law }
      world:floor{ restitution = 0.9 }
      for i = 1, 4 do
        world:box{ size = { 0.2, 0.1 }, density = 800, position = { 0, 0.05 + 0.1 * (i - 1) }, restitution = 0.9 }
      end
      world:step(200)
      for _, body in ipairs(world.bodies) do assert.is_true(body.velocity:norm() < 1e-9, law) end
    end
  end)

  it("is conserved or lost: 200 random heaps of disks in mid-air never gain energy, momentum is kept", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local e, mu = random:uniform(), random:uniform()
      local world <close> = planar{ gravity = { 0, 0 }, impact = "poisson", tolerance = 1e-11 }
      local n = 3 + seed % 8
      for i = 1, n do -- a row and a half of touching disks
        local x, y = (i - 1) // 2 + 0.5 * ((i - 1) % 2), ((i - 1) % 2) * math.sqrt(3) / 2
        world:disk{ radius = 0.5, density = 100 + 900 * random:uniform(), position = { x, y }, friction = mu, restitution = e,
          velocity = { 2 * random:uniform() - 1, 2 * random:uniform() - 1 }, angular_velocity = 4 * random:uniform() - 2 }
      end
      local before, p = world:energy(), (world:momentum())
      world:step()
      local after, p2 = world:energy(), (world:momentum())
      assert.equal(0, world.stats.unconverged, "seed " .. seed)
      assert.is_true(after <= before * (1 + 1e-9), ("seed %d gains %g"):format(seed, after / before - 1))
      assert.is_true((p2 - p):norm() <= 1e-10 * p:norm(), "seed " .. seed)
    end
  end)

  it("has a residual that does not count contacts which only stand by: 6 disks between walls for 400 steps", function()
    local world <close> = planar{ impact = "poisson" }
    world:floor{ restitution = 0.6, friction = 0.3 }
    for _, side in ipairs{ -1, 1 } do world:wall{ normal = { side, 0 }, offset = -0.6 } end
    for i = 1, 6 do
      world:disk{ radius = 0.1, position = { -0.4 + 0.4 * ((i - 1) % 3) + 0.02 * i, 0.3 + 0.4 * ((i - 1) // 3) },
        velocity = { i % 2, -2 }, restitution = 0.6, friction = 0.3 }
    end
    for _ = 1, 400 do
      world:step()
      assert.is_true(world.stats.residual <= 1e-10)
    end
    assert.equal(0, world.stats.unconverged)
  end)

  it("tells a slide by the velocity, not by the sum of two phases' friction", function()
    -- The end of a stick slides one way in the compression and the other way in the expansion (NS-21's stick).
    local world <close> = planar{ gravity = { 0, 0 }, impact = "poisson", tolerance = 1e-13 }
    local stick = world:body{ mass = 1, inertia = 1 / 12, position = { 0.33, 0.5 * math.cos(0.79) }, rotation = 0.79,
      velocity = { -0.5, -0.5 }, angular_velocity = 0.1 }
    local tip = world:contact{ world.ground, stick, point_b = { 0, -0.5 }, normal = { 0, 1 }, friction = 0.01, restitution = 1 }
    world:step()
    assert.is_true(math.abs(tip.impulse.x) < 0.005 * tip.impulse.y)
    assert.is_true(math.abs(tip.velocity.x) > 0.05)
    assert.equal("slip", tip.state)
  end)

  it("is exact: a tangential restitution gives back e e_t of the tangential speed where it sticks, never energy", function()
    for _, case in ipairs{ { 0.8, 0.5 }, { 0.5, 1 }, { 1, 1 } } do
      local e, e_t = case[1], case[2]
      local world <close> = planar{ gravity = { 0, 0 }, impact = "poisson", tolerance = 1e-13 }
      local law = delassus.material{ friction = 0.9, restitution = e, tangential_restitution = e_t }
      world:floor{ material = law }
      local disk = world:disk{ radius = 1, mass = 1, position = { 0, 1 }, velocity = { 0.6, -2 }, material = law }
      world:step()
      -- The point of contact has 0.6 before: 1/m + r^2/J = 3 answer to the impulse -0.2 (1 + e e_t).
      assert.near(2 * e, disk.velocity.y, 1e-12)
      assert.near(0.6 - 0.2 * (1 + e * e_t), disk.velocity.x, 1e-12)
      assert.near(-0.4 * (1 + e * e_t), disk.angular_velocity, 1e-12)
      assert.is_true(world:energy() <= 0.5 * (0.36 + 4) + 1e-12)
    end
  end)

  it("agrees for bodies in trees with the same joints as constraints, for every law", function()
    for _, law in ipairs{ "newton", "poisson", "sequential" } do
      local after = {}
      for k, formulation in ipairs{ "reduced", "rigid" } do
        local world <close> = planar{ impact = law, tolerance = 1e-12, dt = 1e-4 }
        local wood = delassus.material{ friction = 0.3, restitution = 0.6 }
        world:floor{ material = wood }
        local x, y = 0.5 * math.cos(0.7), 0.3 + 0.5 * math.sin(0.7)
        local a = world:body{ shape = delassus.box{ size = { 1, 0.1 } }, density = 500, position = { 0, 0.3 + 0.1 },
          rotation = 0.7, velocity = { 0.5, -1 }, material = wood }
        local b = world:body{ shape = delassus.box{ size = { 1, 0.1 } }, density = 500, position = { x + 0.5, y + 0.1 },
          velocity = { 0.5, -1 }, material = wood }
        world:joint{ "revolute", a, b, anchor = { x, y + 0.1 }, formulation = formulation }
        repeat world:step() until world.stats.impacts > 0 or world.time > 1
        assert.is_true(world.stats.impacts > 0)
        after[k] = { a.velocity.x, a.velocity.y, a.angular_velocity, b.angular_velocity }
      end
      -- The joints' own difference: the tree is integrated to first order, the constraint projected.
      for i, v in ipairs(after[2]) do assert.near(v, after[1][i], 1e-3, law) end
    end
  end)
end)

describe("the sequential law", function()
  --- Pairs in turn: fastest approach first, ties by number; velocities and the number of impacts.
  local function in_turn(n, e)
    local v, count = { 1 }, 0
    for i = 2, n do v[i] = 0 end
    local first
    while true do
      local worst, at = 0, nil
      for i = 1, n - 1 do if v[i + 1] - v[i] < worst then worst, at = v[i + 1] - v[i], i end end
      first = first or -worst
      if not at or -worst < 1e-9 * first or count >= 64 * n then return v, count, at ~= nil end
      local mean = (v[at] + v[at + 1]) / 2
      v[at], v[at + 1], count = mean - e * (v[at] - v[at + 1]) / 2, mean + e * (v[at] - v[at + 1]) / 2, count + 1
    end
  end

  it("is exact: 5 balls with e = 0.8 take their 10 impacts; 30 collapse after 64 a ball, and the event says so", function()
    assert.equal(10, select(2, in_turn(5, 0.8)))
    for _, n in ipairs{ 5, 30 } do
      local world <close> = planar{ gravity = { 0, 0 }, impact = "sequential", tolerance = 1e-13, log = true }
      local balls = {}
      for i = 1, n do
        balls[i] = world:disk{ radius = 0.5, position = { i, 0 }, mass = 1, friction = 0, restitution = 0.8,
          velocity = { i == 1 and 1 or 0, 0 } }
      end
      world:step()
      local v, _, left = in_turn(n, 0.8)
      local momentum, collapsed = 0, {}
      for i, ball in ipairs(balls) do
        momentum = momentum + ball.velocity.x
        if not left then assert.near(v[i], ball.velocity.x, 1e-12) end
        if i > 1 then assert.is_true(ball.velocity.x >= balls[i - 1].velocity.x - 1e-12) end
      end
      assert.near(1, momentum, 1e-12)
      for _, event in ipairs(world.events) do
        if event.kind == "collapsed" then collapsed[#collapsed + 1] = event end
      end
      assert.equal(left and 1 or 0, #collapsed)
      if left then
        assert.equal(1, collapsed[1].b.index - collapsed[1].a.index)
        assert.is_true(world:energy() <= 0.5)
      end
    end
  end)
end)

describe("friction that falls with the slip speed", function()
  it("is within its cone where contacts are struck and give way in one step (200 seeds)", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local world <close> = delassus.world{ planar = true, record = false, tolerance = 1e-12,
        impact = seed % 2 == 0 and "poisson" or "sequential" }
      local law = delassus.material{ friction = { static = 0.9, kinetic = 0.2, decay = 3 }, restitution = random:uniform(0, 0.8) }
      world:body{ type = "static", shape = delassus.plane{ normal = {0, 1}, offset = 0 }, material = law }
      for k = 1, 4 do
        world:box{ size = {0.2, random:uniform(0.1, 0.3)}, density = 100, material = law, rotation = random:uniform(-0.3, 0.3),
          position = {random:uniform(-0.1, 0.1), 0.3 * k - 0.1}, velocity = {random:uniform(-1, 1), -1} }
      end
      for _ = 1, 150 do
        world:step()
        local largest, worst = 0, 0
        for contact in world:contacts() do
          local f, n = contact.impulse, contact.normal
          largest = math.max(largest, f:norm())
          worst = math.max(worst, math.abs(f:cross(n)) - contact.friction * f:dot(n))
        end
        assert.is_true(worst <= 1e-12 * largest, ("seed %d: %g over %g"):format(seed, worst, largest))
        assert.is_true(world.stats.cone_violation <= 1e-12)
      end
    end
  end)
end)
