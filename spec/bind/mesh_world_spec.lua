-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Bodies on meshes, and compliant contacts that begin compressed.
local delassus = require "delassus"
local near = require "support.near"
local seeds = require "support.seeds"

--- A flat sheet at z = 0 over [0, 2] x [-0.3, 0.3] of small triangles, its corners moved within it.
local function sheet(random)
  local vertices, faces, n = {}, {}, 20
  for i = 0, n do
    for j = -1, 1 do
      local inside = i > 0 and i < n and j == 0
      vertices[#vertices + 1] = { 0.1 * i + (inside and random:uniform(-0.04, 0.04) or 0),
        0.3 * j + (inside and random:uniform(-0.1, 0.1) or 0), 0 }
    end
  end
  for i = 0, n - 1 do
    for j = 0, 1 do
      local a = 3 * i + j + 1
      faces[#faces + 1] = { a, a + 3, a + 4 }
      faces[#faces + 1] = { a, a + 4, a + 1 }
    end
  end
  return { vertices = vertices, faces = faces }
end

local function with(options, more)
  local all = {}
  for k, v in pairs(options) do all[k] = v end
  for k, v in pairs(more) do all[k] = v end
  return all
end

describe("a flat mesh", function()
  it("carries round bodies as a plane does: edges within it are not felt (agreement, 200 seeds)", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local soft = seed % 3 == 0
      local law = { friction = random:uniform(0, 0.6), restitution = soft and 0 or 0.5, stiffness = soft and 1e4 or nil,
        damping = soft and 50 or nil }
      local capsule = seed % 2 == 0 and not soft
      local options = with(law, { radius = 0.1, length = capsule and 0.02 or nil, mass = 1,
        position = { 0.3, random:uniform(-0.1, 0.1), 0.1 + (seed % 4 == 0 and 0.002 or 0) },
        rotation = capsule and { axis = { 0, 1, 0 }, angle = math.pi / 2 } or nil,
        velocity = { random:uniform(0.5, 1.2), random:uniform(-0.1, 0.1), 0 },
        angular_velocity = { 0, random:uniform(-5, 15), 0 } })
      if capsule then options.position[3] = options.position[3] + 0.01 end
      local bodies = {}
      for k, on in ipairs { "mesh", "floor" } do
        local world = delassus.world { record = false }
        world[on](world, with(law, on == "mesh" and sheet(random) or {}))
        bodies[k] = world[capsule and "capsule" or "sphere"](world, options)
        world:step(capsule and 40 or 400)
        local n = 0
        for _ in bodies[k]:contacts() do n = n + 1 end
        assert.is_true(n <= 1, ("seed %d, %s: %d touches"):format(seed, on, n))
      end
      local apart = (bodies[1].position - bodies[2].position):norm()
      near(0, apart, 1e-9, "seed " .. seed) -- a solve is right to 1e-10 of h g
    end
  end)

  it("holds a sphere above an edge that two triangles share by one contact: it sinks by m g / k", function()
    local world <close> = delassus.world {}
    world:mesh { vertices = { { -2, -2, 0 }, { 2, -2, 0 }, { 2, 2, 0 }, { -2, 2, 0 } }, faces = { { 1, 2, 3 }, { 1, 3, 4 } },
      stiffness = 2e4, damping = 200 } -- two in series
    local ball = world:sphere { radius = 0.1, mass = 1, position = { 0, 0, 0.1 }, stiffness = 2e4, damping = 200 }
    world:run(2)
    near(0.1 - 9.81 / 1e4, ball.position.z, 1e-9)
  end)
end)

describe("a compliant contact", function()
  it("that begins compressed is at rest where its spring carries the weight, whatever its damping and theta", function()
    for _, planar in ipairs { true, false } do
      for _, theta in ipairs { 0.5, 0.75, 1 } do
        for _, damping in ipairs { 0, 30, 3000 } do
          local law = { stiffness = 2e4, damping = 2 * damping, friction = 0.3 } -- two in series
          local world <close> = delassus.world { planar = planar, theta = theta }
          world:floor(law)
          local deep, m = 2 * 9.81 / 1e4, 2
          local ball = planar and world:disk(with(law, { radius = 0.1, mass = m, position = { 0, 0.1 - deep } }))
            or world:sphere(with(law, { radius = 0.1, mass = m, position = { 0, 0, 0.1 - deep } }))
          for _ = 1, 20 do
            world:step()
            near(m * 9.81, ball:contacts()().normal_force, 1e-8)
          end
          near(0.1 - deep, ball.position[planar and 2 or 3], 1e-12)
        end
      end
    end
  end)

  -- Bodies made deep within each other, whose touching features change as they part.
  it("tells the ledger what it brings or takes along: stored is what world:energy() stores (200 seeds)", function()
    local most = 0
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local function r(a) return random:uniform(-a, a) end
      local law = { stiffness = 1e5, damping = seed % 2 * 50, friction = 0.5 }
      local world <close> = delassus.world { planar = true, gravity = { r(9), r(9) }, record = false }
      for _, normal in ipairs { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
        world:wall(with(law, { normal = normal, offset = -0.6 }))
      end
      for i = 1, 4 do
        local place = { position = { r(0.3), r(0.3) }, rotation = r(3), velocity = { r(2), r(2) } }
        if i % 2 == 0 then world:box(with(law, with(place, { size = { 0.4, 0.2 } })))
        else world:capsule(with(law, with(place, { radius = 0.1, length = 0.3 }))) end
      end
      for _ = 1, 30 do
        local _, _, before = world:energy()
        local told = world:ledger().stored
        world:step()
        local kinetic, _, after = world:energy()
        near(after - before, world:ledger().stored - told, 1e-11 * (kinetic + before + after), "seed " .. seed)
        most = math.max(most, math.abs(world.stats.energy_balance))
      end
    end
    assert.is_true(most < 1e-8, most)
  end)
end)
