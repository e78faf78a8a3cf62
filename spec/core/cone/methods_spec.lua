-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local lcp = require "delassus.lcp"
local contacts = require "support.contacts"
local modes = require "support.planar_modes"
local seeds = require "support.seeds"

local everywhere = { "auto", "nsgs", "newton", "admm" }
local flat = { "auto", "nsgs", "newton", "admm", "lemke", "energy", "block" }

describe("planar friction by every method", function()
  it("agrees with the enumeration of modes on 1,000 random problems of up to 8 rows with one solution", function()
    local unique = 0
    for seed = 1, seeds(1000) do
      math.randomseed(seed)
      local n = 2 * math.random(1, 4)
      local W, q = contacts.gram(n, n + math.random(0, 3)), contacts.list(n)
      local mu = math.random() * (seed % 2 == 0 and 0.5 or 2)
      local found = modes.solutions(W, q, mu)
      for _, method in ipairs(flat) do
        local r = lcp.cone{ W = W, q = q, friction = mu, planar = true, method = method }
        local what = ("seed %d %s %s mu %g"):format(seed, method, r, mu)
        if #found == 1 then
          assert.is_true(r.converged, what)
          -- residual 1e-10 and a condition of W's active block of 1e4 or so
          assert.is_true(contacts.distance(found[1].p, r.impulse) <= 1e-6, what)
          assert.is_true(contacts.distance(found[1].v, r.velocity) <= 1e-8, what)
        elseif r.converged then -- one of several: the law must hold
          local size = 1 + contacts.norm(r.impulse)
          assert.is_true(contacts.breach(r.impulse, r.velocity, mu, 2, 1, size) <= 1e-8, what)
        end
      end
      if #found == 1 then unique = unique + 1 end
    end
    assert.is_true(unique > seeds.least(900)) -- the test would be empty otherwise
  end)
end)

describe("spatial friction by every method", function()
  it("residual: obeys Coulomb's law on 300 random problems of 1 to 8 contacts, friction up to 1", function()
    for seed = 1, seeds(300) do
      math.randomseed(seed)
      local n, mu = 3 * math.random(1, 8), math.random()
      local W, q = contacts.gram(n, n + 4), contacts.list(n)
      for _, method in ipairs(everywhere) do
        local r = lcp.cone{ W = W, q = q, friction = mu, method = method }
        local what = ("seed %d %s %s mu %g"):format(seed, method, r, mu)
        assert.is_true(r.converged, what)
        assert.is_true(contacts.breach(r.impulse, r.velocity, mu, 3, 1, 1 + contacts.norm(r.impulse)) <= 1e-8, what)
        assert.is_true(contacts.distance(contacts.image(W, q, r.impulse), r.velocity) <= 1e-13, what)
      end
    end
  end)

  it("agrees: redundant contacts (W of half rank) move alike, 200 seeds, friction up to 0.2", function()
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local n = 3 * math.random(2, 6)
      local k = n // 2
      local G, W, q = {}, {}, {}
      local u = contacts.list(k) -- velocities that bodies have: q = G u is consistent
      for i = 1, n do
        G[i] = contacts.list(k)
        if i % 3 == 1 then G[i][1] = G[i][1] + 2 end -- a direction that opens every contact: solutions exist
      end
      for i = 1, n do
        W[i], q[i] = {}, 0
        for j = 1, n do
          W[i][j] = 0
          for l = 1, k do W[i][j] = W[i][j] + G[i][l] * G[j][l] end
        end
        for l = 1, k do q[i] = q[i] + G[i][l] * (u[l] - (l == 1 and 1 or 0)) end
      end
      local mu, first = 0.2 * math.random(), nil
      for _, method in ipairs(everywhere) do
        local r = lcp.cone{ W = W, q = q, friction = mu, method = method, tolerance = 1e-11 }
        assert.is_true(r.residual <= 1e-9, ("seed %d %s %s"):format(seed, method, r))
        first = first or r
        assert.is_true(contacts.distance(first.velocity, r.velocity) <= 1e-5, ("seed %d %s"):format(seed, method))
      end
    end
  end)

  it("is exact: the same bits from a sparse matrix as from a dense one", function()
    math.randomseed(7)
    local W, q = contacts.gram(12, 14), contacts.list(12)
    for i = 1, 12 do
      for j = 1, 12 do if (i - 1) // 6 ~= (j - 1) // 6 then W[i][j] = 0 end end
    end
    for _, method in ipairs(everywhere) do
      local a = lcp.cone{ W = W, q = q, friction = 0.3, method = method }
      local b = lcp.cone{ W = contacts.sparse(W), q = q, friction = 0.3, method = method }
      for i = 1, 12 do assert.equal(a.impulse[i], b.impulse[i]) end
    end
  end)

  it("agrees: impulses scale with q from 1e-250 to 1e250, and with the unit of mass", function()
    math.randomseed(3)
    local W, q = contacts.gram(9, 12), contacts.list(9)
    local base = lcp.cone{ W = W, q = q, friction = 0.4 }
    for _, s in ipairs{ 1e-250, 1e-9, 1e9, 1e250 } do
      local scaled = {}
      for i = 1, 9 do scaled[i] = q[i] * s end
      local r = lcp.cone{ W = W, q = scaled, friction = 0.4 }
      assert.is_true(r.converged, ("q times %g: %s"):format(s, r))
      for i = 1, 9 do assert.near(base.velocity[i], r.velocity[i] / s, 1e-8) end
      local light = {}
      for i = 1, 9 do
        light[i] = {}
        for j = 1, 9 do light[i][j] = W[i][j] * s end
      end
      r = lcp.cone{ W = light, q = q, friction = 0.4 }
      assert.is_true(r.converged, ("W times %g: %s"):format(s, r))
      for i = 1, 9 do assert.near(base.velocity[i], r.velocity[i], 1e-8) end
    end
  end)

  it("is exact: no rows, and zero rows", function()
    for _, method in ipairs(flat) do
      local r = lcp.cone{ W = {}, q = {}, planar = true, method = method }
      assert.is_true(r.converged)
      assert.equal(0, #r.impulse)
      r = lcp.cone{ W = { { 0, 0 }, { 0, 0 } }, q = { 1, 2 }, friction = 0.5, planar = true, method = method }
      assert.is_true(r.converged)
    end
    local r = lcp.cone{ W = { { 0, 0 }, { 0, 0 } }, q = { -1, 0 }, friction = 0.5, planar = true }
    assert.is_false(r.converged) -- nothing can stop it
  end)
end)

describe("least-norm impulses", function()
  it("are exact: a table on four legs carries a quarter on each", function()
    -- normals at (+-1, +-1): W = J J' with J rows (1, x, y)
    local J, W, q = { { 1, 1, 1 }, { 1, 1, -1 }, { 1, -1, 1 }, { 1, -1, -1 } }, {}, {}
    for i = 1, 4 do
      W[i] = {}
      for j = 1, 4 do W[i][j] = J[i][1] * J[j][1] + J[i][2] * J[j][2] + J[i][3] * J[j][3] end
      q[i] = -1
    end
    for _, method in ipairs(flat) do
      local r = lcp.cone{ W = W, q = q, method = method, unique = true,
        kinds = { "unilateral", "unilateral", "unilateral", "unilateral" } }
      assert.is_true(r.unique)
      for i = 1, 4 do assert.near(0.25, r.impulse[i], 1e-9) end
    end
  end)

  it("agree whatever the method, and are no longer than any other answer, 200 redundant problems", function()
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local m = math.random(2, 4)
      local n, k = 3 * m, 3 * m - 3
      local W, q = contacts.gram(n, k), {}
      for i = 1, n do q[i] = 0 end
      local p = {}
      for c = 1, m do -- a resting state with all contacts inside their cones
        p[3 * c - 2] = 0.5 + math.random()
        for t = 1, 0, -1 do p[3 * c - t] = 0.2 * (2 * math.random() - 1) end
      end
      for i = 1, n do for j = 1, n do q[i] = q[i] - W[i][j] * p[j] end end
      local first
      for _, method in ipairs(everywhere) do
        local r = lcp.cone{ W = W, q = q, friction = 0.6, method = method, unique = true, tolerance = 1e-11 }
        local what = ("seed %d %s %s"):format(seed, method, r)
        assert.is_true(r.converged, what)
        if contacts.norm(r.velocity) <= 1e-9 then -- at rest, so p is another answer
          assert.is_true(r.unique, what)
          assert.is_true(contacts.norm(r.impulse) <= contacts.norm(p) + 1e-9, what)
          first = first or r.impulse
          assert.is_true(contacts.distance(first, r.impulse) <= 1e-6, what)
        end
      end
    end
  end)
end)
