-- bench/tree_ratio.lua [rounds, default 9] [system, e.g. ball30; default all]: forward dynamics of bench/tree.lua against the
-- best valid peer, in turn, and the ratio of the two beside the one that is asked for.
-- Clocks of shared machines wander by a factor of 1.5 within seconds, so every round times ours, then each peer, and the
-- ratio is the median over rounds. A peer is valid where its accelerations are ours to 1e-10. The ratios asked for are
-- those of two numbers of one machine (a Zen 5 with AVX-512): the target over the best valid peer's time there; "at
-- least", and "in reach". Peers: tree.lua says how to have them (RBDL and PINOCCHIO in the environment).
package.path = "bench/?.lua;" .. package.path
local models = require "tree_models"

local rounds, only = tonumber(arg[1]) or 9, arg[2]

-- { kind, bodies, best valid peer there, at least, in reach }; the last column says how many states are evaluated at once
local cases = {
  { "ball", 7, 153, 50, 22 }, { "ball", 30, 244, 25, 15 }, { "ball", 100, 261, 16, 10 }, { "ball", 1000, 348, 13, 8 },
  { "rev", 7, 110, 50, 22 }, { "rev", 30, 116, 50, 18 }, { "rev", 100, 128, 50, 13 }, { "rev", 1000, 129, 50, 11 },
  { "tree", 511, 119, 40, 7 }, { "humanoid", 25, 126, 45, 13 },
  { "rev", 7, 110, 12, 5.2, 64 }, { "rev", 30, 110, 12, 5.2, 64 }, { "ball", 7, 110, 12, 5.2, 64 },
  { "ball", 30, 110, 12, 5.2, 64 }, { "humanoid", 25, 110, 12, 5.2, 64 },
}

local function median(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  return sorted[(#sorted + 1) // 2]
end

-- Adds the lines that a peer prints to `times`, by name; those that are off are left out, and noted.
local function ask(program, path, times, wrong)
  local pipe = assert(io.popen(("%s %s 2>/dev/null"):format(program, path)))
  for line in pipe:lines() do
    local name, ns, off = line:match("^%a+,%d+,([^,]+),([%d.]+),(%S+)")
    if name and (tonumber(off) or 1) <= 1e-10 then
      times[name] = times[name] or {}
      table.insert(times[name], tonumber(ns))
    elseif name then
      wrong[name] = off
    end
  end
  pipe:close()
end

local peers, missing = models.peers()
for _, line in ipairs(missing) do print(line) end
print("system,bodies,states,ours ns a body,best valid peer,its ns,ratio,at least,reached,in reach,reached")
for _, case in ipairs(cases) do
  local kind, n, states = case[1], case[2], case[6]
  if only and only ~= kind .. n then goto next end
  local forest, model = models.sample(kind, n)
  local path, bodies = models.write(forest, model), #model.links
  local ours, times, wrong = {}, {}, {}
  for round = 1, rounds do
    ours[round] = (states and models.time_batch(forest, model) or
      models.time(function(k) forest:evaluate("fast", k) end)) / bodies / (states or 1)
    for _, program in ipairs(peers) do
      -- what takes a minute to build, or is far from the best wherever it was measured, is left out here
      if not program:find("published") and not program:find("mujoco") and not program:find("simbody") and
        not (program:find("dart") and n > 600) then
        ask(program, path, times, wrong)
      end
    end
  end
  os.remove(path)
  local best
  for name, list in pairs(times) do
    if not best or median(list) < median(times[best]) then best = name end
  end
  if best then
    local ratios = {}
    for k = 1, rounds do ratios[k] = ours[k] / times[best][k] end
    local ratio, least, reach = median(ratios), case[4] / case[3], case[5] / case[3]
    print(("%s,%d,%d,%.1f,%s,%.1f,%.3f,%.3f,%s,%.3f,%s"):format(kind, bodies, states or 1, median(ours), best,
      median(times[best]), ratio, least, ratio <= least and "yes" or "no", reach, ratio <= reach and "yes" or "no"))
  else
    print(("%s,%d,%d,%.1f,none here,,,,,,"):format(kind, bodies, states or 1, median(ours)))
  end
  for name, off in pairs(wrong) do print(("#   %s is off by %s"):format(name, off)) end
  io.stdout:flush()
  ::next::
end
