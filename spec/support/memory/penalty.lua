local delassus = require "delassus"

-- Penalty joints of all kinds, stepped, integrated and asked; every request for memory fails in turn.
function phase()
  for _, planar in ipairs { true, false } do
    local world <close> = delassus.world { planar = planar, record = false, scheme = planar and "semi-implicit" or nil }
    local before = world.ground
    for i, kind in ipairs(planar and { "revolute", "fixed" } or { "ball", "universal", "planar" }) do
      local at = planar and { i, 0 } or { i, 0, 0 }
      local body = world:body { mass = 1, inertia = planar and 1 or { 1, 1, 1 }, position = at }
      world:joint { kind, before, body, formulation = "penalty", name = "j" .. i,
        axis = kind == "universal" and { 1, 0, 0 } or nil, axis2 = kind == "universal" and { 0, 1, 0 } or nil,
        limits = kind == "revolute" and { -1, 1 } or nil }
      before = body
    end
    world:step(2)
    local joint = world.joints[1]
    local text = tostring(joint.q) .. tostring(joint:reaction()) .. #joint.rows .. world:energy()
    world:integrate { method = "semi-implicit", to = 0.01 }
    world:integrate { method = "rk4", dt = 0.005, to = 0.02 }
    world:accelerations()
    world:restore(world:snapshot())
    world:remove(joint)
    world:step()
    assert(text and not pcall(world.joint, world, { "free", world.ground, before, formulation = "penalty" }))
  end
end
