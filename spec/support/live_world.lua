-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- live_world.lua [plane]: a world with a live view, for spec/browser/live.mjs. Prints the address, runs until the page is
-- closed, and prints as JSON what has become of it.
local delassus = require "delassus"
local json = require "delassus.json"

local planar = arg[1] == "plane"
local function place(x, z) return planar and { x, z } or { x, 0, z } end

local world = delassus.world { planar = planar, dt = 1 / 500 }
world:floor { friction = 0.6 }
local make = planar and world.disk or world.sphere
local arm = world:body { name = "arm", density = 400, position = place(-0.6, 1.2),
  shape = delassus.capsule { radius = 0.06, length = 0.6 } }
local hinge = world:joint { "revolute", world.ground, arm, anchor = place(-0.9, 1.2), axis = not planar and { 0, 1, 0 } or nil,
  motor = { speed = 1, max_torque = 200 } }
local ball = make(world, { name = "ball", radius = 0.15, density = 400, position = place(0.9, 1.2) })
world:spring { world.ground, ball, anchor_a = place(0.9, 2), stiffness = 800, damping = 3 }
local box = world:box { name = "box", size = planar and { 0.5, 0.5 } or { 0.5, 0.5, 0.5 }, density = 300,
  position = place(0.2, 0.25) }

local set
local view = world:view { title = "A running world", open = false, sliders = {
  { hinge.motor, "speed", -5, 5, unit = "rad/s", name = "motor" }, { box.material, "friction", 0, 1 } } }
view:slider { name = "load", min = 0, max = 10, value = 1, unit = "N", set = function(value)
  if value > 9 then error "more than it can bear" end
  set = value
end }
local balls = 0
view:slider { name = "balls", min = 0, max = 5, set = function(value) -- the picture changes
  while balls < value // 1 do
    make(world, { radius = 0.1, density = 300, position = place(0.3, 1 + 0.3 * balls) })
    balls = balls + 1
  end
end }
print(view.address)
io.stdout:flush()

local start, far = box.position, 0
world:on("step", function() far = math.max(far, (box.position - start):norm()) end)
local why = view:run()
local ledger = world:ledger()
print(json.encode { why = why, time = world.time, far = far, error = ledger.error / ledger.turnover, set = set,
  motor = hinge.motor.speed, friction = box.material.friction, connections = #require "delassus.core".connections(world),
  bodies = #world.bodies })
