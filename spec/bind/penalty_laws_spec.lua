-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Penalty joints: limits, motors, springs, friction, reactions, state, energy, mistakes.
local delassus = require "delassus"
local seeds = require "support.seeds"

local SCHEMES = { "time-stepping", "semi-implicit" }

local function near(want, got, tolerance, what)
  if math.abs(want - got) > tolerance or got ~= got then
    error(("%s: expected %.15g, got %.15g"):format(what or "value", want, got), 2)
  end
end

-- A wheel of 0.3 kg m2 on the ground, no gravity.
local function wheel(options, scheme, dt)
  local world = delassus.world{ record = false, gravity = { 0, 0, 0 }, scheme = scheme, dt = dt or 1e-3 }
  local body = world:body{ mass = 2, inertia = { 0.2, 0.2, 0.3 }, angular_velocity = { 0, 0, options.spin or 0 } }
  local joint = { "revolute", world.ground, body, axis = { 0, 0, 1 }, formulation = "penalty" }
  for k, v in pairs(options.joint) do joint[k] = v end
  return world, body, world:joint(joint)
end

describe("limits of penalty joints", function()
  it("of the general law only repel, and count turns", function()
    for _, scheme in ipairs(SCHEMES) do
      local world <close>, _, joint = wheel({ spin = 5, joint = { limits = { -1, 9 } } }, scheme)
      local most, met = 0, false
      for _ = 1, 2500 do
        local row = joint.rows[6]
        assert.is_true(row.chi * row.lambda <= 0, "it pulls")
        met = met or row.lambda ~= 0
        most = math.max(most, joint.q)
        world:step(row.chi == 0 and 2 or 1)
      end
      assert.is_true(met and most > 9 and most < 9.05, most) -- beyond pi and 2 pi
    end
  end)

  it("of a universal joint and a ball keep their sides", function()
    local reached = {}
    for seed = 1, 12 do
      math.randomseed(seed)
      for _, kind in ipairs{ "universal", "spherical" } do
        local world <close> = delassus.world{ record = false, dt = 1e-3, gravity = { 0, 0, 0 } }
        local function spin() return 6 * math.random() - 3 end
        local body = world:body{ mass = 1, inertia = { 0.1, 0.12, 0.08 }, position = { 0, 0, -0.2 },
          angular_velocity = { spin(), spin(), spin() } }
        local joint = world:joint{ kind, world.ground, body, anchor = { 0, 0, 0 }, axis = { 1, 0, 0 },
          axis2 = kind == "universal" and { 0, 1, 0 } or nil, formulation = "penalty",
          limits = kind == "universal" and { { -0.2, 0.3 }, { -0.1, 0.2 } } or { cone = 0.25, twist = { -0.05, 0.06 } } }
        for _ = 1, 100 do
          world:step(2)
          for k, row in ipairs(joint.rows) do
            if row.lo then
              assert.is_true(row.chi * row.lambda <= 0)
              assert.is_true(row.G < row.hi + 0.02 and row.G > row.lo - 0.02,
                ("seed %d, row %d: %g"):format(seed, k, row.G))
              if row.chi > 0 then reached[kind .. row.hi] = true end
              if row.chi < 0 then reached[kind .. row.lo] = true end
            end
          end
        end
      end
    end
    for _, bound in ipairs{ "universal-0.2", "universal0.3", "universal-0.1", "universal0.2", "spherical0.25", "spherical-0.05",
      "spherical0.06" } do
      assert.is_true(reached[bound], bound)
    end
  end)

  it("of the published law act on the sine, pull on the way back, and are symmetric", function()
    local world <close>, _, joint = wheel({ spin = 1,
      joint = { limits = { -0.5, 0.5 }, limit_law = "published" } }, "semi-implicit")
    local pulls = false
    near(math.sin(0.5), joint.rows[6].bound, 1e-15)
    for _ = 1, 3000 do
      world:step()
      local row = joint.rows[6]
      near(math.sin(joint.q), row.G, 1e-12)
      pulls = pulls or row.chi * row.lambda > 0
    end
    assert.is_true(pulls) -- B.3.6: as the paper has it
  end)

  it("have gains of their own where given: per unit of effective mass", function()
    local world <close>, _, joint = wheel({ joint = { limits = { -1, 1 }, limit_alpha = 700, limit_beta = 3 } })
    local rows = joint.rows
    near(1400, rows[6].alpha, 1e-12)
    near(6, rows[6].beta, 1e-12)
    assert.is_true(rows[5].alpha ~= 1400 and world.dt > 0)
  end)
end)

describe("along the coordinates of penalty joints", function()
  for _, scheme in ipairs(SCHEMES) do
    it("motors, friction, torques and springs are exact, " .. scheme, function()
      local function run(spin, joint, T)
        local world, body, made = wheel({ spin = spin, joint = joint }, scheme)
        world:run(T)
        return made, body.angular_velocity.z, world
      end
      local joint, omega = run(0, { motor = { speed = 2, max_torque = 0.6 } }, 0.5)
      near(1, omega, 1e-12) -- 0.6 t / 0.3
      local _, moment = joint:reaction()
      near(0.6, moment.z, 1e-12)
      _, omega = run(0, { motor = { speed = 2, max_torque = 0.6 } }, 1.5)
      near(2, omega, 1e-12)
      _, omega = run(1, { friction = 0.15 }, 1)
      near(0.5, omega, 1e-12) -- 1 - 0.15 t / 0.3
      _, omega = run(1, { friction = 0.15 }, 2.5)
      near(0, omega, 1e-15)
      joint, omega = run(0, { torque = 0.3 }, 1)
      near(1, omega, 1e-12)
      near(0.3, joint.torque, 0)
      _, omega = run(1, { damping = 0.3 }, 1)
      near(math.exp(-1), omega, 1e-3) -- first order in the step
      local world
      joint, _, world = run(1, { stiffness = 0.3 * 16 }, math.pi / 8) -- a quarter of the period 2 pi / 4
      near(0.25, joint.q, 1e-3)
      near(0, joint.qd, 5e-3)
      assert.is_true(world.stats.stability < 4)
    end)
  end

  it("forces are those of the reduced formulation: accelerations with a torque, a spring, friction and gravity", function()
    local got = {}
    for k, formulation in ipairs{ "reduced", "penalty" } do
      local world <close> = delassus.world{ record = false }
      local body = world:body{ mass = 2, inertia = { 0.2, 0.2, 0.3 }, position = { 0, 0, 0 }, angular_velocity = { 0, 0, 0.7 } }
      local joint = world:joint{ "revolute", world.ground, body, axis = { 0, 0, 1 }, formulation = formulation,
        stiffness = 2, damping = 0.1, friction = 0.2, torque = 0.5 }
      body:apply{ torque = { 0, 0, 0.1 } }
      local udot = world:accelerations()
      got[k] = udot[#udot]
      local force = joint:reaction()
      near(k == 1 and 2 * 9.81 or 0, force.z, 1e-12) -- a penalty has not given way yet
    end
    near((0.5 - 0.2 - 0.07 + 0.1) / 0.3, got[1], 1e-12)
    near(got[1], got[2], 1e-12)
    local world <close> = delassus.world{ record = false }
    local body = world:body{ mass = 2, inertia = { 0.2, 0.2, 0.3 } }
    world:joint{ "revolute", world.ground, body, axis = { 0, 0, 1 }, formulation = "penalty", torque = 0.5, friction = 0.2 }
    near(0, world:bias()[6], 1e-15) -- joint.torque is no part of it, in any formulation
    near((0.5 - 0.2) / 0.3, world:accelerations()[6], 1e-12) -- friction at rest gives way
  end)
end)

describe("reactions of penalty joints", function()
  it("carry what hangs on them: a plate of two bodies at rest, in every scheme", function()
    for _, scheme in ipairs(SCHEMES) do
      local world <close> = delassus.world{ record = false, scheme = scheme }
      local a = world:body{ mass = 2, inertia = { 0.1, 0.1, 0.1 }, position = { 1, 0, 0 } }
      local b = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 2, 0, 0 } }
      local root = world:joint{ "fixed", world.ground, a, anchor = { 0.5, 0, 0 }, formulation = "penalty" }
      local tip = world:joint{ "fixed", a, b, anchor = { 1.5, 0, 0 }, formulation = "penalty" }
      world:field(function(body) return -20 * body.velocity, -2 * body.angular_velocity end) -- comes to rest
      world:run(4)
      local force, moment = root:reaction()
      near(3 * 9.81, force.z, 1e-6)
      -- on b of the joint about the anchor: weights at 0.5 (2 kg) and 1.5 m (1 kg), turned a little by the give
      near(-(2 * 0.5 + 1 * 1.5) * 9.81, moment.y, 1e-2)
      force, moment = tip:reaction()
      near(9.81, force.z, 1e-6)
      near(-0.5 * 9.81, moment.y, 1e-2)
    end
  end)

  it("are opposite: a chain in free fall keeps its momentum to round-off", function()
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local world <close> = delassus.world{ record = false, gravity = { 0, 0, 0 }, scheme = SCHEMES[1 + seed % 2] }
      local before
      local function any(size) return size * (2 * math.random() - 1) end
      for i = 1, 3 do
        local body = world:body{ mass = 1 + math.random(), inertia = { 0.1, 0.12, 0.08 }, position = { i, 0, 0 },
          velocity = { any(1), any(1), any(1) }, angular_velocity = { any(2), any(2), any(2) } }
        local kinds = { "ball", "fixed", "planar", "cylindrical" }
        local kind = kinds[math.random(#kinds)]
        if before then
          world:joint{ kind, before, body, anchor = { i - 0.5, 0, 0 }, axis = kind ~= "fixed" and { 0, any(1), 1 } or nil,
            formulation = "penalty" }
        end
        before = body
      end
      local start = world:momentum()
      world:step(50)
      assert.is_true((world:momentum() - start):norm() < 1e-13 * 10, "seed " .. seed)
    end
  end)
end)

describe("joint.rows", function()
  it("of both formulations add up to the reaction: lambda Jj on b, about the anchor", function()
    for _, formulation in ipairs{ "penalty", "rigid" } do
      for _, planar in ipairs{ false, true } do
        local world <close> = delassus.world{ record = false, planar = planar }
        local a = world:body{ mass = 2, inertia = planar and 0.1 or { 0.1, 0.2, 0.15 },
          position = planar and { 1, 0.2 } or { 1, 0.2, 0.1 } }
        local joint = world:joint{ "fixed", world.ground, a, anchor = planar and { 0.5, 0 } or { 0.5, 0, 0 },
          formulation = formulation }
        world:field(function(body) return -20 * body.velocity, -2 * body.angular_velocity end)
        world:run(4) -- at rest the mean over the last step is what acts now
        local anchor = a.position + delassus.vec(planar and { -0.5, -0.2 } or { -0.5, -0.2, -0.1 })
        local force, moment = joint:reaction()
        local sum, rows = {}, joint.rows
        assert.equal(planar and 3 or 6, #rows)
        for _, row in ipairs(rows) do
          assert.is_true(math.abs(row.G) < 1e-2 and math.abs(row.Gdot) < 1e-6)
          for k = 1, #row.Jj do sum[k] = (sum[k] or 0) + row.lambda * row.Jj[k] end
        end
        local n = planar and 2 or 3
        local f = delassus.vec(table.move(sum, 1, n, 1, {}))
        assert.is_true((f - force):norm() < 1e-5 * force:norm())
        -- the anchor is fixed in a body that gives way by 1e-4
        local arm = anchor - a.centre
        if planar then
          near(moment, sum[3] - (arm.x * f.y - arm.y * f.x), 2e-2, "moment")
        else
          local m = delassus.vec(table.move(sum, 4, 6, 1, {})) - arm:cross(f)
          assert.is_true((m - moment):norm() < 2e-2)
        end
      end
    end
  end)
end)

describe("the state of penalty joints", function()
  local function scene(scheme)
    local world = delassus.world{ record = false, scheme = scheme }
    world:floor{ friction = 0.3 }
    local before
    for i = 1, 4 do
      local body = world:box{ size = { 0.3, 0.1, 0.1 }, density = 1000, position = { 0.32 * i, 0, 0.1 + 0.1 * i } }
      if before then
        world:joint{ i == 3 and "revolute" or "universal", before, body, anchor = { 0.32 * i - 0.16, 0, 0.05 + 0.1 * i },
          axis = { 0, 1, 0 }, axis2 = { 0, 0, 1 }, formulation = "penalty", limits = i == 3 and { -0.2, 0.2 } or nil }
      end
      before = body
    end
    return world
  end

  it("is in snapshots: the run after one is bit for bit the run that was, in a world built again", function()
    for _, scheme in ipairs(SCHEMES) do
      local one <close> = scene(scheme)
      one:step(150)
      one.dt = 5e-4
      one:step(50)
      local kept = one:snapshot()
      one:step(200)
      local two <close> = scene(scheme)
      two:restore(kept)
      two:step(200)
      assert.equal(one:hash(), two:hash())
      one:restore(kept)
      one:step(200)
      assert.equal(two:hash(), one:hash())
    end
  end)

  it("is as before where a callback stops the step, and counts its turns", function()
    local world <close>, _, joint = wheel({ spin = 20, joint = {} })
    world:step(1000)
    near(20, joint.q, 1e-9)
    local fail = false
    world:field(function() if fail then error("stop") end end)
    local hash = world:hash()
    fail = true
    assert.has_error(function() world:step() end)
    assert.equal(hash, world:hash())
    fail = false
    local kept, q = world:snapshot(), joint.q
    world:step(1000)
    near(40, joint.q, 1e-9)
    world:restore(kept)
    assert.equal(q, joint.q)
  end)

  it("keeps the ledger: falling on a floor, with limits, dampers and impacts", function()
    for k, scheme in ipairs(SCHEMES) do
      local world <close> = scene(scheme)
      local kinetic, potential, stored = world:energy()
      local start = kinetic + potential + stored
      for _ = 1, 1500 do
        world:step()
        assert.is_true(world.stats.momentum_error < 1e-12) -- contacts alone explain what the forces do not
      end
      local l = world:ledger()
      kinetic, potential, stored = world:energy()
      -- round-off; the default scheme's rotations under the projection are good to the step
      assert.is_true(math.abs(l.error) <= (k == 2 and 1e-13 or 1e-3) * l.turnover,
        ("%s: %g"):format(scheme, l.error / l.turnover))
      near(kinetic + potential + stored - start, l.kinetic + l.potential + l.stored, 1e-10 * l.turnover)
      assert.is_true(l.damping > 0 and l.friction + l.impact > 0 and stored >= 0)
      assert.is_true(world.stats.residual < 1e-9 and world.stats.stability < 4)
    end
  end)

  it("steps without garbage", function()
    local world <close> = scene("semi-implicit")
    world:step(300)
    collectgarbage()
    collectgarbage("stop")
    local before = collectgarbage("count")
    for _ = 1, 100 do world:step() end
    local after = collectgarbage("count")
    collectgarbage("restart")
    assert.equal(before, after)
  end)

  it("makes gains follow dt: stiffness by its square, damping by itself", function()
    local world <close>, _, joint = wheel({ joint = {} })
    local alpha, beta = joint.rows[1].alpha, joint.rows[4].beta
    world.dt = 5e-4
    near(4 * alpha, joint.rows[1].alpha, 1e-9 * alpha)
    near(2 * beta, joint.rows[4].beta, 1e-9 * beta)
  end)
end)

describe("world:integrate with penalty joints", function()
  it("agrees between methods, and its semi-implicit is the world's scheme to the bit", function()
    local function pendulum(scheme, damping)
      local world = delassus.world{ record = false, scheme = scheme, dt = 2e-3 }
      local body = world:body{ mass = 1, inertia = { 0.1, 0.12, 0.05 }, position = { 0.5, 0, 0 } }
      world:joint{ "universal", world.ground, body, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 }, axis2 = { 0, 0, 1 },
        formulation = "penalty", damping = damping or 0.1, torque = { 0.1, 0.4 }, gains = "published" } -- whatever the step
      return world, body
    end
    local one <close>, first = pendulum("time-stepping")
    one:integrate{ method = "dopri5", rtol = 1e-10, to = 0.4 }
    for _, method in ipairs{ "rk4", "stormer" } do
      local world <close>, body = pendulum("time-stepping")
      world:integrate{ method = method, dt = 2.5e-4, to = 0.4 }
      assert.is_true((body.position - first.position):norm() < 1e-7, method)
    end
    local three <close>, third = pendulum("time-stepping")
    local calls = 0
    local stats = three:integrate{ method = "semi-implicit", dt = 2.5e-5, to = 0.4, each = function() calls = calls + 1 end }
    assert.is_true((third.position - first.position):norm() < 2e-4)
    assert.equal(16000, stats.steps)
    assert.equal(16000, calls)
    assert.equal(2e-3, three.dt)
    assert.equal("time-stepping", three.scheme)
    -- (springs and dampers are forces of an integrator, and rows of a world)
    local four <close>, fourth = pendulum("time-stepping", 0)
    local five <close>, fifth = pendulum("semi-implicit", 0)
    four:integrate{ method = "semi-implicit", dt = 2e-3, to = 0.4 }
    five:step(200)
    assert.equal(fifth.position, fourth.position)
    assert.equal(fifth.rotation, fourth.rotation)
    assert.equal(five.time, four.time)
  end)

  it("locks the world while each() runs: no step, no body, no close", function()
    for _, method in ipairs{ "rk4", "semi-implicit" } do
      for _, act in ipairs{ function(w) w:close() end, function(w) w:step() end,
        function(w) w:body{ mass = 1, inertia = { 1, 1, 1 } } end } do
        local world <close> = wheel({ spin = 1, joint = {} })
        local hash = world:hash()
        local ok, message = pcall(world.integrate, world, { method = method, to = 0.05, each = act })
        assert.is_false(ok)
        assert.is_truthy(message:find("world steps", 1, true), message)
        assert.equal(hash, world:hash())
        world:step()
      end
    end
    for _, method in ipairs{ "rk4", "dopri5", "stormer", "semi-implicit" } do
      local world <close> = wheel({ spin = 1, joint = {} })
      local asked = 0
      world:field(function()
        asked = asked + 1
        if asked == 7 then world:close() end
        return { 0, 0, 0 }, { 0, 0, 0 }
      end)
      local ok, message = pcall(world.integrate, world, { method = method, to = 0.1 })
      assert.is_false(ok)
      assert.is_truthy(message:find("world steps", 1, true), message)
      world:step()
    end
  end)

  it("leaves the world as it was where each() fails", function()
    local world <close>, _ = wheel({ spin = 1, joint = {} })
    local hash = world:hash()
    assert.has_error(function()
      world:integrate{ method = "semi-implicit", dt = 1e-3, to = 1,
        each = function(w) if w.time > 0.5 then error("enough") end end }
    end)
    assert.equal(hash, world:hash())
    assert.equal(1e-3, world.dt)
  end)
end)

describe("world:joint with formulation = 'penalty'", function()
  local function refuses(message, options)
    local world <close> = delassus.world{ record = false }
    local a = world:body{ mass = 1, inertia = { 1, 1, 1 } }
    local b = world:body{ mass = 1, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }
    options[2], options[3] = options[2] or a, options[3] or b
    options.formulation = options.formulation or "penalty"
    local hash = world:hash()
    local ok, text = pcall(world.joint, world, options)
    assert.is_false(ok)
    assert.is_truthy(text:find(message, 1, true), text)
    assert.equal(hash, world:hash())
    assert.equal(0, #world.joints)
  end

  it("refuses what is none", function()
    local z = { 0, 0, 1 }
    refuses("world:joint: 'gains' must be one of 'auto', 'published', 'sound', got 'stiff'", { "ball", gains = "stiff" })
    refuses("world:joint: 'limit_law' must be one of 'general', 'published'", { "ball", limit_law = "sine" })
    refuses("'alpha' must be >= 0", { "ball", alpha = -1 })
    refuses("'beta_rotation' must be", { "ball", beta_rotation = 0 / 0 })
    refuses("unknown option 'limit_alfa' (did you mean 'limit_alpha'?)", { "ball", limit_alfa = 1 })
    refuses("give 'gains' or numbers ('alpha', 'beta', ...), not both", { "ball", gains = "auto", alpha = 1 })
    refuses("'gains' goes with formulation = 'penalty'", { "ball", gains = "auto", formulation = "rigid" })
    refuses("'limit_beta' goes with formulation = 'penalty'", { "ball", limit_beta = 1, formulation = "reduced" })
    refuses("a free joint that holds nothing cannot be a penalty", { "free" })
    local x, y = { 1, 0, 0 }, { 0, 1, 0 }
    local motions = { { "slide", x }, { "slide", y }, { "slide", z }, { "rotate", x }, { "rotate", y }, { "rotate", z } }
    refuses("a chain joint that holds nothing cannot be a penalty (formulation = 'reduced' or 'rigid' can)",
      { "chain", motions = motions })
    local all = { {}, {}, {}, {}, {}, {} }
    for i = 1, 6 do for k = 1, 6 do all[i][k] = i == k and 1 or 0 end end
    refuses("a custom joint that holds nothing cannot be a penalty", { "custom", subspace = all })
    refuses("'beta_rotation' is not used by this joint", { "custom", subspace = { { 0 }, { 0 }, { 1 }, { 0 }, { 0 }, { 0 } },
      beta_rotation = 1 })
    refuses("'inertia' (of a rotor) needs the reduced formulation", { "revolute", axis = z, inertia = 1 })
    refuses("limit_law = 'published' needs symmetric limits, got {-1.0, 0.5}",
      { "revolute", axis = z, limits = { -1, 0.5 }, limit_law = "published" })
    refuses("limit_law = 'published' needs limits below pi/2",
      { "revolute", axis = z, limits = { -2, 2 }, limit_law = "published" })
    refuses("limit_law = 'published' has no limits of spherical joints",
      { "ball", limits = { cone = 1 }, limit_law = "published" })
    local world <close> = delassus.world{ record = false }
    local a = world:body{ mass = 0, inertia = { 0, 0, 0 } }
    assert.has_error(function() world:joint{ "ball", world.ground, a, formulation = "penalty" } end,
      "world:joint: a penalty joint needs bodies with mass, body #1 has none")
    local joint = world:joint{ "ball", world.ground, world:body{ mass = 1, inertia = { 1, 1, 1 } } }
    assert.has_error(function() return joint.rows end, "joint: 'rows' are those of penalty and rigid joints")
    assert.has_error(function() delassus.world{ scheme = "semi-implicit", theta = 0.5 } end,
      "delassus.world: 'theta' is 1 where 'scheme' is 'semi-implicit'")
    assert.has_error(function() delassus.world{ scheme = "euler" } end)
  end)

  it("knows the chains of motions that are one of its kinds", function()
    local x, y, z = { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }
    for kind, motions in pairs{ fixed = {}, revolute = { { "rotate", y } }, prismatic = { { "slide", y } },
      universal = { { "rotate", x }, { "rotate", y } }, cylindrical = { { "rotate", y }, { "slide", y } },
      planar = { { "slide", x }, { "slide", y }, { "rotate", z } } } do
      local at = {}
      for k, options in ipairs{ { "chain", motions = motions }, { kind, axis = kind == "universal" and x or kind == "planar" and z
        or kind ~= "fixed" and y or nil, axis2 = kind == "universal" and y or kind == "planar" and x or nil } } do
        local world <close> = delassus.world{ record = false }
        local body = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, velocity = { 0.1, 0.2, 0.3 },
          angular_velocity = { 1, 2, 3 } }
        options[2], options[3], options.formulation, options.gains = world.ground, body, "penalty", "published"
        local joint = world:joint(options)
        world:step(100)
        at[k] = { joint.q, joint.qd, body.position }
      end
      for m = 1, 3 do
        local a, b = at[1][m], at[2][m]
        if type(a) == "number" then a, b = { a }, { b } end
        assert.equal(#a, #b)
        for n = 1, #a do near(b[n], a[n], 1e-12, kind) end
      end
    end
  end)

  it("tells what it is", function()
    local world <close> = delassus.world{ record = false, scheme = "semi-implicit" }
    local body = world:body{ mass = 1, inertia = { 1, 1, 1 } }
    local joint = world:joint{ "planar", world.ground, body, formulation = "penalty" }
    assert.equal("penalty", joint.formulation)
    assert.equal(3, #joint.rows)
    assert.equal("semi-implicit", world.scheme)
    assert.equal(1, world.theta)
    assert.has_error(function() joint.q = { 0, 0, 0 } end, "joint: 'q' can be set in the reduced formulation only")
    assert.is_truthy(delassus.help(joint):find("rows", 1, true))
  end)
end)
