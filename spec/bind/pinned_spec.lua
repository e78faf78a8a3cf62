-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Contacts at points that joints hold in place (a foot hinged to the ground at its corner, on the floor): no impulse moves
-- such a point, so the contact has none. The oracle is the same mechanism without the floor.
local hinged = require "support.hinged_boxes"
local seeds = require "support.seeds"
local chain, build, lowest, total = hinged.chain, hinged.build, hinged.lowest, hinged.total

--- Words are made where they are wanted.
local function hold(what, form, ...)
  if not what then error(form:format(...), 2) end
end

--- How far two runs are apart, m and rad/s.
local function apart(a, b)
  local most = 0
  for i = 1, #a do
    local turn = a[i].angular_velocity - b[i].angular_velocity
    most = math.max(most, (a[i].position - b[i].position):norm(), type(turn) == "number" and math.abs(turn) or turn:norm())
  end
  return most
end

--- Reduced and rigid joints with the floor, and without: one motion of each as long as the foot alone is at the floor. (Both
--- are the same until a step is too long for either: seed 159 turns by 0.13 rad in one.) Steps, and whether these parted.
local function follow(seed, planar, sunk)
  math.randomseed(seed)
  local links = chain(planar, math.random(1, 4), sunk and 10 ^ (-6 + 5 * math.random()) or 0)
  local reduced <close>, a = build(links, "reduced", true)
  local rigid <close>, b = build(links, "rigid", true)
  local free <close>, c = build(links, "reduced", false)
  local free_rigid <close>, d = build(links, "rigid", false)
  local where, steps = planar and "plane" or "space", 0
  for _ = 1, 60 do
    free:step(1)
    if lowest(links, c) < 1e-2 then break end -- swift pairs are met before
    reduced:step(1)
    rigid:step(1)
    free_rigid:step(1)
    steps = steps + 1
    local energy, off = total(reduced), total(rigid)
    local free_energy, kinetic = total(free)
    local scale = kinetic + math.abs(free_energy) + 1
    local first, second = apart(a, c), apart(b, d)
    hold(first < 1e-9, "seed %d, %s: reduced and none %g", seed, where, first)
    hold(second < 1e-9, "seed %d, %s: rigid and none %g", seed, where, second)
    if apart(b, c) > 1e-7 then return steps, true end
    local same = math.abs(energy - free_energy) < 1e-9 * scale and math.abs(off - free_energy) < 1e-7 * scale
    hold(same, "seed %d, %s: energies", seed, where)
    for _, world in ipairs{ reduced, rigid } do
      local stats = world.stats
      hold(stats.residual < 1e-9, "seed %d, %s: residual %g", seed, where, stats.residual)
      if sunk then
        local overlap = links.sunk -- of the girth of a box, which is below 2 m
        hold(stats.overlap > 0.5 * overlap, "seed %d, %s: overlap %g", seed, where, stats.overlap)
        hold(overlap < 0.02 or stats.infeasible, "seed %d, %s", seed, where)
      else
        hold(stats.overlap < 1e-12, "seed %d, %s: overlap %g", seed, where, stats.overlap)
      end
    end
    for contact in reduced:contacts() do hold(contact.normal_force == 0, "seed %d, %s: the foot presses", seed, where) end
  end
  return steps
end

describe("a contact at a point that joints hold", function()
  for _, planar in ipairs{ true, false } do
    for _, sunk in ipairs{ false, true } do
      local name = (planar and "in the plane" or "in space") .. (sunk and ", below the floor for good" or "")
      it("moves nothing: " .. name, function()
        local steps, long, parted = 0, 0, 0
        for seed = 1, seeds(200) do
          local n, apart_there = follow(seed, planar, sunk)
          steps, long, parted = steps + n, long + (n > 5 and 1 or 0), parted + (apart_there and 1 or 0)
        end
        assert.is_true(parted <= 1, parted)
        assert.is_true(steps > seeds.least(2000) and long > seeds.least(80), ("%d steps, %d runs"):format(steps, long))
      end)
    end
  end
end)
