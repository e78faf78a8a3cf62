-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Limits of reduced joints hold along the way, whichever way the tree runs and wherever the axes point: angles are measured
-- from the bodies' rotations alone. (Steps ask the trees' own coordinates which limits are far away.)
local delassus = require "delassus"
local seeds = require "support.seeds"

local function product(p, q)
  return { p[1] * q[1] - p[2] * q[2] - p[3] * q[3] - p[4] * q[4], p[1] * q[2] + p[2] * q[1] + p[3] * q[4] - p[4] * q[3],
    p[1] * q[3] + p[3] * q[1] + p[4] * q[2] - p[2] * q[4], p[1] * q[4] + p[4] * q[1] + p[2] * q[3] - p[3] * q[2] }
end
local function back(q) return { q[1], -q[2], -q[3], -q[4] } end
local function turned(q, x)
  local y = product(product(q, { 0, x[1], x[2], x[3] }), back(q))
  return { y[2], y[3], y[4] }
end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function unit(a)
  local n = math.sqrt(dot(a, a))
  return { a[1] / n, a[2] / n, a[3] / n }
end

-- What a joint's limits leave, rad, from where its bodies were and are; e: its axis at first.
local function gap_of(joint)
  local a, b = joint.a.rotation, joint.b.rotation
  local way_a, way_b = product(a, back(joint.a_0)), product(b, back(joint.b_0))
  local e = joint.axis
  if joint.cone then
    return joint.cone - math.acos(math.max(-1, math.min(1, dot(turned(way_a, e), turned(way_b, e)))))
  end
  local r = product(back(way_a), way_b) -- about e, from a to b, axes at first
  local angle = 2 * math.atan(r[2] * e[1] + r[3] * e[2] + r[4] * e[3], r[1])
  angle = (angle + math.pi) % (2 * math.pi) - math.pi
  return math.min(joint.hi - angle, angle - joint.lo)
end

local function swings(seed)
  local r = delassus.random(seed)
  local function v(most) return { r:uniform(-most, most), r:uniform(-most, most), r:uniform(-most, most) } end
  local w = delassus.world{ dt = 2e-3, record = false }
  local bodies, joints = { w.ground }, {}
  for i = 2, 5 do
    bodies[i] = w:box{ size = { 0.2, 0.3, 0.4 }, density = 500, position = v(2),
      rotation = { axis = v(1), angle = r:uniform(0, 3) }, collides = {} }
  end
  for i = 2, 5 do
    local a, b, axis = bodies[1 + math.floor(r:uniform(0, i - 1 - 1e-9))], bodies[i], unit(v(1))
    local ball = r:uniform(0, 1) < 0.5
    if not ball and r:uniform(0, 1) < 0.5 then a, b = b, a end
    local joint = { a = a, b = b, axis = axis }
    for _, one in ipairs{ "a", "b" } do
      local q = joint[one].rotation
      joint[one .. "_0"] = { q[1], q[2], q[3], q[4] }
    end
    if ball then joint.cone = r:uniform(0.1, 1.5) else joint.lo, joint.hi = -r:uniform(0.1, 1.5), r:uniform(0.1, 1.5) end
    w:joint{ ball and "spherical" or "revolute", a, b, anchor = v(1), axis = axis,
      limits = ball and { cone = joint.cone } or { joint.lo, joint.hi } }
    joints[#joints + 1] = joint
  end
  local least, reached, over = math.huge, 0, 0
  for _ = 1, 250 do
    w:step()
    for _, joint in ipairs(joints) do
      local gap = gap_of(joint)
      least = math.min(least, gap)
      if gap < 1e-3 then reached = reached + 1 end
      if gap < -1e-6 then over = over + 1 end
    end
  end
  w:close()
  return least, reached, over
end

describe("limits of reduced joints", function()
  it("are kept by 200 random trees", function()
    local reached, most_over, any_over = 0, 0, 0
    for seed = 1, seeds(200) do
      local least, times, over = swings(seed)
      assert.is_true(least > -2e-3, ("seed %d: exceeded by %.3g rad"):format(seed, -least))
      most_over = math.max(most_over, over)
      if over > 0 then any_over = any_over + 1 end
      if times > 0 then reached = reached + 1 end
    end
    -- where a link that a hinge far away holds strikes a limit at full speed, a step or two end before they are there
    assert.is_true(most_over <= 2 and any_over <= 5, ("%d steps, %d trees"):format(most_over, any_over))
    assert.is_true(reached > seeds.least(150), ("%d trees reached a limit"):format(reached))
  end)

  -- Its coordinate is none of the forest's.
  it("are no business of a driven hinge, which goes where it is told", function()
    local world <close> = delassus.world{ record = false }
    local a = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0, 0, -1 } }
    local b = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0, 0, -2 } }
    world:joint{ "revolute", world.ground, a, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 } }
    local hinge = world:joint{ "revolute", a, b, anchor = { 0, 0, -1.5 }, axis = { 0, 1, 0 }, limits = { -1, 1 },
      motion = function(t) return 0.3 * t, 0.3, 0 end }
    world:step(100)
    assert.is_true(math.abs(hinge.q - 0.3 * world.time) < 1e-9, hinge.q)
  end)

  it("of driven joints ask nothing: their motion is what it is, in both schemes", function()
    for _, scheme in ipairs{ "time-stepping", "event-driven" } do
      for _, formulation in ipairs{ "reduced", "rigid" } do
        for _, kind in ipairs{ "revolute", "prismatic" } do
          local ends = {}
          for k, limits in ipairs{ { -0.1, 0.1 }, false } do
            local world <close> = delassus.world{ planar = true, scheme = scheme, dt = 0.01, record = false }
            local bar = world:box{ size = { 1, 0.1 }, density = 500, position = { 0.5, 0 } }
            world:joint{ kind, world.ground, bar, anchor = { 0, 0 }, axis = kind == "prismatic" and { 1, 0 } or nil,
              limits = limits or nil, formulation = formulation, motion = function(t) return 2 * t, 2, 0 end }
            world:run(0.3)
            ends[k] = { bar.position.x, bar.position.y, bar.rotation, bar.velocity.x, bar.angular_velocity }
          end
          assert.near(0.6, kind == "revolute" and ends[1][3] or ends[1][1] - 0.5, 1e-9)
          assert.same(ends[2], ends[1], scheme .. ", " .. formulation .. ", " .. kind)
        end
      end
    end
  end)

  -- An arm on a foot that stands: both fall alike, so that no free velocity foretells that the arm's weight shuts the gap.
  -- It closes as that of a contact that stands by, q' = 0 by u' = gap/(theta h); without, the arm fell for a step by itself.
  it("that pressed stand by where they were opened (200 arms)", function()
    local r = delassus.random(14)
    for k = 1, 200 do
      local length, gap, formulation = r:uniform(0.2, 1), 10 ^ r:uniform(-8.5, -6), k % 2 == 0 and "rigid" or "reduced"
      local where = ("arm %d: %s, %.3g m, gap %.3g"):format(k, formulation, length, gap)
      local world <close> = delassus.world{ record = false }
      world:floor{ friction = 0.5 }
      local foot = world:box{ size = { 2, 1, 0.4 }, density = 500, position = { 0, 0, 0.2 } }
      local arm = world:box{ size = { length, 0.1, 0.1 }, density = 500, position = { 1 + length / 2, 0, 0.3 } }
      local hinge = world:joint{ "revolute", foot, arm, anchor = { 1, 0, 0.3 }, axis = { 0, 1, 0 }, limits = { -1, 0 },
        formulation = formulation }
      world:step(3)
      if formulation == "reduced" then
        hinge.q = -gap
      else
        arm.position = { 1 + length / 2 * math.cos(gap), 0, 0.3 + length / 2 * math.sin(gap) }
        arm.rotation = { axis = { 0, 1, 0 }, angle = -gap }
      end
      world:step()
      assert.is_true(math.abs(hinge.q) < 1e-12, where .. (": left %.3g"):format(hinge.q))
      assert.is_true(math.abs(hinge.qd - gap / 5e-4) < 1e-5 * gap / 5e-4 + 1e-12, where .. (": rate %.6g"):format(hinge.qd))
    end
  end)
end)
