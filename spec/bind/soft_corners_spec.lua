-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Boxes and polygons of the plane that are deep in a soft floor: each corner below it presses by its depth.
local delassus = require "delassus"
local seeds = require "support.seeds"

describe("a soft floor of the plane", function()
  -- The lowest edge alone pressed: a plate of 2 cm that lies tilted and sinks by more lost a third of its force.
  it("presses on every corner below it: 300 boxes and polygons, both schemes", function()
    for seed = 1, seeds(300) do
      local r = delassus.random(seed)
      local scheme = seed % 2 == 0 and "event-driven" or "time-stepping"
      local world <close> = delassus.world{ planar = true, scheme = scheme, dt = 1e-6, gravity = { 0, 0 }, record = false }
      local k, m, angle, at = r:uniform(1e3, 1e4), r:uniform(1, 10), r:uniform(-1.4, 1.4), r:uniform(-0.02, 0.1)
      world:floor{ stiffness = 2 * k, friction = 0 }
      local corners, body = {}
      local put = { mass = m, position = { 0, at }, rotation = angle, stiffness = 2 * k, friction = 0 }
      if seed % 3 == 0 then
        for i = 1, 5 do
          local turn = 2 * math.pi * (i + r:uniform(-0.2, 0.2)) / 5
          corners[i] = { 0.15 * math.cos(turn), 0.15 * math.sin(turn) }
        end
        put.points = corners
        body = world:polygon(put)
      else
        local a, b = r:uniform(0.1, 0.3), r:uniform(0.02, 0.08)
        corners = { { a, b }, { -a, b }, { -a, -b }, { a, -b } }
        put.size = { 2 * a, 2 * b }
        body = world:box(put)
      end
      local sum = 0
      for _, c in ipairs(corners) do
        sum = sum + k * math.max(0, -(at + c[1] * math.sin(angle) + c[2] * math.cos(angle)))
      end
      world:step()
      local off = math.abs(body.velocity[2] / 1e-6 - sum / m)
      if off > 1e-4 * (1 + sum / m) then
        error(("seed %d, %s: %g of %g m/s^2"):format(seed, scheme, body.velocity[2] / 1e-6, sum / m))
      end
    end
  end)
end)
