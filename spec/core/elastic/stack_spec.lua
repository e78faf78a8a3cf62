local delassus = require "delassus"
local stack = require "delassus.stack"
local lcp = require "delassus.lcp"
local json = require "support.json"
local case_of = require "support.stack_case"
local reference = require "support.stack_reference"
local seeds = require "support.seeds"

local by_name = {}
for _, case in ipairs(reference) do by_name[case.name] = case end

local function largest_error(expected, got, relative)
  local worst = 0
  for i = 1, #expected do
    local scale = relative and math.max(math.abs(expected[i]), 1e-300) or 1
    worst = math.max(worst, math.abs(got[i] - expected[i]) / scale)
  end
  return worst
end

local function positive(vector)
  local n = 0
  for i = 1, #vector do n = n + (vector[i] > 0 and 1 or 0) end
  return n
end

--- Gaps closed and forces complementary after every step: one pivot a positive force, N'D = 0, A tridiagonal.
local function check_invariants(s, label)
  local N, D = s.forces, s.gaps
  assert.equal(positive(N), s.last_pivots, label)
  local largest = 0
  for j = 1, #N do
    assert.is_true(N[j] >= 0 and (N[j] == 0 or D[j] == 0), label)
    largest = math.max(largest, math.abs(s.B[j]))
  end
  for j = 1, #N do assert.is_true(D[j] >= -1e-12 * largest, label) end -- the candidates' tolerance
  assert.is_true(s.residual <= 1e-14, label .. ": residual " .. s.residual) -- a few roundings
end

local function check_matrix(A, label)
  for i = 1, A:rows() do
    for j = 1, A:cols() do
      assert.equal(A[i][j], A[j][i], label)
      if math.abs(i - j) == 1 then assert.is_true(A[i][j] < 0, label) end
      if math.abs(i - j) > 1 then assert.equal(0, A[i][j], label) end
    end
    assert.is_true(A[i][i] > 0, label)
  end
end

describe("one step of a stack", function()
  it("is exact: matrix, right side, force, displacements of the two logs of the paper (1e-12)", function()
    local case = { M = { 26.703537555513243, 13.08473340220149 }, S = { 1e7, 7e6 }, Lam = { 1500, 800 },
      gaps = { 0.02, 0.03, 0.05 }, F = { 261.9617034195849, 128.36123467559662 }, U0 = { 0.031, 0 }, V0 = { 3, 0 },
      dt = 1e-3, damping = "always" }
    local s <close> = stack(case_of.options(case))
    s:step()
    local A = { { 2.1487869134733173e-07, -7.202154849018888e-08, 0 },
      { -7.202154849018888e-08, 3.5033523640064963e-07, -3.545654505331794e-08 },
      { 0, -3.545654505331794e-08, 1.3545654505331793e-07 } }
    for i = 1, 3 do
      for j = 1, 3 do assert.near(A[i][j], s.A[i][j], 1e-12 * math.abs(A[i][j])) end
    end
    -- B and U are differences of lengths of 0.1 m: 1e-12 of that
    assert.is_true(largest_error({ 0.05384973380419961, -0.0038404890293121594, 0.04999075522511255 },
      case_of.turned(s.B)) <= 1e-13)
    assert.near(10962.325881830826, s.forces[2], 1e-12 * 10962 * 0.1 / 0.00384) -- B_2 is known to 1e-12 of 0.1 m
    assert.same({ 0, 0 }, { s.forces[1], s.forces[3] })
    assert.is_true(largest_error({ 0.05346104760268132, 0, 0.04920123154004902 }, case_of.turned(s.gaps)) <= 1e-13)
    assert.near(-0.02 - 0.03346104760268132, s.positions[2], 1e-13)
    assert.near(-0.05 - 0.0007987684599509805, s.positions[1], 1e-13)
    assert.equal(1, s.pivots)
    check_matrix(s.A, "one step")
  end)

  it("agrees with the dense energy criterion: forces, gaps and pivots of 300 random stacks", function()
    for seed = 1, seeds(300) do
      local random = delassus.random(seed)
      local s <close> = stack(case_of.random(random, 25))
      for k = 1, 3 do
        s:step()
        local label = ("seed %d, step %d"):format(seed, k)
        check_invariants(s, label)
        check_matrix(s.A, label)
        local dense = lcp.solve { M = s.A, q = s.B, method = "energy" }
        assert.equal("solved", dense.status, label)
        local scale = 0
        for j = 1, #s.forces do scale = math.max(scale, dense.z[j]) end
        -- Forces that differ from round-off in B by its condition: stiffness ratio up to 1e4.
        assert.is_true(largest_error(dense.z, s.forces) <= 1e-9 * scale, label)
        assert.equal(dense.pivots, s.last_pivots, label)
      end
    end
  end)

  it("agrees with the matrix form of the paper on 200 random stacks", function()
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local options = case_of.random(random, 6)
      options.damping = "always"
      local n, nodes, m, lambda, massless, F, V = #options.bodies, {}, {}, {}, {}, {}, {}
      for i = 1, 3 * n do
        nodes[i] = {}
        for j = 1, 3 * n do nodes[i][j] = 0 end
      end
      for b, body in ipairs(options.bodies) do -- nodes of body b: centre 3b-2, lower 3b-1, upper 3b
        local k, c = body.stiffness, 3 * b - 2
        nodes[c][c], nodes[c + 1][c + 1], nodes[c + 2][c + 2] = 2 * k, k, k
        for side = 1, 2 do nodes[c][c + side], nodes[c + side][c] = -k, -k end
        m[b], lambda[b], F[b], V[b] = body.mass, body.damping, -body.mass * options.gravity, body.velocity
        massless[#massless + 1], massless[#massless + 2] = c + 1, c + 2
      end
      local s <close> = stack(options)
      local gaps, C = {}, {}
      for row = 1, 2 * n do
        C[row] = {}
        for j = 1, #s.gaps do C[row][j] = 0 end
      end
      for j = 1, #s.gaps do -- gap j: lower node of body j, upper node of body j - 1
        if j <= n then C[2 * j - 1][j] = 1 end
        if j > 1 then C[2 * (j - 1)][j] = -1 end
        local low = j > 1 and options.bodies[j - 1].position + options.bodies[j - 1].radius or 0
        local high = j <= n and options.bodies[j].position - options.bodies[j].radius or options.ceiling
        gaps[j] = high - low
      end
      local model <close> = stack.model { r = nodes, m = m, lambda = lambda, C = C, D0 = gaps, massless = massless,
        forces = F, velocities = V, dt = options.dt }
      for k = 1, 4 do
        s:step()
        model:step()
        local label = ("seed %d, step %d"):format(seed, k)
        local scale = math.max(1, math.abs(options.bodies[1].mass * options.gravity))
        for j = 1, #gaps do scale = math.max(scale, s.forces[j]) end
        -- G mixes r (1e4..1e8) with m/dt^2 (1e6..1e11): condition 1e4..1e6 times round-off.
        assert.is_true(largest_error(s.forces:totable(), model.forces) <= 1e-9 * scale, label)
        for i = 1, n do assert.near(s.displacements[i], model.displacements[3 * i - 2], 1e-12, label) end
        assert.equal(s.last_pivots, model.last_pivots, label)
        assert.is_true(model.residual <= 1e-11, label .. ": " .. model.residual)
        for i = 1, #gaps do
          for j = 1, #gaps do
            assert.near(s.A[i][j], model.A[i][j], 1e-9 * math.sqrt(s.A[i][i] * s.A[j][j]), label)
          end
        end
      end
    end
  end)
end)

describe("a run of a stack", function()
  for _, case in ipairs(reference) do
    it(("reproduces %s: peaks to %g, displacements to %g m, pivots to %d"):format(case.name,
      table.unpack(case.limits)), function()
      local s <close> = stack(case_of.options(case))
      s:run(case.T)
      assert.equal(case.steps, s.steps)
      assert.near(case.T, s.time, 1e-12)
      local peaks, times = case_of.turned(s.peak_forces), case_of.turned(s.peak_times)
      for j, peak in ipairs(case.peaks) do
        assert.near(peak, peaks[j], case.limits[1] * peak)
        -- The reference counts a peak's step; flat maxima move by a few.
        assert.near(case.peak_times[j], times[j], case.name:match("^b2") and 1e-3 or 5 * case.dt)
      end
      local U = case_of.turned(s.displacements, -1)
      for i, u in ipairs(case.final) do assert.near(u, case.U0[i] + U[i], case.limits[2]) end
      assert.near(case.pivots, s.pivots, case.limits[3])
      assert.is_true(s.worst_residual <= 1e-14)
    end)

    it("keeps its invariants in every step of " .. case.name, function()
      local s <close> = stack(case_of.options(case, { dt = 10 * case.dt }))
      local most, pivots = 0, 0
      for k = 1, case.steps // 10 do
        s:step()
        if s.last_pivots > 0 or k % 100 == 0 then
          check_invariants(s, "step " .. k)
          if k % 50 == 0 then check_matrix(s.A, "step " .. k) end
        end
        most, pivots = math.max(most, s.last_pivots), pivots + s.last_pivots
      end
      assert.equal(pivots, s.pivots)
      assert.is_true(most <= case.most_pivots)
    end)

    it("conserves kinetic + potential + stored + damped + numerical energy in " .. case.name, function()
      local s <close> = stack(case_of.options(case))
      local function sum(...)
        local total = 0
        for _, e in ipairs { ... } do total = total + e end
        return total
      end
      local before, scale = sum(s:energy()), 0
      local lost, damped = 0, 0
      for _ = 1, 20 do
        s:run(case.T / 20)
        local kinetic, potential, stored, damping, numerical = s:energy()
        assert.is_true(kinetic >= 0 and stored >= 0 and damping >= damped and numerical >= lost)
        damped, lost = damping, numerical
        scale = math.max(scale, kinetic + math.abs(potential) + stored + damping + numerical)
        -- Round-off of 1e5 steps, each 1e-16 of the whole.
        assert.near(before, sum(s:energy()), 1e-11 * scale)
      end
      assert.equal(case.damping == "none", damped == 0)
    end)
  end

  it("follows the reference at 200 instants (../shared where it is there)", function()
    local data = json.file("../shared/cases/papers/a_dynamics.json")
    if not data then return print("a_dynamics.json is not beside this checkout: 200 instants left out") end
    for _, case in ipairs(reference) do
      local run = data[case.name]
      local s <close> = stack(case_of.options(case))
      for k = 2, #run.t do
        s:step(run.sample_every)
        local U = case_of.turned(s.displacements, -1)
        assert.is_true(largest_error(run.U[k], U) <= case.limits[2], case.name .. " at t = " .. run.t[k])
      end
    end
  end)

  local function drop(dt, T)
    local case = by_name.a1_drop
    local s = stack(case_of.options(case, { dt = dt }))
    s:run(T or 0.47)
    return s
  end

  it("tends to the analytic impact at first order: the peak's error halves with the step", function()
    local exact = 72644.98935718491 -- Mg + sqrt((Mg)^2 + S M v^2)
    local published = { 0.0377982, 0.0191075, 0.00957515, 0.00479922, 0.00240265 }
    local before
    for k, expected in ipairs(published) do
      local s <close> = drop(8e-5 / 2 ^ (k - 1))
      local err = 1 - s.peak_forces[1] / exact
      assert.near(expected, err, 1e-4 * expected) -- the table's digits
      if before then assert.near(1, math.log(before / err, 2), 0.02) end
      before = err
    end
  end)

  it("has the analytic contact time and rebounds with restitution exp(-pi omega dt / 2), to order one", function()
    local s <close> = drop(1e-5)
    local first, last = s.events[1], s.events[2]
    assert.same({ "contact", "separation", 1, 1 }, { first.kind, last.kind, first.gap, last.gap })
    assert.near(0.4515236409857309, first.t, 2 * s.dt)
    assert.near(5.1455728905287325e-3, last.t - first.t, 2 * s.dt + 0.005 * 5.1e-3)
    local omega = 611.9495232776587
    -- Gravity acts during the contact too: 1 % of the rebound.
    assert.near(math.exp(-math.pi * omega * s.dt / 2) * 4.42945, s.velocities[1] + 9.81 * (s.time - last.t), 0.01 * 4.4)
    assert.equal(1, s.collisions)
    assert.near(4.42945, first.speed, 1e-3)
  end)

  it("conserves momentum in a collision and gives the elastic velocities to order one", function()
    local case = by_name.b1_two_elastic
    local s <close> = stack(case_of.options(case))
    s:run(0.016)
    local upper, lower = -s.velocities[2], -s.velocities[1] -- body 1 of the case is the upper one
    assert.near(case.M[1] * 3, case.M[1] * upper + case.M[2] * lower, 1e-11 * case.M[1] * 3)
    assert.near(1.0373967292212627, upper, 1e-9)
    assert.near(4.005312797500208, lower, 1e-9)
    assert.near(17943.28352999824, s.peak_forces[2], 1e-8 * 17943)
    assert.near(18039.941257988274, s.peak_forces[2], 0.01 * 18039)
  end)

  it("falls at M g / L in the end where damping is always in force, and freely where it is lagged", function()
    local body = { mass = 20, stiffness = 1e7, damping = 400, position = 1000 }
    local always <close> = stack { bodies = { body }, dt = 1e-3, damping = "always" }
    local lagged <close> = stack { bodies = { body }, dt = 1e-3 }
    always:run(2)
    lagged:run(2)
    assert.near(-20 * 9.81 / 400, always.velocities[1], 1e-12)
    assert.near(-9.81 * 2, lagged.velocities[1], 1e-11)
    assert.equal("always", always.damping)
    assert.equal("lagged", lagged.damping)
  end)

  it("leaves touching bodies at rest without weight alone: an exact zero is no candidate", function()
    local bodies = {}
    for i = 1, 6 do bodies[i] = { mass = i, stiffness = 1e6, radius = 0.125, position = 0.25 * i - 0.125 } end
    local s <close> = stack { bodies = bodies, gravity = 0, ceiling = 1.5 }
    s:step(50)
    assert.same({ 0, 0, 0 }, { s.pivots, s.collisions, s.worst_residual })
    for i = 1, 6 do assert.equal(bodies[i].position, s.positions[i]) end
  end)

  it("comes to rest under the weight above: N_j = g times the masses over contact j, to 1e-9", function()
    local bodies, weight = {}, {}
    for i = 1, 5 do bodies[i] = { mass = 10 * i, stiffness = 1e6 / i, radius = 0.1, position = 0.2 * i - 0.1,
      damping = 4e3 * i } end
    local s <close> = stack { bodies = bodies, dt = 1e-3, gravity = 10 }
    s:run(60)
    for j = 5, 1, -1 do
      weight[j] = (weight[j + 1] or 0) + 10 * bodies[j].mass
      assert.near(weight[j], s.forces[j], 1e-9 * weight[j])
    end
    assert.is_true((s:energy()) < 1e-12)
  end)

  it("is the same without a ceiling as with one out of reach", function()
    local case = by_name.c2_ten_drop_damped
    local options = case_of.options(case)
    options.ceiling = nil
    local open <close> = stack(options)
    local closed <close> = stack(case_of.options(case))
    open:run(0.4)
    closed:run(0.4)
    assert.equal(10, #open.forces)
    assert.equal(11, #closed.forces)
    assert.is_nil(open.ceiling)
    assert.equal(0, closed.ceiling)
    for i = 1, 10 do
      assert.equal(open.positions[i], closed.positions[i])
      assert.equal(open.peak_forces[i], closed.peak_forces[i])
    end
  end)

  it("takes a pile of 20000 logs (the cost of a step is linear in them)", function()
    local bodies = {}
    for i = 1, 20000 do
      bodies[i] = { mass = 20, stiffness = 1e7, damping = 2000, radius = 0.1, position = 0.2 * i - 0.1, velocity = -1 }
    end
    local s <close> = stack { bodies = bodies, dt = 1e-4, log = false }
    s:step(40)
    assert.is_true(positive(s.forces) > 20)
    check_invariants(s, "20000 logs")
    assert.equal(20000, s.A:rows())
    assert.same({}, s.events)
  end)
end)
