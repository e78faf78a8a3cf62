local core = require "delassus.core"
local trees = require "support.trees"

local function pendulum(m, l)
  return core.forest { links = { { motions = { { "rotate", { 0, 1, 0 } } }, mass = m, com = { 0, 0, -l } } },
    gravity = { 0, 0, -9.81 } }
end

describe("linearisation", function()
  it("of a pendulum at an angle is its frequency (exact)", function()
    local f = pendulum(2, 0.7):set { q = { 0.4 }, u = { 0.3 } }
    local A = f:linearize()
    assert.near(0, A[1][1], 1e-11)
    assert.near(1, A[1][2], 1e-11)
    assert.near(-9.81 / 0.7 * math.cos(0.4), A[2][1], 1e-11 * 14)
    assert.near(0, A[2][2], 1e-11)
    assert.are.equal(0.4, f.q[1])
  end)

  it("predicts the difference of two motions near each other (agreement)", function()
    for seed = 1, 200 do
      local forest, _, state = trees.sample(seed, { driven = false, wrench = false })
      local n, e = #state.u, 1e-6
      local A = forest:linearize()
      local udot = forest:accelerations()
      local r = trees.random(seed + 77)
      local d, v, u = r.list(n, e), r.list(n, e), {}
      forest:set { u = d }
      forest:advance(1)
      for i = 1, n do u[i] = state.u[i] + v[i] end
      local moved = forest:set({ u = u }):accelerations()
      local scale = 1
      for i = 1, n do scale = math.max(scale, trees.largest(A[n + i])) end
      for i = 1, n do
        local want = 0
        for k = 1, n do want = want + A[n + i][k] * d[k] + A[n + i][n + k] * v[k] end
        local off = math.abs(moved[i] - udot[i] - want)
        -- second order: e^2 times second derivatives, which go with the square of the first
        local limit = 100 * (e * scale) ^ 2 + 1e-9 * e * scale
        assert.is_true(off <= limit, ("seed %d: %g, scale %g"):format(seed, off, scale))
      end
    end
  end)
end)

describe("equilibrium", function()
  it("of a double pendulum hangs down (exact)", function()
    local f = core.forest { links = {
      { motions = { { "rotate", { 0, 1, 0 } } }, mass = 1, com = { 0, 0, -1 } },
      { parent = 1, position = { 0, 0, -1 }, motions = { { "rotate", { 0, 1, 0 } } }, mass = 1, com = { 0, 0, -1 } } },
      gravity = { 0, 0, -9.81 } }
    f:set { q = { 0.4, -0.9 }, u = { 1, 2 } }
    local converged, residual = f:equilibrium()
    assert.is_true(converged, residual)
    assert.near(0, f.q[1], 1e-11)
    assert.near(0, f.q[2], 1e-11)
    assert.are.equal(0, f.u[1])
  end)

  it("balances a torque (exact)", function()
    local f = pendulum(2, 0.7):set { q = { 0.1 }, tau = { 5 } }
    assert.is_true((f:equilibrium()))
    assert.near(math.asin(5 / (2 * 9.81 * 0.7)), f.q[1], 1e-11)
  end)

  it("says when there is none", function()
    local f = pendulum(2, 0.7):set { q = { 0.1 }, tau = { 50 } }
    local converged, residual = f:equilibrium()
    assert.is_false(converged)
    assert.is_true(residual > 0.1)
  end)
end)
