-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Callbacks that fail in random ways at random calls of random operations: nothing is changed, and what goes on
-- afterwards is what goes on without the failure.
local delassus = require "delassus"

local nan, sin, cos = 0 / 0, math.sin, math.cos

local armed, current = {}, nil
local function guard(name, fn)
  return function(...)
    if armed.name == name then
      armed.count = armed.count + 1
      if armed.count == armed.at then
        armed.fired = true
        return armed.fail(...)
      end
    end
    return fn(...)
  end
end

local faults = {
  error = function() error("mine", 0) end, empty = function() error() end, value = function() error{ code = 7 } end,
  yield = function() coroutine.yield() end, nan = function() return nan, nan, nan end,
  list = function() return { nan, nan, nan }, nan end, short = function() return { 1 }, { 1 } end,
  long = function()
    local list = {}
    for i = 1, 50 do list[i] = 0 end
    return list, list
  end,
  text = function() return "x", "x", "x" end, bool = function() return true, false end,
  nested = function() return { { nan, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } end,
  step = function() current:step() end, run = function() current:run(0.1) end, close = function() current:close() end,
  read = function() current:accelerations() end, restore = function() current:restore(current:snapshot()) end,
}
local MUST = { error = true, empty = true, value = true, yield = true } -- of callbacks whose answer nobody reads, too
local INSIDE = { step = true, run = true, close = true, read = true, restore = true }

local function system(scheme, law, n)
  local up = { n == 3 and { 0, 0, 1 } or { 0, 1 }, n == 3 and { 1, 0, 0 } or { 1, 0 }, n == 3 and { 0, 1, 0 } or nil }
  local function contact(o)
    o.gap = guard("gap", function(q, t) return q[n] - 0.01 * t end)
    o.normal = guard("normal", function() return up[1] end)
    o.normal_speed = guard("normal_speed", function() return -0.01 end)
    return o
  end
  local whole = contact{ restitution = 0.3, tangential_restitution = 0.2,
    tangent = guard("tangent", function() return up[2] end), tangent_speed = guard("tangent_speed", function() return 0.1 end),
    normal_bias = guard("normal_bias", function() return 0 end),
    tangent_bias = guard("tangent_bias", function() return 0 end),
    friction = guard("friction", function(v) return v > 0 and 0.3 or 0.35 end) }
  if n == 3 then whole.tangent2 = guard("tangent2", function() return up[3] end) end
  local M, h = {}, {}
  for i = 1, n do
    M[i], h[i] = {}, i == n and -9.81 or 0
    for j = 1, n do M[i][j] = i == j and 1 or 0 end
  end
  return delassus.system{ q = n == 3 and { 0, 0, 0.02 } or { 0, 0.02 }, u = n == 3 and { 0.3, 0.4, 0 } or { 0.3, 0 }, dt = 0.02,
    scheme = scheme, impact = law, mass = guard("mass", function() return M end),
    forces = guard("forces", function() return h end),
    contacts = { whole, contact{ restitution = 0.5 } } }
end

local function world(scheme, law)
  local w = delassus.world{ scheme = scheme, planar = true, record = false, dt = 0.02, impact = law }
  local material = delassus.material{ restitution = 0.3,
    friction = guard("friction", function(v) return v > 0 and 0.25 or 0.3 end) }
  w:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 1 } }, material = material,
    motion = guard("motion", function(t) return { 0.5 * t, 0 }, 0, { 0.5, 0 }, 0, { 0, 0 }, 0 end) }
  w:disk{ radius = 0.1, mass = 1, position = { 0, 0.12 }, velocity = { 0.55, 0 }, material = material }
  w:box{ size = { 0.3, 0.2 }, mass = 1, position = { 1, 0.13 }, velocity = { 0.5, 0 }, material = material }
  w:disk{ radius = 0.1, mass = 1, position = { 3, 0.1 }, stiffness = 1e3, restitution = 0.4, friction = 0 }
  local ball = w:body{ mass = 1, inertia = 0.1, position = { 5, 0.02 } }
  w:contact{ w.ground, ball, friction = 0.2, restitution = 0.3, stiffness = law == "poisson" and 1e3 or nil,
    gap = guard("gap", function(q) return q[11] end),
    gradient = guard("gradient", function() return { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0 } end) }
  local arm = w:body{ mass = 1, inertia = 0.1, position = { 10, 0 } }
  w:joint{ "revolute", w.ground, arm, anchor = { 10, 0 },
    motion = guard("drive", function(t) return 0.2 * sin(t), 0.2 * cos(t), -0.2 * sin(t) end) }
  w:field(guard("field", function() return { 0, 0 }, 0 end))
  for _, kind in ipairs{ "impact", "contact", "separation", "stick", "slip", "step" } do
    w:on(kind, guard("on", function() end))
  end
  return w
end

local NAMES = { { "mass", "forces", "gap", "normal", "tangent", "tangent2", "normal_speed", "tangent_speed", "normal_bias",
  "tangent_bias", "friction" }, { "friction", "motion", "gap", "gradient", "drive", "field", "on" } }
local OPERATIONS = {
  { "step", "step", "run", "accelerations", "sets", "impact", "solutions", "hash", "contact" },
  { "step", "step", "run", "accelerations", "delassus" },
}
local function operate(of, operation)
  if operation == "run" then return of:run(0.02) end
  if operation == "contact" then return of.contacts[1].gap, of.contacts[1].velocity end
  return of[operation](of)
end

local twins = {} -- by kind, scheme and law: one in which nothing fails, and its hashes after 1, 2, ... steps
local function hash_without_failure(name, make, k)
  local twin = twins[name] or { of = make(), hashes = {} }
  twins[name] = twin
  while #twin.hashes < k do
    twin.of:step()
    twin.hashes[#twin.hashes + 1] = twin.of:hash()
  end
  return twin.hashes[k]
end

describe("callbacks that fail in random ways", function()
  it("change nothing, whatever was asked: systems and worlds, both schemes, three laws, 250 failures", function()
    local failed, seed = 0, 0
    while failed < 250 do
      seed = seed + 1
      local r = delassus.random(seed)
      local which, scheme = r:integer(1, 3), r:integer(1, 2) == 1 and "event-driven" or "time-stepping"
      local law = ({ "newton", "poisson", "sequential" })[r:integer(1, 3)]
      local function make()
        if which == 3 then return world(scheme, law) end
        return system(scheme, law, which + 1)
      end
      armed = {}
      local of, began = make(), r:integer(0, 6)
      for _ = 1, began do of:step() end
      local names, operations, kinds = NAMES[which == 3 and 2 or 1], OPERATIONS[which == 3 and 2 or 1], {}
      for kind in pairs(faults) do kinds[#kinds + 1] = kind end
      table.sort(kinds)
      local name, operation = names[r:integer(1, #names)], operations[r:integer(1, #operations)]
      local kind, at = kinds[r:integer(1, #kinds)], r:integer(1, ({ 2, 10, 60 })[r:integer(1, 3)])
      local told = ("seed %d: %s of %s at call %d of %s, %s, %s"):format(seed, kind, name, at, operation, scheme, law)
      local before, t, count = of:hash(), of.time, #of.events
      current, armed = of, { name = name, at = at, count = 0, fail = faults[kind] }
      local fine, message = pcall(operate, of, operation)
      local fired = armed.fired
      armed = {}
      if fired and fine then
        local harmless = name == "on" or (kind ~= "nan" and kind ~= "text" and kind ~= "list")
        assert.is_true(not MUST[kind] and harmless, told .. ": accepted")
      elseif fired then
        failed = failed + 1
        assert.equal(before, of:hash(), told .. ": " .. tostring(message))
        assert.equal(t, of.time, told)
        assert.equal(count, #of.events, told)
        if not MUST[kind] then
          local said = name == "drive" and "motion" or name
          local named = message:find(INSIDE[kind] and "not possible" or said, 1, true)
          assert.is_truthy(named or (INSIDE[kind] and message:find("while", 1, true)), told .. ": " .. tostring(message))
        end
        for _ = 1, 3 do of:step() end
        assert.equal(hash_without_failure(which .. scheme .. law, make, began + 3), of:hash(),
          told .. ": it goes on otherwise than without the failure")
      end
    end
  end)
end)
