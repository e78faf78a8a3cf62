-- bench/drum_ratio.lua [disks] [rounds, default 9] [steps, default 100]: a step of the drum of bench/drum.lua to 1e-3
-- against every peer that drum.lua has built (run that first), in turn, and the ratio of the two.
-- Clocks of shared machines wander by a third within seconds, so every round times ours, then each peer, from the same
-- state, and the ratio is the median over rounds of the ratios of medians (of least times behind it).
package.path = "bench/?.lua;" .. package.path
local core = require "delassus.core"
local scene = require "drum_scene"

local disks, rounds, steps = tonumber(arg[1]) or 1000, tonumber(arg[2]) or 9, tonumber(arg[3]) or 100
local WARM = scene.warm_up(disks)
local state, path = scene.settled(disks)

local function median(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  return sorted[(#sorted + 1) // 2], sorted[1]
end

--- -> median and least ms of a step, how many steps missed 1e-3.
local function ours()
  local world = scene.world(state, { tolerance = 1e-3 })
  world:step(WARM)
  local ms, missed = {}, 0
  for i = 1, steps do
    local start = core.now()
    world:step()
    ms[i] = 1e3 * (core.now() - start)
    if world.stats.residual > 1e-3 then missed = missed + 1 end
  end
  world:close()
  local middle, least = median(ms)
  return middle, least, missed
end

local function peer(name, setting)
  local trace = os.tmpname()
  local command = "build/drum_%s %s %d %d %d %s %s 2>/dev/null"
  local pipe = assert(io.popen(command:format(name, path, WARM, steps, steps, trace, setting)))
  local answer = pipe:read("a")
  pipe:close()
  os.remove(trace)
  local title, ms, least = answer:match("([^\n,]*),([%d.]+),([%d.]+),[^\n]*\n$")
  return title, tonumber(ms), tonumber(least)
end

local peers = { { "box2d", "" }, { "chipmunk", "" }, { "box2d3", "default" }, { "box2d3", "stiff" } }
local times, missed = { {}, {} }, 0
for _ = 1, rounds do
  local middle, least, off = ours()
  missed = missed + off
  table.insert(times[1], middle)
  table.insert(times[2], least)
  for _, p in ipairs(peers) do
    local title, ms, best = peer(p[1], p[2])
    if title then
      p.title, p.ms, p.ratio, p.least = title, p.ms or {}, p.ratio or {}, p.least or {}
      table.insert(p.ms, ms)
      table.insert(p.ratio, middle / ms)
      table.insert(p.least, least / best)
    end
  end
end
print(("# %d disks, %d rounds of %d steps after %d; ours: %.3f ms (medians' median), least %.3f"):format(disks, rounds, steps,
  WARM, median(times[1]), select(2, median(times[2]))))
print(("# missed 1e-3 in %d of %d steps"):format(missed, rounds * steps))
print("peer,ms a step,ratio of medians,ratio of least times")
for _, p in ipairs(peers) do
  if p.title then print(("%s,%.3f,%.3f,%.3f"):format(p.title, median(p.ms), median(p.ratio), median(p.least))) end
end
