-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Thin bodies on what is thick: what forces and arcs lead them into it by, in a step, is more than they are thick.
local delassus = require "delassus"

local G, LENGTH, INERTIA = 9.81, 1, 1 / 12

--- A ladder on a smooth floor, let go at the angle `from`: its angle after `time`, by the method of Runge and Kutta. Its
--- end is where a box of that thickness has its corner, or a capsule its round.
local function ladder(from, time, thickness)
  local function rate(a, w)
    local lever = LENGTH / 2 * math.cos(a) - thickness / 2 * math.sin(a) -- d(height)/da
    local bend = -LENGTH / 2 * math.sin(a) - thickness / 2 * math.cos(a)
    return (-G * lever - lever * bend * w * w) / (INERTIA + lever * lever)
  end
  local a, w, h = from, 0, time / 1000
  for _ = 1, 1000 do
    local k1 = rate(a, w)
    local k2 = rate(a + h / 2 * w, w + h / 2 * k1)
    local k3 = rate(a + h / 2 * w + h * h / 4 * k1, w + h / 2 * k2)
    local k4 = rate(a + h * w + h * h / 2 * k2, w + h * k3)
    a, w = a + h * w + h * h / 6 * (k1 + k2 + k3), w + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
  end
  return a
end

local function put_floor(world, kind, planar)
  if kind == "plane" then return world:floor{ friction = 0 } end
  local size, place = { 10, 10, 0.5 }, { 0, 0, -0.25 }
  if planar then size, place = { 10, 0.5 }, { 0, -0.25 } end
  world:box{ type = kind, size = size, position = place, friction = 0 }
end

--- When a pencil, let go `from` upright, begins to slip on a floor of friction mu: it stands on its point till then.
local function slip_of(from, mu)
  local a, w, t, h = from, 0, 0, 1e-4
  while true do
    local turn = 1.5 * G * math.sin(a)
    local along, up = (turn * math.cos(a) - w * w * math.sin(a)) / 2, G - (turn * math.sin(a) + w * w * math.cos(a)) / 2
    if math.abs(along) > mu * up then return t end
    local half = a + h / 2 * w
    w = w + h * 1.5 * G * math.sin(half)
    a, t = half + h / 2 * w, t + h
  end
end

describe("a pencil that falls over", function()
  it("presses evenly, however thin it is, and slips when it is to", function()
    for _, planar in ipairs{ true, false } do
      for _, radius in ipairs{ 1e-3, 1e-4, 1e-6 } do
        local world <close> = delassus.world{ planar = planar, dt = 5e-4, record = false }
        world:floor{ friction = 0.5 }
        local from, told = 0.05, ("%s, radius %g"):format(planar and "in the plane" or "in space", radius)
        local x, z = math.sin(from) / 2, math.cos(from) / 2 + radius
        world:capsule{ radius = radius, length = LENGTH, mass = 1, inertia = planar and INERTIA or { INERTIA, INERTIA, INERTIA },
          friction = 0.5, position = planar and { x, z } or { x, 0, z },
          rotation = planar and math.pi / 2 - from or { axis = { 0, -1, 0 }, angle = math.pi / 2 - from } }
        local last, slips = nil, nil
        while not slips and world.time < 1 do
          world:step()
          local contact = world:contacts()()
          assert.truthy(contact, told)
          local force = contact.normal_force
          if last and math.abs(force - last) > 0.01 * G then error(("%s: %g N, then %g"):format(told, last, force)) end
          last, slips = force, contact.state == "slip" and world.time or nil
        end
        assert.near(slip_of(from, 0.5), slips, 6 * world.dt, told) -- 5 are seen: its round rolls
      end
    end
  end)
end)

describe("a ladder that slides down on a smooth floor", function()
  for _, kind in ipairs{ "plane", "static", "kinematic" } do
    it("does so however thin it is, exact: on what is " .. kind, function()
      for _, planar in ipairs{ true, false } do
        for _, dt in ipairs{ 1e-3, 1e-2 } do
          for _, thickness in ipairs{ 1e-3, 1e-5 } do
            for _, round in ipairs{ true, false } do
              local world <close> = delassus.world{ planar = planar, dt = dt, record = false }
              put_floor(world, kind, planar)
              local from, lever = 1.2, round and 0 or thickness
              local height = LENGTH / 2 * math.sin(from) + thickness / 2 * (round and 1 or math.cos(from))
              local body = world[round and "capsule" or "box"](world, {
                radius = round and thickness / 2 or nil, length = round and LENGTH or nil,
                size = not round and (planar and { LENGTH, thickness } or { LENGTH, thickness, thickness }) or nil,
                mass = 1, inertia = planar and INERTIA or { INERTIA, INERTIA, INERTIA }, friction = 0,
                position = planar and { 0, height } or { 0, 0, height },
                rotation = planar and from or { axis = { 0, -1, 0 }, angle = from } })
              local kinetic, potential = world:energy()
              local start = kinetic + potential
              world:run(0.3)
              kinetic, potential = world:energy()
              local turn = body.rotation
              local angle = planar and turn or 2 * math.atan(-turn[3], turn[1])
              local told = ("%s, thickness %g, dt %g"):format(round and "capsule" or "box", thickness, dt)
              -- First order: the tip is held where it is in the middle of the step. 0.3 dt are seen; on boxes, which another
              -- corner of it touches from 45 degrees on, 0.9 dt.
              local most = (kind == "plane" and 0.5 or 1.2) * dt
              assert.near(ladder(from, world.time, lever), angle, most, told)
              assert.near(0, (kinetic + potential - start) / kinetic, most, told)
            end
          end
        end
      end
    end)
  end
end)

describe("a plank that is let fall on a floor", function()
  -- By both ends in turn it would rock for ever, at g dt/2.
  it("comes to rest, however long the step is", function()
    for _, planar in ipairs{ true, false } do
      for _, kind in ipairs{ "plane", "static" } do
        for _, thickness in ipairs{ 1e-2, 1e-3 } do
          for _, shape in ipairs{ "box", "capsule" } do
            local world <close> = delassus.world{ planar = planar, dt = 1 / 60, record = false }
            put_floor(world, kind, planar)
            local round, height = shape == "capsule", thickness / 2 + 0.1
            local plank = world[shape](world, { mass = 1,
              radius = round and thickness / 2 or nil, length = round and 1 or nil,
              size = not round and (planar and { 1, thickness } or { 1, thickness, thickness }) or nil,
              position = planar and { 0, height } or { 0, 0, height },
              rotation = planar and 0.1 or { axis = { 0, 1, 0 }, angle = 0.1 } })
            world:run(1.5)
            for _ = 1, 3 do
              world:step()
              local told = ("%s, %s, thickness %g, %s"):format(planar and "in the plane" or "in space", kind, thickness, shape)
              local w = plank.angular_velocity
              assert.near(0, planar and plank.velocity.y or plank.velocity.z, 1e-3, told)
              assert.near(0, planar and w or w.y, 1e-3, told) -- about the vertical it may turn
            end
          end
        end
      end
    end
  end)
end)

describe("a wire that flies freely", function()
  --- Of a round one: its axis goes about the angular momentum L by |L|/J, and it keeps its spin.
  it("turns as it should however thin it is, exact: axis, spin, energy", function()
    for _, dt in ipairs{ 1e-3, 1e-2 } do
      for _, radius in ipairs{ 1e-2, 1e-3, 1e-4, 1e-5 } do
        local world <close> = delassus.world{ dt = dt, record = false }
        local wire = world:capsule{ radius = radius, length = 1, mass = 1, angular_velocity = { 0.5, 1, 2 } }
        local J, told = wire.inertia[2], ("radius %g, dt %g"):format(radius, dt)
        local L = delassus.vec{ wire.inertia[1] * 0.5, J * 1, J * 2 }
        local kinetic = world:energy()
        world:run(1)
        local about, axis, angle = 1 / L:norm() * L, delassus.vec{ 1, 0, 0 }, L:norm() / J * world.time
        local along = axis:dot(about)
        local wanted = math.cos(angle) * axis + math.sin(angle) * about:cross(axis) + (1 - math.cos(angle)) * along * about
        local q, v = wire.rotation, wire.velocity
        local own = delassus.vec{ 1 - 2 * (q[3] ^ 2 + q[4] ^ 2), 2 * (q[2] * q[3] + q[1] * q[4]),
          2 * (q[2] * q[4] - q[1] * q[3]) }
        assert.near(0, (own - wanted):norm(), radius < 1e-2 and 1e-9 or 4 * dt * dt, told)
        assert.near(0.5, own:dot(wire.angular_velocity), 1e-3 * (1e-5 / radius) ^ 2 + 1e-9, told) -- round-off of L over J_1
        assert.near(kinetic, world:energy() - v:dot(v) / 2, 1e-10, told)
      end
    end
  end)

  it("keeps its energy where it is flat, conserved", function()
    for _, dt in ipairs{ 1e-3, 1e-2 } do
      for _, breadth in ipairs{ 1e-3, 1e-4, 1e-5 } do
        for _, spin in ipairs{ 0.5, 20 } do
          local world <close> = delassus.world{ dt = dt, record = false, gravity = { 0, 0, 0 } }
          world:box{ size = { 1, breadth, 2 * breadth }, mass = 1, angular_velocity = { spin, 1, 2 } }
          local kinetic, moment = world:energy(), select(2, world:momentum())
          world:run(1)
          local told = ("breadth %g, spin %g, dt %g"):format(breadth, spin, dt)
          assert.near(0, world:energy() / kinetic - 1, 1e-10, told)
          assert.near(0, (select(2, world:momentum()) - moment):norm(), 1e-11, told)
        end
      end
    end
  end)
end)

--- Rods one behind the other on ball joints from `base` on, each with that spin about itself; their directions.
local function rods(world, base, n, radius, spin, formulation)
  local random, made, joints = delassus.random(1), {}, {}
  local last, place, v = base, delassus.vec{ 0, 0, 0 }, delassus.vec{ 0, 0, 0 }
  local function some() return delassus.vec{ random:uniform(-1, 1), random:uniform(-1, 1), random:uniform(-1, 1) } end
  for k = 1, n do
    local along, turn = some(), some()
    along = 1 / along:norm() * along
    local axis = delassus.vec{ 1, 0, 0 }:cross(along)
    local omega = 1.5 * (turn - turn:dot(along) * along) + spin * along
    made[k] = world:capsule{ radius = radius, length = 1, mass = 1, position = place + 0.5 * along, collides = false,
      rotation = { axis = axis, angle = math.atan(axis:norm(), along.x) }, angular_velocity = omega,
      velocity = v + omega:cross(0.5 * along) }
    if last then joints[#joints + 1] = { "ball", last, made[k], anchor = place, formulation = formulation } end
    last, place, v = made[k], place + along, v + omega:cross(along)
  end
  for _, joint in ipairs(joints) do world:joint(joint) end -- reduced ones carry their bodies' velocities from now on
  return made, function(rod)
    local q = rod.rotation
    return delassus.vec{ 1 - 2 * (q[3] ^ 2 + q[4] ^ 2), 2 * (q[2] * q[3] + q[1] * q[4]), 2 * (q[2] * q[4] - q[1] * q[3]) }
  end
end

describe("rods on ball joints", function()
  -- No force at a point of its axis has a moment about it: a round rod keeps its spin.
  for _, formulation in ipairs{ "reduced", "rigid" } do
    it("keep spin and energy however thin they are, conserved: " .. formulation, function()
      for _, n in ipairs{ 1, 2 } do
        for _, radius in ipairs{ 5e-2, 3e-3, 1e-4 } do
          for _, spin in ipairs{ 0, 20 } do
            local world <close> = delassus.world{ dt = 1 / 60, record = false }
            local made, own = rods(world, world.ground, n, radius, spin, formulation)
            local kinetic, potential = world:energy()
            local start, told = kinetic + potential, ("%d of radius %g, spin %g"):format(n, radius, spin)
            for _ = 1, 120 do
              world:step()
              kinetic, potential = world:energy()
              assert.near(start, kinetic + potential, n == 1 and 2e-3 or 0.1, told) -- 5e-4 and 0.05 of 1 and 10 J are seen
              for _, rod in ipairs(made) do assert.near(spin, own(rod):dot(rod.angular_velocity), 0.02, told) end
            end
          end
        end
      end
    end)
  end

  it("do not gain by the semi-implicit scheme", function()
    for _, radius in ipairs{ 5e-2, 3e-3, 1e-4 } do
      local world <close> = delassus.world{ dt = 1 / 60, record = false, scheme = "semi-implicit" }
      rods(world, world.ground, 3, radius, 0, "reduced")
      local kinetic, potential = world:energy()
      local start = kinetic + potential
      for _ = 1, 120 do
        world:step()
        kinetic, potential = world:energy()
        assert.is_true(kinetic + potential < start + 1e-9, ("radius %g"):format(radius))
      end
    end
  end)

  it("turn with their angular momenta by the semi-implicit scheme too, conserved", function()
    for _, formulation in ipairs{ "reduced", "rigid" } do
      local world <close> = delassus.world{ dt = 1 / 60, record = false, scheme = "semi-implicit", gravity = { 0, 0, 0 } }
      local box = world:box{ size = { 1, 0.5, 0.1 }, mass = 1, angular_velocity = { 1, 2, 3 } }
      world:joint{ "ball", world.ground, box, anchor = { 0, 0, 0 }, formulation = formulation }
      local moment = select(2, world:momentum())
      world:run(2)
      assert.near(0, (select(2, world:momentum()) - moment):norm(), 1e-12, formulation)
    end
  end)

  it("are the same reduced and rigid, and keep their angular momentum in flight", function()
    for _, radius in ipairs{ 5e-2, 3e-3, 1e-4 } do
      local worlds, made = {}, {}
      for k, formulation in ipairs{ "reduced", "rigid" } do
        worlds[k] = delassus.world{ dt = 1 / 60, record = false, gravity = { 0, 0, 0 } }
        made[k] = rods(worlds[k], nil, 4, radius, 0, formulation)
        local moment, kinetic = select(2, worlds[k]:momentum()), worlds[k]:energy()
        worlds[k]:run(5)
        local told = ("%s, radius %g"):format(formulation, radius)
        assert.near(0, (select(2, worlds[k]:momentum()) - moment):norm(), 1e-9, told)
        assert.near(kinetic, worlds[k]:energy(), 1e-3 * kinetic, told)
      end
      for k = 1, 4 do
        local apart = (made[1][k].position - made[2][k].position):norm()
        assert.is_true(apart < 1e-5, ("radius %g, rod %d: %g m"):format(radius, k, apart)) -- 1e-8 are seen
      end
      worlds[1]:close()
      worlds[2]:close()
    end
  end)
end)
