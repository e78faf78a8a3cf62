-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Springs and dampers as rows: the scheme's closed form, order, energy at any stiffness and damping, formulations that agree,
-- the ledger, momenta, and the limits that are rigid rows.
local delassus = require "delassus"
local random = require "support.random"
local near = require "support.near"
local seeds = require "support.seeds"

local FORMULATIONS = { "reduced", "rigid", "penalty" }

local function make(options)
  options.record = false
  return delassus.world(options)
end

local function total(world)
  local kinetic, potential, stored = world:energy()
  return kinetic + potential + stored
end

--- One oscillator of mass (or inertia) 1 that starts at x with v, however it is made; -> world, a function x, v.
local function oscillator(how, k, c, x, v, options)
  options = options or {}
  local planar = how.planar
  local world = make{ planar = planar, dt = options.dt, theta = options.theta, scheme = options.scheme,
    gravity = planar and { 0, 0 } or { 0, 0, 0 } }
  local function place(a) return planar and { a, 0 } or { a, 0, 0 } end
  local line = how.kind == "line"
  local body = world:body{ mass = 1, inertia = planar and 1 or { 1, 1, 1 }, position = place(line and 2 + x or 0),
    velocity = place(line and v or 0) }
  if line then
    world:spring{ world.ground, body, stiffness = k, damping = c, length = 2 }
    return world, function() return body.position[1] - 2, body.velocity[1] end
  end
  local turns = how.kind == "revolute"
  local joint = world:joint{ how.kind, world.ground, body, anchor = place(0), stiffness = k, damping = c,
    axis = not turns and place(1) or not planar and { 0, 0, 1 } or nil, formulation = how.formulation }
  if how.formulation == "reduced" then
    joint.q, joint.qd = x, v
  elseif turns then
    body.rotation = planar and x or { axis = { 0, 0, 1 }, angle = x }
    body.angular_velocity = planar and v or { 0, 0, v }
  else
    body.position, body.velocity = place(x), place(v)
  end
  return world, function() return joint.q, joint.qd end
end

local function each_way(check)
  for _, planar in ipairs{ true, false } do
    check({ planar = planar, kind = "line" }, (planar and "plane" or "space") .. ", line")
    for _, kind in ipairs{ "revolute", "prismatic" } do
      for _, formulation in ipairs(FORMULATIONS) do
        check({ planar = planar, kind = kind, formulation = formulation },
          ("%s, %s, %s"):format(planar and "plane" or "space", kind, formulation))
      end
    end
  end
end

describe("a spring with a damper", function()
  it("is the implicit midpoint where the step resolves it: its closed form, in all formulations", function()
    local h, n = 1e-3, 500
    for _, law in ipairs{ { 100, 0 }, { 0, 3 }, { 4000, 2 }, { 2e5, 700 } } do
      local k, c = law[1], law[2]
      local x, v = 0.05, -0.7
      for _ = 1, n do -- p = -h (k (x + h m/2) + c m), m = (v + v')/2 = v + p/2, x' = x + h m
        local p = -h * (k * x + (0.5 * h * k + c) * v) / (1 + 0.5 * h * (0.5 * h * k + c))
        x, v = x + h * (v + 0.5 * p), v + p
      end
      each_way(function(how, name)
        local world <close>, state = oscillator(how, k, c, 0.05, -0.7)
        world:step(n)
        local at, rate = state()
        near(x, at, 1e-11, name)
        near(v, rate, 1e-11 * math.sqrt(k + 1), name)
      end)
    end
  end)

  it("of no damping keeps its energy where the step resolves it, with positions taken late as well", function()
    local h, k, n = 1e-3, 1e4, 3000
    each_way(function(how, name)
      local world <close>, state = oscillator(how, k, 0, 0.05, -0.7)
      local start = total(world)
      world:step(n)
      near(start, total(world), 1e-10 * start, name)
      for _, options in ipairs{ { theta = 1 }, { scheme = "semi-implicit" } } do
        -- theta = 1: the same in x - h v/2
        local late <close>, now = oscillator(how, k, 0, 0.05, -0.7, options)
        -- (the semi-implicit scheme turns bodies in space by (omega h)^3/12 too little a step)
        if options.theta or how.planar or how.kind ~= "revolute" then
          late:step(n)
          local x, v = now()
          near(k * (0.05 + h * 0.35) ^ 2 + 0.49, k * (x - 0.5 * h * v) ^ 2 + v * v, 1e-9 * start, name .. " late")
        end
      end
      assert.is_truthy(state)
    end)
  end)

  it("adds no energy, and lets no amplitude grow, whatever k and c from 0 to 1e12 (200 seeds)", function()
    each_way(function(how, name)
      for seed = 1, seeds(200) do
        local r = random(seed)
        local k, c = 10 ^ (4.5 + 7.5 * r()), 10 ^ (4.5 + 7.5 * r())
        if seed % 3 == 0 then c = 0 elseif seed % 3 == 1 then k = 0 end
        local x, v = 0.1 * r(), r()
        local world <close>, state = oscillator(how, k, c, x, v)
        local start = total(world)
        local last = start
        for _ = 1, 25 do
          world:step()
          local now = total(world)
          assert.is_true(now <= last + 1e-13 * start, ("%s: seed %d, k = %g, c = %g: %g J after %g J"):format(name, seed, k,
            c, now, last))
          assert.is_true(math.abs(world:ledger().error) <= 1e-13 * start, name .. ": seed " .. seed)
          last = now
        end
        assert.is_truthy(state)
      end
    end)
  end)

  it("closes in one step as the stiffness grows, and is at rest after two; a damper at once", function()
    each_way(function(how, name)
      local world <close>, state = oscillator(how, 1e12, 0, 1e-3, 0.5)
      world:step()
      near(0, (state()), 1e-8, name)
      world:step(2)
      local x, v = state()
      near(0, x, 1e-9, name)
      near(0, v, 1e-5, name)
      local damped <close>, now = oscillator(how, 0, 1e12, 1e-3, 0.5)
      damped:step()
      x, v = now()
      near(1e-3, x, 1e-9, name)
      near(0, v, 1e-6, name)
    end)
  end)

  it("ends at F/c and at F/k under a constant force, at any damping, and reaction() tells the force", function()
    for _, c in ipairs{ 1, 1e3, 1e6 } do
      for _, formulation in ipairs(FORMULATIONS) do
        local world <close> = make{ planar = true, gravity = { 0, 0 } }
        local body = world:body{ mass = 1, inertia = 1 }
        local joint = world:joint{ "prismatic", world.ground, body, anchor = { 0, 0 }, axis = { 1, 0 }, damping = c,
          formulation = formulation }
        body:apply{ force = { 20, 0 } }
        world:step(math.ceil(30 / c / 1e-3) + 60)
        near(20 / c, joint.qd, 1e-9 * 20 / c, formulation)
        local force = joint:reaction()
        near(-20, force[1], 1e-8 * 20, formulation)
      end
    end
    for _, k in ipairs{ 1e3, 1e7, 1e12 } do
      for _, formulation in ipairs(FORMULATIONS) do
        local world <close> = make{ planar = true }
        local body = world:body{ mass = 2, inertia = 1 }
        local joint = world:joint{ "prismatic", world.ground, body, anchor = { 0, 0 }, axis = { 0, 1 }, stiffness = k,
          damping = 2 * math.sqrt(2 * k), formulation = formulation }
        world:step(2000)
        near(-2 * 9.81 / k, joint.q, 1e-7 * 20 / k, formulation)
        near(2 * 9.81, joint:reaction()[2], 1e-6, formulation)
      end
    end
  end)

  it("tells its work as that of springs and what its damper takes as damping", function()
    each_way(function(how, name)
      local world <close> = oscillator(how, 0, 1e9, 0, 2)
      world:step(20)
      near(2, world:ledger().damping, 1e-8, name)
      near(0, world:ledger().scheme, 1e-8, name)
      local spring <close>, state = oscillator(how, 400, 0, 0.5, 0)
      spring:step(60)
      local x = state()
      near(200 * (0.25 - x * x), spring:ledger().springs, 1e-9, name)
      near(0, spring:ledger().damping + spring:ledger().scheme, 1e-12, name)
    end)
  end)
end)

describe("a spring that is changed", function()
  it("is the one made so from the beginning", function()
    for _, planar in ipairs{ true, false } do
      local function scene(options)
        local world = delassus.world{ planar = planar, record = false }
        local inertia = planar and 0.2 or { 0.2, 0.3, 0.4 }
        local body = world:body{ mass = 2, inertia = inertia, com = planar and { 0.1, 0.2 } or { 0.1, 0.2, 0.3 } }
        options[1], options[2] = world.ground, body
        return world, body, world:spring(options)
      end
      local function place(x, y, z) return planar and { x, y } or { x, y, z } end
      local want = { stiffness = 300, damping = 5, length = 0.4, anchor_a = place(1, 2, 3), anchor_b = place(0.3, -0.2, 0.1) }
      local options = {}
      for name, value in pairs(want) do options[name] = value end
      local world = scene(options)
      local other, _, spring = scene{ stiffness = 1 }
      for name, value in pairs(want) do spring[name] = value end
      for name, value in pairs(want) do
        if type(value) == "number" then assert.equal(value, spring[name])
        else for i, x in ipairs(value) do assert.near(x, spring[name][i], 1e-15) end end
      end
      assert.equal(world:hash(), other:hash())
      world:step(20)
      other:step(20)
      assert.equal(world:hash(), other:hash())
    end
  end)

  it("keeps what it was where the value is wrong, where its world steps, where it is gone", function()
    local world = delassus.world{ record = false }
    local spring = world:spring{ world.ground, world:sphere{ radius = 1 }, stiffness = 3, length = 1 }
    for name, wrong in pairs{ stiffness = -1, damping = 0 / 0, length = "x", anchor_a = { 1, 2 }, anchor_b = { 1, 2, 0 / 0 } } do
      assert.error_matches(function() spring[name] = wrong end, "spring: '" .. name, 1, true)
    end
    assert.error_matches(function() spring.a = world.ground end, "'a' is read-only", 1, true)
    local message
    local handle = world:field(function()
      message = message or select(2, pcall(function() spring.stiffness = 5 end))
      return { 0, 0, 0 }, { 0, 0, 0 }
    end)
    world:step(1)
    assert.matches("spring.stiffness: not possible while the world steps", message, 1, true)
    assert.equal(3, spring.stiffness)
    assert.is_truthy(handle or true)
    world:remove(spring)
    assert.error_matches(function() spring.stiffness = 5 end, "removed spring")
  end)

  it("gives what its new deflection holds to the ledger's springs alone", function()
    local world = delassus.world{ planar = true, gravity = { 0, 0 }, record = false, dt = 1e-3 }
    local body = world:body{ mass = 1, inertia = 1 }
    local spring = world:spring{ world.ground, body, stiffness = 40, length = 1, anchor_a = { -1, 0 } }
    spring.anchor_a = { -0.5, 0 } -- pressed by half a metre now: 5 J
    world:step(math.floor(0.5 * math.pi / math.sqrt(40) / world.dt + 0.5)) -- a quarter of a swing
    local ledger = world:ledger()
    assert.near(5, ledger.springs, 1e-4)
    assert.near(5, ledger.kinetic, 1e-4)
    assert.is_true(math.abs(ledger.error) < 1e-12 * ledger.turnover)
  end)
end)

describe("springs that are coupled", function()
  it("add no energy either, resolved and unresolved side by side (200 seeds)", function()
    for seed = 1, seeds(200) do -- bodies on a line: the system is linear
      local r = random(seed)
      local planar = seed % 2 == 0
      local world <close> = make{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 } }
      local bodies = { [0] = world.ground }
      for i = 1, 5 do
        bodies[i] = world:body{ mass = 10 ^ r(), inertia = planar and 1 or { 1, 1, 1 },
          position = planar and { 2 * i, 0 } or { 2 * i, 0, 0 }, velocity = planar and { r(), 0 } or { r(), 0, 0 } }
      end
      for i = 0, 4 do
        for j = i + 1, math.min(5, i + 2) do
          local k, c = 10 ^ (4.5 + 7.5 * r()), 10 ^ (4.5 + 7.5 * r())
          if (seed + i + j) % 4 == 0 then k = 0 elseif (seed + i + j) % 4 == 1 then c = 0 end
          world:spring{ bodies[i], bodies[j], stiffness = k, damping = c }
        end
      end
      local start = total(world)
      local last = start
      for _ = 1, 40 do
        world:step()
        local now = total(world)
        assert.is_true(now <= last + 1e-11 * start, ("seed %d: %g J after %g J"):format(seed, now, last))
        last = now
      end
      assert.is_true(world.stats.momentum_error <= 1e-12)
    end
  end)

  it("keep momentum and angular momentum between free bodies, at any stiffness (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local planar = seed % 2 == 0
      local world <close> = make{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 } }
      local function three(s) return planar and { s * r(), s * r() } or { s * r(), s * r(), s * r() } end
      local bodies = {}
      for i = 1, 4 do
        bodies[i] = world:body{ mass = 1 + 0.5 * r(), inertia = planar and 0.1 or { 0.1, 0.12, 0.13 }, position = three(1),
          velocity = three(2), angular_velocity = planar and 3 * r() or three(3) }
      end
      for i = 1, 4 do
        for j = i + 1, 4 do
          world:spring{ bodies[i], bodies[j], anchor_a = three(0.3), anchor_b = three(0.3),
            stiffness = 10 ^ (4 + 6 * r()), damping = 10 ^ (3 + 5 * r()) }
        end
      end
      local p, l = world:momentum()
      local kinetic = world:energy()
      world:step(60)
      local p2, l2 = world:momentum()
      near(0, (p2 - p):norm(), 1e-12, "seed " .. seed)
      near(0, planar and l2 - l or (l2 - l):norm(), 1e-12, "seed " .. seed)
      assert.is_true(world:energy() <= kinetic * (1 + 1e-3), "seed " .. seed)
    end
  end)

  it("are as exact in large nets, resolved ones by another method: energy, momentum and residual", function()
    for _, k in ipairs{ 1e2, 1e4, 1e8 } do
      local world <close> = make{ gravity = { 0, 0, 0 }, tolerance = 1e-12 }
      local bodies = {}
      for i = 1, 60 do
        bodies[i] = world:body{ mass = 1, inertia = { 1, 1, 1 }, position = { i, 0, 0 }, velocity = { math.sin(i * i), 0, 0 } }
      end
      for i = 1, 59 do
        world:spring{ bodies[i], bodies[i + 1], stiffness = k * (1 + 0.5 * math.sin(i)) }
        if i < 59 then world:spring{ bodies[i], bodies[i + 2], stiffness = k } end
      end
      local start, p = total(world), world:momentum()
      world:step(200)
      assert.is_true(world.stats.residual <= 1e-12, "residual " .. world.stats.residual)
      near(0, (world:momentum() - p):norm(), 1e-11)
      if k < 1e5 then near(start, total(world), 1e-11 * start) else assert.is_true(total(world) < start) end
    end
  end)

  it("of no length turn as an isotropic oscillator does: exact after a second, and no growth when stiff", function()
    local function run(k, dt)
      local world <close> = make{ dt = dt, gravity = { 0, 0, 0 } }
      local body = world:body{ mass = 1, inertia = { 1, 1, 1 }, position = { 1, 0, 0 }, velocity = { 0, 3, 1 } }
      world:spring{ world.ground, body, stiffness = k, length = 0 }
      local start = total(world)
      world:step(math.floor(1 / dt + 0.5))
      assert.is_true(total(world) <= start * (1 + 1e-11))
      return body.position
    end
    local s, c = math.sin(5), math.cos(5)
    local exact = delassus.vec{ c, 0.6 * s, 0.2 * s }
    local coarse, fine = (run(25, 2e-3) - exact):norm(), (run(25, 1e-3) - exact):norm()
    assert.is_true(coarse < 1e-4 and coarse / fine > 3.9 and coarse / fine < 4.1)
    for _, k in ipairs{ 1e6, 1e9, 1e12 } do run(k, 1e-3) end
  end)
end)

--- Three links with springs and dampers at their joints, under their weight.
local function arm(kind, formulation, planar, dt, k, c)
  local world = make{ planar = planar, dt = dt }
  local before, bodies = world.ground, {}
  local function place(x) return planar and { x, 0 } or { x, 0, 0 } end
  for i = 1, 3 do
    bodies[i] = world:body{ mass = 1, inertia = planar and 0.02 or { 0.005, 0.02, 0.021 }, position = place(0.4 * i - 0.2) }
    world:joint{ kind, before, bodies[i], anchor = place(0.4 * i - 0.4), stiffness = k, damping = c,
      axis = not planar and kind ~= "spherical" and { 0, 1, 0.2 } or nil,
      axis2 = kind == "universal" and { 0, -0.2, 1 } or nil, formulation = formulation }
    before = bodies[i]
  end
  return world, bodies
end

local function apart(a, b)
  local most = 0
  for i, body in ipairs(a) do most = math.max(most, (body.centre - b[i].centre):norm()) end
  return most
end

describe("a spring to a platform that moves", function()
  --- x of a body of 1 kg on a platform at 0.1 sin 7t that it starts with, after a second.
  local function shaken(formulation, k, c, dt)
    local world = make{ planar = true, dt = dt, gravity = { 0, 0 } }
    local platform = world:body{ type = "kinematic", motion = function(t)
      return { 0.1 * math.sin(7 * t), 0 }, 0, { 0.7 * math.cos(7 * t), 0 }, 0
    end }
    local body = world:body{ mass = 1, inertia = 1, position = { 1, 0 }, velocity = { 0.7, 0 } }
    if formulation == "line" then
      world:spring{ platform, body, stiffness = k, damping = c, length = 1 }
    else
      world:joint{ "prismatic", platform, body, anchor = { 1, 0 }, axis = { 1, 0 }, stiffness = k, damping = c,
        formulation = formulation }
    end
    world:run(1)
    assert.is_true(math.abs(world:ledger().error) <= 1e-13)
    return body.position[1] - 1, world:ledger(), body.velocity[1]
  end

  it("is of second order, and the platform works: its closed form, in all formulations", function()
    local k, c, w, A = 400, 4, 7, 0.1 -- x'' = -k (x - s) - c (x' - s'), s = A sin wt, from x = 0, x' = A w
    -- y = x - s: y'' + c y' + k y = A w^2 sin wt, y = y' = 0
    local p, q = k - w * w, c * w
    local a, b = A * w * w * p / (p * p + q * q), -A * w * w * q / (p * p + q * q) -- a sin + b cos
    local d = math.sqrt(k - c * c / 4)
    local y = a * math.sin(w) + b * math.cos(w) - math.exp(-c / 2) * (b * math.cos(d) + (a * w + b * c / 2) / d * math.sin(d))
    local exact = y + A * math.sin(w)
    for _, formulation in ipairs{ "line", "reduced", "rigid", "penalty" } do
      local coarse, fine = shaken(formulation, k, c, 2e-3) - exact, shaken(formulation, k, c, 1e-3) - exact
      assert.is_true(math.abs(fine) < 1e-6 and coarse / fine > 3.9 and coarse / fine < 4.1,
        ("%s: %g, %g"):format(formulation, coarse, fine))
    end
  end)

  it("is carried by it as it stiffens, and takes all of its energy from it", function()
    for _, formulation in ipairs{ "line", "rigid", "penalty" } do
      local x, ledger, v = shaken(formulation, 1e9, 4, 1e-3)
      near(0.1 * math.sin(7), x, 1e-6, formulation)
      near(0.7 * math.cos(7), v, 1e-5, formulation)
      near(0.5 * (v * v - 0.49), ledger.kinematic, 1e-4, formulation)
      near(0, ledger.correction, 1e-5, formulation)
    end
  end)
end)

describe("joints with springs and dampers", function()
  local kinds = { { "revolute", true }, { "revolute" }, { "spherical" }, { "universal" }, { "cylindrical" } }

  it("are of second order, reduced and rigid, and the same", function()
    for _, kind in ipairs(kinds) do
      for _, law in ipairs{ { 50, 0 }, { 0, 0.3 }, { 50, 0.3 } } do
        local ends = {}
        for _, formulation in ipairs{ "reduced", "rigid" } do
          local runs = {}
          for i, dt in ipairs{ 2e-3, 1e-3, 5e-4 } do
            local world, bodies = arm(kind[1], formulation, kind[2], dt, law[1], law[2])
            world:run(0.3)
            runs[i] = bodies
          end
          local ratio = apart(runs[1], runs[2]) / apart(runs[2], runs[3])
          assert.is_true(ratio > 3.8 and ratio < 4.2, ("%s, %s: %g"):format(kind[1], formulation, ratio))
          ends[#ends + 1] = runs[2]
        end
        near(0, apart(ends[1], ends[2]), 1e-12, kind[1])
      end
    end
  end)

  it("count what other joints hold: a light bracket on a heavy body, a light link between two (undamped, resolved)", function()
    for _, formulation in ipairs{ "reduced", "rigid" } do
      local world <close> = make{ planar = true, gravity = { 0, 0 } }
      local heavy = world:body{ mass = 100, inertia = 10, position = { 1, 0 } }
      local light = world:body{ mass = 1e-3, inertia = 1e-6, position = { 0.9, 0 } }
      world:joint{ "fixed", heavy, light, anchor = { 0.9, 0 }, formulation = formulation }
      world:spring{ world.ground, light, stiffness = 1e5, length = 1 }
      local start = total(world)
      world:step(2000)
      near(start, total(world), 1e-10 * start, formulation)
    end
    local function links(formulation)
      local world = make{ planar = true, gravity = { 0, 0 } }
      local a = world:body{ mass = 10, inertia = 1 }
      local b = world:body{ mass = 1e-2, inertia = 1e-5, position = { 1, 0 } }
      local c = world:body{ mass = 10, inertia = 1, position = { 2, 0 } }
      world:joint{ "revolute", a, b, anchor = { 0.9, 0 }, stiffness = 2000, formulation = formulation }
      return world, { a, b, c },
        world:joint{ "revolute", b, c, anchor = { 1.1, 0 }, stiffness = 2000, formulation = formulation }
    end
    local reduced <close>, these, joint = links("reduced")
    local rigid <close>, those = links("rigid")
    joint.qd = 1
    for i, body in ipairs(these) do
      those[i].velocity, those[i].angular_velocity = body.velocity, body.angular_velocity
    end
    local start = total(reduced)
    reduced:step(1000)
    rigid:step(1000)
    near(0, apart(these, those), 1e-11)
    near(start, total(reduced), 1e-6 * start) -- of second order
  end)

  it("hold like a weld as they stiffen, and damp like one, in all formulations", function()
    for _, kind in ipairs(kinds) do
      for _, formulation in ipairs(FORMULATIONS) do
        local world <close>, bodies = arm(kind[1], formulation, kind[2], 1e-3, 1e12, 1e6)
        local start = bodies[3].centre
        world:step(100)
        near(0, (bodies[3].centre - start):norm(), formulation == "penalty" and 2e-2 or 1e-9, kind[1] .. formulation)
        local damped <close>, links = arm(kind[1], formulation, kind[2], 1e-3, 0, 1e10)
        damped:step(100)
        near(0, (links[3].centre - start):norm(), formulation == "penalty" and 2e-2 or 1e-8, kind[1] .. formulation)
      end
    end
  end)

  it("stand beside limits, friction, motors, contacts and loops: any k and c (100 seeds)", function()
    for seed = 1, 100 do
      local r = random(seed)
      local world <close> = make{ planar = true }
      world:floor{ friction = 0.4 }
      local before, bodies = world.ground, {}
      for i = 1, 5 do
        local k, c = 10 ^ (4.5 + 7.5 * r()), 10 ^ (4.5 + 7.5 * r())
        if (seed + i) % 4 == 0 then k = 0 elseif (seed + i) % 4 == 1 then c = 0 end
        bodies[i] = world:disk{ radius = 0.1, density = 30, position = { 0.3 * i, 0.3 + 0.05 * r() } }
        world:joint{ (seed + i) % 5 == 0 and "prismatic" or "revolute", before, bodies[i], anchor = { 0.3 * i - 0.15, 0.3 },
          axis = (seed + i) % 5 == 0 and { 1, 0.3 } or nil, stiffness = k, damping = c,
          formulation = FORMULATIONS[1 + (seed * i) % 3], friction = i == 3 and 0.2 or nil,
          limits = i == 2 and { -0.5, 0.5 } or nil,
          motor = i == 4 and (seed + i) % 5 ~= 0 and { speed = 1, max_torque = 0.5 } or nil }
        before = bodies[i]
      end
      world:spring{ world.ground, bodies[5], anchor_a = { 2, 1 }, stiffness = 10 ^ (4 + 6 * r()), damping = 10 ^ (3 + 5 * r()) }
      for _ = 1, 60 do
        world:step()
        assert.equal(0, world.stats.unconverged, "seed " .. seed)
        for _, body in ipairs(bodies) do assert.is_true(body.velocity:norm() < 5, "seed " .. seed) end
      end
      assert.is_true(math.abs(world:ledger().error) <= 1e-12, ("seed %d: %g J"):format(seed, world:ledger().error))
    end
  end)

  it("close a damped chain, whatever the damping", function()
    for _, c in ipairs{ 1e-4, 1e-2, 1, 1e6 } do
      local n = 30
      local l, angle, x, y = 2 / n, math.acos(0.6), 0, 0
      local world <close> = make{ planar = true }
      local before = world.ground
      for i = 1, n do
        local a = i <= n / 2 and -angle or angle
        local body = world:body{ mass = l, inertia = l ^ 3 / 12, rotation = a,
          position = { x + l / 2 * math.cos(a), y + l / 2 * math.sin(a) } }
        world:joint{ "revolute", before, body, anchor = { x, y }, damping = c }
        before, x, y = body, x + l * math.cos(a), y + l * math.sin(a)
      end
      local last = world:joint{ "revolute", world.ground, before, anchor = { x, y }, formulation = "rigid", damping = c }
      local start = total(world)
      world:step(500)
      assert.is_true((last:violation()) < 1e-9, "open")
      assert.is_true(total(world) <= start and world:energy() < 2)
    end
  end)

  it("are implicit beside penalty rows too: a rod on a hinge comes to rest where its spring holds it", function()
    local inertia = 1 / 12
    for _, share in ipairs{ 0.02, 0.2, 2, 2000 } do -- k dt^2/J
      for _, ratio in ipairs{ 0.1, 0.7, 5 } do
        local world <close> = make{ planar = true }
        local k = share * inertia / 1e-6
        local rod = world:body{ mass = 1, inertia = inertia, position = { 0.5, 0 } }
        local hinge = world:joint{ "revolute", world.ground, rod, anchor = { 0, 0 }, stiffness = k,
          damping = 2 * ratio * math.sqrt(k * inertia), formulation = "penalty" }
        world:step(2000)
        assert.is_true((hinge:violation()) < 1e-4)
        near(-0.5 * 9.81 / k, hinge.q, 0.01 * 0.5 * 9.81 / k)
        assert.is_true(world.stats.stability < 4)
      end
    end
  end)

  it("take no part in an impact, by Poisson's law and in turn", function()
    for _, impact in ipairs{ "poisson", "sequential" } do
      for _, formulation in ipairs{ "reduced", "rigid" } do
        local world <close> = make{ planar = true, gravity = { 0, 0 }, impact = impact, dt = 1e-5 }
        local ball = world:disk{ radius = 0.1, mass = 1, position = { 0, 0 }, restitution = 1, friction = 0 }
        local target = world:disk{ radius = 0.1, mass = 1, position = { 0.21, 0 }, restitution = 1, friction = 0 }
        world:joint{ "prismatic", world.ground, target, anchor = { 0.21, 0 }, axis = { 1, 0 }, stiffness = 1e6,
          damping = 10, formulation = formulation }
        ball.velocity = { 1, 0 }
        world:step(1001)
        near(0, ball.velocity[1], 2e-4, impact .. formulation) -- all of it went over, but for h (c + h k)
      end
    end
  end)
end)

describe("a stiff spring between two points", function()
  it("comes to rest without an alarm of energy, also where squares of speeds underflow", function()
    local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, record = false }
    local body = world:body{ mass = 1, inertia = 1e-3, velocity = { 1, 0 } }
    world:spring{ world.ground, body, stiffness = 1e8 }
    for _ = 1, 300 do
      world:step()
      assert.is_true(world.stats.energy_balance < 1e-12)
    end
  end)

  it("is a rod: a pendulum as with a joint", function()
    local function swing(stiffness)
      local world <close> = make{ dt = 1e-3 }
      local ball = world:sphere{ radius = 0.05, mass = 1, position = { 1, 0, 0 }, velocity = { 0, 1, 0 } }
      if stiffness then
        world:spring{ world.ground, ball, stiffness = stiffness, length = 1 }
      else
        local arm_ball = world:joint{ "spherical", world.ground, ball, anchor = { 0, 0, 0 }, formulation = "rigid" }
        assert.is_truthy(arm_ball)
      end
      local most = 0
      for _ = 1, 1500 do
        world:step()
        most = math.max(most, math.abs(ball.position:norm() - 1))
      end
      return ball.position, most, ball.velocity:norm()
    end
    for _, k in ipairs{ 1e7, 1e9, 1e12 } do
      local at, stretched = swing(k)
      assert.is_true(stretched < 1e-5, ("k = %g: %g m"):format(k, stretched))
      assert.is_true(at:norm() > 0)
    end
  end)
end)

describe("a damper alone", function()
  it("lets a relative velocity decay by exp(-c t/mu), whatever the spring's length", function()
    for _, planar in ipairs{ true, false } do
      local function at(x) return planar and { x, 0 } or { x, 0, 0 } end
      local world <close> = make{ planar = planar, dt = 1e-4, gravity = planar and { 0, 0 } or { 0, 0, 0 } }
      local a = world:body{ mass = 1, inertia = planar and 1 or { 1, 1, 1 } }
      local b = world:body{ mass = 2, inertia = planar and 1 or { 1, 1, 1 }, position = at(1), velocity = at(1) }
      local damper = world:spring{ a, b, damping = 3 }
      assert.equal(0, damper.stiffness)
      world:step(2000)
      assert.near(math.exp(-3 * 1.5 * 0.2), b.velocity.x - a.velocity.x, 1e-6)
      local message = "world:spring: 'stiffness' is required, or 'damping' > 0"
      assert.error_matches(function() world:spring{ a, b } end, message, 1, true)
      assert.error_matches(function() world:spring{ a, b, damping = 0 } end, "'stiffness' is required", 1, true)
    end
  end)
end)
