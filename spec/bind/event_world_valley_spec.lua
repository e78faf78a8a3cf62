local delassus = require "delassus"
local scenes = require "support.event_scenes"
local of_kind, valley = scenes.of_kind, scenes.valley

describe("logs in valleys of event-driven worlds", function()
  --- 6: the slip of one end crept along rest for a second, 300 times dearer; 13: redundant contacts at their bounds slipped
  --- and stuck 4,000 times; 33: a wedge that locks itself was to throw back what fell into it.
  it("come to the end, and their energy adds up: 20 throws", function()
    for _, seed in ipairs { 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 20, 21, 33, 40 } do
      local world, logs = valley(seed)
      local told, before = "seed " .. seed, 0
      for _ = 1, 220 do
        world:step()
        assert.is_true(#world.events - before < 300 * #logs, told)
        before = #world.events
      end
      local ledger = world:ledger()
      assert.near(0, ledger.error, 1e-8 * ledger.turnover, told)
    end
  end)

  local function wedge(planar, law, slope, mu)
    local world = delassus.world{ scheme = "event-driven", dt = 0.01, planar = planar, impact = law }
    local stone = delassus.material{ friction = mu, restitution = 0.5 }
    local c, s = math.cos(slope), math.sin(slope)
    for side = -1, 1, 2 do
      world:wall{ normal = planar and { side * c, s } or { side * c, 0, s }, offset = 0, material = stone }
    end
    local o = { radius = 0.1, mass = 2, material = stone, position = planar and { 0, 0.5 } or { 0, 0, 0.5 },
      velocity = planar and { 0, -1 } or { 0, 0, -1 } }
    return world, planar and world:disk(o) or world:sphere(o)
  end

  it("stop in a wedge that locks itself, mu > tan(slope), whatever the restitution: no law throws them back", function()
    for _, planar in ipairs { true, false } do
      for _, law in ipairs { "newton", "poisson" } do
        local world, ball = wedge(planar, law, 0.3, 0.5)
        local up = planar and 2 or 3
        world:run(0.3)
        local name = law .. tostring(planar)
        local spin = planar and math.abs(ball.angular_velocity) or ball.angular_velocity:norm()
        assert.near(0, ball.velocity:norm() + spin, 1e-9, name)
        assert.near(0.1 / math.sin(0.3), ball.position[up], 1e-9, name)
        assert.near(0, world.stats.energy_balance, 1e-9, name)
      end
    end
  end)

  it("are thrown back by a wedge that does not lock: up with e of the speed, mu < tan(slope)", function()
    local world, ball = wedge(true, "newton", 0.3, 0.1)
    repeat world:step() until #of_kind(world, "impact") > 0
    local hit = of_kind(world, "impact")[1]
    local fall = math.sqrt(1 + 2 * 9.81 * (0.5 - 0.1 / math.sin(0.3)))
    assert.near(0.5 * fall, ball.velocity.y + 9.81 * (world.time - hit.t), 1e-9)
    assert.equal(0, #of_kind(world, "collapsed"))
  end)
end)
