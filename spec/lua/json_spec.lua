-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local json = require "delassus.json"

describe("json", function()
  it("tells whole floats from integers where it is to be read as it was", function()
    assert.equal('[1.0,1,-0.0,2.5,1e+300,"a",null]', json.encode({ 1.0, 1, -0.0, 2.5, 1e300, "a", 0 / 0 }, true))
    assert.equal('[1,1,-0.0]', json.encode { 1.0, 1, -0.0 })
    for _, x in ipairs { 2.0 ^ 53, 1e15, -1e15 - 1, 2.0 ^ 63, 1234567890123456.0, 0.1, 5e-324, math.maxinteger,
      math.mininteger } do
      local back = json.decode(json.encode(x, true))
      assert.equal(x, back)
      assert.equal(math.type(x), math.type(back))
    end
  end)

  it("is exact: every finite double comes back with the same bits, by Lua's own reader", function()
    local state = 88172645463325252
    for seed = 1, 2000 do
      state = state ~ (state << 13)
      state = state ~ (state >> 7)
      state = state ~ (state << 17)
      local x = ("<d"):unpack(("<i8"):pack(state))
      if x == x and x ~= math.huge and x ~= -math.huge then
        local text = json.encode{ x }
        assert.equal(("<d"):pack(x), ("<d"):pack(tonumber(text:sub(2, -2)) + 0.0), "seed " .. seed .. ": " .. text)
      end
    end
  end)

  it("is exact: known values are known texts", function()
    assert.equal("[0.1,1,-2,1e+300,0.30000000000000004,-0.0]", json.encode{ 0.1, 1.0, -2, 1e300, 0.1 + 0.2, -0.0 })
    assert.equal('{"a":true,"b":[],"c":{}}', json.encode{ b = json.list(), a = true, c = {} })
    assert.equal('"a\\"b\\\\c\\n\\u0001\\u003c/script>"', json.encode('a"b\\c\n\1</script>'))
  end)

  it("writes null for NaN and infinities, which JSON does not know", function()
    assert.equal("[null,null,null]", json.encode{ 0 / 0, math.huge, -math.huge })
  end)

  it("writes the same text for the same table, whatever the order of its making", function()
    local one, other, names = {}, {}, {}
    for i = 1, 100 do names[i] = ("key%d"):format(i * 7919 % 101) end
    for i = 1, #names do one[names[i]] = i end
    for i = #names, 1, -1 do other[names[i]] = i end
    assert.equal(json.encode(one), json.encode(other))
  end)

  it("agrees with cjson on what it wrote", function()
    local value = { name = 'quote " and \\', list = { 1, 2.5, -1e-9 }, nested = { { x = true }, { x = false } },
      ["\u{e9}"] = "\u{1F332}" }
    assert.same(value, require("cjson").decode(json.encode(value)))
    assert.same(value, json.decode(json.encode(value)))
  end)

  it("reads escapes, spaces and nulls", function()
    local value = json.decode(' { "a" : [ 1 , null , "\\u00e9\\ud83c\\udf32\\/" ] , "b" : null } ')
    assert.same({ 1, json.null, "\u{e9}\u{1F332}/" }, { table.unpack(value.a) })
    assert.is_nil(value.b)
  end)

  it("answers nil and a message that says where, for what is no JSON", function()
    for _, text in ipairs{ "", "{", "[1,", "[1 2]", '{"a" 1}', '{"a":1,}', "[01]", '"abc', '"\\x"', "nul", "1 2",
      "[1]]", '"\1"' } do
      local value, message = json.decode(text)
      assert.is_nil(value, text)
      assert.matches("json: .* at character %d+", message)
    end
    assert.is_nil((json.decode(("["):rep(100000))))
  end)

  it("is UTF-8 where asked for: other bytes are U+FFFD, one by one, and what is good stays", function()
    assert.equal("\u{FFFD}", json.utf8 "\xff")
    assert.equal("", json.utf8 "")
    assert.equal("a\u{FFFD}\u{FFFD}ü\u{FFFD}", json.utf8 "a\xff\xfeü\xc3")
    assert.equal("\u{FFFD}\u{FFFD}\u{FFFD}", json.utf8 "\xed\xa0\x80") -- half of a pair
    for seed = 1, 300 do
      local random, bytes = delassus.random(seed), {}
      for i = 1, seed % 20 do bytes[i] = string.char(random:integer(seed % 3 == 0 and 0 or 100, 255)) end
      local text = json.utf8(table.concat(bytes))
      if not utf8.len(text) or json.utf8(text) ~= text then error("seed " .. seed) end
    end
  end)

  it("raises for what it cannot write", function()
    assert.error_matches(function() json.encode{ print } end, "json: cannot write a function")
    assert.error_matches(function() json.encode{ [true] = 1 } end, "an object's keys must be strings")
    local loop = {}
    loop.loop = loop
    assert.error_matches(function() json.encode(loop) end, "nested too deeply")
  end)
end)
