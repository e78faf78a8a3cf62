-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Sixty scenarios in which every request for memory fails in turn, singly and in pairs: `make memory`. The global
-- `scene` names one; without it the names are printed.
local delassus = require "delassus"
local lcp = require "delassus.lcp"

local scenes, order = {}, {}
local function scene(name, act)
  scenes[name], order[#order + 1] = act, name
end

local function at(planar, x, y) return planar and { x, y } or { x, 0, y } end

local makers = {
  { "disk", true, { radius = 0.1 } }, { "box", true, { size = { 0.2, 0.1 } } },
  { "capsule", true, { radius = 0.1, length = 0.2 } },
  { "polygon", true, { points = { { 0, 0 }, { 0.2, 0 }, { 0, 0.2 } } } }, { "sphere", false, { radius = 0.1 } },
  { "box", false, { size = { 0.2, 0.1, 0.1 } } }, { "cylinder", false, { radius = 0.1, length = 0.2 } },
  { "capsule", false, { radius = 0.1, length = 0.2 } }, { "cone", false, { radius1 = 0.1, radius2 = 0.05, length = 0.2 } },
  { "ellipsoid", false, { radii = { 0.1, 0.06, 0.2 } } },
  { "convex", false, { points = { { 0, 0, 0 }, { 0.2, 0, 0 }, { 0, 0.2, 0 }, { 0, 0, 0.2 } } } },
}
for _, maker in ipairs(makers) do
  local kind, planar, options = table.unpack(maker)
  for _, law in ipairs{ "rigid", "compliant", "rolling" } do
    scene(("%s_%s_%s"):format(kind, planar and "plane" or "space", law), function()
      local world <close> = delassus.world{ planar = planar, record = false }
      world:floor{ friction = 0.5 }
      for k = 1, 2 do
        local given = { position = at(planar, 0.5 * k, 0.08), velocity = at(planar, 0.3, -1), restitution = 0.3 }
        for key, value in pairs(options) do given[key] = value end
        if law == "compliant" then given.stiffness, given.damping = 1e5, 10 end
        if law == "rolling" then given.rolling_friction = 1e-3 end
        world[kind](world, given)
      end
      world:step(3)
      return world:hash()
    end)
  end
end

for _, planar in ipairs{ true, false } do
  for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
    for _, kind in ipairs{ "revolute", "prismatic", "fixed" } do
      scene(("%s_%s_%s"):format(kind, formulation, planar and "plane" or "space"), function()
        local world <close> = delassus.world{ planar = planar, record = false }
        local last = world.ground
        for k = 1, 3 do
          local body = world:body{ mass = 1, inertia = planar and 0.1 or { 0.1, 0.1, 0.1 }, position = at(planar, k, 0) }
          local axis
          if kind == "prismatic" then axis = at(planar, 1, 0) elseif not planar and kind == "revolute" then axis = { 0, 1, 0 } end
          world:joint{ kind, last, body, anchor = at(planar, k - 0.5, 0), axis = axis, formulation = formulation }
          last = body
        end
        world:step(3)
        return world:hash()
      end)
    end
  end
end

for _, method in ipairs{ "energy", "block", "lemke", "enumerate", "newton", "pgs" } do
  scene("lcp_" .. method, function()
    return lcp.solve{ M = { { 4, -1, 0 }, { -1, 4, -1 }, { 0, -1, 4 } }, q = { -4, 3, -4 }, method = method, trace = true }.z[1]
  end)
end
for _, method in ipairs{ "nsgs", "admm", "newton" } do
  scene("cone_" .. method, function()
    return lcp.cone{ W = { { 2, 0.1, 0 }, { 0.1, 2, 0 }, { 0, 0, 2 } }, q = { -1, 0.5, 0.2 }, friction = 0.4, method = method }.p
  end)
end
scene("snapshot", function()
  local world <close> = delassus.world{ planar = true, record = 1, log = true }
  world:floor{}
  world:disk{ radius = 0.1, position = { 0, 0.1 } }
  world:step(2)
  world:restore(world:snapshot())
  world:step(2)
end)
scene("recording", function()
  local world <close> = delassus.world{ planar = true }
  world:disk{ radius = 0.1, position = { 0, 0.1 } }
  world:record{}
  world:step(3)
end)
scene("structure", function()
  local st <close> = delassus.structure{}
  local a, b = st:node{ 0, 0 }, st:node{ 1, 0 }
  st:bar{ a, b, E = 1e9, A = 1e-3 }
  st:fix(a, "x", "y")
  st:fix(b, "y")
  st:load(b, { 1, 0 })
  return st:solve{}
end)

function phase() -- luacheck: globals phase
  return scenes[_G.scene]()
end

if not _G.scene then print(table.concat(order, " ")) end
