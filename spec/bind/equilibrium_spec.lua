-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- world:equilibrium() of loops, chains and trees.
local delassus = require "delassus"
local seeds = require "support.seeds"

local G = 9.81
local function between(lo, hi) return lo + (hi - lo) * math.random() end

-- Links of the lengths l, uniform, of 1 kg/m, at the angles given, joint to joint; the last is held where it ends.
local function chain(l, angles, formulation)
  local world = delassus.world{ planar = true, record = false }
  local before, x, y = world.ground, 0, 0
  for i, a in ipairs(angles) do
    local link = world:body{ mass = l[i], inertia = l[i] ^ 3 / 12, rotation = a,
      position = { x + l[i] / 2 * math.cos(a), y + l[i] / 2 * math.sin(a) } }
    world:joint{ "revolute", before, link, anchor = { x, y }, formulation = formulation }
    before, x, y = link, x + l[i] * math.cos(a), y + l[i] * math.sin(a)
  end
  return world, world:joint{ "revolute", world.ground, before, anchor = { x, y }, formulation = "rigid" }, x, y
end

-- Exact, independently: tan(angle i) = (V + weight up to the middle of link i)/H; Newton on H and V so that the chain
-- ends at (x, y).
local function catenary(l, x, y)
  local function ends(H, V, angles)
    local ex, ey, w = -x, -y, V
    for i, one in ipairs(l) do
      local t = w + 0.5 * one * G
      w = w + one * G
      local size = math.sqrt(H * H + t * t)
      ex, ey = ex + one * H / size, ey + one * t / size
      if angles then angles[i] = math.atan(t, H) end
    end
    return ex, ey
  end
  local function rise(H) -- V by bisection
    local lo, hi = -1e6, 1e6
    for _ = 1, 64 do
      local V = (lo + hi) / 2
      local _, ey = ends(H, V)
      if ey < 0 then lo = V else hi = V end
    end
    return (lo + hi) / 2
  end
  local lo, hi = 1e-9, 1e7
  for _ = 1, 64 do
    local H = math.sqrt(lo * hi)
    if ends(H, rise(H)) < 0 then lo = H else hi = H end
  end
  local H, angles = math.sqrt(lo * hi), {}
  ends(H, rise(H), angles)
  return angles
end

local function turned(angle) return angle - 2 * math.pi * math.floor(angle / (2 * math.pi) + 0.5) end

describe("world:equilibrium", function()
  it("is the exact catenary of links, in both formulations", function()
    for _, formulation in ipairs{ "reduced", "rigid" } do
      local l, start, n = {}, {}, formulation == "rigid" and 8 or 20
      for i = 1, n do l[i], start[i] = 0.1, (i <= n / 2 and -1 or 1) * math.acos(0.6) end
      local world <close>, joint, x, y = chain(l, start, formulation)
      local e = world:equilibrium()
      assert.is_true(e.converged and e.stable and e.residual < 1e-10 and e.iterations > 0)
      assert.is_true((joint:violation()) < 1e-12)
      for i, angle in ipairs(catenary(l, x, y)) do
        assert.is_true(math.abs(turned(world.bodies[i].rotation - angle)) < 1e-9, ("link %d, %s"):format(i, formulation))
      end
    end
  end)

  it("is the exact one of random chains held at both ends", function()
    local others = 0
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local l, start, n = {}, {}, math.random(3, 5)
      for i = 1, n do l[i], start[i] = between(0.2, 1), between(-1.2, 1.2) end
      local world <close>, joint, x, y = chain(l, start, seed % 20 == 0 and "rigid" or nil)
      local e = world:equilibrium()
      local what = ("seed %d: residual %g, %d steps, stable %s"):format(seed, e.residual, e.iterations, e.stable)
      assert.is_true(e.converged and e.stable and (joint:violation()) < 1e-11, what)
      -- the exact one is the lowest; other ways to assemble a loop have minima of their own, above it
      local off, here, lowest, ey = 0, 0, 0, 0
      for i, angle in ipairs(catenary(l, x, y)) do
        off = math.max(off, math.abs(turned(world.bodies[i].rotation - angle)))
        here = here + l[i] * world.bodies[i].position.y
        lowest = lowest + l[i] * (ey + l[i] / 2 * math.sin(angle))
        ey = ey + l[i] * math.sin(angle)
      end
      if off > 1e-6 then others = others + 1 end
      assert.is_true(off < 1e-6 or here > lowest + 1e-6, what .. (": off by %g, height %g"):format(off, here - lowest))
      local udot = world:accelerations()
      assert.is_true(udot:norm() < 1e-7 * G, what)
    end
    assert.is_true(others <= 20, others)
  end)

  it("of random four-bar loops is a minimum of the energy that their geometry has", function()
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local l, a = { between(0.3, 0.6), between(0.8, 1.2), between(0.5, 0.9) }, between(-3, 3)
      local start = { a, a + between(-1, 1), a - between(0.5, 2) }
      local world <close>, joint, x, y = chain(l, start)
      local e = world:equilibrium()
      local what = ("seed %d: residual %g, %d steps"):format(seed, e.residual, e.iterations)
      assert.is_true(e.converged and e.stable and (joint:violation()) < 1e-11, what)
      -- height of the mass centre with the first link at `angle`: the two others by circles, on the side where they are
      local b, c = world.bodies[2].rotation, world.bodies[3].rotation
      local side = math.sin(c - b) < 0 and -1 or 1
      local function height(angle)
        local px, py = l[1] * math.cos(angle), l[1] * math.sin(angle)
        local dx, dy = x - px, y - py
        local d2 = dx * dx + dy * dy
        local along = (d2 + l[2] ^ 2 - l[3] ^ 2) / (2 * math.sqrt(d2))
        local off = math.sqrt(math.max(0, l[2] ^ 2 - along ^ 2))
        local ux, uy = dx / math.sqrt(d2), dy / math.sqrt(d2)
        local ky = py + along * uy - side * off * ux
        return l[1] * py / 2 + l[2] * (py + ky) / 2 + l[3] * (ky + y) / 2, ux
      end
      local at = world.bodies[1].rotation
      local here = height(at)
      assert.near(l[1] * world.bodies[1].position.y + l[2] * world.bodies[2].position.y + l[3] * world.bodies[3].position.y,
        here, 1e-9)
      local plus, minus = height(at + 1e-3), height(at - 1e-3)
      if math.abs(math.sin(c - b)) > 0.3 then -- beside dead centres, where the first link is near its end
        assert.is_true(plus > here and minus > here, what .. (": %g, %g"):format(plus - here, minus - here))
        local slope = 8 * (plus - minus) - (height(at + 2e-3) - height(at - 2e-3)) -- to fifth order
        assert.is_true(math.abs(slope) < 1e-3 * (plus + minus - 2 * here), what .. ", slope " .. slope)
      end
    end
  end)

  it("is the same of a loop a thousand times as small and as large, in both formulations (200 seeds)", function()
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local rigid = seed % 4 == 0
      local links, start, at = rigid and 3 or seed % 4 + 2, {}, {}
      for i = 1, links do start[i] = between(-1.2, 1.2) end
      for _, size in ipairs{ 1, 1e-3, 1e3 } do
        math.randomseed(seed)
        local l = {}
        for i = 1, links do l[i] = size * between(0.3, 1.2) end
        local world <close>, joint = chain(l, start, rigid and "rigid" or nil)
        local e = world:equilibrium()
        local what = ("seed %d, size %g: residual %g, %d steps"):format(seed, size, e.residual, e.iterations)
        assert.is_true(e.converged and (joint:violation()) < 1e-11 * math.max(size, 1e-3), what)
        for i = 1, links do
          at[i] = size == 1 and world.bodies[i].rotation or at[i]
          assert.is_true(math.abs(turned(world.bodies[i].rotation - at[i])) < 1e-7, what)
        end
      end
    end
  end)

  it("says where it is none that stays: pendulums upside down, four bars above their pins", function()
    for seed = 0, 7 do
      local world <close> = delassus.world{ planar = true, record = false }
      local before, y, ups = world.ground, 0, 0
      for i = 0, 2 do
        local up = seed // 2 ^ i % 2 == 1
        ups = ups + (up and 1 or 0)
        local s = up and 1 or -1
        local body = world:body{ mass = 1, inertia = 0.1, position = { 0, y + 0.5 * s } }
        world:joint{ "revolute", before, body, anchor = { 0, y } }
        before, y = body, y + s
      end
      local e = world:equilibrium()
      assert.is_true(e.converged)
      assert.equal(0, e.iterations)
      assert.equal(ups == 0, e.stable)
    end
    for _, way in ipairs{ -1, 1 } do -- gravity is along the rows: what bends is the constraint
      local world <close> = chain({ 0.5, 1, 0.5 }, { way * math.pi / 2, 0, -way * math.pi / 2 })
      local e = world:equilibrium()
      assert.is_true(e.converged)
      assert.equal(way < 0, e.stable)
    end
  end)

  it("counts springs: a loop on springs is at rest where forces balance", function()
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local world <close>, joint = chain({ 0.5, 1, 0.7 }, { between(-2.5, -0.5), between(-0.5, 0.5), between(0.5, 2.5) })
      world:spring{ world.ground, world.bodies[2], anchor_a = { between(-1, 1), between(-2, 2) }, stiffness = between(1, 100),
        length = between(0, 1) }
      local kinetic, potential, stored = world:energy()
      local before = kinetic + potential + stored
      local e = world:equilibrium()
      local what = ("seed %d: residual %g, %d steps"):format(seed, e.residual, e.iterations)
      assert.is_true(e.converged and e.stable and (joint:violation()) < 1e-11, what)
      assert.is_true(world:accelerations():norm() < 1e-7 * G, what)
      kinetic, potential, stored = world:energy()
      assert.is_true(kinetic + potential + stored <= before + 1e-12, what)
    end
  end)

  it("hangs loops in space straight down from six poses, whatever is free about it", function()
    for seed = 1, 6 do
      math.randomseed(seed)
      local world <close> = delassus.world{ record = false }
      local function body(x, y, z) return world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { x, y, z } } end
      local a, b, c = body(0, 0, -1), body(0.5, 0, -1), body(1, 0, -1)
      world:joint{ "spherical", world.ground, a, anchor = { 0, 0, 0 } }
      world:joint{ "spherical", a, b, anchor = { 0, 0, -1 } }
      world:joint{ "spherical", world.ground, c, anchor = { 1, 0, 0 } }
      local joint = world:joint{ "spherical", b, c, anchor = { 1, 0, -1 }, formulation = "rigid" }
      local u = world:velocities():totable()
      for i = 1, #u do u[i] = between(-1, 1) end
      world:set_velocities(u)
      world:step(100)
      local e = world:equilibrium()
      local what = ("seed %d: residual %g, %d steps"):format(seed, e.residual, e.iterations)
      assert.is_true(e.converged and e.stable and (joint:violation()) < 1e-11, what)
      assert.is_true(math.abs(b.position.z + 1) < 1e-8, what .. ", height " .. b.position.z)
    end
  end)

  it("leaves the world as it was where there is none", function()
    local world <close> = delassus.world{ planar = true, record = false }
    world:body{ mass = 1, inertia = 1 }
    local before = world:hash()
    local e = world:equilibrium()
    assert.is_false(e.converged)
    assert.is_false(e.stable)
    assert.equal(before, world:hash())
  end)
end)

-- Oracles: the sum of the coordinates, whole turns included; three formulations of the same chain.
describe("turns", function()
  it("of bodies are those of their coordinates, however far these go at once (200 chains)", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local world <close> = delassus.world{ planar = true, record = false }
      local before, start, x, n = world.ground, { [0] = 0 }, 0, random:integer(2, 8)
      for i = 1, n do
        local rod = world:body{ mass = 1, inertia = 0.01, position = { x + 0.1, 0 }, rotation = random:uniform(-9, 9) }
        world:joint{ "revolute", before, rod, anchor = { x, 0 }, stiffness = random:uniform(0, 5) }
        before, x, start[i] = rod, x + 0.2, rod.rotation
      end
      local function check(what)
        local sum = 0
        for i, joint in ipairs(world.joints) do
          sum = sum + joint.q
          assert.is_true(math.abs(world.bodies[i].rotation - start[i] - sum) < 1e-9, ("seed %d, %s"):format(seed, what))
        end
      end
      local u = {}
      for i = 1, n do u[i] = random:uniform(-30, 30) end
      world:set_velocities(u)
      world:step(random:integer(1, 600))
      check("steps")
      world:equilibrium()
      check("equilibrium")
      for i = 1, n do u[i] = random:uniform(-20, 20) end
      world:set_coordinates(u)
      check("set_coordinates")
    end
  end)

  it("of torsion springs wound up to 3 rad a joint unwind, reduced, rigid and mixed (200 chains)", function()
    for seed = 1, seeds(200) do
      local start
      for _, formulation in ipairs{ "reduced", "rigid", "mixed" } do
        local random = delassus.random(seed)
        local world <close> = delassus.world{ planar = true, record = false }
        local before, wound, long, k, x, n = world.ground, {}, {}, {}, 0, random:integer(1, 4)
        for i = 1, n do
          long[i] = random:uniform(0.2, 0.6)
          local rod = world:body{ mass = long[i], inertia = long[i] ^ 3 / 12, position = { x + long[i] / 2, 0 } }
          local rigid = random:integer(1, 2) == 1
          k[i] = 10 ^ random:uniform(-1, 1)
          world:joint{ "revolute", before, rod, anchor = { x, 0 }, stiffness = k[i],
            formulation = (formulation == "rigid" or (formulation == "mixed" and rigid)) and "rigid" or "reduced" }
          before, x, wound[i] = rod, x + long[i], random:uniform(-3, 3)
        end
        for part = 1, 20 do
          local q, angle, px, py = world:coordinates():totable(), 0, 0, 0
          for i, rod in ipairs(world.bodies) do
            angle = angle + wound[i] * part / 20
            local at, c, s = world:index(rod), math.cos(angle), math.sin(angle)
            if world.joints[i].formulation == "reduced" then
              q[at] = wound[i] * part / 20
            else
              q[at], q[at + 1], q[at + 2] = px + long[i] / 2 * c, py + long[i] / 2 * s, angle
            end
            px, py = px + long[i] * c, py + long[i] * s
          end
          world:set_coordinates(q)
        end
        local what = ("seed %d, %s"):format(seed, formulation)
        local _, potential, stored = world:energy()
        start = start or potential + stored
        assert.near(start, potential + stored, 1e-9)
        local e = world:equilibrium()
        assert.is_true(e.converged and e.stable, what)
        _, potential, stored = world:energy()
        assert.is_true(potential + stored <= start + 1e-9, what)
        -- exact: a spring bears the moment of the weights beyond it, by angles that count turns
        local last = 0
        for i, rod in ipairs(world.bodies) do
          local turn, hinge = rod.rotation - last, rod.position.x - long[i] / 2 * math.cos(rod.rotation)
          assert.is_true(math.abs(turn - world.joints[i].q) < 1e-8, what)
          local moment = k[i] * turn
          for j = i, n do moment = moment + long[j] * G * (world.bodies[j].position.x - hinge) end
          assert.is_true(math.abs(moment) < 1e-7, what .. ", moment " .. moment)
          last = rod.rotation
        end
      end
    end
  end)
end)

describe("equilibrium with motors and limits", function()
  it("weighs torques of joints: m g l sin(q) is the torque, above its rest too (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local world <close> = delassus.world{ planar = true, record = false }
      local l, m, share = r:uniform(0.2, 2), r:uniform(0.1, 5), r:uniform(-0.9, 0.9)
      local rod = world:body{ mass = m, inertia = m * l * l / 3, position = { 0, -l } }
      local joint = world:joint{ "revolute", world.ground, rod, anchor = { 0, 0 } }
      joint.torque = share * m * G * l
      assert.is_true(world:equilibrium().converged, "seed " .. seed)
      assert.near(math.asin(share), joint.q, 1e-9, "seed " .. seed)
    end
  end)

  local function arm(formulation, options)
    local world = delassus.world{ planar = true, record = false }
    local rod = world:body{ mass = 1, inertia = 0.1, position = { 1, 0 } }
    options[1], options[2], options[3] = "revolute", world.ground, rod
    options.anchor, options.formulation = { 0, 0 }, formulation
    return world, world:joint(options)
  end

  for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
    it("balances what a motor gives, rests on a limit, and is none where a motor pushes: " .. formulation, function()
      local world <close>, joint = arm(formulation, { motor = { position = 0.3, stiffness = 50, damping = 1, max_torque = 99 } })
      local e = world:equilibrium()
      assert.is_true(e.converged and e.stable)
      assert.near(50 * (0.3 - joint.q), G * math.cos(joint.q), 1e-8)
      local weak <close>, tired = arm(formulation, { motor = { position = 3, stiffness = 50, damping = 1, max_torque = 4 } })
      assert.is_true(weak:equilibrium().converged)
      assert.near(4, G * math.cos(tired.q), 1e-7) -- all it has
      local held <close>, stop = arm(formulation, { limits = { -0.5, 0.5 } })
      assert.is_true(held:equilibrium().converged)
      assert.near(-0.5, stop.q, formulation == "penalty" and 1e-3 or 2e-9)
      local driven <close> = arm(formulation, { motor = { speed = 1, max_torque = 100 } })
      local before = driven:hash()
      assert.is_false(driven:equilibrium().converged)
      assert.equal(before, driven:hash())
    end)
  end

  it("is the same in both formulations of 200 random chains", function()
    for seed = 1, seeds(200) do
      local energy = {}
      for _, formulation in ipairs{ "reduced", "rigid" } do
        local random = delassus.random(seed)
        local planar, x = seed % 2 == 0, 0
        local world <close> = delassus.world{ planar = planar, record = false }
        local before = world.ground
        for _ = 1, random:integer(1, 3) do
          local l, side = random:uniform(0.2, 0.6), random:uniform(-0.3, 0.3)
          local rod = world:body{ mass = l, inertia = planar and l ^ 3 / 12 or { l ^ 3 / 12, l ^ 3 / 12, l ^ 3 / 12 },
            position = planar and { x + l / 2, 0 } or { x + l / 2, 0, 0 } }
          local motor = { position = random:uniform(-1, 1), stiffness = random:uniform(1, 20), damping = 1,
            max_torque = random:uniform(0.5, 5) }
          world:joint{ "revolute", before, rod, anchor = planar and { x, 0 } or { x, 0, 0 }, formulation = formulation,
            axis = not planar and { side, 1, side } or nil, limits = { -random:uniform(1.8, 3), random:uniform(1.8, 3) },
            stiffness = random:uniform(0, 5), motor = random:integer(1, 2) == 1 and motor or nil }
          before, x = rod, x + l
        end
        local e = world:equilibrium()
        assert.is_true(e.converged and e.stable, ("seed %d, %s"):format(seed, formulation))
        assert.is_true(world:accelerations():norm() < 1e-6, "seed " .. seed)
        for _, joint in ipairs(world.joints) do
          local lo, hi = table.unpack(joint.limits)
          assert.is_true(joint.q > lo - 1e-8 and joint.q < hi + 1e-8, "seed " .. seed)
        end
        local _, potential, stored = world:energy()
        energy[#energy + 1] = potential + stored
      end
      assert.near(energy[1], energy[2], 1e-7)
    end
  end)
end)

describe("equilibrium of thin rods on ball joints", function()
  --- A zigzag of n thin rods from the origin; `closed`: its end is pinned where it is.
  local function zigzag(n, formulation, closed)
    local world = delassus.world{ record = false }
    local l, x, z, before = 2 / n, 0, 0, world.ground
    for i = 1, n do
      local angle = i <= n / 2 and -math.acos(0.6) or math.acos(0.6)
      local dx, dz = l * math.cos(angle), l * math.sin(angle)
      local rod = world:body{ mass = l, inertia = { 1e-4 * l, l ^ 3 / 12, l ^ 3 / 12 },
        position = { x + dx / 2, 0, z + dz / 2 }, rotation = { axis = { 0, 1, 0 }, angle = -angle } }
      world:joint{ "spherical", before, rod, anchor = { x, 0, z }, formulation = formulation }
      before, x, z = rod, x + dx, z + dz
    end
    if closed then
      world:joint{ "spherical", world.ground, before, anchor = { x, 0, z }, formulation = "rigid" }
    end
    return world
  end

  it("is found whatever turns about their axes weigh, and is the same in both formulations", function()
    for _, n in ipairs{ 4, 5, 6, 8 } do
      local potential = {}
      for i, formulation in ipairs{ "reduced", "rigid" } do
        local world <close> = zigzag(n, formulation, true)
        local e = world:equilibrium()
        assert.is_true(e.converged and e.stable, n .. " rods, " .. formulation)
        potential[i] = select(2, world:energy())
      end
      assert.near(potential[1], potential[2], 1e-9)
    end
  end)

  it("hangs straight down where the end is free", function()
    local world <close> = zigzag(4, "reduced", false)
    local e = world:equilibrium()
    assert.is_true(e.converged and e.stable)
    assert.near(-2 * 9.81, (select(2, world:energy())), 1e-9)
  end)
end)

describe("an equilibrium", function()
  it("of what dry friction holds is where it stands; else it is found wherever that without friction is (200 chains)", function()
    local stood, moved = 0, 0
    for seed = 1, 200 do
      local function rubbing(rubs)
        local random = delassus.random(seed)
        local world = delassus.world{ planar = true, record = false }
        local before, x, y, most = world.ground, 0, 0, 10 ^ random:uniform(-2, 2.5)
        for _ = 1, random:integer(1, 4) do
          local turn = random:uniform(-3, 3)
          local to_x, to_y = x + 0.5 * math.cos(turn), y + 0.5 * math.sin(turn)
          local link = world:body{ mass = random:uniform(0.3, 2), inertia = 0.05, position = { (x + to_x) / 2, (y + to_y) / 2 } }
          world:joint{ "revolute", before, link, anchor = { x, y }, friction = rubs and most * random:uniform() or nil }
          if not rubs then random:uniform() end
          before, x, y = link, to_x, to_y
        end
        return world
      end
      local one <close> = rubbing(false)
      local two <close> = rubbing(true)
      local start = two:coordinates()
      local held = true
      for k, a in ipairs(two:accelerations()) do held = held and math.abs(a) < 1e-9 and k > 0 end
      local free, rest = one:equilibrium(), two:equilibrium()
      assert.is_true(rest.converged or not (held or free.converged), "seed " .. seed)
      for k, q in ipairs(held and start or {}) do assert.near(q, two:coordinates()[k], 1e-9, "seed " .. seed) end
      if held then stood = stood + 1 else moved = moved + 1 end
      for _, a in ipairs(rest.converged and two:accelerations() or {}) do assert.near(0, a, 1e-6, "seed " .. seed) end
    end
    assert.is_true(stood > 20 and moved > 100, stood .. " stood")
  end)
end)
