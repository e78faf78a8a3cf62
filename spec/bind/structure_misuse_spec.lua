-- What a structure refuses, and how it says so; what floats; non-unique and unsolvable loads in words.
local delassus = require "delassus"
local near = require "spec.support.near"
local structure = require "delassus.structure"

local function refuses(pattern, call) assert.error_matches(call, pattern) end

describe("a structure", function()
  it("refuses what is no description, naming function, option and rule", function()
    local st = structure {}
    local a, b = st:node { 0, 0 }, st:node { 1, 0 }
    local other = structure {}:node { 0, 0 }
    refuses("structure: 'assumption' must be one of 'plane strain', 'plane stress', got 'plane'",
      function() structure { assumption = "plane" } end)
    refuses("structure: 'thickness' must be > 0, got %-1", function() structure { thickness = -1 } end)
    refuses("structure: unknown option 'tickness' %(did you mean 'thickness'%?%)", function() structure { tickness = 1 } end)
    refuses("structure:node: expected 2 numbers, got 3", function() st:node { 1, 2, 3 } end)
    refuses("structure:frame: 'I' is required", function() st:frame { a, b, E = 1, A = 1 } end)
    refuses("structure:frame: nodes 1 and 1 are in one place", function() st:frame { a, a, E = 1, A = 1, I = 1 } end)
    refuses("structure:bar: 'E' must be > 0, got %-1", function() st:bar { a, b, E = -1, A = 1 } end)
    refuses("structure:bar: 'b' must be a node of this structure, got one of another",
      function() st:bar { a, other, E = 1, A = 1 } end)
    refuses("structure:bar: unknown option 'I'", function() st:bar { a, b, E = 1, A = 1, I = 1 } end)
    refuses("structure:contact: 'friction' must be >= 0, got %-0.1",
      function() st:contact { a, b, normal = { 0, 1 }, friction = -0.1 } end)
    refuses("structure:contact: 'normal' is required", function() st:contact { a, b } end)
    refuses("structure:contact: 'normal' must not be zero", function() st:contact { a, b, normal = { 0, 0 } } end)
    refuses("structure:contact: node 1 cannot touch itself", function() st:contact { a, a, normal = { 0, 1 } } end)
    refuses("structure:contact: 'on' stands alone", function() st:contact { a, on = b, normal = { 0, 1 } } end)
    refuses("structure:spring: 'stiffness' must be >= 0, got %-3", function() st:spring(a, "y", -3) end)
    refuses("structure:fix: 'displacement' must be one of 'x', 'y', 'rotation', got 'z'", function() st:fix(a, "z") end)
    refuses("structure:load: 'force' must be a list of 2 numbers", function() st:load(a, 3) end)
    refuses("structure:load: 'force' must be {fx, fy} or {fx, fy, moment}, got 4 numbers",
      function() st:load(a, { 1, 2, 3, 4 }) end)
    refuses("structure:load: 'force' must be a list of numbers, got FILE%*", function() st:load(a, io.stdout) end)
    refuses("structure:load: 'force'%[2%] must be a finite number", function() st:load(a, { 1, 0 / 0 }) end)
    refuses("structure:load: 'when' must be one of 'constant', 'growing', got 'later'",
      function() st:load(a, { 1, 0 }, "later") end)
    refuses("structure:load: expected a node of this structure, got nil", function() st:load(nil, { 1, 0 }) end)
    refuses("structure:heat: expected an element of this structure, got delassus.StructureNode",
      function() st:heat(a, 1) end)
    refuses("structure:grid: 'cells' must be two whole numbers >= 1",
      function() st:grid { size = { 1, 1 }, cells = { 0, 2 }, E = 1, nu = 0 } end)
    refuses("structure:follow: 'to' must be >= 0, got %-1", function() st:follow { to = -1 } end)
    local whole = structure {}
    local c, d = whole:node { 0, 0 }, whole:node { 1, 0 }
    whole:fix(c, "x", "y")
    whole:fix(d, "y")
    whole:bar { c, d, E = 1, A = 1 }
    local path = whole:follow { to = 1 }
    refuses("path:step: 'k' must be a whole number, got 'x'", function() path:step("x") end)
    refuses("path:step: 'k' must be a whole number, got nil", function() path:step() end)
    refuses("structure:commit: expected a state of this structure, got 3", function() st:commit(3) end)
    refuses("unknown property 'contactz' %(did you mean 'contact'%?%)", function() return st.contactz end)
    assert.equal(2, st.n_nodes) -- nothing was added
    assert.equal(0, st.n_elements)
    assert.equal(0, #st.contacts)
  end)

  it("blames the line of the caller", function()
    local good, message = pcall(function() structure {}:node { 1 } end)
    assert.is_false(good)
    assert.matches("structure_misuse_spec.lua:%d+: structure:node", message)
  end)

  it("leaves nodes out on which nothing hangs, and refuses loads on them by number", function()
    local st = structure {}
    local a, b, alone = st:node { 0, 0 }, st:node { 1, 0 }, st:node { 2, 0 }
    st:bar { a, b, E = 1, A = 1 }
    st:fix(a, "x", "y")
    st:fix(b, "y")
    assert.is_true(st:solve({}).converged)
    near(0, (st:solve({}):displacement(alone)), 0, "absent")
    st:load(alone, { 0, 1 }, "growing")
    refuses("structure:follow: node 3 is loaded, but nothing hangs on it", function() st:follow {} end)
    st:load(alone, { 0, -1 }, "growing")
    st:load(b, { 0, 0, 1 })
    refuses("structure:solve: node 2 is loaded by a moment, but has no rotation", function() st:solve {} end)
  end)

  it("that can float says which part and which motion", function()
    local st = structure {}
    local n = {}
    for i = 1, 6 do n[i] = st:node { i, 0 } end
    st:frame { n[1], n[2], E = 1, A = 1, I = 1 }
    st:frame { n[4], n[5], E = 1, A = 1, I = 1 }
    st:fix(n[1], "x", "y", "rotation")
    refuses("the part of node 4 %(2 nodes%) is free to move, 'x', 'y', 'rotation'", function() st:solve {} end)
    st:fix(n[4], "y")
    refuses("the part of node 4 %(2 nodes%) is free to move, 'x', 'rotation'", function() st:solve {} end)
    st:contact { n[2], n[4], normal = { 1, 0 } }
    refuses("node 4 %(2 nodes%) is free to move, 'rotation'", function() st:solve {} end)
    st:contact { on = n[5], normal = { 0, 1 } } -- contacts count as support where they can act
    assert.is_true(st:solve({}).converged)
    st:bar { n[5], n[6], E = 1, A = 1 }
    refuses("at node 6 nothing resists 'y'", function() st:solve {} end)
    st:spring(n[6], "y", 1)
    assert.is_true(st:solve({}).converged)
  end)

  it("that contacts hold by friction alone does not float", function()
    local st = structure {}
    local a, b = st:node { 0, 0 }, st:node { 1, 0 }
    st:frame { a, b, E = 1, A = 1, I = 1 }
    st:contact { on = a, normal = { 0, 1 } }
    local last = st:contact { on = b, normal = { 0, 1 } }
    refuses("free to move, 'x'", function() st:solve {} end)
    st:contact { on = b, normal = { 1, 0 } }
    st:load(a, { -0.1, -1 })
    st:load(b, { 0, -1 })
    assert.is_true(st:solve({}).converged)
    assert.equal(2, last.index)
  end)

  it("refuses a contact whose sides are both held along the normal, by number", function()
    local st = structure {}
    local a, b = st:node { 0, 0 }, st:node { 1, 0 }
    st:bar { a, b, E = 1, A = 1 }
    st:fix(a, "x", "y")
    st:fix(b, "y")
    st:contact { on = b, normal = { 1, 0 } }
    st:contact { on = a, normal = { 0, 1 } }
    refuses("contact 2: both of its sides are held along the normal", function() st:solve {} end)
  end)

  it("once closed says so; its states live on", function()
    local st = structure {}
    local a, b = st:node { 0, 0 }, st:node { 1, 0 }
    st:bar { a, b, E = 1, A = 1 }
    st:fix(a, "x", "y")
    st:fix(b, "y")
    st:load(b, { 2, 0 })
    local state = st:solve {}
    st:close()
    st:close()
    refuses("attempt to use a closed structure", function() st:solve {} end)
    refuses("attempt to use a node of a closed structure", function() return a.position end)
    near(2, (state:displacement(b)), 1e-15, "x")
    assert.matches("closed", tostring(st))
  end)

  it("keeps states as they were when it is changed", function()
    local st = structure {}
    local a, b = st:node { 0, 0 }, st:node { 1, 0 }
    local bar = st:bar { a, b, E = 1, A = 1 }
    st:fix(a, "x", "y")
    st:fix(b, "y")
    st:load(b, { 2, 0 })
    local state = st:solve {}
    st:load(b, { 2, 0 })
    local c = st:node { 2, 0 }
    near(2, (state:internal(bar)), 1e-15, "N")
    near(4, (st:solve({}):internal(bar)), 1e-15, "N now")
    refuses("state:displacement: it was added after this state was computed", function() state:displacement(c) end)
    refuses("state:stress: only a quad has stresses", function() state:stress(bar) end)
    assert.equal(a, st.nodes[1])
    assert.equal(a, bar.nodes[1])
  end)

  it("pulled off its only support has no state, and says so", function()
    local st = structure {}
    local a = st:node { 0, 0 }
    st:spring(a, "x", 1)
    st:contact { on = a, normal = { 0, 1 } }
    st:load(a, { 0, 1 }, "growing")
    local state = st:solve {}
    assert.is_false(state.converged)
    assert.equal("none", state.status)
    assert.equal(0, state.solutions)
    assert.matches("There is no state of equilibrium at p = 1", state.explanation)
    st:load(a, { 0, -1 })
    local path = st:follow { to = 3 }
    assert.equal("mechanism", path.status)
    near(1, path.p_limit, 1e-14, "p_limit")
    st:load(a, { 0, 2 })
    assert.equal("unsolved", st:follow({ to = 3 }).status)
    assert.is_nil(st:follow({ to = 3 }):at(0))
    assert.matches("does not begin", st:follow({ to = 3 }).explanation)
  end)
end)

describe("a hook that raises, as Ctrl-C does,", function()
  --- Calls f with a hook that raises when the core asks for the n-th time.
  local function interrupted(n, f)
    local count = 0
    debug.sethook(function()
      local who = debug.getinfo(2, "nS")
      if who.what ~= "C" or who.name then return end
      count = count + 1
      if count == n then error("enough", 0) end
    end, "c")
    local ok, what = pcall(f)
    debug.sethook()
    return not ok and what == "enough"
  end

  it("ends a long factorisation and a long path, and leaves the structure as it was", function()
    local st = structure {}
    local grid = st:grid { corner = { 0, 0 }, size = { 1, 1 }, cells = { 130, 130 }, E = 1, nu = 0.3 }
    for i = 1, 131 do
      st:contact { on = grid[1][i], normal = { 0, 1 }, friction = 0.2 }
      st:load(grid[131][i], { 0, -1 })
      st:load(grid[131][i], { 0.1, 0.2 * i / 131 }, "growing")
    end
    assert.is_true(interrupted(2, function() st:follow { to = 1 } end))
    local path = st:follow { to = 1 }
    assert.equal("reached", path.status)
    assert.is_true(path.converged)
  end)
end)

describe("a block that hangs from one corner once it has left its supports", function()
  it("is a mechanism there, however it lies, whatever round-off says (agreement), 100 seeds in four positions", function()
    local told = {}
    for seed = 1, 100 do
      local random, limits = delassus.random(seed), {}
      local shift = {}
      for i = 1, 4 do shift[i] = { random:uniform(-0.15, 0.15), random:uniform(-0.15, 0.15) } end
      local E, pull = 10 ^ random:uniform(6, 10), random:uniform(500, 3000)
      for position = 1, 4 do
        local turned, mirrored = position % 2 == 0, position > 2
        local function vec(x, y)
          if mirrored then x = -x end
          if turned then x, y = -y, x end
          return { x, y }
        end
        local st = structure {}
        local corner, at = {}, { { 0, 0 }, { 1, 0 }, { 2, 1 }, { -0.5, 1 } }
        for i = 1, 4 do
          local dx, dy = i > 2 and shift[i][1] or 0, i > 2 and shift[i][2] or 0
          corner[i] = st:node(vec(at[i][1] + dx, at[i][2] + dy))
        end
        st:quad { corner[1], corner[2], corner[3], corner[4], E = E, nu = 0.3 }
        for i = 1, 2 do st:contact { on = corner[i], normal = vec(0, 1), gap = 1e-6 * shift[i][1] } end
        st:spring(corner[4], turned and "y" or "x", 1e5)
        st:spring(corner[4], turned and "x" or "y", 2e4)
        st:load(corner[3], vec(0, -1000))
        st:load(corner[3], vec(300, pull), "growing")
        local path = st:follow { to = position == 1 and math.huge or 50 }
        local function tell(what) told[#told + 1] = ("seed %d, position %d: %s"):format(seed, position, what) end
        if path.status ~= "mechanism" then tell(path.status) end
        if path:at(math.min(path.p_limit, 1e3) * 1.01) then tell "goes on" end
        limits[position] = path.p_limit
        if math.abs(limits[position] - limits[1]) > 1e-8 then tell "p_limit" end
        local state = st:solve { p = math.min(path.p_limit, 1e3) * 1.01 }
        if state.converged or state.status == "solved" then tell "solved" end
      end
    end
    assert.is_true(#told == 0, table.concat(told, "\n"))
  end)
end)
