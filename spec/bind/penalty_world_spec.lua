-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Penalty joints in worlds: rows against finite differences, stability against eigenvalues, other formulations, contacts, trees.
local delassus = require "delassus"

local SPATIAL = { "spherical", "revolute", "universal", "prismatic", "cylindrical", "planar", "fixed" }
local PLANAR = { "revolute", "prismatic", "fixed" }
local LIMITED = { revolute = { -0.3, 0.4 }, prismatic = { -0.2, 0.1 }, universal = { { -0.3, 0.2 }, { -0.1, 0.4 } },
  spherical = { cone = 0.2, twist = { -0.1, 0.2 } } }
local SEEDS = 200

local function between(lo, hi) return lo + (hi - lo) * math.random() end
local function vector(n, size)
  local v = {}
  for k = 1, n do v[k] = between(-size, size) end
  return v
end

-- A body of any mass and of moments that some body has.
local function some_body(world, planar, position)
  local a, b, c = between(0.05, 1), between(0.05, 1), between(0.05, 1)
  return world:body{ mass = between(0.5, 3), inertia = planar and a or { b + c, c + a, a + b }, position = position,
    com = vector(planar and 2 or 3, 0.1),
    rotation = planar and between(-2, 2) or { axis = vector(3, 1), angle = between(-2, 2) } }
end

-- n bodies in a chain or a star of joints of any kind.
local function some_world(planar, options, n)
  local world = delassus.world{ planar = planar, record = false, dt = options.dt or 1e-3, scheme = "semi-implicit",
    gravity = vector(planar and 2 or 3, 9) }
  local dim, bodies, joints = planar and 2 or 3, {}, {}
  for k = 1, n do
    local at = vector(dim, 0.4)
    at[1] = at[1] + k
    bodies[k] = some_body(world, planar, at)
    local kinds = planar and PLANAR or SPATIAL
    local kind = options.kind or kinds[math.random(#kinds)]
    local joint = { kind, k == 1 and world.ground or bodies[math.random(k - 1)], bodies[k], formulation = "penalty",
      anchor = vector(dim, 0.5), limits = options.limits and LIMITED[kind] or nil }
    joint.anchor[1] = joint.anchor[1] + k - 0.5
    for name, value in pairs(options.joint or {}) do joint[name] = value end
    if kind ~= "fixed" and not (planar and kind == "revolute") then joint.axis = vector(dim, 1) end
    if kind == "universal" then joint.axis2 = vector(3, 1) end
    joints[k] = world:joint(joint)
  end
  return world, bodies, joints
end

-- Moves a body along its own velocities: position of the mass centre, and rotation.
local function drift(body, h, planar)
  local c, w = body.centre + h * body.velocity, body.angular_velocity
  if planar then
    body.rotation = body.rotation + h * w
  else
    local q, angle = body.rotation, h * w:norm()
    local s = angle == 0 and 0 or math.sin(angle / 2) / angle * h
    local p = { math.cos(angle / 2), s * w[1], s * w[2], s * w[3] }
    body.rotation = { p[1] * q[1] - p[2] * q[2] - p[3] * q[3] - p[4] * q[4],
      p[1] * q[2] + p[2] * q[1] + p[3] * q[4] - p[4] * q[3],
      p[1] * q[3] - p[2] * q[4] + p[3] * q[1] + p[4] * q[2], p[1] * q[4] + p[2] * q[3] - p[3] * q[2] + p[4] * q[1] }
  end
  body.position = body.position + (c - body.centre)
end

local function inverse(A)
  local n, M = #A, {}
  for i = 1, n do
    M[i] = {}
    for j = 1, n do M[i][j], M[i][n + j] = A[i][j], i == j and 1 or 0 end
  end
  for i = 1, n do
    local pivot = M[i][i]
    for j = 1, 2 * n do M[i][j] = M[i][j] / pivot end
    for k = 1, n do
      local f = M[k][i]
      if k ~= i then
        for j = 1, 2 * n do M[k][j] = M[k][j] - f * M[i][j] end
      end
    end
  end
  local out = {}
  for i = 1, n do out[i] = table.move(M[i], n + 1, 2 * n, 1, {}) end
  return out
end

-- M^-1 of a body in world axes, order (linear, angular).
local function inverse_mass(body, planar)
  local n = planar and 3 or 6
  local out = {}
  for i = 1, n do
    out[i] = {}
    for j = 1, n do out[i][j] = 0 end
  end
  if body.type ~= "dynamic" then return out end
  for i = 1, planar and 2 or 3 do out[i][i] = 1 / body.mass end
  if planar then
    out[3][3] = 1 / body.inertia
    return out
  end
  local q, I = body.rotation, body.inertia
  local w, x, y, z = q[1], q[2], q[3], q[4]
  local R = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
    { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
    { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } }
  local B = inverse{ { I[1], I[4] or 0, I[5] or 0 }, { I[4] or 0, I[2], I[6] or 0 }, { I[5] or 0, I[6] or 0, I[3] } }
  for i = 1, 3 do
    for j = 1, 3 do
      local sum = 0
      for k = 1, 3 do
        for m = 1, 3 do sum = sum + R[i][k] * B[k][m] * R[j][m] end
      end
      out[3 + i][3 + j] = sum
    end
  end
  return out
end

-- D J M^-1 J' D over the rows of all joints, as a list of rows.
local function stability_matrix(world, joints, planar)
  local sides, masses, n = {}, {}, planar and 3 or 6
  for _, body in ipairs(world.bodies) do masses[body] = inverse_mass(body, planar) end
  for _, joint in ipairs(joints) do
    for _, row in ipairs(joint.rows) do
      local d = math.sqrt(world.dt ^ 2 * row.alpha + 2 * world.dt * row.beta)
      local side = { body = { joint.a, joint.b }, J = { {}, {} }, MJ = { {}, {} } }
      for e, J in ipairs{ row.Ji, row.Jj } do
        local M = masses[side.body[e]]
        for k = 1, n do side.J[e][k] = d * J[k] end
        for k = 1, M and n or 0 do
          local sum = 0
          for m = 1, n do sum = sum + M[k][m] * side.J[e][m] end
          side.MJ[e][k] = sum
        end
      end
      if row.chi ~= 0 then sides[#sides + 1] = side end
    end
  end
  local A = {}
  for i, x in ipairs(sides) do
    A[i] = {}
    for j, y in ipairs(sides) do
      local sum = 0
      for e = 1, 2 do
        for f = 1, 2 do
          for k = 1, x.body[e] == y.body[f] and #x.MJ[e] or 0 do sum = sum + x.MJ[e][k] * y.J[f][k] end
        end
      end
      A[i][j] = sum
    end
  end
  return A
end

-- The largest eigenvalue of a symmetric matrix: Jacobi's rotations.
local function largest_eigenvalue(A)
  local n = #A
  for _ = 1, 30 do
    local off = 0
    for p = 1, n - 1 do
      for q = p + 1, n do
        off = math.max(off, math.abs(A[p][q]))
        if A[p][q] ~= 0 then
          local t = (A[q][q] - A[p][p]) / (2 * A[p][q])
          t = (t >= 0 and 1 or -1) / (math.abs(t) + math.sqrt(t * t + 1))
          local c = 1 / math.sqrt(t * t + 1)
          local s = t * c
          for k = 1, n do A[k][p], A[k][q] = c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q] end
          for k = 1, n do A[p][k], A[q][k] = c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k] end
        end
      end
    end
    if off < 1e-10 then break end -- quadratic: the next would be 1e-20
  end
  local most = 0
  for i = 1, n do most = math.max(most, A[i][i]) end
  return most
end

describe("rows of penalty joints", function()
  it("have Jacobians that finite differences of G confirm, all kinds, limits and both dimensions", function()
    for seed = 1, SEEDS do
      math.randomseed(seed)
      local planar = seed % 4 == 0
      local world <close>, bodies, joints = some_world(planar, { limits = true }, 2)
      assert.is_true(world.time == 0)
      for _, body in ipairs(bodies) do
        local p = body.position
        body.position = p + 0.1 * delassus.vec(vector(#p, 1))
        body.rotation = planar and body.rotation + between(-0.5, 0.5) or body.rotation + delassus.vec(vector(4, 0.2))
        body.velocity = vector(#p, 1)
        body.angular_velocity = planar and between(-1, 1) or vector(3, 1)
      end
      local h, G, rates = 1e-5, {}, {}
      for step, way in ipairs{ 0, -h, 2 * h } do
        for _, body in ipairs(bodies) do drift(body, way, planar) end
        G[step] = {}
        for _, joint in ipairs(joints) do
          for _, row in ipairs(joint.rows) do
            table.insert(G[step], row.G)
            if step == 1 then table.insert(rates, row.Gdot) end
          end
        end
      end
      for k, rate in ipairs(rates) do
        local difference = (G[3][k] - G[2][k]) / (2 * h)
        assert.is_true(math.abs(difference - rate) < 2e-8 * (1 + math.abs(rate)), -- h^2 and round-off / h
          ("seed %d, row %d: difference %.12g, Gdot %.12g"):format(seed, k, difference, rate))
      end
    end
  end)

  it("vanish where joints are whole, and read the coordinates of the reduced formulation", function()
    local n_of = { spherical = 3, revolute = 1, universal = 2, prismatic = 1, cylindrical = 2, planar = 3, fixed = 0 }
    for seed = 1, SEEDS do
      local planar = seed % 4 == 0
      local kinds = planar and PLANAR or SPATIAL
      local options = { kind = kinds[1 + seed // 4 % #kinds], joint = {} }
      math.randomseed(seed)
      local world <close>, bodies, joints = some_world(planar, options, 1)
      math.randomseed(seed)
      options.joint.formulation = "reduced"
      local tree <close>, links, reduced = some_world(planar, options, 1)
      local n = n_of[options.kind]
      if options.kind == "spherical" then
        local q = delassus.vec{ 1, 0, 0, 0 } + delassus.vec(vector(4, 0.4))
        reduced[1].q = 1 / q:norm() * q
      elseif n > 0 then
        reduced[1].q = n == 1 and between(-0.8, 0.8) or vector(n, 0.8)
      end
      if n > 0 then reduced[1].qd = n == 1 and between(-1, 1) or vector(n, 1) end
      for _, name in ipairs{ "position", "rotation", "velocity", "angular_velocity" } do bodies[1][name] = links[1][name] end
      local apart, turn = joints[1]:violation()
      local what = ("seed %d, %s: "):format(seed, options.kind)
      assert.is_true(apart < 1e-14 and turn < 1e-14, what .. apart .. ", " .. turn)
      for _, name in ipairs(n > 0 and { "q", "qd" } or {}) do
        local want, got = reduced[1][name], joints[1][name]
        if n == 1 then want, got = { want }, { got } end
        local sign = name == "q" and options.kind == "spherical" and want[1] * got[1] < 0 and -1 or 1
        for k = 1, #want do
          assert.is_true(math.abs(want[k] - sign * got[k]) < 1e-13, what .. name .. ": " .. want[k] .. ", got " .. got[k])
        end
      end
      assert.is_true(#tree.bodies == #world.bodies)
    end
  end)
end)

describe("joint.qdd of penalty joints", function()
  it("is the rate of joint.qd under the accelerations of the bodies: differences, all kinds", function()
    for seed = 1, SEEDS do
      math.randomseed(seed)
      local planar = seed % 4 == 0
      local kinds = planar and PLANAR or SPATIAL
      local kind = kinds[1 + seed // 4 % #kinds]
      local world <close>, bodies, joints = some_world(planar, { kind = kind }, 2)
      local dim, body = planar and 2 or 3, bodies[2]
      for _, b in ipairs(bodies) do
        b.velocity = vector(dim, 1)
        b.angular_velocity = planar and between(-1, 1) or vector(3, 1)
      end
      if kind ~= "fixed" then
        local h, qd = 1e-5, {}
        world:accelerations()
        local want = joints[2].qdd
        -- each body goes h to and fro with its velocity, which changes by its acceleration
        local start, rates = world:coordinates(), world:velocities()
        local udot = world:accelerations()
        for k, way in ipairs{ -h, h } do
          world:set_coordinates(start)
          world:set_velocities(rates)
          for _, b in ipairs(bodies) do drift(b, way, planar) end
          local u = {}
          for n = 1, #rates do u[n] = rates[n] + way * udot[n] end
          world:set_velocities(u)
          qd[k] = joints[2].qd
        end
        if type(want) == "number" then want, qd = { want }, { { qd[1] }, { qd[2] } } end
        local size = 1
        for n = 1, #want do size = math.max(size, math.abs(want[n])) end
        for n = 1, #want do
          local got = (qd[2][n] - qd[1][n]) / (2 * h)
          assert.is_true(math.abs(want[n] - got) < 1e-6 * size, ("seed %d, %s: %.12g, differences %.12g"):format(seed, kind,
            want[n], got))
        end
        assert.is_true(body.mass > 0)
      end
    end
  end)
end)

describe("stability of penalty joints", function()
  it("is the largest eigenvalue of D J M^-1 J' D (Jacobi's method on joint.rows)", function()
    for seed = 1, SEEDS do
      math.randomseed(seed)
      local planar = seed % 4 == 0
      local world <close>, bodies, joints = some_world(planar, { limits = true }, math.random(5))
      for _, body in ipairs(bodies) do
        local p = body.position
        body.position = p + 0.02 * delassus.vec(vector(#p, 1))
        body.rotation = planar and body.rotation + between(-0.2, 0.2) or body.rotation + delassus.vec(vector(4, 0.1))
      end
      local want = largest_eigenvalue(stability_matrix(world, joints, planar))
      if want < 3.99 then
        world:step()
        local got = world.stats.stability
        -- up to 24 rows to round-off, beyond to 1e-3 from below
        assert.is_true(math.abs(want - got) < 1e-10 or (want - got < 2e-3 * want and want > got),
          ("seed %d: %.15g, got %.15g"):format(seed, want, got))
      else
        assert.has_error(function() world:step() end)
      end
    end
  end)

  it("is at most 2 with automatic gains in every pose, however far joints slide", function()
    for seed = 1, SEEDS do
      math.randomseed(seed)
      local planar = seed % 4 == 0
      local kinds = planar and PLANAR or SPATIAL
      local world <close>, _, joints = some_world(planar, { kind = kinds[1 + seed // 4 % #kinds], limits = seed % 3 > 0 },
        math.random(6))
      local most = 0
      for _ = 1, 10 do
        local ok, why = pcall(world.step, world, 8)
        assert.is_true(ok, ("seed %d: %s"):format(seed, why))
        most = math.max(most, world.stats.stability)
      end
      assert.is_true(most <= 2 * (1 + 1e-3), ("seed %d: %.15g"):format(seed, most)) -- sines are 1e-4 off one at most
      assert.is_true(#joints > 0)
    end
  end)

  it("tells decay from growth at 4: the linear steps of rows under it and above it", function()
    for seed = 1, SEEDS do
      math.randomseed(seed)
      local world <close>, _, joints = some_world(seed % 4 == 0, { joint = { gains = nil } }, math.random(3))
      local A = stability_matrix(world, joints, seed % 4 == 0)
      local copy = {}
      for i = 1, #A do copy[i] = table.move(A[i], 1, #A, 1, {}) end
      local number = largest_eigenvalue(copy)
      for _, goal in ipairs{ 3.9, 4.1 } do
        -- y = D x:  y' = y + w', w' = w - B (k y + c w), B scaled to the goal; half is stiffness as in automatic gains
        local y, w, size = vector(#A, 1), {}, 0
        for i = 1, #A do w[i] = 0 end
        for _ = 1, 300 do
          local f = {}
          for i = 1, #A do
            local sum = 0
            for j = 1, #A do sum = sum + A[i][j] * (0.5 * y[j] + 0.25 * w[j]) end
            f[i] = goal / number * sum
          end
          for i = 1, #A do
            w[i] = w[i] - f[i]
            y[i] = y[i] + w[i]
          end
        end
        for i = 1, #A do size = math.max(size, math.abs(w[i])) end
        assert.is_true((size < 1) == (goal < 4), ("seed %d, number %g: %g after 300 steps"):format(seed, goal, size))
      end
    end
  end)

  local function pendulum(J, options)
    local world = delassus.world{ dt = 3e-3, record = false, scheme = options and options.scheme or "semi-implicit" }
    local body = world:body{ mass = 2, inertia = J, position = { 0, 0, -0.5 }, velocity = { -1.25, 0, 0 },
      angular_velocity = { 0, 2.5, 0 } }
    local joint = { "revolute", world.ground, body, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 }, formulation = "penalty",
      gains = "published", name = "hip" }
    for k, v in pairs(options and options.joint or {}) do joint[k] = v end
    return world, body, world:joint(joint)
  end

  it("raises where the reference lost the joint, naming it, and keeps the state (B.3.9)", function()
    for _, case in ipairs{ { { 0.27, 0.3, 0.32 }, 1.1111111111111112 }, { { 0.18, 0.2, 0.2 }, 1.6666666666666665 },
      { { 0.1, 0.15, 0.06 }, 5 }, { { 0.15, 0.15, 0.003 }, 100 }, { { 0.05, 0.05, 0.05 }, 6 },
      { { 0.04, 0.08, 0.04 }, 7.5 } } do -- the last: the moment about the free axis cut to what a body can have
      for _, scheme in ipairs{ "semi-implicit", "time-stepping" } do
        local world <close>, _, joint = pendulum(case[1], { scheme = scheme })
        local largest = 0
        for _, row in ipairs(joint.rows) do
          if row.kind == "R" then
            local W = 0 -- the bodies stand along the axes
            for k = 1, 3 do W = W + row.Jj[3 + k] ^ 2 / case[1][k] end
            largest = math.max(largest, (9e-6 * row.alpha + 6e-3 * row.beta) * W)
            assert.is_true(math.abs(row.stability - (9e-6 * row.alpha + 6e-3 * row.beta) * W) < 1e-12 * row.stability)
          end
        end
        assert.is_true(math.abs(largest - case[2]) < 1e-12 * case[2])
        local hash = world:hash()
        local ok, message = pcall(world.step, world, 3333)
        assert.equal(case[2] < 4, ok)
        if ok then
          assert.is_true(world.stats.stability >= case[2] - 1e-12 and world.stats.stability < 4)
        else
          assert.is_truthy(message:find("world:step: joint 'hip' would be lost", 1, true), message)
          assert.equal(hash, world:hash())
          assert.has_error(function() world:integrate{ method = "semi-implicit", dt = 3e-3, to = 1 } end)
          assert.equal(hash, world:hash())
        end
      end
    end
  end)

  it("is no matter of size with gains = 'sound'", function()
    for _, J in ipairs{ { 0.27, 0.3, 0.32 }, { 0.1, 0.15, 0.06 }, { 0.15, 0.15, 0.003 }, { 0.05, 0.05, 0.05 } } do
      local world <close>, _, joint = pendulum(J, { joint = { gains = "sound" } })
      for _, row in ipairs(joint.rows) do
        if row.kind == "R" then -- 1/J = n.(J_i^-1 + J_j^-1) n, alpha* = 5000, beta* = 25 in rotations
          local W = 0
          for k = 1, 3 do W = W + row.Jj[3 + k] ^ 2 / J[k] end
          assert.is_true(math.abs(row.alpha * W - 5000) < 1e-9 and math.abs(row.beta * W - 25) < 1e-11)
        end
      end
      local most = 0
      for _ = 1, 600 do
        world:step()
        most = math.max(most, (joint:violation()))
      end
      assert.is_true(world.stats.stability < 4 and most < 5e-3)
    end
  end)
end)

-- A chain of n bodies hung from the ground by joints of the formulations named; -> where its end is after T.
local function hang(world, forms, T, options)
  local before, joints = world.ground, {}
  for i, form in ipairs(forms) do
    local planar = world.planar
    local body = world:body{ mass = 1 + 0.2 * i, inertia = planar and 0.1 or { 0.1, 0.12, 0.05 },
      position = planar and { i - 0.5, 0 } or { i - 0.5, 0, 0 } }
    local joint = { "revolute", before, body, anchor = planar and { i - 1, 0 } or { i - 1, 0, 0 }, formulation = form }
    if not planar then joint.axis = { 0, -1, 0 } end -- so that positive angles go up in both
    for k, v in pairs(options or {}) do joint[k] = v end
    joints[i], before = world:joint(joint), body
  end
  if T then world:run(T) end
  return before.position, joints
end

describe("penalty joints among others", function()
  it("converge to reduced ones, alone and mixed with reduced and rigid ones", function()
    local exact <close> = delassus.world{ record = false }
    local want
    do
      local world <close> = delassus.world{ record = false }
      hang(world, { "reduced", "reduced", "reduced" })
      world:integrate{ method = "dopri5", rtol = 1e-10, to = 0.4 }
      want = world.bodies[#world.bodies].position
    end
    for _, forms in ipairs{ { "penalty", "penalty", "penalty" }, { "reduced", "penalty", "rigid" },
      { "rigid", "reduced", "penalty" }, { "penalty", "reduced", "reduced" } } do
      for _, scheme in ipairs{ "time-stepping", "semi-implicit" } do
        local off = {}
        for k, dt in ipairs{ 1e-3, 2.5e-4 } do
          local world <close> = delassus.world{ record = false, dt = dt, scheme = scheme }
          off[k] = (hang(world, forms, 0.4) - want):norm()
        end
        assert.is_true(off[2] < 2e-3 and off[2] < off[1] / 3, ("%s: %g, %g"):format(table.concat(forms, ", "), off[1], off[2]))
      end
    end
    assert.is_true(#exact == 0)
  end)

  it("are the same in a planar world and in a spatial one", function()
    -- not semi-implicit: there space turns by normalised quaternions, which lag by (omega h)^3/12 a step
    local flat <close> = delassus.world{ planar = true, record = false }
    local space <close> = delassus.world{ record = false }
    local names = { { "revolute" }, { "prismatic", axis = { 0.6, 0.8 }, limits = { -0.3, 0.3 } },
      { "fixed" }, { "revolute", limits = { -0.2, 0.3 } } }
    local before, over, bodies, others = flat.ground, space.ground, {}, {}
    for i, name in ipairs(names) do
      bodies[i] = flat:body{ mass = i, inertia = 0.1 * i, position = { i - 0.5, 0 }, com = { 0.1, 0.05 } }
      others[i] = space:body{ mass = i, inertia = { 0.1 * i, 0.1 * i, 0.1 * i }, position = { i - 0.5, 0, 0 },
        com = { 0.1, 0, 0.05 } }
      flat:joint{ name[1], before, bodies[i], anchor = { i - 1, 0 }, axis = name.axis, limits = name.limits,
        formulation = "penalty", gains = "published" }
      local axis = name[1] == "revolute" and { 0, -1, 0 } or name.axis and { name.axis[1], 0, name.axis[2] } or nil
      space:joint{ name[1], over, others[i], anchor = { i - 1, 0, 0 }, axis = axis, limits = name.limits,
        formulation = "penalty", gains = "published" }
      before, over = bodies[i], others[i]
    end
    for _ = 1, 10 do
      flat:step(100)
      space:step(100)
      for i, body in ipairs(bodies) do
        local p, r = body.position, others[i].position
        assert.is_true(math.abs(p.x - r.x) < 1e-10 and math.abs(p.y - r.z) < 1e-10,
          ("body %d at %g s: %s, %s"):format(i, flat.time, p, r))
      end
    end
  end)

  it("act on links of trees as on bodies: two halves fixed together by a reduced joint are one body", function()
    local function build(halves, dt)
      local world = delassus.world{ record = false, dt = dt }
      local a = world:body{ mass = 2, inertia = { 0.2, 0.3, 0.25 }, position = { 0.5, 0, 0 }, velocity = { 0, 0.3, 0 } }
      local b
      if halves then
        b = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 1.25, 0, 0 } }
        local c = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 1.75, 0, 0 } }
        world:joint{ "fixed", b, c }
      else -- Steiner: 2 x 0.1, and 2 x 1 x 0.25^2 across
        b = world:body{ mass = 2, inertia = { 0.2, 0.325, 0.325 }, position = { 1.25, 0, 0 }, com = { 0.25, 0, 0 } }
      end
      local k = halves and 1.5 or 1 -- effective masses are 2/3 and 1
      local joint = world:joint{ "universal", a, b, anchor = { 1, 0, 0 }, axis = { 0, 1, 0 }, axis2 = { 0, 0, 1 },
        formulation = "penalty", alpha = 5000 * k, beta = 25 * k, alpha_rotation = 10000 * k, beta_rotation = 10 * k,
        limits = { { -0.1, 0.1 }, { -0.2, 0.2 } } }
      return world, joint, b
    end
    -- A tree steps its velocity terms explicitly, a body carries its momentum: equal up to the step, not to round-off.
    local last
    for _, dt in ipairs{ 1e-3, 2.5e-4 } do
      local one <close>, joint, body = build(false, dt)
      local two <close>, twin, half = build(true, dt)
      for _ = 1, 5 do
        one:run(0.05)
        two:run(0.05)
        local x, y = one.stats.stability, two.stats.stability
        assert.is_true(math.abs(x - y) < 1e-4 * x, x .. ", " .. y)
      end
      local off = (body.position - half.position):norm()
      assert.is_true(off < 2e-4 and (not last or off < last / 3), ("%g at %g s"):format(off, dt))
      last = off
      local force, moment = joint:reaction()
      local other, turn = twin:reaction()
      assert.is_true((force - other):norm() < 0.05 * force:norm() and (moment - turn):norm() < 0.05 * (1 + moment:norm()))
      assert.is_true(one.stats.stability > 0)
    end
  end)

  -- Gains are for the masses that are; points of joints are told from mass centres.
  it("follows masses, inertias and mass centres that are set", function()
    for _, kind in ipairs{ "spherical", "revolute", "chain" } do
      local world <close> = delassus.world{ gravity = { 0, 0, 0 } }
      local body = world:body{ mass = 5, inertia = { 0.1, 0.1, 0.1 }, position = { 0.1, 0, 0 } }
      local joint = world:joint{ kind, world.ground, body, anchor = { 0, 0, 0 }, formulation = "penalty",
        axis = kind == "revolute" and { 0, 1, 0 } or nil,
        motions = kind == "chain" and { { "rotate", { 0, 0, 1 } }, { "rotate", { 0, 1, 0 } } } or nil }
      world:step(20)
      body.com = { 0.3, 0, 0.2 }
      world:step(200)
      assert.is_true(world:energy() < 1e-20 and joint:violation() < 1e-12, kind)
    end
    for _, set in ipairs{ { "mass", 3 }, { "mass", 0.1 }, { "inertia", { 0.05, 0.05, 0.05 } }, { "density", 10 },
      { "com", { 0.1, 0, 0 } } } do
      local world <close> = delassus.world{}
      local body = world:box{ size = { 0.3, 0.2, 0.2 }, mass = 6, position = { 0.3, 0, 0 } }
      local joint = world:joint{ "revolute", world.ground, body, anchor = { 0, 0, 0 }, axis = { 0, 1, 0 },
        formulation = "penalty" }
      world:step(100)
      body[set[1]] = set[2]
      world:step(100)
      assert.is_true(joint:violation() < 1e-3, set[1] .. ": " .. joint:violation())
      assert.is_true(world.stats.stability < 2 + 1e-9, set[1] .. ": stability " .. world.stats.stability)
    end
  end)
end)
