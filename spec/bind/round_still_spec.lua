-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- What moves along a round surface that stands still, by itself: marbles in bowls, a plank on a log. Its way bends, and the row
-- holds the velocity that the gap has at the end of the step (contacts/carriers.c): of second order.
local delassus = require "delassus"
local seeds = require "support.seeds"

local function total(world)
  local kinetic, potential = world:energy()
  return kinetic + potential
end

--- Energies at the end less those of the start, by the kinetic energy of the start, of worlds with steps of 2 h and h: the
--- sums over all seeds of their sizes; an error where one with h is more than `most`.
local function losses(n, h, time, most, make)
  local rough, fine = 0, 0
  for seed = 1, seeds(n) do
    for k = 1, 2 do
      local world <close> = make(delassus.random(seed), k == 1 and 2 * h or h, seed)
      local before, moving = total(world), world:energy()
      world:run(time)
      local lost = math.abs(total(world) - before) / moving
      if k == 1 then rough = rough + lost else fine = fine + lost end
      if k == 2 and lost > most then error(("seed %d: %g of its energy"):format(seed, lost)) end
    end
  end
  return rough, fine
end

--- A world without weight with a drum, and what has the speed v across and `along` its axis at its shell, at any angle; it
--- rolls where there is friction.
local function marble(r, planar, dt, friction, along)
  local world = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, dt = dt, record = false }
  local R, radius, turn, v = r:uniform(0.8, 2), r:uniform(0.05, 0.2), r:uniform(-3, 3), r:uniform(3, 8)
  local c, s, off = math.cos(turn), math.sin(turn), R - radius
  world:drum{ radius = R, length = not planar and 40 or nil, type = "static", friction = friction }
  local made = { radius = radius, density = 500, friction = friction }
  local spin = friction > 0 and -v / radius or 0
  if planar then
    made.position, made.velocity, made.angular_velocity = { off * c, off * s }, { -v * s, v * c }, spin
    world:disk(made)
  else
    made.position, made.velocity = { 0, off * c, off * s }, { along, -v * s, v * c }
    made.angular_velocity = { spin, 0, 0 }
    world:sphere(made)
  end
  return world
end

describe("along what is round and stands still", function()
  it("marbles slide on in a bowl: 200 disks and balls lose 1e-4 of their energy a second, of third order", function()
    local rough, fine = losses(200, 1e-3, 1, 1e-4, function(r, dt, seed) return marble(r, seed % 2 == 0, dt, 0, 0) end)
    assert.is_true(rough / fine > 6, rough / fine)
  end)

  it("balls slide on along the helix of a bowl, whose axis is no curve: 200 seeds", function()
    losses(200, 1e-3, 1, 1e-4, function(r, dt) return marble(r, false, dt, 0, r:uniform(-8, 8)) end)
  end)

  it("marbles roll on in a bowl: 200 disks and balls, of second order at least", function()
    local rough, fine = losses(200, 1e-3, 0.5, 2e-2, function(r, dt, seed) return marble(r, seed % 2 == 0, dt, 1, 0) end)
    assert.is_true(rough / fine > 3.5, rough / fine)
  end)

  it("marbles swing in a bowl as pendulums do: 200 seeds", function()
    local rough, fine = 0, 0
    for seed = 1, seeds(200) do
      local off = {}
      for k, dt in ipairs{ 2e-3, 1e-3 } do
        local r = delassus.random(seed)
        local world <close> = delassus.world{ planar = true, dt = dt, record = false }
        local R, radius, a, g, h = r:uniform(0.5, 2), 0.1, r:uniform(0.2, 1.4), 9.81, 1e-3
        local L, u = R - radius, 0
        world:drum{ radius = R, type = "static", friction = 0 }
        local b = world:disk{ radius = radius, density = 500, friction = 0, position = { L * math.sin(a), -L * math.cos(a) } }
        world:run(1)
        local function rate(x) return -g / L * math.sin(x) end
        for _ = 1, 1000 do -- Runge and Kutta
          local k1, l1 = u, rate(a)
          local k2, l2 = u + h / 2 * l1, rate(a + h / 2 * k1)
          local k3, l3 = u + h / 2 * l2, rate(a + h / 2 * k2)
          local k4, l4 = u + h * l3, rate(a + h * k3)
          a, u = a + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), u + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        end
        off[k] = math.sqrt((b.position[1] - L * math.sin(a)) ^ 2 + (b.position[2] + L * math.cos(a)) ^ 2)
      end
      rough, fine = rough + off[1], fine + off[2]
      if off[2] > 3e-4 then error(("seed %d: %g m off"):format(seed, off[2])) end
    end
    assert.is_true(rough / fine > 3.6, rough / fine)
  end)

  it("planks rock on a log and keep their energy to second order, in the plane and in space: 200 seeds", function()
    local rough, fine = losses(200, 1e-3, 0.5, 2e-3, function(r, dt, seed)
      local planar = seed % 2 == 0
      local world = delassus.world{ planar = planar, dt = dt, record = false }
      local R, spin = r:uniform(0.4, 1), r:uniform(0.3, 0.8)
      if planar then
        world:disk{ radius = R, type = "static", friction = 1.5 }
        world:box{ size = { 2, 0.1 }, density = 100, position = { 0, R + 0.05 }, friction = 1.5,
          angular_velocity = spin, velocity = { -0.05 * spin, 0 } }
      else
        world:cylinder{ radius = R, length = 2, type = "static", friction = 1.5,
          rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 } }
        world:box{ size = { 2, 0.6, 0.1 }, density = 100, position = { 0, 0, R + 0.05 }, friction = 1.5,
          angular_velocity = { 0, -spin, 0 }, velocity = { -0.05 * spin, 0, 0 } }
      end
      return world
    end)
    assert.is_true(rough / fine > 3, rough / fine)
  end)

  it("balls roll along a trough and swing across it no wider than they began: 200 seeds at 1/60 s and finer", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local dt, along, angle = ({ 1 / 60, 5e-3, 1e-3 })[seed % 3 + 1], r:uniform(1, 10), r:uniform(0.1, 0.4)
      local still = seed % 2 == 0 and "static" or "kinematic"
      local world <close> = delassus.world{ dt = dt, record = false }
      local R, radius, c, s = 1, 0.1, math.cos(angle), math.sin(angle)
      world:drum{ radius = R, length = 200, type = still, friction = 2 }
      local ball = world:sphere{ radius = radius, density = 500, friction = 2, velocity = { along, 0, 0 },
        position = { -40, (R - radius) * s, -(R - radius) * c },
        angular_velocity = { 0, along * c / radius, along * s / radius } }
      local first, kinetic = total(world), world:energy()
      for _ = 1, math.floor(2 / dt) do
        world:step()
        local p = ball.position
        local now = math.abs(math.atan(p[2], -p[3]))
        if now > angle * 1.003 then error(("seed %d, %s: %g rad, not %g"):format(seed, still, now, angle)) end
        local gained = (total(world) - first) / kinetic
        if gained > 1e-3 then error(("seed %d, %s: gains %g"):format(seed, still, gained)) end
      end
    end
  end)

  -- What is round across its axis alone: as balls these had left what they glide along, with 0.35 m/s.
  it("rods glide along their axis over crossing logs, and balls down the sides of cones: 400 seeds", function()
    local along = { axis = { 0, 0, 1 }, angle = math.pi / 2 }
    for seed = 1, seeds(400) do
      local r = delassus.random(seed)
      local dt, still = ({ 1 / 60, 5e-3, 1e-3 })[seed % 3 + 1], seed % 2 == 0 and "static" or "kinematic"
      local world <close> = delassus.world{ dt = dt, record = false }
      local v = r:uniform(1, 6)
      local body, n
      if seed % 4 < 2 then
        for side = -1, 1, 2 do
          world:cylinder{ type = still, radius = 0.5, length = 4, friction = 0, position = { side, 0, 0 }, rotation = along }
        end
        local rod = { radius = r:uniform(0.05, 0.2), length = 8, density = 500, friction = 0, velocity = { v, 0, 0 } }
        rod.position, n = { -0.9, 0, 0.5 + rod.radius }, { 0, 0, 1 }
        body = seed % 8 < 4 and world:capsule(rod) or world:cylinder(rod)
      else
        local slope, radius, x = r:uniform(0.05, 0.3), r:uniform(0.05, 0.2), -1.5
        local c, s = math.cos(math.atan(slope)), math.sin(math.atan(slope))
        local cone = delassus.cone{ radius1 = 1 + 2 * slope, radius2 = 1 - 2 * slope, length = 4 }
        world:body{ type = still, friction = 0, shape = cone }
        n = { s, 0, c }
        body = world:sphere{ radius = radius, density = 500, friction = 0, velocity = { v * c, 0, -v * s },
          position = { x + radius * s, 0, 1 - slope * x + radius * c } }
      end
      local first, kinetic = total(world), world:energy()
      world:run(0.3)
      local u = body.velocity
      local off, lost = math.abs(u[1] * n[1] + u[3] * n[3]), math.abs(total(world) - first) / kinetic
      local impact = world:ledger().impact / kinetic
      if off > 1e-9 or lost > 1e-9 or impact > 1e-9 then
        error(("seed %d, %s: %g m/s off the side, %g of its energy, %g by impacts"):format(seed, still, off, lost, impact))
      end
    end
  end)
end)
