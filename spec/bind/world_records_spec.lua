-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local delassus = require "delassus"
local seeds = require "support.seeds"

-- Records of rigid disks' contacts, and events, are made when someone reads them: whether anybody looks must not count, and
-- what is shown must be what the step did.

--- Disks thrown into a box, some of another material, now and then a box among them.
local function throw(seed, friction)
  local random = delassus.random(seed)
  local world = delassus.world { planar = true, dt = 2e-3, gravity = { 0, -9.81 }, tolerance = 1e-12, record = false }
  local material = delassus.material { friction = friction or random:uniform(0.1, 0.7), restitution = random:uniform(0, 0.5) }
  local other = delassus.material { friction = 0.3, restitution = 0 }
  for _, wall in ipairs { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
    world:body { type = "static", shape = delassus.plane { normal = wall, offset = -0.75 }, material = material }
  end
  local disks = {}
  for k = 0, 11 do
    disks[k + 1] = world:disk { radius = random:uniform(0.1, 0.17), density = 500,
      position = { -0.54 + 0.36 * (k % 4), -0.5 + 0.36 * (k // 4) }, angular_velocity = random:uniform(-5, 5),
      velocity = { random:uniform(-2, 2), random:uniform(-3, 1) }, material = seed % 2 == 0 and k % 5 == 2 and other or material }
  end
  if seed % 3 == 0 then world:box { size = { 0.3, 0.15 }, position = { 0.1, 0.65 }, density = 500, material = material } end
  return world, disks
end

--- All that a contact shows.
local function shown(contact)
  return ("%d %d %s %s %s %.17g %s %s %s %s %d %.17g %s"):format(contact.a.index, contact.b.index, contact.key, contact.point,
    contact.normal, contact.gap, contact.force, contact.impulse, contact.velocity, contact.state, contact.age,
    contact.friction, contact.normal_force)
end

local function all(world)
  local lines = {}
  for contact in world:contacts() do lines[#lines + 1] = shown(contact) end
  return table.concat(lines, "\n")
end

--- Keeps a line of each event told of from now on, in `told`.
local function listen(world, told)
  for _, kind in ipairs { "impact", "contact", "separation", "stick", "slip", "accumulation" } do
    world:on(kind, function(event)
      told[#told + 1] = ("%s %.17g %d %d %.17g %.17g %s %s"):format(kind, event.t, event.a.index, event.b.index, event.impulse,
        event.speed, event.contact.normal, event.contact.point)
    end)
  end
end

describe("records of contacts", function()
  it("are the same whether anybody looks or not, to the bit (200 seeds)", function()
    local heard = 0
    for seed = 1, seeds(200) do
      local random, name = delassus.random(seed), "seed " .. seed
      local watched <close> = throw(seed)
      local alone <close> = throw(seed)
      local first, second = {}, {}
      listen(watched, first)
      local from = random:integer(20, 60)
      for k = 1, from do
        watched:step()
        all(watched)
        alone:step()
        if k % 16 == 0 then watched:restore(watched:snapshot()) end
      end
      assert.equal(watched:hash(), alone:hash(), name)
      assert.equal(all(watched), all(alone), name)
      for _ = 1, 15 do watched:step() alone:step() end
      local before = #first
      listen(alone, second) -- the first step that is told of follows one that was not looked at
      for _ = 1, 20 do watched:step() alone:step() end
      assert.equal(table.concat(first, "\n", before + 1), table.concat(second, "\n"), name)
      assert.equal(watched:hash(), alone:hash(), name)
      heard = heard + #second
    end
    assert.is_true(heard > seeds.least(2000))
  end)

  it("are those of before where a step is refused, a body is taken out or another is put there (200 seeds)", function()
    for seed = 1, seeds(200) do
      local name = "seed " .. seed
      local watched <close>, one = throw(seed)
      local alone <close>, two = throw(seed)
      for k = 1, 60 do
        watched:step()
        alone:step()
        local seen = k % 20 == 0 and all(watched) or nil
        if k % 20 == 0 then -- refused when it is done, by who hears of steps alone
          local refusing = alone:on("step", function() error("no", 0) end)
          assert.is_false((pcall(alone.step, alone)))
          refusing:off()
        end
        if k % 10 == 5 then -- another shape forgets the contacts of its body
          for _, disk in ipairs { one[k // 10 + 1], two[k // 10 + 1] } do disk.shape = delassus.disk { radius = 0.1 } end
        end
        if k == 37 then
          all(watched)
          watched:remove(one[12])
          alone:remove(two[12])
        end
        if seen then assert.equal(seen, all(alone), name) end
      end
      assert.equal(all(watched), all(alone), name)
      assert.equal(watched:hash(), alone:hash(), name)
    end
  end)

  it("explain the momentum of each disk, move as its two bodies do, and keep Coulomb's law (200 seeds)", function()
    local dt, g, tried = 2e-3, 9.81, 0
    for seed = 1, seeds(200) do
      local mu = 0.1 + 0.003 * seed
      local world <close>, disks = throw(3 * seed + 1, mu)
      world:step(150 + seed % 40)
      local start = {}
      for k, disk in ipairs(disks) do start[k] = { disk.velocity, disk.mass } end
      world:step()
      local sum, number = {}, {}
      for k, disk in ipairs(disks) do
        sum[k], number[disk.index] = (disk.velocity - start[k][1]) * start[k][2] + delassus.vec { 0, g * dt * start[k][2] }, k
      end
      for contact in world:contacts() do
        local a, b = number[contact.a.index], number[contact.b.index]
        if a then sum[a] = sum[a] + contact.impulse end
        if b then sum[b] = sum[b] - contact.impulse end
        local n, push = contact.normal, contact.impulse
        local t = delassus.vec { n.y, -n.x }
        local p_n, p_t, v_t = push:dot(n), push:dot(t), contact.velocity:dot(t)
        if a and b then
          tried = tried + 1
          local one, two, gap = disks[a], disks[b], contact.gap
          local turning = (one.shape.radius + 0.5 * gap) * one.angular_velocity
          turning = turning + (two.shape.radius + 0.5 * gap) * two.angular_velocity
          local passing = two.velocity - one.velocity
          assert.near(passing:dot(n), contact.velocity:dot(n), 1e-9, "seed " .. seed)
          assert.near(passing:dot(t) + turning, v_t, 1e-9, "seed " .. seed)
          local own = contact.friction
          assert.is_true(p_n >= 0 and math.abs(p_t) <= own * p_n + 1e-9)
          if contact.state == "slip" then
            assert.is_true(p_t * v_t <= 0)
            assert.near(own * p_n, math.abs(p_t), 1e-6 * (1 + p_n), "seed " .. seed)
          end
        end
      end
      for k in ipairs(disks) do assert.near(0, sum[k]:norm(), 1e-8 * start[k][2], "seed " .. seed) end
    end
    assert.is_true(tried > seeds.least(1000), tried)
  end)

  it("of a body that was removed says that it is past", function()
    local world <close> = delassus.world { record = false }
    world:floor {}
    local ball = world:sphere { radius = 0.1, position = { 0, 0, 0.1 } }
    world:step()
    local contact = world:contacts()()
    world:remove(ball)
    assert.equal("delassus.Contact (past)", tostring(contact))
    world:step()
    assert.equal("delassus.Contact (past)", tostring(contact))
  end)
end)
