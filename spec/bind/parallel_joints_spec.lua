-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- A rigid joint beside a reduced one between the same two bodies that holds nothing which the first does not: the motion
-- is that without it, and its rows, of which round-off alone is left, get no impulse, by every solver and law of impacts.
local delassus = require "delassus"
local random = require "support.random"
local seeds = require "support.seeds"

local function hold(what, form, ...)
  if not what then error(form:format(...), 2) end
end

--- Two bodies, free or hung, on a joint with a damper; beside: with a second joint along the same axis.
local function pair(seed, beside)
  local r = random(seed)
  local function three(s) return { s * r(), s * r(), s * r() } end
  local world = delassus.world{ gravity = { 0, 0, seed % 2 == 0 and -9.81 or 0 }, record = false, dt = 5e-3, strict = beside }
  local a = world:body{ mass = 2 + r(), inertia = { 0.05, 0.06, 0.07 }, position = three(1), velocity = three(1),
    angular_velocity = three(2) }
  local b = world:body{ mass = 2 + r(), inertia = { 0.05, 0.05, 0.05 }, position = three(1), velocity = three(1) }
  local axis, anchor, along, stiff = three(1), three(1), r(), seed % 3 == 0
  if seed % 4 < 2 then world:joint{ "spherical", world.ground, a, anchor = three(1), formulation = "reduced" } end
  local kind = seed % 8 < 4 and "revolute" or "prismatic"
  world:joint{ kind, a, b, anchor = anchor, axis = axis, formulation = "reduced",
    damping = stiff and 10 ^ (8 + 4 * r()) or 0.1, stiffness = 10 ^ (2 + 2 * r()) }
  local other = {}
  for i = 1, 3 do other[i] = anchor[i] + along * axis[i] end
  if beside then
    world:joint{ seed % 16 < 8 and "cylindrical" or kind, a, b, anchor = other, axis = axis, formulation = "rigid" }
  end
  return world, a, b
end

describe("a rigid joint beside a reduced one along the same axis", function()
  it("changes nothing (200 seeds)", function()
    for seed = 1, seeds(200) do
      local world <close>, a, b = pair(seed, true)
      local other <close>, c, d = pair(seed, false)
      for _ = 1, 40 do world:step(); other:step() end
      hold(world.stats.unconverged == 0, "seed %d: a step was not solved", seed)
      hold((a.position - c.position):norm() < 1e-8 and (b.position - d.position):norm() < 1e-8, "seed %d: %g and %g m", seed,
        (a.position - c.position):norm(), (b.position - d.position):norm())
      hold((a.velocity - c.velocity):norm() < 1e-6 and (b.velocity - d.velocity):norm() < 1e-6, "seed %d: %g and %g m/s", seed,
        (a.velocity - c.velocity):norm(), (b.velocity - d.velocity):norm())
    end
  end)
end)

--- A chain from the ground that falls onto a floor, every joint of it; beside: with the same joint once more, rigid.
local function falling_chain(seed, beside, impact, solver)
  local r = random(seed)
  local function three(s) return { s * r(), s * r(), s * r() } end
  local world = delassus.world{ record = false, dt = 2e-3, impact = impact, solver = solver, strict = beside }
  world:floor{ friction = 0 }
  local bodies, before = {}, world.ground
  for i = 1, 3 do
    local at = { 0.3 * i + 0.05 * r(), 0.05 * r(), 0.12 + 0.02 * r() }
    local body = world:sphere{ radius = 0.1, density = 500 + 300 * r(), position = at, velocity = three(0.5), friction = 0 }
    local axis, anchor = three(1), { at[1] - 0.15, at[2], at[3] }
    local kind = (seed + i) % 3 == 0 and "spherical" or "revolute"
    if kind == "spherical" then axis = nil end
    world:joint{ kind, before, body, anchor = anchor, axis = axis, formulation = "reduced",
      limits = kind == "revolute" and { -0.05, 0.05 } or nil }
    if beside then world:joint{ kind, before, body, anchor = anchor, axis = axis, formulation = "rigid" } end
    bodies[i], before = body, body
  end
  return world, bodies
end

describe("rigid joints beside those of a chain that falls onto a floor", function()
  for _, impact in ipairs{ "newton", "poisson", "sequential" } do
    it("change nothing, " .. impact .. " (200 seeds)", function()
      for seed = 1, seeds(200) do
        local solver = ({ "auto", "nsgs", "newton" })[seed % 3 + 1]
        local world <close>, bodies = falling_chain(seed, true, impact, solver)
        local other <close>, others = falling_chain(seed, false, impact, solver)
        for _ = 1, 60 do world:step(); other:step() end
        for i, body in ipairs(bodies) do
          local apart = (body.position - others[i].position):norm()
          hold(apart < 1e-10, "seed %d, %s: body %d is %g m off", seed, solver, i, apart)
        end
      end
    end)
  end
end)
