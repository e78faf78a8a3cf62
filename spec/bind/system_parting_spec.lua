-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Contacts that part, and slips that begin, of event-driven systems: their times, and that such runs end.
local delassus = require "delassus"

local abs, cos, sin = math.abs, math.cos, math.sin

describe("event-driven systems", function()
  it("part redundant contacts where their accelerations do: a mass from a plane onto a parabola, 200 times", function()
    for seed = 1, 200 do
      local r, told = delassus.random(seed), "seed " .. seed
      local k, v, from, m = r:uniform(0.1, 3), r:uniform(0.2, 1.2), r:uniform(0.05, 0.4), r:uniform(0.5, 2)
      local function beyond(x) return x > 0 and x or 0 end
      local flat = { gap = function(q) return q[2] end, normal = { 0, 1 }, normal_bias = function() return 0 end }
      local bent = { gap = function(q) return q[2] - k * beyond(q[1]) ^ 2 / 2 end,
        normal = function(q) return { -k * beyond(q[1]), 1 } end,
        normal_bias = function(q, u) return q[1] > 0 and -k * u[1] ^ 2 or 0 end }
      local order = seed % 2 == 0 and { flat, bent } or { bent, flat }
      local s = delassus.system{ q = { -from, 0 }, u = { v, 0 }, mass = { { m, 0 }, { 0, m } }, dt = 0.01,
        forces = function() return { 0, -m * 9.81 } end, contacts = order }
      s:run(from / v + 0.1)
      assert.equal(1, #s.events, told)
      assert.equal("separation", s.events[1].kind, told)
      assert.equal(flat, order[s.events[1].index], told)
      assert.near(from / v, s.events[1].t, 1e-11, told)
      assert.near(v * v / 2, (s.u[1] ^ 2 + s.u[2] ^ 2) / 2 + 9.81 * s.q[2], 1e-9, told)
      assert.near(0, bent.gap(s.q), 1e-12, told)
    end
  end)

  it("let slips begin in space under forces that grow and turn: at their time, along the way of time steps, 200 times", function()
    local far, near = 0, 0
    for seed = 1, 200 do
      local r, told = delassus.random(seed), "seed " .. seed
      local m, mu, from = r:uniform(0.5, 2), r:uniform(0.1, 0.8), r:uniform(0.05, 0.3)
      local grows, turns = r:uniform(0.001, 1), r:uniform(-30, 30)
      local function system(scheme, dt)
        return delassus.system{ scheme = scheme, dt = dt, q = { 0, 0, 0 }, u = { 0, 0, 0 },
          mass = { { m, 0, 0 }, { 0, m, 0 }, { 0, 0, m } },
          forces = function(_, _, t)
            local f = mu * m * 9.81 * (1 + grows * (t - from))
            return { f * cos(turns * t), f * sin(turns * t), -m * 9.81 }
          end,
          contacts = { { gap = function(q) return q[3] end, normal = { 0, 0, 1 }, tangent = { 1, 0, 0 },
            tangent2 = { 0, 1, 0 }, friction = mu } } }
      end
      local s = system("event-driven", 0.01)
      s:run(from + 0.03)
      assert.equal(1, #s.events, told)
      assert.equal("slip", s.events[1].kind, told)
      assert.near(from, s.events[1].t, 1e-10, told)
      assert.is_true(s.stats.steps < 500, told)
      if seed % 10 == 0 then
        local function off(dt)
          local stepped = system("time-stepping", dt)
          stepped:run(from + 0.03)
          return abs(stepped.u[1] - s.u[1]) + abs(stepped.u[2] - s.u[2])
        end
        far, near = far + off(4e-4), near + off(1e-4)
      end
    end
    assert.is_true(near < 0.4 * far, near / far)
  end)
end)
