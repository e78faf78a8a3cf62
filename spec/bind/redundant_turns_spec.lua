-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Joints that depend on each other where all of them are closed, and only there: two on one line, Bennett's linkage, parallel
-- hinges in space, two pins of one plate. Where a turn of a projection begins, gaps are of the order of (h omega)^2, and
-- their rows seem independent by the square of that (dls_joint_dependent_pivot of joints/joint_frame.h).
local delassus = require "delassus"
local seeds = require "support.seeds"

--- A unit vector by chance.
local function unit(random)
  local v = delassus.vec{ random:normal(), random:normal(), random:normal() }
  return v / v:norm()
end

--- A body that turns about the line s through the origin, held there by the joints that hang(world, body, s) makes.
local function door(seed, dt, hang)
  local random = delassus.random(seed)
  local s, speed = unit(random), random:uniform(2, 6)
  local centre = delassus.vec{ random:uniform(-0.6, 0.6), random:uniform(-0.6, 0.6), random:uniform(-0.6, 0.6) }
  local world = delassus.world{ dt = dt, record = false }
  local body = world:body{ mass = 2, inertia = { 0.1, 0.12, 0.14 }, position = centre,
    rotation = { axis = unit(random), angle = random:uniform(-3, 3) }, angular_velocity = speed * s,
    velocity = (speed * s):cross(centre) }
  hang(world, body, s)
  return world, body
end

--- Steps two worlds side by side: a body of each is where the other's is.
local function agree(seed, steps, one, b, two, c)
  for step = 1, steps do
    one:step()
    two:step()
    local off = (b.position - c.position):norm()
    if off > 1e-7 or two.stats.infeasible then error(("seed %d, step %d: %g m"):format(seed, step, off)) end
  end
end

local function across(s)
  local x = s:cross{ 0.3, 0.5, -0.7 }
  return x / x:norm()
end

local PAIRS = {
  ["a ball and a damped hinge"] = function(world, body, s)
    world:joint{ "spherical", world.ground, body, anchor = { 0, 0, 0 } }
    world:joint{ "revolute", world.ground, body, anchor = 0.5 * s, axis = s, damping = 1e-9 }
  end,
  ["a ball and a universal joint"] = function(world, body, s)
    world:joint{ "spherical", world.ground, body, anchor = { 0, 0, 0 } }
    world:joint{ "universal", world.ground, body, anchor = 0.5 * s, axis = s, axis2 = across(s) }
  end,
  ["a ball and a cylindrical joint"] = function(world, body, s)
    world:joint{ "spherical", world.ground, body, anchor = { 0, 0, 0 } }
    world:joint{ "cylindrical", world.ground, body, anchor = 0.5 * s, axis = s }
  end,
  ["two rigid hinges"] = function(world, body, s)
    world:joint{ "revolute", world.ground, body, anchor = { 0, 0, 0 }, axis = s, formulation = "rigid" }
    world:joint{ "revolute", world.ground, body, anchor = 0.5 * s, axis = s, formulation = "rigid" }
  end,
  ["three rigid balls"] = function(world, body, s)
    for k = 0, 2 do
      world:joint{ "spherical", world.ground, body, anchor = 0.3 * k * s, formulation = "rigid" }
    end
  end,
}

describe("joints that depend on each other where they are closed", function()
  for name, hang in pairs(PAIRS) do
    it("on one line are the hinge about it: " .. name .. " (200 seeds)", function()
      local function hinge(world, body, s) world:joint{ "revolute", world.ground, body, anchor = { 0, 0, 0 }, axis = s } end
      for seed = 1, seeds(200) do
        local dt = seed % 2 == 0 and 1 / 60 or 5e-3
        local one <close>, b = door(seed, dt, hinge)
        local two <close>, c = door(seed, dt, hang)
        agree(seed, 25, one, b, two, c)
      end
    end)
  end

  it("at the end of rigid chains of 6 to 9 links, whose equations are too many for a dense factor (200 seeds)", function()
    local function chain(seed, hang)
      local random = delassus.random(seed)
      local world = delassus.world{ dt = seed % 2 == 0 and 1 / 60 or 5e-3, record = false }
      local before, at = world.ground, delassus.vec{ 0, 0, 0 }
      for _ = 1, 6 + seed % 4 do
        local to = at + 0.5 * unit(random)
        local link = world:body{ mass = 1, inertia = { 0.05, 0.06, 0.04 }, position = 0.5 * (at + to),
          angular_velocity = { random:uniform(-1, 1), random:uniform(-1, 1), random:uniform(-1, 1) } }
        world:joint{ "revolute", before, link, anchor = at, axis = unit(random), formulation = "rigid" }
        before, at = link, to
      end
      local s = unit(random)
      local last = world:body{ mass = 2, inertia = { 0.1, 0.12, 0.14 }, position = at + 0.4 * unit(random),
        angular_velocity = random:uniform(2, 6) * s }
      hang(world, before, last, at, s)
      return world, last
    end
    local function hinge(world, a, b, at, s)
      world:joint{ "revolute", a, b, anchor = at, axis = s, formulation = "rigid" }
    end
    local function two_on_a_line(world, a, b, at, s)
      world:joint{ "spherical", a, b, anchor = at, formulation = "rigid" }
      hinge(world, a, b, at + 0.5 * s, s)
    end
    for seed = 1, seeds(200) do
      local one <close>, b = chain(seed, hinge)
      local two <close>, c = chain(seed, two_on_a_line)
      agree(seed, 25, one, b, two, c)
    end
  end)

  it("are none where a body is small beside its arm: governors, reduced and rigid (300 seeds)", function()
    for seed = 1, seeds(300) do
      local q = {}
      for k, formulation in ipairs{ "reduced", "rigid" } do
        local random = delassus.random(seed)
        local L, angle = random:uniform(0.2, 1), random:uniform(0.2, 1)
        local small, rate = 10 ^ random:uniform(-7, -1), random:uniform(1, 4)
        local world <close> = delassus.world{ record = false, dt = ({ 1e-2, 1 / 60, 5e-3, 2e-2 })[seed % 4 + 1] }
        local shaft = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 } }
        world:joint{ "revolute", world.ground, shaft, anchor = { 0, 0, 0 }, axis = { 0, 0, 1 }, formulation = formulation,
          motion = function(t) return rate * t, rate, 0 end }
        local bob = world:body{ mass = 1, inertia = { small, small, small },
          position = { L * math.sin(angle), 0, -L * math.cos(angle) } }
        local joint = world:joint{ "revolute", shaft, bob, anchor = { 0, 0, 0 }, axis = { 0, -1, 0 }, formulation = formulation }
        world:step(40)
        q[k] = joint.q
      end
      if math.abs(q[1] - q[2]) > 1e-7 then error(("seed %d: %g rad"):format(seed, q[1] - q[2])) end
    end
  end)

  --- Bennett's linkage: four hinges, sides a, b, a, b, twists with sin(alpha)/a = sin(beta)/b: it moves, with one freedom.
  local function bennett(seed, dt, formulation)
    local random = delassus.random(seed)
    local a, b, alpha, theta = 1, 0.7, random:uniform(0.5, 1.1), random:uniform(0.8, 2)
    local beta = math.asin(b * math.sin(alpha))
    local theta2 = 2 * math.atan(math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2) / math.tan(theta / 2))
    local x, y, z, p = delassus.vec{ 1, 0, 0 }, delassus.vec{ 0, 1, 0 }, delassus.vec{ 0, 0, 1 }, delassus.vec{ 0, 0, 0 }
    local at, axis = {}, {}
    for i, t in ipairs{ theta, theta2, -theta, -theta2 } do
      local long, twist = i % 2 == 1 and a or b, i % 2 == 1 and alpha or beta
      at[i], axis[i] = p, z
      x, y = math.cos(t) * x + math.sin(t) * y, math.cos(t) * y - math.sin(t) * x
      p = p + long * x
      y, z = math.cos(twist) * y + math.sin(twist) * z, math.cos(twist) * z - math.sin(twist) * y
    end
    assert.is_true(p:norm() < 1e-12, "it closes")
    at[5] = at[1]
    local world, bodies = delassus.world{ dt = dt, record = false }, {}
    for i = 1, 3 do
      bodies[i] = world:body{ mass = 1, inertia = { 0.02, 0.05, 0.06 }, position = 0.5 * (at[i] + at[i + 1]) }
    end
    bodies[0], bodies[4] = world.ground, world.ground
    for i = 1, 4 do
      world:joint{ "revolute", bodies[i - 1], bodies[i], anchor = at[i], axis = axis[i],
        formulation = i < 4 and formulation or nil }
    end
    return world
  end

  for _, formulation in ipairs{ "reduced", "rigid" } do
    it("keep their energy: Bennett's linkage, " .. formulation .. " (200 seeds)", function()
      local moved = 0
      for seed = 1, seeds(200) do
        local dt = seed % 2 == 0 and 1 / 60 or 5e-3
        local world <close> = bennett(seed, dt, formulation)
        local _, first = world:energy()
        local most = 1e-2
        for step = 1, math.floor(0.8 / dt) do
          world:step()
          local kinetic, potential = world:energy()
          most = math.max(most, kinetic)
          local off = math.abs(kinetic + potential - first) / most
          if off > 30 * dt ^ 2 or world.stats.infeasible then error(("seed %d, step %d: %g"):format(seed, step, off)) end
        end
        moved = moved + (most > 1 and 1 or 0)
      end
      assert.is_true(moved > seeds(200) / 2, moved)
    end)
  end

  it("keep a plate where it is bolted, whichever way the bolts' line points, in the plane (200 seeds)", function()
    local function flail(seed, bolts)
      local random = delassus.random(seed)
      local world = delassus.world{ planar = true, dt = seed % 2 == 0 and 1 / 60 or 1e-2, record = false }
      local arm = world:body{ mass = 1, inertia = 0.1, position = { 0.5, 0 } }
      local plate = world:body{ mass = 1, inertia = 0.1, position = { 1.1, 0.1 } }
      local hinge = world:joint{ "revolute", world.ground, arm, anchor = { 0, 0 } }
      local turn, long = random:uniform(-3, 3), random:uniform(0.1, 0.4)
      if bolts then
        world:joint{ "revolute", arm, plate, anchor = { 1, 0 } }
        world:joint{ "revolute", arm, plate, anchor = { 1 + long * math.cos(turn), long * math.sin(turn) } }
      else
        world:joint{ "fixed", arm, plate }
      end
      hinge.qd = random:uniform(1, 7)
      return world, plate
    end
    for seed = 1, seeds(200) do
      local one <close>, b = flail(seed, false)
      local two <close>, c = flail(seed, true)
      agree(seed, 50, one, b, two, c)
    end
  end)

  it("on one line swing as the hinge does: linearized at rest, and integrated", function()
    local s = delassus.vec{ 0.48, 0.6, 0.64 }
    local function hung(kinds, formulation)
      local world = delassus.world{ record = false }
      local body = world:body{ mass = 2, inertia = { 0.1, 0.12, 0.14 }, position = { 0.6, -0.3, 0.2 } }
      for i, kind in ipairs(kinds) do
        world:joint{ kind, world.ground, body, anchor = (i - 1) * s, axis = kind == "revolute" and s or nil,
          formulation = i == 1 and formulation or "rigid" }
      end
      return world, body
    end
    local function stiffness(world)
      world:equilibrium()
      local A, trace = world:linearize(), 0
      for i = 1, A:rows() // 2 do trace = trace + A[A:rows() // 2 + i][i] end
      return trace
    end
    for _, formulation in ipairs{ "reduced", "rigid" } do
      local one <close> = hung({ "revolute" }, formulation)
      local omega2 = stiffness(one)
      for _, kinds in ipairs{ { "revolute", "revolute" }, { "spherical", "revolute" }, { "spherical", "spherical" } } do
        local two <close> = hung(kinds, formulation)
        assert.near(omega2, stiffness(two), 1e-4 * math.abs(omega2))
        local single <close>, a = hung({ "revolute" }, formulation)
        local double <close>, b = hung(kinds, formulation)
        for _, world in ipairs{ single, double } do world:integrate{ method = "semi-implicit", dt = 2e-4, to = 1.2 } end
        assert.is_true((a.position - b.position):norm() < 1e-2, ("%s: %s, %s"):format(formulation, a.position, b.position))
      end
    end
  end)
end)
