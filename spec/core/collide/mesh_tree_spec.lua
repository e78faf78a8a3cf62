-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- The tree over the triangles of a mesh against its triangles one by one.
local delassus = require "delassus"

local function between(random, lo, hi) return random:uniform(lo, hi) end

--- A hilly sheet of 2 n^2 triangles over [-2, 2]^2, and each of them as a mesh of its own.
local function hills(random, n)
  local vertices, faces, single, corners = {}, {}, {}, {}
  for j = 0, n do
    for i = 0, n do
      vertices[#vertices + 1] = { 4 * i / n - 2, 4 * j / n - 2, between(random, -0.3, 0.3) }
    end
  end
  local function add(a, b, c)
    faces[#faces + 1] = { a, b, c }
    corners[#faces] = { vertices[a], vertices[b], vertices[c] }
    single[#faces] = delassus.mesh { vertices = corners[#faces], faces = { { 1, 2, 3 } } }
  end
  for j = 0, n - 1 do
    for i = 1, n do
      local at = j * (n + 1) + i
      add(at, at + 1, at + n + 2)
      add(at, at + n + 2, at + n + 1)
    end
  end
  return delassus.mesh { vertices = vertices, faces = faces }, single, corners
end

local function gaps_of(list)
  local gaps = {}
  for k, touch in ipairs(list) do gaps[k] = ("%.17g %.17g"):format(touch.gap, touch.normal[3]) end
  table.sort(gaps)
  return gaps
end

--- A point and the unit normal of a triangle's plane.
local function plane_of(triangle)
  local a = delassus.vec(triangle[1])
  local normal = (delassus.vec(triangle[2]) - a):cross(delassus.vec(triangle[3]) - a)
  return a, normal / normal:norm()
end

--- The distance of a point from a triangle, and the nearest point of it: above it in its plane, elsewhere on a side.
local function distance_to(triangle, point)
  local a, normal = plane_of(triangle)
  local b, c = delassus.vec(triangle[2]), delassus.vec(triangle[3])
  local least, nearest, inside = math.huge, nil, true
  for _, side in ipairs { { a, b }, { b, c }, { c, a } } do
    local way, from = side[2] - side[1], point - side[1]
    local share = math.max(0, math.min(1, from:dot(way) / way:dot(way)))
    local apart = (from - share * way):norm()
    if apart < least then least, nearest = apart, side[1] + share * way end
    inside = inside and normal:cross(way):dot(from) >= 0
  end
  if not inside then return least, nearest end
  local height = normal:dot(point - a)
  return math.abs(height), point - height * normal
end

--- Whether triangle i turns its back to a centre that cannot see it for the front of another one.
local function is_hidden(corners, i, centre)
  local a, normal = plane_of(corners[i])
  if normal:dot(centre - a) >= 0 then return false end
  local _, p = distance_to(corners[i], centre)
  for k, other in ipairs(corners) do
    local from, n = plane_of(other)
    local before, after = n:dot(centre - from), n:dot(p - from)
    if k ~= i and before > 0 and after <= 1e-9 then
      local crossing = centre + (before / math.max(before - after, before)) * (p - centre)
      if distance_to(other, crossing) < 1e-8 then return true end
    end
  end
  return false
end

--- What the triangles say of a round body, less touches at whose point on the surface another triangle begins that is
-- nearer (the surface comes nearer there), and less repetitions.
local function of_the_surface(parts, corners, told)
  local left = {}
  for i, touch in ipairs(parts) do
    local good = true
    for j, other in ipairs(parts) do
      if good and other.of ~= touch.of and distance_to(corners[other.of], touch.point_a) < 1e-8 then
        local same = (touch.normal - other.normal):norm() < 1e-8
        if not same and other.gap < touch.gap - 1e-12 then good = false end
        if same and j < i and (touch.point_a - other.point_a):norm() < 1e-8 then good = false end
      end
    end
    if good then left[#left + 1] = touch else told.dropped = told.dropped + 1 end
  end
  return left
end

--- What they say of other bodies, less repetitions: a corner above an edge, or edges that cross, are in two triangles.
local function once(parts, told)
  local left = {}
  for _, touch in ipairs(parts) do
    local twice = false
    for _, other in ipairs(left) do
      twice = twice or ((touch.normal - other.normal):norm() < 1e-8 and (touch.point_a - other.point_a):norm() < 1e-8)
    end
    if not twice then left[#left + 1] = touch else told.repeated = told.repeated + 1 end
  end
  return left
end

describe("the tree of a mesh", function()
  it("finds what its triangles find one by one, for bodies and for rays (agreement, 200 seeds)", function()
    local touched, hits, told = 0, 0, { dropped = 0, hidden = 0, repeated = 0 }
    for seed = 1, 200 do
      local random = delassus.random(seed)
      local mesh, single, corners = hills(random, 1 + seed % 7)
      local body = seed % 2 == 0 and delassus.sphere { radius = between(random, 0.1, 0.5) }
        or delassus.box { size = { between(random, 0.1, 1), between(random, 0.1, 1), between(random, 0.1, 1) } }
      local pose = { position = { between(random, -2, 2), between(random, -2, 2), between(random, 0, 0.5) },
        rotation = { axis = { between(random, -1, 1), between(random, -1, 1), 1 }, angle = between(random, -3, 3) } }
      local whole, parts = mesh:contacts(nil, body, pose, 0.05), {}
      for i, part in ipairs(single) do
        local touches = part:contacts(nil, body, pose, 0.05)
        local hidden = #touches > 0 and is_hidden(corners, i, delassus.vec(pose.position))
        for _, touch in ipairs(hidden and {} or touches) do
          touch.of = i
          parts[#parts + 1] = touch
        end
        if hidden then told.hidden = told.hidden + 1 end
      end
      if seed % 2 == 0 then parts = of_the_surface(parts, corners, told) else parts = once(parts, told) end
      assert.same(gaps_of(parts), gaps_of(whole), "seed " .. seed)
      touched = touched + #whole
      local from = { between(random, -2, 2), between(random, -2, 2), between(random, -1, 1) }
      local to = { between(random, -2, 2), between(random, -2, 2), between(random, -1, 1) }
      local first
      for _, part in ipairs(single) do
        local t = part:raycast(nil, from, to)
        if t and (not first or t < first) then first = t end
      end
      local t = mesh:raycast(nil, from, to)
      assert.equal(first, t, "ray of seed " .. seed)
      hits = hits + (t and 1 or 0)
    end
    assert.is_true(touched > 200 and hits > 50 and told.dropped > 50 and told.hidden > 20, "a test of nothing")
  end)
end)
