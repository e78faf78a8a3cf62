-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Markdown to HTML, as much of it as the manual uses: headings, paragraphs, lists, tables, code, links, emphasis.
-- @module docs.markdown
local M = {}

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

function M.escape(text) return (text:gsub('[&<>"]', ENTITIES)) end

--- An anchor from a heading's text: "The step" -> "the-step".
function M.anchor(text) return (text:lower():gsub("[`\"']", ""):gsub("[^%w]+", "-"):gsub("^%-+", ""):gsub("%-+$", "")) end

-- Links between pages become links within the one page: concepts.md -> #concepts.
local function target(address)
  local page, anchor = address:match("^([%w_]+)%.md#?(.*)$")
  if not page then return address end
  return "#" .. page .. (anchor ~= "" and "--" .. anchor or "")
end

local function inline(text)
  local kept = {}
  text = text:gsub("`([^`]+)`", function(code)
    kept[#kept + 1] = "<code>" .. M.escape(code) .. "</code>"
    return "\1" .. #kept .. "\2"
  end)
  text = M.escape(text)
  text = text:gsub("%[([^%]]+)%]%(([^%)]+)%)", function(label, address)
    return ('<a href="%s">%s</a>'):format(target(address), label)
  end)
  text = text:gsub("%*%*([^*]+)%*%*", "<strong>%1</strong>"):gsub("%f[%w*]%*([^*%s][^*]*)%*", "<em>%1</em>")
  return (text:gsub("\1(%d+)\2", function(k) return kept[tonumber(k)] end))
end

-- Cells of a table's line; a bar within `code` is none.
local function cells(line)
  local safe = line:gsub("`[^`]*`", function(code) return (code:gsub("|", "\3")) end)
  local out = {}
  for cell in safe:gsub("^%s*|", ""):gsub("|%s*$", ""):gmatch("[^|]+") do
    out[#out + 1] = inline((cell:gsub("\3", "|"):match("^%s*(.-)%s*$")))
  end
  return out
end

local function table_html(rows)
  local out = { "<table>" }
  for i, line in ipairs(rows) do
    if i ~= 2 then
      local tag = i == 1 and "th" or "td"
      out[#out + 1] = ("<tr><%s>%s</%s></tr>"):format(tag, table.concat(cells(line), ("</%s><%s>"):format(tag, tag)), tag)
    end
  end
  out[#out + 1] = "</table>"
  return table.concat(out, "\n")
end

local function list_html(items, ordered)
  local out = {}
  for i, item in ipairs(items) do out[i] = "<li>" .. inline(item) .. "</li>" end
  local tag = ordered and "ol" or "ul"
  return ("<%s>\n%s\n</%s>"):format(tag, table.concat(out, "\n"), tag)
end

-- The lines from i on that match, and the place behind them.
local function take(lines, i, pattern)
  local out = {}
  while lines[i] and lines[i]:match(pattern) do out[#out + 1], i = lines[i], i + 1 end
  return out, i
end

-- The items of a list from line i on; lines that go on are indented.
local function items(lines, i, mark)
  local out = {}
  while lines[i] and (lines[i]:match(mark) or (#out > 0 and lines[i]:match("^%s+%S"))) do
    local item = lines[i]:match(mark)
    if item then out[#out + 1] = item else out[#out] = out[#out] .. " " .. lines[i]:match("^%s+(.*)$") end
    i = i + 1
  end
  return out, i
end

--- A page as HTML.
-- @tparam string text Markdown
-- @tparam string page its name, which begins its anchors
-- @treturn string
-- @treturn table its headings: { level =, text =, anchor = }
function M.html(text, page)
  local lines, out, headings = {}, {}, {}
  for line in (text .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end
  local i = 1
  while i <= #lines do
    local line = lines[i]
    local marks, title = line:match("^(#+)%s+(.*)$")
    if marks then
      local anchor = page .. (#marks > 1 and "--" .. M.anchor(title) or "")
      headings[#headings + 1] = { level = #marks, text = title, anchor = anchor }
      out[#out + 1], i = ('<h%d id="%s">%s</h%d>'):format(#marks, anchor, inline(title), #marks), i + 1
    elseif line:match("^```") then
      local code = {}
      i = i + 1
      while lines[i] and not lines[i]:match("^```") do code[#code + 1], i = lines[i], i + 1 end
      out[#out + 1], i = "<pre><code>" .. M.escape(table.concat(code, "\n")) .. "</code></pre>", i + 1
    elseif line:match("^|") then
      local rows
      rows, i = take(lines, i, "^|")
      out[#out + 1] = table_html(rows)
    elseif line:match("^%- ") then
      local list
      list, i = items(lines, i, "^%- (.*)$")
      out[#out + 1] = list_html(list)
    elseif line:match("^%d+%. ") then
      local list
      list, i = items(lines, i, "^%d+%. (.*)$")
      out[#out + 1] = list_html(list, true)
    elseif line:match("^<") then
      local raw
      raw, i = take(lines, i, "%S")
      out[#out + 1] = table.concat(raw, "\n")
    elseif line:match("%S") then
      local paragraph = {}
      while lines[i] and lines[i]:match("%S") and not lines[i]:match("^[#|]") and not lines[i]:match("^```")
        and not (#paragraph > 0 and (lines[i]:match("^%- ") or lines[i]:match("^%d+%. "))) do
        paragraph[#paragraph + 1], i = lines[i], i + 1
      end
      out[#out + 1] = "<p>" .. inline(table.concat(paragraph, "\n")) .. "</p>"
    else
      i = i + 1
    end
  end
  return table.concat(out, "\n"), headings
end

return M
