-- Contacts of structures: gaps, interference, segments, load history; the benchmark cases CM-03, CM-06 and CM-09.
local json = require "spec.support.json"
local near = require "spec.support.near"
local random = require "spec.support.random"
local structure = require "delassus.structure"

describe("a gap", function()
  --- A bar of stiffness 10 between a wall and a stop.
  local function stop(gap, force)
    local st = structure {}
    local a, b = st:node { 0, 0 }, st:node { 1, 0 }
    local bar = st:bar { a, b, E = 10, A = 1 }
    st:fix(a, "x", "y")
    st:fix(b, "y")
    local contact = st:contact { on = b, normal = { -1, 0 }, gap = gap }
    st:load(b, { force, 0 }, "growing")
    return st, b, bar, contact
  end

  it("closes at its load and carries what comes after, exact", function()
    local st, b, bar = stop(0.1, 4)
    local path = st:follow { to = 1 }
    assert.equal(1, path.steps)
    near(0.25, path.events[1].p, 1e-14, "p")
    assert.equal("closes", path.events[1].change)
    local state = path:at(1)
    near(0.1, (state:displacement(b)), 1e-15, "x")
    near(3, state.contacts[1].normal_force, 1e-13, "force")
    near(1, (state:internal(bar)), 1e-13, "N")
    assert.equal("stick", state.contacts[1].state)
    near(0.05, path:at(0.125).contacts[1].opening, 1e-15, "opening on the way")
    assert.equal("apart", path:at(0.125).contacts[1].state)
  end)

  it("below zero is an interference: a press fit, exact", function()
    local st, b, bar = stop(-0.02, 4)
    local state = st:solve { p = 0 }
    near(-0.02, (state:displacement(b)), 1e-15, "x")
    near(0.2, state.contacts[1].normal_force, 1e-14, "force")
    near(-0.2, (state:internal(bar)), 1e-14, "N")
    near(0.5, st:follow({ to = 0.075 }):at(0.075).contacts[1].normal_force, 1e-13, "force, pressed on")
    assert.equal(0, st:follow({ to = 1 }).steps)
  end)
end)

describe("a contact without friction, or held along its tangent", function()
  it("has no tangential force, zero rows in the problem, and says whether it moved", function()
    for _, friction in ipairs { 0, 0.5 } do
      local st = structure {}
      local a, b = st:node { 0, 0 }, st:node { 1, 0 }
      st:bar { a, b, E = 10, A = 1 }
      st:fix(a, "x", "y")
      if friction > 0 then st:fix(b, "x") end -- along the tangent
      st:contact { on = b, normal = { 0, 1 }, friction = friction }
      st:load(b, { 3, -2 })
      local R, q = st:problem()
      for i = 2, 3 do
        assert.equal(0, q[i])
        for j = 1, 3 do assert.is_true(R[i][j] == 0 and R[j][i] == 0) end
      end
      local c = st:solve({}).contacts[1]
      near(2, c.normal_force, 1e-14, "normal")
      assert.equal(0, c.tangential_force)
      assert.equal(friction > 0 and "stick" or "slip", c.state)
      near(friction > 0 and 0 or 0.3, c.slip, 1e-14, "slip")
    end
  end)
end)

describe("a contact between two nodes", function()
  it("presses both alike: the first body is b, the tangent the normal turned clockwise", function()
    local st = structure {}
    local a, b, low, high = st:node { 0, 0 }, st:node { 0, 0 }, st:node { 0, -1 }, st:node { 0, 1 }
    for _, other in ipairs { { a, low }, { b, high } } do
      st:bar { other[1], other[2], E = 10, A = 1 }
      st:fix(other[2], "x", "y")
      st:spring(other[1], "x", 5)
    end
    st:contact { a, b, normal = { 0, 1 }, friction = 0.5 }
    st:load(b, { 3, -4 })
    local state = st:solve {}
    local c = state.contacts[1]
    near(2, c.normal_force, 1e-14, "half of it goes down")
    near(-1, c.tangential_force, 1e-14, "friction on b, against its slip along +x")
    near(2 / 5 - 1 / 5, c.slip, 1e-14, "slip")
    assert.equal("slip", c.state)
    near(1 / 5, (state:displacement(a)), 1e-14, "a is dragged along")
    near(-1, (state:reaction(a)), 1e-14, "its spring")
  end)
end)

describe("a node between two stops", function()
  it("is held by either, exact: links that repeat others have a compliance only on the way", function()
    for _, force in ipairs { 3, -3, 0.5 } do
      local st = structure {}
      local a, b = st:node { 0, 0 }, st:node { 1, 0 }
      st:bar { a, b, E = 10, A = 1 }
      st:fix(a, "x", "y")
      st:fix(b, "y")
      st:contact { on = b, normal = { 1, 0 }, gap = 0.1, friction = 0.2 }
      st:contact { on = b, normal = { -1, 0 }, gap = 0.1 }
      st:load(b, { force, 0 }, "growing")
      local x = math.max(-0.1, math.min(0.1, force / 10))
      for _, state in ipairs { st:solve {}, st:follow({ to = 1 }):at(1) } do
        assert.is_true(state.converged)
        near(x, (state:displacement(b)), 1e-10, "x") -- stiffness a million times the structure's costs six digits
        near(math.max(0, -force - 1), state.contacts[1].normal_force, 1e-8, "left")
        near(math.max(0, force - 1), state.contacts[2].normal_force, 1e-8, "right")
      end
    end
  end)
end)

describe("a block in a corner", function()
  it("obeys the law at the node that both walls hold, the residual from outside", function()
    for _, fx in ipairs { -1, -0.3, 0.2 } do
      local st = structure {}
      local g = st:grid { corner = { 0, 0 }, size = { 1, 1 }, cells = { 2, 2 }, E = 10, nu = 0.3 }
      local made = {}
      for i = 1, 3 do made[i] = { g[1][i], st:contact { on = g[1][i], normal = { 0, 1 }, friction = 0.3 } } end
      for i = 1, 3 do made[3 + i] = { g[i][1], st:contact { on = g[i][1], normal = { 1, 0 }, friction = 0.3 } } end
      for i = 1, 3 do
        st:load(g[3][i], { 0, -1 / 3 })
        st:load(g[3][i], { fx / 3, 0 }, "growing")
      end
      local state, x, y = st:solve {}, 0, 0
      assert.is_true(state.converged)
      for i, c in ipairs(state.contacts) do
        local n = made[i][2].normal
        local ux, uy = state:displacement(made[i][1])
        near(n.x * ux + n.y * uy, c.opening, 1e-10, "opening")
        near(n.y * ux - n.x * uy, c.slip, 1e-10, "slip")
        near(0, math.min(c.opening, c.normal_force), 1e-10, "complementarity")
        assert.is_true(math.abs(c.tangential_force) <= 0.3 * c.normal_force + 1e-9)
        if c.state == "slip" then
          near(-0.3 * c.normal_force, c.tangential_force * (c.slip > 0 and 1 or -1), 1e-9, "friction against slip")
        end
        x = x + c.normal_force * n.x + c.tangential_force * n.y
        y = y + c.normal_force * n.y - c.tangential_force * n.x
      end
      near(-fx, x, 1e-9, "balance along x")
      near(1, y, 1e-9, "balance along y")
    end
  end)
end)

describe("CM-06, a continuous beam on unilateral supports", function()
  local function run(spans, loaded)
    local st, at, mid = structure {}, {}, {}
    for i = 0, 2 * spans do
      local node = st:node { i / 2, 0 }
      if i % 2 == 0 then at[i // 2 + 1] = node else mid[(i + 1) // 2] = node end
      if i > 0 then st:frame { st.nodes[i], node, E = 1, A = 1, I = 1 } end
    end
    st:fix(at[1], "x")
    for _, node in ipairs(at) do st:contact { on = node, normal = { 0, 1 } } end
    for _, span in ipairs(loaded) do st:load(mid[span], { 0, -1 }, "growing") end
    return st:solve {}
  end

  it("lifts off its supports as the closed form says, exact", function()
    local state = run(2, { 1 })
    for i, force in ipairs { 0.5, 0.5, 0 } do
      near(force, state.contacts[i].normal_force, 1e-13, "reaction")
      near(i == 3 and 1 / 16 or 0, state.contacts[i].opening, 1e-13, "opening")
    end
  end)

  it("has the reactions and openings of the case file", function()
    local case = json.file("../shared/cases/CM-06-beam-unilateral-supports.json")
    if not case then return print("CM-06: no ../shared here, not compared") end
    for _, c in ipairs(case.expected.cases) do
      local loaded = {}
      for i, span in ipairs(c.loaded_spans) do loaded[i] = span + 1 end
      local state = run(c.spans, loaded)
      for i = 1, c.spans + 1 do
        near(c.reactions_unilateral[i], state.contacts[i].normal_force, 1e-11, "reaction")
        near(c.support_gap[i], state.contacts[i].opening, 1e-10, "opening")
      end
    end
  end)
end)

describe("CM-03, a bar on a rough line", function()
  local EA, q, mu = 1e6, 200, 0.5
  local function bar(n)
    local st, nodes, h = structure {}, {}, 1 / n
    for i = 0, n do
      nodes[i] = st:node { i * h, 0 }
      if i > 0 then st:bar { nodes[i - 1], nodes[i], E = EA, A = 1 } end
      st:contact { on = nodes[i], normal = { 0, 1 }, friction = mu }
      st:load(nodes[i], { 0, -q * h * ((i == 0 or i == n) and 0.5 or 1) })
    end
    st:load(nodes[n], { 1, 0 }, "growing")
    return st, nodes[n]
  end

  it("slips node by node at mu q h (k + 1/2), exact; its end is right to the length of an element", function()
    local st, last = bar(100)
    local path = st:follow { to = 99 }
    assert.equal(99, path.steps)
    for k, event in ipairs(path.events) do near(mu * q * (k - 0.5) / 100, event.p, 1e-9, "p of event") end
    for _, row in ipairs { { 10, 5e-7 }, { 25, 3.125e-6 }, { 50, 1.25e-5 }, { 75, 2.8125e-5 } } do
      near(row[2], (path:at(row[1]):displacement(last)), 1e-2 * row[2], "end displacement")
    end
    assert.equal("mechanism", st:follow({ to = 101 }).status)
    near(100, st:follow({ to = 101 }).p_limit, 1e-9, "full slip")
  end)

  it("keeps F^2 / (4 mu q EA) when it is let go, with an error of order h", function()
    local error = {}
    for k, n in ipairs { 25, 50, 100 } do
      local st, last = bar(n)
      st:commit(st:solve { p = 60 })
      local state = st:solve { p = 0 }
      assert.is_true(state.converged)
      local exact = 60 ^ 2 / (4 * mu * q * EA)
      error[k] = math.abs((state:displacement(last)) - exact) / exact
    end
    assert.is_true(error[1] < 0.04 and error[3] < 0.6 * error[1])
  end)

  it("dissipates (2/3) F^3 / (mu q EA) in a cycle between F and -F: Masing's loop", function()
    local st, last = bar(200)
    local F, work, before, n = 60, 0, nil, 40
    st:commit(st:solve { p = F })
    local function go(from, to)
      for i = 0, n do -- the law knows the slips of the turning point; between two of those nothing turns back
        local p = from + (to - from) * i / n
        local state = st:solve { p = p }
        local u = state:displacement(last)
        if before then work = work + (p + before[1]) / 2 * (u - before[2]) end
        before = { p, u }
        if i == n then st:commit(state) end
      end
    end
    go(F, -F)
    go(-F, F)
    near(2 / 3 * F ^ 3 / (mu * q * EA), work, 0.01 * 2 / 3 * F ^ 3 / (mu * q * EA), "work of the loop")
  end)
end)

describe("CM-09, two blocks pressed together", function()
  local function stack(lower_cells, upper_cells, nu)
    local st = structure { assumption = "plane strain" }
    local options = { size = { 2, 1 }, E = 1000, nu = nu }
    local function block(y, cells)
      return st:grid { corner = { 0, y }, size = options.size, cells = { cells, 2 }, E = options.E, nu = nu }
    end
    local lower, upper = block(0, lower_cells), block(1, upper_cells)
    for i = 1, lower_cells + 1 do st:contact { on = lower[1][i], normal = { 0, 1 } } end
    st:fix(lower[1][1], "x")
    st:fix(upper[1][1], "x")
    for i = 1, upper_cells + 1 do
      if lower_cells == upper_cells then
        st:contact { lower[3][i], upper[1][i], normal = { 0, 1 } }
      else
        local x = upper[1][i].position.x
        local k = math.min(math.floor(x / 2 * lower_cells + 1e-9) + 1, lower_cells)
        st:contact { { lower[3][k], lower[3][k + 1] }, upper[1][i], normal = { 0, 1 } }
      end
      local share = (i == 1 or i == upper_cells + 1) and 0.5 or 1
      st:load(upper[3][i], { 0, -2 / upper_cells * share }, "growing")
    end
    return st:solve {}, st, upper[3][1]
  end

  it("passes a uniform pressure on through matching meshes, exact", function()
    for _, nu in ipairs { 0.3, 0 } do
      local state, st, top = stack(4, 4, nu)
      local _, uy = state:displacement(top)
      near(-2 * (1 - nu ^ 2) / 1000, uy, 1e-13, "top")
      for _, quad in ipairs(st.elements) do
        local s = state:stress(quad)
        near(0, s[1], 1e-10, "sxx")
        near(-1, s[2], 1e-10, "syy")
        near(0, s[3], 1e-10, "sxy")
      end
    end
  end)

  it("passes the whole force on through meshes that do not match, the pressure to a tenth", function()
    local state, st = stack(5, 4, 0.3)
    local force, worst = 0, 0
    for i, c in ipairs(state.contacts) do if i > 6 then force = force + c.normal_force end end
    near(2, force, 1e-12, "the sum of the forces")
    for _, quad in ipairs(st.elements) do worst = math.max(worst, math.abs(state:stress(quad)[2] + 1)) end
    assert.is_true(worst < 0.3 and worst > 1e-3, worst) -- a node against a segment is no mortar
  end)
end)

describe("a segment", function()
  it("takes the force where it stands, exact: both nodes by their share", function()
    local st = structure {}
    local a, b, c = st:node { 0, 0 }, st:node { 4, 0 }, st:node { 1, 0 }
    for _, node in ipairs { a, b } do
      st:spring(node, "y", 8)
      st:fix(node, "x")
    end
    st:spring(c, "y", 1)
    st:fix(c, "x")
    st:contact { { a, b }, c, normal = { 0, 1 } }
    st:load(c, { 0, -4 })
    local state = st:solve {}
    local f = state.contacts[1].normal_force
    local _, ya = state:displacement(a)
    local _, yb = state:displacement(b)
    local _, yc = state:displacement(c)
    near(-0.75 * f / 8, ya, 1e-14, "a")
    near(-0.25 * f / 8, yb, 1e-14, "b")
    near(0.75 * ya + 0.25 * yb, yc, 1e-14, "c lies on the segment")
    near(4, f - yc, 1e-14, "balance")
    assert.error_matches(function() st:contact { { a, c }, b, normal = { 0, 1 } } end,
      "structure:contact: node 2 lies beside the segment from node 1 to 3: at 4.0 of its length")
  end)
end)

describe("an open contact of a block on a bending wall", function()
  it("has no force at all, and closed ones are within their cones (200 seeds)", function()
    local open = 0
    for seed = 1, 200 do
      local rnd = random(seed)
      local nx, ny = 3 + math.floor(2.5 * (rnd() + 1)), 1 + math.floor(1.5 * (rnd() + 1))
      local st = structure{}
      local grid = st:grid{ corner = { 0, 0 }, size = { 2, 1 }, cells = { nx, ny }, E = 1e6 * 10 ^ rnd(), nu = 0.3 }
      local wall = {}
      for i = 1, nx + 1 do wall[i] = st:node{ (i - 1) * 2 / nx, 0 } end
      for i = 1, nx do st:frame{ wall[i], wall[i + 1], E = 1e9, A = 0.01, I = 1e-5 } end
      for _, i in ipairs{ 1, nx + 1 } do st:fix(wall[i], "x", "y", "rotation") end
      for i = 1, nx + 1 do
        st:contact{ wall[i], grid[1][i], normal = { 0, 1 }, friction = 0.35 + 0.15 * rnd() }
        st:load(grid[ny + 1][i], { 1000 * rnd(), -10000 * (1 + rnd()) }, "growing")
      end
      for _, state in ipairs{ st:solve{ p = 1 }, st:follow{ to = 1 }:at(1) } do
        for i, c in ipairs(state.converged and state.contacts or {}) do
          local good = math.abs(c.tangential_force) <= c.contact.friction * c.normal_force * (1 + 1e-9) + 1e-9
          if c.state == "apart" then
            open = open + 1
            good = c.opening > 0 and c.normal_force == 0 and c.tangential_force == 0
          end
          if not good then
            error(("seed %d, contact %d, %s: %g and %g N"):format(seed, i, c.state, c.normal_force, c.tangential_force))
          end
        end
      end
    end
    assert.is_true(open > 100, open)
  end)
end)
