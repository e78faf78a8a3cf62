-- The last bits of the scenes in scenes.lua, against those that are kept: a change that means to change none shows it.
local run = require "golden.run"
local kept = dofile "spec/golden/hashes.lua"

describe("golden bits", function()
  local known = {}
  for _, scene in ipairs(dofile "spec/golden/scenes.lua") do
    known[scene.name] = true
    it(scene.name, function()
      assert.equal(kept[scene.name], run.run(scene), "spec/golden/run.lua --write, in a commit that says why, keeps new ones")
    end)
  end

  it("are kept of no scene that is not there", function()
    for name in pairs(kept) do assert.is_true(known[name], name) end
  end)
end)
