-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- What help and the manual tell of calls, against what the calls read: no option untold, none that is not there.
local delassus = require "delassus"
local check = require "delassus.check"
local core = require "delassus.core"
local drum = require "delassus.drum"
local entries = require "delassus.entries"
local lcp, logs, stack, structure = delassus.lcp, delassus.logs, delassus.stack, delassus.structure

local world = delassus.world { record = false }
local plane = delassus.world { record = false, planar = true }
local body = world:body { mass = 1, inertia = { 1, 1, 1 } }
local st, system = structure {}, delassus.system { q = { 1 }, u = { 0 }, mass = { { 1 } }, forces = { 0 } }
local node = st:node { 0, 0 }
st:bar { node, st:node { 1, 0 }, E = 1, A = 1 }
st:fix(node, "x", "y")
local pile = stack { bodies = { { mass = 1, stiffness = 1e5, position = 1 } } }

-- Each call with the table of options in the place of `o`.
local calls = {
  ["delassus.world"] = delassus.world, ["delassus.material"] = delassus.material, ["delassus.system"] = delassus.system,
  ["delassus.sparse"] = delassus.sparse, ["delassus.plot"] = function(o) return delassus.plot(o) end,
  ["plot.figures"] = function(o) return delassus.plot.figures(o) end,
  ["delassus.report"] = function(o) return delassus.report(o) end,
  ["delassus.record"] = function(o) return delassus.record(o) end,
  ["delassus.load"] = function(o) return delassus.load("absent.urdf", o) end,
  ["friction law"] = function(o) return delassus.material { friction = o } end,
  ["spherical limits"] = function(o)
    return world:joint { "spherical", world.ground, world:body { mass = 1, inertia = { 1, 1, 1 } }, limits = o }
  end,
  motor = function(o)
    local b = world:body { mass = 1, inertia = { 1, 1, 1 } }
    return world:joint { "revolute", world.ground, b, axis = { 0, 0, 1 }, motor = o }
  end,
  ["logs.parse"] = function(o) return logs.parse("diameter (m),length (m)\n0.2,1\n", o) end,
  stack = function(o) return stack(o) end, structure = function(o) return structure(o) end,
  ["delassus.sweep"] = function(o) return delassus.sweep(o) end,
  drum = function(o) return drum(o) end, ["drum logs"] = function(o) return drum { logs = o } end,
  ["drum lifters"] = function(o) return drum { lifters = o } end,
  ["drum:run"] = function(o) return drum { planar = true }:run(o) end,
  ["stack body"] = function(o) return stack { bodies = { o } } end,
  ["system contact"] = function(o)
    return delassus.system { q = { 1 }, u = { 0 }, mass = { { 1 } }, forces = { 0 }, contacts = { o } }
  end,
  ["report table"] = function(o) return delassus.report { title = "x", tables = { o } } end,
  ["report chart"] = function(o) return delassus.report { title = "x", charts = { o } } end,
  ["recording frame"] = function(o) return delassus.record { bodies = {} }:frame(o) end,
  ["path:plot"] = function(o) return st:follow {}:plot(o) end, ["state:plot"] = function(o) return st:solve {}:plot(o) end,
  ["delassus.compound"] = function(o) return delassus.compound { o } end,
}
local gone = delassus.world { record = false } -- a view of it asks for its options, and opens nothing
gone:close()
calls["world:view"] = function(o) return require "delassus.view".view(gone, o) end
calls["system:show"] = function(o) -- its page is written nowhere
  local show = package.loaded["delassus.show"]
  package.loaded["delassus.show"] = function() end
  local ok, message = pcall(system.show, system, o)
  package.loaded["delassus.show"] = show
  if not ok then error(message, 0) end
end
calls["view:slider"] = function(o) return require "delassus.view_slider".read(world, o) end
for _, name in ipairs { "sphere", "disk", "capsule", "cylinder", "cone", "ellipsoid", "box", "polygon", "convex", "segment",
  "plane", "drum", "mesh" } do
  calls["delassus." .. name] = core[name]
end
for _, name in ipairs { "solve", "solver", "parametric", "cone", "cone_solver" } do calls["lcp." .. name] = lcp[name] end
for _, name in ipairs { "model", "log", "pile" } do calls["stack." .. name] = stack[name] end
local objects = {
  world = { world, { "body", "floor", "wall", "drum", "joint", "gear", "spring", "contact", "pair", "integrate",
    "accelerations", "record" } },
  body = { body, { "apply", "impulse" } }, stack = { pile, { "record" } }, system = { system, { "record" } },
  structure = { st, { "frame", "bar", "quad", "grid", "contact", "follow", "solve" } },
}
for noun, pair in pairs(objects) do
  for _, name in ipairs(pair[2]) do
    calls[noun .. ":" .. name] = function(o) return pair[1][name](pair[1], o) end
  end
end

--- Names that a call asks its options for, and those of the lists that the Lua layer checks against.
local function asked(call)
  local set, options_check, core_check = {}, check.options, core.check
  local probe = setmetatable({}, { __index = function(_, name) if type(name) == "string" then set[name] = true end end })
  check.options = function(name, options, known)
    if options == probe then for _, key in ipairs(known) do set[key] = true end end
    return options_check(name, options, known)
  end
  core.check = function(name, options, rules)
    if options == probe then for key in next, rules do set[key] = true end end
    return core_check(name, options, rules)
  end
  pcall(call, probe)
  check.options, core.check = options_check, core_check
  return set
end

-- What the scenario takes is refused by the shape with a hint; lists are read before their names.
local hints = { diameter = true, rpm = true, fill = true, logs = true, planar = true, feed = true, discharge = true,
  run_up = true, debarking = true }

describe("the entry of a call", function()
  for _, entry in ipairs((entries.all())) do
    if #entry.options > 0 then
      local call = calls[entry.name]
      it(entry.name .. " tells every option that is read", function()
        assert.is_function(call, "no way to call it in this spec")
        local known = entries.names(entry)
        for name in next, asked(call) do
          assert.is_true(known[name] or (entry.name == "delassus.drum" and hints[name]) or false, name)
        end
      end)

      it(entry.name .. " tells of no option that is unknown", function()
        for name in next, entries.names(entry) do
          local ok, message = pcall(call, { [name] = coroutine.create(print) })
          message = not ok and tostring(message) or ""
          assert.falsy(message:find("unknown option", 1, true), message)
          assert.falsy(message:find("options are named", 1, true), message)
        end
      end)
    end
  end

  it("is there for every table of options in src/bind", function()
    local names = {}
    for _, entry in ipairs((entries.all())) do entries.names(entry, names) end
    for _, known in ipairs { "f", "t" } do
      names[known] = true -- of core.ode, which is not public
    end
    local files = assert(io.popen("ls src/bind/*.c | grep -v forest")) -- core.forest is not public
    for file in files:lines() do
      local text = assert(io.open(file)):read("a")
      for block in text:gmatch("dls_option [%w_]+%[%]%s*=%s*(%b{})") do
        for row in block:gmatch('[{(]%s*"([%w_]+)"') do assert.is_true(names[row] or false, file .. ": " .. row) end
      end
    end
    files:close()
  end)

  it("is there for every function of the library and of its parts", function()
    for name, value in pairs(delassus) do
      if type(value) == "function" then assert.truthy(entries.of("delassus." .. name), name) end
    end
    for name in pairs(lcp) do assert.truthy(entries.of("lcp." .. name), name) end
    for name in pairs(getmetatable(delassus).parts) do
      assert.truthy(entries.of("delassus." .. name) or entries.of(name) or name == "lcp" or name == "logs", name)
    end
  end)
end)

describe("defaults that are told", function()
  local function default(entry, name)
    for _, option in ipairs(entries.of(entry).options) do if option.name == name then return option.default end end
  end

  local function value(text) return load("return " .. text, "default", "t", { math = math })() end

  local function same(told_text, got)
    local want = value(told_text)
    if type(want) == "table" then
      for i, x in ipairs(want) do assert.equal(x, got[i]) end
    else
      assert.equal(want, math.type(want) == "integer" and type(got) == "number" and math.floor(got * 1e9 + 0.5) / 1e9 or got)
    end
  end

  it("are those of a world", function()
    for _, name in ipairs { "gravity", "dt", "planar", "scheme", "impact", "solver", "friction_corners", "factor", "tolerance",
      "max_iterations", "seed", "log", "strict", "profile" } do
      same(default("delassus.world", name), world[name])
    end
    same("{0, -9.81}", plane.gravity)
  end)

  it("are those of a material and of a body", function()
    local plain = delassus.material {}
    for _, option in ipairs(entries.of "delassus.material".options) do same(option.default, plain[option.name]) end
    local ball = delassus.world { record = false }:sphere { radius = 1 }
    for _, name in ipairs { "density", "position", "rotation", "velocity", "angular_velocity", "sensor", "type", "com" } do
      same(default("world:body", name), ball[name])
    end
  end)

  it("are those of a stack, a structure, a system, a drum", function()
    for _, name in ipairs { "floor", "gravity", "dt", "damping" } do same(default("stack", name), pile[name]) end
    same(default("structure", "assumption"), st.assumption)
    same(default("structure", "thickness"), st.thickness)
    assert.equal("{0, 1} with on", default("structure:contact", "normal"))
    local held = st:node { 0, 7 }
    assert.equal(delassus.vec { 0, 1 }, st:contact { on = held }.normal)
    for _, name in ipairs { "dt", "time", "scheme" } do same(default("delassus.system", name), system[name]) end
    local d = drum {}
    for _, name in ipairs { "diameter", "length", "rpm", "planar", "seed" } do same(default("drum", name), d[name]) end
    assert.equal(value(default("drum", "dt")), d.world.dt)
  end)

  it("are those of a figure", function()
    local svg = delassus.plot { x = { 0, 1 }, y = { 0, 1 } }
    assert.truthy(svg:find(('width="%s" height="%s"'):format(default("delassus.plot", "width"),
      default("delassus.plot", "height")), 1, true))
  end)
end)

describe("the entry of what a call answers", function()
  local lively = delassus.world { log = true, profile = true }
  lively:floor { restitution = 0.5 }
  lively:sphere { radius = 0.1, position = { 0, 0, 0.2 }, restitution = 0.5 }
  local recorder = lively:record {}
  local falling = delassus.system { q = { 1 }, u = { 0 }, mass = { { 1 } }, forces = { -1 },
    contacts = { { gap = function(q) return q[1] end, normal = function() return { 1 } end, restitution = 0.5 } } }
  local samples = falling:record {}
  local turning = drum { planar = true, diameter = 2, fill = 0.2, dt = 4e-3, logs = { strength = 1e4 } }
  turning:settle()
  turning:run { time = 0.1 }
  local answers = {
    Run = lively:run(0.3), stats = lively.stats, ledger = lively:ledger(), Event = lively.events[1], Recorder = recorder,
    Report = delassus.report { title = "x" }, ["drum object"] = turning, ["drum report"] = turning:report(),
    StackReport = pile:run(0.01), StackRecording = pile:record { time = 0.01 }, SystemRun = falling:run(2),
    SystemRecording = samples, LcpSolution = lcp.solve { M = { { 1 } }, q = { -1 }, trace = true },
    ConeSolution = lcp.cone { W = { { 1, 0 }, { 0, 1 } }, q = { -1, 0 }, planar = true, friction = 0.1 },
  }
  if require "delassus.view_server".luv() then answers.View = lively:view { open = false } end
  teardown(function() if answers.View then answers.View:close() end end)
  -- What a recording of a world keeps for itself.
  local inner = { Recorder = { channels = true, columns = true, connections = true, contacts = true, frames = true, handle = true,
    quiet = true, stride = true }, StackRecording = { bars = true, force_frames = true, heights = true, stack = true },
    SystemRecording = { samples = true, start = true, system = true },
    Report = { charts = true, numbers = true, tables = true, text = true, title = true } }
  local absent = { Run = { started = true }, View = { problem = true }, LcpSolution = { fault = true, solutions = true },
    ConeSolution = { unique = true, worst = true }, SystemRecording = { keep = true } }

  for name, object in pairs(answers) do
    local entry = entries.of(name)
    local known = {}
    for _, member in ipairs(entry.members) do known[member.name] = true end
    local there = {}
    local function add(list)
      for key, value in next, type(list) == "table" and list or {} do
        if type(key) == "string" and key:sub(1, 1) ~= "_" then there[key] = value end
      end
    end
    local manners = debug.getmetatable(object) or {}
    add(object)
    add(manners.__index)
    add((manners.members or {}).methods)
    add((manners.members or {}).getters)

    it(name .. " tells all that it has", function()
      for key in next, there do assert.is_true(known[key] or (inner[name] or {})[key] or false, key) end
    end)

    it(name .. " tells of nothing that it has not", function()
      for key in next, known do
        assert.is_true((absent[name] or {})[key] or object[key] ~= nil, key)
      end
    end)

    it(name .. " is what help tells of it", function()
      if manners.__name then assert.equal(entries.text(entry), delassus.help(object)) end
    end)
  end
end)
