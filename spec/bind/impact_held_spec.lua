-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- The sequential law strikes mechanisms as a whole, whatever formulation holds them.
local trees = require "support.struck_trees"
local seeds = require "support.seeds"
local TURNS = 6

local function collapsed(world)
  for _, event in ipairs(world.events) do
    if event.kind == "collapsed" then return true end
  end
  return false
end

--- Velocities turned round and struck, TURNS times, each in a new world (from impulses of a turn before, contacts held at
--- their rebounds by friction can find another answer): of each turn the velocities of bodies and impulses of joints; the
--- worst of what is told wrong. Until a turn without end is resolved at once: with friction that has several answers.
local function strike(seed, formulation, friction, loop)
  local turns, worst = {}, { untold = 0, gains = 0, left = 0, error = 0, struck = 0 }
  local velocities
  for turn = 0, TURNS do
    local world <close>, bodies, joints = trees.build(seed, "sequential", formulation, friction, loop)
    if velocities then world:set_velocities(-1 * velocities) end
    local kinetic, before = world:energy(), world:ledger()
    if kinetic < 1e-290 then break end -- what is jammed rests more and more, until numbers have no digits
    world:step(1)
    velocities = world:velocities()
    if friction > 0 and collapsed(world) then break end
    local now, told = world:ledger(), world.stats.impact_gain
    if turn > 0 then -- all velocities that are set are admitted from then on
      worst.untold = math.max(worst.untold, (world:energy() - kinetic - told * (now.turnover - before.turnover)) / kinetic)
      worst.gains = worst.gains + (told > 0 and 1 or 0)
    end
    worst.error = math.max(worst.error, math.abs(now.error - before.error) / kinetic)
    for contact in world:contacts() do
      worst.left = math.max(worst.left, -contact.velocity:dot(contact.normal))
      worst.struck = worst.struck + (contact.impulse:norm() > 0 and 1 or 0)
    end
    local of = { velocity = {}, impulse = {} }
    for i, body in ipairs(bodies) do of.velocity[i] = body.velocity end
    for i, joint in ipairs(joints) do of.impulse[i] = turn > 0 and joint:reaction() * trees.DT or nil end
    turns[turn + 1] = of
  end
  return turns, worst
end

local function apart(a, b, what)
  local worst = 0
  for turn = 1, math.min(#a, #b) do
    for i, x in ipairs(a[turn][what]) do worst = math.max(worst, (x - b[turn][what][i]):norm()) end
  end
  return worst
end

describe("a mechanism that is struck in turn", function()
  for _, case in ipairs{ { 0, false }, { 0.5, false }, { 1.5, false }, { 0, true }, { 0.5, true } } do
    local friction, loop = table.unpack(case)
    local name = ("answers the same by reduced, rigid and mixed joints, friction up to %g%s (200 seeds)"):format(friction,
      loop and ", loops" or "")
    it(name, function()
      local struck, gains = 0, 0
      for seed = 1, seeds(200) do
        local reference
        for _, formulation in ipairs{ "reduced", "rigid", "mixed" } do
          local turns, worst = strike(seed, formulation, friction, loop)
          reference = reference or turns
          local where = ("seed %d, %s: "):format(seed, formulation)
          struck, gains = struck + worst.struck, gains + worst.gains
          assert.is_true(worst.untold < 1e-11, where .. worst.untold)
          assert.is_true(worst.error < 1e-11, where .. worst.error)
          assert.is_true(worst.left < 1e-11, where .. worst.left)
          local far = apart(turns, reference, "velocity")
          assert.is_true(far < 1e-10, where .. "velocities " .. far)
          if not loop then -- loops in space may be redundant: what their joints carry is not one answer
            local more = apart(turns, reference, "impulse")
            assert.is_true(more < 1e-10, where .. "impulses of joints " .. more)
          end
        end
      end
      assert.is_true(struck > seeds.least(4000), struck)
      if friction == 0 then assert.equal(0, gains) end
    end)
  end
end)

describe("stats.impact_gain", function()
  -- Restitutions differ, many are zero: a contact that rebounds throws others against their friction.
  it("tells what Newton's law gives where restitutions differ (240 seeds)", function()
    local met = 0
    for seed = 1, seeds(240) do
      local velocities
      for turn = 0, 4 do
        local world <close> = trees.build(seed, "newton", "rigid", 1.5)
        if velocities then world:set_velocities(-1 * velocities) end
        local kinetic, before = world:energy(), world:ledger()
        world:step(1)
        if world.stats.unconverged > 0 then break end
        velocities = world:velocities()
        local gain, told = world:energy() - kinetic, world.stats.impact_gain * (world:ledger().turnover - before.turnover)
        local where = ("seed %d, turn %d: gains %g, told %g"):format(seed, turn, gain, told)
        assert.is_true(turn == 0 or gain - told < 1e-11 * kinetic, where)
        if turn > 0 and gain > 1e-6 * kinetic then met = met + 1 end
      end
    end
    assert.is_true(met > seeds.least(10), met)
  end)
end)
