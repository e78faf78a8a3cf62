-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- A mechanism that is crushed: a box on a hinge that stands in a wall, which its limits do not let go. Its steps are not divided
-- because things pass through each other there: they would be in every part of a step as well.
local delassus = require "delassus"
local random = require "support.random"

describe("a mechanism that is crushed between a hinge and a wall", function()
  it("tells so, and its steps are attempted whole, a dozen times at most", function()
    local r = random(2) -- a start from which steps were divided into 128 parts
    local world <close> = delassus.world{ record = false, dt = 1 / 240, tolerance = 1e-8 }
    local smooth = delassus.material{ friction = 0 }
    world:floor{ material = smooth }
    for _, normal in ipairs{ { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } } do
      world:wall{ normal = normal, offset = -0.8, material = smooth }
    end
    local roller = world:cylinder{ radius = 0.118131, length = 0.354394, density = 3801.2, material = smooth,
      position = { -0.360685, -0.424301, 0.4 }, velocity = { -0.6 + 0.3 * r(), 0.3 * r(), -1.7 } }
    local cone = world:body{ shape = delassus.cone{ radius1 = 0.102566, radius2 = 0.0615398, length = 0.307699 },
      material = smooth,
      position = { -0.158682, 0.00404718, 0.85 },
      velocity = { -0.977478, -0.51898, -1.27833 }, angular_velocity = { 4.0511, -1.71042, 2.15248 } }
    local box = world:box{ size = { 0.354666, 0.330762, 0.180281 }, density = 1396.96, material = smooth,
      position = { -0.700963, -0.129173, 1.3 }, velocity = { 0.00922631, 0.20161, 0.325927 },
      angular_velocity = { -2.00863, -2.12223, -4.58707 } }
    local bar = world:body{ material = smooth,
      shape = delassus.compound{
        { shape = delassus.box{ size = { 0.217092, 0.054273, 0.054273 } }, position = { 0, 0, 0.0271365 } },
        { shape = delassus.sphere{ radius = 0.0434183 }, position = { 0.0723639, 0, 0.0723639 } } },
      position = { -0.628978, 0.221362, 1.75 }, velocity = { 0.238102, 1.02461, 1.83908 },
      angular_velocity = { -1.68339, 2.01797, 3.71032 } }
    world:joint{ "cylindrical", roller, cone, anchor = { -0.259683, -0.210127, 0.625 },
      axis = { 0.395902, -0.119563, -0.494329 } }
    world:joint{ "spherical", cone, box, anchor = { -0.429823, -0.0625627, 1.075 } }
    world:joint{ "fixed", bar, roller, anchor = { -0.494832, -0.101469, 1.075 }, formulation = "rigid" }
    world:joint{ "revolute", world.ground, box, anchor = { -0.700963, -0.129173, 1.3 }, axis = { -0.806131, 0.278908, -0.187452 },
      limits = { -0.5, 0.6 } }
    world:spring{ cone, box, stiffness = 14.3594, length = 0.643333 }
    world:spring{ world.ground, bar, anchor_a = { 0, 0, 3 }, stiffness = 7011.5, length = 0.783439 }
    world:spring{ world.ground, box, anchor_a = { 0, 0, 3 }, stiffness = 9920.79, length = 0.643376 }
    local crushed, asked = 0, 0
    world:field(function() asked = asked + 1 end) -- once a body and attempt
    for step = 1, 25 do
      asked = 0
      world:step()
      if world.stats.infeasible then crushed = crushed + 1 end
      assert(asked <= 4 * 14, ("step %d: forces were asked for %d times"):format(step, asked))
    end
    assert(crushed > 15, crushed .. " steps tell that something is crushed")
  end)
end)
