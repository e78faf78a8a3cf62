-- What bench/scenes.lua does for its peers: builds them, writes a scene down for them, runs them.
local M = {}

local LIBRARIES = {
  { name = "box2d", flags = "-lbox2d" },
  { name = "chipmunk", flags = "-lchipmunk" },
  { name = "bullet", flags = "-I/usr/include/bullet -lBulletDynamics -lBulletCollision -lLinearMath" },
  { name = "ode", flags = "-lode" },
}

--- The peers that are here, built; what is missing is told.
function M.build()
  local there = {}
  os.execute("mkdir -p build")
  for _, peer in ipairs(LIBRARIES) do
    local program, source = "build/scene_" .. peer.name, ("bench/peers/scene_%s.cpp"):format(peer.name)
    if os.execute(("g++ -O3 -march=native -o %s %s %s 2>/dev/null"):format(program, source, peer.flags)) then
      there[#there + 1] = program
    else
      print("# " .. peer.name .. " is not here")
    end
  end
  return there
end

--- Stands in for a world and writes down what is made; nil in `all` for what peers are not asked.
function M.recorder(options)
  local all = { options = options, bodies = {}, planes = {}, joints = {}, impulses = {} }
  local w = { all = all, ground = { index = -1 } }

  local function body(kind, sizes)
    return function(_, o)
      local one = { kind = kind, index = #all.bodies, o = o, sizes = sizes(o) }
      function one.impulse(_, i) table.insert(all.impulses, { one.index, i.impulse, i.at }) end
      all.bodies[#all.bodies + 1] = one
      return one
    end
  end
  w.box = body("b", function(o) return o.size end)
  w.sphere = body("s", function(o) return { o.radius } end)
  w.disk = w.sphere
  w.capsule = body("c", function(o) return { o.radius, o.length } end)
  w.cylinder = body("y", function(o) return { o.radius, o.length } end)
  function w.mesh() all.strange = true end

  function w.floor(_, o) table.insert(all.planes, { options.planar and { 0, 1, 0 } or { 0, 0, 1 }, 0, o }) end
  function w.wall(_, o) table.insert(all.planes, { { o.normal[1], o.normal[2], o.normal[3] or 0 }, o.offset, o }) end

  function w.joint(_, j)
    if j.motor then all.strange = true end
    table.insert(all.joints, j)
  end
  return w
end

local function xyz(v) return ("%.17g %.17g %.17g"):format(v[1], v[2], v[3] or 0) end

--- The place of a rotation: a quaternion; in the plane 1, 0, 0 and the angle.
local function turned(r)
  if not r then return "1 0 0 0" end
  if type(r) == "number" then return ("1 0 0 %.17g"):format(r) end
  local n = math.sqrt(r.axis[1] ^ 2 + r.axis[2] ^ 2 + r.axis[3] ^ 2)
  local s = math.sin(r.angle / 2) / n
  return ("%.17g %.17g %.17g %.17g"):format(math.cos(r.angle / 2), s * r.axis[1], s * r.axis[2], s * r.axis[3])
end

--- A scene that was recorded, in a file; nil for one that peers are not asked.
function M.write(w, steps)
  local all = w.all
  if all.strange then return nil end
  local path, planar = os.tmpname(), all.options.planar
  local file = assert(io.open(path, "w"))
  local function line(...) file:write(string.format(...), "\n") end
  line("world %d %d %.17g %s", planar and 1 or 0, steps, all.options.dt or 1e-3, planar and "0 -9.81 0" or "0 0 -9.81")
  for _, p in ipairs(all.planes) do
    line("plane %s %.17g %.17g %.17g", xyz(p[1]), p[2], p[3].friction or 0.5, p[3].restitution or 0)
  end
  for _, b in ipairs(all.bodies) do
    local o, d = b.o, b.sizes
    line("body %s %d %.17g %.17g %.17g %.17g %s %s %.17g %.17g", b.kind, o.type == "static" and 1 or 0, d[1], d[2] or 0,
      d[3] or 0, o.density or 1000, xyz(o.position), turned(o.rotation), o.friction or 0.5, o.restitution or 0)
  end
  for _, j in ipairs(all.joints) do
    local limits = j.limits or {}
    line("joint %d %d %d %s %s %.17g %.17g %.17g", j[1] == "revolute" and 1 or 0, j[2].index, j[3].index, xyz(j.anchor),
      xyz(j.axis or { 0, 0, 1 }), limits[1] or 1, limits[2] or -1, limits.cone or -1)
  end
  for _, i in ipairs(all.impulses) do line("impulse %d %s %s", i[1], xyz(i[2]), xyz(i[3])) end
  file:close()
  return path
end

--- -> { mean, median, text: name, mean, median, 99 %, worst, lowest centre }; nil where a peer does not take the scene.
function M.run(program, path)
  local pipe = assert(io.popen(("timeout 200 %s %s 2>/dev/null"):format(program, path)))
  local text = pipe:read("a"):match("([^\n]*,[^\n]*)\n$") -- behind what a library says of itself
  pipe:close()
  local mean, median = (text or ""):match("^[^,]*,([^,]*),([^,]*),")
  return mean and { mean = tonumber(mean), median = tonumber(median), text = text } or nil
end

return M
