-- Worlds by chance that change as they run, with what bench/wild_worlds.lua has not: meshes, drums, gap functions that move,
-- chains of motions, driven joints, rotors, loads by functions, every solver, scheme and formulation. Between the quarters of
-- a run bodies, joints, springs come, go and are moved by hand, h and properties change, and calls fail on purpose.
-- lua5.4 bench/changed_worlds.lua [first seed, 1] [last, 400] [seconds, 0.4] [without, by commas] [refused], with the rock's
-- paths set (make bench BENCH=changed_worlds). Every ingredient has a generator of its own: `without` (joints, gears, springs,
-- contacts, fields, names of changes, change2 to 4) takes one out, the rest stays. `refused` lists what calls were refused for.
-- CSV, a line for each world in which something is: ms of processor in the mean and the worst step; the largest gain of energy
-- in a step, of what there was, beyond the work of forces and moved bodies, projections and the law of impact; the largest
-- `correction` and `scheme` of a step; the worst energy_balance; missed steps; words. Of a run are asked: that it repeats, after
-- a restore, in a twin made alike, and in one that was restored and had never stepped; that questions and what fails leave the
-- world as it was; that nothing leaves a closed room; that free worlds keep both momenta (`spin`: angular, of it).
local delassus = require "delassus"
local first, last, seconds = tonumber(arg[1]) or 1, tonumber(arg[2]) or 400, tonumber(arg[3]) or 0.4
local without = {}
for word in (arg[4] or ""):gmatch("[^,]+") do without[word] = true end
local SLOW, GAIN, APART, OPEN, DRIFT, LOST = 40, 1e-3, 5e-3, 1e-6, 1e-8, 1e-2
local QUARTERS = 4
local chance, between, vector, pick -- of the ingredient at work

local function use(seed, ingredient)
  local random = delassus.random(seed * 1009 + ingredient)
  function chance(a, b)
    if not a then return random:uniform() end
    if not b then a, b = 1, a end
    return random:integer(a, b)
  end
  function between(a, b) return random:uniform(a, b) end
  function vector(a) return { between(-a, a), between(-a, a), between(-a, a) } end
  function pick(t) return t[random:integer(1, #t)] end
end

local function place(s, v) -- a vector of the world's dimension
  return s.planar and { v[1], v[3] } or v
end

local function unit(v)
  local n = math.sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2)
  if n < 0.05 then return { 0, 0, 1 } end
  return { v[1] / n, v[2] / n, v[3] / n }
end

--- What must hold of a call that may be refused: refused in words, the world as it was.
local function try(s, name, fn, ...)
  local before = s.world:hash()
  local made, why = pcall(fn, ...)
  if made then return why end
  s.refused[#s.refused + 1] = name .. ": " .. tostring(why)
  if s.world:hash() ~= before then s.say("refusal changes the world (" .. name .. ")") end
end

local function material(s)
  local m = { friction = chance() < 0.2 and 0 or between(0, 1), restitution = chance() < 0.6 and 0 or between(0, 0.9) }
  if chance() < 0.1 and not s.events then m.rolling_friction = 0.005 end
  if chance() < 0.1 and not s.events then m.spinning_friction = 0.005 end
  if chance() < 0.1 then m.friction = { static = 0.6, kinetic = 0.3, decay = 0.1 } end
  if chance() < 0.05 then m.friction = function(v) return 0.3 + 0.2 / (1 + 10 * v) end end
  if chance() < 0.15 and s.compliant then m.stiffness, m.damping = 10 ^ between(4, 8), 10 ^ between(1, 3) end
  if chance() < 0.05 then m.tangential_restitution = between(0, 0.9) end
  return delassus.material(m)
end

local spatial = {
  function(a) return delassus.sphere{ radius = a / 2 } end,
  function(a) return delassus.capsule{ radius = a / 4, length = a } end,
  function(a) return delassus.box{ size = { a, between(0.3, 1) * a, between(0.3, 1) * a } } end,
  function(a) return delassus.cylinder{ radius = a / 3, length = a } end,
  function(a) return delassus.cone{ radius1 = a / 3, radius2 = a / 5, length = a } end,
  function(a) return delassus.ellipsoid{ radii = { a / 2, a / 3, a / 4 } } end,
  function(a)
    local points = {}
    for i = 1, 8 do
      local v = unit(vector(1))
      points[i] = { v[1] * a / 2, v[2] * a / 2, v[3] * a / 2 }
    end
    return delassus.convex{ points = points }
  end,
  function(a)
    return delassus.compound{ { shape = delassus.box{ size = { a, a / 4, a / 4 } }, position = { 0, 0, a / 8 } },
      { shape = delassus.sphere{ radius = a / 5 }, position = { a / 3, 0, a / 3 } } }
  end }

local planar_shapes = {
  function(a) return delassus.disk{ radius = a / 2 } end,
  function(a) return delassus.capsule{ radius = a / 4, length = a } end,
  function(a) return delassus.box{ size = { a, between(0.3, 1) * a } } end,
  function(a)
    local points, n, phase = {}, chance(3, 7), between(0, 6)
    for j = 1, n do
      local angle = phase + j * 2 * math.pi / n
      points[j] = { a * 0.5 * math.cos(angle), a * 0.5 * math.sin(angle) }
    end
    return delassus.polygon{ points = points }
  end,
  function(a)
    return delassus.compound{ { shape = delassus.box{ size = { a, a / 4 } } },
      { shape = delassus.disk{ radius = a / 5 }, position = { a / 3, a / 4 } } }
  end }

local function shape(s, a)
  local list = s.planar and planar_shapes or spatial
  return list[s.events and chance(1, 2) or chance(1, #list)](a)
end

local function spot(s, spread, height)
  return place(s, { between(-spread, spread), between(-spread, spread), height })
end

local function add_body(s, height)
  local o = { material = pick(s.materials), shape = shape(s, between(0.1, 0.4)), position = spot(s, s.spread, height),
    density = chance() < 0.2 and 10 ^ between(1, 4) or 1000 }
  if chance() < 0.6 then o.rotation = s.planar and between(-3, 3) or { axis = unit(vector(1)), angle = between(-3, 3) } end
  local v = between(0, 4)
  o.velocity = place(s, vector(v))
  if chance() < 0.5 then o.angular_velocity = s.planar and between(-6, 6) or vector(6) end
  if chance() < 0.1 and not s.events then o.sensor = chance() < 0.2 end
  if chance() < 0.1 and not s.planar then o.com = vector(0.03) end
  s.bodies[#s.bodies + 1] = try(s, "body", s.world.body, s.world, o)
end

--- Heights of a terrain, and of a floor that moves.
local function bumps(x, y) return 0.1 * math.sin(3 * x) * math.cos(2 * y) - 0.1 end

local function terrain(n, size)
  local vertices, faces = {}, {}
  for i = 0, n do
    for j = 0, n do
      local x, y = (i / n - 0.5) * size, (j / n - 0.5) * size
      vertices[#vertices + 1] = { x, y, bumps(x, y) }
    end
  end
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local k = i * (n + 1) + j + 1
      faces[#faces + 1], faces[#faces + 2] = { k, k + n + 1, k + n + 2 }, { k, k + n + 2, k + 1 }
    end
  end
  return delassus.mesh{ vertices = vertices, faces = faces }
end

local function closed_mesh(a, b, c)
  local v, f = {}, { { 1, 3, 4 }, { 1, 4, 2 }, { 5, 6, 8 }, { 5, 8, 7 }, { 1, 2, 6 }, { 1, 6, 5 }, { 3, 7, 8 }, { 3, 8, 4 },
    { 1, 5, 7 }, { 1, 7, 3 }, { 2, 4, 8 }, { 2, 8, 6 } }
  for k = 0, 7 do v[k + 1] = { ((k & 1) - 0.5) * a, ((k >> 1 & 1) - 0.5) * b, ((k >> 2 & 1) - 0.5) * c } end
  return delassus.mesh{ vertices = v, faces = f }
end

local function swinging(s, A, f, z)
  return function(t)
    local y, v, a = z + A * math.sin(f * t), A * f * math.cos(f * t), -A * f * f * math.sin(f * t)
    if s.planar then return { 0, y }, 0, { 0, v }, 0, { 0, a }, 0 end
    return { 0, 0, y }, { 1, 0, 0, 0 }, { 0, 0, v }, { 0, 0, 0 }, { 0, 0, a }, { 0, 0, 0 }
  end
end

local function walls(s)
  local normals = s.planar and { { 1, 0 }, { -1, 0 } } or { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } }
  for _, normal in ipairs(normals) do s.world:wall{ normal = normal, offset = -1, material = pick(s.materials) } end
  s.room = { low = -0.7, wide = 1.4 }
end

local grounds = {
  free = function(s) s.world.gravity = place(s, { 0, 0, 0 }) end,
  floor = function(s) s.world:floor{ material = pick(s.materials) } end,
  pit = function(s)
    s.world:floor{ material = pick(s.materials) }
    walls(s)
  end,
  terrain = function(s)
    s.world:body{ type = "static", shape = terrain(chance(3, 12), 2.6), material = pick(s.materials) }
    walls(s)
  end,
  moved = function(s)
    s.world:floor{ material = pick(s.materials) }
    local how = s.planar and delassus.box{ size = { 1.5, 0.2 } } or chance() < 0.5 and closed_mesh(1.5, 1, 0.2)
      or delassus.box{ size = { 1.5, 1, 0.2 } }
    local o = { type = "kinematic", shape = how, material = pick(s.materials) }
    if chance() < 0.4 then
      o.position, o.velocity = place(s, { 0, 0, 0.25 }), place(s, { 0.3, 0, 0 })
      o.angular_velocity = s.planar and 0 or { 0, 0, 0.5 }
    else o.motion = swinging(s, 0.08, between(2, 12), 0.35) end
    s.world:body(o)
    s.height = 0.85
  end,
  drum = function(s)
    local lifters = chance() < 0.6 and { count = chance(3, 8), height = 0.1, width = 0.08 } or nil
    local o = { type = "kinematic", material = pick(s.materials) }
    o.shape = delassus.drum(s.planar and { radius = 1, lifters = lifters }
      or { radius = 1, length = 2, lifters = lifters, ends = true })
    o.angular_velocity = s.planar and between(-3, 3) or { between(-3, 3), 0, 0 }
    s.world:body(o)
    s.drum, s.height, s.spread, s.rise = 1, -0.4, 0.4, 0.12
  end }

local kinds = { "spherical", "revolute", "universal", "prismatic", "cylindrical", "planar", "fixed", "revolute", "chain",
  "custom" }

local function motions(s)
  local list, n, turns = {}, chance(1, s.planar and 3 or 4), 0
  for i = 1, n do
    local slide = i - turns <= 2 and (chance() < 0.4 or turns == (s.planar and 1 or 2)) -- more of one kind go one way
    turns = turns + (slide and 0 or 1)
    list[i] = { slide and "slide" or "rotate", s.planar and (slide and { between(-1, 1), 1 } or nil) or unit(vector(1)) }
    if s.planar and not slide then list[i] = { "rotate" } end
    if chance() < 0.2 and not s.looped then
      local A, f = between(0.05, 0.3), between(1, 8)
      s.driven = true
      list[i].motion = chance() < 0.5 and function(t) return A * math.sin(f * t) end
        or function(t) return A * math.sin(f * t), A * f * math.cos(f * t), -A * f * f * math.sin(f * t) end
    end
  end
  return list
end

local function screws()
  local n, m = chance(1, 3), {}
  for i = 1, 6 do
    m[i] = {}
    for j = 1, n do m[i][j] = (i <= 3 and 1 or 0.3) * between(-1, 1) end
  end
  return m
end

local function add_joint(s)
  local n = #s.bodies
  if n < 1 then return end
  local a, b, loop = pick(s.bodies), pick(s.bodies), true
  if chance() < 0.8 then -- along a chain, branches at the ground; else anything
    s.link = s.link % n + 1
    a, b, loop = s.bodies[s.link], s.bodies[s.link % n + 1], s.link == n
  end
  if chance() < 0.2 and s.ground ~= "free" then
    a, loop, s.grounded = s.world.ground, loop or s.grounded, true
  end
  if loop and s.driven then return end -- prescribed motions in loops are asked for what cannot be
  s.looped = s.looped or loop
  local kind = pick(loop and { "revolute", s.planar and "prismatic" or "spherical" }
    or s.planar and { "revolute", "revolute", "prismatic", "fixed", "chain" } or kinds)
  local o = { kind, a, b, formulation = pick{ nil, "rigid", "reduced", "rigid" }, anchor = {} }
  if chance() < 0.1 then o.formulation = "penalty" end
  local from = a == s.world.ground and b.position or a.position
  for i = 1, s.planar and 2 or 3 do o.anchor[i] = (from[i] + b.position[i]) / 2 end
  if not s.planar and ({ revolute = 1, prismatic = 1, cylindrical = 1, planar = 1 })[kind] then o.axis = unit(vector(1)) end
  if s.planar and kind == "prismatic" then o.axis = { between(-1, 1), 1 } end
  if kind == "universal" then o.axis, o.axis2 = { 1, 0, 0 }, { 0, 1, 0 } end
  if kind == "chain" then o.motions = motions(s) end
  if kind == "custom" then o.subspace = screws() end
  if (kind == "revolute" or kind == "prismatic") and not loop then
    local extra, most = chance(8), kind == "revolute" and "max_torque" or "max_force"
    if extra == 1 then o.limits = { -between(0.01, 0.5), 0.6 } end
    if extra == 2 then o.friction = between(0, 1) end
    if extra == 3 then o.stiffness, o.damping = 10 ^ between(0, 5), 10 ^ between(-1, 2) end
    if extra == 4 then
      o.motor = chance() < 0.5 and { speed = between(-3, 3), [most] = 10 ^ between(0, 3) }
        or { position = between(-0.5, 0.5), stiffness = 10 ^ between(1, 5), damping = 10 ^ between(0, 2),
          [most] = 10 ^ between(0, 4) }
    end
    if extra == 5 and not s.looped then
      s.driven = true
      local A, f = between(0.05, 0.3), between(1, 8)
      o.motion = function(t) return A * math.sin(f * t), A * f * math.cos(f * t), -A * f * f * math.sin(f * t) end
    end
    if extra == 6 and o.formulation == "reduced" then o.inertia = between(0, 0.1) end
    if extra == 7 then o.torque = between(-5, 5) end
    if chance() < 0.2 and not o.motion then o.limits = o.limits or { -0.3, 0.3 } end
  end
  if kind == "spherical" and chance() < 0.4 then o.limits = { cone = between(0.2, 1), twist = { -0.5, 0.5 } } end
  if kind == "universal" and chance() < 0.4 then o.limits = { { -0.5, 0.5 }, { -0.4, 0.6 } } end
  local joint = try(s, "joint", s.world.joint, s.world, o)
  if joint then s.joints[#s.joints + 1] = joint end
end

local function add_spring(s)
  if #s.bodies < 1 then return end
  local ground = s.ground ~= "free" and chance() < 0.3
  local a, b = ground and s.world.ground or pick(s.bodies), pick(s.bodies)
  local o = { a, b, anchor_a = ground and place(s, { 0, 0, s.drum and 0 or 3 }) or nil, length = between(0.2, 1),
    stiffness = 10 ^ between(1, 6), damping = chance() < 0.5 and 0 or 10 ^ between(0, 3) }
  if chance() < 0.2 then o.stiffness, o.length, o.damping = nil, nil, 10 ^ between(0, 3) end
  s.springs[#s.springs + 1] = try(s, "spring", s.world.spring, s.world, o)
end

--- Ropes, one-sided springs, points on planes, gaps by functions that may move.
local function add_contact(s)
  if #s.bodies < 1 then return end
  local world, b = s.world, pick(s.bodies)
  local a = s.ground ~= "free" and chance() < 0.5 and world.ground or pick(s.bodies)
  local o = { a, b, friction = chance() < 0.5 and between(0, 1) or nil, restitution = chance() < 0.5 and between(0, 0.9) or nil }
  if chance() < 0.2 and s.compliant then o.stiffness, o.damping = 10 ^ between(3, 6), 10 ^ between(0, 2) end
  local how = b.joint and 2 or chance(3)
  if how == 1 then o.rope, o.friction = between(0.3, 2), nil
  elseif how == 2 then o.point_a, o.point_b, o.normal = place(s, { 0, 0, 0 }), place(s, { 0, 0, -0.05 }), place(s, { 0, 0, 1 })
  else
    o[1] = world.ground
    local A, f, level = chance() < 0.5 and between(0, 0.05) or 0, between(1, 9), between(-0.2, 0.2)
    local up = s.planar and 1 or 2
    local i, list
    s.indices[#s.indices + 1] = function() -- anew where bodies and joints came and went
      local iu
      i, iu = world:index(b)
      list = {}
      for k = 1, #world:velocities() do list[k] = k == iu + up and 1 or 0 end
    end
    s.indices[#s.indices]()
    o.gap = function(q, t) return (q[i + up] or 1) - level - A * math.sin(f * t) end
    o.gradient = function() return list end
  end
  local contact = try(s, "contact", world.contact, world, o)
  s.contacts[#s.contacts + 1] = contact
  if o.gap then s.indices[s.indices[#s.indices]] = contact end
end

local function add_gear(s)
  if #s.joints < 2 then return end
  local a, b = pick(s.joints), pick(s.joints)
  if a.a == b.a and a.b == b.b then return end
  s.gears[#s.gears + 1] = try(s, "gear", s.world.gear, s.world, { joint1 = a, joint2 = b, ratio = between(-2, 2) })
end

local function add_field(s)
  s.loaded = true
  local A, f, G = between(0, 20), between(0, 20), between(0, 30)
  s.world:field(function(body, t)
    local p, force = body.position, { A * math.sin(f * t), 0, 0 }
    local k = s.planar and { -G * p[1], -G * p[2] } or { -G * p[1], -G * p[2], -G * p[3] }
    k[1] = k[1] + force[1]
    return k, s.planar and 0 or { 0, 0, 0 }
  end)
end

local function alive(s)
  local bodies, joints = {}, {}
  for _, b in ipairs(s.world.bodies) do
    if b.type == "dynamic" then bodies[#bodies + 1] = b end
  end
  for _, j in ipairs(s.world.joints) do joints[#joints + 1] = j end
  s.bodies, s.joints, s.penalty = bodies, joints, false
  for _, j in ipairs(joints) do s.penalty = s.penalty or j.formulation == "penalty" end
  for k = #s.indices, 1, -1 do
    if not pcall(s.indices[k]) then -- its body is gone, and the contact with it, or does not move any more
      pcall(s.world.remove, s.world, s.indices[s.indices[k]])
      s.indices[s.indices[k]] = nil
      table.remove(s.indices, k)
    end
  end
end

--- Changes between two quarters of a run.
local changes = {
  added = function(s) add_body(s, s.height + 1) end,
  removed = function(s)
    if #s.bodies > 1 then try(s, "remove", s.world.remove, s.world, pick(s.bodies)) end
  end,
  broken = function(s)
    if #s.joints > 0 then try(s, "remove", s.world.remove, s.world, pick(s.joints)) end
  end,
  joined = add_joint, sprung = add_spring, tied = add_contact,
  moved = function(s)
    if #s.bodies < 1 then return end
    local b, to, which = pick(s.bodies), vector(0.2), chance(4)
    local p = b.position
    try(s, "set", function()
      if which == 1 then b.position = s.planar and { p[1] + to[1], p[2] + 0.3 } or { p[1] + to[1], p[2] + to[2], p[3] + 0.3 } end
      if which == 2 then b.velocity = place(s, vector(3)) end
      if which == 3 then b.angular_velocity = s.planar and between(-6, 6) or vector(6) end
      if which == 4 then b.rotation = s.planar and between(-3, 3) or { axis = unit(vector(1)), angle = between(-3, 3) } end
    end)
  end,
  pushed = function(s)
    if #s.bodies < 1 then return end
    local b = pick(s.bodies)
    try(s, "impulse", b.impulse, b, { impulse = place(s, vector(b.mass)) })
    try(s, "apply", b.apply, b, { force = place(s, vector(5 * b.mass)) })
  end,
  turned = function(s)
    for _, j in ipairs(s.joints) do
      if j.formulation == "reduced" and type(j.q) == "number" then
        try(s, "joint.q", function() j.q = j.q + between(-0.2, 0.2) end)
        try(s, "joint.qd", function() j.qd = between(-2, 2) end)
        return
      end
    end
  end,
  stepped = function(s) s.world.dt = s.events and s.world.dt or pick{ 1e-3, 1 / 240, 1 / 120, 1 / 60 } end,
  weighed = function(s)
    if #s.bodies > 0 then
      local b = pick(s.bodies)
      try(s, "mass", function() b.mass = b.mass * between(0.2, 5) end)
    end
  end,
  switched = function(s)
    for _, c in ipairs(s.contacts) do try(s, "active", function() c.active = chance() < 0.5 end) end
  end,
  ruled = function(s) try(s, "impact", function() s.world.impact = pick{ "newton", "poisson", "sequential" } end) end,
  driven = function(s)
    for _, j in ipairs(s.joints) do
      if j.motor and j.motor.speed then try(s, "motor", function() j.motor.speed = between(-3, 3) end) end
    end
  end,
  typed = function(s)
    if #s.bodies > 1 then try(s, "type", function() pick(s.bodies).type = pick{ "static", "kinematic" } end) end
  end,
  shaped = function(s)
    if #s.bodies > 0 then try(s, "shape", function() pick(s.bodies).shape = shape(s, between(0.1, 0.4)) end) end
  end }

local order = {}
for name in pairs(changes) do order[#order + 1] = name end
table.sort(order)
local STRUCTURE = { added = 1, removed = 1, broken = 1, joined = 1, sprung = 1, tied = 1, typed = 1, shaped = 1, weighed = 1 }

--- Calls that have to fail.
local mistakes = {
  function(s) s.world:body{ shape = delassus.sphere{ radius = -1 } } end,
  function(s) s.world:body{ mass = -1, shape = shape(s, 0.2) } end,
  function(s) s.world:joint{ "revolute", s.bodies[1], s.bodies[1] } end,
  function(s) s.world:restore("nothing") end,
  function(s) s.world:restore(s.world:snapshot():sub(1, -9)) end,
  function(s) s.bodies[1].velocity = { 0 / 0, 0, 0 } end,
  function(s) s.bodies[1].mass = 0 end,
  function(s) s.world:spring{ s.bodies[1], s.bodies[1], stiffness = 1 } end,
  function(s) s.world:contact{ s.world.ground, s.bodies[1], rope = -1 } end,
  function(s) s.world:remove(s.world.ground) end,
  function(s) s.world:set_velocities{ 1, 2 } end,
  function(s) s.world.dt = -1 end }

--- Questions, after which a world is as it was.
local looks = {
  function(s) s.world:accelerations() end, function(s) s.world:accelerations{ contacts = false } end,
  function(s) s.world:mass_matrix() end, function(s) s.world:bias() end, function(s) s.world:delassus() end,
  function(s) s.world:mobility() end, function(s) s.world:linearize() end,
  function(s) s.world:raycast(place(s, { -2, 0.01, 0.3 }), place(s, { 2, 0.02, 0.4 })) end,
  function(s)
    for c in s.world:contacts() do local _ = { c.force, c.key, c.age, c.state, tostring(c) } end
    for _, j in ipairs(s.joints) do local _ = { j.q, j.formulation ~= "reduced" and j.rows, j:violation() } end
  end,
  function(s) s.world:set_coordinates(s.world:coordinates()) end,
  function(s) s.world:set_velocities(s.world:velocities()) end }

local function look(s)
  local k = chance(1, #looks)
  local before = s.world:hash()
  local made, why = pcall(looks[k], s)
  if not made then s.refused[#s.refused + 1] = ("look %d: %s"):format(k, why) end
  if k < 10 and s.world:hash() ~= before then s.say("look " .. k .. " changes the world") end
end

local function make(seed)
  use(seed, 1)
  local s = { planar = chance() < 0.35, bodies = {}, joints = {}, springs = {}, contacts = {}, gears = {}, refused = {},
    link = 0, words = {}, indices = {}, materials = {}, height = 0.4, spread = between(0.1, 0.8), rise = 0.45, seed = seed }
  function s.say(word) s.words[word] = true end
  local scheme = chance()
  s.events = scheme < 0.2
  s.compliant = chance() < 0.4
  local o = { planar = s.planar, record = false, dt = pick{ 1e-3, 1e-3, 1 / 240, 1 / 120, 1 / 60 },
    tolerance = chance() < 0.5 and pick{ 1e-3, 1e-6, 1e-8 } or nil,
    impact = pick{ "newton", "newton", "newton", "poisson", "sequential" } }
  if s.events then o.scheme, o.tolerance = "event-driven", nil end
  if scheme > 0.93 and s.planar then o.scheme = "semi-implicit" end
  if chance() < 0.15 and not s.events then o.solver = pick{ "nsgs", "admm", "newton" } end
  if chance() < 0.1 then o.factor = pick{ "ldl", "sweep", "dense" } end
  if chance() < 0.05 and not s.events then o.max_iterations = chance(20, 300) end
  s.world = delassus.world(o)
  for i = 1, chance(3) do s.materials[i] = material(s) end
  use(seed, 2)
  s.ground = pick(s.events and { "free", "floor", "floor", "pit", "pit", "drum" }
    or { "free", "floor", "floor", "pit", s.planar and "pit" or "terrain", "moved", "moved", "drum" })
  grounds[s.ground](s)
  if s.room and not (s.ground == "pit" or s.ground == "terrain") then s.room = nil end
  use(seed, 3)
  local n = s.events and chance(1, 5) or chance(2, 10)
  for _ = 1, n do
    add_body(s, s.height)
    s.height = s.height + s.rise
  end
  local function some(index, name, share, most, fn)
    use(seed, index)
    if without[name] or chance() > share then return end
    for _ = 1, chance(1, most) do fn(s) end
  end
  some(4, "joints", 0.6, n, add_joint)
  some(5, "gears", 0.25, 2, add_gear)
  some(6, "springs", 0.3, 4, add_spring)
  some(7, "contacts", 0.35, 2, add_contact)
  some(8, "fields", 0.15, 1, add_field)
  alive(s)
  return s
end

local function change(s, quarter)
  use(s.seed, 100 + quarter)
  alive(s)
  s.changed = {}
  if without["change" .. quarter] then return end
  for _ = 1, chance(0, 3) do
    local name = pick(order)
    if not without[name] and not (s.still and STRUCTURE[name]) then
      s.changed[#s.changed + 1] = name
      changes[name](s)
      alive(s)
    end
  end
  look(s)
  local before = s.world:hash()
  local k = chance(1, #mistakes)
  if #s.bodies > 0 then
    if pcall(mistakes[k], s) then s.say("taken: mistake " .. k) end
    if s.world:hash() ~= before then s.say("mistake " .. k .. " changes the world") end
  end
end

local function energy_of(world)
  local kinetic, potential, stored = world:energy()
  return kinetic + potential + stored, kinetic
end

local function norm(v)
  if type(v) == "number" then return math.abs(v) end
  return v:norm()
end

--- The fastest turn, rad a step.
local function whirl_of(s)
  local most = 0
  for _, b in ipairs(s.bodies) do most = math.max(most, norm(b.angular_velocity)) end
  return most * s.world.dt
end

local function largest(seen, name, value, step)
  if value ~= value then value = math.huge end
  if value > seen[name] then seen[name], seen[name .. "_at"] = value, step end
end

local function escaped(s)
  for _, b in ipairs(s.bodies) do
    local p, z = b.position, s.planar and 2 or 3
    if s.drum and not b.sensor and b.shape then
      local r = s.planar and math.sqrt(p[1] ^ 2 + p[2] ^ 2) or math.sqrt(p[2] ^ 2 + p[3] ^ 2)
      if r > s.drum + 0.05 or not s.planar and math.abs(p[1]) > 1.05 then return true end
    elseif s.room and not b.sensor and b.shape then
      if p[z] < s.room.low or math.abs(p[1]) > s.room.wide then return true end
    end
  end
end

--- A quarter of a run; what is odd goes to `seen` where one is given. Answers the hash at its end, or nil and why.
local function run(s, seen, steps, from)
  local world = s.world
  local before, kinetic = energy_of(world)
  local scale, led = math.abs(before) + kinetic + 1e-9, world:ledger()
  local p0, L0 = world:momentum()
  for i = 1, steps do
    local was = seen and world:hash()
    local start = os.clock()
    local made, why = pcall(world.step, world)
    if not made then
      if seen and world:hash() ~= was then s.say("failed step changes the world") end
      return nil, (tostring(why):gsub("^[%w_/.]*lua:%d+: ", ""))
    end
    if seen then
      local time, at = 1e3 * (os.clock() - start), from + i
      local now, k = energy_of(world)
      local l, stats = world:ledger(), world.stats
      local work = l.forces - led.forces + l.kinematic - led.kinematic + math.max(0, l.correction - led.correction)
      local turned = l.turnover - led.turnover
      scale = math.max(scale, math.abs(now) + k)
      local gain = (now - before - work - stats.impact_gain * turned) / scale
      -- what was moved by hand is known behind a step; of springs where theta = 1 see docs/design/open.md
      local asked = i > 1 and not stats.infeasible and not stats.limited and not s.penalty and (world.theta < 1 or s.events)
      largest(seen, "gain", asked and whirl_of(s) < 0.5 and gain or 0, at)
      largest(seen, "scheme", asked and (l.scheme - led.scheme) / scale or 0, at)
      largest(seen, "correction", (l.correction - led.correction) / scale, at)
      local error = math.abs(l.error - led.error)
      local parts = l.kinetic - led.kinetic + l.potential - led.potential + l.stored - led.stored - (l.forces - led.forces) -
        (l.springs - led.springs) - (l.kinematic - led.kinematic) + l.friction - led.friction + l.impact - led.impact +
        l.damping - led.damping - (l.correction - led.correction) - (l.scheme - led.scheme)
      if asked then largest(seen, "open", math.abs(math.abs(parts) - error) / scale, at) end
      if asked and stats.energy_balance > 0 then largest(seen, "balance", error / scale, at) end
      if asked and l.friction - led.friction < -1e-9 * scale then s.say("friction gives") end
      before, led, seen.time, seen.steps = now, l, seen.time + time, seen.steps + 1
      largest(seen, "worst", time, at)
      seen.missed = stats.unconverged
      if stats.infeasible then s.say("crushed") end
      largest(seen, "penetration", stats.penetration, at)
      if now ~= now or math.abs(now) == math.huge then return nil, "not a number" end
      if s.ground == "free" and not s.loaded then
        local p, L = world:momentum()
        local size = 0
        for _, b in ipairs(world.bodies) do
          if b.type == "dynamic" then size = size + b.mass * (norm(b.velocity) + norm(b.position) + norm(b.angular_velocity)) end
        end
        if i > 1 and not stats.infeasible and norm(p - p0) > DRIFT * (size + 1e-9) then s.say("momentum is lost") end
        local told = stats.momentum_error
        if i > 1 and math.abs(norm(L - L0)) > DRIFT * (size + 1e-9) and told < 1e-9 and not stats.infeasible then
          seen.spun = math.max(seen.spun or 0, norm(L - L0) / (size + 1e-9))
        end
        p0, L0 = p, L
      end
      if not s.compliant and escaped(s) then s.say("escaped") end
    end
  end
  return world:hash()
end

local function steps_of(s) return math.max(2, math.floor(seconds / QUARTERS / s.world.dt + 0.5)) end

--- What a change may lead to is told in these words.
local refusals = { "event-driven worlds take", "overlap where the step begins", "is beyond its limits where the step begins",
  "must be zero but for the contact's two bodies", "must move with the position of a body", "would be lost" }

--- What a world does, quarter by quarter; a twin that was made alike goes its way, and takes snapshots.
local function watch(seed)
  local s, seen = make(seed), { time = 0, steps = 0, worst = 0, gain = 0, scheme = 0, correction = 0, open = 0, balance = 0,
    penetration = 0, missed = 0 }
  local twin = make(seed)
  use(seed, 99)
  s.still = chance() < 0.4
  twin.still = s.still
  local late -- a third that is made alike, and has never stepped
  if s.still then
    late = make(seed)
    late.still = true
  end
  for quarter = 1, QUARTERS do
    if quarter > 1 then
      change(s, quarter)
      change(twin, quarter)
      if late then change(late, quarter) end
    end
    for _, c in ipairs(s.changed or {}) do s.loaded = s.loaded or c == "pushed" or c == "typed" end
    s.loaded = s.loaded or #s.contacts > 0
    if s.world:hash() ~= twin.world:hash() then s.say("made anew differs") end
    local kept, begin = s.world:snapshot(), s.world:hash()
    local n = steps_of(s)
    local hash, why = run(s, seen, n, seen.steps)
    if not hash then
      local refused = false
      for _, known in ipairs(refusals) do refused = refused or why:find(known, 1, true) ~= nil end
      if not refused then s.say(why) end
      local _, again = run(twin, nil, n)
      if again ~= why then s.say("twin: " .. tostring(again)) end
      break
    end
    if run(twin, nil, n) ~= hash then s.say("does not repeat") end
    s.world:restore(kept)
    if s.world:hash() ~= begin then s.say("restored differs") end
    if run(s, nil, n) ~= hash then s.say("restored parts") end
    if late then
      local done, bad = pcall(late.world.restore, late.world, kept)
      if not done then s.say("twin refuses: " .. bad)
      elseif run(late, nil, n) ~= hash then s.say("restored twin parts") end
    end
  end
  return seen, s, twin, late
end

--- Words of an error without its numbers, so that alike ones are one.
local function said(s)
  local list = {}
  for word in pairs(s.words) do list[#list + 1] = (word:gsub("[,\n]", ";")) end
  table.sort(list)
  return table.concat(list, " | ")
end

if arg[5] == "refused" then
  local counts = {}
  for seed = first, last do
    local s = make(seed)
    for quarter = 2, QUARTERS do change(s, quarter) end
    for _, why in ipairs(s.refused) do
      local key = why:gsub("%-?%d+%.?%d*[e%d%-]*", "#")
      counts[key] = counts[key] or { 0, seed }
      counts[key][1] = counts[key][1] + 1
    end
    s.world:close()
  end
  for key, n in pairs(counts) do print(n[1], "seed " .. n[2], key) end
  return
end

print("seed,dt,space,scheme,ground,bodies,joints,impact,mean,worst,worst_at,gain,gain_at,correction,scheme_gain,balance," ..
  "missed,penetration,also")
for seed = first, last do
  local seen, s, twin, late = watch(seed)
  local words, world = said(s), s.world
  if world.solver ~= "auto" or world.max_iterations < 1000 then seen.missed = 0 end -- who asks for that gets it
  local crushed = words:find("crushed", 1, true)
  local odd = words ~= "" and words ~= "crushed" or not crushed and seen.penetration > APART or (seen.spun or 0) > LOST
  local mean = seen.time / math.max(1, seen.steps)
  if odd or seen.worst > math.max(SLOW, 100 * mean) or seen.gain > GAIN or seen.missed > 0 or seen.balance > OPEN
    or seen.open > OPEN then
    if seen.spun then words = words .. (" | spin %.2g"):format(seen.spun) end
    if seen.open > OPEN then words = words .. (" | open %.2g"):format(seen.open) end
    print(("%d,%.5f,%d,%s,%s,%d,%d,%s,%.4f,%.2f,%d,%.2g,%d,%.2g,%.2g,%.2g,%d,%.2g,%s"):format(seed, world.dt, #world.gravity,
      world.scheme, s.ground, #s.bodies, #world.joints, world.impact, mean, seen.worst, seen.worst_at or 0, seen.gain,
      seen.gain_at or 0, seen.correction, seen.scheme, seen.balance, seen.missed, seen.penetration, words))
    io.stdout:flush()
  end
  for _, w in ipairs{ s, twin, late } do w.world:close() end
end
