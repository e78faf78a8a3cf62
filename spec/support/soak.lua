-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- A drum in which bodies, joints, springs, contacts by hand and pairs of materials come and go, for as long as wanted:
--     lua spec/support/soak.lua [SECONDS]      `make soak TIME=`
-- Turns of the same 400 steps from the same start: each must end in the same hash with the same error of the ledger,
-- and cost the same memory and time as the third one. Prints a line every so often; exits 1 where something drifts.
local delassus = require "delassus"

local seconds = tonumber(arg and arg[1]) or 60
local STEPS, MORE_MEMORY, MORE_TIME = 400, 2 ^ 20, 1.5 -- B over the third turn; median time against the third's

local function rss()
  local file = io.open "/proc/self/statm"
  local pages = file and file:read("a"):match "^%d+ (%d+)" or 0
  if file then file:close() end
  return tonumber(pages) * 4096
end

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end

local function start()
  local world = delassus.world{ planar = true, log = true, record = false, dt = 2e-3, tolerance = 1e-3 }
  local wood = delassus.material{ friction = 0.4, restitution = 0.1 }
  world:drum{ radius = 1.2, lifters = { count = 4, height = 0.1, width = 0.1 }, angular_velocity = 1, material = wood }
  for k = 0, 59 do
    world:disk{ radius = 0.05, position = { 0.105 * (k % 10) - 0.5, 0.105 * (k // 10) - 0.6 }, material = wood }
  end
  return world, wood
end

--- One turn: what comes goes again before its end.
local function turn(times)
  local random, world, wood = delassus.random(7), start()
  local things = {}
  for step = 1, STEPS do
    if step % 3 == 0 and step < STEPS - 40 then
      local kind = random:integer(1, 6)
      local bodies = world.bodies
      local a, b = bodies[random:integer(2, #bodies)], bodies[random:integer(2, #bodies)]
      local made
      if kind <= 2 then
        made = world:box{ size = { 0.08, 0.05 }, position = { random:uniform(-0.3, 0.3), random:uniform(0.3, 0.8) },
          material = delassus.material{ friction = random:uniform(0.1, 0.6) } }
      elseif kind == 3 and a ~= b then
        made = world:joint{ "revolute", a, b, anchor = a.position, formulation = "penalty" }
      elseif kind == 4 and a ~= b then
        made = world:spring{ a, b, stiffness = 20, damping = 0.5, length = 0.2 }
      elseif kind == 5 then
        made = world:contact{ world.ground, a, rope = 2.5 }
      else
        world:pair{ wood, a.material, friction = random:uniform(0.1, 0.6) }
      end
      if made then things[#things + 1] = made end
    end
    if #things > 20 or step > STEPS - 40 and #things > 0 then
      pcall(world.remove, world, table.remove(things, random:integer(1, #things))) -- joints went with their bodies
    end
    local before = os.clock()
    world:step()
    times[#times + 1] = os.clock() - before
  end
  local hash, ledger = world:hash(), world:ledger().error
  world:close()
  return hash, ledger
end

local first_hash, first_ledger, memory, time
local began, told, turns, drifts = os.time(), os.time(), 0, {}
while os.time() - began < seconds or turns < 4 do
  local times = {}
  local hash, ledger = turn(times)
  turns = turns + 1
  collectgarbage()
  collectgarbage()
  local now_time, now_memory = median(times), rss()
  first_hash, first_ledger = first_hash or hash, first_ledger or ledger
  if turns == 3 then memory, time = now_memory, now_time end
  if hash ~= first_hash then drifts[#drifts + 1] = ("turn %d: hash %s, not %s"):format(turns, hash, first_hash) end
  if ledger ~= first_ledger then drifts[#drifts + 1] = ("turn %d: ledger %g, not %g"):format(turns, ledger, first_ledger) end
  if memory and now_memory > memory + MORE_MEMORY then
    drifts[#drifts + 1] = ("turn %d: %d kB more than at the third"):format(turns, (now_memory - memory) // 1024)
  end
  if os.time() - told >= math.max(10, seconds // 60) or #drifts > 0 or os.time() - began >= seconds then
    told = os.time()
    print(("%6d s: turn %d, %d steps, %.1f MB, median step %.3f ms (third turn %.3f), ledger %.3g J, hash %s"):format(
      os.time() - began, turns, turns * STEPS, now_memory / 2 ^ 20, 1e3 * now_time, 1e3 * (time or now_time), ledger, hash))
    if time and now_time > MORE_TIME * time then print "        slower than the third turn (the machine's load counts, too)" end
    io.stdout:flush()
  end
  if #drifts > 0 then break end
end
for _, drift in ipairs(drifts) do print("soak: " .. drift) end
print(("soak: %d turns of %d steps, %s"):format(turns, STEPS, #drifts == 0 and "flat" or "drifts"))
os.exit(#drifts == 0, true)
