-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- What is read of a system: nothing happens by it, in time steps it is what holds, and it fails whole.
local delassus = require "delassus"
local mechanisms = require "support.mechanisms"
local scenes = require "support.time_scenes"
local systems = require "support.systems"
local seeds = require "support.seeds"

local abs, sin, cos, nan = math.abs, math.sin, math.cos, 0 / 0
local schemes = { "event-driven", "time-stepping" }
local laws = { "newton", "poisson", "sequential" }

--- A body of three coordinates on a floor that shakes; callbacks that `at` (name, count, fail) makes fail.
local function guarded(at, o)
  local function guard(name, fn)
    return function(...)
      if at.name == name then
        at.count = at.count + 1
        if at.count == at.call then return at.fail() end
      end
      return fn(...)
    end
  end
  local contact = { restitution = 0.4, tangential_restitution = 0.3,
    gap = guard("gap", function(q, t) return q[2] - 0.01 * sin(5 * t) end),
    normal = guard("normal", function() return { 0, 1, 0 } end),
    tangent = guard("tangent", function() return { 1, 0, 0.1 } end),
    friction = guard("friction", function(v) return 0.3 + 0.2 * math.exp(-v) end) }
  if o.space then contact.tangent2 = guard("tangent2", function() return { 0, 0, 1 } end) end
  if o.full then
    contact.normal_speed = guard("normal_speed", function(_, t) return -0.05 * cos(5 * t) end)
    contact.normal_bias = guard("normal_bias", function(_, _, t) return 0.25 * sin(5 * t) end)
    contact.tangent_speed = guard("tangent_speed", function() return -0.1 end)
    contact.tangent_bias = guard("tangent_bias", function() return 0 end)
  end
  return delassus.system{ q = { 0, 0.02, 0 }, u = { 1, -0.4, 0.5 }, scheme = o.scheme, impact = o.impact, dt = 5e-3,
    mass = guard("mass", function(q) return { { 1 + 0.1 * cos(q[1]), 0, 0 }, { 0, 1, 0 }, { 0, 0, 0.02 } } end),
    forces = guard("forces", function(q) return { 0.1 * q[1], -9.81, 0 } end), contacts = { contact } }
end

local reads = {
  accelerations = function(s) s:accelerations() end,
  sets = function(s) s:sets() end,
  solutions = function(s) s:solutions() end,
  gap = function(s) return s.contacts[1].gap end,
  velocity = function(s) return s.contacts[1].velocity end,
  state = function(s) return s.contacts[1].state end,
  force = function(s) return s.contacts[1].normal_force end,
}

describe("what is read of a system", function()
  it("changes nothing: a run in which all is read after every step is the run without, bit for bit", function()
    local function same(make, told)
      local of, twin = make(), make()
      for k = 1, 300 do
        of:step()
        twin:step()
        local before = twin:hash()
        for name, read in pairs(reads) do
          if name ~= "solutions" then read(twin) end
          assert.equal(before, twin:hash(), told .. ", " .. name)
        end
        assert.equal(of:hash(), twin:hash(), ("%s, step %d"):format(told, k))
      end
      assert.equal(#of.events, #twin.events)
      return #of.events
    end
    local events = 0
    for _, scheme in ipairs(schemes) do
      for _, law in ipairs(laws) do
        local told = scheme .. ", " .. law
        events = events + same(function() return systems.woodpecker{ scheme = scheme, impact = law, dt = 5e-4 } end, told)
        events = events + same(function() return systems.ball{ scheme = scheme, impact = law, dt = 1e-2 } end, told)
      end
    end
    assert.is_true(events > 200, events .. " events")
  end)

  it("makes no impact of a closed contact that approaches: it is in C, not in N, without force; impact() resolves it", function()
    for _, scheme in ipairs(schemes) do
      local s = systems.ball{ q = { 0 }, u = { -1 }, scheme = scheme }
      assert.equal("apart", s.contacts[1].state)
      assert.equal(-9.81, s:accelerations()[1])
      assert.equal(-9.81, s:solutions()[1].udot[1])
      local sets = s:sets()
      assert.same({ 1, 0 }, { #sets.C, #sets.N })
      assert.same({ -1, 0 }, { s.u[1], #s.events })
      s:impact()
      assert.near(0.8, s.u[1], 1e-15)
    end
  end)

  it("says that Painleve's rod has no accelerations, and makes no impact to have some", function()
    local s = systems.rod(math.rad(60), { -1, 0, 0 }, { friction = 1.5 })
    local before = s:hash()
    assert.error_matches(function() s:accelerations() end, "system:accelerations: no accelerations that the contacts admit")
    assert.error_matches(function() return s.contacts[1].normal_force end, "no accelerations that the contacts admit")
    assert.equal(before, s:hash())
    assert.same({ 0, 0 }, { #s:solutions(), #s.events })
  end)

  it("fails whole, named, in any callback at any call", function()
    local faults = { error = function() error("mine", 0) end, nan = function() return nan end,
      list = function() return { nan, nan, nan } end, yield = function() coroutine.yield() end, none = function() end }
    local names = { "mass", "forces", "gap", "normal", "tangent", "tangent2", "friction", "normal_speed", "normal_bias",
      "tangent_speed", "tangent_bias" }
    local failed = 0
    for k = 0, 11 do
      local o = { scheme = schemes[1 + k % 2], space = k // 2 % 2 == 1, full = k // 4 % 2 == 1, impact = laws[1 + k % 3] }
      local at = {}
      local s = guarded(at, o)
      s:step(3 + 5 * k)
      local snapshot = s:snapshot()
      for what, read in pairs(reads) do
        for _, name in ipairs(names) do
          for fault, fail in pairs(faults) do
            for call = 1, 40 do
              s:restore(snapshot)
              local before = s:hash()
              at.name, at.count, at.call, at.fail = name, 0, call, fail
              local fine, message = pcall(read, s)
              local reached = at.count >= call
              at.name = nil
              if not reached then break end
              local told = ("%s of %s: %s, %s at call %d: %s"):format(what, o.scheme, name, fault, call, tostring(message))
              assert.is_false(fine, told)
              assert.is_true(fault == "error" and message == "mine" or message:find("'" .. name .. "'", 1, true) ~= nil, told)
              assert.equal(before, s:hash(), told)
              failed = failed + 1
            end
          end
        end
      end
    end
    assert.is_true(failed > 1000, failed .. " failures")
  end)

  it("is what holds in time steps: accelerations, sets and solutions of a block that rocks, against exact ones", function()
    local b, h, g = 0.1, 0.3, 9.81
    local s = systems.block{ b = b, h = h, friction = 5, scheme = "time-stepping", dt = 1e-4,
      q = { 0, b * sin(0.1) + h * cos(0.1), -0.1 } }
    local seen = 0
    for _ = 1, 2000 do
      s:step()
      local held = s.contacts[1].normal_force > 0 and 1 or 2
      local side = held == 1 and -1 or 1
      local c, n = cos(s.q[3]), sin(s.q[3])
      local rx, ry = side * b * c + h * n, side * b * n - h * c -- from the centre to the corner that it stands on
      if s.contacts[3 - held].normal_force == 0 and s.contacts[3 - held].gap > 1e-3 then
        local turn = g * rx / ((b * b + h * h) / 3 + rx * rx + ry * ry)
        local rate, exact = s.u[3], { turn * ry + rx * s.u[3] ^ 2, -turn * rx + ry * s.u[3] ^ 2, turn }
        local udot, sets, solutions = s:accelerations(), s:sets(), s:solutions()
        for i = 1, 3 do
          assert.near(exact[i], udot[i], 1e-3 * (1 + rate * rate))
          assert.near(udot[i], solutions[1].udot[i], 1e-9)
        end
        assert.equal("stick", s.contacts[held].state)
        assert.same({ { held }, { held }, { held } }, { sets.C, sets.N, sets.T })
        seen = seen + 1
      end
    end
    assert.is_true(seen > 1000, seen .. " times")
  end)
end)

describe("accelerations in time steps", function()
  it("of worlds are those of systems to 1e-6: 200 random boxes that fall, tumble, slide and stick", function()
    local compared, held = 0, 0
    for seed = 1, seeds(200) do
      local r, law = delassus.random(seed), laws[1 + seed % 3]
      local o = { dt = 1e-3, scheme = "time-stepping", impact = law, friction = law == "poisson" and 0 or r:uniform(0, 0.9),
        restitution = seed % 2 == 0 and 0 or r:uniform(0, 0.6) }
      local world, system = scenes.random_box(r, o)
      for k = 1, 330 do
        local before = system.stats.events
        world:step()
        system:step()
        -- In a step with an impact gaps stay open by its share, and what is nearly at rest slips either way by O(h).
        local clear, force = k % 3 == 0 and system.stats.events == before, 0
        for _, contact in ipairs(clear and system.contacts or {}) do
          force = force + contact.normal_force
          local presses, slow = contact.normal_force > 0, abs(contact.velocity[2]) < 0.01
          clear = clear and not (presses and (contact.gap > 1e-10 or contact.state == "slip" and slow))
        end
        if clear then
          local a, b = world:accelerations(), system:accelerations()
          for i = 1, 3 do assert.near(a[i], b[i], 1e-6 * (1 + abs(a[i])), ("seed %d, step %d, %s"):format(seed, k, law)) end
          compared, held = compared + 1, held + (force > 0 and 1 or 0)
        end
      end
    end
    assert.is_true(held > seeds.least(5000), ("%d compared, %d held"):format(compared, held))
  end)
end)

describe("the log", function()
  it("is in order of time, of systems and worlds, limits of impacts too", function()
    local limits = 0
    for _, law in ipairs(laws) do
      for _, dt in ipairs { 1e-2, 1e-3 } do
        local bird = { scheme = "event-driven", dt = dt, impact = law, q = { 0, -0.1, -0.2788 }, u = { -0.3411, 0, -7.4583 } }
        local crank = { scheme = "event-driven", dt = dt / 10, impact = law, friction = 0.1, restitution = 0.6,
          u = { 150, -75, 3 } }
        local ball = delassus.world{ planar = true, scheme = "event-driven", dt = dt, impact = law, record = false }
        ball:floor{ restitution = 0.8 }
        ball:disk{ radius = 0.1, mass = 1, position = { 0, 0.6 }, restitution = 0.8 }
        for _, of in ipairs { systems.ball{ dt = dt, impact = law }, mechanisms.woodpecker_system(bird), ball,
          (mechanisms.woodpecker_world(bird)), mechanisms.crank_system(crank), (mechanisms.crank_world(crank)) } do
          local seen, last = 0, -1
          for _ = 1, math.floor((of == ball and 5 or 0.1) / of.dt) do
            of:step()
            local events = of.events
            for k = seen + 1, #events do
              assert.is_true(events[k].t >= last, ("%s at %.17g behind %.17g"):format(events[k].kind, events[k].t, last))
              last = events[k].t
              limits = limits + (events[k].kind == "accumulation" and 1 or 0)
            end
            seen = #events
          end
        end
      end
    end
    assert.is_true(limits > 20, limits .. " limits")
  end)
end)

describe("a system", function()
  it("makes n steps as n times one, bit for bit, and goes on from a snapshot among them", function()
    local function make(scheme, k)
      if k == 1 then return systems.woodpecker{ scheme = scheme, impact = "poisson", dt = 1e-3 } end
      return mechanisms.crank_system{ scheme = scheme, impact = "newton", dt = 1e-4, friction = 0.1, restitution = 0.4,
        u = { 150, -75, 3 } }
    end
    for _, scheme in ipairs(schemes) do
      for k = 1, 2 do
        local one, many, other = make(scheme, k), make(scheme, k), make(scheme, k)
        for _ = 1, 90 do one:step() end
        many:step(17)
        other:restore(many:snapshot())
        many:step(73)
        other:step(40)
        other:step(33)
        assert.equal(90 * one.dt, one.time)
        assert.equal(one:hash(), many:hash())
        assert.equal(one:hash(), other:hash())
      end
    end
  end)

  it("refuses constants of a wrong size, a mass without definite sign, a gap below its tolerance in time steps too", function()
    local function of(changes, contact)
      local o = { q = { 0, 1 }, u = { 0, 0 }, mass = { { 1, 0 }, { 0, 1 } }, forces = { 0, -9.81 },
        contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 } } } }
      for name, value in pairs(changes) do o[name] = value end
      for name, value in pairs(contact or {}) do o.contacts[1][name] = value end
      return delassus.system(o)
    end
    for _, row in ipairs {
      { { forces = { 1 } }, {}, "'forces' must be a list of 2 numbers, got 1" },
      { { forces = { 1, nan } }, {}, "'forces'%[2%] must be a finite number" },
      { {}, { normal = { 0 } }, "contacts%[1%]: 'normal' must be a list of 2 numbers, got 1" },
      { {}, { tangent = { 0, 1, 2 } }, "contacts%[1%]: 'tangent' must be a list of 2 numbers, got 3" },
      { {}, { tangent2 = { 0, "x" } }, "contacts%[1%]: 'tangent2'%[2%] must be a number" },
      { { mass = { { 1, 2 }, { 2, 1 } } }, {}, "'mass' must be positive definite: pivot 2 is %-3" },
    } do
      assert.error_matches(function() of(row[1], row[2]) end, row[3])
    end
    for _, scheme in ipairs(schemes) do
      local s = of{ scheme = scheme, mass = function(_, t) return { { 1, 0 }, { 0, t < 0.01 and 1 or -1 } } end }
      assert.error_matches(function() s:run(0.02) end, "'mass' is not positive definite")
      s = of{ scheme = scheme, q = { 0, -2e-5 } }
      local before = s:hash()
      assert.error_matches(function() s:step() end, "system:step: contact 1 starts with its gap below %-gap_tolerance")
      assert.equal(before, s:hash())
      s.q = { 0, -5e-6 }
      s:step()
      s = of{ scheme = scheme, q = { 0, -2e-5 }, gap_tolerance = 1e-4 }
      s:step()
    end
    assert.is_true(abs(of({}).q[2] - 1) == 0)
  end)
end)

describe("recordings of a system", function()
  it("run side by side, each at its own pace; one that is closed stays as it is", function()
    local s = systems.ball{ q = { 1 } }
    local fine <close>, coarse, path = s:record{ title = "fine" }, s:record{ every = 0.1 }, os.tmpname()
    local third = s:record{ every = 0.05, file = path }
    local twin = systems.ball{ q = { 1 } }
    s:run(0.5)
    twin:run(0.5)
    assert.same({ twin.q[1], twin.u[1] }, { s.q[1], s.u[1] })
    assert.same({ 501, 6, 11 }, { #fine.t, #coarse.t, #third.t })
    assert.is_true(coarse:close())
    assert.is_true(coarse:close())
    assert.is_true(third.stop())
    s:run(0.2)
    assert.same({ 701, 6, 11 }, { #fine.t, #coarse.t, #third.t })
    local read = assert(require "delassus.record".read(path))
    assert.equal(11, #read:times())
    os.remove(path)
    for k, t in ipairs(coarse.t) do assert.near(0.1 * (k - 1), t, 1e-9) end
  end)

  it("raise for names that they do not know, with the nearest known", function()
    local recording = systems.ball{ q = { 1 } }:record()
    for name, near in pairs{ sve = "save", tite = "title", clse = "close" } do
      local said = ("unknown property '%s' (did you mean '%s'?)"):format(name, near)
      assert.error_matches(function() return recording[name] end, said, 1, true)
    end
    for _, name in ipairs{ "keep", "potential" } do assert.is_nil(recording[name]) end
  end)
end)
