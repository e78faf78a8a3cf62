-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Forces of fields are those of the middle of a step, q_c (EQUATIONS G.1): of the second order, and central ones keep energy.
local delassus = require "delassus"

describe("a field", function()
  --- A ball on springs to the origin of all directions; by theta = 1 q_c is where the step begins.
  local function oscillator(dt, planar, theta)
    local world = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = dt, theta = theta,
      record = false }
    local ball
    if planar then ball = world:disk{ radius = 0.1, mass = 1, position = { 1, 0 }, velocity = { 0, 0.5 } }
    else ball = world:sphere{ radius = 0.1, mass = 1, position = { 1, 0, 0 }, velocity = { 0, 0.5, 0.2 } } end
    world:field(function(body) return -1 * body.position end)
    return world, ball
  end

  it("that is central keeps energy and angular momentum", function()
    for _, planar in ipairs{ true, false } do
      for _, dt in ipairs{ 1 / 60, 1e-2 } do
        local world <close>, ball = oscillator(dt, planar)
        local energy, _, moment = (ball.position:norm() ^ 2 + ball.velocity:norm() ^ 2) / 2, world:momentum()
        world:run(20)
        assert.near(energy, (ball.position:norm() ^ 2 + ball.velocity:norm() ^ 2) / 2, dt ^ 2 * energy)
        local _, now = world:momentum()
        local off = planar and math.abs(now - moment) or (now - moment):norm()
        assert.is_true(off < 1e-12, off)
        assert.is_true(math.abs(world:ledger().error) < 1e-12 * world:ledger().turnover)
      end
    end
  end)

  it("is of the second order, and tells the time of its middle", function()
    local off = {}
    for i, dt in ipairs{ 1e-2, 5e-3 } do
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, dt = dt, record = false }
      local ball = world:sphere{ radius = 0.1, mass = 2 }
      local told = {}
      world:field(function(_, t) told[#told + 1] = { t, world.time } return { 2 * math.cos(3 * t), 0, 0 }, { 0, 0, 0 } end)
      world:run(2)
      for k, now in ipairs(told) do
        assert.near((k - 0.5) * dt, now[1], 1e-12)
        assert.equal(now[1], now[2])
      end
      off[i] = math.abs(ball.velocity.x - math.sin(6) / 3)
    end
    assert.near(4, off[1] / off[2], 0.1)
  end)

  it("that fails leaves the world where it was", function()
    local world <close>, ball = oscillator(1e-2, false)
    world:step(3)
    local hash, position = world:hash(), ball.position
    world:field(function() error "no more" end)
    assert.error_matches(function() world:step() end, "no more")
    assert.equal(hash, world:hash())
    assert.equal(position, ball.position)
  end)
end)
