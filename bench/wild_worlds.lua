-- Worlds by chance with everything in them: all shapes, laws of contact and impact, joints, motors, gears, springs, ropes,
-- kinematic bodies, at 1/1000 to 1/60 s. What nobody arranged finds what no spec asks: energy out of nothing, steps that miss or
-- take long, a run that a snapshot does not repeat. Levers and springs are wilder than anybody's (1e6 N/m on 0.1 kg).
-- lua5.4 bench/wild_worlds.lua [first seed, 1] [last, 400] [seconds, 1], with the rock's paths set (make bench
-- BENCH=wild_worlds). CSV, a line for each world in which something is: ms of processor the worst step took and which that is;
-- the largest gain of energy in a step, of what there was at first, that neither projections nor the law of impact explain
-- (not asked of driven and compliant worlds, nor where something turns by more than half a radian a step); missed steps.
local delassus = require "delassus"
local first, last, seconds = tonumber(arg[1]) or 1, tonumber(arg[2]) or 400, tonumber(arg[3]) or 1
local SLOW, GAIN, APART = 12, 1e-3, 5e-3 -- ms, of the energy at first, of a body: what is told
local chance = math.random

local function between(a, b) return a + (b - a) * chance() end
local function vector(a) return { between(-a, a), between(-a, a), between(-a, a) } end
local function pick(t) return t[chance(#t)] end

local function material()
  local m = { friction = chance() < 0.2 and 0 or between(0, 1), restitution = chance() < 0.6 and 0 or between(0, 0.9) }
  if chance() < 0.1 then m.rolling_friction = 0.005 end
  if chance() < 0.1 then m.spinning_friction = 0.005 end
  if chance() < 0.1 then m.friction = { static = 0.6, kinetic = 0.3, decay = 0.1 } end
  if chance() < 0.15 then m.stiffness, m.damping = 10 ^ between(4, 8), 10 ^ between(1, 3) end
  if chance() < 0.05 then m.tangential_restitution = between(0, 0.9) end
  return delassus.material(m)
end

local spatial = {
  function(s) return delassus.sphere{ radius = s / 2 } end,
  function(s) return delassus.box{ size = { s, between(0.3, 1) * s, between(0.3, 1) * s } } end,
  function(s) return delassus.capsule{ radius = s / 4, length = s } end,
  function(s) return delassus.cylinder{ radius = s / 3, length = s } end,
  function(s) return delassus.cone{ radius1 = s / 3, radius2 = s / 5, length = s } end,
  function(s) return delassus.ellipsoid{ radii = { s / 2, s / 3, s / 4 } } end,
  function(s)
    local points = {}
    for i = 1, 8 do
      local v = vector(1)
      local n = math.sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2) + 1e-3
      points[i] = { v[1] / n * s / 2, v[2] / n * s / 2, v[3] / n * s / 2 }
    end
    return delassus.convex{ points = points }
  end,
  function(s)
    return delassus.compound{ { shape = delassus.box{ size = { s, s / 4, s / 4 } }, position = { 0, 0, s / 8 } },
      { shape = delassus.sphere{ radius = s / 5 }, position = { s / 3, 0, s / 3 } } }
  end }

local planar_shapes = {
  function(s) return delassus.disk{ radius = s / 2 } end,
  function(s) return delassus.box{ size = { s, between(0.3, 1) * s } } end,
  function(s) return delassus.capsule{ radius = s / 4, length = s } end,
  function(s)
    local points, n, phase = {}, chance(3, 7), between(0, 6)
    for j = 1, n do
      local a = phase + j * 2 * math.pi / n
      points[j] = { s * 0.5 * math.cos(a), s * 0.5 * math.sin(a) }
    end
    return delassus.polygon{ points = points }
  end,
  function(s)
    return delassus.compound{ { shape = delassus.box{ size = { s, s / 4 } } },
      { shape = delassus.disk{ radius = s / 5 }, position = { s / 3, s / 4 } } }
  end }

--- A joint between two of the bodies, or of one with the ground; nil where it would be one body's, or is refused.
local function add_joint(world, bodies, planar, j, driven)
  local n = #bodies
  local a, b = pick(bodies), pick(bodies)
  if chance() < 0.6 and j < n then a, b = bodies[j], bodies[j + 1] end
  if chance() < 0.15 then a = world.ground end
  if a == b then return end
  local kind = pick(planar and { "revolute", "revolute", "prismatic", "fixed" }
    or { "spherical", "revolute", "universal", "prismatic", "cylindrical", "planar", "fixed", "revolute" })
  local o = { kind, a, b, formulation = pick{ false, "rigid", "reduced", false, false } or nil, anchor = {} }
  local from = a == world.ground and b.position or a.position
  for i = 1, planar and 2 or 3 do o.anchor[i] = (from[i] + b.position[i]) / 2 end
  if not planar and kind ~= "spherical" and kind ~= "fixed" then o.axis = vector(1) end
  if planar and kind == "prismatic" then o.axis = { between(-1, 1), between(-1, 1) } end
  if kind == "universal" then o.axis, o.axis2 = { 1, 0, 0 }, { 0, 1, 0 } end
  if kind == "revolute" or kind == "prismatic" then
    local extra = chance(6)
    if extra == 1 then o.limits = { -0.5, 0.6 } end
    if extra == 2 then o.friction = between(0, 1) end
    if extra == 3 then o.stiffness, o.damping = 10 ^ between(0, 5), 10 ^ between(-1, 2) end
    if extra == 4 and driven then
      local most = kind == "revolute" and "max_torque" or "max_force"
      o.motor = chance() < 0.5 and { speed = between(-3, 3), [most] = 10 ^ between(0, 3) }
        or { position = between(-0.5, 0.5), stiffness = 10 ^ between(1, 5), damping = 10 ^ between(0, 2) }
    end
  end
  if kind == "spherical" and chance() < 0.3 then o.limits = { cone = 0.6, twist = { -0.5, 0.5 } } end
  local made, joint = pcall(world.joint, world, o)
  return made and joint or nil
end

local function add_platform(world, planar, of)
  local shape = delassus.box{ size = planar and { 1.5, 0.2 } or { 1.5, 1, 0.2 } }
  if chance() < 0.5 then
    world:body{ type = "kinematic", shape = shape, material = of, position = planar and { 0, 0.25 } or { 0, 0, 0.25 },
      velocity = planar and { 0.3, 0 } or { 0.3, 0, 0 }, angular_velocity = planar and 0 or { 0, 0, 0.5 } }
    return
  end
  local A, f = 0.08, between(2, 12)
  world:body{ type = "kinematic", shape = shape, material = of, motion = function(t)
    local y, v, a = 0.35 + A * math.sin(f * t), A * f * math.cos(f * t), -A * f * f * math.sin(f * t)
    if planar then return { 0, y }, 0, { 0, v }, 0, { 0, a }, 0 end
    return { 0, 0, y }, { 1, 0, 0, 0 }, { 0, 0, v }, { 0, 0, 0 }, { 0, 0, a }, { 0, 0, 0 }
  end }
end

local function make(seed)
  math.randomseed(seed)
  local planar, driven = chance() < 0.35, chance() < 0.4
  local world = delassus.world{ planar = planar, record = false, dt = pick{ 1e-3, 1e-3, 1 / 240, 1 / 120, 1 / 60 },
    tolerance = pick{ false, false, false, 1e-3, 1e-6, 1e-8 } or nil,
    impact = pick{ "newton", "newton", "newton", "poisson", "sequential" } }
  local materials, bodies, joints = {}, {}, {}
  for i = 1, chance(3) do materials[i] = material() end
  world:floor{ material = materials[1] }
  if chance() < 0.3 then
    local normals = planar and { { 1, 0 }, { -1, 0 } } or { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } }
    for _, normal in ipairs(normals) do
      world:wall{ normal = normal, offset = planar and -1.2 or -0.8, material = pick(materials) }
    end
  end
  local n, spread, height = chance(2, 12), between(0.1, 0.8), 0.4
  if driven and chance() < 0.5 then
    add_platform(world, planar, pick(materials))
    height = 0.8
  end
  for i = 1, n do
    local o = { material = pick(materials), density = chance() < 0.2 and 10 ^ between(1, 4) or 1000,
      shape = pick(planar and planar_shapes or spatial)(between(0.1, 0.4)) }
    o.position = { between(-spread, spread), height }
    if not planar then table.insert(o.position, 2, between(-spread, spread)) end
    if chance() < 0.6 then o.rotation = planar and between(-3, 3) or { axis = vector(1), angle = between(-3, 3) } end
    local v = between(0, 4)
    o.velocity = planar and { between(-v, v), between(-v, v) } or vector(v)
    if chance() < 0.5 then o.angular_velocity = planar and between(-6, 6) or vector(6) end
    bodies[i] = world:body(o)
    height = height + 0.45
  end
  for j = 1, chance() < 0.6 and chance(0, n) or 0 do
    joints[#joints + 1] = add_joint(world, bodies, planar, j, driven)
  end
  if #joints > 1 and chance() < 0.2 then
    pcall(world.gear, world, { joint1 = joints[1], joint2 = joints[2], ratio = between(-2, 2) })
  end
  for _ = 1, chance() < 0.3 and chance(1, 4) or 0 do
    local a, b = chance() < 0.3 and world.ground or pick(bodies), pick(bodies)
    if a ~= b then
      world:spring{ a, b, anchor_a = a == world.ground and (planar and { 0, 3 } or { 0, 0, 3 }) or nil,
        stiffness = 10 ^ between(1, 6), damping = chance() < 0.5 and 0 or 10 ^ between(0, 3), length = between(0.2, 1) }
    end
  end
  for _ = 1, chance() < 0.2 and chance(1, 2) or 0 do
    world:contact{ world.ground, pick(bodies), rope = 3, restitution = between(0, 0.5),
      point_a = planar and { 0, 3 } or { 0, 0, 3 } }
  end
  return world, bodies, driven
end

local function energy_of(world)
  local kinetic, potential, stored = world:energy()
  return kinetic + potential + stored, kinetic
end

local function is_compliant(world)
  for _, b in ipairs(world.bodies) do
    if b.material and b.material.stiffness < math.huge then return true end
  end
  return false
end

--- The fastest turn, rad a step.
local function whirl_of(world, bodies)
  local most = 0
  for _, b in ipairs(bodies) do
    local w = b.angular_velocity
    most = math.max(most, type(w) == "number" and math.abs(w) or math.sqrt(w[1] ^ 2 + w[2] ^ 2 + w[3] ^ 2))
  end
  return most * world.dt
end

--- What a world does: a record of the columns below.
local function watch(world, bodies, driven)
  local steps = math.floor(seconds / world.dt + 0.5)
  local seen = { mean = 0, worst = 0, at = 0, gain = 0, gain_at = 0, penetration = 0, also = "" }
  local before, kinetic = energy_of(world)
  local scale, corrected = math.abs(before) + kinetic + 1e-9, world:ledger().correction
  local asked = not driven and not is_compliant(world)
  local half, snapshot = steps // 2, nil
  for i = 1, steps do
    if i == half then snapshot = world:snapshot() end
    local start = os.clock()
    local made, why = pcall(world.step, world)
    local time = 1e3 * (os.clock() - start)
    if not made then
      seen.also = tostring(why):gsub(",", ";")
      return seen
    end
    local now, correction, stats = energy_of(world), world:ledger().correction, world.stats
    local gain = (now - before - math.max(0, correction - corrected)) / scale - stats.impact_gain
    if asked and gain > seen.gain and whirl_of(world, bodies) < 0.5 then seen.gain, seen.gain_at = gain, i end
    before, corrected, seen.mean = now, correction, seen.mean + time / steps
    if time > seen.worst then seen.worst, seen.at = time, i end
    if stats.infeasible then seen.also = "crushed" end
    seen.penetration = math.max(seen.penetration, stats.penetration)
  end
  local hash = world:hash()
  world:restore(snapshot)
  for _ = half, steps do world:step() end
  if world:hash() ~= hash then seen.also = "does not repeat" end
  return seen
end

print("seed,dt,space,bodies,joints,impact,mean,worst,at,gain,gain_at,missed,penetration,also")
for seed = first, last do
  local world, bodies, driven = make(seed)
  local seen = watch(world, bodies, driven)
  local missed, crushed = world.stats.unconverged, seen.also == "crushed"
  local odd = not crushed and (seen.penetration > APART or seen.also ~= "")
  if odd or seen.worst > SLOW or seen.gain > GAIN or missed > 0 then
    print(("%d,%.5f,%d,%d,%d,%s,%.4f,%.2f,%d,%.2g,%d,%d,%.2g,%s"):format(seed, world.dt, #world.gravity, #bodies, #world.joints,
      world.impact, seen.mean, seen.worst, seen.at, seen.gain, seen.gain_at, missed, seen.penetration, seen.also))
    io.stdout:flush()
  end
  world:close()
end
