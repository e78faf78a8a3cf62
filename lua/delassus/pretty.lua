-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Values as the prompt shows them: tables nested, cut and aligned; worlds with their bodies, contacts as a table.
-- @module delassus.pretty
local core = require "delassus.core"
local check = require "delassus.check"

local M = {}

local WIDTH, ENTRIES, DEPTH = 100, 20, 4 -- characters of a line; entries shown of a table; levels of nesting

local function scalar(value)
  if type(value) == "string" then return ("%q"):format(value):gsub("\\\n", "\\n") .. "" end
  return tostring(value)
end

local function is_plain(value)
  return type(value) == "table" and not (debug.getmetatable(value) or {}).__tostring
end

--- Lists whose rows are equally long lists of numbers, at least two of them: as aligned columns.
local function is_matrix(t)
  if #t < 2 then return false end
  for i = 1, #t do
    if type(t[i]) ~= "table" or #t[i] ~= #t[1] or #t[i] == 0 then return false end
    for j = 1, #t[i] do if type(t[i][j]) ~= "number" then return false end end
  end
  return true
end

--- Rows of texts as lines of aligned columns.
local function columns(rows, indent)
  local wide, out = {}, {}
  for _, row in ipairs(rows) do
    for j, text in ipairs(row) do wide[j] = math.max(wide[j] or 0, utf8.len(text) or #text) end
  end
  for i, row in ipairs(rows) do
    local cells = {}
    for j, text in ipairs(row) do
      local gap = (" "):rep(wide[j] - (utf8.len(text) or #text))
      cells[j] = (rows.right and i > (rows.head and 1 or 0)) and gap .. text or text .. gap
    end
    out[i] = (indent .. table.concat(cells, "  ")):gsub("%s+$", "")
  end
  return table.concat(out, "\n")
end

local function matrix_text(t, indent)
  local rows = { right = true }
  for i = 1, math.min(#t, ENTRIES) do
    rows[i] = {}
    for j = 1, #t[i] do rows[i][j] = ("%.6g"):format(t[i][j]) end
  end
  local more = #t > ENTRIES and ("\n%s... %d more rows"):format(indent, #t - ENTRIES) or ""
  return "{\n" .. columns(rows, indent) .. more .. "\n" .. indent:sub(3) .. "}"
end

local text_of

-- The entries of a table as texts: the list's, then the named ones in order. -> texts, how many are left out
local function entries(t, depth, seen, indent)
  local texts, wide, keys = {}, 0, {}
  local n = #t
  for i = 1, math.min(n, ENTRIES) do texts[i] = text_of(t[i], depth + 1, seen, indent .. "  ") end
  local more = n - #texts
  local named = {}
  for key, value in pairs(t) do
    if not (math.type(key) == "integer" and key >= 1 and key <= n) then named[key] = value end
  end
  for _, key in ipairs(check.sorted_names(named)) do
    if #texts < ENTRIES then
      local name = type(key) == "string" and key:match("^[%a_][%w_]*$") or "[" .. scalar(key) .. "]"
      keys[#texts + 1], wide = name, math.max(wide, #name)
      texts[#texts + 1] = text_of(named[key], depth + 1, seen, indent .. "  ")
    else
      more = more + 1
    end
  end
  return texts, more, keys, wide
end

local function table_text(t, depth, seen, indent)
  if seen[t] then return "{ the table it is in }" end
  if depth >= DEPTH then return next(t) == nil and "{}" or "{...}" end
  if is_matrix(t) then return matrix_text(t, indent .. "  ") end
  seen[t] = true
  local texts, more, keys, wide = entries(t, depth, seen, indent)
  seen[t] = nil
  if #texts == 0 then return "{}" end
  local flat, length, lines = {}, #indent, false
  for i, text in ipairs(texts) do
    flat[i] = keys[i] and keys[i] .. " = " .. text or text
    length = length + #flat[i] + 2
    lines = lines or text:find("\n", 1, true) ~= nil or type(t[i]) == "userdata"
  end
  if more > 0 then flat[#flat + 1] = ("... %d more"):format(more) end
  if not lines and length <= WIDTH and (wide == 0 or #texts <= 4) then return "{ " .. table.concat(flat, ", ") .. " }" end
  local out = {}
  for i, text in ipairs(texts) do
    out[i] = indent .. "  " .. (keys[i] and (("%-" .. wide .. "s = "):format(keys[i])) or "") .. text
  end
  if more > 0 then out[#out + 1] = indent .. ("  ... %d more"):format(more) end
  return "{\n" .. table.concat(out, "\n") .. "\n" .. indent .. "}"
end

function text_of(value, depth, seen, indent)
  if is_plain(value) then return table_text(value, depth, seen, indent) end
  if depth == 0 then return tostring(value) end
  if type(value) == "function" then return "function" end
  return (scalar(value):gsub("\n", "\n" .. indent))
end

local function short(x) return x and ("%.4g"):format(x) or "" end
local function name_of(body, world) return body == world.ground and "ground" or body.name or "body " .. body.index end
local function numbers(v)
  if type(v) == "number" then return short(v) end
  local out = {}
  for i = 1, #v do out[i] = short(v[i]) end
  return table.concat(out, " ")
end

--- A table of contacts: who, state, gap, force, speed.
-- @param contacts an iterator, as world:contacts() answers
function M.contacts(contacts)
  local rows, more = { head = true, { "a", "b", "state", "gap (m)", "normal force (N)", "speed (m/s)" } }, 0
  for contact in contacts do
    if #rows > ENTRIES then
      more = more + 1
    else
      local world = contact.a.world
      rows[#rows + 1] = { name_of(contact.a, world), name_of(contact.b, world), contact.state, short(contact.gap),
        short(contact.normal_force), short(contact.velocity:norm()) }
    end
  end
  if #rows == 1 then return "no contacts" end
  return columns(rows, "") .. (more > 0 and ("\n... %d more"):format(more) or "")
end

local function world_text(world)
  local rows = { head = true, { "body", "type", "position (m)", "velocity (m/s)" } }
  local bodies = world.bodies
  for i = 1, math.min(#bodies, ENTRIES) do
    local body = bodies[i]
    rows[i + 1] = { name_of(body, world), body.type, numbers(body.position), numbers(body.velocity) }
  end
  if #bodies == 0 then return tostring(world) end
  local more = #bodies > ENTRIES and ("\n  ... %d more"):format(#bodies - ENTRIES) or ""
  return tostring(world) .. "\n" .. columns(rows, "  ") .. more
end

--- A value as text, as many lines as it needs.
function M.text(value)
  if type(value) == "userdata" and select(2, core.help(value)) == "delassus.World" then
    local ok, text = pcall(world_text, value) -- a closed world has its one line
    return ok and text or tostring(value)
  end
  return text_of(value, 0, {}, "")
end

--- The values of a line at the prompt: on one line where they fit.
function M.values(...)
  local texts, lines, length = {}, false, 0
  for i = 1, select("#", ...) do
    texts[i] = M.text((select(i, ...)))
    lines = lines or texts[i]:find("\n", 1, true) ~= nil
    length = length + #texts[i]
  end
  return table.concat(texts, lines and "\n" or "\t")
end

return M
