-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local lcp = require "delassus.lcp"
local delassus = require "delassus"
local contacts = require "support.contacts"
local seeds = require "support.seeds"

--- How far impulse p and u = v + gamma p + s of one planar contact or row are from its law, in m/s and N s.
local function breach(kind, mu, p, u)
  if kind == "bilateral" then return math.abs(u[1]) end
  if kind == "unilateral" then return math.max(-p[1], -u[1], math.min(p[1], u[1])) end
  if type(kind) == "table" then
    local lo, hi = kind[2], kind[3]
    local out = math.max(lo - p[1], p[1] - hi, 0)
    if u[1] > 0 then return math.max(out, math.min(u[1], p[1] - lo)) end
    return math.max(out, math.min(-u[1], hi - p[1]))
  end
  local out = math.max(-p[1], -u[1], math.min(p[1], u[1]), math.abs(p[2]) - mu * p[1], 0)
  local slip = math.abs(u[2]) -- friction at its bound, against the slip
  return math.max(out, math.min(slip, math.abs(p[2] + mu * p[1] * (u[2] > 0 and 1 or -1))))
end

--- A random mixture of laws, with compliance and shift on some rows.
local function mixture(seed)
  math.randomseed(seed)
  local kinds, first, n = {}, {}, 0
  for g = 1, math.random(2, 6) do
    local pick = math.random(5)
    kinds[g] = ({ "cone", "cone", "unilateral", "bilateral", { "box", -math.random(), math.random() } })[pick]
    first[g], n = n + 1, n + (pick <= 2 and 2 or 1)
  end
  local W, q = contacts.gram(n, n + 3), contacts.list(n)
  local o = { W = W, q = q, friction = 0.6 * math.random(), planar = true, kinds = kinds, tolerance = 1e-11,
    compliance = {}, shift = {} }
  for i = 1, n do
    o.compliance[i] = math.random() < 0.3 and math.random() or 0
    o.shift[i] = math.random() < 0.3 and 0.2 * math.random() - 0.1 or 0
  end
  return o, first, n
end

describe("lcp.cone with all laws at once", function()
  it("residual outside: boxes, joints, limits and contacts with compliance and shift, 200 seeds, every method", function()
    for seed = 1, seeds(200) do
      local o, first, n = mixture(seed)
      for _, method in ipairs{ "auto", "nsgs", "newton", "admm" } do
        o.method = method
        local r = lcp.cone(o)
        local what = ("seed %d %s %s"):format(seed, method, r)
        assert.is_true(r.converged, what)
        local v = contacts.image(o.W, o.q, r.impulse)
        local size = 1 + contacts.norm(r.impulse)
        for g, kind in ipairs(o.kinds) do
          local i, j = first[g], (first[g + 1] or n + 1) - 1
          local p, u = { table.unpack({ r.impulse[i], r.impulse[j] }) }, {}
          for k = i, j do u[k - i + 1] = v[k] + o.compliance[k] * r.impulse[k] + o.shift[k] end
          assert.is_true(breach(kind, o.friction, p, u) <= 1e-8 * size, what .. ", group " .. g)
        end
      end
    end
  end)
end)

--- Contacts in a chain of bodies of m coordinates: each meets the one before and the one behind.
local function chain(seed, n, d, m)
  math.randomseed(seed)
  local rows, q = {}, {}
  local u = {}
  for c = 1, n + 1 do u[c] = contacts.list(m) end
  for c = 1, n do
    for _ = 1, d do
      local a, b, sum = contacts.list(m), contacts.list(m), 0
      for k = 1, m do sum = sum + a[k] * u[c][k] + b[k] * u[c + 1][k] end
      rows[#rows + 1], q[#q + 1] = { c = c, a, b }, sum
    end
  end
  local entries = { rows = #q, cols = #q }
  for i, x in ipairs(rows) do
    for j = math.max(1, i - 2 * d), math.min(#rows, i + 2 * d) do
      local y, sum = rows[j], 0
      for s = 1, 2 do
        local other = y[s + x.c - y.c] -- the same body
        if other then for k = 1, m do sum = sum + x[s][k] * other[k] end end
      end
      if sum ~= 0 then entries[#entries + 1] = { i, j, sum } end
    end
  end
  return delassus.sparse(entries), q
end

describe("sweeps in lanes and Newton", function()
  it("agree on the velocities of 200 chains of 20 contacts, in the plane and in space", function()
    for seed = 1, seeds(200) do
      local d = 2 + seed % 2
      local W, q = chain(seed, 20, d, 6)
      local o = { W = W, q = q, friction = 0.5 * math.random(), planar = d == 2, tolerance = 1e-11 }
      local first
      for _, method in ipairs{ "nsgs", "newton" } do
        o.method = method
        local r = lcp.cone(o)
        local what = ("seed %d %s %s"):format(seed, method, r)
        assert.is_true(r.converged, what)
        first = first or r.velocity
        assert.is_true(contacts.distance(first, r.velocity) <= 1e-6 * (1 + contacts.norm(first)), what)
      end
    end
  end)
end)

describe("lcp.cone at its limits", function()
  local function scaled(x, s)
    local out = {}
    for i = 1, #x do out[i] = type(x[i]) == "number" and x[i] * s or scaled(x[i], s) end
    return out
  end

  it("residual: W and q at 1e-300 and 1e300, 1 to 20 contacts", function()
    for _, n in ipairs{ 1, 4, 20 } do
      math.randomseed(n)
      local W, q = contacts.gram(3 * n, 3 * n + 4), contacts.list(3 * n)
      for _, s in ipairs{ 1e-300, 1e300 } do
        for _, o in ipairs{ { W = scaled(W, s), q = q }, { W = W, q = scaled(q, s) },
          { W = scaled(W, s), q = scaled(q, s) } } do
          o.friction = 0.4
          local r = lcp.cone(o)
          assert.is_true(r.converged, ("%d contacts at %g: %s"):format(n, s, r))
        end
      end
    end
  end)

  it("is exact: friction of 1e6 holds like glue; what the residual cannot tell any more is refused", function()
    local o = { W = { { 2, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, q = { -1, 3, -4 }, friction = 1e6 }
    local r = lcp.cone(o)
    assert.is_true(r.converged)
    for i = 1, 3 do assert.near(({ 0.5, -3, 4 })[i], r.impulse[i], 1e-12) end
    o.friction = 1e300 -- p = 0 would pass: u_N = -1 is lost beside mu |u_T|
    assert.has_error(function() lcp.cone(o) end)
    o.friction = { 1.1e6 }
    local ok, message = pcall(lcp.cone, o)
    assert.is_false(ok)
    assert.truthy(message:find("'friction' must be <= 1000000.0, got 1100000.0", 1, true))
  end)

  it("says so where nothing can stop a contact, and ends", function()
    for _, n in ipairs{ 1, 5 } do
      math.randomseed(n)
      local W, q = contacts.gram(3 * n, 3 * n + 4), contacts.list(3 * n)
      for i = 1, 3 * n do
        for j = 1, 3 * n do if i <= 3 or j <= 3 then W[i][j] = 0 end end
      end
      q[1] = -1
      local r = lcp.cone{ W = W, q = q, friction = 0.4 }
      assert.is_false(r.converged)
      assert.equal("limit", r.status)
      assert.equal(1, r.worst.group)
      assert.is_true(r.iterations <= 1e5, n .. ": " .. r.iterations) -- 86,700 where a sweep is one contact, fewer beyond
    end
  end)
end)
