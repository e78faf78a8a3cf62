-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Kinematic bodies that move by a function of time.
local delassus = require "delassus"

local function near(expected, got, tolerance)
  for i = 1, #expected do
    local off = math.abs(expected[i] - got[i])
    if off > tolerance or off ~= off then
      error(("[%d]: expected %.17g, got %.17g (off by %.3g)"):format(i, expected[i], got[i], off), 2)
    end
  end
end

describe("a body's motion", function()
  it("places the body when it is made, by the origin of its frame", function()
    local world <close> = delassus.world { record = false }
    local shape = delassus.cone { radius1 = 1, radius2 = 0.2, length = 2 }
    local body = world:body { type = "kinematic", shape = shape, motion = function(t)
      return { 1, 2, t }, { axis = { 0, 0, 1 }, angle = 3 * t + 0.5 }
    end }
    local function check()
      local t = world.time
      near({ 1, 2, t }, body.position, 1e-15)
      near({ 1 + body.com.x * math.cos(3 * t + 0.5), 2 + body.com.x * math.sin(3 * t + 0.5), t }, body.centre, 1e-14)
      near({ 0, 0, 3 }, body.angular_velocity, 1e-9)
      near({ 0, 0, 1 }, body:velocity_at { 1, 2, 7 }, 1e-9) -- the frame's axis
    end
    assert.is_true(body.com.x < -0.3)
    check()
    world:step(5)
    check()
    body.motion = function(t) return { 5, t, 0 } end
    near({ 5, world.time, 0 }, body.position, 1e-15)
    near({ 0, 1, 0 }, body:velocity_at(body.position), 1e-10)
    near({ 0, 0, 0 }, body.angular_velocity, 0)
  end)

  it("that fails is told by the first step, not where it is given", function()
    local world <close> = delassus.world { record = false }
    local met
    local body = world:body { type = "kinematic", position = { 1, 2, 3 }, motion = function()
      met = select(2, pcall(world.step, world))
      error("no way", 0)
    end }
    assert.truthy(met:find("while the world steps", 1, true))
    near({ 1, 2, 3 }, body.position, 0)
    local before = world:hash()
    assert.has_error(function() world:step() end, "no way")
    assert.equal(before, world:hash())
    body.motion = function() return { 0, 0 } end
    assert.has_error(function() world:step() end, "motion: 'position' must be a list of 3 numbers, got 2")
    assert.equal(before, world:hash())
  end)

  for _, planar in ipairs { false, true } do
    it("is differenced for what hangs on it where it tells no rates" .. (planar and ", in the plane" or ""), function()
      local function turn(angle)
        if planar then return angle end
        return { axis = { 0, 0, 1 }, angle = angle }
      end
      local function spin(rate)
        if planar then return rate end
        return { 0, 0, rate }
      end
      local function point(x, y) return planar and { x, y } or { x, y, 0 } end
      local sin, cos = math.sin, math.cos
      local told = { -- the mass centre is at 0.4 from the origin
        function(t) return point(sin(2 * t), t * t), turn(sin(t)) end,
        function(t)
          local a, w, e, r = sin(t), cos(t), -sin(t), 0.4
          return point(sin(2 * t), t * t), turn(a),
            point(2 * cos(2 * t) - r * w * sin(a), 2 * t + r * w * cos(a)), spin(w),
            point(-4 * sin(2 * t) - r * (e * sin(a) + w * w * cos(a)), 2 + r * (e * cos(a) - w * w * sin(a))), spin(e)
        end,
        function(t)
          local a, w, r = sin(t), cos(t), 0.4
          return point(sin(2 * t), t * t), turn(a),
            point(2 * cos(2 * t) - r * w * sin(a), 2 * t + r * w * cos(a)), spin(w)
        end }
      local results = {}
      for i, motion in ipairs(told) do
        local world <close> = delassus.world { record = false, planar = planar, gravity = point(0, -9.81) }
        local base = world:body { type = "kinematic", com = point(0.4, 0), motion = motion }
        local bob = world:body { mass = 2, inertia = planar and 0.3 or { 0.1, 0.2, 0.3 }, position = point(1, 1) }
        local joint = world:joint { "revolute", base, bob, anchor = point(0.5, 0.2), axis = not planar and { 0, 0, 1 } or nil }
        local udot = world:accelerations()[1]
        local force, moment = joint:reaction()
        world:integrate { method = "rk4", dt = 5e-3, to = 0.5 }
        results[i] = { udot, force[1], force[2], planar and moment or moment[3], joint.q, joint.qd }
      end
      assert.is_true(math.abs(results[1][1]) > 1)
      near(results[2], results[1], 1e-5) -- second differences of positions
      near(results[2], results[3], 1e-7)
    end)
  end
end)

describe("a given body's velocity that is set", function()
  for _, planar in ipairs { false, true } do
    local where = planar and "plane" or "space"
    local function point(x, z) return planar and { x, z } or { x, 0, z } end
    local function pendulum(scheme, formulation, gravity)
      local world = delassus.world { record = false, planar = planar, scheme = scheme, dt = 1e-3, gravity = point(0, gravity) }
      local cart = world:body { type = "kinematic" }
      local bob = world:body { mass = 2, inertia = planar and 0.3 or { 0.3, 0.3, 0.3 }, position = point(0, -1.5) }
      local joint = world:joint { "revolute", cart, bob, anchor = point(0, 0), axis = not planar and { 0, 1, 0 } or nil,
        formulation = formulation }
      return world, cart, bob, joint
    end

    -- The pivot jumps to v: omega = m l v/(I + m l^2). A hinge transmits no moment about its axis.
    it("is a blow to what hangs on it, in every formulation: " .. where, function()
      for _, scheme in ipairs { "time-stepping", "event-driven" } do
        for _, formulation in ipairs { "reduced", "rigid" } do
          local world <close>, cart, bob = pendulum(scheme, formulation, 0)
          local function omega() return math.abs(planar and bob.angular_velocity or bob.angular_velocity.y) end
          cart.velocity = point(0.7, 0)
          world:step()
          near({ 2 * 1.5 * 0.7 / (0.3 + 2 * 1.5 ^ 2) }, { omega() }, 1e-6)
          cart.velocity = point(0, 0)
          cart.angular_velocity = planar and 3 or { 0, 3, 0 }
          world:step()
          near({ 0 }, { omega() }, 1e-5)
        end
      end
    end)

    it("moves it as a motion of that velocity does: " .. where, function()
      local found = {}
      for i, formulation in ipairs { "reduced", "rigid", "reduced" } do
        local world <close>, cart, bob, joint = pendulum("time-stepping", formulation, -9.81)
        if i == 3 then
          cart.motion = function(t) return point((1 - math.cos(3 * t)) / 6, 0), nil, point(0.5 * math.sin(3 * t), 0) end
        end
        local most = 0
        for _ = 1, 1000 do
          if i < 3 then cart.velocity = point(0.5 * math.sin(3 * (world.time + 0.5e-3)), 0) end
          world:step()
          most = math.max(most, math.abs(joint.q))
        end
        found[i] = { most, bob.position[1] }
      end
      near(found[1], found[2], 1e-6)
      near(found[3], found[1], 1e-3)
      assert.is_true(found[1][1] > 0.1)
    end)
  end
end)
