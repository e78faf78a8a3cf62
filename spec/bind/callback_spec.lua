-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Every kind of callback of worlds and systems, failing in every way at any call: the step is not made, the error says whose
-- it is, and what goes on afterwards is what goes on without the failure.
local delassus = require "delassus"

local cos, sin, nan = math.cos, math.sin, 0 / 0

local YIELD = function() coroutine.yield() end

--- How a callback that answers numbers fails; one that answers nothing.
local faults = { error = function() error("mine", 0) end, value = function() error{ code = 7 } end, yield = YIELD,
  nan = function() return nan, nan, nan end, list = function() return { nan, nan, nan }, nan end,
  text = function() return "x", "x", "x" end, none = function() return nil end }
local events = { error = faults.error, value = faults.value, yield = YIELD }

--- What must be told of a fault in the callback `name`.
local function named(fault, message, name)
  if fault == "error" then return message == "mine" end
  if fault == "value" then return type(message) == "table" and message.code == 7 end
  if fault == "yield" then return message:find(name, 1, true) and message:find("must not yield", 1, true) end
  return type(message) == "string" and message:find(name, 1, true)
end

local outcomes = {} -- of functions under guard: which fails at which of its calls; calls counted
local counts -- where it is set: of all of them
local function guard(name, fn)
  return function(...)
    if counts then counts[name] = (counts[name] or 0) + 1 end
    if outcomes.name == name then
      outcomes.count = outcomes.count + 1
      if outcomes.count == outcomes.at then return outcomes.fail(...) end
    end
    return fn(...)
  end
end

local twins = {} -- by what makes them: a world in which nothing fails, and its hashes after 1, 2, ... steps

local function hash_without_failure(make, hash, k)
  local twin = twins[make] or { of = make(), hashes = {} }
  twins[make] = twin
  local armed = outcomes
  outcomes = {}
  while #twin.hashes < k do
    twin.of:step()
    twin.hashes[#twin.hashes + 1] = hash(twin.of)
  end
  outcomes = armed
  return twin.hashes[k]
end

--- In a new `make()`: a step fails where the callback `name` fails at its calls of the rising numbers `at` (of those of steps
--- that were made), and is made anew; every step is as if none had failed.
-- @treturn integer how often it failed
local function check(make, hash, name, said, fault, fail, at, n)
  outcomes = {}
  local of, steps, failed = make(), 2, 0
  of:step(steps)
  outcomes = { name = name, fail = fail, at = at[1], count = 0 }
  local before = hash(of)
  while failed < #at and steps < 2 + n do
    local t, count, calls = of.time, #of.events, outcomes.count
    local fine, message = pcall(of.step, of)
    if fine then
      steps, before = steps + 1, hash(of)
      if before ~= hash_without_failure(make, hash, steps) then
        error(("%s, %s at call %d: it goes on otherwise than without the failure"):format(name, fault, at[failed] or 0))
      end
    else
      failed = failed + 1
      local told = ("%s, %s at call %d"):format(name, fault, at[failed] or 0)
      assert.is_true(named(fault, message, said) and true or false, told .. ": " .. tostring(message))
      assert.equal(before, hash(of), told)
      assert.equal(t, of.time, told)
      assert.equal(count, #of.events, told)
      outcomes.count, outcomes.at = calls, at[failed + 1]
    end
  end
  outcomes = {}
  of:step(2)
  assert.equal(hash_without_failure(make, hash, steps + 2), hash(of), name .. ", " .. fault)
  return failed
end

--- The first of n calls, one by chance, the last: one number where they are the same.
local function some_calls(n, r)
  local list = {}
  for _, at in ipairs{ 1, r and r:integer(1, n) or n, n } do if at ~= list[#list] then list[#list + 1] = at end end
  return list
end

local counted = {} -- by what makes them and steps

--- How often the callback `name` is called in n steps from the third on.
local function calls(make, name, n)
  counted[make] = counted[make] or {}
  if not counted[make][n] then
    outcomes = {}
    local of = make()
    of:step(2)
    counts = {}
    of:step(n)
    counted[make][n], counts = counts, nil
  end
  return counted[make][n][name] or 0
end

--- A planar world whose every callback is called in 20 steps: bodies on a moving floor, a gap function, driven joints of all
-- formulations, a field, laws of friction, events of every kind.
local function world(scheme)
  local w = delassus.world{ scheme = scheme, planar = true, record = false, dt = 0.02 }
  local material = delassus.material{ friction = guard("friction", function(v) return v > 0 and 0.25 or 0.3 end),
    restitution = 0.3 }
  w:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 1 } }, material = material,
    motion = guard("motion of body", function(t) return { 0.5 * t, 0 }, 0, { 0.5, 0 }, 0, { 0, 0 }, 0 end) }
  w:disk{ radius = 0.1, mass = 1, position = { 0, 0.12 }, velocity = { 0.55, 0 }, material = material }
  w:disk{ radius = 0.1, mass = 1, position = { 1, 0.1 }, velocity = { 0.5, 0 }, material = material }
  local ball = w:body{ mass = 1, inertia = 0.1, position = { 5, 0.02 } }
  w:contact{ w.ground, ball, friction = 0.2, gap = guard("gap", function(q) return q[8] end),
    gradient = guard("gradient", function() return { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0 } end) }
  for i, formulation in ipairs { "reduced", "rigid" } do
    local arm = w:body{ mass = 1, inertia = 0.1, position = { 10 + i, 0 } }
    w:joint{ "revolute", w.ground, arm, anchor = { 10 + i, 0 }, formulation = formulation,
      motion = guard(formulation .. " motion of joint", function(t) return 0.2 * sin(t), 0.2 * cos(t), -0.2 * sin(t) end) }
  end
  w:field(guard("field", function() return { 0, 0 }, 0 end))
  for _, kind in ipairs { "impact", "contact", "separation", "stick", "slip", "step" } do
    w:on(kind, guard("on " .. kind, function() end))
  end
  return w
end

local function world_hash(w) return w:hash() end

describe("callbacks of worlds", function()
  local kinds = { { "friction", "friction" }, { "motion of body", "motion" }, { "gap", "gap" }, { "gradient", "gradient" },
    { "reduced motion of joint", "motion" }, { "rigid motion of joint", "motion" }, { "field", "field" } }
  for _, scheme in ipairs { "event-driven", "time-stepping" } do
    local function make() return world(scheme) end
    for _, kind in ipairs(kinds) do
      it("that fail at any call leave it as it was, named: " .. kind[1] .. ", " .. scheme, function()
        local name, said, n = kind[1], kind[2], calls(make, kind[1], 12)
        assert.is_true(n >= 2, name .. " is called " .. n .. " times")
        local r = delassus.random(7)
        for fault, fail in pairs(faults) do
          local optional = fault == "none" and (name == "field" or name == "motion of body") -- nil: no force; where it stands
          if not optional then
            local at = some_calls(n, r)
            assert.equal(#at, check(make, world_hash, name, said, fault, fail, at, 12), name .. " was not called so often")
          end
        end
      end)
    end
    it("that hear events and fail leave it as it was, named, " .. scheme, function()
      local heard = 0
      for _, kind in ipairs { "impact", "contact", "separation", "stick", "slip", "step" } do
        local name = "on " .. kind
        local n = calls(make, name, 30)
        for fault, fail in pairs(n > 0 and events or {}) do
          local at = some_calls(n)
          assert.equal(#at, check(make, world_hash, name, kind, fault, fail, at, 30), name .. " was not called so often")
          heard = heard + 1
        end
      end
      assert.is_true(heard >= 9, heard .. " ways to fail")
    end)
  end

  it("that yield within a coroutine are named too, and a message of the user's own with these words passes unchanged", function()
    local w = delassus.world{ planar = true, record = false }
    w:disk{ radius = 0.1, mass = 1 }
    local how = YIELD
    w:field(function() how() end)
    local co = coroutine.wrap(function() return pcall(w.step, w) end)
    local fine, message = co()
    assert.is_false(fine)
    assert.matches("world:field: its function must not yield", message)
    how = function() error "attempt to yield, mine" end
    assert.error_matches(function() w:step() end, "attempt to yield, mine")
    how = function() end
    w:step()
    assert.error_matches(function() w:integrate{ to = 0.1, each = YIELD } end, "world:integrate: 'each' must not yield")
  end)
end)

--- A system in which everything is given by functions: a point on a table that moves, with friction, in space.
local function system(scheme)
  local s = delassus.system{ q = { 0, 0, 0.02 }, u = { 0.3, 0.4, 0 }, dt = 0.02, scheme = scheme,
    mass = guard("mass", function() return { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } end),
    forces = guard("forces", function() return { 0, 0, -9.81 } end),
    contacts = { { restitution = 0.3, gap = guard("gap", function(q, t) return q[3] - 0.01 * t end),
      normal = guard("normal", function() return { 0, 0, 1 } end), tangent = guard("tangent", function() return { 1, 0, 0 } end),
      tangent2 = guard("tangent2", function() return { 0, 1, 0 } end),
      normal_speed = guard("normal_speed", function() return -0.01 end),
      tangent_speed = guard("tangent_speed", function() return 0.1 end),
      tangent2_speed = guard("tangent2_speed", function() return 0 end),
      normal_bias = guard("normal_bias", function() return 0 end), tangent_bias = guard("tangent_bias", function() return 0 end),
      tangent2_bias = guard("tangent2_bias", function() return 0 end),
      friction = guard("friction", function() return 0.3 end) } } }
  return s
end

describe("callbacks of systems", function()
  for _, scheme in ipairs { "event-driven", "time-stepping" } do
    it("that fail at any call leave it as it was, named: all thirteen, " .. scheme, function()
      local function make() return system(scheme) end
      local seen = 0
      for _, name in ipairs { "mass", "forces", "gap", "normal", "tangent", "tangent2", "normal_speed", "tangent_speed",
        "tangent2_speed", "normal_bias", "tangent_bias", "tangent2_bias", "friction" } do
        local n = calls(make, name, 12)
        if n > 0 then seen = seen + 1 end
        local r = delassus.random(3)
        for fault, fail in pairs(n > 0 and faults or {}) do
          local at = some_calls(n, r)
          assert.equal(#at, check(make, world_hash, name, name, fault, fail, at, 12), name .. " was not called so often")
        end
      end
      assert.equal(scheme == "event-driven" and 13 or 10, seen)
    end)
  end
end)
