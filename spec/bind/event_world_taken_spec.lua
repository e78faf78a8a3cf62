-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Which pairs of shapes event-driven worlds take (EQUATIONS G.2); every other one is refused by name at the first step.
local delassus = require "delassus"

local FAR = 100

local function ball(planar, x)
  return { shape = (planar and delassus.disk or delassus.sphere){ radius = 1 }, position = planar and { x, 0 } or { x, 0, 0 } }
end

local shapes = { -- of kinds in space, in the plane; those that do not move by themselves
  [false] = {
    sphere = function() return delassus.sphere{ radius = 1 } end,
    capsule = function() return delassus.capsule{ radius = 1, length = 1 } end,
    box = function() return delassus.box{ size = { 1, 1, 1 } } end,
    plane = function() return delassus.plane{ normal = { 0, 0, 1 } } end,
    drum = function() return delassus.drum{ radius = 3 * FAR, length = 6 * FAR } end,
    lifters = function()
      return delassus.drum{ radius = 3 * FAR, length = 6 * FAR, lifters = { count = 3, height = 1, width = 1 } }
    end,
    cylinder = function() return delassus.cylinder{ radius = 1, length = 1 } end,
    cone = function() return delassus.cone{ radius1 = 1, radius2 = 0.5, length = 1 } end,
    ellipsoid = function() return delassus.ellipsoid{ radii = { 1, 2, 1 } } end,
    convex = function() return delassus.convex{ points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } end,
    mesh = function() return delassus.mesh{ vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } } end,
    compound = function() return delassus.compound{ ball(false, 0), ball(false, 2) } end,
  },
  [true] = {
    disk = function() return delassus.disk{ radius = 1 } end,
    capsule = function() return delassus.capsule{ radius = 1, length = 1 } end,
    box = function() return delassus.box{ size = { 1, 1 } } end,
    polygon = function() return delassus.polygon{ points = { { 0, 0 }, { 1, 0 }, { 0, 1 } } } end,
    segment = function() return delassus.segment{ { 0, 0 }, { 1, 0 } } end,
    plane = function() return delassus.plane{ normal = { 0, 1 } } end,
    drum = function() return delassus.drum{ radius = 3 * FAR } end,
    lifters = function() return delassus.drum{ radius = 3 * FAR, lifters = { count = 3, height = 1, width = 1 } } end,
    compound = function() return delassus.compound{ ball(true, 0), ball(true, 2) } end,
  },
}
local HELD = { plane = true, segment = true, drum = true, lifters = true, mesh = true }
local ROUND = { sphere = true, disk = true, capsule = true }
local SMOOTH = { sphere = true, disk = true, capsule = true, plane = true, segment = true, drum = true }
local CORNERED = { box = true, polygon = true, convex = true }

--- Smooth shapes against each other, and corners of others against them: of these in space a convex's against planes and drums.
local function taken(a, b)
  if SMOOTH[a] and SMOOTH[b] then return true end
  if a == "lifters" or b == "lifters" then -- bars, whose own corners are against what is round
    return ROUND[a == "lifters" and b or a] or false
  end
  if not CORNERED[a] then a, b = b, a end
  return CORNERED[a] and SMOOTH[b] and not (a == "convex" and ROUND[b]) or false
end

describe("event-driven worlds", function()
  it("take the pairs of shapes that EQUATIONS G.2 lists, and refuse every other one by name at the first step", function()
    local n_taken, n_refused = 0, 0
    for planar, kinds in pairs(shapes) do
      for a in pairs(kinds) do
        for b in pairs(kinds) do
          local told = ("%s on %s, %s"):format(a, b, planar and "in the plane" or "in space")
          if a <= b and not (HELD[a] and HELD[b]) then
            local world = delassus.world{ planar = planar, scheme = "event-driven", record = false,
              gravity = planar and { 0, 0 } or { 0, 0, 0 } }
            for i, kind in ipairs{ a, b } do
              local x, down = kind ~= "drum" and kind ~= "lifters" and (i - 1) * FAR or 0, kind == "plane" and -FAR or 0
              world:body{ shape = kinds[kind](), position = planar and { x, down } or { x, 0, down },
                type = HELD[kind] and "static" or "dynamic", mass = not HELD[kind] and 1 or nil }
            end
            local before = world:hash()
            local fine, message = pcall(world.step, world)
            assert.equal(taken(a, b), fine, told .. ": " .. tostring(message))
            if not fine then
              assert.truthy(tostring(message):find("take shapes with smooth gaps", 1, true), told .. ": " .. tostring(message))
              assert.equal(before, world:hash(), told)
            end
            n_taken, n_refused = n_taken + (fine and 1 or 0), n_refused + (fine and 0 or 1)
          end
        end
      end
    end
    assert.is_true(n_taken >= 25 and n_refused >= 50, n_taken .. " and " .. n_refused)
  end)
end)
