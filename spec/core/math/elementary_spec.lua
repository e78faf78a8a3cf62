local delassus = require "delassus"
local core = require "delassus.core"
local reference = require "support.elementary_reference"
local m = delassus.math

-- The largest error each function may have, in units of the last place (src/core/math/elementary.h).
local limits = { sin = 0.80, cos = 0.80, tan = 1.0, exp = 0.65, log = 0.51, asin = 0.51, acos = 0.51, atan = 0.51,
  atan2 = 0.51, pow = 0.65 }

--- One unit in the last place of x; that of subnormal numbers below 2^-1022.
local function ulp(x)
  x = math.abs(x)
  if x < 0x1p-1022 then return 0x1p-1074 end
  local bits = string.unpack("<i8", string.pack("<d", x))
  return string.unpack("<d", string.pack("<i8", bits + 1)) - x
end

local function worst_error(name)
  local worst, where = 0, nil
  for _, row in ipairs(reference[name]) do
    local n = #row - 2
    local value, nearest, left = m[name](table.unpack(row, 1, n)), row[n + 1], row[n + 2]
    local unit = (math.abs(nearest) == 0x1p1023 * (2 - 0x1p-52)) and 0x1p971 or ulp(nearest)
    local off = math.abs((value - nearest) / unit - left)
    -- Below the normal numbers results are rounded a second time.
    if math.abs(nearest) < 0x1p-1022 then off = off - 0.5 end
    if off ~= off or off > worst then worst, where = off, row[1] end
  end
  return worst, where
end

local function same(expected, got)
  if expected ~= expected then return assert.is_true(got ~= got) end
  assert.equal(string.pack("<d", expected), string.pack("<d", got)) -- signs of zeros too
end

describe("elementary functions", function()
  for name, limit in pairs(limits) do
    it(("agree with 2600-bit arithmetic: %s to %.2f units in the last place"):format(name, limit), function()
      assert.is_true(#reference[name] >= 39)
      local worst, where = worst_error(name)
      assert.is_true(worst <= limit, ("%s(%s) is off by %.3f units"):format(name, where, worst))
    end)
  end

  it("are exact at the values IEEE 754 and C annex F single out", function()
    local inf, nan = math.huge, 0 / 0
    for _, row in ipairs {
      { -0.0, m.sin(-0.0) }, { 1.0, m.cos(0.0) }, { -0.0, m.tan(-0.0) }, { nan, m.sin(inf) }, { nan, m.cos(-inf) },
      { nan, m.tan(nan) }, { 1.0, m.exp(-0.0) }, { inf, m.exp(inf) }, { 0.0, m.exp(-inf) }, { inf, m.exp(709.79) },
      { 0.0, m.exp(-745.14) }, { nan, m.exp(nan) }, { 0.0, m.log(1) }, { -inf, m.log(0.0) }, { -inf, m.log(-0.0) },
      { nan, m.log(-1) }, { inf, m.log(inf) }, { nan, m.log(nan) }, { nan, m.asin(1.0000001) }, { nan, m.acos(-2) },
      { math.pi / 2, m.asin(1) }, { -math.pi / 2, m.asin(-1) }, { math.pi, m.acos(-1) }, { 0.0, m.acos(1) },
      { -0.0, m.asin(-0.0) }, { math.pi / 2, m.acos(0) }, { math.pi / 2, m.atan(inf) }, { -0.0, m.atan(-0.0) },
      { 0.0, m.atan2(0.0, 1) }, { -0.0, m.atan2(-0.0, 1) }, { math.pi, m.atan2(0.0, -1) },
      { -math.pi, m.atan2(-0.0, -1) }, { 0.0, m.atan2(0.0, 0.0) }, { math.pi, m.atan2(0.0, -0.0) },
      { -math.pi, m.atan2(-0.0, -0.0) }, { math.pi / 2, m.atan2(1, 0) }, { -math.pi / 2, m.atan2(-1, -0.0) },
      { math.pi / 4, m.atan2(inf, inf) }, { 0x1.2d97c7f3321d2p+1, m.atan2(inf, -inf) },
      { -0.0, m.atan2(-1, inf) }, { math.pi, m.atan2(1, -inf) }, { math.pi / 2, m.atan2(inf, 7) },
      { nan, m.atan2(nan, 1) }, { 1.0, m.pow(nan, 0) }, { 1.0, m.pow(1, nan) }, { nan, m.pow(2, nan) },
      { 0.0, m.pow(0, 3) }, { -0.0, m.pow(-0.0, 3) }, { inf, m.pow(0, -2) }, { -inf, m.pow(-0.0, -3) },
      { nan, m.pow(-2, 0.5) }, { -8.0, m.pow(-2, 3) }, { 1.0, m.pow(-1, inf) }, { inf, m.pow(2, inf) },
      { 0.0, m.pow(0.5, inf) }, { inf, m.pow(0.5, -inf) }, { -inf, m.pow(-inf, 3) }, { 0.0, m.pow(inf, -1) },
      { inf, m.pow(2, 1024) }, { 0x1p-1074, m.pow(2, -1074) }, { 1e300, m.pow(10, 300) }, { 1024.0, m.pow(2, 10) },
    } do
      same(row[1], row[2])
    end
  end)

  it("agree with one another: sin^2 + cos^2 = 1, exp log x = x, tan atan x = x, at 1000 angles", function()
    local random = delassus.random(7)
    for i = 1, 1000 do
      local x = random:uniform(-1, 1) * m.exp(random:uniform(0, 700))
      local s, c = m.sincos(x)
      local label = ("draw %d of seed 7, x = %.17g"):format(i, x)
      assert.is_true(math.abs(s * s + c * c - 1) <= 8 * 0x1p-53, label) -- two errors of one unit, doubled
      assert.equal(m.sin(x), s)
      assert.equal(m.cos(x), c)
      local y = math.abs(x)
      -- An error of half a unit in log y is an error of |log y| units in the exponential.
      assert.is_true(math.abs(m.exp(m.log(y)) - y) <= (2 + math.abs(m.log(y))) * 0x1p-52 * y, label)
      local t = random:uniform(-50, 50)
      assert.is_true(math.abs(m.tan(m.atan(t)) - t) <= 4 * 0x1p-52 * (1 + t * t), label)
    end
  end)

  it("give the same bits everywhere: a hash over 5000 values", function()
    local random, values = delassus.random(11), {}
    for i = 1, 500 do
      local x = random:uniform(-1, 1) * m.exp(random:uniform(-30, 30))
      local y = random:uniform(-1, 1)
      for _, v in ipairs { m.sin(x), m.cos(x), m.tan(x), m.atan(x), m.exp(10 * y), m.log(math.abs(x)), m.asin(y),
        m.acos(y), m.atan2(x, y), m.pow(math.abs(x), y) } do values[#values + 1] = v end
      if #values >= 200 then values = { core.hash(table.unpack(values)) } end
      if i == 500 then assert.equal("bd53bad7b533f73b", core.hash(table.unpack(values))) end
    end
  end)

  it("refuse what is not a number", function()
    for _, bad in ipairs { "1", {}, true } do
      assert.error_matches(function() m.sin(bad) end, "delassus.math.sin: .*must be a number, got")
      assert.error_matches(function() m.pow(2, bad) end, "delassus.math.pow: %[2%] must be a number, got")
      assert.error_matches(function() m.atan2(bad, 2) end, "delassus.math.atan2: %[1%] must be a number, got")
    end
    assert.error_matches(function() m.exp() end, "must be a number, got nil")
    assert.error_matches(function() m.sincos(nil) end, "must be a number, got nil")
  end)
end)
