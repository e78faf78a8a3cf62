-- What each rung of the ladder of solvers is worth: the golden scenes with all rungs and with one left out, in turn, in
-- processor time. CSV: a ratio above 1 is what the rung saves; steps that miss their tolerance stand beside.
-- make dev && lua5.4 bench/ladder.lua [rounds], in the project's root.
local core_at = "build/dev"
local rounds = tonumber(arg[1]) or 3

local function run(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("a")
  assert(pipe:close(), "failed: " .. command)
  return text
end

if arg[1] == "--scenes" then -- one variant: name, seconds, steps missed
  for _, scene in ipairs(dofile "spec/golden/scenes.lua") do
    local world <close> = scene.make()
    local from = os.clock()
    local ok = pcall(world.step, world, scene.steps) -- some methods name a rung that is then not there
    print(("%s\t%.6f\t%d"):format(scene.name, os.clock() - from, ok and world.stats.unconverged or scene.steps))
  end
  return
end

--- Links the development build with a ladder that lacks `rung`; answers its folder.
local function variant(rung)
  local folder = "build/ladder-" .. rung
  run(("mkdir -p %s/delassus"):format(folder))
  run(([[cc -std=gnu11 -O2 -g -fPIC -Isrc -DDLS_LADDER_WITHOUT='"%s"' -c src/core/ladder/ladder.c -o %s/ladder.o]])
    :format(rung, folder))
  local objects = {}
  for source in io.open("rockspec/delassus-scm-1.rockspec"):read("a"):gmatch('"(src/[^"]+)%.c"') do
    if source ~= "src/core/ladder/ladder" then objects[#objects + 1] = ("%s/%s.o"):format(core_at, source) end
  end
  run(("cc -shared -o %s/delassus/core.so %s/ladder.o %s -lm"):format(folder, folder, table.concat(objects, " ")))
  return folder
end

local function measure(folder)
  local found = {}
  local text = run(("LUA_PATH='lua/?.lua;lua/?/init.lua' LUA_CPATH='%s/?.so' lua5.4 bench/ladder.lua --scenes"):format(folder))
  for name, seconds, missed in text:gmatch("([^\t\n]+)\t(%S+)\t(%d+)") do
    found[name] = { seconds = tonumber(seconds), missed = tonumber(missed) }
  end
  return found
end

--- The least time of each scene over the rounds, with and without.
local function compare(rung)
  local folder, best = variant(rung), { with = {}, without = {} }
  for _ = 1, rounds do
    for _, key in ipairs { "with", "without" } do
      for name, one in pairs(measure(key == "with" and core_at or folder)) do
        local kept = best[key][name]
        if not kept or one.seconds < kept.seconds then best[key][name] = one end
      end
    end
  end
  return best
end

local rungs = {}
for name in io.open("src/core/ladder/rung.h"):read("a"):match("#define DLS_LADDER(.-)\n\n"):gmatch("X%(([%l_]+)%) +/%*") do
  rungs[#rungs + 1] = name
end
print("rung,scene,seconds,ratio_without,missed,missed_without")
for _, rung in ipairs(rungs) do
  local best = compare(rung)
  local scenes = {}
  for name in pairs(best.with) do scenes[#scenes + 1] = name end
  table.sort(scenes)
  for _, scene in ipairs(scenes) do
    local one, other = best.with[scene], best.without[scene]
    local ratio = other.seconds / one.seconds
    if ratio > 1.1 or ratio < 0.9 or one.missed ~= other.missed then
      print(("%s,\"%s\",%.4f,%.2f,%d,%d"):format(rung, scene, one.seconds, ratio, one.missed, other.missed))
    end
  end
end
