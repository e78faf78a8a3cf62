-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- joint.qd and joint.qdd in every formulation: of an evaluation by second differences and against the tree, of a step
-- as the change of qd by dt.
local delassus = require "delassus"
local random = require "support.random"
local seeds = require "support.seeds"

local G = 9.81

local function list(x) return type(x) == "number" and { x } or x:totable() end

local function near(a, b, tolerance, what)
  a, b = list(a), list(b)
  assert.equal(#a, #b)
  for i = 1, #a do
    local off = math.abs(a[i] - b[i])
    if off > tolerance or off ~= off then
      error(("%s, %d: %.17g and %.17g"):format(what, i, a[i], b[i]), 2)
    end
  end
end

local kinds = {
  { "revolute", axis = { 0, 1, 0 } },
  { "spherical" },
  { "universal", axis = { 0, 1, 0 }, axis2 = { 1, 0, 0 } },
  { "prismatic", axis = { 0.6, 0, 0.8 } },
  { "cylindrical", axis = { 0.6, 0, 0.8 } },
  { "planar", axis = { 0, 0.6, 0.8 } },
  { "chain", motions = { { "rotate", { 0, 0, 1 } }, { "slide", { 1, 0, 0 } } } },
  { "chain", motions = { { "rotate", { 0, 1, 0 }, motion = function(t) return 0.4 * t * t, 0.8 * t, 0.8 end },
    { "rotate", { 1, 0, 0 } }, { "slide", { 0, 0, 1 } } } },
  { "custom", subspace = { { 1 }, { 0 }, { 0 }, { 0.2 }, { 0 }, { 0.1 } } },
}

-- A link on a ground joint, a second one on it by the joint in question, both on their way.
local function scene(kind, formulation, seed, dt)
  local r = random(seed)
  local world = delassus.world{ record = false, dt = dt or 1e-3, tolerance = 1e-13 }
  local base = world:body{ mass = 2, inertia = { 0.3, 0.25, 0.2 }, position = { 0, 0, -0.5 } }
  local arm = world:body{ mass = 1 + 0.3 * r(), inertia = { 0.11, 0.13, 0.1 }, position = { 0.1 * r(), 0.1 * r(), -1.1 } }
  local first = world:joint{ "revolute", world.ground, base, anchor = { 0, 0, 0 }, axis = { 1, 0, 0 }, formulation = formulation }
  local options = { base, arm, anchor = { 0, 0, -0.9 }, formulation = formulation }
  for k, v in pairs(kind) do
    if k == 1 then table.insert(options, 1, v) else options[k] = v end
  end
  local joint = world:joint(options)
  return world, first, joint, base, arm, r
end

describe("joint.qd and qdd", function()
  it("of rigid joints are those of the tree, after an evaluation and after a step (200 seeds)", function()
    for seed = 1, seeds(200) do
      local kind = kinds[seed % #kinds + 1]
      local tree <close>, one, two, base, arm, r = scene(kind, "reduced", seed)
      one.qd = r()
      local n, qd = #list(two.qd), {}
      for i = 1, n do qd[i] = r() end
      two.qd = n == 1 and qd[1] or qd
      local loose <close>, first, second, base2, arm2 = scene(kind, "rigid", seed)
      base2.velocity, base2.angular_velocity = base.velocity, base.angular_velocity
      arm2.velocity, arm2.angular_velocity = arm.velocity, arm.angular_velocity
      local what = ("seed %d, %s"):format(seed, kind[1])
      for step = 1, 3 do
        near(one.qd, first.qd, 1e-8, what)
        near(two.qd, second.qd, 1e-8, what)
        near(two.q, second.q, 1e-8, what)
        assert.is_true(second:violation() < 1e-9)
        tree:accelerations()
        loose:accelerations()
        near(one.qdd, first.qdd, 1e-7 * G, what .. ", now")
        near(two.qdd, second.qdd, 1e-7 * G, what .. ", now")
        local before = list(second.qd)
        tree:step()
        loose:step()
        near(one.qdd, first.qdd, 1e-6 * G, what .. ", step " .. step) -- 1e-9 of a velocity by 1e-3 s
        near(two.qdd, second.qdd, 1e-6 * G, what .. ", step " .. step)
        local after, change = list(second.qd), {}
        for i = 1, #after do change[i] = (after[i] - before[i]) / 1e-3 end
        near(delassus.vector(change), delassus.vector(list(second.qdd)), 1e-9 * G, what)
      end
    end
  end)

  it("of penalty joints follow their own velocities exactly and the tree's in the limit", function()
    for index = 1, 6 do
      local kind, off = kinds[index], {}
      for k, dt in ipairs{ 1e-3, 2.5e-4 } do
        local tree <close>, one, two = scene(kind, "reduced", index, dt)
        local soft <close>, first, second = scene(kind, "penalty", index, dt)
        local sum, size = 0, 0
        for _ = 1, math.floor(0.2 / dt + 0.5) do
          local before = list(second.qd)
          tree:step()
          soft:step()
          local after, qdd, should = list(second.qd), list(second.qdd), list(two.qdd)
          for i = 1, #after do
            assert.near((after[i] - before[i]) / dt, qdd[i], 1e-7 * G)
            sum, size = sum + dt * (qdd[i] - should[i]), math.max(size, math.abs(should[i]))
          end
        end
        off[k] = math.abs(sum) / (0.2 * size + 1e-3 * G) -- mean over a while: the springs ring
        assert.is_truthy(one and first)
      end
      assert.is_true(off[1] < 0.02, kind[1] .. ": " .. off[1])
      assert.is_true(off[2] < 0.6 * off[1] + 1e-4, kind[1] .. (": %g, then %g"):format(off[1], off[2]))
    end
  end)

  it("are unknown before a step and after a restore, and a driven joint tells how far it is off", function()
    local world <close>, _, joint = scene(kinds[1], "rigid", 1)
    assert.error_matches(function() return joint.qdd end, "known after world:accelerations%(%) or a step")
    local kept = world:snapshot()
    world:step()
    assert.is_number(joint.qdd)
    world:restore(kept)
    assert.error_matches(function() return joint.qdd end, "known after")
    local driven <close>, _, chain = scene(kinds[8], "rigid", 1)
    driven:step(200)
    assert.is_true(chain:violation() < 1e-12)
    assert.equal(2, #chain.q)
  end)

  it("is what its motion says of a driven joint, in every formulation", function()
    for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
      for _, kind in ipairs{ "revolute", "prismatic" } do
        local world <close> = delassus.world{ record = false }
        local body = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 1, 0, 0 } }
        local joint = world:joint{ kind, world.ground, body, anchor = { 0, 0, 0 }, axis = { 0, 0, 1 }, formulation = formulation,
          motion = function(t) return 0.5 * t * t, t, 1 end }
        assert.equal(0.0, joint.q)
        world:step(10)
        local t = world.time
        assert.equal(0.5 * t * t, joint.q)
        assert.equal(t, joint.qd)
        assert.equal(1.0, joint.qdd)
      end
    end
  end)
end)
