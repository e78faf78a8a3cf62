-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- What a world says about its mechanics: Delassus matrix, equilibrium, linearisation, long trees, Stormer.
local delassus = require "delassus"
local near = require "support.near"
local solve = require "support.solve"
local seeds = require "support.seeds"

local G = 9.81

describe("world:delassus", function()
  it("is J M^-1 J' of the rows of now: contacts first, then rigid joints", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local world <close> = delassus.world{ dt = 1e-4, record = false }
      world:floor{ friction = 0.5 }
      local before, bodies = world.ground, {}
      for i = 1, 3 do
        bodies[i] = world:body{ mass = r:uniform(0.5, 2), inertia = { 0.2, 0.3, 0.25 },
          position = { i, 0, 1 + r:uniform(-0.3, 0.3) }, rotation = { axis = { 1, 2, i }, angle = r:uniform(-1, 1) } }
        world:joint{ "spherical", before, bodies[i], anchor = { i - 0.5, 0, 1 } }
        before = bodies[i]
      end
      local ball = world:sphere{ radius = 0.2, density = 300, position = { 1, 3, 0.2 }, friction = 0.5 }
      local anchor = delassus.vec{ 2.5, 0.4, 1 }
      world:joint{ "spherical", bodies[2], bodies[1], anchor = anchor, formulation = "rigid" }
      world:step()
      local W, M, n = world:delassus(), world:mass_matrix(), #world:velocities()
      assert.equal(6, W:rows()) -- n, t1, t2 of the ball; x, y, z of the joint
      local J = {}
      for contact in world:contacts() do
        local Jb = world:jacobian(ball, contact.point)
        local sign = contact.b == ball and 1 or -1
        local normal = contact.normal
        J[1] = {}
        for k = 1, n do
          J[1][k] = sign * (normal.x * Jb[4][k] + normal.y * Jb[5][k] + normal.z * Jb[6][k])
        end
      end
      local x = solve(M, J[1])
      local sum = 0
      for k = 1, n do sum = sum + J[1][k] * x[k] end
      near(sum, W[1][1], 1e-11 * sum, "seed " .. seed)
      for i = 1, 6 do
        for j = 1, 6 do near(W[i][j], W[j][i], 1e-13 * math.abs(W[i][i] + W[j][j])) end
      end
    end
  end)

  it("holds a rigid joint's rows: 1/m and arms by hand", function()
    local world <close> = delassus.world{ gravity = { 0, 0, 0 }, record = false }
    local a = world:body{ mass = 2, inertia = { 1, 2, 2.5 } }
    local b = world:body{ mass = 3, inertia = { 1, 1, 1.5 }, position = { 2, 0, 0 } }
    world:joint{ "spherical", a, b, anchor = { 1, 0, 0 }, formulation = "rigid" }
    local W = world:delassus()
    near(1 / 2 + 1 / 3, W[1][1], 1e-15)
    near(1 / 2 + 1 / 3 + 1 / 2.5 + 1 / 1.5, W[2][2], 1e-14) -- arms of 1 m about z
    near(1 / 2 + 1 / 3 + 1 / 2 + 1 / 1, W[3][3], 1e-14) -- about y
    near(0, W[1][2], 1e-15)
  end)

  it("has limits before rigid rows, whichever joint was made first", function()
    for first = 1, 2 do
      local world <close> = delassus.world{ record = false }
      local function ball()
        local b = world:body{ mass = 1, inertia = { 0.5, 0.5, 0.5 }, position = { 1, 0, 0 } }
        world:joint{ "spherical", world.ground, b, anchor = { 0, 0, 0 }, formulation = "rigid" }
      end
      if first == 1 then ball() end
      local b = world:body{ mass = 1.5, inertia = { 0.5, 0.5, 0.5 }, position = { 9, 0, 0 } }
      world:joint{ "revolute", world.ground, b, anchor = { 8, 0, 0 }, axis = { 0, 1, 0 }, limits = { -0.5, 0 } }
      if first == 2 then ball() end
      local W = world:delassus()
      for i, d in ipairs{ 1 / (0.5 + 1.5), 1, 3, 3 } do near(d, W[i][i], 1e-14) end
    end
  end)
end)

-- A pendulum with a spring and a damper, two links.
local function pendulum()
  local world = delassus.world{ planar = true, record = false }
  local a = world:body{ mass = 1, inertia = 1 / 12, position = { 0.5, 0 } }
  local b = world:body{ mass = 2, inertia = 1 / 6, position = { 1.5, 0 } }
  world:joint{ "revolute", world.ground, a, anchor = { 0, 0 }, damping = 0.3 }
  world:joint{ "revolute", a, b, anchor = { 1, 0 }, stiffness = 2 }
  return world
end

describe("world:equilibrium and world:linearize", function()
  it("find the pose at rest: there nothing accelerates, and the energy is stationary", function()
    local world <close> = pendulum()
    world:set_coordinates{ -1.2, 0.3 }
    local report = world:equilibrium()
    assert.is_true(report.converged)
    near(0, world:accelerations():norm(), 1e-9 * G)
    near(-math.pi / 2, world:coordinates()[1], 1e-9) -- straight down: the spring is at rest there
    near(0, world:coordinates()[2], 1e-9)
  end)

  it("agree with finite differences of the accelerations", function()
    local world <close> = pendulum()
    world:set_coordinates{ -0.9, 0.4 }
    world:set_velocities{ 0.7, -1.1 }
    local A, B = world:linearize()
    local e = 1e-5
    local function accelerations(q, u)
      world:set_coordinates(q)
      world:set_velocities(u)
      return world:accelerations()
    end
    for k = 1, 4 do
      local plus, minus = { -0.9, 0.4, 0.7, -1.1 }, { -0.9, 0.4, 0.7, -1.1 }
      plus[k], minus[k] = plus[k] + e, minus[k] - e
      local f = accelerations({ plus[1], plus[2] }, { plus[3], plus[4] })
      local g = accelerations({ minus[1], minus[2] }, { minus[3], minus[4] })
      for i = 1, 2 do
        near((f[i] - g[i]) / (2 * e), A[2 + i][k], 1e-6 * 100) -- differences of differences
        near(k == 2 + i and 1 or 0, A[i][k], 1e-9)
      end
    end
    accelerations({ -0.9, 0.4 }, { 0.7, -1.1 })
    local M = world:mass_matrix()
    for k = 1, 2 do
      local x = solve(M, { k == 1 and 1 or 0, k == 2 and 1 or 0 })
      for i = 1, 2 do near(x[i], B[2 + i][k], 1e-13 * 10) end
    end
  end)

  it("give the known frequency of a compound pendulum", function()
    local world <close> = delassus.world{ planar = true, record = false }
    local rod = world:body{ mass = 3, inertia = 3 / 12, position = { 0, -0.5 } }
    world:joint{ "revolute", world.ground, rod, anchor = { 0, 0 } }
    local A = world:linearize()
    near(-1.5 * G, A[2][1], 1e-6 * G) -- omega^2 = 3 g / 2 l
    near(1, A[1][2], 1e-9)
  end)
end)

describe("Stormer's method on a double pendulum of a world (C.5)", function()
  it("is of order six, and within the published errors", function()
    local exact = { 0.32084783603717004, -0.8299637156114714, 0.8385259415962368, -0.2534160023260322 }
    local function error_of(n)
      local world <close> = delassus.world{ record = false }
      local before, joints = world.ground, {}
      for i, m in ipairs{ 1, 1.5 } do
        local body = world:body{ mass = m, com = { 0, 0, -0.5 }, inertia = { 0.09, 0.1, 0.02 }, position = { 0, 0, 1 - i } }
        joints[i] = world:joint{ "revolute", before, body, anchor = { 0, 0, 1 - i }, axis = { 0, 1, 0 } }
        before = body
      end
      local one, two = joints[1], joints[2]
      one.q, two.q = 0.5, -0.8
      one.qd, two.qd = 0.3, 0.1
      world:integrate{ method = "stormer", dt = 2 / n, to = 2 }
      local q, u, worst = world:coordinates(), world:velocities(), 0
      for i = 1, 2 do
        worst = math.max(worst, math.abs(q[i] - exact[i]))
        near(exact[2 + i], u[i], 1e-2)
      end
      return worst
    end
    local e200, e400, e800 = error_of(200), error_of(400), error_of(800)
    assert.is_true(e200 <= 1.2 * 2.6e-5 and e400 <= 1.2 * 2.7e-7 and e800 <= 1.2 * 2.5e-9, e800)
    assert.is_true(math.log(e400 / e800) / math.log(2) >= 5.7, "order")
  end)
end)

describe("worlds of 100,000 joints in a C stack of 256 KiB", function()
  local function run(kind, n)
    local paths = ("LUA_PATH='%s' LUA_CPATH='%s'"):format(package.path, package.cpath)
    local command = ("ulimit -s 256 && %s lua5.4 spec/support/long_world.lua %s %d 2>&1"):format(paths, kind, n)
    local pipe = assert(io.popen(command))
    local text = pipe:read("a")
    pipe:close()
    return tonumber(text) or text
  end

  it("have the exact limit's accelerations: a chain", function()
    local off = run("chain", 100000)
    assert.is_true(type(off) == "number" and off <= 1e-12, off)
  end)

  it("solve M udot + bias = tau: a comb", function()
    local off = run("comb", 100000)
    assert.is_true(type(off) == "number" and off <= 1e-4, off) -- as core/forest: arms of 5e4 m add up
  end)
end)

describe("a field and a spring on a body in a tree", function()
  it("are exact: they act in accelerations() and in bias()", function()
    for _, planar in ipairs { true, false } do
      local world <close> = delassus.world { planar = planar, record = false }
      local at = planar and function(x, y) return { x, y } end or function(x, y) return { x, 0, y } end
      local body = world:body { mass = 2, inertia = planar and 0.5 or { 0.5, 0.5, 0.5 }, position = at(1, 0) }
      world:joint { "revolute", world.ground, body, anchor = at(0, 0), axis = not planar and { 0, -1, 0 } or nil }
      local gravity = -2 * 9.81
      assert.near(gravity / 2.5, world:accelerations()[1], 1e-12)
      world:field(function() return at(0, 5) end)
      assert.near((gravity + 5) / 2.5, world:accelerations()[1], 1e-12)
      assert.near(-(gravity + 5), world:bias()[1], 1e-12)
      world:spring { world.ground, body, anchor_a = at(1, -1), stiffness = 3, length = 0.5 } -- pulls down by 3 N/m 0.5 m
      assert.near((gravity + 5 - 1.5) / 2.5, world:accelerations()[1], 1e-12)
    end
  end)
end)
