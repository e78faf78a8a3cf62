-- Contacts whose links repeat others, and contacts far away, beside loads that are small against stiffness times gap.
local delassus = require "delassus"
local near = require "spec.support.near"
local numbers = require "spec.support.random"
local structure = require "delassus.structure"

--- A bar on rough ground, pulled at its end, before a wall at the distance `gap` from there (nil: no wall).
local function rough_bar(gap)
  local st, n = structure {}, {}
  for i = 0, 4 do n[i] = st:node { i, 0 } end
  for i = 1, 4 do st:bar { n[i - 1], n[i], E = 2e11, A = 1e-2 } end
  for i = 0, 4 do
    st:contact { on = n[i], normal = { 0, 1 }, friction = 0.3 }
    st:load(n[i], { 0, -1000 })
  end
  st:load(n[4], { 1, 0 }, "growing")
  if gap then st:contact { on = n[4], normal = { -1, 0 }, gap = gap, friction = 0.3 } end
  return st
end

describe("a bar on rough ground before a wall", function()
  it("slips node by node at 300 N each, whatever the distance of the wall, exact", function()
    for _, gap in ipairs { 1e-4, 1e-3, 1e-2, 0.1, 1, 10 } do
      local st = rough_bar(gap)
      local path = st:follow { to = 1400 }
      assert.equal(4, #path.events)
      for k, event in ipairs(path.events) do near(300 * k, event.p, 1e-3, "event") end
      for _, p in ipairs { 100, 533, 966, 1399 } do
        for _, state in ipairs { path:at(p), st:solve { p = p } } do
          assert.is_true(state.converged)
          for i = 1, 5 do
            local before = 300 * (5 - i) -- what nodes nearer to the end take at most
            near(-math.max(0, math.min(300, p - before)), state.contacts[i].tangential_force, 1e-8,
              ("gap %g, p %g, node %d"):format(gap, p, i))
          end
        end
      end
    end
  end)
end)

describe("bars that slip one after the other beside a third before a far wall", function()
  it("do so in their own order, at mu N over their pull, exact", function()
    for _, gap in ipairs { 1e-3, 0.1, 1, 10, 100 } do
      local st, ends = structure {}, {}
      for i, y in ipairs { 0, 5, 9 } do
        local a, b = st:node { 0, y }, st:node { 1, y }
        st:bar { a, b, E = 2e11, A = 1e-2 }
        st:fix(a, "x", "y")
        ends[i] = b
      end
      st:fix(ends[3], "y")
      for i = 1, 2 do
        st:contact { on = ends[i], normal = { 0, 1 }, friction = 0.5 }
        st:load(ends[i], { 0, i == 1 and -200 or -600 })
        st:load(ends[i], { i, 0 }, "growing")
      end
      st:contact { on = ends[3], normal = { -1, 0 }, gap = gap }
      local path = st:follow { to = 200 }
      near(100, path.events[1].p, 1e-6, "first")
      near(150, path.events[2].p, 1e-6, "second")
      for _, state in ipairs { path:at(120), st:solve { p = 120 } } do
        assert.is_true(state.converged)
        near(-100, state.contacts[1].tangential_force, 1e-9, "slips")
        near(-240, state.contacts[2].tangential_force, 1e-9, "sticks")
      end
    end
  end)
end)

describe("parts of one structure whose loads differ", function()
  it("slip each in its own order, at mu N over their pull, exact: up to 1e9 : 1", function()
    for power = 0, 9, 3 do
      local ratio, st = 10 ^ power, structure {}
      for i = 1, 4 do
        local s, k = i > 2 and ratio or 1, (i - 1) % 2 + 1
        local a, b = st:node { 0, i }, st:node { 1, i }
        st:bar { a, b, E = 2e5 * s, A = 1 }
        st:fix(a, "x", "y")
        st:contact { on = b, normal = { 0, 1 }, friction = 0.5 }
        st:load(b, { 0, (k == 1 and -200 or -600) * s })
        st:load(b, { k * s, 0 }, "growing")
      end
      local path = st:follow { to = 200 }
      for k, p in ipairs { 100, 100, 150, 150 } do near(p, path.events[k].p, 1e-9, "event") end
      for _, state in ipairs { path:at(120), st:solve { p = 120 } } do
        for i = 1, 4 do
          near(i % 2 == 1 and -100 or -240, state.contacts[i].tangential_force / (i > 2 and ratio or 1), 1e-6,
            ("1e%d : 1, part %d"):format(power, i))
        end
      end
    end
  end)
end)

describe("a node between two stops", function()
  it("that both press has no state, and says so", function()
    local st = structure {}
    local a, b = st:node { 0, 0 }, st:node { 1, 0 }
    st:bar { a, b, E = 10, A = 1 }
    st:fix(a, "x", "y")
    st:fix(b, "y")
    st:contact { on = b, normal = { 1, 0 }, gap = -0.1 }
    st:contact { on = b, normal = { -1, 0 }, gap = -0.1 }
    st:load(b, { 1, 0 }, "growing")
    for _, state in ipairs { st:solve {}, st:follow {}:at(1) } do
      assert.is_false(state.converged)
      assert.is_true(state.residual > 0.1)
      assert.matches("gaps press contacts against one another", state.explanation)
    end
  end)
end)

--- A chain of bars on springs in both directions, several walls at some of its nodes.
local function random_chain(seed)
  local random = numbers(seed)
  local function between(a, b) return a + (b - a) * (random() + 1) / 2 end
  local function pick(n) return math.floor((random() + 1) / 2 * n) + 1 end
  local EA, size = 10 ^ between(0, 9), 10 ^ between(-2, 1)
  local load = EA * 10 ^ between(-6, -3)
  local st = structure {}
  local n = 2 + pick(4)
  local chain = { st = st, EA = EA, bars = {}, springs = {}, loads = {}, pairs = {}, nodes = {} }
  for i = 1, n do chain.nodes[i] = st:node { size * i, size * random() / 3 } end
  for i = 2, n do chain.bars[i - 1] = st:bar { chain.nodes[i - 1], chain.nodes[i], E = EA, A = 1 } end
  for i = 1, n do
    local k = EA / size * between(0.01, 0.3)
    chain.springs[i] = k
    st:spring(chain.nodes[i], "x", k)
    st:spring(chain.nodes[i], "y", k)
    chain.loads[i] = { load * random(), load * random(), load * random(), load * random() }
    st:load(chain.nodes[i], { chain.loads[i][1], chain.loads[i][2] })
    st:load(chain.nodes[i], { chain.loads[i][3], chain.loads[i][4] }, "growing")
  end
  for _ = 1, 2 + pick(3) do
    local b, angle = pick(2), math.pi * random()
    local made = st:contact { on = chain.nodes[b], normal = { math.cos(angle), math.sin(angle) },
      gap = pick(5) == 1 and 0 or size * 10 ^ between(-7, -1), friction = pick(4) == 1 and 0 or between(0.05, 1.3) }
    chain.pairs[#chain.pairs + 1] = { b = b, made = made }
  end
  return chain, between(0, 2)
end

--- Forces on every node and the law at every contact, from displacements alone; t: the tightening.
local function judge(chain, state, p, t, what)
  local u, f, u_most, f_most = {}, {}, 0, 0
  for i, node in ipairs(chain.nodes) do
    local x, y = state:displacement(node)
    local l, k = chain.loads[i], chain.springs[i]
    u[i], f[i] = { x, y }, { l[1] + p * l[3] - k * x, l[2] + p * l[4] - k * y }
    u_most = math.max(u_most, math.abs(x), math.abs(y))
    f_most = math.max(f_most, math.abs(l[1]) + p * math.abs(l[3]), math.abs(l[2]) + p * math.abs(l[4]))
  end
  for i in ipairs(chain.bars) do
    local along = chain.nodes[i + 1].position - chain.nodes[i].position
    local length = along:norm()
    local e = (1 / length) * along
    local N = chain.EA / length * (e.x * (u[i + 1][1] - u[i][1]) + e.y * (u[i + 1][2] - u[i][2]))
    f_most = math.max(f_most, math.abs(N))
    for d = 1, 2 do f[i][d], f[i + 1][d] = f[i][d] + N * e[d], f[i + 1][d] - N * e[d] end
  end
  for i, pair in ipairs(chain.pairs) do
    local c, n, b, mu = state.contacts[i], pair.made.normal, pair.b, pair.made.friction
    local N, T = c.normal_force - t, c.tangential_force -- without the tightening
    local most = mu * N + (mu == 0 and 0 or mu < 1 and t or t * (1 + mu))
    f[b][1], f[b][2] = f[b][1] + N * n.x + T * n.y, f[b][2] + N * n.y - T * n.x
    f_most = math.max(f_most, N, math.abs(T), t)
    u_most = math.max(u_most, c.opening)
    near(pair.made.gap + n.x * u[b][1] + n.y * u[b][2], c.opening, 1e-10 * u_most, what .. ": opening")
    near(n.y * u[b][1] - n.x * u[b][2], c.slip, 1e-10 * u_most, what .. ": slip")
    near(0, math.min(c.opening / u_most, (N + t) / f_most), 1e-9, what .. ": complementarity")
    near(0, math.max(0, math.abs(T) - most), 1e-9 * f_most, what .. ": Coulomb's bound")
    if c.state == "slip" then near(-most * (c.slip > 0 and 1 or -1), T, 1e-9 * f_most, what .. ": against slip") end
  end
  for i in ipairs(chain.nodes) do
    for d = 1, 2 do near(0, f[i][d], 1e-9 * f_most, what .. ": balance of node " .. i) end
  end
end

describe("several walls at one node, at any distances", function()
  it("leave states that obey the law, residual from outside (300 seeds)", function()
    local judged, told = 0, 0
    for seed = 1, 300 do
      local chain, p = random_chain(seed)
      local t = seed % 3 == 0 and math.abs(chain.loads[1][1]) or 0
      local states = { chain.st:solve { p = p }, table.unpack(chain.st:follow { to = 2, tightening = t }:all(p)) }
      for k, state in ipairs(states) do
        if state.converged then
          judge(chain, state, p, k > 1 and t or 0, ("seed %d, p %g, state %d"):format(seed, p, k))
          judged = judged + 1
        else
          told = told + 1
        end
      end
    end
    assert.is_true(judged > 560, ("%d states judged"):format(judged))
    assert.is_true(told <= 6, ("%d states not found"):format(told))
  end)

  it("is told of a path that ends where friction jams a node that is moved: no state is there (200 seeds)", function()
    local told = 0
    for seed = 1, 200 do
      local random = delassus.random(seed)
      local st = structure{}
      local a, b = st:node{ 0, 0 }, st:node{ 1, 0 }
      local turn = random:uniform(0.3, 0.5)
      st:bar{ a, b, E = 10, A = 1 }
      st:fix(a, "x", "y")
      st:spring(b, "y", random:uniform(5, 20))
      st:displace(b, "x", -random:uniform(1e-3, 5e-3))
      st:contact{ on = b, normal = { math.cos(turn), -math.sin(turn) }, gap = 0, friction = random:uniform(0.1, 0.9) }
      st:load(b, { 0, -1e-3 }, "growing")
      local path = st:follow{ to = 1 }
      local state = path:at(1)
      if state and not state.converged then
        told = told + 1
        assert.is_false(path.converged, "seed " .. seed)
        assert.is_true(path.residual >= state.residual, "seed " .. seed)
      end
    end
    assert.is_true(told > 20, told)
  end)
end)
