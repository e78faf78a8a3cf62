-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Snapshots that lie, their seals made anew: each field of a world's state in turn becomes what it should not be. A
-- restore refuses it and leaves the world as it was, or the world goes on. As a program:
--     lua spec/support/snapshot_lies.lua SCENE SEED [trace]    prints how many were taken and refused
-- `trace` names each try on the standard error before it is made: the last line before a crash is the culprit.
local M = {}

local function planar_things(delassus)
  local world = delassus.world{ planar = true, log = true, record = false, dt = 2e-3, max_iterations = 30 }
  world:floor{ restitution = 0.3 }
  local a = world:disk{ radius = 0.1, density = 500, position = { 0, 0.12 }, restitution = 0.5 }
  local b = world:box{ size = { 0.2, 0.1 }, density = 500, position = { 0.5, 0.05 }, velocity = { 1, 0 } }
  local c = world:disk{ radius = 0.1, density = 500, position = { 1, 0.1 }, stiffness = 1e5, damping = 10,
    rolling_friction = 1e-3 }
  local d = world:polygon{ points = { { 0, 0 }, { 0.2, 0 }, { 0, 0.2 } }, density = 500, position = { 1.5, 0 } }
  local e = world:capsule{ radius = 0.05, length = 0.2, density = 500, position = { 2, 0.05 } }
  world:joint{ "revolute", world.ground, e, anchor = { 2, 0.3 } }
  world:joint{ "prismatic", a, b, axis = { 1, 0 }, formulation = "rigid" }
  world:joint{ "revolute", c, d, anchor = { 1.2, 0.1 }, formulation = "penalty" }
  world:spring{ b, c, stiffness = 100, damping = 1 }
  world:contact{ world.ground, a, point_a = { -0.1, 0 }, normal = { 1, 0 }, friction = 0.2 }
  world:contact{ b, c, rope = 0.6 }
  world:remove(world:disk{ radius = 0.1, density = 500, position = { 5, 5 } })
  return world
end

local function spatial_things(delassus)
  local world = delassus.world{ log = true, record = false, dt = 2e-3, max_iterations = 30 }
  world:floor{ restitution = 0.3 }
  local a = world:sphere{ radius = 0.1, density = 500, position = { 0, 0, 0.12 }, spinning_friction = 1e-3 }
  local b = world:box{ size = { 0.2, 0.1, 0.1 }, density = 500, position = { 0.5, 0, 0.05 }, velocity = { 1, 0, 0 } }
  local c = world:cylinder{ radius = 0.1, length = 0.2, density = 500, position = { 1, 0, 0.1 }, stiffness = 1e5, damping = 10 }
  local d = world:capsule{ radius = 0.05, length = 0.2, density = 500, position = { 1.5, 0, 0.05 } }
  local e = world:convex{ points = { { 0, 0, 0 }, { 0.2, 0, 0 }, { 0, 0.2, 0 }, { 0, 0, 0.2 } }, density = 500,
    position = { 2, 0, 0 } }
  world:mesh{ vertices = { { -1, -1, -1 }, { 1, -1, -1 }, { 0, 1, -1 } }, faces = { { 1, 2, 3 } } }
  world:joint{ "spherical", a, b }
  world:joint{ "universal", world.ground, e, axis = { 1, 0, 0 }, axis2 = { 0, 1, 0 } }
  world:joint{ "revolute", b, c, axis = { 0, 1, 0 }, formulation = "rigid" }
  world:joint{ "spherical", c, d, formulation = "penalty" }
  world:contact{ world.ground, a, point_a = { -0.1, 0, 0 }, normal = { 1, 0, 0 }, friction = 0.2 }
  return world
end

local function pile(delassus, planar)
  local world = delassus.world{ planar = planar, record = false, dt = 2e-3, max_iterations = 20 }
  world:floor{}
  for i = 0, planar and 11 or 3 do
    for j = 0, 3 do
      for k = 0, planar and 0 or 3 do
        if planar then world:disk{ radius = 0.05, position = { 0.101 * i, 0.05 + 0.099 * j } }
        else world:sphere{ radius = 0.05, position = { 0.101 * i, 0.1 * k, 0.05 + 0.099 * j } } end
      end
    end
  end
  return world
end

M.scenes = {
  planar = planar_things, spatial = spatial_things,
  disks = function(delassus) return pile(delassus, true) end, spheres = function(delassus) return pile(delassus, false) end,
}

local words, halves = {}, {}
for _, x in ipairs{ 0 / 0, math.huge, -math.huge, 1e308, -1e308, 1e99, -1e99, 5e-324, -0.0, 1e18, 0.37 } do
  words[#words + 1] = ("<d"):pack(x)
end
for _, i in ipairs{ -1, -2, 1, 2, 3, 7, 100, 1 << 16, math.maxinteger, math.mininteger } do
  words[#words + 1] = ("<i8"):pack(i)
end
for _, i in ipairs{ 0, -1, -2, 1, 2, 3, 5, 17, 64, 255, 1 << 16, 1 << 30, 0x7fffffff, -0x80000000 } do
  halves[#halves + 1] = ("<i4"):pack(i)
end

-- The world goes on, and can be asked; what it answers may be an error, in words.
function M.go_on(world)
  world.max_iterations, world.solver = 20, "nsgs" -- more is a lie that costs time alone
  pcall(world.step, world, 2)
  pcall(world.hash, world)
  pcall(function() for contact in world:contacts() do tostring(contact) end end)
  pcall(function() for _, event in ipairs(world.events) do tostring(event.contact) end end)
  pcall(world.energy, world)
end

--- Tries `count` lies of a scene, from a seed; answers how many were taken and how many refused.
function M.try(delassus, scene, seed, count, trace)
  local core = require "delassus.core"
  local world, random = M.scenes[scene](delassus), delassus.random(seed)
  world:step(20)
  local bytes, hash = world:snapshot(), world:hash()
  local body = bytes:sub(1, -9)
  local taken, refused = 0, 0
  for n = 1, count do
    local many = random:uniform() < 0.2 and 3 or 1 -- most alone, some together
    local lie, told = body, {}
    for _ = 1, many do
      local place = 33 + math.floor(random:uniform() * (#body - 32))
      local which = random:uniform()
      local list = which < 0.45 and words or which < 0.9 and halves
      local word = list and list[1 + math.floor(random:uniform() * #list)] or string.char(math.floor(random:uniform() * 256))
      if which < 0.9 then place = place - (place - 33) % 2 end
      if place + #word - 1 <= #body then
        lie = lie:sub(1, place - 1) .. word .. lie:sub(place + #word)
        told[#told + 1] = ("%d: %s"):format(place, word:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
      end
    end
    if trace then io.stderr:write(n, " ", table.concat(told, ", "), "\n") end
    if pcall(world.restore, world, lie .. ("<I8"):pack(tonumber(core.hash(lie), 16))) then
      taken = taken + 1
      M.go_on(world)
      world:restore(bytes)
    else
      refused = refused + 1
    end
    if world:hash() ~= hash then error(("%s, seed %d, try %d: the world is another one"):format(scene, seed, n)) end
  end
  world:close()
  return taken, refused
end

if arg and arg[0] and arg[0]:match "snapshot_lies%.lua$" then
  print(M.try(require "delassus", arg[1], tonumber(arg[2]), tonumber(arg[3]), arg[4] == "trace"))
end

return M
