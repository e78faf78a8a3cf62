-- What steps beside worlds of the time-stepping scheme, after its first steps, and further ones in which nothing may ask
-- for memory: event-driven worlds, a stack and its matrix form, a batch. Events are not kept: a list of them grows.
local delassus = require "delassus"
local stack = require "delassus.stack"

--- Disks or balls that bounce on a floor, slide and roll; hinges with friction and limits, one with a motor, one beside a
--- spring, by all formulations.
local function event_world(planar)
  local world = delassus.world{ planar = planar, scheme = "event-driven", record = false, dt = 2e-3 }
  world:floor{ friction = 0.3 }
  local function at(x, y) return planar and { x, y } or { x, 0, y } end
  local make, inertia = planar and world.disk or world.sphere, planar and 0.1 or { 0.1, 0.1, 0.1 }
  for i = 1, 4 do
    make(world, { radius = 0.1, position = at(0.5 * i, 0.1 + 0.05 * i), velocity = at(0.4, -1), restitution = 0.5,
      friction = 0.3 })
  end
  local axis = not planar and { 0, 1, 0 } or nil
  local bob = world:body{ mass = 1, inertia = inertia, position = at(-2, 1) }
  world:joint{ "revolute", world.ground, bob, anchor = at(-2.5, 1), axis = axis, friction = 0.1, limits = { -0.5, 1 } }
  local arm = world:body{ mass = 1, inertia = inertia, position = at(-4, 3) }
  world:joint{ "revolute", world.ground, arm, anchor = at(-4, 4), axis = axis, motor = { speed = 1, max_torque = 20 } }
  world:spring{ world.ground, bob, stiffness = 50, anchor_a = at(-2, 3) }
  for i, formulation in ipairs{ "rigid", "penalty" } do
    local other = world:body{ mass = 1, inertia = inertia, position = at(-6 - 2 * i, 3) }
    world:joint{ "revolute", world.ground, other, anchor = at(-6.5 - 2 * i, 3), axis = axis, formulation = formulation }
  end
  return world
end

local function pile()
  local bodies = {}
  for i = 1, 5 do
    bodies[i] = { mass = 20, stiffness = 1e7, radius = 0.1, position = 0.21 * i - 0.1, velocity = -i, damping = 2000 }
  end
  return stack{ bodies = bodies, ceiling = 1.4, dt = 1e-3, log = false }
end

local function model()
  return stack.model{ r = { { 2, -1, -1 }, { -1, 1, 0 }, { -1, 0, 1 } }, m = { 3 }, massless = { 2, 3 },
    C = { { 1, 0 }, { 0, -1 } }, D0 = { 0.1, 0.2 }, velocities = { -1 }, dt = 0.1 }
end

--- Five states of a branching tree of several kinds of joints, and of a free body.
local function batch()
  local world = delassus.world{ record = false, dt = 2e-3 }
  local before = world.ground
  for i, kind in ipairs{ "revolute", "prismatic", "universal", "spherical", "cylindrical" } do
    local link = world:body{ mass = 1, inertia = { 0.1, 0.2, 0.15 }, position = { i, 0, 0 } }
    world:joint{ kind, before, link, anchor = { i - 0.5, 0, 0 }, axis = kind ~= "spherical" and { 0, 1, 0 } or nil,
      axis2 = kind == "universal" and { 0, 0, 1 } or nil }
    if i % 2 == 1 then before = link end
  end
  world:body{ mass = 1, inertia = { 0.1, 0.2, 0.15 }, position = { 0, 0, 3 }, angular_velocity = { 1, 2, 3 } }
  return delassus.batch(world, 5)
end

local things = { event_world(true), event_world(false), pile(), model(), batch() }

local function steps(n)
  for _, thing in ipairs(things) do
    for _ = 1, n do thing:step(1) end -- several at once keep a snapshot of a stack
  end
end

steps(500)

function phase() steps(500) end
