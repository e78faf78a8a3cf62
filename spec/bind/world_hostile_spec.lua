-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Callbacks that do what they should not, and 200 scripts of misuse: a step that fails leaves the world as it was, a call
-- that is refused too, and the world can go on.
local delassus = require "delassus"
local seeds = require "support.seeds"

local nan, inf = 0 / 0, math.huge

--- A world where every sort of function is called in a step; act(where) is called by each of them, in steps.
local function scene(do_act)
  local made
  local function act(...) return made and do_act(...) end
  local world = delassus.world{ planar = true, record = false, log = true }
  world:floor{ restitution = 0.4 }
  local ball = world:disk{ name = "ball", radius = 0.1, density = 500, position = { 0, 0.11 }, restitution = 0.4 }
  world:box{ name = "box", size = { 0.2, 0.1 }, density = 500, position = { 1, 0.05 }, velocity = { 0.5, 0 },
    friction = function() return act("friction", world) or 0.3 end }
  world:body{ type = "kinematic", shape = delassus.disk{ radius = 0.1 }, position = { 3, 0.5 },
    motion = function(t) return act("motion", world) or { 3, 0.5 + 0.1 * t }, 0 end }
  world:contact{ world.ground, ball, gap = function(q) return act("gap", world) or q[1] + 5 end,
    gradient = function() return act("gradient", world) or { 1, 0, 0, 0, 0, 0 } end }
  world:field(function(body) return act("field", world, body) or { 0.1, 0 } end)
  for _, kind in ipairs{ "contact", "impact", "stick", "slip", "step" } do
    world:on(kind, function(event) act(kind, world, event) end)
  end
  made = true
  return world
end

local function quiet() end

local places = { "friction", "motion", "gap", "gradient", "field", "contact", "impact", "slip", "step" }

--- Steps until `act` has been met once; the state before that step, how it ended.
local function meet(act, place)
  local met
  local world = scene(function(where, w, thing)
    if where == place and not met then
      met = true
      return act(w, thing)
    end
  end)
  for _ = 1, 200 do
    local hash, events = world:hash(), #world.events
    local ok, message = pcall(world.step, world)
    if met then return world, hash, ok, message, events end
  end
  error(place .. " was never called")
end

--- After whatever happened the world goes on as one that was never disturbed.
local function goes_on(world, place)
  local time = world.time
  world:step(300)
  local other <close> = scene(quiet)
  other:step(world.stats.steps)
  assert.is_true(world.time > time)
  assert.equal(other:hash(), world:hash(), place)
end

describe("a callback", function()
  for _, place in ipairs(places) do
    it("that raises ends the step cleanly, whatever it raises: " .. place, function()
      local token = setmetatable({}, { __tostring = function() return "mine" end })
      for _, thrown in ipairs{ token, "text", false, 12 } do
        local world <close>, hash, ok, message, events = meet(function() error(thrown, 0) end, place)
        assert.is_false(ok)
        assert.equal(thrown, message)
        assert.equal(hash, world:hash())
        assert.equal(events, #world.events)
        goes_on(world, place)
      end
    end)

    it("that yields, overflows the stack or collects garbage ends cleanly: " .. place, function()
      for name, act in pairs{ yields = function() coroutine.yield() end,
        overflows = function() local function deep() return 1 + deep() end return deep() end } do
        local world <close>, hash, ok, message = meet(act, place)
        assert.is_false(ok, name)
        assert.is_string(message)
        assert.equal(hash, world:hash())
        goes_on(world, place)
      end
      local world <close>, _, ok, message = meet(function() collectgarbage() collectgarbage() end, place)
      assert.is_true(ok, message)
      goes_on(world, place)
    end)

    it("cannot step, close, restore or change the world: " .. place, function()
      local snapshot = (function() local w <close> = scene(quiet) return w:snapshot() end)()
      local tries = {
        function(w) w:step() end, function(w) w:run(0.1) end, function(w) w:advance(0.1) end, function(w) w:close() end,
        function(w) w:restore(snapshot) end, function(w) w.gravity = { 0, 0 } end, function(w) w.dt = 1 end,
        function(w) w:disk{ radius = 1 } end, function(w) w:field(print) end, function(w) w:on("step", print) end,
        function(w) w:find("ball").position = { 9, 9 } end, function(w) w:find("ball").mass = 9 end,
        function(w) w:find("ball"):impulse{ impulse = { 1, 0 } } end, function(w) w:set_coordinates{ 0, 0, 0, 0, 0, 0 } end,
        function(w) w:set_velocities{ 0, 0, 0, 0, 0, 0 } end, function(w) w:spring{ w.ground, w:find("ball"), stiffness = 1 } end,
        function(w) w:pair{ w:find("ball"), w:find("box"), friction = 1 } end, function(w) w:integrate{ to = 1, dt = 0.1 } end,
        function(w) w:contact{ w.ground, w:find("ball"), rope = 1 } end,
        function(w) w:joint{ "fixed", w.ground, w:find("ball") } end }
      local said = {}
      local world <close>, hash, ok = meet(function(w)
        for i, try in ipairs(tries) do said[i] = select(2, pcall(try, w)) or "nothing was said" end
      end, place)
      assert.is_true(ok)
      for i, message in ipairs(said) do
        assert.truthy(message:find("while the world steps", 1, true) or message:find("while its world steps", 1, true),
          ("%s, try %d: %s"):format(place, i, message))
      end
      assert.not_equal(hash, world:hash())
      goes_on(world, place)
      -- The same not caught: the step fails and is undone.
      for i, try in ipairs(tries) do
        local other <close>, before, fine, message = meet(try, place)
        assert.is_false(fine, i)
        assert.matches("while", message)
        assert.equal(before, other:hash(), i)
      end
    end)

    it("may take things out: they go when the step is over, and stay where it fails: " .. place, function()
      local world <close>, _, ok = meet(function(w)
        w:remove(w:find("ball"))
        w:remove(w:find("ball")) -- twice is once
        w:remove(w:find("box"))
      end, place)
      assert.is_true(ok)
      assert.is_nil(world:find("ball"))
      assert.equal(2, #world)
      world:step(20)
      local other <close>, hash, fine = meet(function(w)
        w:remove(w:find("ball"))
        error "no"
      end, place)
      assert.is_false(fine)
      assert.equal(hash, other:hash())
      assert.truthy(other:find("ball"))
      goes_on(other, place)
    end)
  end

  it("that answers nonsense is refused by name, and the world is as it was", function()
    local cases = { friction = { -1, nan, inf, "much", {} }, motion = { 3, "up", { nan, 0 }, { 1 }, { inf, 0 } },
      gap = { nan, inf, "wide", {} }, gradient = { 3, { 1 }, { nan, 0, 0, 0, 0, 0 }, { 1, 0, 0, 1, 0, 0 } },
      field = { 3, { nan, 0 }, { 1, 2, 3 }, "down" } }
    local names = { friction = "friction", motion = "motion: 'position'", gap = "gap", gradient = "gradient",
      field = "world:field: 'force'" }
    for place, values in pairs(cases) do
      for i, value in ipairs(values) do
        local world <close>, hash, ok, message = meet(function() return value end, place)
        assert.is_false(ok, place .. i)
        assert.truthy(tostring(message):find(names[place], 1, true), place .. i .. ": " .. tostring(message))
        assert.equal(hash, world:hash())
        goes_on(world, place)
      end
    end
  end)

  it("is not called with a place in a motion that tells too much: accelerations are looked at too", function()
    for i, answer in ipairs{ { { 0, 0 }, 0, { 0, 0 }, 0, { nan, 0 }, 0 }, { { 0, 0 }, 0, { 0, 0 }, 0, { 0, 0 }, "fast" },
      { { 0, 0 }, nan }, { { 0, 0 }, 0, 3 }, { { 0, 0 }, 0, { 0, 0 }, {} } } do
      local world <close> = delassus.world{ planar = true, record = false }
      world:body{ type = "kinematic", shape = delassus.disk{ radius = 1 }, motion = function() return table.unpack(answer,
        1, 6) end }
      local hash = world:hash()
      assert.error_matches(function() world:step() end, "motion: ", 1, true)
      assert.equal(hash, world:hash(), i)
    end
  end)

  it("of a run may close the world: the run says so", function()
    local world = scene(quiet)
    assert.error_matches(function() world:run(1, function(w) w:close() end) end, "closed world")
    local other <close> = scene(quiet)
    assert.error_matches(function() other:run(1, function() error "stop" end) end, "stop")
    assert.near(1e-3, other.time, 1e-12)
  end)
end)

--- One random script of misuse.
local function abuse(seed)
  local random = delassus.random(seed)
  local function pick(list) return list[random:integer(1, #list)] end
  local world = delassus.world{ planar = true, record = false, log = seed % 2 == 0, impact = pick{ "newton", "poisson",
    "sequential" } }
  world:floor{}
  local things = { world.ground, world:disk{ radius = 0.1, position = { 0, 0.1 } },
    world:box{ size = { 0.2, 0.1 }, position = { 0.3, 0.05 }, velocity = { 0.2, 0 } } }
  local snapshot, shape = world:snapshot(), delassus.disk{ radius = 0.2 }
  local values = { 0, 1, -1, 0.5, 1e308, 1e-310, nan, inf, -inf, 2 ^ 53, math.mininteger, "", "text", "dynamic", "static",
    true, false,
    {}, { 1 }, { 1, 2 }, { nan, 0 }, { 0, 0.3 }, { "a", "b" }, print, shape, delassus.material{ friction = 0.1 },
      delassus.vec{ 1, 2 },
    delassus.sphere{ radius = 1 }, world, snapshot, snapshot:sub(1, 50), "poisson", "nsgs", function() error "mine" end }
  local function value()
    if random:uniform() < 0.25 then return pick(things) end
    return pick(values)
  end
  local body_names = { "mass", "inertia", "com", "type", "shape", "material", "group", "collides", "sensor", "motion",
    "density", "name",
    "data", "position", "rotation", "velocity", "angular_velocity", "nonsense", "energy", "world" }
  local world_names = { "gravity", "dt", "theta", "impact", "solver", "friction_corners", "factor", "tolerance", "max_iterations",
    "seed", "log", "strict", "profile", "time", "bodies", "nonsense" }
  local options = { "shape", "mass", "density", "inertia", "com", "type", "position", "rotation", "velocity", "material", "group",
    "collides", "sensor", "friction", "restitution", "stiffness", "motion", "nonsense", "radius" }
  local function table_of(names, n)
    local t = {}
    for _ = 1, random:integer(0, n) do t[pick(names)] = value() end
    return t
  end
  local calls = {
    function() pick(things)[pick(body_names)] = value() end,
    function() pick(things)[pick(body_names)] = value() end,
    function() world[pick(world_names)] = value() end,
    function() things[#things + 1] = world:body(table_of(options, 4)) end,
    function() things[#things + 1] = world:disk(table_of(options, 3)) end,
    function() things[#things + 1] = world:disk{ radius = 0.1, position = { random:uniform(), 0.5 } } end,
    function() things[#things + 1] = world:contact{ value(), value(), [pick{ "normal", "rope", "gap" }] = value(),
      friction = value() } end,
    function() things[#things + 1] = world:contact{ world.ground, pick(things), normal = { 0, 1 } } end,
    function() things[#things + 1] = world:spring{ value(), value(), stiffness = value(), length = value() } end,
    function() things[#things + 1] = world:joint{ pick{ "revolute", "fixed", "prismatic", "" }, value(), value(),
      anchor = value() } end,
    function() world:pair{ value(), value(), friction = value() } end,
    function() world:remove(value()) end,
    function() world:restore(value()) end,
    function() world:raycast(value(), value()) end,
    function() world:find(value()) end,
    function() world:set_coordinates(value()) end,
    function() world:set_velocities(value()) end,
    function() pick(things):apply(table_of({ "force", "torque", "at", "nonsense" }, 2)) end,
    function() pick(things):impulse(table_of({ "impulse", "angular_impulse", "at" }, 2)) end,
    function() pick(things):velocity_at(value()) end,
    function() world:on(value(), value()) end,
    function() world:field(value()):off() end,
    function() local v = value() world:step(type(v) == "number" and v > 1 and 1 or v) end,
    function() world:step() end,
    function() world:step() end,
    function() world:step() end,
  }
  for k = 1, 60 do
    local before = world:hash()
    local call = random:integer(1, #calls)
    local ok, message = pcall(calls[call])
    if not ok then
      local where = ("seed %d, call %d (%d): %s"):format(seed, k, call, tostring(message))
      assert.equal(before, world:hash(), where)
      assert.is_string(message, where)
      assert.falsy(message:find("bad argument #", 1, true) or message:find("argument out of range", 1, true), where)
    end
  end
  for _, body in ipairs(world.bodies) do -- whatever was done, what is left are numbers
    assert.is_true(body.position:norm() < inf and body.velocity:norm() < inf and body.angular_velocity == body.angular_velocity)
  end
  world:close()
end

describe("a world pushed beyond the range of numbers", function()
  it("refuses the step or the push, naming the body, and goes on where that is taken back", function()
    local world <close> = delassus.world{ planar = true, record = false }
    world:floor{}
    local ball = world:disk{ radius = 0.1, position = { 0, 0.1 } }
    world:step(3)
    local hash = world:hash()
    assert.error_matches(function() ball:impulse{ angular_impulse = 1e308 } end, "beyond the range of numbers")
    assert.equal(hash, world:hash())
    ball:apply{ force = { 0, 1e308 }, torque = 1e308 }
    hash = world:hash()
    assert.error_matches(function() world:step() end, "world:step: body #2 went beyond the range of numbers", 1, true)
    assert.equal(hash, world:hash())
    ball:apply{ force = { 0, 0 }, torque = 0 }
    world:step(3)
    ball.velocity = { 1e200, 0 }
    hash = world:hash()
    assert.error_matches(function() world:step() end, "energies went beyond the range of numbers")
    assert.equal(hash, world:hash())
  end)
end)

describe("200 scripts of misuse", function()
  it("leave the world as it was wherever a call is refused", function()
    for seed = 1, seeds(200) do abuse(seed) end
  end)
end)
