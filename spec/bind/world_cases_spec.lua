-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Planar worlds against closed forms. Case numbers are those of the reference cases; their numbers stand here.
local delassus = require "delassus"

local G = 9.81

local function planar(options)
  options.planar = true
  options.record = false
  return delassus.world(options)
end

-- A floor tilted by `degrees`, as gravity turned by it.
local function incline(degrees, options)
  local a = math.rad(degrees)
  options.gravity = { G * math.sin(a), -G * math.cos(a) }
  return planar(options)
end

describe("NS-01, a point that bounces with e = 0.9", function()
  local heights = { { 0.2, 0.8038 }, { 0.5, 0.18172457216652 }, { 1, 0.71094914433304 }, { 2, 0.013684362285068 },
    { 3, 0.41835172208395 }, { 4, 0.28051747162176 }, { 6, 0.035605499575724 }, { 8, 0.0011926587227723 } }

  local function error_of(dt)
    local world <close> = planar{ dt = dt }
    local ball = world:body{ mass = 1, position = { 0, 1 } }
    world:contact{ world.ground, ball, normal = { 0, 1 }, restitution = 0.9 }
    local worst = 0
    for _, row in ipairs(heights) do
      world:step(math.floor((row[1] - world.time) / dt + 0.5))
      worst = math.max(worst, math.abs(ball.position.y - row[2]))
    end
    world:step(math.floor((10 - world.time) / dt + 0.5))
    return worst, ball.position.y, ball.velocity.y
  end

  it("is near the exact flight: height error at most 5 h, and less with a smaller step", function()
    local coarse, y, v = error_of(5e-3)
    assert.is_true(coarse <= 5 * 5e-3)
    local fine = error_of(5e-4)
    assert.is_true(fine < coarse / 5) -- first order: a tenth, but for where in a step an impact falls
    -- After the Zeno point at 8.58 s: at rest on the plane.
    assert.is_true(math.abs(v) <= 1e-8)
    assert.is_true(math.abs(y) <= 1e-6)
  end)
end)

describe("NS-02, Newton's cradle", function()
  local cases = {
    { masses = { 1, 1, 1 }, before = { 1, 0, 0 }, e = 1, newton = { -1 / 3, 2 / 3, 2 / 3 }, sequential = { 0, 0, 1 } },
    { masses = { 1, 1, 1, 1, 1 }, before = { 1, 0, 0, 0, 0 }, e = 1, newton = { -0.6, 0.4, 0.4, 0.4, 0.4 },
      sequential = { 0, 0, 0, 0, 1 } },
    { masses = { 1, 1, 1, 1, 1 }, before = { 1, 1, 0, 0, 0 }, e = 1, newton = { -0.2, -0.2, 0.8, 0.8, 0.8 },
      sequential = { 0, 0, 0, 1, 1 } },
    { masses = { 1, 1, 1 }, before = { 1, 0, 0 }, e = 0.5, newton = { 0, 0.5, 0.5 } },
    { masses = { 1, 2, 3 }, before = { 2, 0, -1 }, e = 0.7, newton = { -1.6833333333333, -0.2833333333333,
      0.4166666666667 } },
  }

  local function after(case, law)
    local world <close> = planar{ gravity = { 0, 0 }, impact = law, tolerance = 1e-13 }
    local balls = {}
    for i, m in ipairs(case.masses) do
      balls[i] = world:disk{ radius = 0.5, position = { i, 0 }, mass = m, friction = 0, restitution = case.e,
        velocity = { case.before[i], 0 } }
    end
    world:step()
    local v = {}
    for i, ball in ipairs(balls) do v[i] = ball.velocity.x end
    return v
  end

  for _, law in ipairs{ "newton", "sequential" } do
    it("is exact with impact = '" .. law .. "'", function()
      for _, case in ipairs(cases) do
        if case[law] then
          local v = after(case, law)
          for i, expected in ipairs(case[law]) do assert.near(expected, v[i], 1e-12) end
        end
      end
    end)
  end
end)

describe("NS-04, a block on an incline", function()
  it("is exact: sticks below tan(beta) = mu, slides with g (sin - mu cos) above", function()
    for _, degrees in ipairs{ 5, 15, 20, 25, 30, 40, 60 } do
      for _, mu in ipairs{ 0, 0.2, 0.364, 0.5, 0.7 } do
        local world <close> = incline(degrees, { tolerance = 1e-12 })
        world:floor{ friction = mu }
        local block = world:box{ size = { 0.2, 0.1 }, position = { 0, 0.05 }, density = 800, friction = mu }
        world:step(500)
        local a = math.rad(degrees)
        local expected = math.max(0, G * (math.sin(a) - mu * math.cos(a)))
        -- Case tolerance 1e-6 relative; ours is what the solver's 1e-12 leaves after 500 steps.
        assert.near(expected * 0.5, block.velocity.x, 1e-9)
        if expected == 0 then
          assert.is_true(math.abs(block.velocity.x) <= 1e-12, "creeps")
          assert.is_true(math.abs(block.position.x) <= 1e-8)
        end
      end
    end
  end)
end)

describe("NS-05, a disk on an incline", function()
  it("is exact: rolls or slides with the closed form's acceleration and spin", function()
    for _, degrees in ipairs{ 10, 30, 50 } do
      for _, mu in ipairs{ 0.05, 0.1, 0.2, 0.3, 0.5, 0.8 } do
        local world <close> = incline(degrees, { tolerance = 1e-13 })
        world:floor{ friction = mu }
        local disk = world:disk{ radius = 1, mass = 1, position = { 0, 1 }, friction = mu }
        world:step(1000)
        local a = math.rad(degrees)
        local rolls = mu >= math.tan(a) / 3
        local friction = rolls and G * math.sin(a) / 3 or mu * G * math.cos(a)
        assert.near(G * math.sin(a) - friction, disk.velocity.x, 1e-11 * G)
        assert.near(2 * friction, -disk.angular_velocity, 1e-11 * 2 * G)
      end
    end
  end)
end)

describe("NS-10, a box on a plane that is slowly tilted", function()
  it("is near the closed form: tips at width/height or slides at mu, tan within 0.005", function()
    for _, row in ipairs{ { 1, 1, 0.2, 0.2, "slides" }, { 1, 1, 0.6, 0.6, "slides" }, { 1, 1, 1.2, 1.0, "tips" },
      { 1, 2, 0.6, 0.5, "tips" }, { 0.5, 2, 0.2, 0.2, "slides" }, { 0.5, 2, 1.2, 0.25, "tips" } } do
      local width, height, mu = row[1], row[2], row[3]
      local world <close> = planar{ dt = 5e-3 }
      world:floor{ friction = mu }
      local box = world:box{ size = { width, height }, position = { 0, height / 2 }, density = 500, friction = mu }
      local angle, mode = 0, nil
      while not mode and angle < math.rad(60) do
        angle = math.rad(1) * world.time
        world.gravity = { G * math.sin(angle), -G * math.cos(angle) }
        world:step()
        if math.abs(box.angular_velocity) > 1e-4 then mode = "tips"
        elseif box.velocity.x > 1e-4 then mode = "slides" end
      end
      assert.equal(row[5], mode)
      assert.near(row[4], math.tan(angle), 0.005)
    end
  end)
end)

describe("NS-12, a mass on a moving belt", function()
  it("is near the closed form: stick-slip period within 1e-3 relative", function()
    for _, row in ipairs{ { 0.05, 1.1631549979844 }, { 0.1, 0.8068887871591 }, { 0.5, 0.6322172552955 } } do
      local law = { static = 0.5, kinetic = 0.3 }
      local world <close> = planar{ gravity = { 0, -10 }, dt = 2e-4 }
      world:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 1 } }, velocity = { row[1], 0 },
        friction = law }
      local block = world:body{ shape = delassus.box{ size = { 0.2, 0.1 } }, mass = 1, inertia = 1e3,
        position = { 0, 0.05 }, velocity = { row[1], 0 }, friction = law }
      world:spring{ world.ground, block, anchor_a = { -10, 0.05 }, anchor_b = { 0, 0 }, stiffness = 100, length = 10 }
      local ends, sticking = {}, true
      while #ends < 3 and world.time < 6 do
        world:step()
        local now = math.abs(block.velocity.x - row[1]) < 1e-9
        if sticking and not now then ends[#ends + 1] = world.time end
        sticking = now
      end
      assert.near(row[2], ends[3] - ends[2], 1e-3 * row[2])
    end
  end)
end)

describe("NS-13, a disk hits a plane obliquely", function()
  it("is exact: velocities and spin after the impact to 1e-10", function()
    for _, row in ipairs{ { 0.1, 0.1, 1 / 15, 1 / 15 }, { 1, 0.3, 2 / 3, 2 / 3 }, { 3, 0.1, 2.64, 0.72 },
      { 3, 0.3, 2, 2 }, { 10, 0.1, 9.64, 0.72 }, { 10, 0.3, 8.92, 2.16 } } do
      local world <close> = planar{ gravity = { 0, 0 }, tolerance = 1e-13 }
      world:floor{ friction = row[2], restitution = 0.8 }
      local disk = world:disk{ radius = 1, mass = 1, position = { 0, 1 }, velocity = { row[1], -2 }, friction = row[2],
        restitution = 0.8 }
      world:step()
      assert.near(row[3], disk.velocity.x, 1e-10)
      assert.near(1.6, disk.velocity.y, 1e-10)
      assert.near(row[4], -disk.angular_velocity, 1e-10)
    end
  end)
end)

describe("NS-18, a sliding block", function()
  it("is near the closed form: stops after v^2/(2 mu g) to 1e-6, and then stands", function()
    for _, v in ipairs{ 0.5, 2, 5 } do
      for _, mu in ipairs{ 0.3, 0.8 } do
        local world <close> = planar{}
        world:floor{ friction = mu }
        local block = world:box{ size = { 0.2, 0.1 }, position = { 0, 0.05 }, velocity = { v, 0 }, density = 800,
          friction = mu }
        local distance = v * v / (2 * mu * G)
        world:step(math.ceil(v / (mu * G) / world.dt) + 10)
        -- The last step stops within itself: at most v_last h/2 with v_last <= mu g h.
        assert.near(distance, block.position.x, mu * G * 1e-6 / 2 + 1e-9)
        assert.is_true(block.velocity:norm() <= 1e-12)
      end
    end
  end)
end)

describe("NS-21, a falling stick that hits the ground", function()
  local function run(t, dt)
    local world = planar{ gravity = { 0, -10 }, dt = dt }
    local s = 0.3535533905932738
    local stick = world:body{ mass = 1, inertia = 1 / 12, position = { s, 0.36355339059327385 }, rotation = math.pi / 4,
      velocity = { -0.5, 0.1 }, angular_velocity = 0.1 }
    world:contact{ world.ground, stick, point_b = { 0, -0.5 }, normal = { 0, 1 }, friction = 0.01, restitution = 1 }
    world:step(math.floor(t / dt + 0.5))
    return world, stick
  end

  it("agrees with the reference after the first impact and after the second", function()
    for _, row in ipairs{ { 0.06, 0.323553390593277, 0.3515533905932739, 0.791398163397421, -0.5, -0.5, 0.1 },
      { 0.1, 0.303405145796493, 0.3383778702709042, 0.8580460693520362, -0.5037388347232359, -0.5261165276764048,
        1.680022848791993 },
      { 0.2, 0.2529172311983667, 0.2471693300826099, 1.081891493988364, -0.50686726067093, -1.213273932906967,
        3.212070578753687 } } do
      local world, stick = run(row[1], 1e-4)
      -- The case allows 2e-3 for time stepping; velocities after an impact that is found a step late: h g / v.
      assert.near(row[2], stick.position.x, 2e-3)
      assert.near(row[3], stick.position.y, 2e-3)
      assert.near(row[4], stick.rotation, 2e-3)
      assert.near(row[5], stick.velocity.x, 2e-3)
      assert.near(row[6], stick.velocity.y, 1e-2)
      assert.near(row[7], stick.angular_velocity, 1e-2)
      world:close()
    end
  end)
end)
