--- `delassus.help(x)`: what a value answers to, as text.
-- @module delassus.help
local class = require "delassus.class"
local core = require "delassus.core"

--- Names of a table's fields, sorted, with what they are.
local function describe_table(t)
  local names, manners = {}, debug.getmetatable(t) or {}
  local parts = manners.parts or {}
  for name in next, parts do names[#names + 1] = name end
  for name in next, t do
    if type(name) == "string" and name:sub(1, 1) ~= "_" and not parts[name] then names[#names + 1] = name end
  end
  table.sort(names)
  local lines = {}
  for i, name in ipairs(names) do lines[i] = ("\n  .%s  (%s)"):format(name, type(t[name])) end
  for _, line in ipairs(manners.methods or {}) do lines[#lines + 1] = "\n  :" .. line end
  return table.concat(lines)
end

--- Lists what `x` answers to: properties with units and methods of an object of this library, the
-- fields of a table. Without an argument, of the library itself.
-- @param x any value
-- @treturn string one line a name
-- @usage print(delassus.help(delassus.vec{1, 2, 3}))
local function help(...)
  local x = ...
  if select("#", ...) == 0 then x = require "delassus" end
  local text, name = core.help(x)
  if text then return text .. class.lines(name) end
  if type(x) == "table" then return (rawget(x, "_VERSION") or tostring(x)) .. describe_table(x) end
  return ("%s (a %s)"):format(tostring(x), type(x))
end

return help
