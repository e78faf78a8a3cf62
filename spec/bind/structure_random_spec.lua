-- Random small structures: states judged from outside the solver, solutions counted by enumeration.
local lcp = require "delassus.lcp"
local near = require "spec.support.near"
local numbers = require "spec.support.random"
local structure = require "delassus.structure"

--- A block of a few quads over ground, perhaps a second one on it by nodes or by a mesh that does not match.
local function random_structure(seed)
  local random = numbers(seed)
  local function pick(n) return math.floor((random() + 1) / 2 * n) + 1 end
  local function friction() return pick(4) == 1 and 0 or 0.75 + 0.7 * random() end
  local st = structure { assumption = pick(2) == 1 and "plane strain" or "plane stress" }
  local nx = pick(2)
  local lower = st:grid { corner = { 0, 0 }, size = { nx, 1 }, cells = { nx, 1 }, E = 10, nu = 0.2 + 0.2 * random() }
  local pairs_made, loads = {}, {}
  local function load(node, x, y, growing)
    st:load(node, { x, y }, growing and "growing" or "constant")
    loads[#loads + 1] = { x, y, node = node, growing = growing }
  end
  local function contact(options)
    options.gap, options.friction = 0.02 * random(), friction()
    pairs_made[#pairs_made + 1] = { made = st:contact(options), options = options }
  end
  local tops = { lower[2] }
  if pick(2) == 1 then
    for i = 1, nx + 1 do contact { on = lower[1][i], normal = { 0.3 * random(), 1 } } end
    st:spring(lower[2][1], "x", 1 + random() / 2)
    st:spring(lower[2][1], "y", 1 + random() / 2)
    st:spring(lower[2][nx + 1], "y", 1 + random() / 2)
  else
    for i = 1, nx + 1 do st:fix(lower[1][i], "x", "y") end
    local upper = st:grid { corner = { 0, 1 }, size = { nx, 0.5 }, cells = { 1, 1 }, E = 7, nu = 0.3 }
    for i = 1, 2 do
      if pick(2) == 1 or nx == 1 then contact { lower[2][i == 1 and 1 or nx + 1], upper[1][i], normal = { 0, 1 } }
      else contact { { lower[2][i], lower[2][i + 1] }, upper[1][i], normal = { 0.2 * random(), 1 } } end
    end
    st:spring(upper[2][1], "x", 1)
    st:spring(upper[2][2], "y", 2)
    tops[2] = upper[2]
  end
  for _, top in ipairs(tops) do
    for _, node in ipairs(top) do
      load(node, 0.3 * random(), 0.3 * random() - 0.2)
      load(node, 0.5 * random(), 0.5 * random(), true)
    end
  end
  if pick(3) == 1 then st:displace(lower[2][nx + 1], "x", 0.02 * random(), "growing") end
  return st, pairs_made, loads
end

--- Raises unless the state obeys the law of contact and friction at every contact, and its openings and slips are
-- those of its displacements.
local function judge(state, made, what)
  local f_most, u_most = 1, 0.1 -- loads and displacements are at least of that size
  for _, pair in ipairs(made) do
    u_most = math.max(u_most, math.abs((state:displacement(pair.options.on or pair.options[2]))))
  end
  f_most = math.max(f_most, u_most)
  for i, pair in ipairs(made) do
    local c, o, contact = state.contacts[i], pair.options, pair.made
    local b, a = o.on or o[2], o[1]
    local n = contact.normal
    local ux, uy = state:displacement(b)
    if type(a) == "table" then
      local x1, x2, xb = a[1].position, a[2].position, b.position
      local share = (xb - x1):dot(x2 - x1) / (x2 - x1):dot(x2 - x1)
      local x, y = state:displacement(a[1])
      local xx, yy = state:displacement(a[2])
      ux, uy = ux - (1 - share) * x - share * xx, uy - (1 - share) * y - share * yy
    elseif a then
      local x, y = state:displacement(a)
      ux, uy = ux - x, uy - y
    end
    near(contact.gap + n.x * ux + n.y * uy, c.opening, 1e-10 * u_most, what .. ": opening")
    near(n.y * ux - n.x * uy, c.slip, 1e-10 * u_most, what .. ": slip")
    assert.is_true(c.opening >= 0 and c.normal_force >= 0, what)
    near(0, math.min(c.opening * 10, c.normal_force), 1e-9 * f_most, what .. ": complementarity")
    local most = contact.friction * c.normal_force
    assert.is_true(math.abs(c.tangential_force) <= most + 1e-9 * f_most, what .. ": Coulomb's bound")
    if c.state == "slip" then
      near(-most * (c.slip > 0 and 1 or -1), c.tangential_force, 1e-9 * f_most, what .. ": friction against slip")
    elseif c.state == "stick" then
      near(0, c.opening, 1e-12, what .. ": closed")
      near(0, c.slip, 1e-10 * u_most, what .. ": does not slip")
    end
  end
end

--- Forces and moments on the structure add up to nothing.
local function balance(state, st, made, p, loads)
  local x, y, m = 0, 0, 0
  local function add(node, fx, fy)
    local at = node.position
    x, y, m = x + fx, y + fy, m + at.x * fy - at.y * fx
  end
  for _, node in ipairs(st.nodes) do add(node, (state:reaction(node)), select(2, state:reaction(node))) end
  for _, load in ipairs(loads) do
    local s = load.growing and p or 1
    add(load.node, s * load[1], s * load[2])
  end
  for i, pair in ipairs(made) do
    if pair.options.on then
      local c, n = state.contacts[i], pair.made.normal
      add(pair.options.on, c.normal_force * n.x + c.tangential_force * n.y,
        c.normal_force * n.y - c.tangential_force * n.x)
    end
  end
  return math.max(math.abs(x), math.abs(y), math.abs(m))
end

--- The problem without the zero rows of contacts that have no friction.
local function reduced(st)
  local R, q, r = st:problem()
  local keep, M, qs, rs, m = {}, {}, {}, {}, #q // 3
  for i = 1, #q do if i <= m or st.contacts[(i - 1) % m + 1].friction > 0 then keep[#keep + 1] = i end end
  for a, i in ipairs(keep) do
    M[a], qs[a], rs[a] = {}, q[i], r[i]
    for b, j in ipairs(keep) do M[a][b] = R[i][j] end
  end
  return M, qs, rs
end

describe("random structures", function()
  it("have states that obey the law, residual from outside, and as many as enumeration finds", function()
    local solved, refused = 0, 0
    for seed = 1, 200 do
      local st, made = random_structure(seed)
      local M, q, r = reduced(st)
      local path = st:follow { to = 2 }
      for _, p in ipairs { 0, 0.7, 2 } do
        local what, rhs = ("seed %d, p = %g"):format(seed, p), {}
        for i = 1, #q do rhs[i] = q[i] + p * r[i] end
        local all = lcp.solve { M = M, q = rhs, method = "enumerate" }
        local state = st:solve { p = p }
        local n_found = 0
        for _, solution in ipairs(all.solutions) do -- a mechanism's is 1e12 m and more: round-off, inverted
          n_found = n_found + (math.max(0, table.unpack(solution.z:totable())) < 1e6 and 1 or 0)
        end
        assert.equal(n_found > 0, state.converged, what)
        if state.converged then
          solved = solved + 1
          judge(state, made, what)
        else
          refused = refused + 1
        end
        for _, met in ipairs(path:all(p)) do judge(met, made, what .. " on the path") end
      end
    end
    assert.is_true(solved > 500, ("%d solved, %d without a solution"):format(solved, refused))
  end)

  it("are in balance: loads, supports, springs, contacts with the ground; the exact sum is zero", function()
    for seed = 1, 200 do
      local st, made, loads = random_structure(seed)
      for _, p in ipairs { 0, 1.3 } do
        local state = st:solve { p = p }
        local size = 1 -- of forces: loads, and stiffness 10 times displacement
        for _, node in ipairs(st.nodes) do size = math.max(size, 10 * math.abs((state:displacement(node)))) end
        if state.converged then near(0, balance(state, st, made, p, loads), 1e-12 * size, "seed " .. seed) end
      end
    end
  end)
end)
