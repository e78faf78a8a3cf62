-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Event-driven worlds: drums with lifters, against the same drum whose lifters are boxes that move with it.
local delassus = require "delassus"
local seeds = require "support.seeds"

local cos, sin, pi = math.cos, math.sin, math.pi
local R, HEIGHT, WIDTH, COUNT = 1, 0.12, 0.1, 4

--- The drum, turning by w rad/s about its axis; `apart`: without lifters, which are boxes beside it.
local function drum_of(planar, apart, w, material)
  local world = delassus.world{ planar = planar, scheme = "event-driven", dt = 0.02, record = false }
  local lifters = { count = COUNT, height = HEIGHT, width = WIDTH }
  local shape = delassus.drum{ radius = R, length = 4, lifters = not apart and lifters or nil, ends = false }
  local function turning(bar)
    if planar then
      return function(t)
        local a = bar.angle + w * t
        local x, y = bar.r * cos(a), bar.r * sin(a)
        return { x, y }, a, { -w * y, w * x }, w, { -w * w * x, -w * w * y }, 0
      end
    end
    return function(t)
      local a = bar.angle + w * t
      local y, z = bar.r * cos(a), bar.r * sin(a)
      local toward = { 0, -w * w * y, -w * w * z }
      return { 0, y, z }, { axis = { 1, 0, 0 }, angle = a }, { 0, -w * z, w * y }, { w, 0, 0 }, toward, { 0, 0, 0 }
    end
  end
  world:body{ type = "kinematic", shape = shape, material = material, motion = turning{ angle = 0, r = 0 } }
  for k = 0, apart and COUNT - 1 or -1 do
    local depth = 2 * HEIGHT + WIDTH
    local box = delassus.box{ size = planar and { depth, WIDTH } or { 4, depth, WIDTH } }
    world:body{ type = "kinematic", shape = box, material = material,
      motion = turning{ angle = 2 * pi * k / COUNT, r = R - HEIGHT + depth / 2 } }
  end
  return world
end

--- Bounces off corners make more of the integrator's error each: each seed to 1e-6, half of them to 1e-10.
local function off(a, b) return (a.position - b.position):norm() + (a.velocity - b.velocity):norm() end

describe("event-driven drums with lifters", function()
  for _, planar in ipairs{ true, false } do
    local kinds = { planar and "disk" or "sphere", "capsule" }
    for _, kind in ipairs(kinds) do
      it(("are drums beside which bars turn: %s %s, 200 random"):format(planar and "planar" or "spatial", kind), function()
        local struck, offs = 0, {}
        for seed = 1, seeds(200) do
          local told, ends = "seed " .. seed, {}
          for way = 1, 2 do
            local r = delassus.random(seed)
            local w, e = r:uniform(-3, 3), seed % 2 == 0 and r:uniform(0, 0.6) or 0
            local material = delassus.material{ friction = r:uniform(0, 0.6), restitution = e }
            local world = drum_of(planar, way == 2, w, material)
            local a, d, x = r:uniform(0, 2 * pi), r:uniform(0.3, 0.65), r:uniform(-0.3, 0.3)
            local o = { radius = r:uniform(0.04, 0.12), mass = 1, material = material,
              position = planar and { d * cos(a), d * sin(a) } or { x, d * cos(a), d * sin(a) },
              velocity = planar and { r:uniform(-2, 2), r:uniform(-2, 2) } or { 0, r:uniform(-2, 2), r:uniform(-2, 2) } }
            if kind == "capsule" then
              o.length, o.rotation = r:uniform(0.05, 0.2), r:uniform(0, pi)
              if not planar then o.rotation = { axis = { r:uniform(-1, 1), r:uniform(-1, 1), 1 }, angle = o.rotation } end
            end
            local body = world[kind](world, o)
            world:run(0.3)
            ends[way] = body
            for _, event in ipairs(world.events) do
              local bar = event.kind == "impact" and event.point and event.point:norm() < R - 0.2 * HEIGHT
              struck = struck + ((way == 1 and bar) and 1 or 0)
            end
          end
          offs[seed] = off(ends[1], ends[2])
          assert.near(0, offs[seed], 1e-6, told)
        end
        table.sort(offs)
        assert.near(0, offs[seeds(200) // 2], 1e-10)
        assert.is_true(struck > seeds.least(20), struck .. " of lifters")
      end)
    end
  end

  it("are slid over by soft capsules, where the nearest point jumps from end to end and slips turn with it (60 seeds)", function()
    local struck = 0
    for seed = 1, 60 do
      local r = delassus.random(seed)
      local world <close> = delassus.world{ planar = true, record = false, scheme = "event-driven", dt = 1e-3, log = true }
      local material = delassus.material{ friction = r:uniform(0.05, 0.6), stiffness = 10 ^ r:uniform(3.5, 5), damping = 20 }
      world:body{ type = "kinematic", shape = delassus.drum{ radius = 1, lifters = { count = 6, height = 0.1, width = 0.08 } },
        angular_velocity = r:uniform(-3, 3), material = material }
      world:capsule{ radius = 0.06, length = 0.25, density = 1000, position = { r:uniform(-0.3, 0.3), r:uniform(-0.6, 0) },
        rotation = r:uniform(-3, 3), velocity = { r:uniform(-2, 2), r:uniform(-2, 0) }, angular_velocity = r:uniform(-6, 6),
        material = material }
      local n, driven = 0, {}
      for step = 1, 400 do
        world:step()
        if #world.events - n > 60 then error(("seed %d, step %d: %d events"):format(seed, step, #world.events - n)) end
        n = #world.events
        local drives = {} -- friction along the slip, but where that has turned within the step
        for c in world:contacts() do
          local slip, force = c.velocity - c.velocity:dot(c.normal) * c.normal, c.force - c.normal_force * c.normal
          drives[c.key] = slip:norm() > 1e-3 and force:dot(slip) > 0
          if drives[c.key] and driven[c.key] then error(("seed %d, step %d: friction drives"):format(seed, step)) end
        end
        driven = drives
      end
      struck = struck + (n > 0 and 1 or 0)
    end
    assert.is_true(struck > 50, struck)
  end)

  it("refuse by name what has corners, as boxes do, at the first step", function()
    for _, size in ipairs{ { 0.1, 0.1 }, { 0.1, 0.1, 0.1 } } do
      local world = drum_of(#size == 2, false, 0, nil)
      world:box{ size = size, mass = 1 }
      local before = world:hash()
      local ok, message = pcall(world.step, world)
      assert.is_false(ok)
      assert.truthy(tostring(message):find("'lifters'", 1, true), tostring(message))
      assert.equal(before, world:hash())
    end
  end)
end)
