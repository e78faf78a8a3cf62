local core = require "delassus.core"
function phase()
  local inertia = { 1, 1.2, 1.3, 0, 0, 0 }
  local links = { { kind = "free", mass = 1, inertia = inertia } }
  for i = 2, 12 do
    links[i] = { parent = i // 2, motions = { { "rotate", { 0, 1, 0 } } }, position = { 1, 0, 0 }, mass = 1,
      inertia = inertia }
  end
  local f = core.forest { links = links, gravity = { 0, 0, -9.81 } }
  local text = tostring(f) .. tostring(f:wide())
  for _, method in ipairs { "fast", "ldl", "dense" } do text = text .. tostring(f:accelerations(method)) end
  text = text .. tostring(f:mass_matrix()) .. tostring(f:delassus { { 3, 0, 0, 0, 1, 0, 0 } })
  local batch = f:batch(3)
  batch:step(2)
  text = text .. tostring(batch:accelerations()) .. f:integrate({ dt = 1e-3, to = 8e-3 }).steps
  batch:close()
  f:close()
  return text
end
