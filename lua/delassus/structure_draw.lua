-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Pictures of structures: SVG of a state, undeformed and deformed, contacts by colour, forces by arrows.
-- @module delassus.structure_draw
local core = require "delassus.core"
local svg = require "delassus.svg"

local M = {}

M.COLOURS = { stick = "#2f8f4e", slip = "#d9822b", apart = "#9aa3ad" }
local FRAME_POINTS = 8 -- of a bent frame
local MOST_CELLS = 4000 -- quads beyond are drawn by their outline

--- Largest extent of the nodes at rest, and the box around them.
local function box_of(d)
  local x0, x1, y0, y1 = math.huge, -math.huge, math.huge, -math.huge
  for i = 1, #d.at, 2 do
    x0, x1 = math.min(x0, d.at[i]), math.max(x1, d.at[i])
    y0, y1 = math.min(y0, d.at[i + 1]), math.max(y1, d.at[i + 1])
  end
  if x0 > x1 then x0, x1, y0, y1 = 0, 1, 0, 1 end
  return { x0 = x0, x1 = x1, y0 = y0, y1 = y1, size = math.max(x1 - x0, y1 - y0, 1e-300) }
end

--- A scale of displacements that shows the largest as a twelfth of the structure.
local function usual_scale(d, box)
  local most = 0
  for i = 1, #d.u, 3 do most = math.max(most, math.abs(d.u[i]), math.abs(d.u[i + 1])) end
  return most > 0 and box.size / 12 / most or 1
end

--- Lines of the elements as lists of nodes: outlines of quads each once.
function M.lines(d)
  local lines, seen, n_quads = {}, {}, 0
  for _, e in ipairs(d.elements) do n_quads = n_quads + (e.kind == "quad" and 1 or 0) end
  for _, e in ipairs(d.elements) do
    if e.kind == "quad" then
      for k = 1, 4 do
        local a, b = e[k], e[k % 4 + 1]
        local key = math.min(a, b) * (#d.at + 1) + math.max(a, b)
        if not seen[key] then
          lines[#lines + 1] = { a, b, kind = "quad" }
          seen[key] = #lines
        elseif n_quads > MOST_CELLS then
          lines[seen[key]].kind = "inner"
        end
      end
    else
      lines[#lines + 1] = { e[1], e[2], kind = e.kind }
    end
  end
  local kept = {}
  for _, line in ipairs(lines) do if line.kind ~= "inner" then kept[#kept + 1] = line end end
  return kept
end

--- Points of a line moved by s times the displacements u; a frame bends as its cubic.
function M.points(d, line, u, s)
  local a, b = line[1], line[2]
  local xa, ya, xb, yb = d.at[2 * a - 1], d.at[2 * a], d.at[2 * b - 1], d.at[2 * b]
  local ua, va, ub, vb = u[3 * a - 2], u[3 * a - 1], u[3 * b - 2], u[3 * b - 1]
  if line.kind ~= "frame" or s == 0 then
    return { { xa + s * ua, ya + s * va }, { xb + s * ub, yb + s * vb } }
  end
  local dx, dy = xb - xa, yb - ya
  local length = math.sqrt(dx * dx + dy * dy)
  local c, t = dx / length, dy / length
  local across_a, across_b = c * va - t * ua, c * vb - t * ub
  local turn_a, turn_b = u[3 * a] * length, u[3 * b] * length
  local points = {}
  for k = 0, FRAME_POINTS do
    local r = k / FRAME_POINTS
    local along = (1 - r) * (c * ua + t * va) + r * (c * ub + t * vb)
    local across = (1 - 3 * r ^ 2 + 2 * r ^ 3) * across_a + (r - 2 * r ^ 2 + r ^ 3) * turn_a
      + (3 * r ^ 2 - 2 * r ^ 3) * across_b + (r ^ 3 - r ^ 2) * turn_b
    points[k + 1] = { xa + r * dx + s * (c * along - t * across), ya + r * dy + s * (t * along + c * across) }
  end
  return points
end

local function path_of(view, points)
  local parts = {}
  for i, p in ipairs(points) do
    local x, y = view(p[1], p[2])
    parts[i] = ("%s%.1f %.1f"):format(i == 1 and "M" or "L", x, y)
  end
  return table.concat(parts, " ")
end

local function arrow(view, x, y, dx, dy, class)
  local x1, y1 = view(x, y)
  local x2, y2 = x1 + dx, y1 - dy
  local length = math.sqrt(dx * dx + dy * dy)
  if length < 1 then return "" end
  local ux, uy = dx / length * 4, -dy / length * 4
  return ('<path class="%s" d="M%.1f %.1f L%.1f %.1f M%.1f %.1f L%.1f %.1f L%.1f %.1f"/>'):format(class, x1, y1, x2, y2,
    x2 - 1.6 * ux + uy, y2 - 1.6 * uy - ux, x2, y2, x2 - 1.6 * ux - uy, y2 - 1.6 * uy + ux)
end

local function supports(d, view, out)
  for i, held in ipairs(d.held) do
    if held ~= 0 then
      local x, y = view(d.at[2 * i - 1], d.at[2 * i])
      out[#out + 1] = ('<path class="support" d="M%.1f %.1f l-5 8 h10 z"/>'):format(x, y)
    end
  end
end

--- The largest of some forces, so that its arrow is a ninth of the picture.
local function arrow_scale(d, contacts, width)
  local most = 0
  for _, c in ipairs(contacts) do
    most = math.max(most, math.sqrt(c.normal_force ^ 2 + c.tangential_force ^ 2))
  end
  for i = 1, #d.load, 3 do most = math.max(most, math.abs(d.load[i]), math.abs(d.load[i + 1])) end
  return most > 0 and width / 9 / most or 0
end

local function draw_contacts(d, state, view, s, force_scale, out)
  for i, c in ipairs(state.contacts) do
    local pair = d.contacts[i]
    local b, n = pair.b, pair.normal
    local x, y = d.at[2 * b - 1] + s * d.u[3 * b - 2], d.at[2 * b] + s * d.u[3 * b - 1]
    local fx = c.normal_force * n.x + c.tangential_force * n.y
    local fy = c.normal_force * n.y - c.tangential_force * n.x
    local px, py = view(x, y)
    if force_scale > 0 then out[#out + 1] = arrow(view, x, y, fx * force_scale, fy * force_scale, "force") end
    out[#out + 1] = ('<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"><title>contact %d: %s, %.4g N</title></circle>')
      :format(px, py, M.COLOURS[c.state], i, c.state, c.normal_force)
  end
end

local STYLE = '<style>.rest{stroke:#c9c4bb;stroke-width:.7;fill:none}.bent{stroke:#3a4654;stroke-width:1.2;fill:none}'
  .. ".frame{stroke:#1d4f8a;stroke-width:2.2;fill:none}.support{fill:#756f66}.force{stroke:#b3362b;stroke-width:1.3;"
  .. "fill:none}.load{stroke:#6b3fa0;stroke-width:1.5;fill:none}text{font:12px sans-serif;fill:#26231f}</style>"

--- Draws a state.
-- @tparam StructureState state
-- @tparam table o `width` in pixels (640), `scale` of displacements, `title`, `forces` (true)
-- @treturn string SVG
function M.state(state, o)
  local d = core.structure_drawing(state)
  local box, width = box_of(d), o.width or 640
  local s = o.scale or usual_scale(d, box)
  local pad, top = width / 8, 34
  local zoom = (width - 2 * pad) / box.size
  local height = math.ceil((box.y1 - box.y0) * zoom + 2 * pad + top)
  local x_off = pad + (box.size - (box.x1 - box.x0)) * zoom / 2
  local function view(x, y) return x_off + (x - box.x0) * zoom, top + pad + (box.y1 - y) * zoom end
  local out = { ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">'):format(width,
    height, width, height), STYLE, '<rect width="100%" height="100%" fill="#fff"/>' }
  local lines = M.lines(d)
  for pass = 1, 2 do
    for _, line in ipairs(lines) do
      local class = pass == 1 and "rest" or line.kind == "frame" and "frame" or "bent"
      out[#out + 1] = ('<path class="%s" d="%s"/>'):format(class,
        path_of(view, M.points(d, line, d.u, pass == 1 and 0 or s)))
    end
  end
  supports(d, view, out)
  local force_scale = o.forces == false and 0 or arrow_scale(d, state.contacts, width)
  for i = 1, #d.load // 3 do
    out[#out + 1] = arrow(view, d.at[2 * i - 1] + s * d.u[3 * i - 2], d.at[2 * i] + s * d.u[3 * i - 1],
      d.load[3 * i - 2] * force_scale, d.load[3 * i - 1] * force_scale, "load")
  end
  draw_contacts(d, state, view, s, force_scale, out)
  out[#out + 1] = ('<text x="8" y="18">%s</text>'):format(svg.escape(o.title
    or ("p = %.6g, displacements times %.3g"):format(state.p, s)))
  local x = 8
  for _, name in ipairs { "stick", "slip", "apart" } do
    out[#out + 1] = ('<circle cx="%d" cy="%d" r="4" fill="%s"/><text x="%d" y="%d">%s</text>'):format(x + 4, height - 12,
      M.COLOURS[name], x + 12, height - 8, name)
    x = x + 60
  end
  out[#out + 1] = "</svg>"
  return table.concat(out, "\n") .. "\n"
end

M.box, M.usual_scale = box_of, usual_scale

return M
