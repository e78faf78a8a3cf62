local core = require "delassus.core"
local trees = require "support.trees"
local seeds = require "support.seeds"

-- A bushy forest of hinges, balls and free roots.
local function bush(seed)
  local r = trees.random(seed)
  local links, q, n_u, n = {}, {}, 0, 40 + r.count(40)
  for i = 1, n do
    local root = i == 1 or r.count(6) == 1
    local kind = ({ "revolute", "revolute", "spherical" })[r.count(3)]
    if root and r.count(2) == 1 then kind = "free" end
    local a, b, c = 0.1 + math.random(), 0.1 + math.random(), 0.1 + math.random()
    local link = { parent = root and 0 or math.max(1, i - r.count(12)), mass = 0.5 + math.random(),
      com = r.list(3, 0.3), inertia = { b + c, a + c, a + b, 0.01, -0.02, 0.03 }, position = r.list(3, 1),
      rotation = r.rotation(), child_position = kind ~= "free" and r.list(3, 0.4) or nil }
    n_u = n_u + trees.joints[kind](r, link, q)
    links[i] = link
  end
  local forest = core.forest { links = links, gravity = { 0.1, 0.2, -9.81 } }
  return forest:set { q = q, u = r.list(n_u, 1), tau = r.list(n_u, 1) }
end

describe("a bushy forest in lanes", function()
  it("has the accelerations of the plain path, the same bits on every path (agreement)", function()
    local packed = 0
    for seed = 1, seeds(200) do
      local forest = bush(seed)
      local want, first = forest:accelerations(), nil
      for path = 0, 2 do
        if forest:wide(path) then
          packed = packed + 1
          forest:evaluate("fast", 1)
          local got = forest:udot()
          local off = trees.distance(got, want) / math.max(1, trees.largest(want))
          assert.is_true(off <= 1e-12, ("seed %d path %d: %g"):format(seed, path, off))
          first = first or got
          for i = 1, #got do assert.is_true(got[i] == first[i], ("seed %d path %d"):format(seed, path)) end
        end
      end
    end
    assert.is_true(packed >= seeds(200))
  end)

  it("has them where limbs of one body fill four lanes and no more (agreement)", function()
    for seed = 1, seeds(200) do
      local r = trees.random(seed)
      local links, q, n_u = {}, {}, 0
      local function add(parent, kind)
        local a, b, c = 0.1 + math.random(), 0.1 + math.random(), 0.1 + math.random()
        links[#links + 1] = { parent = parent, mass = 0.5 + math.random(), com = r.list(3, 0.3), position = r.list(3, 1),
          inertia = { b + c, a + c, a + b, 0.01, -0.02, 0.03 }, rotation = r.rotation() }
        n_u = n_u + trees.joints[kind](r, links[#links], q)
        return #links
      end
      local body = add(0, r.count(2) == 1 and "free" or "spherical")
      for limb = 1, 3 + seed % 2 do
        local at, kind = body, limb < 3 and "revolute" or ({ "revolute", "spherical" })[r.count(2)]
        for _ = 1, 3 + r.count(4) do at = add(at, kind) end
      end
      local forest = core.forest { links = links, gravity = { 0.1, 0.2, -9.81 } }
      forest:set { q = q, u = r.list(n_u, 1), tau = r.list(n_u, 1) }
      local want, first = forest:accelerations(), nil
      for path = 0, 2 do
        if forest:wide(path) then
          forest:evaluate("fast", 1)
          local got = forest:udot()
          local off = trees.distance(got, want) / math.max(1, trees.largest(want))
          assert.is_true(off <= 1e-12, ("seed %d path %d: %g"):format(seed, path, off))
          first = first or got
          for i = 1, #got do assert.is_true(got[i] == first[i], ("seed %d path %d"):format(seed, path)) end
        end
      end
    end
  end)

  it("leaves other joints to the plain path", function()
    local links = {}
    for i = 1, 30 do links[i] = { motions = { { "slide", { 1, 0, 0 } } }, mass = 1 } end
    assert.is_false(core.forest({ links = links }):wide())
  end)
end)

describe("a sparse forest, vectors side by side in registers", function()
  -- Chains and twigs of hinges, balls and free roots, too thin for lanes.
  local function twigs(seed)
    local r = trees.random(seed)
    local links, q, n_u = {}, {}, 0
    local thin = r.count(2) == 1
    for i = 1, r.count(20) do
      local root = i == 1 or not thin and r.count(9) == 1
      local kind = ({ "revolute", "revolute", "spherical" })[r.count(3)]
      if root and r.count(2) == 1 then kind = "free" end
      local a, b, c = 0.1 + math.random(), 0.1 + math.random(), 0.1 + math.random()
      local link = { parent = root and 0 or math.max(1, i - (thin and 1 or r.count(3))), mass = 0.5 + math.random(),
        com = r.list(3, 0.3), inertia = { b + c, a + c, a + b, 0.01, -0.02, 0.03 }, position = r.list(3, 1),
        rotation = r.rotation(), child_position = kind ~= "free" and r.list(3, 0.4) or nil }
      n_u = n_u + trees.joints[kind](r, link, q)
      links[i] = link
    end
    local forest = core.forest { links = links, gravity = { 0.1, 0.2, -9.81 } }
    return forest:set { q = q, u = r.list(n_u, 1), tau = r.list(n_u, 1) }
  end

  it("has the bits of the plain path (agreement)", function()
    local wide = 0
    for seed = 1, seeds(300) do
      local forest = twigs(seed)
      local want = forest:accelerations()
      for path = 0, 2 do
        local ok, chosen = pcall(forest.wide, forest, path)
        forest:evaluate("fast", 1)
        local got = forest:udot()
        if ok and chosen then wide = wide + 1 end
        local off = trees.distance(got, want) / math.max(1, trees.largest(want))
        assert.is_true(off <= 1e-12, ("seed %d path %d: %g"):format(seed, path, off))
      end
    end
    assert.is_true(wide > 0)
  end)

  local function chain_of_hinges(n, q)
    local links, all = {}, {}
    local r = trees.random(n)
    for i = 1, n do
      links[i] = { motions = { { "rotate", r.list(3, 1) } }, parent = i - 1, mass = 1, com = r.list(3, 0.2),
        position = r.list(3, 0.5), inertia = { 0.2, 0.3, 0.25, 0.01, -0.02, 0.03 } }
      all[i] = q and q(i) or 2 * math.random() - 1
    end
    local forest = core.forest { links = links, gravity = { 0.1, 0.2, -9.81 } }
    return forest:set { q = all, u = r.list(n, 1), tau = r.list(n, 1) }, links
  end

  local function same_bits(forest, text)
    local want = forest:accelerations()
    for path = 0, 2 do
      forest:wide(path)
      forest:evaluate("fast", 1)
      local got = forest:udot()
      for i = 1, #got do assert.is_true(got[i] == want[i], ("%s, path %d, number %d"):format(text, path, i)) end
    end
  end

  it("has them for short chains of hinges and for combs of them, also at large angles", function()
    for n = 1, 23 do same_bits(chain_of_hinges(n), n .. " hinges") end
    same_bits(chain_of_hinges(9, function(i) return i % 2 == 0 and 1e7 + i or -3e5 - i end), "large angles")
    for n = 24, 60 do -- a second chain from the middle: not cut into segments
      local _, links = chain_of_hinges(n)
      for i = n // 2 + 1, n do links[i].parent = i == n // 2 + 1 and 1 or i - 1 end
      local forest, r = core.forest { links = links, gravity = { 0.1, 0.2, -9.81 } }, trees.random(n)
      same_bits(forest:set { q = r.list(n, 1), u = r.list(n, 1), tau = r.list(n, 1) }, n .. " hinges in two chains")
    end
  end)

  it("has them for short chains of balls", function()
    for seed = 1, seeds(200) do
      local r = trees.random(seed)
      local links, q, n = {}, {}, 1 + seed % 11
      for i = 1, n do
        links[i] = { parent = i - 1, mass = 0.5 + math.random(), com = r.list(3, 0.2), position = r.list(3, 0.5),
          inertia = { 0.2, 0.3, 0.25, 0.01, -0.02, 0.03 }, rotation = r.rotation(), child_position = r.list(3, 0.2) }
        trees.joints.spherical(r, links[i], q)
      end
      local forest = core.forest { links = links, gravity = { 0.1, 0.2, -9.81 } }
      same_bits(forest:set { q = q, u = r.list(3 * n, 1), tau = r.list(3 * n, 1) }, "seed " .. seed)
    end
  end)

  it("names the joint without inertia like the plain path", function()
    local _, links = chain_of_hinges(5)
    links[5].mass, links[5].inertia, links[5].com = 0, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0 }
    local forest = core.forest { links = links }
    forest:wide()
    local ok, message = pcall(forest.evaluate, forest, "fast", 1)
    assert.is_false(ok)
    assert.truthy(message:find("the joint of link 5 has a direction without inertia"), message)
  end)
end)

describe("a chain of balls cut into four or eight segments", function()
  local function chain(seed, n)
    local r = trees.random(seed)
    local links, q = {}, {}
    for i = 1, n do
      links[i] = { parent = i - 1, mass = 0.5 + math.random(), com = r.list(3, 0.2), position = r.list(3, 0.5),
        inertia = { 0.2, 0.3, 0.25, 0.01, -0.02, 0.03 }, rotation = r.rotation(), child_position = r.list(3, 0.2) }
      trees.joints.spherical(r, links[i], q)
    end
    local forest = core.forest { links = links, gravity = { 0.1, 0.2, -9.81 } }
    return forest:set { q = q, u = r.list(3 * n, 1), tau = r.list(3 * n, 1) }
  end

  it("has the accelerations of the plain path, the same bits on every path (agreement)", function()
    for seed = 1, seeds(200) do
      local n = seed % 10 == 0 and 118 + seed % 37 or 12 + seed % 49 -- four segments below 128
      local forest = chain(seed, n)
      local want, first = forest:accelerations("ldl"), nil
      for path = 0, 2 do
        if forest:wide(path) then
          forest:evaluate("fast", 1)
          local got = forest:udot()
          local off = trees.distance(got, want) / math.max(1, trees.largest(want))
          assert.is_true(off <= 1e-11, ("seed %d n %d path %d: %g"):format(seed, n, path, off))
          first = first or got
          for i = 1, #got do assert.is_true(got[i] == first[i], ("seed %d path %d"):format(seed, path)) end
        end
      end
      assert.truthy(first)
    end
  end)

  it("keeps its digits where it spins, and where most of the last segment lies beyond the tip (agreement)", function()
    for n = 12, 211 do
      local forest, r = chain(n, n), trees.random(n)
      forest:set { u = r.list(3 * n, 100), tau = r.list(3 * n, 1) }
      local want = forest:accelerations()
      for path = 0, 2 do
        if forest:wide(path) then
          forest:evaluate("fast", 1)
          local off = trees.distance(forest:udot(), want) / trees.largest(want)
          assert.is_true(off <= 2e-12, ("%d links path %d: %g"):format(n, path, off))
        end
      end
    end
  end)

  it("keeps its digits at a thousand links (residual)", function()
    local forest = chain(5, 1000)
    local want = forest:accelerations()
    assert.is_true(forest:wide())
    forest:evaluate("fast", 1)
    local off = trees.distance(forest:udot(), want) / trees.largest(want)
    assert.is_true(off <= 2e-12, off)
  end)
end)

describe("a chain of hinges cut into four or eight segments", function()
  local function chain(seed, n, change)
    local r = trees.random(seed)
    local links, q = {}, {}
    for i = 1, n do
      local a, b, c = 0.1 + math.random(), 0.1 + math.random(), 0.1 + math.random()
      links[i] = { motions = { { "rotate", r.list(3, 1) } }, parent = i - 1, mass = 0.5 + math.random(),
        com = r.list(3, 0.2), position = r.list(3, 0.5), inertia = { b + c, a + c, a + b, 0.01, -0.02, 0.03 },
        rotation = r.rotation(), child_position = r.list(3, 0.2) }
      q[i] = (seed % 7 == 0 and 1e7 or 3) * (2 * math.random() - 1)
      if change then change(links[i], i, q) end
    end
    local forest = core.forest { links = links, gravity = { 0.1, 0.2, -9.81 } }
    return forest:set { q = q, u = r.list(n, 1), tau = r.list(n, 1) }
  end

  -- The accelerations of all paths, which have one another's bits, and how far they are from the plain path's.
  local function evaluate(forest, text)
    local want, first = forest:accelerations(), nil
    for path = 0, 2 do
      if forest:wide(path) then
        forest:evaluate("fast", 1)
        local got = forest:udot()
        first = first or got
        for i = 1, #got do assert.is_true(got[i] == first[i], ("%s path %d"):format(text, path)) end
      end
    end
    assert.truthy(first, text)
    return trees.distance(first, want) / math.max(1, trees.largest(want))
  end

  it("has the accelerations of the plain path, the same bits on every path (agreement)", function()
    for seed = 1, seeds(200) do
      local n = seed % 10 == 0 and 118 + seed % 37 or 24 + seed % 40 -- four segments below 128
      local off = evaluate(chain(seed, n), ("seed %d n %d"):format(seed, n))
      assert.is_true(off <= 3e-14, ("seed %d n %d: %g"):format(seed, n, off))
    end
  end)

  it("keeps its digits at a thousand links (agreement)", function()
    local off = evaluate(chain(5, 1000), "1000 links")
    assert.is_true(off <= 3e-14, off) -- round-off of the pivots; 5e-15 was the most
  end)

  it("keeps them in the plane, where inertia across the axes grows with the cube of the length (agreement)", function()
    for _, n in ipairs { 24, 127, 128, 1000 } do
      local forest = chain(n, n, function(link, i, q)
        link.motions, link.rotation, link.child_position = { { "rotate", { 0, 0, 1 } } }, nil, nil
        link.position, link.com, q[i] = { 0.5, 0, 0 }, { 0.25, 0, 0 }, 1e-3 * q[i]
      end)
      local off = evaluate(forest, n .. " links")
      assert.is_true(off <= 3e-14, ("%d links: %g"):format(n, off))
    end
  end)

  it("leaves chains with links that hardly turn by themselves to the other paths (agreement)", function()
    local forest = chain(3, 40, function(link, i)
      if i % 9 == 0 then link.mass, link.com, link.inertia = 0, { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 } end
    end)
    assert.is_true(evaluate(forest, "massless links") == 0)
  end)
end)
