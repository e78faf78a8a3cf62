-- Worlds whose work is bounded, after their first five steps: what falls, topples and is turned later on makes no step ask
-- for memory in its midst and begin again.
local worlds = {}
for _, scene in ipairs(dofile "bench/bound_scenes.lua") do
  for seed = 1, 2 do worlds[#worlds + 1] = { scene.make(seed, { max_iterations = 12 }), 2000 } end
  if scene.name:find "drum" then worlds[#worlds + 1] = { scene.make(4, { max_iterations = 12 }), 7000 } end
end
for k = 1, #worlds do worlds[k][1]:step(5) end

function phase()
  for k = 1, #worlds do worlds[k][1]:step(worlds[k][2]) end
end
