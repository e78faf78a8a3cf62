local delassus = require "delassus"

-- Fills, steps and reports two worlds; every request for memory in it fails in turn.
function phase()
  local wood = delassus.material { friction = 0.4, restitution = 0.3 }
  for _, planar in ipairs { true, false } do
    local world <close> = delassus.world { planar = planar, log = true, record = 1 }
    world:floor { material = wood }
    for i = 1, 3 do
      if planar then world:disk { radius = 0.1, position = { 0.01 * i, 0.2 * i - 0.1 }, material = wood, name = "d" .. i }
      else world:sphere { radius = 0.1, position = { 0.01 * i, 0, 0.2 * i - 0.1 }, material = wood } end
    end
    local first = world.bodies[2]
    world:contact { world.ground, first, rope = 3 }
    world:spring { world.ground, first, stiffness = 10, length = 1 }
    world:on("impact", function(event) return event.t end)
    world:field(function() return planar and { 0, 0.1 } or { 0, 0, 0.1 } end)
    world:pair { wood, first.material, friction = 0.3 }
    local belt = world:body { type = "kinematic", shape = planar and delassus.box { size = { 1, 1 } }
      or delassus.box { size = { 1, 1, 1 } }, friction = function(slip) return 0.2 + 0 * slip end,
      motion = function(t) return planar and { 0, t - 0.5 } or { 0, 0, t - 0.5 } end }
    local lone = planar and world:disk { radius = 0.1, position = { 3, 3 } }
      or world:sphere { radius = 0.1, position = { 3, 3, 3 } }
    world:contact { world.ground, lone, rope = 9, restitution = 0.5 }
    local done = false
    world:on("step", function()
      if not done then world:remove(lone) end
      done = true
    end)
    world:step(5)
    local text = tostring(world:run(0.01)) .. tostring(world) .. world:hash() .. #world.events
    for contact in world:contacts() do text = text .. tostring(contact) .. contact.state end
    text = text .. tostring(belt.material) .. tostring(belt.density) .. tostring(world.stats.contacts)
    for contact in first:contacts() do text = text .. tostring(contact.force) .. contact.key end
    local to = planar and { 0, 5 } or { 0, 0, 5 }
    world:raycast(planar and { 0, -5 } or { 0, 0, -5 }, to)
    world:restore(world:snapshot())
    world:remove(first)
    world:step(2)
  end
end
