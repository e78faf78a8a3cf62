-- A bound on time: the worst step of dominoes, a humanoid on boxes and a turning drum, with `max_iterations` set.
-- lua5.4 bench/bound.lua [steps of each, 100000] [max_iterations, 12; 0: default] [part of a name] [rounds, 3] [tolerance],
-- with the rock's paths set (make bench BENCH=bound). CSV. Scenes begin anew, each time otherwise, so that something always
-- happens; the first steps of a beginning are not counted. Times are the processor's. Every round makes the same
-- steps, to the bit: what a step takes is the least of the rounds, since what else runs on the machine takes its caches.
package.path = "bench/?.lua;" .. package.path
local steps, most, part = tonumber(arg[1]) or 100000, tonumber(arg[2]) or 12, arg[3] or ""
local rounds, tolerance = tonumber(arg[4]) or 3, tonumber(arg[5])

--- Times of all steps into ms, the least of what is there; how many missed, gave something up, and overlaps.
local function run(scene, ms)
  local n, seed, missed, given_up, work, overlaps = 0, 0, 0, 0, 0, {}
  while n < steps do
    seed = seed + 1
    local w = scene.make(seed, { max_iterations = most > 0 and most or nil, tolerance = tolerance })
    w:step(scene.cold)
    collectgarbage()
    for _ = 1, math.min(scene.steps, steps - n) do
      local before, start = w.stats.unconverged, os.clock()
      w:step()
      local time = 1e3 * (os.clock() - start)
      n = n + 1
      ms[n] = math.min(ms[n] or math.huge, time)
      local s = w.stats
      overlaps[n] = s.penetration
      work = math.max(work, s.work)
      if s.unconverged > before then missed = missed + 1 end
      if s.given_up then given_up = given_up + 1 end
    end
    w:close()
  end
  table.sort(overlaps)
  return missed, given_up, work, overlaps[(n + 1) // 2], overlaps[n]
end

print("scene,max_iterations,steps,median_ms,p999_ms,worst_ms,worst_by_median,missed,given_up,most_work,overlap_median,"
  .. "overlap_worst")
for _, scene in ipairs(require "bound_scenes") do
  if scene.name:find(part, 1, true) then
    local ms, missed, given_up, work, middle, worst = {}, nil, nil, nil, nil, nil
    for _ = 1, rounds do missed, given_up, work, middle, worst = run(scene, ms) end
    table.sort(ms)
    local median = ms[(steps + 1) // 2]
    print(("%q,%d,%d,%.4f,%.4f,%.4f,%.2f,%d,%d,%.1f,%.1e,%.1e"):format(scene.name, most, steps, median,
      ms[math.ceil(0.999 * steps)], ms[steps], ms[steps] / median, missed, given_up, work, middle, worst))
    io.stdout:flush()
  end
end
