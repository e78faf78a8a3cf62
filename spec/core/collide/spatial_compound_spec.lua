local delassus = require "delassus"
local shapes = require "spec.support.shapes3"

local seeds = shapes.seeds

local function near(expected, got, tolerance, what)
  local good = math.abs(expected - got) <= tolerance -- false for NaN too
  if not good then
    error(("%s: expected %.17g, got %.17g"):format(what or "value", expected, got), 2)
  end
end

describe("a spatial compound", function()
  it("agrees with its children one by one: gap, mass, centre, inertia", function()
    seeds(function()
      local children, list = {}, {}
      for i = 1, 3 do
        children[i] = shapes.pose(1)
        children[i].shape = shapes.solid()
      end
      local whole = delassus.compound(children)
      local pose, other, other_pose = shapes.pose(1), shapes.solid(), shapes.pose(2)
      local least, mass, centre = math.huge, 0, { 0, 0, 0 }
      for i, child in ipairs(children) do
        list[i] = shapes.moved(child, pose)
        least = math.min(least, (delassus.distance(child.shape, list[i], other, other_pose)))
        local m, c = child.shape:mass(1)
        local x, y, z = shapes.turn(child.rotation, c:unpack())
        mass = mass + m
        for k, v in ipairs{ x, y, z } do centre[k] = centre[k] + m * (child.position[k] + v) end
      end
      near(least, delassus.distance(whole, pose, other, other_pose), 1e-9, "gap")
      near(least, delassus.distance(other, other_pose, whole, pose), 1e-9, "swapped gap")
      local m, c = whole:mass(1)
      near(mass, m, 1e-12 * mass, "mass")
      for k = 1, 3 do near(centre[k] / mass, c[k], 1e-12, "centre") end
    end)
  end)

  it("gives every child's points keys of their own", function()
    local b = delassus.box { size = { 1, 1, 1 } }
    local legs = delassus.compound { { shape = b, position = { -2, 0, 0 } }, { shape = b, position = { 2, 0, 0 } } }
    local floor, seen = delassus.plane { normal = { 0, 0, 1 } }, {}
    local list = floor:contacts(nil, legs, { position = { 0, 0, .5 } }, 1e-9)
    assert.equal(8, #list)
    for _, c in ipairs(list) do
      assert.is_nil(seen[c.key])
      seen[c.key] = true
      near(0, c.gap, 1e-15)
    end
  end)
end)
