-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Random trees of all kinds of joint: the factors agree, dynamics and its inverse too.
local delassus = require "delassus"
local json = require "spec.support.json"
local samples = require "spec.support.reference_trees"
local reference = require "spec.support.joint_trees"

local kinds = { "spherical", "revolute", "universal", "prismatic", "cylindrical", "planar", "fixed", "free", "chain",
  "custom", "driven", "driven chain" }

local function build(seed, factor)
  local random = delassus.random(seed)
  local function number() return 2 * random:uniform(0, 1) - 1 end
  local function vector() return { number(), number(), number() } end
  local function turn() return { axis = vector(), angle = 3 * number() } end
  local world = delassus.world{ factor = factor, record = false }
  local bodies, joints, kinds_of = { world.ground }, {}, {}
  local n = 2 + math.floor(8 * random:uniform(0, 1))
  for i = 1, n do
    local a, b, c = random:uniform(0, 1), random:uniform(0, 1), random:uniform(0, 1) -- second moments: any such body can be
    bodies[i + 1] = world:body{ mass = 0.5 + random:uniform(0, 1), inertia = { 0.1 + b + c, 0.1 + a + c, 0.1 + a + b },
      com = vector(), position = vector(), rotation = turn() }
  end
  for i = 1, n do
    local kind = kinds[1 + math.floor(#kinds * random:uniform(0, 1))]
    local driven, a, b = kind:find("driven"), number(), number()
    local plain = kind == "driven" and "revolute" or driven and "chain" or kind
    local options = { plain, bodies[1 + math.floor(i * random:uniform(0, 1))], bodies[i + 1] }
    local function motion(t) return a + b * t, b + t, 1 end
    if kind == "driven chain" then
      options.motions = { { "rotate", vector() }, { "slide", vector(), motion = motion }, { "rotate", vector() } }
    elseif kind == "chain" then
      options.motions = { { "rotate", vector() }, { "slide", vector() }, { "rotate", vector() } }
    elseif kind == "custom" then
      options.subspace = {}
      for r = 1, 6 do options.subspace[r] = { number(), number() } end
    elseif kind ~= "fixed" and kind ~= "free" then
      options.axis = vector()
    end
    if kind == "driven" then options.motion = motion end
    if kind == "universal" then options.axis2 = vector() end
    if kind ~= "free" then options.anchor = vector() end
    joints[i] = world:joint(options)
    kinds_of[joints[i]] = kind
  end
  local u = {}
  for i = 1, #world:velocities() do u[i] = number() end
  world:set_velocities(u)
  for _, joint in ipairs(joints) do
    if joint.kind == "revolute" and kinds_of[joint] ~= "driven" then joint.torque = number() end
  end
  return world, joints, kinds_of
end

describe("random trees of all kinds of joint", function()
  it("agree: auto, ldl, sweep and dense, accelerations and reactions, 200 seeds", function()
    for seed = 1, 200 do
      local world <close>, joints, kinds_of = build(seed, "auto")
      local udot = world:accelerations()
      local scale = 1
      for i = 1, #udot do scale = math.max(scale, math.abs(udot[i])) end
      local tau, again = world:inverse_dynamics(udot), world:accelerations()
      for i = 1, #udot do assert.equal(udot[i], again[i]) end
      local forces, size = {}, scale
      for i, joint in ipairs(joints) do
        forces[i] = joint:reaction()
        size = math.max(size, forces[i]:norm())
      end
      for _, factor in ipairs{ "ldl", "sweep", "dense" } do
        local other <close>, others = build(seed, factor)
        local got = other:accelerations()
        for i = 1, #udot do
          local off = math.abs(got[i] - udot[i])
          assert.is_true(off <= 1e-12 * scale, ("seed %d, %s: off by %g of %g"):format(seed, factor, off, scale))
        end
        for i, force in ipairs(forces) do
          local off = (others[i]:reaction() - force):norm()
          assert.is_true(off <= 1e-12 * size, ("seed %d, %s: force of joint %d off by %g"):format(seed, factor, i, off))
        end
      end
      local k = 0
      for _, joint in ipairs(joints) do
        local n = kinds_of[joint] == "driven" and 0 or joint.kind == "spherical" and 3 or joint.kind == "free" and 6 or
          (type(joint.q) == "number" and 1 or #joint.q)
        for i = 1, n do
          local applied = joint.kind == "revolute" and kinds_of[joint] ~= "driven" and joint.torque or 0
          assert.is_true(math.abs(tau[k + i] - applied) <= 1e-11 * size, "seed " .. seed)
        end
        k = k + n
      end
    end
  end)
end)

describe("cases/tree through world:joint", function()
  -- Relative to the largest of the case; at 30 bodies the rounding of the input alone is 1e-12.
  local function check(case, factor)
    local world <close>, joints = reference.numbered(case, factor)
    local udot, scale, size = world:accelerations(), 0, 0
    local most = factor == "dense" and 1e-11 or (case.name:find("_30") and 3e-12 or 3e-13)
    for _, x in ipairs(case.qdd) do scale = math.max(scale, math.abs(x)) end
    for i, x in ipairs(case.qdd) do
      local off = math.abs(udot[i] - x)
      assert.is_true(off <= most * scale, ("%s: off by %g of %g"):format(factor, off, scale))
    end
    local wrenches = case.joint_wrench_world_fx_fy_fz_nx_ny_nz
    for _, x in ipairs(wrenches) do size = math.max(size, math.abs(x)) end
    for i, joint in ipairs(joints) do
      local force, moment = joint:reaction()
      for a = 1, 3 do
        assert.is_true(math.abs(force[a] - wrenches[6 * i - 6 + a]) <= most * size, "force of " .. i)
        assert.is_true(math.abs(moment[a] - wrenches[6 * i - 3 + a]) <= most * size, "moment of " .. i)
      end
    end
  end
  local factors = { "auto", "ldl", "sweep", "dense" }

  for _, case in ipairs(samples.tree) do
    it("are exact: sample " .. case.name, function()
      for _, factor in ipairs(factors) do check(case, factor) end
    end)
  end

  for _, name in ipairs{ "ball_1", "ball_2", "ball_7", "ball_30", "rev_1", "rev_7", "rev_30", "tree_3", "tree_5",
    "humanoid" } do
    it("are exact: " .. name, function()
      local case = json.file("../shared/cases/tree/" .. name .. ".json")
      if not case then return print("cases/tree: no ../shared here, not compared") end
      for _, factor in ipairs(factors) do check(case, factor) end
    end)
  end
end)
