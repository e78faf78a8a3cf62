-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- What the interface promises of worlds, where the physics is beside the point: readable options, removals,
-- pairs, and things of other worlds.
local delassus = require "delassus"
local near = require "support.near"

local function count(iterator)
  local n = 0
  for _ in iterator do n = n + 1 end
  return n
end

describe("a body", function()
  it("shows the material and the density it was made with, given or not", function()
    for _, planar in ipairs { true, false } do
      local world <close> = delassus.world { planar = planar }
      local make = planar and world.disk or world.sphere
      local plain = make(world, { radius = 1 })
      assert.equal(0.5, plain.material.friction)
      assert.near(1000, plain.density, 1e-12 * 1000) -- a quotient of two products
      local rough = make(world, { radius = 1, friction = 0.9, restitution = 0.25, density = 850 })
      assert.equal(0.9, rough.material.friction)
      assert.equal(0.25, rough.material.restitution)
      assert.near(850, rough.density, 1e-12 * 850)
      assert.equal(rough.material, rough.material)
      local wood = delassus.material { friction = 0.4 }
      assert.equal(wood, make(world, { radius = 1, material = wood, mass = 2 }).material)
      local law = function(speed) return 0.3 + 0 * speed end
      assert.equal(law, make(world, { radius = 1, friction = law }).material.friction)
      assert.is_nil(world:body { mass = 1, inertia = planar and 1 or { 1, 1, 1 } }.density)
    end
  end)

  it("takes 0 for the inertia of a point, also where it is changed", function()
    for _, planar in ipairs { true, false } do
      local world <close> = delassus.world { planar = planar }
      local first = world:body { mass = 1, inertia = 0 }
      local second = world:body { mass = 1, inertia = planar and 2 or { 1, 2, 2 } }
      second.inertia = 0
      for _, body in ipairs { first, second } do
        assert.equal(planar and 0 or delassus.vec { 0, 0, 0 }, body.inertia)
      end
      world:step(10)
      near(-0.0981, first.velocity[planar and 2 or 3], 1e-15)
    end
    local world <close> = delassus.world {}
    local ok, message = pcall(world.body, world, { mass = 1, inertia = 2 })
    assert.is_false(ok)
    assert.truthy(message:find("'inertia' must be {Ixx, Iyy, Izz}", 1, true), message)
  end)

  it("keeps its hash when its material is read", function()
    local world <close> = delassus.world { planar = true }
    local body = world:disk { radius = 1, friction = 0.9 }
    local before = world:hash()
    assert.equal(0.9, body.material.friction)
    assert.equal(before, world:hash())
  end)
end)

describe("world:pair", function()
  local function friction_of(body)
    local contact = body:contacts()()
    return contact.friction
  end

  -- A floor and a sliding box of two materials that are paired; `n` materials were made before.
  local function pile(n)
    for _ = 1, n do delassus.material {} end
    local ice, wood = delassus.material { friction = 0.1 }, delassus.material { friction = 0.4 }
    local world = delassus.world { planar = true }
    world:pair { ice, wood, friction = 0.77 }
    world:floor { material = ice }
    world:box { size = { 1, 1 }, position = { 0, 0.5 }, velocity = { 1, 0 }, material = wood }
    return world
  end

  it("holds for materials that the world meets later, and for those of bodies", function()
    local world <close> = pile(0)
    world:step()
    assert.equal(0.77, friction_of(world.bodies[2]))
    local other = world:box { size = { 1, 1 }, position = { 5, 0.5 }, velocity = { 1, 0 }, friction = 0.6 }
    world:pair { world.bodies[1].material, other.material, friction = 0.05 }
    world:step()
    assert.equal(0.05, friction_of(other))
  end)

  it("is the same structure however many materials were made before", function()
    local one <close> = pile(0)
    local two <close> = pile(3)
    one:step(3)
    two:restore(one:snapshot())
    assert.equal(one:hash(), two:hash())
  end)

  it("of two bodies goes before that of their materials, whichever came first", function()
    for _, late in ipairs { false, true } do
      local world <close> = pile(0)
      local floor, box = world.bodies[1], world.bodies[2]
      if not late then world:pair { box, floor, friction = 0.6 } end
      world:pair { floor.material, box.material, friction = 0.7 }
      if late then world:pair { box, floor, friction = 0.6 } end
      world:step()
      assert.equal(0.6, friction_of(box))
    end
  end)

  it("goes with a removed body, whose place another takes", function()
    local world <close> = pile(0)
    local options = { size = { 1, 1 }, position = { 5, 0.5 }, velocity = { 1, 0 }, friction = 0.1 }
    local old = world:box(options)
    world:pair { world.bodies[1], old, friction = 0.9 }
    world:remove(old)
    local new = world:box(options)
    world:step()
    assert.equal(0.1, friction_of(new))
  end)
end)

describe("two materials' friction", function()
  -- What a box sliding at 1 m/s loses in a step, and its friction; the oracle is the geometric mean at that speed.
  local function check(planar, one, two, expected, swap)
    local world <close> = delassus.world { planar = planar }
    local size = planar and { 1, 1 } or { 1, 1, 1 }
    local function floor() world:floor { friction = one } end
    if not swap then floor() end
    local box = world:box { size = size, mass = 2, position = planar and { 0, 0.5 } or { 0, 0, 0.5 },
      velocity = planar and { 1, 0 } or { 1, 0, 0 }, friction = two }
    if swap then floor() end
    world:step()
    near(expected, (1 - box.velocity.x) / (9.81e-3), 1e-9)
    near(expected, box:contacts()().friction, 1e-15)
  end

  it("is the geometric mean at each speed, whatever they are made of", function()
    local function rising(v) return 0.1 + 0.3 * v end
    local falling, other = { static = 0.5, kinetic = 0.3, decay = 2 }, { static = 0.8, kinetic = 0.2, decay = 1 }
    local at = { rising = 0.4, falling = 0.3 + 0.2 * math.exp(-2), other = 0.2 + 0.6 * math.exp(-1) }
    for _, planar in ipairs { true, false } do
      for _, swap in ipairs { false, true } do
        check(planar, 0.1, rising, math.sqrt(0.1 * at.rising), swap)
        check(planar, rising, 0, 0, swap)
        check(planar, falling, 0.3, math.sqrt(0.3 * at.falling), swap)
        check(planar, falling, other, math.sqrt(at.other * at.falling), swap)
        check(planar, other, rising, math.sqrt(at.other * at.rising), swap)
        check(planar, rising, function(v) return 0.6 * v end, math.sqrt(0.6 * at.rising), swap)
        check(planar, rising, rising, at.rising, swap)
        check(planar, falling, falling, at.falling, swap)
        check(planar, { static = 0.5, kinetic = 0.3 }, 0.2, math.sqrt(0.3 * 0.2), swap)
      end
    end
  end)

  it("is part of the structure where it is paired", function()
    local function make(decay)
      local world = delassus.world { planar = true }
      local a = world:box { size = { 1, 1 }, friction = { static = 0.5, kinetic = 0.3, decay = 2 } }
      local b = world:box { size = { 1, 1 }, friction = { static = 0.4, kinetic = 0.3, decay = 2 } }
      local c = world:box { size = { 1, 1 }, friction = { static = 0.4, kinetic = 0.3, decay = 3 } }
      world:pair { a, decay == 2 and b or c, restitution = 0.5 }
      return world
    end
    local one <close> = make(2)
    local two <close> = make(3)
    assert.not_equal(one:hash(), two:hash())
  end)
end)

describe("world:remove", function()
  it("refuses what is of another world", function()
    local here <close> = delassus.world {}
    local there <close> = delassus.world {}
    local body = there:sphere { radius = 1 }
    local spring = there:spring { there.ground, body, stiffness = 1 }
    local rope = there:contact { there.ground, body, rope = 3 }
    for _, thing in ipairs { body, spring, rope } do
      local ok, message = pcall(here.remove, here, thing)
      assert.is_false(ok)
      assert.matches("world:remove: .*world", message)
    end
    assert.equal(1, #there)
  end)

  it("waits for the end of the step in callbacks: bodies, springs and contacts", function()
    local world <close> = delassus.world { planar = true }
    local body = world:disk { radius = 1, name = "disk" }
    local spring = world:spring { world.ground, body, stiffness = 1 }
    local rope = world:contact { world.ground, body, rope = 3 }
    local other = world:disk { radius = 1, position = { 9, 0 } }
    local hinge = world:joint { "revolute", body, other }
    local handle = world:on("step", function()
      for _ = 1, 2 do
        world:remove(rope)
        world:remove(spring)
        world:remove(hinge)
        world:remove(other)
        world:remove(body)
      end
      assert.equal(2, body.mass > 0 and #world)
    end)
    world:step()
    handle:off()
    assert.equal(0, #world)
    assert.is_nil(world:find "disk")
    assert.has_error(function() return body.mass end)
    assert.has_error(function() return rope.gap end)
    world:step()
  end)

  it("is forgotten with a step that fails", function()
    local world <close> = delassus.world { planar = true }
    local one, two = world:disk { radius = 1 }, world:disk { radius = 1, position = { 5, 0 } }
    local failing = world:on("step", function()
      world:remove(one)
      error("no")
    end)
    assert.is_false((pcall(world.step, world)))
    failing:off()
    world:on("step", function() if #world == 2 then world:remove(two) end end)
    world:step()
    assert.equal(1, #world)
    assert.is_true(one.mass > 0)
  end)
end)

describe("a world's options", function()
  it("take a solver made beforehand: its method, tolerance and limit", function()
    local lcp = require "delassus.lcp"
    local cones <close> = lcp.cone_solver { method = "newton", tolerance = 1e-11, max_iterations = 77 }
    local one <close> = delassus.world { solver = cones }
    assert.equal("newton", one.solver)
    assert.equal(1e-11, one.tolerance)
    assert.equal(77, one.max_iterations)
    local blocks <close> = lcp.solver { method = "block", tolerance = 1e-9 }
    local two <close> = delassus.world { planar = true, solver = blocks }
    assert.equal("block", two.solver)
    assert.equal(1e-9, two.tolerance)
    local ok, message = pcall(delassus.world, { solver = lcp.solver { method = "enumerate" } })
    assert.is_false(ok)
    assert.matches("'solver' must have a method that worlds know", message)
    two.solver = cones
    assert.equal("newton", two.solver)
    assert.is_false((pcall(function() one.solver = "lemke" end))) -- not in space
  end)

  it("tell times by phase with profile = true, and the same bits", function()
    local function fall(profile)
      local world = delassus.world { planar = true, profile = profile }
      world:floor()
      world:disk { radius = 1, position = { 0, 1.001 } }
      world:step(20)
      return world
    end
    local watched <close> = fall(true)
    local plain <close> = fall(false)
    for _, phase in ipairs { "forces", "detect", "solve", "project", "report" } do
      assert.is_true(watched.stats.time[phase] >= 0, phase)
    end
    assert.is_nil(plain.stats.time)
    assert.equal(plain:hash(), watched:hash())
  end)

  -- A link that whirls by a radian a step is stepped in parts; the clock is the same on both sides. Of 40 steps the median.
  it("count the time of all parts of a step", function()
    local now = require "delassus.core".now
    local world <close> = delassus.world { dt = 1 / 60, profile = true, record = false }
    local before = world.ground
    for k = 1, 12 do
      local link = world:capsule { radius = 0.05, length = 0.3, density = 1000, position = { 0.5 * k - 0.25, 0, 0 } }
      world:joint { "spherical", before, link, anchor = { 0.5 * (k - 1), 0, 0 }, formulation = "rigid" }
      link.velocity, link.angular_velocity = { 0, 0, 30 * (k - 0.5) }, { 0, -60, 0 }
      before = link
    end
    local shares = {}
    for k = 1, 40 do
      local began = now()
      world:step()
      local took, told = now() - began, 0
      for _, phase in ipairs { "forces", "detect", "solve", "project", "report" } do told = told + world.stats.time[phase] end
      assert.is_true(told <= took)
      shares[k] = told / took
    end
    table.sort(shares)
    assert.is_true(shares[20] > 0.7, shares[20])
  end)
end)

describe("a kinematic body's motion", function()
  it("is near the derivative where it tells no velocities", function()
    for _, planar in ipairs { true, false } do
      local world <close> = delassus.world { planar = planar }
      local shape = planar and delassus.disk { radius = 1 } or delassus.sphere { radius = 1 }
      local body = world:body { type = "kinematic", shape = shape, motion = function(t)
        local s = delassus.math.sin(2 * t)
        if planar then return { s, 0 }, s end
        return { s, 0, 0 }, { axis = { 0, 0, 1 }, angle = s }
      end }
      world:step(700)
      local rate = 2 * delassus.math.cos(2 * world.time)
      -- central differences over 2e-5 s: x'''/6 (1e-5 s)^2, and round-off / 1e-5 s
      assert.near(rate, body.velocity.x, 1e-9)
      assert.near(rate, planar and body.angular_velocity or body.angular_velocity.z, 1e-9)
    end
  end)
end)

describe("a log of events", function()
  it("is as it was after a step that fails, and goes on", function()
    local world <close> = delassus.world { planar = true, log = true }
    world:floor { restitution = 0.9 }
    world:disk { radius = 0.1, position = { 0, 0.2 }, restitution = 0.9 }
    local fail, seen = false, 0
    world:on("impact", function()
      seen = seen + 1
      if fail then error "no" end
    end)
    world:run(0.5)
    assert.is_true(#world.events > 0)
    fail = true
    local before, kept
    repeat
      before, kept = world:hash(), #world.events
    until not pcall(world.step, world)
    assert.equal(before, world:hash())
    assert.equal(kept, #world.events)
    fail, seen = false, 0
    world:step()
    assert.equal(1, seen)
    assert.is_true(#world.events > kept)
  end)
end)

describe("a compound", function()
  it("takes its children by name and by place", function()
    local ball, box = delassus.sphere { radius = 1 }, delassus.box { size = { 1, 2, 3 } }
    local turn = { axis = { 0, 0, 1 }, angle = 0.3 }
    local world <close> = delassus.world {}
    local one = world:body { shape = delassus.compound { { ball }, { box, { 2, 0, 0 }, turn } } }
    local two = world:body { shape = delassus.compound { { shape = ball },
      { shape = box, position = { 2, 0, 0 }, rotation = turn } } }
    assert.equal(one.mass, two.mass)
    assert.equal(tostring(one.inertia), tostring(two.inertia))
    assert.equal(one.com, two.com)
  end)
end)

describe("boxes set off sideways, one on the other", function()
  it("are exact: at rest they stay, with both ends of every contact", function()
    for _, solver in ipairs { "auto", "lemke", "newton" } do
      local world <close> = delassus.world { planar = true, solver = solver, tolerance = 1e-12 }
      world:floor()
      for i = 1, 4 do world:box { size = { 1, 1 }, position = { 0.1 * i, i - 0.5 } } end
      for _ = 1, 200 do
        world:step()
        assert.equal(8, count(world:contacts()))
      end
      for i = 1, 4 do -- 1e-12: the solver's tolerance on velocities of 0.01 m/s, through 200 steps
        local body = world.bodies[i + 1]
        assert.near(0, (body.position - delassus.vec { 0.1 * i, i - 0.5 }):norm(), 1e-12)
        assert.near(0, body.velocity:norm(), 1e-12)
      end
    end
  end)
end)

describe("a world that is strict", function()
  it("raises where a step misses the tolerance, with the residual it reached, and is as it was", function()
    local world <close> = delassus.world { planar = true, record = false, solver = "nsgs", max_iterations = 1, tolerance = 1e-12,
      strict = true }
    world:floor {}
    for i = 1, 4 do world:box { size = { 1, 1 }, mass = i, position = { 0.1 * (i % 2), i - 0.5 }, velocity = { i, 0 } } end
    local before = world:hash()
    local told = select(2, pcall(world.step, world))
    local reached = tonumber(told:match("the solver missed the tolerance and 'strict' is set %(residual ([^,]*), limit 1e%-12%)"))
    assert.is_true(reached > 1e-9, told)
    assert.equal(before, world:hash())
    world.strict = false
    world:step()
    assert.near(reached, world.stats.residual, 1e-9 * reached)
    assert.equal(1, world.stats.unconverged)
    world.strict, world.max_iterations, world.solver = true, 1000, "auto"
    world:step(20)
    assert.is_true(world.stats.residual <= 1e-12)
  end)
end)

describe("two materials that differ", function()
  -- What a ball does on a floor, in either order of the two, in the plane and in space.
  local function on_floor(planar, floor, ball, options)
    local world = delassus.world { planar = planar, record = false, tolerance = 1e-12,
      gravity = planar and { 0, 0 } or { 0, 0, 0 } }
    if options.gravity then world.gravity = planar and { 0, -options.gravity } or { 0, 0, -options.gravity } end
    world:floor(floor)
    local o = { radius = 0.5, mass = 1, position = planar and { 0, 0.5 } or { 0, 0, 0.5 },
      velocity = planar and options.velocity or { options.velocity[1], 0, options.velocity[2] },
      angular_velocity = options.spin and (planar and -options.spin or { 0, options.spin, 0 }) or nil }
    for name, value in pairs(ball) do o[name] = value end
    local body = planar and world:disk(o) or world:sphere(o)
    world:step(options.steps or 1)
    return planar and body.velocity.y or body.velocity.z, body.velocity.x, body, world
  end
  local both = { { 1, 2 }, { 2, 1 } }

  it("rebound with the smaller restitution", function()
    for _, planar in ipairs { true, false } do
      for _, order in ipairs(both) do
        local e = { 0.2, 0.8 }
        local v = on_floor(planar, { restitution = e[order[1]], friction = 0 }, { restitution = e[order[2]], friction = 0 },
          { velocity = { 0, -1 } })
        assert.near(0.2, v, 1e-12)
      end
    end
  end)

  it("turn back along the surface with the smaller tangential restitution", function()
    for _, planar in ipairs { true, false } do
      for _, order in ipairs(both) do
        local e = { 0.8, 0.3 }
        local _, along, body = on_floor(planar, { friction = 1, tangential_restitution = e[order[1]] },
          { friction = 1, tangential_restitution = e[order[2]] }, { velocity = { 0.1, -1 } })
        local turn = planar and body.angular_velocity or -body.angular_velocity.y
        assert.near(-0.3 * 0.1, along + 0.5 * turn, 1e-12)
      end
    end
  end)

  it("roll and spin against the larger arm", function()
    for _, planar in ipairs { true, false } do
      for _, order in ipairs(both) do
        local arm, inertia = { 0.05, 0 }, planar and 1.5 or 1.4 -- (1 + J / m r^2)
        local _, along = on_floor(planar, { friction = 1, rolling_friction = arm[order[1]] },
          { friction = 1, rolling_friction = arm[order[2]] }, { gravity = 9.81, velocity = { 1, 0 }, spin = 2, steps = 100 })
        assert.near(1 - 9.81 * 0.05 / 0.5 / inertia * 0.1, along, 1e-9)
      end
    end
    for _, order in ipairs(both) do
      local world <close> = delassus.world { record = false, tolerance = 1e-12 }
      local arm = { 0.02, 0 }
      world:floor { friction = 0.5, spinning_friction = arm[order[1]] }
      local ball = world:sphere { radius = 0.5, mass = 1, position = { 0, 0, 0.5 }, angular_velocity = { 0, 0, 1 },
        friction = 0.5, spinning_friction = arm[order[2]] }
      world:step(50)
      assert.near(1 - 9.81 * 0.02 / 0.1 * 0.05, ball.angular_velocity.z, 1e-9) -- J = 0.1
    end
  end)
end)
