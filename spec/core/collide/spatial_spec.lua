local delassus = require "delassus"
local shapes = require "spec.support.shapes3"

local seeds = shapes.seeds
local TINY = 1e-12 -- rounding, for lengths of order 1

local function near(expected, got, tolerance, what)
  local good = math.abs(expected - got) <= tolerance -- false for NaN too
  if not good then
    error(("%s: expected %.17g, got %.17g"):format(what or "value", expected, got), 2)
  end
end

--- Directions: random ones, and ever closer ones around n.
local function directions(n)
  local list = {}
  for _ = 1, 120 do list[#list + 1] = { shapes.unit() } end
  for k = 0, 60 do
    local e, x, y, z = 10 ^ (-k / 10), shapes.unit()
    x, y, z = n.x + e * x, n.y + e * y, n.z + e * z
    local r = math.sqrt(x * x + y * y + z * z)
    if r > 0 then list[#list + 1] = { x / r, y / r, z / r } end
  end
  return list
end

local function check_pair(a, pose_a, b, pose_b, deepest)
  local gap, p, q, n = delassus.distance(a, pose_a, b, pose_b)
  near(1, n:norm(), TINY, "length of the normal")
  near(gap, n:dot(q - p), TINY, "gap between the points")
  near(gap, shapes.separation(a, pose_a, b, pose_b, n:unpack()), TINY, "separation along the normal")
  near(shapes.extent(a, pose_a, n:unpack()), n:dot(p), TINY, "point on a")
  if gap > 0 then near(gap, (q - p):norm(), 1e-9, "distance of the points") end
  if gap > deepest then
    for _, d in ipairs(directions(n)) do
      local s = shapes.separation(a, pose_a, b, pose_b, d[1], d[2], d[3])
      if s > gap + TINY then
        error(("%s - %s: (%g %g %g) separates by %.17g, gap %.17g"):format(a.kind, b.kind, d[1], d[2], d[3], s, gap))
      end
    end
  end
  return gap
end

describe("spatial pairs of convex shapes", function()
  for _, first in ipairs(shapes.kinds) do
    for _, second in ipairs(shapes.kinds) do
      it("have a gap that is exact, the largest separation over all directions: " .. first .. ", " .. second, function()
        local shallow = 0
        seeds(function()
          local a, b = shapes.makers[first](), shapes.makers[second]()
          -- overlaps of round bodies are exact to a tenth of their size; flat ones to any depth
          local gap = check_pair(a, shapes.pose(.5), b, shapes.pose(1.5), -.1)
          if gap < 0 and gap > -.1 then shallow = shallow + 1 end
        end, 200)
        assert.is_true(shallow > 0)
      end)
    end
  end
end)
