-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- A prescribed motion that is not square to the free coordinate of its joint: dry friction at rest holds the coordinate, and a
-- gear its ratio, against the law of one freedom worked out by hand.
local delassus = require "delassus"
local near = require "support.near"

local function along(planar, angle)
  local c, s = math.cos(angle), math.sin(angle)
  return planar and { c, s } or { c, s, 0 }
end

--- A body on a slide along x that a slide at an angle carries, s = v t + a t^2/2.
local function carried(world, x, mass, o, formulation, more)
  local planar = o.planar
  local body = world:body{ mass = mass, inertia = planar and 1 or { 1, 1, 1 }, position = planar and { x, 0 } or { x, 0, 0 },
    velocity = o.v * delassus.vec(along(planar, o.angle)) }
  local joint = { "chain", world.ground, body, formulation = formulation, motions = {
    { "slide", along(planar, o.angle), motion = function(t) return (o.v + o.a / 2 * t) * t, o.v + o.a * t, o.a end },
    { "slide", along(planar, 0) } } }
  for k, v in pairs(more or {}) do joint[k] = v end
  return world:joint(joint), body
end

local function scene(seed)
  local r = delassus.random(seed)
  local planar = seed % 2 == 0
  local world = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, record = false,
    dt = ({ 1e-3, 5e-3, 1 / 60 })[1 + seed % 3] }
  return world, { planar = planar, angle = r:uniform(0.2, 1.2), v = r:uniform(-1, 1), a = r:uniform(-5, 5) }, r
end

describe("drives at an angle to the free coordinate", function()
  for _, formulation in ipairs{ "reduced", "rigid" } do
    it("friction at rest holds it, " .. formulation, function()
      for seed = 1, 200 do
        local world <close>, o = scene(seed)
        local joint = carried(world, 0, 2, o, formulation, { friction = 1e3 })
        world:step(30)
        near(0, joint.q, 1e-12, "seed " .. seed)
        near(0, joint.qd, 1e-12, "seed " .. seed)
      end
    end)

    it("a gear holds its ratio, " .. formulation, function()
      for seed = 1, 200 do
        local world <close>, o, r = scene(seed)
        local m, n, ratio = r:uniform(0.5, 5), r:uniform(0.5, 5), r:uniform(-2, 2)
        local one = carried(world, 0, m, o, formulation)
        local other = world:body{ mass = n, inertia = o.planar and 1 or { 1, 1, 1 },
          position = o.planar and { 9, 0 } or { 9, 0, 0 } }
        local two = world:joint{ "prismatic", world.ground, other, axis = along(o.planar, 0), formulation = formulation }
        world:gear{ one, two, ratio = ratio }
        world:step(30)
        local t = world.time -- m (a cos + q'') + ratio^2 n q'' = 0
        local q = -0.5 * m * o.a * math.cos(o.angle) / (m + ratio ^ 2 * n) * t * t
        near(q, one.q, 1e-11, "seed " .. seed)
        near(ratio * q, two.q, 1e-11, "seed " .. seed)
        near(ratio * 2 * q / t, two.qd, 1e-10, "seed " .. seed)
        near(2 * q / t, one.qd, 1e-10, "seed " .. seed)
      end
    end)
  end
end)
