local delassus = require "delassus"
local shapes = require "spec.support.shapes3"

local between, seeds = shapes.between, shapes.seeds
local TINY = 1e-12 -- rounding, for lengths of order 1

local function near(expected, got, tolerance, what)
  local good = math.abs(expected - got) <= tolerance -- false for NaN too
  if not good then
    error(("%s: expected %.17g, got %.17g"):format(what or "value", expected, got), 2)
  end
end

local function keys_of(list)
  local keys = {}
  for i, c in ipairs(list) do keys[i] = c.key end
  table.sort(keys)
  return keys
end

describe("spatial contacts", function()
  it("are at most four, within the margin, the deepest among them, with keys of their own", function()
    seeds(function()
      local a, pose_a, b, pose_b = shapes.solid(), shapes.pose(.4), shapes.solid(), shapes.pose(1.2)
      local gap, margin = delassus.distance(a, pose_a, b, pose_b), between(0, .2)
      local list, seen, least = a:contacts(pose_a, b, pose_b, margin), {}, math.huge
      if math.abs(gap - margin) > 1e-9 then assert.equal(gap <= margin, #list > 0) end
      assert.is_true(#list <= 4)
      for _, c in ipairs(list) do
        assert.is_true(c.gap <= margin)
        near(c.gap, c.normal:dot(c.point_b - c.point_a), 1e-9, "gap between the points")
        least = math.min(least, c.gap)
        assert.is_nil(seen[c.key])
        seen[c.key] = true
      end
      if #list > 0 then near(gap, least, 1e-8, "least gap") end
    end, 600)
  end)

  it("agree when swapped and when space is moved", function()
    seeds(function()
      local a, pose_a, b, pose_b = shapes.solid(), shapes.pose(.4), shapes.solid(), shapes.pose(1.5)
      local gap, _, _, n = delassus.distance(a, pose_a, b, pose_b)
      local back, _, _, m = delassus.distance(b, pose_b, a, pose_a)
      if gap > -.05 then near(gap, back, 1e-10, "swapped gap") end
      if gap > .01 then near(1, -n:dot(m), 1e-9, "swapped normal") end
      local motion = shapes.pose(10)
      local moved = delassus.distance(a, shapes.moved(pose_a, motion), b, shapes.moved(pose_b, motion))
      if gap > -.05 then near(gap, moved, 1e-10, "moved gap") end
    end, 300)
  end)

  it("lie on both surfaces where round bodies nearly touch (exact to 1e-12)", function()
    seeds(function()
      local a, b = shapes.makers.cylinder(), shapes.makers.cylinder()
      local pose_a, pose_b = shapes.pose(.2), shapes.pose(1)
      local gap, _, _, n = delassus.distance(a, pose_a, b, pose_b)
      if gap < 0 then return end
      -- b moved along the normal until they touch: a path of least distance keeps its normal
      local p = pose_b.position
      local touching = { position = delassus.vec(p) - gap * n, rotation = pose_b.rotation }
      local zero, _, _, m = delassus.distance(a, pose_a, b, touching)
      near(0, zero, TINY, "gap at touch")
      near(1, n:dot(m), 1e-9, "normal at touch")
    end)
  end)

  it("give a box on a box its four corners, with keys that stay while it slides and rocks", function()
    local floor, box, keys = delassus.box { size = { 10, 10, 1 } }, delassus.box { size = { 1, 2, .5 } }, nil
    for k = 0, 60 do
      local t = 1e-5 * math.sin(k)
      local q = { math.sqrt(1 - 2 * t * t), t, -t, 0 }
      local list = floor:contacts(nil, box, { position = { -3 + .1 * k, .01 * k, .75 }, rotation = q }, 1e-2)
      assert.equal(4, #list)
      keys = keys or keys_of(list)
      assert.same(keys, keys_of(list))
      for _, c in ipairs(list) do near(0, c.gap, 1e-4) end
    end
  end)

  it("keep the keys of equal boxes stacked with rounding noise", function()
    local box, keys = delassus.box { size = { 1, 1, 1 } }, nil
    for k = 1, 40 do
      local e = 1e-11 * math.sin(k)
      local list = box:contacts({ position = { 0, 0, 0 }, rotation = { 1, e, 0, e } }, box,
        { position = { e, -e, 1 + e }, rotation = { 1, 0, e, -e } }, 1e-3)
      assert.equal(4, #list)
      keys = keys or keys_of(list)
      assert.same(keys, keys_of(list))
    end
  end)

  it("give parallel cylinders two stable points on their common line", function()
    local a, keys = delassus.cylinder { radius = .5, length = 4 }, nil
    local b = delassus.cylinder { radius = .25, length = 2 }
    for k = 0, 40 do
      local t = k * .1
      local tilt = 1e-7 * math.sin(k)
      local list = a:contacts(nil, b, { position = { .01 * k, .75 * math.cos(t), .75 * math.sin(t) },
        rotation = { 1, 0, tilt, 0 } }, 1e-3)
      assert.equal(2, #list)
      near(2, (list[1].point_a - list[2].point_a):norm(), 1e-6)
      near(0, list[1].gap, 1e-6)
      near(0, list[2].gap, 1e-6)
      keys = keys or keys_of(list)
      assert.same(keys, keys_of(list))
    end
  end)

  it("tell where sides of cylinders cross beside the ends of their line (closed form of two lines)", function()
    local a = delassus.cylinder { radius = .1, length = 2 }
    for _, angle in ipairs { 1e-3, 3e-3, .3, 1, 1.5 } do
      local list = a:contacts(nil, a, { position = { .05, 0, .2 }, rotation = { axis = { 0, 0, 1 }, angle = angle } }, .01)
      -- axes .2 apart along z, over x = .05; beside it they part by sin(angle), and the sides by its square over 2 x .2
      local aside = .95 * math.sin(angle)
      local most = aside ^ 2 / .4
      assert.equal(most < 1e-3 * .2 and 3 or 1, #list)
      local least = math.huge
      for _, c in ipairs(list) do
        least = math.min(least, c.gap)
        assert.is_true(c.gap >= -TINY and c.gap <= 1.2 * most)
      end
      near(0, least, 1e-11, "gap of the crossing")
    end
  end)

  it("give parallel capsules two points and crossed ones one", function()
    local c = delassus.capsule { radius = .1, length = 2 }
    local list = c:contacts(nil, c, { position = { .5, 0, .2 } }, 1e-9)
    assert.equal(2, #list)
    near(1.5, (list[1].point_a - list[2].point_a):norm(), TINY)
    list = c:contacts(nil, c, { position = { .3, .2, .2 }, rotation = { axis = { 0, 0, 1 }, angle = 1 } }, 1e-9)
    assert.equal(1, #list)
    -- axes across each other at the height .2: the common perpendicular is z
    near(1, list[1].normal.z, TINY)
    near(0, list[1].gap, TINY)
  end)

  it("give a standing cylinder four points on a plane, on a box and on another cylinder", function()
    local up = { axis = { 0, 1, 0 }, angle = -math.pi / 2 }
    local c = delassus.cylinder { radius = .5, length = 2 }
    local pose = { position = { .1, .2, 1 }, rotation = up }
    local floor = delassus.plane { normal = { 0, 0, 1 } }
    local box, box_pose = delassus.box { size = { 4, 4, 1 } }, { position = { 0, 0, -.5 } }
    local base, base_pose = delassus.cylinder { radius = 2, length = 1 }, { position = { 0, 0, -.5 }, rotation = up }
    for _, list in ipairs { floor:contacts(nil, c, pose, 1e-6), box:contacts(box_pose, c, pose, 1e-6),
      base:contacts(base_pose, c, pose, 1e-6) } do
      assert.equal(4, #list)
      for _, p in ipairs(list) do
        near(0, p.gap, TINY)
        near(.5, math.sqrt((p.point_b.x - .1) ^ 2 + (p.point_b.y - .2) ^ 2), 1e-9)
      end
    end
  end)

  it("give a lying cylinder two points on a plane", function()
    local c = delassus.cylinder { radius = .5, length = 2 }
    local list = delassus.plane { normal = { 0, 0, 1 } }:contacts(nil, c, { position = { 0, 0, .5 } }, 1e-6)
    assert.equal(2, #list)
    near(2, (list[1].point_b - list[2].point_b):norm(), TINY)
  end)
end)

describe("a plane in space", function()
  it("is exact: the gap of a convex shape is its lowest point", function()
    seeds(function()
      local b, pose, nx, ny, nz = shapes.solid(), shapes.pose(2), shapes.unit()
      local offset = between(-1, 1)
      local plane = delassus.plane { normal = { 2 * nx, 2 * ny, 2 * nz }, offset = offset }
      local gap, p, q, n = delassus.distance(plane, nil, b, pose)
      near(-shapes.extent(b, pose, -nx, -ny, -nz) - offset, gap, TINY, "gap")
      near(1, n:dot { nx, ny, nz }, TINY, "normal")
      near(offset, n:dot(p), TINY, "point on the plane")
      near(gap, n:dot(q - p), TINY, "gap between the points")
      assert.equal(gap, (delassus.distance(b, pose, plane, nil)))
    end, 300)
  end)
end)

describe("the inside of a spatial drum", function()
  local drum = delassus.drum { radius = 3, length = 6 }
  local open = delassus.drum { radius = 3, length = 20, ends = false }

  it("agrees with the largest extent across the axis over dense directions", function()
    seeds(function()
      local b, pose = shapes.solid(), shapes.pose(.8)
      local gap, p = delassus.distance(open, nil, b, pose)
      near(3, math.sqrt(p.y ^ 2 + p.z ^ 2), TINY, "point on the shell")
      local far = 0
      for k = 1, 720 do
        local t = k * math.pi / 360
        far = math.max(far, shapes.extent(b, pose, 0, math.cos(t), math.sin(t)))
      end
      assert.is_true(gap <= 3 - far + TINY)
      near(3 - far, gap, 3 * (math.pi / 720) ^ 2, "gap") -- |x| (1 - cos(pi / 720))
      -- and the very direction of the point told is exact
      near(3 - gap, shapes.extent(b, pose, 0, p.y / 3, p.z / 3), TINY, "extent towards the point")
    end, 300)
  end)

  it("is exact at its ends", function()
    seeds(function()
      local b, pose = shapes.solid(), shapes.pose(.3)
      pose.position[1] = between(2, 3)
      local least = math.huge
      for _, c in ipairs(drum:contacts(nil, b, pose, 10)) do
        if c.normal.x < -.999 then least = math.min(least, c.gap) end
      end
      near(3 - shapes.extent(b, pose, 1, 0, 0), least, TINY, "gap at the end")
    end)
  end)

  it("gives a log along the axis two points on the shell", function()
    local log = delassus.cylinder { radius = .2, length = 2 }
    local list = drum:contacts(nil, log, { position = { .3, 0, -2.8 } }, 1e-6)
    assert.equal(2, #list)
    near(2, (list[1].point_b - list[2].point_b):norm(), 1e-9)
    near(0, list[1].gap, TINY)
    local across = drum:contacts(nil, delassus.capsule { radius = .2, length = 2 },
      { position = { 0, 0, -math.sqrt(2.8 ^ 2 - 1) }, rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 } }, 1e-6)
    assert.equal(2, #across)
  end)

  it("touches a ball by shell, end and lifter at once", function()
    local R, r, height, width = 3, .2, .5, .3
    local full = delassus.drum { radius = R, length = 6, lifters = { count = 4, height = height, width = width } }
    local y = .5 * width + r -- beside lifter 1, which stands on +z
    local list = full:contacts(nil, delassus.sphere { radius = r },
      { position = { 3 - r, y, math.sqrt((R - r) ^ 2 - y * y) } }, 1e-6)
    assert.equal(3, #list)
    local seen = {}
    for _, c in ipairs(list) do
      near(0, c.gap, TINY)
      seen[c.key] = true
    end
    local count = 0
    for _ in pairs(seen) do count = count + 1 end
    assert.equal(3, count)
  end)
end)

describe("a mesh", function()
  -- a box with outward triangles
  local h = { 1, .5, .25 }
  local v, f = {}, { { 1, 5, 7 }, { 1, 7, 3 }, { 2, 4, 8 }, { 2, 8, 6 }, { 1, 2, 6 }, { 1, 6, 5 },
    { 3, 7, 8 }, { 3, 8, 4 }, { 1, 3, 4 }, { 1, 4, 2 }, { 5, 6, 8 }, { 5, 8, 7 } }
  for k = 0, 7 do
    v[k + 1] = { (k % 2 * 2 - 1) * h[1], (k // 2 % 2 * 2 - 1) * h[2], (k // 4 * 2 - 1) * h[3] }
  end
  local mesh, box = delassus.mesh { vertices = v, faces = f }, delassus.box { size = { 2, 1, .5 } }

  it("agrees with the box of the same faces for bodies apart from it", function()
    seeds(function()
      local b, pose = shapes.solid(), shapes.pose(2)
      local gap = delassus.distance(box, nil, b, pose)
      if gap > 1e-6 then near(gap, delassus.distance(mesh, nil, b, pose), 1e-10, "gap") end
    end, 300)
  end)
end)

describe("spatial rays", function()
  it("agree with the gap of a point: they stop at the surface and meet nothing before", function()
    local dot, hits = delassus.sphere { radius = 1e-9 }, 0
    seeds(function()
      local shape, pose = shapes.solid(), shapes.pose(.7)
      local function place() return { between(-2, 2), between(-2, 2), between(-2, 2) } end
      local from, to = place(), place()
      local function gap_at(t)
        local p = {}
        for k = 1, 3 do p[k] = from[k] + t * (to[k] - from[k]) end
        return delassus.distance(shape, pose, dot, { position = p }) + 1e-9
      end
      local t, point, n = shape:raycast(pose, from, to)
      if t then
        hits = hits + 1
        near(0, gap_at(t), 1e-11, "gap at the hit")
        near(1, n:norm(), TINY, "length of the normal")
        assert.is_true(n:dot { to[1] - from[1], to[2] - from[2], to[3] - from[3] } <= 0)
        near(n:dot(point), shapes.extent(shape, pose, n:unpack()), 1e-11, "the normal's plane supports the shape")
      end
      local inside = gap_at(0) < 0
      for k = 0, 30 do
        if inside then assert.is_nil(t) else assert.is_true(gap_at((t or 1) * k / 31) > -1e-11) end
      end
    end, 600)
    assert.is_true(hits > 50)
  end)

  it("leave a drum through its shell, its ends or stop at a lifter", function()
    local drum = delassus.drum { radius = 2, length = 6, lifters = { count = 4, height = .5, width = .2 } }
    local t, p, n = drum:raycast(nil, { 0, 0, 0 }, { 0, 4, 0 })
    near(1.5 / 4, t, TINY)
    near(1.5, p.y, TINY)
    assert.same({ 0, -1, 0 }, n:totable())
    t, p, n = drum:raycast(nil, { 0, 0, 0 }, { 6, 0, 0 })
    near(.5, t, TINY)
    near(3, p.x, TINY)
    assert.same({ -1, 0, 0 }, n:totable())
    t = drum:raycast({ position = { 0, 0, 0 }, rotation = { axis = { 1, 0, 0 }, angle = math.pi / 4 } },
      { 0, 0, 0 }, { 0, 4, 0 })
    near(.5, t, TINY)
  end)
end)

describe("spatial mass properties", function()
  local function matrix(i)
    local rows = {}
    for r = 1, 3 do rows[r] = { i[r][1], i[r][2], i[r][3] } end
    return rows
  end

  it("are exact for sphere, box, cylinder, cone and capsule", function()
    local m, _, i = delassus.sphere { radius = 2 }:mass(3)
    near(32 * math.pi, m, 1e-11)
    near(.4 * m * 4, matrix(i)[1][1], 1e-10)
    m, _, i = delassus.box { size = { 1, 2, 3 } }:mass(2)
    near(12, m, TINY)
    near(12 * 13 / 12, matrix(i)[1][1], TINY)
    near(12 * 5 / 12, matrix(i)[3][3], TINY)
    m, _, i = delassus.cylinder { radius = 1, length = 2 }:mass(1)
    near(2 * math.pi, m, TINY)
    near(m / 2, matrix(i)[1][1], TINY)
    near(m * (3 + 4) / 12, matrix(i)[2][2], TINY)
    local c
    m, c, i = delassus.cone { radius1 = 1, radius2 = 0, length = 4 }:mass(1)
    near(4 * math.pi / 3, m, TINY)
    near(-1, c.x, TINY) -- a quarter of the height from the base
    near(.3 * m, matrix(i)[1][1], TINY)
    near(m * (3 / 20 + 3 * 16 / 80), matrix(i)[2][2], TINY)
    m, _, i = delassus.capsule { radius = 1, length = 2 }:mass(1, false)
    near(2 * math.pi + 4 * math.pi / 3, m, TINY)
    near(math.pi + .4 * 4 * math.pi / 3, matrix(i)[1][1], TINY)
    near(2 * math.pi * 7 / 12 + 4 * math.pi / 3 * (.4 + 1 + .75), matrix(i)[2][2], TINY)
  end)

  it("of a frustum are those of a cone without its tip", function()
    -- mass, first and second moments about the base of the whole: additive
    local function moments(r1, r2, base, length)
      local m, c, i = delassus.cone { radius1 = r1, radius2 = r2, length = length }:mass(1)
      local x = base + length / 2 + c.x
      return m, m * x, matrix(i)[1][1], matrix(i)[2][2] + m * x * x
    end
    for _, share in ipairs { 0.25, 0.5, 0.9 } do
      local whole, tip = { moments(2, 0, 0, 3) }, { moments(2 * (1 - share), 0, 3 * share, 3 * (1 - share)) }
      local frustum = { moments(2, 2 * (1 - share), 0, 3 * share) }
      for k = 1, 4 do near(whole[k], frustum[k] + tip[k], 1e-12 * whole[k]) end
      local other = { moments(2 * (1 - share), 2, 0, 3 * share) } -- the other way round
      near(frustum[1], other[1], 1e-12 * frustum[1])
      near(frustum[1] * 3 * share - frustum[2], other[2], 1e-12 * whole[2])
    end
  end)

  it("of a hull agree with a box cut into hulls, whatever the points inside", function()
    seeds(function()
      local cut, points, left, right = between(-.5, .5), {}, {}, {}
      for k = 0, 3 do
        local y, z = k % 2 * 2 - 1, k // 2 * 2 - 1
        left[#left + 1], left[#left + 2] = { -1, y, z }, { cut, y, z }
        right[#right + 1], right[#right + 2] = { cut, y, z }, { 1, y, z }
        points[#points + 1], points[#points + 2] = { -1, y, z }, { 1, y, z }
      end
      for _ = 1, 10 do points[#points + 1] = { between(-1, 1), between(-1, 1), between(-1, 1) } end
      local hull = delassus.convex { points = points }
      assert.equal(8, #hull.points)
      assert.equal(6, #hull.faces)
      local both = delassus.compound { { shape = delassus.convex { points = left } },
        { shape = delassus.convex { points = right } } }
      for _, shape in ipairs { hull, both } do
        local m, c, i = shape:mass(1)
        near(8, m, TINY)
        near(0, c:norm(), TINY)
        for r = 1, 3 do
          for s = 1, 3 do near(r == s and 8 * 8 / 12 or 0, matrix(i)[r][s], 1e-11) end
        end
      end
    end)
  end)

  it("of a hull agree with the divergence theorem on its faces and with Euler's count", function()
    seeds(function()
      local hull = shapes.makers.convex()
      local points, volume, edges = hull.points, 0, 0
      for _, face in ipairs(hull.faces) do
        edges = edges + #face
        for k = 2, #face - 1 do
          volume = volume + points[face[1]]:dot(points[face[k]]:cross(points[face[k + 1]])) / 6
        end
      end
      near(volume, (hull:mass(1)), TINY, "volume")
      assert.equal(2, #points - edges / 2 + #hull.faces)
    end, 300)
  end)

  it("agree with the sum over the cells of a grid", function()
    seeds(function()
      local shape = shapes.solid()
      local lo, hi = shape:bounds { position = { 0, 0, 0 } }
      local n, d = 20, hi - lo
      local w, m, mx = d.x * d.y * d.z / n ^ 3, 0, 0
      for i = 0, n - 1 do
        for j = 0, n - 1 do
          local x, y = lo.x + (i + .5) / n * d.x, lo.y + (j + .5) / n * d.y
          -- the column along z: where it enters and leaves
          local t = shape:raycast(nil, { x, y, lo.z - 1 }, { x, y, hi.z + 1 })
          local s = shape:raycast(nil, { x, y, hi.z + 1 }, { x, y, lo.z - 1 })
          if t and s then
            local share = (1 - t - s) * (d.z + 2) / d.z * n
            m, mx = m + w * share, mx + w * share * x
          end
        end
      end
      local mass, c = shape:mass(1, false)
      -- columns cut by the outline are about 4 n of n^2, each wrong by a share of either sign
      local tol = .05 * d.x * d.y * d.z
      near(mass, m, tol, "mass")
      near(mass * c.x, mx, tol * d.x, "first moment")
    end, 200)
  end)
end)

describe("the box around a half space", function()
  it("ends at a face along an axis, where a ray meets it, and nowhere else", function()
    seeds(function()
      local across, sign, slanted = math.random(3), math.random(2) == 1 and 1 or -1, math.random(4) == 1
      local normal, at = { 0, 0, 0 }, { between(-5, 5), between(-5, 5), between(-5, 5) }
      normal[across] = sign
      if slanted then normal = { between(0.1, 1), between(0.1, 1), between(0.1, 1) } end
      local plane = delassus.plane{ normal = normal, offset = between(-3, 3) }
      local lo, hi = plane:bounds{ position = at }
      local from, to = { 0, 0, 0 }, { 0, 0, 0 }
      from[across], to[across] = 20 * sign, -20 * sign
      local _, p = plane:raycast({ position = at }, from, to)
      for k = 1, 3 do
        local edge, other = sign > 0 and hi[k] or lo[k], sign > 0 and lo[k] or hi[k]
        assert.equal(-sign * math.huge, other)
        if not slanted and k == across then near(p[k], edge, 1e-12, "face")
        else assert.equal(sign * math.huge, edge) end
      end
    end, 300)
  end)
end)
