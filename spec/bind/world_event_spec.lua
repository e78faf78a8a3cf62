-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Events of worlds: every kind on a scripted scene, in one order, as part of the state.
local delassus = require "delassus"

--- A ball that bounces to rest, a box that slides to rest, and a wall's lamp of balls that collide in turn.
local function script(options)
  options = options or {}
  options.planar, options.record, options.log = true, false, true
  options.impact = "sequential"
  local world = delassus.world(options)
  world:floor{ friction = 0.3, restitution = 0.8 }
  world:disk{ name = "ball", radius = 0.1, density = 800, position = { 0, 0.15 }, friction = 0.3, restitution = 0.8 }
  world:box{ name = "box", size = { 0.2, 0.1 }, density = 800, position = { 2, 0.05 }, velocity = { 0.5, 0 }, friction = 0.3,
    inertia = 1e3 }
  for i = 1, 30 do
    world:disk{ name = "row " .. i, radius = 0.05, mass = 1, friction = 0, restitution = 0.8,
      position = { 10 + 0.1 * i + (i == 1 and -0.01 or 0), 5 }, velocity = { i == 1 and 2 or 0, 0 } }
  end
  return world
end

local function text(events)
  local lines = {}
  for i, e in ipairs(events) do
    lines[i] = ("%.17g %s %s %s %.17g %.17g"):format(e.t, e.kind, e.a.name or "floor", e.b.name, e.impulse, e.speed)
  end
  return table.concat(lines, "\n")
end

local function of(events, name, kind)
  local found = {}
  for _, e in ipairs(events) do
    if e.b.name == name and (not kind or e.kind == kind) then found[#found + 1] = e end
  end
  return found
end

describe("events of a world", function()
  it("tell every kind: impact, contact, separation, stick, slip, accumulation, collapsed", function()
    local world <close> = script()
    world:step(1200)
    local events = world.events
    local seen = {}
    for _, e in ipairs(events) do seen[e.kind] = (seen[e.kind] or 0) + 1 end
    for _, kind in ipairs{ "impact", "contact", "separation", "stick", "slip", "accumulation", "collapsed" } do
      assert.is_true((seen[kind] or 0) > 0, kind)
    end
    -- The ball: contact and impact together, each followed by a separation, at last none; then it is at rest for good.
    local g, e = 9.81, 0.8
    local t0 = math.sqrt(2 * 0.05 / g)
    local zeno = t0 * (1 + e) / (1 - e)
    local last = of(events, "ball", "accumulation")
    assert.equal(1, #last)
    assert.near(zeno, last[1].t, 0.02)
    local impacts = of(events, "ball", "impact")
    local exact = t0
    for k = 1, 6 do
      assert.near(exact, impacts[k].t, 5e-3)
      exact = exact + 2 * t0 * e ^ k
    end
    assert.equal(#impacts, #of(events, "ball", "contact"))
    local apart = of(events, "ball", "separation")
    assert.is_true(#apart == #impacts or #apart == #impacts - 1)
    assert.is_true(apart[#apart].t <= last[1].t)
    for _, event in ipairs(of(events, "ball")) do assert.is_true(event.t <= last[1].t + 1e-9, event.kind) end
    -- The box slides at once and sticks after v / (mu g).
    local slips, sticks = of(events, "box", "slip"), of(events, "box", "stick")
    assert.near(1e-3, slips[1].t, 1e-9)
    assert.near(0.5 / (0.3 * g), sticks[1].t, 2e-3)
    -- The row collapses when it is struck, once.
    assert.equal(1, seen.collapsed)
  end)

  it("stand in order of time, then of contacts: the same twice, after a restore, and they are part of the hash", function()
    local world <close> = script()
    local other <close> = script()
    world:step(150)
    local kept = world:snapshot()
    world:step(250)
    other:restore(kept)
    other:step(250)
    assert.equal(text(world.events), text(other.events))
    assert.equal(world:hash(), other:hash())
    local t = 0
    for _, e in ipairs(world.events) do
      assert.is_true(e.t >= t)
      t = e.t
    end
    world.log = false -- what is kept stays
    assert.is_true(#world.events > 0)
  end)

  it("carry their contact: live in its step, a kept record when it is gone, itself where made by hand", function()
    local world <close> = script()
    local seen = {}
    for _, kind in ipairs{ "impact", "separation" } do
      world:on(kind, function(event)
        if event.b.name ~= "ball" then return end
        local contact = event.contact
        assert.equal(event.b, contact.b)
        assert.near(1, contact.normal.y, 1e-12)
        assert.near(event.impulse, contact.impulse.y, 1e-12 * event.impulse)
        assert.is_true((contact.point - event.point):norm() == 0)
        seen[#seen + 1] = { kind, contact }
      end)
    end
    world:step(450)
    assert.is_true(#seen > 4)
    local apart, live
    for _, s in ipairs(seen) do if s[1] == "separation" then apart = s[2] else live = live or s[2] end end
    -- Read later: the kept one still, the live one not.
    assert.is_number(apart.gap)
    assert.is_true(apart.found)
    assert.matches("^%d+:%d+:%x+$", apart.key)
    assert.matches("delassus.Contact", tostring(apart))
    assert.error_matches(function() return apart.velocity end, "'velocity' is not kept")
    assert.error_matches(function() return live.gap end, "has moved on")
    -- In the log all of them can be read.
    for _, e in ipairs(world.events) do assert.is_number(e.contact.gap) end

    local hung <close> = delassus.world{ planar = true, record = false, log = true }
    local bob = hung:body{ mass = 1, position = { 0, -0.9 } }
    local rope = hung:contact{ hung.ground, bob, rope = 1, restitution = 0.5 }
    hung:step(500)
    local events = hung.events
    assert.is_true(#events > 2)
    for _, e in ipairs(events) do assert.equal(rope, e.contact) end
    hung:remove(rope)
    assert.is_number(hung.events[1].contact.gap)
  end)

  it("tell of a sensor that a body comes into it and leaves it, and nothing else", function()
    local world <close> = delassus.world{ planar = true, record = false, log = true }
    local gate = world:body{ type = "static", shape = delassus.box{ size = { 1, 1 } }, sensor = true }
    local ball = world:disk{ radius = 0.1, position = { 0, 1 } }
    local told = {}
    for _, kind in ipairs{ "contact", "separation" } do
      world:on(kind, function(event) told[#told + 1] = { event.kind, event.a == gate and event.b == ball, event.impulse } end)
    end
    world:run(0.7)
    assert.same({ { "contact", true, 0.0 }, { "separation", true, 0.0 } }, told)
    assert.equal(2, #world.events)
    -- From 1 m to 0.6 m, and to -0.6 m.
    assert.near(math.sqrt(2 * 0.4 / 9.81), world.events[1].t, 2e-3)
    assert.near(math.sqrt(2 * 1.6 / 9.81), world.events[2].t, 2e-3)
    assert.near(-9.81 * world.time, ball.velocity.y, 1e-9)
    assert.equal(0, world.stats.impacts)
  end)

  it("never name another body: one that was removed is nil, also where its number is used again", function()
    local world <close> = delassus.world{ planar = true, record = false, log = true }
    world:floor{}
    local disk = world:disk{ radius = 0.1, position = { 0, 0.1 } }
    world:step(5)
    assert.equal(disk, world.events[1].b)
    world:remove(disk)
    assert.is_nil(world.events[1].b)
    local other = world:disk{ radius = 0.1, position = { 3, 3 } }
    assert.equal(2, other.index)
    assert.is_nil(world.events[1].b)
  end)
end)
