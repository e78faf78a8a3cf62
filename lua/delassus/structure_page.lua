-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- A page with a slider for the load: one self-contained HTML file, nothing to install.
-- @module delassus.structure_page
local core = require "delassus.core"
local draw = require "delassus.structure_draw"
local json = require "delassus.json"
local svg = require "delassus.svg"

local M = {}

local MOST_STATES = 400 -- of long paths some are left out: every second, third, ...

--- A number with so many digits as a picture shows.
local function short(x) return tonumber(("%.5g"):format(x)) end

local function shortened(list)
  local out = json.list {}
  for i = 1, #list do out[i] = short(list[i]) end
  return out
end

--- What the page knows of one state.
local function frame_of(state)
  local frame = { p = state.p, u = shortened(core.structure_displacements(state)), c = json.list {} }
  for i, c in ipairs(state.contacts) do
    frame.c[i] = json.list { c.state, short(c.normal_force), short(c.tangential_force), short(c.opening), short(c.slip) }
  end
  return frame
end

--- The state at the end of the path, where that is no event: at its target, or a quarter of the way further on a ray.
function M.last_state(path)
  if path.status == "reached" then
    local all = path:all(path.p_limit)
    return all[#all]
  end
  if path.status ~= "ray" then return nil end
  local most = 0
  for _, event in ipairs(path.events) do most = math.max(most, event.p) end
  local all = path:all(most > 0 and 1.25 * most or 1)
  return all[#all]
end

--- States of the path from p = 0 on: those of its events, and its end.
local function frames_of(path)
  local frames, n = json.list {}, path.steps
  local stride = math.ceil((n + 1) / MOST_STATES)
  local first
  for k = 0, n do
    if k % stride == 0 or k == n then
      local state = path:step(k)
      first = first or state
      if state then frames[#frames + 1] = frame_of(state) end
    end
  end
  local last = M.last_state(path)
  if last then frames[#frames + 1] = frame_of(last) end
  return frames, first
end

local PAGE = [[
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>%s</title>
<style>
:root { color-scheme: light dark; --page: #f6f4f0; --card: #fff; --text: #26231f; --muted: #756f66; --edge: #e5e0d7;
  --frame: #1d4f8a; --bent: #3a4654; --rest: #d5d0c7; --force: #b3362b }
@media (prefers-color-scheme: dark) {
  :root { --page: #141517; --card: #1c1e21; --text: #e9e6e1; --muted: #9b968d; --edge: #2c2f34;
    --frame: #7fb2ee; --bent: #b9c2cc; --rest: #44484e; --force: #ef7d6f }
}
body { margin: 0 auto; max-width: 980px; padding: 16px; background: var(--page); color: var(--text);
  font: 14px/1.5 system-ui, sans-serif; }
h1 { font-size: 20px; margin: 0 }
canvas { width: 100%%; background: var(--card); border: 1px solid var(--edge); border-radius: 8px }
label { display: flex; gap: 10px; align-items: center; margin: 8px 0 } input[type=range] { flex: 1 }
table { border-collapse: collapse; font-size: 13px } td, th { padding: 1px 10px; text-align: right }
.rows { max-height: 300px; overflow: auto } .muted { color: var(--muted) }
</style></head><body>
<h1>%s</h1><p class="muted">%s</p>
<canvas id="view" width="1400" height="900"></canvas>
<label>load <input id="load" type="range" min="0" max="1000" value="1000"><output id="p"></output></label>
<label>displacements &times; <input id="scale" type="range" min="0" max="200" value="100"><output id="s"></output></label>
<div class="rows"><table><thead><tr><th>contact</th><th>state</th><th>normal force</th><th>tangential force</th>
<th>opening</th><th>slip</th></tr></thead><tbody id="rows"></tbody></table></div>
<script type="application/json" id="data">%s</script>
<script>
%s</script></body></html>
]]

local SCRIPT = [==[
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const canvas = document.getElementById("view"), g = canvas.getContext("2d");
const load = document.getElementById("load"), scale = document.getElementById("scale");
const at = data.at, frames = data.frames, W = canvas.width, H = canvas.height;
// The way along the path, so that a load that turns back is passed twice.
const way = [0];
for (let k = 1; k < frames.length; k++) way.push(way[k - 1] + Math.abs(frames[k].p - frames[k - 1].p) + 1e-12);
const box = data.box, zoom = Math.min(0.75 * W / (box.x1 - box.x0 || box.size), 0.75 * H / (box.y1 - box.y0 || box.size));
const X = x => W / 2 + (x - (box.x0 + box.x1) / 2) * zoom, Y = y => H / 2 - (y - (box.y0 + box.y1) / 2) * zoom;
function mix(s) {
  let k = 0;
  while (k < frames.length - 2 && way[k + 1] < s) k++;
  const a = frames[k], b = frames[Math.min(k + 1, frames.length - 1)];
  const r = b === a ? 0 : Math.min(1, Math.max(0, (s - way[k]) / (way[k + 1] - way[k])));
  const between = (x, y) => (1 - r) * x + r * y;
  return { p: between(a.p, b.p), u: a.u.map((x, i) => between(x, b.u[i])),
    c: a.c.map((x, i) => [(r < 0.5 ? x : b.c[i])[0]].concat([1, 2, 3, 4].map(n => between(x[n], b.c[i][n])))) };
}
function points(line, u, s) {
  const [a, b, kind] = line, xa = at[2 * a], ya = at[2 * a + 1], xb = at[2 * b], yb = at[2 * b + 1];
  const ua = u[3 * a], va = u[3 * a + 1], ub = u[3 * b], vb = u[3 * b + 1];
  if (kind !== "frame" || s === 0) return [[xa + s * ua, ya + s * va], [xb + s * ub, yb + s * vb]];
  const l = Math.hypot(xb - xa, yb - ya), c = (xb - xa) / l, t = (yb - ya) / l, list = [];
  const na = c * va - t * ua, nb = c * vb - t * ub, ta = u[3 * a + 2] * l, tb = u[3 * b + 2] * l;
  for (let k = 0; k <= 8; k++) {
    const r = k / 8, along = (1 - r) * (c * ua + t * va) + r * (c * ub + t * vb);
    const n = (1 - 3 * r * r + 2 * r ** 3) * na + (r - 2 * r * r + r ** 3) * ta
      + (3 * r * r - 2 * r ** 3) * nb + (r ** 3 - r * r) * tb;
    list.push([xa + r * (xb - xa) + s * (c * along - t * n), ya + r * (yb - ya) + s * (t * along + c * n)]);
  }
  return list;
}
function stroke(list) {
  g.beginPath();
  list.forEach(([x, y], i) => i ? g.lineTo(X(x), Y(y)) : g.moveTo(X(x), Y(y)));
  g.stroke();
}
function draw() {
  const state = mix(way[way.length - 1] * load.value / 1000), s = data.scale * scale.value / 100;
  document.getElementById("p").textContent = "p = " + state.p.toPrecision(6);
  document.getElementById("s").textContent = s.toPrecision(3);
  const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue("--" + name);
  g.clearRect(0, 0, W, H);
  for (const bent of [false, true]) for (const line of data.lines) {
    g.strokeStyle = bent ? colour(line[2] === "frame" ? "frame" : "bent") : colour("rest");
    g.lineWidth = bent && line[2] === "frame" ? 4 : bent ? 1.6 : 1;
    stroke(points(line, state.u, bent ? s : 0));
  }
  const rows = [];
  state.c.forEach((c, i) => {
    const [b, nx, ny] = data.contacts[i], x = X(at[2 * b] + s * state.u[3 * b]), y = Y(at[2 * b + 1] + s * state.u[3 * b + 1]);
    const fx = (c[1] * nx + c[2] * ny) * data.force, fy = (c[1] * ny - c[2] * nx) * data.force;
    g.strokeStyle = colour("force"); g.lineWidth = 2;
    g.beginPath(); g.moveTo(x, y); g.lineTo(x + fx, y - fy); g.stroke();
    g.fillStyle = data.colours[c[0]];
    g.beginPath(); g.arc(x, y, 6, 0, 7); g.fill();
    rows.push("<tr><td>" + (i + 1) + "</td><td>" + c[0] + "</td>"
      + c.slice(1).map(n => "<td>" + n.toPrecision(5) + "</td>").join("") + "</tr>");
  });
  document.getElementById("rows").innerHTML = rows.join("");
}
load.oninput = scale.oninput = matchMedia("(prefers-color-scheme: dark)").onchange = draw;
draw();
]==]

--- The page of a path as text.
-- @tparam StructurePath path
-- @tparam[opt] string title
-- @treturn string HTML
function M.path(path, title)
  local frames, first = frames_of(path)
  if not first then core.raise("path:save", "the path has no state to show: " .. path.explanation) end
  local d = core.structure_drawing(path:step(path.steps) or first)
  local lines, contacts, most = json.list {}, json.list {}, 0
  for i, line in ipairs(draw.lines(d)) do lines[i] = json.list { line[1] - 1, line[2] - 1, line.kind } end
  for i, c in ipairs(d.contacts) do contacts[i] = json.list { c.b - 1, short(c.normal.x), short(c.normal.y) } end
  local largest = { u = {} }
  for i = 1, #d.u do largest.u[i] = frames[#frames].u[i] end
  for _, frame in ipairs(frames) do for _, c in ipairs(frame.c) do most = math.max(most, c[2], math.abs(c[3])) end end
  local box = draw.box(d)
  local data = json.encode { at = shortened(d.at), lines = lines, contacts = contacts, frames = frames, box = box,
    scale = short(draw.usual_scale(largest, box)), force = most > 0 and 120 / most or 0, colours = draw.COLOURS }
  title = svg.escape(title or "Structure under a growing load")
  return PAGE:format(title, title, svg.escape(path.explanation), data, SCRIPT)
end

return M
