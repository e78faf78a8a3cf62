-- A woodpecker on a pole: a muff that jams by friction, a bird on a spring, three contacts, impacts with friction.
-- Event-driven: every stop, slip, impact and separation by its own time; Poisson's law of impact.
-- It settles on a limit cycle of period 0.145976065 s, 19.445 mm deep (EQUATIONS E.6; Glocker's and Leine's toy).
-- Leaves woodpecker.svg, the bird's phase portrait.
-- Ends with: period 0.145976 s, descent 19.445 mm, 22 events in the last two cycles
local delassus = require "delassus"

local m_M, J_M, m_S, J_S, c, r_0, r_M, h_M = 3e-4, 5e-9, 4.5e-3, 7e-7, 5.6e-3, 2.5e-3, 3.1e-3, 5.8e-3
local l_M, l_G, h_S, l_S, g = 0.010, 0.015, 0.02, 0.0201, 9.81

local toy = { q = { 0, -0.6 / 5.8, -0.2 }, u = { 0, 0, 17.4 }, impact = "poisson", dt = 1e-3, -- y, muff, bird
  mass = { { m_S + m_M, m_S * l_M, m_S * l_G }, { m_S * l_M, J_M + m_S * l_M ^ 2, m_S * l_M * l_G },
    { m_S * l_G, m_S * l_M * l_G, J_S + m_S * l_G ^ 2 } },
  forces = function(q)
    return { -(m_S + m_M) * g, -c * (q[2] - q[3]) - m_S * g * l_M, -c * (q[3] - q[2]) - m_S * g * l_G }
  end,
  contacts = {
    { gap = function(q) return l_M + l_G - l_S - r_0 - h_S * q[3] end, normal = { 0, 0, -h_S }, -- beak
      tangent = { 1, l_M, l_G - l_S }, friction = 0.3, restitution = 0.5 },
    { gap = function(q) return r_M - r_0 + h_M * q[2] end, normal = { 0, h_M, 0 }, tangent = { 1, r_M, 0 }, friction = 0.3 },
    { gap = function(q) return r_M - r_0 - h_M * q[2] end, normal = { 0, -h_M, 0 }, tangent = { 1, r_M, 0 }, friction = 0.3 } } }
local s = delassus.system(toy)

local function cycle() -- to the next slip of the muff's lower edge: its time and the height then
  local from = s.stats.events
  while true do
    s:step()
    local events = s.stats.events > from and s.events or {}
    for i = from + 1, #events do
      if events[i].kind == "slip" and events[i].index == 2 then return events[i].t, s.q[1], i end
    end
    from = s.stats.events
  end
end

for _ = 1, 36 do cycle() end -- errors shrink by 0.839 a cycle
toy.dt = 2e-4 -- the same from here on in shorter steps, for the picture
local fine = delassus.system(toy)
fine:restore(s:snapshot())
s = fine
local portrait = s:record {}
local t1, y1, first = cycle() -- the muff rests in that moment and for some steps: y is that of the slip
cycle()
local t3, y3, last = cycle()
portrait:close()
assert(delassus.plot { x = portrait.q[3], y = portrait.u[3], title = "The woodpecker's limit cycle",
  x_label = "angle of the bird (rad)", y_label = "its turning (rad/s)", file = "woodpecker.svg" })
print(s:sets().A[3] .. " contacts, worst residual " .. ("%.0e"):format(s.stats.residual))
print(("period %.6f s, descent %.3f mm, %d events in the last two cycles"):format((t3 - t1) / 2, (y1 - y3) / 2 * 1e3,
  last - first))
