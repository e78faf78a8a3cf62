-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- delassus.load: one arm as URDF and as an RBDL model.
local delassus = require "delassus"

local function near(expected, got, tolerance) assert.is_true(math.abs(expected - got) <= tolerance, expected .. " " .. got) end

local function written(text, ending)
  local path = os.tmpname() .. ending
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  return path
end

describe("delassus.load", function()
  local has_expat = pcall(require, "lxp")

  it("agrees: the arm from URDF and from RBDL have one mass matrix and one motion", function()
    local rbdl <close>, by_name = delassus.load "spec/support/arm.lua"
    assert.equal(3, #rbdl)
    rbdl:set_coordinates{ 0.3, 0.5, 0.05 }
    rbdl:set_velocities{ 1, 2, 0.1 }
    near(0.3, by_name.joints.upper.q, 0)
    -- the finger's 0.1 kg moves along its own axis alone
    near(0.1, rbdl:mass_matrix()[3][3], 1e-16)
    if not has_expat then return print("lua-expat is not here: URDF not compared") end
    local urdf <close>, index = delassus.load "spec/support/arm.urdf"
    urdf:set_coordinates{ 0.3, 0.5, 0.05 }
    urdf:set_velocities{ 1, 2, 0.1 }
    local A, B, a, b = urdf:mass_matrix(), rbdl:mass_matrix(), urdf:bias(), rbdl:bias()
    for i = 1, 3 do
      for j = 1, 3 do near(B[i][j], A[i][j], 1e-14) end
      near(b[i] + (i == 1 and 0.5 or 0), a[i], 1e-13) -- URDF's shoulder has a damper of 0.5
    end
    near(by_name.bodies.fore.position.x, index.bodies.fore.position.x, 1e-15)
    assert.equal("cylinder", index.bodies.fore.shape.children[1].kind)
  end)

  it("leaves the root free where asked", function()
    if not has_expat then return print("lua-expat is not here: nothing to load") end
    local world <close> = delassus.load("spec/support/arm.urdf", { root = "free" })
    assert.equal(10, #world:coordinates())
  end)

  it("gears a joint that mimics another: multiplier and offset", function()
    if not has_expat then return print("lua-expat is not here: nothing to load") end
    local inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    local function joint(name, child, more)
      return ('<joint name="%s" type="continuous"><parent link="base"/><child link="%s"/><axis xyz="0 0 1"/>%s</joint>')
        :format(name, child, more)
    end
    local path = written(('<robot name="r"><link name="base"/><link name="l">%s</link><link name="r">%s</link>%s%s</robot>')
      :format(inertial, inertial, joint("right", "r", '<mimic joint="left" multiplier="-2" offset="0.5"/>'),
        joint("left", "l", "")), ".urdf")
    local world <close>, index = delassus.load(path)
    os.remove(path)
    assert.is_truthy(world, index)
    local left, right = index.joints.left, index.joints.right
    near(0.5, right.q, 0)
    left.torque = 5
    world:step(500)
    near(1 * 0.5 * 0.5 / 2, left.q, 1e-9) -- 1 + 2 * 2 = 5 kg m^2: 1 rad/s^2
    near(-2 * left.q + 0.5, right.q, 1e-12)
  end)

  it("sets joints that mimic others which mimic others, in any order, before they are geared", function()
    if not has_expat then return print("lua-expat is not here: nothing to load") end
    local inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    local text = { '<robot name="r"><link name="a"/>' }
    for k, name in ipairs { "b", "c", "d" } do
      text[#text + 1] = ('<link name="%s">%s</link>'):format(name, inertial)
      text[#text + 1] = ('<joint name="j%d" type="continuous"><parent link="a"/><child link="%s"/><axis xyz="0 0 1"/>%s</joint>')
        :format(k, name, ({ '<mimic joint="j2" multiplier="2" offset="0.1"/>',
          '<mimic joint="j3" multiplier="-1" offset="0.5"/>', "" })[k])
    end
    local path = written(table.concat(text) .. "</robot>", ".urdf")
    local world <close>, index = delassus.load(path)
    os.remove(path)
    assert.is_truthy(world, index)
    near(0.5, index.joints.j2.q, 0)
    near(1.1, index.joints.j1.q, 1e-15)
    index.joints.j3.torque = 6
    world:step(100)
    near(1 * 0.1 * 0.1 / 2, index.joints.j3.q, 1e-9) -- 1 + 1 + 4 = 6 kg m^2: 1 rad/s^2
    near(0.5 - index.joints.j3.q, index.joints.j2.q, 1e-12)
    near(2 * index.joints.j2.q + 0.1, index.joints.j1.q, 1e-12)
  end)

  it("turns joints about any axis, also one that is nearly -x", function()
    if not has_expat then return print("lua-expat is not here: nothing to load") end
    local inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    for _, off in ipairs { 0, 1e-160, 1e-12, 1e-8, 1e-5, 1e-3, 1e-2, 1 } do
      local path = written(('<robot name="r"><link name="a"/><link name="b">%s</link><joint name="j" type="continuous">'
        .. '<parent link="a"/><child link="b"/><axis xyz="-1 %g %g"/></joint></robot>'):format(inertial, off, -off / 2), ".urdf")
      local world <close>, index = delassus.load(path)
      os.remove(path)
      assert.is_truthy(world, index)
      index.joints.j.qd = 1
      local omega, norm = index.bodies.b.angular_velocity, math.sqrt(1 + 1.25 * off * off)
      for k, want in ipairs { -1, off, -off / 2 } do near(want / norm, omega[k], 1e-15) end
    end
  end)

  it("takes axes, dampers and friction of joints that do not move, or move freely, as nothing", function()
    if not has_expat then return print("lua-expat is not here: nothing to load") end
    local inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    for _, kind in ipairs { "fixed", "floating" } do
      local path = written(('<robot name="r"><link name="a"/><link name="b">%s</link><joint name="j" type="%s"><parent link="a"/>'
        .. '<child link="b"/><axis xyz="0 0 0"/><dynamics damping="0.1" friction="0.2"/></joint></robot>'):format(inertial, kind),
        ".urdf")
      local world <close>, index = delassus.load(path)
      os.remove(path)
      assert.is_truthy(world, index)
      world:step(10)
    end
  end)

  it("names what is wrong in a file, with its line", function()
    local inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    local link = ('<link name="%%s">%s</link>'):format(inertial)
    local a, b, c = link:format "a", link:format "b", link:format "c"
    local function joint(name, parent, child)
      return ('<joint name="%s" type="fixed"><parent link="%s"/><child link="%s"/></joint>'):format(name, parent, child)
    end
    local function follower(child, kind, leader, ratio, name)
      return ('<joint name="%s" type="%s"><parent link="a"/><child link="%s"/>%s</joint>'):format(name or "j", kind, child,
        leader and ('<mimic joint="%s" multiplier="%g"/>'):format(leader, ratio) or "")
    end
    local B = "body = { mass = 1, inertia = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }"
    for text, expected in pairs{
      [a .. b .. c .. joint("j", "a", "b") .. joint("j", "b", "c")] = "1: <joint>: the name 'j' is taken",
      ["<xacro:property name='x' value='1'/>" .. a] = "1: <xacro:property>: the file is a xacro source: run xacro on it first",
      [a .. b] = "1: <robot>: needs one root link, has 2: a, b",
      [a .. b .. joint("j", "a", "b") .. joint("k", "b", "a")] = "1: <robot>: needs one root link, has 0 (a loop)",
      ["<link name='w'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='9'/></inertial></link>"] =
        " body 'w': world:body: 'inertia' must have no principal moment larger than the sum of the other two",
      ["\0"] = "", -- nil and whatever expat says
      [a .. b .. follower("b", "continuous", "j", 1)] = " joint 'j' mimics 'j', and so itself",
      [a .. b .. c .. follower("b", "continuous", "k", 1) .. follower("c", "prismatic", "j", 1, "k")] =
        " joint 'j' mimics 'k', and so itself",
      [a .. b .. c .. joint("k", "a", "c") .. follower("b", "continuous", "k", 1)] =
        " joint 'j' mimics 'k', which has no coordinate to follow",
      [a .. b .. c .. follower("c", "continuous", "l", 1, "k") .. follower("b", "continuous", "k", 1)] =
        " joint 'k' mimics 'l', which is not there",
      [a .. b .. c .. follower("b", "fixed", "k", 1) .. follower("c", "continuous", nil, 1, "k")] =
        " joint 'j' mimics 'k', but has no coordinate of its own",
      [a .. b .. c .. follower("b", "continuous", "k", 0) .. follower("c", "continuous", nil, 1, "k")] =
        " joint 'j' mimics 'k', with a multiplier of 0",
    } do
      local file = written('<robot name="r" xmlns:xacro="x">' .. text .. "</robot>", ".urdf")
      local world, message = delassus.load(file, { root = "free" })
      os.remove(file)
      assert.is_nil(world)
      assert.equal(file .. ":" .. expected, message:sub(1, #file + 1 + #expected))
    end
    for text, expected in pairs{
      ["return { frames = { { name = 'a', parent = 'x', " .. B .. " } } }"] = "frame 'a': there is no parent 'x' before it",
      ["return { frames = { { name = 'a', " .. B .. " } } }"] = "frame 'a': 'parent' is required",
      ["return { frames = ('x'):rep(1e10) }"] = "attempt to call a nil value (method 'rep')",
      ["setmetatable({}, { __gc = print })"] = "a model has no finalizers",
      ["error(setmetatable({}, { __tostring = function() while true do end end }))"] = "the model raises a table",
      ["return setmetatable({}, { __index = function() while true do end end })"] = "stopped after 1e7 instructions",
    } do
      local file = written(text, ".lua")
      local world, message = delassus.load(file)
      os.remove(file)
      assert.is_nil(world)
      assert.equal(file .. ":", message:sub(1, #file + 1))
      assert.truthy(message:find(expected, 1, true), message)
    end
    assert.equal("xx", ("x"):rep(2)) -- strings of ours answer as before
  end)

  it("answers nil and a message for what cannot be read", function()
    local world, message = delassus.load "/nowhere/at/all.lua"
    assert.is_nil(world)
    assert.is_truthy(message:find("/nowhere/at/all.lua", 1, true))
    local endless = written("while true do end", ".lua")
    world, message = delassus.load(endless)
    assert.is_nil(world)
    assert.is_truthy(message:find("1e7 instructions", 1, true), message)
    local escaping = written("return { frames = { io.open('x') } }", ".lua")
    assert.is_nil((delassus.load(escaping)))
    assert.has_error(function() delassus.load("x.lua", { root = "loose" }) end)
    os.remove(endless)
    os.remove(escaping)
  end)

  -- Every function in C that a model may call is bounded: by what it is given, or by what it may take.
  local greedy = {
    ["too many elements"] = {
      "table.move({}, 1, math.maxinteger - 1, 2)", "table.move({ 1 }, math.mininteger, math.maxinteger, 1)",
      "table.insert(setmetatable({}, { __len = function() return 1 << 50 end }), 1, 0)",
      "table.remove(setmetatable({}, { __len = function() return 1 << 50 end }), 1)",
      "table.sort(setmetatable({}, { __len = function() return 1 << 50 end, __index = function() return 1 end }))",
      "table.concat(setmetatable({}, { __len = function() return 1 << 50 end, __index = function() return 'x' end }))",
    },
    ["a pattern could take too long"] = {
      'local s = "a" for i = 1, 6 do s = s .. s end s:find("a*a*a*a*a*a*a*a*a*a*b")',
      'local s = "a" for i = 1, 6 do s = s .. s end s:match(".-.-.-.-.-.-b")',
      'local s = "a" for i = 1, 6 do s = s .. s end string.gsub(s, "a?a?a?a?a?a?a?b", "")',
      'local s = "a" for i = 1, 6 do s = s .. s end s:gmatch("a+a+a+a+a+a+b")',
      'local s = "a" for i = 1, 22 do s = s .. s end s:find(s:sub(1, 2000000) .. "b", 1, true)',
    },
    ["too much memory"] = {
      'local s = "x" for i = 1, 34 do s = s .. s end', 'local s = "x" for i = 1, 15 do s = s .. s end s:gsub("x", s)',
      "local function deep() return 1 + deep() end deep()", "local t = {} for i = 1, 1e7 do t[i] = { i } end",
    },
    ["takes too long"] = { 'local s = "x" for i = 1, 24 do s = s .. s end while true do s = s:reverse() end' },
  }
  for expected, chunks in pairs(greedy) do
    it("stops a model that would take the machine: " .. expected, function()
      for _, chunk in ipairs(chunks) do
        local file = written(chunk .. " return {}", ".lua")
        local ok, message = pcall(delassus.load, file)
        os.remove(file)
        assert.is_false(ok, chunk)
        assert.truthy(message:find("delassus.load: " .. file .. ": stopped: ", 1, true), message)
        assert.truthy(message:find(expected, 1, true), message)
      end
    end)
  end

  it("gives models the functions of tables and strings as Lua has them", function()
    local file = written([[
      local t = { 3, 1, 2 }
      table.sort(t)
      assert(table.concat(t, ",") == "1,2,3")
      table.sort(t, function(a, b) return a > b end)
      assert(table.concat(t, ",", 2) == "2,1")
      table.insert(t, 0)
      table.insert(t, 2, 9)
      assert(table.concat(t) == "39210")
      assert(table.remove(t) == 0 and table.remove(t, 2) == 9 and #t == 3)
      assert(table.concat(table.move(t, 1, 3, 2), ",") == "3,3,2,1")
      assert(("a1b22"):gsub("%d+", "x") == "axbx" and ("key=value"):match("(%w+)=(%w+)") == "key")
      assert(("abc"):find("b", 1, true) == 2 and select(2, ("x.y"):gsub("%.", "")) == 1)
      local words = {}
      for word in ("one two"):gmatch("%a+") do words[#words + 1] = word end
      assert(#words == 2 and not pcall and getmetatable("") == nil)
      local frame = setmetatable({ name = "a" }, { __index = { parent = "ROOT", body = { mass = 2 + math.random() } } })
      return { frames = { frame } }
    ]], ".lua")
    local masses = {}
    for k = 1, 2 do
      math.randomseed(7 * k)
      local wanted = math.random(1 << 30)
      math.randomseed(7 * k)
      local world, index = delassus.load(file)
      assert.is_truthy(world, index)
      masses[k] = index.bodies.a.mass
      assert.equal(wanted, math.random(1 << 30)) -- the model's numbers are its own
    end
    os.remove(file)
    assert.equal(masses[1], masses[2])
  end)
end)
