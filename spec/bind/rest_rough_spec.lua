-- Boxes at rest on each other, to rough tolerances: they come to rest as they do to fine ones (src/core/ladder/refine.c),
-- and then cost no more than a look. What sweeps leave just within the tolerance creeps, and is swept in every step.
local delassus = require "delassus"
local seeds = require "support.seeds"

local G, DT = 9.81, 1e-3

--- A stack of boxes of one random size each, laid a little aside of each other.
local function stack(random, planar, n, tolerance)
  local world = delassus.world{ planar = planar, record = false, dt = DT, tolerance = tolerance,
    gravity = planar and { 0, -G } or { 0, 0, -G } }
  world:floor{ friction = random:uniform(0.2, 0.8) }
  local top = 0
  for _ = 1, n do
    local height, wide, aside = random:uniform(0.3, 1), random:uniform(0.9, 1.1), random:uniform(-0.01, 0.01)
    local at = top + height / 2
    top = top + height
    world:box{ size = planar and { wide, height } or { wide, 1, height }, density = random:uniform(100, 900),
      friction = random:uniform(0.2, 0.8), position = planar and { aside, at } or { aside, 0, at } }
  end
  return world
end

describe("boxes at rest on each other", function()
  for _, planar in ipairs{ true, false } do
    it(("rest to rough tolerances, in the %s"):format(planar and "plane" or "space"), function()
      for seed = 1, seeds(200) do
        local random = delassus.random(seed)
        local n = 6 + seed % 5
        local world <close> = stack(random, planar, n, ({ 1e-2, 1e-3, 1e-4, 2e-5 })[1 + seed % 4])
        world:step(40)
        local work = 0
        for _ = 1, 30 do
          world:step(1)
          work = work + world.stats.work
        end
        local fastest = 0
        for _, body in ipairs(world.bodies) do
          if body.type == "dynamic" then fastest = math.max(fastest, body.velocity:norm()) end
        end
        assert(work < 60, ("seed %d: %g sweeps in 30 steps"):format(seed, work))
        assert(fastest < 1e-4 * G * DT, ("seed %d: %g m/s"):format(seed, fastest))
      end
    end)
  end
end)
