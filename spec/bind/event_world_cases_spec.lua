-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Event-driven worlds against closed forms and systems by equations. Case numbers are those of the reference cases.
local delassus = require "delassus"
local of_kind = require("support.event_scenes").of_kind
local systems = require "support.systems"
local seeds = require "support.seeds"

local sin, cos, pi = math.sin, math.cos, math.pi
local G = 9.81

local function new(o)
  o.scheme, o.record = "event-driven", false
  if o.planar == nil then o.planar = true end
  return delassus.world(o)
end

describe("event-driven worlds", function()
  it("NS-02: pass an impact along a row of balls at once (Newton, Poisson) or one by one (sequential)", function()
    for _, case in ipairs {
      { { 1, 1, 1 }, { 1, 0, 0 }, 1, { -1 / 3, 2 / 3, 2 / 3 } }, { { 1, 1, 1 }, { 1, 0, 0 }, 0.5, { 0, 0.5, 0.5 } },
      { { 1, 1, 1, 1, 1 }, { 1, 0, 0, 0, 0 }, 1, { -0.6, 0.4, 0.4, 0.4, 0.4 } },
      { { 1, 1, 1, 1, 1 }, { 1, 1, 0, 0, 0 }, 1, { -0.2, -0.2, 0.8, 0.8, 0.8 } } } do
      for _, planar in ipairs { true, false } do
        local masses, before, e, after = table.unpack(case)
        for _, impact in ipairs { "newton", "sequential" } do
          local world = new{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = 0.1, impact = impact }
          local balls, material = {}, delassus.material{ friction = 0, restitution = e }
          for i, m in ipairs(masses) do
            balls[i] = (planar and world.disk or world.sphere)(world, { radius = 0.5, mass = m, material = material,
              position = planar and { i, 0 } or { i, 0, 0 }, velocity = planar and { before[i], 0 } or { before[i], 0, 0 } })
          end
          world:step()
          for i, ball in ipairs(balls) do
            local want = impact == "newton" and after[i] or before[#before + 1 - i]
            if impact == "newton" or e == 1 then assert.near(want, ball.velocity.x, 1e-10) end
          end
        end
      end
    end
  end)

  it("NS-04: blocks on inclines stick or slip with g (sin - mu cos), in the plane and in space", function()
    for _, degrees in ipairs { 5, 15, 25, 35 } do
      for _, mu in ipairs { 0, 0.2, 0.5 } do
        for _, planar in ipairs { true, false } do
          local a = math.rad(degrees)
          local world = new{ planar = planar, dt = 0.1,
            gravity = planar and { G * sin(a), -G * cos(a) } or { G * sin(a), 0, -G * cos(a) } }
          world:floor{ friction = mu }
          local block = world:box{ size = planar and { 0.6, 0.2 } or { 0.6, 0.4, 0.2 }, mass = 2, friction = mu,
            position = planar and { 0, 0.1 } or { 0, 0, 0.1 } }
          world:run(1)
          local acceleration = math.max(0, G * (sin(a) - mu * cos(a)))
          assert.near(acceleration, block.velocity.x, 1e-9)
          assert.near(acceleration / 2, block.position.x, 1e-9)
          local sum = 0
          for c in world:contacts() do sum = sum + c.normal_force end
          assert.near(2 * G * cos(a), sum, 1e-8)
        end
      end
    end
  end)

  it("NS-08: a ladder without friction leaves the wall at two thirds of its height: sine, time, speed to 1e-8", function()
    for _, row in ipairs { { 80, 0.6565385020081387, 0.5970997576268656, 1.020329486302704 },
      { 60, 0.5773502691896256, 0.3250307015388125, 0.8414129590122666 },
      { 45, 0.4714045207910317, 0.23275804694011945, 0.6207843391602823 } } do
      local a = math.rad(row[1])
      local world = new{ dt = 0.01 }
      local ladder = world:body{ mass = 1, inertia = 1 / 12, position = { cos(a) / 2, sin(a) / 2 }, rotation = pi - a }
      world:contact{ world.ground, ladder, point_b = { -0.5, 0 }, normal = { 0, 1 }, friction = 0 } -- its foot is at +x
      world:contact{ world.ground, ladder, point_b = { 0.5, 0 }, normal = { 1, 0 }, friction = 0 }
      world:run(row[3] + 0.01)
      local leaves = of_kind(world, "separation")
      assert.equal(1, #leaves)
      assert.near(row[3], leaves[1].t, 1e-8)
      assert.near(row[2], leaves[1].point.y, 1e-8) -- the top, of a ladder of length 1
      assert.near(row[4], ladder.velocity.x, 1e-8)
    end
  end)

  it("NS-10: a box on a plane that tilts by 1 degree a second tips at w / h or slides at mu", function()
    for _, row in ipairs { { 1, 1, 0.2, "slip" }, { 1, 1, 1.2, "separation" }, { 1, 2, 0.6, "separation" },
      { 1, 2, 0.2, "slip" } } do
      local w, h, mu, kind = table.unpack(row)
      local rate = math.rad(1)
      local world = new{ dt = 0.5 }
      world:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 1 } }, friction = mu, angular_velocity = rate }
      world:box{ size = { w, h }, mass = 1, position = { 0, h / 2 }, friction = mu, velocity = { -rate * h / 2, 0 },
        angular_velocity = rate }
      world:run(math.atan(math.min(mu, w / h)) / rate + 1)
      assert.near(math.min(mu, w / h), math.tan(rate * of_kind(world, kind)[1].t), 5e-3)
    end
  end)

  it("NS-12: a mass on a belt, static friction 0.5 and kinetic 0.3, sticks and slips with the closed form's times", function()
    for _, row in ipairs { { 0.05, 0.36315499798435213, 0.8, 0.009384471871911694 },
      { 0.1, 0.40688878715914056, 0.4, 0.007639320225002098 },
      { 0.5, 0.5522172552954857, 0.08, -0.023851648071345044 } } do
      local law = { static = 0.5, kinetic = 0.3 }
      local world = new{ gravity = { 0, -10 }, dt = 0.01 }
      world:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 1 } }, velocity = { row[1], 0 }, friction = law }
      local block = world:body{ shape = delassus.box{ size = { 0.2, 0.1 } }, mass = 1, inertia = 1e3, position = { 0, 0.05 },
        velocity = { row[1], 0 }, friction = law }
      world:spring{ world.ground, block, anchor_a = { -10, 0.05 }, anchor_b = { 0, 0 }, stiffness = 100, length = 10 }
      world:run(4)
      local slips, sticks = {}, {}
      for _, e in ipairs(world.events) do -- two corners: each event twice
        local list = e.kind == "slip" and slips or e.kind == "stick" and sticks or {}
        if #list == 0 or e.t - list[#list] > 1e-6 then list[#list + 1] = e.t end
      end
      assert.near(0.05 / row[1], slips[1], 1e-8)
      assert.near(row[2], sticks[1] - slips[1], 1e-8)
      assert.near(row[3], slips[2] - sticks[1], 1e-8)
      assert.near(row[2] + row[3], slips[3] - slips[2], 1e-8)
    end
  end)

  it("NS-13: disks and balls that hit a floor obliquely stick or slip by Coulomb's law", function()
    for _, planar in ipairs { true, false } do
      for _, v in ipairs { 0.1, 1, 3, 10 } do
        for _, mu in ipairs { 0.1, 0.3 } do
          local world = new{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = 0.1 }
          local material = delassus.material{ friction = mu, restitution = 0.8 }
          world:floor{ material = material }
          local ball = (planar and world.disk or world.sphere)(world, { radius = 1, mass = 1, material = material,
            position = planar and { 0, 1.1 } or { 0, 0, 1.1 }, velocity = planar and { v, -2 } or { v, 0, -2 } })
          world:step()
          local k = planar and 0.5 or 0.4 -- J / (m r^2)
          local p_n = 2 * 1.8
          local p_t = math.min(mu * p_n, v * k / (1 + k))
          assert.near(v - p_t, ball.velocity.x, 1e-10)
          assert.near(1.6, planar and ball.velocity.y or ball.velocity.z, 1e-10)
          assert.near((planar and -1 or 1) * p_t / k, planar and ball.angular_velocity or ball.angular_velocity.y, 1e-10)
        end
      end
    end
  end)

  it("NS-18: a block stops at v / (mu g) after v^2 / (2 mu g), and stays", function()
    for _, v in ipairs { 0.5, 2, 10 } do
      for _, mu in ipairs { 0.05, 0.3, 0.8 } do
        local world = new{ dt = 0.05 }
        world:floor{ friction = mu }
        local block = world:box{ size = { 0.6, 0.02 }, mass = 1, position = { 0, 0.01 }, velocity = { v, 0 }, friction = mu }
        local t = v / (mu * G)
        world:run(t + 1)
        assert.near(t, of_kind(world, "stick")[1].t, 1e-8)
        assert.near(v * t / 2, block.position.x, 1e-8)
        assert.near(0, block.velocity.x, 1e-12)
      end
    end
  end)

  it("NS-21: a falling stick hits the ground at 0.060274 s: time, velocities and impulse to 1e-8", function()
    local world = new{ gravity = { 0, -10 }, dt = 0.01 }
    local stick = world:body{ mass = 1, inertia = 1 / 12, position = { 0.3535533905932738, 0.36355339059327385 },
      rotation = pi / 4, velocity = { -0.5, 0.1 }, angular_velocity = 0.1 }
    world:contact{ world.ground, stick, point_b = { 0, -0.5 }, normal = { 0, 1 }, friction = 0.01, restitution = 1 }
    local seen
    world:on("impact", function(e) seen = seen or { e.t, e.impulse } end)
    world:run(0.07)
    assert.near(0.060274089092836394, seen[1], 1e-8)
    assert.near(0.3732781669183273, seen[2], 1e-8)
    local left = world.time - seen[1]
    assert.near(-0.5037327816691832, stick.velocity.x, 1e-8)
    assert.near(-0.1294627240100366 - 10 * left, stick.velocity.y, 1e-8)
    assert.near(1.6774607223027351, stick.angular_velocity, 1e-8)
  end)

  it("agree with a system: a rocking block, by its corners on a floor, through its impacts", function()
    local b, h = 0.1, 0.3
    for seed = 1, 20 do
      local r = delassus.random(seed)
      local turn, mu, e = r:uniform(0.05, 0.25), r:uniform(0.1, 1), r:uniform(0, 0.5)
      local y = b * sin(turn) + h * cos(turn)
      local system = systems.block{ b = b, h = h, friction = mu, restitution = e, q = { 0, y, turn }, dt = 0.01 }
      local world = new{ dt = 0.01 }
      world:floor{ friction = mu, restitution = e }
      local block = world:box{ size = { 2 * b, 2 * h }, mass = 1, position = { 0, y }, rotation = turn, friction = mu,
        restitution = e }
      world:run(0.5)
      system:run(0.5)
      for k, value in ipairs { block.position.x, block.position.y, block.rotation } do
        assert.near(system.q[k], value, 1e-9, "seed " .. seed)
      end
      assert.is_true(#of_kind(world, "impact") > 0)
      for k, event in ipairs(world.events) do
        if event.kind == "accumulation" then break end
        assert.near(system.events[k].t, event.t, 1e-9, "seed " .. seed)
      end
    end
  end)

  it("agree with a system: three balls and a wall, by all laws of impact, to 1e-9", function()
    local whole, seen = 0, 0
    for seed = 1, seeds(200) do
      local r, law = delassus.random(seed), ({ "newton", "poisson", "sequential" })[1 + seed % 3]
      local radius, e, start = 0.1, r:uniform(0, 1), { r:uniform(-4, 4), r:uniform(-4, 4), r:uniform(-4, 4) }
      local world = new{ gravity = { 3, 0 }, dt = 0.01, impact = law } -- towards the wall, solid beyond x = 1
      local material = delassus.material{ friction = 0, restitution = e }
      world:wall{ normal = { -1, 0 }, offset = -1, material = material }
      local balls, masses, contacts, M, h = {}, {}, {}, {}, {}
      for i = 1, 3 do
        masses[i] = r:uniform(0.5, 3)
        balls[i] = world:disk{ radius = radius, mass = masses[i], position = { 0.25 * i, 0 }, velocity = { start[i], 0 },
          material = material }
        M[i], h[i] = { 0, 0, 0 }, 3 * masses[i]
        M[i][i] = masses[i]
        local normal = { 0, 0, 0 }
        normal[i] = -1
        if i < 3 then normal[i + 1] = 1 end
        contacts[i] = { normal = normal, restitution = e,
          gap = function(q) return (i < 3 and q[i + 1] - radius or 1) - q[i] - radius end }
      end
      local system = delassus.system{ q = { 0.25, 0.5, 0.75 }, u = start, dt = 0.01, mass = M, forces = h, contacts = contacts,
        impact = law }
      world:run(0.6)
      system:run(0.6)
      local told, last, jams = ("seed %d, %s"):format(seed, law), -1, false
      for k, event in ipairs(world.events) do -- impacts ever nearer to each other multiply what round-off made
        jams = jams or (event.t - last > 1e-12 and event.t - last < 1e-4)
        if jams then break end
        assert.near(system.events[k].t, event.t, 1e-9, told)
        last, seen = event.t, seen + 1
      end
      if not jams then
        whole = whole + 1
        for i = 1, 3 do assert.near(system.q[i], balls[i].position.x, 1e-9, told) end
      end
    end
    assert.is_true(whole > seeds.least(60) and seen > seeds.least(1000), whole .. " of 200, " .. seen .. " events")
  end)

  it("agree with a system: a pendulum between stops, whose joint tells what it transmits", function()
    local l, m, J = 0.5, 2, 0.1
    local world = new{ dt = 0.01 }
    local rod = world:body{ mass = m, inertia = J, position = { l, 0 } }
    local joint = world:joint{ "revolute", world.ground, rod, anchor = { 0, 0 }, limits = { -1.2, 0.5 } }
    local system = delassus.system{ q = { 0 }, u = { 0 }, dt = 0.01, mass = { { m * l * l + J } },
      forces = function(q) return { -m * G * l * cos(q[1]) } end,
      contacts = { { gap = function(q) return q[1] + 1.2 end, normal = { 1 } },
        { gap = function(q) return 0.5 - q[1] end, normal = { -1 } } } }
    world:run(2)
    system:run(2)
    assert.near(system.q[1], joint.q, 1e-12)
    assert.near(system.events[1].t, world.events[1].t, 1e-10)
    assert.equal(rod, world.events[1].b)
    local force, moment = joint:reaction()
    assert.near(m * G, force.y, 1e-9)
    assert.near(m * G * l * cos(1.2), moment, 1e-9) -- the stop's, at the joint
  end)

  it("agree in both formulations of joints, and close loops: pendulum and wall, four-bar with a ball on it", function()
    local function pendulum(formulation)
      local world = new{ dt = 0.01 }
      local material = delassus.material{ friction = 0.3, restitution = 0.4 }
      world:wall{ normal = { -1, 0 }, offset = -0.22, material = material } -- solid beyond x = 0.22
      local a = world:body{ mass = 1, inertia = 0.05, position = { 0, -0.3 } }
      local b = world:disk{ radius = 0.1, mass = 1, inertia = 0.02, position = { -0.2, -0.9 }, material = material }
      world:joint{ "revolute", world.ground, a, anchor = { 0, 0 }, formulation = formulation }
      world:joint{ "revolute", a, b, anchor = { 0, -0.6 }, formulation = formulation }
      world:run(3)
      return world, b
    end
    local trees, b_1 = pendulum "reduced"
    local rigid, b_2 = pendulum "rigid"
    assert.is_true(#of_kind(trees, "impact") > 1)
    assert.equal(#trees.events, #rigid.events)
    for k, e in ipairs(trees.events) do
      assert.equal(e.kind, rigid.events[k].kind)
      assert.near(e.t, rigid.events[k].t, 1e-9)
      assert.near(e.impulse, rigid.events[k].impulse, 1e-8)
    end
    assert.near(0, (b_1.position - b_2.position):norm(), 1e-9)
    local world = new{ dt = 0.01 }
    local elastic = delassus.material{ friction = 0, restitution = 1 }
    local beam = world:box{ size = { 0.6, 0.05 }, mass = 1, position = { 0.3, -0.5 }, material = elastic }
    local a = world:body{ mass = 0.5, inertia = 0.02, position = { 0, -0.25 } }
    local b = world:body{ mass = 0.5, inertia = 0.02, position = { 0.6, -0.25 } }
    world:disk{ radius = 0.1, mass = 0.5, position = { 0.28, -0.3 }, material = elastic }
    world:joint{ "revolute", world.ground, a, anchor = { 0, 0 } }
    world:joint{ "revolute", world.ground, b, anchor = { 0.6, 0 } }
    world:joint{ "revolute", a, beam, anchor = { 0, -0.5 } }
    local loop = world:joint{ "revolute", b, beam, anchor = { 0.6, -0.5 }, formulation = "rigid" }
    world.joints[1].qd = 1
    world:step() -- the loop's velocities become the nearest that close it
    local kinetic, potential = world:energy()
    world:run(0.6)
    local later, at = world:energy()
    assert.is_true(#of_kind(world, "impact") > 1)
    assert.near(kinetic + potential, later + at, 1e-8)
    assert.near(0, loop:violation(), 1e-10)
    assert.near(0, beam.rotation, 1e-9) -- a parallelogram
  end)

  it("are, with penalty joints, what time stepping with the same gains tends to", function()
    local function pendulum(scheme, dt)
      local world = delassus.world{ planar = true, scheme = scheme, dt = dt, record = false }
      local material = delassus.material{ friction = 0.2, restitution = 0.3 }
      world:wall{ normal = { -1, 0 }, offset = -0.12, material = material }
      local b = world:disk{ radius = 0.1, mass = 1, position = { -0.3, -0.6 }, material = material }
      world:joint{ "revolute", world.ground, b, anchor = { 0, 0 }, formulation = "penalty", alpha = 2000, beta = 10,
        alpha_rotation = 2000, beta_rotation = 10 }
      world:run(0.8)
      return b.position
    end
    local exact = pendulum("event-driven", 0.002)
    local coarse, fine = (pendulum("time-stepping", 1e-3) - exact):norm(), (pendulum("time-stepping", 1e-4) - exact):norm()
    assert.is_true(fine < 0.3 * coarse and fine < 1e-3, ("%g, then %g"):format(coarse, fine))
  end)

  it("keep the energy of boxes that tumble on corners, e = 1 and no friction, to 1e-8", function()
    local world = new{ planar = false, dt = 0.01 }
    local material = delassus.material{ friction = 0, restitution = 1 }
    world:floor{ material = material }
    world:box{ size = { 0.3, 0.2, 0.1 }, density = 500, position = { 0, 0, 0.6 }, angular_velocity = { 3, 5, -2 },
      velocity = { 1, 0, 0 }, material = material }
    local kinetic, potential = world:energy()
    world:run(2)
    local later, at = world:energy()
    assert.is_true(#of_kind(world, "impact") >= 5)
    assert.near(kinetic + potential, later + at, 1e-8)
  end)

  it("agree with a system: a point on a parabola by a gap function, with friction; a floor that moves with time", function()
    for seed = 1, 20 do
      local r = delassus.random(seed)
      local x, m, mu, e = r:uniform(0.3, 0.9), r:uniform(0.5, 3), r:uniform(0, 0.4), r:uniform(0, 0.6)
      local world = new{ dt = 0.01 }
      local body = world:body{ mass = m, inertia = 0.1, position = { x, x * x + 0.2 } }
      world:contact{ world.ground, body, friction = mu, restitution = e,
        gap = function(q) return q[2] - q[1] ^ 2 end, gradient = function(q) return { -2 * q[1], 1, 0 } end }
      local function slope(q) return math.sqrt(1 + 4 * q[1] ^ 2) end
      local system = delassus.system{ q = { x, x * x + 0.2, 0 }, u = { 0, 0, 0 }, dt = 0.01,
        mass = { { m, 0, 0 }, { 0, m, 0 }, { 0, 0, 0.1 } }, forces = { 0, -m * G, 0 },
        contacts = { { gap = function(q) return (q[2] - q[1] ^ 2) / slope(q) end, friction = mu, restitution = e,
          normal = function(q) return { -2 * q[1] / slope(q), 1 / slope(q), 0 } end,
          tangent = function(q) return { 1 / slope(q), 2 * q[1] / slope(q), 0 } end } } }
      world:run(0.6)
      system:run(0.6)
      local told = "seed " .. seed
      assert.near(system.q[1], body.position.x, 1e-9, told)
      assert.near(system.q[2], body.position.y, 1e-9, told)
      assert.near(system.u[1], body.velocity.x, 1e-8, told)
      for k, event in ipairs(world.events) do
        assert.equal(system.events[k].kind, event.kind, told)
        if event.kind == "accumulation" then break end
        assert.near(system.events[k].t, event.t, 1e-9, told)
      end
    end
    local world, w = new{ dt = 0.01 }, 20
    local body = world:body{ mass = 1, inertia = 1, position = { 0, 0 } }
    world:contact{ world.ground, body, gap = function(q, t) return q[2] - 0.05 * (1 - cos(w * t)) end,
      gradient = function() return { 0, 1, 0 } end }
    world:run(0.2)
    assert.near(math.acos(-G / (0.05 * w * w)) / w, of_kind(world, "separation")[1].t, 1e-9)
  end)

  it("hold ropes: a body that falls from beside is caught where the rope is taut, and swings on it", function()
    local l, x = 1, 0.6
    local world = new{ planar = false, dt = 0.01 }
    local ball = world:body{ mass = 2, inertia = { 0.1, 0.1, 0.1 }, position = { x, 0, 0 } }
    local rope = world:contact{ world.ground, ball, rope = l }
    local taut = math.sqrt(2 * 0.8 / G) -- at the depth 0.8
    world:run(0.5)
    assert.near(taut, of_kind(world, "impact")[1].t, 1e-10)
    assert.near(1, ball.position:norm(), 1e-10)
    -- what is left of the fall's speed: across the rope
    local v = G * taut * x
    local energy = 2 * v * v / 2 - 2 * G * 0.8
    local kinetic, potential = world:energy()
    assert.near(energy, kinetic + potential, 1e-9)
    assert.near(0, rope.gap, 1e-10)
  end)
end)
