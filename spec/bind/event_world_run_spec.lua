-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Runs of event-driven worlds end where they are told to, whatever dt is.
local delassus = require "delassus"

local function thrown(dt, o)
  local world = delassus.world{ scheme = "event-driven", dt = dt, record = false, gravity = { 0, 0, -9.81 } }
  world:floor{}
  local ball = world:sphere{ radius = 0.1, mass = 2, position = { 0, 0, o and o.height or 0.6 },
    material = delassus.material{ restitution = o and o.restitution or 0.5 } }
  return world, ball
end

describe("world:run of an event-driven world", function()
  it("ends at the time that was asked for: free fall, 200 random times and dt", function()
    for seed = 1, 200 do
      local r = delassus.random(seed)
      local dt, seconds = 10 ^ r:uniform(-3, -1), 10 ^ r:uniform(-4, 0)
      local world, ball = thrown(dt, { height = 100 })
      local report = world:run(seconds)
      local message = ("seed %d"):format(seed)
      assert.equal(seconds, world.time, message)
      assert.equal(seconds, report.time, message)
      assert.equal(math.ceil(seconds / dt), report.steps, message)
      assert.near(100 - 9.81 / 2 * seconds ^ 2, ball.position.z, 1e-12, message)
      world:run(0.37 * dt)
      assert.near(seconds + 0.37 * dt, world.time, 1e-15, message)
      assert.near(-9.81 * world.time, ball.velocity.z, 1e-12, message)
    end
  end)

  it("cut anywhere, is the same motion: 200 bouncing balls against one run in whole steps", function()
    for seed = 1, 200 do
      local r = delassus.random(seed)
      local o = { height = r:uniform(0.2, 1), restitution = r:uniform(0.3, 0.9) }
      local world, ball = thrown(0.05, o)
      local other, same = thrown(1, o)
      local left = 1
      while left > 0 do
        local some = math.min(left, r:uniform(0.001, 0.2))
        world:run(some)
        left = left - some
      end
      other:step()
      assert.near(same.position.z, ball.position.z, 1e-9, ("seed %d"):format(seed))
      assert.near(same.velocity.z, ball.velocity.z, 1e-8, ("seed %d"):format(seed))
      assert.near(other:ledger().impact, world:ledger().impact, 1e-9, ("seed %d"):format(seed))
    end
  end)

  it("of whole steps is those steps, bit for bit, and n steps are n times one behind a shorter one, too", function()
    local one, two, three = thrown(0.01), thrown(0.01), thrown(0.01)
    one:run(0.7)
    for _ = 1, 70 do two:step() end
    three:step(70)
    assert.equal(two:hash(), one:hash())
    assert.equal(two:hash(), three:hash())
    for _, world in ipairs{ one, two, three } do world:run(0.0137) end
    one:run(0.3)
    for _ = 1, 30 do two:step() end
    three:step(30)
    assert.equal(two:hash(), one:hash())
    assert.equal(two:hash(), three:hash())
    assert.near(1.0137, one.time, 1e-15)
  end)

  it("goes on from a snapshot within it bit for bit", function()
    local world = thrown(0.01)
    world:run(0.4567)
    local there = world:snapshot()
    world:run(0.3333)
    local hash, time = world:hash(), world.time
    world:restore(there)
    assert.near(0.4567, world.time, 1e-15)
    world:run(0.3333)
    assert.equal(hash, world:hash())
    assert.equal(time, world.time)
  end)

  it("tells forces of its last step, however short: a ball at rest bears its weight", function()
    local world, ball = thrown(0.1, { height = 0.1, restitution = 0 })
    world:run(0.123)
    for contact in world:contacts() do assert.near(2 * 9.81, contact.normal_force, 1e-9) end
    world:step()
    for contact in world:contacts() do assert.near(2 * 9.81, contact.normal_force, 1e-9) end
    assert.equal(1, world.stats.contacts)
    assert.near(0.1, ball.position.z, 1e-12)
  end)

  it("calls `each` at every end, keeps to the time where it changes dt, and is whole where it raises", function()
    local world = thrown(0.1, { height = 100 })
    local times = {}
    world:run(0.25, function(w) times[#times + 1] = w.time end)
    assert.equal(3, #times)
    assert.near(0.1, times[1], 1e-15)
    assert.near(0.2, times[2], 1e-15)
    assert.equal(0.25, times[3])
    local report = world:run(0.25, function(w) w.dt = 0.2 end)
    assert.equal(0.5, world.time)
    assert.equal(2, report.steps)
    assert.is_nil(report.dt)
    assert.matches("^ran 0.25 s in 2 steps; the time is now 0.5 s\n", tostring(report))
    world.dt = 0.1
    report = world:run(0.25, function(w) w.dt = 0.01 end)
    assert.equal(0.75, world.time)
    assert.equal(16, report.steps)
    world.gravity = { 0, 0, -1 }
    world:on("step", function() if world.time > 0.75 then error("no further") end end)
    local hash = world:hash()
    assert.error_matches(function() world:run(0.05) end, "no further")
    assert.equal(hash, world:hash())
    assert.equal(0.75, world.time)
  end)

  it("of a world that steps in time is rounded to whole steps, as before", function()
    local world = delassus.world{ dt = 0.01, record = false }
    world:sphere{ radius = 0.1, mass = 1 }
    assert.equal(0, world:run(0.001).steps)
    assert.equal(2, world:run(0.0151).steps)
    assert.equal(0.02, world.time)
  end)

  it("of a world that steps in time ends when it should where `each` changes dt", function()
    for _, case in ipairs{ { 2e-3, 46 }, { 1e-3, 91 }, { 0.05, 3 }, { 0.01, 10 } } do
      local dt, steps = case[1], case[2]
      for _, overlap in ipairs{ 0, 0.01 } do -- bodies that stand in each other are stepped apart one by one
        local world = delassus.world{ dt = 0.01, record = false }
        world:floor{}
        world:sphere{ radius = 0.1, mass = 1, position = { 0, 0, 0.1 - overlap } }
        local report = world:run(0.1, function(w) w.dt = dt end)
        assert.equal(steps, report.steps)
        assert.near(0.1, world.time, dt / 2 + 1e-12)
        assert.near(0.1, report.time, dt / 2 + 1e-12)
        assert.equal(dt == 0.01 and 0.01 or nil, report.dt)
      end
    end
  end)
end)
