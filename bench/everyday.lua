-- What people build at their first try, in steps of 1 ms, 1/240 and 1/60 s: ropes with a load, arches, vehicles, grippers,
-- bridges of ropes, chains upon boxes (funnels, and a ball on a chain into boxes in space, are in scenes.lua). It told of
-- chains that folded, piles that projections held up, ropes that gave way.
-- lua5.4 bench/everyday.lua [part of a name], with the rock's paths set (make bench BENCH=everyday). CSV, a line for each
-- scene and step: ms of processor a step, the worst, missed steps, steps told as infeasible, the worst overlap left, energy at
-- first, the most there was (motors and what is moved give some), at the end, and what projections gave, J.
local delassus = require "delassus"
local scenes, order = {}, {}
local function scene(name, make) scenes[name] = make order[#order + 1] = name end
local function turn(x, y, z, angle) return { axis = { x, y, z }, angle = angle } end
local across = turn(0, 0, 1, math.pi / 2) -- an axis along x goes along y
local upright = turn(0, 1, 0, math.pi / 2) -- or along z

--- Links of a rope, straight down from a point; -> the last one
local function rope(w, from, x, z, n)
  for _ = 1, n do
    local link = w:capsule{ radius = 0.02, length = 0.06, density = 7800, position = { x, 0, z - 0.05 } }
    w:joint{ "spherical", from, link, anchor = { x, 0, z } }
    from, z = link, z - 0.1
  end
  return from, z
end

scene("crane with a load on a rope, its jib turns", function(w)
  local jib = w:box{ size = { 4, 0.2, 0.2 }, density = 500, position = { 2, 0, 6 } }
  w:joint{ "revolute", w.ground, jib, anchor = { 0, 0, 6 }, axis = { 0, 0, 1 }, motor = { speed = 0.5, max_torque = 1e5 } }
  local last, z = rope(w, jib, 3.8, 5.9, 30)
  local load = w:box{ size = { 0.6, 0.6, 0.6 }, density = 1500, position = { 3.8, 0, z - 0.3 } }
  w:joint{ "spherical", last, load, anchor = { 3.8, 0, z } }
end)

scene("load on a rope that is let go over a post", function(w)
  w:floor{}
  w:cylinder{ type = "static", radius = 0.1, length = 4, position = { 0.6, 0, 3.5 }, rotation = across, friction = 0.5 }
  local last, z = rope(w, w.ground, 0, 5, 30)
  local load = w:sphere{ radius = 0.2, mass = 300, position = { 0, 0, z - 0.2 }, velocity = { 5, 0, 0 } }
  w:joint{ "spherical", last, load, anchor = { 0, 0, z } }
end)

scene("bridge of planks on ropes, balls on it", function(w)
  local last, n = w.ground, 12
  for i = 1, n + 1 do
    local plank = w.ground
    if i <= n then plank = w:box{ size = { 0.2, 0.8, 0.04 }, density = 500, friction = 0.5, position = { 0.25 * i, 0, 1 } } end
    for side = -1, 1, 2 do
      w:contact{ last, plank, rope = 0.06, point_a = last == w.ground and { 0.1, 0.35 * side, 1 } or { 0.1, 0.35 * side, 0 },
        point_b = plank == w.ground and { 0.25 * i - 0.1, 0.35 * side, 1 } or { -0.1, 0.35 * side, 0 } }
    end
    last = plank
  end
  for i = 0, 3 do w:sphere{ radius = 0.12, density = 1000, friction = 0.5, position = { 0.8 + 0.5 * i, 0, 1.4 } } end
end)

scene("cloth of ropes on a ball", function(w)
  w:sphere{ type = "static", radius = 0.5, friction = 0.4 }
  local knots = {}
  for i = 0, 9 do
    knots[i] = {}
    for j = 0, 9 do
      knots[i][j] = w:sphere{ radius = 0.03, density = 300, friction = 0.4,
                              position = { 0.1 * (i - 4.5), 0.1 * (j - 4.5), 0.56 } }
      if i > 0 then w:contact{ knots[i - 1][j], knots[i][j], rope = 0.1 } end
      if j > 0 then w:contact{ knots[i][j - 1], knots[i][j], rope = 0.1 } end
    end
  end
end)

scene("dominoes in a spiral", function(w)
  w:floor{ friction = 0.5 }
  local first, a = nil, 0
  for _ = 1, 80 do
    local r = 0.15 + 0.012 * a
    local b = w:box{ size = { 0.008, 0.03, 0.06 }, density = 700, friction = 0.3, rotation = turn(0, 0, 1, a + math.pi / 2),
      position = { r * math.cos(a), r * math.sin(a), 0.03 } }
    first, a = first or b, a + 0.028 / r
  end
  first:impulse{ impulse = { 0, 0.003, 0 }, at = { 0.15, 0, 0.055 } }
end)

scene("tower of 54 sticks, one is pulled", function(w)
  w:floor{ friction = 0.5 }
  for row = 0, 17 do
    for k = -1, 1 do
      local along, side = row % 2 == 0, 0.0252 * k
      local stick = w:box{ size = along and { 0.075, 0.025, 0.015 } or { 0.025, 0.075, 0.015 }, density = 600, friction = 0.35,
        position = along and { 0, side, 0.0075 + 0.015 * row } or { side, 0, 0.0075 + 0.015 * row } }
      if row == 6 and k == 0 then stick.velocity = { 1, 0, 0 } end
    end
  end
end)

scene("arch of 13 stones, a box falls on it", function(w)
  w:floor{ friction = 0.8 }
  for i = 0, 12 do
    local points = {}
    for _, y in ipairs{ -0.2, 0.2 } do
      for _, radius in ipairs{ 1, 1.3 } do
        for k = i, i + 1 do
          local a = math.pi * k / 13
          points[#points + 1] = { radius * math.cos(a), y, radius * math.sin(a) }
        end
      end
    end
    w:convex{ points = points, density = 2000, friction = 0.8 }
  end
  w:box{ size = { 0.3, 0.3, 0.3 }, density = 2000, position = { 0, 0, 1.5 }, friction = 0.8 }
end)

scene("ten pins and a ball", function(w)
  w:floor{ friction = 0.2 }
  for row = 0, 3 do
    for k = 0, row do
      w:cylinder{ radius = 0.06, length = 0.38, density = 400, friction = 0.3, restitution = 0.3, rotation = upright,
        position = { 0.26 * row, 0.3 * (k - row / 2), 0.19 } }
    end
  end
  w:sphere{ radius = 0.108, density = 1200, friction = 0.1, position = { -2, 0.03, 0.108 }, velocity = { 7, 0, 0 } }
end)

scene("gripper that lifts a box", function(w)
  w:floor{ friction = 0.5 }
  w:box{ size = { 0.1, 0.1, 0.1 }, density = 500, position = { 0, 0, 0.05 }, friction = 0.8 }
  local hand = w:box{ type = "kinematic", size = { 0.4, 0.1, 0.05 }, position = { 0, 0, 0.25 },
    motion = function(t) return { 0, 0, 0.25 + math.max(0, t - 1) * 0.1 } end }
  for side = -1, 1, 2 do
    local finger = w:box{ size = { 0.02, 0.08, 0.16 }, density = 2000, position = { 0.1 * side, 0, 0.1 }, friction = 0.8 }
    w:joint{ "prismatic", hand, finger, axis = { -side, 0, 0 }, motor = { speed = 0.1, max_force = 40 }, limits = { 0, 0.1 } }
  end
end)

scene("car with springs over ten bumps", function(w)
  w:floor{ friction = 0.9 }
  for i = 1, 10 do
    w:cylinder{ type = "static", radius = 0.1, length = 3, position = { 1.5 * i, 0, -0.03 }, rotation = across, friction = 0.9 }
  end
  local body = w:box{ size = { 2, 0.8, 0.3 }, density = 300, position = { 0, 0, 0.8 }, velocity = { 8, 0, 0 } }
  for x = -0.7, 0.7, 1.4 do
    for side = -1, 1, 2 do
      local hub = w:box{ size = { 0.1, 0.1, 0.1 }, density = 2000, position = { x, 0.6 * side, 0.35 }, velocity = { 8, 0, 0 } }
      w:joint{ "prismatic", body, hub, axis = { 0, 0, 1 }, limits = { -0.2, 0.2 },
        motor = { position = 0, stiffness = 2e4, damping = 1500, max_force = 1e5 } }
      local at = { x, 0.75 * side, 0.35 }
      local wheel = w:cylinder{ radius = 0.33, length = 0.2, density = 300, position = at, rotation = across, friction = 1,
        velocity = { 8, 0, 0 }, angular_velocity = { 0, 8 / 0.33, 0 } }
      w:joint{ "revolute", hub, wheel, anchor = at, axis = { 0, 1, 0 } }
    end
  end
end)

scene("120 balls in a box, a crate falls on them", function(w)
  w:floor{ friction = 0.4 }
  for side = -1, 1, 2 do w:wall{ normal = { -side, 0, 0 }, offset = -0.4 } w:wall{ normal = { 0, -side, 0 }, offset = -0.4 } end
  for i = 0, 119 do
    w:sphere{ radius = 0.06, density = 200, friction = 0.3, restitution = 0.3,
      position = { 0.13 * (i % 5 - 2), 0.13 * (i // 5 % 5 - 2), 0.07 + 0.13 * (i // 25) } }
  end
  w:box{ size = { 0.3, 0.3, 0.3 }, density = 600, position = { 0, 0, 1.6 }, rotation = turn(1, 1, 0, 0.6) }
end)

scene("boxes off a belt", function(w)
  w:floor{ friction = 0.5 }
  w:box{ type = "kinematic", size = { 4, 1, 0.1 }, position = { 0, 0, 1 }, friction = 0.7,
    motion = function() return { 0, 0, 1 }, { 1, 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 0 } end }
  for i = 0, 19 do
    w:box{ size = { 0.2, 0.2, 0.2 }, density = 400, friction = 0.5,
      position = { -1.5 + 0.25 * (i % 6), 0.3 * (i // 6 % 3 - 1), 1.2 + 0.25 * (i // 18) } }
  end
end)

scene("trebuchet, plane", function(w)
  w:floor{ friction = 0.6 }
  local c, s = math.cos(0.5), math.sin(0.5)
  local beam = w:box{ size = { 4, 0.15 }, density = 300, position = { 0.8, 2 }, rotation = 0.5 }
  w:joint{ "revolute", w.ground, beam, anchor = { 0, 2 - 0.8 * s / c } }
  local weight = w:box{ size = { 0.7, 0.7 }, density = 3000, position = { 0.8 - 2 * c, 1.5 - 2 * s } }
  w:joint{ "revolute", beam, weight, anchor = { 0.8 - 2 * c, 2 - 2 * s } }
  local last, x, y = beam, 0.8 + 2 * c, 2 + 2 * s
  for _ = 1, 8 do
    local link = w:capsule{ radius = 0.02, length = 0.15, density = 500, position = { x, y - 0.1 } }
    w:joint{ "revolute", last, link, anchor = { x, y } }
    last, y = link, y - 0.2
  end
  local ball = w:disk{ radius = 0.15, density = 800, position = { x, y - 0.15 } }
  w:joint{ "revolute", last, ball, anchor = { x, y } }
end)

--- Three chains of 14 links fall upon a row of boxes.
local function chains(planar)
  return function(w)
    local function at(x, z) return planar and { x, z } or { x, 0, z } end
    w:floor{ friction = 0.5 }
    for c = 1, 3 do
      local before
      for k = 1, 14 do
        local x, z = 0.2 * k + 0.07 * c, 0.5 + 0.25 * c
        local link = w:capsule{ radius = 0.04, length = 0.12, density = 1000, position = at(x, z), friction = 0.5 }
        if before then w:joint{ planar and "revolute" or "spherical", before, link, anchor = at(x - 0.1, z) } end
        before = link
      end
    end
    for k = 1, 6 do
      w:box{ size = planar and { 0.3, 0.3 } or { 0.3, 0.3, 0.3 }, density = 500, position = at(0.6 * k, 0.15),
        friction = 0.5 }
    end
  end
end
scene("chains fall upon boxes, plane", chains(true))
scene("chains fall upon boxes", chains(false))

scene("ball on a chain into 40 boxes, plane", function(w)
  w:floor{ friction = 0.5 }
  local before, x = w.ground, -0.5
  for _ = 1, 20 do
    local link = w:capsule{ radius = 0.04, length = 0.12, density = 2000, position = { x - 0.1, 4 } }
    w:joint{ "revolute", before, link, anchor = { x, 4 } }
    before, x = link, x - 0.2
  end
  local ball = w:disk{ radius = 0.3, density = 4000, position = { x - 0.3, 4 }, friction = 0.5 }
  w:joint{ "revolute", before, ball, anchor = { x, 4 } }
  for row = 0, 9 do
    for k = 0, 3 do
      w:box{ size = { 0.4, 0.3 }, density = 600, friction = 0.5, position = { 0.41 * k + row % 2 * 0.1, 0.15 + 0.3 * row } }
    end
  end
end)

local function energy(w)
  local kinetic, potential, stored = w:energy()
  return kinetic + potential + stored
end

print "scene,dt,mean_ms,worst_ms,missed,infeasible,overlap,energy,most,end,by_projections"
for _, name in ipairs(order) do
  for _, dt in ipairs{ 1e-3, 1 / 240, 1 / 60 } do
    if not arg[1] or name:find(arg[1], 1, true) then
      local w = delassus.world{ dt = dt, planar = name:find("plane", 1, true) ~= nil, record = false }
      scenes[name](w)
      local first, sum, worst, infeasible, overlap, steps = energy(w), 0, 0, 0, 0, math.floor(3 / dt)
      local most = first
      for _ = 1, steps do
        local began = os.clock()
        w:step()
        local ms, stats = 1e3 * (os.clock() - began), w.stats
        sum, worst, most = sum + ms, math.max(worst, ms), math.max(most, energy(w))
        infeasible, overlap = infeasible + (stats.infeasible and 1 or 0), math.max(overlap, stats.penetration)
      end
      print(('"%s",%.5f,%.3f,%.2f,%d,%d,%.1e,%.4g,%.4g,%.4g,%.3g'):format(name, dt, sum / steps, worst, w.stats.unconverged,
        infeasible, overlap, first, most, energy(w), w:ledger().correction))
      io.stdout:flush()
      w:close()
    end
  end
end
