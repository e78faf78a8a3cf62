-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- The log of an event-driven run is the run: with smooth pieces between its events, modes and impulses as they stand
-- there, it comes out again; without one of them, or with two of them in each other's place, it does not.
local systems = require "support.systems"
local solve = require "support.solve"

local abs, max = math.abs, math.max
local MU, G, STEP, END = 0.3, 9.81, 1e-4, 0.125

-- EQUATIONS E.6: the woodpecker's masses, rows (normal, tangent of beak, lower edge, upper edge) and forces
local m_M, J_M, m_S, J_S, C, r_M, h_M, h_S = 3e-4, 5e-9, 4.5e-3, 7e-7, 5.6e-3, 3.1e-3, 5.8e-3, 0.02
local l_M, l_G, l_S = 0.010, 0.015, 0.0201
local MASS = { { m_S + m_M, m_S * l_M, m_S * l_G }, { m_S * l_M, J_M + m_S * l_M ^ 2, m_S * l_M * l_G },
  { m_S * l_G, m_S * l_M * l_G, J_S + m_S * l_G ^ 2 } }
local NORMAL = { { 0, 0, -h_S }, { 0, h_M, 0 }, { 0, -h_M, 0 } }
local TANGENT = { { 1, l_M, l_G - l_S }, { 1, r_M, 0 }, { 1, r_M, 0 } }

--- du/dt with closed contacts as equations: unknowns du/dt and their forces; slip: { of each contact }.
local function smooth(q, modes, slip)
  local A, b = {}, { -(m_S + m_M) * G, -C * (q[2] - q[3]) - m_S * G * l_M, -C * (q[3] - q[2]) - m_S * G * l_G }
  local columns, rows = {}, {}
  for i, mode in ipairs(modes) do
    local w, t = NORMAL[i], TANGENT[i]
    if mode == "slip" then
      local s = MU * slip[i]
      columns[#columns + 1], rows[#rows + 1] = { w[1] - s * t[1], w[2] - s * t[2], w[3] - s * t[3] }, w
    elseif mode == "stick" then
      columns[#columns + 1], rows[#rows + 1] = w, w
      columns[#columns + 1], rows[#rows + 1] = t, t
    end
  end
  for i = 1, 3 do
    A[i] = { MASS[i][1], MASS[i][2], MASS[i][3] }
    for k, column in ipairs(columns) do A[i][3 + k] = -column[i] end
  end
  for k, row in ipairs(rows) do
    A[3 + k], b[3 + k] = { row[1], row[2], row[3] }, 0
    for j = 1, #columns do A[3 + k][3 + j] = j == k and -1e-9 or 0 end -- where two stick, their rows may depend on each other
  end
  return solve(A, b)
end

local function added(x, h, y) return { x[1] + h * y[1], x[2] + h * y[2], x[3] + h * y[3] } end

-- what a contact does before each, in this run
local FROM = { contact = "apart", separation = "slip", slip = "stick", stick = "slip" }

--- The state at END by an order-four method between events; nil: one of them happens to a contact that is not so.
local function replay(events, q, u)
  local t, modes, slip = 0, { "apart", "slip", "apart" }, { 0, -1, 0 }
  local function go_on(to)
    local n = math.ceil((to - t) / STEP)
    local h = (to - t) / max(n, 1)
    for _ = 1, n do
      local a1 = smooth(q, modes, slip)
      local u2 = added(u, h / 2, a1)
      local a2 = smooth(added(q, h / 2, u), modes, slip)
      local u3 = added(u, h / 2, a2)
      local a3 = smooth(added(q, h / 2, u2), modes, slip)
      local u4 = added(u, h, a3)
      local a4 = smooth(added(q, h, u3), modes, slip)
      for i = 1, 3 do
        q[i] = q[i] + h / 6 * (u[i] + 2 * u2[i] + 2 * u3[i] + u4[i])
        u[i] = u[i] + h / 6 * (a1[i] + 2 * a2[i] + 2 * a3[i] + a4[i])
      end
    end
    t = max(t, to)
  end
  q, u = { q[1], q[2], q[3] }, { u[1], u[2], u[3] }
  for _, event in ipairs(events) do
    go_on(event.t)
    local i = event.index
    if event.kind ~= "impact" then
      if FROM[event.kind] ~= modes[i] then return end
      modes[i], slip[i] = event.mode, event.slip or 0
    else
      local p = {}
      for k = 1, 3 do p[k] = NORMAL[i][k] * event.normal_impulse + TANGENT[i][k] * event.tangential_impulse end
      u = added(u, 1, solve(MASS, p))
    end
  end
  go_on(END)
  return q
end

describe("the log of an event-driven run", function()
  it("is the run: a woodpecker comes out again by smooth pieces, and not without an event, or with two exchanged", function()
    local s = systems.woodpecker{ impact = "poisson" }
    local q, u = s.q:totable(), s.u:totable()
    s:run(END)
    local events = s.events
    local function off(list)
      local x, most = replay(list, q, u), 0
      for i = 1, 3 do most = x and max(most, abs(x[i] - s.q[i])) or math.huge end
      return most
    end
    local function at(t, event) return setmetatable({ t = t }, { __index = event }) end
    assert.equal(11, #events)
    assert.near(0, off(events), 1e-6)
    for k = 1, #events do
      local left = { table.unpack(events) }
      table.remove(left, k)
      assert.is_true(off(left) > 1e-5, ("without event %d: %s"):format(k, events[k].kind))
      for l = k + 1, #events do
        if events[l].t > events[k].t then -- each at the other one's time
          local list = { table.unpack(events) }
          list[k], list[l] = at(events[k].t, events[l]), at(events[l].t, events[k])
          assert.is_true(off(list) > 1e-5, ("events %d and %d exchanged"):format(k, l))
        end
      end
    end
  end)
end)
