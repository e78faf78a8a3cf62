-- Bits of the golden scenes: FNV-1a over all coordinates and velocities after the steps of each.
-- lua5.4 spec/golden/run.lua [--write | --without PART]: compares with hashes.lua (status 1 where one differs), all scenes
-- or those whose names do not have PART; or writes it.
local M = {}

--- Hash of a world's coordinates and velocities, as 16 hexadecimal digits.
function M.hash(world)
  local h = 0xcbf29ce484222325 -- wraps, as 64-bit integers do
  for _, list in ipairs { world:coordinates():totable(), world:velocities():totable() } do
    for i = 1, #list do
      h = (h ~ string.unpack("<i8", string.pack("<d", list[i]))) * 0x100000001b3
      h = h ~ (h >> 29)
    end
  end
  return ("%016x"):format(h)
end

--- Runs one scene and answers its hash.
function M.run(scene)
  local world <close> = scene.make()
  world:step(scene.steps)
  return M.hash(world)
end

local folder = arg and arg[0] and arg[0]:match("^(.*)/run%.lua$")
if folder then -- as a program
  local write = arg[1] == "--write"
  local kept, scenes = write and {} or dofile(folder .. "/hashes.lua"), {}
  for _, scene in ipairs(dofile(folder .. "/scenes.lua")) do
    if arg[1] ~= "--without" or not scene.name:find(arg[2], 1, true) then scenes[#scenes + 1] = scene end
  end
  local lines, differ = {}, 0
  for _, scene in ipairs(scenes) do
    local hash = M.run(scene)
    lines[#lines + 1] = ("  [%q] = %q,\n"):format(scene.name, hash)
    if not write and kept[scene.name] ~= hash then
      differ = differ + 1
      print(("differs: %s: %s, kept %s"):format(scene.name, hash, tostring(kept[scene.name])))
    end
  end
  if write then
    local file = assert(io.open(folder .. "/hashes.lua", "w"))
    file:write("-- Written by spec/golden/run.lua --write. A change stands in a commit of its own that says why.\nreturn {\n",
      table.concat(lines), "}\n")
    file:close()
  end
  print(("%d scenes, %d differ"):format(#lines, differ))
  os.exit(differ == 0, true)
end

return M
