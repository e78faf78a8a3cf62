-- Events: callbacks while the world runs, and the list that a world keeps of what happened.
-- A ball bounces with e = 0.7; after an impact with v it flies for 2 v / g, so that each flight is 0.7 of the last.
-- The list has every impact with its impulse: their sum is the change of momentum and what gravity gave meanwhile.
-- Leaves events.svg: height over time.
-- Ends with: flights shrink by 0.700 0.700 0.700; impulses minus weight minus momentum: below 1e-12 of it
local delassus = require "delassus"

local world = delassus.world{ dt = 1e-4, log = true }
world:floor{ restitution = 0.7 }
local ball = world:sphere{ name = "ball", radius = 0.1, density = 500, position = {0, 0, 2.1}, restitution = 0.7 }

local times, heights, t, pressed = {}, {}, {}, 0
world:on("impact", function(event) times[#times + 1] = event.t end)
world:run(3, function()
  t[#t + 1], heights[#heights + 1] = world.time, ball.position.z
  for contact in world:contacts() do pressed = pressed + contact.impulse.z end
end)

local ratios = {}
for k = 3, 5 do ratios[#ratios + 1] = ("%.3f"):format((times[k] - times[k - 1]) / (times[k - 1] - times[k - 2])) end
local kinds = {}
for _, event in ipairs(world.events) do kinds[event.kind] = (kinds[event.kind] or 0) + 1 end
print(("%d impacts by callback, %d in the list, of %s and the floor"):format(#times, kinds.impact, ball.name))

local off = pressed - ball.mass * (9.81 * world.time + ball.velocity.z)
assert(delassus.plot{ x = t, y = heights, x_label = "time (s)", y_label = "height (m)", title = "A bouncing ball",
  file = "events.svg" })
print(("flights shrink by %s; impulses minus weight minus momentum: %s"):format(table.concat(ratios, " "),
  math.abs(off) < 1e-12 * pressed and "below 1e-12 of it" or off))
