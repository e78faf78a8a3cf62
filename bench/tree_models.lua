-- The trees of bench/tree.lua and bench/tree_figures.lua: systems as in cases/tree (rotated joint frames, generic inertias,
-- joint torques, random state), made here and written for the programs of bench/peers.
local core = require "delassus.core"

local M = {}

local axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }

--- The forest of a kind ("ball", "rev", "tree", "humanoid") of n bodies, set to its state, and its description.
function M.sample(kind, n)
  math.randomseed(12345)
  local function rnd(a) return (2 * math.random() - 1) * a end
  local function rotation()
    local w, x, y, z = 1, rnd(1), rnd(1), rnd(1)
    local s = 1 / math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w * s, x * s, y * s, z * s
    return { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
      2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
      2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) }
  end
  local links, q, u, tau, turns = {}, {}, {}, {}, {}
  local function add(parent, joint, axis, rotated)
    links[#links + 1] = {
      parent = parent, position = parent == 0 and { 0, 0, 0 } or { rnd(0.1), rnd(0.1), -0.3 + rnd(0.05) },
      rotation = rotated and rotation() or nil, mass = 1 + rnd(0.5), com = { rnd(0.03), rnd(0.03), -0.15 + rnd(0.03) },
      inertia = { 0.006 + rnd(0.001), 0.006 + rnd(0.001), 0.004 + rnd(0.001), rnd(5e-4), rnd(5e-4), rnd(5e-4) },
      kind = joint ~= "revolute" and joint or nil,
      motions = joint == "revolute" and { { "rotate", axes[axis] } } or nil,
    }
    turns[#links] = axis or 1
    if joint == "free" then
      for _ = 1, 3 do q[#q + 1] = rnd(1) end
    end
    if joint == "revolute" then
      q[#q + 1] = rnd(1)
    else
      local a, b, c = rnd(0.5), rnd(0.5), rnd(0.5)
      local s = 1 / math.sqrt(1 + a * a + b * b + c * c)
      for _, x in ipairs { s, a * s, b * s, c * s } do q[#q + 1] = x end
    end
    for _ = 1, joint == "revolute" and 1 or (joint == "free" and 6 or 3) do
      u[#u + 1] = rnd(1)
      tau[#tau + 1] = rnd(0.5)
    end
    return #links
  end
  if kind == "ball" or kind == "rev" then
    for i = 1, n do add(i - 1, kind == "ball" and "spherical" or "revolute", 3, true) end
  elseif kind == "tree" then
    for i = 1, n do add(i // 2, "revolute", 3, true) end
  else -- humanoid: a free base, waist 2, legs 2 x 6, arms 2 x 5
    add(0, "free")
    local chest = add(add(1, "revolute", 3), "revolute", 2)
    for side = 1, 4 do
      local at = side <= 2 and 1 or chest
      for _, axis in ipairs(side <= 2 and { 3, 1, 2, 2, 2, 1 } or { 2, 1, 3, 2, 3 }) do
        at = add(at, "revolute", axis)
      end
    end
  end
  local forest = core.forest { links = links, gravity = { 0, 0, -9.81 } }
  forest:wide()
  forest:set { q = q, u = u, tau = tau }
  return forest, { kind = kind, links = links, q = q, u = u, tau = tau, axes = turns, gravity = { 0, 0, -9.81 } }
end

local function numbers(list)
  local text = {}
  for i = 1, #list do text[i] = ("%.17g"):format(list[i]) end
  return table.concat(text, " ")
end

local letters = { spherical = "b", free = "f" }

--- Writes a model and our accelerations (bench/peers/tree_model.h); answers the path.
function M.write(forest, model)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  forest:set { q = model.q, u = model.u, tau = model.tau }
  file:write(("%s %d %s\n"):format(model.kind, #model.links, numbers(model.gravity)))
  for i, link in ipairs(model.links) do
    file:write(("%d %s %d %s %s %.17g %s %s\n"):format(link.parent - 1, letters[link.kind] or "r", model.axes[i] - 1,
      numbers(link.rotation or { 1, 0, 0, 0, 1, 0, 0, 0, 1 }), numbers(link.position), link.mass, numbers(link.com),
      numbers(link.inertia)))
  end
  for _, list in ipairs{ model.q, model.u, model.tau, forest:accelerations() } do file:write(numbers(list), "\n") end
  file:close()
  return path
end

--- The largest of M udot + bias - tau by inverse dynamics, relative to the largest |udot|.
function M.residual(forest, method, tau)
  forest:evaluate(method, 1)
  local udot = forest:udot()
  forest:set {}
  local got, worst, most = forest:inverse_dynamics(udot), 0, 0
  for i = 1, #tau do worst = math.max(worst, math.abs(got[i] - tau[i])) end
  for i = 1, #udot do most = math.max(most, math.abs(udot[i])) end
  return worst / most
end

--- Nanoseconds of run(n) / n, the best of `batches` (15) batches of at least 2 ms.
function M.time(run, batches)
  local n, best = 1, math.huge
  while true do
    local t = core.now()
    run(n)
    if core.now() - t > 2e-3 then break end
    n = n * 2
  end
  for _ = 1, batches or 15 do
    local t = core.now()
    run(n)
    best = math.min(best, core.now() - t)
  end
  return best / n * 1e9
end

--- Nanoseconds of 64 states of the forest at once, and the path they took.
function M.time_batch(forest, model)
  local batch = forest:batch(64)
  for k = 1, 64 do
    batch:set_coordinates(k, model.q)
    batch:set_velocities(k, model.u)
    batch:set_torques(k, model.tau)
  end
  return M.time(function(n) batch:evaluate(n) end), batch.path
end

--- Nanoseconds of a Stormer step, starting values left out: the difference of two runs. No time passes to speak of, so
-- that the motion stays tame.
function M.time_stormer(forest, model)
  local dt, bodies = 1e-9, #model.links
  local function run(steps)
    forest:set { q = model.q, u = model.u }
    forest:integrate { method = "stormer", dt = dt, to = steps * dt }
  end
  local steps = math.max(20, 20000 // bodies)
  local long = M.time(function(n) for _ = 1, n do run(2 * steps) end end, 5)
  local short = M.time(function(n) for _ = 1, n do run(steps) end end, 5)
  return (long - short) / steps
end

-- What a peer's own build would generate among its headers, and its version: a checkout of its sources is then enough.
local generated = "build/bench/include"
local stubs = {
  ["pinocchio/config.hpp"] = "#define PINOCCHIO_PARSERS_DLLAPI\n#define PINOCCHIO_DLLAPI\n",
  ["pinocchio/warning.hpp"] = "",
  ["pinocchio/deprecated.hpp"] = "#define PINOCCHIO_DEPRECATED [[deprecated]]\n" ..
    "#define PINOCCHIO_DEPRECATED_MESSAGE(text) [[deprecated(#text)]]\n",
  ["rbdl/rbdl_config.h"] = "#define RBDL_API_VERSION 0\n#define RBDL_DLLAPI\n#define RBDL_LOCAL\n",
}

local function version_in(path, pattern)
  local file = io.open(path)
  local text = file and file:read("a") or ""
  if file then file:close() end
  local list = {}
  for number in text:gmatch(pattern) do list[#list + 1] = number end
  return table.concat(list, ".", 1, math.min(#list, 3))
end

-- Peers that Debian does not have: where the environment names a checkout of their sources, built from those by gcc and
-- by clang, whichever is here.
local function checkouts(recipes, missing)
  local rbdl, pinocchio = os.getenv("RBDL"), os.getenv("PINOCCHIO")
  local flags = "-O3 -march=native -DNDEBUG -w -I/usr/include/eigen3"
  for _, compiler in ipairs { "g++", "clang++" } do
    local function add(name, sources, root, version)
      local command = ("%s -std=c++17 %s -DVERSION='\"%s\"' -I%s/include -I%s -o %%s %s"):format(compiler, flags, version,
        root, generated, sources)
      recipes[#recipes + 1] = { name .. "_" .. compiler, command, compiler == "g++" and compiler or "clang" }
    end
    if rbdl then
      local sources = "bench/peers/tree_rbdl.cpp"
      for name in ("Dynamics Joint Kinematics Logging Model rbdl_errors rbdl_mathutils rbdl_utils"):gmatch("%S+") do
        sources = ("%s %s/src/%s.cc"):format(sources, rbdl, name)
      end
      add("rbdl", sources, rbdl, version_in(rbdl .. "/CMakeLists.txt", "RBDL_VERSION_%u+ (%d+)"))
    end
    if pinocchio then
      add("pinocchio", "bench/peers/tree_pinocchio.cpp", pinocchio,
        version_in(pinocchio .. "/package.xml", "<version>([%d.]+)"))
    end
  end
  if not rbdl then missing[#missing + 1] = "# RBDL is left out: RBDL=<a checkout of rbdl/rbdl>, libeigen3-dev" end
  if not pinocchio then
    missing[#missing + 1] = "# Pinocchio is left out: PINOCCHIO=<a checkout of stack-of-tasks/pinocchio>, libeigen3-dev, " ..
      "libboost-all-dev"
  end
  for name, text in pairs(stubs) do
    os.execute("mkdir -p " .. generated .. "/" .. name:match("^%a+"))
    local file = assert(io.open(generated .. "/" .. name, "w"))
    file:write("#pragma once\n", text)
    file:close()
  end
end

--- The programs of bench/peers that could be built here: a list of paths, and of lines that say which could not.
-- Simbody and DART are built without -march=native: their classes depend on it.
function M.peers()
  local list, missing = {}, {}
  local recipes = {
    { "published", "cc -O3 -march=native -o %s bench/peers/tree_published.c -lm" },
    { "mujoco", "c++ -O2 -o %s bench/peers/tree_mujoco.cpp -lmujoco", "libmujoco-dev" },
    { "kdl", "c++ -O2 -o %s bench/peers/tree_kdl.cpp -I/usr/include/eigen3 -lorocos-kdl", "liborocos-kdl-dev" },
    { "dart", "c++ -O2 -o %s bench/peers/tree_dart.cpp -I/usr/include/eigen3 -ldart", "libdart-dev" },
    { "simbody", "c++ -O2 -o %s bench/peers/tree_simbody.cpp -I/usr/include/simbody -lSimTKsimbody -lSimTKmath " ..
      "-lSimTKcommon", "libsimbody-dev" },
  }
  checkouts(recipes, missing)
  os.execute("mkdir -p build/bench")
  for _, recipe in ipairs(recipes) do
    local program = "build/bench/tree_" .. recipe[1]
    local there = io.open(program)
    if there then
      there:close()
      list[#list + 1] = program
    elseif os.execute(recipe[2]:format(program) .. " 2>" .. program .. ".log") then
      list[#list + 1] = program
    else
      missing[#missing + 1] = ("# %s is not here: apt-get install %s (%s.log)"):format(recipe[1], recipe[3] or "gcc", program)
    end
  end
  return list, missing
end

return M
