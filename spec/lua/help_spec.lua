-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- What help says of words, calls, classes, and how the prompt shows values.
local delassus = require "delassus"
local entries = require "delassus.entries"
local help = delassus.help
local pretty = require "delassus.pretty"

describe("help of a word", function()
  it("tells topics, under each of their names", function()
    for _, word in ipairs { "joint", "joints", "units", "contact", "friction", "solver", "residual", "lcp", "frames" } do
      assert.is_true(#help(word) > 80, word)
      assert.falsy(help(word):find("unknown", 1, true), word)
    end
    assert.equal(help "joint", help "joints")
  end)

  it("tells calls by name, without their module, and by the function itself", function()
    assert.truthy(help "world:joint":find("\n  anchor +origin of b +%[m%]"))
    assert.equal(help "delassus.material", (help "material":gsub("^.-\n\n", "")))
    local world = delassus.world { record = false }
    assert.equal(help "world:joint", help(world.joint))
    assert.equal(help "lcp.solve", help(delassus.lcp.solve))
    assert.truthy(help(world.step):find("^world:step%(n%)"))
  end)

  it("tells modules by what stands of their word, and their calls by how they are called", function()
    for _, name in ipairs { "structure", "stack", "drum", "lcp", "sweep", "report", "plot", "record", "logs", "load", "show" } do
      local text = help(require("delassus." .. name))
      assert.is_nil(text:find("0x", 1, true), name)
    end
    assert.truthy(help(require "delassus.structure"):find("thickness", 1, true))
    assert.truthy(help(delassus.lcp):find("\n  .solve{ M =, q = } -> LcpSolution", 1, true))
    assert.truthy(help():find("\n  .world{ ... } -> World", 1, true))
  end)

  it("of nothing is nothing's", function()
    assert.equal("nil (a nil)", delassus.help(nil))
  end)

  it("tells classes and their members by name", function()
    assert.truthy(help "Body":find("\n  .velocity_at", 1, true) or help "Body":find("\n  :velocity_at", 1, true))
    assert.truthy(help "body.nothing":find("unknown word", 1, true))
    assert.truthy(help "body.mass":find("kg", 1, true))
    assert.truthy(help "Vec":find("\n  :norm", 1, true) and help "Shape":find("\n  .radius", 1, true))
    assert.truthy(help "World":find("\n  :run", 1, true)) -- a method of Lua's side
  end)

  it("tells members of what calls answer, and words as they are typed", function()
    assert.equal("stats.residual  [relative] worst of the islands", help "stats.residual")
    assert.equal("LcpSolution.z  [n]", help "LcpSolution.z")
    assert.matches("^joint%.motor  { speed = }", help "joint.motor")
    assert.equal(help "world:step", help " world:step(100) ")
    assert.equal(help "lcp.solve", help "delassus.lcp.solve")
    assert.equal(help "lcp", help "delassus.lcp")
    assert.matches("^unknown word 'stats%.foo'", help "stats.foo")
    assert.matches("^unknown word ''", help "")
  end)

  it("tells the numbers of a motor as what they are", function()
    local world <close> = delassus.world { record = false }
    local wheel = world:body { mass = 1, inertia = { 1, 1, 1 } }
    local joint = world:joint { "revolute", world.ground, wheel, axis = { 0, 0, 1 }, motor = { speed = 1, max_torque = 2 } }
    assert.truthy(help(joint.motor):find("\n  .max_torque  (number)\n  .speed  (number)", 1, true))
  end)

  it("tells members of all classes by their bare name, and what was meant by a misspelt one", function()
    assert.truthy(help "raycast":find("^shape:raycast%(.-\nworld:raycast%("))
    assert.truthy(help "world:capsule":find("^world:capsule{ radius ="))
    assert.truthy(help "raycsat":find("did you mean 'raycast'?", 1, true))
    assert.equal(help "loop", help "linkage")
  end)

  it("names the nearest word that it knows, and the topics", function()
    assert.truthy(help "frcition":find("did you mean 'friction'?", 1, true))
    assert.truthy(help "world:jiont":find("did you mean 'world:joint'?", 1, true))
    assert.truthy(help "xyzzy":find("topics: ", 1, true))
  end)

  it("tells of every entry by its name", function()
    for _, entry in ipairs((entries.all())) do
      assert.truthy(help(entry.name):find(entry.head, 1, true), entry.name)
    end
  end)

  it("tells of objects of Lua's side", function()
    local drum = require "delassus.drum" {}
    for _, name in ipairs { ":settle", ":run", ":report", ".froude", ".diameter" } do
      assert.truthy(help(drum):find("\n  " .. name, 1, true), name)
    end
    assert.truthy(help(delassus.report { title = "x" }):find("\n  :save", 1, true))
  end)
end)

describe("the prompt shows", function()
  it("tables nested, sorted, aligned and cut", function()
    assert.equal("{ 1, 2, 3 }", pretty.text { 1, 2, 3 })
    assert.equal("{}", pretty.text {})
    assert.equal('{ "x", a = 1 }', pretty.text { "x", a = 1 })
    assert.equal("{\n   1     2\n  30  4.25\n}", pretty.text { { 1, 2 }, { 30, 4.25 } })
    assert.equal("{\n  bb = 1\n  c  = { d = 2 }\n  e  = 3\n  f  = 4\n  g  = 5\n}",
      pretty.text { bb = 1, c = { d = 2 }, e = 3, f = 4, g = 5 })
    local long = {}
    for i = 1, 1000 do long[i] = i end
    assert.truthy(pretty.text(long):find("20, ... 980 more }", 1, true))
    local deep = { a = { a = { a = { a = { a = 1 } } } } }
    assert.equal("{ a = { a = { a = { a = {...} } } } }", pretty.text(deep))
    local ring = {}
    ring.ring = ring
    assert.equal("{ ring = { the table it is in } }", pretty.text(ring))
  end)

  it("other values as print does", function()
    assert.equal("text", pretty.text "text")
    assert.equal(tostring(delassus.vec { 1, 2 }), pretty.text(delassus.vec { 1, 2 }))
    assert.equal("1\ttrue\tnil", pretty.values(1, true, nil))
  end)

  it("worlds with their bodies, contacts as a table", function()
    local world = delassus.world { record = false }
    world:floor { name = "floor" }
    world:sphere { name = "ball", radius = 1, position = { 0, 0, 1 } }
    world:step()
    local text = pretty.text(world)
    assert.truthy(text:find("\n  ball   dynamic  0 0 1", 1, true), text)
    local lines = {}
    for line in pretty.contacts(world:contacts()):gmatch("[^\n]+") do lines[#lines + 1] = line end
    assert.equal(2, #lines)
    assert.truthy(lines[2]:find("^floor  ball  stick  "), lines[2])
    assert.equal(lines[1]:find("state", 1, true), lines[2]:find("stick", 1, true))
    world:close()
    assert.truthy(pretty.text(world):find("closed", 1, true))
    assert.equal("no contacts", pretty.contacts(delassus.world {}:contacts()))
  end)

  it("what lines at the prompt answer", function()
    local pipe = assert(io.popen(([[printf 'x = {1, 2}\nx\nhelp "units"\nw = delassus.world{}\nw:contacts()\n' | ]]
      .. [[LUA_PATH='%s' LUA_CPATH='%s' lua5.4 bin/delassus 2>&1]]):format(package.path, package.cpath)))
    local said = pipe:read("a")
    pipe:close()
    assert.truthy(said:find("{ 1, 2 }\nunits\nSI throughout", 1, true), said)
    assert.truthy(said:find("\nno contacts\n", 1, true), said)
  end)
end)
