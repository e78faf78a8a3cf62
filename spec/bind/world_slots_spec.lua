-- Things that come and go in a world: what is gone costs nothing, and is nobody else.
local delassus = require "delassus"
local seeds = require "support.seeds"

-- A world with something in it; kinds of things that can be made in it and taken out again.
local function scene(planar)
  local world = delassus.world { planar = planar, record = false }
  world:floor { friction = 0.3 }
  local at = planar and function(x, y) return { x, y } end or function(x, y) return { x, 0, y } end
  local ball = planar and "disk" or "sphere"
  local it = { world = world, at = at, ball = ball }
  it.a = world[ball](world, { radius = 0.1, density = 1000, position = at(0, 0.1) })
  it.b = world[ball](world, { radius = 0.1, density = 1000, position = at(1, 0.1) })
  it.m = { delassus.material { friction = 0.1 }, delassus.material { friction = 0.2 } }
  return it
end

local function axis(it) return not it.world.planar and { 0, 1, 0 } or nil end
local function joint(formulation)
  return function(it, n)
    return it.world:joint { "revolute", it.a, it.b, axis = axis(it), formulation = formulation, data = n }
  end
end
local function still() return 0, 0, 0 end
local kinds = {
  ["reduced joint"] = joint "reduced", ["rigid joint"] = joint "rigid", ["penalty joint"] = joint "penalty",
  ["driven joint"] = function(it, n)
    return it.world:joint { "revolute", it.world.ground, it.b, axis = axis(it), formulation = "rigid", motion = still, data = n }
  end,
  spring = function(it, n) return it.world:spring { it.a, it.b, stiffness = 1 + n, length = 1 } end,
  contact = function(it, n) return it.world:contact { it.a, it.b, rope = 9 + n } end,
  ["contact by functions"] = function(it)
    local nu = it.world.planar and 6 or 12
    local g = {}
    for i = 1, nu do g[i] = i == 1 and -1 or 0 end
    return it.world:contact { it.a, it.b, gap = function() return 9 end, gradient = function() return g end }
  end,
  body = function(it, n)
    return it.world[it.ball](it.world, { radius = 0.1, density = 1000, position = it.at(5, 5 + n), data = n })
  end,
}
local names = {}
for name in pairs(kinds) do names[#names + 1] = name end
table.sort(names)

describe("what comes and goes in a world", function()
  for _, planar in ipairs { false, true } do
    local space = planar and "in the plane" or "in space"
    for _, name in ipairs(names) do
      it(("leaves nothing, %s %s: snapshots and hash are those of a world in which it never was"):format(name, space), function()
        local it_was, it_was_not = scene(planar), scene(planar)
        it_was.world:step(3)
        it_was_not.world:step(3)
        if name == "body" then it_was_not.world:remove(kinds[name](it_was_not, 1)) end -- neighbours are found anew
        for n = 1, 1000 do it_was.world:remove(kinds[name](it_was, n)) end
        local many = {} -- at once; of joints one alone can carry a body
        for n = 1, name:find "joint" and 1 or 50 do many[n] = kinds[name](it_was, n) end
        for _, one in ipairs(many) do it_was.world:remove(one) end
        assert.equal(#it_was_not.world:snapshot(), #it_was.world:snapshot())
        assert.equal(it_was_not.world:hash(), it_was.world:hash())
        it_was.world:step(20)
        it_was_not.world:step(20)
        assert.equal(it_was_not.world:hash(), it_was.world:hash())
        assert.equal(2, #it_was.world - 1)
      end)

      it(("is not who came after it: a handle to a removed %s raises, %s"):format(name, space), function()
        local o <close> = setmetatable(scene(planar), { __close = function(self) self.world:close() end })
        local old = kinds[name](o, 1)
        o.world:remove(old)
        local new = kinds[name](o, 2)
        local field = name:find "joint" and "data" or name == "spring" and "stiffness" or name == "body" and "data" or "gap"
        local ok, said = pcall(function() return old[field] end)
        assert.is_false(ok)
        assert.matches("attempt to use a removed", said)
        assert.matches("removed", tostring(old))
        assert.is_true(pcall(function() return new[field] end))
        assert.not_equal(old, new)
        pcall(o.world.remove, o.world, old) -- takes nothing that is there
        assert.is_true(pcall(function() return new[field] end))
        if name:find "joint" or name == "body" then assert.equal(2, new[field]) end
        if name == "spring" then assert.equal(3, new.stiffness) end
      end)
    end

    it("of pairs: the last word counts, " .. space, function()
      local o = scene(planar)
      o.world:pair { o.m[1], o.m[2], friction = 0.9 }
      o.world:pair { o.a, o.b, friction = 0.9 }
      local size, hash
      for n = 1, 1000 do
        o.world:pair { o.m[n % 2 + 1], o.m[2 - n % 2], friction = 0.3 }
        o.world:pair { n % 2 == 0 and o.a or o.b, n % 2 == 0 and o.b or o.a, restitution = n / 1000 }
        if n == 1000 then size, hash = #o.world:snapshot(), o.world:hash() end
      end
      local other = scene(planar)
      other.world:pair { other.m[1], other.m[2], friction = 0.3 }
      other.world:pair { other.a, other.b, restitution = 1 }
      assert.equal(#other.world:snapshot(), size)
      assert.equal(other.world:hash(), hash)
    end)
  end

  it("keeps to itself: random makings and removals, each handle says what it was made with", function()
    for seed = 1, seeds(200) do
      local random, o = delassus.random(seed), scene(seed % 2 == 0)
      local there = {}
      for n = 1, 40 do
        if #there > 0 and random:uniform() < 0.45 then
          local gone = table.remove(there, 1 + math.floor(random:uniform() * #there))
          o.world:remove(gone[1])
          assert.is_false(pcall(function() return gone[1].a end) and gone[2] ~= "body", "seed " .. seed)
        else
          local kind = ({ "rigid joint", "penalty joint", "spring", "contact", "body" })[1 + math.floor(random:uniform() * 5)]
          there[#there + 1] = { kinds[kind](o, n), kind, n }
        end
        for _, one in ipairs(there) do
          local said = one[2] == "contact" and one[1].active and one[3]
          said = said or one[2] == "spring" and one[1].stiffness - 1 or one[1].data
          assert.equal(one[3], said, ("seed %d, %s"):format(seed, one[2]))
        end
      end
      local joints = 0
      for _, one in ipairs(there) do if one[2]:find "joint" then joints = joints + 1 end end
      assert.equal(joints, #o.world.joints, "seed " .. seed)
      o.world:close()
    end
  end)

  it("takes gears with their joints, and handles to them raise", function()
    local world = delassus.world { planar = true, record = false }
    local a, b = world:disk { radius = 0.1, mass = 1 }, world:disk { radius = 0.1, mass = 1, position = { 1, 0 } }
    local one = world:joint { "revolute", world.ground, a }
    local size
    local last
    for n = 1, 300 do
      local two = world:joint { "revolute", world.ground, b }
      local gear = world:gear { one, two, ratio = 1 + n }
      if last then assert.is_false(pcall(function() return last.ratio end)) end
      assert.equal(1 + n, gear.ratio)
      if n % 2 == 0 then world:remove(gear) end
      world:remove(two)
      assert.matches("removed", tostring(gear))
      assert.is_false(pcall(function() return gear.ratio end))
      last, size = gear, size or #world:snapshot()
    end
    assert.equal(size, #world:snapshot())
    assert.equal(1, #world.joints)
    world:close()
  end)

  it("leaves snapshots that are those of what is there: bodies that go in random order, and one that stays", function()
    for seed = 1, 20 do
      local random, planar = delassus.random(seed), seed % 2 == 0
      local o, fresh, there = scene(planar), scene(planar), {}
      for n = 1, 200 do there[n] = kinds.body(o, n) end
      kinds.body(o, 200)
      kinds.body(fresh, 200)
      o.world:step()
      while #there > 0 do o.world:remove(table.remove(there, 1 + math.floor(random:uniform() * #there))) end
      for _, steps in ipairs { 0, 3, 40 } do -- the list of neighbours is none, or made anew
        o.world:step(steps)
        fresh.world:step(steps)
        local bytes, hash = o.world:snapshot(), o.world:hash()
        if steps > 0 then assert.equal(#fresh.world:snapshot(), #bytes, "seed " .. seed) end
        o.world:step(20)
        local after = o.world:hash()
        o.world:restore(bytes)
        assert.equal(hash, o.world:hash(), "seed " .. seed)
        o.world:step(20)
        assert.equal(after, o.world:hash(), "seed " .. seed)
        fresh.world:step(20)
      end
    end
  end)

  it("leaves the run what it was: a snapshot goes into a world made by the same script", function()
    local function made()
      local o = scene(true)
      local first = kinds.spring(o, 1)
      local second = kinds["rigid joint"](o, 2)
      kinds.spring(o, 3)
      o.world:step(2)
      o.world:remove(first)
      kinds["rigid joint"](o, 4)
      o.world:remove(second)
      kinds.contact(o, 5)
      o.world:step(2)
      return o
    end
    local one, two = made(), made()
    local bytes = one.world:snapshot()
    one.world:step(50)
    two.world:step(7)
    two.world:restore(bytes)
    two.world:step(50)
    assert.equal(one.world:hash(), two.world:hash())
  end)

  it("goes from the record too: a contact stated by hand and removed is none of the last step's", function()
    local o = scene(false)
    local tie = o.world:contact { o.world.ground, o.a, point_a = { 0, 0, 0.2 }, normal = { 0, 0, -1 }, point_b = { 0, 0, 0.1 } }
    o.a.velocity = { 0, 0, 1 }
    o.world:step()
    local function by_hand()
      local n = 0
      for c in o.world:contacts() do n = n + (c.found and 0 or 1) end
      return n
    end
    assert.equal(1, by_hand())
    o.world:remove(tie)
    assert.equal(0, by_hand())
    local other = o.world:contact { o.world.ground, o.a, point_a = { 0, 0, 9 }, normal = { 0, 0, -1 }, point_b = { 0, 0, 0.1 } }
    assert.equal(0, other.normal_force) -- nothing of the one whose slot it has
  end)

  describe("materials, laws and callbacks", function()
    local function ball(it, options)
      options.radius, options.mass, options.position = 0.1, 1, it.at(5, 1)
      return it.world[it.ball](it.world, options)
    end
    local made = {
      ["a body's own friction"] = function(it, n) return ball(it, { friction = n / 1e4 }) end,
      ["a body's material"] = function(it, n) return ball(it, { material = delassus.material { friction = n / 1e4 } }) end,
      ["a body's law"] = function(it, n) return ball(it, { friction = function() return n end }) end,
      ["a material that is changed"] = function(it, n) it.a.material = delassus.material { friction = n / 1e4 } end,
      ["a law of a pair"] = function(it, n) it.world:pair { it.a, it.b, friction = function() return n end } end,
      ["a law of a contact"] = function(it, n)
        return it.world:contact { it.a, it.b, normal = it.at(1, 0), friction = function() return n end }
      end,
      ["a handler"] = function(it) it.world:on("step", function() end):off() end,
      ["a field"] = function(it) it.world:field(function() end):off() end,
      ["handlers that take turns"] = function(it)
        local new = it.world:on("step", function() end)
        if it.last then it.last:off() end
        it.last = new
      end,
    }
    local kinds_made = {}
    for name in pairs(made) do kinds_made[#kinds_made + 1] = name end
    table.sort(kinds_made)
    for _, name in ipairs(kinds_made) do
      it("leave room: 3000 times " .. name, function()
        local o, mem = scene(true), {}
        for turn = 1, 2 do -- what few ones may leave is there after the first turn
          for n = 1, 3000 do
            local thing = made[name](o, n)
            if thing then o.world:remove(thing) end
          end
          collectgarbage()
          collectgarbage()
          mem[turn] = collectgarbage "count"
        end
        assert.is_true(mem[2] - mem[1] < 16, ("%.1f KB more"):format(mem[2] - mem[1])) -- 3000 of anything are 100 KB
      end)
    end

    it("stay what they are while others go: random bodies, each says its own", function()
      for seed = 1, seeds(200) do
        local random, o, there = delassus.random(seed), scene(true), {}
        for n = 1, 150 do
          if #there > 5 and random:uniform() < 0.5 then
            o.world:remove(table.remove(there, 1 + math.floor(random:uniform() * #there))[1])
          else
            local how = math.floor(random:uniform() * 3)
            local law = function() return 0 end
            local friction = how == 2 and law or n / 1000
            local body = o.world:disk { radius = 0.1, mass = 1, position = { 10 * n, 5 }, friction = how ~= 1 and friction or nil,
              material = how == 1 and delassus.material { friction = friction } or nil }
            there[#there + 1] = { body, friction }
          end
        end
        for _, one in ipairs(there) do assert.equal(one[2], one[1].material.friction, "seed " .. seed) end
        o.world:close()
      end
    end)

    it("are called in the order in which they were made, those that ended not at all", function()
      for seed = 1, seeds(200) do
        local random, o, there, said = delassus.random(seed), scene(true), {}, {}
        for n = 1, 30 do
          if #there > 0 and random:uniform() < 0.4 then
            table.remove(there, 1 + math.floor(random:uniform() * #there))[2]:off()
          else
            there[#there + 1] = { n, o.world:on("step", function() said[#said + 1] = n end) }
          end
        end
        o.world:step()
        local want = {}
        for k, one in ipairs(there) do want[k] = one[1] end
        assert.same(want, said, "seed " .. seed)
        o.world:close()
      end
    end)

    it("may end each other in a call: none is passed over", function()
      local o, said, handles = scene(true), {}, {}
      for n = 1, 4 do
        handles[n] = o.world:on("step", function()
          said[#said + 1] = n
          if n == 2 then handles[1]:off() handles[2]:off() end
        end)
      end
      o.world:step(2)
      assert.same({ 1, 2, 3, 4, 3, 4 }, said)
    end)
  end)
end)
