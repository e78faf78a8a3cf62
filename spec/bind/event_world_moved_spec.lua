-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- The ledger of event-driven worlds where somebody moves bodies, joints and gaps, fields act, joints are penalties and
-- motors have no bound; compliant gap functions; such motors in penalty joints.
local delassus = require "delassus"
local seeds = require "support.seeds"

local sin, cos = math.sin, math.cos

local function new(o)
  o.scheme, o.record = "event-driven", false
  return delassus.world(o)
end

--- A table that shakes, or a belt that runs.
local function moving_plane(world, r, o)
  local planar, body = world.planar, { type = "kinematic", friction = 0.3 }
  for k, v in pairs(o) do body[k] = v end
  local a, w, v = r:uniform(0, 0.04), r:uniform(5, 20), r:uniform(-1, 1)
  if planar then
    body.shape = delassus.plane{ normal = { 0, 1 }, offset = 0 }
    body.motion = function(t)
      return { v * t, a * sin(w * t) }, 0, { v, a * w * cos(w * t) }, 0, { 0, -a * w * w * sin(w * t) }, 0
    end
  else
    body.shape = delassus.plane{ normal = { 0, 0, 1 }, offset = 0 }
    body.motion = function(t)
      local turn, s, c = { 0, 0, 0 }, a * sin(w * t), a * cos(w * t)
      return { v * t, 0, s }, { 1, 0, 0, 0 }, { v, 0, w * c }, turn, { 0, 0, -w * w * s }, turn
    end
  end
  return world:body(body)
end

local function at(planar, x, z) return planar and { x, z } or { x, 0, z } end

--- A joint that hangs `b` on `a`: free, prescribed, driven by a motor with or without bound.
local function hinge(world, r, a, b, anchor)
  local o = { "revolute", a, b, anchor = anchor, axis = not world.planar and { 0, 1, 0 } or nil,
    formulation = ({ "reduced", "rigid", "penalty" })[r:integer(1, 3)] }
  local s, w = r:uniform(0.2, 0.8), r:uniform(2, 8)
  local which = r:integer(1, 5)
  if which == 1 then o.motion = function(t) return s * sin(w * t), s * w * cos(w * t), -s * w * w * sin(w * t) end
  elseif which == 2 then o.motor = { speed = r:uniform(-2, 2) }
  elseif which == 3 then o.motor = { speed = r:uniform(-2, 2), max_torque = 0.2 } end
  if which ~= 1 and r:uniform(0, 1) < 0.5 then o.damping, o.stiffness = r:uniform(0, 0.1), r:uniform(0, 1) end
  if which ~= 1 and which ~= 2 and r:uniform(0, 1) < 0.3 then o.friction = 0.05 end
  return world:joint(o)
end

--- A moving plane with one or two balls above it, a pendulum of two bodies high above from the ground or a moving body, a
-- field, springs; in the plane a gap function of time, compliant or not.
local function scene(seed)
  local r = delassus.random(seed)
  local planar = r:uniform(0, 1) < 0.6
  local world = new{ planar = planar, dt = 1e-2 }
  local law = r:uniform(0, 1) < 0.5 and { stiffness = 4e3, damping = 15 } or { restitution = r:uniform(0, 0.7) }
  local make = planar and world.disk or world.sphere
  local floor = moving_plane(world, r, law)
  local before
  for i = 1, r:integer(1, 2) do
    local o = { radius = 0.1, mass = r:uniform(0.5, 2), position = at(planar, 0.4 * i, r:uniform(0.12, 0.25)), friction = 0.3 }
    for k, v in pairs(law) do o[k] = v end
    before = make(world, o)
  end
  if r:uniform(0, 1) < 0.4 then world:spring{ floor, before, stiffness = 30, damping = r:uniform(0, 1), length = 0.2 } end
  local base = world.ground
  if r:uniform(0, 1) < 0.5 then
    local a, w = r:uniform(0.05, 0.1), r:uniform(3, 9)
    local still, turn = planar and 0 or { 1, 0, 0, 0 }, planar and 0 or { 0, 0, 0 }
    base = world:body{ type = "kinematic", position = at(planar, 0, 3), motion = function(t)
      local s, c = a * sin(w * t), a * cos(w * t)
      return at(planar, s, 3), still, at(planar, w * c, 0), turn, at(planar, -w * w * s, 0), turn
    end }
  end
  local inertia = planar and 0.02 or { 0.02, 0.03, 0.02 }
  local one = world:body{ mass = r:uniform(0.5, 1.5), inertia = inertia, position = at(planar, 0.3, 3) }
  local two = world:body{ mass = r:uniform(0.5, 1.5), inertia = inertia, position = at(planar, 0.7, 3) }
  hinge(world, r, base, one, at(planar, 0, 3))
  hinge(world, r, one, two, at(planar, 0.5, 3))
  if r:uniform(0, 1) < 0.5 then
    local c, w = r:uniform(0, 3), r:uniform(1, 9)
    world:field(function(body, t)
      local v = body.velocity
      return at(planar, c * sin(w * t) - 0.2 * v.x, 0), planar and 0.05 * cos(t) or { 0, 0.05 * cos(t), 0 }
    end)
  end
  if planar and r:uniform(0, 1) < 0.6 then
    local slope, w = r:uniform(-0.3, 0.3), r:uniform(5, 15)
    local ball = world:disk{ radius = 0.1, mass = 1, position = { 3, 0.25 }, friction = 0.3 }
    local first = world:index(ball)
    local o = { world.ground, ball, friction = 0.2,
      gap = function(q, t) return q[first + 1] - slope * (q[first] - 3) - 0.1 - 0.04 * sin(w * t) end,
      gradient = function(q)
        local g = {}
        for k = 1, #q do g[k] = 0 end
        g[first], g[first + 1] = -slope, 1
        return g
      end }
    for k, v in pairs(law) do o[k] = v end
    world:contact(o)
  end
  return world
end

describe("event-driven worlds that somebody moves", function()
  it("go on where nothing moves freely: kinematic bodies, what a driven joint carries, worlds with nothing in them", function()
    for _, planar in ipairs{ true, false } do
      local world, failing = new{ planar = planar, dt = 0.01 }, false
      local function vec(x, y) return planar and { x, y } or { x, y, 0 } end
      world:step(3)
      local round = planar and world.disk or world.sphere
      local belt = round(world, { type = "kinematic", radius = 1, velocity = vec(2, 0) })
      local lift = round(world, { type = "kinematic", radius = 1, position = vec(0, 5),
        motion = function(t)
          if failing then error("no further") end
          return vec(0, 5 + t * t), planar and 0 or { 1, 0, 0, 0 }, vec(0, 2 * t), planar and 0 or { 0, 0, 0 }
        end })
      local bar = round(world, { radius = 0.2, density = 500, position = vec(9.5, 0) })
      world:joint{ "revolute", world.ground, bar, anchor = vec(9, 0), axis = not planar and { 0, 0, 1 } or nil,
        formulation = "reduced", motion = function(t) return 3 * (t - 0.03), 3, 0 end }
      world:step(4)
      local kept, hash = world:snapshot(), world:hash()
      failing = true
      assert.is_false(pcall(world.step, world))
      assert.equal(hash, world:hash())
      failing = false
      for _ = 1, 2 do
        world:step(3)
        assert.near(0.1, world.time, 1e-15)
        assert.near(0.14, belt.position.x, 1e-15)
        assert.near(5.01, lift.position.y, 1e-15)
        assert.near(0.2, lift.velocity.y, 1e-15)
        assert.near(9 + 0.5 * cos(0.21), bar.position.x, 1e-14)
        assert.near(1.5 * cos(0.21), bar.velocity.y, 1e-14)
        world:restore(kept)
      end
    end
  end)

  it("have a ledger that adds up in 200 random scenes", function()
    local seen, most = {}, 0
    for seed = 1, seeds(200) do
      local world = scene(seed)
      world:run(0.15)
      local l = world:ledger()
      local given = l.forces + l.springs + l.kinematic - l.friction - l.impact - l.damping + l.correction
      assert.near(l.kinetic + l.potential + l.stored - given, l.error, 1e-12 * l.turnover, "seed " .. seed)
      assert.is_true(math.abs(l.error) < 2e-9 * l.turnover, ("seed %d: %g"):format(seed, l.error / l.turnover))
      most = math.max(most, math.abs(l.error) / l.turnover)
      for _, name in ipairs{ "forces", "springs", "kinematic", "damping", "impact", "friction", "stored" } do
        if math.abs(l[name]) > 0.01 then seen[name] = (seen[name] or 0) + 1 end
      end
    end
    if os.getenv("TELL") then print(most) for k, v in pairs(seen) do print(k, v) end end
    for _, name in ipairs{ "forces", "kinematic", "damping", "impact", "friction", "stored" } do
      assert.is_true((seen[name] or 0) > seeds.least(50), name .. " " .. (seen[name] or 0))
    end
  end)
end)
