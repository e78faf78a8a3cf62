-- What every method promises, whatever the problem: families of the books, odd sizes, odd numbers.
local lcp = require "delassus.lcp"
local problems = require "support.lcp_random"
local piles = require "support.lcp_piles"
local seeds = require "support.seeds"

local all = { "auto", "energy", "block", "lemke", "least-index", "pgs", "newton", "enumerate" }

local function constant(n, value)
  local x = {}
  for i = 1, n do x[i] = value end
  return x
end

--- Ones on the diagonal, twos beside it on one side (Murty); B'B with B upper (Fathi).
local function murty(n, lower)
  local M = {}
  for i = 1, n do
    M[i] = {}
    for j = 1, n do M[i][j] = i == j and 1 or (j < i) == lower and 2 or 0 end
  end
  return M
end

local function fathi(n)
  local M = {}
  for i = 1, n do
    M[i] = {}
    for j = 1, n do M[i][j] = 4 * (math.min(i, j) - 1) + (i == j and 1 or 2) end
  end
  return M
end

local function tridiagonal(n, beside, on)
  local M = {}
  for i = 1, n do
    M[i] = constant(n, 0)
    M[i][i] = on
    if i > 1 then M[i][i - 1] = beside end
    if i < n then M[i][i + 1] = beside end
  end
  return M
end

describe("the exponential families", function()
  -- pivots (least-index takes 2^n - 1 on the one it was made for); newton and pgs count iterations
  it("are exact: end at their one active row by every method that takes them, n = 8..20", function()
    for n = 8, 20 do
      local families = {
        { name = "Murty", M = murty(n, true), row = 1, pivots = { lemke = 2 * n, ["least-index"] = 1, auto = 2 * n } },
        { name = "Murty reversed", M = murty(n, false), row = n,
          pivots = { lemke = 2 * n, ["least-index"] = 2 ^ n - 1, auto = 2 * n } },
        { name = "Fathi", M = fathi(n), row = 1,
          pivots = { lemke = n, ["least-index"] = 2 ^ n - 1, auto = 1, energy = 1, block = 0 } },
      }
      for _, f in ipairs(families) do
        for _, method in ipairs(all) do
          if (f.pivots[method] or method == "newton") and not (method == "least-index" and n > 16) then
            local s = lcp.solve { M = f.M, q = constant(n, -1), method = method }
            local name = ("%s, n = %d, %s: %d pivots, %d iterations"):format(f.name, n, method, s.pivots, s.iterations)
            assert(s.converged, name)
            assert(s.pivots <= (f.pivots[method] or 0), name)
            assert(s.iterations <= 2 * n, name)
            for i = 1, n do assert.near(i == f.row and 1 or 0, s.z[i], 1e-12, name) end
            if f.name == "Murty reversed" and method == "least-index" then assert.equal(2 ^ n - 1, s.pivots) end
          end
        end
      end
    end
  end)
end)

describe("case LCP-03", function()
  it("is exact: Murty and Fathi up to n = 100, by auto and lemke", function()
    for _, n in ipairs { 5, 10, 20, 50, 100 } do
      for _, M in ipairs { murty(n, true), fathi(n) } do
        for _, method in ipairs { "auto", "lemke" } do
          local s = lcp.solve { M = M, q = constant(n, -1), method = method }
          assert.is_true(s.converged)
          for i = 1, n do assert.near(i == 1 and 1 or 0, s.z[i], 1e-9) end -- condition to 3e8, tolerance 1e-6
        end
      end
    end
  end)

  it("is exact: tridiagonal(-1, 4, -1), q = -1, n = 100", function()
    local r = 2 - 3 ^ 0.5 -- z_i = (1 - r^i) / 2 far from the other end
    for _, method in ipairs { "auto", "energy", "block", "lemke", "least-index", "pgs", "newton" } do
      local s = lcp.solve { M = tridiagonal(100, -1, 4), q = constant(100, -1), method = method }
      assert.is_true(s.converged, method)
      for i = 1, 40 do assert.near((1 - r ^ i) / 2, s.z[i], 1e-9, method) end
    end
  end)

  it("is exact: a string over a parabola touches where its tangent from the end does", function()
    local n, h, q, psi = 99, 0.01, {}, {}
    for i = 1, n do psi[i] = 0.25 - 2 * (i * h - 0.5) ^ 2 end
    for i = 1, n do q[i] = 2 * psi[i] - (psi[i - 1] or 0) - (psi[i + 1] or 0) end
    for _, method in ipairs { "auto", "energy", "block", "lemke", "least-index", "newton" } do
      local s = lcp.solve { M = tridiagonal(n, -1, 2), q = q, method = method }
      assert.is_true(s.converged, method)
      assert.near(0.205 * 0.2 / 0.35, s.z[20] + psi[20], 1e-12, method) -- straight to the node at 0.35
      for i = 1, n do assert.equal(i >= 35 and i <= 65, s.z[i] == 0, method) end
    end
  end)
end)

describe("lcp.solve, odd sizes:", function()
  it("n = 0 and n = 1 are answered by every method, by lcp.solve and by lcp.solver", function()
    for _, method in ipairs(all) do
      local solver <close> = lcp.solver { method = method }
      for _, solve in ipairs { function(M, q) return lcp.solve { M = M, q = q, method = method } end,
        function(M, q) return solver:solve(M, q) end } do
        assert.is_true(solve({}, {}).converged)
        assert.equal(0, #solve({}, {}).z)
        assert.near(3, solve({ { 2 } }, { -6 }).z[1], 1e-15 * 3)
        assert.equal(0, solve({ { 2 } }, { 6 }).z[1])
        assert.equal(6, solve({ { 2 } }, { 6 }).w[1])
        assert.equal(0, solve({ { 2 } }, { 0 }).z[1])
      end
    end
  end)

  it("20,000 rows are done where M is sparse and refused, with the memory, where a method writes it out", function()
    local M, q = piles.stack(20000, 1)
    for _, method in ipairs { "energy", "lemke", "least-index", "newton" } do
      local solver <close> = lcp.solver { method = method, n = 20000 }
      local pattern = ("method '%s' at n = 20000 would take %%d+%%.%%d* GB of memory, the most is"):format(
        (method:gsub("%-", "%%-")))
      assert.error_matches(function() lcp.solve { M = M, q = q, method = method } end, "lcp.solve: " .. pattern)
      assert.error_matches(function() solver:solve(M, q) end, "solver:solve: " .. pattern)
      assert.equal(3, solver:solve({ { 2 } }, { -6 }).z[1])
    end
    assert.error_matches(function() lcp.solve { M = M, q = q, method = "enumerate" } end, "takes n <= 20")
    for _, method in ipairs { "block", "auto" } do
      local solver <close> = lcp.solver { method = method, n = 20000 }
      assert.is_true(solver:solve(M, q).converged)
    end
    assert.equal("limit", lcp.solve { M = M, q = q, method = "pgs", max_iterations = 20 }.status)
  end)
end)

describe("lcp.solve, odd numbers:", function()
  it("scales of 1e-300 and 1e300 are answered rightly by every method, or not called an answer", function()
    local M, q = { { 4, -1, 0 }, { -1, 4, -1 }, { 0, -1, 4 } }, { -4, 3, -4 }
    local z = { 1, 0, 1 }
    for _, method in ipairs(all) do
      for _, by in ipairs { { 1e-300, 1e-300 }, { 1e300, 1e300 }, { 1, 1e300 }, { 1, 1e-300 }, { 1e300, 1 },
        { 1e-300, 1 }, { 1e-300, 1e300 }, { 1e300, 1e-300 } } do
        local A, b = {}, {}
        for i = 1, 3 do
          A[i], b[i] = {}, q[i] * by[2]
          for j = 1, 3 do A[i][j] = M[i][j] * by[1] end
        end
        local s = lcp.solve { M = A, q = b, method = method }
        local unit = by[2] / by[1] -- 0 or infinite where z is beyond the range of numbers
        local name = ("%s, %g, %g: %s"):format(method, by[1], by[2], s.status)
        if unit > 1e-290 and unit < 1e307 then
          assert(s.converged, name)
          for i = 1, 3 do assert.near(z[i], s.z[i] / unit, 1e-9, name) end
        elseif s.converged then -- z vanishes beside the smallest number there is
          assert(s.residual <= 1e-10, name)
        else
          assert.equal("limit", s.status, name)
        end
      end
    end
  end)

  it("NaN and infinities are refused by name and place", function()
    local good, b = { { 2, 1 }, { 1, 2 } }, { -1, -1 }
    for _, bad in ipairs { 0 / 0, math.huge, -math.huge } do
      for _, method in ipairs(all) do
        local function refused(pattern, M, q, start)
          assert.error_matches(function() lcp.solve { M = M, q = q, method = method, start = start } end, pattern)
          local solver <close> = lcp.solver { method = method }
          if not start then assert.error_matches(function() solver:solve(M, q) end, pattern) end
        end
        refused("'M'%[2%]", { { 2, 1 }, { 1, bad } }, b)
        refused("'q'%[2%]", good, { -1, bad })
        refused("'start'%[1%]", good, b, { bad, 0 })
      end
    end
  end)
end)

describe("lcp.solve newton", function()
  it("has a small residual on 200 singular problems, n = 20..60, and on piles", function()
    local class = problems.classes[5]
    for seed = 1, seeds(200) do
      local random = problems.random(seed)
      local n = random:integer(20, 60)
      local M, q = class.make(random, n)
      local s = lcp.solve { M = M, q = q, method = "newton" }
      assert(s.converged, ("%s, seed %d, n = %d: %s"):format(class.name, seed, n, tostring(s)))
      assert(problems.residual(M, q, s.z) <= 1e-10)
    end
    for n = 20, 120, 20 do
      for _, speed in ipairs { 0, 0.1 } do
        local M, q = piles.pile(n, speed)
        assert(lcp.solve { M = M, q = q, method = "newton" }.converged, n)
      end
    end
  end)
end)

describe("lcp.solve, most negative q first:", function()
  -- both problems are symmetric positive definite; the rule is followed here, in tableaux
  local cycling = {
    { M = { { 1, 6, -6 }, { 6, 40, -30 }, { -6, -30, 46 } }, q = { -2, -7, 18 }, energy = 1 },
    { M = { { 1, 5, -5, 1 }, { 5, 26, -23, 4 }, { -5, -23, 33, -5 }, { 1, 4, -5, 19 } }, q = { -1, -2, 7, -6 } },
  }
  local function by_that_rule(p, most)
    local n, T, q, basis, seen = #p.q, {}, {}, 0, {}
    for i = 1, n do
      T[i], q[i] = { table.unpack(p.M[i]) }, p.q[i]
    end
    for _ = 1, most do
      local r = 1
      for i = 2, n do if q[i] < q[r] then r = i end end
      if q[r] >= -1e-9 then return "solved" end
      if seen[basis] then return "cycles" end
      seen[basis] = true
      basis = basis ~ (1 << (r - 1))
      local P, old, qr = T[r][r], {}, q[r]
      for j = 1, n do old[j] = T[r][j] end
      for i = 1, n do
        if i ~= r then
          local f = T[i][r] / P
          for j = 1, n do T[i][j] = j == r and f or T[i][j] - f * old[j] end
          q[i] = q[i] - f * qr
        end
      end
      for j = 1, n do T[r][j] = j == r and 1 / P or -old[j] / P end
      q[r] = -qr / P
    end
    return "long"
  end

  it("cycles on the given matrices, and no method of ours does", function()
    for _, p in ipairs(cycling) do
      assert.equal("cycles", by_that_rule(p, 100))
      local exact = lcp.solve { M = p.M, q = p.q, method = "enumerate" }
      for _, method in ipairs { "energy", "block", "lemke", "least-index", "newton", "auto" } do
        local s = lcp.solve { M = p.M, q = p.q, method = method }
        assert.is_true(s.converged, method)
        for i = 1, #p.q do assert.near(exact.z[i], s.z[i], 1e-9) end -- condition to 1e4
      end
      if p.energy then assert.equal(p.energy, lcp.solve { M = p.M, q = p.q, method = "energy" }.pivots) end
    end
  end)
end)

describe("lcp.solve auto", function()
  it("is in agreement with energy, dense and sparse, on piles and stacks of n = 60..700", function()
    for _, n in ipairs { 60, 63, 64, 65, 299, 300, 301, 700 } do
      for _, make in ipairs { piles.stack, piles.pile } do
        local M, q = make(n, 0.1)
        local dense = M:totable()
        local w = lcp.solve { M = dense, q = q, method = "energy" }.w -- unique where z is not
        for _, form in ipairs { M, dense } do
          local s = lcp.solve { M = form, q = q }
          assert.is_true(s.converged)
          for i = 1, n do assert.near(w[i], s.w[i], 1e-9) end
        end
      end
    end
  end)

  it("takes the ordinary way where a dense matrix with few entries is not symmetric", function()
    local n = 80
    local M = tridiagonal(n, 0, 1)
    for i = 2, n do M[i][i - 1] = 2 end
    local s = lcp.solve { M = M, q = constant(n, -1) }
    assert.equal("lemke", s.method)
    assert.is_true(s.converged)
    assert.near(1, s.z[1], 1e-12)
  end)
end)
