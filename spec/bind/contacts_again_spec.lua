-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Contacts that held across a gap are closed at the end of a step. They are known again by their keys, and where edges and
-- faces meet otherwise by then, by where they are (touch_like of scheme/position_small.c).
local delassus = require "delassus"

describe("contacts that held across a gap", function()
  it("are closed though edges and faces meet otherwise than they did: a cylinder thrown on another, moved by 1e-13 m", function()
    local heights = {}
    for i = 0, 15 do
      local world <close> = delassus.world{ dt = 5e-3, record = false }
      world:floor{ friction = 0.7 }
      world:cylinder{ radius = 0.2433, length = 0.3028, density = 1000, friction = 0.7,
        position = { -0.2696 + i * 1e-13, 0.4395, 0.2376 }, rotation = { 0.4699, 0.3383, -0.5177, 0.6299 },
        velocity = { 0.7870, -0.1307, -0.4812 }, angular_velocity = { 0.6878, 3.2293, 0.2039 } }
      local thrown = world:cylinder{ radius = 0.1833, length = 0.3253, density = 1000, friction = 0.7,
        position = { -0.2195, 0.2947, 0.7309 }, rotation = { -0.2839, 0.5309, -0.7782, -0.1788 },
        velocity = { 0.0810, -0.4263, -6.2127 }, angular_velocity = { 0.3418, -3.6816, 3.9797 } }
      world:step()
      heights[#heights + 1] = thrown.centre.z
    end
    for i, height in ipairs(heights) do assert.near(heights[1], height, 1e-9, "shift " .. i - 1) end -- 2.2 mm beside a gap
  end)
end)
