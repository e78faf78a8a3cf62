-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- world:integrate has smooth motion alone: what could make it rough is refused by its name, and the world is as it was;
-- what cannot is taken, and the motion is that without it, to the bit.
local delassus = require "delassus"

--- A double pendulum of bars, in the plane or in space; o: formulation, shapes (false: bodies without), first, second:
--- options of its joints. Answers world, bars, joints.
local function pendulum(o)
  local planar = o.planar ~= false
  local function at(x) return planar and { x, 0 } or { x, 0, 0 } end
  local w = delassus.world{ planar = planar, record = false }
  local bars, joints = {}, {}
  for i = 1, 2 do
    local size = planar and { 1, 0.1 } or { 1, 0.1, 0.1 }
    bars[i] = o.shapes == false and w:body{ mass = 10, inertia = planar and 0.8 or { 0.1, 0.8, 0.8 }, position = at(i - 0.5) }
      or w:box{ size = size, mass = 10, inertia = planar and 0.8 or { 0.1, 0.8, 0.8 }, position = at(i - 0.5), sensor = o.sensor,
        collides = o.collides }
    local joint = { "revolute", bars[i - 1] or w.ground, bars[i], anchor = at(i - 1), axis = not planar and { 0, 1, 0 } or nil,
      formulation = o.formulation }
    for k, v in pairs(i == 2 and o.second or {}) do joint[k] = v end
    joints[i] = w:joint(joint)
  end
  return w, bars, joints
end

local function refused(w, words, options)
  local before = w:hash()
  local ok, message = pcall(w.integrate, w, options or { method = "dopri5", to = 0.1 })
  assert.is_false(ok)
  assert.matches(words, message, 1, true)
  assert.equal(before, w:hash())
end

local formulations = { "reduced", "rigid", "penalty" }

describe("world:integrate", function()
  for _, planar in ipairs{ true, false } do
    local where = planar and "in the plane" or "in space"

    it("does not ask shapes that joints of any formulation keep apart, " .. where, function()
      for _, formulation in ipairs(formulations) do
        local ends = {}
        for k, shapes in ipairs{ true, false } do
          local w <close>, bars = pendulum{ planar = planar, formulation = formulation, shapes = shapes }
          w:integrate{ method = "rk4", dt = 1e-4, to = 0.05 }
          local p = bars[2].position
          ends[k] = ("%.17g %.17g %.17g"):format(p.x, p.y, planar and 0 or p.z)
        end
        assert.equal(ends[2], ends[1], formulation)
      end
    end)

    it("refuses shapes that could meet, " .. where, function()
      for _, formulation in ipairs(formulations) do
        local w <close> = pendulum{ planar = planar, formulation = formulation }
        local far = planar and { 0, 9 } or { 0, 0, 9 }
        local other = w:box{ size = planar and { 1, 1 } or { 1, 1, 1 }, type = "static", position = far }
        refused(w, "bodies #1 and #3 could touch")
        other.sensor = true
        w:integrate{ method = "dopri5", to = 0.01 }
        other.sensor = false
        refused(w, "bodies #1 and #3 could touch")
        w:remove(other)
        w:integrate{ method = "dopri5", to = 0.02 }
      end
    end)

    it("takes sensors and bodies that collide with nothing, " .. where, function()
      for _, o in ipairs{ { sensor = true }, { collides = false } } do
        o.planar = planar
        local w <close> = pendulum(o)
        w:box{ size = planar and { 9, 9 } or { 9, 9, 9 }, type = "static", position = planar and { 0, 0 } or { 0, 0, 0 } }
        w:integrate{ method = "dopri5", to = 0.01 }
        assert.near(0.01, w.time, 1e-15)
      end
    end)

    it("refuses limits, speeds that are held, and dry friction, by the joint's number, " .. where, function()
      for _, formulation in ipairs(formulations) do
        local w <close> = pendulum{ planar = planar, formulation = formulation, second = { limits = { -1, 1 } } }
        if formulation == "penalty" then w:integrate{ method = "dopri5", to = 0.01 } -- its limits are forces
        else refused(w, "the limits of joint #2 could act") end
        local driven <close> = pendulum{ planar = planar, formulation = formulation,
          second = { motor = { speed = 1, max_torque = 5 } } }
        refused(driven, "the motor of joint #2 holds a speed")
        local dry <close> = pendulum{ planar = planar, formulation = formulation, second = { friction = 0.2 } }
        refused(dry, "the friction of joint #2 could hold it")
      end
    end)

    it("refuses hand-made contacts that are active, " .. where, function()
      local w <close>, bars = pendulum{ planar = planar, shapes = false }
      local post = w:body{ mass = 1, inertia = planar and 1 or { 1, 1, 1 }, position = planar and { 5, 5 } or { 5, 5, 5 } }
      local middle = planar and { 0, 0 } or { 0, 0, 0 }
      local contact = w:contact{ bars[2], post, point_a = middle, point_b = middle, normal = planar and { 0, 1 } or { 0, 0, 1 } }
      refused(w, "a contact made by hand could act")
      contact.active = false
      w:integrate{ method = "dopri5", to = 0.01 }
      contact.active = true
      refused(w, "a contact made by hand could act")
      w:remove(contact)
      w:integrate{ method = "dopri5", to = 0.02 }
    end)
  end

  it("refuses the cone and the twist of spherical joints", function()
    for _, formulation in ipairs(formulations) do
      for _, limits in ipairs{ { cone = 1 }, { twist = { -1, 1 } }, { twist = { -1, 2 }, cone = 2 } } do
        local w <close> = delassus.world{ record = false }
        local body = w:body{ mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, -1 } }
        w:joint{ "spherical", w.ground, body, anchor = { 0, 0, 0 }, limits = limits, formulation = formulation }
        if formulation == "penalty" then w:integrate{ method = "dopri5", to = 0.01 }
        else refused(w, "the limits of joint #1 could act") end
      end
    end
  end)

  it("says so where the motion runs away", function()
    local w <close> = delassus.world{ planar = true, record = false, gravity = { 0, 0 } }
    w:body{ mass = 1, inertia = 1, position = { 0, 1 } }
    w:field(function(body) return { 0, 1e150 * body.position.y } end)
    local before = w:hash()
    local ok, message = pcall(w.integrate, w, { method = "rk4", dt = 1, to = 10 })
    assert.is_false(ok)
    assert.matches("world:integrate", message, 1, true)
    assert.equal(before, w:hash())
  end)
end)
