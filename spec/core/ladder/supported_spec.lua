-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Islands of many free bodies of which few meet on trees: what hangs on a chain strikes walls of boxes.
local delassus = require "delassus"
local seeds = require "support.seeds"

local function wall(w, rows, columns, friction, density)
  w:floor{ friction = friction }
  for row = 0, rows - 1 do
    for c = 0, columns - 1 do
      w:box{ size = { 0.3, 0.5, 0.3 }, density = density(), friction = friction,
        position = { 0, (c - (columns - 1) / 2) * 0.5 + row % 2 * 0.1, 0.15 + 0.3 * row } }
    end
  end
end

-- A ball on so many links, drawn back by an angle.
local function wrecking_ball(w, top, links, angle, density, formulation)
  local turned = { axis = { 0, 1, 0 }, angle = angle }
  local function at(s) return { top[1] - s * math.sin(angle), top[2], top[3] - s * math.cos(angle) } end
  local before = w.ground
  for i = 1, links do
    local link = w:capsule{ radius = 0.05, length = 0.2, density = 3000, position = at(0.3 * i - 0.15), rotation = turned }
    w:joint{ "spherical", before, link, anchor = at(0.3 * (i - 1)), formulation = formulation }
    before = link
  end
  local ball = w:sphere{ radius = 0.4, density = density, position = at(0.3 * links + 0.4), friction = 0.5 }
  w:joint{ "spherical", before, ball, anchor = at(0.3 * links), formulation = formulation }
  return ball
end

describe("a ball on a chain", function()
  -- Without friction velocities after a blow are unique, and least in energy: to first order in what is left of the residual,
  -- velocities to its root. Where the work is bounded core/cone is asked in place of points.
  it("strikes a wall of smooth boxes as by a factor on contacts (200 walls)", function()
    local tolerance = 1e-11
    for seed = 1, seeds(200) do
      local u, energy, speed = {}, {}, nil
      for k, work in ipairs{ 1000, 1e6 } do
        local random = delassus.random(seed)
        local w = delassus.world{ record = false, tolerance = tolerance, max_iterations = work }
        wall(w, 3, 2, 0, function() return random:uniform(400, 1600) end)
        local ball = wrecking_ball(w, { -0.551, random:uniform(-0.3, 0.3), 2 }, 3, 0, random:uniform(1000, 8000),
          seed % 2 == 0 and "rigid" or nil)
        speed = random:uniform(2, 8)
        ball:impulse{ impulse = { ball.mass * speed, 0, 0 } }
        w:step()
        assert.equal(0, w.stats.unconverged, "seed " .. seed)
        assert.is_true(w.stats.contacts > 40, "seed " .. seed)
        u[k], energy[k] = w:velocities(), w:energy()
        w:close()
      end
      assert.near(energy[2], energy[1], 1e-8 * energy[1], "seed " .. seed)
      for i = 1, #u[1] do
        assert.near(u[2][i], u[1][i], 10 * tolerance ^ 0.5 * speed, ("seed %d, number %d"):format(seed, i))
      end
    end
  end)

  -- By a factor on contacts, which runs out of work, every second wall left some step of its blow at 1e-5 to 2e-4.
  it("swings into rough walls of 30 boxes: no residual is large, nothing sinks in (3 walls)", function()
    for seed = 1, 3 do
      local random = delassus.random(seed)
      local w = delassus.world{ record = false, dt = random:uniform(2e-3, 4e-3) }
      wall(w, 6, 5, random:uniform(0.3, 0.8), function() return random:uniform(400, 1200) end)
      wrecking_ball(w, { -0.4, random:uniform(-0.2, 0.2), 3 }, 6, random:uniform(0.5, 0.8), random:uniform(1000, 8000))
      for step = 1, 1 / w.dt do
        w:step()
        assert.is_true(w.stats.penetration < 5e-3, "seed " .. seed)
        assert.is_true(w.stats.residual < 1e-5, ("seed %d, step %d: %g"):format(seed, step, w.stats.residual))
      end
      w:close()
    end
  end)
end)
