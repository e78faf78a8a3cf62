-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Newton's law in space where friction jams it: without restitution only where no impulses obey it.
local delassus = require "delassus"
local seeds = require "support.seeds"
local solve = require "support.solve"

--- Random coordinates, contacts that all move each other, velocities; mass, contacts, u beside the system.
local function scene(seed)
  local r = delassus.random(seed)
  local n, m = r:integer(3, 6), r:integer(2, 4)
  local function vector()
    local v = {}
    for k = 1, n do v[k] = r:uniform(-1, 1) end
    return v
  end
  local A, mass, contacts, q, u = {}, {}, {}, {}, {}
  for i = 1, n do A[i] = vector() end
  for i = 1, n do
    mass[i], q[i] = {}, 0
    for j = 1, n do
      mass[i][j] = i == j and 0.2 or 0
      for k = 1, n do mass[i][j] = mass[i][j] + A[i][k] * A[j][k] end
    end
  end
  for c = 1, m do
    local normal = vector()
    contacts[c] = { normal = normal, tangent = vector(), tangent2 = vector(), friction = r:uniform(0, 1.5),
      restitution = r:uniform(0, 1), gap = function(x)
        local sum = 0
        for k = 1, n do sum = sum + normal[k] * x[k] end
        return sum
      end }
  end
  for k = 1, n do u[k] = r:uniform(-2, 2) end
  return delassus.system{ q = q, u = u, mass = mass, forces = q, contacts = contacts, impact = "newton", dt = 1e-3,
    scheme = "event-driven" }, mass, contacts, u
end

local function dot(a, b)
  local sum = 0
  for k = 1, #a do sum = sum + a[k] * b[k] end
  return sum
end

--- How far impulses and velocities are from Newton's and Coulomb's laws, and from M (after - before) = W p, by themselves: m/s,
-- impulses over the inverse of mass.
local function off_the_law(mass, contacts, before, after, normal, tangential)
  local push, off = {}, 0
  for k = 1, #before do push[k] = 0 end
  for i, c in ipairs(contacts) do
    local v, v_n, p, t = dot(c.normal, before), dot(c.normal, after), normal[i], tangential[i]
    local gap = v_n + (v < 0 and c.restitution or 0) * v
    local x, y = dot(c.tangent, after), dot(c.tangent2, after)
    local slip, grip = math.sqrt(x * x + y * y), c.friction * p
    off = math.max(off, -gap, -p, math.min(math.abs(gap), math.abs(p)), math.sqrt(t[1] ^ 2 + t[2] ^ 2) - grip)
    -- what slides is held back with all that friction has
    if slip > 1e-9 then
      local t_1, t_2 = t[1] + grip * x / slip, t[2] + grip * y / slip
      off = math.max(off, math.min(slip, math.sqrt(t_1 ^ 2 + t_2 ^ 2)))
    end
    for k = 1, #push do push[k] = push[k] + c.normal[k] * p + c.tangent[k] * t[1] + c.tangent2[k] * t[2] end
  end
  for k, row in ipairs(mass) do
    local sum = -push[k]
    for l, m in ipairs(row) do sum = sum + m * (after[l] - before[l]) end
    off = math.max(off, math.abs(sum))
  end
  return off
end

--- Whether Lemke's path finds impulses by the law with polygons of so many sides for the disks of friction.
local function has_answer(mass, contacts, u, sides)
  local m, gens, c, first = #contacts, {}, {}, {}
  for i, contact in ipairs(contacts) do
    gens[i] = contact.normal
    c[i] = dot(contact.normal, u)
    if c[i] < 0 then c[i] = (1 + contact.restitution) * c[i] end
  end
  for i, contact in ipairs(contacts) do
    first[i] = #gens
    for f = 1, sides do
      local angle, row = 2 * math.pi * (f + 0.37) / sides, {}
      for k = 1, #u do row[k] = math.cos(angle) * contact.tangent[k] + math.sin(angle) * contact.tangent2[k] end
      gens[#gens + 1], c[#c + 1] = row, dot(row, u)
    end
  end
  local size, M = #gens + m, {}
  for x = 1, size do
    M[x] = {}
    for y = 1, size do M[x][y] = 0 end
    c[x] = c[x] or 0
  end
  for y, g in ipairs(gens) do
    local by = solve(mass, g)
    for x, row in ipairs(gens) do M[x][y] = dot(row, by) end
  end
  for i, contact in ipairs(contacts) do
    local bound = #gens + i
    M[bound][i] = contact.friction
    for f = first[i] + 1, first[i] + sides do M[f][bound], M[bound][f] = 1, -1 end
  end
  return delassus.lcp.solve{ M = M, q = c, method = "lemke" }.status == "solved"
end

describe("Newton's impacts in space", function()
  --- Newton's steps alone had found no impulses there.
  it("obey the law where friction in polygons leads to impulses: seeds 99, 323, 578, 1255", function()
    for _, seed in ipairs{ 99, 323, 578, 1255 } do
      local s, mass, contacts, u = scene(seed)
      local normal, tangential = s:impact()
      local off = off_the_law(mass, contacts, u, s.u, normal, tangential)
      assert.is_true(off < 1e-8, ("seed %d: %g"):format(seed, off))
    end
  end)

  it("have no restitution only where polygons of 24, 48 and 100 sides have no answer either: 200 random ones", function()
    local jams = 0
    for seed = 1, seeds(200) do
      local s, mass, contacts, u = scene(seed)
      local normal, tangential = s:impact()
      if off_the_law(mass, contacts, u, s.u, normal, tangential) > 1e-8 then
        jams = jams + 1
        local answer = true
        for _, sides in ipairs{ 24, 48, 100 } do answer = answer and has_answer(mass, contacts, u, sides) end
        assert.is_false(answer, "seed " .. seed)
      end
    end
    assert.is_true(jams > 3, jams)
  end)
end)
