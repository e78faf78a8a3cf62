-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Many joints: long chains among free bodies, nets with hundreds of loops. What joints hold is eliminated by sparse
-- factors there; the oracles are the same step in other coordinates, exact gaps, and momentum.
local delassus = require "delassus"
local net = require "support.net"

local function apart(a, b)
  local x, v = 0, 0
  for i, body in ipairs(a.bodies) do
    local other = b.bodies[i]
    x = math.max(x, (body.centre - other.centre):norm())
    v = math.max(v, (body.velocity - other.velocity):norm())
  end
  return x, v
end

-- n links fall on a bed of logs that lie beside each other.
local function chain_on_bed(n, formulation)
  local world = delassus.world{ dt = 1e-3, record = false, tolerance = 1e-10 }
  world:floor{ friction = 0.3 }
  for g = 0, n // 4 do
    world:capsule{ radius = 0.1, length = 0.8, density = 800, friction = 0.3, position = { 0.8 * g - 0.1 * n, 0, 0.1 },
      rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 + 0.05 * (-1) ^ g } }
  end
  local before
  for i = 1, n do
    local link = world:capsule{ radius = 0.05, length = 0.1, density = 800, friction = 0.3, velocity = { 0, 0, -2 },
      position = { 0.2 * i - 0.1 * n, 0.02 * math.sin(i), 0.29 + 0.02 * math.cos(1.3 * i) } }
    if before then
      world:joint{ "spherical", before, link, formulation = formulation, anchor = (before.position + link.position) / 2 }
    end
    before = link
  end
  return world
end

describe("a chain of 200 that falls on 51 logs", function()
  it("obeys the laws, and is the same with all joints rigid", function()
    local n = 200
    local reduced <close> = chain_on_bed(n, "reduced")
    local rigid <close> = chain_on_bed(n, "rigid")
    local touched = 0
    -- until many contacts of a pair share a load in more than one way: which of them held is then no property of the step
    for _ = 1, 22 do
      for _, world in ipairs{ reduced, rigid } do
        world:step()
        local stats = world.stats
        assert.is_true(stats.residual <= 1e-10, "residual " .. stats.residual)
        -- the tree is counted as a whole, against the largest momentum of one link
        assert.is_true(stats.momentum_error <= 1e-13 * n, "momentum " .. stats.momentum_error)
        touched = math.max(touched, stats.contacts)
      end
    end
    assert.equal(0, reduced.stats.unconverged + rigid.stats.unconverged)
    assert.is_true(touched > 110, "contacts " .. touched) -- those of the bed are 102
    local x, v = apart(reduced, rigid)
    assert.is_true(x <= 1e-11 and v <= 1e-8, ("apart %g m, %g m/s"):format(x, v))
    for _, joint in ipairs(rigid.joints) do assert.is_true(joint:violation() <= 1e-12) end
  end)
end)

local function momentum(world)
  local sum = delassus.vec{ 0, 0, 0 }
  for _, body in ipairs(world.bodies) do sum = sum + body.mass * body.velocity end
  return sum
end

describe("a net of rigid joints", function()
  for kind, m in pairs{ spherical = 12, revolute = 9 } do -- hinges in a plane: three rows too many in every loop
    it("hangs together: gaps, momentum, energy (" .. kind .. ")", function()
      local world <close>, anchors = net(m, kind, "rigid")
      local kinetic, potential = world:energy()
      local before, h = kinetic + potential, world.dt
      for _ = 1, 10 do
        local p, weight = momentum(world), #world.bodies * 0.1 * world.gravity
        world:step()
        assert.equal(0, world.stats.unconverged)
        assert.is_true(world.stats.residual <= 1e-11, "residual " .. world.stats.residual)
        local pull = delassus.vec{ 0, 0, 0 }
        for _, joint in ipairs(anchors) do pull = pull + joint:reaction() end
        local off = (momentum(world) - p - h * (weight + pull)):norm()
        assert.is_true(off <= 1e-12 * h * weight:norm(), "momentum " .. off)
      end
      for _, joint in ipairs(world.joints) do
        local gap, angle = joint:violation()
        assert.is_true(gap <= 1e-13 and angle <= 1e-13, ("violation %g %g"):format(gap, angle))
      end
      kinetic, potential = world:energy()
      assert.is_true(kinetic > 1e-3, "it moves")
      -- second order in h omega = 1e-3 sqrt(g / 0.1) and more where it is pulled straight
      assert.is_true(math.abs(kinetic + potential - before) <= 1e-4 * kinetic, kinetic + potential - before)
      assert.is_true(world.stats.energy_balance <= 1e-11, "ledger " .. world.stats.energy_balance)
    end)
  end

  it("moves as a tree of reduced joints whose loops are closed by rigid ones", function()
    local rigid <close> = net(7, "spherical", "rigid")
    local mixed <close> = net(7, "spherical")
    rigid:step(20)
    mixed:step(20)
    local x, v = apart(rigid, mixed)
    -- a row pulled straight is as long where it bends by x as by x^2 / 0.2: gaps of 1e-17 leave x = 1e-9 open
    assert.is_true(x <= 1e-8 and v <= 1e-10, ("apart %g m, %g m/s"):format(x, v))
  end)
end)
