local trees = require "support.trees"

local methods = { "fast", "ldl", "sweep", "dense" }
local seeds = 200

local function say(seed, text) return ("seed %d: %s"):format(seed, text) end

describe("forward dynamics of random trees of all joint kinds", function()
  it("is the same by every method, accelerations and reactions (agreement)", function()
    for seed = 1, seeds do
      local forest = trees.sample(seed)
      local want = forest:accelerations("dense")
      local reactions = forest:reactions()
      local scale = math.max(1, trees.largest(want))
      local force = 1
      for i = 1, forest.links do force = math.max(force, trees.largest(reactions[i])) end
      for _, method in ipairs(methods) do
        local got = forest:accelerations(method)
        -- well-posed trees of ten bodies: a few hundred roundings
        local off = trees.distance(got, want) / scale
        assert.is_true(off <= 1e-12, say(seed, ("%s udot off by %g"):format(method, off)))
        local R = forest:reactions()
        for i = 1, forest.links do
          off = trees.distance(R[i], reactions[i]) / force
          assert.is_true(off <= 1e-12, say(seed, ("%s reaction %d off by %g"):format(method, i, off)))
        end
      end
    end
  end)

  it("is undone by inverse dynamics (residual)", function()
    for seed = 1, seeds do
      local forest, _, state = trees.sample(seed)
      local udot = forest:accelerations()
      local tau = forest:inverse_dynamics(udot)
      local scale = math.max(1, trees.largest(udot)) * 10 -- masses of order one, a few arms
      assert.is_true(trees.distance(tau, state.tau) <= 1e-12 * scale, say(seed, "tau differs"))
    end
  end)

  it("obeys M udot + bias = tau with M from composite bodies (residual)", function()
    for seed = 1, seeds do
      local forest, _, state = trees.sample(seed)
      local udot = forest:accelerations()
      local M, bias = forest:mass_matrix(), forest:bias()
      local Mu = M * udot
      local scale = math.max(1, trees.largest(bias), trees.largest(udot)) * 10
      for i = 1, #udot do
        local off = math.abs(Mu[i] + bias[i] - state.tau[i])
        assert.is_true(off <= 1e-12 * scale, say(seed, ("row %d off by %g"):format(i, off)))
      end
    end
  end)

  it("keeps the power: what forces do is what kinetic energy gains (conserved)", function()
    for seed = 1, seeds do
      local forest, model, state = trees.sample(seed, { driven = false })
      forest:accelerations()
      local V, A, P = forest:link_velocities(), forest:link_accelerations(), forest:places()
      local gain, work, scale = 0, 0, 1
      for k = 1, #state.u do work = work + state.tau[k] * state.u[k] end
      local rotors = 0
      for i, link in ipairs(model.links) do
        local p, v, a = P[i], V[i], A[i]
        local R = { { p[1], p[2], p[3] }, { p[4], p[5], p[6] }, { p[7], p[8], p[9] } }
        local om = trees.rotate(R, { v[1], v[2], v[3] }, true)
        local al = trees.rotate(R, { a[1], a[2], a[3] }, true)
        local I = link.inertia
        local J = { { I[1], I[4], I[5] }, { I[4], I[2], I[6] }, { I[5], I[6], I[3] } }
        local Jal = trees.rotate(J, al)
        for k = 1, 3 do
          local f = link.mass * (a[3 + k] - model.gravity[k])
          gain = gain + om[k] * Jal[k] + v[3 + k] * f
          scale = scale + math.abs(om[k] * Jal[k]) + math.abs(v[3 + k] * f)
        end
        for k = 1, 6 do work = work + state.wrench[6 * (i - 1) + k] * v[k] end
        if link.motions and link.motions[1] and link.motions[1].rotor then rotors = rotors + 1 end
      end
      if rotors == 0 then -- a rotor's energy is not on a link
        assert.is_true(math.abs(gain - work) <= 1e-12 * scale, say(seed, gain - work))
      end
    end
  end)
end)

describe("mass matrix", function()
  it("is symmetric and has the columns of inverse dynamics (agreement)", function()
    for seed = 1, seeds do
      local forest = trees.sample(seed)
      local M, bias = forest:mass_matrix(), forest:bias()
      local n = #bias
      local scale = math.max(1, trees.largest(bias))
      for j = 1, n do
        local unit = {}
        for i = 1, n do unit[i] = i == j and 1 or 0 end
        local column = forest:inverse_dynamics(unit)
        for i = 1, n do
          assert.are.equal(M[i][j], M[j][i])
          local off = math.abs(column[i] - bias[i] - M[i][j])
          local limit = 1e-13 * (scale + 10 * math.abs(M[i][j]))
          assert.is_true(off <= limit, say(seed, ("column %d off by %g"):format(j, off)))
        end
      end
    end
  end)

  it("is undone by the stored factor (residual)", function()
    for seed = 1, seeds do
      local forest = trees.sample(seed)
      local M = forest:mass_matrix()
      local f = trees.random(seed).list(#forest.u, 1)
      local x = forest:solve(f)
      local scale = math.max(1, trees.largest(x)) * 10
      assert.is_true(trees.distance(M * x, f) <= 1e-12 * scale, say(seed, "M M^-1 f differs"))
    end
  end)
end)

describe("many right sides", function()
  it("have the bits of one at a time, in odd and even number (agreement)", function()
    for seed = 1, seeds do
      local forest = trees.sample(seed)
      local r, sides = trees.random(seed), {}
      for k = 1, 1 + seed % 5 do sides[k] = r.list(#forest.u, 1) end
      if #forest.u > 0 then
        local X = forest:solve(sides)
        for k, side in ipairs(sides) do
          local x = forest:solve(side)
          for i = 1, #x do assert.are.equal(x[i], X[k][i]) end
        end
      end
    end
  end)
end)

describe("Delassus matrix from the factor", function()
  -- Rows in threes on one pair of links, as contacts have them, are walked two at a time.
  it("has the same bits whether rows are walked singly or in pairs (agreement)", function()
    for seed = 1, seeds do
      local forest, model = trees.sample(seed)
      local r, n = trees.random(seed + 2000), #model.links
      local rows = {}
      for contact = 1, 3 do
        local a, b = r.count(n), r.count(n)
        for axis = 1, 3 do
          local row = { a }
          for _, x in ipairs(r.list(6, 1)) do row[#row + 1] = x end
          if contact > 1 then
            row[#row + 1] = b
            for _, x in ipairs(r.list(6, 1)) do row[#row + 1] = x end
          end
          rows[3 * contact + axis - 3] = row
        end
      end
      local W = forest:delassus(rows)
      for i = 1, 9 do
        for k = 1, i do
          local pair = forest:delassus { rows[k], rows[(i + 3) % 9 + 1], rows[i] }
          assert.are.equal(W[i][k], pair[1][3], say(seed, ("W[%d][%d]"):format(i, k)))
        end
      end
    end
  end)

  it("is J M^-1 J' with J of the bodies (agreement)", function()
    for seed = 1, seeds do
      local forest, model = trees.sample(seed)
      local r, n_u, n = trees.random(seed + 1000), #forest.u, #model.links
      local rows, J = {}, {}
      local P = forest:places()
      for i = 1, 6 do
        local row = {}
        J[i] = {}
        for k = 1, n_u do J[i][k] = 0 end
        for _ = 1, i % 2 + 1 do
          local link, j = r.count(n), r.list(6, 1)
          row[#row + 1] = link
          for k = 1, 6 do row[#row + 1] = j[k] end
          local p, com = P[link], model.links[link].com or { 0, 0, 0 }
          local centre = {}
          for k = 1, 3 do
            centre[k] = p[9 + k] + p[3 * k - 2] * com[1] + p[3 * k - 1] * com[2] + p[3 * k] * com[3]
          end
          local Jl = forest:jacobian(link, centre)
          for k = 1, n_u do
            for l = 1, 6 do J[i][k] = J[i][k] + j[l] * Jl[l][k] end
          end
        end
        rows[i] = row
      end
      local W = forest:delassus(rows)
      for i = 1, 6 do
        local x = forest:solve(J[i])
        for k = 1, 6 do
          local want = 0
          for l = 1, n_u do want = want + J[k][l] * x[l] end
          local scale = 1 + math.abs(W[i][i]) + math.abs(W[k][k])
          assert.are.equal(W[i][k], W[k][i])
          local off = math.abs(W[i][k] - want)
          assert.is_true(off <= 1e-12 * scale, say(seed, ("W[%d][%d] off by %g"):format(i, k, off)))
        end
      end
    end
  end)
end)

describe("kinematics", function()
  -- Central differences over h: h^2 times third derivatives (up to 1e6 here) and rounding / h.
  local h, tolerance = 1e-6, 1e-6

  it("has velocities that are the rates of the poses (residual)", function()
    for seed = 1, seeds do
      local forest, model = trees.sample(seed, { driven = false })
      local V = forest:link_velocities()
      local before = forest:advance(-h):places()
      local after = forest:advance(2 * h):places()
      for i, link in ipairs(model.links) do
        local com = link.com
        for k = 1, 3 do
          local function at(p) return p[9 + k] + p[3 * k - 2] * com[1] + p[3 * k - 1] * com[2] + p[3 * k] * com[3] end
          local rate = (at(after[i]) - at(before[i])) / (2 * h)
          local off = math.abs(rate - V[i][3 + k])
          assert.is_true(off <= tolerance * (1 + math.abs(rate)), say(seed, ("link %d off by %g"):format(i, off)))
        end
      end
    end
  end)

  it("has accelerations that are the rates of the velocities (residual)", function()
    for seed = 1, seeds do
      local forest, model, state = trees.sample(seed, { driven = false })
      local udot = forest:accelerations()
      local A = forest:link_accelerations()
      local function velocities(t)
        local u = {}
        for k = 1, #udot do u[k] = state.u[k] + t * udot[k] end
        forest:set { q = state.q, u = state.u }
        -- q (+) t u and half of t^2 udot, to second order in t
        forest:advance(t):set { u = udot }
        forest:advance(t * t / 2):set { u = u }
        return forest:link_velocities()
      end
      local before, after = velocities(-h), velocities(h)
      local scale = 1
      for i = 1, #model.links do scale = math.max(scale, trees.largest(A[i])) end
      for i = 1, #model.links do
        for k = 1, 6 do
          local rate = (after[i][k] - before[i][k]) / (2 * h)
          local off = math.abs(rate - A[i][k])
          assert.is_true(off <= tolerance * scale, say(seed, ("link %d off by %g"):format(i, off)))
        end
      end
    end
  end)
end)
