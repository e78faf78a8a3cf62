--- Objects made in Lua that read as strictly as those of the core: an unknown name raises with the
-- nearest known one.
-- @module delassus.strict
local core = require "delassus.core"

local M = {}

--- Makes a class of strict objects.
-- @tparam string noun what messages call it: "drum"
-- @tparam table methods functions by name
-- @tparam table getters functions of the object by property name
-- @tparam[opt] function text what tostring answers
-- @treturn table a metatable: `setmetatable(fields, strict.class(...))`; fields whose names begin with
-- "_" are the object's own
function M.class(noun, methods, getters, text)
  local class = {}

  local function raise_unknown(self, name)
    local names = {}
    for known in next, methods do names[known] = true end
    for known in next, getters do names[known] = true end
    for known in next, self do
      if type(known) == "string" and known:sub(1, 1) ~= "_" then names[known] = true end
    end
    core.unknown(noun, "property", tostring(name), names)
  end

  class.__index = function(self, name)
    local method = methods[name]
    if method ~= nil then return method end
    local getter = getters[name]
    if getter then return getter(self) end
    if type(name) == "string" and name:sub(1, 1) == "_" then return nil end
    raise_unknown(self, name)
  end
  class.__newindex = function(self, name, value)
    if type(name) == "string" and name:sub(1, 1) == "_" then
      rawset(self, name, value)
      return
    end
    if methods[name] or getters[name] then core.raise(noun, ("'%s' is read-only"):format(name)) end
    raise_unknown(self, name)
  end
  class.__tostring = text
  class.members = { methods = methods, getters = getters } -- for help
  class.__name = "delassus." .. noun
  return class
end

return M
