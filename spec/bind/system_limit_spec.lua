-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Limits of impacts that are summed up: told when they have come, of contacts that stayed closed until then.
local chance = require "support.chance"
local delassus = require "delassus"
local systems = require "support.systems"
local seeds = require "support.seeds"

local laws = { "newton", "poisson", "sequential" }

--- Two or three bodies one above the other between a floor and a ceiling, with restitution.
local function column(seed)
  local c = chance(seed)
  local n, y, q, u, mass, forces, contacts = 2 + seed % 2, 0, {}, {}, {}, {}, {}
  for i = 1, n do
    local m, normal = c.from(0.5, 3), {}
    mass[i] = {}
    for j = 1, n do mass[i][j], normal[j] = j == i and m or 0, j == i and 1 or j == i - 1 and -1 or 0 end
    y = y + c.from(0.05, 0.4)
    q[i], u[i], forces[i] = y, c.from(-1, 1), -9.81 * m
    contacts[i] = { gap = function(x) return x[i] - (x[i - 1] or 0) end, normal = normal, restitution = c.from(0.1, 0.8) }
  end
  local up = {}
  for j = 1, n do up[j] = j == n and -1 or 0 end
  contacts[n + 1] = { gap = function(x) return y + 0.3 - x[n] end, normal = up, restitution = 0.5 }
  return delassus.system{ q = q, u = u, mass = mass, forces = forces, contacts = contacts, dt = 1e-2,
    impact = laws[1 + seed % 3] }
end

--- By the log alone: accumulations, and how many of them are of contacts that were apart.
local function count(events, seed)
  local mode, limits, last = {}, 0, -1
  for _, event in ipairs(events) do
    assert.is_true(event.t >= last, ("seed %d: %s at %.17g behind %.17g"):format(seed, event.kind, event.t, last))
    if event.kind == "accumulation" then
      limits = limits + 1
      assert.is_true(mode[event.index] ~= "apart" and event.mode ~= "apart",
        ("seed %d: accumulation of %d at %.17g"):format(seed, event.index, event.t))
    end
    mode[event.index], last = event.mode, event.t
  end
  return limits
end

describe("limits of impacts", function()
  it("are told of contacts that stay closed until then, in order of time: 200 columns of two and three bodies", function()
    local limits = 0
    for seed = 1, seeds(200) do
      local s = column(seed)
      s:run(1.2)
      limits = limits + count(s.events, seed)
      for i, contact in ipairs(s.contacts) do
        assert.is_true(contact.gap > -1e-13, ("seed %d: gap %d is %g"):format(seed, i, contact.gap))
      end
    end
    assert.is_true(limits > seeds.least(400), limits .. " limits")
  end)

  it("belong to snapshots: from each output step on the run is the same, also with a limit to come", function()
    local all = 0
    for seed = 1, 20 do
      local s, other = column(seed), column(seed)
      local told = 0
      for step = 1, 100 do
        local snapshot = s:snapshot()
        other:restore(snapshot)
        s:step()
        other:step()
        assert.equal(s:hash(), other:hash(), ("seed %d, step %d"):format(seed, step))
        told = #s.events
      end
      all = all + told
    end
    assert.is_true(all > 500, all .. " events")
  end)

  it("lie behind the end of an output step where they do: told in the next one", function()
    local s = systems.ball{ dt = 1e-2 }
    s:run(4.2)
    local limit = systems.events(s, "accumulation")[1]
    local before = systems.ball{ dt = 1e-2 }
    before:run(math.floor(limit.t / 1e-2) * 1e-2)
    assert.equal(0, #systems.events(before, "accumulation"))
    local t_0, v = math.sqrt(2 / 9.81), math.sqrt(2 * 9.81)
    assert.near(t_0 + 2 * v / 9.81 * 0.8 / 0.2, limit.t, 1e-8)
  end)

  it("have no past where the time is set back: the state is one that snapshots hold", function()
    local s = systems.ball()
    s:run(4.2)
    s.time = 0
    s:restore(s:snapshot())
    s.q, s.u = { 1 }, { 0 }
    s:run(1)
    local fresh = systems.ball()
    fresh:run(1)
    assert.near(fresh.q[1], s.q[1], 1e-12)
  end)
end)

describe("a contact that opens below zero", function()
  it("closes where it falls back to that, not at once: a start within the tolerance that is lifted", function()
    for _, lifted in ipairs { 1e-3, 1e-2, 1 } do
      local s = delassus.system{ q = { -9e-6 }, u = { 0 }, mass = { { 1 } }, dt = 1e-2,
        forces = function(_, _, t) return { t < 0.05 and lifted or -lifted } end,
        contacts = { { gap = function(q) return q[1] end, normal = { 1 } } } }
      s:run(0.05)
      s:run(0.2)
      local level = 0.25 * 0.1 ^ 2 * lifted - 9e-6 > 0 and 0 or -9e-6 -- the top of its way
      local impact = systems.events(s, "impact")[1]
      local top = -9e-6 + 0.0025 * lifted
      assert.near(0.1 + math.sqrt(2 * (top - level) / lifted), impact.t, 1e-9)
      assert.near(level, s.q[1], 1e-12)
    end
  end)

  it("is that of the series, however weak the gravity is that brings a ball back (200 seeds)", function()
    for seed = 1, 200 do
      local r = delassus.random(seed)
      local h, e, g, m = 10 ^ r:uniform(-4, 0), r:uniform(0.3, 0.97), 10 ^ r:uniform(-3, 1), 10 ^ r:uniform(-3, 1)
      local exact = math.sqrt(2 * h / g) * (1 + e) / (1 - e)
      local s <close> = delassus.system{ q = { h }, u = { 0 }, mass = { { m } }, forces = { -m * g },
        contacts = { { gap = function(q) return q[1] end, normal = function() return { 1 } end, restitution = e } } }
      s:run(1.05 * exact)
      local limit = systems.events(s, "accumulation")[1]
      if not limit or math.abs(limit.t / exact - 1) > 1e-9 then
        error(("seed %d: %s, not %g"):format(seed, limit and limit.t, exact))
      end
    end
  end)
end)
