-- Scenes that people try first (tens of bodies, boxes, mechanisms): milliseconds a step, residual and overlap beside.
-- lua5.4 bench/scenes.lua [part of a name] [tolerance] [peers] [rounds], with the rock's paths set (make bench
-- BENCH=scenes). CSV.
-- `peers`: beside each scene those of Box2D 2.4, Chipmunk 7, Bullet, ODE that are installed (Debian: libbox2d-dev,
-- libchipmunk-dev, libbullet-dev, libode-dev, g++), in turn from the same start (bench/scene_peers.lua), and the ratio of our
-- mean to theirs.
package.path = "bench/?.lua;" .. package.path
local delassus = require "delassus"
local core = require "delassus.core"
local peers = require "scene_peers"
local tolerance = tonumber(arg[2] or "")
local beside = arg[3] == "peers" and peers.build() or {}
local recording = false -- scenes are written down for peers
local scenes, order = {}, {}
local function scene(name, steps, make) scenes[name] = { steps = steps, make = make } order[#order + 1] = name end
local function world(options)
  options.record = false
  options.tolerance = options.tolerance or tolerance
  if recording then return peers.recorder(options) end
  return delassus.world(options)
end

for _, planar in ipairs{ true, false } do
  for _, rows in ipairs{ 4, 10, 20 } do
    scene(("pyramid of %d boxes at rest, %s"):format(rows * (rows + 1) // 2, planar and "plane" or "space"),
      160, function()
      local w = world{ planar = planar }
      w:floor{ friction = 0.5 }
      for row = 0, rows - 1 do
        for i = 1, rows - row do
          local x, y = (i - (rows - row) / 2) * 1.05, row + 0.5
          w:box{ size = planar and { 1, 1 } or { 1, 1, 1 }, density = 100, friction = 0.5,
            position = planar and { x, y } or { x, 0, y } }
        end
      end
      return w
    end)
  end
end

for _, planar in ipairs{ true, false } do
  scene("stack of 20 boxes at rest, " .. (planar and "plane" or "space"), 500, function()
    local w = world{ planar = planar }
    w:floor{ friction = 0.5 }
    for k = 1, 20 do
      local y = k - 0.5
      w:box{ size = planar and { 1, 1 } or { 1, 1, 1 }, density = 100, friction = 0.5,
        position = planar and { 0, y } or { 0, 0, y } }
    end
    return w
  end)
end

scene("20 dominoes", 2000, function()
  local w = world{}
  w:floor{ friction = 0.5 }
  local first
  for i = 1, 20 do
    local b = w:box{ size = { 0.0075, 0.024, 0.048 }, density = 700, position = { 0.02 * i, 0, 0.024 },
      friction = 0.3 }
    first = first or b
  end
  first:impulse{ impulse = { 0.0015, 0, 0 }, at = { 0.02, 0, 0.045 } }
  return w
end)

-- in a heap, or `apart` metres from each other
local function ragdolls(n, dt, apart)
  local w = world{ dt = dt }
  w:floor{ friction = 0.6 }
  for k = 1, n do
    local z, x = 1 + 1.2 * (apart and 1 or k), (apart or 0.05) * k
    local trunk = w:capsule{ radius = 0.12, length = 0.4, density = 900, position = { x, 0, z },
      rotation = { axis = { 0, 1, 0 }, angle = math.pi / 2 } }
    for s = -1, 1, 2 do
      for h = -1, 1, 2 do
        local upper = w:capsule{ radius = 0.06, length = 0.25, density = 900, position = { x + 0.15 * s,
          0.2 * h, z + 0.1 * s }, rotation = { axis = { 0, 1, 0 }, angle = 0.3 * s } }
        w:joint{ "spherical", trunk, upper, anchor = { x + 0.05 * s, 0.12 * h, z + 0.1 * s }, limits = { cone = 1 } }
        local lower = w:capsule{ radius = 0.05, length = 0.25, density = 900, position = { x + 0.45 * s,
          0.2 * h, z + 0.1 * s } }
        w:joint{ "revolute", upper, lower, anchor = { x + 0.3 * s, 0.2 * h, z + 0.1 * s }, axis = { 0, 1, 0 },
          limits = { -1, 1 } }
      end
    end
  end
  return w
end
scene("five ragdolls in a heap", 3000, function() return ragdolls(5, 1e-3) end)
scene("three ragdolls at 1/60 s", 300, function() return ragdolls(3, 1 / 60) end)
scene("50 ragdolls apart", 2000, function() return ragdolls(50, 1e-3, 5) end)

scene("a ball on a chain into a wall of 60 boxes", 2500, function()
  local w = world{}
  w:floor{ friction = 0.6 }
  for r = 0, 9 do
    for c = 0, 5 do w:box{ size = { 0.3, 0.5, 0.3 }, density = 800, friction = 0.6, position = { 0,
      (c - 2.5) * 0.5 + r % 2 * 0.1, 0.15 + 0.3 * r } } end
  end
  local before = w.ground
  for i = 1, 10 do
    local link = w:capsule{ radius = 0.05, length = 0.2, density = 3000, position = { -0.3 * i + 0.15, 0, 5 } }
    w:joint{ "spherical", before, link, anchor = { -0.3 * (i - 1), 0, 5 } }
    before = link
  end
  local ball = w:sphere{ radius = 0.4, density = 5000, position = { -3.4, 0, 5 } }
  w:joint{ "spherical", before, ball, anchor = { -3, 0, 5 } }
  return w
end)

scene("a rope of 50 capsules over a cylinder", 3000, function()
  local w = world{}
  w:cylinder{ type = "static", radius = 0.3, length = 2, position = { 0, 0, 2 }, rotation = { axis = { 0, 0,
    1 }, angle = math.pi / 2 }, friction = 0.3 }
  local before
  for i = 1, 50 do
    local x = -1.5 + 0.06 * i
    local link = w:capsule{ radius = 0.02, length = 0.06, density = 900, friction = 0.3, position = { x, 0, 2.35 } }
    if before then w:joint{ "spherical", before, link, anchor = { x - 0.03, 0, 2.35 } } end
    before = link
  end
  return w
end)

scene("a bridge of 30 planks with 1 % of slack, a disk on it", 3000, function()
  local w = world{ planar = true }
  local angle, before, x, y = math.acos(0.99), w.ground, 0, 0
  for i = 1, 30 do
    local a = i <= 15 and -angle or angle
    local b = w:box{ size = { 0.2, 0.05 }, density = 500, position = { x + 0.1 * math.cos(a),
      y + 0.1 * math.sin(a) }, rotation = a, friction = 0.5 }
    w:joint{ "revolute", before, b, anchor = { x, y } }
    before, x, y = b, x + 0.2 * math.cos(a), y + 0.2 * math.sin(a)
  end
  w:joint{ "revolute", w.ground, before, anchor = { x, y }, formulation = "rigid" }
  w:disk{ radius = 0.2, density = 1000, position = { x / 2, 1 } }
  return w
end)

scene("a straight bridge of 30 planks, a disk on it", 3000, function()
  local w = world{ planar = true }
  local before = w.ground
  for i = 1, 30 do
    local b = w:box{ size = { 0.2, 0.05 }, density = 500, position = { 0.2 * i - 0.1, 0 }, friction = 0.5 }
    w:joint{ "revolute", before, b, anchor = { 0.2 * (i - 1), 0 } }
    before = b
  end
  w:joint{ "revolute", w.ground, before, anchor = { 6, 0 }, formulation = "rigid" }
  w:disk{ radius = 0.2, density = 1000, position = { 3, 1 } }
  return w
end)

scene("100 balls through a board of pegs", 5000, function()
  local w = world{ planar = true }
  w:floor{ friction = 0.3 }
  w:wall{ normal = { 1, 0 }, offset = -1 }
  w:wall{ normal = { -1, 0 }, offset = -1 }
  for r = 0, 7 do
    for c = 0, 7 do w:disk{ radius = 0.03, type = "static", position = { -0.9 + 0.25 * c + r % 2 * 0.12,
      0.6 + 0.2 * r }, restitution = 0.4 } end
  end
  local random = delassus.random(2)
  for i = 1, 100 do w:disk{ radius = 0.04, density = 500, restitution = 0.4, friction = 0.2,
    position = { random:uniform(-0.1, 0.1), 2.5 + 0.1 * i } } end
  return w
end)

scene("a car on a bumpy mesh", 5000, function()
  local w = world{}
  local random, v, f = delassus.random(3), {}, {}
  for i = 0, 30 do for j = 0, 8 do v[#v + 1] = { -2 + 0.5 * i, -2 + 0.5 * j, random:uniform(0, 0.05) } end end
  for i = 0, 29 do for j = 0, 7 do local a = i * 9 + j + 1 f[#f + 1] = { a, a + 9, a + 10 } f[#f + 1] = { a,
    a + 10, a + 1 } end end
  w:mesh{ vertices = v, faces = f, type = "static", friction = 0.9 }
  local body = w:box{ size = { 1.2, 0.6, 0.2 }, density = 400, position = { 0, 0, 0.5 }, friction = 0.5 }
  for sx = -1, 1, 2 do
    for sy = -1, 1, 2 do
      local at = { 0.45 * sx, 0.4 * sy, 0.35 }
      local wheel = w:cylinder{ radius = 0.2, length = 0.12, density = 600, friction = 0.9, position = at,
        rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 } }
      w:joint{ "revolute", body, wheel, anchor = at, axis = { 0, 1, 0 }, motor = { speed = 8, max_torque = 60 } }
    end
  end
  return w
end)

scene("1000 boxes in a pit, 1e-3", 1000, function()
  local w = world{ tolerance = 1e-3 }
  w:floor{ friction = 0.5 }
  for s = -1, 1, 2 do
    w:box{ type = "static", size = { 0.2, 5, 5 }, position = { 1.6 * s, 0, 2.5 } }
    w:box{ type = "static", size = { 5, 0.2, 5 }, position = { 0, 1.6 * s, 2.5 } }
  end
  local random = delassus.random(4)
  for i = 0, 999 do
    w:box{ size = { 0.2, 0.2, 0.2 }, density = 500, friction = 0.5, rotation = { axis = { 1, 1, 1 },
      angle = random:uniform(0, 1) },
      position = { -1.2 + 0.3 * (i % 9), -1.2 + 0.3 * (i // 9 % 9), 0.2 + 0.3 * (i // 81) } }
  end
  return w
end)

scene("64 boxes poured into a pit at 1/60 s", 240, function()
  local w = world{ dt = 1 / 60 }
  w:floor{ friction = 0.5 }
  for s = -1, 1, 2 do
    w:box{ type = "static", size = { 0.2, 2, 8 }, position = { 0.5 * s, 0, 4 }, friction = 0.3 }
    w:box{ type = "static", size = { 2, 0.2, 8 }, position = { 0, 0.5 * s, 4 }, friction = 0.3 }
  end
  local random = delassus.random(3)
  for k = 0, 63 do
    w:box{ density = 700, friction = 0.5, position = { random:uniform(-0.25, 0.25), random:uniform(-0.25, 0.25), 0.15 + 0.1 * k },
      size = { random:uniform(0.08, 0.16), random:uniform(0.08, 0.16), random:uniform(0.08, 0.16) },
      rotation = { axis = { random:uniform(-1, 1), random:uniform(-1, 1), 1 }, angle = random:uniform(0, 3) } }
  end
  return w
end)

scene("a ball into a wall of 64 bricks", 1000, function()
  local w = world{}
  w:floor{ friction = 0.6 }
  for row = 0, 7 do
    for k = 0, 7 do
      w:box{ size = { 0.4, 0.2, 0.2 }, density = 1800, friction = 0.6,
        position = { 0.41 * k + row % 2 * 0.2, 0, 0.1 + 0.2 * row } }
    end
  end
  w:sphere{ radius = 0.2, density = 5000, position = { 1.6, -2, 0.8 }, velocity = { 0, 8, 0 }, friction = 0.5, restitution = 0.2 }
  return w
end)

scene("150 disks through a funnel at 1/60 s", 180, function()
  local w = world{ planar = true, dt = 1 / 60 }
  w:floor{ friction = 0.3 }
  for s = -1, 1, 2 do
    w:box{ type = "static", size = { 2, 0.05 }, position = { 0.78 * s, 1.2 }, rotation = 0.8 * s, friction = 0.2 }
  end
  local random = delassus.random(5)
  for i = 0, 149 do
    w:disk{ radius = 0.03, density = 1000, friction = 0.2,
      position = { 0.065 * (i % 12 - 5.5) + random:uniform(-0.002, 0.002), 1.5 + 0.065 * (i // 12) } }
  end
  return w
end)

scene("150 disks in a bin, a pendulum beside, plane", 1500, function()
  local w = world{ planar = true }
  w:floor{ friction = 0.4 }
  for s = -1, 1, 2 do w:box{ type = "static", size = { 0.1, 4 }, position = { 1.6 * s, 2 }, friction = 0.4 } end
  local random = delassus.random(3)
  for i = 0, 149 do
    w:disk{ radius = random:uniform(0.08, 0.12), density = 500, friction = 0.4,
      position = { 0.25 * (i % 12 - 5.5), 0.15 + 0.25 * (i // 12) } }
  end
  local arm = w:box{ size = { 1, 0.05 }, density = 500, position = { -3, 5 } }
  w:joint{ "revolute", w.ground, arm, anchor = { -2.5, 5 } }
  return w
end)

scene("a ball on 20 links into 40 boxes, plane", 3000, function()
  local w = world{ planar = true }
  w:floor{ friction = 0.5 }
  local before, x = w.ground, 0
  for _ = 1, 20 do
    local link = w:capsule{ radius = 0.04, length = 0.12, density = 2000, position = { x - 0.1, 4 } }
    w:joint{ "revolute", before, link, anchor = { x, 4 } }
    before, x = link, x - 0.2
  end
  local ball = w:disk{ radius = 0.3, density = 4000, position = { x - 0.3, 4 } }
  w:joint{ "revolute", before, ball, anchor = { x, 4 } }
  for r = 0, 9 do
    for c = 0, 3 do
      w:box{ size = { 0.4, 0.3 }, density = 600, friction = 0.5, position = { 0.5 + 0.41 * c + r % 2 * 0.1, 0.15 + 0.3 * r } }
    end
  end
  return w
end)

scene("a hanging bridge of 20 planks, two ball joints each, 5 boxes on it", 1000, function()
  local w = world{}
  local function hang(a, b, x)
    for side = -1, 1, 2 do w:joint{ "spherical", a, b, anchor = { x, 0.25 * side, 2 } } end
  end
  local last = w.ground
  for k = 0, 19 do
    local plank = w:box{ size = { 0.18, 0.6, 0.04 }, density = 500, friction = 0.6, position = { 0.2 * k, 0, 2 } }
    hang(last, plank, 0.2 * k - 0.1)
    last = plank
  end
  hang(last, w.ground, 3.9)
  for k = 0, 4 do w:box{ size = { 0.2, 0.2, 0.2 }, density = 500, friction = 0.6, position = { 0.6 + 0.6 * k, 0, 2.3 } } end
  return w
end)

--- A row of ours: name, steps, mean, median, 99 %, worst, missed, residual, overlap; -> mean.
local function ours(name, s)
  local w, ms, sum, missed, residual, overlap, began = s.make(), {}, 0, 0, 0, 0, core.now()
  for k = 1, s.steps do
    local t, before = core.now(), w.stats.unconverged
    w:step()
    ms[k] = 1e3 * (core.now() - t)
    sum = sum + ms[k]
    if w.stats.unconverged > before then missed = missed + 1 end
    residual, overlap = math.max(residual, w.stats.residual), math.max(overlap, w.stats.penetration)
    if core.now() - began > 120 then break end
  end
  local n = #ms
  table.sort(ms)
  w:close()
  local mean, median = sum / n, ms[(n + 1) // 2]
  return { mean = mean, median = median, text = ('"%s",%d,%.4f,%.4f,%.4f,%.2f,%d,%.1e,%.1e'):format(name, n, mean, median,
    ms[math.ceil(0.99 * n)], ms[n], missed, residual, overlap) }
end

local rounds = tonumber(arg[4]) or #beside > 0 and 3 or 1 -- of each the one with the least mean
print "scene,steps,mean_ms,median_ms,p99_ms,worst_ms,missed,residual,overlap"
if #beside > 0 then print "#scene,peer,mean_ms,median_ms,p99_ms,worst_ms,lowest_m,our_mean_by_its,our_median_by_its" end
for _, name in ipairs(order) do
  if not arg[1] or name:find(arg[1], 1, true) then
    local s, best, of_peers = scenes[name], { mean = math.huge }, {}
    local path
    if #beside > 0 then
      recording = true
      path = peers.write(s.make(), s.steps)
      recording = false
    end
    for _ = 1, rounds do
      local one = ours(name, s)
      if one.mean < best.mean then best = one end
      for _, peer in ipairs(beside) do
        local row = path and peers.run(peer, path)
        if row and row.mean < (of_peers[peer] or { mean = math.huge }).mean then of_peers[peer] = row end
      end
    end
    print(best.text)
    for _, peer in ipairs(beside) do
      local row = of_peers[peer]
      if row then print(('#"%s",%s,%.3f,%.3f'):format(name, row.text, best.mean / row.mean, best.median / row.median)) end
    end
    io.stdout:flush()
    if path then os.remove(path) end
  end
end
