local delassus = require "delassus"

local function message_of(f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  return message
end

describe("a shape", function()
  it("shows what it is", function()
    assert.equal("delassus.disk { radius = 1.0 }", tostring(delassus.disk { radius = 1 }))
    assert.equal("delassus.box { size = {1.0, 2.0} }", tostring(delassus.box { size = { 1, 2 } }))
    assert.equal("delassus.box { size = {1.0, 2.0, 3.0} }", tostring(delassus.box { size = { 1, 2, 3 } }))
    assert.equal("delassus.ellipsoid { radii = {1.0, 2.0, 3.0} }", tostring(delassus.ellipsoid { radii = { 1, 2, 3 } }))
    assert.equal("delassus.polygon (3 points)", tostring(delassus.polygon { { 0, 0 }, { 1, 0 }, { 0, 1 } }))
    assert.equal("delassus.drum { radius = 2.0, 8 lifters }",
      tostring(delassus.drum { radius = 2, lifters = { count = 8, height = .1, width = .1 } }))
  end)

  it("gives its options back", function()
    local c = delassus.capsule { radius = .1, length = 2 }
    assert.equal("capsule", c.kind)
    assert.equal(.1, c.radius)
    assert.equal(2, c.length)
    assert.is_nil(c.size)
    assert.is_true(c.planar and c.spatial and c.solid)
    local cone = delassus.cone { radius1 = .2, radius2 = .1, length = 3 }
    assert.equal(.2, cone.radius1)
    assert.equal(.1, cone.radius2)
    local egg = delassus.ellipsoid { radii = { 1, 2, 3 } }
    assert.equal(delassus.vec { 1, 2, 3 }, egg.radii)
    assert.is_true(egg.solid and egg.spatial and not egg.planar and egg.length == nil and cone.radii == nil)
    assert.equal(delassus.vec { 0, 1 }, delassus.plane { normal = { 0, 5 }, offset = 2 }.normal)
    assert.equal(delassus.vec { 0, 1, 0 }, delassus.plane { normal = { 0, 5, 0 } }.normal)
    assert.is_false(delassus.plane { normal = { 0, 1 } }.spatial)
    assert.equal(2, delassus.plane { normal = { 0, 5 }, offset = 2 }.offset)
    local drum = delassus.drum { radius = 2, length = 4, lifters = { count = 8, height = .1, width = .2 } }
    assert.same({ count = 8, height = .1, width = .2 }, drum.lifters)
    assert.is_true(drum.ends)
    assert.is_false(drum.solid)
    assert.is_false(delassus.drum { radius = 2 }.ends)
    local s = delassus.segment { { 0, 0 }, { 1, 2 } }
    assert.equal(delassus.vec { 1, 2 }, s.points[2])
    local both = delassus.compound { { shape = c, position = { 1, 0 } }, { shape = delassus.disk { radius = 1 } } }
    assert.equal("disk", both.children[2].kind)
    assert.is_false(both.spatial)
    local mesh = delassus.mesh { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } }
    assert.same({ 1, 2, 3 }, mesh.faces[1])
  end)

  it("keeps a polygon's corners counterclockwise and drops straight ones", function()
    local p = delassus.polygon { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, .5 }, { 1, 0 } }
    assert.equal(4, #p.points)
    local area = 0
    for i, a in ipairs(p.points) do area = area + a:cross(p.points[i % 4 + 1]) / 2 end
    assert.equal(1, area)
  end)

  it("cannot be changed", function()
    assert.matches("radius", message_of(function() delassus.disk { radius = 1 }.radius = 2 end))
    assert.matches("unknown property 'radus' %(did you mean 'radius'%?%)",
      message_of(function() return delassus.disk { radius = 1 }.radus end))
  end)

  local box2, ball = delassus.box { size = { 1, 1 } }, delassus.sphere { radius = 1 }
  local mistakes = {
    { "disk: unknown option 'radis' %(did you mean 'radius'%?%)", delassus.disk, { radis = 1 } },
    { "disk: 'radius' is required", delassus.disk, {} },
    { "disk: 'radius' must be > 0, got %-1", delassus.disk, { radius = -1 } },
    { "disk: 'radius' must be a finite number", delassus.disk, { radius = math.huge } },
    { "capsule: 'length' must be >= 0", delassus.capsule, { radius = 1, length = -1 } },
    { "cylinder: 'length' must be > 0", delassus.cylinder, { radius = 1, length = 0 } },
    { "cone: one of 'radius1' and 'radius2' must be > 0", delassus.cone, { radius1 = 0, radius2 = 0, length = 1 } },
    { "box: 'size' must be {x, y} .* or {x, y, z}", delassus.box, { size = { 1, 2, 3, 4 } } },
    { "box: 'size'%[2%] must be > 0, got %-2", delassus.box, { size = { 1, -2 } } },
    { "polygon: 'points' must be a convex polygon: it bends inward at point 3", delassus.polygon,
      { { 0, 0 }, { 1, 0 }, { .1, .1 }, { 0, 1 } } },
    { "polygon: 'points' must differ: point 3 repeats", delassus.polygon, { { 0, 0 }, { 1, 0 }, { 1, 0 }, { 0, 1 } } },
    { "polygon: 'points' must be 3 to 128 corners", delassus.polygon, { { 0, 0 }, { 1, 0 } } },
    { "polygon: 'points' must be 3 to 128 corners around an area", delassus.polygon, { { 0, 0 }, { 1, 1 }, { 2, 2 } } },
    { "polygon: points are given twice", delassus.polygon, { { 0, 0 }, points = {} } },
    { "segment: 'to' is required", delassus.segment, { { 0, 0 } } },
    { "plane: 'normal' must not be the zero vector", delassus.plane, { normal = { 0, 0 } } },
    { "plane: 'normal' must be a list of 2 or 3 numbers", delassus.plane, { normal = { 1, 0, 0, 0 } } },
    { "drum: 'lifters.height' must be below the radius", delassus.drum,
      { radius = 1, lifters = { count = 2, height = 2, width = 1 } } },
    { "drum.lifters: 'width' is required", delassus.drum, { radius = 1, lifters = { count = 2, height = .1 } } },
    { "drum.lifters: unknown option 'hight' %(did you mean 'height'%?%)", delassus.drum,
      { radius = 1, lifters = { count = 2, hight = .1 } } },
    { "drum: 'ends' needs a 'length'", delassus.drum, { radius = 1, ends = true } },
    { "convex: 'points' must be at least 4 points that are not in one plane", delassus.convex,
      { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } } } },
    { "convex: 'points' must be a list of triples", delassus.convex, { points = { { 0, 0 }, { 1, 0 }, { 0, 1 } } } },
    { "mesh: 'faces' must be three different vertices 1%.%.3 .* face 1", delassus.mesh,
      { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 4 } } } },
    { "mesh: 'faces' must be three different vertices", delassus.mesh,
      { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 2 } } } },
    { "segment: needs two different points", delassus.segment, { { 1, 2 }, { 1, 2 } } },
    { "compound: needs at least one child", delassus.compound, {} },
    { "compound: child 1: 'shape' must be a shape", delassus.compound, { { shape = 1 } } },
    { "compound: child 1: unknown option 'pos'", delassus.compound, { { shape = ball, pos = { 0, 0, 0 } } } },
    { "compound: child 1: a plane cannot be part", delassus.compound,
      { { shape = delassus.plane { normal = { 0, 1 } } } } },
    { "compound: child 2: is of space where the others", delassus.compound, { { shape = box2 }, { shape = ball } } },
    { "compound: unexpected value %['name'%]", delassus.compound, { { shape = ball }, name = 1 } },
  }
  for _, m in ipairs(mistakes) do
    it("is refused with a reason: " .. m[1], function()
      assert.matches(m[1], message_of(m[2], m[3]))
    end)
  end

  it("refuses questions that mix the plane and space", function()
    assert.matches("distance: one is of the plane, the other of space",
      message_of(delassus.distance, box2, nil, ball, nil))
    assert.matches("'rotation' is a number in the plane",
      message_of(delassus.distance, ball, { position = { 0, 0, 0 }, rotation = 1 }, ball, nil))
    assert.matches("expected a shape", message_of(delassus.distance, ball, nil, 1, nil))
    assert.matches("'margin' must be >= 0", message_of(ball.contacts, ball, nil, ball, nil, -1))
    assert.matches("'density' must be > 0", message_of(ball.mass, ball, 0))
    assert.matches("this sphere is of space", message_of(ball.mass, ball, 1, true))
  end)

  it("of two without inside has no distance", function()
    local plane = delassus.plane { normal = { 0, 1 } }
    assert.is_nil(delassus.distance(plane, nil, delassus.drum { radius = 1 }, nil))
    assert.is_nil(delassus.distance(plane, nil, delassus.segment { { 0, 0 }, { 1, 0 } }, { rotation = 0 }))
  end)
end)
