-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Checks of options for the modules written in Lua. Messages name the object, the key, the rule and the value, as
-- those of the C core do (which writes them: one implementation of blame and of suggestions).
-- @module delassus.check
local core = require "delassus.core"

core.own_source((debug.getinfo(1, "S").source:gsub("check%.lua$", "")))

local M = {}

--- A value as an error message shows it.
function M.shown(value)
  if type(value) == "string" then return "'" .. (#value > 40 and value:sub(1, 37) .. "..." or value) .. "'" end
  if type(value) == "number" or type(value) == "boolean" or value == nil then return tostring(value) end
  return "a " .. type(value)
end

--- Raises "name: message" and blames the caller's line.
function M.fail(name, message, ...)
  core.raise(name, message:format(...))
end

--- Raises unless `options` is a table whose keys are all in the list `known`.
function M.options(name, options, known)
  if type(options) ~= "table" then M.fail(name, "expected a table of options, got %s", M.shown(options)) end
  local set, unknown = {}, nil
  for _, key in ipairs(known) do set[key] = true end
  for key in next, options do
    if not set[key] and (unknown == nil or tostring(key) < tostring(unknown)) then unknown = key end
  end
  if type(unknown) == "string" then core.unknown(name, "option", unknown, known) end
  if unknown ~= nil then M.fail(name, "unexpected value [%s]: options are named", M.shown(unknown)) end
end

--- Raises unless `value` is a string (or nil where `optional`).
function M.string(name, key, value, optional)
  if type(value) == "string" or (optional and value == nil) then return value end
  M.fail(name, "'%s' must be a string, got %s", key, M.shown(value))
end

--- Raises unless `value` is one of the strings `choices` (or nil where `optional`).
function M.choice(name, key, value, choices, optional)
  if optional and value == nil then return value end
  for _, choice in ipairs(choices) do
    if value == choice then return value end
  end
  M.fail(name, "'%s' must be one of '%s', got %s", key, table.concat(choices, "', '"), M.shown(value))
end

--- Raises unless `value` is a finite number (or nil where `optional`).
function M.number(name, key, value, optional)
  if optional and value == nil then return value end
  if type(value) ~= "number" then M.fail(name, "'%s' must be a number, got %s", key, M.shown(value)) end
  if value ~= value or value == math.huge or value == -math.huge then
    M.fail(name, "'%s' must be finite, got %s", key, value ~= value and "nan" or tostring(value))
  end
  return value
end

--- Raises unless `value` is a list (or nil): a table without other keys, which would be overlooked. Answers it, or an empty one.
function M.entries(name, key, value)
  if value == nil then return {} end
  if type(value) ~= "table" then M.fail(name, "'%s' must be a list, got %s", key, M.shown(value)) end
  local n = #value
  for k in next, value do
    if math.type(k) ~= "integer" or k < 1 or k > n then
      M.fail(name, "'%s' must be a list, got one with [%s]", key, M.shown(k))
    end
  end
  for i = 1, n do
    if value[i] == nil then M.fail(name, "'%s' must be a list, got one without [%d]", key, i) end
  end
  return value
end

--- A list of numbers as a plain table; vectors (userdata with a length) go too. NaN is kept, as a hole in a curve.
function M.list(name, key, value)
  local known, n = pcall(function() return type(value) ~= "string" and #value end)
  if not known or not n then
    M.fail(name, "'%s' must be a list of numbers, got %s", key, M.shown(value))
  end
  local out = {}
  for i = 1, n do
    local x = value[i]
    if type(x) ~= "number" then M.fail(name, "'%s[%d]' must be a number, got %s", key, i, M.shown(x)) end
    out[i] = x
  end
  return out
end

--- Names sorted as a person sorts them: runs of digits by their value ("gap 2" before "gap 10").
function M.sorted_names(map)
  local names, rank = {}, {}
  for name in next, map do
    names[#names + 1] = name
    rank[name] = tostring(name):gsub("%d+", function(digits) return ("0"):rep(20 - #digits) .. digits end)
  end
  table.sort(names, function(a, b)
    if rank[a] ~= rank[b] then return rank[a] < rank[b] end
    return tostring(a) < tostring(b)
  end)
  return names
end

return M
