-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Poisson's impulses of redundant contacts end as Newton's steps leave them; what is left of one that falls away with every
-- step (1e-16 of itself each) is round-off of either sign, and no force.
local delassus = require "delassus"
local seeds = require "support.seeds"

local STEPS = 40

--- Four boxes that fall onto a rough floor and each other, in the plane and in space.
local function build(seed)
  local random = delassus.random(seed)
  local function between(a, b) return random:uniform(a, b) end
  local planar = seed % 2 == 0
  local world = delassus.world{ planar = planar, impact = "poisson", dt = 1 / 60, record = false }
  world:floor{ friction = 1000, restitution = 0.25 }
  for i = 1, 4 do
    local a, high = between(0.1, 0.2), 0.15 * i
    local o = { friction = random:uniform() < 0.5 and 1000 or 0.5, restitution = between(0, 1),
      size = { a, 0.6 * a, 0.5 * a }, position = { between(-0.05, 0.05), between(-0.05, 0.05), high },
      rotation = { axis = { between(-1, 1), 1, between(-1, 1) }, angle = between(-3, 3) },
      velocity = { between(-2, 2), between(-2, 2), -2 } }
    if planar then
      o.size[3], o.position[3], o.velocity[3] = nil, nil, nil
      o.position[2], o.velocity[2], o.rotation = high, -2, between(-3, 3)
    end
    world:box(o)
  end
  return world
end

describe("impulses of redundant contacts by Poisson's law", function()
  it("press, and rub only where they press (the laws, 200 seeds)", function()
    for seed = 1, seeds(200) do
      local world <close> = build(seed)
      for step = 1, STEPS do
        world:step()
        for contact in world:contacts() do
          local force = contact.normal_force
          local presses = force >= 0 -- not where it is no number
          if not presses or (force == 0 and contact.impulse:norm() > 0) then
            error(("seed %d, step %d: %s, %g N"):format(seed, step, contact, force))
          end
        end
      end
    end
  end)
end)
