-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Bodies on a slope in event-driven worlds whose joint to the ground holds them where they touch it: slides along the slope,
-- hinges about its normal, what is fixed. Nothing is left for the contact to do: its row is round-off, by the trees' joints or
-- by rigid ones, and the motion is that of the joint by itself.
local delassus = require "delassus"

local STEPS, DT = 12, 0.025

local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end

--- What is given of a scene; n, t: normal of the slope and a direction in it.
local function draw(seed)
  local random = delassus.random(seed)
  local function between(a, b) return random:uniform(a, b) end
  local s = { planar = random:uniform() < 0.3, friction = random:uniform() < 0.3 and 0 or between(0.1, 1), a = between(0.1, 0.3),
    tilt = random:uniform() < 0.3 and 0 or between(-0.8, 0.8), shape = random:integer(1, 3), doubled = random:uniform() < 0.3 }
  local sin, cos = math.sin(s.tilt), math.cos(s.tilt)
  s.n, s.t = { sin, 0, cos }, { cos, 0, -sin }
  if s.planar then s.n, s.t = { sin, cos }, { cos, -sin } end
  s.length, s.wide, s.along = s.a * between(1, 3), s.a * between(1, 2), between(-1, 1)
  s.kind = s.planar and ({ "prismatic", "fixed" })[random:integer(1, 2)] or
    ({ "prismatic", "revolute", "fixed", "cylindrical" })[random:integer(1, 4)]
  if not s.planar and s.kind == "prismatic" then -- any direction in the slope
    local c, b = between(-3, 3), cross(s.n, s.t)
    for i = 1, 3 do s.t[i] = math.cos(c) * s.t[i] + math.sin(c) * b[i] end
  end
  s.force, s.torque, s.speed = between(-20, 20), between(-2, 2), random:uniform() < 0.5 and 0 or between(-1, 1)
  return s
end

local function build(s, formulation)
  local world = delassus.world{ scheme = "event-driven", dt = DT, planar = s.planar, record = false }
  world:wall{ normal = s.n, offset = 0, friction = s.friction }
  local high = s.shape == 2 and s.a / 2 or s.a
  local o = { friction = s.friction, density = 1000, position = {}, velocity = {},
    rotation = s.planar and -s.tilt or { axis = { 0, 1, 0 }, angle = s.tilt } }
  for i = 1, #s.n do o.position[i], o.velocity[i] = s.along * s.t[i] + high * s.n[i], s.speed * s.t[i] end
  local slides = s.kind == "prismatic"
  if not slides then o.velocity = nil end
  if s.kind == "revolute" then o.angular_velocity = { s.speed * s.n[1], 0, s.speed * s.n[3] } end
  local body
  if s.shape == 1 then
    o.radius = s.a
    body = s.planar and world:disk(o) or world:sphere(o)
  elseif s.shape == 2 then
    o.size = s.planar and { s.length, s.a } or { s.length, s.wide, s.a }
    body = world:box(o)
  else
    o.radius, o.length = s.a, s.length
    body = world:capsule(o)
  end
  -- cylindrical: about an axis along the slope through a round body's middle, else as a slide
  local axis = s.kind == "revolute" and s.n or s.t
  local kind = s.kind == "cylindrical" and s.shape ~= 1 and "prismatic" or s.kind
  local joint = { kind, world.ground, body, formulation = formulation, axis = kind ~= "fixed" and axis or nil }
  world:joint(joint)
  if s.doubled and kind ~= "cylindrical" then
    joint.formulation = "rigid"
    world:joint(joint)
  end
  local force, torque = {}, {}
  for i = 1, #s.n do force[i], torque[i] = s.force * s.t[i] - 3 * s.n[i], s.torque * s.n[i] end
  body:apply{ force = force, torque = not s.planar and torque or nil }
  return world, body, kind
end

--- The way along the slope after the time, and the turn about its normal.
local function exact(s, world, body, kind)
  local g, time = 0, world.time
  for i = 1, #s.n do g = g + world.gravity[i] * s.t[i] end
  local speed = (s.kind == "prismatic" or kind == "revolute") and s.speed or 0
  if kind == "prismatic" or kind == "cylindrical" then
    return s.along + speed * time + (g + s.force / body.mass) * time ^ 2 / 2, 0
  end
  local I = body.inertia
  return s.along, kind == "revolute" and speed * time + s.torque / I[3] * time ^ 2 / 2 or 0
end

describe("a contact that joints hold where it is, in an event-driven world", function()
  for _, formulation in ipairs{ "reduced", "rigid" } do
    it("leaves the motion to the joint: " .. formulation .. " (exact, 300 seeds)", function()
      for seed = 1, 300 do
        local s = draw(seed)
        local world <close>, body, kind = build(s, formulation)
        local made, why = pcall(world.step, world, STEPS)
        if not made then error(("seed %d, %s: %s"):format(seed, kind, why)) end
        local way, turn = exact(s, world, body, kind)
        local found = 0
        for i = 1, #s.n do found = found + body.position[i] * s.t[i] end
        -- 1e-9: the integrator's tolerance
        if math.abs(found - way) > 1e-9 then error(("seed %d, %s: %g m off"):format(seed, kind, found - way)) end
        if kind == "revolute" then
          local q = body.rotation -- the turn about n before that of the slope
          local c, d = math.cos(s.tilt / 2), math.sin(s.tilt / 2)
          local w, z = q[1] * c + q[3] * d, q[4] * c + q[2] * d
          local off = 2 * math.atan(z, w) - turn
          off = off - 2 * math.pi * math.floor(off / (2 * math.pi) + 0.5)
          if math.abs(off) > 1e-8 then error(("seed %d: turned %g off"):format(seed, off)) end
        end
        if math.abs(world:ledger().error) > 1e-8 * (1 + world:ledger().turnover) then
          error(("seed %d, %s: balance %g"):format(seed, kind, world:ledger().error))
        end
        for contact in world:contacts() do
          -- nothing presses but round-off
          if contact.normal_force > 1e-6 * body.mass then error(("seed %d, %s: %s"):format(seed, kind, contact)) end
        end
      end
    end)
  end
end)
