-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Redundant contacts by the event-driven scheme: problems on accelerations in space, forces of what lies or sticks on more
-- contacts than hold it, jams.
local delassus = require "delassus"
local random = require "support.random"
local seeds = require "support.seeds"

local G = 9.81

--- Random contacts with two tangents at one instant, all at rest: more of them than n coordinates hold apart.
local function problem(seed)
  local rnd = random(seed)
  local k, n = 2 + math.floor((rnd() + 1) * 1.5), 6
  local function numbers(size) local t = {} for i = 1, n do t[i] = size * rnd() end return t end
  local B, M = {}, {}
  for i = 1, n do B[i] = numbers(1) end
  for i = 1, n do
    M[i] = {}
    for j = 1, n do
      M[i][j] = i == j and 0.5 or 0
      for l = 1, n do M[i][j] = M[i][j] + B[i][l] * B[j][l] end
    end
  end
  local d = { n = n, M = M, h = numbers(10), contacts = {} }
  local up = numbers(1)
  for i = 1, k do
    local normal = numbers(0.3) -- all push more or less one way
    for j = 1, n do normal[j] = normal[j] + up[j] end
    d.contacts[i] = { normal = normal, tangent = numbers(1), tangent2 = numbers(1), friction = 0.3 + 0.3 * rnd(),
      gap = function() return 0 end, normal_bias = function() return 0 end, tangent_bias = function() return 0 end,
      tangent2_bias = function() return 0 end }
  end
  return d
end

local function along(row, udot)
  local sum = 0
  for i = 1, #row do sum = sum + row[i] * udot[i] end
  return sum
end

--- The largest violation of M udot = h + W lambda and of the laws of contact and friction, from these alone.
local function violation(d, udot, contacts)
  local worst = 0
  local forces = {}
  for c, contact in ipairs(d.contacts) do
    local t = contacts[c].tangential_force
    local n, x, y = contacts[c].normal_force, t[1], t[2]
    forces[c] = { n, x, y }
    local a_n, a_x, a_y = along(contact.normal, udot), along(contact.tangent, udot), along(contact.tangent2, udot)
    local size, bound = math.sqrt(x * x + y * y), contact.friction * n
    worst = math.max(worst, -n, -a_n, math.min(math.abs(n), math.abs(a_n)), size - bound)
    local a = math.sqrt(a_x * a_x + a_y * a_y)
    if a > 1e-8 then -- against it, at the bound
      worst = math.max(worst, math.abs(x + bound * a_x / a), math.abs(y + bound * a_y / a))
    end
  end
  for i = 1, d.n do
    local off = -d.h[i]
    for j = 1, d.n do off = off + d.M[i][j] * udot[j] end
    for c, contact in ipairs(d.contacts) do
      off = off - contact.normal[i] * forces[c][1] - contact.tangent[i] * forces[c][2] - contact.tangent2[i] * forces[c][3]
    end
    worst = math.max(worst, math.abs(off))
  end
  return worst
end

describe("redundant contacts, event-driven", function()
  it("have accelerations in space: 300 random problems of 2 to 4 contacts, judged from M and the rows alone", function()
    local solved = 0
    for seed = 1, seeds(300) do
      local d = problem(seed)
      local zero = {}
      for i = 1, d.n do zero[i] = 0 end
      local s = delassus.system{ q = zero, u = zero, mass = d.M, forces = function() return d.h end, contacts = d.contacts }
      local fine, udot = pcall(s.accelerations, s)
      if fine then
        solved = solved + 1
        assert.is_true(violation(d, udot, s.contacts) < 1e-7, "seed " .. seed)
      end
    end
    assert.is_true(solved >= seeds(300) - 5, solved .. " of 300")
  end)

  it("share their load: 200 boxes on inclines, in the plane and in space, stick by every corner from within its cone",
    function()
      for seed = 1, seeds(200) do
        local r, planar = delassus.random(seed), seed % 2 == 0
        local slope, turn, mass = r:uniform(0, 0.5), r:uniform(0, 6), r:uniform(0.5, 5)
        local mu = math.tan(slope) * r:uniform(1.05, 1.5) + 0.01
        local size = { r:uniform(0.3, 0.6), r:uniform(0.3, 0.6), r:uniform(0.05, 0.15) }
        local world = delassus.world{ planar = planar, scheme = "event-driven", dt = 0.05, record = false,
          gravity = planar and { G * math.sin(slope), -G * math.cos(slope) } or
            { G * math.sin(slope) * math.cos(turn), G * math.sin(slope) * math.sin(turn), -G * math.cos(slope) } }
        world:floor{ friction = mu }
        local box = world:box{ size = planar and { size[1], size[3] } or size, mass = mass, friction = mu,
          position = planar and { 0, size[3] / 2 } or { 0, 0, size[3] / 2 } }
        world:run(0.2)
        local told, n, push = "seed " .. seed, 0, nil
        assert.near(0, box.velocity:norm(), 1e-10, told)
        for c in world:contacts() do
          local f = c.force
          assert.equal("stick", c.state, told)
          local tangential = (f - f:dot(c.normal) * c.normal):norm()
          assert.is_true(tangential < mu * c.normal_force, told) -- none at its bound
          n, push = n + 1, push and push + f or f
        end
        assert.equal(planar and 2 or 4, n, told)
        assert.near(0, (push + mass * world.gravity):norm(), 1e-8, told)
        for _, e in ipairs(world.events) do assert.is_true(e.kind ~= "slip" and e.kind ~= "separation", told) end
      end
    end)

  it("slide on: a box that slides and turns on four corners slows without chatter, and its energies add up", function()
    for seed = 1, 8 do
      local r = delassus.random(seed)
      local world = delassus.world{ scheme = "event-driven", dt = 0.01, record = false }
      world:floor{ friction = 0.3 }
      local box = world:box{ size = { 0.4, 0.3, 0.1 }, mass = 2, friction = 0.3, position = { 0, 0, 0.05 },
        velocity = { r:uniform(-1, 1), r:uniform(-1, 1), 0 }, angular_velocity = { 0, 0, r:uniform(-5, 5) } }
      local before = world:energy()
      world:run(1)
      local l = world:ledger()
      assert.is_true(#world.events < 30, "seed " .. seed)
      assert.near(0, box.velocity:norm() + box.angular_velocity:norm(), 1e-10, "seed " .. seed)
      assert.near(before, l.friction + l.impact, 1e-8 * before, "seed " .. seed)
    end
  end)

  it("jam in space: a box or a capsule, two balls and the floor come through, their energies add up", function()
    -- from 19 on: a slip that passes near 0, whose direction turns within nanoseconds
    for _, case in ipairs { "box 2", "box 6", "box 10", "box 20", "box 28", "box 19", "box 52", "box 67", "box 111", "capsule 19",
      "capsule 20", "capsule 44", "capsule 54", "capsule 72", "capsule 104" } do
      local kind, seed = case:match "(%a+) (%d+)"
      seed = tonumber(seed)
      local r = delassus.random(seed)
      local function number(a, b) return r:uniform(a, b) end
      local material = delassus.material{ friction = number(0, 0.8), restitution = number(0, 0.5) }
      local world = delassus.world{ scheme = "event-driven", dt = 0.01, record = false }
      world:floor{ material = material }
      local turn = { axis = { number(-1, 1), number(-1, 1), number(-1, 1) }, angle = number(0, 3) }
      local o = { mass = number(0.5, 3), position = { 0, 0, 0.25 }, rotation = turn, material = material,
        velocity = { number(-1, 1), number(-1, 1), 0 } }
      if kind == "box" then o.size = { 0.3, 0.2, 0.1 }
      else o.radius, o.length, o.position = 0.08, 0.3, { 0, 0, 0.3 } end
      world[kind](world, o)
      for i = 1, 2 do
        world:sphere{ radius = number(0.05, 0.12), mass = number(0.5, 3), material = material,
          position = { number(-0.15, 0.15), number(-0.15, 0.15), 0.45 + 0.3 * i } }
      end
      local kinetic, potential = world:energy()
      world:run(0.6)
      local later, at = world:energy()
      local l, told = world:ledger(), case
      assert.near(kinetic + potential, later + at + l.friction + l.impact, 2e-9 * l.turnover, told)
      assert.is_true(#world.events < 2000, told .. ": " .. #world.events .. " events")
    end
  end)
end)
