local core = require "delassus.core"
local trees = require "support.trees"

-- Errors of q at the end, printed by the reference implementation (60-digit starting values), per number
-- of steps; ours may be off by a factor 1.2 where they are above rounding.
local table_of = {
  kepler = {
    n = { 64, 128, 256, 512, 1024 },
    adams = { 1.6419235877740807e-3, 4.869881318873609e-5, 8.99652779139616e-7, 1.4714768377e-8, 2.329092781e-10 },
    kappa = { 1.6419235877740807e-3, 4.869881318873609e-5, 8.99652779139616e-7, 1.4714768377e-8, 2.329092781e-10 },
    pece = { 2.3905430063e-5, 2.0259771434e-6, 4.402733611e-8, 7.46639256e-10, 1.1953188979e-11 },
  },
  oscillator = {
    n = { 40, 80, 160, 320 },
    adams = { 5.9485837776e-6, 6.1131598117e-8, 6.950801185e-10, 8.779609e-12 },
    kappa = { 5.1847824794e-6, 7.6064472714e-8, 1.1320220317e-9, 1.7158892e-11 },
    pece = { 3.3560707025e-7, 3.1705261819e-9, 3.717734453e-11, 4.92717e-13 },
  },
  pendulum = {
    n = { 100, 200, 400, 800 },
    adams = { 1.2053456425e-3, 2.579856062e-5, 2.7400727565e-7, 2.479247696e-9 },
    kappa = { 8.1385982622e-4, 2.3899906071e-6, 2.3352508483e-8, 2.88752910e-10 },
    pece = { 3.3120445467e-4, 1.0423356464e-6, 1.1862743898e-8, 1.46026024e-10 },
  },
}
local readings = { "adams", "kappa", "pece" }
-- Rounding of a run: a few thousand steps in summed form, values of order one.
local rounding = 2e-13

local function compare(problem, reading, k, error)
  local n, want = table_of[problem].n[k], table_of[problem][reading][k]
  local text = ("%s %s n = %d: %g, table %g"):format(problem, reading, n, error, want)
  assert.is_true(error <= 1.2 * want + rounding, text)
  assert.is_true(error >= want / 1.2 - rounding, text)
end

local function kepler(t) -- e = 0.3, a = 1, from the pericentre
  local e, E = 0.3, t
  for _ = 1, 50 do E = E - (E - e * math.sin(E) - t) / (1 - e * math.cos(E)) end
  return { math.cos(E) - e, math.sqrt(1 - e * e) * math.sin(E) }
end
local function attracted(_, q)
  local r3 = (q[1] ^ 2 + q[2] ^ 2) ^ 1.5
  return { -q[1] / r3, -q[2] / r3 }
end

local function oscillator(t) -- y'' = -4 y - 0.4 y', y(0) = 1, y'(0) = -0.2
  return { math.exp(-0.2 * t) * math.cos(math.sqrt(3.96) * t) }
end
local function damped(_, q, u) return { -4 * q[1] - 0.4 * u[1] } end

-- Error of q at the end of a run of core.ode, from exact(t).
local function final(options, exact) return trees.distance(core.ode(options), exact(options.to)) end

local function pendulum()
  local function link(parent, z, m)
    return { parent = parent, position = { 0, 0, z }, motions = { { "rotate", { 0, 1, 0 } } }, mass = m,
      com = { 0, 0, -0.5 }, inertia = { 0.09, 0.1, 0.02, 0, 0, 0 } }
  end
  local f = core.forest { links = { link(0, 0, 1), link(1, -1, 1.5) }, gravity = { 0, 0, -9.81 } }
  return f:set { q = { 0.5, -0.8 }, u = { 0.3, 0.1 } }
end
local pendulum_at_2 = { q = { 0.32084783603717004, -0.8299637156114714 },
  u = { 0.8385259415962368, -0.2534160023260322 } }

-- Three bodies on ball joints, the last freely spinning: quaternions all the way.
local function balls()
  local function link(parent, z)
    return { kind = "spherical", parent = parent, position = { 0, 0, z }, mass = 1, com = { 0.05, 0, -0.5 },
      inertia = { 0.09, 0.1, 0.02, 0, 0, 0 } }
  end
  local f = core.forest { links = { link(0, 0), link(1, -1), link(2, -1) }, gravity = { 0, 0, -9.81 } }
  return f:set { q = { 0.8, 0.6, 0, 0, 1, 0, 0, 0, 0.6, 0, 0.8, 0 }, u = { 0.3, 1, 2, 0, 1, -1, 0.5, 0, 3 } }
end

-- q of the ball chain at time 0.5 by method options, and by a tolerance near rounding.
local function balls_after(options)
  local f = balls()
  options.to = 0.5
  f:integrate(options)
  return f
end
local function exact_balls() return balls_after { method = "dopri5", rtol = 1e-14, atol = 1e-15 } end

-- Observed order over the last halving of dt.
local function order_of(options, dt, exact)
  local errors = {}
  for k = 1, 2 do
    options.dt = dt / 2 ^ (k - 1)
    errors[k] = trees.distance(balls_after(options).q, exact.q)
  end
  return math.log(errors[1] / errors[2], 2), errors
end

describe("Stoermer's integrator", function()
  it("has the published errors on Kepler's ellipse, in all readings (exact)", function()
    for _, reading in ipairs(readings) do
      for k, n in ipairs(table_of.kepler.n) do
        local T = 2 * math.pi
        local options = { f = attracted, q = { 0.7, 0 }, u = { 0, math.sqrt(1.3 / 0.7) }, dt = T / n, to = T }
        options.reading = reading
        compare("kepler", reading, k, final(options, kepler))
      end
    end
  end)

  it("has the published errors with damping (exact)", function()
    for _, reading in ipairs(readings) do
      for k, n in ipairs(table_of.oscillator.n) do
        local options = { f = damped, q = { 1 }, u = { -0.2 }, dt = 4 / n, to = 4, reading = reading }
        compare("oscillator", reading, k, final(options, oscillator))
      end
    end
  end)

  it("has the published errors on the double pendulum through the tree (exact)", function()
    for _, reading in ipairs(readings) do
      for k, n in ipairs(table_of.pendulum.n) do
        local f = pendulum()
        f:integrate { reading = reading, dt = 2 / n, to = 2 }
        compare("pendulum", reading, k, trees.distance(f.q, pendulum_at_2.q))
      end
    end
  end)

  it("is of order six on a chain of ball joints, quaternions unit after each step (agreement)", function()
    local exact = exact_balls()
    for _, reading in ipairs(readings) do
      local order, errors = order_of({ reading = reading }, 1 / 400, exact)
      assert.is_true(order >= 5.7, ("%s: order %g, errors %g %g"):format(reading, order, errors[1], errors[2]))
    end
    balls():integrate { dt = 1e-3, to = 0.5, each = function(_, q)
      for i = 0, 2 do
        local n = q[4 * i + 1] ^ 2 + q[4 * i + 2] ^ 2 + q[4 * i + 3] ^ 2 + q[4 * i + 4] ^ 2
        assert.near(1, n, 1e-15 * 4) -- rounding of one normalisation
      end
    end }
  end)
end)

describe("one-step integrators", function()
  it("are of order four and one on a chain of ball joints (agreement)", function()
    local exact = exact_balls()
    local order = order_of({ method = "rk4" }, 1 / 200, exact)
    assert.is_true(order > 3.8 and order < 4.4, ("rk4: order %g"):format(order))
    order = order_of({ method = "semi-implicit" }, 1 / 8000, exact)
    assert.is_true(order > 0.9 and order < 1.1, ("semi-implicit: order %g"):format(order))
  end)

  it("keep the error of dopri5 near its tolerance (exact)", function()
    for _, rtol in ipairs { 1e-6, 1e-9, 1e-12 } do
      local f = pendulum()
      f:integrate { method = "dopri5", rtol = rtol, atol = rtol, to = 2 }
      local error = trees.distance(f.q, pendulum_at_2.q)
      -- the pendulum stretches errors about fortyfold in two seconds
      assert.is_true(error <= 200 * rtol, ("rtol %g: error %g"):format(rtol, error))
    end
  end)

  it("keep the energy of the ball chain to their tolerance (conserved)", function()
    local f = balls()
    local kinetic, potential = f:energy()
    f:integrate { method = "dopri5", rtol = 1e-12, atol = 1e-13, to = 2 }
    local k, p = f:energy()
    assert.near(kinetic + potential, k + p, 1e-9 * (kinetic + math.abs(potential)))
  end)

  it("refuse options that the method does not use", function()
    assert.has_error(function() pendulum():integrate { method = "rk4", rtol = 1e-6, to = 1 } end)
    assert.has_error(function() pendulum():integrate { method = "dopri5", reading = "kappa", to = 1 } end)
    assert.has_error(function() pendulum():integrate { order = 4, to = 1 } end)
  end)

  it("pass an error of the right-hand side on unchanged", function()
    local mark = {}
    local ok, e = pcall(core.ode, { f = function() error(mark) end, q = { 0 }, u = { 0 }, to = 1 })
    assert.is_false(ok)
    assert.are.equal(mark, e)
  end)
end)
