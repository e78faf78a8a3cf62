-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What world:integrate tells of its error, and that a step past the limit of stability does not pass in silence.
local delassus = require "delassus"

-- A mass on a spring (10 rad/s), or on a dashpot with the rate 200/s.
local function spring(damped)
  local world = delassus.world{ planar = true, gravity = { 0, 0 }, record = false }
  local body = world:body{ mass = 1, inertia = 1, position = { 1, 0 } }
  world:spring{ world.ground, body, stiffness = 100, length = 0, damping = damped and 200 or 0 }
  return world, damped and 100 + math.sqrt(9900) or 10
end

local function pendulum()
  local world = delassus.world{ record = false }
  local body = world:body{ mass = 1, inertia = { 0.1, 0.2, 0.1 }, position = { 1, 0, 0 } }
  local joint = world:joint{ "revolute", world.ground, body, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 } }
  return world, joint
end

describe("the error that world:integrate reports", function()
  local orders = { rk4 = 4, stormer = 6, ["semi-implicit"] = 2 } -- of one step, as estimated by the next lower order
  for method, order in pairs(orders) do
    it("falls with the order of the estimate and bounds what a step is off by: " .. method, function()
      local told, off = {}, {}
      for k, dt in ipairs{ 0.02, 0.01 } do
        local world <close>, joint = pendulum()
        told[k] = world:integrate{ method = method, dt = dt, to = 1 }.error
        local exact <close>, mark = pendulum()
        exact:integrate{ method = "dopri5", rtol = 1e-12, atol = 1e-14, to = 1 }
        off[k] = math.abs(joint.qd - mark.qd)
      end
      local seen = math.log(told[1] / told[2], 2)
      assert.is_true(seen > order - 0.3 and seen < order + 1.5, ("%s: %g, %g"):format(method, told[1], told[2]))
      -- over 50 steps, relative to 4 rad/s or so
      assert.is_true(off[1] < 50 * 5 * told[1] and off[2] < 100 * 5 * told[2], ("%s: off %g, told %g"):format(method,
        off[1], told[1]))
    end)
  end

  it("is not there where nothing could be estimated, and is dopri5's in its tolerances", function()
    local world <close> = pendulum()
    assert.is_nil(world:integrate{ method = "rk4", dt = 0.01, to = 0.01 }.error)
    local error = world:integrate{ method = "dopri5", to = 0.5 }.error
    assert.is_true(error > 0 and error <= 1)
  end)

  it("refuses steps past the limit of stability, and puts the world back", function()
    -- undamped: rk4 2.83, symplectic Euler 2; damped 2.79, 2
    local limits = { rk4 = { 2.83, 2.79 }, ["semi-implicit"] = { 2, 2 } }
    for method, limit in pairs(limits) do
      for k = 1, 2 do
        for _, side in ipairs{ 0.93, 1.03 } do
          local world <close>, rate = spring(k == 2)
          local hash, dt = world:hash(), side * limit[k] / rate
          local ok, report = pcall(world.integrate, world, { method = method, dt = dt, to = 300 * dt })
          local what = ("%s, %d, %g"):format(method, k, side)
          if side < 1 then
            assert.is_true(ok, what .. tostring(report))
            assert.is_true(report.error > 0.3, what) -- it says how rough that is
          else
            assert.is_false(ok, what)
            assert.is_truthy(report:find("world:integrate: near t = ", 1, true), report)
            assert.is_truthy(report:find("the estimated error of a step is as large as the motion itself", 1, true), report)
            assert.equal(hash, world:hash())
          end
        end
      end
    end
    local world <close> = spring(true)
    assert.is_false((pcall(world.integrate, world, { method = "stormer", dt = 0.005, to = 2 })))
  end)

  it("lets a force that is switched on from rest pass", function()
    for _, method in ipairs{ "rk4", "stormer", "semi-implicit" } do
      local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, record = false }
      local body = world:body{ mass = 1, inertia = 1 }
      world:field(function(_, t) return { t > 0.5 and 1 or 0, 0 } end)
      world:integrate{ method = method, dt = 0.01, to = 1 }
      assert.near(0.5, body.velocity.x, 0.02, method)
    end
  end)
end)
