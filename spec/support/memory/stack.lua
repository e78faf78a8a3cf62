local delassus = require "delassus"
local stack = require "delassus.stack"
function phase()
  local bodies = {}
  for i = 1, 3 do
    bodies[i] = { mass = 20, stiffness = 1e7, radius = 0.1, position = 0.201 * i - 0.1, velocity = -i }
  end
  local s = stack { bodies = bodies, ceiling = 1, dt = 1e-3 }
  s:step(30)
  s:restore(s:snapshot())
  local model = stack.model { r = { { 2, -1, -1 }, { -1, 1, 0 }, { -1, 0, 1 } }, m = { 3 }, massless = { 2, 3 },
    C = { { 1, 0 }, { 0, -1 } }, D0 = { 0.1, 0.2 }, velocities = { -1 }, dt = 0.1 }
  local text = tostring(s:run(0.01)) .. tostring(s.A) .. #s.events .. s:hash() .. tostring(model:run(1)) .. model:hash()
  local random = delassus.random(1)
  text = text .. random:normal() .. tostring(random)
  model:close()
  s:close()
  return text
end
