-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Fuzzing target: a byte string drives calls of the public interface. Whatever the arguments, a call answers or raises
-- an error in words; a world is the same one after an error.
local delassus = require "delassus"
local core = require "delassus.core"
local Source = require "fuzz.source"

local SECONDS = 0.5 -- of a call: then a hook ends it, as Ctrl-C would
local CALLS = 60    -- of one input

-- Calls that open programs, write files or need a terminal.
local barred = { show = true, record = true, save = true, close = true }
-- Calls that change a world before they can fail: steps that are done stay done.
local partial = { step = true, run = true, advance = true, integrate = true, set = true }

-- Functions of the modules, by name.
local functions = {}
for prefix, module in pairs{ delassus = delassus, lcp = require "delassus.lcp", stack = require "delassus.stack",
  structure = require "delassus.structure", system = require "delassus.system", ["math"] = delassus.math } do
  if type(module) == "function" then functions[#functions + 1] = { prefix, module } end
  for name, f in pairs(type(module) == "table" and module or {}) do
    local method = prefix .. "." .. name
    if type(f) == "function" and method ~= "lcp.read" then functions[#functions + 1] = { method, f } end
  end
end
functions[#functions + 1] = { "stack", require "delassus.stack" }
functions[#functions + 1] = { "structure", require "delassus.structure" }
table.sort(functions, function(p, q) return p[1] < q[1] end)

local function sorted_names(object)
  local list = {}
  for name in pairs(core.names(object) or {}) do
    if not barred[name] then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

local by_class = {}
local function names_of(object)
  local class = debug.getmetatable(object).__name or "?"
  by_class[class] = by_class[class] or sorted_names(object)
  return by_class[class]
end

local function index(object, name) return object[name] end
local function set(object, name, value) object[name] = value end

local function place(s, w)
  return w.planar and { s:between(-2, 2), s:between(0, 3) } or { s:between(-2, 2), 0, s:between(0, 3) }
end

-- Things that are what they should be, mostly.
local makers = {
  function(s, w) return w:disk{ radius = s:between(0.05, 1), position = place(s, w) } end,
  function(s, w) return w:box{ size = { s:between(0.1, 1), s:between(0.1, 1) }, position = place(s, w) } end,
  function(s, w) return w:sphere{ radius = s:between(0.05, 1), position = place(s, w) } end,
  function(s, w)
    return w:cylinder{ radius = s:between(0.05, 1), length = s:between(0.1, 1), position = place(s, w) }
  end,
  function(_, w) return w:floor{} end,
  function(s, w) return w:joint{ s:pick{ "revolute", "prismatic", "fixed" }, s:pick(w.bodies), s:pick(w.bodies),
    formulation = s:pick{ "reduced", "rigid", "penalty" } } end,
  function(s, w) return w:spring{ s:pick(w.bodies), s:pick(w.bodies), stiffness = s:between(0, 1e4) } end,
  function(s, w) return w:contact{ w.ground, s:pick(w.bodies), rope = s:between(0.1, 3) } end,
}

local function keep(pool, ...)
  for _, x in ipairs{ ... } do
    if type(x) == "userdata" and #pool < 40 then pool[#pool + 1] = x end
  end
end

-- One call: on success the userdata it answers join the pool.
local function call(world, pool, what, method, f, ...)
  local before = partial[method] and "" or world:hash()
  local answer = table.pack(Source.guarded(SECONDS, f, ...))
  if answer[1] then
    keep(pool, table.unpack(answer, 2, answer.n))
  else
    local message = answer[2]
    if type(message) ~= "string" then error(("FUZZ: %s raised a %s"):format(what, type(message)), 0) end
    if not partial[method] and message ~= "time is up" and world:hash() ~= before then
      error(("FUZZ: %s failed and changed its world: %s"):format(what, message), 0)
    end
  end
end

local function one(s, world, pool)
  local kind = s:below(8)
  if kind < 2 then
    local maker = s:pick(makers)
    call(world, pool, "a maker", "set", maker, s, world)
  elseif kind == 2 then
    call(world, pool, "world:step", "step", world.step, world, 1 + s:below(4))
  elseif kind == 3 then
    local f = s:pick(functions)
    call(world, pool, f[1], f[1], f[2], s:value(), s:value(), s:value())
  else
    local object = s:pick(pool)
    local name = s:pick(names_of(object))
    if not name then return end
    local good, member = pcall(index, object, name)
    local what = (debug.getmetatable(object).__name or "?") .. ":" .. name
    if kind == 4 and not (good and type(member) == "function") then
      call(world, pool, what .. " =", name, set, object, name, s:value())
    elseif good and type(member) == "function" then
      local n = s:below(4)
      if n == 1 then call(world, pool, what, name, member, object, s:value())
      elseif n == 2 then call(world, pool, what, name, member, object, s:options(0))
      elseif n == 3 then call(world, pool, what, name, member, object, s:value(), s:value(), s:value())
      else call(world, pool, what, name, member, object) end
    elseif good then
      keep(pool, member)
    end
  end
end

--- Runs one input; answers how many calls it made.
return function(bytes)
  local s = Source.new(bytes)
  local world = delassus.world{ planar = s:below(2) == 0, record = false, max_iterations = 200, log = s:below(2) == 0 }
  s.pool = { world, world.ground }
  local calls = 0
  while not s:ended() and calls < CALLS do
    one(s, world, s.pool)
    calls = calls + 1
  end
  world:close()
  return calls
end
