-- A curved shot at billiards, event-driven: the cue ball with side and back spin slides on a parabola, rolls, and hits another.
-- Every stop and impact has its own time; while it slides, friction keeps its direction, so that closed forms are at hand:
-- it rolls after t = 2 s / (7 mu g) with the velocity v - 2/7 s, s the velocity of its lowest point at the start.
-- Leaves billiards.svg: the way of the cue ball.
-- Ends with: rolls after 0.3923 s, speed 0.8359 m/s; both within 1e-9 of the closed form: true
local delassus = require "delassus"

local r, m, mu, g = 0.0286, 0.17, 0.2, 9.81
local world = delassus.world { scheme = "event-driven", dt = 0.005 }
local cloth = delassus.material { friction = mu, restitution = 0.5 }
local ivory = delassus.material { friction = mu, restitution = 0.95 }
world:floor { material = cloth }
world:pair { ivory, ivory, friction = 0.05, restitution = 0.95 }
local cue = world:sphere { name = "cue", radius = r, mass = m, position = { 0, 0, r }, velocity = { 1.5, 0, 0 },
  angular_velocity = { -35, -35, 0 }, material = ivory }
world:sphere { name = "red", radius = r, mass = m, position = { 0.75, 0.18, r }, material = ivory }

-- The lowest point's velocity v + omega x (-r z).
local v, omega = cue.velocity, cue.angular_velocity
local slip = delassus.vec { v.x - omega.y * r, v.y + omega.x * r, 0 }
local t_roll, v_roll = 2 * slip:norm() / (7 * mu * g), v - 2 / 7 * slip

local rolls, at_rolling
world:on("stick", function(e)
  if not rolls and e.b == cue then rolls, at_rolling = e.t, true end
end)
local x, y, speed = {}, {}, nil
world:run(2, function()
  x[#x + 1], y[#y + 1] = cue.position.x, cue.position.y
  if at_rolling and not speed then speed = cue.velocity end
end)
for _, e in ipairs(world.events) do
  if e.kind ~= "impact" or e.a == cue then -- not each hop of the cue ball, which the red one's friction throws up
    print(("%.9f s  %-12s %s and %s"):format(e.t, e.kind, e.a.name or "cloth", e.b.name))
  end
end
assert(delassus.plot { x = x, y = { { "cue ball", y } }, x_label = "x (m)", y_label = "y (m)",
  equal = true, title = "A curved shot", file = "billiards.svg" })
local fine = math.abs(rolls - t_roll) < 1e-9 and (speed - v_roll):norm() < 1e-9
print(("rolls after %.4f s, speed %.4f m/s; both within 1e-9 of the closed form: %s"):format(rolls, speed:norm(),
  tostring(fine)))
