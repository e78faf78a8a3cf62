-- A looser tolerance asks for less: piles of boxes at rest, whose solver leaves small velocities behind, keep the contacts
-- and the loads that they have.
local delassus = require "delassus"
local seeds = require "support.seeds"

local function pyramid(planar, rows, tolerance)
  local w = delassus.world{ planar = planar, tolerance = tolerance, record = false }
  w:floor{ friction = 0.5 }
  for row = 0, rows - 1 do
    for i = 1, rows - row do
      local x, y = (i - (rows - row) / 2) * 1.05, row + 0.5
      w:box{ size = planar and { 1, 1 } or { 1, 1, 1 }, density = 100, friction = 0.5,
        position = planar and { x, y } or { x, 0, y } }
    end
  end
  return w
end

-- Sweeps a step in the mean, Newton's steps and projections included, of 100 steps.
local function work(planar, rows, tolerance)
  local w, sum, up = pyramid(planar, rows, tolerance), 0, planar and 2 or 3
  for _ = 1, 100 do
    w:step()
    sum = sum + w.stats.work
    assert.is_true(w.stats.residual <= tolerance)
    assert.is_true(w.stats.penetration < 1e-5)
    for _, body in ipairs(w.bodies) do assert.is_true(math.abs(body.velocity[up]) < 1e-3) end -- a tenth of what falls in a step
  end
  w:close()
  return sum / 100
end

describe("a loose tolerance", function()
  for _, planar in ipairs{ true, false } do
    local where = planar and "plane" or "space"
    it("costs piles at rest a few sweeps a step, " .. where, function()
      for _, rows in ipairs{ 4, 10, 20 } do
        for _, tolerance in ipairs{ 1e-2, 1e-3, 1e-4, 1e-5 } do
          if rows < 20 or tolerance > 1e-4 then
            local mean = work(planar, rows, tolerance)
            assert.is_true(mean < 25, ("%d rows to %g: %g"):format(rows, tolerance, mean))
          end
        end
      end
    end)
  end

  it("does not take a face's contact away whose corners are a nanometre apart", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local w = delassus.world{ planar = true, record = false }
      w:box{ type = "static", size = { 1, 1 }, position = { 0, -0.5 } }
      local tilt = random:uniform(-4e-9, 4e-9)
      local box = w:box{ size = { 1, 1 }, density = 100, rotation = tilt,
        position = { random:uniform(-0.4, 0.4), 0.5 + 0.5 * math.abs(tilt) + random:uniform(0, 4e-9) } }
      w:step()
      assert.is_true(math.abs(box.velocity[2]) < 1e-4, "seed " .. seed)
      w:close()
    end
  end)

  -- Newton's law: a flat box, level when it lands, leaves by e times the speed that it came with, whatever the residual is.
  it("keeps rebounds", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local e, tolerance, planar = random:uniform(0.2, 0.9), 10 ^ random:uniform(-5, -2), seed % 2 == 0
      local w = delassus.world{ planar = planar, tolerance = tolerance, record = false }
      w:floor{ friction = 0.4, restitution = e }
      local aside, up = random:uniform(-1, 1), planar and 2 or 3
      local box = planar and w:box{ size = { 0.4, 0.1 }, position = { 0, 0.1 }, velocity = { aside, -2 }, density = 800,
        friction = 0.4, restitution = e }
        or w:box{ size = { 0.4, 0.3, 0.1 }, position = { 0, 0, 0.1 }, velocity = { aside, random:uniform(-1, 1), -2 },
          rotation = { axis = { 0, 0, 1 }, angle = random:uniform(0, 3) }, density = 800, friction = 0.4, restitution = e }
      local came, most = 0, -math.huge
      for _ = 1, 40 do
        w:step()
        came, most = math.min(came, box.velocity[up]), math.max(most, box.velocity[up])
      end
      assert.near(-e * came, most, 0.05, ("seed %d: e = %g to %g"):format(seed, e, tolerance))
      w:close()
    end
  end)
end)
