-- Bits of penalty joints: a mixed chain with limits and contacts in both schemes, its gains, stability and energies.
local delassus = require "delassus"

local kinds = { "spherical", "revolute", "universal", "prismatic", "cylindrical", "planar", "fixed" }
local limits = { revolute = { -0.3, 0.4 }, prismatic = { -0.2, 0.1 }, universal = { { -0.3, 0.2 }, { -0.1, 0.4 } },
  spherical = { cone = 0.3, twist = { -0.1, 0.2 } } }

return function()
  local text = {}
  for _, scheme in ipairs { "time-stepping", "semi-implicit" } do
    for _, gains in ipairs { "auto", "sound" } do
      local world <close> = delassus.world { record = false, scheme = scheme }
      world:floor { friction = 0.4 }
      local before
      for i, kind in ipairs(kinds) do
        local body = world:box { size = { 0.3, 0.1 + 0.01 * i, 0.1 }, density = 900,
          position = { 0.35 * i, 0.01 * i, 0.2 + 0.08 * i } }
        if before then
          world:joint { kind, before, body, anchor = { 0.35 * i - 0.17, 0, 0.2 + 0.08 * i }, formulation = "penalty",
            axis = kind ~= "fixed" and { 0.1 * i, 1, 0.2 } or nil, axis2 = kind == "universal" and { 1, 0, 0.3 } or nil,
            limits = limits[kind], gains = gains }
        end
        before = body
      end
      local most = 0
      for _ = 1, 30 do
        world:step(20)
        most = math.max(most, world.stats.stability)
      end
      local _, _, stored = world:energy()
      text[#text + 1] = ("%s:%a:%a"):format(world:hash(), most, stored)
    end
  end
  return table.concat(text, ",")
end
