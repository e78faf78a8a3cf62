-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- One step of random planar worlds against the enumeration of all contact modes, which knows nothing of the library:
-- masses, rows and free velocities are written down again here, from EQUATIONS G.1.
local delassus = require "delassus"
local modes = require "support.planar_modes"

local DT, GRAVITY = 1e-3, { 0.7, -9.81 }

local function turned(angle, r)
  local c, s = math.cos(angle), math.sin(angle)
  return { c * r[1] - s * r[2], s * r[1] + c * r[2] }
end

-- Two bodies and the ground; one to three contacts of points against planes.
local function problem(seed)
  local random = delassus.random(seed)
  local function between(lo, hi) return lo + (hi - lo) * random:uniform() end
  local bodies = { { fixed = true, q = { 0, 0, 0 }, u = { 0, 0, 0 } } }
  for i = 2, 3 do
    bodies[i] = { mass = between(0.5, 3), inertia = between(0.1, 2), q = { between(-1, 1), between(-1, 1), between(-3, 3) },
      u = { between(-1, 1), between(-1, 1), between(-2, 2) } }
  end
  local contacts = {}
  for k = 1, random:integer(1, 3) do
    local a, b = random:integer(1, 2), 3
    if random:uniform() < 0.3 then a, b = 1, 2 end
    local angle, gap = between(-math.pi, math.pi), between(-1e-4, 1e-4)
    local at = { between(-0.7, 0.7), between(-0.7, 0.7) }
    local A, B = bodies[a], bodies[b]
    local n = turned(A.q[3], { math.cos(angle), math.sin(angle) })
    local arm = turned(B.q[3], at)
    local place = { B.q[1] + arm[1] - gap * n[1] - A.q[1], B.q[2] + arm[2] - gap * n[2] - A.q[2] }
    contacts[k] = { a = a, b = b, normal = { math.cos(angle), math.sin(angle) }, point_b = at,
      point_a = turned(-A.q[3], place) }
  end
  return bodies, contacts, { friction = between(0, 1), restitution = between(0, 0.9) }
end

-- J (6 or 9 numbers) of a contact at q_c: normal and tangent over the velocities of all bodies; and its gap.
local function rows(bodies, contact)
  local function at(i)
    local B = bodies[i]
    return { B.q[1] + DT / 2 * B.u[1], B.q[2] + DT / 2 * B.u[2], B.q[3] + DT / 2 * B.u[3] }
  end
  local qa, qb = at(contact.a), at(contact.b)
  local n, pa, pb = turned(qa[3], contact.normal), turned(qa[3], contact.point_a), turned(qb[3], contact.point_b)
  local point = { qb[1] + pb[1], qb[2] + pb[2] }
  local gap = n[1] * (point[1] - qa[1] - pa[1]) + n[2] * (point[2] - qa[2] - pa[2])
  local out = {}
  for row, d in ipairs{ n, { n[2], -n[1] } } do
    local J = {}
    for i = 1, 9 do J[i] = 0 end
    for sign, q in pairs{ [-1] = qa, [1] = qb } do
      local base = 3 * ((sign == 1 and contact.b or contact.a) - 1)
      local r = { point[1] - q[1], point[2] - q[2] }
      J[base + 1], J[base + 2], J[base + 3] = sign * d[1], sign * d[2], sign * (r[1] * d[2] - r[2] * d[1])
    end
    out[row] = J
  end
  return out, gap
end

local function dot(a, b)
  local sum = 0
  for i = 1, #a do sum = sum + a[i] * b[i] end
  return sum
end

-- Newton's law; where the gap closes within the step, what forces pressed until then comes back as (1 - e) less.
local function rebound(e, gap, v, v_free)
  local first, last = gap - DT / 2 * v, gap + DT / 2 * v_free
  local lost = 0
  if first > 0 and last < 0 and v_free < v then lost = (1 - e) * (v - v_free) * first / (first - last) end
  return math.min(e * math.min(v, 0) + lost, 0)
end

local function expected(bodies, contacts, law)
  local before, free, inverse = {}, {}, {}
  for i, B in ipairs(bodies) do
    for k = 1, 3 do
      local j = 3 * (i - 1) + k
      before[j] = B.u[k]
      inverse[j] = B.fixed and 0 or (k == 3 and 1 / B.inertia or 1 / B.mass)
      free[j] = B.u[k] + (B.fixed and 0 or DT * (GRAVITY[k] or 0))
    end
  end
  local J, q = {}, {}
  for _, contact in ipairs(contacts) do
    local pair, gap = rows(bodies, contact)
    local v_free = dot(pair[1], free)
    if gap <= 1e-9 or gap + DT / 2 * v_free <= 0 then
      q[#q + 1] = v_free + rebound(law.restitution, gap, dot(pair[1], before), v_free)
      q[#q + 1] = dot(pair[2], free)
      J[#J + 1], J[#J + 2] = pair[1], pair[2]
    end
  end
  local W = {}
  for i = 1, #J do
    W[i] = {}
    for j = 1, #J do
      local sum = 0
      for k = 1, 9 do sum = sum + J[i][k] * inverse[k] * J[j][k] end
      W[i][j] = sum
    end
  end
  local answers = {}
  for s, solution in ipairs(modes.solutions(W, q, law.friction)) do
    local u = {}
    for k = 1, 9 do
      u[k] = free[k]
      for i = 1, #J do u[k] = u[k] + inverse[k] * J[i][k] * solution.p[i] end
    end
    answers[s] = u
  end
  return answers, #q // 2
end

-- Whether all answers have the same velocities.
local function unique(answers)
  for s = 2, #answers do
    for k = 1, 9 do if math.abs(answers[s][k] - answers[1][k]) > 1e-7 then return false end end
  end
  return #answers > 0
end

describe("a step of a random planar world", function()
  it("agrees with the enumeration of contact modes to 1e-10, 1000 times, where that is unique", function()
    local compared, acting = 0, 0
    for seed = 1, 1000 do
      local bodies, contacts, law = problem(seed)
      local answers, n = expected(bodies, contacts, law)
      local world <close> = delassus.world{ planar = true, gravity = GRAVITY, dt = DT, tolerance = 1e-13, record = false }
      local mine = { world.ground }
      for i = 2, 3 do
        local B = bodies[i]
        mine[i] = world:body{ mass = B.mass, inertia = B.inertia, position = { B.q[1], B.q[2] }, rotation = B.q[3],
          velocity = { B.u[1], B.u[2] }, angular_velocity = B.u[3] }
      end
      for _, c in ipairs(contacts) do
        world:contact{ mine[c.a], mine[c.b], point_a = c.point_a, point_b = c.point_b, normal = c.normal,
          friction = law.friction, restitution = law.restitution }
      end
      world:step()
      if unique(answers) then
        compared = compared + 1
        acting = acting + (n > 0 and 1 or 0)
        local scale = 0
        for k = 1, 9 do scale = math.max(scale, math.abs(answers[1][k])) end
        for i = 2, 3 do
          local got = { mine[i].velocity.x, mine[i].velocity.y, mine[i].angular_velocity }
          for k = 1, 3 do
            -- W of three contacts on one body can be near singular: the case's 1e-10 is of the largest velocity.
            assert.near(answers[1][3 * (i - 1) + k], got[k], 1e-10 * math.max(1, scale), "seed " .. seed)
          end
        end
      else
        assert.is_true(n > 0, "seed " .. seed)
      end
    end
    assert.is_true(compared > 900 and acting > 500, compared .. " compared, " .. acting .. " with contacts")
  end)
end)
