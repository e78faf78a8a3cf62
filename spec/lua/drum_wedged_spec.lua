-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Logs of one size fit between two lifters so that they wedge each other: impulses along the kernel of W, which do nothing, may
-- then have any size. The report of a drum has to be right all the same. Oracle: the angular momentum of the logs.
local delassus = require "delassus"
local drum = require "delassus.drum"

--- Angular momentum of the logs of a planar drum about its axis, and the moment of their weights.
local function momentum(d)
  local sum, weight = 0, 0
  for _, log in ipairs(d.logs) do
    local c, v = log.centre, log.velocity
    sum = sum + log.mass * (c[1] * v[2] - c[2] * v[1]) + log.inertia * log.angular_velocity
    weight = weight - 9.81 * log.mass * c[1]
  end
  return sum, weight
end

--- The inside of a drum with eight lifters: its own shape, boxes, triangles.
local function drum_shape(planar)
  return delassus.drum{ radius = 1, length = not planar and 2 or nil, lifters = { count = 8, height = 0.15, width = 0.1 } }
end

local function around(n, each)
  for k = 0, n - 1 do each(2 * math.pi * k / n) end
end

local function compound()
  local parts = {}
  local function box(r, t, size)
    parts[#parts + 1] = { delassus.box{ size = size }, position = { r * math.cos(t), r * math.sin(t) }, rotation = t }
  end
  around(128, function(t) box(1.05, t, { 0.1, 0.06 }) end)
  around(8, function(t) box(0.925, t, { 0.15, 0.1 }) end)
  return delassus.compound(parts)
end

local function mesh()
  local points, faces = {}, {}
  local function quad(a, b, c, d) faces[#faces + 1], faces[#faces + 2] = { a, b, c }, { a, c, d } end
  local function row(r, across, t) -- two points along the axis
    local x, y = r * math.cos(t) - across * math.sin(t), r * math.sin(t) + across * math.cos(t)
    points[#points + 1], points[#points + 2] = { -1, x, y }, { 1, x, y }
    return #points - 1
  end
  local shell, n = {}, 64
  around(n, function(t) shell[#shell + 1] = row(1, 0, t) end)
  for k = 1, n do
    local a, b = shell[k], shell[k % n + 1]
    quad(a, b, b + 1, a + 1)
  end
  around(8, function(t)
    local a, b, c, d = row(1, -0.05, t), row(0.85, -0.05, t), row(0.85, 0.05, t), row(1, 0.05, t)
    quad(a, b, b + 1, a + 1)
    quad(b, c, c + 1, b + 1)
    quad(c, d, d + 1, c + 1)
  end)
  return delassus.mesh{ vertices = points, faces = faces }
end

--- The drum of drum_shape, angle on, as one kinematic body of the shape make(planar), or (false) as a shell and lifters.
local function turning_drum(world, make, planar, material, angle, omega)
  local function turned(a) return planar and a or { axis = { 1, 0, 0 }, angle = a } end
  local function across(y, z) return planar and { y, z } or { 0, y, z } end
  local function body(shape, motion)
    world:body{ type = "kinematic", shape = shape, material = material, rotation = not motion and turned(angle) or nil,
      angular_velocity = not motion and (planar and omega or { omega, 0, 0 }) or nil, motion = motion }
  end
  if make then return body(make(planar)) end
  body(delassus.drum{ radius = 1, length = not planar and 2 or nil })
  local lifter = delassus.box{ size = planar and { 0.15, 0.1 } or { 2, 0.15, 0.1 } }
  around(8, function(at)
    body(lifter, function(t)
      local a, r = angle + at + omega * t, 0.925
      local c, s = math.cos(a), math.sin(a)
      return across(r * c, r * s), turned(a), across(-omega * r * s, omega * r * c), planar and omega or { omega, 0, 0 }
    end)
  end)
end

describe("a drum of logs of one size", function()
  -- 5e5 to 1e7 W were reported where 2,800 were; without a rebound 9,700 with no step missed.
  it("reports the power and the torque that the logs take up, at any friction and restitution", function()
    for _, law in ipairs{ { 0.4, 0 }, { 0.4, 0.2 }, { 0.8, 0 }, { 0.6, 0.5 } } do
      local material = delassus.material{ friction = law[1], restitution = law[2] }
      local d = drum{ planar = true, diameter = 2, rpm = 10, fill = 0.4, dt = 4e-3, material = material,
        logs = { diameter = 0.2, material = material } }
      d:settle()
      local world, omega = d.world, d.rpm * math.pi / 30
      d:run{ time = world.dt }
      local last, weight = momentum(d)
      local before, given = world:ledger().kinematic, 0
      for _ = 1, 400 do
        d:run{ time = world.dt }
        local now, weighs = momentum(d)
        given = given + (now - last - world.dt * (weight + weighs) / 2) * omega
        last, weight = now, weighs
      end
      local told = world:ledger().kinematic - before
      local what = ("friction %g, restitution %g: %g of %g J"):format(law[1], law[2], told, given)
      assert.is_true(math.abs(told - given) < 2e-3 * given, what)
      local report = d:report()
      assert.near(report.power, report.torque * omega, 1e-9 * report.power, what)
      assert.is_true(report.power > 2000 and report.power < 4000, what .. ", W " .. report.power)
      world:close()
    end
  end)

  -- Three logs that turn with the pocket between two lifters; in space as capsules. 3e14 N, nine steps of ten missed; in
  -- compounds 8e15 N, in meshes 1e15 N, between bodies that turn together 7e15 N. Their weight is 800 N.
  it("holds three of them between two lifters by forces that have a measure, of any shape, speed and tolerance", function()
    local places = { { -0.52142918058345655, -0.73356121493939264 }, { -0.3465509249299345, -0.83060366988816836 },
      { -0.15, -0.86757740241995307 } }
    local angle = 2.5090853326671 -- the pocket is high up
    local c, s = math.cos(angle), math.sin(angle)
    for _, of in ipairs{ { drum_shape, true }, { drum_shape, false }, { compound, true }, { mesh, false },
      { false, true }, { false, false } } do
      local make, planar = of[1], of[2]
      for _, tolerance in ipairs{ 1e-6, 1e-10 } do
        for _, omega in ipairs{ 0.3, 1.05, 2 } do
          local world <close> = delassus.world{ planar = planar, dt = 4e-3, tolerance = tolerance, record = false }
          local material = delassus.material{ friction = 0.4 }
          turning_drum(world, make, planar, material, angle, omega)
          for _, p in ipairs(places) do
            local x, y = p[1] * c - p[2] * s, p[1] * s + p[2] * c
            local log = { radius = 0.1, density = 850, material = material, length = not planar and 0.8 or nil,
              position = planar and { x, y } or { 0, x, y }, angular_velocity = planar and omega or { omega, 0, 0 },
              velocity = planar and { -omega * y, omega * x } or { 0, -omega * y, omega * x } }
            if planar then world:disk(log) else world:capsule(log) end
          end
          local most, missed = 0, 0
          for _ = 1, 100 do
            world:step()
            missed = missed + world.stats.unconverged
            for contact in world:contacts() do most = math.max(most, contact.impulse:norm() / world.dt) end
          end
          local what = ("%s, tolerance %g, %g rad/s: %g N, %d missed"):format(planar and "plane" or "space",
            tolerance, omega, most, missed)
          assert.is_true(most < 1e4 and missed == 0, what)
        end
      end
    end
  end)

  it("has a bed of its own for every seed, the same for the same one", function()
    local places = {}
    for k, seed in ipairs{ 1, 2, 1 } do
      local d = drum{ planar = true, diameter = 2, fill = 0.2, seed = seed, logs = { diameter = 0.2 } }
      d:settle()
      places[k] = tostring(d.logs[1].position) .. tostring(d.logs[#d.logs].position)
      d.world:close()
    end
    assert.equal(places[1], places[3])
    assert.not_equal(places[1], places[2])
  end)

  -- Logs that lie on the tips of two lifters, or fit between them and the wall alone; a fourth log that wedges three others.
  it("is filled where the pockets are as narrow as logs are thick", function()
    for _, case in ipairs{ { 24, 0.15 }, { 24, { 0.1, 0.2 } }, { 20, 0.15 }, { 16, 0.2 } } do
      local d = drum{ planar = true, diameter = 2, fill = 0.3, logs = { diameter = case[2] },
        lifters = { count = case[1], height = 0.05, width = 0.1 } }
      d:settle()
      assert.is_true(math.abs(d.fill - 0.3) < 0.012, d.fill)
      d.world:close()
    end
    local d = drum{ diameter = 2, length = 3, fill = 0.3, logs = { diameter = 0.1 },
      lifters = { count = 12, height = 0.05, width = 0.1 } }
    d:settle()
    assert.is_true(#d.logs > 100 and d.world.stats.penetration < 1e-2)
    d.world:close()
  end)
end)
