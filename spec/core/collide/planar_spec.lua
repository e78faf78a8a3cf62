local delassus = require "delassus"
local shapes = require "spec.support.shapes2"

local between, seeds = shapes.between, shapes.seeds
local TINY = 1e-12 -- rounding, for lengths of order 1

local function near(expected, got, tolerance, what)
  local good = math.abs(expected - got) <= tolerance -- false for NaN too
  if not good then
    error(("%s: expected %.17g, got %.17g"):format(what or "value", expected, got), 2)
  end
end

local function random_pair()
  local a, b = shapes.solid(), shapes.solid()
  if math.random() < .2 then a = shapes.makers.segment() end
  return a, shapes.pose(1), b, shapes.pose(1.5)
end

describe("planar pairs of convex shapes", function()
  it("have a gap that is exact: the largest separation over all directions", function()
    seeds(function()
      local a, pose_a, b, pose_b = random_pair()
      local gap, _, _, n = delassus.distance(a, pose_a, b, pose_b)
      near(1, n:norm(), TINY, "length of the normal")
      near(gap, shapes.separation(a, pose_a, b, pose_b, n.x, n.y), TINY, "separation along the normal")
      for k = 1, 360 do
        local t = k * math.pi / 180
        local s = shapes.separation(a, pose_a, b, pose_b, math.cos(t), math.sin(t))
        if s > gap + TINY then error(("direction %d separates by %.17g, gap %.17g"):format(k, s, gap)) end
      end
    end, 400)
  end)

  it("have points on both surfaces, the gap apart along the normal", function()
    seeds(function()
      local a, pose_a, b, pose_b = random_pair()
      local gap, p, q, n = delassus.distance(a, pose_a, b, pose_b)
      near(gap, n:dot(q - p), TINY, "gap between the points")
      near(shapes.extent(a, pose_a, n.x, n.y), n:dot(p), TINY, "point on a")
      near(shapes.extent(b, pose_b, -n.x, -n.y), -n:dot(q), TINY, "point on b")
      if gap > 0 then near(gap, (q - p):norm(), TINY, "distance of the points") end
    end)
  end)

  it("agree when swapped and when the plane is moved", function()
    seeds(function()
      local a, pose_a, b, pose_b = random_pair()
      local gap, _, _, n = delassus.distance(a, pose_a, b, pose_b)
      local back, _, _, m = delassus.distance(b, pose_b, a, pose_a)
      near(gap, back, 1e-9, "swapped gap") -- parallel sides may choose the other reference
      if gap > .01 then near(1, -n:dot(m), TINY, "swapped normal") end
      local motion = shapes.pose(10)
      near(gap, (delassus.distance(a, shapes.moved(pose_a, motion), b, shapes.moved(pose_b, motion))), 1e-8,
        "moved gap")
    end)
  end)

  it("give at most two points within the margin, the deepest among them, with keys of their own", function()
    seeds(function()
      local a, pose_a, b, pose_b = random_pair()
      local gap = delassus.distance(a, pose_a, b, pose_b)
      local margin = between(0, .3)
      local list = a:contacts(pose_a, b, pose_b, margin)
      assert.equal(gap <= margin, #list > 0)
      assert.is_true(#list <= 2)
      local least = math.huge
      for _, c in ipairs(list) do
        assert.is_true(c.gap <= margin)
        near(c.gap, c.normal:dot(c.point_b - c.point_a), TINY, "gap between the points")
        least = math.min(least, c.gap)
      end
      if #list > 0 then near(gap, least, 1e-8, "least gap") end
      if #list == 2 then assert.are_not.equal(list[1].key, list[2].key) end
    end)
  end)

  it("change their gap at the rate of the normal", function()
    seeds(function()
      local a, pose_a, b, pose_b = random_pair()
      local gap, _, _, n = delassus.distance(a, pose_a, b, pose_b)
      local h = 1e-7 -- second order leaves h^2 / distance to a corner
      local p = pose_b.position
      local moved = { position = { p[1] + h * n.x, p[2] + h * n.y }, rotation = pose_b.rotation }
      near(h, delassus.distance(a, pose_a, b, moved) - gap, 1e-12, "change along the normal")
    end)
  end)

  it("keep the keys of a box sliding and rocking on a box", function()
    local floor, box = delassus.box { size = { 10, 1 } }, delassus.box { size = { 1, .5 } }
    local keys
    for k = 0, 100 do
      local tilt = 1e-4 * math.sin(k)
      local list = floor:contacts(nil, box, { position = { -3 + .05 * k, .75 + 1e-5 }, rotation = tilt }, 1e-2)
      assert.equal(2, #list)
      keys = keys or { list[1].key, list[2].key }
      assert.same(keys, { list[1].key, list[2].key })
    end
  end)

  it("keep the keys of equal boxes stacked with rounding noise", function()
    local box, keys = delassus.box { size = { 1, 1 } }, nil
    for k = 1, 50 do
      local noise = 1e-11 * math.sin(k)
      local list = box:contacts({ position = { 0, 0 }, rotation = noise }, box,
        { position = { noise, 1 + noise }, rotation = -noise }, 1e-3)
      assert.equal(2, #list)
      keys = keys or { list[1].key, list[2].key }
      assert.same(keys, { list[1].key, list[2].key })
    end
  end)

  it("give two points to capsules side by side and one to capsules end to end", function()
    local c = delassus.capsule { radius = .1, length = 1 }
    local side = c:contacts(nil, c, { position = { .3, .2 }, rotation = 0 }, 1e-9)
    assert.equal(2, #side)
    near(-.2, math.min(side[1].point_a.x, side[2].point_a.x), TINY)
    near(.5, math.max(side[1].point_a.x, side[2].point_a.x), TINY)
    local row = c:contacts(nil, c, { position = { 1.2, 0 }, rotation = 0 }, 1e-9)
    assert.equal(1, #row)
    assert.same({ 1, 0 }, row[1].normal:totable())
  end)
end)

describe("a half plane", function()
  it("is exact: the gap of a convex shape is its lowest point", function()
    seeds(function()
      local b, pose = shapes.solid(), shapes.pose(2)
      local t = between(-4, 4)
      local nx, ny, offset = math.cos(t), math.sin(t), between(-1, 1)
      local plane = delassus.plane { normal = { 3 * nx, 3 * ny }, offset = offset }
      local gap, p, q, n = delassus.distance(plane, nil, b, pose)
      near(-shapes.extent(b, pose, -nx, -ny) - offset, gap, TINY, "gap")
      near(1, n:dot { nx, ny }, TINY, "normal")
      near(offset, n:dot(p), TINY, "point on the plane")
      near(gap, n:dot(q - p), TINY, "gap between the points")
      assert.equal(gap, (delassus.distance(b, pose, plane, nil)))
    end)
  end)
end)

describe("the inside of a drum", function()
  local function bare(radius) return delassus.drum { radius = radius } end

  it("is exact: a disk's gap is R - r - |x|, its normal towards the axis", function()
    seeds(function()
      local R, r, pose = between(1, 3), between(.05, .5), shapes.pose(1)
      local gap, p, _, n = delassus.distance(bare(R), nil, delassus.disk { radius = r }, pose)
      local d = math.sqrt(pose.position[1] ^ 2 + pose.position[2] ^ 2)
      near(R - r - d, gap, TINY, "gap")
      near(-d, n:dot(pose.position), TINY, "normal")
      near(R, p:norm(), TINY, "point on the shell")
    end)
  end)

  it("agrees with dense sampling of a body's outline", function()
    seeds(function()
      local R, b, pose = 3, shapes.solid(), shapes.pose(1)
      local gap = delassus.distance(bare(R), nil, b, pose)
      local far = 0
      for k = 1, 720 do
        local t = k * math.pi / 360
        far = math.max(far, shapes.extent(b, pose, math.cos(t), math.sin(t)))
      end
      -- an outline within a circle of radius `far` touches it: |x| = max_n x . n; the grid misses
      -- at most |x| (1 - cos(pi / 720))
      assert.is_true(gap <= R - far + TINY)
      near(R - far, gap, 3 * (math.pi / 720) ^ 2, "gap")
    end)
  end)

  it("agrees with dense sampling of shell and lifters for a disk", function()
    local R, count, height, width = 2, 5, .3, .2
    local drum = delassus.drum { radius = R, lifters = { count = count, height = height, width = width } }
    local surface = {}
    for k = 0, count - 1 do
      local t = 2 * math.pi * k / count
      local dx, dy = math.cos(t), math.sin(t)
      local function add(s, w) surface[#surface + 1] = { s * dx - w * dy, s * dy + w * dx } end
      for i = 0, 100 do
        add(R - height, width * (i / 100 - .5))
        add(R - height * i / 100, .5 * width)
        add(R - height * i / 100, -.5 * width)
      end
    end
    for k = 1, 2000 do
      local t = k * math.pi / 1000
      surface[#surface + 1] = { R * math.cos(t), R * math.sin(t) }
    end
    seeds(function()
      local r, x, y = between(.02, .3), between(-2, 2), between(-2, 2)
      local s = (R - height - 2e-2) / math.max(1e-9, math.sqrt(x * x + y * y))
      if s < 1 then x, y = s * x, s * y end
      local gap = delassus.distance(drum, { rotation = 0 }, delassus.disk { radius = r }, { position = { x, y } })
      local least = math.huge
      for _, p in ipairs(surface) do least = math.min(least, math.sqrt((p[1] - x) ^ 2 + (p[2] - y) ^ 2)) end
      assert.is_true(gap <= least - r + TINY)
      near(least - r, gap, (5e-3) ^ 2 / 2e-2, "gap") -- spacing^2 / (2 distance), distance >= 2e-2
    end)
  end)

  it("touches a body by shell and lifter at once, with separate keys that turn along", function()
    local R, height, width = 2, .5, .2
    local drum = delassus.drum { radius = R, lifters = { count = 4, height = height, width = width } }
    local r = .1
    -- resting in the corner on the left side of lifter 1 (on +y): x = -(width / 2 + r)
    local x = -(.5 * width + r)
    local y = math.sqrt((R - r) ^ 2 - x * x)
    local keys
    for k = 0, 12 do
      local t = k * .1
      local c, s = math.cos(t), math.sin(t)
      local list = drum:contacts({ rotation = t }, delassus.disk { radius = r },
        { position = { c * x - s * y, s * x + c * y } }, 1e-6)
      assert.equal(2, #list)
      near(0, list[1].gap, TINY)
      near(0, list[2].gap, TINY)
      near(-c, list[2].normal.x, TINY)
      keys = keys or { list[1].key, list[2].key }
      assert.are_not.equal(keys[1], keys[2])
      assert.same(keys, { list[1].key, list[2].key })
    end
  end)

  it("lets a capsule lie on the shell at both ends", function()
    local list = bare(2):contacts(nil, delassus.capsule { radius = .1, length = 1 },
      { position = { 0, -math.sqrt(1.9 ^ 2 - .25) } }, 1e-9)
    assert.equal(2, #list)
  end)
end)

describe("a planar compound", function()
  it("agrees with its children one by one", function()
    seeds(function()
      local children, list = {}, {}
      for i = 1, 3 do
        children[i] = shapes.pose(1)
        children[i].shape = shapes.solid()
      end
      local whole = delassus.compound(children)
      local pose, other, other_pose = shapes.pose(1), shapes.solid(), shapes.pose(2)
      local least = math.huge
      for i, child in ipairs(children) do
        list[i] = shapes.moved(child, pose)
        least = math.min(least, (delassus.distance(child.shape, list[i], other, other_pose)))
      end
      near(least, delassus.distance(whole, pose, other, other_pose), 1e-9, "gap")
      near(least, delassus.distance(other, other_pose, whole, pose), 1e-9, "swapped gap")
    end)
  end)

  it("gives every child's points keys of their own", function()
    local b = delassus.box { size = { 1, 1 } }
    local legs = delassus.compound { { shape = b, position = { -2, 0 } }, { shape = b, position = { 2, 0 } } }
    local list, seen = delassus.plane { normal = { 0, 1 } }:contacts(nil, legs, { position = { 0, .5 } }, 1e-9), {}
    assert.equal(4, #list)
    for _, c in ipairs(list) do
      assert.is_nil(seen[c.key])
      seen[c.key] = true
    end
  end)
end)

describe("planar rays", function()
  it("agree with the gap of a point: they stop at the surface and meet nothing before", function()
    local dot = delassus.disk { radius = 1e-9 }
    local hits = 0
    seeds(function()
      local shape, pose = shapes.solid(), shapes.pose(1)
      local from, to = { between(-3, 3), between(-3, 3) }, { between(-3, 3), between(-3, 3) }
      local function gap_at(t)
        local p = { from[1] + t * (to[1] - from[1]), from[2] + t * (to[2] - from[2]) }
        return delassus.distance(shape, pose, dot, { position = p }) + 1e-9
      end
      local t, point, n = shape:raycast(pose, from, to)
      if t then
        hits = hits + 1
        near(0, gap_at(t), 1e-11, "gap at the hit")
        near(from[1] + t * (to[1] - from[1]), point.x, TINY, "point")
        local off = { position = point + 1e-7 * n }
        local _, _, _, m = delassus.distance(shape, pose, dot, off)
        near(1, n:dot(m), 1e-6, "normal")
      end
      local starts_inside = gap_at(0) < 0
      for k = 0, 50 do
        local s = (t or 1) * k / 51
        if starts_inside then assert.is_nil(t) else assert.is_true(gap_at(s) > -1e-11) end
      end
    end, 400)
    assert.is_true(hits > 50)
  end)

  it("leave a drum through its shell or stop at a lifter", function()
    local drum = delassus.drum { radius = 2, lifters = { count = 4, height = .5, width = .2 } }
    local t, p, n = drum:raycast(nil, { 0, 0 }, { 4, 0 })
    near(1.5 / 4, t, TINY)
    assert.same({ 1.5, 0 }, p:totable())
    assert.same({ -1, 0 }, n:totable())
    t, p, n = drum:raycast({ rotation = math.pi / 4 }, { 0, 0 }, { 4, 0 })
    near(.5, t, TINY)
    near(2, p.x, TINY)
    near(-1, n.x, TINY)
  end)
end)

describe("planar mass properties", function()
  local function check(shape, mass, centre, inertia)
    local m, c, i = shape:mass(1, true)
    near(mass, m, TINY, "mass")
    near(centre[1], c.x, TINY, "centre")
    near(centre[2], c.y, TINY, "centre")
    near(inertia, i, TINY, "inertia")
  end

  it("are exact for disk, box, capsule and triangle", function()
    check(delassus.disk { radius = 2 }, 4 * math.pi, { 0, 0 }, 8 * math.pi)
    check(delassus.box { size = { 2, 3 } }, 6, { 0, 0 }, 6.5)
    check(delassus.polygon { { 1, 1 }, { 4, 1 }, { 1, 5 } }, 6, { 2, 7 / 3 }, 6 * (9 + 16) / 18)
    local r, L = .5, 2 -- area moments of the rectangle, the whole disk and its halves' distance
    local zz = 2 * r * L * (L * L + 4 * r * r) / 12 + math.pi * r * r * (r * r / 2 + 1)
      + 2 * (L / 2) * (4 * r ^ 3 / 3)
    check(delassus.capsule { radius = r, length = L }, 2 * r * L + math.pi * r * r, { 0, 0 }, zz)
  end)

  it("agree with the sum over the cells of a fine grid", function()
    local dot = delassus.disk { radius = 1e-9 }
    seeds(function()
      local shape = shapes.solid()
      local lo, hi = shape:bounds { position = { 0, 0 } }
      local n = 40
      local dx, dy = (hi.x - lo.x) / n, (hi.y - lo.y) / n
      local m, mx, my, zz = 0, 0, 0, 0
      for i = 0, n - 1 do
        for j = 0, n - 1 do
          local x, y = lo.x + (i + .5) * dx, lo.y + (j + .5) * dy
          if delassus.distance(shape, nil, dot, { position = { x, y } }) < 0 then
            local w = dx * dy
            m, mx, my, zz = m + w, mx + w * x, my + w * y, zz + w * (x * x + y * y)
          end
        end
      end
      local mass, c, inertia = shape:mass(1, true)
      local tol = .05 * mass -- cells cut by the outline: about 4 n of n^2, half of each at random
      near(m, mass, tol, "mass")
      near(mx, mass * c.x, tol, "first moment")
      near(my, mass * c.y, tol, "first moment")
      near(zz, inertia + mass * (c.x ^ 2 + c.y ^ 2), 2 * tol, "second moment")
    end, 200)
  end)

  it("add up in a compound", function()
    local half = delassus.box { size = { 1, 2 } }
    local whole = delassus.compound { { shape = half, position = { 1, 0 } }, { shape = half, position = { 2, 0 } } }
    check(whole, 4, { 1.5, 0 }, 4 * (4 + 4) / 12)
    local turned = delassus.compound { { shape = half, position = { 3, 4 }, rotation = 1 } }
    check(turned, 2, { 3, 4 }, 2 * (1 + 4) / 12)
  end)
end)

describe("a ray along a side", function()
  it("passes by beside the shape and meets it between its sides", function()
    local box = delassus.box { size = { 2, 2 } }
    for _, y in ipairs { -1.5, 1.5, 1 + 1e-9 } do assert.is_nil((box:raycast(nil, { -5, y }, { 5, y }))) end
    for _, y in ipairs { -0.5, 0, 0.5 } do
      local t, p, n = box:raycast(nil, { -5, y }, { 5, y })
      near(0.4, t, TINY, "fraction")
      near(-1, p.x, TINY, "point")
      near(-1, n.x, TINY, "normal")
    end
  end)
end)


describe("the box around a half plane", function()
  it("ends at an edge along an axis, where a ray meets it, and nowhere else", function()
    seeds(function()
      local turn, across, sign = between(0, 7), math.random(2), math.random(2) == 1 and 1 or -1
      local normal, slanted = { 0, 0 }, math.random(4) == 1
      normal[across] = sign
      if slanted then normal = { math.cos(turn), math.sin(turn) } end
      local plane, at = delassus.plane{ normal = normal, offset = between(-3, 3) }, { between(-5, 5), between(-5, 5) }
      local lo, hi = plane:bounds{ position = at }
      local from, to = { 0, 0 }, { 0, 0 }
      from[across], to[across] = 20 * sign, -20 * sign
      local _, p = plane:raycast({ position = at }, from, to)
      for k = 1, 2 do
        local ends = not slanted and k == across
        local edge, other = sign > 0 and hi[k] or lo[k], sign > 0 and lo[k] or hi[k]
        assert.equal(-sign * math.huge, other)
        if ends then near(p[k], edge, 1e-12, "edge") else assert.equal(sign * math.huge, edge) end
      end
    end)
  end)
end)
