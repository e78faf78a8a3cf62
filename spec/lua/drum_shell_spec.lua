-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Logs of turning planar drums stay within their shell, by positions alone.
local make = require "delassus.drum"

describe("a turning planar drum", function()
  it("keeps its logs within 1e-4 m of its shell, and tells what is left (4 drums of 1,500 steps)", function()
    for _, seed in ipairs{ 2, 4, 6, 9 } do
      local diameter, froude = 3 + seed % 3, 0.2 + 0.1 * (seed % 4)
      local drum = make{ diameter = diameter, rpm = math.sqrt(froude * 9.81 * 2 / diameter) * 30 / math.pi, fill = 0.5,
        planar = true, seed = seed, logs = { diameter = { 0.1, 0.3 } } }
      drum:settle()
      drum:run{ time = drum.world.dt } -- brings it to its speed
      for step = 1, 1500 do
        drum.world:step()
        local told = drum.world.stats.penetration
        for _, log in ipairs(drum.logs) do
          local p, r = log.position, log.shape.radius
          local beyond = math.sqrt(p.x ^ 2 + p.y ^ 2) + r - diameter / 2
          if beyond > 1e-4 or beyond / (2 * r) > told + 1e-9 then
            error(("seed %d, step %d: a log of %g m is %g m beyond the shell; told %g"):format(seed, step, 2 * r, beyond, told))
          end
        end
      end
      drum.world:close()
    end
  end)
end)
