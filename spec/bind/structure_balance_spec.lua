-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What only contacts hold: loads that call for no force of them, mechanisms, falls onto stops. All are determinate, so that
-- forces follow by hand from the balance of the whole.
local near = require "spec.support.near"
local numbers = require "spec.support.random"
local seeds = require "spec.support.seeds"
local structure = require "delassus.structure"

--- Numbers of a seed: uniform between two, a whole one of n, a share of 1.
local function chance(seed)
  local random = numbers(seed)
  local r = {}
  function r.between(a, b) return a + (b - a) * (random() + 1) / 2 end
  function r.pick(n) return math.floor((random() + 1) / 2 * n) + 1 end
  return r
end

--- A frame of reference: turned by any angle, in units of length L and of force F.
local function turned(r)
  local angle = r.between(0, 2 * math.pi)
  local c, s, L, F = math.cos(angle), math.sin(angle), 10 ^ r.between(-3, 3), 10 ^ r.between(-6, 6)
  local t = { L = L, F = F }
  function t.vector(x, y) return { c * x - s * y, s * x + c * y } end
  function t.at(x, y) return t.vector(L * x, L * y) end
  function t.force(x, y, m) return { F * (c * x - s * y), F * (s * x + c * y), m and F * L * m or nil } end
  function t.frame(a, b, r_A)
    return { a, b, E = 2.1e8 * F / L ^ 2, A = 1e-2 * (r_A or 1) * L ^ 2, I = 1e-5 * L ^ 4, expansion = 1.2e-5 }
  end
  --- What u is in the frame that was not turned, unit length 1.
  function t.back(x, y) return (c * x + s * y) / L, (c * y - s * x) / L end
  return t
end

--- A crooked beam of n frames on a pin and a frictionless roller, in a turned frame.
local function beam(r)
  local t, st, n = turned(r), structure {}, 1 + r.pick(4)
  local b = { t = t, st = st, nodes = {}, at = {}, frames = {}, n = n }
  for i = 0, n do
    local inner = i > 0 and i < n
    b.at[i] = { 3 * i / n, inner and r.between(-0.4, 0.4) * (r.pick(3) - 1) or 0 }
    b.nodes[i] = st:node(t.at(table.unpack(b.at[i])))
    if i > 0 then b.frames[i] = st:frame(t.frame(b.nodes[i - 1], b.nodes[i], r.between(0.3, 3))) end
  end
  st:fix(b.nodes[0], "x", "y")
  b.contact = st:contact { on = b.nodes[n], normal = t.vector(0, 1), friction = 0 }
  return b
end

local function check_without_force(b, what)
  local path = b.st:follow { to = b.to }
  local state = b.st:solve { p = 1 }
  assert.is_true(path.status == "ray" or path.status == "reached", what .. ": " .. path.status)
  assert.is_true(path.converged, what)
  for k, s in ipairs { state, (assert(path:at(1), what)), (assert(path:at(0.3), what)) } do
    local name = what .. ", " .. ({ "solve", "path:at(1)", "path:at(0.3)" })[k]
    assert.is_true(s.converged, ("%s: %s, residual %g"):format(name, s.status, s.residual))
    near(0, s.contacts[1].normal_force / b.t.F, 1e-9, name)
  end
  return state
end

describe("a beam on a pin and a roller that its loads do not press", function()
  local cases = {}

  --- Warmed up: it grows freely, and turns so that its end stays on the roller.
  function cases.warm(b, r, part)
    local dT, grown = r.between(5, 40), { 0, 0 }
    for i = 1, b.n do
      local T = r.pick(2) == 1 and dT or 0
      b.st:heat(b.frames[i], T, part)
      for d = 1, 2 do grown[d] = grown[d] + 1.2e-5 * T * (b.at[i][d] - b.at[i - 1][d]) end
    end
    local x, y = 3 + grown[1], grown[2]
    return x - 3, y, -y / 3
  end

  --- Its pin is moved along the line to the roller.
  function cases.settle(b, r, part)
    local v = r.between(1e-3, 2e-3)
    local u = b.t.at(v, 0)
    b.st:displace(b.nodes[0], "x", u[1], part)
    b.st:displace(b.nodes[0], "y", u[2], part)
    return v, 0, 0
  end

  --- Opposite forces along the line of two nodes.
  function cases.pair(b, r, part)
    local i, F = r.pick(b.n) - 1, r.between(0.5, 2)
    local dx, dy = b.at[b.n][1] - b.at[i][1], b.at[b.n][2] - b.at[i][2]
    b.st:load(b.nodes[i], b.t.force(F * dx, F * dy), part)
    b.st:load(b.nodes[b.n], b.t.force(-F * dx, -F * dy), part)
  end

  --- Opposite moments.
  function cases.moments(b, r, part)
    local M = r.between(0.5, 2)
    b.st:load(b.nodes[r.pick(b.n)], b.t.force(0, 0, M), part)
    b.st:load(b.nodes[0], b.t.force(0, 0, -M), part)
  end

  --- A force along the line from the roller to the pin, and one at the pin.
  function cases.push(b, r, part)
    b.st:load(b.nodes[b.n], b.t.force(-r.between(0.5, 2), 0), part)
    b.st:load(b.nodes[0], b.t.force(r.between(-1, 1), r.between(-1, 1)), part)
  end

  for _, name in ipairs { "warm", "settle", "pair", "moments", "push" } do
    local load = cases[name]
    it(("has no force there: %s (200 seeds)"):format(name), function()
      for seed = 1, seeds(200) do
        local r = chance(seed)
        local b = beam(r)
        b.to = r.pick(2) == 1 and 1 or math.huge
        local x, _, turn = load(b, r, r.pick(2) == 1 and "growing" or "constant")
        local what = ("%s, seed %d"):format(name, seed)
        local state = check_without_force(b, what)
        if x then
          local ux, uy, phi = state:displacement(b.nodes[b.n])
          ux, uy = b.t.back(ux, uy)
          near(x, ux, 1e-9, what .. ": along")
          near(0, math.min(uy, 0), 1e-9, what .. ": on the roller")
          if turn == 0 then near(uy / 3, phi, 1e-9, what .. ": turns as a whole") end
        end
      end
    end)
  end
end)

describe("a block on frictionless rollers", function()
  it("that is warmed up grows without stress (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = chance(seed)
      local strain = r.pick(2) == 1
      local st = structure { assumption = strain and "plane strain" or "plane stress" }
      local nu, dT, w, h = r.between(0, 0.4), r.between(5, 40), r.between(0.5, 5), r.between(0.5, 5)
      local nx, ny, E = r.pick(8), r.pick(4), 10 ^ r.between(0, 11)
      local grid = st:grid { corner = { 0, 0 }, size = { w, h }, cells = { nx, ny }, E = E, nu = nu, expansion = 1e-5 }
      for i = 1, nx + 1 do st:contact { on = grid[1][i], normal = { 0, 1 } } end
      st:fix(grid[1][1], "x")
      for _, e in ipairs(st.elements) do st:heat(e, dT) end
      local state, path, what = st:solve {}, st:follow {}, "seed " .. seed
      assert.is_true(state.converged, what .. ": " .. state.status)
      assert.is_true(path.converged and path:at(1).converged, what .. ": " .. path.status)
      local grown = 1e-5 * dT * (strain and 1 + nu or 1)
      local x, y = state:displacement(grid[ny + 1][nx + 1])
      near(grown * w, x, 1e-10 * grown * w, what)
      near(grown * h, y, 1e-10 * grown * h, what)
      for i = 1, nx + 1 do near(0, state.contacts[i].normal_force, 1e-10 * E * grown * w, what) end
    end
  end)
end)

describe("a beam on rollers alone", function()
  it("with a force above one of two leaves the other without force, under more loads of any size (200 seeds)", function()
    for seed = 1, seeds(200) do
      local r = chance(seed)
      local t, st = turned(r), structure {}
      local nodes = {}
      for i = 0, 3 do
        nodes[i] = st:node(t.at(i, r.between(-0.2, 0.2)))
        if i > 0 then st:frame(t.frame(nodes[i - 1], nodes[i])) end
      end
      local along = t.vector(1, 0)
      st:contact { on = nodes[0], normal = along, friction = 0 } -- a wall that a part of the loads presses it to
      st:contact { on = nodes[1], normal = t.vector(0, 1) }
      st:contact { on = nodes[2], normal = t.vector(0, 1) }
      local F, H = r.between(0.5, 2), 1e-3
      st:load(nodes[1], t.force(0, -F), r.pick(2) == 1 and "growing" or "constant")
      st:load(nodes[0], t.force(-H, 0)) -- through the wall's own node
      local state, what = st:solve {}, "seed " .. seed
      local path = st:follow {}
      for _, s in ipairs { state, path:at(1) } do
        assert.is_true(s.converged, ("%s: %s, %g"):format(what, s.status, s.residual))
        near(H, s.contacts[1].normal_force / t.F, 1e-9, what)
        near(F, s.contacts[2].normal_force / t.F, 1e-9, what)
        near(0, s.contacts[3].normal_force / t.F, 1e-9, what)
      end
    end
  end)
end)

describe("a beam held along x, on one contact with friction", function()
  it("has a state where friction can balance the moment, and none elsewhere (1,000 seeds)", function()
    local solved, told = 0, 0
    for seed = 1, seeds(1000) do
      local r = chance(seed)
      local t, st = turned(r), structure {}
      local x, h, X, Y = r.between(1, 2), r.between(-0.3, 0.3), r.between(2.5, 3.5), r.between(-0.2, 0.2)
      local a, b, c = st:node(t.at(0, 0)), st:node(t.at(x, h)), st:node(t.at(X, Y))
      st:frame(t.frame(a, b))
      st:frame(t.frame(b, c))
      st:contact { on = a, normal = t.vector(1, 0) } -- two walls face to face hold it along x
      st:contact { on = a, normal = t.vector(-1, 0) }
      st:contact { on = b, normal = t.vector(0, 1), friction = 0.3 }
      local fx, fy, part = r.between(-10, 10), r.between(-11, -1), r.pick(2) == 1 and "growing" or "constant"
      -- moments about a: x N - h T + X fy - Y fx = 0, N = -fy
      local m = r.pick(4) == 1 and x * -fy + X * fy - Y * fx - h * r.between(-0.29, 0.29) * -fy or 0
      st:load(c, t.force(fx, fy, -m), part)
      local N, left = -fy, x * -fy + X * fy - Y * fx - m
      local share = math.abs(left / h) / (0.3 * N)
      local state, path = st:solve {}, st:follow {}
      local what = ("seed %d, share %.3g"):format(seed, share)
      if share < 0.99 then
        solved = solved + 1
        assert.is_true(state.converged, what .. ": " .. state.status)
        near(N, state.contacts[3].normal_force / t.F, 1e-8 * N, what)
        near(left, h * state.contacts[3].tangential_force / t.F, 1e-9 * (X * N + math.abs(Y * fx) + math.abs(m)), what)
      elseif share > 1.01 then
        told = told + 1
        assert.is_false(state.converged, what)
        assert.is_true(state.status ~= "solved", what)
        local met = path:at(1)
        assert.is_false(path.status == "ray" and path.converged, what)
        assert.is_true(met == nil or not met.converged, what .. ": " .. path.status)
      end
    end
    assert.is_true(solved >= seeds.least(100) and told >= seeds.least(400), ("%d solved, %d told"):format(solved, told))
  end)
end)

describe("a hinged beam over a stop", function()
  it("falls on it at no load, and presses it by its moment from then on (1,000 seeds)", function()
    for seed = 1, seeds(1000) do
      local r = chance(seed)
      local t, st = turned(r), structure {}
      local x, y, X, Y = r.between(1, 2), r.between(-0.2, 0.2), r.between(3, 4), r.between(-0.5, 0.5)
      local mu = r.pick(2) == 1 and 0 or 0.4
      local F, gap = r.between(0.02, 0.2), r.between(1e-3, 0.05)
      local a, b, c = st:node(t.at(0, 0)), st:node(t.at(x, y)), st:node(t.at(X, Y))
      st:frame(t.frame(a, b))
      st:frame(t.frame(b, c))
      st:fix(a, "x", "y")
      st:contact { on = c, normal = t.vector(0, 1), gap = t.L * gap, friction = mu }
      if r.pick(3) > 1 then st:contact { on = b, normal = t.vector(0, -1), gap = t.L * 0.3, friction = mu } end
      st:load(b, t.force(0, -F), "growing")
      local path, what = st:follow {}, "seed " .. seed
      assert.is_true(path.converged, what .. ": " .. path.status)
      for _, p in ipairs { 0, 0.5, 1 } do
        for name, state in pairs { solve = st:solve { p = p }, path = path:at(p) } do
          local at = ("%s, %s, p %g"):format(what, name, p)
          assert.is_true(state.converged, ("%s: %s, residual %g"):format(at, state.status, state.residual))
          local on = state.contacts[1]
          local T = on.tangential_force -- along (1, 0), that of its normal turned by -90 degrees
          -- R times a gap, up to 1e3 of the load here, is known to round-off
          near(p * F * x, (on.normal_force * X - T * Y) / t.F, 1e-7 * F, at)
          if mu == 0 then near(p * F * x / X, on.normal_force / t.F, 1e-7 * F, at) end
        end
      end
    end
  end)
end)

describe("a chain of bars and frames, held by contacts for the most part", function()
  it("is in balance as a whole wherever it has a state, and no mechanism (1,500 seeds)", function()
    local solved, told = 0, 0
    for seed = 1, seeds(1500) do
      local r = chance(seed)
      local st, nodes, loads, n = structure {}, {}, {}, 1 + r.pick(5)
      for i = 1, n do
        nodes[i] = st:node { i + r.between(-0.15, 0.15), r.pick(2) == 1 and 0 or r.between(-0.25, 0.25) }
        if i > 1 then
          local element = { nodes[i - 1], nodes[i], E = 1e9, A = 1e-2, I = 1e-5 }
          if r.pick(2) == 1 then st:frame(element) else st:bar { nodes[i - 1], nodes[i], E = 1e9, A = 1e-2 } end
        end
        loads[i] = { r.between(-500, 500), r.between(-1000, 0), growing = r.pick(2) == 1 }
      end
      if r.pick(2) == 1 then st:fix(nodes[1], "x") end
      for i = 1, n do
        local turn = r.pick(3) > 1 and math.pi / 2 or r.between(-math.pi, math.pi)
        if r.pick(5) > 1 then
          st:contact { on = nodes[i], normal = { math.cos(turn), math.sin(turn) },
            friction = ({ 0, 0.2, 0.6, 1.4 })[r.pick(4)], gap = r.pick(3) == 1 and r.between(0, 1e-3) or 0 }
        end
      end
      for i, l in ipairs(loads) do st:load(nodes[i], { l[1], l[2] }, l.growing and "growing" or "constant") end
      local fits, state = pcall(st.solve, st)
      local states = { state, fits and st:follow {}:at(1) or nil }
      for k = 1, fits and 2 or 0 do
        local s = states[k]
        if s and s.converged then
          local x, y, m, size, what = 0, 0, 0, 0, ("seed %d, %d"):format(seed, k)
          local function add(node, fx, fy)
            local at = node.position
            x, y, m = x + fx, y + fy, m + at.x * fy - at.y * fx
            size = size + n * (math.abs(fx) + math.abs(fy))
          end
          for i, l in ipairs(loads) do
            add(nodes[i], l[1], l[2])
            local ux, uy = s:displacement(nodes[i])
            -- loads over stiffness are 1e-4 m, bars along one line but for 1e-4 carry them by 1e4 m; round-off inverted is 1e12
            assert.is_true(math.abs(ux) + math.abs(uy) < 1e8, what .. ": a mechanism's displacement")
          end
          add(nodes[1], (s:reaction(nodes[1])), select(2, s:reaction(nodes[1])))
          for _, c in ipairs(s.contacts) do
            local N, T, normal = c.normal_force, c.tangential_force, c.contact.normal
            add(c.contact.b, N * normal.x + T * normal.y, N * normal.y - T * normal.x)
          end
          near(0, math.max(math.abs(x), math.abs(y), math.abs(m)), 1e-9 * size, what .. ": balance")
          solved = solved + 1
        elseif s then
          told = told + 1
        end
      end
    end
    assert.is_true(solved >= seeds.least(400) and told >= seeds.least(300), ("%d solved, %d told"):format(solved, told))
  end)
end)
