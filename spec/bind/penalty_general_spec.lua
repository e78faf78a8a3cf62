-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Penalty joints of any motion: custom ones, driven ones, chains that are none of the published kinds.
local delassus = require "delassus"
local random = require "support.random"
local seeds = require "support.seeds"

local function swing(t) return 0.5 * t * t * t, 1.5 * t * t, 3 * t end

local kinds = {
  { "custom", subspace = { { 0 }, { 1 }, { 0 }, { 0 }, { 0.1 }, { 0 } } }, -- a screw
  { "custom", subspace = { { 0, 1 }, { 1, 0 }, { 0, 0 }, { 0.1, 0 }, { 0, 0 }, { 0, 0.05 } } },
  { "chain", motions = { { "slide", { 0.8, 0, 0.6 } }, { "rotate", { 0, 1, 0 } } } },
  { "chain", motions = { { "rotate", { 0, 1, 0 } }, { "slide", { 1, 0, 0 } }, { "rotate", { 1, 0, 0 } } } },
  { "revolute", axis = { 0, 1, 0 }, motion = swing },
  { "prismatic", axis = { 0.6, 0, 0.8 }, motion = swing },
  { "chain", motions = { { "rotate", { 0, 0, 1 }, motion = swing }, { "rotate", { 0, 1, 0 } } } },
}

local function joint_of(world, kind, a, b, formulation, more)
  local options = { a, b, anchor = { 0, 0, 0 }, formulation = formulation }
  for k, v in pairs(kind) do
    if k == 1 then table.insert(options, 1, v) else options[k] = v end
  end
  for k, v in pairs(more or {}) do options[k] = v end
  return world:joint(options)
end

describe("penalty joints of any motion", function()
  it("push with the gradient of what their springs store, by differences (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local function three(s) return { s * r(), s * r(), s * r() } end
      local world <close> = delassus.world{ record = false, gravity = { 0, 0, 0 } }
      local m, I = { 2, 1.5 }, { 0.3, 0.25, 0.2 }
      local bodies = {}
      for k = 1, 2 do bodies[k] = world:body{ mass = m[k], inertia = I, position = three(0.5), rotation = { axis = { 1, r(),
        r() }, angle = r() } } end
      joint_of(world, kinds[seed % #kinds + 1], bodies[1], bodies[2], "penalty",
        seed % 2 == 0 and { gains = "published" } or { alpha = 300, beta = 2, alpha_rotation = 40 })
      for _, body in ipairs(bodies) do -- come apart a good deal
        local p, d = body.position, three(0.15)
        body.position = { p[1] + d[1], p[2] + d[2], p[3] + d[3] }
        local q, e = body.rotation, three(0.1)
        body.rotation = { q[1], q[2] + e[1], q[3] + e[2], q[4] + e[3] }
      end
      local udot = world:accelerations()
      local q, u = world:coordinates():totable(), {}
      local function stored(index, step)
        -- moves body's origin (world) or turns it about a body axis
        local p = {}
        for i, x in ipairs(q) do p[i] = x end
        local body, k = (index - 1) // 6, (index - 1) % 6
        if k < 3 then
          p[7 * body + k + 1] = p[7 * body + k + 1] + step
        else
          local w, x, y, z = table.unpack(p, 7 * body + 4, 7 * body + 7)
          local c, e = math.cos(step / 2), { 0, 0, 0 }
          e[k - 2] = math.sin(step / 2)
          p[7 * body + 4] = w * c - x * e[1] - y * e[2] - z * e[3]
          p[7 * body + 5] = w * e[1] + x * c + y * e[3] - z * e[2]
          p[7 * body + 6] = w * e[2] - x * e[3] + y * c + z * e[1]
          p[7 * body + 7] = w * e[3] + x * e[2] - y * e[1] + z * c
        end
        world:set_coordinates(p)
        return (select(3, world:energy()))
      end
      local energy = select(3, world:energy())
      for i = 1, 12 do
        local k, body = (i - 1) % 6, (i - 1) // 6
        local force = -(stored(i, 1e-5) - stored(i, -1e-5)) / 2e-5
        u[i] = force / (k < 3 and m[body + 1] or I[k - 2])
        assert.near(u[i], udot[i], 1e-6 * (1 + energy / 0.1), ("seed %d, %d"):format(seed, i))
      end
      assert.is_true(energy > 0)
    end
  end)

  it("keep momenta, and the ledger closes", function()
    for _, kind in ipairs(kinds) do
      local world <close> = delassus.world{ record = false, gravity = { 0, 0, 0 } }
      local one = world:body{ mass = 2, inertia = { 0.3, 0.25, 0.2 }, position = { 0.1, 0, 0.4 } }
      local two = world:body{ mass = 1, inertia = { 0.1, 0.12, 0.15 }, position = { 0.3, 0.1, -0.3 } }
      local joint = joint_of(world, kind, one, two, "penalty")
      one.angular_velocity, two.velocity = { 1, 0.4, 0.3 }, { 0.2, 0.3, 0.1 }
      local linear, angular = world:momentum()
      world:step(500)
      local after, turned = world:momentum()
      assert.is_true((after - linear):norm() < 1e-12)
      assert.is_true((turned - angular):norm() < 1e-12)
      local l = world:ledger()
      assert.is_true(math.abs(l.error) < 5e-9 * l.turnover) -- that of a free body with three moments, over half a second
      assert.is_true(l.damping >= 0)
      assert.is_true(world.stats.stability < 2.0001)
      local driven = kind.motion or kind[1] == "chain" and kind.motions[1].motion
      if not driven then assert.near(0, l.kinematic, 1e-12) end
      local apart, turn = joint:violation()
      assert.is_true(apart < 1e-3 and turn < 1e-2, kind[1] .. apart .. ", " .. turn)
    end
  end)

  it("follow the tree, the better the shorter the step", function()
    for index, kind in ipairs(kinds) do
      local off, apart = {}, {}
      for k, dt in ipairs{ 1e-3, 5e-4 } do
        local at = {}
        for f, formulation in ipairs{ "reduced", "penalty" } do
          local world <close> = delassus.world{ record = false, dt = dt }
          local body = world:body{ mass = 1.5, inertia = { 0.1, 0.12, 0.15 }, position = { 0.4, 0.1, 0 } }
          local joint = joint_of(world, kind, world.ground, body, formulation)
          apart[k] = 0
          local q
          for _ = 1, 10 do
            world:step(math.floor(0.05 / dt + 0.5))
            apart[k] = math.max(apart[k], joint:violation())
            q = joint.q
          end
          at[f] = body.position
          if type(q) == "number" then q = { q } end
          if f == 2 and q then for _, x in ipairs(q) do assert.is_true(x == x) end end
        end
        off[k] = (at[1] - at[2]):norm()
      end
      local what = ("kind %d: off %g, %g; apart %g, %g"):format(index, off[1], off[2], apart[1], apart[2])
      assert.is_true(apart[1] < 1e-3, what)
      assert.is_true(apart[2] < 0.35 * apart[1], what) -- alpha grows as 1/dt^2
      assert.is_true(off[1] < 20 * apart[1] + 1e-4 and off[2] < 0.6 * off[1] + 1e-6, what)
    end
  end)

  it("tell what a drive needs: its torque is the tree's", function()
    for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
      local world <close> = delassus.world{ record = false }
      local body = world:body{ mass = 2, inertia = { 0.1, 0.2, 0.1 }, position = { 0.5, 0, 0 } }
      local joint = world:joint{ "revolute", world.ground, body, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 },
        formulation = formulation,
        motion = function(t) return t * t, 2 * t, 2 end }
      world:step(300)
      local told, now = 0, 0 -- the start makes a penalty ring: means over a while
      for k = 1, 200 do
        world:step()
        told = told + joint.torque / 200
        if k % 20 == 0 then
          world:accelerations()
          now = now + joint.torque / 10
        end
      end
      local needed = 0
      for k = 1, 200 do
        local t = 0.3 + (k - 0.5) * 1e-3
        needed = needed + (2 * (0.2 + 2 * 0.25) - 2 * 9.81 * 0.5 * math.cos(t * t)) / 200
      end
      assert.near(needed, told, (formulation == "penalty" and 5e-3 or 2e-3) * math.abs(needed), formulation)
      assert.near(needed, now, 2e-2 * math.abs(needed), formulation .. ", now")
      assert.equal(world.time * world.time, joint.q)
      assert.equal(formulation == "reduced" and 0 or 7, #world:coordinates())
    end
  end)

  it("have springs, dampers and torques along their coordinates", function()
    local off = {}
    for k, formulation in ipairs{ "reduced", "penalty" } do
      local world <close> = delassus.world{ record = false, dt = 2e-4 }
      local body = world:body{ mass = 1.5, inertia = { 0.1, 0.12, 0.15 }, position = { 0.4, 0.1, 0 } }
      local joint = joint_of(world, kinds[4], world.ground, body, formulation, { stiffness = 30, damping = 2 })
      joint.torque = { 1, 5, -0.2 }
      world:step(2500)
      off[k] = { joint.q:unpack() }
    end
    for i = 1, 3 do assert.near(off[1][i], off[2][i], 2e-4, "coordinate " .. i) end
  end)

  it("work in the plane, and go on after a restore bit for bit", function()
    local function build()
      local world = delassus.world{ planar = true, record = false }
      local a = world:body{ mass = 1, inertia = 0.1, position = { 0.3, 0 } }
      local b = world:body{ mass = 1, inertia = 0.1, position = { 0.8, 0 } }
      world:joint{ "chain", world.ground, a, anchor = { 0, 0 }, motions = { { "rotate" }, { "slide", { 1, 0 } } },
        formulation = "penalty",
        stiffness = 50 }
      world:joint{ "revolute", a, b, anchor = { 0.6, 0 }, formulation = "penalty", motion = function(t)
        return 0.3 * t, 0.3, 0
      end }
      return world
    end
    local world <close> = build()
    world:step(100)
    local kept = world:snapshot()
    world:step(200)
    local hash, other <close> = world:hash(), build()
    other:restore(kept)
    other:step(200)
    assert.equal(hash, other:hash())
    assert.is_true(math.abs(world:ledger().error) < 1e-10 * world:ledger().turnover)
  end)
end)
