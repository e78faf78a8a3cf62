local delassus = require "delassus"
local core = require "delassus.core"
local lcp = require "delassus.lcp"
local random = require "support.random"
local systems = require "support.systems"
local seeds = require "support.seeds"

local abs, sin, cos = math.abs, math.sin, math.cos
local nan = 0 / 0

local function plain(changes, contact)
  local o = { q = { 1 }, u = { 0 }, mass = { { 1 } }, forces = function() return { 0 } end,
    contacts = { { gap = function(q) return q[1] end, normal = { 1 } } } }
  for name, value in pairs(changes or {}) do o[name] = value end
  for name, value in pairs(contact or {}) do o.contacts[1][name] = value end
  return o
end

--- The same without one option, of the system or of its contact.
local function without(name, of_contact)
  local o = plain()
  if of_contact then o.contacts[1][name] = nil else o[name] = nil end
  return o
end

--- A symmetric positive definite n x n matrix.
local function spd(n, rnd)
  local B, A = {}, {}
  for i = 1, n do
    B[i] = {}
    for j = 1, n do B[i][j] = rnd() end
  end
  for i = 1, n do
    A[i] = {}
    for j = 1, n do
      local sum = i == j and 0.3 or 0
      for k = 1, n do sum = sum + B[i][k] * B[j][k] end
      A[i][j] = sum
    end
  end
  return A
end

--- Random contacts at one instant: M, h, rows, biases; all velocities zero (`slide`: some slide).
local function problem(seed, slide)
  local rnd = random(seed)
  local k = 1 + math.floor((rnd() + 1) * 1.5)
  local n = 2 * k + math.floor((rnd() + 1) * 1.5)
  local function numbers(size) local t = {} for i = 1, n do t[i] = size * rnd() end return t end
  local d = { n = n, k = k, M = spd(n, rnd), h = numbers(10), contacts = {}, u = {} }
  for i = 1, k do
    local bias = { rnd(), rnd() }
    d.contacts[i] = { normal = numbers(1), tangent = numbers(1), friction = 0.5 + 0.45 * rnd(),
      restitution = 0.5 + 0.5 * rnd(), gap = function() return 0 end, normal_bias = function() return bias[1] end,
      tangent_bias = function() return bias[2] end }
  end
  for i = 1, n do d.u[i] = slide and rnd() or 0 end
  return d
end

local function system_of(d, o)
  local q = {}
  for i = 1, d.n do q[i] = 0 end
  return delassus.system{ q = q, u = d.u, mass = d.M, forces = function() return d.h end, contacts = d.contacts,
    friction_corners = o and o.corners, impact = o and o.impact }
end

--- The largest violation of the contact laws of a problem by du/dt and forces, from M, h and the rows alone.
local function violation(d, udot, forces)
  local worst = 0
  for i = 1, d.n do
    local off = -d.h[i]
    for j = 1, d.n do off = off + d.M[i][j] * udot[j] end
    for c, contact in ipairs(d.contacts) do
      off = off - contact.normal[i] * forces[c].normal_force - contact.tangent[i] * forces[c].tangential_force
    end
    worst = math.max(worst, abs(off))
  end
  for c, contact in ipairs(d.contacts) do
    local a_n, a_t = contact.normal_bias(), contact.tangent_bias()
    for i = 1, d.n do a_n, a_t = a_n + contact.normal[i] * udot[i], a_t + contact.tangent[i] * udot[i] end
    local n, t, mu = forces[c].normal_force, forces[c].tangential_force, contact.friction
    worst = math.max(worst, -n, -a_n, math.min(abs(n), abs(a_n)), abs(t) - mu * n)
    -- friction against the acceleration, at its bound where that is not zero
    worst = math.max(worst, math.min(abs(a_t), abs(t + mu * n * (a_t > 0 and 1 or -1))))
  end
  return worst
end

describe("delassus.system", function()
  it("refuses every option that makes no sense, names it and says what is expected", function()
    for _, row in ipairs {
      { 7, "delassus.system: expected a table" },
      { without "q", "'q' is required" },
      { without "u", "'u' is required" },
      { without "mass", "'mass' is required" },
      { without "forces", "'forces' is required" },
      { plain{ u = { 0, 0 } }, "'u' must have 1 numbers as 'q' has, got 2" },
      { plain{ q = {}, u = {} }, "'q' must have at least one number" },
      { plain{ dt = 0 }, "'dt' must be > 0, got 0" },
      { plain{ mas = 1 }, "unknown option 'mas' %(did you mean 'mass'%?%)" },
      { plain{ scheme = "event" }, "'scheme' must be .*event%-driven.*, got 'event'" },
      { plain{ impact = "hertz" }, "'impact' must be .*newton.*, got 'hertz'" },
      { plain{ friction_corners = 3 }, "'friction_corners' must be 2 or 4, got 3" },
      { plain{ mass = { { 1, 2 }, { 2, 5 } } }, "'mass' must be a dense matrix of 1 x 1, got 2 x 2" },
      { plain{ mass = delassus.sparse{ rows = 1, cols = 1, { 1, 1, 2 } } }, "'mass' must be a dense matrix, got a sparse one" },
      { plain({ q = { 0, 0 }, u = { 0, 0 }, mass = { { 1, 2 }, { 3, 5 } } }, { normal = { 0, 1 } }), "'mass' must be symmetric" },
      { plain{ contacts = 3 }, "'contacts' must be a list of contacts .*, got 3" },
      { plain{ contacts = plain{}.contacts[1] }, "'contacts' must be a list of contacts { gap =, normal = }, got a table" },
      { plain{ contacts = { [3] = plain{}.contacts[1] } }, "'contacts' must be a list of contacts" },
      { plain{ contacts = { 3 } }, "contacts" },
      { without("gap", true), "contacts%[1%]: 'gap' is required" },
      { without("normal", true), "contacts%[1%]: 'normal' is required" },
      { plain({}, { gap = 3 }), "contacts%[1%]: 'gap' must be a function, got 3" },
      { plain({}, { tangent2 = { 1 } }), "contacts%[1%]: 'tangent2' needs 'tangent'" },
      { plain({}, { tangent_bias = function() return 0 end }), "contacts%[1%]: 'tangent_bias' needs its tangent" },
      { plain({}, { friction = 0.3 }), "contacts%[1%]: 'friction' needs 'tangent'" },
      { plain({}, { friction = { static = 0.3, kinetic = 0 } }), "contacts%[1%]: 'friction' needs 'tangent'" },
      { plain({}, { friction = function() return 0.3 end }), "contacts%[1%]: 'friction' needs 'tangent'" },
      { plain({}, { tangential_restitution = 0.3 }), "contacts%[1%]: 'tangential_restitution' needs 'tangent'" },
      { plain({}, { friction = -1 }), "contacts%[1%]: 'friction' must be >= 0, got %-1" },
      { plain({}, { restitution = 2 }), "contacts%[1%]: 'restitution' must be" },
      { plain({}, { frictoin = 1 }), "contacts%[1%]: unknown option 'frictoin' %(did you mean 'friction'%?%)" },
    } do
      assert.error_matches(function() delassus.system(row[1]) end, row[2])
    end
  end)

  it("refuses a starting gap below its tolerance, naming the contact", function()
    local s = systems.ball{ q = { -2e-5 } }
    assert.error_matches(function() s:step() end, "system:step: contact 1 starts with its gap below %-gap_tolerance")
    local closed = systems.ball{ q = { -8e-6 } }
    closed:step(10)
    assert.near(-8e-6, closed.q[1], 1e-15) -- counts as closed, and stays
  end)

  it("tells a normal of the other sign where it is first asked for, and nothing of what is right or cannot be told", function()
    local function fall(law, slope, scheme, from)
      return delassus.system{ q = { 0, from or 0.5 }, u = { 1, 0 }, dt = 1e-2, mass = { { 1, 0 }, { 0, 1 } },
        forces = function() return { 0, -9.81 } end, scheme = scheme,
        contacts = { { gap = function(q, t) return law(q[2], t) end, normal = function() return { 0, slope } end } } }
    end
    local told = "delassus.system: contacts[1]: 'normal' points the other way: 'gap' falls along it as it should grow"
    local noise = delassus.random(1)
    for _, scheme in ipairs{ "event-driven", "time-stepping" } do
      for _, scale in ipairs{ 1, 1e-3, 1e6 } do
        local system = fall(function(y) return scale * (y - 0.1) end, -scale, scheme)
        assert.error_matches(function() system:run(1) end, told, 1, true)
        assert.is_true(system.q[2] > 0.1)
      end
      for k, law in ipairs{ function(y) return y end, function(y) return y + 1e-9 * noise:uniform() end,
        function(y, t) return y - 0.01 * math.sin(20 * t) end, function() return 1 end,
        function(y) return math.max(y, 0.4) end, function(y) return math.floor(1e3 * y) / 1e3 end } do
        local system = fall(law, 1, scheme)
        local made, why = pcall(system.run, system, 0.2)
        assert.is_true(made or not tostring(why):find("the other way", 1, true), k .. ": " .. tostring(why))
      end
    end
  end)

  it("names the contact whose function answers what it must not", function()
    for name, wrong in pairs{ gap = "x", normal = { 1, 2 }, tangent = { nan }, normal_bias = {}, tangent_bias = nan } do
      local function contact(k)
        local function one() return { 1 } end
        local c = { gap = function(q) return q[1] end, normal = one, tangent = one, friction = 0.3,
          normal_bias = function() return 0 end, tangent_bias = function() return 0 end }
        if k == 2 then c[name] = function() return wrong end end
        return c
      end
      local s = delassus.system{ q = { 0 }, u = { 0 }, mass = { { 1 } }, forces = { -1 },
        contacts = { contact(1), contact(2), contact(3) } }
      assert.error_matches(function() s:accelerations() end, "delassus.system: contacts%[2%]: '" .. name .. "' must return")
    end
    local s = delassus.system{ q = { 0 }, u = { 0 }, mass = function() return 3 end, forces = { -1 } }
    assert.error_matches(function() s:step() end, "delassus.system: 'mass' must return a matrix of 1 rows, got 3")
  end)

  it("is as it was before the step after an error, a NaN, a wrong length or a yield in any callback at any call", function()
    local names = { "mass", "forces", "gap", "normal", "tangent", "normal_bias", "tangent_bias", "friction" }
    local faults = {
      { function() error("mine", 0) end, "^mine$" },
      { function() error{ code = 7 } end },
      { function() return nan end, "must return" },
      { function() return { nan, nan, nan } end, "must return" },
      { function() return "x" end, "must" },
      { function() coroutine.yield() end, "'%a+_?%a*' must not yield" },
    }
    local function breaks(scheme, name, fault)
      for call = 1, 40, 13 do
        local armed, count = false, 0
        local function guard(own, f)
          return function(...)
            if armed and own == name then
              count = count + 1
              if count == call then return fault[1]() end
            end
            return f(...)
          end
        end
        local s = delassus.system{ q = { 0, 0.02 }, u = { 1, 0 }, dt = 0.02, scheme = scheme,
          mass = guard("mass", function() return { { 1, 0 }, { 0, 1 } } end),
          forces = guard("forces", function() return { 0, -9.81 } end),
          contacts = { { gap = guard("gap", function(q) return q[2] end), normal = guard("normal",
            function() return { 0, 1 } end),
            tangent = guard("tangent", function() return { 1, 0 } end), restitution = 0.3,
            normal_bias = guard("normal_bias", function() return 0 end),
            tangent_bias = guard("tangent_bias", function() return 0 end),
            friction = guard("friction", function() return 0.3 end) } } }
        s:step(3)
        local before, twin = s:hash(), s:snapshot()
        armed = true
        local failed
        for _ = 1, 60 do
          local hash = s:hash()
          local ok, message = pcall(s.step, s)
          if not ok then
            failed = true
            assert.equal(hash, s:hash())
            if fault[2] then assert.matches(fault[2], message) else assert.equal(7, message.code) end
            break
          end
        end
        assert.is_true(failed, name .. " was not called often enough")
        armed = false
        s:restore(twin)
        assert.equal(before, s:hash())
        s:step(3)
      end
    end
    for _, fault in ipairs(faults) do
      for _, name in ipairs(names) do
        breaks("event-driven", name, fault)
        if not name:find("bias") then breaks("time-stepping", name, fault) end -- which asks for none
      end
    end
  end)

  it("keeps its hands off while a callback of its own runs", function()
    local s
    s = systems.ball{ forces = function() s:step() return { 0 } end }
    assert.error_matches(function() s:step() end, "not possible inside a function of the system's own")
    s = systems.ball{ forces = function() s:close() return { 0 } end }
    pcall(s.step, s)
  end)

  it("goes on bit for bit from a snapshot, in another system too, and refuses one that lies", function()
    for _, scheme in ipairs { "event-driven", "time-stepping" } do
      local s = systems.woodpecker{ scheme = scheme }
      s:run(0.06)
      local at = s:snapshot()
      s:run(0.05)
      local after = s:hash()
      local other = systems.woodpecker{ scheme = scheme }
      other:restore(at)
      other:run(0.05)
      assert.equal(after, other:hash())
      for i = 1, #at, 7 do
        local bad = at:sub(1, i - 1) .. string.char(at:byte(i) ~ 0x41) .. at:sub(i + 1)
        assert.is_false(pcall(s.restore, s, bad))
      end
      assert.equal(after, s:hash())
      assert.error_matches(function() systems.ball():restore(at) end, "no snapshot of a system")
    end
  end)

  -- Words of a snapshot changed, its seal made anew (bytes 9 to 16, the hash of what follows).
  it("refuses snapshots that lie with their seals made anew, or goes on: a step takes its time (800 lies)", function()
    local words = {}
    local function add(kind, list) for _, x in ipairs(list) do words[#words + 1] = kind:pack(x) end end
    add("<d", { 0 / 0, math.huge, -math.huge, 1e308, -1e99, 5e-324, 0.37, -1 })
    add("<i8", { -1, 1, 2, 7, 1 << 16, 1 << 34, math.maxinteger, math.mininteger })
    add("<i4", { 0, -1, 1, 3, 64, 1 << 30, 0x7fffffff, -0x80000000 })
    for _, scheme in ipairs{ "event-driven", "time-stepping" } do
      local chance, taken = delassus.random(5), 0
      local s <close> = systems.ball{ scheme = scheme }
      s:step(60)
      local bytes, hash, steps = s:snapshot(), s:hash(), s.stats.steps
      for n = 1, 400 do
        local word = words[1 + math.floor(chance:uniform() * #words)]
        local at = 16 + 4 * math.floor(chance:uniform() * ((#bytes - 16 - #word) // 4))
        local lie = bytes:sub(17, at) .. word .. bytes:sub(at + #word + 1)
        if pcall(s.restore, s, bytes:sub(1, 8) .. ("<i8"):pack(tonumber(core.hash(lie), 16)) .. lie) then
          taken = taken + 1
          local before = s.time
          local span = pcall(s.step, s, 2) and s.time - before or 2e-3
          assert.near(2e-3, span, 1e-9 * (1 + abs(before)), ("%s, lie %d"):format(scheme, n))
          s:restore(bytes)
        end
        assert.equal(hash, s:hash(), ("%s, lie %d"):format(scheme, n))
        assert.equal(steps, s.stats.steps)
      end
      assert.is_true(taken > 100 and taken < 350, taken)
    end
  end)

  it("goes on from where a snapshot is where steps are of another length", function()
    for _, scheme in ipairs{ "event-driven", "time-stepping" } do
      local fine <close> = systems.ball{ dt = 1e-3, scheme = scheme }
      local rough <close> = systems.ball{ dt = 1e-2, scheme = scheme }
      fine:step(300)
      rough:restore(fine:snapshot())
      rough:step(2)
      assert.near(0.32, rough.time, 1e-12)
      assert.near(1 - 9.81 * 0.32 ^ 2 / 2, rough.q[1], scheme == "event-driven" and 1e-9 or 1e-3)
    end
  end)

  it("solves 1000 random contact problems alike with two and four corners, by Lemke and by enumeration", function()
    local n_solved = 0
    for seed = 1, seeds(1000) do
      local d = problem(seed)
      local two, four = system_of(d), system_of(d, { corners = 4 })
      local all = two:solutions()
      local ok, udot = pcall(two.accelerations, two)
      assert.equal(#all > 0, ok, "seed " .. seed)
      if ok then
        n_solved = n_solved + 1
        local forces = two.contacts
        assert.is_true(violation(d, udot, forces) < 1e-8, "seed " .. seed)
        local near = math.huge
        for _, solution in ipairs(all) do
          assert.is_true(violation(d, solution.udot, solution.contacts) < 1e-8, "seed " .. seed)
          local off = 0
          for i = 1, d.n do off = math.max(off, abs(solution.udot[i] - udot[i])) end
          near = math.min(near, off)
        end
        assert.is_true(near < 1e-8, "seed " .. seed)
        if #all == 1 then
          local other = four:accelerations()
          for i = 1, d.n do assert.near(udot[i], other[i], 1e-8 * (1 + abs(udot[i])), "seed " .. seed) end
        end
      end
    end
    assert.is_true(n_solved > seeds.least(900))
  end)

  it("resolves 300 random impacts as Newton's and Poisson's laws say, judged from M and the rows alone", function()
    for seed = 1, seeds(300) do
      local d = problem(seed, true)
      local function speeds(u)
        local v = {}
        for c, contact in ipairs(d.contacts) do
          v[c] = { 0, 0 }
          for i = 1, d.n do
            v[c][1], v[c][2] = v[c][1] + contact.normal[i] * u[i], v[c][2] + contact.tangent[i] * u[i]
          end
        end
        return v
      end
      for _, law in ipairs { "newton", "poisson" } do
        local s = system_of(d, { impact = law })
        local before = speeds(d.u)
        local N, T = s:impact()
        local after = speeds(s.u)
        local energy = 0
        for i = 1, d.n do -- M (u+ - u-) = W Lambda
          local off = 0
          for j = 1, d.n do
            off = off + d.M[i][j] * (s.u[j] - d.u[j])
            energy = energy + 0.5 * d.M[i][j] * (s.u[i] * s.u[j] - d.u[i] * d.u[j])
          end
          for c, contact in ipairs(d.contacts) do off = off - contact.normal[i] * N[c] - contact.tangent[i] * T[c] end
          assert.is_true(abs(off) < 1e-9, "seed " .. seed)
        end
        for c, contact in ipairs(d.contacts) do
          local e, mu = contact.restitution, contact.friction
          assert.is_true(N[c] >= 0 and abs(T[c]) <= mu * N[c] + 1e-9, "seed " .. seed)
          if law == "newton" then
            local left = after[c][1] + e * math.min(before[c][1], 0)
            assert.is_true(left > -1e-9 and math.min(abs(left), N[c]) < 1e-8, "seed " .. seed)
            local t = after[c][2]
            assert.is_true(math.min(abs(t), abs(T[c] + mu * N[c] * (t > 0 and 1 or -1))) < 1e-8, "seed " .. seed)
          else
            assert.is_true(after[c][1] > -1e-9, "seed " .. seed)
          end
        end
        if law == "poisson" then assert.is_true(energy < 1e-9, "seed " .. seed .. " gains " .. energy) end
        assert.near(-energy, s.stats.dissipated, 1e-8 * (1 + abs(energy)))
      end
    end
  end)

  it("gains energy by Newton's law with friction where the published rod does, and says so", function()
    local theta, e, mu = 1.0213848569241653, 0.9962427086180436, 0.7611846537476858
    local want = { newton = 0.11463650301191396, poisson = -0.05547467028445324 }
    for law, gain in pairs(want) do
      -- gamma- = (-1, 0.585...): u = (u_x, u_y, 0) of the centre
      local s = systems.rod(theta, { 0.5850068026727477, -1, 0 }, { friction = mu, restitution = e, impact = law })
      s:impact()
      assert.near(-gain, s.stats.dissipated, 1e-9)
      assert.near(math.max(gain, 0), s.stats.gained, 1e-9)
    end
  end)

  it("meets event times with an order of the integrator's: 1e3 times the tolerance moves them a thousandfold less", function()
    local function slip_time(rtol)
      local o = delassus.system{ q = { 0.5, 0 }, u = { 0, 0 }, mass = { { 1, 0 }, { 0, 1 } }, rtol = rtol, atol = rtol, dt = 1,
        forces = function(q) return { -12 * sin(q[1]), -9.81 } end,
        contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 }, friction = 0.1 } } }
      o:run(4)
      return systems.events(o, "stick")[1].t
    end
    local exact = slip_time(1e-13)
    assert.is_true(abs(slip_time(1e-6) - exact) < 1e-5)
    assert.is_true(abs(slip_time(1e-10) - exact) < 1e-9)
  end)

  it("replays from its log with smooth pieces alone; without an event it does not", function()
    -- the block under a force ramp: pieces are known in closed form between the events of the log
    local function replay(events, to)
      local x, v, t, state = 0, 0, 0, "stick"
      local function smooth(until_t)
        if state == "slip" then -- m = 2, F = 4 t, friction 0.4 m g
          local a0, n = function(time) return 2 * time - 0.4 * 9.81 end, 2000
          local h = (until_t - t) / n
          for k = 0, n - 1 do -- cubic in time: Simpson is exact
            local t0 = t + k * h
            local dv = h / 6 * (a0(t0) + 4 * a0(t0 + h / 2) + a0(t0 + h))
            x = x + h * v + h * h / 6 * (a0(t0) * 1 + 2 * a0(t0 + h / 2))
            v = v + dv
          end
        end
        t = until_t
      end
      for _, event in ipairs(events) do
        smooth(event.t)
        state = event.mode
      end
      smooth(to)
      return x
    end
    local s = delassus.system{ q = { 0, 0 }, u = { 0, 0 }, mass = { { 2, 0 }, { 0, 2 } }, dt = 0.01,
      forces = function(_, _, t) return { 4 * t, -2 * 9.81 } end,
      contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 }, friction = 0.4 } } }
    s:run(2.9)
    local events = s.events
    assert.near(replay(events, 2.9), s.q[1], 1e-9)
    table.remove(events, 1)
    assert.is_true(abs(replay(events, 2.9) - s.q[1]) > 1e-3)
  end)

  it("agrees with its own time stepping as dt goes to zero, to first order", function()
    local function final(dt)
      local s = delassus.system{ q = { 0, 0.1, 0.3 }, u = { 1, 0, 0 }, scheme = "time-stepping", dt = dt,
        mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0.02 } }, forces = function() return { 0, -9.81, 0 } end,
        contacts = { { gap = function(q) return q[2] - 0.1 * cos(q[3]) + 0.0955 end, friction = 0.3,
          normal = function(q) return { 0, 1, 0.1 * sin(q[3]) } end, tangent = function(q) return { 1, 0,
            0.1 * cos(q[3]) } end } } }
      s:run(0.2)
      return s.q
    end
    local e = delassus.system{ q = { 0, 0.1, 0.3 }, u = { 1, 0, 0 },
      mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0.02 } }, forces = function() return { 0, -9.81, 0 } end,
      contacts = { { gap = function(q) return q[2] - 0.1 * cos(q[3]) + 0.0955 end, friction = 0.3,
        normal = function(q) return { 0, 1, 0.1 * sin(q[3]) } end, tangent = function(q) return { 1, 0,
          0.1 * cos(q[3]) } end } } }
    e:run(0.2)
    local off = {}
    for k, dt in ipairs { 1e-3, 1e-4 } do
      local q = final(dt)
      off[k] = math.max(abs(q[1] - e.q[1]), abs(q[2] - e.q[2]), abs(q[3] - e.q[3]))
    end
    assert.is_true(off[2] < 0.25 * off[1] and off[2] < 2e-4)
  end)

  it("shows Pfeiffer's index sets", function()
    local s = delassus.system{ q = { 0, 0, 1 }, u = { 1, 0, 0 }, mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
      forces = function() return { 0, -9.81, 0 } end,
      contacts = { { gap = function(q) return q[2] end, normal = { 0, 1, 0 }, tangent = { 1, 0, 0 }, friction = 0.5 },
        { gap = function(q) return q[3] end, normal = { 0, 0, 1 } } } }
    assert.same({ A = { 1, 2 }, C = { 1 }, N = { 1 }, T = {} }, s:sets())
    s:run(1)
    assert.same({ A = { 1, 2 }, C = { 1 }, N = { 1 }, T = { 1 } }, s:sets())
  end)

  it("takes gaps that move with time: a table that falls away lets go, one that shakes throws", function()
    -- y'' = -g on a table A sin(w t): leaves where A w^2 sin(w t) = g
    local A, w = 0.02, 30
    local s = delassus.system{ q = { 0 }, u = { A * w }, mass = { { 1 } }, forces = function() return { -9.81 } end,
      contacts = { { gap = function(q, t) return q[1] - A * sin(w * t) end, normal = { 1 } } } }
    s:run(0.06)
    local left = systems.events(s, "separation")
    assert.near(math.asin(9.81 / (A * w * w)) / w, left[1].t, 1e-8)
  end)

  it("records, saves tables and pages", function()
    local s = systems.ball()
    local recording = s:record{ every = 0.01, names = { "height" } }
    s:run(1)
    assert.is_true(#recording.t >= 95)
    local path = os.tmpname()
    assert.is_true(recording:save(path .. ".csv"))
    local file = io.open(path .. ".csv")
    assert.equal("t (s),height,d/dt height", file:read("l"))
    assert.equal("0,1,0", file:read("l"))
    file:close()
    assert.is_true(recording:save(path .. ".html"))
    os.remove(path) os.remove(path .. ".csv") os.remove(path .. ".html")
  end)

  it("enumerates in space what slides, and refuses by name what adheres: that is no linear problem", function()
    local s = delassus.system{ q = { 0, 0, 0 }, u = { 0, 0, 0 }, mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
      forces = { 0, 0, -9.81 }, contacts = { { gap = function(q) return q[3] end, normal = { 0, 0, 1 },
        tangent = { 1, 0, 0 }, tangent2 = { 0, 1, 0 }, friction = 0.5 } } }
    assert.error_matches(function() s:solutions() end, "system:solutions: contacts with two tangents at rest make no linear")
    s.u = { 3, 4, 0 }
    local all = s:solutions()
    assert.equal(1, #all)
    assert.near(-0.5 * 9.81 * 0.6, all[1].udot[1], 1e-12)
    assert.near(-0.5 * 9.81 * 0.8, all[1].udot[2], 1e-12)
  end)

  it("shows what happened: the page's charts hold the samples, gaps, contacts, events and energies", function()
    local page = require "delassus.system_page"
    local s = systems.ball()
    local recording = s:record{ every = 1e-3, names = { "height" }, potential = function(q) return 9.81 * q[1] end }
    s:run(3)
    local report, charts = recording:report(), {}
    for _, chart in ipairs(report:data().charts) do charts[chart.title] = chart end
    report = page.report(s, recording.samples, recording)
    local by = {}
    for _, chart in ipairs(report.charts) do by[chart.title] = chart end
    assert.equal(#recording.t, #by.height.x)
    local gap, energy = by.Gaps.y["contact 1"], by.Energy.y
    local e, at, before = 0.8, 0, 9.81
    for k, t in ipairs(recording.t) do
      assert.near(recording.q[1][k], gap[k], 1e-15) -- the gap is the height
      while s.events[at + 1] and s.events[at + 1].t <= t do at = at + 1 end
      local n = 0 -- impacts so far: each leaves e^2
      for i = 1, at do n = n + (s.events[i].kind == "impact" and 1 or 0) end
      assert.near(before * e ^ (2 * n), energy.sum[k], 1e-9)
    end
    assert.equal(#s.events, #by.Events.x)
    for k, event in ipairs(s.events) do assert.equal(event.t, by.Events.x[k]) end
    local holes, impacts = 0, 0
    for _, v in ipairs(by["Phase portrait of height"].y.height) do holes = holes + (v ~= v and 1 or 0) end
    for _, event in ipairs(s.events) do impacts = impacts + (event.kind == "impact" and 1 or 0) end
    assert.equal(impacts, holes)
    assert.is_truthy(charts.Energy)
  end)

  it("keeps 2,000 output steps at most by itself, of the whole time, and shows them where nothing was recorded", function()
    local s = systems.ball()
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write(([[package.path, package.cpath = %q, %q
      local delassus = require "delassus"
      local s = delassus.system{ q = { 1 }, u = { 0 }, mass = { { 1 } }, forces = { -9.81 } }
      s:run(0.2)
      print(s:show{ path = %q, names = { "height" }, title = "A ball" })]]):format(package.path, package.cpath,
      script .. ".html"))
    file:close()
    local pipe = assert(io.popen("DELASSUS_VIEWER=/no/viewer DELASSUS_BROWSER='' lua5.4 " .. script .. " 2>/dev/null"))
    local told = pipe:read("a")
    pipe:close()
    assert.equal(("replay: %s\n%s\n"):format(script .. ".html", script .. ".html"), told)
    file = assert(io.open(script .. ".html"))
    local text = file:read("a")
    file:close()
    os.remove(script) os.remove(script .. ".html")
    assert.matches("A ball", text)
    assert.matches("Phase portrait of height", text)
    local samples = require "delassus.system_page".samples(1, 64)
    for k = 0, 1000 do samples:add{ time = k, q = { k }, u = { -k } } end
    assert.is_true(#samples.t < 64 and #samples.t >= 32)
    assert.equal(0, samples.t[1])
    for k, t in ipairs(samples.t) do
      assert.equal(t, samples.q[1][k])
      assert.equal(-t, samples.u[1][k])
    end
    samples:add{ time = 200, q = { 7 }, u = { 0 } } -- the state went back: what was later is gone
    assert.equal(200, samples.t[#samples.t])
    assert.equal(7, samples.q[1][#samples.t])
    assert.error_matches(function() s:show{ nmaes = {} } end, "system:show: unknown option 'nmaes' %(did you mean 'names'")
    assert.error_matches(function() s:show{ potential = 3 } end, "'potential' must be a function")
  end)

  it("is the same problem as lcp.solve's: the two-corner matrix of one sliding-ready contact", function()
    -- mass 1, floor, friction 0.5, pulled by 3 N: lambda = 9.81, sticks up to 4.905 N
    local s = delassus.system{ q = { 0, 0 }, u = { 0, 0 }, mass = { { 1, 0 }, { 0, 1 } },
      forces = function() return { 6, -9.81 } end,
      contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 }, friction = 0.5 } } }
    local mu = 0.5
    local answer = lcp.solve{ M = { { 1, 0, 0 }, { -mu, 1, 1 }, { 2 * mu, -1, 0 } }, q = { -9.81, 6, 0 }, method = "lemke" }
    local udot = s:accelerations()
    assert.near(answer.z[1], s.contacts[1].normal_force, 1e-12)
    assert.near(answer.z[2] - mu * answer.z[1], s.contacts[1].tangential_force, 1e-12)
    assert.near(6 - 0.5 * 9.81, udot[1], 1e-12)
  end)
end)
