-- bench/instructions.lua [part of a name] [steps, default 100]: thousands of instructions a step of the golden scenes whose
-- names have that part (spec/golden/scenes.lua), without their first step, by valgrind's callgrind, which knows no AVX-512;
-- of dls_time_step alone: what Lua itself takes varies. For changes that leave every bit: what a machine that others share
-- does to clocks does not touch it. CSV. With the rock's paths set (make bench BENCH=instructions), or those of a build.
if arg[1] == "--steps" then -- in a process of its own, under valgrind
  for _, scene in ipairs(dofile "spec/golden/scenes.lua") do
    if scene.name == arg[2] then
      local world <close> = scene.make()
      world:step(math.min(scene.steps, tonumber(arg[3])))
    end
  end
  return
end

local part, steps = arg[1] or "", math.max(2, tonumber(arg[2]) or 100)
local out = os.tmpname()

local function counted(name, n)
  local pipe = assert(io.popen(("valgrind --tool=callgrind --toggle-collect=dls_time_step --callgrind-out-file=%s " ..
    "lua5.4 %s --steps '%s' %d 2>&1"):format(out, arg[0], name, n)))
  local said = pipe:read "a"
  pipe:close()
  return tonumber((assert(said:match "refs:%s+([%d,]+)", said):gsub(",", "")))
end

print "scene,thousands of instructions a step"
for _, scene in ipairs(dofile "spec/golden/scenes.lua") do
  if scene.name:find(part, 1, true) then
    local n = math.min(scene.steps, steps)
    print(('"%s",%.1f'):format(scene.name, (counted(scene.name, n) - counted(scene.name, 1)) / (n - 1) / 1e3))
  end
end
os.remove(out)
