-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Worlds whose replay has joints, springs and ropes, for looks in a browser.
-- Run as a script it writes one page: lua5.4 spec/support/mechanism_pages.lua NAME FILE.html
local delassus = require "delassus"

local M = {}

--- A crank-rocker in the plane, driven by a motor; bodies without shapes.
function M.four_bar()
  local world = delassus.world{ planar = true }
  local function bar(name, x1, y1, x2, y2)
    return world:body{ name = name, mass = 1, inertia = 0.05, position = { (x1 + x2) / 2, (y1 + y2) / 2 } }
  end
  local crank, coupler, rocker = bar("crank", 0, 0, 0, 1), bar("coupler", 0, 1, 3, 2), bar("rocker", 3, 2, 3, 0)
  world:joint{ "revolute", world.ground, crank, anchor = { 0, 0 }, name = "input", motor = { speed = 3, max_torque = 200 } }
  world:joint{ "revolute", crank, coupler, anchor = { 0, 1 } }
  world:joint{ "revolute", coupler, rocker, anchor = { 3, 2 } }
  world:joint{ "revolute", world.ground, rocker, anchor = { 3, 0 }, name = "output", limits = { -1.6, 1.6 } }
  world:run(2)
  return world
end

--- In space: a ball on a spring, a slide with limits that carries a ball joint and a spring, a box on the floor.
function M.springs()
  local world = delassus.world{}
  world:floor{ offset = -1.6 }
  local bob = world:sphere{ name = "bob", radius = 0.08, mass = 1, position = { 0.6, 0, -0.8 } }
  world:spring{ world.ground, bob, stiffness = 60, damping = 0.5, length = 0.8 }
  local cart = world:box{ name = "cart", size = { 0.3, 0.2, 0.1 }, mass = 1, position = { 1.5, 0, 0 }, velocity = { 1, 0, 0 } }
  world:joint{ "prismatic", world.ground, cart, axis = { 1, 0, 0 }, limits = { -0.5, 1 } }
  local arm = world:body{ name = "arm", mass = 0.5, inertia = { 0.01, 0.01, 0.01 }, position = { 1.5, 0, -0.5 } }
  world:joint{ "spherical", cart, arm, anchor = { 1.5, 0, 0 } }
  world:spring{ arm, cart, anchor_b = { 0.15, 0, 0 }, stiffness = 20 }
  world:box{ name = "brick", size = { 0.4, 0.3, 0.2 }, position = { 0, 0.8, -1.5 } }
  world:run(1)
  return world
end

--- In the plane: a ball on a rope, a box on a spring below it.
function M.rope()
  local world = delassus.world{ planar = true }
  local ball = world:disk{ name = "ball", radius = 0.1, mass = 1, position = { 0.5, 0 }, velocity = { 0, 1 } }
  world:contact{ world.ground, ball, rope = 1 }
  local box = world:box{ name = "box", size = { 0.2, 0.3 }, mass = 1, position = { 0.9, -0.2 } }
  world:spring{ ball, box, stiffness = 40, damping = 0.1, length = 0.3 }
  world:run(1.5)
  return world
end

--- An arm read from URDF, without visuals.
function M.arm()
  local world = assert(delassus.load("examples/data/arm.urdf"))
  world:set_coordinates{ 0.5, 0.6 }
  world:run(1)
  return world
end

--- 500 disks in a turning drum, 1,800 frames: a long recording.
function M.long()
  local world = delassus.world{ planar = true, dt = 1 / 120, tolerance = 1e-2 }
  world:drum{ radius = 3, lifters = { count = 6, height = 0.25, width = 0.15 }, angular_velocity = 0.6 }
  for i = 0, 499 do
    world:disk{ radius = 0.07 + 0.02 * (i % 3), position = { -1.6 + 0.2 * (i % 17), -1.5 + 0.22 * (i // 17) } }
  end
  local rec = world:record{ every = 1 / 60 }
  world:step(3600)
  return nil, rec
end

if arg and arg[0] and arg[0]:match("mechanism_pages%.lua$") then
  local path = assert(arg[2], "mechanism_pages.lua NAME FILE.html")
  local world, rec = M[arg[1]]()
  assert((rec or require "delassus.world_kept"(world)):save(path))
end

return M
