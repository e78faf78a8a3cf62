--- Methods that the Lua layer adds to the classes of the C core.
-- @module delassus.class
local core = require "delassus.core"

local M = {}

--- Lines of help by class name and method name.
M.docs = {}

--- Adds methods to a class.
-- @tparam string name the class, "delassus.stack"
-- @tparam table methods functions by name
-- @tparam table docs one line of help by name: "(seconds) steps until ..."
function M.extend(name, methods, docs)
  local target = core.methods(name)
  local known = M.docs[name] or {}
  M.docs[name] = known
  for method, call in next, methods do
    target[method] = call
    known[method] = docs[method]
  end
end

--- Lines of help for what the Lua layer added to a class, sorted by name.
function M.lines(name)
  local names, lines = {}, {}
  for method in next, M.docs[name] or {} do names[#names + 1] = method end
  table.sort(names)
  for i, method in ipairs(names) do lines[i] = "\n  :" .. method .. M.docs[name][method] end
  return table.concat(lines)
end

return M
