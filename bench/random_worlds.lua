-- Worlds by chance: 4 to 14 bodies of all shapes, masses, laws and joints dropped onto a floor or into a box, in the plane and
-- in space, at 1/1000, 1/240 and 1/60 s. What nobody arranged finds steps that no scene of bench/scenes.lua has.
-- lua5.4 bench/random_worlds.lua [first seed, 1] [last, 640] [seconds, 2] [law of impact], with the rock's paths set
-- (make bench BENCH=random_worlds). CSV, a line a world: ms of processor a step, mean, middle, worst and which that is.
local delassus = require "delassus"
local first, last = tonumber(arg[1]) or 1, tonumber(arg[2]) or 640
local seconds, law = tonumber(arg[3]) or 2, arg[4]
local chance = math.random

local function between(a, b) return a + (b - a) * chance() end
local function vector(a) return { between(-a, a), between(-a, a), between(-a, a) } end

local function planar_body(world, o, size, spread, height)
  local v = between(0, 3)
  o.position = { between(-spread, spread), height }
  o.rotation = chance() < 0.4 and 0 or between(-3, 3)
  o.velocity = { between(-1, 1) * v, between(-1, 1) * v }
  o.angular_velocity = chance() < 0.5 and 0 or between(-5, 5)
  local kind = chance(4)
  if kind == 1 then
    o.radius = size / 2
    return world:disk(o)
  elseif kind == 2 then
    o.size = { size, between(0.3, 1) * size }
    return world:box(o)
  elseif kind == 3 then
    o.radius, o.length = size / 4, size
    return world:capsule(o)
  end
  o.points = {}
  for j = 1, 5 do o.points[j] = { size * 0.6 * math.cos(j * 2 * math.pi / 5), size * 0.6 * math.sin(j * 2 * math.pi / 5) } end
  return world:polygon(o)
end

local function spatial_body(world, o, size, spread, height)
  local v = between(0, 3)
  o.position = { between(-spread, spread), between(-spread, spread), height }
  o.rotation = chance() < 0.4 and { 1, 0, 0, 0 } or { axis = vector(1), angle = between(-3, 3) }
  o.velocity = { between(-1, 1) * v, between(-1, 1) * v, between(-1, 1) * v }
  if chance() < 0.5 then o.angular_velocity = vector(5) end
  local kind = chance(7)
  if kind == 1 then
    o.radius = size / 2
    return world:sphere(o)
  elseif kind <= 3 then
    o.size = { size, between(0.3, 1) * size, between(0.3, 1) * size }
    return world:box(o)
  elseif kind == 4 then
    o.radius, o.length = size / 4, size
    return world:capsule(o)
  elseif kind == 5 then
    o.radius, o.length = size / 3, size
    return world:cylinder(o)
  end
  o.shape = kind == 6 and delassus.cone{ radius1 = size / 3, radius2 = size / 5, length = size }
    or delassus.ellipsoid{ radii = { size / 2, size / 3, size / 4 } }
  return world:body(o)
end

--- A joint between two of the bodies, or of one with the ground; none where it would be one body's with itself.
local function add_joint(world, bodies, planar, j)
  local n = #bodies
  local a, b = bodies[chance(n)], bodies[chance(n)]
  if chance() < 0.6 and j < n then a, b = bodies[j], bodies[j + 1] end
  if chance() < 0.08 then a = world.ground end
  if a == b then return end
  local kind = planar and "revolute" or ({ "spherical", "revolute", "universal", "spherical" })[chance(4)]
  local o = { kind, a, b, formulation = ({ nil, "rigid", "reduced" })[chance(3)] }
  if a ~= world.ground then
    o.anchor = {}
    for i = 1, planar and 2 or 3 do o.anchor[i] = (a.position[i] + b.position[i]) / 2 end
  end
  if kind == "revolute" and not planar then o.axis = vector(1) end
  if kind == "revolute" and chance() < 0.4 then o.limits = { -0.6, 0.6 } end
  if kind == "universal" then o.axis, o.axis2 = { 1, 0, 0 }, { 0, 1, 0 } end
  pcall(world.joint, world, o) -- a reduced loop is refused
end

local function make(seed)
  math.randomseed(seed)
  local planar = chance() < 0.3
  local dt = ({ 1e-3, 1e-3, 1 / 240, 1 / 60 })[chance(4)]
  local impact = ({ "newton", "newton", "poisson" })[chance(3)]
  local world = delassus.world{ planar = planar, dt = dt, record = false, impact = law or impact }
  local material = delassus.material{ friction = between(0, 1), restitution = chance() < 0.5 and 0 or between(0, 0.9),
    rolling_friction = chance() < 0.15 and 0.005 or 0 }
  world:floor{ material = material }
  if chance() < 0.4 then
    local normals = planar and { { 1, 0 }, { -1, 0 } } or { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } }
    for _, normal in ipairs(normals) do world:wall{ normal = normal, offset = planar and -1.2 or -0.8, material = material } end
  end
  local n, spread, height, bodies = chance(4, 14), between(0.1, 0.6), 0.4, {}
  for i = 1, n do
    local size = between(0.1, 0.35)
    local o = { material = material, density = chance() < 0.2 and 10 ^ between(1, 4) or 1000 }
    bodies[i] = (planar and planar_body or spatial_body)(world, o, size, spread, height)
    height = height + 0.4
  end
  for j = 1, chance() < 0.5 and chance(0, n - 1) or 0 do add_joint(world, bodies, planar, j) end
  return world
end

print("seed,dt,space,bodies,joints,impact,mean,median,worst,at,missed,penetration")
for seed = first, last do
  local world <close> = make(seed)
  local times, worst, at, penetration, sum = {}, 0, 0, 0, 0
  for i = 1, math.floor(seconds / world.dt + 0.5) do
    local start = os.clock()
    world:step()
    local time = 1e3 * (os.clock() - start)
    times[i], sum = time, sum + time
    if time > worst then worst, at = time, i end
    penetration = math.max(penetration, world.stats.penetration)
  end
  table.sort(times)
  print(("%d,%.5f,%d,%d,%d,%s,%.4f,%.4f,%.3f,%d,%d,%.2g"):format(seed, world.dt, #world.gravity, #world.bodies, #world.joints,
    world.impact, sum / #times, times[#times // 2 + 1], worst, at, world.stats.unconverged, penetration))
end
