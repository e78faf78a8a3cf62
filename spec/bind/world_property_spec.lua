-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Options of worlds as properties: readable, writable between steps, part of the state.
local delassus = require "delassus"

local function fails(fn, message)
  local ok, said = pcall(fn)
  assert.is_false(ok)
  assert.truthy(said:find(message, 1, true), said)
end

describe("options of a world", function()
  local defaults = { dt = 1e-3, theta = 0.5, impact = "newton", solver = "auto", friction_corners = 2, factor = "auto",
    max_iterations = 1000, seed = 1, log = false, strict = false, scheme = "time-stepping", planar = true, profile = false }
  local others = { dt = 2e-3, theta = 0.75, impact = "poisson", solver = "nsgs", friction_corners = 4, factor = "dense",
    tolerance = 1e-7, max_iterations = 77, seed = -5, log = true, strict = true }
  local bad = { dt = 0, theta = 0.4, impact = "moreau", solver = "simplex", friction_corners = 3, factor = "lu",
    tolerance = -1, max_iterations = 0, seed = 0.5, log = 1, strict = "yes", gravity = { 0, 0, 0 } }

  it("are readable: the defaults, and what was given", function()
    local world <close> = delassus.world{ planar = true, record = false }
    for name, value in pairs(defaults) do assert.equal(value, world[name], name) end
    assert.is_nil(world.tolerance)
    for name, value in pairs(others) do
      local other <close> = delassus.world{ planar = true, record = false, [name] = value }
      assert.equal(value, other[name], name)
    end
  end)

  it("are writable between steps, show in the hash, and come back with a snapshot, in another world too", function()
    for name, value in pairs(others) do
      local world <close> = delassus.world{ planar = true, record = false }
      local same <close> = delassus.world{ planar = true, record = false }
      local hash, kept = world:hash(), world:snapshot()
      local was = world[name]
      world[name] = value
      assert.equal(value, world[name], name)
      assert.not_equal(hash, world:hash(), name)
      same:restore(world:snapshot())
      assert.equal(value, same[name], name)
      world:restore(kept)
      assert.equal(was, world[name], name)
      assert.equal(hash, world:hash(), name)
    end
  end)

  it("refuse what does not make sense, and stay as they were", function()
    local world <close> = delassus.world{ planar = true, record = false }
    local hash = world:hash()
    for name, value in pairs(bad) do
      fails(function() world[name] = value end, "'" .. name .. "'")
      assert.equal(hash, world:hash(), name)
    end
    fails(function() world.theta = 0.4 end, "must be between 0.5 and 1")
    for _, name in ipairs{ "planar", "scheme", "time", "bodies", "ground", "stats" } do
      fails(function() world[name] = 1 end, "'" .. name .. "' is read-only")
    end
  end)

  it("cannot be changed while the world steps", function()
    local world <close> = delassus.world{ planar = true, record = false }
    local said = {}
    world:on("step", function()
      for name, value in pairs(others) do said[name] = select(2, pcall(function() world[name] = value end)) end
    end)
    world:step()
    for name in pairs(others) do assert.truthy(tostring(said[name]):find("not possible while the world steps", 1, true), name) end
  end)

  it("act from the next step on: theta back to nil is chosen, a seed starts the generator anew", function()
    local world <close> = delassus.world{ planar = true, record = false, theta = 0.8 }
    world.theta = nil
    assert.equal(0.5, world.theta)
    local hash = world:hash()
    world.seed = 2
    assert.not_equal(hash, world:hash())
    world.seed = 1
    assert.equal(hash, world:hash())
    world.gravity, world.dt = { 0, -1 }, 0.1
    local ball = world:body{ mass = 1 }
    world:step()
    assert.near(-0.1, ball.velocity.y, 1e-15)
  end)
end)

describe("the model of a body", function()
  local wood = delassus.material{ friction = 0.3, restitution = 0.4 }

  --- A world with one tilted box over a floor, made with `options` over its defaults, and what is set afterwards.
  local function scene(options, after, dim)
    local world = delassus.world{ planar = dim ~= 3, record = false, seed = 4 }
    local up = dim == 3 and { 0, 0, 0.3 } or { 0, 0.3 }
    local o = { shape = delassus.box{ size = dim == 3 and { 0.2, 0.3, 0.1 } or { 0.2, 0.1 } }, position = up,
      rotation = dim == 3 and { axis = { 1, 2, 0 }, angle = 0.4 } or 0.4, velocity = dim == 3 and { 0.5, 0.1, 0 } or { 0.5, 0 },
      angular_velocity = dim == 3 and { 0, 1, 0 } or 1, mass = 2, material = wood }
    for name, value in pairs(options) do o[name] = value end
    world:floor{ material = wood }
    local box = world:body(o)
    for _, pair in ipairs(after) do box[pair[1]] = pair[2] end
    return world, box
  end

  it("is exact: changed before a step it is the model made so at once, hash and all, in the plane and in space", function()
    local stone = delassus.material{ friction = 0.8 }
    local disk, sphere = delassus.disk{ radius = 0.1 }, delassus.sphere{ radius = 0.1 }
    for dim = 2, 3 do
      local cases = { { "mass", 4 }, { "material", stone }, { "group", "logs" }, { "collides", false }, { "sensor", true },
        { "inertia", dim == 2 and 0.02 or { 0.03, 0.02, 0.04, 0.001, 0, 0 } } }
      for _, case in ipairs(cases) do
        local made <close>, a = scene({ [case[1]] = case[2] }, {}, dim)
        local changed <close>, b = scene({}, { case }, dim)
        assert.equal(made:hash(), changed:hash(), case[1])
        made:step(300)
        changed:step(300)
        assert.equal(made:hash(), changed:hash(), case[1])
        assert.equal(tostring(a[case[1]]), tostring(b[case[1]]), case[1])
      end
      -- Another shape leaves the mass: the inertia of the box stays.
      local shape = dim == 2 and disk or sphere
      local _ <close>, box = scene({}, {}, dim)
      local inertia = tostring(box.inertia)
      box.shape = shape
      assert.equal(shape, box.shape)
      assert.equal(inertia, tostring(box.inertia))
      assert.equal(2, box.mass)
      box.density = 1000
      assert.near(dim == 2 and 1000 * math.pi * 0.01 or 4000 / 3 * math.pi * 1e-3, box.mass, 1e-9)
    end
  end)

  it("is conserved: another mass centre leaves what is fixed in the body where it is, with its velocity", function()
    for dim = 2, 3 do
      local com = dim == 2 and { 0.05, -0.02 } or { 0.05, -0.02, 0.03 }
      local made <close>, a = scene({ com = com, inertia = dim == 2 and 0.01 or { 0.01, 0.02, 0.02 } }, {}, dim)
      local world <close>, box = scene({ inertia = dim == 2 and 0.01 or { 0.01, 0.02, 0.02 } }, {}, dim)
      local spring = world:spring{ world.ground, box, anchor_b = com, stiffness = 50, length = 0.1 }
      local other = made:spring{ made.ground, a, anchor_b = com, stiffness = 50, length = 0.1 }
      assert.truthy(spring and other)
      local probe = dim == 2 and { 0.3, 0.7 } or { 0.3, 0.7, 0.2 }
      local position, velocity = box.position, box:velocity_at(probe)
      box.com = com
      assert.is_true((box.position - position):norm() < 1e-15)
      assert.is_true((box:velocity_at(probe) - velocity):norm() < 1e-14)
      -- velocity refers to the mass centre: with the same motion of the body the two worlds go on alike.
      a.velocity = box.velocity
      for _ = 1, 200 do
        made:step()
        world:step()
      end
      assert.is_true((a.position - box.position):norm() < 1e-9)
      assert.is_true((a.centre - box.centre):norm() < 1e-9)
    end
  end)

  it("is re-evaluated by contacts: filter, sensor, shape and type decide from the next step on", function()
    local cases = { { "collides", false }, { "sensor", true }, { "shape", nil }, { "group", "ghosts" } }
    for _, case in ipairs(cases) do
      local world <close> = delassus.world{ planar = true, record = false }
      world:floor{ collides = { "solid" } }
      local box = world:box{ size = { 0.2, 0.1 }, density = 800, position = { 0, 0.05 }, group = "solid" }
      world:step(10)
      assert.equal(2, world.stats.contacts)
      box[case[1]] = case[2]
      world:step(100)
      assert.is_true(box.position.y < 0.05 - 0.03, case[1]) -- g t^2 / 2 = 0.049
      assert.equal(case[1] == "sensor" and 2 or 0, world.stats.contacts, case[1])
    end
    -- A box on a box: the lower one is nailed, becomes a conveyor, is free again.
    local world <close> = delassus.world{ planar = true, record = false }
    local low = world:box{ size = { 4, 0.1 }, density = 800, position = { 0, 0.05 }, friction = 1 }
    local high = world:box{ size = { 0.2, 0.1 }, density = 800, position = { 0, 0.15 }, friction = 1 }
    low.type = "static"
    world:step(100)
    assert.near(0.15, high.position.y, 1e-9)
    low.type = "kinematic"
    low.velocity = { 1, 0 }
    world:step(1000)
    assert.near(1, high.velocity.x, 1e-9)
    low.type = "dynamic"
    world:step(100)
    assert.near(-9.81 * 0.1, low.velocity.y, 1e-9)
    assert.near(1, low.velocity.x, 1e-9)
    low.type = "static"
    assert.equal(0, low.velocity:norm())
    assert.equal("static", low.type)
  end)

  it("names the rule that an inertia breaks, where it is given and where it is set", function()
    local world <close> = delassus.world{ record = false }
    local box = world:box{ size = { 1, 1, 1 }, mass = 1 }
    local hash = world:hash()
    for inertia, rule in pairs{ [{ 1, 2, 3.1 }] = "'inertia' must have no principal moment larger than the sum of the other two",
      [{ 2, 2, 1, 1.2, 0, 0 }] = "'inertia' must have no principal moment larger than the sum of the other two",
      [{ 1, 1, 1, 2, 0, 0 }] = "'inertia' must be positive definite, or 0",
      [{ 0, 1, 1 }] = "'inertia' must be positive definite, or 0" } do
      fails(function() world:body{ mass = 1, inertia = inertia } end, "world:body: " .. rule)
      fails(function() world:box{ size = { 1, 1, 1 }, density = 1, inertia = inertia } end, "world:box: " .. rule)
      fails(function() box.inertia = inertia end, "body: " .. rule)
    end
    fails(function() world:box{ size = { 1, 1, 1 }, density = 1e-200 } end, "'inertia', 'mass' or 'density' is one that no body")
    assert.equal(hash, world:hash())
  end)

  it("refuses with the rule, and stays as it was", function()
    local world <close>, box = scene({ name = "box" }, {})
    local plate = world:body{ type = "static", shape = delassus.segment{ { -1, -1 }, { 1, -1 } } }
    local belt = world:body{ type = "kinematic", shape = delassus.disk{ radius = 0.1 }, position = { 5, 5 },
      motion = function() return { 5, 5 } end }
    local arm = world:box{ size = { 0.1, 0.1 }, density = 1, position = { 9, 0 } }
    world:joint{ "revolute", world.ground, arm, anchor = { 9, 0 } }
    local refused = {
      { box, "mass", -1, "'mass' must be > 0, got -1" }, { box, "mass", 0 / 0, "'mass'" }, { box, "mass", "2", "'mass'" },
      { box, "mass", 1e-310, "'inertia', 'mass' or 'density' is one that no body can have" },
      { box, "inertia", -1, "'inertia' must be >= 0" }, { box, "com", { 1 }, "'com'" }, { box, "density", 0,
        "'density' must be > 0" },
      { box, "type", "fixed", "must be one of 'dynamic', 'kinematic', 'static'" }, { box, "shape", 3, "'shape'" },
      { box, "shape", delassus.sphere{ radius = 1 }, "a sphere is not a shape of planar worlds" },
      { box, "shape", delassus.segment{ { 0, 0 }, { 1, 0 } }, "a segment has no mass" },
      { plate, "type", "dynamic", "a segment has no mass" }, { plate, "density", 2, "'density' needs a solid 'shape'" },
      { box, "material", "wood", "'material' must be a material" }, { box, "group", 1, "'group' must be the name of a group" },
      { box, "collides", 1, "'collides' must be true, false, a group's name or a list" }, { box, "collides", { 1 },
        "name of a group" },
      { box, "sensor", 1, "'sensor'" }, { box, "motion", function() end, "'motion' needs type = 'kinematic'" },
      { belt, "motion", 1, "'motion' must be a function, or nil" }, { belt, "type", "dynamic", "stays 'kinematic'" },
      { arm, "type", "static", "'type' of a body with joints cannot be set: remove them first" },
      { world.ground, "mass", 1, "'mass' of the ground cannot be set" }, { world.ground, "group", "a",
        "of the ground cannot be set" },
      { box, "name", 1, "'name' must be a string" }, { box, "index", 1, "'index' is read-only" }, { box, "centre", { 0,
        0 }, "read-only" },
      { box, "energy", 1, "read-only" }, { box, "masss", 1, "did you mean 'mass'" } }
    world:step(3)
    local hash = world:hash()
    for _, row in ipairs(refused) do
      fails(function() row[1][row[2]] = row[3] end, row[4])
      assert.equal(hash, world:hash(), row[2])
    end
    belt.motion = nil
    belt.type = "static"
    assert.not_equal(hash, world:hash())
  end)

  it("is locked while the world steps", function()
    local world <close>, box = scene({}, {})
    local said = {}
    local values = { mass = 1, inertia = 1, com = { 0, 0 }, type = "static", shape = delassus.disk{ radius = 1 }, material = wood,
      group = "g", collides = true, sensor = true, density = 1, motion = print }
    world:field(function()
      for name, value in pairs(values) do said[name] = select(2, pcall(function() box[name] = value end)) end
    end)
    world:step()
    for name in pairs(values) do
      assert.truthy(tostring(said[name]):find(name .. " cannot be changed while its world steps", 1, true), name)
    end
  end)

  it("is the structure of snapshots: an older one is refused, a new one goes to a world made or changed alike", function()
    local world <close>, box = scene({}, {})
    world:step(50)
    local old = world:snapshot()
    box.mass, box.sensor = 5, true
    local hash = world:hash()
    fails(function() world:restore(old) end, "built differently")
    assert.equal(hash, world:hash())
    local like <close> = scene({}, { { "mass", 5 }, { "sensor", true } })
    like:restore(world:snapshot())
    assert.equal(hash, like:hash())
    world:step(50)
    like:step(50)
    assert.equal(world:hash(), like:hash())
  end)

  it("is exact in a tree: a pendulum whose bob is made heavier keeps its rate, and swings as one made so", function()
    local function pendulum(mass)
      local world = delassus.world{ planar = true, record = false }
      local bob = world:body{ mass = mass, inertia = 0.01 * mass, position = { 0.6, -0.8 } }
      return world, bob, world:joint{ "revolute", world.ground, bob, anchor = { 0, 0 } }
    end
    local world <close>, bob, joint = pendulum(1)
    local other <close>, _, like = pendulum(3)
    world:step(200)
    other:step(200)
    local q, rate = joint.q, joint.qd
    bob.mass = 3
    assert.equal(q, joint.q)
    assert.equal(rate, joint.qd)
    world:step(300)
    other:step(300)
    assert.near(like.q, joint.q, 1e-12)
    bob.inertia = 1
    world:step()
    assert.near(1, bob.inertia, 0)
  end)
end)

describe("body:pose(alpha)", function()
  it("lies on the way from the state before the last step to the one after it, and beyond", function()
    for _, planar in ipairs { true, false } do
      local world <close> = require "delassus".world { planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = 0.1 }
      local body = world:body { mass = 1, inertia = planar and 1 or { 1, 1, 1 }, velocity = planar and { 1, 2 } or { 1, 2, 3 },
        angular_velocity = planar and 3 or { 0, 0, 3 } }
      world:step(2)
      for _, alpha in ipairs { 0, 0.25, 1, 1.5 } do
        local position, rotation = body:pose(alpha)
        local t = 0.1 + 0.1 * alpha
        assert.near(t, position.x, 1e-12)
        assert.near(2 * t, position.y, 1e-12)
        if planar then assert.near(3 * t, rotation, 1e-12)
        else assert.near(math.sin(1.5 * t), rotation[4], 1e-9) end -- a turn by 3 t about z
      end
    end
  end)
end)

describe("world:run(seconds)", function()
  it("makes the nearest number of steps, whatever the quotient's last bits are", function()
    local world <close> = require "delassus".world { record = false }
    for seconds, steps in pairs { [0.0017] = 2, [0.0014] = 1, [0.0004] = 0, [0.3] = 300, [0.07] = 70 } do
      assert.equal(steps, world:run(seconds).steps)
    end
    assert.equal(373, world.stats.steps)
  end)
end)
