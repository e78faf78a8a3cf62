local delassus = require "delassus"
local scenes = require "support.event_scenes"
local seeds = require "support.seeds"

local abs, sqrt = math.abs, math.sqrt
local g = 9.81

local of_kind = scenes.of_kind

local function new(o)
  o.scheme = "event-driven"
  return delassus.world(o)
end

describe("event-driven worlds", function()
  it("are exact: a ball with e = 0.8 hits at t0 + 2 v/g (e + ... + e^k) and rests at the geometric limit", function()
    for _, planar in ipairs { true, false } do
      local world = new{ planar = planar, dt = 0.02 }
      assert.equal("event-driven", world.scheme)
      world:floor{ restitution = 0.8 }
      local make, up = planar and world.disk or world.sphere, planar and 2 or 3
      local ball = make(world, { radius = 0.1, mass = 2, position = planar and { 0, 1.1 } or { 0, 0, 1.1 }, restitution = 0.8 })
      world:run(5)
      local impacts, v, t = of_kind(world, "impact"), sqrt(2 * g), sqrt(2 / g)
      for k, e in ipairs(impacts) do
        assert.near(t, e.t, 1e-10) -- the contract's limit
        assert.near(-v, e.speed, 1e-8)
        assert.near(2 * v * (k < #impacts and 1.8 or 1), e.impulse, 1e-8) -- the last one ends the series
        assert.near(0, e.point[up], 1e-12)
        assert.equal(ball, e.b)
        v = 0.8 * v
        t = t + 2 * v / g
      end
      assert.is_true(#impacts > 30)
      local limit = of_kind(world, "accumulation")
      assert.equal(1, #limit)
      assert.near(4.06371276887158, limit[1].t, 1e-9)
      assert.near(0.1, ball.position[up], 1e-12)
      assert.near(0, ball.velocity[up], 1e-12)
      local contacts = {}
      for c in world:contacts() do contacts[#contacts + 1] = c end
      assert.equal(1, #contacts)
      assert.near(2 * g, contacts[1].normal_force, 1e-9)
      assert.equal("stick", contacts[1].state)
      assert.equal(ball, contacts[1].b)
    end
  end)

  it("are exact: a sliding disk rolls at v / (3 mu g), a ball at 2 v / (7 mu g), along a straight line", function()
    local disk_world = new{ planar = true, dt = 0.02 }
    disk_world:floor{ friction = 0.3 }
    local disk = disk_world:disk{ radius = 0.1, mass = 1, position = { 0, 0.1 }, velocity = { 2, 0 }, friction = 0.3 }
    disk_world:run(1)
    local t = 2 / (3 * 0.3 * g)
    assert.near(t, of_kind(disk_world, "stick")[1].t, 1e-10)
    assert.near(4 / 3, disk.velocity.x, 1e-10)
    assert.near(-40 / 3, disk.angular_velocity, 1e-9)
    assert.near(2 * t - 0.15 * g * t ^ 2 + 4 / 3 * (1 - t), disk.position.x, 1e-9)
    local ball_world = new{ dt = 0.02 }
    ball_world:floor{ friction = 0.3 }
    local ball = ball_world:sphere{ radius = 0.1, mass = 1, position = { 0, 0, 0.1 }, velocity = { 1.2, 1.6, 0 }, friction = 0.3 }
    ball_world:run(1)
    t = 2 * 2 / (7 * 0.3 * g)
    assert.near(t, of_kind(ball_world, "stick")[1].t, 1e-9)
    assert.near(5 / 7 * 1.2, ball.velocity.x, 1e-9)
    assert.near(5 / 7 * 1.6, ball.velocity.y, 1e-9)
    local way = 2 * t - 0.15 * g * t ^ 2 + 10 / 7 * (1 - t)
    assert.near(0.6 * way, ball.position.x, 1e-9)
    assert.near(0.8 * way, ball.position.y, 1e-9)
  end)

  it("are exact: the velocity's hodograph of a ball that slides with side spin is a parabola, then it rolls", function()
    local world = new{ dt = 0.02 }
    world:floor{ friction = 0.2 }
    local ball = world:sphere{ radius = 0.1, mass = 1, position = { 0, 0, 0.1 }, velocity = { 1, 0, 0 },
      angular_velocity = { -10, 0, 0 }, friction = 0.2 }
    -- the contact's velocity v + omega x (-r z) = (1, -1, 0) keeps its direction: friction is constant
    local slip, mu = sqrt(2), 0.2
    local t = 2 * slip / (7 * mu * g)
    world:run(1)
    assert.near(t, of_kind(world, "stick")[1].t, 1e-9)
    local a = mu * g / sqrt(2)
    assert.near(1 - a * t, ball.velocity.x, 1e-9)
    assert.near(a * t, ball.velocity.y, 1e-9)
    assert.near(t - a * t ^ 2 / 2 + (1 - a * t) * (1 - t), ball.position.x, 1e-9)
    assert.near(a * t ^ 2 / 2 + a * t * (1 - t), ball.position.y, 1e-9)
  end)

  it("agree with the same written as a system: 200 random scenes of disks, three laws of impact", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local o = scenes.random(function(a, b) return r:uniform(a, b) end, true, 1 + seed % 3)
      o.scheme = "event-driven"
      o.impact = ({ "newton", "poisson", "sequential" })[1 + seed // 3 % 3]
      local world, list = scenes.world(o)
      local system = scenes.planar_system(o)
      world:run(0.3)
      system:run(0.3)
      local q, u, told = system.q, system.u, "seed " .. seed
      local events, others = world.events, system.events
      local many = #events > 100 -- contacts that chatter in a jam multiply what round-off made
      for i, b in ipairs(list) do
        local now = { b.position.x, b.position.y, b.velocity.x, b.velocity.y, b.angular_velocity }
        local want = { q[3 * i - 2], q[3 * i - 1], u[3 * i - 2], u[3 * i - 1], u[3 * i] }
        for k = 1, 5 do assert.near(want[k], now[k], many and 1e-5 or 1e-9, told) end
      end
      for k, e in ipairs(events) do -- from the first accumulation on impacts are ever nearer to each other
        if e.kind == "accumulation" then break end
        assert.equal(others[k].kind, e.kind, told)
        assert.near(others[k].t, e.t, 1e-9, told)
      end
    end
  end)

  it("are what time stepping tends to: with dt / 16 the difference falls below a quarter, of disks and of balls", function()
    for _, planar in ipairs { true, false } do
      local o = { planar = planar, friction = 0.4, restitution = 0, balls = {
        { r = 0.1, m = 1, x = planar and { 0, 0.1 } or { 0, 0, 0.1 }, v = planar and { 2, 0 } or { 2, 0.3, 0 },
          w = planar and 3 or { 3, -1, 2 } },
        { r = 0.15, m = 2, x = planar and { 0.6, 0.15 } or { 0.6, 0.1, 0.15 }, v = planar and { 0, 0 } or { 0, 0, 0 },
          w = planar and 0 or { 0, 0, 0 } } } }
      local function ends(scheme, dt)
        o.scheme, o.dt = scheme, dt
        local world, list = scenes.world(o)
        world:run(0.5)
        return { list[1].position, list[2].position }
      end
      local exact = ends("event-driven", 0.01)
      local function off(dt)
        local at = ends("time-stepping", dt)
        return (at[1] - exact[1]):norm() + (at[2] - exact[2]):norm()
      end
      local coarse, fine = off(1e-3), off(6.25e-5)
      assert.is_true(fine < 0.25 * coarse and fine < 1e-4, ("%g, then %g"):format(coarse, fine))
    end
  end)

  it("keep energy without friction and with e = 1, and momentum between balls", function()
    local world = new{ dt = 0.02, gravity = { 0, 0, 0 } }
    local elastic = delassus.material{ friction = 0, restitution = 1 }
    local r = delassus.random(3)
    for i = 1, 4 do
      for j = 1, 3 do
        world:sphere{ radius = 0.1, mass = r:uniform(0.5, 2), position = { 0.3 * i, 0.3 * j, 0 }, material = elastic,
          velocity = { r:uniform(-1, 1), r:uniform(-1, 1), r:uniform(-0.1, 0.1) } }
      end
    end
    local before, p, L = world:energy(), world:momentum()
    world:run(1)
    local after, p_after, L_after = world:energy(), world:momentum()
    assert.is_true(#of_kind(world, "impact") > 3)
    assert.near(before, after, 1e-11)
    assert.near(0, (p_after - p):norm(), 1e-12)
    assert.near(0, (L_after - L):norm(), 1e-11)
  end)

  it("add up their energies: what impacts and friction took, each from its own source, is what is gone, to 1e-9", function()
    for seed = 1, 20 do
      local planar, r = seed % 2 == 0, delassus.random(seed)
      local o = scenes.random(function(a, b) return r:uniform(a, b) end, planar, 3)
      o.scheme = "event-driven"
      local world = scenes.world(o)
      local material = delassus.material{ friction = o.friction, restitution = o.restitution }
      world:box{ size = planar and { 0.3, 0.2 } or { 0.3, 0.2, 0.1 }, mass = 1, material = material,
        position = planar and { -1, 0.5 } or { -1, 0, 0.5 }, rotation = planar and 0.3 or { axis = { 1, 1, 0 }, angle = 0.4 } }
      local kinetic, potential = world:energy()
      world:run(0.5)
      local later, at = world:energy()
      local l, told = world:ledger(), "seed " .. seed
      assert.is_true(l.friction > -1e-12 and l.impact > 0, told)
      assert.near(kinetic + potential - later - at, l.friction + l.impact, 1e-9 * l.turnover, told)
      assert.near(0, l.error, 1e-9 * l.turnover, told)
    end
  end)

  it("tell what they do not take by name, and are then as they were", function()
    local function refused(message, fill, o)
      local world = new(o or {})
      fill(world)
      local hash = world:hash()
      local fine, told = pcall(world.step, world)
      assert.is_false(fine)
      assert.matches(message, told)
      assert.equal(hash, world:hash())
    end
    refused("box of body #1 and the box of body #2", function(w)
      w:box{ size = { 1, 1, 1 }, mass = 1, position = { 0, 0, 5 } }
      w:box{ size = { 1, 1, 1 }, mass = 1 }
    end)
    refused("cylinder of body #2", function(w)
      w:floor{}
      w:cylinder{ radius = 0.1, length = 1, mass = 1, position = { 0, 0, 1 } }
    end)
    refused("no rolling or spinning friction", function(w)
      w:floor{ rolling_friction = 0.01 }
      w:sphere{ radius = 0.1, mass = 1, position = { 0, 0, 1 } }
    end)
    refused("overlap where the step begins", function(w)
      w:floor{}
      w:sphere{ radius = 0.1, mass = 1, position = { 0, 0, 0.05 } }
    end)
  end)

  it("go on bit by bit from a snapshot, and stay as they were where a callback fails", function()
    local function build()
      local o = { planar = true, scheme = "event-driven", dt = 0.01, friction = 0.4, restitution = 0.5, balls = {} }
      for i = 1, 4 do
        o.balls[i] = { r = 0.1, m = i, x = { 0.25 * i, 0.15 + 0.1 * (i % 2) }, v = { 1 - 0.5 * i, 0 }, w = i }
      end
      return (scenes.world(o))
    end
    local world, other = build(), build()
    world:run(0.37)
    other:restore(world:snapshot())
    assert.equal(world:hash(), other:hash())
    world:run(0.4)
    other:run(0.4)
    assert.equal(world:hash(), other:hash())
    local third = build()
    third:run(0.3)
    local hash, count = third:hash(), #third.events
    local handle = third:on("step", function() error "enough" end)
    assert.error_matches(function() third:step() end, "enough")
    handle:off()
    assert.equal(hash, third:hash())
    assert.equal(count, #third.events)
    third:run(0.47)
    world = build()
    world:run(0.3)
    world:run(0.47)
    assert.equal(world:hash(), third:hash())
  end)

  it("go on bit by bit from a snapshot while friction takes power, in worlds and systems that did something else", function()
    local function world(v)
      local w = new{ planar = true, dt = 0.02 }
      w:floor{ friction = 0.3 }
      w:disk{ radius = 0.1, mass = 1, position = { 0, 0.1 }, velocity = { v, 0 }, friction = 0.3 }
      return w
    end
    local function system(v)
      return delassus.system{ q = { 0, 0 }, u = { v, 0 }, dt = 0.02, mass = { { 1, 0 }, { 0, 1 } }, forces = { 0, -g },
        contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 }, friction = 0.3 } } }
    end
    for _, make in ipairs { world, system } do
      local one, other = make(2), make(-3)
      one:step(5)
      other:step(3)
      other:restore(one:snapshot())
      for _ = 1, 30 do
        one:step()
        other:step()
        assert.equal(one:hash(), other:hash())
      end
    end
  end)

  it("tell callbacks of each event in its order, with the bodies and the place", function()
    local world = new{ planar = true, dt = 0.05 }
    world:floor{ restitution = 0.5 }
    local ball = world:disk{ radius = 0.1, mass = 1, position = { 0.3, 0.6 }, restitution = 0.5 }
    local heard = {}
    for _, kind in ipairs { "impact", "contact", "accumulation" } do
      world:on(kind, function(e)
        heard[#heard + 1] = kind
        assert.equal(ball, e.b)
        if kind == "impact" then assert.near(0.3, e.point.x, 1e-12) end
      end)
    end
    world:run(2)
    local logged = {}
    for _, e in ipairs(world.events) do logged[#logged + 1] = e.kind end
    assert.same(logged, heard)
    assert.same({ "contact", "accumulation" }, { heard[#heard - 1], heard[#heard] }) -- by time: the limit is the later one
  end)

  it("follow a belt and a shaker: what lies on a belt slips until it has its speed, or is thrown off", function()
    local world = new{ planar = true, dt = 0.02 }
    local belt = world:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 1 }, offset = 0 }, velocity = { 1.5, 0 },
      friction = 0.4 }
    local box = world:box{ size = { 0.4, 0.2 }, mass = 3, position = { 0, 0.1 }, friction = 0.4 }
    world:run(1)
    local t = 1.5 / (0.4 * g)
    assert.near(t, of_kind(world, "stick")[1].t, 1e-9)
    assert.near(1.5, box.velocity.x, 1e-10)
    assert.near(1.5 * (1 - t) + 0.75 * t, box.position.x, 1e-9)
    assert.is_true(belt.position.x > 1.49)
    local shaker = new{ planar = true, dt = 0.01 }
    local w = 20
    shaker:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 1 }, offset = 0 }, motion = function(s)
      return { 0, 0.05 * (1 - math.cos(w * s)) }, 0, { 0, 0.05 * w * math.sin(w * s) }, 0,
        { 0, 0.05 * w * w * math.cos(w * s) }, 0
    end }
    local ball = shaker:disk{ radius = 0.1, mass = 1, position = { 0, 0.1 } }
    shaker:run(0.2)
    -- it leaves where the plate's acceleration is -g
    local off = math.acos(-g / (0.05 * w * w)) / w
    assert.near(off, of_kind(shaker, "separation")[1].t, 1e-9)
    local v, y = 0.05 * w * math.sin(w * off), 0.05 * (1 - math.cos(w * off))
    assert.near(0.1 + y + v * (0.2 - off) - g / 2 * (0.2 - off) ^ 2, ball.position.y, 1e-9)
    assert.is_true(abs(ball.velocity.y - (v - g * (0.2 - off))) < 1e-9)
  end)
end)
