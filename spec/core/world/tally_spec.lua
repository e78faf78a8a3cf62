local core = require "delassus.core"
local delassus = require "delassus"

local G, R = 9.81, 2

--- A disk above the bottom of a standing drum, and its tally.
local function falling(restitution)
  local world = delassus.world { planar = true, gravity = { 0, -G }, dt = 1e-3, record = false }
  local material = delassus.material { friction = 0.4, restitution = restitution }
  world:drum { radius = R, type = "kinematic", material = material }
  local disk = world:disk { radius = 0.1, density = 850, material = material, position = { 0, -1.4 } }
  local tally = core.tally(world)
  tally:stiffness(disk.index, 1e7)
  return world, disk, tally
end

local function run(world, tally, steps)
  for _ = 1, steps do
    world:step()
    tally:add(world)
  end
end

describe("a tally of what happens to bodies", function()
  it("is exact: a disk that falls and does not bounce collides once, with v sqrt(k m) and m v^2/2", function()
    local world, disk, tally = falling(0)
    run(world, tally, 1000)
    local v = math.sqrt(2 * G * 0.5)
    assert.equal(1, tally.collisions)
    assert.equal(1, tally:body(disk.index).collisions)
    -- The speed is that at the start of the step in which it hits: gravity's share of a step is missing.
    local missing = G * world.dt / v
    assert.near(v * math.sqrt(1e7 * disk.mass), tally:body(disk.index).peak_force, missing * 2e5)
    assert.equal(tally:body(disk.index).peak_force, tally.force.max)
    assert.near(disk.mass * v * v / 2, tally.energy.max, 2 * missing * disk.mass * v * v / 2)
    local ledger = world:ledger()
    assert.near(ledger.impact + ledger.friction, tally.work, 1e-12 * ledger.turnover)
  end)

  it("is exact: a bounce of e = 1/2 halves the speed, and every bounce above the least speed counts", function()
    local world, _, tally = falling(0.5)
    tally.least = 0.1
    run(world, tally, 2000)
    -- v = 3.13 m/s / 2^k exceeds 0.1 m/s for k = 0 .. 4
    assert.equal(5, tally.collisions)
    assert.equal(5, tally.force.count)
  end)

  it("has the mean of the collisions one by one", function()
    local world, _, tally = falling(0.5)
    tally.least = 0.1
    while tally.force.count < 1 do run(world, tally, 1) end
    assert.equal(tally.force.max, tally.force.mean) -- of one
    assert.equal(tally.energy.max, tally.energy.mean)
    local first, energy = tally.force.max, tally.energy.max
    while tally.force.count < 2 do run(world, tally, 1) end
    -- the second comes with half the speed and a quarter of the energy, but for gravity in the steps of the impacts
    local missing = 4 * G * world.dt / math.sqrt(2 * G * 0.5)
    assert.near(0.75 * first, tally.force.mean, missing * first)
    assert.near(0.625 * energy, tally.energy.mean, missing * energy)
  end)

  it("is exact: touches closer in time than `merge` are one collision, whatever the step", function()
    local core_world = require "delassus"
    for _, dt in ipairs { 2e-3, 1e-3, 2.5e-4 } do
      local world = core_world.world { planar = true, gravity = { 0, -G }, dt = dt, record = false }
      local material = core_world.material { friction = 0.4, restitution = 0.5 }
      world:floor { material = material }
      world:disk { radius = 0.1, density = 850, material = material, position = { 0, 0.6 } }
      local tally = core.tally(world)
      tally.least, tally.merge = 0.001, 0.03
      run(world, tally, math.floor(2 / dt))
      -- v = 3.13 m/s: the flights of 0.319, 0.160, 0.080 and 0.040 s end in collisions of their own, 0.020 s does not.
      assert.equal(5, tally.collisions)
    end
  end)

  it("is exact: a step that is passed over is not counted, but what touches in it has touched", function()
    local world, _, tally = falling(0)
    tally.merge = 0.01
    while world.stats.contacts == 0 do
      world:step()
      tally:skip()
    end
    run(world, tally, 100)
    assert.equal(0, tally.collisions)
    assert.equal(100, tally.steps)
  end)

  it("is conserved: in a turning bed the work is the ledger's friction and impact, half on each of two logs", function()
    local drum = require "delassus.drum"
    local d = drum { diameter = 2, planar = true, seed = 3, fill = 0.3, logs = { diameter = { 0.1, 0.3 } }, dt = 2e-3 }
    d:settle()
    d:run { time = 0.4 }
    local now, tally, sum = d.world:ledger(), d._tally, 0
    local taken = now.friction + now.impact - d._ledger.friction - d._ledger.impact
    assert.is_true(taken > 1)
    assert.near(taken, tally.work, 1e-12 * now.turnover)
    for _, log in ipairs(d.logs) do sum = sum + tally:body(log.index).work end
    assert.near(tally.work, sum, 1e-12 * now.turnover)
    assert.equal(200, tally.steps)
  end)

  it("counts nothing of a body that came later, whoever's slot it has", function()
    for _, removed in ipairs { false, true } do
      local world <close>, disk, tally = falling(0)
      local index = disk.index
      if removed then world:remove(disk) end
      local other = world:disk { radius = 0.1, density = 850, position = { removed and 0 or 0.5, -1.3 } }
      assert.equal(removed, other.index == index)
      run(world, tally, 1000)
      assert.is_true(world.stats.contacts > 0)
      assert.equal(removed and 0 or 1, tally.collisions)
      assert.equal(removed, tally.work == 0)
    end
  end)

  it("refuses what it cannot count", function()
    local world, _, tally = falling(0)
    assert.error_matches(function() tally:body(9) end, "there was no body 9")
    assert.error_matches(function() tally:stiffness(1, -1) end, "tally:stiffness")
    assert.error_matches(function() tally.least = 0 end, "'least'")
    assert.error_matches(function() tally.merge = -1 end, "'merge'")
    assert.equal(0, tally.force.mean)
    assert.same({}, tally.energy.histogram)
    world:step()
  end)
end)
