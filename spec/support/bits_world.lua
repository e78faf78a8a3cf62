local delassus = require "delassus"

-- A heap of mixed shapes in a tilting bin: contacts of every kind, in the plane or in space.
local function heap(planar)
  local random = delassus.random(7)
  local function vec(x, y, z) return planar and { x, z } or { x, y, z } end
  local world = delassus.world { planar = planar, dt = 2e-3, log = true, record = false }
  world:floor { friction = 0.4, restitution = 0.2 }
  for _, side in ipairs { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
    if side[1] ~= 0 or not planar then world:wall { normal = vec(side[1], side[2], 0), offset = -0.8 } end
  end
  world:body { type = "kinematic", shape = delassus.box { size = vec(0.6, 0.6, 0.1) }, motion = function(t)
    local turn, rate = 0.2 * delassus.math.sin(5 * t), delassus.math.cos(5 * t)
    if planar then return vec(0, 0, 0.3), turn, vec(0, 0, 0), rate end
    return vec(0, 0, 0.3), { axis = { 0, 1, 0 }, angle = turn }, vec(0, 0, 0), vec(0, rate, 0)
  end }
  local kinds = planar and { "disk", "capsule", "box", "polygon" } or { "sphere", "capsule", "box", "cylinder", "convex" }
  for i = 1, 16 do
    local kind = kinds[(i - 1) % #kinds + 1]
    local options = {
      position = vec(0.25 * (i % 3 - 1) + 0.02 * random:uniform(), 0.05 * random:uniform(), 0.5 + 0.2 * i),
      rotation = planar and random:uniform() or { axis = { 1, 2, 3 }, angle = random:uniform() },
      friction = 0.1 * (i % 5), restitution = 0.15 * (i % 3), rolling_friction = i % 4 == 0 and 1e-3 or 0,
    }
    if kind == "box" then options.size = vec(0.12, 0.16, 0.2)
    elseif kind == "polygon" then options.points = { { -0.1, -0.08 }, { 0.12, -0.1 }, { 0.05, 0.1 } }
    elseif kind == "convex" then options.points = { { 0, 0, 0 }, { 0.2, 0, 0 }, { 0, 0.2, 0 }, { 0, 0, 0.2 } }
    else options.radius = 0.08 end
    if kind == "capsule" or kind == "cylinder" then options.length = 0.15 end
    world[kind](world, options)
  end
  world:spring { world.bodies[#world - 1], world.bodies[#world], stiffness = 50, damping = 0.5 }
  world:contact { world.ground, world.bodies[#world], rope = 3 }
  return world
end

-- The hashes of heaps in the plane and in space, while they fall together and when they lie.
return function()
  local text = {}
  for _, planar in ipairs { true, false } do
    local world <close> = heap(planar)
    for _ = 1, 2 do
      world:step(700)
      text[#text + 1] = world:hash() .. ":" .. world.stats.contacts
    end
  end
  return table.concat(text, ",")
end
