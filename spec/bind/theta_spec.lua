-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Steps whose middle is not half way (world.theta up to 1, the backward Euler of EQUATIONS G.1): drives, limits and springs
-- belong to the time t + (1 - theta) h, and what they hold ends as the law says.
local delassus = require "delassus"
local near = require "support.near"
local random = require "support.random"
local seeds = require "support.seeds"

--- A chain of boxes in the formulation: the first joint driven, others free, some with springs.
local function chain(seed, formulation, theta, dt)
  local next_number = random(seed)
  local function draw() return (next_number() + 1) / 2 end
  local function between(lo, hi) return lo + (hi - lo) * draw() end
  local world = delassus.world{ theta = theta, dt = dt, gravity = { 0, 0, -9.81 }, record = false }
  local before, joints, at = world.ground, {}, 0
  local amplitude, rate = between(0.2, 1), between(2, 6)
  for k = 1, 2 + math.floor(3 * draw()) do
    local length = between(0.3, 0.6)
    local body = world:box{ size = { length, 0.1, 0.1 }, density = between(300, 900), position = { at + length / 2, 0, 0 },
      collides = false }
    local axis = k == 1 and { 0, 1, 0 } or { between(-0.3, 0.3), 1, between(-0.3, 0.3) }
    local options = { "revolute", before, body, anchor = { at, 0, 0 }, axis = axis, formulation = formulation }
    if k == 1 then
      function options.motion(t)
        return amplitude * math.sin(rate * t), amplitude * rate * math.cos(rate * t),
          -amplitude * rate ^ 2 * math.sin(rate * t)
      end
    elseif draw() < 0.5 then
      options.stiffness, options.damping = 10 ^ between(0, 7), between(0, 1)
    end
    joints[k] = world:joint(options)
    before, at = body, at + length
  end
  return world, joints
end

describe("a step with theta above a half", function()
  it("drives rigid joints as it drives reduced ones (200 seeds)", function()
    for seed = 1, seeds(200) do
      local theta, dt = 1, 2e-3
      local reduced <close>, coordinates = chain(seed, "reduced", theta, dt)
      local rigid <close>, others = chain(seed, "rigid", theta, dt)
      for _ = 1, 40 do
        reduced:step(1)
        rigid:step(1)
      end
      for k, joint in ipairs(coordinates) do
        local where = ("seed %d, theta %g, joint %d: "):format(seed, theta, k)
        local apart = math.abs(joint.q - others[k].q) + dt * math.abs(joint.qd - others[k].qd)
        assert.is_true(apart < 1e-9, where .. apart)
      end
    end
  end)

  it("ends with a limit at rest that parted and was pressed back within the step", function()
    for _, formulation in ipairs{ "reduced", "rigid" } do
      local world <close> = delassus.world{ theta = 1, dt = 0.01, gravity = { 0, 0, 0 }, record = false }
      local body = world:body{ mass = 1, inertia = { 0.3, 0.3, 0.3 } }
      local joint = world:joint{ "revolute", world.ground, body, axis = { 0, 0, 1 }, limits = { 0, 1 },
        formulation = formulation }
      if formulation == "reduced" then joint.qd = 0.01 else body.angular_velocity = { 0, 0, 0.01 } end
      joint.torque = -7
      world:step(1)
      near(0, joint.qd, 1e-14)
      near(0, joint.q, 1e-14)
      near(-0.3 * 0.01 / 0.01, select(2, joint:reaction()).z, 1e-11) -- the limit's moment and the torque
    end
  end)
end)

--- A slide that is driven askew of one on a spring.
local function askew(formulation, stiffness)
  local world = delassus.world{ dt = 2e-3, gravity = { 0, 0, 0 }, record = false }
  local body = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 } }
  local function drive(t) return math.sin(3 * t), 3 * math.cos(3 * t), -9 * math.sin(3 * t) end
  local joint = world:joint{ "chain", world.ground, body, formulation = formulation, stiffness = stiffness, damping = 1,
    motions = { { "slide", { 1, 1, 0 }, motion = drive }, { "slide", { 1, 0, 0 } } } }
  return world, joint
end

describe("a spring beside a drive that is not across it", function()
  for _, stiffness in ipairs{ 10, 1e4, 1e7, 1e10 } do
    it(("is the same in every formulation, %g N/m"):format(stiffness), function()
      local reduced <close>, coordinate = askew("reduced", stiffness)
      local rigid <close>, other = askew("rigid", stiffness)
      local penalty <close>, third = askew("penalty", stiffness)
      for _ = 1, 250 do
        reduced:step(1)
        rigid:step(1)
        penalty:step(1)
        near(coordinate.q, other.q, 1e-10)
        near(coordinate.qd, other.qd, 1e-8)
      end
      near(coordinate.q, third.q, 1e-7) -- the drive itself is a spring there
      near(coordinate.qd, third.qd, 1e-5)
    end)
  end
end)

describe("a stiff damper", function()
  for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
    for _, speed in ipairs{ 10, 1000, 2000 } do -- 4 rad a step
      it(("turns by torque over damping for many turns (%s, %g rad/s)"):format(formulation, speed), function()
        local world <close> = delassus.world{ dt = 2e-3, gravity = { 0, 0, 0 }, record = false }
        local body = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 } }
        local joint = world:joint{ "revolute", world.ground, body, axis = { 0, 0, 1 }, damping = 1e5,
          formulation = formulation }
        joint.torque = 1e5 * speed
        world:step(10)
        local from = joint.q
        for _ = 1, 20 do
          world:step(50)
          near(speed, joint.qd, 1e-10 * speed)
        end
        near(2 * speed, joint.q - from, 1e-9 * speed)
      end)
    end
  end
end)
