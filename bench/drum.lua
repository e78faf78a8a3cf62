-- bench/drum.lua [disks] [steps] [peers]: milliseconds a step of 1 ms in the turning drum of drum_scene.lua, ours and the
-- peers' (Box2D 2.4, Chipmunk 7; Box2D 3 where the environment's BOX2D3 names a checkout of its sources) from the same
-- state in turn, each after a warm-up of 400 steps (200 of more than 2000 disks) that is not counted.
-- Prints CSV: name, ms a step (median, least), of which outside of the solve, contacts, residual (worst and median),
-- momentum error, overlap (worst over the run, mean over contacts; drum_overlap.lua) in percent of the smaller diameter.
package.path = "bench/?.lua;" .. package.path
local core = require "delassus.core"
local overlap = require "drum_overlap"
local scene = require "drum_scene"

local disks, steps, wanted = tonumber(arg[1]) or 1000, tonumber(arg[2]) or 200, arg[3] or "box2d,chipmunk,box2d3"
local every = math.max(1, disks // 1000) -- overlap is looked at every so many steps
local WARM = scene.warm_up(disks)

local state, path = scene.settled(disks)
print(("# %d disks, drum of %g m, %d steps of %g s"):format(disks, 2 * state.radius, steps, scene.dt))
print("name,ms a step,least,without solve,contacts,residual,median residual,momentum error,worst overlap %,mean overlap %")

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end

local function frame_of(shell, bodies)
  local frame = { shell.rotation }
  for _, body in ipairs(bodies) do
    local p = body.position
    frame[#frame + 1], frame[#frame + 2] = p[1], p[2]
  end
  return frame
end

local function row(name, ms, least, rest, contacts, residual, typical, momentum, q)
  print(("%s,%.4f,%.4f,%s,%.0f,%s,%s,%s,%.3g,%.3g"):format(name, ms, least, rest, contacts, residual, typical, momentum,
    100 * q.worst, 100 * q.sum / math.max(1, q.contacts)))
end

local function ours(name, options)
  options.profile = true
  local world, shell, bodies = scene.world(state, options)
  world:step(WARM)
  collectgarbage()
  local ms, rest, residuals, momentum, frames = {}, {}, {}, 0, {}
  local phases = {}
  for k = 1, steps do
    local before = core.now()
    world:step()
    ms[k] = (core.now() - before) * 1e3
    local stats = world.stats
    rest[k] = ms[k] - stats.time.solve * 1e3
    for phase, s in pairs(stats.time) do
      phases[phase] = phases[phase] or {}
      phases[phase][k] = s * 1e3
    end
    residuals[k], momentum = stats.residual, math.max(momentum, stats.momentum_error)
    if k % every == 0 then frames[#frames + 1] = frame_of(shell, bodies) end
  end
  local q = overlap.new()
  for _, frame in ipairs(frames) do overlap.look(q, frame, state, scene.lifters) end
  local typical = median(residuals)
  row(name, median(ms), ms[1], ("%.4f"):format(median(rest)), q.contacts / #frames, ("%.2g"):format(residuals[steps]),
    ("%.2g"):format(typical), ("%.1g"):format(momentum), q)
  local parts = {}
  for _, phase in ipairs { "forces", "detect", "solve", "project", "report" } do
    parts[#parts + 1] = ("%s %.4f"):format(phase, median(phases[phase]))
  end
  print("#   " .. table.concat(parts, ", "))
end

-- Box2D 3 is built from its sources, as its own CMake file does it for speed; once.
local function build_box2d3(program)
  local root, objects, there = os.getenv("BOX2D3"), program .. ".o", io.open(program)
  if there then return there:close() end
  if not root then
    print("# Box2D 3 is left out: BOX2D3=<a checkout of erincatto/box2d, 3.1 or newer>")
    return false
  end
  local flags = "-O3 -march=native -DNDEBUG -w -I" .. root .. "/include"
  return os.execute(("mkdir -p %s && cd %s && cc %s -std=gnu17 -ffp-contract=off -DBOX2D_AVX2 -c %s/src/*.c"):format(
    objects, objects, flags, root)) and
    os.execute(("g++ %s -o %s bench/peers/drum_box2d3.cpp %s/*.o -lpthread -lm"):format(flags, program, objects))
end

local libraries = { box2d = "-lbox2d", chipmunk = "-lchipmunk" }

local function peer(name, setting)
  local source, program, trace = ("bench/peers/drum_%s.cpp"):format(name), ("build/drum_%s"):format(name), os.tmpname()
  if name ~= "box2d3" and not os.execute(("g++ -O2 -o %s %s %s 2>/dev/null"):format(program, source, libraries[name])) then
    print("# " .. name .. " is not here: apt-get install g++ libbox2d-dev libchipmunk-dev")
    return
  end
  local run = assert(io.popen(("%s %s %d %d %d %s %s"):format(program, path, WARM, steps, every, trace, setting or "")))
  local answer = run:read("a")
  run:close()
  local title, ms, least, note = answer:match("([^\n,]*),([%d.]+),([%d.]+),([^\n]*)\n$")
  local q = overlap.trace(trace, state, scene.lifters)
  os.remove(trace)
  row(title, ms, least, "", q.contacts / (steps // every), "", "", "", q)
  if note ~= "" then print("#   " .. note) end
end

for name in wanted:gmatch("[^,]+") do
  if libraries[name] then peer(name) end
  if name == "box2d3" and build_box2d3("build/drum_box2d3") then
    for _, setting in ipairs { "default", "stiff" } do peer(name, setting) end
  end
end
ours("delassus (to 1e-3)", { tolerance = 1e-3 })
ours("delassus (nsgs to 1e-3 or 30)", { solver = "nsgs", tolerance = 1e-3, max_iterations = 30 })
