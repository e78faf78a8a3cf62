-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Made-up recordings with which pages are tried without any mechanics: a bouncing pile, a turning drum of disks, a
-- drum of capsules in space. No physics: closed formulas of time, the same numbers each time.
-- Run as a script it writes one page: lua5.4 spec/support/synthetic_recording.lua pile|drum|capsules FILE.html
local M = {}

-- Numbers 0..1 from an index: the fractional part of multiples of the golden ratio.
local function share(i, salt)
  return (i * 0.6180339887498949 + (salt or 0) * 0.7548776662466927) % 1
end

--- A pile of n logs that falls, is pressed by its own weight, and springs back.
function M.pile(n, frames)
  n, frames = n or 60, frames or 240
  local bars, base, top = {}, {}, 0
  for i = 1, n do
    local r = 0.08 + 0.07 * share(i)
    bars[i] = { name = ("log %d"):format(i), radius = r, length = 2.2 + 0.5 * share(i, 1),
      stiffness = 4e6 + 3e6 * share(i, 2) }
    base[i], top = top + r, top + 2 * r
  end
  local time, heights, forces, x = {}, {}, {}, {}
  local floor_force, middle_force, floor_gap, middle_gap = {}, {}, {}, {}
  for k = 1, frames do
    local t = (k - 1) / (frames - 1) * 1.2
    time[k], x[k], heights[k], forces[k] = t, t, {}, {}
    local squeeze = 0
    for j = 1, n do
      local hit = t - 0.25 - 0.004 * j
      local free = math.max(0, 0.30 - 4.9 * t * t)
      local wave = hit > 0 and math.exp(-3 * hit) * math.max(0, math.sin(38 * hit)) or 0
      forces[k][j] = free > 0 and 0 or (n + 1 - j) * 700 * (0.4 + 6 * wave)
      squeeze = squeeze + forces[k][j] / bars[j].stiffness
      heights[k][j] = base[j] + free * (1 + 0.01 * j) - squeeze
    end
    floor_force[k], middle_force[k] = forces[k][1], forces[k][n // 2]
    floor_gap[k] = math.max(0, 1000 * (heights[k][1] - bars[1].radius + forces[k][1] / bars[1].stiffness))
    middle_gap[k] = 1000 * math.max(0, 0.30 - 4.9 * t * t) * 0.01
  end
  local rows, most = {}, 0
  for i = 1, n do
    local peak, hits = 0, 0
    for k = 1, frames do
      if forces[k][i] > peak then peak = forces[k][i] end
      if k > 1 and forces[k][i] > 0 and forces[k - 1][i] == 0 then hits = hits + 1 end
    end
    rows[i], most = { bars[i].name, 2 * bars[i].radius, bars[i].length, peak, hits }, math.max(most, peak)
  end
  return {
    title = "A pile of logs, made up", subtitle = "closed formulas of time, to try the page",
    numbers = { { "Logs", n }, { "Largest force", most / 1000, "kN" }, { "Height", top, "m" }, { "Duration", 1.2,
      "s" } },
    tables = { { title = "The logs, from the floor up", columns = { "log", "diameter (m)", "length (m)",
      "peak force (N)", "collisions" }, rows = rows } },
    charts = {
      { title = "Force at the contacts", x_label = "time (s)", y_label = "force (N)", x = x,
        y = { floor = floor_force, ["contact 30"] = middle_force }, order = { "floor", "contact 30" } },
      { title = "Gap at the contacts", x_label = "time (s)", y_label = "gap (mm)", x = x, y = { floor = floor_gap,
        ["contact 30"] = middle_gap }, order = { "floor", "contact 30" } },
    },
    text = { "Drawn without any mechanics: this page only shows that pages work." },
    scene = { kind = "bars", time = time, bars = bars, heights = heights, forces = forces, floor = 0 },
  }
end

-- Places of n disks of radius r in the lower part of a circle of radius R, row by row.
local function bed(n, r, R)
  local out, row = {}, 0
  while #out < n do
    local y = -R + 1.05 * r + row * 1.78 * r
    local half = math.sqrt(math.max(0, (R - 1.05 * r) ^ 2 - y * y))
    local x = -half + (row % 2) * r
    while x <= half and #out < n do
      out[#out + 1] = { x, y }
      x = x + 2.06 * r
    end
    row = row + 1
  end
  return out
end

local function drum_charts(time)
  local power, residual, count = {}, {}, {}
  for k, t in ipairs(time) do
    power[k] = 1200 * (1 - math.exp(-t)) + 60 * math.sin(9 * t)
    residual[k] = 1e-7 * (1 + 0.4 * math.sin(31 * t))
    count[k] = 900 + 80 * math.sin(5 * t) + 30 * math.sin(23 * t)
  end
  local bins, share_of = {}, {}
  for i = 1, 24 do bins[i], share_of[i] = i * 50 - 25, math.exp(-((i - 5) / 5) ^ 2) end
  return {
    { title = "Power at the shell", x_label = "time (s)", y_label = "power (W)", x = time, y = { power = power } },
    { title = "Collisions a second", x_label = "time (s)", y_label = "1/s", x = time, y = { collisions = count } },
    { title = "Distribution of contact forces", x_label = "force (N)", y_label = "share", x = bins,
      y = { share = share_of }, style = "bars" },
    { title = "Residual", x_label = "time (s)", y_label = "relative", x = time, y = { residual = residual } },
  }
end

--- A planar drum with n disks that circulate with it.
function M.drum(n, frames)
  n, frames = n or 500, frames or 180
  local R, r, omega = 2, 0.055, 0.6
  local bodies = {
    { name = "floor", type = "static", shape = { kind = "plane", normal = { 0, 1 }, offset = -2.12 } },
    { name = "drum", type = "kinematic", shape = { kind = "drum", radius = R, lifters = { count = 8, height = 0.15,
      width = 0.1 } } },
  }
  local places = bed(n, r, R)
  for i = 1, n do
    bodies[i + 2] = { name = ("log %d"):format(i), shape = { kind = "disk", radius = r * (0.8 + 0.2 * share(i)) } }
  end
  local time, poses, hits, force, contacts = {}, {}, {}, {}, {}
  for k = 1, frames do
    local t = (k - 1) / 30
    time[k] = t
    local p, h, f, c = { 0, 0, 0, 0, 0, omega * t }, { 0, 0 }, { 0, 0 }, {}
    for i, place in ipairs(places) do
      local a = 0.45 + 0.08 * math.sin(0.9 * t + 3 * share(i, 2))
      local x, y = place[1] * math.cos(a) - place[2] * math.sin(a), place[1] * math.sin(a) + place[2] * math.cos(a)
      p[3 * i + 4], p[3 * i + 5], p[3 * i + 6] = x, y, omega * t * (1 + share(i))
      h[i + 2] = math.floor((t + 1) * (2 + 8 * share(i, 1)))
      f[i + 2] = 300 * (R - math.abs(y) < 0.5 and 2 or 1) * share(i, 3) * (1 + 0.5 * math.sin(6 * t + i))
      if i % 2 == 0 then
        for _, v in ipairs{ x + r * 0.5, y - r * 0.87, 20 * math.sin(i), f[i + 2] } do c[#c + 1] = v end
      end
    end
    poses[k], hits[k], force[k], contacts[k] = p, h, f, c
  end
  return {
    title = "A drum of 500 disks, made up", subtitle = "closed formulas of time, to try the page",
    numbers = { { "Logs", n }, { "Speed", 6, "rpm" }, { "Fill", 0.5 }, { "Regime", "cascading" }, { "Worst residual",
      3.2e-8 } },
    charts = drum_charts(time),
    scene = { kind = "world", planar = true, time = time, bodies = bodies, poses = poses, contacts = contacts,
      channels = { { name = "collisions", label = "collisions so far", values = hits }, { name = "force",
        label = "largest contact force", unit = "N", values = force } } },
  }
end

--- A drum in space with n capsules and a few of every other shape.
function M.capsules(n, frames)
  n, frames = n or 160, frames or 120
  local R, L, omega = 1.6, 4, 0.7
  local bodies = {
    { name = "floor", type = "static", shape = { kind = "plane", normal = { 0, 0, 1 }, offset = -1.75 } },
    { name = "drum", type = "kinematic", shape = { kind = "drum", radius = R, length = L, lifters = { count = 6,
      height = 0.15, width = 0.1 }, ends = true } },
  }
  local cube = { { -.1, -.1, -.1 }, { .1, -.1, -.1 }, { 0, .12, -.1 }, { 0, 0, .16 } }
  local others = {
    { kind = "sphere", radius = 0.15 }, { kind = "box", size = { 0.3, 0.2, 0.2 } },
    { kind = "cylinder", radius = 0.1, length = 0.6 }, { kind = "cone", radius1 = 0.14, radius2 = 0.08,
      length = 0.8 }, { kind = "ellipsoid", radii = { 0.2, 0.12, 0.08 } }, { kind = "convex", points = cube },
    { kind = "mesh", vertices = cube, faces = { { 1, 3, 2 }, { 1, 2, 4 }, { 2, 3, 4 }, { 3, 1, 4 } } },
    { kind = "compound", parts = { { shape = { kind = "sphere", radius = 0.1 }, position = { -0.2, 0, 0 } },
      { shape = { kind = "sphere", radius = 0.1 }, position = { 0.2, 0, 0 } } } },
  }
  local r = 0.09
  local places, per = bed(n // 3 + 1, r, R), 3
  for i = 1, n do
    bodies[i + 2] = { name = ("log %d"):format(i), shape = others[i] or { kind = "capsule",
      radius = r * (0.75 + 0.25 * share(i)), length = 0.8 + 0.25 * share(i, 1) } }
  end
  local time, poses, hits = {}, {}, {}
  for k = 1, frames do
    local t = (k - 1) / 20
    time[k] = t
    local a = omega * t
    local p, h = { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, math.cos(a / 2), math.sin(a / 2), 0, 0 }, { 0, 0 }
    for i = 1, n do
      local place = places[(i - 1) // per + 1]
      local b = 0.5 + 0.06 * math.sin(t + 3 * share(i, 2))
      local y, z = place[1] * math.cos(b) - place[2] * math.sin(b), place[1] * math.sin(b) + place[2] * math.cos(b)
      if i <= #others then z = z + 1.1 end
      local turn, yaw = a * (1 + share(i)), 0.25 * (share(i, 4) - 0.5)
      local q = { math.cos(turn / 2) * math.cos(yaw / 2), math.sin(turn / 2) * math.cos(yaw / 2),
        -math.sin(turn / 2) * math.sin(yaw / 2), math.cos(turn / 2) * math.sin(yaw / 2) }
      for _, v in ipairs{ ((i - 1) % per - 1) * 1.25 + 0.1 * (share(i, 5) - 0.5), y, z, q[1], q[2], q[3], q[4] } do
        p[#p + 1] = v
      end
      h[i + 2] = math.floor((t + 1) * (2 + 8 * share(i, 1)))
    end
    poses[k], hits[k] = p, h
  end
  return {
    title = "A drum of capsules, made up", subtitle = "closed formulas of time, to try the page",
    numbers = { { "Logs", n }, { "Speed", 6.7, "rpm" } }, charts = drum_charts(time),
    scene = { kind = "world", time = time, bodies = bodies, poses = poses, channels = { { name = "collisions",
      label = "collisions so far", values = hits } } },
  }
end

if arg and arg[0] and arg[0]:find("synthetic_recording%.lua$") then
  local report = require "delassus.report"
  assert(report(M[arg[1]]()):save(arg[2]))
end

return M
