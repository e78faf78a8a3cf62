local delassus = require "delassus"
local lcp = require "delassus.lcp"
local piles = require "support.lcp_piles"

--- Counts calls of functions that C calls and nobody names: such are those with which the core asks.
local function at_question(n, act)
  local count = 0
  debug.sethook(function()
    local who = debug.getinfo(2, "nS")
    if who.what ~= "C" or who.name then return end
    count = count + 1
    if count == n then act() end
  end, "c")
end

--- Calls f with a hook, as Ctrl-C sets one, that raises at the second question or so.
local function interrupted(f, ...)
  at_question(3, function() error("enough", 0) end)
  local ok, what = pcall(f, ...)
  debug.sethook()
  return not ok and what == "enough", what
end

--- Problems that take far longer than a few questions, 20 ms apart.
local function long()
  local M, q = piles.stack(2000, 1)
  local pile, weights = piles.pile(8000, 0.1)
  local negative = { rows = 20, cols = 20 }
  for i = 1, 20 do negative[i] = { i, i, -1 } end
  local ones = {}
  for i = 1, 20 do ones[i] = 1 end
  return {
    { M = M, q = q, method = "energy" }, { M = M, q = q, method = "lemke" }, { M = M, q = q, method = "least-index" },
    { M = M, q = q, method = "newton" }, { M = M, q = q, method = "pgs", max_iterations = 1000000, tolerance = 1e-300 },
    { M = pile, q = weights, method = "block" }, { M = pile, q = weights, method = "auto" },
    { M = require "delassus".sparse(negative), q = ones, method = "enumerate" },
  }
end

describe("a hook that raises, as Ctrl-C does,", function()
  it("ends every method of lcp.solve, and its error is the one that comes out", function()
    for _, options in ipairs(long()) do
      assert.is_true(interrupted(lcp.solve, options), options.method)
    end
  end)

  it("ends lcp.parametric", function()
    local M, q = piles.stack(1500, 1)
    local d = {}
    for i = 1, 1500 do q[i], d[i] = math.abs(q[i]), -1 - i % 7 end
    assert.is_true(interrupted(lcp.parametric, { M = M, q = q, d = d, to = math.huge }))
  end)

  it("leaves a solver as it was made: it solves the next problem", function()
    local M, q = piles.stack(2000, 1)
    local solver <close> = lcp.solver { method = "energy" }
    assert.is_true(interrupted(solver.solve, solver, M, q))
    assert.is_nil(solver.z)
    assert.error_matches(function() solver:solve { 1, 2 } end, "needs a matrix and a vector the first time")
    assert.is_true(solver:solve({ { 2, 1 }, { 1, 2 } }, { -5, -6 }).converged)
    assert.near(4 / 3, solver.z[1], 1e-15)
  end)

  it("cannot use or take away a solver that is at work", function()
    local M, q = piles.stack(2000, 1)
    local solver, refused = lcp.solver { method = "energy" }, nil
    at_question(3, function()
      refused = select(2, pcall(function() return solver.z end))
      solver:close()
    end)
    local ok, message = pcall(solver.solve, solver, M, q)
    debug.sethook()
    assert.matches("it is solving", refused)
    assert.is_false(ok)
    assert.matches("closed while it was solving", message)
    assert.error_matches(function() return solver.z end, "closed")
  end)

  it("changes nothing where it does not raise", function()
    local M, q = piles.stack(600, 1)
    local before = lcp.solve { M = M, q = q, method = "energy" }
    debug.sethook(function() end, "c")
    local s = lcp.solve { M = M, q = q, method = "energy" }
    debug.sethook()
    assert.is_true(s.converged)
    for i = 1, 900 do assert.equal(before.z[i], s.z[i]) end
  end)

  local function pendulum()
    local world = delassus.world{ record = false }
    local ball = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 1, 0, 0 } }
    world:joint{ "revolute", world.ground, ball, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 } }
    return world
  end

  it("ends world:step between two steps", function()
    local world <close> = pendulum()
    local twin <close> = pendulum()
    assert.is_true(interrupted(world.step, world, 1000000000))
    local n = math.floor(world.time / world.dt + 0.5)
    assert.is_true(n > 0)
    twin:step(n)
    assert.equal(twin:hash(), world:hash())
  end)

  it("ends world:step where it closes the world, too", function()
    local world = pendulum()
    at_question(2, function() world:close() end)
    local ok, message = pcall(world.step, world, 1000000000)
    debug.sethook()
    assert.is_false(ok)
    assert.matches("attempt to use a closed world", message)
  end)

  it("ends one long step, which leaves the world as it was", function()
    for _, options in ipairs { { planar = true }, { planar = false }, { planar = true, impact = "poisson" } } do
      local world <close> = delassus.world{ planar = options.planar, impact = options.impact, record = false, dt = 1e-2,
        solver = "nsgs", tolerance = 1e-300, max_iterations = 100000000 }
      world:floor()
      local random = delassus.random(7)
      for i = 1, 300 do
        local x, y = 0.21 * (i % 20) + random:uniform(-0.004, 0.004), 0.1 + 0.21 * (i // 20)
        local velocity = { random:uniform(-3, 3), random:uniform(-3, 0), not options.planar and random:uniform(-1, 1) or nil }
        if options.planar then
          world:disk{ radius = 0.105, position = { x, y }, velocity = velocity, friction = 0.4, restitution = 0.5 }
        else
          world:sphere{ radius = 0.105, position = { x, y, 0 }, velocity = velocity, friction = 0.4 }
        end
      end
      local before = world:hash()
      assert.is_true(interrupted(world.step, world))
      assert.equal(before, world:hash())
      assert.equal(0, world.time)
    end
  end)

  it("ends integrate, and the world is as it was", function()
    for _, options in ipairs{ { method = "rk4", dt = 1e-6 }, { method = "stormer", dt = 1e-6 }, { method = "dopri5" },
      { method = "semi-implicit", dt = 1e-6 } } do
      for _, formulation in ipairs{ "reduced", "penalty" } do
        local world <close> = formulation == "reduced" and pendulum() or delassus.world{ record = false }
        if formulation == "penalty" then
          local ball = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 1, 0, 0 } }
          world:joint{ "revolute", world.ground, ball, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 }, formulation = "penalty" }
        end
        options.to = 1e6
        local before = world:hash()
        assert.is_true(interrupted(world.integrate, world, options), options.method)
        assert.equal(before, world:hash())
        world:step()
      end
    end
  end)

  it("ends linearize and equilibrium, and the world is as it was and locked meanwhile", function()
    local world <close> = delassus.world{ record = false }
    local last = world.ground
    for i = 1, 300 do
      local link = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { i, 0, 0 } }
      world:joint{ "revolute", last, link, anchor = { i - 1, 0, 0 }, axis = { 0, 1, 0 }, stiffness = 10 }
      last = link
    end
    local before = world:hash()
    for _, method in ipairs{ "linearize", "equilibrium" } do
      assert.is_true(interrupted(world[method], world), method)
      assert.equal(before, world:hash())
      local refused
      at_question(3, function()
        refused = select(2, pcall(world.step, world))
        error("enough", 0)
      end)
      assert.is_false(pcall(world[method], world))
      debug.sethook()
      assert.matches("step", refused)
      assert.equal(before, world:hash())
    end
    world:step()
    assert.near(world.dt, world.time, 1e-15)
  end)

  it("ends steps and evaluations of a batch", function()
    local world <close> = pendulum()
    local many <close> = delassus.batch(world, 10)
    assert.is_true(interrupted(many.step, many, 1000000000))
    assert.is_true(interrupted(many.evaluate, many, 1000000000))
    many:step(2)
    at_question(2, function() many:close() end)
    local ok, message = pcall(many.step, many, 1000000000)
    debug.sethook()
    assert.is_false(ok)
    assert.matches("attempt to use a closed batch", message)
  end)
end)
