-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- world:accelerations() of joints with dry friction and motors that hold a speed: bounds against closed forms, for either
-- direction of slip, at rest below and above the bound; and among bodies that have no part in them.
local delassus = require "delassus"
local near = require "support.near"
local chance = require "support.chance"
local seeds = require "support.seeds"

local MASS, INERTIA = 2, 3

--- A body on one joint about or along y, with one coordinate of effective mass m. Answers the world, the joint, m.
local function one(kind, formulation, options, v)
  local w = delassus.world{ record = false, gravity = { 0, 0, 0 } }
  local spin = kind == "revolute"
  local body = w:body{ mass = MASS, inertia = { 2, INERTIA, 2 }, position = { 0, 0, 0 },
    angular_velocity = { 0, spin and v or 0, 0 }, velocity = { 0, spin and 0 or v, 0 } }
  local joint = { kind, w.ground, body, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 }, formulation = formulation }
  for k, value in pairs(options) do joint[k] = value end
  return w, w:joint(joint), spin and INERTIA or MASS, body
end

--- The acceleration of the coordinate, whichever coordinates the world has.
local function of(w, kind, formulation)
  local udot = w:accelerations()
  if formulation == "reduced" then return udot[1] end
  return udot[kind == "revolute" and 5 or 2]
end

local function clamp(x, bound) return math.max(-bound, math.min(bound, x)) end

describe("accelerations of joints", function()
  for _, formulation in ipairs{ "reduced", "rigid" } do
    it("slide, hold and give way as dry friction says: " .. formulation, function()
      for seed = 1, seeds(200) do
        local r = chance(seed)
        local kind, bound = r.pick{ "revolute", "prismatic" }, r.from(0.1, 2)
        local v, load = r.pick{ 0, r.from(-3, 3) }, r.from(-4, 4)
        local w <close>, joint, m, body = one(kind, formulation, { friction = bound }, v)
        body:apply(kind == "revolute" and { torque = { 0, load, 0 } } or { force = { 0, load, 0 } })
        local friction = v > 0 and -bound or v < 0 and bound or -clamp(load, bound)
        near((load + friction) / m, of(w, kind, formulation), 1e-11, "seed " .. seed)
        assert.is_truthy(joint)
      end
    end)

    it("go for a motor's speed with what it has: " .. formulation, function()
      for seed = 1, seeds(200) do
        local r = chance(seed)
        local kind, bound, speed = r.pick{ "revolute", "prismatic" }, r.from(0.1, 2), r.from(-2, 2)
        local v, load = r.pick{ speed, r.from(-3, 3) }, r.from(-4, 4)
        local motor = { speed = speed, [kind == "revolute" and "max_torque" or "max_force"] = bound }
        local w <close>, _, m, body = one(kind, formulation, { motor = motor }, v)
        body:apply(kind == "revolute" and { torque = { 0, load, 0 } } or { force = { 0, load, 0 } })
        local push = v > speed and -bound or v < speed and bound or -clamp(load, bound)
        near((load + push) / m, of(w, kind, formulation), 1e-11, "seed " .. seed)
      end
    end)
  end
end)

describe("accelerations", function()
  for _, planar in ipairs{ true, false } do
    it("do not ask who has no part in them: bodies that are gone, sensors, other groups, " ..
      (planar and "in the plane" or "in space"), function()
      for seed = 1, seeds(200) do
        local found = {}
        for crowd = 0, 1 do
          local r = chance(seed)
          local function at(x, z) return planar and { x, z } or { x, 0, z } end
          local size = planar and { 1, 0.2 } or { 1, 1, 0.2 }
          local w <close> = delassus.world{ planar = planar, record = false, gravity = at(0, -9.81) }
          w:floor{ friction = 0.5 }
          local gone = crowd == 1 and w:box{ size = size, mass = 5, position = at(0, 0.1) }
          local box = w:box{ size = size, mass = r.from(1, 3), position = at(0, 0.1), group = "one", friction = 0.5,
            velocity = at(r.pick{ 0, r.from(-1, 1) }, 0), collides = { "default", "one" } }
          local arm = w:box{ size = planar and { 0.3, 0.1 } or { 0.3, 0.1, 0.1 }, mass = r.from(0.2, 1), position = at(0.3, 0.25),
            group = "one" }
          w:joint{ "revolute", box, arm, anchor = at(0.2, 0.2), axis = not planar and { 0, 1, 0 } or nil,
            formulation = r.pick{ "reduced", "rigid" } }
          if crowd == 1 then
            w:remove(gone)
            w:box{ size = size, type = "static", sensor = true, position = at(0.1, 0.1) }
            w:body{ type = "static", position = at(0, 0) }
            w:box{ size = size, type = "static", group = "two", collides = { "two" }, position = at(0.1, 0.1) }
          end
          box:apply{ force = at(r.from(-20, 20), r.from(-20, 5)) }
          found[crowd] = {}
          local udot = w:accelerations()
          for k, body in ipairs{ box, arm } do
            local _, from = w:index(body)
            for i = 1, k == 1 and (planar and 3 or 6) or 1 do table.insert(found[crowd], udot[from + i - 1]) end
          end
        end
        for i, udot in ipairs(found[0]) do near(udot, found[1][i], 1e-9, ("seed %d, number %d"):format(seed, i)) end
      end
    end)
  end

  it("of boxes side by side are those of each alone, on springs that steps have pressed", function()
    local function floor_of(w) w:floor{ friction = 0.4, stiffness = 1e5, damping = 50 } end
    local function box_of(w, seed, x)
      local r = chance(seed)
      return w:box{ size = { 0.5, 0.5, 0.2 }, mass = r.from(1, 5), position = { x, 0, 0.1 }, stiffness = 1e5, damping = 50,
        friction = 0.4, velocity = { 0, r.pick{ 0, r.from(-1, 1) }, r.from(-0.1, 0) } }
    end
    local function of_body(w, box)
      local udot, _, from = w:accelerations():totable(), w:index(box)
      return table.pack(table.unpack(udot, from, from + 5))
    end
    for seed = 1, seeds(200) do
      local all <close> = delassus.world{ record = false, dt = 1e-3, tolerance = 1e-14 }
      floor_of(all)
      local boxes = {}
      for i = 1, 5 do boxes[i] = box_of(all, 5 * seed + i, 2 * i) end
      all:step(7)
      for i = 1, 5 do
        local one_of <close> = delassus.world{ record = false, dt = 1e-3, tolerance = 1e-14 }
        floor_of(one_of)
        local box = box_of(one_of, 5 * seed + i, 2 * i)
        one_of:step(7)
        near(box.position.z, boxes[i].position.z, 1e-10, "seed " .. seed)
        local a, b = of_body(all, boxes[i]), of_body(one_of, box) -- springs make up to 1e6 /s^2 of it
        for k = 1, 6 do near(b[k], a[k], 1e-4, ("seed %d, box %d"):format(seed, i)) end
      end
    end
  end)

  it("hold a plate on a mesh of many faces, before any step", function()
    local n, vertices, faces = 6, {}, {}
    for i = 0, n do for j = 0, n do vertices[#vertices + 1] = { i / n - 0.5, j / n - 0.5, 0 } end end
    for i = 0, n - 1 do
      for j = 0, n - 1 do
        local a = i * (n + 1) + j + 1
        faces[#faces + 1] = { a, a + n + 1, a + n + 2 }
        faces[#faces + 1] = { a, a + n + 2, a + 1 }
      end
    end
    local w <close> = delassus.world{ record = false }
    w:mesh{ vertices = vertices, faces = faces, type = "static", friction = 0.5 }
    local plate = w:box{ size = { 0.9, 0.9, 0.1 }, mass = 3, position = { 0, 0, 0.05 }, friction = 0.5 }
    local udot = w:accelerations()
    for k = 1, 6 do near(0, udot[k], 1e-7) end
    assert.is_truthy(plate)
  end)
end)
