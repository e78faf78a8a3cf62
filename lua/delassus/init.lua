--- delassus: nonsmooth multibody dynamics with a residual.
-- `local delassus = require "delassus"`; the parts are fields of this table and modules of their own
-- (`delassus.lcp`, `delassus.stack`, ...), loaded when first used.
-- @module delassus
if _VERSION ~= "Lua 5.4" then
  local name = rawget(_G, "jit") and rawget(_G, "jit").version .. " (" .. _VERSION .. ")" or _VERSION
  error("delassus needs Lua 5.4; this is " .. name
    .. "\nDebian, Ubuntu: apt install lua5.4 luarocks; then luarocks --lua-version=5.4 make, and run scripts with lua5.4", 0)
end
local core = require "delassus.core"

-- Errors blame the caller's line: functions of this folder are not the caller.
core.own_source((debug.getinfo(1, "S").source:gsub("init%.lua$", "")))

local M = {
  _VERSION = "delassus " .. core.version,
  version = core.version,
  vec = core.vec,
  vector = core.vector,
  matrix = core.matrix,
  sparse = core.sparse,
  math = core.math, -- the core's own sin, cos, ...: the same bits everywhere
  random = core.random,
  material = core.material,
  world = core.world,
  system = core.system,
  batch = core.batch, -- batch(world, n): n states of one model at once
}

-- Shapes, and the least gap between two of them: distance(shape, pose, shape, pose).
for _, name in ipairs { "disk", "sphere", "capsule", "cylinder", "cone", "ellipsoid", "box", "polygon", "convex", "segment",
  "plane", "drum", "mesh", "compound", "distance" } do
  M[name] = core[name]
end

-- delassus.drum is the shape; who wants the scenario is told where it is.
local scenario = { "diameter", "rpm", "fill", "logs", "planar", "feed", "discharge", "run_up", "debarking" }
function M.drum(options, ...)
  for _, name in ipairs(type(options) == "table" and scenario or {}) do
    if options[name] ~= nil then
      core.raise("drum",
        ("unknown option '%s': delassus.drum is the shape; a drum of logs is require \"delassus.drum\""):format(name))
    end
  end
  return core.drum(options, ...)
end

--- Parts that are modules of their own, by field name.
local parts = {
  help = "delassus.help",
  stack = "delassus.stack",
  structure = "delassus.structure",
  logs = "delassus.logs",
  lcp = "delassus.lcp",
  load = "delassus.load",
  plot = "delassus.plot",
  record = "delassus.record",
  report = "delassus.report",
  show = "delassus.show",
  sweep = "delassus.sweep",
}

setmetatable(M, {
  parts = parts,
  __index = function(self, name)
    local module = parts[name]
    if not module then return nil end
    local value = require(module)
    rawset(self, name, value)
    return value
  end,
})

require "delassus.world"
require "delassus.system"

return M
