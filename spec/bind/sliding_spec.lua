-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- world:accelerations() where contacts slide: one answer, none, several.
local delassus = require "delassus"
local seeds = require "support.seeds"

local G = 9.81
local function between(lo, hi) return lo + (hi - lo) * math.random() end

-- A rod that slides on the floor with its lower end, in the plane, or in a vertical plane of space turned by `turn`.
local function rod(case, planar)
  local world = delassus.world{ planar = planar, record = false }
  local s, c = math.sin(case.turn), math.cos(case.turn)
  local function at(x, y) return planar and { x, y } or { c * x, s * x, y } end
  local l, th = case.l, case.th
  local body = world:body{ mass = case.m, inertia = planar and case.J or { case.J, case.J, case.J },
    position = at(0, l * math.sin(th)), rotation = planar and th or { axis = { s, -c, 0 }, angle = th },
    velocity = at(case.vx, case.vy), angular_velocity = planar and case.omega or { s * case.omega, -c * case.omega, 0 } }
  -- in space the body frame is turned about the horizontal axis alone: its end is along `at` in the frame before
  world:contact{ world.ground, body, point_a = at(0, 0), point_b = planar and { -l, 0 } or { -l * c, -l * s, 0 },
    normal = at(0, 1), friction = case.mu }
  return world, body
end

local function some(seed)
  math.randomseed(seed)
  local case = { m = between(0.5, 2), l = between(0.3, 0.8), th = between(0.2, 2.9), mu = between(0.2, 2.5),
    omega = seed % 3 == 0 and 0 or between(-8, 8), turn = between(-3, 3) }
  case.J = case.m * case.l ^ 2 * between(0.2, 0.4)
  local rx, ry = -case.l * math.cos(case.th), -case.l * math.sin(case.th)
  local slip = (math.random(2) == 1 and -1 or 1) * between(0.5, 3)
  case.vx, case.vy = slip + case.omega * ry, -case.omega * rx -- the end slides along the floor
  local sign = slip < 0 and -1 or 1
  -- exact: a_n = A N + b, its friction eliminated
  local A = 1 / case.m + rx * (rx + case.mu * sign * ry) / case.J
  local b = -G - case.omega ^ 2 * ry
  return case, A, b, rx, ry, sign
end

describe("world:accelerations of a sliding rod", function()
  for _, planar in ipairs{ true, false } do
    it("is exact where one answer is, and says where none and two are: " .. (planar and "plane" or "space"), function()
      local seen = { one = 0, apart = 0, none = 0, two = 0 }
      for seed = 1, seeds(400) do
        local case, A, b, rx, ry, sign = some(seed)
        local world <close> = rod(case, planar)
        local ok, udot = pcall(world.accelerations, world)
        local what = ("seed %d: A %g, b %g, "):format(seed, A, b)
        local N
        if A > 0 then N = b < 0 and -b / A or 0 end
        if N then
          seen[N > 0 and "one" or "apart"] = seen[N > 0 and "one" or "apart"] + 1
          assert.is_true(ok, what .. tostring(udot))
          local ay = -G + N / case.m
          local ax = -case.mu * sign * N / case.m
          local alpha = N * (rx + case.mu * sign * ry) / case.J
          local size = G + N / case.m + math.abs(alpha)
          local s, c = math.sin(case.turn), math.cos(case.turn)
          local got_x = planar and udot[1] or c * udot[1] + s * udot[2]
          local got_alpha = planar and udot[3] or udot[4] * s - udot[5] * c
          assert.is_true(math.abs(got_x - ax) < 1e-8 * size and math.abs(udot[planar and 2 or 3] - ay) < 1e-8 * size,
            what .. ("%g %g, exact %g %g"):format(got_x, udot[planar and 2 or 3], ax, ay))
          assert.is_true(math.abs(got_alpha - alpha) < 1e-8 * (size + size / case.l), what .. got_alpha .. ", exact " .. alpha)
        else
          local which = b < 0 and "none" or "two"
          seen[which] = seen[which] + 1
          assert.is_false(ok, what)
          assert.matches(which == "none" and "there are no accelerations" or "several accelerations", udot, 1, true)
        end
      end
      assert.is_true(seen.one > seeds.least(50) and seen.apart > seeds.least(20) and seen.none > seeds.least(5)
        and seen.two > seeds.least(5), ("%d %d %d %d"):format(seen.one, seen.apart, seen.none, seen.two))
    end)
  end

  -- Enumeration of modes: every contact presses or leaves; Gauss's elimination of those that press.
  it("with two ends on two floors is the one mode of four that obeys all laws", function()
    local none, several, one = 0, 0, 0
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local world <close> = delassus.world{ planar = true, record = false }
      local m, J, mu = between(0.5, 2), between(0.02, 0.3), between(0.1, 1.8)
      local body = world:body{ mass = m, inertia = J, position = { 0, 1 }, velocity = { between(0.5, 2), 0 } }
      local points = { { -0.5, -between(0.1, 1) }, { 0.5, -between(0.1, 1) } }
      for _, p in ipairs(points) do
        world:contact{ world.ground, body, point_a = { 0, 1 + p[2] }, point_b = p, normal = { 0, 1 }, friction = mu }
      end
      body:apply{ force = { 0, between(-5, 12) }, torque = between(-6, 6) }
      local ok, udot = pcall(world.accelerations, world)
      -- the applied forces by the accelerations without contacts
      local free = world:accelerations{ contacts = false }
      local W, b = {}, {}
      for i, p in ipairs(points) do
        W[i], b[i] = {}, free[2] + free[3] * p[1]
        for j, q in ipairs(points) do W[i][j] = 1 / m + p[1] * (q[1] + mu * q[2]) / J end
      end
      local answers = {}
      for mode = 0, 3 do
        local N, on = { 0, 0 }, { mode % 2 == 1, mode >= 2 }
        if mode == 3 then
          local det = W[1][1] * W[2][2] - W[1][2] * W[2][1]
          N = { (-b[1] * W[2][2] + b[2] * W[1][2]) / det, (-b[2] * W[1][1] + b[1] * W[2][1]) / det }
        elseif mode > 0 then
          N[mode] = -b[mode] / W[mode][mode]
        end
        local good = true
        for i = 1, 2 do
          local a = b[i] + W[i][1] * N[1] + W[i][2] * N[2]
          good = good and (on[i] and N[i] >= 0 or not on[i] and a >= 0)
        end
        if good then answers[#answers + 1] = N end
      end
      local what = ("seed %d: %d answers, %s"):format(seed, #answers, tostring(udot))
      if #answers == 1 then
        one = one + 1
        assert.is_true(ok, what)
        local N = answers[1][1] + answers[1][2]
        assert.is_true(math.abs(udot[1] - (free[1] - mu * N / m)) < 1e-8 * (G + N / m) and
          math.abs(udot[2] - (free[2] + N / m)) < 1e-8 * (G + N / m), what)
      else
        none, several = none + (#answers == 0 and 1 or 0), several + (#answers > 1 and 1 or 0)
        assert.is_false(ok, what)
        assert.matches(#answers == 0 and "there are no accelerations" or "several accelerations", udot, 1, true)
      end
    end
    assert.is_true(one > seeds.least(80) and none + several > 0, ("%d %d %d"):format(one, none, several))
  end)
end)

describe("world:accelerations of several bodies", function()
  local function dot(a, b)
    local sum = 0
    for k = 1, #a do sum = sum + a[k] * b[k] end
    return sum
  end

  -- Bodies that glide on each other and on the floor, in space: their contact points are chosen, so that bodies need no shape.
  local function gliding(seed)
    local random = require "support.random"(seed)
    local function r(lo, hi) return lo + (hi - lo) * (random() + 1) / 2 end
    local world = delassus.world{ record = false }
    local n_bodies, n_contacts = 1 + seed % 3, 1 + seed % 8
    local bodies, free, weight = { [0] = { b = world.ground, p = { 0, 0, 0 }, v = { 0, 0 } } }, {}, {}
    for i = 1, n_bodies do
      local m, J = r(0.5, 2), { r(0.2, 0.3), r(0.2, 0.3), r(0.2, 0.3) }
      local p, v = { r(-1, 1), r(-1, 1), r(0.5, 1.5) }, { r(-2, 2), r(-2, 2) }
      local b = world:body{ mass = m, inertia = J, position = p, velocity = { v[1], v[2], 0 } }
      local f, t = { r(-10, 10), r(-10, 10), r(-5, 5) }, { r(-5, 5), r(-5, 5), r(-5, 5) }
      b:apply{ force = f, torque = t }
      bodies[i] = { b = b, p = p, v = v }
      for k = 1, 3 do free[6 * i - 6 + k], weight[6 * i - 6 + k] = f[k] / m - (k == 3 and G or 0), 1 / m end
      for k = 1, 3 do free[6 * i - 3 + k], weight[6 * i - 3 + k] = t[k] / J[k], 1 / J[k] end
    end
    local normals, forces = {}, {}
    for c = 1, n_contacts do
      local j = 1 + (seed + c) % n_bodies
      local i = (seed + 2 * c) % (n_bodies + 1)
      if i == j then i = 0 end
      local A, B, sign, mu = bodies[i], bodies[j], r(0, 1) < 0.7 and 1 or -1, math.max(0, r(-0.6, 3))
      local point = { B.p[1] + r(-0.6, 0.6), B.p[2] + r(-0.6, 0.6), B.p[3] + r(-1, 1) }
      local function from(o) return { point[1] - o.p[1], point[2] - o.p[2], point[3] - o.p[3] } end
      world:contact{ A.b, B.b, point_a = from(A), point_b = from(B), normal = { 0, 0, sign }, friction = mu }
      local vx, vy = B.v[1] - A.v[1], B.v[2] - A.v[2]
      local speed = math.sqrt(vx * vx + vy * vy)
      local function row(d)
        local out = {}
        for k = 1, 6 * n_bodies do out[k] = 0 end
        for id, s in pairs{ [i] = -1, [j] = 1 } do
          if id > 0 then
            local x = from(bodies[id])
            local whole = { d[1], d[2], d[3], x[2] * d[3] - x[3] * d[2], x[3] * d[1] - x[1] * d[3], x[1] * d[2] - x[2] * d[1] }
            for k = 1, 6 do out[6 * id - 6 + k] = s * whole[k] end
          end
        end
        return out
      end
      normals[c] = row{ 0, 0, sign }
      local drag = row{ vx / speed, vy / speed, 0 }
      forces[c] = {}
      for k = 1, 6 * n_bodies do forces[c][k] = weight[k] * (normals[c][k] - mu * drag[k]) end
    end
    return world, normals, forces, free
  end

  it("that glide is what enumeration finds, in space (240 seeds)", function()
    local lcp, seen = require "delassus.lcp", { 0, 0, 0 }
    for seed = 1, seeds(240) do
      local world <close>, normals, forces, free = gliding(seed)
      local M, q, answers = {}, {}, {}
      for i, normal in ipairs(normals) do
        M[i], q[i] = {}, dot(normal, free)
        for j, force in ipairs(forces) do M[i][j] = dot(normal, force) end
      end
      for _, z in ipairs(lcp.solve{ M = M, q = q, method = "enumerate" }.solutions) do
        local a, new = {}, true
        for k = 1, #free do
          a[k] = free[k]
          for j, force in ipairs(forces) do a[k] = a[k] + force[k] * z[j] end
        end
        for _, other in ipairs(answers) do
          local apart = 0
          for k = 1, #free do apart = math.max(apart, math.abs(a[k] - other[k])) end
          new = new and apart > 1e-6
        end
        if new then answers[#answers + 1] = a end
      end
      local ok, udot, note = pcall(world.accelerations, world)
      local what = ("seed %d: %d answers, %s"):format(seed, #answers, tostring(udot))
      seen[math.min(#answers, 2) + 1] = seen[math.min(#answers, 2) + 1] + 1
      assert.equal(#answers == 1, ok, what)
      assert.is_nil(note, what)
      if ok then
        for k = 1, #free do assert.is_true(math.abs(udot[k] - answers[1][k]) <= 1e-7 * (1 + math.abs(udot[k])), what) end
      else
        assert.matches(#answers == 0 and "there are no accelerations" or "several accelerations", udot, 1, true)
      end
    end
    assert.is_true(seen[1] > seeds.least(5) and seen[2] > seeds.least(100) and seen[3] > seeds.least(20), table.concat(seen, " "))
  end)

  --- A rod that has two accelerations, and disks that are held by hand-made contacts beside it: three unknowns each.
  local function beside(disks)
    for seed = 1, seeds(400) do
      local case, A, b = some(seed)
      if A < 0 and b > 0 then
        local world = rod(case, true)
        for i = 1, disks do
          local body = world:body{ mass = 1, inertia = 0.1, position = { 5 + i, 0.1 } }
          world:contact{ world.ground, body, point_a = { 5 + i, 0 }, point_b = { 0, -0.1 }, normal = { 0, 1 }, friction = 0.5 }
        end
        return world
      end
    end
  end

  it("finds both where others rest beside, and says where it did not seek them", function()
    for disks = 0, 6 do
      local world <close> = beside(disks)
      local ok, why = pcall(world.accelerations, world)
      assert.is_false(ok)
      assert.matches("several accelerations", why, 1, true)
    end
    local world <close> = beside(9)
    local ok, udot, note = pcall(world.accelerations, world)
    assert.is_true(ok and note ~= nil or udot:find("several accelerations", 1, true) ~= nil, tostring(udot))
    if ok then assert.equal("one solution was found, others were not sought", note) end
  end)

  it("knows that what rests on level floors has one, and does not where floors are steep", function()
    local world <close> = delassus.world{ record = false }
    world:floor{}
    for k = 1, 3 do world:box{ size = { 1, 1, 1 }, density = 100, position = { 0, 0, k - 0.5 } } end
    local udot, note = world:accelerations()
    for k = 1, 18 do assert.is_true(math.abs(udot[k]) < 1e-9) end
    assert.is_nil(note)
    local steep <close> = delassus.world{ record = false, gravity = { 1, 0, -G } }
    steep:floor{}
    steep:box{ size = { 1, 1, 1 }, density = 100, position = { 0, 0, 0.5 } }
    udot, note = steep:accelerations()
    for k = 1, 6 do assert.is_true(math.abs(udot[k]) < 1e-9) end
    assert.equal("one solution was found, others were not sought", note)
    assert.is_nil(select(2, steep:accelerations{ contacts = false }))
  end)
end)
