-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Mechanisms that whirl freely, up to 2 rad a step: no step gives them energy, and what angular momentum a step loses is told.
-- Oracles: energy and momentum from poses and velocities.
local delassus = require "delassus"
local chance = require "support.chance"

local SEEDS, STEPS = require "support.seeds"(200), 100

--- Three boxes on two joints at rest but for their turning, away from everything.
local function whirling(seed, planar, formulation, rate)
  local r = chance(seed)
  local function vec(s) return { r.from(-s, s), r.from(-s, s), r.from(-s, s) } end
  local world = delassus.world{ planar = planar, record = false, dt = 1 / 60, gravity = planar and { 0, 0 } or { 0, 0, 0 } }
  local last
  for i = 1, 3 do
    local size = { r.from(0.1, 0.4), r.from(0.1, 0.4), not planar and r.from(0.05, 0.3) or nil }
    local body = world:box{ size = size, density = 1000, position = planar and { 0.6 * i, 0 } or { 0.6 * i, 0, 0 },
      angular_velocity = planar and r.from(-rate, rate) or vec(rate), collides = false }
    if last then
      local kind = planar and "revolute" or r.pick{ "spherical", "revolute", "universal" }
      world:joint{ kind, last, body, anchor = planar and { 0.6 * i - 0.3, 0 } or { 0.6 * i - 0.3, 0, 0 },
        axis = not planar and kind ~= "spherical" and vec(1) or nil, axis2 = kind == "universal" and vec(1) or nil,
        formulation = formulation }
    end
    last = body
  end
  world:step() -- joints stop what they do not admit
  return world
end

local function size_of(x) return type(x) == "number" and math.abs(x) or x:norm() end

describe("mechanisms that whirl freely", function()
  for _, formulation in ipairs{ "reduced", "rigid" } do
    for _, planar in ipairs{ true, false } do
      it(("gain nothing: %s, %s, %d seeds"):format(formulation, planar and "plane" or "space", SEEDS), function()
        local lost = 0
        for seed = 1, SEEDS do
          local rate = ({ 10, 20, 60, 120 })[seed % 4 + 1]
          local world <close> = whirling(seed, planar, formulation, rate)
          local first = world:energy()
          local most = rate <= 20 and 1.001 or 1.1
          for step = 1, STEPS do
            local _, before = world:momentum()
            world:step()
            local energy = world:energy()
            local what = ("seed %d, %g rad/s, step %d"):format(seed, rate, step)
            assert.is_true(energy < most * first, ("%s: %g times"):format(what, energy / first))
            local _, after = world:momentum()
            local told = world.stats.momentum_error
            assert.is_true(told <= 1, what)
            if told > 0 then lost = lost + 1
            else
              assert.is_true(size_of(after - before) < 1e-10 * (size_of(before) + world.dt * first),
                ("seed %d, %g rad/s, step %d: %s of %s N m s"):format(seed, rate, step, after - before, before))
            end
          end
        end
        assert.is_true(lost < SEEDS * STEPS / 25, lost .. " steps lost angular momentum")
      end)
    end
  end

  it("slide no farther than they move, on what turns by up to 6 rad a step (200 seeds)", function()
    -- a heavy body on a light one: distances and speeds from poses and velocities
    local far = 0
    for seed = 1, SEEDS do
      local r = chance(seed)
      local function vec(s) return { r.from(-s, s), r.from(-s, s), r.from(-s, s) } end
      local world <close> = delassus.world{ record = false, dt = 1 / 60, gravity = { 0, 0, 0 } }
      local m = 10 ^ r.from(-3, 0)
      local light = world:body{ mass = m, inertia = { 0.01 * m, 0.012 * m, 0.015 * m }, position = { 0, 0, 0 },
        velocity = vec(2), angular_velocity = vec(200) }
      local heavy = world:body{ mass = 1, inertia = { 0.01, 0.02, 0.015 }, position = vec(0.3), velocity = vec(2),
        angular_velocity = vec(3) }
      local a, b = light, heavy
      if seed % 2 == 0 then a, b = heavy, light end
      world:joint{ r.pick{ "planar", "planar", "prismatic", "cylindrical" }, a, b, axis = vec(1) }
      local kinetic = world:energy()
      for step = 1, 60 do
        local before, speed = a.position - b.position, (a.velocity - b.velocity):norm()
        world:step()
        local gone = (a.position - b.position - before):norm()
        speed = math.max(speed, (a.velocity - b.velocity):norm())
        if gone > 2 * speed * world.dt + 0.3 * before:norm() then far = far + 1 end
        local now = world:energy()
        if now > 6 * kinetic or now ~= now then error(("seed %d, step %d"):format(seed, step)) end
      end
    end
    assert.is_true(far <= 2, far) -- of 60 steps of each
  end)
end)
