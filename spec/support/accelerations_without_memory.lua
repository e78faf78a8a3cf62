-- Accelerations of worlds whose rows have laws, asked for once, and again at other velocities, where the core may not
-- ask for memory: contacts that rest, roll and slide, a compliant one, limits, motors and friction of joints by every
-- formulation; by all methods: a few rows (enumeration), many (Lemke, Newton), in the plane and in space.
local delassus = require "delassus"

local function at(planar, x, y) return planar and { x, y } or { x, 0, y } end

--- A world with three balls that rest or slide on a floor; `many`: others on them, and joints beside.
local function make(planar, many)
  local world = delassus.world{ planar = planar, record = false }
  local ball, inertia = planar and world.disk or world.sphere, planar and 0.1 or { 0.1, 0.1, 0.1 }
  local axis = not planar and { 0, 1, 0 } or nil
  local bodies = {}
  local function add(options)
    options.radius, options.friction = 0.1, 0.3
    if many then options.rolling_friction = 1e-3 end
    bodies[#bodies + 1] = ball(world, options)
  end
  local function arm(x, options)
    local body = world:body{ mass = 1, inertia = inertia, position = at(planar, x + 0.5, 3) }
    options[1], options[2], options[3] = "revolute", world.ground, body
    options.anchor, options.axis = at(planar, x, 3), axis
    world:joint(options)
  end
  world:floor{ friction = 0.3, rolling_friction = many and 1e-3 or nil }
  for i = 1, 3 do add{ position = at(planar, i, 0.1), stiffness = many and i == 3 and 1e5 or nil } end
  if many then
    add{ position = at(planar, 1, 0.3) }
    world:box{ size = planar and { 0.2, 0.1 } or { 0.2, 0.2, 0.1 }, position = at(planar, 5, 0.05), friction = 0.5 }
    for i, formulation in ipairs{ "reduced", "rigid", "penalty" } do
      arm(10 * i, { formulation = formulation, friction = 0.2, limits = formulation ~= "penalty" and { 0, 1 } or nil })
    end
    arm(50, { motor = { speed = 1, max_torque = 2 } })
  end
  return { world = world, bodies = bodies, planar = planar }
end

local things = {}
local function ask(speed)
  for _, thing in ipairs(things) do
    for i = 1, 3 do thing.bodies[i].velocity = at(thing.planar, speed * (i - 2), 0) end
    thing.world:accelerations()
  end
end

of_core(function()
  for _, planar in ipairs{ true, false } do
    for _, many in ipairs{ true, false } do things[#things + 1] = make(planar, many) end
  end
  ask(1)
  ask(0)
end)

function phase()
  for k = 1, 20 do ask(k % 3 - 1) end
end
