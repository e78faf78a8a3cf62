-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Every public function and method, every position of its arguments, hostile values: an answer, or an error that names
-- the function; the world is the same one after an error.
local delassus = require "delassus"
local core = require "delassus.core"
local lcp = require "delassus.lcp"
local Source = require "fuzz.source"

local POSITIONS = 3
local SECONDS = 0.02 -- of a call: then a hook ends it
-- Calls that open programs, wait, write files or end the object.
local barred = { show = true, record = true, save = true, close = true, delassus = true, index = true }
-- Calls that may do a part of what they are asked before they fail.
local partial = { step = true, run = true, advance = true, integrate = true, set_coordinates = true, set_velocities = true }

local function nothing() end

local function hostile(objects)
  local list = { true, "", "nonsense", "a\0b", ("long "):rep(100), {}, { {} }, { 1, 2, 3, 4, 5, 6, 7 }, { 0 / 0, 1 }, { "x" },
    { a = 1 }, { [1e9] = 1 }, setmetatable({}, { __index = function() error "asked" end }), nothing, coroutine.create(nothing),
    io.stdout, math.huge, -math.huge, 0 / 0, 0, -1, 1.5, 1e300, 5e-324, 2 ^ 53, math.mininteger, math.maxinteger }
  for _, object in ipairs(objects) do list[#list + 1] = object end
  return list
end

--- A world with one of each thing in it, and all objects by the names of their classes.
local function things(planar)
  local world = delassus.world{ planar = planar, record = false, max_iterations = 50 }
  world:floor{}
  local function point(x, y) return planar and { x, y } or { x, 0, y } end
  local a = world[planar and "disk" or "sphere"](world, { radius = 0.1, position = point(0, 0.1) })
  local b = world:box{ size = planar and { 0.2, 0.2 } or { 0.2, 0.2, 0.2 }, position = point(1, 0.5) }
  local c = world:capsule{ radius = 0.1, length = 0.2, position = point(2, 0.5) }
  local joint = world:joint{ "revolute", world.ground, b, anchor = point(1, 1), axis = not planar and { 0, 1, 0 } or nil }
  local other = world:joint{ "revolute", b, c, anchor = point(1.5, 0.5), axis = not planar and { 0, 1, 0 } or nil }
  local tie = world:contact{ world.ground, a, rope = 3 }
  world:step(3)
  local found
  for contact in world:contacts() do found = found or contact end
  local objects = { world = world, body = a, joint = joint, gear = world:gear{ joint, other, ratio = 2 },
    spring = world:spring{ a, b, stiffness = 10 }, tie = tie, contact = found, material = a.material,
    shape = a.shape, callback = world:on("step", nothing) }
  return world, objects
end

-- Objects that belong to no world.
local function loners()
  local st = delassus.structure{}
  local node, far = st:node{ 0, 0 }, st:node{ 1, 0 }
  local bar = st:bar{ node, far, E = 1, A = 1 }
  st:fix(node, "x", "y")
  st:fix(far, "y")
  return { vec = delassus.vec{ 1, 2, 3 }, vector = delassus.vector{ 1, 2 }, matrix = delassus.matrix{ { 2, 1 }, { 1, 2 } },
    sparse = delassus.sparse{ rows = 2, cols = 2, { 1, 1, 2 }, { 2, 2, 2 } }, random = delassus.random(1), solver = lcp.solver{},
    cone_solver = lcp.cone_solver{}, path = lcp.parametric{ M = { { 2 } }, q = { 1 }, d = { -1 } },
    solution = lcp.solve{ M = { { 2 } }, q = { -1 }, trace = true },
    stack = delassus.stack{ bodies = { { mass = 1, stiffness = 1e5, position = 1 } } },
    system = delassus.system{ q = { 1 }, u = { 0 }, mass = { { 1 } }, forces = { 0 } },
    structure = st, node = node, element = bar, state = st:solve{}, follow = st:follow{} }
end

local function functions()
  local list = {}
  for prefix, module in pairs{ delassus = delassus, lcp = lcp, stack = require "delassus.stack", math = delassus.math,
    plot = require "delassus.plot", logs = require "delassus.logs", record = require "delassus.record" } do
    for name, f in pairs(module) do
      if type(f) == "function" and not barred[name] and name ~= "write" then list[#list + 1] = { prefix .. "." .. name, f } end
    end
  end
  table.sort(list, function(p, q) return p[1] < q[1] end)
  return list
end

local function sorted(set)
  local list = {}
  for name in pairs(set or {}) do if not barred[name] then list[#list + 1] = name end end
  table.sort(list)
  return list
end

-- Whether a message says where: "function: sentence" after the caller's place, or Lua's own about an argument.
local function is_told(message)
  if type(message) ~= "string" then return false end
  local text = message:gsub("^[^\n]-%.lua:%d+: ", "")
  return text:find "^[%w_.:%[%]' ]+: ." ~= nil or text:find "bad argument #%d" ~= nil or text:find "asked" ~= nil
end

local calls, refused = 0, 0

--- One call with a hostile value at `place` among `n` arguments.
local function try(what, world, free, f, ...)
  local before = world:hash()
  local ok, message = Source.guarded(SECONDS, f, ...)
  calls = calls + 1
  if ok or message == "time is up" then return end
  refused = refused + 1
  assert.is_true(is_told(message), what .. ": " .. tostring(message))
  if not free then assert.equal(before, world:hash(), what .. ": " .. tostring(message)) end
end

local function index(object, name) return object[name] end
local function assign(object, name, value) object[name] = value end

describe("hostile arguments", function()
  for _, planar in ipairs{ true, false } do
    local space = planar and ", plane" or ", space"

    it("leave worlds and what is in them whole" .. space, function()
      local world, objects = things(planar)
      local values = hostile{ world, objects.body, objects.joint, objects.shape, delassus.vec{ 1, 2 }, delassus.world{} }
      for _, kind in ipairs(sorted(objects)) do
        local start, hash = world:snapshot(), world:hash()
        for _, name in ipairs(sorted(core.names(objects[kind]))) do
          local object = objects[kind]
          local good, member = pcall(index, object, name)
          for v, value in ipairs(values) do
            local what = ("%s.%s, value %d"):format(kind, name, v)
            if good and type(member) == "function" then
              for place = 1, POSITIONS do
                local arguments = { n = place, [place] = value }
                try(what .. " at " .. place, world, partial[name], member, object, table.unpack(arguments, 1, place))
              end
            else
              try(what, world, partial[name], assign, object, name, value)
            end
            if world:hash() ~= hash then
              if not pcall(world.restore, world, start) then -- another body or joint: a new world
                world:close()
                world, objects = things(planar)
                start, hash, object = world:snapshot(), world:hash(), objects[kind]
                good, member = pcall(index, object, name)
              end
            end
          end
        end
      end
      world:close()
    end)
  end

  it("leave all other objects whole", function()
    local world, one = delassus.world{}, loners()
    local values = hostile{ world, delassus.vec{ 1, 2 } }
    for _, kind in ipairs(sorted(one)) do
      for _, name in ipairs(sorted(core.names(one[kind]))) do
        local good, member = pcall(index, one[kind], name)
        for v, value in ipairs(values) do
          local what = ("%s.%s, value %d"):format(kind, name, v)
          for place = 1, good and type(member) == "function" and POSITIONS or 0 do
            try(what, world, true, member, one[kind], table.unpack({ [place] = value }, 1, place))
          end
          if not good or type(member) ~= "function" then try(what, world, true, assign, one[kind], name, value) end
        end
      end
    end
  end)

  it("are refused by functions, or answered", function()
    local world = delassus.world{}
    local values = hostile{ world, delassus.vec{ 1, 2 } }
    for _, f in ipairs(functions()) do
      for v, value in ipairs(values) do
        for place = 1, POSITIONS do
          try(("%s, value %d"):format(f[1], v), world, true, f[2], table.unpack({ [place] = value }, 1, place))
        end
      end
    end
  end)

  it("were tried in more than 5,000 calls, of which most were refused", function()
    assert.is_true(#Source.fields > 100)
    assert.is_true(calls > 5000 and refused > calls / 2, ("%d calls, %d refused"):format(calls, refused))
  end)
end)
