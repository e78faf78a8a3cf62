-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Many joints: a hanging chain with all joints rigid or reduced, against its length; a chain of 30 on 100 logs, and the
-- same bodies without joints; nets. Prints CSV.
--
--   lua5.4 bench/joints.lua [steps]
package.path = "spec/?.lua;" .. package.path
local delassus = require "delassus"
local net = require "support.net"
local steps = tonumber(arg and arg[1]) or 50

local function chain(n, formulation)
  local world = delassus.world{ dt = 1e-3, record = false }
  local before = world.ground
  for i = 1, n do
    local link = world:capsule{ radius = 0.05, length = 0.15, density = 800, position = { 0.2 * i, 0, 2 },
      rotation = { axis = { 0, 1, 0 }, angle = math.pi / 2 } }
    world:joint{ "spherical", before, link, formulation = formulation, anchor = { 0.2 * i - 0.1, 0, 2 } }
    before = link
  end
  return world
end

local function chain_on_logs(links, logs, formulation)
  local world = delassus.world{ dt = 1e-3, record = false }
  world:floor{ friction = 0.3 }
  local function log(x, z, yaw)
    world:capsule{ radius = 0.1, length = 0.8, density = 800, friction = 0.3, position = { x, 0, z },
      rotation = { axis = { 0, 0, 1 }, angle = math.pi / 2 + yaw } }
  end
  local groups = logs // 3
  for g = 0, groups do
    local x = -0.3 * groups + 0.6 * g
    log(x, 0.1, 0.05)
    log(x + 0.3, 0.1, -0.05)
    if g < groups then log(x + 0.15, 0.234, 0.015) end
  end
  local before
  for i = 1, links do
    local link = world:capsule{ radius = 0.05, length = 0.15, density = 800, friction = 0.3, velocity = { 0, 0, -2 },
      position = { -0.1 * links + 0.2 * i, 0.02 * (i % 5), 0.394 + 0.02 * (i % 7) } }
    if before and formulation ~= "none" then
      world:joint{ "spherical", before, link, formulation = formulation, anchor = (before.position + link.position) / 2 }
    end
    before = link
  end
  world:step(100)
  return world
end

local function measure(name, formulation, world, n)
  world:step(2)
  local residual, momentum, contacts, unknowns, missed = 0, 0, 0, 0, 0
  local start = os.clock()
  for _ = 1, n do
    world:step()
    local s = world.stats
    residual, momentum = math.max(residual, s.residual), math.max(momentum, s.momentum_error)
    contacts, unknowns = math.max(contacts, s.contacts), math.max(unknowns, s.unknowns)
    missed = missed + s.unconverged
  end
  local ms = (os.clock() - start) / n * 1e3
  print(("%s,%s,%d,%d,%d,%d,%.3f,%.2g,%.2g,%d"):format(name, formulation, #world.bodies, #world.joints, contacts, unknowns,
    ms, residual, momentum, missed))
  world:close()
end

print("scenario,formulation,bodies,joints,contacts,rows,ms_per_step,residual,momentum_error,unconverged")
for _, n in ipairs{ 10, 100, 1000 } do
  for _, formulation in ipairs{ "reduced", "rigid" } do
    measure("chain", formulation, chain(n, formulation), math.max(5, steps * 10 // n))
  end
end
for _, formulation in ipairs{ "none", "reduced", "rigid" } do
  measure("30 links on 100 logs", formulation, chain_on_logs(30, 100, formulation), steps)
end
for _, m in ipairs{ 6, 12, 20 } do measure("net", "rigid", net(m, "spherical", "rigid"), 5) end
