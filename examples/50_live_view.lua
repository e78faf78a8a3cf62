-- The live view: a pendulum with a motor, a ball on a spring, a box, in the browser while they move. Pull what you like with
-- the mouse; sliders set the motor's speed, the box's friction, and the wind by a function.
-- Needs the rock luv. `lua5.4 50_live_view.lua page` opens the page and runs until it is closed; without a word it runs for 1 s
-- without one, while a hand as the mouse has it pulls the box: by a spring that the ledger knows.
-- Leaves live_view.svg: the box's height.
-- Ends with: the box hangs 0.028 m below the hand, m g/k = 0.028 m; the ledger is off by less than 1e-12 of it
local delassus = require "delassus"

local world = delassus.world{ dt = 1 / 1000 }
world:floor{ friction = 0.6 }
local arm = world:body{ name = "arm", shape = delassus.capsule{ radius = 0.06, length = 0.6 }, density = 400,
  position = {-0.6, 0, 1.2} }
local hinge = world:joint{ "revolute", world.ground, arm, anchor = {-0.9, 0, 1.2}, axis = {0, 1, 0},
  motor = { speed = 1, max_torque = 200 } }
local ball = world:sphere{ name = "ball", radius = 0.15, density = 400, position = {0.9, 0, 1.2} }
world:spring{ world.ground, ball, anchor_a = {0.9, 0, 2}, stiffness = 800, damping = 3 }
local box = world:box{ name = "box", size = {0.4, 0.4, 0.4}, density = 300, position = {0.2, 0, 0.2} }

local wind = 0
world:field(function(body) return {body == ball and wind or 0, 0, 0}, {0, 0, 0} end)
if not pcall(require, "luv") then print "needs the rock luv (apt install lua-luv)" os.exit() end
local view <close> = world:view{ title = "A live view", open = arg[1] == "page",
  sliders = { { hinge.motor, "speed", -5, 5, unit = "rad/s", name = "motor" }, { box.material, "friction", 0, 1 } } }
view:slider{ name = "wind", min = -20, max = 20, unit = "N", set = function(force) wind = force end }
if arg[1] == "page" then return view:run() end

local hand = require "delassus.view_hand".hold(world, box, {0, 0, 0}, 3) -- what a page does at a press of the button
hand:move{ 0.2, 0, 0.8 }
local times, heights = {}, {}
for k = 1, 100 do
  hand:follow(0.01)
  assert(view:run(0.01) == "time")
  times[k], heights[k] = world.time, box.position.z
end
assert(delassus.plot{ x = times, y = heights, x_label = "time (s)", y_label = "height of the box (m)",
  title = "A box pulled by a hand", file = "live_view.svg" })
local off, want = 0.8 - box.position.z, 9.81 / (2 * math.pi * 3) ^ 2
hand:release()
local ledger = world:ledger()
print(("the box hangs %.3f m below the hand, m g/k = %.3f m; the ledger is off by %s of it"):format(off, want,
  math.abs(ledger.error) < 1e-12 * ledger.turnover and "less than 1e-12" or ledger.error / ledger.turnover))
