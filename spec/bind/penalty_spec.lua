-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Penalty joints: rows, runs, stability (EQUATIONS B).
local delassus = require "delassus"
local json = require "spec.support.json"
local penalty = require "spec.support.penalty"

describe("rows of penalty joints (b_joint_unit)", function()
  it("are exact: G, Gdot, Ji, Jj, and forces and torques of both bodies, to 1e-12", function()
    local cases = json.file("../shared/cases/papers/b_joint_unit.json")
    if not cases then return print("b_joint_unit: no ../shared here, not compared") end
    local worst = 0
    for n, case in ipairs(cases) do
      local world <close> = delassus.world{ record = false, dt = 3e-3 }
      local bodies = penalty.bodies(world, case.bodies)
      local joint = penalty.joint(world, bodies, case.joint)
      local rows = joint.rows
      assert.equal(#case.rows, #rows)
      local function near(want, got, scale, what)
        local off = math.abs(want - got) / math.max(scale, 1)
        worst = math.max(worst, off)
        assert.is_true(off <= 1e-12, ("case %d, %s: expected %.17g, got %.17g"):format(n, what, want, got))
      end
      local sum = { {}, {} }
      for k, row in ipairs(case.rows) do
        local name = ("row %d (%s) "):format(k, row.kind)
        assert.equal(row.kind, rows[k].kind)
        near(row.G, rows[k].G, math.abs(row.G), name .. "G")
        near(row.Gdot, rows[k].Gdot, math.abs(row.Gdot), name .. "Gdot")
        if row.bound ~= json.null then near(row.bound, rows[k].bound, 1, name .. "bound") end
        for i = 1, 6 do
          near(row.Ji[i], rows[k].Ji[i], 1, name .. "Ji")
          near(row.Jj[i], rows[k].Jj[i], 1, name .. "Jj")
          sum[1][i] = (sum[1][i] or 0) + rows[k].lambda * rows[k].Ji[i]
          sum[2][i] = (sum[2][i] or 0) + rows[k].lambda * rows[k].Jj[i]
        end
      end
      for b = 1, 2 do
        local scale = 0
        for i = 1, 6 do scale = math.max(scale, math.abs(case.force_torque[b][i])) end
        for i = 1, 6 do near(case.force_torque[b][i], sum[b][i], scale, "force and torque") end
      end
    end
    assert.is_true(worst < 1e-12)
  end)
end)

local names = { "spherical", "revolute", "revolute_limit", "universal", "universal_limit", "prismatic", "prismatic_limit",
  "double", "chain5", "fourbar" }
local thin = require "spec.support.penalty_runs"

-- Runs `case` to the last of the samples; -> the largest G of its held rows, in metres and as sines.
local function follow(world, bodies, joints, samples, check, watch)
  local translation, rotation, step = 0, 0, 0
  for _, sample in ipairs(samples) do
    while step < sample.step do
      world:step()
      step = step + 1
      for _, joint in ipairs(watch and joints or {}) do
        for _, row in ipairs(joint.rows) do
          if row.kind == "T" then translation = math.max(translation, math.abs(row.G)) end
          if row.kind == "R" then rotation = math.max(rotation, math.abs(row.G)) end
        end
      end
    end
    check(sample, bodies)
  end
  return translation, rotation
end

local function near(want, got, tolerance, what)
  if math.abs(want - got) > tolerance or got ~= got then
    error(("%s: expected %.15g, got %.15g"):format(what, want, got), 2)
  end
end

describe("reference runs of penalty joints (b_runs), scheme = 'semi-implicit'", function()
  for _, name in ipairs(names) do
    it("are met to 1e-8 over 9 s: " .. name, function()
      local case = thin[name]
      local world <close>, bodies, joints = penalty.build(case, {})
      local translation, rotation = follow(world, bodies, joints, case.samples, function(sample)
        for k, r in ipairs(sample.r) do
          for i = 1, 3 do near(r[i], bodies[k].position[i], 1e-8, ("step %d, body %d"):format(sample.step, k)) end
        end
      end, true)
      near(case.translation, translation, 0.01 * case.translation, "largest violation, m")
      near(case.rotation, rotation, 0.01 * case.rotation + 1e-12, "largest violation, sine")
      local ledger = world:ledger()
      assert.is_true(math.abs(ledger.error) <= 1e-12 * ledger.turnover)
      assert.is_true(world.stats.stability < 4)
    end)
  end

  it("are met in full where ../shared is there: positions, rotations, velocities", function()
    local data = json.file("../shared/cases/papers/b_runs.json")
    if not data then return print("b_runs: no ../shared here, only the sample was compared") end
    for _, name in ipairs(names) do
      local case, last = data[name], {}
      for _, s in ipairs(case.samples) do
        if s.t < 9.0001 then last[#last + 1] = s end
      end
      local world <close>, bodies, joints = penalty.build(case.setup, {})
      follow(world, bodies, joints, last, function(sample)
        for k, b in ipairs(sample.bodies) do
          for i = 1, 3 do
            near(b.r[i], bodies[k].position[i], 1e-8, name .. " r")
            near(b.v[i], bodies[k].velocity[i], 1e-8, name .. " v")
            near(b.om[i], bodies[k].angular_velocity[i], 1e-8, name .. " om")
          end
          for i = 1, 4 do near(b.quat[i], bodies[k].rotation[i], 1e-8, name .. " quat") end
        end
      end)
    end
  end)

  it("converge to the exact solutions at least linearly: dt/k, alpha k^2, beta k", function()
    for _, name in ipairs(names) do
      local case, first, last = thin[name], nil, nil
      for level = 0, 2 do
        local k = 2 ^ level
        local gains = { gains = false, alpha = 5000 * k ^ 2, beta = 25 * k, alpha_rotation = 1e4 * k ^ 2,
          beta_rotation = 10 * k, limit_alpha = name:find("prismatic") and 5000 or 10000,
          limit_beta = name:find("prismatic") and 25 or 10 }
        local world <close>, bodies = penalty.build(case, { dt = case.dt / k }, gains)
        local worst = 0
        for n, at in ipairs(case.exact) do
          world:step(math.tointeger(30 * k))
          near(0.09 * n, world.time, 1e-12, "time")
          for b, r in ipairs(at) do
            worst = math.max(worst, (bodies[b].position - delassus.vec(r)):norm())
          end
        end
        near(case.errors[level + 1], worst, 0.02 * worst, name .. " error at dt/" .. k)
        first, last = first or worst, worst
      end
      assert.is_true(last <= first / 4 * 1.02, ("%s: %g to %g"):format(name, first, last))
    end
  end)
end)

describe("a penalty joint that closes a loop of reduced ones", function()
  it("is the exact four-bar linkage up to its give, stepped and integrated", function()
    local case = thin.fourbar
    for _, way in ipairs{ "dopri5", "time-stepping", "semi-implicit" } do
      -- automatic gains go with 1/dt^2: at 0.1 ms the give is a few micrometres
      local world <close> = delassus.world{ record = false, dt = 1e-4, scheme = way == "semi-implicit" and way or nil }
      local bodies, joints = penalty.bodies(world, case.bodies), {}
      for k, j in ipairs(case.joints) do
        joints[k] = penalty.joint(world, bodies, j, { gains = false, limit_law = k == 4 and "general" or false,
          formulation = k < 4 and "reduced" or "penalty" })
      end
      if way == "dopri5" then world:integrate{ method = way, to = 0.9, rtol = 1e-8 } else world:run(0.9) end
      for b, r in ipairs(case.exact[10]) do
        local off = (bodies[b].position - delassus.vec(r)):norm()
        assert.is_true(off < (way == "semi-implicit" and 2e-5 or 2e-6), ("%s, body %d: %g"):format(way, b, off))
      end
      assert.is_true((joints[4]:violation()) < 2e-6)
    end
  end)
end)
