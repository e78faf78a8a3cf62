-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What becomes of velocities when a reduced joint is made on moving bodies: the nearest ones, in the metric of M, that the
-- joints admit. That is an internal impulse: momenta stay; and it is what rigid joints do in their first step.
local delassus = require "delassus"
local seeds = require "support.seeds"
local random = require "support.random"
local near = require "support.near"

local kinds = {
  { "revolute", axis = { 0, 0.6, 0.8 } }, { "spherical" }, { "universal", axis = { 0, 1, 0 }, axis2 = { 1, 0, 0 } },
  { "prismatic", axis = { 0.6, 0, 0.8 } }, { "cylindrical", axis = { 0.6, 0, 0.8 } }, { "planar", axis = { 0, 0.6, 0.8 } },
  { "fixed" }, { "chain", motions = { { "rotate", { 0, 0, 1 } }, { "slide", { 1, 0, 0 } } } },
  { "custom", subspace = { { 1 }, { 0 }, { 0 }, { 0.2 }, { 0 }, { 0.1 } } },
  { "prismatic", axis = { 0.6, 0, 0.8 }, motion = function(t) return t, 1, 0 end },
}

local function scene(seed, formulation)
  local r = random(seed)
  local function three() return { r(), r(), r() } end
  local world = delassus.world{ record = false, gravity = { 0, 0, 0 }, tolerance = 1e-13 }
  local bodies = {}
  for i = 1, 4 do
    bodies[i] = world:body{ mass = 1.5 + r(), inertia = { 0.3 + 0.05 * r(), 0.3 + 0.05 * r(), 0.3 }, com = three(),
      position = { i, r(), r() }, rotation = { axis = { r(), r(), 1 }, angle = 3 * r() }, velocity = three(),
      angular_velocity = three() }
  end
  local linear, angular = world:momentum()
  for i = 2, 4 do
    local kind = kinds[(seed + 3 * i) % #kinds + 1]
    local options = { kind[1], bodies[i - 1], bodies[i], anchor = { i - 0.5, r(), r() }, formulation = formulation }
    for key, value in pairs(kind) do options[key] = value end
    world:joint(options)
  end
  return world, bodies, linear, angular
end

describe("a reduced joint made on moving bodies", function()
  it("is exact: what hangs from the ground keeps its angular momentum about the hinge", function()
    for _, kind in ipairs{ "revolute", "spherical" } do
      local world <close> = delassus.world{ record = false, gravity = { 0, 0, 0 } }
      local ball = world:body{ mass = 2, inertia = { 0.1, 0.1, 0.1 }, position = { 0, 0, -1 }, velocity = { 1, 0, 0 } }
      world:joint{ kind, world.ground, ball, anchor = { 0, 0, 0 }, axis = kind == "revolute" and { 0, 1, 0 } or nil }
      near(-2 / 2.1, ball.angular_velocity.y, 1e-15, kind) -- m v l = (J + m l^2) omega; round-off
      near(2 / 2.1, ball.velocity.x, 1e-15, kind)
    end
  end)

  it("is exact in the plane", function()
    local world <close> = delassus.world{ planar = true, record = false, gravity = { 0, 0 } }
    local rod = world:body{ mass = 2, inertia = 0.1, position = { 0, -1 }, velocity = { 1, 0 } }
    local joint = world:joint{ "revolute", world.ground, rod, anchor = { 0, 0 } }
    near(2 / 2.1, joint.qd, 1e-15)
  end)

  it("conserves the momenta of what floats, and agrees with rigid joints after a step (200 seeds)", function()
    for seed = 1, 200 do
      local world <close>, bodies, linear, angular = scene(seed)
      local rigid <close>, others = scene(seed, "rigid")
      local size = linear:norm() + angular:norm() + 10 -- kg m/s; round-off of the sums of four bodies of some 10 kg m/s
      local p, L = world:momentum()
      near(0, (p - linear):norm(), 1e-13 * size, "linear momentum, seed " .. seed)
      near(0, (L - angular):norm(), 1e-12 * size, "angular momentum, seed " .. seed)
      world:step()
      rigid:step()
      for i = 1, 4 do
        -- both are exact eliminations of one step: what is left is the solver's tolerance
        near(0, (bodies[i].velocity - others[i].velocity):norm(), 1e-9, ("velocity of %d, seed %d"):format(i, seed))
      end
    end
  end)

  it("leave a body that is free where it is and goes as it does, in any frames", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local function any() return { r(), r(), r() } end
      local function turn() return { axis = { r(), r(), 1 }, angle = 3 * r() } end
      local options = { mass = 1, inertia = { 1, 2, 2.5 }, com = any(), position = any(), rotation = turn(), velocity = any(),
        angular_velocity = any() }
      local frame_a, frame_b = { position = any(), rotation = turn() }, { position = any(), rotation = turn() }
      local world <close> = delassus.world{ record = false }
      local alone <close> = delassus.world{ record = false }
      local body, other = world:body(options), alone:body(options)
      if seed % 2 == 0 then world:joint{ "free", world.ground, body, frame_a = frame_a, frame_b = frame_b }
      else world:joint{ "free", body, world.ground, frame_a = frame_b, frame_b = frame_a } end
      for _ = 1, 2 do
        near(0, (body.position - other.position):norm(), 1e-13, "seed " .. seed)
        near(1, math.abs(body.rotation:dot(other.rotation)), 1e-13, "seed " .. seed)
        near(0, (body.velocity - other.velocity):norm(), 1e-12, "seed " .. seed)
        near(0, (body.angular_velocity - other.angular_velocity):norm(), 1e-12, "seed " .. seed)
        world:step(20)
        alone:step(20)
      end
    end
  end)
end)
