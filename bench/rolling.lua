-- Heaps that come to rest with and without rolling friction, by Newton's law and by Poisson's: 30 disks, boxes, capsules between
-- walls in the plane, 27 in space, dropped, and a bed of 300 disks; 1.5 s at 1 kHz.
-- lua5.4 bench/rolling.lua, with the rock's paths set (make bench BENCH=rolling). CSV: ms of processor a step, mean, middle,
-- worst, and the mean of the last third, in which they come to rest.
local delassus = require "delassus"
local STEPS, LATE = 1500, 1000

local function heap(planar, kind, rolling, restitution, impact)
  local world = delassus.world{ planar = planar, dt = 1e-3, record = false, impact = impact }
  local random = delassus.random(7)
  local material = delassus.material{ friction = 0.4, restitution = restitution, rolling_friction = rolling }
  world:floor{ material = material }
  local bed = kind == "bed"
  local half, across, n = 0.5, 6, 30
  if bed then half, across, n = 1.46, 18, 300 elseif not planar then half, across, n = 0.3, 9, 27 end
  local normals = planar and { { 1, 0 }, { -1, 0 } } or { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } }
  for _, normal in ipairs(normals) do world:wall{ normal = normal, offset = -half, material = material } end
  for i = 0, n - 1 do
    local c, row = i % across, i // across
    local x, y = random:uniform(0, 0.01), random:uniform(0, 0.01)
    local o = { material = material, density = 1000, position = planar and { 0.1 - half + 0.16 * c + x, 0.1 + 0.17 * row }
      or { -0.19 + 0.19 * (c % 3) + x, -0.19 + 0.19 * (c // 3) + y, 0.1 + 0.2 * row } }
    if kind == "ball" or bed then
      o.radius = random:uniform(0.05, 0.07)
      world[planar and "disk" or "sphere"](world, o)
    elseif kind == "box" then
      local a, b = random:uniform(0.1, 0.13), random:uniform(0.1, 0.13)
      o.size = planar and { a, b } or { a, b, 0.1 }
      world:box(o)
    else
      o.radius, o.length = 0.03, 0.08
      world:capsule(o)
    end
  end
  return world
end

print("space,kind,rolling friction,restitution,impact,mean,median,worst,late,missed")
for _, planar in ipairs{ true, false } do
  for _, kind in ipairs{ "ball", "box", "capsule", planar and "bed" or nil } do
    for _, rolling in ipairs{ 0, 0.002 } do
      for _, case in ipairs{ { 0, "newton" }, { 0.3, "newton" }, kind ~= "bed" and { 0.3, "poisson" } or nil } do
        local world <close> = heap(planar, kind, rolling, case[1], case[2])
        local times, sum, late = {}, 0, 0
        for i = 1, STEPS do
          local start = os.clock()
          world:step()
          times[i] = 1e3 * (os.clock() - start)
          sum = sum + times[i]
          if i > LATE then late = late + times[i] end
        end
        table.sort(times)
        print(("%d,%s,%g,%g,%s,%.4f,%.4f,%.3f,%.4f,%d"):format(planar and 2 or 3, kind, rolling, case[1], case[2], sum / STEPS,
          times[STEPS // 2], times[STEPS], late / (STEPS - LATE), world.stats.unconverged))
      end
    end
  end
end
