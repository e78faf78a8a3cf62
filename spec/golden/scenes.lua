-- Scenes whose last bits are kept in spec/golden/hashes.lua: every formulation, law of impact, kind of row and solver
-- once. Each entry: name, steps, a function that makes the world.
local delassus = require "delassus"

local scenes = {}
local function scene(name, steps, make) scenes[#scenes + 1] = { name = name, steps = steps, make = make } end

local function world(options)
  options.record = false
  return delassus.world(options)
end

local wood = { density = 800, friction = 0.4, restitution = 0.1 }
local function with(options, more)
  for key, value in pairs(more) do if options[key] == nil then options[key] = value end end
  return options
end

--- A planar drum of radius r with n disks, dropped in rows, turning from the start.
local function disks(n, r, options)
  options.planar = true
  local random, w = delassus.random(11), world(options)
  w:drum { radius = r, friction = 0.5, angular_velocity = 1 }
  local columns = math.max(3, math.floor(r / 0.105))
  for k = 0, n - 1 do
    local x, y = 0.105 * (k % columns - (columns - 1) / 2), 0.105 * (k // columns) - 0.8 * r
    w:disk(with({ radius = random:uniform(0.035, 0.05), position = { x + 0.002 * random:uniform(), y } }, wood))
  end
  return w
end
scene("drum of 150 disks, 1e-3", 400, function() return disks(150, 1.2, { tolerance = 1e-3, dt = 2e-3 }) end)
scene("drum of 150 disks, 1e-6", 400, function() return disks(150, 1.2, { tolerance = 1e-6, dt = 2e-3 }) end)
scene("drum of 1,000 disks, 1e-3", 300, function() return disks(1000, 3, { tolerance = 1e-3, dt = 2e-3 }) end)
scene("drum of 10,000 disks, 1e-3", 500, function() return disks(10000, 9.5, { tolerance = 1e-3, dt = 2e-3 }) end)

--- Disks and boxes between two walls in the plane.
local function bin(n, tolerance, rolling)
  local random, w = delassus.random(7), world { planar = true, tolerance = tolerance, dt = 2e-3 }
  local half = 0.115 * math.sqrt(n)
  w:floor { friction = 0.4 }
  w:wall { normal = { 1, 0 }, offset = -half }
  w:wall { normal = { -1, 0 }, offset = -half }
  local columns = math.floor(2 * half / 0.215)
  for k = 0, n - 1 do
    local at = { -half + 0.11 + 0.215 * (k % columns) + 0.002 * random:uniform(), 0.11 + 0.215 * (k // columns) }
    local common = with({ position = at, rolling_friction = rolling }, wood)
    if k % 2 == 0 or rolling then w:disk(with({ radius = random:uniform(0.07, 0.1) }, common))
    else
      w:box(with({ size = { random:uniform(0.1, 0.15), random:uniform(0.1, 0.15) }, rotation = random:uniform() }, common))
    end
  end
  return w
end
scene("mixed bin of 60, 1e-3", 200, function() return bin(60, 1e-3) end)
scene("mixed bin of 60, default", 200, function() return bin(60) end)
scene("mixed bin of 300, default", 400, function() return bin(300) end)
scene("bed of 60 rolling disks, default", 200, function() return bin(60, nil, 2e-3) end)

--- Disks with rolling friction that come to rest in rows, every second one aside.
local function rows(n, columns)
  local random, w = delassus.random(7), world { planar = true, dt = 2e-3 }
  local material = delassus.material { friction = 0.4, rolling_friction = 2e-3, restitution = 0.3 }
  w:floor { material = material }
  for _, side in ipairs { -1, 1 } do w:wall { normal = { side, 0 }, offset = -0.08 * (columns + 1), material = material } end
  for k = 0, n - 1 do
    local row = k // columns
    local x = 0.16 * (k % columns - (columns - 1) / 2) + 0.07 * (row % 2) + 0.01 * random:uniform()
    w:disk { radius = random:uniform(0.05, 0.07), position = { x, 0.1 + 0.15 * row }, density = 1000, material = material }
  end
  return w
end
scene("rows of 30 rolling disks, default", 300, function() return rows(30, 6) end)
scene("rows of 200 rolling disks, default", 200, function() return rows(200, 16) end)

--- Capsules in a square silo.
local function silo(n, tolerance, solver)
  local random, w = delassus.random(3), world { tolerance = tolerance, solver = solver, dt = 2e-3 }
  local columns = math.ceil(n ^ (1 / 3))
  local half = 0.2 * columns
  w:floor { friction = 0.4 }
  for _, side in ipairs { -1, 1 } do
    w:wall { normal = { side, 0, 0 }, offset = -half }
    w:wall { normal = { 0, side, 0 }, offset = -half }
  end
  for k = 0, n - 1 do
    w:capsule(with({ radius = random:uniform(0.06, 0.09), length = 0.18,
      position = { -half + 0.2 + 0.4 * (k % columns), -half + 0.2 + 0.4 * (k // columns % columns),
        0.1 + 0.2 * (k // columns ^ 2) }, rotation = { axis = { 0, 0, 1 }, angle = random:uniform(0, 3) } }, wood))
  end
  return w
end
scene("silo of 40 capsules, 1e-3", 200, function() return silo(40, 1e-3) end)
scene("silo of 40 capsules, 1e-6", 200, function() return silo(40, 1e-6) end)
scene("silo of 300 capsules, 1e-3", 500, function() return silo(300, 1e-3) end)
scene("150 logs by sweeps, 1e-3", 500, function() return silo(150, 1e-3, "nsgs") end)

--- Cylinders, boxes, spheres, convex bodies, tapered logs in a heap.
scene("heap of every shape in space", 250, function()
  local random, w = delassus.random(5), world { dt = 2e-3 }
  w:floor { friction = 0.5 }
  for k = 0, 23 do
    local common = with({ position = { 0.22 * (k % 3) + 0.05 * random:uniform(), 0.22 * (k // 3 % 2), 0.15 + 0.25 * (k // 6) },
      rotation = { axis = { 1, random:uniform(), 2 }, angle = 3 * random:uniform() } }, wood)
    local kind = k % 5
    if kind == 0 then w:box(with({ size = { 0.14, 0.1, 0.18 } }, common))
    elseif kind == 1 then w:cylinder(with({ radius = 0.05, length = 0.2 }, common))
    elseif kind == 2 then w:sphere(with({ radius = 0.08, rolling_friction = 1e-3, spinning_friction = 1e-3 }, common))
    elseif kind == 3 then
      w:convex(with({ points = { { 0, 0, 0 }, { 0.2, 0, 0 }, { 0, 0.2, 0 }, { 0, 0, 0.2 }, { 0.1, 0.1, 0.1 } } }, common))
    else w:body(with({ shape = delassus.cone { radius1 = 0.07, radius2 = 0.04, length = 0.2 } }, common)) end
  end
  return w
end)

--- A chain falling on capsules.
local function chain(formulation, options)
  local w = world(options)
  w:floor { friction = 0.3 }
  for k = -2, 2 do
    w:capsule(with({ radius = 0.1, length = 0.8, position = { 0.3 * k, 0, 0.1 },
      rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 + 0.05 * k } }, wood))
  end
  local before
  for i = 1, 8 do
    local link = w:capsule(with({ radius = 0.05, length = 0.15, velocity = { 0, 0, -2 },
      position = { -0.9 + 0.2 * i, 0.02 * (i % 5), 0.4 + 0.02 * (i % 7) } }, wood))
    if before then
      w:joint { "spherical", before, link, formulation = formulation, anchor = (before.position + link.position) / 2 }
    end
    before = link
  end
  return w
end
scene("chain on logs, rigid", 200, function() return chain("rigid", { dt = 2e-3 }) end)
scene("chain on logs, reduced", 200, function() return chain("reduced", { dt = 2e-3 }) end)

scene("chains upon boxes, plane", 200, function()
  local w = world { planar = true, dt = 1 / 120 }
  w:floor { friction = 0.5 }
  for k = 1, 6 do w:box(with({ size = { 0.3, 0.3 }, position = { 0.6 * k, 0.15 } }, wood)) end
  for c = 1, 2 do
    local before
    for k = 1, 12 do
      local x, y = 0.2 * k + 0.07 * c, 0.5 + 0.25 * c
      local link = w:capsule(with({ radius = 0.04, length = 0.12, position = { x, y } }, wood))
      if before then
        w:joint { "revolute", before, link, anchor = { x - 0.1, y }, formulation = c == 1 and "rigid" or "reduced" }
      end
      before = link
    end
  end
  return w
end)

scene("rope of 20 capsules over a cylinder", 400, function()
  local w, before = world {}, nil
  w:cylinder { type = "static", radius = 0.3, length = 2, position = { 0, 0, 2 }, friction = 0.3,
    rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 } }
  for i = 1, 20 do
    local x = 0.06 * (i - 10.5)
    local link = w:capsule { radius = 0.02, length = 0.06, density = 900, friction = 0.3, position = { x, 0, 2.35 } }
    if before then w:joint { "spherical", before, link, anchor = { x - 0.03, 0, 2.35 } } end
    before = link
  end
  return w
end)

scene("net of rigid joints", 120, function()
  local w, at = world { dt = 2e-3 }, {}
  for i = 0, 5 do
    at[i] = {}
    for j = 0, 5 do
      at[i][j] = w:sphere { radius = 0.04, density = 900, position = { 0.2 * i, 0.2 * j, 2 } }
      if i > 0 then w:joint { "spherical", at[i - 1][j], at[i][j], anchor = { 0.2 * i - 0.1, 0.2 * j, 2 } } end
      if j > 0 and i % 2 == 0 then w:joint { "spherical", at[i][j - 1], at[i][j], anchor = { 0.2 * i, 0.2 * j - 0.1, 2 } } end
    end
  end
  w:joint { "spherical", w.ground, at[0][0], anchor = { 0, 0, 2 } }
  w:joint { "spherical", w.ground, at[5][5], anchor = { 1, 1, 2 } }
  return w
end)

--- A row of balls struck at one end above a floor: impact laws.
local function struck(impact, planar)
  local w = world { impact = impact, planar = planar, dt = 1e-3 }
  local function v(x, z) return planar and { x, z } or { x, 0, z } end
  w:floor { friction = 0.3, restitution = 0.5 }
  for i = 1, 6 do
    w[planar and "disk" or "sphere"](w, { radius = 0.1, density = 800, friction = 0.2, restitution = 0.7,
      tangential_restitution = impact == "poisson" and 0.4 or 0, position = v(0.2 * i, 0.1), velocity = v(i == 1 and 3 or 0, 0) })
  end
  w:box { size = planar and { 0.3, 0.2 } or { 0.3, 0.3, 0.2 }, density = 500, position = v(0.7, 0.7), restitution = 0.4,
    rotation = planar and 0.3 or { axis = { 0, 1, 0 }, angle = 0.3 } }
  return w
end
for _, impact in ipairs { "newton", "poisson", "sequential" } do
  scene("struck row, " .. impact .. ", plane", 300, function() return struck(impact, true) end)
  scene("struck row, " .. impact .. ", space", 300, function() return struck(impact, false) end)
end

scene("compliant contacts", 300, function()
  local w = world { planar = true, dt = 1e-3 }
  local soft = delassus.material { stiffness = 2e5, damping = 300, friction = 0.4 }
  w:floor { stiffness = 1e6, damping = 100, friction = 0.4 }
  for i = 1, 8 do
    w:disk { radius = 0.1, density = 800, position = { 0.05 * (i % 3), 0.11 + 0.21 * (i - 1) }, material = soft }
  end
  return w
end)

--- A planar mechanism in one formulation, with a gear, springs, limits, motors and hand-made contacts.
local function machine(formulation, planar)
  local w = world { planar = planar, dt = 1e-3 }
  local function v(x, y) return planar and { x, y } or { x, 0, y } end
  local axis = not planar and { 0, -1, 0 } or nil
  local function bar(x1, y1, x2, y2)
    local dx, dy = x2 - x1, y2 - y1
    local angle = math.atan(dy, dx)
    return w:body { mass = 1, inertia = planar and 0.02 or { 0.01, 0.02, 0.02 }, position = v((x1 + x2) / 2, (y1 + y2) / 2),
      rotation = planar and angle or { axis = { 0, 1, 0 }, angle = -angle } }
  end
  local crank, coupler, rocker = bar(0, 0, 0.1, 0.2), bar(0.1, 0.2, 0.7, 0.5), bar(0.7, 0.5, 0.6, 0)
  local options = { formulation = formulation }
  if formulation == "penalty" then options.stiffness, options.damping = 1e6, 500 end
  local function hinge(a, b, x, y, more)
    return w:joint(with(with({ "revolute", a, b, anchor = v(x, y), axis = axis }, more or {}), options))
  end
  local first = hinge(w.ground, crank, 0, 0)
  hinge(crank, coupler, 0.1, 0.2)
  hinge(coupler, rocker, 0.7, 0.5)
  w:joint(with({ "revolute", w.ground, rocker, anchor = v(0.6, 0), axis = axis,
    formulation = formulation == "penalty" and "penalty" or "rigid" }, formulation == "penalty" and options or {}))
  if formulation ~= "penalty" then first.torque = 0.5 end
  local bob = w:body { mass = 0.5, inertia = planar and 0.01 or { 0.01, 0.01, 0.01 }, position = v(1, 0.5),
    velocity = v(3, -1) }
  w:spring { coupler, bob, stiffness = 100, damping = 1, length = 0.2 }
  w:contact { w.ground, bob, rope = 1.3 }
  w:contact { w.ground, bob, point_a = v(0, -0.2), point_b = v(0, -0.1), normal = v(0, 1), friction = 0.3 }
  if formulation == "reduced" then
    local one, two = bar(2, 0, 2.3, 0), bar(2.6, 0, 2.9, 0)
    local a = w:joint { "revolute", w.ground, one, anchor = v(2, 0), axis = axis, limits = { -0.7, 0.7 },
      damping = 0.02, friction = 0.05 }
    local b = w:joint { "revolute", w.ground, two, anchor = v(2.6, 0), axis = axis }
    w:gear { a, b, ratio = -2 }
  end
  return w
end
for _, formulation in ipairs { "reduced", "rigid", "penalty" } do
  scene("machine, " .. formulation .. ", plane", 300, function() return machine(formulation, true) end)
  scene("machine, " .. formulation .. ", space", 300, function() return machine(formulation, false) end)
end

scene("swift balls, thin walls, a turntable", 200, function()
  local w = world { dt = 1e-3 }
  w:body { type = "kinematic", shape = delassus.cylinder { radius = 0.6, length = 0.1 }, angular_velocity = { 0, 0, 3 },
    rotation = { axis = { 0, 1, 0 }, angle = math.pi / 2 }, friction = 0.6 }
  w:box { type = "static", size = { 0.02, 2, 2 }, position = { 1, 0, 1 }, restitution = 0.8 }
  w:mesh { vertices = { { -1, -1, -0.2 }, { 2, -1, -0.2 }, { 2, 2, -0.2 }, { -1, 2, -0.2 } }, faces = { { 1, 2,
      3 }, { 1, 3, 4 } } }
  w:box { size = { 0.2, 0.2, 0.1 }, density = 500, position = { 0.3, 0, 0.1 }, friction = 0.6 }
  for i = 1, 6 do
    w:sphere { radius = 0.02, density = 800, position = { 0, 0.2 * i - 0.6, 0.3 + 0.1 * i },
      velocity = { 30 * i, 2, 0 }, restitution = 0.6 }
  end
  return w
end)

for _, solver in ipairs { "nsgs", "admm", "newton", "lemke", "energy", "block", "pgs" } do
  scene("pyramid in the plane, " .. solver, 100, function()
    local w = world { planar = true, solver = solver, dt = 2e-3, tolerance = 1e-6 }
    w:floor { friction = 0.5 }
    for row = 0, 2 do
      for i = 1, 3 - row do
        w:box { size = { 1, 1 }, density = 100, friction = 0.5, position = { (i - (3 - row) / 2) * 1.05, row + 0.5 } }
      end
    end
    return w
  end)
end

return scenes
