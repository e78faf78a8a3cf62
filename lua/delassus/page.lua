-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Pages as text: the built viewer filled with data, and the plain page where it is not built.
-- @module delassus.page
local plot = require "delassus.plot"
local svg = require "delassus.svg"

local M = {}

local SLOT = '(<script type="application/json" id="delassus%-data">)null(</script>)'
local HINT = "This page holds paths, tables and charts. For the replay, run <code>make viewer</code> in delassus' folder "
  .. "once (it needs Node.js and npm; a rock packed by <code>make rock</code> has it), and write the page again."

local function slurp(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

--- The built page, nil where there is none: the file DELASSUS_VIEWER names, else viewer.html beside this module.
function M.template()
  local named = os.getenv("DELASSUS_VIEWER")
  local folder = debug.getinfo(1, "S").source:match("^@(.*[/\\])") or ""
  local text = slurp(named and named ~= "" and named or folder .. "viewer.html")
  return text and text:find(SLOT) and text or nil
end

--- The built page with the data in its slot.
function M.fill(template, data, title)
  local filled = template:gsub(SLOT, function(open, close) return open .. data .. close end, 1)
  local name = "<title>" .. svg.escape(title) .. "</title>"
  return (filled:gsub("<title>[^<]*</title>", function() return name end, 1))
end

local STYLE = [[
:root { color-scheme: light dark; --page: #f6f4f0; --card: #fff; --text: #26231f; --muted: #756f66; --edge: #e5e0d7; }
@media (prefers-color-scheme: dark) {
  :root { --page: #141517; --card: #1c1e21; --text: #e9e6e1; --muted: #9b968d; --edge: #2c2f34; }
}
body { margin: 0 auto; max-width: 1080px; padding: 24px 16px; background: var(--page); color: var(--text);
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
h1 { font-size: 22px; line-height: 1.25; margin: 0; } h2 { font-size: 14px; margin: 0 0 8px; }
header { margin-bottom: 16px; } header p, .note { color: var(--muted); margin: 2px 0 0; }
section { background: var(--card); border: 1px solid var(--edge); border-radius: 10px;
  padding: 14px 16px; margin-bottom: 16px; overflow-x: auto; }
svg { max-width: 100%; height: auto; display: block; }
table { border-collapse: collapse; font-size: 13px; } .rows { max-height: 480px; overflow: auto; }
th, td { text-align: left; padding: 4px 18px 4px 0; border-bottom: 1px solid var(--edge); white-space: nowrap; }
th { color: var(--muted); font-weight: 500; } .num { text-align: right; font-variant-numeric: tabular-nums; }
]]

local function shown(value)
  if value == nil then return "&ndash;" end
  if math.type(value) == "float" then
    if value ~= value then return "&ndash;" end
    value = value == math.floor(value) and math.abs(value) < 1e9 and ("%d"):format(value) or ("%.4g"):format(value)
  end
  return svg.escape(value)
end

local function table_html(t)
  local out = { t.title and ("<h2>%s</h2>"):format(svg.escape(t.title)) or "", '<div class="rows"><table><thead><tr>' }
  local class = {}
  for k, column in ipairs(t.columns) do
    for _, row in ipairs(t.rows) do
      if type(row[k]) == "number" then class[k] = ' class="num"' end
    end
    out[#out + 1] = ("<th%s>%s</th>"):format(class[k] or "", svg.escape(column))
  end
  out[#out + 1] = "</tr></thead><tbody>"
  for _, row in ipairs(t.rows) do
    local cells = {}
    for k = 1, #t.columns do
      local value = row[k]
      if type(value) == "table" then value = nil end
      cells[k] = ("<td%s>%s</td>"):format(class[k] or "", shown(value))
    end
    out[#out + 1] = "<tr>" .. table.concat(cells) .. "</tr>"
  end
  out[#out + 1] = "</tbody></table></div>"
  if t.note then out[#out + 1] = ('<p class="note">%s</p>'):format(svg.escape(t.note)) end
  return "<section>" .. table.concat(out, "\n") .. "</section>"
end

local function chart_html(chart)
  if #chart.x == 0 or #chart.order == 0 then return "" end
  local order = chart.shown and #chart.shown > 0 and chart.shown or table.move(chart.order, 1, math.min(8,
    #chart.order), 1, {})
  return "<section>" .. plot{ x = chart.x, y = chart.y, order = order, title = chart.title, x_label = chart.x_label,
    y_label = chart.y_label, style = chart.style, width = 960, height = 320 } .. "</section>"
end

-- The paths of a world's bodies, and how many are left out.
local function paths_html(scene)
  if not scene or scene.kind ~= "world" then return "" end
  local charts, moving = require "delassus.page_paths".charts(scene)
  local out = {}
  for i, chart in ipairs(charts) do out[i] = "<section>" .. chart .. "</section>" end
  if moving > 8 then out[#out + 1] = ('<p class="note">The 8 longest of %d paths.</p>'):format(moving) end
  return table.concat(out, "\n")
end

--- A page without the viewer: title, key numbers, paths and charts as SVG, tables, text, and how to get the replay.
function M.plain(report)
  local title = svg.escape(report.title)
  local out = { ([[
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>%s</title>
<style>
%s</style>
</head>
<body>
<header><h1>%s</h1><p>%s</p></header>]]):format(title, STYLE, title, svg.escape(report.subtitle or "")) }
  if #report.numbers > 0 then
    local rows = {}
    for i, row in ipairs(report.numbers) do
      rows[i] = ('<tr><td>%s</td><td class="num">%s</td><td>%s</td></tr>'):format(svg.escape(row[1]), shown(row[2]),
        svg.escape(row[3] or ""))
    end
    out[#out + 1] = "<section><table>" .. table.concat(rows, "\n") .. "</table></section>"
  end
  out[#out + 1] = paths_html(report.scene)
  for _, chart in ipairs(report.charts) do out[#out + 1] = chart_html(chart) end
  for _, t in ipairs(report.tables) do out[#out + 1] = table_html(t) end
  for _, text in ipairs(report.text) do
    local tag = text:find("\n") and "pre" or "div" -- a table by spaces
    out[#out + 1] = ("<section><%s>%s</%s></section>"):format(tag, svg.escape(text), tag)
  end
  out[#out + 1] = '<p class="note">' .. HINT .. "</p>\n</body>\n</html>\n"
  return table.concat(out, "\n")
end

return M
