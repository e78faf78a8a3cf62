local lcp = require "delassus.lcp"
local delassus = require "delassus"
local json = require "support.json"
local load_paths = require "support.load_paths"
local seeds = require "support.seeds"

local function largest(x)
  local most = 0
  for _, v in ipairs(x) do most = math.max(most, math.abs(v)) end
  return most
end

local function near_all(expected, got, tol, what)
  assert.equal(#expected, #got, what)
  local scale = math.max(1, largest(expected))
  for i, x in ipairs(expected) do assert.near(x, got[i], tol * scale, ("%s[%d]"):format(what, i)) end
end

--- R of EQUATIONS D.1 from the contact stiffness (all n, then all t) and the friction.
local function contact_matrix(K, f)
  local m, R = #K // 2, {}
  for i = 1, 3 * m do R[i] = {} end
  for i = 1, m do
    for j = 1, m do
      local nn, nt, tn, tt = K[i][j], K[i][m + j], K[m + i][j], K[m + i][m + j]
      R[i][j], R[i][m + j], R[i][2 * m + j] = nn, nt, -nt
      R[m + i][j], R[m + i][m + j], R[m + i][2 * m + j] = tn + f * nn, tt + f * nt, -tt - f * nt
      R[2 * m + i][j], R[2 * m + i][m + j], R[2 * m + i][2 * m + j] = -tn + f * nn, -tt + f * nt, tt - f * nt
    end
  end
  return R
end

--- (n, +, -) of a normal and a tangential force in each contact.
local function contact_side(n, t, f)
  local m, r = #n, {}
  for i = 1, m do r[i], r[m + i], r[2 * m + i] = n[i], t[i] + f * n[i], -t[i] + f * n[i] end
  return r
end

local function constant(n, value)
  local x = {}
  for i = 1, n do x[i] = value end
  return x
end

--- Changes { entering, leaving, p }; p to `tol` of itself.
local function check_events(expected, path, tol, what)
  local events = path.events
  for k, e in ipairs(expected) do
    local name = ("%s, event %d"):format(what, k)
    assert.is_table(events[k], name)
    assert.equal(e[1] .. " " .. e[2], events[k].entering .. " " .. events[k].leaving, name)
    assert.near(e[3], events[k].p, tol * math.abs(e[3]), name)
  end
  assert.equal(#expected, #events, what)
end

--- Independent of the library: complementarity of a state at p, relative to the parts of the right side.
local function check_state(problem, p, z, w, tol)
  local scale = 0
  for i = 1, #z do scale = math.max(scale, math.abs(problem.q[i]), math.abs(p * problem.d[i])) end
  scale = scale > 0 and scale or 1
  for i = 1, #z do
    local sum, size = problem.q[i] + p * problem.d[i], 0
    for j = 1, #z do
      sum = sum + problem.M[i][j] * z[j]
      size = math.max(size, math.abs(problem.M[i][j]))
    end
    assert.near(sum, w[i], tol * scale)
    assert.is_true(z[i] >= 0)
    assert.is_true(w[i] >= -tol * scale)
    assert.is_true(math.min(size * z[i], w[i]) <= tol * scale)
  end
end

--- EQUATIONS D.5 example 1: a beam on three frictional supports.
local function example1()
  local K = {}
  local nn, tt = { 1, -2, 1 }, { { 1, -1, 0 }, { -1, 2, -1 }, { 0, -1, 1 } }
  for i = 1, 3 do
    K[i], K[3 + i] = {}, {}
    for j = 1, 3 do
      K[i][j], K[i][3 + j], K[3 + i][j], K[3 + i][3 + j] = 0.1875 * nn[i] * nn[j], 0, 0, 0.5 * tt[i][j]
    end
  end
  return { M = contact_matrix(K, 0.6), q = constant(9, 1),
    d = contact_side({ -3 / 32, 11 / 16, 13 / 32 }, { 0, 0, 0 }, 0.6) }
end

--- Example 2: a bar of n elements on a rough line, pulled at its end.
local function pulled_bar(n, tributary)
  local EA, L, weight, f, P = 2.1e9, 260, 3975, 0.3, 243750
  local h, K, normal = L / n, {}, {}
  for i = 1, n do normal[i] = weight * h * (tributary and i == n and 0.5 or 1) end
  for i = 1, 2 * n do K[i] = constant(2 * n, 0) end
  for i = 1, n do
    K[i][i] = EA / h -- the ground holds the bar down: never loosened here
    K[n + i][n + i] = (i < n and 2 or 1) * EA / h
    if i < n then K[n + i][n + i + 1], K[n + i + 1][n + i] = -EA / h, -EA / h end
  end
  local pull = constant(n, 0)
  pull[n] = -P
  return { M = contact_matrix(K, f), q = contact_side(normal, constant(n, 0), f),
    d = contact_side(constant(n, 0), pull, f), to = math.huge, contacts = n }, normal, f, P
end

--- The free bar of `d_mechanism`.
local function free_bar()
  local w, f, K = { 1, 2, 3, 2, 1.5 }, 0.4, {}
  for i = 1, 10 do K[i] = constant(10, 0) end
  for i = 1, 5 do
    K[i][i] = 1000
    K[5 + i][5 + i] = (i == 1 or i == 5) and 100 or 200
    if i < 5 then K[5 + i][6 + i], K[6 + i][5 + i] = -100, -100 end
  end
  return { M = contact_matrix(K, f), q = contact_side(w, constant(5, 0), f),
    d = contact_side(constant(5, 0), { 0, 0, 0, 0, -1 }, f), to = math.huge }
end

--- One contact, f = 2, load at an angle (degrees).
local function one_contact(angle)
  local phi = math.rad(angle)
  return { M = contact_matrix({ { 1, 0.9 }, { 0.9, 1 } }, 2), q = { 1, 2, 2 }, to = math.huge, contacts = 1,
    d = contact_side({ math.cos(phi) }, { math.sin(phi) }, 2) }
end

describe("lcp.parametric", function()
  it("is exact: the beam on three supports, then a ray", function()
    local problem = example1()
    problem.to = math.huge
    local path <close> = lcp.parametric(problem)
    check_events({ { "p", "w1", 32 / 3 } }, path, 1e-12, "beam")
    assert.equal("ray", path.status)
    assert.equal(math.huge, path.p_limit)
    local z, w, p = path:step(1)
    near_all({ 0, 25 / 3, 16 / 3, 0.4, 5.4, 3.6, 0.4, 5.4, 3.6 }, w, 1e-12, "w")
    near_all(constant(9, 0), z, 1e-12, "z")
    assert.near(32 / 3, p, 1e-12 * p)
    local dz, dw = path:rate()
    near_all({ 0.5, 0, 0, 0, 0, 0, 0, 0, 0 }, dz, 1e-12, "dz/dp")
    near_all({ 0, 0.5, 0.5, 0, 0.3, 0.3, 0, 0.3, 0.3 }, dw, 1e-12, "dw/dp")
    near_all({ 14 / 3, 0, 0, 0, 0, 0, 0, 0, 0 }, path:at(20), 1e-12, "z(20)") -- p / 2 - 16 / 3
    check_state(problem, 20, path:at(20), select(2, path:at(20)), 1e-12)
  end)

  it("is exact: a pulled bar slips node by node", function()
    for _, n in ipairs { 5, 10, 20, 40, 80, 160 } do
      local problem, normal, f, P = pulled_bar(n, true)
      local path <close> = lcp.parametric(problem)
      local sum, expected = 0, {}
      for k = 1, #path.events do
        sum = sum + normal[n + 1 - k]
        expected[k] = f * sum / P
      end
      for k, event in ipairs(path.events) do
        assert.near(expected[k], event.p, 1e-9 * expected[k])
        assert.equal(("w%d"):format(2 * n + 1 - k), event.leaving)
      end
      assert.equal("ray", path.status)
      local z = path:at(1)
      local slipping, L, weight = 0, 260, 3975
      for i = 1, n do if z[n + i] > 0 then slipping = slipping + 1 end end
      local s = P / (f * weight * L / n) -- EQUATIONS D.4.6: nodes that slip, and the error of the end
      local theta = s - math.floor(s + 0.5)
      assert.equal(({ [5] = 4, [10] = 8, [20] = 16, [40] = 31, [80] = 63, [160] = 126 })[n], slipping)
      local exact = P * P / (2 * f * weight * 2.1e9)
      assert.near(exact * (1 - (theta / s) ^ 2), z[2 * n], 1e-9 * exact)
    end
  end)

  it("knows its end also where the load is beyond it by round-off", function()
    for _, to in ipairs{ 0.3, 1, 3.2954157627898 } do
      local path = lcp.parametric{ M = { { 1, 0 }, { 0, 1 } }, q = { 1, 10 }, d = { -1, -1 }, to = to }
      assert.equal("reached", path.status)
      local z = path:at(to * (1 + 2 ^ -52))
      assert.near(math.max(0, to - 1), z and z[1], 1e-15)
      assert.equal(1, #path:all(to * (1 + 2 ^ -52)))
      assert.is_nil(path:at(to * (1 + 1e-14)))
    end
  end)

  it("is exact: a free bar ends as a mechanism at the ultimate load", function()
    local path <close> = lcp.parametric(free_bar())
    check_events({ { "p", "w10", 0.6 }, { "z10", "w9", 1.4 }, { "z9", "w8", 2.6 }, { "z8", "w7", 3.4 },
      { "z7", "w6", 3.8 } }, path, 1e-12, "bar")
    assert.equal("mechanism", path.status)
    assert.near(3.8, path.p_limit, 1e-12 * 3.8)
    assert.is_nil(path:at(3.9))
    assert.is_nil(path:rate())
    near_all({ 0, 0, 0, 0, 0, 0, 0.004, 0.016, 0.04, 0.072, 0, 0, 0, 0, 0 }, path:at(path.p_limit), 1e-12, "z")
  end)

  it("is exact: a path that snaps back is followed, and answers its first state", function()
    local problem = one_contact(90)
    local path <close> = lcp.parametric(problem)
    check_events({ { "p", "w3", 2 }, { "z3", "w1", 10 / 9 } }, path, 1e-6, "snap-back") -- the margin moves p by O(1e-7)
    near_all({ 0, 0, 0 }, path:at(1.5), 1e-12, "first")
    local all = path:all(1.5)
    assert.equal(3, #all)
    for _, state in ipairs(all) do check_state(problem, 1.5, state.z, state.w, 1e-12) end
    assert.equal(1, #path:all(0.5))
    assert.equal(1, #path:all(2.5))
    near_all({ 6.578947368421051, 0, 8.421052631578947 }, path:at(2.5), 1e-12, "z(2.5)")
    problem.to = 1.5
    local short <close> = lcp.parametric(problem)
    assert.equal("reached", short.status)
    assert.equal(0, #short.events)
    near_all({ 0, 0, 0 }, short:at(1.5), 1e-12, "stick")
    assert.is_nil(short:at(1.6))
  end)

  it("agrees: with enumeration for every direction of the load", function()
    for angle = 0, 345, 15 do
      local problem = one_contact(angle)
      local path <close> = lcp.parametric(problem)
      assert.equal("ray", path.status)
      for _, p in ipairs { 0.2, 0.5, 0.8, 1.1, 1.5, 2.5, 5 } do
        local z, w = path:at(p)
        check_state(problem, p, z, w, 1e-12)
        local q = {}
        for i = 1, 3 do q[i] = problem.q[i] + p * problem.d[i] end
        local s = lcp.solve { M = problem.M, q = q, method = "enumerate" }
        local found = false
        for _, other in ipairs(s.solutions) do
          local apart = 0
          for i = 1, 3 do apart = math.max(apart, math.abs(other[i] - z[i])) end
          found = found or apart <= 1e-9 * math.max(1, largest(z))
        end
        assert.is_true(found, ("angle %d, p = %g"):format(angle, p))
      end
    end
  end)

  it("agrees: with enumeration on small contact problems, with their changes and ends", function()
    for k, case in ipairs(load_paths) do
      local problem = { M = contact_matrix(case.K, case.f), d = case.rv, to = math.huge, contacts = case.m,
        q = contact_side(constant(case.m, 1), constant(case.m, 0), case.f) }
      local path <close> = lcp.parametric(problem)
      check_events(case.events, path, 1e-6, "case " .. k) -- these p were read with a margin of 1e-7 too
      assert.equal("ray", path.status)
      assert.is_true(path.converged)
      for p, z in pairs(case.at) do near_all(z, path:at(p), 1e-10, ("case %d, z(%g)"):format(k, p)) end
    end
  end)

  it("is a residual: every state of random paths solves its problem", function()
    for seed = 1, seeds(300) do
      local random = delassus.random(seed)
      local n = random:integer(1, 12)
      local A, M, q, d = {}, {}, {}, {}
      for i = 1, n do
        A[i], q[i], d[i] = {}, random:normal(0, 1), random:normal(0, 1)
        for j = 1, n do A[i][j] = random:normal(0, 1) end
      end
      for i = 1, n do
        M[i] = {}
        for j = 1, n do
          M[i][j] = i == j and 0.1 or i < j and 1 or -1 -- positive definite, not symmetric: P, one solution for every p
          for k = 1, n do M[i][j] = M[i][j] + A[i][k] * A[j][k] end
        end
      end
      local problem = { M = M, q = q, d = d, to = 3 } -- q has both signs: the start is solved first
      local path <close> = lcp.parametric(problem)
      assert(path.converged and path.status ~= "mechanism", "seed " .. seed)
      for p = 0, 3, 0.25 do
        local z, w = path:at(p)
        check_state(problem, p, z, w, 1e-9)
        assert.equal(1, #path:all(p), "seed " .. seed) -- P: never turns back
      end
      for k = 0, path.steps do
        local z, w, p = path:step(k)
        check_state(problem, p, z, w, 1e-9)
      end
    end
  end)

  it("is exact: the path does not depend on the units of z, w and p", function()
    local case = load_paths[12]
    local function path_in(units, of_p)
      local M, q, d = contact_matrix(case.K, case.f), contact_side({ 1, 1 }, { 0, 0 }, case.f), {}
      for i, row in ipairs(M) do
        for j in ipairs(row) do row[j] = row[j] * units end
        d[i] = case.rv[i] * of_p
      end
      return lcp.parametric { M = M, q = q, d = d, to = math.huge, contacts = 2 }
    end
    local path = path_in(1, 1)
    for _, units in ipairs { 2.0 ^ 30, 2.0 ^ -30, 2.0 ^ 900, 2.0 ^ -900 } do
      for _, of_p in ipairs { 1, 2.0 ^ 20, 2.0 ^ -800 } do
        local other = path_in(units, of_p)
        assert.equal(path.status, other.status)
        assert.equal(#path.events, #other.events)
        for k, event in ipairs(path.events) do
          assert.equal(event.leaving, other.events[k].leaving)
          assert.near(event.p, other.events[k].p * of_p, 1e-12 * event.p)
        end
      end
    end
  end)

  it("says so where there is no solution to start from", function()
    local path <close> = lcp.parametric { M = { { -1 } }, q = { -1 }, d = { 1 } }
    assert.equal("unsolved", path.status)
    assert.is_false(path.converged)
    assert.is_nil(path:at(0))
    assert.is_nil(path:step(0))
    assert.same({}, path.events)
  end)

  it("answers an empty problem", function()
    local path <close> = lcp.parametric { M = {}, q = {}, d = {} }
    assert.equal("ray", path.status)
    assert.equal(0, #path:at(1))
  end)

  it("refuses what cannot be meant, naming it", function()
    local function refused(pattern, change, value)
      local options = { M = { { 2 } }, q = { 1 }, d = { -1 } }
      options[change] = value
      local ok, message = pcall(lcp.parametric, options)
      assert.is_false(ok, change)
      assert.matches(pattern, message)
    end
    refused("'M' must be square, got 1 x 2", "M", { { 1, 2 } })
    refused("'q' must hold 1 numbers.*got 2", "q", { 1, 2 })
    refused("'d' must hold 1 numbers.*got 0", "d", {})
    refused("'margin' must hold 1 numbers.*got 2", "margin", { 0, 0 })
    refused("'margin' element 1 must be >= 0", "margin", { -1 })
    refused("'contacts' must be a third of the 1 rows", "contacts", 1)
    refused("'to' must be >= 0, got %-1", "to", -1)
    refused("'to'", "to", 0 / 0)
    refused("'tolerance' must be > 0", "tolerance", 0)
    refused("'max_pivots'", "max_pivots", 0)
    refused("'q'.*finite", "q", { 0 / 0 })
    refused("'M'.*finite", "M", { { math.huge } })
    refused("'M'", "M", 3)
    refused("unknown option 'margins' %(did you mean 'margin'%?%)", "margins", { 1 })
    assert.has_error(function() lcp.parametric { M = { { 1 } }, q = { 1 } } end)
    assert.has_error(function() lcp.parametric() end)
  end)

  it("is read strictly, and not at all once closed", function()
    local path = lcp.parametric { M = { { 1 } }, q = { 1 }, d = { -1 }, to = 2 }
    assert.matches("LcpPath %(n = 1, 1 events, ray", tostring(path))
    assert.has_error(function() return path.state end)
    assert.has_error(function() path.status = "ray" end)
    assert.has_error(function() path:at("x") end)
    assert.has_error(function() path:at() end)
    assert.has_error(function() path:all(0 / 0) end)
    assert.is_nil(path:step(2))
    assert.is_nil(path:step(-1))
    assert.is_nil(path:at(-1))
    path:close()
    path:close()
    assert.matches("closed", tostring(path))
    assert.has_error(function() return path:at(1) end)
    assert.has_error(function() return path.status end)
  end)

  it("stops after max_pivots and says so", function()
    local problem = free_bar()
    problem.max_pivots = 2
    local path <close> = lcp.parametric(problem)
    assert.equal("limit", path.status)
    assert.is_false(path.converged)
    assert.equal(2, path.steps)
  end)

  local file = io.open("../shared/cases/papers/d_example3.json")
  if file then file:close() end
  if not file then print("parametric_spec: ../shared is not here, example 3 is left out") end
  it("agrees: with the finite elements of example 3, where the reference data are here", function()
    if not file then return end
    local cases = json.file("../shared/cases/papers/d_example3.json")
    local n_checked = 0
    for _, case in ipairs(cases) do
      if type(case.Kc) == "table" and #case.Kc > 0 then
        local m, n, t = case.pairs, {}, {}
        for i = 1, m do n[i], t[i] = case.xF[i], case.xF[m + i] end
        local M, d = contact_matrix(case.Kc, case.f), contact_side(n, t, case.f)
        local path <close> = lcp.parametric { M = M, q = constant(3 * m, 1), d = d, to = math.huge }
        local events = {}
        for k, e in ipairs(case.events) do
          events[k] = { (e[1]:gsub("x", "w")), (e[2]:gsub("x", "w")), e[3] }
        end
        check_events(events, path, 1e-9, "ny = " .. case.ny)
        assert.equal("ray", path.status)
        local dz, dw = path:rate()
        for i = 1, 3 * m do
          assert.near(case.pure_z_per_unit_p[i], dz[i], 1e-9 * largest(case.pure_z_per_unit_p))
          assert.near(case.pure_x_per_unit_p[i], dw[i], 1e-9 * largest(case.pure_x_per_unit_p))
        end
        n_checked = n_checked + 1
      end
    end
    assert.is_true(n_checked >= 2)
  end)
end)
