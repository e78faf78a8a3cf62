-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local triangles = require "delassus.triangles"

local PI = math.pi

-- Sum over the faces of f(p, q, r), the corners.
local function over_faces(s, f)
  local sum, p = 0, s.points
  for i = 1, #s.faces, 3 do
    local corner = {}
    for k = 0, 2 do
      local j = 3 * s.faces[i + k]
      corner[k + 1] = { p[j + 1], p[j + 2], p[j + 3] }
    end
    sum = sum + f(corner[1], corner[2], corner[3])
  end
  return sum
end

-- Volume within a closed surface: its signed tetrahedra from the origin.
local function volume(s)
  return over_faces(s, function(a, b, c)
    return (a[1] * (b[2] * c[3] - b[3] * c[2]) + a[2] * (b[3] * c[1] - b[1] * c[3]) + a[3] * (b[1] * c[2] - b[2] * c[1])) / 6
  end)
end

local function area(s)
  return over_faces(s, function(a, b, c) return ((b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])) / 2 end)
end

-- Whether every edge is met by another face the other way round.
local function is_closed(s)
  local count = {}
  local function key(p)
    return ("%d %d %d"):format(math.floor(p[1] * 1e6 + 0.37), math.floor(p[2] * 1e6 + 0.37), math.floor(p[3] * 1e6 + 0.37))
  end
  over_faces(s, function(a, b, c)
    for _, edge in ipairs{ { a, b }, { b, c }, { c, a } } do
      local from, to = key(edge[1]), key(edge[2])
      count[from .. "|" .. to] = (count[from .. "|" .. to] or 0) + 1
      count[to .. "|" .. from] = (count[to .. "|" .. from] or 0) - 1
    end
    return 0
  end)
  for _, n in pairs(count) do
    if n ~= 0 then return false end
  end
  return true
end

local S = 0.5 ^ 0.5

describe("triangles of shapes", function()
  it("are closed, seen from outside, and hold the exact volume", function()
    local cube = { { 1, 1, 1 } }
    for i = 0, 7 do cube[i + 2] = { 2 * (i & 1), 3 * (i >> 1 & 1), i & 4 } end
    local cases = {
      { { kind = "sphere", radius = 2 }, 4 / 3 * PI * 8 },
      { { kind = "ellipsoid", radii = { 1, 2, 3 } }, 4 / 3 * PI * 6 },
      { { kind = "capsule", radius = 0.5, length = 3 }, PI * 0.25 * 3 + 4 / 3 * PI * 0.125 },
      { { kind = "cylinder", radius = 0.5, length = 3 }, PI * 0.25 * 3 },
      { { kind = "cone", radius1 = 1, radius2 = 0.5, length = 3 }, PI * 3 / 3 * (1 + 0.5 + 0.25) },
      { { kind = "cone", radius1 = 1, radius2 = 0, length = 3 }, PI },
      { { kind = "box", size = { 1, 2, 3 } }, 6, true },
      { { kind = "convex", points = cube }, 24, true },
      { { kind = "mesh", vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
        faces = { { 1, 3, 2 }, { 1, 2, 4 }, { 2, 3, 4 }, { 1, 4, 3 } } }, 1 / 6, true },
      { { kind = "compound", parts = { { shape = { kind = "box", size = { 1, 1, 1 } }, position = { 5, 0, 0 } },
        { shape = { kind = "box", size = { 1, 2, 1 } }, rotation = { S, 0, S, 0 }, position = { 0, 1, 9 } } } }, 3, true },
    }
    for _, case in ipairs(cases) do
      local shape, want, exact = table.unpack(case)
      local s = triangles.of(shape, false, 60)
      assert.is_true(is_closed(s), shape.kind)
      assert.near(want, volume(s), (exact and 1e-12 or 3e-3) * want, shape.kind)
    end
  end)

  it("are flat in the plane, counterclockwise, of the exact area", function()
    local cases = {
      { { kind = "disk", radius = 2 }, 4 * PI }, { { kind = "capsule", radius = 0.5, length = 3 }, 3 + PI / 4 },
      { { kind = "box", size = { 2, 3 } }, 6 }, { { kind = "polygon", points = { { 0, 0 }, { 2, 0 }, { 0, 2 } } }, 2 },
      { { kind = "plane", normal = { 0.6, 0.8 }, offset = 3 }, 20 * 1 },
      { { kind = "drum", radius = 1, lifters = { count = 4, height = 0.2, width = 0.1 } }, PI * (1.03 ^ 2 - 1) + 4 * 0.21 * 0.1 },
    }
    for _, case in ipairs(cases) do
      assert.near(case[2], area(triangles.of(case[1], true, 60, 10)), 3e-3 * case[2], case[1].kind)
    end
  end)

  it("put a half space's face where it is: n . x = d", function()
    local n = { 2 / 7, 3 / 7, 6 / 7 }
    local s = triangles.of({ kind = "plane", normal = n, offset = 1.5 }, false)
    for i = 1, #s.points, 3 do
      assert.near(1.5, n[1] * s.points[i] + n[2] * s.points[i + 1] + n[3] * s.points[i + 2], 1e-12)
    end
    local normals = triangles.normals(s)
    for c = 1, 3 do assert.near(n[c], normals[c], 1e-12) end
  end)

  it("have normals of a ball along its radii", function()
    local s = triangles.of({ kind = "sphere", radius = 3 }, false, 24)
    local normals = triangles.normals(s)
    for i = 1, #s.points, 3 do
      local along = (normals[i] * s.points[i] + normals[i + 1] * s.points[i + 1] + normals[i + 2] * s.points[i + 2]) / 3
      assert.near(1, along, 2e-3)
    end
  end)

  it("are bars from point to point, whichever way: 200 random ones, and along -x", function()
    math.randomseed(5)
    for k = 1, 201 do
      local p, q = {}, {}
      for c = 1, 3 do p[c], q[c] = math.random() - 0.5, math.random() - 0.5 end
      if k == 201 then p, q = { 1, 0, 0 }, { -1, 0, 0 } end
      local s, d, length = { points = {}, faces = {} }, {}, 0
      triangles.bar(s, p, q, 0.01)
      for c = 1, 3 do d[c] = q[c] - p[c] length = length + d[c] ^ 2 end
      length = math.sqrt(length)
      assert.is_true(is_closed(s))
      for i = 1, #s.points, 3 do
        local along, away = 0, 0
        for c = 1, 3 do along = along + (s.points[i + c - 1] - p[c]) * d[c] / length end
        for c = 1, 3 do away = away + (s.points[i + c - 1] - p[c] - along * d[c] / length) ^ 2 end
        assert.near(0.01, math.sqrt(away), 1e-9, "bar " .. k)
        assert.near(along < length / 2 and 0 or length, along, 1e-9, "bar " .. k)
      end
    end
  end)
end)
