local delassus = require "delassus"
local systems = require "support.systems"
local seeds = require "support.seeds"

local abs, sin, cos = math.abs, math.sin, math.cos

describe("event-driven systems", function()
  it("are exact: a ball with e = 0.8 hits at t0 + 2 v/g (e + ... + e^k) and rests at the geometric limit", function()
    local s = systems.ball()
    s:run(5)
    local impacts, v, t = systems.events(s, "impact"), math.sqrt(2 * 9.81), math.sqrt(2 / 9.81)
    for k = 1, #impacts do
      assert.near(t, impacts[k].t, 1e-10) -- the contract's limit
      assert.near(-v, impacts[k].velocity, 1e-8)
      v = 0.8 * v
      t = t + 2 * v / 9.81
    end
    assert.is_true(#impacts > 40)
    local limit = systems.events(s, "accumulation")
    assert.equal(1, #limit)
    assert.near(4.06371276887158, limit[1].t, 1e-9)
    assert.near(0, s.q[1], 1e-12)
    assert.near(0, s.u[1], 1e-12)
    assert.near(9.81, s.contacts[1].normal_force, 1e-9)
    assert.near(9.81, s.stats.dissipated, 1e-8) -- m g h, all of it
  end)

  it("are exact: a block under a force ramp slips at 1.962 s, sticks at 5.50595367774 s, x = 4.34562425382 m", function()
    for _, corners in ipairs { 2, 4 } do
      local s = delassus.system{ q = { 0, 0 }, u = { 0, 0 }, mass = { { 2, 0 }, { 0, 2 } }, friction_corners = corners,
        dt = 0.01, forces = function(_, _, t)
          return { t < 3 and 4 * t or t < 6 and 4 * (6 - t) or 0, -2 * 9.81 }
        end,
        contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 }, friction = 0.4 } } }
      assert.equal("stick", s.contacts[1].state)
      s:run(3) -- the force has a kink there
      s:run(4)
      local events = s.events
      assert.same({ "slip", "stick" }, { events[1].kind, events[2].kind })
      assert.near(1.962, events[1].t, 1e-9)
      assert.near(5.505953677743272, events[2].t, 1e-9)
      assert.near(4.345624253816561, s.q[1], 1e-9)
      assert.equal(2, #events)
    end
  end)

  it("are exact: a rod's contact problem has none, one or two solutions where Painleve's A and b say so", function()
    for _, mu in ipairs { 1.2, 1.5, 2 } do
      for degrees = 20, 85, 5 do
        for _, omega in ipairs { 0, 2.5, 5 } do
          for _, direction in ipairs { 1, -1 } do
            local theta = math.rad(degrees)
            -- the end slides along the floor at 1 m/s in that direction: y' = omega cos(theta)
            local u = { direction - omega * sin(theta), omega * cos(theta), omega }
            local s = systems.rod(theta, u, { friction = mu })
            local A = 1 + 3 * cos(theta) ^ 2 + 3 * mu * direction * sin(theta) * cos(theta)
            local b = -9.81 + omega ^ 2 * sin(theta)
            local want = {}
            if b > 0 then want[#want + 1] = 0 end
            if -b / A > 0 then want[#want + 1] = -b / A end
            local found = {}
            for _, solution in ipairs(s:solutions()) do found[#found + 1] = solution.contacts[1].normal_force end
            table.sort(found)
            table.sort(want)
            assert.equal(#want, #found)
            for k = 1, #want do assert.near(want[k], found[k], 1e-10 * (1 + want[k])) end
          end
        end
      end
    end
  end)

  it("step through Painleve's paradox by an impact without collision, or say that there is none", function()
    local theta = math.rad(60) -- A < 0, b < 0 for mu = 1.5 sliding back
    local s = systems.rod(theta, { -1, 0, 0 }, { friction = 1.5 })
    assert.equal(0, #s:solutions())
    s:run(1e-3)
    assert.equal(1, s.stats.inconsistent)
    assert.is_true(s.stats.dissipated > 0)
    local raising = systems.rod(theta, { -1, 0, 0 }, { friction = 1.5, inconsistent = "raise" })
    local before = raising:hash()
    assert.error_matches(function() raising:step() end, "system:step: no accelerations that the contacts admit")
    assert.equal(before, raising:hash())
  end)

  it("are exact: a rocking block (Housner) hits with omega+/omega- = 0.85 at times from elliptic integrals", function()
    local theta, b, h = 0.2, 0.1, 0.3
    -- stands on its right corner, turned by -0.2
    local s = systems.block{ b = b, h = h, friction = 5, q = { 0, b * sin(theta) + h * cos(theta), -theta } }
    s:run(1.2)
    local times, before, after = {}, {}, {}
    for _, event in ipairs(systems.events(s, "impact")) do
      if event.velocity < -1e-3 then
        times[#times + 1] = event.t
      end
    end
    local want = { 0.33804548393115824, 0.781462847, 1.119401751 }
    for k = 1, 3 do assert.near(want[k], times[k], 1e-7) end
    -- and the ratio, from the velocities around the first one
    local r = systems.block{ b = b, h = h, friction = 5, q = { 0, b * sin(theta) + h * cos(theta), -theta } }
    r:run(times[1] - 1e-9)
    before[1] = r.u[3]
    r:run(2e-9)
    after[1] = r.u[3]
    assert.near(1.429495813722793, abs(before[1]), 1e-6)
    assert.near(0.85, after[1] / before[1], 1e-7)
  end)

  it("follow the woodpecker toy: its events, and its limit cycle within 1e-6", function()
    for _, o in ipairs { { impact = "poisson" }, { impact = "newton", friction_corners = 4 } } do
      local s = systems.woodpecker(o)
      s:run(0.17)
      local want = { { 0.0216492701670, "stick", 2 }, { 0.0612286867373, "slip", 2 }, { 0.0670385485727, "separation", 2 },
        { 0.0779071939919, "impact", 3 }, { 0.081013, "impact", 1 }, { 0.081597, "impact", 3 }, { 0.081597, "contact", 3 },
        { 0.083442, "separation", 3 }, { 0.118697, "impact", 2 }, { 0.121349, "impact", 2 }, { 0.121349, "contact", 2 },
        { 0.167406, "stick", 2 } }
      local events = s.events
      assert.equal(#want, #events)
      for k, row in ipairs(want) do
        assert.same({ row[2], row[3] }, { events[k].kind, events[k].index })
        assert.near(row[1], events[k].t, 1e-6)
      end
    end
    local s = systems.woodpecker{ q = { 0, -0.10344827586204007, -0.2051353492434947 }, u = { 0, 0, 17.5746662055755 } }
    s:run(0.14597606514385 - 1e-5)
    local at = s.q
    s:run(2e-5)
    local slips = systems.events(s, "slip")
    assert.near(0.14597606514385, slips[#slips].t, 1e-6)
    assert.near(-0.01944537928473817, at[1], 1e-6)
    assert.near(17.5746662055755, s.u[3], 1e-3) -- 1e-5 s later
  end)

  it("slide in space along the first integral |v| + v_x on an incline with tan(alpha) = mu", function()
    local s = systems.slider{ angle = 0.2914567944778671, friction = 0.3, v = { 0, 1.5 } }
    local rows = { { 0.05, 0.0034107075629221722, 0.07147913622560477, 0.13412111614974617, 1.3592779890629854 },
      { 0.1, 0.013172285341392538, 0.13595177084176782, 0.2538620923522056, 1.2200056241443071 },
      { 0.3, 0.10057469695798701, 0.32752494312986613, 0.5796529813815585, 0.7148713561580656 } }
    for _, row in ipairs(rows) do
      s:run(row[1] - s.time)
      local q, u = s.q, s.u
      for k, value in ipairs { q[1], q[2], u[1], u[2] } do assert.near(row[k + 1], value, 1e-8) end
      assert.near(1.5, math.sqrt(u[1] ^ 2 + u[2] ^ 2) + u[1], 1e-9)
    end
  end)

  it("stop in space: straight on a plane, in finite time on a flat incline, and stay", function()
    local s = systems.slider{ angle = 0, friction = 0.3, v = { 2, 1 } }
    s:run(1)
    local stop = systems.events(s, "stick")
    assert.equal(1, #stop)
    assert.near(0.7597920412843322, stop[1].t, 1e-8)
    assert.near(0.7597920412843322, s.q[1], 1e-8)
    assert.near(0.3798960206421661, s.q[2], 1e-8)
    local incline = systems.slider{ angle = 0.17453292519943295, friction = 0.3, v = { 0, 1.5 } }
    incline:run(2)
    stop = systems.events(incline, "stick")
    assert.near(0.7907002130732633, stop[1].t, 1e-6)
    assert.near(0.1742772449682621, incline.q[1], 1e-7)
    assert.near(0.4248521440991652, incline.q[2], 1e-7)
    assert.equal("stick", incline.contacts[1].state)
  end)

  it("hit a row of balls as Newton's, Poisson's and the sequential law say", function()
    for _, row in ipairs { { 3, { -1 / 3, 2 / 3, 2 / 3 } }, { 4, { -0.5, 0.5, 0.5, 0.5 } },
      { 5, { -0.6, 0.4, 0.4, 0.4, 0.4 } } } do
      for _, law in ipairs { "newton", "poisson" } do
        local u = { 1 }
        for i = 2, row[1] do u[i] = 0 end
        local s = systems.row{ u = u, e = 1, impact = law }
        s:impact()
        for i = 1, row[1] do assert.near(row[2][i], s.u[i], 1e-12) end
      end
    end
    local s = systems.row{ u = { 1, 0, 0, 0, 0 }, e = 1, impact = "sequential" }
    s:step()
    for i, u in ipairs { 0, 0, 0, 0, 1 } do assert.near(u, s.u[i], 1e-12) end
    local unequal = systems.row{ u = { 2, 0, -1 }, m = { 1, 2, 3 }, e = 0.7 }
    local normal = unequal:impact()
    for i, u in ipairs { -1.6833333333333336, -0.2833333333333332, 0.4166666666666665 } do
      assert.near(u, unequal.u[i], 1e-12)
    end
    assert.near(3.6833333333333336, normal[1], 1e-12)
    assert.near(4.25, normal[2], 1e-12)
  end)

  it("let a ladder without friction leave the wall at two thirds of its first height", function()
    -- q: x, y of the centre and the angle from the floor; length 2 l, contacts with floor and wall
    local l, start = 1, math.rad(70)
    local s = delassus.system{ q = { l * cos(start), l * sin(start), start }, u = { 0, 0, 0 },
      mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, l * l / 3 } }, forces = function() return { 0, -9.81, 0 } end,
      contacts = {
        { gap = function(q) return q[2] - l * sin(q[3]) end, normal = function(q) return { 0, 1, -l * cos(q[3]) } end },
        { gap = function(q) return q[1] - l * cos(q[3]) end, normal = function(q) return { 1, 0, l * sin(q[3]) } end } } }
    local at
    while not at do
      s:step()
      local left = systems.events(s, "separation")
      if #left > 0 then at = left[1] end
      assert.is_true(s.time < 2)
    end
    assert.equal(2, at.index)
    local again = delassus.system{ q = { l * cos(start), l * sin(start), start }, u = { 0, 0, 0 },
      mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, l * l / 3 } }, forces = function() return { 0, -9.81, 0 } end,
      contacts = {
        { gap = function(q) return q[2] - l * sin(q[3]) end, normal = function(q) return { 0, 1, -l * cos(q[3]) } end },
        { gap = function(q) return q[1] - l * cos(q[3]) end, normal = function(q) return { 1, 0, l * sin(q[3]) } end } } }
    again:run(at.t)
    assert.near(2 / 3, sin(again.q[3]) / sin(start), 1e-8)
  end)

  it("follow an impacting stick (mu = 0.01, e = 1) through its first impact", function()
    local l = 0.5
    local s = delassus.system{ q = { 0.3535533905932738, 0.36355339059327385, 0.7853981633974483 }, u = { -0.5, 0.1, 0.1 },
      mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 / 12 } }, forces = function() return { 0, -10, 0 } end,
      contacts = { { gap = function(q) return q[2] - l * cos(q[3]) end, normal = function(q) return { 0, 1, l * sin(q[3]) } end,
        tangent = function(q) return { -1, 0, -l * cos(q[3]) } end, friction = 0.01, restitution = 1 } } }
    s:run(0.0602740890928364 + 1e-9)
    local impact = systems.events(s, "impact")[1]
    assert.near(0.060274089092836394, impact.t, 1e-8)
    assert.near(0.3732781669183273, impact.normal_impulse, 1e-8)
    assert.near(0.003732781669183273, abs(impact.tangential_impulse), 1e-8)
    for i, u in ipairs { -0.5037327816691832, -0.1294627240100366, 1.6774607223027351 } do assert.near(u, s.u[i], 1e-7) end
  end)

  it("stick and slip on a belt with static and kinetic friction in the exact period", function()
    local m, k, N, mu_s, mu_k = 1, 100, 10, 0.5, 0.3
    for _, row in ipairs { { 0.05, 1.1631549979843523 }, { 0.1, 0.8068887871591406 }, { 0.5, 0.6322172552954857 } } do
      local belt = row[1]
      local s = delassus.system{ q = { 0, 0 }, u = { belt, 0 }, mass = { { m, 0 }, { 0, m } }, dt = 0.01,
        forces = function(q) return { -k * q[1], -N } end,
        contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 },
          tangent_speed = function() return -belt end, friction = { static = mu_s, kinetic = mu_k } } } }
      s:run(4)
      local slips = systems.events(s, "slip")
      assert.is_true(#slips >= 3)
      for j = 2, #slips do assert.near(row[2], slips[j].t - slips[j - 1].t, 1e-8) end
    end
  end)

  it("tell what friction takes to round-off where the way passes close by what it does not touch: 200 slides", function()
    for seed = 1, seeds(200) do
      local r = delassus.random(seed)
      local mu, v, over = r:uniform(0.1, 0.8), r:uniform(2, 5), r:uniform(1e-7, 1e-5)
      local at, steep = r:uniform(0.02, 0.2), r:uniform(1, 10)
      local s = delassus.system{ q = { 0, 0 }, u = { v, 0 }, mass = { { 2, 0 }, { 0, 2 } }, forces = { 0, -20 }, dt = 0.01,
        contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 }, friction = mu },
          { gap = function(q) return over + steep * (q[1] - at) ^ 2 end,
            normal = function(q) return { 2 * steep * (q[1] - at), 0 } end } } }
      s:step(10)
      assert.near(mu * 20 * s.q[1], s.stats.friction, 1e-12, "seed " .. seed)
      assert.equal(0, #s.events, "seed " .. seed)
    end
  end)
end)
