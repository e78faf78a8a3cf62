local delassus = require "delassus"
local core = require "delassus.core"
local seeds = require "support.seeds"

describe("the generator", function()
  it("is exact: xoshiro256** seeded by splitmix64 gives the published numbers", function()
    -- splitmix64 from 1234567 (its authors' program), run through xoshiro256** computed here in Lua.
    local s = { 6457827717110365317, 3203168211198807973, -8629252141511181193, 4593380528125082431 }
    local function rotate(x, k) return (x << k) | (x >> (64 - k)) end
    local random = delassus.random(1234567)
    for _ = 1, 100 do
      local bits, t = rotate(s[2] * 5, 7) * 9, s[2] << 17
      s[3], s[4] = s[3] ~ s[1], s[4] ~ s[2]
      s[2], s[1] = s[2] ~ s[3], s[1] ~ s[4]
      s[3], s[4] = s[3] ~ t, rotate(s[4], 45)
      assert.equal(bits, random:bits())
    end
  end)

  it("gives the same numbers for the same seed, others for another, and copies its state", function()
    local a, b, c = delassus.random(5), delassus.random(5), delassus.random(6)
    assert.equal(a:bits(), b:bits())
    assert.not_equal(a:bits(), c:bits())
    local d = a:copy()
    assert.equal(a:hash(), d:hash())
    assert.equal(a:normal(), d:normal())
    assert.equal(delassus.random():bits(), delassus.random(1):bits())
  end)

  it("has the moments of its distributions (200 seeds together, five standard errors)", function()
    local n, mean, square, normal, normal_square = 0, 0, 0, 0, 0
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      for _ = 1, 100 do
        local u, x = random:uniform(), random:normal()
        n, mean, square = n + 1, mean + u, square + u * u
        normal, normal_square = normal + x, normal_square + x * x
      end
    end
    assert.near(1 / 2, mean / n, 5 * math.sqrt(1 / 12 / n))
    assert.near(1 / 3, square / n, 5 * math.sqrt(4 / 45 / n))
    assert.near(0, normal / n, 5 * math.sqrt(1 / n))
    assert.near(1, normal_square / n, 5 * math.sqrt(2 / n))
  end)

  it("reaches every whole number of a range about equally often, and no other", function()
    local random, seen = delassus.random(3), {}
    for _ = 1, 7000 do
      local i = random:integer(-3, 3)
      seen[i] = (seen[i] or 0) + 1
    end
    local n = 0
    for i, count in pairs(seen) do
      n = n + 1
      assert.is_true(i >= -3 and i <= 3 and math.type(i) == "integer")
      assert.near(1000, count, 5 * math.sqrt(1000 * 6 / 7)) -- five standard deviations
    end
    assert.equal(7, n)
    assert.equal(4, random:integer(4, 4))
    assert.equal("integer", math.type(random:integer(math.mininteger, math.maxinteger)))
  end)

  it("stays in its interval, the upper end left out", function()
    local random = delassus.random(9)
    for _ = 1, 2000 do
      local x = random:uniform(-2, 3)
      assert.is_true(x >= -2 and x < 3)
      x = random:uniform(1, 1 + 0x1p-52) -- rounds up half the time
      assert.equal(1, x)
    end
  end)

  it("refuses arguments that make no sense and says which", function()
    local random = delassus.random(1)
    local before = random:hash()
    for _, row in ipairs {
      { function() random:uniform(1) end, "random:uniform: %[2%] must be a number, got nil" },
      { function() random:uniform(2, 1) end, "%[2%] must be greater than the first number, got 1" },
      { function() random:uniform(1, 1) end, "%[2%] must be greater than the first number, got 1" },
      { function() random:uniform(0, 0 / 0) end, "%[2%] must be a finite number, got nan" },
      { function() random:uniform(-math.huge, 0) end, "%[1%] must be a finite number, got %-inf" },
      { function() random:uniform(-1.7e308, 1.7e308) end, "%[2%] must be less than" },
      { function() random:normal(0, -1) end, "random:normal: %[2%] must be >= 0, got %-1" },
      { function() random:normal("a") end, "random:normal: %[1%] must be a number, got 'a'" },
      { function() random:integer(1.5, 2) end, "random:integer: %[1%] must be a whole number, got 1.5" },
      { function() random:integer(1) end, "random:integer: %[2%] must be a whole number, got nil" },
      { function() random:integer(3, 1) end, "random:integer: %[2%] must not be below the first number, got 1" },
      { function() delassus.random("7") end, "delassus.random: %[1%] must be a whole number, got '7'" },
      { function() random.uniform(1) end, "expected a random, got 1" },
      { function() return random.unifrom end, "unknown property 'unifrom' %(did you mean 'uniform'%?%)" },
    } do
      assert.error_matches(row[1], row[2])
    end
    assert.equal(before, random:hash())
    assert.matches("delassus.Random %(xoshiro256%*%*, state %x+%)", tostring(random))
  end)
end)

describe("the hash", function()
  local function bits(text) return tonumber(text:sub(1, 8), 16) << 32 | tonumber(text:sub(9), 16) end
  local function ones(x)
    local n = 0
    while x ~= 0 do
      x, n = x & (x - 1), n + 1
    end
    return n
  end

  it("changes half of its bits for one input bit (every bit of 5 lengths, 200 messages)", function()
    local random, changed, flips = delassus.random(1), 0, 0
    for k = 1, 200 do
      local length = ({ 1, 7, 8, 9, 24 })[k % 5 + 1]
      local bytes = {}
      for i = 1, length do bytes[i] = random:integer(0, 255) end
      local before = bits(core.hash(string.char(table.unpack(bytes))))
      for bit = 0, 8 * length - 1, 7 do
        local i = bit // 8 + 1
        bytes[i] = bytes[i] ~ (1 << bit % 8)
        local n = ones(before ~ bits(core.hash(string.char(table.unpack(bytes)))))
        bytes[i] = bytes[i] ~ (1 << bit % 8)
        assert.is_true(n >= 8, ("message %d, bit %d: only %d bits changed"):format(k, bit, n))
        changed, flips = changed + n, flips + 1
      end
    end
    assert.near(32, changed / flips, 5 * 4 / math.sqrt(flips)) -- binomial(64, 1/2), five standard errors
  end)

  it("reads one stream of bytes, numbers being their eight, the lowest first", function()
    assert.equal(core.hash("abcdefghij"), core.hash("abc", "defghij"))
    assert.equal(core.hash("x" .. string.pack("<i8", 77)), core.hash("x", 77))
    assert.equal(core.hash("abc" .. string.pack("<d", 0.1) .. "z"), core.hash("abc", 0.1, "z"))
    assert.not_equal(core.hash(0.0), core.hash(-0.0))
    assert.not_equal(core.hash("a"), core.hash("a\0"))
    assert.not_equal(core.hash(""), core.hash("\0"))
  end)

  it("is one and the same everywhere", function()
    assert.equal("e220a8397b1dcdaf", core.hash())
    assert.equal("ba511dc2ccc1d441", core.hash("delassus", 1, 0.5))
  end)

  it("has no equal digests among 100000 short messages", function()
    local seen = {}
    for i = 1, 100000 do
      local h = core.hash(i)
      assert.is_nil(seen[h])
      seen[h] = true
    end
  end)
end)
