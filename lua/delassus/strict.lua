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
-- @tparam[opt] table setters functions of the object and a value by the name of what may be written
-- @treturn table a metatable: `setmetatable(fields, strict.class(...))`; fields whose names begin with "_" are the object's
-- own: `_fields` holds values by name that are read, but not written from outside; `_gone`: only `close` answers any more
function M.class(noun, methods, getters, text, setters)
  local class = {}

  local function raise_unknown(self, name)
    local names = {}
    for known in next, methods do names[known] = true end
    for known in next, getters do names[known] = true end
    for known in next, rawget(self, "_fields") or {} do names[known] = true end
    for known in next, self do
      if type(known) == "string" and known:sub(1, 1) ~= "_" then names[known] = true end
    end
    core.unknown(noun, "property", tostring(name), names)
  end

  local function check_open(self)
    if rawget(self, "_gone") then core.raise(noun, ("attempt to use a closed %s"):format(noun)) end
  end

  class.__index = function(self, name)
    if type(name) == "string" and name:sub(1, 1) == "_" then return nil end
    if name ~= "close" then check_open(self) end
    local method = methods[name]
    if method ~= nil then return method end
    local getter = getters[name]
    if getter then return getter(self) end
    local fields = rawget(self, "_fields")
    if fields and fields[name] ~= nil then return fields[name] end
    raise_unknown(self, name)
  end
  class.__newindex = function(self, name, value)
    if type(name) == "string" and name:sub(1, 1) == "_" then
      rawset(self, name, value)
      return
    end
    check_open(self)
    if setters and setters[name] then return setters[name](self, value) end
    local fields = rawget(self, "_fields")
    if methods[name] or getters[name] or fields and fields[name] ~= nil then
      core.raise(noun, ("'%s' is read-only"):format(name))
    end
    raise_unknown(self, name)
  end
  class.__tostring = text
  class.members = { methods = methods, getters = getters } -- for help
  class.__name = "delassus." .. noun
  return class
end

--- How an object of plain fields is read: its methods, its fields and those of them that have no value; other names raise.
-- @tparam string noun what messages call it
-- @tparam table methods functions by name
-- @tparam {string,...} blank names of fields that there may be, without a value
-- @treturn function the `__index` of its metatable
function M.reader(noun, methods, blank)
  local empty = {}
  for _, name in ipairs(blank) do empty[name] = true end
  return function(self, name)
    local method = methods[name]
    if method ~= nil or empty[name] or type(name) ~= "string" then return method end
    local names = {}
    for _, list in ipairs{ methods, empty, self } do
      for known in next, list do names[known] = true end
    end
    core.unknown(noun, "property", name, names)
  end
end

return M
