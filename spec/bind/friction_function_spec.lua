-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- What a friction function may answer: a number >= 0, in systems and worlds by every scheme.
local delassus = require "delassus"

local SCHEMES = { "event-driven", "time-stepping" }

local function block(scheme, mu)
  local s = delassus.system{ q = { 0, 0 }, u = { 1, 0 }, dt = 1e-2, scheme = scheme, mass = { { 1, 0 }, { 0, 1 } },
    forces = function() return { 0, -9.81 } end,
    contacts = { { gap = function(q) return q[2] end, normal = { 0, 1 }, tangent = { 1, 0 }, friction = mu } } }
  return s, function() return { s.q[1], s.q[2], s.u[1], s.u[2], s.time } end
end

local function ball(scheme, mu)
  local world = delassus.world{ planar = true, scheme = scheme, dt = 1e-2, record = false, gravity = { 0, -9.81 } }
  world:floor{}
  world:disk{ radius = 0.1, mass = 1, position = { 0, 0.1 }, velocity = { 1, 0 }, material = delassus.material{ friction = mu } }
  return world, function() return world:hash() end
end

describe("a friction function", function()
  it("that answers below 0, NaN, infinity or no number is an error by name, at any call; nothing has moved", function()
    local nan = 0 / 0
    for _, make in ipairs{ block, ball } do
      for _, scheme in ipairs(SCHEMES) do
        for _, wrong in ipairs{ -0.1, -1e-300, nan, math.huge, -math.huge, "0.3", {}, false } do
          for _, call in ipairs{ 1, 3 } do
            local n, armed = 0, false
            local s, state = make(scheme, function()
              n = n + (armed and 1 or 0)
              if armed and n >= call then return wrong end
              return 0.1
            end)
            s:step(2)
            local before = state()
            armed = true
            local message = ("%s %s %s"):format(scheme, tostring(wrong), make == block and "system" or "world")
            assert.error_matches(function() s:step(20) end, "friction.* must return a ")
            if call == 1 then assert.same(before, state(), message) end
            armed = false
            s:step(2)
          end
        end
      end
    end
  end)

  it("may answer 0", function()
    for _, scheme in ipairs(SCHEMES) do
      local s = block(scheme, function() return 0 end)
      s:step(20)
      assert.near(0.2, s.q[1], 1e-12)
    end
  end)
end)
