-- A step that finds no room is as if it had not been made: the world has its bits of before, and goes on afterwards.
local delassus = require "delassus"
local world = delassus.world{ record = false, dt = 2e-3 }
world:floor{ friction = 0.5 }
for i = 0, 3 do world:box{ size = { 0.2, 0.2, 0.2 }, density = 1000, position = { 0.1 * (i % 2), 0, 0.1 + 0.199 * i } } end
local arm = world:body{ mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 3, 0, 1 } }
world:joint{ "revolute", world.ground, arm, anchor = { 3, 0, 2 }, axis = { 0, 1, 0 }, formulation = "rigid" }
local before = world:hash()

function phase()
  local ok, message = pcall(world.step, world)
  if ok then return end
  if world:hash() ~= before or world.time ~= 0 then os.exit(3) end -- the host's line is missing then
  world:step()
  if world.time ~= 2e-3 then os.exit(4) end
  error(message, 0)
end
