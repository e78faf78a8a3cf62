-- What is there moves up where others were taken out: the world that is left is the one in which nothing else was ever
-- made, to the last bit, and whoever holds a handle to something holds it still.
local delassus = require "delassus"
local core = require "delassus.core"

local SEEDS = 200
local formulations = { "reduced", "rigid", "penalty" }

-- A scene is a world and recipes of things in the order in which they were made; a thing is made of its recipe in any
-- world that has the bodies that it names.
local Scene = {}
Scene.__index = Scene

local function new_scene(planar, options)
  options = options or {}
  options.planar, options.record = planar, false
  local self = setmetatable({ world = delassus.world(options), planar = planar, handle = {} }, Scene)
  self.world:floor { friction = 0.5 }
  return self
end

function Scene:at(x, z) return self.planar and { x, z } or { x, 0, z } end

local make = {}
function make.body(s, r)
  local kind = ({ s.planar and "disk" or "sphere", "box" })[r.shape]
  local options = { density = 1000, position = s:at(0.5 * r.x, r.z), velocity = s:at(s.still and 0 or r.v, 0), data = r.id }
  if r.own then options.material = delassus.material { friction = 0.1 + 0.001 * r.id } end
  if r.shape == 1 then options.radius = r.size
  else options.size = s.planar and { r.size, r.size } or { r.size, r.size, r.size } end
  local body = s.world[kind](s.world, options)
  body:apply { force = s:at(0.01 * r.id, 0) }
  return body
end
function make.moved(s, r)
  return s.world:box {
    size = s.planar and { 0.1, 0.1 } or { 0.1, 0.1, 0.1 }, type = "kinematic", data = r.id,
    motion = function(t) return s:at(0.5 * r.x + r.v * t, 9), s.planar and 0 or { 1, 0, 0, 0 }, s:at(r.v, 0) end,
  }
end
function make.joint(s, r)
  return s.world:joint {
    "revolute", s.handle[r.a] or s.world.ground, s.handle[r.b], axis = not s.planar and { 0, 1, 0 } or nil,
    formulation = r.how, data = r.id, damping = r.how ~= "penalty" and 0.01 * r.v or nil,
  }
end
function make.drive(s, r)
  return s.world:joint {
    "revolute", s.world.ground, s.handle[r.b], axis = not s.planar and { 0, 1, 0 } or nil, formulation = "rigid",
    data = r.id, motion = function(t) return r.v * t * t, 2 * r.v * t, 2 * r.v end,
  }
end
function make.spring(s, r)
  return s.world:spring { s.handle[r.a], s.handle[r.b], stiffness = 10 + r.id, damping = 0.1, length = 0.4 }
end
function make.rope(s, r) return s.world:contact { s.handle[r.a], s.handle[r.b], rope = 1 + 0.01 * r.id } end
function make.plane(s, r)
  return s.world:contact {
    s.world.ground, s.handle[r.b], point_a = s:at(0, 0.001 * r.id), normal = s:at(0, 1), friction = 0.2,
  }
end
function make.gear(s, r) return s.world:gear { s.handle[r.a], s.handle[r.b], ratio = 1 + 0.1 * r.v } end
function make.pair(s, r)
  s.world:pair { s.handle[r.a], s.handle[r.b], friction = 0.1, restitution = 0.3 }
  return false
end

function Scene:make(r)
  self.handle[r.id] = make[r.kind](self, r)
  return self.handle[r.id]
end

local function is_body(r) return r.kind == "body" or r.kind == "moved" end

-- A random recipe of something that can be made now; nil where what it needs is not there.
local function draw(random, id, there)
  local function pick(fits)
    local list = {}
    for _, r in ipairs(there) do if fits(r) then list[#list + 1] = r end end
    return list[1 + math.floor(random:uniform() * #list)]
  end
  local function body() return pick(function(r) return r.kind == "body" end) end
  local r = { id = id, v = math.floor(3 * random:uniform()), x = id % 9, z = 0.05 + 0.13 * math.floor(id / 9) }
  local kinds = { "body", "body", "body", "moved", "joint", "joint", "joint", "drive", "spring", "rope", "plane", "gear", "pair" }
  r.kind = kinds[1 + math.floor(random:uniform() * #kinds)]
  if r.kind == "body" then
    r.shape, r.size, r.own = 1 + id % 2, 0.02 + 0.03 * random:uniform(), id % 3 == 0 -- a material that no other has
  end
  if is_body(r) then return r end
  if r.kind == "gear" then
    local function turns(j) return j.kind == "joint" and j.how ~= "penalty" end
    local one, two = pick(turns), pick(turns)
    if not one or one == two or one.geared or two.geared then return nil end
    one.geared, two.geared = true, true
    r.a, r.b = one.id, two.id
    return r
  end
  local a, b = body(), body()
  if not b or a == b then return nil end
  r.a, r.b = math.min(a.id, b.id), math.max(a.id, b.id)
  if r.kind == "drive" or r.kind == "joint" then
    local held = a.id > b.id and a or b -- of joints one alone holds a body
    if held.held then return nil end
    held.held = true
    if r.kind == "joint" then r.how = formulations[1 + math.floor(random:uniform() * 3)] end
  end
  if r.kind == "drive" or r.kind == "plane" or r.kind == "joint" and random:uniform() < 0.2 then r.a = nil end -- to the ground
  return r
end

local function names(r, id) return r.id == id or r.a == id or r.b == id end

-- Takes number k of what is there out, with what goes with it; answers what is left.
local function take_out(s, there, k)
  local gone = { [there[k].id] = true }
  s.world:remove(s.handle[there[k].id])
  local left = {}
  for _, r in ipairs(there) do
    local goes = false
    for id in pairs(gone) do goes = goes or names(r, id) end
    if goes then gone[r.id] = true else left[#left + 1] = r end
  end
  for id in pairs(gone) do
    local handle = s.handle[id]
    if handle then
      assert.is_false(pcall(function() return handle.a and handle.world end) and pcall(function() return handle.data end))
      assert.matches("removed", tostring(handle))
    end
  end
  return left
end

local function fresh_of(s, there, options)
  local fresh = new_scene(s.planar, options)
  fresh.still = s.still
  for _, r in ipairs(there) do fresh:make(r) end
  return fresh
end

-- Whoever holds a handle holds the thing that it was given for, and its number.
local function check_handles(s, there, index, why)
  local n = 0
  for _, r in ipairs(there) do
    local handle = s.handle[r.id]
    if is_body(r) or r.kind == "joint" or r.kind == "drive" then
      assert.equal(r.id, handle.data, why)
      index[r.id] = index[r.id] or handle.index
      assert.equal(index[r.id], handle.index, why)
    elseif r.kind == "spring" then
      assert.equal(10 + r.id, handle.stiffness, why)
      assert.matches(("bodies %d and %d,"):format(handle.a.index, handle.b.index), tostring(handle), why)
    elseif r.kind == "gear" then
      assert.equal(r.a, handle.joint1.data, why)
      assert.equal(r.b, handle.joint2.data, why)
    elseif r.kind == "rope" or r.kind == "plane" then
      assert.equal(r.b, handle.b.data, why)
    end
    if is_body(r) then
      n = n + 1
      assert.equal(handle, s.world.bodies[n + 1], why) -- behind the floor, in the order in which they were made
    end
  end
  assert.equal(n + 1, #s.world, why)
end

local function assert_same(one, two, there, why)
  for _, r in ipairs(there) do
    if is_body(r) then
      for _, what in ipairs { "position", "velocity", "angular_velocity" } do
        local x, y = one.handle[r.id][what], two.handle[r.id][what]
        assert.is_true(x == y, ("%s: %s of %d: %s, %s"):format(why, what, r.id, x, y))
      end
    end
  end
  assert.equal(#two.world:snapshot(), #one.world:snapshot(), why)
  assert.equal(two.world:hash(), one.world:hash(), why)
end

--- n balls beside each other at the height z, every second one at the speed v; -> who is there, by number.
local function make_row(s, n, z, v)
  local there = {}
  for id = 1, n do
    there[id] = true
    s:make { kind = "body", id = id, x = id, z = z, v = v * (id % 2), shape = 1, size = 0.05 }
  end
  return there
end

describe("what moves up in a world", function()
  it("leaves the world in which only what is left was made, bit for bit: random making and taking out", function()
    for seed = 1, SEEDS do
      local random, why = delassus.random(seed), "seed " .. seed
      local s, there, index = new_scene(seed % 2 == 0), {}, {}
      s.still = true -- joints that are made change velocities, and outlive it
      local share = ({ 0.3, 0.5, 0.1 })[1 + seed % 3]
      for id = 1, 60 do
        local k = 1 + math.floor(random:uniform() * #there)
        if #there > 3 and random:uniform() < share and there[k].kind ~= "pair" then
          there = take_out(s, there, k)
        else
          local r = draw(random, id, there)
          if r then
            s:make(r)
            there[#there + 1] = r
          end
        end
        if id % 20 == 0 then check_handles(s, there, index, why) end
        if id % 25 == 0 then assert.equal(s.world:hash(), s.world:hash(), why) end
      end
      local fresh = fresh_of(s, there)
      assert_same(s, fresh, there, why)
      s.world:step(3)
      fresh.world:step(3)
      assert_same(s, fresh, there, why)
      check_handles(s, there, index, why)
      s.world:close()
      fresh.world:close()
    end
  end)

  it("leaves a run that goes on in such a world from its snapshot: steps between what is taken out", function()
    for seed = 1, SEEDS do
      local random, why = delassus.random(1000 + seed), "seed " .. seed
      local s, there, index = new_scene(seed % 2 == 0), {}, {}
      for id = 1, 40 do
        local r = draw(random, id, there)
        if r then
          s:make(r)
          there[#there + 1] = r
        end
      end
      for _ = 1, 4 do
        s.world:step(1 + seed % 3)
        for _ = 1, 4 do
          local k = 1 + math.floor(random:uniform() * #there)
          if #there > 2 and there[k].kind ~= "pair" then there = take_out(s, there, k) end
        end
        check_handles(s, there, index, why)
      end
      if seed % 4 < 2 then s.world:step() end
      local fresh = fresh_of(s, there)
      fresh.world:restore(s.world:snapshot())
      assert_same(s, fresh, there, why)
      local before, kept = s.world:hash(), s.world:snapshot()
      s.world:step(3)
      fresh.world:step(3)
      assert_same(s, fresh, there, why)
      s.world:restore(kept)
      assert.equal(before, s.world:hash(), why)
      s.world:step(3)
      assert.equal(fresh.world:hash(), s.world:hash(), why)
      s.world:close()
      fresh.world:close()
    end
  end)

  it("leaves one of thousands as if it were alone: steps as many, snapshots as long", function()
    for _, kind in ipairs { "body", "joint", "spring", "rope", "gear" } do
      local s = new_scene(true)
      local function body(id) return s:make { kind = "body", id = id, x = 3 * id, z = 3, v = 0, shape = 1, size = 0.1 } end
      for id = 1, 4 do body(id) end
      s:make { kind = "joint", id = 5, b = 1, v = 1, how = "rigid" }
      s:make { kind = "joint", id = 6, b = 2, v = 1, how = "rigid" }
      local one = { kind = kind, id = 7, a = kind == "gear" and 5 or 3, b = kind == "gear" and 6 or 4, v = 1, how = "rigid",
        x = 7, z = 1, shape = 1, size = 0.1 }
      s:make(one)
      local alone, hash = s.world:snapshot(), s.world:hash()
      s.world:remove(s.handle[7])
      local many = {}
      for n = 1, 2000 do many[n] = s:make(one) end
      for n = 1, 1999 do s.world:remove(many[n]) end
      assert.equal(#alone, #s.world:snapshot(), kind)
      assert.equal(hash, s.world:hash(), kind)
      local field = ({ body = "data", joint = "data", spring = "stiffness", rope = "active", gear = "ratio" })[kind]
      assert.is_not_nil(many[2000][field], kind)
      s.world:close()
    end
  end)

  it("leaves kept events their bodies: those that are there, and none of those that are gone", function()
    for seed = 1, SEEDS do
      local random, why = delassus.random(2000 + seed), "seed " .. seed
      local s, data = new_scene(seed % 2 == 0, { log = true }), {}
      local there = {}
      for id = 1, 8 do
        there[id] = { kind = "body", id = id, x = id, z = 0.052, v = 0, shape = 1, size = 0.05 }
        s:make(there[id])
      end
      s.world:step(60)
      for k, event in ipairs(s.world.events) do data[k] = event.b.data or event.a.data end
      assert.is_true(#data >= 8, why)
      local gone = {}
      for id = 1, 8 do
        if random:uniform() < 0.5 then
          s.world:remove(s.handle[id])
          gone[id] = true
        end
        if random:uniform() < 0.2 then
          s:make { kind = "body", id = 20 + id, x = 20 + id, z = 9, v = 0, shape = 1, size = 0.05 }
        end
        if random:uniform() < 0.2 then s.world:step() end
      end
      for k, event in ipairs(s.world.events) do
        if data[k] then
          local body = event.b and event.b.data and event.b or event.a and event.a.data and event.a or nil
          assert.equal(not gone[data[k]] and data[k] or nil, body and body.data, why)
        end
      end
      s.world:close()
    end
  end)

  it("leaves no trace of the smallest body, where others move up to make room for one", function()
    for n = 1, 40 do -- rooms are of 16, 32, ... places
      local s, there = new_scene(n % 2 == 0), {}
      local function body(id, size)
        there[#there + 1] = { kind = "body", id = id, x = 0.42 * id, z = 1, v = 1, shape = 1, size = size }
        s:make(there[#there])
      end
      for id = 1, n do body(id, id == 1 and 0.001 or 0.1) end
      for _ = 1, n * 3 // 4 do there = take_out(s, there, 1) end
      for id = n + 1, n + 5 do body(id, 0.1) end
      local fresh = fresh_of(s, there)
      s.world:step()
      fresh.world:step()
      assert_same(s, fresh, there, n .. " bodies")
      s.world:close()
      fresh.world:close()
    end
  end)

  it("leaves each body its own collisions, where others are removed before they are counted", function()
    for n = 1, 3 do
      local world, bodies = delassus.world { planar = true, record = false }, {}
      world:floor {}
      for k = 1, 4 do bodies[k] = world:disk { radius = 0.1, density = 1000, position = { k, 0.15 } } end
      local tally, hit = core.tally(world), false
      repeat
        world:step()
        for c in world:contacts() do hit = hit or c.impulse[2] > 0 end
        if hit then for k = 1, n do world:remove(bodies[k]) end end
        tally:add()
      until hit
      for k = 1, 4 do assert.equal(k > n and 1 or 0, tally:body(k + 1).collisions, n .. " removed") end
      assert.equal(4 - n, tally.collisions)
      world:close()
    end
  end)

  it("leaves an event no body but its own, where world:restore gives another one its state", function()
    local world = delassus.world { planar = true, record = false, log = true }
    local floor, bodies = world:floor {}, {}
    for k = 1, 2 do bodies[k] = world:disk { radius = 0.1, density = 1000, position = { k, 0.1 } } end
    world:step(2)
    local snapshot = world:snapshot()
    world:remove(bodies[1])
    bodies[3] = world:disk { radius = 0.1, density = 1000, position = { 3, 0.1 } }
    world:restore(snapshot)
    assert.is_true(#world.events >= 2)
    for _, event in ipairs(world.events) do
      assert.equal(event.a, event.contact.a)
      assert.equal(event.b, event.contact.b)
      assert.equal(floor, event.a)
    end
    world:close()
  end)

  it("goes on while a step calls: a handler takes out what it likes, contacts name their bodies", function()
    for seed = 1, SEEDS do
      local random, why = delassus.random(3000 + seed), "seed " .. seed
      local s = new_scene(seed % 2 == 0)
      local alive = make_row(s, 12, 0.05, 1)
      s.world:on("step", function()
        local id = 1 + math.floor(random:uniform() * 12)
        if alive[id] then s.world:remove(s.handle[id]) end
        alive[id] = nil
      end)
      for _ = 1, 6 do
        s.world:step()
        for c in s.world:contacts() do
          local body = c.b.data and c.b or c.a
          assert.is_true(alive[body.data], why)
          assert.equal(s.handle[body.data], body, why)
        end
        for id in pairs(alive) do
          assert.equal(id, s.handle[id].data, why)
          for c in s.handle[id]:contacts() do assert.is_true(c.a.data == id or c.b.data == id, why) end
        end
      end
      s.world:close()
    end
  end)

  it("visits each contact once that is still there, whatever a loop takes out, and its handle names it", function()
    for seed = 1, SEEDS do
      local random = delassus.random(seed)
      local planar = random:uniform() < 0.5
      local function at(x, z) return planar and { x, z } or { x, 0, z } end
      local world <close> = delassus.world { planar = planar, record = false }
      world:floor()
      for i = 1, 12 do
        for level = 1, 3 do
          local options = { radius = 0.1, density = 1000, position = at(0.3 * i, 0.2 * level - 0.1 - 1e-4 * level) }
          if planar then world:disk(options) else world:sphere(options) end
        end
      end
      world:step()
      local body = random:uniform() < 0.3 and world.bodies[2 + math.floor(30 * random:uniform())]
      local function loop() return (body or world):contacts() end
      local all, left, seen = {}, {}, {}
      for c in loop() do all[#all + 1] = { c = c, key = c.key, a = c.a, b = c.b } end
      local n = #all
      assert.is_true(n >= (body and 1 or 36), ("seed %d: %d contacts"):format(seed, n))
      local function is_there(one) return (pcall(function() return one.mass end)) end
      for c in loop() do
        local key = c.key
        assert.is_nil(seen[key], "seed " .. seed)
        seen[key] = true
        if random:uniform() < 0.4 then
          local goes = random:uniform() < 0.5 and c.b or world.bodies[1 + math.floor(#world.bodies * random:uniform())]
          if goes.type == "dynamic" then world:remove(goes) end
        end
        for _, one in ipairs(all) do
          if one.key == key then one.visited = true end
          if is_there(one.a) and is_there(one.b) then
            assert.is_true(one.c.a == one.a and one.c.b == one.b and one.c.key == one.key, "seed " .. seed)
          elseif not left[one] then
            left[one] = one.visited and "visited" or "missed"
          end
        end
      end
      for _, one in ipairs(all) do
        assert.is_true(one.visited or left[one] == "missed", ("seed %d: %s was not visited"):format(seed, one.key))
      end
    end
  end)

  it("finds laws of pairs whoever went: each contact has its own friction", function()
    for seed = 1, 20 do
      local random, why = delassus.random(4000 + seed), "seed " .. seed
      local world = delassus.world { planar = seed % 2 == 0, record = false }
      local at = seed % 2 == 0 and function(x, z) return { x, z } end or function(x, z) return { x, 0, z } end
      local ground = delassus.material { friction = 0.9 }
      local floor, bodies = world:floor { material = ground }, {}
      for n = 1, 60 do
        local material = delassus.material { friction = 0.5 }
        local body = world[seed % 2 == 0 and "disk" or "sphere"](world, {
          radius = 0.1, density = 1000, position = at(n, 0.0999), velocity = at(1, 0), material = material, data = n / 100,
        })
        bodies[n] = body
        local by_body = random:uniform() < 0.5
        world:pair { by_body and body or material, by_body and floor or ground, friction = n / 100 }
      end
      for _ = 1, 3 do
        world:step()
        local n = 0
        for c in world:contacts() do
          local body = c.b.data and c.b or c.a
          assert.equal(body.data, c.friction, why)
          n = n + 1
        end
        assert.equal(#world - 1, n, why)
        for _ = 1, 15 do world:remove(table.remove(bodies, 1 + math.floor(random:uniform() * #bodies))) end
      end
      world:close()
    end
  end)

  it("keeps the places that a call holds: functions of its options take out what they like", function()
    for seed = 1, SEEDS do
      local random, why = delassus.random(5000 + seed), "seed " .. seed
      local s = new_scene(seed % 2 == 0)
      local alive = make_row(s, 8, 1, 0)
      local function options(t) -- asked for one of them it removes others, which move it up
        return setmetatable({}, { __index = function(_, name)
          for id = 1, 6 do
            if alive[id] and random:uniform() < 0.3 then
              s.world:remove(s.handle[id])
              alive[id] = nil
            end
          end
          s.world:hash()
          return t[name]
        end })
      end
      local one, two = s.handle[7], s.handle[8]
      two:apply(options { force = s:at(3, 4) })
      one:impulse(options { impulse = s:at(2 * one.mass, 0) })
      local ok, said = pcall(s.world.joint, s.world, {
        "revolute", one, two, anchor = one.position, axis = not s.planar and { 0, 1, 0 } or nil, formulation = "rigid",
        motor = options { speed = 5, max_torque = 1 }, data = 9,
      })
      local joint = ok and said
        or s.world:joint { "revolute", one, two, formulation = "rigid", axis = not s.planar and { 0, 1, 0 } or nil }
      assert.is_true(ok or said:find "removed while" ~= nil, why)
      joint.motor = options { speed = 7, max_torque = 1 }
      assert.equal(7, joint.motor.speed, why)
      assert.equal(one, joint.a, why)
      assert.equal(two, joint.b, why)
      assert.equal(2, one.velocity[1], why)
      s.world:remove(joint)
      two.velocity = s:at(0, 0)
      s.world.gravity = s:at(0, 0)
      s.world:step()
      assert.is_true(math.abs(two.velocity[1] * two.mass - 3e-3) < 1e-12, why)
      s.world:close()
    end
  end)
end)
