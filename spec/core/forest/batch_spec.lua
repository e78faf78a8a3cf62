local trees = require "support.trees"

local function random_states(seed, n, n_u)
  local r, states = trees.random(seed + 500), {}
  for k = 1, n do states[k] = { u = r.list(n_u, 2), tau = r.list(n_u, 3) } end
  return states
end

-- The batches of n states of the forest that this processor can run, one a path.
local function batches(forest, n)
  local list = {}
  for path = 0, 2 do
    local ok, batch = pcall(forest.batch, forest, n, path)
    if ok then list[#list + 1] = batch end
  end
  return list
end

describe("a batch of states", function()
  it("has the bits of single states on every path of instructions (agreement)", function()
    for seed = 1, 200 do
      local forest, _, state = trees.sample(seed, { wrench = false })
      local n, n_u = 1 + seed % 11, #forest.u
      local states, want = random_states(seed, n, n_u), {}
      local all = batches(forest, n)
      assert.is_true(#all >= 1)
      for k = 1, n do
        want[k] = forest:set({ u = states[k].u, tau = states[k].tau }):accelerations()
      end
      for _, batch in ipairs(all) do
        for k = 1, n do
          batch:set_coordinates(k, state.q)
          batch:set_velocities(k, states[k].u)
          batch:set_torques(k, states[k].tau)
        end
        local got = batch:accelerations()
        for k = 1, n do
          for i = 1, n_u do
            local off = got[k][i] - want[k][i]
            assert.is_true(off == 0, ("seed %d %s state %d: %g"):format(seed, batch.path, k, off))
          end
        end
      end
    end
  end)

  it("steps with the order of the midpoint rule, energy kept (conserved)", function()
    local function drift(dt)
      local forest, _, state = trees.sample(7, { wrench = false, driven = false })
      forest:set { tau = forest:solve(forest.u) * 0 }
      local batch = forest:batch(2)
      for k = 1, 2 do
        batch:set_coordinates(k, state.q)
        batch:set_velocities(k, state.u)
      end
      local k0, p0 = forest:energy()
      batch.dt = dt
      batch:step(math.floor(0.1 / dt + 0.5))
      forest:set { q = batch:coordinates(2), u = batch:velocities(2) }
      local k1, p1 = forest:energy()
      return math.abs(k1 + p1 - k0 - p0)
    end
    local coarse, fine = drift(1e-3), drift(5e-4)
    -- u' = u + h udot(q_c, u) is of first order where udot depends on u
    assert.is_true(coarse / fine > 1.8, ("%g %g"):format(coarse, fine))
  end)

  it("refuses states that are not there", function()
    local forest = trees.sample(3)
    local batch = forest:batch(2)
    assert.has_error(function() batch:set_coordinates(3, forest.q) end)
    assert.has_error(function() batch:set_velocities(1, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 }) end)
    assert.has_error(function() forest:batch(0) end)
  end)
end)
