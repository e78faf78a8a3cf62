-- The golden scenes by this tree and by another checkout (both with make dev), in turn: processor time a step, mean and
-- median of a run, the least of the rounds, and the ratios of this to the other. CSV.
--     lua5.4 bench/budget.lua /path/to/other/checkout [rounds] [part of a name]
local other, rounds, part = arg[1], math.tointeger(arg[2] or "3"), arg[3] or ""
if other == "--one" then -- a process of its own: one scene, times of its steps in ms
  for _, scene in ipairs(dofile(arg[2] .. "/spec/golden/scenes.lua")) do
    if scene.name == arg[3] then
      local world, times = scene.make(), {}
      for i = 1, scene.steps do
        local start = os.clock()
        world:step(1)
        times[i] = 1e3 * (os.clock() - start)
      end
      local sum = 0
      for _, t in ipairs(times) do sum = sum + t end
      table.sort(times)
      print(sum / #times, times[(#times + 1) // 2])
    end
  end
  return
end

local here = io.popen("pwd"):read("l")

local function measure(tree, name)
  local paths = ("LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;;' LUA_CPATH='%s/build/dev/?.so;;'"):format(tree, tree, tree)
  local command = ("%s lua5.4 bench/budget.lua --one %s %q"):format(paths, here, name)
  local pipe = assert(io.popen(command))
  local mean, median = pipe:read("n", "n")
  pipe:close()
  return mean, median
end

package.path = here .. "/lua/?.lua;" .. here .. "/lua/?/init.lua;" .. package.path
package.cpath = here .. "/build/dev/?.so;" .. package.cpath
print "scene,steps,other_mean_ms,mean_ms,mean_ratio,other_median_ms,median_ms,median_ratio"
for _, scene in ipairs(dofile "spec/golden/scenes.lua") do
  if scene.name:find(part, 1, true) then
    local least = { { math.huge, math.huge }, { math.huge, math.huge } }
    for _ = 1, rounds do
      for k, tree in ipairs{ other, here } do
        local mean, median = measure(tree, scene.name)
        if mean then least[k] = { math.min(least[k][1], mean), math.min(least[k][2], median) } end
      end
    end
    local a, b = least[1], least[2]
    print(("%q,%d,%.4f,%.4f,%.3f,%.4f,%.4f,%.3f"):format(scene.name, scene.steps,
      a[1], b[1], b[1] / a[1], a[2], b[2], b[2] / a[2]))
    io.stdout:flush()
  end
end
