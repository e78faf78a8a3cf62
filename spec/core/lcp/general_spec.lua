local lcp = require "delassus.lcp"
local problems = require "support.lcp_random"

--- Problems of the books with all their solutions (Cottle, Pang & Stone; Murty; EQUATIONS case LCP-01), M by rows.
local book = {
  { name = "one row of multipliers", M = { { 1, 1 }, { 1, 1 } }, q = { -1, -1 },
    z = { { 1, 0 }, { 0, 1 }, { 0.5, 0.5 } } },
  { name = "bimatrix game", M = { { 0, 0, 10, 20 }, { 0, 0, 30, 15 }, { 10, 20, 0, 0 }, { 30, 15, 0, 0 } },
    q = { -1, -1, -1, -1 },
    z = { { 0.1, 0, 0.1, 0 }, { 0, 1 / 15, 0, 1 / 15 }, { 1 / 90, 4 / 90, 1 / 90, 4 / 90 } } },
  { name = "semidefinite", M = { { 1, -1 }, { -1, 1 } }, q = { 1, -1 }, z = { { 0, 1 } } },
  { name = "two by two", M = { { 2, 1 }, { 1, 2 } }, q = { -5, -6 }, z = { { 4 / 3, 7 / 3 } } },
  { name = "ortiz", M = { { 3, 1, 0, -1 }, { -1, 2, 1, 1 }, { 0, 1, 3, -1 }, { 0, 0, 1, 2 } }, q = { -2, 1, -1, 1 },
    z = { { 2 / 3, 0, 1 / 3, 0 } } },
  { name = "no solution", M = { { 0, -1, -1 }, { 1, 0, 0 }, { -1, 0, 0 } }, q = { -1e-4, -1, 1 }, z = {} },
}

--- Murty's triangular matrix, ones on and twos beside the diagonal; and Fathi's, B'B with that triangle.
local function triangle(n, lower)
  local M = {}
  for i = 1, n do
    M[i] = {}
    for j = 1, n do M[i][j] = i == j and 1 or (j < i) == lower and 2 or 0 end
  end
  return M
end

local function fathi(n)
  local B, M = triangle(n, false), {}
  for i = 1, n do
    M[i] = {}
    for j = 1, n do
      M[i][j] = 0
      for k = 1, n do M[i][j] = M[i][j] + B[k][i] * B[k][j] end
    end
  end
  return M
end

local function constant(n, value)
  local x = {}
  for i = 1, n do x[i] = value end
  return x
end

local function unit(n, at)
  local x = constant(n, 0)
  x[at] = 1
  return x
end

local function scaled(p, of_M, of_q)
  local M, q = {}, {}
  for i, row in ipairs(p.M) do
    M[i], q[i] = {}, p.q[i] * of_q
    for j, x in ipairs(row) do M[i][j] = x * of_M end
  end
  return M, q
end

describe("lcp.solve enumerate", function()
  for _, p in ipairs(book) do
    it("is exact: all solutions of the book's problem, " .. p.name, function()
      local s = lcp.solve { M = p.M, q = p.q, method = "enumerate" }
      assert.equal(#p.z, #s.solutions)
      assert.equal(#p.z > 0, s.converged)
      assert.equal(#p.z > 0 and "solved" or "ray", s.status)
      for k, z in ipairs(p.z) do
        local found = false
        for _, other in ipairs(s.solutions) do found = found or problems.apart(z, other) <= 1e-12 end
        assert.is_true(found, "solution " .. k)
      end
      if #p.z > 0 then assert.equal(0, problems.apart(s.z, s.solutions[1])) end
    end)
  end

  it("is exact: a problem with 2^n solutions gives them all, each once, in their order", function()
    local n = 10
    local M = {}
    for i = 1, n do
      M[i] = constant(n, 0)
      M[i][i] = -1
    end
    local s = lcp.solve { M = M, q = constant(n, 1), method = "enumerate" }
    assert.equal(2 ^ n, #s.solutions)
    for k, z in ipairs(s.solutions) do
      for i = 1, n do assert.equal((k - 1) >> (i - 1) & 1, z[i]) end
    end
  end)

  it("is exact: q = 0 has one solution, found once", function()
    for _, M in ipairs { { { 1, 0 }, { 0, 1 } }, { { 2, 1 }, { 0, 3 } } } do
      local s = lcp.solve { M = M, q = { 0, 0 }, method = "enumerate" }
      assert.equal(1, #s.solutions)
    end
  end)

  it("refuses more than 20 rows, and takes 20", function()
    assert.has_error(function() lcp.solve { M = triangle(21, true), q = constant(21, -1), method = "enumerate" } end)
    local s = lcp.solve { M = triangle(20, true), q = constant(20, -1), method = "enumerate" }
    assert.equal(1, #s.solutions)
    assert.equal(0, problems.apart(unit(20, 1), s.z))
  end)
end)

describe("lcp.solve lemke", function()
  it("is exact: the exponential families end at their solution", function()
    for _, n in ipairs { 5, 8, 10, 12, 16, 20, 50, 100 } do
      local families = {
        { triangle(n, true), constant(n, -1), unit(n, 1), 3 * n }, -- 2^n pivots where ties go by index
        { triangle(n, false), constant(n, -1), unit(n, n), 3 * n },
        { fathi(n), constant(n, -1), unit(n, 1), n },
      }
      for k, f in ipairs(families) do
        local s = lcp.solve { M = f[1], q = f[2], method = "lemke" }
        local name = ("family %d, n = %d, %d pivots"):format(k, n, s.pivots)
        assert.is_true(s.converged, name)
        assert.is_true(problems.apart(f[3], s.z) <= 1e-12, name)
        assert.is_true(s.pivots <= f[4], name)
      end
    end
  end)

  it("is a residual: degenerate and singular problems of larger size end as well", function()
    for seed = 1, 40 do
      local random = problems.random(seed)
      for _, class in ipairs(problems.classes) do
        local n = random:integer(20, 40)
        local M, q = class.make(random, n)
        local s = lcp.solve { M = M, q = q, method = "lemke" }
        local name = ("%s, seed %d, n = %d: %s"):format(class.name, seed, n, tostring(s))
        assert(s.converged, name)
        assert(problems.residual(M, q, s.z) <= 1e-10, name)
        assert(s.pivots <= 10 * n, name)
      end
    end
  end)

  it("says ray where no z has w >= 0, and why that is so can be seen", function()
    local s = lcp.solve { M = { { 0, 1 }, { -1, 0 } }, q = { 1, -1 }, method = "lemke" } -- w2 = -z1 - 1
    assert.equal("ray", s.status)
    assert.is_false(s.converged)
    assert.is_true(s.residual > 0.1)
  end)

  it("needs no pivot where it starts in the basis of the answer", function()
    local M, q = { { 3, 1, 0, -1 }, { -1, 2, 1, 1 }, { 0, 1, 3, -1 }, { 0, 0, 1, 2 } }, { -2, 1, -1, 1 }
    local s = lcp.solve { M = M, q = q, method = "lemke" }
    local again = lcp.solve { M = M, q = q, method = "lemke", start = s.z }
    assert.equal(0, again.pivots)
    assert.equal(0, problems.apart(s.z, again.z))
    local astray = lcp.solve { M = M, q = q, method = "lemke", start = { 0, 1, 0, 1 } }
    assert.equal(s.pivots, astray.pivots)
    assert.equal(0, problems.apart(s.z, astray.z))
  end)

  it("keeps to max_pivots", function()
    local M = {} -- twelve separate rows, all of them active
    for i = 1, 12 do
      M[i] = constant(12, 0)
      M[i][i] = i
    end
    local s = lcp.solve { M = M, q = constant(12, -1), method = "lemke", max_pivots = 5 }
    assert.equal("limit", s.status)
    assert.equal(5, s.pivots)
    assert.is_true(lcp.solve { M = M, q = constant(12, -1), method = "lemke" }.converged)
  end)
end)

describe("lcp.solve least-index", function()
  it("is exact: it takes the exponential number of pivots on Murty's family, and one the other way round", function()
    for n = 8, 16, 4 do
      local s = lcp.solve { M = triangle(n, false), q = constant(n, -1), method = "least-index" }
      assert.is_true(s.converged)
      assert.is_true(problems.apart(unit(n, n), s.z) <= 1e-12)
      assert.equal(2 ^ n - 1, s.pivots)
      assert.equal(1, lcp.solve { M = triangle(n, true), q = constant(n, -1), method = "least-index" }.pivots)
      assert.is_true(lcp.solve { M = fathi(n), q = constant(n, -1), method = "least-index" }.converged)
    end
  end)

  it("says unsuitable, with the row, where the matrix is not P", function()
    local s = lcp.solve { M = { { 1, 0 }, { 0, -2 } }, q = { 1, -1 }, method = "least-index" }
    assert.equal("unsuitable", s.status)
    assert.same({ row = 2, value = -2 }, s.fault)
    assert.is_false(s.converged)
  end)

  it("ends its trace with the state it stopped in, without a pivot, whatever it ends as", function()
    local M, q = { { 2, 1 }, { 1, 2 } }, { -5, -6 }
    for told, problem in pairs{ unsuitable = { M = { { 0, 1 }, { -1, 0 } }, q = { -1, 1 } },
      limit = { M = M, q = q, max_pivots = 1 }, solved = { M = M, q = q } } do
      problem.method, problem.trace = "least-index", true
      local s = lcp.solve(problem)
      assert.equal(told, s.status)
      assert.equal(s.pivots + 1, #s.trace)
      for k = 1, s.pivots do assert.is_number(s.trace[k].pivot) end
      assert.is_nil(s.trace[#s.trace].pivot, told)
    end
  end)

  it("is exact: the trace shows its tableaux in the units of the problem", function()
    local s = lcp.solve { M = { { 200, 100 }, { 100, 200 } }, q = { -5, -6 }, method = "least-index", trace = true }
    assert.equal(3, #s.trace)
    assert.equal(1, s.trace[1].pivot)
    assert.equal(-5, s.trace[1].criterion)
    assert.same({ { 200, 100 }, { 100, 200 } }, s.trace[1].tableau:totable())
    assert.same({ "z1", "w2" }, s.trace[2].basis)
    assert.near(0.025, s.trace[2].q[1], 1e-17)
    assert.near(150, s.trace[2].tableau[2][2], 1e-13)
    assert.near(-0.0625, s.trace[2].energy, 1e-16)
    assert.is_nil(s.trace[3].pivot)
  end)

  it("starts from the basis of `start`", function()
    local M, q = { { 2, 1 }, { 1, 2 } }, { -5, -6 }
    assert.equal(2, lcp.solve { M = M, q = q, method = "least-index" }.pivots)
    assert.equal(0, lcp.solve { M = M, q = q, method = "least-index", start = { 1, 1 } }.pivots)
  end)
end)

describe("lcp.solve pgs", function()
  it("is exact: a chain between a wall and a spring, with any relaxation", function()
    for _, omega in ipairs { 0.5, 1, 1.5, 1.9 } do
      local s = lcp.solve { M = { { 4, -1 }, { -1, 4 } }, q = { -3, -3 }, method = "pgs", relaxation = omega }
      assert.is_true(s.converged)
      assert.is_true(problems.apart({ 1, 1 }, s.z) <= 1e-9) -- residual 1e-10, condition 5 / 3
    end
  end)

  it("says unsuitable where a diagonal is not positive, unless nothing is there to do", function()
    local s = lcp.solve { M = { { 0, 1 }, { 1, 2 } }, q = { -1, 1 }, method = "pgs" }
    assert.equal("unsuitable", s.status)
    assert.same({ row = 1, value = 0 }, s.fault)
    assert.is_true(lcp.solve { M = { { 0, 0 }, { 0, 2 } }, q = { 1, -1 }, method = "pgs" }.converged)
  end)

  it("says limit where it does not converge, with an honest residual", function()
    local M = { { 1, 3 }, { -3, 1 } }
    local s = lcp.solve { M = M, q = { -1, 2.5 }, method = "pgs", max_iterations = 50 }
    assert.equal(s.residual <= 1e-10, s.converged)
    local hard = lcp.solve { M = { { 1, 1 - 1e-7 }, { 1 - 1e-7, 1 } }, q = { -1, -1.001 }, method = "pgs",
      max_iterations = 20, tolerance = 1e-14 }
    assert.equal("limit", hard.status)
    assert.is_true(hard.iterations <= 20)
  end)

  it("agrees: dense and sparse give the same answer", function()
    local delassus = require "delassus"
    local n, list, M, q = 30, { rows = 30, cols = 30 }, {}, {}
    for i = 1, n do
      M[i], q[i] = constant(n, 0), (i * 7) % 5 - 2
      for _, e in ipairs { { i, 4 }, { i - 1, -1 }, { i + 1, -1 } } do
        if e[1] >= 1 and e[1] <= n then
          M[i][e[1]] = e[2]
          list[#list + 1] = { i, e[1], e[2] }
        end
      end
    end
    local a = lcp.solve { M = M, q = q, method = "pgs" }
    local b = lcp.solve { M = delassus.sparse(list), q = q, method = "pgs" }
    assert.is_true(a.converged and b.converged)
    assert.is_true(problems.apart(a.z, b.z) <= 1e-9)
  end)
end)

describe("lcp.solve newton", function()
  it("is exact: the basic solution is reached, not only neared", function()
    local s = lcp.solve { M = { { 2, 1 }, { 1, 2 } }, q = { -5, -6 }, method = "newton" }
    assert.is_true(problems.apart({ 4 / 3, 7 / 3 }, s.z) <= 1e-15)
    assert.is_true(s.iterations <= 2)
  end)

  it("stops where it is started at the answer", function()
    local s = lcp.solve { M = { { 2, 0 }, { 0, 2 } }, q = { -2, 4 }, method = "newton", start = { 1, 0 } }
    assert.equal(0, s.iterations)
    assert.is_true(s.converged)
  end)

  it("says limit on a problem without solution", function()
    local s = lcp.solve { M = { { -1 } }, q = { -1 }, method = "newton" }
    assert.equal("limit", s.status)
  end)
end)

describe("lcp.solve", function()
  local methods = { "lemke", "enumerate", "least-index", "pgs", "newton", "auto" }

  it("is exact: scaling M and q by powers of two changes nothing but the scale of z", function()
    local p = { M = { { 3, 1, 0, -1 }, { -1, 2, 1, 1 }, { 0, 1, 3, -1 }, { 0, 0, 1, 2 } }, q = { -2, 1, -1, 1 } }
    for _, method in ipairs(methods) do
      local base = lcp.solve { M = p.M, q = p.q, method = method }
      assert.is_true(base.converged, method)
      for _, by in ipairs { { 996, 0 }, { -996, 0 }, { 996, 996 }, { -996, -996 }, { 0, 996 }, { 0, -996 } } do
        local M, q = scaled(p, 2.0 ^ by[1], 2.0 ^ by[2])
        local s = lcp.solve { M = M, q = q, method = method }
        local name = ("%s, 2^%d, 2^%d"):format(method, by[1], by[2])
        assert.is_true(s.converged, name)
        for i = 1, 4 do assert.near(base.z[i], s.z[i] / 2.0 ^ (by[2] - by[1]), 1e-9, name) end
      end
    end
  end)

  it("never says solved where z lies beyond the range of numbers", function()
    for _, method in ipairs(methods) do
      for _, by in ipairs { { 1e-300, 1e300 }, { 1e300, 1e-300 } } do
        local s = lcp.solve { M = { { by[1] } }, q = { -by[2] }, method = method }
        assert.is_false(s.converged, method)
        assert.equal("limit", s.status, method)
      end
    end
  end)

  it("answers n = 0 and n = 1 by every method", function()
    for _, method in ipairs(methods) do
      assert.equal(0, #lcp.solve { M = {}, q = {}, method = method }.z)
      assert.is_true(lcp.solve { M = {}, q = {}, method = method }.converged)
      local solver <close> = lcp.solver { method = method, n = 0 }
      assert.is_true(solver:solve({}, {}).converged)
      assert.equal(0, #solver.w)
      assert.equal(3, lcp.solve { M = { { 2 } }, q = { -6 }, method = method }.z[1])
      assert.equal(0, lcp.solve { M = { { 2 } }, q = { 6 }, method = method }.z[1])
      assert.equal(6, lcp.solve { M = { { 2 } }, q = { 6 }, method = method }.w[1])
    end
    local all = lcp.solve { M = {}, q = {}, method = "enumerate" }.solutions
    assert.equal(1, #all) -- the one of no numbers
    assert.same({ 0, 0, 0 }, { #all[1], #all[1].z, #all[1].w })
  end)

  local path = "../shared/data/siconos/LCP/"
  local list = io.open(path .. "lcp_mmc.dat")
  if list then list:close() else print("general_spec: ../shared is not here, the files of Siconos are left out") end
  it("is a residual: solves the files of Siconos, where they are here", function()
    if not list then return end
    local pipe = assert(io.popen("ls " .. path))
    local n_solved, unsolved = 0, {}
    for name in pipe:lines() do
      local problem = assert(lcp.read(path .. name))
      local s = lcp.solve { M = problem.M, q = problem.q, method = "lemke" }
      if not s.converged then s = lcp.solve { M = problem.M, q = problem.q, method = "enumerate" } end
      if s.converged then n_solved = n_solved + 1 else unsolved[#unsolved + 1] = name .. " " .. s.status end
    end
    pipe:close()
    assert.same({ "lcp_Pang_isolated_sol_perturbed.dat ray" }, unsolved) -- it has none: all bases were seen
    assert.equal(19, n_solved)
  end)
end)

describe("the judge of lcp.solve", function()
  it("says solved where the residual is at most the tolerance, and nowhere else", function()
    local n, M, q, near = 12, {}, {}, 0
    local random = require "delassus".random(2)
    for i = 1, n do
      M[i], q[i] = {}, random:uniform(-1, 1)
      for j = 1, n do M[i][j] = i == j and 2 or math.abs(i - j) == 1 and -1 or 0 end
    end
    for k = 1, 200 do
      local s = lcp.solve { M = M, q = q, method = "pgs", tolerance = 1e-6, max_iterations = k }
      assert.equal(s.residual <= 1e-6, s.converged, ("after %d: %g"):format(k, s.residual))
      if s.residual > 1e-6 and s.residual <= 1e-5 then near = near + 1 end
    end
    assert.is_true(near > 0) -- else nothing was asked
  end)
end)

describe("Lemke's method on a ray that proves nothing", function()
  it("goes on with another covering vector", function()
    for _, p in ipairs { { { { -3, 3 }, { -3, -2 } }, { -1, 3 } },
      { { { 0, -2, 0 }, { 2, -3, 2 }, { 3, -1, 0 } }, { 0, -3, -2 } },
      { { { -3, 1, -1 }, { -3, 0, 0 }, { -2, 1, -4 } }, { -3, 2, 1 } } } do
      assert.equal("solved", lcp.solve { M = p[1], q = p[2], method = "lemke" }.status)
    end
  end)
end)

describe("all solutions of a singular problem", function()
  it("hold both ends of a line of them", function()
    for _, p in ipairs { { { { 4, 4 }, { 0, 0 } }, { -8, 0 }, { { 2, 0 }, { 0, 2 } } },
      { { { 3, 1 }, { 0, 0 } }, { -9, 0 }, { { 3, 0 }, { 0, 9 } } } } do
      local s = lcp.solve { M = p[1], q = p[2], method = "enumerate" }
      for _, want in ipairs(p[3]) do
        local found = false
        for i = 1, #s.solutions do
          local z = s.solutions[i]
          found = found or math.abs(z[1] - want[1]) + math.abs(z[2] - want[2]) < 1e-12
        end
        assert.is_true(found, want[1] .. " " .. want[2])
      end
    end
  end)
end)
