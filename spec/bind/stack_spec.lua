local delassus = require "delassus"
local stack = require "delassus.stack"

local inf, nan = math.huge, 0 / 0

local function pile(changes)
  local options = { bodies = { { mass = 20, stiffness = 1e7, damping = 500, position = 0.15, radius = 0.1 },
    { mass = 30, stiffness = 2e7, damping = 500, position = 0.4, radius = 0.12, velocity = -2 } }, dt = 1e-4 }
  for name, value in pairs(changes or {}) do options[name] = value end
  return options
end

local function body(changes)
  local b = { mass = 20, stiffness = 1e7, position = 1 }
  for name, value in pairs(changes) do b[name] = value end
  return { bodies = { b } }
end

--- A body without one of its numbers.
local function without(name)
  local options = body {}
  options.bodies[1][name] = nil
  return options
end

describe("delassus.stack", function()
  it("refuses every option that makes no sense, names it and says what is expected", function()
    for _, row in ipairs {
      { nil, "delassus.stack: expected a table of options, got nil" },
      { 7, "expected a table of options, got 7" },
      { {}, "'bodies' is required" },
      { { bodies = 3 }, "'bodies' must be a list of bodies, got 3" },
      { { bodies = pile().bodies[1] }, "'bodies' must be a list of bodies, got a table" },
      { { bodies = {} }, "'bodies' must hold at least one body" },
      { { bodies = { 4 } }, "bodies%[1%]: expected a table of options, got 4" },
      { { bodies = { pile().bodies[1], "x" } }, "bodies%[2%]: expected a table of options, got 'x'" },
      { pile { cieling = 2 }, "unknown option 'cieling' %(did you mean 'ceiling'%?%)" },
      { pile { dt = 0 }, "'dt' must be > 0, got 0" },
      { pile { dt = -1e-5 }, "'dt' must be > 0, got %-1e%-05" },
      { pile { dt = nan }, "'dt' must be a finite number, got nan" },
      { pile { dt = inf }, "'dt' must be a finite number, got inf" },
      { pile { dt = "1e-5" }, "'dt' must be a number, got '1e%-5'" },
      { pile { gravity = {} }, "'gravity' must be a number, got a table" },
      { pile { gravity = nan }, "'gravity' must be a finite number, got nan" },
      { pile { floor = -inf }, "'floor' must be a finite number, got %-inf" },
      { pile { floor = false }, "'floor' must be a number, got false" },
      { pile { floor = 0.5 }, "bodies%[1%] reaches 0.45 m below the floor" },
      { pile { ceiling = 0.3 }, "bodies%[2%] reaches 0.22 m above the ceiling" },
      { pile { ceiling = inf }, "'ceiling' must be a finite number, got inf" },
      { pile { ceiling = "none" }, "'ceiling' must be a number, got 'none'" },
      { pile { damping = "lag" }, "'damping' must be .*lagged.*always.*none.*, got 'lag'" },
      { pile { damping = true }, "'damping' must be .*lagged.*, got true" },
      { pile { log = 1 }, "'log' must be true or false, got 1" },
      { body { mass = 0 }, "bodies%[1%]: 'mass' must be > 0, got 0" },
      { body { mass = -1 }, "bodies%[1%]: 'mass' must be > 0, got %-1" },
      { body { mass = nan }, "'mass' must be a finite number, got nan" },
      { body { mass = inf }, "'mass' must be a finite number, got inf" },
      { body { mass = "1" }, "'mass' must be a number, got '1'" },
      { body { mass = 1e300, stiffness = 1 }, "bodies%[1%]: mass / dt%^2.* leaves the range of numbers" },
      { body { mass = 1e-320 }, "bodies%[1%]: mass / dt%^2.* leaves the range of numbers" },
      { body { velocity = 1e308 }, "bodies%[1%]: .*momentum leaves the range of numbers" },
      { pile { gravity = -1.7e308 }, "bodies%[1%]: .*weight .* leaves the range of numbers" },
      { pile { dt = 1e300 }, "bodies%[1%]: mass / dt%^2.* leaves the range of numbers" },
      { pile { dt = 1e-300 }, "bodies%[1%]: mass / dt%^2.* leaves the range of numbers" },
      { body { stiffness = 1e-310 }, "bodies%[1%]: .*1 / stiffness.* leaves the range of numbers" },
      { without "mass", "bodies%[1%]: 'mass' is required" },
      { without "stiffness", "bodies%[1%]: 'stiffness' is required" },
      { without "position", "bodies%[1%]: 'position' is required" },
      { body { stiffness = 0 }, "'stiffness' must be > 0, got 0" },
      { body { stiffness = inf }, "'stiffness' must be a finite number, got inf" },
      { body { damping = -1 }, "'damping' must be >= 0, got %-1" },
      { body { damping = nan }, "'damping' must be a finite number, got nan" },
      { body { position = -1 }, "bodies%[1%] reaches 1.0 m below the floor" },
      { body { position = nan }, "'position' must be a finite number, got nan" },
      { body { velocity = inf }, "'velocity' must be a finite number, got inf" },
      { body { velocity = {} }, "'velocity' must be a number, got a table" },
      { body { radius = -0.1 }, "'radius' must be >= 0, got %-0.1" },
      { body { radius = "wide" }, "'radius' must be a number, got 'wide'" },
      { body { stiffnes = 1e7 }, "unknown option 'stiffnes' %(did you mean 'stiffness'%?%)" },
      { { bodies = { pile().bodies[2], pile().bodies[1] } },
        "bodies%[1%] and bodies%[2%] overlap by 0.47 m, deeper than a contact can start %(bodies are listed" },
    } do
      assert.error_matches(function() stack(row[1]) end, row[2])
      local _, message = pcall(function() stack(row[1]) end)
      assert.matches("^%S*stack_spec.lua:%d+: delassus.stack", message) -- the caller's line
    end
  end)

  it("refuses steps and times that make no sense, nothing changed", function()
    local s <close> = stack(pile())
    s:step(100)
    local before = s:hash()
    for _, row in ipairs {
      { function() s:step(-1) end, "stack:step: expected a whole number of steps >= 0, got %-1" },
      { function() s:step(1.5) end, "stack:step: expected a whole number of steps >= 0, got 1.5" },
      { function() s:step("2") end, "stack:step: expected a whole number" },
      { function() s:step(nan) end, "stack:step: expected a whole number" },
      { function() s:step(inf) end, "stack:step: expected a whole number" },
      { function() s:run() end, "stack:run: expected a time >= 0 in s, got nil" },
      { function() s:run(-1) end, "stack:run: expected a time >= 0 in s, got %-1" },
      { function() s:run(nan) end, "stack:run: expected a time >= 0" },
      { function() s:run(inf) end, "stack:run: expected a time >= 0" },
      { function() s:run(1e300) end, "stack:run: expected a time >= 0" },
      { function() s:restore("x") end, "stack:restore: this is no snapshot of a stack with these bodies" },
      { function() s:restore(1) end, "stack:restore: expected a snapshot, got 1" },
      { function() s.positions = { 1 } end, "stack: 'positions' is read%-only" },
      { function() return s.velocity end, "unknown property 'velocity'" },
      { function() return s.postions end, "unknown property 'postions' %(did you mean 'positions'%?%)" },
      { function() s.step() end, "expected a stack" },
    } do
      assert.error_matches(row[1], row[2])
      assert.equal(before, s:hash())
    end
    s:step(0)
    s:run(0)
    assert.equal(before, s:hash())
  end)

  it("goes back to where it was when the motion leaves the range of numbers", function()
    local s <close> = stack { bodies = { { mass = 1, stiffness = 1, position = 1, velocity = 1e303 } }, dt = 1,
      gravity = -1e303 }
    s:step(2)
    local before = s:hash()
    assert.error_matches(function() s:step(10 ^ 9) end, "stack:step: the motion leaves the range of numbers")
    assert.equal(before, s:hash())
    assert.equal(2, s.steps)
  end)

  it("lists contacts that close and open, in order, the collisions being those that close", function()
    local s <close> = stack(pile())
    local report = s:run(1)
    local closed, state, last = 0, {}, 0
    for _, event in ipairs(s.events) do
      assert.is_true(event.t >= last)
      assert.not_equal(state[event.gap], event.kind)
      state[event.gap], last = event.kind, event.t
      closed = closed + (event.kind == "contact" and 1 or 0)
    end
    assert.is_true(closed > 5)
    assert.equal(closed, s.collisions)
    assert.equal(closed, report.collisions)
    assert.equal(s.pivots, report.pivots)
    assert.equal(10000, report.steps)
    assert.matches("^t = 1 s: 10000 steps, %d+ collisions, %d+ pivots, peak force %S+ N, worst residual",
      tostring(report))
    local quiet <close> = stack(pile { log = false })
    quiet:run(1)
    assert.same({}, quiet.events)
    assert.equal(s:hash(), quiet:hash())
  end)

  it("comes back from a snapshot bit for bit", function()
    local s <close> = stack(pile())
    s:run(0.05)
    local kept, events = s:snapshot(), #s.events
    s:run(0.2)
    local after, all = s:hash(), s.events
    s:restore(kept)
    assert.is_true(#s.events <= #all and #s.events == events)
    s:run(0.2)
    assert.equal(after, s:hash())
    assert.same(all, s.events)
    local other <close> = stack(pile())
    other:restore(kept)
    other:run(0.2)
    assert.equal(after, other:hash())
    local different <close> = stack(pile { gravity = 1 })
    assert.error_matches(function() different:restore(kept) end, "no snapshot of a stack with these bodies")
    local spoilt = kept:sub(1, 99) .. string.char((kept:byte(100) + 1) % 256) .. kept:sub(101)
    local before = s:hash()
    assert.error_matches(function() s:restore(spoilt) end, "no snapshot")
    assert.equal(before, s:hash())
  end)

  it("gives the same whether stepped one by one or all at once", function()
    local a <close> = stack(pile())
    local b <close> = stack(pile())
    a:step(777)
    for _ = 1, 777 do b:step() end
    assert.equal(a:hash(), b:hash())
    b:run(0.01)
    a:step(100)
    assert.equal(a:hash(), b:hash())
  end)

  it("starts compressed contacts with the force of their springs", function()
    local options = pile()
    options.bodies[1].position = 0.0999 -- 0.1 mm into the floor
    local s <close> = stack(options)
    assert.near(0.0001 * 1e7, s.forces[1], 1e-6)
    assert.equal(0, s.gaps[1])
    local kinetic, potential, stored = s:energy()
    assert.near(0.5 * 1e7 * 0.0001 ^ 2, stored, 1e-9)
    s:run(0.01)
    local k, p, e, damped, numerical = s:energy()
    assert.near(kinetic + potential + stored, k + p + e + damped + numerical, 1e-12 * potential)
    assert.is_true(numerical > 0)
  end)

  it("says what it is, answers help, and closes twice", function()
    local s = stack(pile { ceiling = 2 })
    assert.equal("delassus.Stack (2 bodies, t = 0.0 s, 0 collisions)", tostring(s))
    assert.matches("peak_forces +largest force", delassus.help(s))
    assert.equal(2, #s)
    assert.equal(3, #s.gaps)
    assert.is_nil(s.A)
    assert.is_nil(s.B)
    s:close()
    s:close()
    assert.equal("delassus.Stack (closed)", tostring(s))
    assert.error_matches(function() s:step() end, "attempt to use a closed stack")
    assert.error_matches(function() return s.forces end, "attempt to use a closed stack")
    assert.error_matches(function() return s.A end, "attempt to use a closed stack")
  end)

  it("knows the log of the reference runs: mass and stiffness from the diameter", function()
    local log = stack.log { diameter = 0.2 }
    assert.near(26.703537555513243, log.mass, 1e-14 * 27)
    assert.same({ 1e7, 0.1 }, { log.stiffness, log.radius })
    assert.near(0.13 ^ 2 * math.pi / 4 * 2 * 900, stack.log { diameter = 0.13, length = 2, density = 900 }.mass, 1e-13)
    assert.error_matches(function() stack.log {} end, "stack.log: 'diameter' is required")
    assert.error_matches(function() stack.log { diameter = 0.2, lenght = 1 } end, "did you mean 'length'")
    assert.error_matches(function() stack.log { diameter = 0.2, length = -1 } end, "'length' must be > 0, got %-1")
  end)
end)

describe("delassus.stack.model", function()
  local function definition(changes)
    local d = { r = { { 2, -1, -1 }, { -1, 1, 0 }, { -1, 0, 1 } }, m = { { 3 } }, C = { { 1, 0 }, { 0, -1 } },
      D0 = { 0.1, 0.2 }, massless = { 2, 3 }, forces = { -1 }, velocities = { -1 }, dt = 0.01 }
    for name, value in pairs(changes) do
      if value == "none" then value = nil end
      d[name] = value
    end
    return d
  end

  it("refuses matrices that do not fit, and names them", function()
    for _, row in ipairs {
      { { r = "none" }, "delassus.stack.model: 'r' is required" },
      { { m = "none" }, "'m' is required" },
      { { C = "none" }, "'C' is required" },
      { { D0 = "none" }, "'D0' is required" },
      { { massless = "none" }, "'massless' is required" },
      { { masless = 1 }, "unknown option 'masless' %(did you mean 'massless'%?%)" },
      { { r = 5 }, "'r' must be a matrix, got 5" },
      { { r = {} }, "'r' must have at least one row" },
      { { r = { { 1, 2 }, { 3 } } }, "'r' row 2 has 1 numbers, row 1 has 2" },
      { { r = { { 1, 2 } } }, "'r' must be square, got 1 x 2" },
      { { r = { { 2, -1, -1 }, { -1, 1, 0 }, { -2, 0, 1 } } }, "'r' must be symmetric, got %-2 and %-1 at %(3, 1%)" },
      { { r = { { 2, nan }, { 0, 1 } } }, "'r'%[1%]%[2%] must be a finite number, got %-?nan" },
      { { m = { 1, 2 } }, "'m' must have 3 rows or 1 %(the massive nodes%), got 2" },
      { { m = { 1, 2, 0 } }, "'m' must be zero at massless node 2, got 2" },
      { { m = { -3 } }, "is not positive definite at node" },
      { { lambda = { 1, 0, 3 } }, "'lambda' must be zero at massless node 3, got 3" },
      { { C = { { 1 }, { 0 } } }, "'C' must have a column for each of the 2 gaps in 'D0', got 1" },
      { { C = { { 1, 0 } } }, "'C' must have 3 rows or 2 %(the massless nodes%), got 1" },
      { { D0 = {} }, "'D0' must hold at least one gap" },
      { { D0 = { 0.1, inf } }, "'D0'%[2%] must be a finite number, got inf" },
      { { massless = { 2, 2 } }, "'massless'%[2%] names node 2 twice" },
      { { massless = { 2, 4 } }, "'massless'%[2%] must be a node from 1 to 3, got 4" },
      { { massless = { 2, 2.5 } }, "'massless'%[2%] must be a node from 1 to 3, got 2.5" },
      { { massless = 2 }, "'massless' must be a list of numbers, got 2" },
      { { forces = { 1, 2 } }, "'forces' must have 3 numbers or 1 %(the massive nodes%), got 2" },
      { { velocities = { "fast" } }, "'velocities'%[1%] must be a finite number, got fast" },
      { { dt = 0 }, "'dt' must be > 0, got 0" },
      { { dt = nan }, "'dt' must be a finite number, got nan" },
      { { r = { { 2, -1, 0 }, { -1, 1, 0 }, { 0, 0, 0 } } }, "not positive definite at node 3: a massless" },
    } do
      assert.error_matches(function() stack.model(definition(row[1])) end, row[2])
    end
    assert.error_matches(function() stack.model() end, "delassus.stack.model: ")
  end)

  it("is one body between two walls, like the stack of one", function()
    local model <close> = stack.model(definition {})
    local s <close> = stack { bodies = { { mass = 3, stiffness = 1, position = 0.1, velocity = -1 } }, ceiling = 0.3,
      gravity = 1 / 3, dt = 0.01 }
    local report = model:run(20)
    s:run(20)
    assert.near(s.displacements[1], model.displacements[1], 1e-11)
    assert.near(s.peak_forces[1], model.peak_forces[1], 1e-11)
    assert.equal(s.collisions, model.collisions)
    assert.equal(s.pivots, model.pivots)
    assert.equal(2000, report.steps)
    assert.equal("delassus.StackModel (3 nodes, 2 contacts, t = 20.0 s)", tostring(model))
  end)

  it("takes vectors and matrices, whole sizes and the massive nodes' alike", function()
    local a <close> = stack.model(definition {})
    local b <close> = stack.model(definition { r = delassus.matrix(definition {}.r), m = { 3, 0, 0 },
      C = delassus.matrix { { 0, 0 }, { 1, 0 }, { 0, -1 } }, D0 = delassus.vector { 0.1, 0.2 },
      forces = { -1, 0, 0 }, velocities = { -1, 0, 0 }, lambda = delassus.matrix { { 0 } } })
    a:step(500)
    b:step(500)
    assert.equal(a:hash(), b:hash())
    local kept = a:snapshot()
    a:step(10)
    a:restore(kept)
    assert.equal(a:hash(), b:hash())
    assert.error_matches(function() a:restore("short") end, "this is no snapshot of a model with these options")
    local other <close> = stack.model(definition { D0 = { 0.1, 0.3 } })
    assert.error_matches(function() other:restore(kept) end, "this is no snapshot of a model with these options")
  end)

  it("says when no contact forces keep the gaps open, and stays as it was", function()
    -- Two walls that leave the node no room: both gaps need it elsewhere.
    local m <close> = stack.model { r = { { 1 } }, m = { 1 }, massless = {}, C = { { 1, -1 } }, D0 = { -1, -1 } }
    local before = m:hash()
    assert.error_matches(function() m:step(3) end, "model:step: no contact forces keep the gaps open")
    assert.equal(before, m:hash())
    m:close()
    assert.error_matches(function() m:step() end, "closed model")
  end)
end)

describe("what a stack tells of its peaks and events", function()
  local function two()
    return stack { dt = 1e-4, bodies = { { mass = 50, stiffness = 1e6, damping = 100, position = 0.3, radius = 0.1 },
      { mass = 50, stiffness = 1e6, damping = 100, position = 0.7, radius = 0.1 } } }
  end

  it("are the times of the states that had the largest forces, exactly", function()
    local s <close> = two()
    local most, at = { 0, 0 }, { 0, 0 }
    for _ = 1, 6000 do
      s:step()
      local f = s.forces:totable()
      for j = 1, 2 do if f[j] > most[j] then most[j], at[j] = f[j], s.time end end
    end
    assert.is_true(most[1] > 0 and most[2] > 0)
    assert.same(most, s.peak_forces:totable())
    assert.same(at, s.peak_times:totable())
  end)

  it("stays where a snapshot was taken in the very step of an event", function()
    local s <close> = two()
    while #s.events == 0 do s:step() end
    local n, bytes = #s.events, s:snapshot()
    assert.equal(s.time, s.events[n].t)
    s:run(0.05)
    assert.is_true(#s.events > n)
    s:restore(bytes)
    assert.equal(n, #s.events)
  end)
end)
