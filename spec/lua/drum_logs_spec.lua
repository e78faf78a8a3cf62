-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local drum = require "delassus.drum"
local seeds = require "support.seeds"

-- Logs that taper, lifters that stand side by side, and what is said of options that mean something else.

describe("logs that taper", function()
  it("are cones of the taper asked for, thick end either way, with a cone's mass and bark", function()
    local d = drum{ diameter = 2, length = 3, rpm = 8, seed = 5, fill = 0.2,
      logs = { diameter = { 0.15, 0.25 }, length = { 0.8, 1.4 }, taper = 0.03, density = 700, count = 14 } }
    d:settle()
    local either, wood = { 0, 0 }, 0
    for _, log in ipairs(d.logs) do
      local s, data = log.shape, log.data
      local thick, thin = math.max(s.radius1, s.radius2), math.min(s.radius1, s.radius2)
      either[s.radius1 > s.radius2 and 1 or 2] = either[s.radius1 > s.radius2 and 1 or 2] + 1
      assert.near(0.03 * s.length, 2 * (thick - thin), 1e-15)
      assert.near(data.diameter, thick + thin, 1e-15)
      assert.equal(data.length, s.length)
      local volume = math.pi * s.length / 3 * (thick ^ 2 + thick * thin + thin ^ 2)
      assert.near(700 * volume, log.mass, 1e-9)
      wood = wood + volume
    end
    assert.is_true(either[1] > 0 and either[2] > 0)
    local clear = math.pi - 8 * 0.15 * 0.1
    assert.near(wood / (clear * 3), d.solid, 1e-12)
    d:run{ time = 0.5 }
    local r = d:report()
    assert.is_true(r.worst_penetration < 1e-2)
    for i, log in ipairs(d.logs) do -- the debarking law with the bark of a cone cut off
      local s, one = log.shape, r.per_log[i]
      local bark = math.pi * (s.radius1 + s.radius2) * math.sqrt(s.length ^ 2 + (s.radius1 - s.radius2) ^ 2)
      local p = r.debarking.parameters
      local wanted = 1 - math.exp(-(math.max(one.work, 0) / (bark * p.work) + one.collisions / p.collisions))
      assert.near(wanted, one.debarked, 1e-12)
    end
  end)

  it("are refused where they cannot be: in the plane, or without a thin end", function()
    local ok, why = pcall(drum, { planar = true, logs = { taper = 0.01 } })
    assert.is_false(ok)
    assert.truthy(why:find("drum_logs_spec.lua:%d+: drum: 'logs.taper' makes no sense in the plane"), why)
    assert.truthy(pcall(drum, { planar = true, logs = { taper = 0 } }))
    ok, why = pcall(drum, { logs = { diameter = 0.2, length = 2, taper = 0.2 } })
    assert.is_false(ok)
    assert.truthy(why:find("drum: 'logs.taper' of 0.2 m/m", 1, true), why)
  end)
end)

describe("lifters", function()
  -- Two rectangles on their radii, from the tip to where the corners meet the shell: neighbours meet where a corner of
  -- one tip lies within the other.
  local function overlap(radius, l)
    if l.count < 2 then return false end
    local tip, half, angle = radius - l.height, l.width / 2, 2 * math.pi / l.count
    local x = tip * math.cos(angle) + half * math.sin(angle) -- the near corner of the neighbour's tip
    local y = tip * math.sin(angle) - half * math.cos(angle)
    return x > tip and math.abs(y) < half
  end

  it("that cannot stand side by side within the shell are refused, others are not (400 seeds)", function()
    local refused = 0
    for seed = 1, seeds(400) do
      local random = delassus.random(seed)
      local l = { count = random:integer(1, 40), height = random:uniform(0.01, 0.6), width = random:uniform(0.01, 0.6) }
      local outside = (l.width / 2) ^ 2 + (1 - l.height) ^ 2 >= 1
      local wrong = overlap(1, l) or outside
      for _, make in ipairs{ function() return delassus.drum{ radius = 1, length = 1, lifters = l } end,
        function() return delassus.drum{ radius = 1, lifters = l } end,
        function() return drum{ diameter = 2, length = 3, lifters = l, logs = { diameter = 0.1 } } end } do
        local ok, why = pcall(make)
        assert.equal(not wrong, ok, ("seed %d: %d lifters of %g x %g: %s"):format(seed, l.count, l.height, l.width, why))
        if not ok then
          assert.truthy(why:find("drum_logs_spec.lua:%d+: drum: 'lifters' must stand side by side within the shell"), why)
        end
      end
      refused = refused + (wrong and 1 or 0)
    end
    assert.is_true(refused > seeds.least(100) and refused < 390, refused)
  end)
end)

describe("the default drum in space", function()
  it("of 60 logs meets its tolerance in every step (residual)", function()
    for _, seed in ipairs{ 4, 42 } do
      local d = drum{ logs = { count = 60 }, seed = seed }
      d:settle()
      d:run{ time = 2 }
      local r = d:report()
      assert.equal(0, r.unconverged)
      assert.is_true(r.worst_residual <= 1e-3)
    end
    local own = drum{ logs = { count = 6 }, solver = "nsgs", max_iterations = 77 } -- what was asked for stays
    own:settle()
    assert.equal("nsgs", own.world.solver)
    assert.equal(77, own.world.max_iterations)
  end)
end)

describe("options that belong elsewhere", function()
  it("are named: of the drum's shape, of a path's step, of a joint", function()
    local function fails(pattern, fn, ...)
      local ok, why = pcall(fn, ...)
      assert.is_false(ok)
      assert.truthy(why:find(pattern, 1, true), why)
    end
    fails([[drum: unknown option 'rpm': delassus.drum is the shape; a drum of logs is require "delassus.drum"]],
      delassus.drum, { rpm = 6 })
    fails("drum: unknown option 'radios' (did you mean 'radius'?)", delassus.drum, { radios = 6 })
    local path = require "delassus.lcp".parametric{ M = { { 1 } }, q = { 1 }, d = { -1 }, to = 2 }
    fails("path:step: 'k' must be a whole number, got 'x'", path.step, path, "x")
    local world <close> = delassus.world{ record = false }
    fails("world:joint: 'kind' must be one of 'spherical', 'revolute'", world.joint, world, {})
  end)
end)
