local delassus = require "delassus"
local scenes = require "support.capsule_scenes"
local seeds = require "support.seeds"
local of_kind = require("support.event_scenes").of_kind

local sqrt = math.sqrt

describe("capsules against capsules in event-driven worlds, in space", function()
  it("are exact: axes that cross at right angles; with e the impulse is (1 + e) v / (sum of 1/m + arm^2/I)", function()
    for _, e in ipairs { 1, 0.5, 0.2 } do
      local material = delassus.material{ friction = 0, restitution = e }
      local world = delassus.world{ scheme = "event-driven", dt = 0.01, gravity = { 0, 0, 0 } }
      local a = world:capsule{ radius = 0.1, length = 1, mass = 1, material = material }
      local b = world:capsule{ radius = 0.05, length = 0.6, mass = 2, position = { 0.1, 0.05, 0.5 }, velocity = { 0, 0, -1 },
        rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 }, material = material }
      local before = world:energy()
      local p, L = world:momentum()
      world:step(40)
      local hit, after = of_kind(world, "impact"), world:energy()
      assert.equal(1, #hit)
      assert.near(0.35, hit[1].t, 1e-12)
      local compliance = 1 + 0.1 ^ 2 / a.inertia[2] + 1 / 2 + 0.05 ^ 2 / b.inertia[2]
      local impulse = (1 + e) / compliance
      assert.near(impulse, hit[1].impulse, 1e-12)
      for k, x in ipairs { 0.1, 0, 0.1 } do assert.near(x, hit[1].point[k], 1e-12) end
      assert.near(-impulse, a.velocity.z, 1e-12)
      assert.near(impulse * 0.1 / a.inertia[2], a.angular_velocity.y, 1e-12)
      assert.near(impulse / 2 - 1, b.velocity.z, 1e-12)
      assert.near(-impulse * 0.05 / b.inertia[2], b.angular_velocity.x, 1e-12)
      assert.near((1 - e * e) / (2 * compliance), before - after, 1e-12)
      local p_after, L_after = world:momentum()
      assert.near(0, (p_after - p):norm() + (L_after - L):norm(), 1e-12)
    end
  end)

  it("are exact: caps of axes in line; ends of parallel ones that overlap, each with its share", function()
    for _, case in ipairs { "caps", "parallel" } do
      local material = delassus.material{ friction = 0, restitution = 1 }
      local world = delassus.world{ scheme = "event-driven", dt = 0.01, gravity = { 0, 0, 0 } }
      local caps = case == "caps"
      local a = world:capsule{ radius = 0.1, length = 1, mass = 1, material = material }
      local b = world:capsule{ radius = 0.1, length = 1, mass = 2, material = material,
        position = caps and { 1.5, 0, 0 } or { 0, 0, 0.5 }, velocity = caps and { -1, 0, 0 } or { 0, 0, -1 } }
      world:step(60)
      local along, sum = caps and 1 or 3, 0
      for _, hit in ipairs(of_kind(world, "impact")) do
        assert.near(0.3, hit.t, 1e-12, case)
        sum = sum + hit.impulse
      end
      assert.near(4 / 3, sum, 1e-12, case)
      assert.near(-4 / 3, a.velocity[along], 1e-12, case)
      assert.near(-1 / 3, b.velocity[along], 1e-12, case)
      assert.near(0, a.angular_velocity:norm() + b.angular_velocity:norm(), 1e-12, case)
    end
  end)

  it("turn from parallel while they touch: one spins on the middle of another, without friction it goes on", function()
    local world = delassus.world{ scheme = "event-driven", dt = 0.01 }
    world:capsule{ type = "static", radius = 0.1, length = 1, friction = 0 }
    local top = world:capsule{ radius = 0.1, length = 1, mass = 1, position = { 0, 0, 0.2 }, friction = 0 }
    world:step()
    assert.near(0, top.velocity:norm(), 1e-12)
    top.angular_velocity = { 0, 0, 1 }
    world:run(3)
    assert.near(0.2, top.position.z, 1e-8)
    assert.near(1, top.angular_velocity.z, 1e-6)
    assert.near(0, math.abs(top.angular_velocity.x) + math.abs(top.angular_velocity.y), 1e-9)
  end)

  it("turn to parallel while they touch: as in the plane, where one falls along another, 40 random falls", function()
    for seed = 1, 40 do
      local r, told = delassus.random(seed), "seed " .. seed
      local below, radius, length, tilt = r:uniform(0.05, 0.3), r:uniform(0.05, 0.3), r:uniform(0.5, 1.5), r:uniform(-0.6, 0.6)
      local wood = delassus.material{ friction = seed % 3 == 0 and 0 or r:uniform(0, 0.6) }
      local height = radius + length / 2 * math.abs(math.sin(tilt)) + r:uniform(0, 0.05)
      local inertia, speed, turn = r:uniform(0.09, 0.11), r:uniform(-0.5, 0.5), r:uniform(-1, 1)
      local world = delassus.world{ scheme = "event-driven", dt = 0.01 }
      world:capsule{ type = "static", radius = below, length = 40, material = wood }
      local log = world:body{ shape = delassus.capsule{ radius = radius, length = length }, mass = 1, material = wood,
        inertia = { 0.02, inertia, 0.1 }, position = { 0, 0, below + height }, velocity = { speed, 0, 0 },
        rotation = { axis = { 0, 1, 0 }, angle = -tilt }, angular_velocity = { 0, -turn, 0 } }
      local plane = delassus.world{ planar = true, scheme = "event-driven", dt = 0.01 }
      plane:floor{ material = wood }
      local flat = plane:body{ shape = delassus.capsule{ radius = radius, length = length }, mass = 1, material = wood,
        inertia = inertia, position = { 0, height }, velocity = { speed, 0 }, rotation = tilt, angular_velocity = turn }
      world:run(0.8)
      plane:run(0.8)
      assert.near(flat.position.x, log.position.x, 1e-7, told)
      assert.near(flat.position.y, log.position.z - below, 1e-7, told)
      assert.near(0, log.position.y, 1e-12, told)
    end
  end)

  it("fall along the valley of two parallel ones, and come to lie in it", function()
    local world = delassus.world{ scheme = "event-driven", dt = 0.01 }
    local wood = delassus.material{ friction = 0.3 }
    for side = -1, 1, 2 do
      world:capsule{ type = "static", radius = 0.5, length = 40, position = { 0, 0.6 * side, 0 }, material = wood }
    end
    local log = world:capsule{ radius = 0.2, length = 1, mass = 10, position = { 0.3, 0.02, 0.9 }, velocity = { 0.5, 0.1, 0 },
      rotation = { axis = { 0.3, 1, 0.4 }, angle = 0.1 }, material = wood }
    world:run(15)
    assert.near(sqrt(0.7 ^ 2 - 0.6 ^ 2), log.position.z, 1e-8)
    assert.near(0, log.velocity:norm() + log.angular_velocity:norm(), 1e-12)
    local weight = 0
    for c in log:contacts() do weight = weight + c.force.z end
    assert.near(98.1, weight, 1e-8)
    assert.near(0, world.stats.energy_balance, 1e-9)
  end)

  local function compare(o, steps, tolerance, told)
    local world, list = scenes.world(o)
    local system = scenes.system(o)
    world:step(steps)
    system:step(steps)
    local events, others = world.events, system.events
    assert.equal(#others, #events, told)
    for k, e in ipairs(events) do
      assert.equal(others[k].kind, e.kind, told)
      assert.near(others[k].t, e.t, tolerance, told)
    end
    for i, body in ipairs(list) do
      local centre, _, v, omega = scenes.state(system, i)
      local fast = math.max(1, sqrt(omega[1] ^ 2 + omega[2] ^ 2 + omega[3] ^ 2))
      for k = 1, 3 do
        assert.near(centre[k], body.position[k], tolerance, told)
        assert.near(v[k], body.velocity[k], tolerance, told)
        assert.near(omega[k], body.angular_velocity[k], tolerance * fast, told)
      end
    end
  end

  it("agree with the same written as a system to 1e-9 until they chatter: 200 random scenes, three laws of impact", function()
    local crossings, ends = 0, 0
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local o = scenes.random(function(a, b) return r:uniform(a, b) end, seed % 2 == 0)
      o.impact = ({ "newton", "poisson", "sequential" })[1 + seed // 2 % 3]
      local world = scenes.world(o)
      world:run(0.3)
      compare(o, scenes.until_chatter(world, o.dt, 60), 1e-9, "seed " .. seed)
      crossings = crossings + (o.seen.crossings and 1 or 0)
      ends = ends + (o.seen.ends and 1 or 0)
    end
    assert.is_true(crossings > seeds.least(20) and ends > seeds.least(20), crossings .. " crossings, " .. ends .. " with ends")
  end)

  it("agree with it to 1e-6 while they touch, from crossing to end too, and lose nothing without friction: e = 0", function()
    for seed = 1, 30 do
      local r = delassus.random(seed)
      local o = scenes.random(function(a, b) return r:uniform(a, b) end, false)
      o.restitution = 0
      compare(o, 60, 1e-6, "seed " .. seed)
      o.friction = 0
      local world = scenes.world(o)
      local kinetic = world:energy()
      world:step(60)
      local l, later = world:ledger(), world:energy()
      assert.near(kinetic - l.impact, later, 1e-9 * kinetic, "seed " .. seed)
    end
  end)
end)
