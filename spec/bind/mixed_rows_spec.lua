-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- world:accelerations() where rows of many kinds act together: contacts that slide beside contacts that rest, rolling and
-- spinning friction, dry friction and motors of joints. The oracle knows bodies' masses and tries every state.
local delassus = require "delassus"
local seeds = require "support.seeds"

local G = 9.81
local function between(lo, hi) return lo + (hi - lo) * math.random() end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end

--- x of A x = b by Gauss with pivots; nil where A is singular.
local function solve(A, b)
  local n, M = #b, {}
  for i = 1, n do M[i] = table.move(A[i], 1, n, 1, {}) M[i][n + 1] = b[i] end
  for k = 1, n do
    local best = k
    for i = k + 1, n do if math.abs(M[i][k]) > math.abs(M[best][k]) then best = i end end
    M[k], M[best] = M[best], M[k]
    if math.abs(M[k][k]) < 1e-12 then return nil end
    for i = k + 1, n do
      local f = M[i][k] / M[k][k]
      for j = k, n + 1 do M[i][j] = M[i][j] - f * M[k][j] end
    end
  end
  local x = {}
  for i = n, 1, -1 do
    local sum = M[i][n + 1]
    for j = i + 1, n do sum = sum - M[i][j] * x[j] end
    x[i] = sum / M[i][i]
  end
  return x
end

--- Lists of `udot` that differ.
local function add(list, udot)
  for _, other in ipairs(list) do
    local off, size = 0, 1
    for k = 1, #udot do off, size = math.max(off, math.abs(udot[k] - other[k])), math.max(size, math.abs(udot[k])) end
    if off < 1e-6 * size then return end
  end
  list[#list + 1] = udot
end

--- The world's answer against all there are (bodies' accelerations; `as_coordinates` of them).
local function judge(world, answers, seen, what, as_coordinates)
  local ok, udot = pcall(world.accelerations, world)
  what = ("%s: %d answers, %s"):format(what, #answers, tostring(udot))
  if #answers == 1 then
    seen.one = seen.one + 1
    assert.is_true(ok, what)
    local exact, size = as_coordinates and as_coordinates(answers[1]) or answers[1], G
    for k = 1, #exact do size = math.max(size, math.abs(exact[k])) end
    for k = 1, #exact do
      assert.is_true(math.abs(udot[k] - exact[k]) < 1e-7 * size, ("%s: %d is %.10g, exact %.10g"):format(what, k, udot[k],
        exact[k]))
    end
  else
    assert.is_false(ok, what)
    seen[#answers == 0 and "none" or "several"] = seen[#answers == 0 and "none" or "several"] + 1
    assert.matches(#answers == 0 and "there are no accelerations" or "several accelerations", what, 1, true)
  end
end

describe("world:accelerations of mixed rows", function()
  -- A body turns about the normal through a point that rests on the floor; its other feet slide in circles. Along each
  -- direction in which the resting foot may begin to slip the rest is linear; a_T x w = 0 gives the directions.
  it("of a foot that rests beside feet that slide, in space, are all that every state admits (200 seeds)", function()
    local seen = { one = 0, none = 0, several = 0 }
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local world <close> = delassus.world{ record = false }
      local m, I = between(0.5, 2), { between(0.1, 0.2), between(0.1, 0.2), between(0.1, 0.2) }
      local steep = seed % 2 == 0 and 1 or 0.3
      local feet, omega = {}, between(1, 6)
      for k = 1, 1 + math.random(2) do
        feet[k] = { r = { between(-0.5, 0.5), between(-0.5, 0.5), -between(0.2, 0.5 + steep) }, mu = between(0.1, 0.6 + steep) }
      end
      local p = feet[1].r
      local body = world:body{ mass = m, inertia = I, position = { 0, 0, 2 },
        velocity = cross({ p[1], p[2], p[3] }, { 0, 0, omega }),
        angular_velocity = { 0, 0, omega } }
      for k, foot in ipairs(feet) do
        local r = foot.r
        world:contact{ world.ground, body, point_a = { r[1], r[2], 2 + r[3] }, point_b = r, normal = { 0, 0, 1 },
          friction = foot.mu }
        local v = cross({ 0, 0, omega }, { r[1] - p[1], r[2] - p[2], 0 })
        local speed = math.sqrt(dot(v, v))
        if k > 1 then foot.along = { v[1] / speed, v[2] / speed, 0 } end
        foot.own = { -omega * omega * r[1], -omega * omega * r[2], 0 }
      end
      local force = { between(-8, 8), between(-8, 8), between(-5, 12) }
      local torque = { between(-3, 3), between(-3, 3), between(-2, 2) }
      body:apply{ force = force, torque = torque }
      local free = world:accelerations{ contacts = false }
      local function push(udot, r, f) -- a force at r
        local t = cross(r, f)
        for k = 1, 3 do
          udot[k] = udot[k] + f[k] / m
          udot[3 + k] = udot[3 + k] + t[k] / I[k]
        end
      end
      local function acceleration(udot, foot)
        local a = cross({ udot[4], udot[5], udot[6] }, foot.r)
        for k = 1, 3 do a[k] = a[k] + udot[k] + foot.own[k] end
        return a
      end
      --- Forces of a state: which feet press, and the direction w of the first one's slip, nil: it sticks.
      local function state(on, w)
        local columns, want = {}, {}
        for k, foot in ipairs(feet) do
          if on[k] then
            local d = k > 1 and foot.along or w or { 0, 0, 0 }
            columns[#columns + 1] = { foot = k, f = { -foot.mu * d[1], -foot.mu * d[2], 1 } }
            want[#want + 1] = { k, 3 }
          end
        end
        if on[1] and not w then
          columns[#columns + 1], want[#want + 1] = { foot = 1, f = { 1, 0, 0 } }, { 1, 1 }
          columns[#columns + 1], want[#want + 1] = { foot = 1, f = { 0, 1, 0 } }, { 1, 2 }
        end
        local A, b = {}, {}
        for i, row in ipairs(want) do
          A[i], b[i] = {}, -acceleration(free, feet[row[1]])[row[2]]
          for j, column in ipairs(columns) do
            local udot = { 0, 0, 0, 0, 0, 0 }
            push(udot, feet[column.foot].r, column.f)
            A[i][j] = cross({ udot[4], udot[5], udot[6] }, feet[row[1]].r)[row[2]] + udot[row[2]]
          end
        end
        local x = solve(A, b)
        if not x then return nil end
        local udot, N = table.move(free, 1, 6, 1, {}), {}
        for j, column in ipairs(columns) do
          push(udot, feet[column.foot].r, { x[j] * column.f[1], x[j] * column.f[2], x[j] * column.f[3] })
          if column.f[3] == 1 then N[column.foot] = x[j] end
        end
        return udot, N, x
      end
      local function admitted(on, udot, N)
        for k, foot in ipairs(feet) do
          if on[k] and N[k] < 0 or not on[k] and acceleration(udot, foot)[3] < -1e-9 then return false end
        end
        return true
      end
      local answers = {}
      for mode = 0, 2 ^ #feet - 1 do
        local on = {}
        for k = 1, #feet do on[k] = mode // 2 ^ (k - 1) % 2 == 1 end
        local udot, N, x = state(on)
        if udot and admitted(on, udot, N) then
          local n = #x
          if not on[1] or math.sqrt(x[n] ^ 2 + x[n - 1] ^ 2) <= feet[1].mu * N[1] then add(answers, udot) end
        end
        local function off(angle)
          local w = { math.cos(angle), math.sin(angle), 0 }
          local got, normal = state(on, w)
          if not got then return nil end
          local a = acceleration(got, feet[1])
          return a[1] * w[2] - a[2] * w[1], got, normal, a[1] * w[1] + a[2] * w[2]
        end
        local STEPS = 120
        local at_end = on[1] and off(0)
        for i = 1, on[1] and STEPS or 0 do
          local lo, hi = 2 * math.pi * (i - 1) / STEPS, 2 * math.pi * i / STEPS
          local at_lo, at_hi = at_end, (off(hi))
          at_end = at_hi
          if at_lo and at_hi and at_lo * at_hi <= 0 then
            for _ = 1, 50 do
              local middle = 0.5 * (lo + hi)
              local now = off(middle)
              if not now then break end
              if at_lo * now <= 0 then hi = middle else lo, at_lo = middle, now end
            end
            local left, got, normal, along = off(0.5 * (lo + hi))
            if left and math.abs(left) < 1e-6 * (G + math.abs(along)) and along > 0 and admitted(on, got, normal) then
              add(answers, got)
            end
          end
        end
      end
      judge(world, answers, seen, "seed " .. seed)
    end
    assert.is_true(seen.one > seeds.least(120) and seen.none + seen.several > seeds.least(2),
      ("%d %d %d"):format(seen.one, seen.none, seen.several))
  end)

  -- A cart and an arm on a joint whose dry friction (or motor) holds it; both glide, each on a foot of its own.
  for _, formulation in ipairs{ "reduced", "rigid" } do
    it("of dry friction of a joint beside feet that slide are all that every state admits (200 seeds), " .. formulation,
    function()
      local seen = { one = 0, none = 0, several = 0 }
      for seed = 1, seeds(200) do
        math.randomseed(seed)
        local world <close> = delassus.world{ planar = true, record = false }
        local v = between(0.5, 2)
        local motor, most = seed % 3 == 0, between(0, 3)
        local bodies, feet = {}, {}
        for k = 1, 2 do
          bodies[k] = { m = between(0.5, 2), J = between(0.02, 0.2), x = 0.8 * k, y = 1 + between(-0.2, 0.2) }
          local at = bodies[k]
          at.body = world:body{ mass = at.m, inertia = at.J, position = { at.x, at.y }, velocity = { v, 0 } }
        end
        local pin = { between(1, 1.4), between(0.9, 1.2) }
        local motors = motor and { speed = 0, max_torque = most } or nil
        world:joint{ "revolute", bodies[1].body, bodies[2].body, anchor = pin, formulation = formulation,
          friction = not motor and most or 0, motor = motors }
        for k = 1, 3 do
          local on = k == 3 and math.random(2) or k
          local r = { between(-0.6, 0.6), -between(0.2, 1) }
          feet[k] = { on = on, r = r, mu = between(0.1, 1.6) }
          world:contact{ world.ground, bodies[on].body, point_a = { bodies[on].x + r[1], bodies[on].y + r[2] }, point_b = r,
            normal = { 0, 1 }, friction = feet[k].mu }
        end
        local load = {}
        for k, at in ipairs(bodies) do
          load[k] = { between(-4, 4), between(-4, 10), between(-3, 3) }
          at.body:apply{ force = { load[k][1], load[k][2] }, torque = load[k][3] }
        end
        --- Six accelerations, the pin's force and x (forces of feet that press, then the joint's torque where it holds).
        local function state(on, torque)
          local unknowns = { "px", "py" }
          for k = 1, 3 do if on[k] then unknowns[#unknowns + 1] = k end end
          if not torque then unknowns[#unknowns + 1] = "t" end
          local function forces(name) -- of a unit: Fx, Fy, M on both bodies
            local f = { { 0, 0, 0 }, { 0, 0, 0 } }
            local function at(k, fx, fy, x, y)
              f[k][1], f[k][2] = f[k][1] + fx, f[k][2] + fy
              f[k][3] = f[k][3] + (x - bodies[k].x) * fy - (y - bodies[k].y) * fx
            end
            if name == "px" then at(1, -1, 0, pin[1], pin[2]) at(2, 1, 0, pin[1], pin[2])
            elseif name == "py" then at(1, 0, -1, pin[1], pin[2]) at(2, 0, 1, pin[1], pin[2])
            elseif name == "t" then f[1][3], f[2][3] = -1, 1
            else
              local foot = feet[name]
              at(foot.on, -foot.mu, 1, bodies[foot.on].x + foot.r[1], bodies[foot.on].y + foot.r[2])
            end
            return f
          end
          local function measure(name, a)
            local function point(k, x, y) -- acceleration, all bodies at rest but for translation
              local u = a[k]
              return u[1] - u[3] * (y - bodies[k].y), u[2] + u[3] * (x - bodies[k].x)
            end
            local x1, y1 = point(1, pin[1], pin[2])
            local x2, y2 = point(2, pin[1], pin[2])
            if name == "px" then return x2 - x1 elseif name == "py" then return y2 - y1
            elseif name == "t" then return a[2][3] - a[1][3] end
            local foot = feet[name]
            local _, y = point(foot.on, bodies[foot.on].x + foot.r[1], bodies[foot.on].y + foot.r[2])
            return y
          end
          local function respond(f)
            local a = {}
            for k, at in ipairs(bodies) do a[k] = { f[k][1] / at.m, f[k][2] / at.m, f[k][3] / at.J } end
            return a
          end
          local base = respond{ { load[1][1], load[1][2] - bodies[1].m * G, load[1][3] - (torque or 0) },
            { load[2][1], load[2][2] - bodies[2].m * G, load[2][3] + (torque or 0) } }
          local A, b = {}, {}
          for i, row in ipairs(unknowns) do
            A[i], b[i] = {}, -measure(row, base)
            for j, column in ipairs(unknowns) do A[i][j] = measure(row, respond(forces(column))) end
          end
          local x = solve(A, b)
          if not x then return nil end
          for j, column in ipairs(unknowns) do
            local more = respond(forces(column))
            for k = 1, 2 do for i = 1, 3 do base[k][i] = base[k][i] + x[j] * more[k][i] end end
          end
          local good = true
          for j, column in ipairs(unknowns) do
            if type(column) == "number" and x[j] < 0 or column == "t" and math.abs(x[j]) > most then good = false end
          end
          for k = 1, 3 do if not on[k] and measure(k, base) < -1e-9 then good = false end end
          if torque and torque * measure("t", base) > 1e-9 then good = false end -- three feet can hold it
          return good and { base[1][1], base[1][2], base[1][3], base[2][1], base[2][2], base[2][3] }
        end
        local answers = {}
        for mode = 0, 7 do
          local on = { mode % 2 == 1, mode // 2 % 2 == 1, mode // 4 == 1 }
          for _, torque in ipairs{ false, most, -most } do
            local udot = state(on, torque)
            if udot then add(answers, udot) end
          end
        end
        judge(world, answers, seen, "seed " .. seed, function(exact) -- coordinates of reduced worlds are joints'
          if formulation == "rigid" then return exact end
          return { exact[1], exact[2], exact[3], exact[6] - exact[3] }
        end)
      end
      assert.is_true(seen.one > seeds.least(80) and seen.none > seeds.least(20) and seen.several > seeds.least(50),
        ("%d %d %d"):format(seen.one, seen.none, seen.several))
    end)
  end

  -- A ball slides without turning along the edge of a floor and a wall. Normal forces do not depend on its turning; the
  -- angular acceleration is where  I |alpha|^2 / 2 - T . alpha + sum of bounds |part of alpha|  is least: convex.
  it("of rolling and spinning friction that rests beside friction that slides dissipate most (200 seeds)", function()
    local held = 0
    for seed = 1, seeds(200) do
      math.randomseed(seed)
      local world <close> = delassus.world{ record = false }
      local r, m = 0.2, between(0.5, 2)
      local I = 0.4 * m * r * r
      local law = { friction = between(0.1, 0.5), rolling_friction = between(0, 0.08), spinning_friction = between(0, 0.05) }
      local function with(t) for k, x in pairs(law) do t[k] = x end return t end
      world:floor(with{})
      local wall = seed % 2 == 0
      if wall then world:wall(with{ normal = { 1, 0, 0 }, offset = 0 }) end
      local ball = world:sphere(with{ radius = r, mass = m, position = { r, 0, r }, velocity = { 0, between(0.5, 2), 0 } })
      local force = { wall and -between(1, 10) or 0, between(-2, 2), between(-4, 2) }
      local torque = { between(-2, 2), between(-0.5, 0.5), between(-0.5, 0.5) }
      ball:apply{ force = force, torque = torque }
      local N = { m * G - force[3], -force[1] } -- floor, wall
      local mu = law.friction
      -- friction along -y at (0, 0, -r) and (-r, 0, 0)
      local T = { torque[1] - r * mu * N[1], torque[2], torque[3] + r * mu * N[2] }
      local function energy(a)
        local e = 0.5 * I * dot(a, a) - dot(T, a)
        e = e + law.rolling_friction * N[1] * math.sqrt(a[1] ^ 2 + a[2] ^ 2) + law.spinning_friction * N[1] * math.abs(a[3])
        return e + law.rolling_friction * N[2] * math.sqrt(a[2] ^ 2 + a[3] ^ 2) + law.spinning_friction * N[2] * math.abs(a[1])
      end
      local udot = world:accelerations()
      local a = { udot[4], udot[5], udot[6] }
      local size = math.sqrt(dot(T, T)) / I
      local what = ("seed %d: %s"):format(seed, tostring(udot))
      assert.is_true(math.abs(udot[2] - (force[2] - mu * (N[1] + N[2])) / m) < 1e-8 * G and math.abs(udot[3]) < 1e-8 * G, what)
      local least = energy(a)
      if math.sqrt(dot(a, a)) < 1e-9 * size then held = held + 1 end
      for k = 1, 400 do
        local step = size * 10 ^ -between(0, 5)
        local d = { between(-1, 1), between(-1, 1), between(-1, 1) }
        if k % 4 == 0 then d[math.random(3)] = 0 end
        local other = energy{ a[1] + step * d[1], a[2] + step * d[2], a[3] + step * d[3] }
        assert.is_true(other >= least - 1e-12 * I * size ^ 2, ("%s: less by %g"):format(what, least - other))
      end
    end
    assert.is_true(held > seeds.least(10), held)
  end)

  -- What does not touch does not matter: balls side by side, each of which alone has so few rows that all states are tried.
  it("of many bodies are those of each alone: balls that rest, roll and slide (60 worlds of 8)", function()
    local law = { friction = 0.4, rolling_friction = 0.01, spinning_friction = 0.01 }
    local function with(t) for k, x in pairs(law) do t[k] = x end return t end
    for seed = 1, 60 do
      math.randomseed(seed)
      local all <close> = delassus.world{ record = false }
      all:floor(with{})
      local alone = {}
      for k = 1, 8 do
        local options = with{ radius = 0.1, density = 500, position = { 0.3 * k, 0, 0.1 },
          velocity = k % 2 == 0 and { 0, 1, 0 } or { 0, 0, 0 } }
        local load = { force = { between(-5, 5), between(-5, 5), -2 },
          torque = { between(-0.5, 0.5), between(-0.5, 0.5), between(-0.5, 0.5) } }
        all:sphere(options):apply(load)
        local one <close> = delassus.world{ record = false }
        one:floor(with{})
        one:sphere(options):apply(load)
        alone[k] = one:accelerations()
      end
      local udot = all:accelerations()
      for k = 1, 8 do
        local size = G
        for i = 1, 6 do size = math.max(size, math.abs(alone[k][i])) end
        for i = 1, 6 do
          local got = udot[6 * k - 6 + i]
          assert.is_true(math.abs(got - alone[k][i]) < 1e-7 * size, ("seed %d, ball %d, %d: %.10g, alone %.10g"):format(seed, k,
            i, got, alone[k][i]))
        end
      end
    end
  end)

  -- Towers whose lowest boxes glide: 16 contacts by corners, of which 4 slide. A short step makes the same of them.
  it("of towers that glide on the floor are what a short step makes of them (60 seeds)", function()
    local H = 1e-6
    for seed = 1, 60 do
      math.randomseed(seed)
      local world <close> = delassus.world{ record = false, dt = H, tolerance = 1e-13 }
      world:floor{ friction = 0.3 }
      local v, push = { between(0.5, 1), between(-1, 1), 0 }, between(0, 30)
      for k = 1, 4 do
        local box = world:box{ size = { 0.3, 0.3, 0.2 }, density = 500, friction = 0.3, position = { between(-0.03, 0.03),
          between(-0.03, 0.03), 0.2 * k - 0.1 }, velocity = k <= seed % 3 and v or { 0, 0, 0 } }
        box:apply{ force = { push * k, 0, 0 } }
      end
      local udot, before = world:accelerations(), world:velocities()
      world:step()
      local after = world:velocities()
      for i = 1, #udot do
        -- to first order in H: the largest difference is 1.5e-2 m/s^2 for 1e-5 s, 1.5e-3 for 1e-6 s
        local step = (after[i] - before[i]) / H
        assert.is_true(math.abs(step - udot[i]) < 3e3 * H, ("seed %d, %d: %g, a step %g"):format(seed, i, udot[i], step))
      end
    end
  end)
end)
