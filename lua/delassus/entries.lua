-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- What calls take: one text a call, for help at the prompt and for the manual.
--
-- An entry is a paragraph: a line with the call and its answer, lines of text, and a line an option:
--
--     world:spring{ a, b, stiffness = } -> Spring
--     A spring and damper between two points.
--       stiffness! | N/m |                          required
--       damping = 0 | N s/m |                       with its default
--       .residual | relative |                      a field of what answers; `  :save | | (file) ...` a method
--       + delassus.material                         the options of another entry, too ("... without shape")
-- @module delassus.entries
local M = {}

local SOURCES = { "delassus.entries_world", "delassus.entries_shape", "delassus.entries_solve", "delassus.entries_tools",
  "delassus.entries_objects" }

--- "world:joint{ kind, a, b } -> Joint" -> "world:joint"; "Run: what world:run answers" -> "Run"
local function name_of(head)
  local name = head:match("^([%w_ ]+): ") or head:match("^([%w_.:]+)[({]") or head:match("^(.-)%s*%->") or head
  return (name:gsub("%s+$", ""))
end

local function read_option(line)
  local left, unit, text = line:match("^%s+([^|]-)%s*|%s*([^|]-)%s*|%s*(.-)%s*$")
  assert(left, line)
  local name, default = left:match("^([%w_]+)%s*=%s*(.+)$")
  local required = left:match("^([%w_]+)!$")
  return { name = name or required, default = default, required = required ~= nil, unit = unit, text = text }
end

local function read_member(line)
  local kind, name, unit, text = line:match("^  ([.:])([%w_]+)%s*|%s*([^|]-)%s*|%s*(.-)%s*$")
  assert(kind, line)
  return { kind = kind, name = name, unit = unit, text = text }
end

local function read(paragraph)
  local entry = { options = {}, members = {}, also = {}, text = {} }
  for line in paragraph:gmatch("[^\n]+") do
    local also = line:match("^  %+ (.+)$")
    if not entry.head then entry.head, entry.name = line, name_of(line)
    elseif also then entry.also[#entry.also + 1] = also
    elseif line:match("^  [.:]") then entry.members[#entry.members + 1] = read_member(line)
    elseif line:match("^  ") then entry.options[#entry.options + 1] = read_option(line)
    else entry.text[#entry.text + 1] = line end
  end
  entry.text = table.concat(entry.text, "\n")
  return entry
end

--- Names of the options of an entry, those that it takes over included, as a set.
-- @tparam table entry
-- @tparam[opt] table set filled
function M.names(entry, set)
  set = set or {}
  for _, option in ipairs(entry.options) do set[option.name] = true end
  for _, also in ipairs(entry.also) do
    local other, left_out = also:match("^(.-) without (%w+)$")
    local names = M.names((assert(M.of(other or also), also)))
    for name in next, names do if name ~= left_out then set[name] = true end end
  end
  return set
end

local list, by_name

--- All entries in order, and by name.
function M.all()
  if list then return list, by_name end
  list, by_name = {}, {}
  for _, source in ipairs(SOURCES) do
    for paragraph in (require(source) .. "\n\n"):gmatch("(.-)\n\n+") do
      local entry = read(paragraph)
      list[#list + 1], by_name[entry.name] = entry, entry
    end
  end
  return list, by_name
end

--- The entry of a call's name, "world:joint"; nil where there is none.
function M.of(name) return select(2, M.all())[name] end

--- The options of an entry as text, a line each, aligned.
function M.lines(entry)
  local rows, wide, wider = {}, 0, 0
  for _, option in ipairs(entry.options) do
    local value = option.required and "required" or option.default
    rows[#rows + 1] = { option.name, value, option.unit ~= "" and ("[%s] "):format(option.unit) or "", option.text }
    wide, wider = math.max(wide, #option.name), math.max(wider, math.min(#value, 18))
  end
  local out = {}
  for _, row in ipairs(rows) do
    out[#out + 1] = ("\n  %-" .. wide .. "s  %-" .. wider .. "s  %s%s"):format(row[1], row[2], row[3], row[4]):gsub("%s+$", "")
  end
  for _, member in ipairs(entry.members) do
    if member.kind == "." then wide = math.max(wide, #member.name) end
  end
  for _, member in ipairs(entry.members) do
    local unit = member.unit ~= "" and ("[%s] "):format(member.unit) or ""
    out[#out + 1] = member.kind == ":" and "\n  :" .. member.name .. member.text
      or ("\n  .%-" .. wide .. "s  %s%s"):format(member.name, unit, member.text):gsub("%s+$", "")
  end
  for _, name in ipairs(entry.also) do out[#out + 1] = ("\n  and the options of %s"):format(name) end
  return table.concat(out)
end

--- An entry as text.
function M.text(entry)
  return entry.head .. (entry.text ~= "" and "\n" .. entry.text or "") .. M.lines(entry)
end

return M
