local delassus = require "delassus"
local seeds = require "support.seeds"

local G, MU = 9.81, 0.4

--- Four bodies that know nothing of each other, each with an event at t = 1 + its shift: a ball falls on a floor, a body is
--- lifted off, a block that slides stops, one that sticks slips. Closed forms of their coordinates after it.
local bodies = {
  fall = { q = function(s) return { 0, 2 * (1 + s) + G / 2 * (1 + s) ^ 2 } end, u = function() return { 0, -2 } end,
    kind = "impact", restitution = 0.5, force = function() return 0, -G end,
    after = function(t, s) local v = 0.5 * (2 + G * (1 + s)) return 0, v * (t - 1 - s) - G / 2 * (t - 1 - s) ^ 2 end },
  lift = { q = function() return { 0, 0 } end, u = function() return { 0, 0 } end, kind = "separation",
    force = function(t, s) return 0, G * (t - 1 - s) end,
    after = function(t, s) return 0, G * (t - 1 - s) ^ 3 / 6 end },
  stop = { q = function() return { 0, 0 } end, u = function(s) return { MU * G * (1 + s), 0 } end, kind = "stick",
    force = function() return 0, -G end,
    after = function(_, s) return MU * G * (1 + s) ^ 2 / 2, 0 end },
  slip = { q = function() return { 0, 0 } end, u = function() return { 0, 0 } end, kind = "slip",
    force = function(t, s) return MU * G * t / (1 + s), -G end,
    after = function(t, s) return MU * G / (1 + s) * (t - 1 - s) ^ 3 / 6, 0 end },
}

local function system(order, shift)
  local q, u, contacts, mass = {}, {}, {}, {}
  local n = 2 * #order
  for i, name in ipairs(order) do
    local body, s = bodies[name], shift[name] or 0
    q[2 * i - 1], q[2 * i] = table.unpack(body.q(s))
    u[2 * i - 1], u[2 * i] = table.unpack(body.u(s))
    local normal, tangent = {}, {}
    for k = 1, n do normal[k], tangent[k] = k == 2 * i and 1 or 0, k == 2 * i - 1 and 1 or 0 end
    contacts[i] = { gap = function(x) return x[2 * i] end, normal = normal, tangent = tangent, friction = MU,
      restitution = body.restitution or 0 }
  end
  for i = 1, n do
    mass[i] = {}
    for k = 1, n do mass[i][k] = i == k and 1 or 0 end
  end
  return delassus.system{ q = q, u = u, mass = mass, dt = 0.025, contacts = contacts, forces = function(_, _, t)
    local f = {}
    for i, name in ipairs(order) do f[2 * i - 1], f[2 * i] = bodies[name].force(t, shift[name] or 0) end
    return f
  end }
end

local function permutations(list)
  if #list <= 1 then return { list } end
  local out = {}
  for i = 1, #list do
    local rest = {}
    for k = 1, #list do if k ~= i then rest[#rest + 1] = list[k] end end
    for _, p in ipairs(permutations(rest)) do out[#out + 1] = { list[i], table.unpack(p) } end
  end
  return out
end

local function around(events, from, to)
  local out = {}
  for _, e in ipairs(events) do
    if e.t > from and e.t < to then out[#out + 1] = e end
  end
  return out
end

local function check_state(s, order, shift, told)
  for i, name in ipairs(order) do
    local x, y = bodies[name].after(s.time, shift[name] or 0)
    assert.near(x, s.q[2 * i - 1], 1e-9, told .. " " .. name)
    assert.near(y, s.q[2 * i], 1e-9, told .. " " .. name)
  end
end

describe("events that coincide", function()
  it("are told impacts first, then by contact number, whatever comes first by round-off: 24 orders of four bodies", function()
    for _, list in ipairs { { "fall", "lift" }, { "stop", "slip" }, { "fall", "stop", "slip" },
      { "fall", "lift", "stop", "slip" } } do
      for _, order in ipairs(permutations(list)) do
        local told = table.concat(order, " ")
        local s = system(order, {})
        s:run(1.25)
        local seen = around(s.events, 0.5, 1.2)
        local at, wanted = {}, {}
        for i, name in ipairs(order) do
          if name == "fall" then table.insert(wanted, 1, { "impact", i }) else wanted[#wanted + 1] = { bodies[name].kind, i } end
        end
        for k, e in ipairs(seen) do
          at[k] = { e.kind, e.contact }
          assert.near(1, e.t, 1e-10, told)
        end
        assert.equal(#wanted, #at, told)
        for k, w in ipairs(wanted) do
          assert.equal(w[1], at[k][1], told)
          assert.equal(w[2], type(at[k][2]) == "number" and at[k][2] or at[k][2].index, told)
        end
        check_state(s, order, {}, told)
      end
    end
  end)

  it("are one instant within 1e-12 s, and each at its own time beyond: 200 random shifts of 1e-14 to 1e-6 s", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local order, shift = { "fall", "lift", "stop", "slip" }, {}
      for i = 4, 2, -1 do
        local k = r:integer(1, i)
        order[i], order[k] = order[k], order[i]
      end
      local size = 10 ^ r:uniform(-14, -6)
      for _, name in ipairs(order) do shift[name] = r:uniform(-size, size) end
      local s, told = system(order, shift), "seed " .. seed
      s:run(1.25)
      local seen, found = around(s.events, 0.5, 1.2), {}
      assert.equal(4, #seen, told)
      for k, e in ipairs(seen) do
        for _, name in ipairs(order) do
          if bodies[name].kind == e.kind then
            -- speeds below 1e-9 of the largest (the ball's, 12 m/s) are rest: where another event has come a slide stops so
            local rest = name == "stop" and 12.5e-9 / (MU * G) or 0
            assert.near(1 + shift[name], e.t, 1e-10 + rest, told .. " " .. name)
            found[name] = true
          end
        end
        assert.is_true(k == 1 or e.t >= seen[k - 1].t, told)
      end
      for _, name in ipairs(order) do assert.is_true(found[name], told .. " " .. name) end
      check_state(s, order, shift, told)
    end
  end)
end)

-- A body on corners that share its weight as they please is lifted by a force that grows: all part at the instant where it
-- weighs nothing, without a force along tangents before. Round-off of forces that go to nothing told slips, later partings
-- (1e-4 dt), and in space partings and contacts to and fro.
describe("redundant contacts that open in one instant", function()
  local random = require "support.random"

  local function only_partings(events, n, T, what)
    local others = 0
    for _, e in ipairs(events) do
      if e.kind ~= "separation" then others = others + 1
      else assert.is_true(math.abs(e.t - T) < 1e-9, ("%s: parts %g s late"):format(what, e.t - T)) end
    end
    assert.is_true(others == 0 and #events == n, ("%s: %d events, %d of them no partings"):format(what, #events, others))
  end

  it("part at that instant and tell nothing else: systems", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local m, h, b, friction, T = 2 + r(), 0.25 + 0.1 * r(), 0.5 + 0.2 * r(), 0.4 + 0.3 * r(), 0.1 + 0.05 * r()
      local function corner(side)
        local function arm(q)
          local c, s = math.cos(q[3]), math.sin(q[3])
          return side * b * c + h * s, side * b * s - h * c
        end
        return { friction = friction, gap = function(q) return q[2] + select(2, arm(q)) end,
          normal = function(q) return { 0, 1, (arm(q)) } end, tangent = function(q) return { 1, 0, -select(2, arm(q)) } end }
      end
      local s = delassus.system{ q = { 0, h, 0 }, u = { 0, 0, 0 }, dt = ({ 5e-3, 0.01, 0.05 })[1 + seed % 3],
        mass = { { m, 0, 0 }, { 0, m, 0 }, { 0, 0, m * (b * b + h * h) / 3 } },
        forces = function(_, _, t) return { 0, m * G * (t / T - 1), 0 } end, contacts = { corner(-1), corner(1) } }
      s:run(T + 0.01)
      only_partings(s.events, 2, T, "seed " .. seed)
    end
  end)

  it("part at that instant and tell nothing else: boxes of worlds", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local planar = seed % 2 == 0
      local m, friction, T = 2 + r(), seed % 3 == 0 and 0 or 0.4 + 0.3 * r(), 0.1 + 0.05 * r()
      local world <close> = delassus.world{ planar = planar, scheme = "event-driven", dt = ({ 2e-3, 0.01, 0.05 })[1 + seed % 3] }
      world:floor{ friction = friction }
      local box = world:box{ size = planar and { 1, 0.5 } or { 1, 0.8, 0.5 }, mass = m, friction = friction,
        position = planar and { 0, 0.25 } or { 0, 0, 0.25 } }
      world:field(function(body, t)
        if body == box then return planar and { 0, m * G / T * t } or { 0, 0, m * G / T * t } end
      end)
      world:run(T + 0.01)
      only_partings(world.events, planar and 2 or 4, T, ("seed %d, %s"):format(seed, planar and "plane" or "space"))
    end
  end)
end)

-- Boxes in a row on springs, on a belt: in space four corners share what two do in the plane. One that had come to its bound
-- before the box did was said to slide, kept its friction at that bound, and left the others none to spare.
describe("boxes that stick and slip on a belt", function()
  local function run(planar, n, dt, friction)
    local function point(x, z) return planar and { x, z } or { x, 0, z } end
    local world = delassus.world{ planar = planar, scheme = "event-driven", dt = dt, gravity = point(0, -10), record = false }
    local belt = world:body{ type = "kinematic", group = "belt", shape = delassus.plane{ normal = point(0, 1), offset = 0 },
      velocity = point(0.2, 0) }
    local before = world.ground
    for i = 1, n do
      local box = world:box{ group = "boxes", collides = { "belt" }, size = planar and { 0.4, 0.1 } or { 0.4, 0.3, 0.1 },
        mass = 0.7 + 0.3 * i, position = point(i, 0.05) }
      world:pair{ belt, box, friction = friction, restitution = 0 }
      world:spring{ before, box, anchor_a = point(0, i == 1 and 0.05 or 0), anchor_b = point(0, 0), stiffness = 100, length = 1 }
      before = box
    end
    world:run(1.5)
    return before.position[1], before.velocity[1]
  end

  it("go in space as in the plane", function()
    local decays = { static = 0.5, kinetic = 0.3, decay = 5 }
    local drops = { static = 0.5, kinetic = 0.3 }
    for _, case in ipairs{ { 2, 0.01, decays }, { 2, 0.05, decays }, { 3, 0.01, 0.4 }, { 3, 0.02, drops } } do
      local n, dt, friction = table.unpack(case)
      local x, v = run(true, n, dt, friction)
      local y, w = run(false, n, dt, friction)
      assert.near(x, y, 1e-7)
      assert.near(v, w, 1e-6)
    end
  end)
end)
