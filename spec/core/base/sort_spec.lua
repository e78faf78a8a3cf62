local delassus = require "delassus"
local core = require "delassus.core"

describe("the sort", function()
  it("orders 200 random lists, equal keys as they stood (against the definition)", function()
    for seed = 1, 200 do
      local random, list = delassus.random(seed), {}
      for i = 1, random:integer(0, 300) do list[i] = random:integer(-20, 20) / 4 end
      if seed % 10 == 0 then table.sort(list) end -- runs that are there already
      local order, seen = core.order(list), {}
      assert.equal(#list, #order)
      for k, i in ipairs(order) do
        assert.is_nil(seen[i], "seed " .. seed)
        seen[i] = true
        local before = order[k - 1]
        assert.is_true(k == 1 or list[before] < list[i] or (list[before] == list[i] and before < i), "seed " .. seed)
      end
    end
  end)

  it("takes an empty list, vectors, and long lists", function()
    assert.same({}, core.order {})
    assert.same({ 3, 1, 2 }, core.order(delassus.vector { 2, 3, 1 }))
    local random, list = delassus.random(1), {}
    for i = 1, 70001 do list[i] = random:uniform() end
    local order = core.order(list)
    for k = 2, #order do assert.is_true(list[order[k - 1]] <= list[order[k]]) end
  end)

  it("refuses what is not a list of numbers", function()
    assert.error_matches(function() core.order(1) end, "order: must be a list of numbers, got 1")
    assert.error_matches(function() core.order { 1, 0 / 0 } end, "order: %[2%] must be a finite number, got nan")
  end)
end)
