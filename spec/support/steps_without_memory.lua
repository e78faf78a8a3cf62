-- Worlds after their first steps, and steps in which nothing may ask for memory: a turning drum, a pile of boxes in space
-- beside a rigid joint and a spring, a reduced chain with a motor, a planar pile by another solver.
local delassus = require "delassus"

local drum = delassus.world{ planar = true, record = false, dt = 2e-3, tolerance = 1e-6 }
drum:drum{ radius = 0.8, friction = 0.5, angular_velocity = 1 }
for i = 0, 29 do drum:disk{ radius = 0.08, density = 800, position = { 0.17 * (i % 6 - 2.5), 0.17 * (i // 6 - 2.5) } } end

local boxes = delassus.world{ record = false, dt = 2e-3 }
boxes:floor{ friction = 0.5 }
for i = 0, 11 do boxes:box{ size = { 0.2, 0.2, 0.2 }, density = 1000, position = { 0.25 * (i % 4), 0, 0.1 + 0.2 * (i // 4) } } end
local arm = boxes:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 3, 0, 1 } }
boxes:joint{ "revolute", boxes.ground, arm, anchor = { 3, 0, 2 }, axis = { 0, 1, 0 }, formulation = "rigid" }
boxes:spring{ boxes.ground, arm, stiffness = 50, anchor_a = { 3, 0, 0 } }

local chain = delassus.world{ record = false, dt = 2e-3 }
local last = chain.ground
for k = 1, 5 do
  local link = chain:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0, 0, -k } }
  local joint = chain:joint{ "revolute", last, link, anchor = { 0, 0, 0.5 - k }, axis = { 0, 1, 0 } }
  if k == 1 then joint.motor = { speed = 1, max_torque = 20 } end
  last = link
end

local pile = delassus.world{ planar = true, record = false, dt = 2e-3, solver = "nsgs" }
pile:floor{ friction = 0.4 }
for i = 0, 14 do pile:box{ size = { 0.2, 0.1 }, density = 1000, position = { 0.25 * (i % 5), 0.05 + 0.1 * (i // 5) } } end

local worlds = { drum, boxes, chain, pile }
for k = 1, #worlds do worlds[k]:step(4000) end

function phase()
  for k = 1, #worlds do worlds[k]:step(300) end
end
