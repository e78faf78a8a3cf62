-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Checks of options for the modules written in Lua: messages name the object, the key, the rule and the value.
-- @module delassus.check
local M = {}

--- Number of single-letter edits between two words (neighbouring letters swapped count as one).
function M.distance(a, b)
  local before, row = {}, {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local next_row = { [0] = i }
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j) and 0 or 1
      local d = math.min(row[j] + 1, next_row[j - 1] + 1, row[j - 1] + same)
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        d = math.min(d, before[j - 2] + 1)
      end
      next_row[j] = d
    end
    before, row = row, next_row
  end
  return row[#b]
end

--- The known word nearest to `word`, nil when none is within two edits.
function M.nearest(word, known)
  local best, best_distance
  for _, candidate in ipairs(known) do
    local d = M.distance(word, candidate)
    if d < 3 and d < #word and (not best_distance or d < best_distance) then best, best_distance = candidate, d end
  end
  return best
end

--- A value as an error message shows it.
function M.shown(value)
  if type(value) == "string" then return ("%q"):format(#value > 40 and value:sub(1, 37) .. "..." or value) end
  if type(value) == "number" or type(value) == "boolean" or value == nil then return tostring(value) end
  return "a " .. type(value)
end

function M.fail(level, name, message, ...)
  error(("%s: "):format(name) .. message:format(...), level + 1)
end

--- Raises unless `options` is a table whose keys are all in the list `known`.
function M.options(level, name, options, known)
  if type(options) ~= "table" then M.fail(level + 1, name, "expected a table of options, got %s", M.shown(options)) end
  local set = {}
  for _, key in ipairs(known) do set[key] = true end
  local unknown
  for key in next, options do
    if not set[key] and (not unknown or tostring(key) < tostring(unknown)) then unknown = key end
  end
  if unknown == nil then return end
  local near = type(unknown) == "string" and M.nearest(unknown, known)
  M.fail(level + 1, name, "unknown option %s%s", type(unknown) == "string" and "'" .. unknown .. "'" or M.shown(unknown),
    near and (" (did you mean '%s'?)"):format(near) or "")
end

--- Raises unless `value` is a string (or nil where `optional`).
function M.string(level, name, key, value, optional)
  if type(value) == "string" or (optional and value == nil) then return value end
  M.fail(level + 1, name, "'%s' must be a string, got %s", key, M.shown(value))
end

--- Raises unless `value` is one of the strings `choices` (or nil where `optional`).
function M.choice(level, name, key, value, choices, optional)
  if optional and value == nil then return value end
  for _, choice in ipairs(choices) do
    if value == choice then return value end
  end
  M.fail(level + 1, name, "'%s' must be one of \"%s\", got %s", key, table.concat(choices, '", "'), M.shown(value))
end

--- Raises unless `value` is a finite number (or nil where `optional`).
function M.number(level, name, key, value, optional)
  if optional and value == nil then return value end
  if type(value) ~= "number" then M.fail(level + 1, name, "'%s' must be a number, got %s", key, M.shown(value)) end
  if value ~= value or value == math.huge or value == -math.huge then
    M.fail(level + 1, name, "'%s' must be finite, got %s", key, tostring(value))
  end
  return value
end

--- A list of numbers as a plain table; vectors (userdata with a length) go too. NaN is kept, as a hole in a curve.
function M.list(level, name, key, value)
  local kind = type(value)
  if kind ~= "table" and kind ~= "userdata" then
    M.fail(level + 1, name, "'%s' must be a list of numbers, got %s", key, M.shown(value))
  end
  local out = {}
  for i = 1, #value do
    local x = value[i]
    if type(x) ~= "number" then M.fail(level + 1, name, "'%s[%d]' must be a number, got %s", key, i, M.shown(x)) end
    out[i] = x
  end
  return out
end

--- Names sorted as a person sorts them: runs of digits by their value ("gap 2" before "gap 10").
function M.sorted_names(map)
  local names, key = {}, {}
  for name in next, map do
    names[#names + 1] = name
    key[name] = tostring(name):gsub("%d+", function(digits) return ("%020d"):format(tonumber(digits) or 0) end)
  end
  table.sort(names, function(a, b)
    if key[a] ~= key[b] then return key[a] < key[b] end
    return tostring(a) < tostring(b)
  end)
  return names
end

return M
