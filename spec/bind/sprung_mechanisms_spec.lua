-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Random mechanisms, open and with loops, whose joints have springs and dampers of 1 to 1e12, beside springs between two
-- points: kinetic, stored and potential energy, summed here from poses and velocities, never grow beyond the start.
local delassus = require "delassus"
local seeds = require "support.seeds"
local random = require "support.random"

local STEPS = 16
local SHARE, SWING = 1e-3, 2e-3 -- of what there was; of springs that the step resolves and that whirl bodies about, of order h^2

--- Words are made where they are wanted.
local function hold(what, form, ...)
  if not what then error(form:format(...), 2) end
end

local function product(a, b)
  return { a[1] * b[1] - a[2] * b[2] - a[3] * b[3] - a[4] * b[4], a[1] * b[2] + a[2] * b[1] + a[3] * b[4] - a[4] * b[3],
    a[1] * b[3] - a[2] * b[4] + a[3] * b[1] + a[4] * b[2], a[1] * b[4] + a[2] * b[3] - a[3] * b[2] + a[4] * b[1] }
end
local function conjugate(a) return { a[1], -a[2], -a[3], -a[4] } end
--- v + 2 w (r x v) + 2 r x (r x v) of the unit quaternion (w, r).
local function turned(q, v)
  local w, a, b, c, x, y, z = q[1], q[2], q[3], q[4], v[1], v[2], v[3] or 0
  local s, t, u = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
  return { x + w * s + b * u - c * t, y + w * t + c * s - a * u, z + w * u + a * t - b * s }
end

--- Place, quaternion, angle (plane) of a body; nil: the ground.
local function pose(body, planar)
  if not body then return { 0, 0, 0 }, { 1, 0, 0, 0 }, 0 end
  local x, q = body.position, body.rotation
  if planar then return { x[1], x[2], 0 }, { math.cos(q / 2), 0, 0, math.sin(q / 2) }, q end
  return { x[1], x[2], x[3] }, { q[1], q[2], q[3], q[4] }
end

local function between(a, r_a, b, r_b, planar)
  local x_a, q_a = pose(a, planar)
  local x_b, q_b = pose(b, planar)
  local A, B, way = turned(q_a, r_a), turned(q_b, r_b), {}
  for i = 1, 3 do way[i] = x_b[i] + B[i] - x_a[i] - A[i] end
  return way, q_a
end
local function length(v) return math.sqrt(v[1] ^ 2 + v[2] ^ 2 + (v[3] or 0) ^ 2) end

--- An angle, in as many turns as brings it next to `other`.
local function next_to(angle, other) return angle + 2 * math.pi * math.floor((other - angle) / (2 * math.pi) + 0.5) end

--- The squares of a joint's deflections, summed.
local function deflected(bodies, e, planar)
  local a, b = bodies[e.i], bodies[e.j]
  local _, q_a, angle_a = pose(a, planar)
  local _, q_b, angle_b = pose(b, planar)
  if planar and e.kind == "revolute" then return (angle_b - angle_a - e.angle) ^ 2 end
  local turn, q = product(product(conjugate(q_a), q_b), conjugate(e.turn)), e.joint.q
  if e.kind == "spherical" then return (2 * math.atan(length{ turn[2], turn[3], turn[4] }, math.abs(turn[1]))) ^ 2 end
  local along = turn[2] * e.axis[1] + turn[3] * e.axis[2] + turn[4] * e.axis[3]
  if e.kind == "revolute" then return next_to(2 * math.atan(along, turn[1]), q) ^ 2 end
  if e.kind == "universal" then return q[1] ^ 2 + q[2] ^ 2 end
  local way = between(a, e.r_a, b, e.r_b, planar)
  local axis = turned(q_a, e.axis)
  local sum = (way[1] * axis[1] + way[2] * axis[2] + way[3] * axis[3]) ^ 2
  if e.kind == "prismatic" then return sum end
  local angle = 2 * math.atan(along, turn[1])
  local first, second = next_to(angle, q[1]), next_to(angle, q[2])
  return sum + (math.abs(first - q[1]) < math.abs(second - q[2]) and first or second) ^ 2
end

--- stretched: springs between two points alone, from 1e6 on, up to half too long or too short;
--- -> world, its energies (kinetic, potential, stored)
local function mechanism(seed, formulation, planar, loops, stretched)
  local r = random(seed)
  local function within(lo, hi) return lo + (hi - lo) * 0.5 * (1 + r()) end
  local function three(s) return planar and { s * r(), s * r() } or { s * r(), s * r(), s * r() } end
  local function some(share, lo, hi) return within(0, 1) < share and 10 ^ within(lo, hi) or 0 end
  local down = seed % 2 == 0 and -9.81 or 0
  local world = delassus.world{ planar = planar, gravity = planar and { 0, down } or { 0, 0, down }, record = false,
    dt = seed % 4 < 2 and 1e-3 or 5e-3 }
  local bodies, inertia, joints, springs = {}, {}, {}, {}
  local n, hung = 2 + seed % 5, within(0, 1) < 0.6
  for i = 1, n do
    local a = within(0.02, 0.1)
    local b, c = a * within(0.8, 1.2), a * within(0.8, 1.2)
    inertia[i] = planar and a or stretched and { a, a, a } or { a, b, c } -- long bodies that whirl gain and lose by themselves
    bodies[i] = world:body{ mass = within(0.5, 5), inertia = inertia[i], position = three(1), velocity = three(1),
      angular_velocity = planar and 3 * r() or three(3) }
  end
  local kinds = planar and { "revolute", "prismatic" } or { "revolute", "spherical", "prismatic", "universal", "cylindrical" }
  local function join(i, j, how)
    local kind = kinds[1 + math.floor(within(0, #kinds - 1e-9))]
    local anchor, axis = three(1), three(1)
    local e = { kind = kind, i = i, j = j, k = some(stretched and 0 or 0.7, 0, 12) }
    local damping = some(stretched and 0 or 0.5, 0, 12)
    local straight = kind ~= "spherical" and not (planar and kind == "revolute")
    e.joint = world:joint{ kind, i == 0 and world.ground or bodies[i], bodies[j], anchor = anchor, formulation = how,
      axis = straight and axis or nil, axis2 = kind == "universal" and three(1) or nil, stiffness = e.k, damping = damping }
    local x_a, q_a, angle_a = pose(bodies[i], planar)
    local x_b, q_b, angle_b = pose(bodies[j], planar)
    local function from(x, q) return turned(conjugate(q), { anchor[1] - x[1], anchor[2] - x[2], (anchor[3] or 0) - x[3] }) end
    e.r_a, e.r_b, e.turn = from(x_a, q_a), from(x_b, q_b), product(conjugate(q_a), q_b)
    e.angle = planar and angle_b - angle_a
    local l = length(axis)
    e.axis = turned(conjugate(q_a), { axis[1] / l, axis[2] / l, (axis[3] or 0) / l })
    joints[#joints + 1] = e
  end
  for j = 1, n do
    local i = within(0, 1) < 0.7 and j - 1 or math.floor(within(0, j - 1e-9))
    if (i > 0 or hung) and within(0, 1) < 0.8 then join(i, j, formulation) end
  end
  for _ = 1, loops and 1 + seed % 2 or 0 do
    local i, j = math.floor(within(0, n + 1 - 1e-9)), 1 + math.floor(within(0, n - 1e-9))
    if i ~= j then join(i, j, formulation == "reduced" and "rigid" or formulation) end
  end
  for _ = 1, math.floor(within(0, 5)) do
    local i, j = math.floor(within(0, n + 1 - 1e-9)), 1 + math.floor(within(0, n - 1e-9))
    if i ~= j then
      local s = { i, j, k = some(0.85, stretched and 6 or 0, 12), a = three(0.2), b = three(0.2) }
      local now, which = length((between(bodies[i], s.a, bodies[j], s.b, planar))), within(0, 1)
      s.L = which < 0.3 and now * (1 + 1e-3 * r()) or which < 0.6 and now or which < 0.8 and 0 or within(0, 1.5)
      if stretched then s.L = now * (1 + 0.5 * r()) end
      world:spring{ i == 0 and world.ground or bodies[i], bodies[j], stiffness = s.k, damping = some(0.5, 0, 12), length = s.L,
        anchor_a = s.a, anchor_b = s.b }
      springs[#springs + 1] = s
    end
  end
  return world, function()
    local kinetic, potential, stored = 0, 0, 0
    for i, body in ipairs(bodies) do
      local v, w = body.velocity, body.angular_velocity
      local spin = not planar and turned(conjugate(select(2, pose(body))), w)
      kinetic = kinetic + 0.5 * body.mass * v:dot(v) + (planar and 0.5 * inertia[i] * w * w or 0)
      for k = 1, planar and 0 or 3 do kinetic = kinetic + 0.5 * inertia[i][k] * spin[k] ^ 2 end
      potential = potential - down * body.mass * body.position[planar and 2 or 3]
    end
    for _, s in ipairs(springs) do
      stored = stored + 0.5 * s.k * (length((between(bodies[s[1]], s.a, bodies[s[2]], s.b, planar))) - s.L) ^ 2
    end
    for _, e in ipairs(joints) do
      if e.k > 0 then stored = stored + 0.5 * e.k * deflected(bodies, e, planar) end
    end
    return kinetic, potential, stored
  end
end

--- So many mechanisms that do not gain, or one.
local function calm(formulation, planar, loops, stretched, one)
  for seed = one or 1, one or seeds(200) do
    local world <close>, energies = mechanism(seed, formulation, planar, loops, stretched)
    local kinetic, potential, stored = energies()
    local start, scale = kinetic + potential + stored, kinetic + math.abs(potential) + stored
    for step = 1, one and 25 or STEPS do
      local made, why = pcall(world.step, world)
      hold(made or formulation == "penalty" and tostring(why):find("would be lost", 1, true), "seed %d: %s", seed, why)
      if not made then break end -- gains that some pose does not bear
      local k, p, s = energies()
      hold(k + p + s <= start + (stretched and SWING or SHARE) * scale,
        "seed %d, step %d: %g J of %g J (%g moves, %g is stored)", seed, step, k + p + s, start, k, s)
      local _, _, theirs = world:energy()
      theirs = formulation == "penalty" and s or theirs -- which has the rows' own, too
      hold(math.abs(theirs - s) <= 1e-6 * (s + scale), "seed %d, step %d: stored %g J, not %g J", seed, step, theirs, s)
    end
  end
end

describe("a mechanism", function()
  for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
    for _, planar in ipairs{ true, false } do
      for _, loops in ipairs{ false, true } do
        local name = ("%s, %s%s"):format(formulation, planar and "plane" or "space", loops and ", loops" or "")
        it("whose joints have springs and dampers of any strength does not gain: " .. name .. " (200 seeds)", function()
          calm(formulation, planar, loops)
        end)
        if formulation ~= "penalty" then
          it("that stiff springs stretch does not gain: " .. name .. " (200 seeds)", function()
            calm(formulation, planar, loops, true)
          end)
        end
      end
    end
  end

  it("that gives angular momentum back by a fast turn pays for it (of 20,000 those whose projections went farthest)", function()
    for _, seed in ipairs{ 373, 1518, 1950 } do calm("reduced", false, false, false, seed) end
    for _, seed in ipairs{ 3044, 3436 } do calm("reduced", false, true, false, seed) end
    calm("reduced", false, false, true, 1662)
    calm("reduced", false, true, true, 1160)
    calm("reduced", true, false, false, 1063)
    calm("reduced", true, true, false, 2231)
  end)

  it("never grows where a stiff spring passes near the hinges of bars: closing it turns them far (800 seeds)", function()
    for seed = 2201, 3000 do
      local r, planar = random(seed), seed % 2 == 0
      local function within(lo, hi) return lo + (hi - lo) * 0.5 * (1 + r()) end
      local function point(x, y) return planar and { x, y } or { x, 0, y } end
      local world <close> = delassus.world{ planar = planar, gravity = point(0, 0), record = false,
        dt = ({ 1e-3, 5e-3, 1 / 60 })[seed % 3 + 1] }
      local bars, springs, n = { [0] = world.ground }, {}, seed // 3 % 3 + 1
      for i = 1, n do
        local inertia = 10 ^ within(-2, -0.5)
        bars[i] = world:body{ mass = 1, inertia = planar and inertia or { inertia, inertia, inertia },
          position = point(i - 0.5, 0) }
        world:joint{ "revolute", bars[i - 1], bars[i], anchor = point(i - 1, 0), axis = not planar and { 0, 1, 0 } or nil }
      end
      for _ = 1, r() < 0 and 1 or 2 do
        local bar = bars[math.min(n, 1 + math.floor(within(0, n)))]
        local spring = { world.ground, bar, anchor_a = point(within(-1, -0.3), 0.1 * r()),
          anchor_b = point(within(-0.3, 0.5), 0.1 * r()), stiffness = 10 ^ within(3, 10),
          damping = r() < 0 and 0 or 10 ^ within(0, 5), length = within(0, 2) }
        world:spring(spring)
        springs[#springs + 1] = spring
      end
      local function sum()
        local all = world:energy()
        for _, o in ipairs(springs) do
          local way = between(nil, o.anchor_a, o[2], o.anchor_b, planar)
          all = all + 0.5 * o.stiffness * (length(way) - o.length) ^ 2
        end
        return all
      end
      local start = sum()
      for step = 1, STEPS do
        world:step()
        local now = sum()
        hold(now <= start * (1 + SHARE), "seed %d, step %d: %g J of %g J", seed, step, now, start)
      end
    end
  end)
end)

describe("a hinge that turns by more than pi in a step", function()
  it("counts its turns, whatever its formulation", function()
    for _, planar in ipairs{ true, false } do
      for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
        for _, rate in ipairs{ 100, 700, -900, 1234 } do
          local world <close> = delassus.world{ planar = planar, gravity = planar and { 0, 0 } or { 0, 0, 0 }, record = false,
            dt = 5e-3 }
          local origin, along = planar and { 0, 0 } or { 0, 0, 0 }, not planar and { 0, 0, 1 } or nil
          local body = world:body{ mass = 1, inertia = planar and 0.1 or { 0.1, 0.1, 0.1 }, position = origin,
            angular_velocity = planar and rate or { 0, 0, rate } }
          local joint = world:joint{ "revolute", world.ground, body, anchor = origin, axis = along, formulation = formulation }
          for _ = 1, 20 do world:step() end
          hold(math.abs(joint.q - 0.1 * rate) < 1e-6 * math.abs(rate), "%s, %s, %g rad/s: %g rad", formulation,
            planar and "plane" or "space", rate, joint.q)
        end
      end
    end
  end)
end)
