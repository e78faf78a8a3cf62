local delassus = require "delassus"

local function message_of(f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  return message
end

describe("vec", function()
  local v = delassus.vec { 1, 2, 2 }

  it("reads by name and by place", function()
    assert.equal(1, v.x)
    assert.equal(2, v[3])
    assert.equal(3, #v)
    assert.is_nil(v[4])
    assert.same({ 1, 2, 2 }, { v:unpack() })
    local q = delassus.vec { 1, 0, 0, 0 }
    assert.equal(1, q.w)
    assert.equal(0, q.z)
  end)

  it("computes, with plain tables on either side", function()
    assert.equal(delassus.vec { 2, 2, 2 }, v + { 1, 0, 0 })
    assert.equal(delassus.vec { 0, -2, -2 }, { 1, 0, 0 } - v)
    assert.equal(delassus.vec { 2, 4, 4 }, 2 * v)
    assert.equal(delassus.vec { .5, 1, 1 }, v / 2)
    assert.equal(delassus.vec { -1, -2, -2 }, -v)
    assert.equal(3, v:norm())
    assert.equal(5, v:dot { 1, 1, 1 })
    assert.equal(delassus.vec { 2, -1, 0 }, v:cross { 0, 0, 1 })
    assert.equal(1, (delassus.vec { 1, 0 }):cross { 0, 1 })
  end)

  it("is exact: the norm neither overflows nor underflows", function()
    assert.equal(5e300, (delassus.vec { 3e300, 4e300 }):norm())
    assert.equal(5e-300, (delassus.vec { 3e-300, 4e-300 }):norm())
    assert.equal(0, (delassus.vec { 0, 0 }):norm())
  end)

  it("refuses to be changed and names what it does not know", function()
    assert.matches("assign a whole new one", message_of(function() v.x = 1 end))
    assert.matches("assign a whole new one", message_of(function() v[1] = 1 end))
    assert.matches("unknown property 'nrm' %(did you mean 'norm'%?%)", message_of(function() return v.nrm end))
    assert.matches("a vec of 3 numbers has no 'w'", message_of(function() return v.w end))
    assert.matches("a:dot%(b%)", message_of(function() return v * v end))
    assert.matches("sizes differ: 3 and 2", message_of(function() return v + { 1, 2 } end))
  end)

  it("refuses numbers that are none, naming the place", function()
    assert.matches("vec: %[2%] must be a finite number, got nan", message_of(delassus.vec, { 1, 0 / 0 }))
    assert.matches("vec: %[1%] must be a finite number, got %-inf", message_of(delassus.vec, { -math.huge, 0 }))
    assert.matches("vec: %[3%] must be a number, got 'x'", message_of(delassus.vec, { 1, 2, "x" }))
    assert.matches("needs 2 to 4 numbers, got 1", message_of(delassus.vec, { 1 }))
    assert.matches("must be a list of numbers, got nil", message_of(delassus.vec, nil))
  end)

  it("blames the line of the caller", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local text = message_of(function() return v + 3 end)
    assert.matches("array_spec.lua:" .. line .. ":", text)
  end)
end)

describe("vector and matrix", function()
  it("take plain tables and give them back", function()
    local A = delassus.matrix { { 1, 2, 3 }, { 4, 5, 6 } }
    assert.equal(2, A:rows())
    assert.equal(3, A:cols())
    assert.equal(6, A[2][3])
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, A:totable())
    assert.equal(delassus.vector { 6, 15 }, A * { 1, 1, 1 })
    assert.equal(delassus.vector { 6, 15 }, A * delassus.vec { 1, 1, 1 })
    assert.equal(delassus.matrix { { 14, 32 }, { 32, 77 } }, A * A:transpose())
    assert.equal(delassus.matrix { { -0.5, -1, -1.5 }, { -2, -2.5, -3 } }, -A / 2)
    assert.equal(delassus.vector { 5, 7, 9 }, A[1] + A[2])
  end)

  it("may be empty", function()
    assert.equal(0, #delassus.vector {})
    assert.equal(0, delassus.matrix({}):rows())
  end)

  it("say which row is wrong", function()
    assert.matches("matrix: %[2%]%[1%] must be a number, got 'x'", message_of(delassus.matrix, { { 1, 2 }, { "x", 4 } }))
    assert.matches("matrix: %[1%]%[2%] must be a finite number, got nan", message_of(delassus.matrix, { { 1, 0 / 0 } }))
    assert.matches("row 2 has 1 numbers, row 1 has 2", message_of(delassus.matrix, { { 1, 2 }, { 3 } }))
    assert.matches("%[2%] must be a list of numbers, got 3", message_of(delassus.matrix, { { 1, 2 }, 3 }))
    assert.matches("2 x 2 times 3 numbers", message_of(function()
      return delassus.matrix { { 1, 2 }, { 3, 4 } } * { 1, 2, 3 }
    end))
  end)
end)

describe("sparse", function()
  it("agrees with the dense matrix on 200 random ones, repeated entries added", function()
    for seed = 1, 200 do
      math.randomseed(seed)
      local rows, cols = math.random(1, 9), math.random(1, 9)
      local dense, entries = {}, { rows = rows, cols = cols }
      for i = 1, rows do
        dense[i] = {}
        for j = 1, cols do dense[i][j] = 0.0 end
      end
      for k = 1, math.random(0, 30) do
        local i, j, x = math.random(rows), math.random(cols), math.random(-8, 8) + 0.0
        entries[k] = { i, j, x }
        dense[i][j] = dense[i][j] + x
      end
      local x = {}
      for j = 1, cols do x[j] = math.random(-5, 5) end
      local S, A = delassus.sparse(entries), delassus.matrix(dense)
      assert.same(dense, S:totable(), "seed " .. seed)
      assert.equal(A * x, S * x, "seed " .. seed)
      assert.equal(A[rows], S[rows], "seed " .. seed)
    end
  end)

  it("is scaled like a matrix", function()
    local S = delassus.sparse{ rows = 2, cols = 3, { 1, 1, 3 }, { 2, 3, -0.1 } }
    local A = delassus.matrix(S:totable())
    for _, pair in ipairs{ { 2 * S, 2 * A }, { S * 2, A * 2 }, { -S, -A }, { S / 3, A / 3 } } do
      assert.equal(2, pair[1]:rows())
      assert.equal(3, pair[1]:cols())
      for i = 1, 2 do
        for j = 1, 3 do assert.equal(pair[2][i][j], pair[1][i][j]) end
      end
    end
    assert.equal(3.0, S[1][1])
    assert.matches("sparse: a scaled entry is not finite", message_of(function() return S / 0 end))
    assert.matches("sparse /: only a number divides a sparse matrix", message_of(function() return 1 / S == S / S end))
  end)

  it("adds, subtracts and compares as the dense matrix does, 200 random pairs", function()
    local function made(rows, cols)
      local entries = { rows = rows, cols = cols }
      for k = 1, math.random(0, 12) do
        entries[k] = { math.random(rows), math.random(cols), math.random(-2, 2) + 0.0 } -- zeros are entries, too
      end
      return delassus.sparse(entries)
    end
    for seed = 1, 200 do
      math.randomseed(seed)
      local rows, cols = math.random(1, 4), math.random(1, 4)
      local S, T = made(rows, cols), made(rows, cols)
      local A, B = delassus.matrix(S:totable()), delassus.matrix(T:totable())
      assert.equal(A + B, delassus.matrix((S + T):totable()), "seed " .. seed)
      assert.equal(A - B, delassus.matrix((S - T):totable()), "seed " .. seed)
      assert.equal(A == B, S == T, "seed " .. seed)
      assert.is_true(S + T == T + S and S - S == 0 * T, "seed " .. seed)
    end
    local S, wide = delassus.sparse{ rows = 1, cols = 1, { 1, 1, 1e308 } }, delassus.sparse{ rows = 1, cols = 2 }
    assert.is_false(S == wide)
    assert.matches("sparse %+: sizes differ: 1 x 1 and 1 x 2", message_of(function() return S + wide end))
    assert.matches("sparse %-: needs two sparse matrices", message_of(function() return S - { { 1 } } end))
    assert.matches("sparse %+: a sum is not finite", message_of(function() return S + S end))
  end)

  it("refuses places outside and options it does not know", function()
    assert.matches("entry 1: the row must be a whole number from 1 to 2",
      message_of(delassus.sparse, { rows = 2, cols = 2, { 3, 1, 1 } }))
    assert.matches("unknown option 'colls' %(did you mean 'cols'%?%)",
      message_of(delassus.sparse, { rows = 2, colls = 2 }))
    assert.matches("'rows' is required", message_of(delassus.sparse, { cols = 2 }))
    assert.matches("'rows' must be >= 0, got %-1", message_of(delassus.sparse, { rows = -1, cols = 2 }))
  end)
end)

describe("the library", function()
  it("makes no global and answers help", function()
    local before = {}
    for name in pairs(_G) do before[name] = true end
    for name in pairs(package.loaded) do
      if name:match("^delassus") then package.loaded[name] = nil end
    end
    local again = require "delassus"
    for name in pairs(_G) do assert.is_true(before[name], name) end
    assert.matches(":norm%(%) the length", again.help(again.vec { 1, 2 }))
    assert.matches("%.vec{ x, y, z } %-> Vec", again.help())
  end)
end)
