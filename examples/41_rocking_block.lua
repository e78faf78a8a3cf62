-- A slender block rocks on its two corners (Housner): the impact of the other corner takes 15 % of its turning speed.
-- Event-driven, friction 5 so that no corner slips, no restitution; all contacts act in each impact.
-- Exact: omega+/omega- = 1 - 1.5 sin^2(alpha) = 0.85; times of the impacts by elliptic integrals.
-- Leaves rocking_block.svg, the phase portrait.
-- Ends with: impacts at 0.338045484 0.781462847 1.119401751 s, ratio 0.850000000
local delassus = require "delassus"

local b, h, theta = 0.1, 0.3, 0.2
local function corner(side)
  local function arm(q) -- from the centre to the corner
    local c, s = math.cos(q[3]), math.sin(q[3])
    return side * b * c + h * s, side * b * s - h * c
  end
  return { friction = 5, gap = function(q) return q[2] + select(2, arm(q)) end,
    normal = function(q) return { 0, 1, (arm(q)) } end,
    tangent = function(q) return { 1, 0, -select(2, arm(q)) } end }
end
local s = delassus.system { q = { 0, b * math.sin(theta) + h * math.cos(theta), -theta }, u = { 0, 0, 0 },
  mass = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, (b * b + h * h) / 3 } }, forces = { 0, -9.81, 0 },
  contacts = { corner(-1), corner(1) } }

local portrait, times, ratio = s:record {}, {}, nil
while #times < 3 do
  local before = s.u[3]
  local seen = #s.events
  s:step()
  for i = seen + 1, #s.events do
    local event = s.events[i]
    if event.kind == "impact" and event.velocity < -1e-3 then
      times[#times + 1] = event.t
      if not ratio then -- the speeds on both sides of the first impact, from energy: the angle is 0 there
        local start = s.q[3]
        local drop = h - (b * math.abs(math.sin(start)) + h * math.cos(start))
        local J = 4 * (b * b + h * h) / 3
        local after = math.sqrt(s.u[3] ^ 2 - 2 * 9.81 * drop / J)
        local swing = math.sqrt(2 * 9.81 * (b * math.sin(theta) + h * math.cos(theta) - h) / J)
        ratio = before ~= 0 and after / swing
      end
    end
  end
end
assert(delassus.plot { x = portrait.q[3], y = portrait.u[3], title = "A rocking block",
  x_label = "angle (rad)", y_label = "turning (rad/s)", file = "rocking_block.svg" })
print(("%d events; what impacts took: %.6f J"):format(#s.events, s.stats.dissipated))
print(("impacts at %.9f %.9f %.9f s, ratio %.9f"):format(times[1], times[2], times[3], ratio))
