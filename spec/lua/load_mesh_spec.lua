-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local kept = require "delassus.world_kept"
local load_mesh = require "delassus.load_mesh"
local triangles = require "delassus.triangles"

local folder
local function write(name, text)
  local file = assert(io.open(folder .. name, "wb"))
  file:write(text)
  file:close()
  return folder .. name
end

-- Volume within a mesh: its signed tetrahedra from the origin.
local function volume(shape)
  local s, sum = triangles.of(shape, false), 0
  local p = s.points
  for i = 1, #s.faces, 3 do
    local a, b, c = 3 * s.faces[i], 3 * s.faces[i + 1], 3 * s.faces[i + 2]
    sum = sum + p[a + 1] * (p[b + 2] * p[c + 3] - p[b + 3] * p[c + 2]) + p[a + 2] * (p[b + 3] * p[c + 1] - p[b + 1] * p[c + 3])
      + p[a + 3] * (p[b + 1] * p[c + 2] - p[b + 2] * p[c + 1])
  end
  return sum / 6
end

-- The triangles of a box of edges 1, 2, 4 about (0.5, 1, 2), and their texts in each format.
local CORNERS = {}
for i = 0, 7 do CORNERS[i + 1] = { i & 1, i & 2, i & 4 } end
local FACES = { { 1, 3, 4, 2 }, { 5, 6, 8, 7 }, { 1, 2, 6, 5 }, { 3, 7, 8, 4 }, { 1, 5, 7, 3 }, { 2, 4, 8, 6 } }

local function each_triangle(f)
  for _, q in ipairs(FACES) do
    f(CORNERS[q[1]], CORNERS[q[2]], CORNERS[q[3]])
    f(CORNERS[q[1]], CORNERS[q[3]], CORNERS[q[4]])
  end
end

local function binary_stl()
  local out = { ("solid by a program that begins binary files so"):sub(1, 80), "" }
  out[1] = out[1] .. (" "):rep(80 - #out[1])
  out[2] = ("<I4"):pack(12)
  each_triangle(function(a, b, c)
    out[#out + 1] = ("<ffffffffffffI2"):pack(0, 0, 0, a[1], a[2], a[3], b[1], b[2], b[3], c[1], c[2], c[3], 0)
  end)
  return table.concat(out)
end

local function text_stl()
  local out = { "solid box\n" }
  each_triangle(function(...)
    out[#out + 1] = "facet normal 0 0 0\n outer loop\n"
    for _, p in ipairs{ ... } do out[#out + 1] = ("  vertex %g %.3e %g\n"):format(p[1], p[2], p[3]) end
    out[#out + 1] = " endloop\nendfacet\n"
  end)
  return table.concat(out) .. "endsolid box\n"
end

local function obj(face)
  local out = { "# a box\no box\nvn 0 0 1\nvt 0 0\n" }
  for _, p in ipairs(CORNERS) do out[#out + 1] = ("v %g %g %g\n"):format(p[1], p[2], p[3]) end
  for _, q in ipairs(FACES) do
    local words = {}
    for i, k in ipairs(q) do words[i] = face(k) end
    out[#out + 1] = "f " .. table.concat(words, " ") .. "\r\n"
  end
  return table.concat(out)
end

describe("meshes from files", function()
  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    folder = folder .. ".d/"
    os.execute("mkdir -p " .. folder .. "model " .. folder .. "meshes")
  end)
  teardown(function() os.execute("rm -r " .. folder) end)

  it("are the same box in every format: eight corners, twelve triangles, the exact volume", function()
    local files = { write("b.stl", binary_stl()), write("t.STL", text_stl()), write("a.obj", obj(tostring)),
      write("n.obj", obj(function(k) return ("%d/1/1"):format(k - 9) end)),
      write("s.obj", obj(function(k) return k .. "//1" end)) }
    for _, path in ipairs(files) do
      local shape = assert(load_mesh.read(path))
      assert.same({ 8, 12 }, { #shape.vertices, #shape.faces }, path)
      assert.near(8, volume(shape), 1e-12, path)
      assert.near(8 * 2 * 3 * 0.5, volume(assert(load_mesh.read(path, { 2, 3, 0.5 }))), 1e-12, path)
    end
  end)

  it("say what is wrong with a file", function()
    local function wrong(message, name, text)
      local shape, told = load_mesh.read(write(name, text))
      assert.is_nil(shape)
      assert.matches(message, told, 1, true)
    end
    wrong("x.dae: a mesh's name ends in .stl or .obj", "x.dae", "")
    wrong("x.stl: is no STL file", "x.stl", "hello")
    wrong("x.stl: holds no triangle", "x.stl", "solid a\nendsolid a\n")
    wrong("x.stl: holds no triangle", "x.stl", binary_stl():sub(1, 300))
    wrong("x.obj: line 2: a face names the vertex '9', which is not there", "x.obj", "v 0 0 0\nf 1 9 1\n")
    wrong("x.obj: line 1: a vertex is three numbers", "x.obj", "v 0 zero 0\n")
    wrong("x.stl: holds a coordinate that is no finite number", "x.stl", "solid\nvertex 1e999 0 0\n")
  end)

  it("are a URDF's visuals with their colours, beside the collision shapes; what is not there is told", function()
    write("meshes/box.stl", binary_stl())
    local path = write("model/robot.urdf", [[
<robot name="r">
  <material name="blue"><color rgba="0 0.25 1 1"/></material>
  <link name="base">
    <visual><geometry><cylinder radius="0.1" length="0.6"/></geometry><material name="blue"/></visual>
  </link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <visual><origin xyz="1 2 3"/><geometry><mesh filename="package://r/meshes/box.stl" scale="0.5 1 1"/></geometry>
      <material name="own"><color rgba="1 0.5 0 1"/></material></visual>
    <visual><geometry><mesh filename="none.stl"/></geometry></visual>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><limit lower="-1" upper="1"/></joint>
</robot>]])
    local world, index = assert(delassus.load(path))
    assert.same({ "link 'arm': visual mesh 'none.stl' is not there" }, index.ignored)
    world:step(10)
    local base, arm = table.unpack(kept(world).bodies)
    assert.same({ 0, 0.25, 1 }, { table.unpack(base.visuals[1].colour) })
    assert.equal("cylinder", base.visuals[1].shape.kind)
    assert.is_nil(base.shape)
    assert.equal("compound", arm.shape.kind)
    assert.same({ 1, 2, 3 }, arm.visuals[1].position)
    assert.same({ 1, 0.5, 0 }, { table.unpack(arm.visuals[1].colour) })
    assert.near(4, volume(arm.visuals[1].shape), 1e-12)
    -- a cylinder of URDF stands on z: so do the points of what is drawn
    local s = triangles.of({ kind = "compound", parts = base.visuals }, false)
    local low, high = math.huge, -math.huge
    for i = 3, #s.points, 3 do low, high = math.min(low, s.points[i]), math.max(high, s.points[i]) end
    assert.near(-0.3, low, 1e-12)
    assert.near(0.3, high, 1e-12)
  end)

  it("are not those of a body that took the place of another", function()
    local world = delassus.world{}
    local looks = require "delassus.looks"
    local first = world:sphere{ name = "first", radius = 1 }
    looks.set(world, first, { { shape = { kind = "sphere", radius = 2 } } })
    assert.equal(2, looks.of(first)[1].shape.radius)
    world:remove(first)
    assert.is_nil(looks.of(world:sphere{ name = "second", radius = 1 }))
  end)
end)
