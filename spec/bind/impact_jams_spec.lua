-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Newton's law in space where friction jams it: without restitution only where no impulses obey it.
local delassus = require "delassus"
local seeds = require "support.seeds"

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

--- How far velocities are from the law: the fastest approach that is left, m/s.
local function off_the_law(contacts, before, after)
  local off = 0
  for _, c in ipairs(contacts) do
    local v = dot(c.normal, before)
    off = math.max(off, -dot(c.normal, after) - (v < 0 and c.restitution or 0) * v)
  end
  return off
end

--- x of A x = b, by Gauss with pivots.
local function solve(A, b)
  local n, a, x = #b, {}, {}
  for i = 1, n do a[i] = { table.unpack(A[i]) } a[i][n + 1] = b[i] end
  for k = 1, n do
    local p = k
    for i = k + 1, n do p = math.abs(a[i][k]) > math.abs(a[p][k]) and i or p end
    a[k], a[p] = a[p], a[k]
    for i = k + 1, n do
      local f = a[i][k] / a[k][k]
      for j = k, n + 1 do a[i][j] = a[i][j] - f * a[k][j] end
    end
  end
  for i = n, 1, -1 do
    local sum = a[i][n + 1]
    for j = i + 1, n do sum = sum - a[i][j] * x[j] end
    x[i] = sum / a[i][i]
  end
  return x
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
      local s, _, contacts, u = scene(seed)
      s:impact()
      assert.is_true(off_the_law(contacts, u, s.u) < 1e-9, "seed " .. seed)
    end
  end)

  it("have no restitution only where polygons of 24, 48 and 100 sides have no answer either: 200 random ones", function()
    local jams = 0
    for seed = 1, seeds(200) do
      local s, mass, contacts, u = scene(seed)
      s:impact()
      if off_the_law(contacts, u, s.u) > 1e-9 then
        jams = jams + 1
        local answer = true
        for _, sides in ipairs{ 24, 48, 100 } do answer = answer and has_answer(mass, contacts, u, sides) end
        assert.is_false(answer, "seed " .. seed)
      end
    end
    assert.is_true(jams > 3, jams)
  end)
end)
