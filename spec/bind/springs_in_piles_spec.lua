-- SPDX-License-Identifier: MIT
-- Springs among bodies in piles: their rows are solved with the contacts. Oracles: the residual, the ledger, and the same
-- step by a method that assembles all rows.
local delassus = require "delassus"
local chance = require "support.chance"
local seeds = require "support.seeds"

--- A bin of balls, `columns` wide, some of them on springs; what is held may be soft or stiff.
local function pile(seed, options)
  local r = chance(seed)
  local planar, columns, n = options.planar, options.columns, options.n
  local world = delassus.world{ planar = planar, record = false, tolerance = options.tolerance }
  local material = delassus.material{ friction = options.friction }
  local function at(x, y, z) return planar and { x, z } or { x, y, z } end
  world:floor{ material = material }
  local wide = 0.11 * columns / 2
  for s = -1, 1, 2 do
    world:plane{ normal = at(-s, 0, 0), offset = -wide, material = material }
    if not planar then world:plane{ normal = { 0, -s, 0 }, offset = -wide, material = material } end
  end
  local balls = {}
  for i = 0, n - 1 do
    local x, y, z = i % columns, planar and 0 or i // columns % columns, planar and i // columns or i // columns ^ 2
    local middle = (columns - 1) / 2
    local o = { radius = r.from(0.04, 0.05), density = 1000, material = material,
      position = at(0.105 * (x - middle) + r.from(-2e-3, 2e-3), 0.105 * (y - middle), 0.052 + 0.102 * z) }
    balls[#balls + 1] = planar and world:disk(o) or world:sphere(o)
  end
  for _ = 1, options.springs do
    local a = math.floor(r.from(1, n - 1e-9))
    world:spring{ balls[a], balls[a + 1], stiffness = 10 ^ r.from(2, 8), damping = r.pick{ 0, 10 }, length = 0.1 }
  end
  return world, balls
end

describe("Springs in piles", function()
  for _, planar in ipairs{ true, false } do
    local where = planar and "plane" or "space"

    it("leave no step unsolved, and the ledger adds up: " .. where, function()
      for seed = 1, seeds(4) do
        local world <close> = pile(seed, { planar = planar, columns = planar and 7 or 4, n = planar and 56 or 48, friction = 0.3,
          springs = 2 + seed })
        local contacts = 0
        for step = 1, 300 do
          world:step()
          local stats = world.stats
          contacts = math.max(contacts, stats.contacts)
          assert.equal(0, stats.unconverged, ("seed %d, step %d: residual %g"):format(seed, step, stats.residual))
          assert.is_true(stats.energy_balance < 1e-9, ("seed %d, step %d: balance %g"):format(seed, step, stats.energy_balance))
        end
        assert.is_true(contacts > 30, contacts .. " contacts")
      end
    end)

    it(("are those of the rows as a whole, without friction (%d steps): %s"):format(10 * seeds(20), where), function()
      local steps, pressed = 0, 0
      for seed = 1, seeds(20) do
        local options = { planar = planar, columns = planar and 5 or 3, n = 27, friction = 0, springs = 2, tolerance = 1e-12 }
        local world <close>, balls = pile(seed, options)
        local whole <close>, others = pile(seed, options)
        whole.solver = "newton"
        for _ = 1, 10 do
          world:step(30)
          whole:restore(world:snapshot())
          whole.solver = "newton"
          world:step()
          whole:step()
          steps = steps + 1
          pressed = pressed + world.stats.contacts
          for i, ball in ipairs(balls) do
            local off = (ball.velocity - others[i].velocity):norm()
            assert.is_true(off < 1e-8, ("seed %d, step %d, ball %d: %g m/s"):format(seed, steps, i, off))
          end
        end
      end
      assert.is_true(pressed > 20 * steps, pressed .. " contacts")
    end)
  end
end)
