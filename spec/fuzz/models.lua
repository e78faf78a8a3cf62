-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Fuzzing target: model files. The first byte says URDF (below 128) or RBDL's Lua. A file is a world that goes on, or
-- nil and a message; a model that would take all memory or time raises.
local delassus = require "delassus"
local load_model = require "delassus.load"

local path = os.tmpname()

return function(bytes)
  if #bytes == 0 then return end
  local name = path .. (bytes:byte() < 128 and ".urdf" or ".lua")
  local file = assert(io.open(name, "wb"))
  file:write(bytes:sub(2))
  file:close()
  local ok, world, message = pcall(load_model, name)
  os.remove(name)
  if not ok then
    if not tostring(world):find("stopped: it takes too", 1, true) then error("FUZZ: raised " .. tostring(world), 0) end
    return
  end
  if world == nil then
    if type(message) ~= "string" then error("FUZZ: no message", 0) end
    return
  end
  world.max_iterations = 50
  pcall(world.step, world, 2)
  pcall(world.mass_matrix, world)
  if not world:hash():match "^%x+$" then error("FUZZ: no hash", 0) end
  world:close()
  return delassus
end
