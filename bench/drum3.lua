-- bench/drum3.lua [logs] [steps] [STATE]: a turning drum of logs in space in its rotating regime (bench/drum3_state.lua makes the
-- state where STATE is not there yet), steps of 1 ms: ours, Bullet and ODE from the same state, in turn. Prints CSV: name, ms a
-- step (median, least), residual, overlap (worst, mean of the overlapping, of the smaller diameter), momentum error: of
-- the reported impulses of the shell against what the logs gained, relative to their weight over a step (ours: `stats`).
-- Overlaps are looked at in every step of the peers and every tenth of ours; the first ten steps count for nobody.
local core = require "delassus.core"
local delassus = require "delassus"

local logs, steps, path = tonumber(arg[1]) or 1000, tonumber(arg[2]) or 100, arg[3] or "build/bench/logs.txt"
os.execute("mkdir -p build/bench")
local file = io.open(path)
if not file then
  os.execute(("lua5.4 bench/drum3_state.lua %s %d"):format(path, logs))
  file = assert(io.open(path))
end

local function numbers()
  local list = {}
  for x in (file:read("l") or ""):gmatch("%S+") do list[#list + 1] = tonumber(x) end
  return list
end
local head, bed = numbers(), {}
for k = 1, head[11] do bed[k] = numbers() end
file:close()

local function build(options)
  local world = delassus.world { gravity = { 0, 0, -head[7] }, dt = 1e-3, record = false, profile = options.profile,
    solver = options.solver, tolerance = options.tolerance, max_iterations = options.iterations }
  local wood = delassus.material { friction = head[8], restitution = head[9] }
  world:drum { radius = head[1], length = head[2], ends = true, type = "kinematic", material = wood,
    lifters = { count = math.tointeger(head[3]), height = head[4], width = head[5] }, angular_velocity = { head[6], 0, 0 } }
  local list = {}
  for k, l in ipairs(bed) do
    list[k] = world:capsule { radius = l[1], length = l[2], density = head[10], material = wood, position = { l[3], l[4], l[5] },
      rotation = { l[6], l[7], l[8], l[9] }, velocity = { l[10], l[11], l[12] }, angular_velocity = { l[13], l[14], l[15] } }
  end
  return world, list
end

local sqrt, max, min = math.sqrt, math.max, math.min

local function clamp(x) return max(-1, min(1, x)) end

-- Distance of the segments p + t a and q + t b, |t| <= 1.
local function segments(p, a, q, b)
  local rx, ry, rz = p[1] - q[1], p[2] - q[2], p[3] - q[3]
  local aa, bb = a[1] ^ 2 + a[2] ^ 2 + a[3] ^ 2, b[1] ^ 2 + b[2] ^ 2 + b[3] ^ 2
  local ab = a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
  local ar, br = a[1] * rx + a[2] * ry + a[3] * rz, b[1] * rx + b[2] * ry + b[3] * rz
  local den = aa * bb - ab * ab
  local s = den > 1e-12 * aa * bb and clamp((ab * br - ar * bb) / den) or 0
  local t = clamp((ab * s + br) / bb)
  s = clamp((ab * t - ar) / aa)
  return sqrt((rx + s * a[1] - t * b[1]) ^ 2 + (ry + s * a[2] - t * b[2]) ^ 2 + (rz + s * a[3] - t * b[3]) ^ 2)
end

-- As Quality in bench/peers/drum3_state.h: overlaps of logs among themselves, of the smaller diameter.
local function look(list, quality)
  local at = {}
  for i, log in ipairs(list) do
    local p, q, half = log.position, log.rotation, bed[i][2] / 2
    at[i] = { p[1], p[2], p[3], r = bed[i][1], half = half,
      axis = { half * (1 - 2 * (q[3] ^ 2 + q[4] ^ 2)), half * 2 * (q[2] * q[3] + q[1] * q[4]),
        half * 2 * (q[2] * q[4] - q[1] * q[3]) } }
  end
  table.sort(at, function(a, b) return a[3] < b[3] end)
  for i, a in ipairs(at) do
    for k = i + 1, #at do
      local b = at[k]
      if b[3] - a[3] > 5 then break end
      local reach = a.r + b.r + a.half + b.half
      if (a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2 + (a[3] - b[3]) ^ 2 < reach * reach then
        local share = (a.r + b.r - segments(a, a.axis, b, b.axis)) / (2 * min(a.r, b.r))
        if share > 0 then
          quality.worst, quality.sum, quality.n = max(quality.worst, share), quality.sum + share, quality.n + 1
        end
      end
    end
  end
end

local function ours(options)
  local world, list = build(options)
  world:step(10)
  local ms, residual, off, quality = {}, 0, 0, { worst = 0, sum = 0, n = 0 }
  for k = 1, steps do
    local before = core.now()
    world:step()
    ms[k] = (core.now() - before) * 1e3
    local s = world.stats
    residual, off = max(residual, s.residual), max(off, s.momentum_error)
    if k % 10 == 0 then look(list, quality) end
  end
  table.sort(ms)
  print(("delassus (%s to %g or %d),%.3f,%.3f,%.2g,%.3g,%.3g,%.2g"):format(options.solver, options.tolerance,
    options.iterations, ms[steps // 2 + 1], ms[1], residual, quality.worst, quality.sum / max(quality.n, 1), off))
  if options.profile then
    local parts = {}
    for name, seconds in next, world.stats.time do parts[#parts + 1] = ("%s %.2f"):format(name, seconds * 1e3) end
    table.sort(parts)
    print(("# ms of the last step: %s; %d contacts"):format(table.concat(parts, ", "), world.stats.contacts))
  end
end

local function peer(name, libraries)
  local program = "build/bench/drum3_" .. name
  local there = io.open(program)
  if there then there:close() end
  io.stdout:flush()
  if there or os.execute(("c++ -O2 -w -o %s bench/peers/drum3_%s.cpp %s 2>/dev/null"):format(program, name, libraries)) then
    if not os.execute(("%s %s %d"):format(program, path, steps)) then print("# " .. name .. " failed") end
  else
    print(("# %s is not here: apt-get install lib%s-dev"):format(name, name))
  end
end

print(("# %d logs, drum of %.2f x %.2f m, %d steps"):format(#bed, 2 * head[1], head[2], steps))
print("name,ms a step (median),ms (least),residual,worst overlap,mean overlap,momentum error")
ours { solver = "nsgs", tolerance = 1e-3, iterations = 1000, profile = true }
peer("bullet", "-I/usr/include/bullet -lBulletDynamics -lBulletCollision -lLinearMath")
ours { solver = "nsgs", tolerance = 1e-4, iterations = 3000, profile = true }
peer("ode", "-lode")
