local core = require "delassus.core"
local json = require "support.json"
local trees = require "support.trees"
local samples = require "support.reference_trees"

local methods = { "fast", "ldl", "sweep", "dense" }

-- Rods of length 1 and mass 1 along x on hinges about -y, so that gravity's turn is positive.
local function rods(n)
  local links = {}
  for i = 1, n do
    links[i] = { parent = i - 1, position = { i > 1 and 1 or 0, 0, 0 }, motions = { { "rotate", { 0, -1, 0 } } },
      mass = 1, com = { 0.5, 0, 0 }, inertia = { 0.01, 1 / 12, 1 / 12, 0, 0, 0 } }
  end
  return core.forest { links = links, gravity = { 0, 0, -9.81 } }
end

describe("a horizontal chain of rods released at rest", function()
  it("has the accelerations and forces of the tridiagonal system (exact)", function()
    local alpha = { -12.438646408839778, 3.333232044198895, -0.894281767955801, 0.2438950276243094,
      -0.08129834254143646 }
    local force = { 2.8318922651933702, -0.7587845303867403, 0.20324585635359116, -0.05419889502762431,
      0.013549723756906077 }
    for _, method in ipairs(methods) do
      local f = rods(5)
      local udot, R, sum = f:accelerations(method), f:reactions(), 0
      for i = 1, 5 do
        sum = sum + udot[i]
        assert.near(alpha[i], sum, 1e-13 * 12.4)
        assert.near(force[i], R[i][6], 1e-13 * 10)
      end
    end
  end)
end)

describe("a plane double pendulum", function()
  it("has the accelerations of Lagrange's equations (exact)", function()
    local m1, m2, l, g = 1, 1.5, 0.8, 9.81
    local function bob(parent, m)
      return { parent = parent, position = parent == 0 and { 0, 0, 0 } or { 0, 0, -l },
        motions = { { "rotate", { 0, 1, 0 } } }, mass = m, com = { 0, 0, -l } }
    end
    local f = core.forest { links = { bob(0, m1), bob(1, m2) }, gravity = { 0, 0, -g } }
    local a, b, va, vb = 0.7, -0.4, 1.1, -2.3 -- absolute angles from the vertical
    f:set { q = { a, b - a }, u = { va, vb - va } }
    local d = a - b
    local s, c = math.sin(d), math.cos(d)
    local det = m1 + m2 * s * s
    local ua = (m2 * (g * math.sin(b) * c - l * va ^ 2 * s * c - l * vb ^ 2 * s) - (m1 + m2) * g * math.sin(a))
      / (l * det)
    local ub = ((m1 + m2) * (l * va ^ 2 * s + g * math.sin(a) * c - g * math.sin(b)) + m2 * l * vb ^ 2 * s * c)
      / (l * det)
    for _, method in ipairs(methods) do
      local udot = f:accelerations(method)
      assert.near(ua, udot[1], 1e-13 * 40)
      assert.near(ub, udot[1] + udot[2], 1e-13 * 40)
    end
  end)
end)

describe("a heavy top", function()
  it("is where Euler's equations put it after 0.2 s at 150 rad/s (exact)", function()
    local f = core.forest { links = { { kind = "spherical", mass = 15, com = { 0, 1, 0 },
      inertia = { 0.234375, 0.46875, 0.234375, 0, 0, 0 } } }, gravity = { 0, 0, -9.81 } }
    f:set { u = { 0, 150, -4.61538 } }
    f:integrate { method = "dopri5", rtol = 1e-12, atol = 1e-12, to = 0.2 }
    local P = f:places()[1]
    local want = { 0.6055505613769743, 0.598957681794992, -0.52398302743009 }
    for k = 1, 3 do assert.near(want[k], P[3 * k - 1], 1e-8) end -- 30 rad of spin at 1e-12 a step
    assert.near(-2.6915909121420687, f.u[1], 1e-6)
    assert.near(150, f.u[2], 1e-9)
  end)
end)

describe("a free body", function()
  it("falls with g and nothing else, whatever its frame (exact)", function()
    local f = core.forest { links = { { kind = "free", mass = 2, com = { 0.1, -0.2, 0.3 },
      inertia = { 0.4, 0.5, 0.6, 0.01, 0.02, 0.03 } } }, gravity = { 0, 0, -9.81 } }
    local udot = f:accelerations()
    for k = 1, 6 do assert.near(k == 3 and -9.81 or 0, udot[k], 1e-14 * 9.81) end
    f:set { u = { 1, 2, 3, 4, -5, 6 } }
    f:accelerations()
    local A = f:link_accelerations()[1]
    for k = 1, 3 do assert.near(k == 3 and -9.81 or 0, A[3 + k], 1e-13 * 40) end -- centre of mass
  end)
end)

describe("long forests in a C stack of 256 KiB", function()
  local function run(kind, n)
    local paths = ("LUA_PATH='%s' LUA_CPATH='%s'"):format(package.path, package.cpath)
    local command = ("ulimit -s 256 && %s lua5.4 spec/support/long_chain.lua %s %d 2>&1"):format(paths, kind, n)
    local pipe = assert(io.popen(command))
    local text = pipe:read("a")
    pipe:close()
    return tonumber(text) or text
  end

  it("has the exact limit's accelerations for a chain of 100,000 rods (exact)", function()
    local off = run("chain", 100000)
    assert.is_true(type(off) == "number" and off <= 1e-12, off)
  end)

  it("solves a comb of 100,000 links (residual)", function()
    local off = run("comb", 100000)
    -- torques near the root add up arms of 5e4 m and as many masses
    assert.is_true(type(off) == "number" and off <= 1e-4, off)
  end)
end)

describe("reference files", function()
  local function wrench_error(case, R)
    local worst, most = 0, 0
    local W = case.joint_wrench_world_fx_fy_fz_nx_ny_nz
    for i = 1, #case.bodies do
      for k = 1, 6 do
        local want = W[6 * (i - 1) + k]
        worst = math.max(worst, math.abs(want - R[i][(k + 2) % 6 + 1]))
        most = math.max(most, math.abs(want))
      end
    end
    return worst / most
  end

  local function check_tree(case)
    local f = trees.from_file(case)
    for _, method in ipairs(methods) do
      local udot = f:accelerations(method)
      local limit = method == "dense" and 1e-11 or (case.name:find("_30") and 3e-12 or 3e-13)
      local off = trees.distance(udot, case.qdd) / trees.largest(case.qdd)
      assert.is_true(off <= limit, ("%s %s: %g"):format(case.name, method, off))
      off = wrench_error(case, f:reactions())
      assert.is_true(off <= limit, ("%s %s: wrench %g"):format(case.name, method, off))
    end
    f:wide()
    f:evaluate("fast", 1)
    local off = trees.distance(f:udot(), case.qdd) / trees.largest(case.qdd)
    assert.is_true(off <= (case.name:find("_30") and 3e-12 or 3e-13), ("%s wide: %g"):format(case.name, off))
  end

  it("are met: samples of cases/tree (exact)", function()
    for _, case in ipairs(samples.tree) do check_tree(case) end
  end)

  it("are met: cases/tree in quadruple precision (exact)", function()
    for _, name in ipairs { "ball_1", "ball_2", "ball_7", "ball_30", "rev_1", "rev_7", "rev_30", "tree_3", "tree_5",
      "humanoid" } do
      local case = json.file("../shared/cases/tree/" .. name .. ".json")
      if not case then return print("cases/tree: no ../shared here, not compared") end
      check_tree(case)
    end
  end)

  local function check_paper(case)
    local f = trees.from_paper(case)
    for _, method in ipairs(methods) do
      local udot, R = f:accelerations(method), f:reactions()
      local limit = #case.bodies <= 3 and 1e-12 or 1e-11
      local k, most = 0, 1
      for i, body in ipairs(case.bodies) do
        local x, world = case.expected.R[i], body.matrices.R_world
        local want = trees.rotate(world, { x[1], x[2], x[3] })
        for _, v in ipairs(trees.rotate(world, { x[4], x[5], x[6] })) do want[#want + 1] = v end
        for _, qdd in ipairs(case.expected.qdd[i]) do
          k = k + 1
          most = math.max(most, math.abs(qdd))
          assert.near(qdd, udot[k], limit * most)
        end
        most = math.max(most, trees.largest(want))
        assert.is_true(trees.distance(R[i + 1], want) <= limit * most, case.name .. " " .. method)
      end
    end
  end

  it("are met: samples of c_trees, a driven joint and a moving base (exact)", function()
    for _, case in ipairs(samples.paper) do check_paper(case) end
  end)

  it("are met: c_trees, driven joints and a moving base, in sixty digits (exact)", function()
    local cases = json.file("../shared/cases/papers/c_trees.json")
    if not cases then return print("c_trees: no ../shared here, not compared") end
    for _, case in ipairs(cases) do check_paper(case) end
  end)
end)

describe("a bad forest", function()
  local function link(extra)
    local l = { motions = { { "rotate", { 0, 0, 1 } } }, mass = 1, inertia = { 1, 1, 1, 0, 0, 0 } }
    for k, v in pairs(extra) do l[k] = v end
    return l
  end
  local function refused(pattern, links)
    local ok, message = pcall(core.forest, { links = links })
    assert.is_false(ok)
    assert.truthy(message:find(pattern), message)
  end

  it("is refused by name", function()
    refused("link 1: its joint closes a loop", { link { parent = 2 }, link { parent = 1 } })
    refused("link 2: its parent is no link", { link {}, link { parent = 7 } })
    refused("link 1: a motion has a zero axis", { link { motions = { { "slide", { 0, 0, 0 } } } } })
    refused("link 1: no body can have this inertia", { link { inertia = { 1, 1, 3, 0, 0, 0 } } })
    refused("link 1: a number is out of range", { link { mass = -1 } })
    refused("link 1: a motion's drive does not exist", { link { motions = { { "rotate", { 0, 0, 1 }, drive = 1 } } } })
  end)

  it("names the joint that has no inertia to move", function()
    for _, method in ipairs(methods) do
      local f = core.forest { links = { link {}, link { parent = 1, mass = 0, inertia = { 0, 0, 0, 0, 0, 0 } } } }
      local ok, message = pcall(f.accelerations, f, method)
      assert.is_false(ok)
      assert.truthy(message:find("the joint of link 2 has a direction without inertia"), message)
      -- two hinges on one axis with nothing between them
      f = core.forest { links = { link { mass = 0, inertia = { 0, 0, 0, 0, 0, 0 } }, link { parent = 1 } } }
      ok, message = pcall(f.accelerations, f, method)
      assert.is_false(ok, method)
      assert.truthy(message:find("has a direction without inertia"), message)
    end
  end)

  it("does not mind a massless link between joints that give it inertia", function()
    local f = core.forest { links = { link { mass = 0, inertia = { 0, 0, 0, 0, 0, 0 } },
      link { parent = 1, motions = { { "rotate", { 1, 0, 0 } } } } } }
    f:set { tau = { 2, 3 } }
    for _, method in ipairs(methods) do
      local udot = f:accelerations(method)
      assert.near(2, udot[1], 1e-14)
      assert.near(3, udot[2], 1e-14)
    end
  end)
end)

describe("a planar forest", function()
  it("needs no inertia but about z, and stays in its plane (exact)", function()
    -- two bars hinged at their ends, floating free in the plane: the hinge force at rest is zero, and
    -- turning at one rate each end pulls with m omega^2 a
    local bar = { 0, 0, 1 / 12, 0, 0, 0 }
    local f = core.forest { planar = true, gravity = { 0, -9.81, 0 }, links = {
      { kind = "plane", mass = 1, inertia = bar },
      { parent = 1, position = { 0.5, 0, 0 }, child_position = { -0.5, 0, 0 }, motions = { { "rotate", { 0, 0, 1 } } },
        mass = 1, inertia = bar } } }
    f:set { q = { 0.2, 0.3, 0.4, 0 }, u = { 0, 0, 3, 0 } }
    for _, method in ipairs(methods) do
      local udot = f:accelerations(method)
      -- both turn as one rigid bar of length 2 about its middle, half a metre from the first centre
      local c, s = math.cos(0.4), math.sin(0.4)
      assert.near(9 * 0.5 * c, udot[1], 1e-13 * 10)
      assert.near(9 * 0.5 * s - 9.81, udot[2], 1e-13 * 10)
      assert.near(0, udot[3], 1e-12)
      assert.near(0, udot[4], 1e-12)
      local R = f:reactions()[2]
      assert.near(-9 * 0.5 * c, R[4], 1e-13 * 10)
      assert.near(-9 * 0.5 * s, R[5], 1e-13 * 10)
      assert.are.equal(0, R[6])
    end
  end)
end)
