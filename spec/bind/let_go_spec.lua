-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Limits, dry friction and motors of joints let go where forces of inertia are beyond their bounds, whatever theta is: what they
-- hold at the end of a step is held with what the solve left of these (joints/holding.h).
local delassus = require "delassus"
local seeds = require "support.seeds"

local THETAS = { false, 0.75, 1 } -- false: the world's own, 1/2

--- A slider on an arm that a torque turns faster and faster; `hold` keeps it until m omega^2 r is beyond `force`.
local function slider(seed, hold, o)
  local r = delassus.random(seed)
  local world = delassus.world{ planar = true, gravity = { 0, 0 }, record = false, dt = o.dt, theta = o.theta or nil,
    scheme = o.scheme }
  local mass, inertia, at, force = r:uniform(0.3, 1), r:uniform(0.05, 0.2), r:uniform(0.3, 0.6), r:uniform(3, 8)
  local arm = world:body{ mass = mass, inertia = inertia, position = { 0.3, 0 } }
  world:joint{ "revolute", world.ground, arm, anchor = { 0, 0 }, torque = r:uniform(2, 4), formulation = o.formulation }
  local body = world:body{ mass = r:uniform(0.3, 0.8), inertia = 0.02, position = { at, 0 } }
  local joint = world:joint{ "prismatic", arm, body, anchor = { at, 0 }, axis = { 1, 0 }, formulation = o.formulation,
    limits = hold == "limit" and { 0, 50 } or nil, friction = hold == "friction" and force or nil,
    motor = hold == "motor" and { speed = 0, max_force = force } or nil }
  if hold == "limit" then joint.torque = -force end
  return world, joint
end

--- A block on a slide on a platform that goes faster by a = rate t, held with `force`.
local function on_platform(seed, hold, o)
  local r = delassus.random(seed)
  local planar, rate, mass, force = seed % 2 == 0, r:uniform(2, 4), r:uniform(0.5, 2), r:uniform(0.3, 1)
  local function place(x) return planar and { x, 0 } or { x, 0, 0 } end
  local world = delassus.world{ planar = planar, gravity = place(0), record = false, dt = o.dt, theta = o.theta or nil }
  local platform = world:body{ type = "kinematic", shape = planar and delassus.disk{ radius = 0.1 }
    or delassus.sphere{ radius = 0.1 }, motion = function(t) return place(rate * t ^ 3 / 6) end }
  local block = world:body{ mass = mass, inertia = planar and 1 or { 1, 1, 1 } }
  world:joint{ "prismatic", platform, block, anchor = place(0), axis = place(1), formulation = o.formulation,
    friction = hold == "friction" and force or nil, motor = hold == "motor" and { speed = 0, max_force = force } or nil }
  return world, block, mass, force, rate
end

describe("what a joint holds", function()
  for _, hold in ipairs{ "limit", "friction", "motor" } do
    it("lets go as in event-driven worlds: a slider on an arm, " .. hold .. " (200 seeds)", function()
      local left = 0
      for seed = 1, seeds(200) do
        local o = { dt = 1e-3, theta = THETAS[seed % 3 + 1], formulation = seed % 2 == 0 and "rigid" or nil }
        local one <close>, a = slider(seed, hold, o)
        local two <close>, b = slider(seed, hold, { dt = 0.02, scheme = "event-driven" })
        one:run(0.7)
        two:run(0.7)
        left = left + (b.q > 0.01 and 1 or 0)
        local off = math.abs(a.q - b.q)
        if off > (o.theta and 6e-3 or 2e-4) then -- theta > 1/2 is of first order
          error(("seed %d, theta %s: %g, not %g"):format(seed, o.theta, a.q, b.q))
        end
      end
      assert.is_true(left > seeds(200) / 2, left)
    end)
  end

  for _, hold in ipairs{ "friction", "motor" } do
    it("slips beyond its bound on what goes faster and faster: " .. hold .. " (200 seeds)", function()
      for seed = 1, seeds(200) do
        local o = { dt = seed % 5 == 0 and 4e-3 or 1e-3, theta = THETAS[seed % 3 + 1],
          formulation = seed % 4 > 1 and "rigid" or nil }
        local world <close>, block, mass, force, rate = on_platform(seed, hold, o)
        local slips, before = force / (mass * rate), 0
        while world.time < 1.5 * slips do
          world:step()
          local v = block.velocity[1]
          local f = mass * (v - before) / o.dt
          before = v
          if f > force * (1 + 1e-5) then error(("seed %d: %g N of %g"):format(seed, f, force)) end
          local now = math.min(mass * rate * (world.time - o.dt / 2), force)
          if math.abs(f - now) > 2 * mass * rate * o.dt then
            error(("seed %d, %g s: %g N, not %g"):format(seed, world.time, f, now))
          end
        end
      end
    end)
  end

  it("is the arm of a governor that lies on its limit until m omega^2 r is beyond its weight (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local L, lies, faster = r:uniform(0.3, 0.8), r:uniform(0.3, 0.8), r:uniform(2, 6)
      local formulation = seed % 2 == 0 and "rigid" or nil
      local world <close> = delassus.world{ record = false, dt = seed % 5 == 0 and 5e-3 or 2e-3,
        theta = THETAS[seed % 3 + 1] or nil }
      local shaft = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 } }
      world:joint{ "revolute", world.ground, shaft, anchor = { 0, 0, 0 }, axis = { 0, 0, 1 }, formulation = formulation,
        motion = function(t) return faster * t * t / 2, faster * t, faster end }
      local bob = world:body{ mass = 1, inertia = { 1e-6, 1e-6, 1e-6 },
        position = { L * math.sin(lies), 0, -L * math.cos(lies) } }
      local joint = world:joint{ "revolute", shaft, bob, anchor = { 0, 0, 0 }, axis = { 0, -1, 0 }, limits = { 0, 2 },
        formulation = formulation }
      local lifts = math.sqrt(9.81 / (L * math.cos(lies))) / faster
      world:run(lifts - 0.02)
      if math.abs(joint.q) > 2e-3 then error(("seed %d: %g rad before"):format(seed, joint.q)) end
      world:run(0.3)
      if joint.q < 5e-3 then error(("seed %d: %g rad after"):format(seed, joint.q)) end
    end
  end)

  it("lies still at a limit that it is pressed on, whatever else holds it: a slider on a turning arm, 200 seeds", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local hold, rigid = ({ "friction", "motor", "none" })[seed % 3 + 1], seed % 2 == 0
      local scheme = seed % 5 == 0 and "semi-implicit" or nil
      local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, dt = r:uniform(2e-3, 0.02), record = false,
        theta = not scheme and r:uniform(0.5, 1) or nil, scheme = scheme }
      local arm = world:body{ mass = 1, inertia = 0.1, position = { 0, 0 } }
      local turns = world:joint{ "revolute", world.ground, arm, anchor = { 0, 0 }, formulation = rigid and "rigid" or nil }
      local at, speed, force = r:uniform(0.3, 0.8), r:uniform(3, 6), r:uniform(0.3, 2) -- m omega^2 r > 2.7 N
      local body = world:body{ mass = 1, inertia = 0.02, position = { at, 0 } }
      local joint = world:joint{ "prismatic", arm, body, anchor = { at, 0 }, axis = { 1, 0 }, limits = { -0.2, 0 },
        formulation = rigid and "rigid" or nil, friction = hold == "friction" and force or nil,
        motor = hold == "motor" and { speed = 0, max_force = force } or nil }
      if rigid then
        arm.angular_velocity, body.angular_velocity, body.velocity = speed, speed, { 0, speed * at }
      else
        turns.qd = speed
      end
      world:step(5)
      for k = 1, 150 do
        world:step()
        if math.abs(joint.qd) > 1e-9 or math.abs(joint.q) > 1e-6 then
          error(("seed %d, step %d: %g m at %g m/s"):format(seed, k, joint.q, joint.qd))
        end
      end
    end
  end)

  it("takes no energy from closed limits: chains of thrown rods on ball joints with cones and twists, 200 seeds", function()
    local radius, density = 0.02, 1000
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local world <close> = delassus.world{ gravity = { 0, 0, 0 }, dt = r:uniform(2e-3, 0.01), theta = r:uniform(0.7, 1),
        record = false }
      local formulation = seed % 2 == 0 and "rigid" or nil
      local parent, from = world.ground, { 0, 0, 0 }
      for _ = 1, 3 do
        local length, way = r:uniform(0.3, 0.5), { r:uniform(-1, 1), r:uniform(-1, 1), -r:uniform(0, 1.5) }
        local size, to = math.sqrt(way[1] ^ 2 + way[2] ^ 2 + way[3] ^ 2), {}
        for k = 1, 3 do
          way[k] = way[k] / size
          to[k] = from[k] + length * way[k]
        end
        local body = world:capsule{ radius = radius, length = length - 2 * radius, density = density, collides = {},
          position = { (from[1] + to[1]) / 2, (from[2] + to[2]) / 2, (from[3] + to[3]) / 2 },
          rotation = { axis = { 0, -way[3], way[2] }, angle = math.acos(way[1]) },
          angular_velocity = formulation and { r:uniform(-4, 4), r:uniform(-4, 4), r:uniform(-4, 4) } or nil }
        world:joint{ "spherical", parent, body, anchor = from, axis = way, formulation = formulation,
          limits = { cone = r:uniform(0.2, 0.7), twist = { -r:uniform(0, 0.4), r:uniform(0, 0.4) } } }
        parent, from = body, to
      end
      if not formulation then
        local u = {}
        for k = 1, #world:velocities() do u[k] = r:uniform(-4, 4) end
        world:set_velocities(u)
      end
      world:step()
      local first = world:energy()
      local before = first
      for k = 2, 200 do
        world:step()
        local now = world:energy()
        if now > before + 1e-5 * first then
          error(("seed %d, step %d: gains %g of its energy"):format(seed, k, (now - before) / first))
        end
        before = now
      end
    end
  end)
end)
