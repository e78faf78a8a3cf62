local host = require "support.lcp_host"

--- Lines of agree_host: towers of boxes on faces, 4 or 8 corners that the law of one motion does not carry.
local function each(count)
  return host.run(tostring(count), "agree_host"):gmatch(
    "(%d+) (%S+) (%d+) (%S+) (%d+) (%S+) (%S+) (%S+) (%S+)\n")
end

describe("shifts on which redundant contacts agree", function()
  teardown(host.remove)

  it("are those of one motion, next to what was asked for: 400 towers, distances from J in long double", function()
    local count, changed, hard = 0, 0, 0
    for seed, least, steps, _, _, _, most, before, after in each(400) do
      local told = ("seed %s: changed by %s, %s from a motion before, %s after"):format(seed, most, before, after)
      count, most, before, after = count + 1, tonumber(most), tonumber(before), tonumber(after)
      assert.is_true(most <= 1e-2, told) -- more is for the contacts to decide
      assert.is_true(after <= 1e-12, told)
      assert.is_true(most <= 2 * before + 1e-12, told) -- rows weigh by their |W|
      if tonumber(least) == -99 then assert.is_true(most <= 1e-12, told) end
      if most > 1e-8 then changed = changed + 1 end
      if tonumber(steps) > 60 then
        hard = hard + 1
        assert.is_true(most > 1e-8, told)
      end
    end
    assert.equal(400, count)
    assert.is_true(changed >= 80 and hard >= 40, changed .. " changed, hard " .. hard)
  end)

  it("leave problems that take a fifth of the steps from there on, by the residual from W, b and p (400 towers)", function()
    local as_it_was, agreed = 0, 0
    for seed, _, steps, _, steps_agreed, residual in each(400) do
      assert.is_true(tonumber(residual) <= 1e-10, ("seed %s: %s"):format(seed, residual))
      if tonumber(steps) > 60 then -- contacts agree after 4
        as_it_was, agreed = as_it_was + tonumber(steps) - 4, agreed + tonumber(steps_agreed) - 4
      end
    end
    assert.is_true(agreed <= 0.25 * as_it_was, ("%d steps, %d with the shift as it was"):format(agreed, as_it_was))
  end)
end)
