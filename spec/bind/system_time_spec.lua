local delassus = require "delassus"
local mechanisms = require "support.mechanisms"
local scenes = require "support.time_scenes"
local seeds = require "support.seeds"

local abs, sin, cos = math.abs, math.sin, math.cos
local laws = { "newton", "poisson", "sequential" }

--- Both go n steps; what `read` answers of the world is what the system has, to 1e-9 m (or rad) after each of them.
local function agree(world, system, read, n, told)
  for k = 1, n do
    world:step()
    system:step()
    local a, b = read(), system.q
    for i = 1, #b do
      local off = a[i] and abs(a[i] - b[i]) or 0
      if off > 1e-9 or off ~= off then
        error(("%s, step %d: coordinate %d is %.17g, in the world %.17g"):format(told, k, i, b[i], a[i]), 2)
      end
    end
  end
end

--- The events of one kind.
local function count(of, kind)
  local n = 0
  for _, e in ipairs(of.events) do n = n + (e.kind == kind and 1 or 0) end
  return n
end

describe("time stepping of systems", function()
  it("is the step of worlds to 1e-9: 200 random disks, balls, boxes and slides, three laws of impact", function()
    local struck = 0
    for seed = 1, seeds(200) do
      local r, kind = delassus.random(seed), seed % 4
      local o = { dt = 2e-3, scheme = "time-stepping", impact = laws[1 + seed // 4 % 3] }
      local world, system, read
      if kind <= 1 then
        o.n = 1 + seed // 12 % (kind == 0 and 5 or 3)
        if seed // 24 % 3 == 0 then o.tangential_restitution = 0.5 end
        world, system, read = scenes.round(r, kind == 0, o)
      elseif kind == 2 then
        -- by Poisson's law what two corners that stick give back depends on impulses that are not unique
        o.friction, o.restitution = o.impact == "poisson" and 0 or r:uniform(0, 0.9), r:uniform(0, 0.8)
        o.dt = 1e-3
        world, system, read = scenes.random_box(r, o)
      else
        o.n, o.friction, o.restitution = 2 + seed // 12 % 2, r:uniform(0, 0.6), r:uniform(0, 0.8)
        world, system, read = scenes.slides(r, o)
      end
      agree(world, system, read, 120, ("seed %d, %s"):format(seed, o.impact))
      struck = struck + count(system, "impact")
    end
    assert.is_true(struck > seeds.least(300), "only " .. struck .. " impacts")
  end)

  it("is the step of worlds: a block that rocks on its corners, three balls and a wall", function()
    for _, law in ipairs(laws) do
      local o = { size = { 0.2, 0.6 }, mass = 2, q = { 0, 0.1 * sin(0.2) + 0.3 * cos(0.2) + 1e-4, -0.2 }, u = { 0, 0, 0 },
        friction = 1, restitution = 0, dt = 1e-3, scheme = "time-stepping", impact = law }
      local world, system, read = scenes.box(o)
      agree(world, system, read, 900, "block, " .. law)
      assert.is_true(count(system, "impact") >= 3, "impacts: " .. count(system, "impact"))

      world = delassus.world{ planar = true, gravity = { 0, 0 }, dt = 1e-3, impact = law, record = false }
      local wood = delassus.material{ friction = 0, restitution = 0.9 }
      world:wall{ normal = { -1, 0 }, offset = -1, material = wood }
      local balls, q, u, mass, contacts = {}, { 0, 0.3, 0.7 }, { 3, 0.5, -1 }, {}, {}
      for i = 1, 3 do
        balls[i] = world:disk{ radius = 0.1, mass = i, position = { q[i], 0 }, velocity = { u[i], 0 }, material = wood }
        mass[i] = { 0, 0, 0 }
        mass[i][i] = i
        local w = { 0, 0, 0 }
        w[i] = -1
        if i < 3 then w[i + 1] = 1 end
        contacts[i] = { restitution = 0.9, normal = w, size = 0.1,
          gap = function(x) return i < 3 and x[i + 1] - x[i] - 0.2 or 0.9 - x[3] end }
      end
      system = delassus.system{ q = q, u = u, mass = mass, forces = { 0, 0, 0 }, contacts = contacts, dt = 1e-3,
        impact = law, scheme = "time-stepping" }
      agree(world, system, function()
        local x = {}
        for i, b in ipairs(balls) do x[i] = b.position.x end
        return x
      end, 600, "balls, " .. law)
      assert.is_true(count(system, "impact") >= 4, "impacts: " .. count(system, "impact"))
    end
  end)

  it("is the step of worlds: balls in a row and a wall (300 seeds)", function()
    local parted = 0
    for seed = 1, seeds(300) do
      local r, law = delassus.random(seed), laws[seed % 3 + 1]
      local world <close> = delassus.world{ planar = true, gravity = { 0, 0 }, dt = 1e-3, impact = law, record = false }
      local n, wood, at = r:integer(2, 6), delassus.material{ friction = 0, restitution = r:uniform(0.3, 1) }, 0
      local balls, q, u, zero, mass, contacts = {}, {}, {}, {}, {}, {}
      for i = 1, n do
        q[i], u[i], zero[i], mass[i] = at, r:uniform(-3, 3), 0, {}
        at = at + 0.2 + r:uniform(0, r:uniform(0, 1) < 0.5 and 2e-3 or 0.1)
        for j = 1, n do mass[i][j] = 0 end
        mass[i][i] = r:uniform(0.2, 5)
        balls[i] = world:disk{ radius = 0.1, mass = mass[i][i], position = { q[i], 0 }, velocity = { u[i], 0 },
          material = wood }
      end
      world:wall{ normal = { -1, 0 }, offset = -at, material = wood }
      for i = 1, n do
        local w, last = { table.unpack(zero) }, i == n
        w[i], w[i + 1] = -1, not last and 1 or nil
        contacts[i] = { restitution = wood.restitution, normal = w, size = 0.1,
          gap = function(x) return last and at - 0.1 - x[n] or x[i + 1] - x[i] - 0.2 end }
      end
      local system = delassus.system{ q = q, u = u, mass = mass, forces = zero, contacts = contacts, dt = 1e-3, impact = law,
        scheme = "time-stepping" }
      world:step(120)
      system:step(120)
      local off = 0
      for i, ball in ipairs(balls) do off = math.max(off, math.abs(ball.position.x - system.q[i])) end
      parted = parted + (off > 1e-9 and 1 or 0)
    end
    -- One: a row that stands by in the system is not there in the world, whose ball was out of reach until it was thrown.
    assert.is_true(parted <= 1, parted .. " part")
  end)

  it("is the step of worlds on what moves: a table that shakes, a belt with static and kinetic friction, theta = 1", function()
    local dt, A, w = 1e-3, 0.005, 30
    local function box(o, motion, velocity)
      local world = delassus.world{ planar = true, dt = dt, theta = o.theta, record = false }
      local material = delassus.material{ friction = o.friction }
      world:body{ type = "kinematic", shape = delassus.plane{ normal = { 0, 1 }, offset = 0 }, material = material,
        motion = motion, velocity = velocity }
      local body = world:box{ size = { 0.2, 0.2 }, mass = 1, position = { 0, o.y }, material = material }
      if o.spring then
        world:field(function(b) if b == body then return { -o.spring * b.position.x, 0 } end end)
      end
      return world, function() return { body.position.x, body.position.y } end
    end
    local function point(o, contact)
      contact.normal, contact.tangent, contact.friction, contact.size = { 0, 1 }, { 1, 0 }, o.friction, 0.1
      return delassus.system{ q = { 0, o.y }, u = { 0, 0 }, mass = { { 1, 0 }, { 0, 1 } }, dt = dt, theta = o.theta,
        scheme = "time-stepping", contacts = { contact },
        forces = function(q) return { -(o.spring or 0) * q[1], -9.81 } end }
    end
    for _, theta in ipairs { 0.5, 1 } do
      for _, by in ipairs { "functions", "differences" } do
        local o = { y = 0.12, friction = 0.3, theta = theta }
        local world, read = box(o, function(t)
          return { 0.1 * sin(7 * t), A * sin(w * t) }, 0, { 0.7 * cos(7 * t), A * w * cos(w * t) }, 0
        end)
        local system = point(o, { gap = function(q, t) return q[2] - 0.1 - A * sin(w * t) end,
          normal_speed = by == "functions" and function(_, t) return -A * w * cos(w * t) end or nil,
          tangent_speed = function(_, t) return -0.7 * cos(7 * t) end })
        agree(world, system, read, 500, "table, by " .. by)
      end
    end
    local o = { y = 0.1, friction = { static = 0.5, kinetic = 0.3, decay = 3 }, spring = 30 }
    local world, read = box(o, nil, { 0.5, 0 })
    local system = point(o, { gap = function(q) return q[2] - 0.1 end, tangent_speed = function() return -0.5 end })
    agree(world, system, read, 1500, "belt")
    assert.is_true(count(system, "slip") >= 2 and count(system, "stick") >= 2,
      ("%d slips, %d sticks"):format(count(system, "slip"), count(system, "stick")))
  end)

  it("tells what impacts and friction take: the kinetic energy that 200 random disks between walls lose, by all laws", function()
    local taken, rubbed = 0, 0
    for seed = 1, seeds(200) do
      local r, forces = delassus.random(seed), seed % 2 == 0 and 9.81 or 0
      local m, J, radius, mu, e = r:uniform(0.5, 2), r:uniform(0.001, 0.02), 0.1, r:uniform(0, 0.8), r:uniform(0, 0.9)
      local s = delassus.system{ scheme = "time-stepping", impact = laws[1 + seed % 3], dt = 1e-3, q = { 0, 0.5, 0 },
        u = { r:uniform(-3, 3), r:uniform(-3, 3), r:uniform(-20, 20) }, mass = { { m, 0, 0 }, { 0, m, 0 }, { 0, 0, J } },
        forces = { forces * m, 0, 0 }, -- along the walls, whose gaps are opened across it
        contacts = {
          { gap = function(q) return q[2] - radius end, normal = { 0, 1, 0 }, tangent = { 1, 0, radius }, friction = mu,
            restitution = e },
          { gap = function(q) return 1 - radius - q[2] end, normal = { 0, -1, 0 }, tangent = { -1, 0, radius },
            friction = mu, restitution = e } } }
      local function energy()
        return m * (s.u[1] ^ 2 + s.u[2] ^ 2) / 2 + J * s.u[3] ^ 2 / 2 - forces * m * s.q[1]
      end
      local before = energy()
      for k = 1, 400 do
        s:step()
        local stats = s.stats
        assert.near(before - energy(), stats.dissipated + stats.friction, 1e-10 * (1 + before),
          ("seed %d, step %d"):format(seed, k))
      end
      taken, rubbed = taken + s.stats.dissipated, rubbed + s.stats.friction
    end
    assert.is_true(taken > seeds.least(100) and rubbed >= 0, taken .. ", " .. rubbed)
    for _, scheme in ipairs { "time-stepping", "event-driven" } do -- a block slides to rest: friction takes all of it
      local s = delassus.system{ scheme = scheme, dt = 1e-3, q = { 0, 0 }, u = { 2, 0 }, mass = { { 3, 0 }, { 0, 3 } },
        forces = { 0, -3 * 9.81 }, contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 },
          friction = 0.3 } } }
      s:run(1)
      assert.near(6, s.stats.friction, 1e-9)
      assert.near(0, s.stats.dissipated, 1e-9)
    end
  end)

  it("keeps what sticks to a turntable where it is: 10 s at 3 rad/s move it by less than 1e-7 of its radius", function()
    local w = 3
    local s = delassus.system{ q = { 0.1, 0, 0 }, u = { 0, 0.1 * w, 0 }, scheme = "time-stepping",
      mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, forces = { 0, 0, -9.81 },
      contacts = { { gap = function(q) return q[3] end, normal = { 0, 0, 1 }, tangent = { 1, 0, 0 }, tangent2 = { 0, 1, 0 },
        friction = 0.8, tangent_speed = function(q) return w * q[2] end, tangent2_speed = function(q) return -w * q[1] end } } }
    s:run(10)
    assert.equal("stick", s.contacts[1].state)
    assert.near(0.1, math.sqrt(s.q[1] ^ 2 + s.q[2] ^ 2), 1e-7) -- third order: 2e-8
  end)

  it("is of second order where forces depend on velocities: a double pendulum's error falls fourfold with dt / 2", function()
    local o = { scheme = "event-driven", dt = 1e-3, u = { 15, -7, 0 } }
    local exact = mechanisms.crank_system(o)
    exact:run(4e-3) -- the slider is free until 4.3 ms
    local off = {}
    o.scheme = "time-stepping"
    for k, dt in ipairs { 2e-4, 1e-4 } do
      o.dt = dt
      local s = mechanisms.crank_system(o)
      s:run(4e-3)
      assert.equal(0, #s.events)
      off[k] = abs(s.q[1] - exact.q[1]) + abs(s.q[2] - exact.q[2])
    end
    assert.is_true(off[1] > 3.5 * off[2] and off[1] < 4.5 * off[2], ("%g, then %g"):format(off[1], off[2]))
  end)

  it("tends to what worlds of joints tend to: a slider-crank with clearance, a woodpecker with turns of any size", function()
    local function off(world, system, o, T, dt)
      o.dt = dt
      local w, read = world(o)
      local s = system(o)
      w:run(T)
      s:run(T)
      local a, b, most = read(), s.q, 0
      for i = 1, #b do most = math.max(most, abs(a[i] - b[i])) end
      return most
    end
    local crank = { scheme = "time-stepping", friction = 0.05, restitution = 0.4, u = { 150, -75, 3 } }
    local bird = { scheme = "time-stepping", q = { 0, -0.1, -0.2788 }, u = { -0.3411, 0, -7.4583 } }
    local coarse = off(mechanisms.crank_world, mechanisms.crank_system, crank, 0.02, 2e-5)
    local fine = off(mechanisms.crank_world, mechanisms.crank_system, crank, 0.02, 5e-6)
    assert.is_true(fine < 0.5 * coarse and fine < 1e-4, ("crank: %g, then %g"):format(coarse, fine))
    coarse = off(mechanisms.woodpecker_world, mechanisms.woodpecker_system, bird, 0.1, 2e-4)
    fine = off(mechanisms.woodpecker_world, mechanisms.woodpecker_system, bird, 0.1, 2.5e-5)
    assert.is_true(fine < 0.25 * coarse and fine < 2e-4, ("bird: %g, then %g"):format(coarse, fine))
  end)
end)

describe("event-driven worlds and systems", function()
  it("go on where an impact comes within round-off of the end of an output step: 126 falls of whole steps", function()
    local g, dt, e = 9.81, 0.01, 0.7
    for k = 1, 126 do
      local fall = dt * (20 + k % 60)
      local y = g * fall * fall / 2 * (1 + (k % 21 - 10) * 2.2e-16)
      local world = delassus.world{ planar = k % 2 == 0, scheme = "event-driven", dt = dt, record = false }
      world:floor{ restitution = e }
      local ball
      if k % 2 == 0 then ball = world:disk{ radius = 0.1, mass = 1, position = { 0, 0.1 + y }, restitution = e }
      else ball = world:sphere{ radius = 0.1, mass = 1, position = { 0, 0, 0.1 + y }, restitution = e } end
      local s = delassus.system{ q = { y }, u = { 0 }, mass = { { 1 } }, forces = { -g }, dt = dt,
        contacts = { { gap = function(q) return q[1] end, normal = { 1 }, restitution = e } } }
      local told, span = "fall " .. k, fall + 0.05
      world:run(span)
      s:run(span)
      local v = e * g * fall
      local height = v * 0.05 - g * 0.05 ^ 2 / 2 -- the next impact comes later than that
      assert.near(height, s.q[1], 1e-11, told)
      assert.near(height, ball.position[k % 2 == 0 and 2 or 3] - 0.1, 1e-11, told)
      assert.equal(span, s.time)
    end
  end)

  it("come through jams of a slider-crank in its clearance, with friction and impacts of every law", function()
    for seed = 1, 20 do
      local r = delassus.random(seed)
      local o = { scheme = "event-driven", dt = 2e-4, impact = laws[seed % 3 + 1], friction = r:uniform(0, 0.3),
        restitution = r:uniform(0, 0.8), u = { r:uniform(50, 150), r:uniform(-80, 0), r:uniform(-3, 3) } }
      for _, make in ipairs{ mechanisms.crank_world, mechanisms.crank_system } do
        local of = make(o)
        local ok, problem = pcall(of.step, of, 10)
        assert.is_true(ok, ("seed %d: %s"):format(seed, tostring(problem)))
      end
    end
  end)

  it("agree to 1e-9 on a slider-crank with clearance and friction, and on a woodpecker with turns of any size", function()
    for _, law in ipairs(laws) do
      local o = { scheme = "event-driven", dt = 2e-4, impact = law, friction = 0.05, restitution = 0.4, u = { 150, -75, 3 } }
      local world, read = mechanisms.crank_world(o)
      local system = mechanisms.crank_system(o)
      agree(world, system, read, 150, "crank, " .. law)
      assert.is_true(count(system, "impact") >= 8, "impacts: " .. count(system, "impact"))
      for _, kind in ipairs{ "impact", "contact", "separation", "accumulation", "collapsed" } do
        assert.equal(count(world, kind), count(system, kind), law .. ": " .. kind)
      end
      o = { scheme = "event-driven", dt = 1e-3, impact = law, q = { 0, -0.1, -0.2788 }, u = { -0.3411, 0, -7.4583 } }
      world, read = mechanisms.woodpecker_world(o)
      system = mechanisms.woodpecker_system(o)
      agree(world, system, read, 160, "bird, " .. law) -- a cycle
      assert.is_true(#system.events > 8)
      assert.equal(#world.events, #system.events)
    end
  end)
end)
