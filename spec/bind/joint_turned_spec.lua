-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Joints whose child is `a`: their numbers keep meaning and order. What queries leave as it is known.
local delassus = require "delassus"

local function near(expected, got, tolerance, what)
  assert.equal(#expected, #got, what)
  for i = 1, #expected do
    local off = math.abs(expected[i] - got[i])
    if off > tolerance or off ~= off then
      error(("%s[%d]: expected %.17g, got %.17g (off by %.3g)"):format(what, i, expected[i], got[i], off), 2)
    end
  end
end

local function list(x) return type(x) == "number" and { x } or x:totable() end

-- A body on a moving one; `turned` hangs the upper one from it, so that it is the joint's a that is carried.
local kinds = {
  universal = { axis = { 0, 0, 1 }, axis2 = { 1, 0, 0 } }, cylindrical = { axis = { 1, 2, 3 } }, planar = { axis = { 1, 1, 0 } },
  chain = { motions = { { "rotate", { 0, 0, 1 } }, { "slide", { 1, 0, 0 } }, { "rotate", { 0, 1, 0 } } } },
  custom = { subspace = { { 1, 0 }, { 0, 0 }, { 0, 1 }, { 0, 0.3 }, { 0.2, 0 }, { 0, 0 } }, frame_a = {}, frame_b = {} },
  revolute = { axis = { 0, 1, 0 } }, prismatic = { axis = { 0, 1, 1 } },
}

local function scene(kind, turned)
  local world = delassus.world{ record = false }
  local a = world:body{ mass = 2, inertia = { 0.3, 0.2, 0.4 }, com = { 0.1, 0, 0.2 } }
  local b = world:body{ mass = 1, inertia = { 0.1, 0.2, 0.2 }, com = { 0, 0.3, 0 } }
  local options = { kind, a, b, anchor = kind ~= "custom" and { 0.2, 0.1, -0.3 } or nil }
  for key, value in pairs(kinds[kind]) do options[key] = value end
  world:joint{ "free", world.ground, turned and b or a }
  local joint = world:joint(options)
  local q, u, tau = {}, {}, {}
  for i = 1, #list(joint.q) do q[i], u[i], tau[i] = 0.3 * i, 0.5 - 0.2 * i, 0.7 * i end
  joint.q, joint.qd, joint.torque = q, u, tau
  return world, joint, turned and a or b, q, u, tau
end

describe("a joint whose child is a", function()
  for kind in pairs(kinds) do
    it("lists its numbers in the world's vectors as the joint does: " .. kind, function()
      for _, turned in ipairs{ false, true } do
        local world <close>, joint, child, q, u, tau = scene(kind, turned)
        assert.equal(joint, child.joint)
        local iq, iu = world:index(child)
        local function part(v, first) return { table.unpack(v:totable(), first, first + #q - 1) } end
        near(q, part(world:coordinates(), iq), 0, "q")
        near(u, part(world:velocities(), iu), 0, "u")
        local udot = world:accelerations()
        near(list(joint.qdd), part(udot, iu), 0, "udot")
        near(tau, part(world:inverse_dynamics(udot), iu), 1e-12, "tau")
        local before = world:coordinates()
        world:set_coordinates(before)
        world:set_velocities(world:velocities())
        near(q, list(joint.q), 1e-15, "q again")
        near(u, list(joint.qd), 0, "u again")
      end
    end)

    it("moves as the same joint with the child b: " .. kind, function()
      local ends = {}
      for i, turned in ipairs{ false, true } do
        local world <close>, joint, _, _, _, tau = scene(kind, turned)
        -- the same state of the two bodies: the first stands still in both
        if turned then
          local other <close> = scene(kind, false)
          for k = 1, 2 do
            local from = other.bodies[k]
            local free = world.bodies[2].joint
            if k == 2 then
              local p, r = from.position:totable(), from.rotation:totable()
              free.q = { p[1], p[2], p[3], r[1], r[2], r[3], r[4] }
              local v, w, c = from:velocity_at(from.position):totable(), from.angular_velocity, from.rotation
              local axis = delassus.vec{ -c[2], -c[3], -c[4] }
              local t = 2 * axis:cross(w)
              local body = (w + c[1] * t + axis:cross(t)):totable()
              free.qd = { v[1], v[2], v[3], body[1], body[2], body[3] }
            end
          end
        end
        joint.torque = tau
        world:accelerations()
        local force, moment = joint:reaction()
        ends[i] = { force[1], force[2], force[3], moment[1], moment[2], moment[3], table.unpack(list(joint.qdd)) }
      end
      near(ends[1], ends[2], 1e-12, kind)
    end)
  end
end)

describe("what is known of reactions", function()
  it("stays known through queries, after an evaluation and after a step", function()
    local world <close>, joint = scene("universal", false)
    local function wrench()
      local force, moment = joint:reaction()
      return { force[1], force[2], force[3], moment[1], moment[2], moment[3], joint.qdd[1], joint.qdd[2] }
    end
    for _, act in ipairs{ function() return world:accelerations() end, function()
      world:step()
      return world:velocities()
    end } do
      local udot = act()
      local known = wrench()
      for _, ask in ipairs{ "mass_matrix", "bias", "coordinates" } do
        world[ask](world)
        near(known, wrench(), 1e-13, ask)
      end
      world:inverse_dynamics(udot)
      near(known, wrench(), 1e-13, "inverse_dynamics")
      world:jacobian(world.bodies[2], { 1, 2, 3 })
      near(known, wrench(), 1e-13, "jacobian")
    end
  end)

  it("is about the anchor in b of a free joint too", function()
    local world <close> = delassus.world{ record = false }
    local b = world:body{ mass = 1, inertia = { 0.1, 0.2, 0.2 }, com = { 0, 0.3, 0 } }
    local joint = world:joint{ "free", world.ground, b, frame_b = { position = { 0, 0, 0.5 } } }
    joint.torque = { 3, 0, 0, 0, 0, 0 } -- along x at the origin of b, half a metre from the anchor
    world:accelerations()
    local force, moment = joint:reaction()
    near({ 3, 0, 0, 0, -1.5, 0 }, { force[1], force[2], force[3], moment[1], moment[2], moment[3] }, 1e-14, "wrench")
  end)
end)
