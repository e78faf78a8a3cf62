local core = require "delassus.core"
local trees = require "support.trees"

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
    for seed = 1, 200 do
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
    assert.is_true(packed >= 200)
  end)

  it("leaves chains of hinges and other joints to the plain path", function()
    local links = {}
    for i = 1, 30 do
      links[i] = { motions = { { "rotate", { 1, 0, 0 } } }, parent = i - 1, mass = 1, inertia = { 1, 1, 1, 0, 0, 0 } }
    end
    assert.is_false(core.forest({ links = links }):wide())
    for i = 1, 30 do links[i] = { motions = { { "slide", { 1, 0, 0 } } }, mass = 1 } end
    assert.is_false(core.forest({ links = links }):wide())
  end)
end)

describe("a chain of balls cut into eight segments", function()
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
    for seed = 1, 200 do
      local n = 24 + seed % 37
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

  it("keeps its digits at a thousand links (residual)", function()
    local forest = chain(5, 1000)
    local want = forest:accelerations()
    assert.is_true(forest:wide())
    forest:evaluate("fast", 1)
    local off = trees.distance(forest:udot(), want) / trees.largest(want)
    assert.is_true(off <= 2e-12, off)
  end)
end)
