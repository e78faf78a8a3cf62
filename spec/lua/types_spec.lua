-- types/delassus.d.lua against what the objects answer to.
local delassus = require "delassus"
local core = require "delassus.core"
local lcp = require "delassus.lcp"

local text = assert(io.open("types/delassus.d.lua")):read("a")

--- Whether the definitions of a class, from its line to the next class, hold a name.
local function block(class)
  local first = assert(text:find("---@class " .. class .. "\n", 1, true), class)
  local last = text:find("---@class ", first + 1, true) or #text
  return text:sub(first, last)
end

describe("the definitions for the language server", function()
  it("are valid Lua", function() assert.is_function(load(text)) end)

  local scene = delassus.world { planar = true, record = false }
  local ball = scene:disk { radius = 1 }
  local tie = scene:contact { scene.ground, ball, normal = { 0, 1 } }
  local objects = {
    ["delassus.Vec"] = delassus.vec { 1, 2, 3 }, ["delassus.Vector"] = delassus.vector { 1 },
    ["delassus.Matrix"] = delassus.matrix { { 1 } }, ["delassus.Sparse"] = delassus.sparse { rows = 1, cols = 1 },
    ["delassus.Random"] = delassus.random(1), ["delassus.LcpSolver"] = lcp.solver {},
    ["delassus.ConeSolver"] = lcp.cone_solver {}, ["delassus.LcpPath"] = lcp.parametric { M = {}, q = {}, d = {} },
    ["delassus.Stack"] = delassus.stack { bodies = { { mass = 1, stiffness = 1e5, position = 1 } } },
    ["delassus.System"] = delassus.system { q = { 1 }, u = { 0 }, mass = { { 1 } }, forces = { 0 } },
    ["delassus.World"] = scene, ["delassus.Body"] = ball, ["delassus.Contact"] = tie,
    ["delassus.Material"] = delassus.material {},
    ["delassus.Spring"] = scene:spring { scene.ground, ball, stiffness = 1 },
    ["delassus.LcpSolution"] = lcp.solve { M = {}, q = {}, trace = true },
    ["delassus.ConeSolution"] = lcp.cone { W = {}, q = {} },
  }
  local world = delassus.world { record = false } -- held: the joint lives as long
  objects["delassus.Batch"], objects["delassus.Shape"] = delassus.batch(world, 1), delassus.sphere { radius = 1 }
  objects["delassus.Joint"] = world:joint { "ball", world.ground, world:body { mass = 1, inertia = { 1, 1, 1 } } }
  local st = delassus.structure {}
  local node, other = st:node { 0, 0 }, st:node { 1, 0 }
  local bar, touch = st:bar { node, other, E = 1, A = 1 }, st:contact { on = other, normal = { 0, 1 } }
  st:fix(node, "x", "y")
  objects["delassus.Structure"], objects["delassus.StructureNode"] = st, node
  objects["delassus.StructureElement"], objects["delassus.StructureContact"] = bar, touch
  objects["delassus.StructurePath"], objects["delassus.StructureState"] = st:follow {}, st:solve {}
  for class, object in pairs(objects) do
    it("follow help, which tells all of " .. class, function()
      local told = delassus.help(object)
      for name in pairs(core.names(object) or {}) do
        assert.truthy(told:find("\n  [.:]" .. name .. "%f[^%w_]"), class .. " " .. name)
      end
    end)

    it("name all that help tells of " .. class, function()
      local definitions = block(class)
      for kind, name in delassus.help(object):gmatch("\n  ([.:])([%a_]+)") do
        local line = kind == "." and "---@field " .. name or ":" .. name .. "("
        assert.truthy(definitions:find(line, 1, true), class .. kind .. name)
      end
    end)
  end

  it("name the library's own functions", function()
    local definitions = block("delassus")
    for name, value in pairs(delassus) do
      if type(value) == "function" and name ~= "help" then
        assert.truthy(definitions:find("function delassus." .. name .. "(", 1, true), name)
      end
    end
  end)

  it("name every option of world:joint", function()
    local first = assert(text:find("---@class delassus.JointOptions", 1, true))
    for option in text:sub(first, text:find("\n\n", first, true)):gmatch("---@field ([%a_][%w_]*)") do
      local _, message = pcall(world.joint, world, { "ball", world.ground, world.ground, [option] = io.stdout })
      assert.falsy(tostring(message):find("unknown option", 1, true), message)
    end
  end)

  -- Words behind a definition's mark, in any order.
  local function words(mark)
    local list = {}
    local line = assert(text:match(mark:gsub("%p", "%%%0") .. ' ("[^ \n]+)'), mark)
    for word in line:gmatch '"(%l+)"' do list[#list + 1] = word end
    table.sort(list)
    return list
  end

  it("name the kinds of joints, those of the core", function()
    local kinds = table.move(core.joint_kinds, 1, #core.joint_kinds, 2, { "ball" })
    table.sort(kinds)
    assert.same(kinds, words "---@class delassus.JointOptions\n---@field [1]")
  end)

  it("name how solves and paths end, in the words of the core's lists", function()
    local lists = {
      { "src/core/lcp/lcp.h", "DLS_OUTCOMES", "---@alias delassus.LcpStatus" },
      { "src/core/lcp/parametric.h", "DLS_PATH_ENDS", "---@alias delassus.PathEnd" },
      { "src/core/structure/single.h", "DLS_SINGLE_ENDS", "(read only)\n---@field status" },
    }
    for _, of in ipairs(lists) do
      local file <close> = assert(io.open(of[1]))
      local list = {}
      for word in file:read("a"):match("#define " .. of[2] .. "%(X%)(.-)\n\n"):gmatch '"(%l+)"' do list[#list + 1] = word end
      table.sort(list)
      assert.same(list, words(of[3]), of[2])
    end
  end)

  for _, name in ipairs { "solve", "solver", "parametric", "cone", "cone_solver" } do
    it("name every option of lcp." .. name, function()
      local classes = { solve = "LcpOptions", solver = "LcpSolverOptions", parametric = "LcpPathOptions",
        cone = "ConeOptions", cone_solver = "ConeSolverOptions" }
      local class = "delassus." .. classes[name]
      local first = assert(text:find("---@class " .. class, 1, true))
      local options = text:sub(first, text:find("\n\n", first, true))
      for option in options:gmatch("---@field ([%a_]+)") do
        local _, message = pcall(lcp[name], { [option] = io.stdout })
        assert.falsy(tostring(message):find("unknown option", 1, true), message)
      end
    end)
  end
end)
