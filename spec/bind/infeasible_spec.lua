-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Rows of joints that cannot hold together: stats.infeasible, and what a strict world says.
local delassus = require "delassus"
local seeds = require "support.seeds"

local function between(lo, hi) return lo + (hi - lo) * math.random() end

-- Two links from the ground whose end is to be held at `reach` times their length away, in some direction.
local function loop(options)
  local planar, l = options.planar, options.l
  local world = delassus.world{ planar = planar, record = false, strict = options.strict }
  local function at(x, y) return planar and { x, y } or { x, 0, y } end
  local kind = planar and "revolute" or options.kind
  local before, x, bodies = world.ground, 0, {}
  for i = 1, 2 do
    bodies[i] = world:body{ mass = l[i], inertia = planar and l[i] ^ 3 / 12 or { l[i] ^ 3 / 24, l[i] ^ 3 / 12, l[i] ^ 3 / 12 },
      position = at(x + l[i] / 2, 0) }
    world:joint{ kind, before, bodies[i], anchor = at(x, 0), axis = kind == "revolute" and not planar and { 0, 1, 0 } or nil,
      formulation = options.formulation, limits = options.limits and i == 2 and options.limits or nil }
    before, x = bodies[i], x + l[i]
  end
  local far = options.reach * (l[1] + l[2])
  local c, s = math.cos(options.angle), math.sin(options.angle)
  local joint = world:joint{ kind, world.ground, before, frame_a = { position = at(far * c, far * s) },
    frame_b = { position = at(l[2] / 2, 0) }, axis = kind == "revolute" and not planar and { 0, 1, 0 } or nil,
    formulation = "rigid" }
  return world, joint, far - l[1] - l[2], bodies
end

describe("a loop that cannot close", function()
  it("is told from what closes: by more than 1e-3 of the radius of gyration (200 seeds)", function()
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local open = seed % 4 > 0
      local k, apart = between(0.3, 1), 10 ^ (open and between(-2.4, -1) or between(-6, -4))
      local world <close> = delassus.world{ planar = true, record = false, gravity = { 0, 0 } }
      local bar = world:body{ mass = 1, inertia = k * k }
      for side = -1, 1, 2 do
        world:joint{ "revolute", world.ground, bar, frame_a = { position = { side * (1 + apart), 0 } },
          frame_b = { position = { side, 0 } }, formulation = "rigid" }
      end
      world:step(3)
      assert.equal(open, world.stats.infeasible, ("seed %d: %g of %g"):format(seed, apart, k))
    end
  end)

  for _, planar in ipairs{ true, false } do
    it("is told, and a strict world raises and is as it was: " .. (planar and "plane" or "space"), function()
      for seed = 1, seeds(200) do
        math.randomseed(seed)
        local options = { planar = planar, l = { between(0.3, 1), between(0.3, 1) }, reach = between(1.05, 2),
          angle = between(-0.5, 0.5), kind = seed % 3 == 0 and "revolute" or "spherical",
          formulation = seed % 2 == 0 and "rigid" or nil }
        local what = "seed " .. seed
        local world <close>, _, least = loop(options)
        world:step(8)
        assert.is_true(world.stats.infeasible, what)
        local open = 0
        for _, j in ipairs(world.joints) do open = open + j:violation() end
        -- exact: no pose is open by less, in all
        assert.is_true(open > least - 1e-9, what .. (": open by %g, least %g"):format(open, least))
        for _, b in ipairs(world.bodies) do assert.is_true(b.position:norm() < 10, what) end
        options.strict = true
        local strict <close> = loop(options)
        local ok, why
        for _ = 1, 30 do
          local before = strict:hash()
          ok, why = pcall(strict.step, strict)
          if not ok then
            assert.equal(before, strict:hash())
            break
          end
        end
        assert.is_false(ok, what)
        assert.matches("world:step: what joints hold cannot hold together and 'strict' is set", why, 1, true)
      end
    end)

    it("is not told of one that can: " .. (planar and "plane" or "space"), function()
      for seed = 1, seeds(200) do
        math.randomseed(seed)
        local l = { between(0.3, 1), between(0.3, 1) }
        local least = math.abs(l[1] - l[2]) / (l[1] + l[2])
        local options = { planar = planar, l = l, reach = between(least + 0.2 * (1 - least), 0.95), angle = between(-0.5, 0.5),
          kind = "spherical", formulation = seed % 2 == 0 and "rigid" or nil }
        local world <close>, joint = loop(options)
        world:step(20)
        assert.is_false(world.stats.infeasible, "seed " .. seed .. ", open by " .. joint:violation())
        assert.is_true((joint:violation()) < 1e-6, "seed " .. seed .. ", open by " .. joint:violation())
        world.strict = true
        world:step(5)
      end
    end)
  end

  it("is told where a limit keeps it open", function()
    local world <close> = loop{ planar = true, l = { 1, 1 }, reach = 0.7, angle = 0.2, limits = { -0.3, 0.3 } }
    world:step(30)
    assert.is_true(world.stats.infeasible)
    local free <close> = loop{ planar = true, l = { 1, 1 }, reach = 0.7, angle = 0.2, limits = { -3, 3 } }
    free:step(30)
    assert.is_false(free.stats.infeasible)
  end)
end)
