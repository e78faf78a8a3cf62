-- Structures under a growing load: the examples of Popov and Lovtsov's paper (EQUATIONS D.5).
local json = require "spec.support.json"
local near = require "spec.support.near"
local structures = require "spec.support.structures"

local papers = "../shared/cases/papers/"

--- A case file, or nil and a line that says so.
local function case(name)
  local found = json.file(papers .. name)
  if not found then print(name .. ": no ../shared here, not compared") end
  return found
end

local function near_list(expected, got, tolerance, what)
  for i = 1, #expected do near(expected[i], got[i], tolerance, ("%s[%d]"):format(what, i)) end
end

describe("Example 1, a beam on three supports", function()
  it("has the contact stiffness and load of the paper, exact", function()
    local st = structures.beam()
    local R, q, r = st:problem()
    local d = { 1, -2, 1 }
    for i = 1, 3 do
      for j = 1, 3 do near(0.1875 * d[i] * d[j], R[i][j], 1e-14, "Rnn") end
      near(0.6 * R[1][i], R[4][i], 1e-15, "f Rnn in the + rows")
    end
    for j, x in ipairs { 0.5, -0.5, 0, -0.5, 0.5, 0 } do near(x, R[4][3 + j] - 0.6 * R[1][3 + j], 1e-14, "Rtt") end
    near_list({ -3 / 32, 11 / 16, 13 / 32, -0.6 * 3 / 32, 0.6 * 11 / 16, 0.6 * 13 / 32 }, r, 1e-14, "r_v")
    for i = 1, 9 do assert.equal(0, q[i]) end -- without tightening
  end)

  it("takes the paper's two steps, exact", function()
    local st, n = structures.beam()
    local path = st:follow { to = math.huge, tightening = 1 }
    assert.equal("ray", path.status)
    assert.equal(1, path.steps)
    local event = path.events[1]
    near(32 / 3, event.p, 1e-12 * 32 / 3, "p_1")
    assert.equal("separates", event.change)
    assert.equal(st.contacts[1], event.contact)
    assert.equal(1, event.contact.index)
    local state = path:step(1)
    near(25 / 3, state.contacts[2].normal_force, 1e-12, "x_n2")
    near(16 / 3, state.contacts[3].normal_force, 1e-12, "x_n3")
    local rate = path:rate() -- the pure load
    near(0.5, rate.contacts[1].opening, 1e-13, "z_n1")
    near(0.5, rate.contacts[2].normal_force, 1e-13, "x_n2")
    near(0.5, rate.contacts[3].normal_force, 1e-13, "x_n3")
    near(0, rate.contacts[3].tangential_force, 1e-13, "x_t3")
    assert.equal(math.huge, path.p_limit)
    assert.matches("does not change any more", path.explanation)
    local x, y, rotation = rate:displacement(n[3]) -- a simple beam of span 2: P l^3 / 48
    near(0, x, 1e-13, "x")
    near(-8 / 48, y, 1e-13, "deflection")
    near(0, rotation, 1e-13, "rotation")
  end)

  it("solves for one load without tightening, exact", function()
    local st, n = structures.beam()
    local state = st:solve { p = 2 }
    assert.is_true(state.converged)
    near(1, state.contacts[1].opening, 1e-13, "opening")
    near(1, state.contacts[2].normal_force, 1e-13, "x_n2")
    assert.equal("apart", state.contacts[1].state)
    assert.equal("stick", state.contacts[2].state)
    assert.equal(st.contacts[2], state.contacts[2].contact)
    local N, V1, M1, V2, M2 = state:internal(st.elements[2])
    near_list({ 0, 1, 0, 1, 1 }, { N, V1, M1, V2, M2 }, 1e-12, "N, V, M")
    near(0, (state:displacement(n[1])) - 0, 1e-12, "x of the lifted end")
  end)
end)

describe("Example 2, a heavy bar pulled over rough ground", function()
  local u_exact = 243750 ^ 2 / (2 * 0.3 * 3975 * 2.1e9)
  --- Error in per cent, slipping nodes of n elements: tributary weights, and the full one at the end.
  local expected = {
    [5] = { 0.03098, 4, 25.0232, 3 },
    [10] = { 0.03098, 8, 12.5271, 7 },
    [20] = { 0.03098, 16, 6.27904, 15 },
    [40] = { 0.02016, 31, 3.15501, 31 },
    [80] = { 0.00029, 63, 1.58759, 62 },
    [160] = { 0.00029, 126, 0.79394, 125 },
  }
  for n, row in pairs(expected) do
    it(("of %d elements has the error and the slipping nodes of the table"):format(n), function()
      for k = 0, 1 do
        local st, nodes = structures.bar(n, k == 0 and 0.5 or 1)
        local state = st:solve { p = 1 }
        local u, slipping = state:displacement(nodes[n]), 0
        for _, c in ipairs(state.contacts) do slipping = slipping + (c.state == "slip" and 1 or 0) end
        local printed = row[1 + 2 * k] -- so many digits stand in the table
        near(printed, 100 * math.abs(u / u_exact - 1), k == 0 and 6e-6 or 6e-5, "error in %")
        assert.equal(row[2 + 2 * k], slipping)
      end
    end)
  end

  it("slips node by node at the loads of the closed form, exact", function()
    local n = 20
    local st, nodes = structures.bar(n, 0.5)
    local path = st:follow { to = math.huge }
    assert.equal("ray", path.status)
    assert.equal(n, path.steps)
    local weight = 0
    for k, event in ipairs(path.events) do
      weight = weight + 3975 * 260 / n * (k == 1 and 0.5 or 1)
      near(0.3 * weight / 243750, event.p, 1e-12, "p of event " .. k)
      assert.equal("slips", event.change)
      assert.equal(n + 1 - k, event.contact.index)
    end
    near(1.2402, path.events[n].p, 1e-12, "the last")
    local fx = path:at(1):reaction(nodes[0])
    near(0, fx, 1e-9 * 243750, "reaction before the slip gets there")
  end)
end)

describe("a free bar that friction holds", function()
  it("is a mechanism at the sum of its friction, exact", function()
    local st = structures.free_bar()
    local path = st:follow { to = 10 }
    assert.equal("mechanism", path.status)
    near(3.8, path.p_limit, 1e-12, "ultimate load")
    for k, p in ipairs { 0.6, 1.4, 2.6, 3.4, 3.8 } do
      near(p, path.events[k].p, 1e-12, "event")
      assert.equal(6 - k, path.events[k].contact.index)
    end
    assert.is_nil(path:at(4))
    assert.same({}, path:all(4))
    assert.is_true(path.converged)
    assert.matches("mechanism", path.explanation)
    local state = st:solve { p = 5 }
    assert.is_false(state.converged)
    assert.equal("mechanism", state.status)
    assert.matches("mechanism from p = 3%.8", state.explanation)
  end)
end)

describe("one contact with friction 2 and coupled stiffness", function()
  it("snaps back: three states between the loads of the two events, exact", function()
    local st = structures.point(-1, 0) -- pulled along the tangent
    local path = st:follow { to = 10 }
    near(2, path.events[1].p, 1e-12, "slips")
    near(10 / 9, path.events[2].p, 1e-12, "separates, at a smaller load")
    assert.equal("separates", path.events[2].change)
    assert.equal(3, #path:all(1.5))
    assert.equal("stick", path:at(1.5).contacts[1].state)
    assert.equal("reached", st:follow { to = 1.5 }.status)
    assert.equal(0, st:follow { to = 1.5 }.steps) -- the first crossing
    local state = st:solve { p = 1.5 }
    assert.equal(3, state.solutions)
    assert.matches("not unique", state.explanation)
    assert.matches("turns back once", path.explanation)
    assert.equal(1, st:solve { p = 1 }.solutions)
  end)

  it("has the events of d_nonunique.json for every direction", function()
    local d = case "d_nonunique.json"
    if not d then return end
    for _, c in ipairs(d.cases) do
      local st = structures.point(-(c.rv[2] - c.rv[3]) / 2, -c.rv[1])
      local R, q, r = st:problem()
      for i = 1, 3 do
        near_list(c.R[i], R[i], 1e-13, "R")
        near(c.qc[i], q[i], 1e-13, "q_c")
        near(c.rv[i], r[i], 1e-13, "r_v")
      end
      local path = st:follow { to = 100 }
      assert.equal(#c.events, path.steps)
      for k, event in ipairs(c.events) do near(event[3], path.events[k].p, 1e-6 * event[3], "event") end
      for _, row in ipairs(c.number_of_solutions) do assert.equal(row[2], st:solve({ p = row[1] }).solutions) end
    end
  end)
end)

describe("Example 3, a wall between two blocks of soil, from its mesh", function()
  --- events, p at the ray, displacement of the top per 1000 N, zones.
  local expected = {
    [5] = { 17, 0.351839863, 9.36897e-5, "o+ooo" .. "ooo++" },
    [10] = { 40, 3.21604587, 1.09499e-4, "oooo++oooo" .. "oooooooo++" },
    [20] = { 76, 12.9842581, 1.16243e-4, "oooooooooo-k+ooooooo" .. ("o"):rep(18) .. "++" },
  }
  for ny, row in pairs(expected) do
    it(("with %d elements ends as the table says"):format(ny), function()
      local st, wall = structures.wall(10, ny)
      local path = st:follow { to = math.huge, tightening = 1 }
      assert.equal("ray", path.status)
      assert.equal(row[1], path.steps)
      near(row[2], path.events[path.steps].p, 1e-8 * row[2], "p at the ray")
      local rate = path:rate()
      near(row[3], (rate:displacement(wall[ny + 1])), 6e-6 * row[3], "displacement of the top")
      assert.equal(row[4], structures.zones(rate, true)) -- our tangent points down
      assert.is_true(rate.residual < 1e-14)
    end)
  end

  it("has the stiffness, events and forces of d_example3.json", function()
    local d = case "d_example3.json"
    if not d then return end
    for _, c in ipairs(d) do
      local st = structures.wall(c.nx, c.ny)
      local m = c.pairs
      local path = st:follow { to = math.huge, tightening = 1 }
      for k, event in ipairs(c.events) do near(event[3], path.events[k].p, 1e-6 * event[3], "event " .. k) end
      local rate, most = path:rate(), 0
      for i = 1, m do most = math.max(most, c.pure_x_per_unit_p[i]) end
      for i = 1, m do near(c.pure_x_per_unit_p[i], rate.contacts[i].normal_force, 1e-9 * most, "x_n") end
      local R = c.Kc ~= json.null and st:problem()
      for i = 1, R and m or 0 do
        for j = 1, m do near(c.Kc[i][j], R[i][j], 1e-12 * c.Kc[1][1], "Rnn") end
        for j = 1, m do -- the file's tangent points up, ours down
          near(-c.Kc[i][m + j], R[i][m + j], 1e-12 * c.Kc[1][1], "Rnt")
          near(c.Kc[m + i][m + j], (R[m + i][m + j] - R[2 * m + i][m + j]) / 2, 1e-12 * c.Kc[1][1], "Rtt")
        end
      end
    end
  end)
end)

describe("Example 3 under a physical prestress of 20 kPa", function()
  --- The faces pressed together by 20 kPa: on each face's nodes of soil the force that its contact then carries.
  local function prestressed(ny)
    local st, wall = structures.wall(10, ny)
    for i, c in ipairs(st.contacts) do
      local j = (i - 1) % ny + 1
      local force = 20e3 * 10 / ny * (j == ny and 0.5 or 1)
      if i <= ny then st:load(c.a, { force, 0 }) else st:load(c.b, { -force, 0 }) end
    end
    return st, wall
  end

  it("begins at the loads of EQUATIONS D.5, which the prestress makes physical", function()
    for ny, p in pairs { [5] = 20.26106, [10] = 10.54495, [20] = 5.81667 } do
      local st = prestressed(ny)
      local _, q = st:problem()
      near(20e3 * 10 / ny, q[1], 1e-8, "x_n")
      near(0.4 * 20e3 * 10 / ny, q[2 * ny + 1], 1e-8, "x_+")
      near(p, st:follow({ to = 40 }).events[1].p, 1e-6 * p + 5e-6, "first event") -- five decimals are printed
    end
  end)

  it("has the events of d_example3.json and its state at p = 50", function()
    local d = case "d_example3.json"
    if not d then return end
    for _, c in ipairs(d) do
      local st = prestressed(c.ny)
      local m, path = c.pairs, st:follow { to = math.huge }
      assert.equal(#c.prestress.events, path.steps)
      for k, event in ipairs(c.prestress.events) do near(event[3], path.events[k].p, 1e-6 * event[3], "event " .. k) end
      local at, most = st:solve { p = 50 }, 0
      for i = 1, m do most = math.max(most, c.prestress.at_p50.x[i]) end
      for i = 1, m do near(c.prestress.at_p50.x[i], at.contacts[i].normal_force, 1e-9 * most, "x_n") end
    end
  end)
end)
