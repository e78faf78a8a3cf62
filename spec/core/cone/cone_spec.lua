-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local lcp = require "delassus.lcp"
local cases = require "support.cone_cases"
local contacts = require "support.contacts"
local eye = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }

local everywhere = { "auto", "nsgs", "newton", "admm" }
local flat = { "auto", "nsgs", "newton", "admm", "lemke", "energy", "block" }

local function close(expected, got, tol, what)
  assert.equal(#expected, #got)
  for i = 1, #expected do assert.near(expected[i], got[i], tol, ("%s[%d]"):format(what, i)) end
end

describe("the residual of a contact problem", function()
  --- Judges given impulses: one sweep from them cannot be asked for, so tolerance is wide open.
  local function judged(o)
    o.tolerance, o.max_iterations, o.method = 1e9, 1, "nsgs"
    return lcp.cone(o)
  end

  it("is exact: zero impulses leave the approach speed, in m/s and over max |q|", function()
    local r = judged{ W = eye, q = { -2, 0, 0 }, friction = 0.5, start = { 0, 0, 0 } }
    -- x = p - rho y = (2, 0, 0) / sqrt 3, inside the cone: r = |x| sqrt 3 = 2
    assert.near(2, r.natural, 1e-15 * 4)
    assert.near(1, r.residual, 1e-15 * 4)
  end)

  it("is exact: an impulse that slides the wrong way is far by its distance from the cone, times |W|", function()
    -- p = (1, 1) on the edge of mu = 1, u = W p + q = (0, 2): y = (2, 2), |W| = 2 sqrt 2, p - rho y = 1 - 1/sqrt 2
    -- in both, inside the cone: r = |(1, 1)| / sqrt 2 * 2 sqrt 2
    local r = judged{ W = { { 2, 0 }, { 0, 2 } }, q = { -2, 0 }, friction = 1, planar = true, start = { 1, 1 },
      method = "nsgs" }
    assert.is_true(r.converged)
    assert.near(2 * math.sqrt(2), r.natural, 1e-14)
  end)

  it("is exact: De Saxce's term enters y, so that sliding does not lift the contact", function()
    local r = judged{ W = eye, q = { -1, -3, 0 }, friction = 0.5, start = { 1, 0.5, 0 } }
    assert.near(0, r.residual, 1e-15)
    close({ 0, -2.5, 0 }, r.velocity, 1e-15, "velocity")
  end)

  it("is exact: compliance, shift and box bounds stand in the law, not in the velocity", function()
    local r = judged{ W = { { 2 } }, q = { -3 }, kinds = { "unilateral" }, compliance = 1, start = { 1 } }
    assert.near(0, r.natural, 1e-15) -- v + gamma p = -1 + 1
    close({ -1 }, r.velocity, 1e-15, "velocity")
    r = judged{ W = { { 2 } }, q = { -3 }, kinds = { "unilateral" }, shift = -1, start = { 2 } }
    assert.near(0, r.natural, 1e-15)
    r = judged{ W = { { 2 } }, q = { -3 }, kinds = { { "box", -1, 1 } }, start = { 1 } }
    assert.near(0, r.natural, 1e-15)
    r = judged{ W = { { 2 } }, q = { -3 }, kinds = { { "box", -1, 1 } }, start = { 0 } }
    assert.near(2, r.natural, 1e-15 * 4) -- |0 - clamp(0 + 3/2)| * 2
  end)

  it("is exact: rows in rad/s count with their length", function()
    local o = { W = { { 4 } }, q = { -3 }, kinds = { "bilateral" }, length = { 0.5 }, start = { 0 } }
    assert.near(1.5, judged(o).natural, 1e-15 * 2)
  end)

  it("divides by scale where q is smaller", function()
    local r = judged{ W = { { 2 } }, q = { -3 }, kinds = { "bilateral" }, start = { 0 }, scale = 6 }
    assert.near(0.5, r.residual, 1e-15)
    assert.same({ group = 1, value = r.natural }, r.worst)
  end)
end)

describe("one contact", function()
  local W = { { 2, 0.3, -0.1 }, { 0.3, 1.5, 0.2 }, { -0.1, 0.2, 1 } }

  for _, method in ipairs(everywhere) do
    it("is exact: opens, " .. method, function()
      local r = lcp.cone{ W = W, q = { 0.1, -3, 2 }, friction = 0.7, method = method }
      assert.is_true(r.converged)
      close({ 0, 0, 0 }, r.impulse, 1e-9, "impulse")
      close({ 0.1, -3, 2 }, r.velocity, 1e-9, "velocity")
    end)

    it("is exact: sticks with the impulse of a rigid link, " .. method, function()
      local p = { 1, 0.3, -0.4 } -- inside mu = 0.7
      local q = contacts.image(W, { 0, 0, 0 }, p)
      for i = 1, 3 do q[i] = -q[i] end
      local r = lcp.cone{ W = W, q = q, friction = 0.7, method = method }
      close(p, r.impulse, 1e-9, "impulse")
    end)

    it("is exact: slides with friction mu p against the velocity, " .. method, function()
      local mu, angle = 0.4, 0.9
      local p = { 2, -mu * 2 * math.cos(angle), -mu * 2 * math.sin(angle) }
      local v = { 0, 3 * math.cos(angle), 3 * math.sin(angle) }
      local q = contacts.image(W, { 0, 0, 0 }, p)
      for i = 1, 3 do q[i] = v[i] - q[i] end
      local r = lcp.cone{ W = W, q = q, friction = mu, method = method }
      close(p, r.impulse, 1e-8, "impulse")
      close(v, r.velocity, 1e-8, "velocity")
    end)

    it("is exact: without friction carries the normal alone, " .. method, function()
      local r = lcp.cone{ W = W, q = { -1, 0.2, 0 }, friction = 0, method = method }
      close({ 0.5, 0, 0 }, r.impulse, 1e-9, "impulse")
    end)
  end

  it("is exact: random contacts made from their solutions, 2,000 of each mode", function()
    for seed = 1, 2000 do
      math.randomseed(seed)
      local A, mu = contacts.gram(3, 4), 2 * math.random()
      local n, angle, part, slip = math.random(), 6.3 * math.random(), math.random(), math.random()
      for _, stick in ipairs{ true, false } do
        local t = mu * n * (stick and part or 1)
        local p = { n, t * math.cos(angle), t * math.sin(angle) }
        local v = stick and { 0, 0, 0 } or { 0, -slip * math.cos(angle), -slip * math.sin(angle) }
        local q = contacts.image(A, { 0, 0, 0 }, p)
        for i = 1, 3 do q[i] = v[i] - q[i] end
        local r = lcp.cone{ W = A, q = q, friction = mu, method = "nsgs", tolerance = 1e-12 }
        assert.is_true(r.converged, ("seed %d %s residual %g"):format(seed, stick, r.residual))
        -- the law may have other solutions where A couples normal and tangent strongly: it must hold
        local worst = contacts.breach(r.impulse, r.velocity, mu, 3, 1, 1 + contacts.norm(r.impulse))
        assert.is_true(worst <= 1e-9, ("seed %d breach %g"):format(seed, worst))
      end
    end
  end)
end)

describe("the other laws", function()
  it("are exact: a bilateral row holds, a motor gives up at its torque, a rope only pulls", function()
    local W = { { 2, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 4 } }
    for _, method in ipairs(flat) do
      local r = lcp.cone{ W = W, q = { -3, 5, 0.5, 2 }, method = method,
        kinds = { "bilateral", { "box", -2, 2 }, { "box", -2, math.huge }, "unilateral" } }
      assert.is_true(r.converged, method)
      close({ 1.5, -2, -0.5, 0 }, r.impulse, 1e-9, method)
      close({ 0, 3, 0, 2 }, r.velocity, 1e-9, method)
    end
  end)

  it("are exact: a compliant contact gives way by gamma p", function()
    local r = lcp.cone{ W = { { 2 } }, q = { -3 }, kinds = { "unilateral" }, compliance = { 1 } }
    assert.near(1, r.impulse[1], 1e-12)
    assert.near(-1, r.velocity[1], 1e-12)
  end)

  it("are exact: rolling friction stops a wheel below its arm and slips above it", function()
    local W = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } -- n, t, roll
    local kinds = { { "rolling", roll = 0.1 } }
    local r = lcp.cone{ W = W, q = { -1, 0.1, 0.05 }, planar = true, friction = 0.5, kinds = kinds }
    close({ 1, -0.1, -0.05 }, r.impulse, 1e-9, "impulse")
    r = lcp.cone{ W = W, q = { -1, 0.1, 0.3 }, planar = true, friction = 0.5, kinds = kinds }
    close({ 1, -0.1, -0.1 }, r.impulse, 1e-9, "impulse")
    close({ 0, 0, 0.2 }, r.velocity, 1e-9, "velocity")
  end)

  it("agree: rolling and spinning friction in space by all methods, residual for 200 coupled pairs", function()
    for seed = 1, 200 do
      math.randomseed(seed)
      local W, q = contacts.gram(12, 16), contacts.list(12)
      local kinds = { { "rolling", spin = 0.2, roll = 0.3 }, { "rolling", spin = 0.1 } }
      for _, method in ipairs(everywhere) do
        local r = lcp.cone{ W = W, q = q, friction = 0.4, kinds = kinds, method = method, tolerance = 1e-9 }
        assert.is_true(r.converged, ("seed %d %s %s"):format(seed, method, r))
        for c = 0, 1 do
          local p = { table.unpack({ table.unpack(r.impulse, 6 * c + 1, 6 * c + 6) }) }
          assert.is_true(math.sqrt(p[2] ^ 2 + p[3] ^ 2) <= 0.4 * p[1] + 1e-12)
          assert.is_true(math.abs(p[4]) <= (c == 0 and 0.2 or 0.1) * p[1] + 1e-12)
          assert.is_true(math.sqrt(p[5] ^ 2 + p[6] ^ 2) <= (c == 0 and 0.3 or 0) * p[1] + 1e-12)
        end
      end
    end
  end)
end)

describe("planar cases with known answers", function()
  it("are exact: the slider-crank's redundant contacts (FC-01): velocities, by all methods", function()
    for k, case in ipairs(cases.slider_crank) do
      for _, method in ipairs(flat) do
        local r = lcp.cone{ W = case.W, q = case.q, friction = case.friction, planar = true, method = method }
        assert.is_true(r.residual <= 1e-8, ("%d %s %s"):format(k, method, r))
        close(case.velocity, r.velocity, 1e-7, method) -- the case's own tolerance
      end
    end
  end)

  it("are exact: random impacts under Newton's law (E.6), by all methods", function()
    for k, case in ipairs(cases.impacts) do
      local m = #case.friction
      local order, W, q, shift, impulse, after = {}, {}, {}, {}, {}, {}
      for c = 1, m do order[2 * c - 1], order[2 * c] = c, m + c end
      for i, a in ipairs(order) do
        W[i] = {}
        for j, b in ipairs(order) do W[i][j] = case.G[a][b] end
        q[i], impulse[i], after[i] = case.before[a], case.impulse[a], case.after[a]
      end
      for c = 1, m do shift[c] = case.e[c] * math.min(case.before[c], 0) end
      for _, method in ipairs(flat) do
        local r = lcp.cone{ W = W, q = q, shift = shift, friction = case.friction, planar = true, method = method,
          tolerance = 1e-13 }
        assert.is_true(r.residual <= 1e-12, ("%d %s %s"):format(k, method, r))
        local size = math.max(1, contacts.norm(impulse))
        close(impulse, r.impulse, 1e-10 * size, method) -- the case's tolerance, relative
        close(after, r.velocity, 1e-10 * size, method)
      end
    end
  end)
end)
