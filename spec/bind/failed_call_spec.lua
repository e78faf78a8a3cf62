-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- A call that fails because a function of the user's fails within it leaves the world as it was: to the bit, in all that
-- can be asked, and in all steps after it.
local delassus = require "delassus"

local NAN = 0 / 0

--- What a function of the user's does instead of answering well.
local faults = {
  error = function() error "on purpose" end,
  nan = function() return NAN, NAN, NAN end,
  kind = function() return "no number", {}, false end,
  nothing = function() end,
}

--- A kinematic root that carries a chain of three, the last one driven; a root moved by a function that carries one; two
--- free bodies, one of which has a gap function. broken.drive, broken.motion, broken.gap: faults.
local function scene(planar)
  local broken = {}
  local function given(name, good)
    return function(...) return (broken[name] or good)(...) end
  end
  local world = delassus.world{ planar = planar, record = false }
  local function at(x, z) return planar and { x, z } or { x, 0, z } end
  local function ball(x, z)
    return world:body{ mass = 2, inertia = planar and 0.1 or { 0.1, 0.2, 0.2 }, position = at(x, z) }
  end
  local axis = not planar and { 0, 1, 0 } or nil
  local things = { world = world, broken = broken, at = at, planar = planar, axis = axis }
  things.root = world:body{ type = "kinematic", position = at(0, 2), velocity = at(0.1, 0) }
  things.moved = world:body{ type = "kinematic", position = at(5, 2),
    motion = given("motion", function(t) return at(5 + 0.1 * t, 2) end) }
  things.upper, things.lower, things.driven, things.carried = ball(1, 2), ball(2, 2), ball(3, 2), ball(6, 2)
  things.free, things.watched = ball(8, 2), ball(9, 2)
  local function hinge(a, b, motion)
    return world:joint{ "revolute", a, b, anchor = a.position, axis = axis, motion = motion }
  end
  things.hinge = hinge(things.root, things.upper)
  things.slider = world:joint{ "prismatic", things.upper, things.lower, axis = at(1, 0.2) }
  things.drive = hinge(things.lower, things.driven, given("drive", function(t) return 0.2 * t, 0.2, 0 end))
  things.last = hinge(things.moved, things.carried)
  things.spring = world:spring{ things.upper, things.free, stiffness = 3, anchor_a = at(0.1, 0.2), anchor_b = at(0.3, 0) }
  local zeros, first = {}, nil
  world:contact{ world.ground, things.watched,
    gap = given("gap", function(q) return q[first.q + (planar and 1 or 2)] + 3 end),
    gradient = function()
      for k in ipairs(zeros) do zeros[k] = 0 end
      zeros[first.u + (planar and 1 or 2)] = 1
      return zeros
    end }
  for k = 1, #world:velocities() do zeros[k] = 0 end
  local q, u = world:index(things.watched)
  first = { q = q, u = u }
  world:step(3)
  return things
end

--- All that can be asked without calling a function.
local function told(t)
  local out = { t.world:hash(), #t.world.joints, #t.world.bodies, t.moved.motion, t.root.motion }
  local function add(x) out[#out + 1] = type(x) == "function" and x or tostring(x) end
  for _, name in ipairs{ "root", "moved", "upper", "lower", "driven", "carried", "free", "watched" } do
    local body = t[name]
    for _, key in ipairs{ "position", "rotation", "velocity", "angular_velocity", "mass", "com", "inertia", "type" } do
      add(body[key])
    end
  end
  for _, name in ipairs{ "hinge", "slider", "last" } do add(t[name].q) add(t[name].qd) add(t[name].torque) end
  add(t.spring.anchor_a) add(t.spring.anchor_b) add(t.spring.length)
  return out
end

local function turned(t, angle) return t.planar and angle or { math.cos(angle / 2), 0, math.sin(angle / 2), 0 } end
local function spin(t, w) return t.planar and w or { 0, w, 0 } end

--- Calls that ask drives and motions: bodies and joints that trees must follow, and questions about the whole world.
local asking = {
  ["body.position ="] = function(t) t.root.position = t.at(1, 1) end,
  ["body.rotation ="] = function(t) t.root.rotation = turned(t, 0.4) end,
  ["body.velocity ="] = function(t) t.root.velocity = t.at(1, 1) end,
  ["body.angular_velocity ="] = function(t) t.root.angular_velocity = spin(t, 2) end,
  ["body.mass ="] = function(t) t.upper.mass = 7 end,
  ["body.inertia ="] = function(t) t.upper.inertia = t.planar and 0.3 or { 0.3, 0.3, 0.3 } end,
  ["body.com ="] = function(t) t.upper.com = t.at(0.1, 0.03) end,
  ["body.com = of a root"] = function(t) t.root.com = t.at(0.1, 0.03) end,
  ["body.mass = of a free body"] = function(t) t.free.mass = 7 end,
  ["body.motion ="] = function(t) t.root.motion = function(s) return t.at(s, 1) end end,
  ["joint.q ="] = function(t) t.hinge.q = 1 end,
  ["joint.qd ="] = function(t) t.hinge.qd = 1 end,
  ["joint.q = of a slider"] = function(t) t.slider.q = 1 end,
  ["body:impulse of a body in a tree"] = function(t) t.upper:impulse{ impulse = t.at(1, 2) } end,
  ["body:impulse of a free body"] = function(t) t.free:impulse{ impulse = t.at(1, 2) } end,
  ["world:joint"] = function(t)
    t.world:joint{ "revolute", t.driven, t.free, axis = t.axis, anchor = t.at(3.3, 2), formulation = "reduced" }
  end,
  ["world:set_coordinates"] = function(t) t.world:set_coordinates(t.coordinates) end,
  ["world:set_velocities"] = function(t) t.world:set_velocities(t.velocities) end,
  ["world:equilibrium"] = function(t) t.world:equilibrium() end,
  ["world:linearize"] = function(t) t.world:linearize() end,
  ["world:coordinates"] = function(t) t.world:coordinates() end,
  ["world:mass_matrix"] = function(t) t.world:mass_matrix() end,
  ["world:inverse_dynamics"] = function(t) t.world:inverse_dynamics(t.velocities) end,
  ["world:accelerations"] = function(t) t.world:accelerations() end,
  ["world:step"] = function(t) t.world:step(4) end,
}
--- Calls that ask gap functions.
local measuring = { ["world:step"] = asking["world:step"], ["world:accelerations"] = asking["world:accelerations"] }

local function check(planar, callback, fault, name, call)
  local what = ("%s, %s %s, %s"):format(planar and "plane" or "space", callback, fault, name)
  local t, twin = scene(planar), scene(planar)
  t.coordinates, t.velocities = t.world:coordinates(), {}
  assert.equal(t.world:hash(), twin.world:hash(), what)
  for k, u in ipairs(t.world:velocities()) do t.velocities[k] = u + 0.1 end
  local before = told(t)
  t.broken[callback] = faults[fault]
  local fine = pcall(call, t)
  assert.is_false(fine, what)
  local after = told(t)
  for k = 1, #before do assert.equal(before[k], after[k], what) end
  t.broken[callback] = nil
  t.world:step(5)
  twin.world:step(5)
  assert.equal(twin.world:hash(), t.world:hash(), what .. ": the steps after it")
  call(t) -- and it is no call that always fails
  t.world:close()
  twin.world:close()
end

describe("a call that fails in a function of the user's", function()
  for callback, calls in pairs{ drive = asking, motion = asking, gap = measuring } do
    for fault in pairs(faults) do
      local fails = callback ~= "motion" or fault ~= "nothing" -- a motion that says nothing leaves its body where it is
      if fails then it(("leaves the world as it was: %s, %s"):format(callback, fault), function()
        for name, call in pairs(calls) do
          for _, planar in ipairs{ true, false } do
            check(planar, callback, fault, name, call)
          end
        end
      end) end
    end
  end
end)

describe("a step that a callback ends", function()
  it("counts in no worst value of a run, the time-stepping and the event-driven one", function()
    local core = require "delassus.core"
    for _, scheme in ipairs{ "time-stepping", "event-driven" } do
      local world <close> = delassus.world{ scheme = scheme, planar = true, record = false, dt = 0.01 }
      world:floor()
      world:disk{ radius = 0.5, position = { 0, 0.5 }, velocity = { 0, -1 } }
      local fails = false
      world:on("step", function() if fails then error("on purpose") end end)
      local function worst() return table.concat({ core.worst(world) }, " ") end
      for _ = 1, 3 do
        world:step()
        world.bodies[2].velocity = { 0, -1 }
        local before = worst()
        fails = true
        assert.is_false(pcall(world.step, world))
        fails = false
        assert.equal(before, worst(), scheme)
      end
    end
  end)

  it("leaves an event-driven world as it was, also where nothing moves freely any more", function()
    for _, planar in ipairs{ true, false } do
      local world <close> = delassus.world{ scheme = "event-driven", planar = planar, record = false, dt = 0.01 }
      world:floor{ friction = 0.3 }
      local ball = planar and world:disk{ radius = 0.1, position = { 0, 0.1 }, velocity = { 3, 0 } } or
        world:sphere{ radius = 0.1, position = { 0, 0, 0.1 }, velocity = { 3, 0, 0 } }
      local slab = world:body{ type = "kinematic", velocity = planar and { 1, 0 } or { 1, 0, 0 } }
      local boom = false
      world:on("step", function() if boom then error("on purpose") end end)
      local function fails()
        local before = world:hash()
        boom = true
        assert.is_false(pcall(world.step, world))
        boom = false
        assert.equal(before, world:hash())
      end
      world:step(2)
      world:step() -- two memories of its contact differ
      fails()
      world:remove(ball)
      fails()
      world:step()
      fails()
      world:step(3)
      fails()
      assert.near(0.07, slab.position[1], 1e-15)
    end
  end)
end)
