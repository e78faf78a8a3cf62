-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Materials that meet are two springs and two dampers in series: static sag and the force of a dashpot, closed forms.
local delassus = require "delassus"
local random = require "support.random"
local near = require "support.near"

local G, MASS = 9.81, 10

local function series(a, b)
  if a == math.huge then return b end
  if b == math.huge then return a end
  return a * b / (a + b)
end

--- A ball of 10 kg on a floor, of the same material or of another.
local function rested(planar, floor, ball, position, velocity)
  local world = delassus.world{ planar = planar, record = false, dt = 1e-4 }
  world:floor{ material = floor }
  local place, way = { 0, 0, 0.1 + position }, { 0, 0, velocity }
  if planar then place, way = { 0, 0.1 + position }, { 0, velocity } end
  local body = world[planar and "disk" or "sphere"](world,
    { radius = 0.1, mass = MASS, material = ball, position = place, velocity = way })
  return world, body
end

describe("two materials", function()
  it("are springs in series, equal or not, one material or two: exact sag (200 seeds)", function()
    for seed = 1, 200 do
      local r = random(seed)
      local planar = seed % 2 == 0
      local k1 = 10 ^ (5 + r())
      local k2 = seed % 3 == 0 and k1 or seed % 3 == 1 and math.huge or 10 ^ (5 + r())
      local a = delassus.material{ stiffness = k1, friction = 0 }
      local b = seed % 6 == 0 and a or delassus.material{ stiffness = k2, friction = 0 }
      if seed % 5 == 0 then a, b = b, a end
      local sag = MASS * G / series(k1, k2)
      local world <close>, ball = rested(planar, a, b, -sag, 0)
      world:step(50)
      near(0.1 - sag, ball.position[planar and 2 or 3], 1e-12 + 1e-9 * sag, "seed " .. seed)
      for contact in world:contacts() do near(MASS * G, contact.normal_force, 1e-7 * MASS * G, "seed " .. seed) end
    end
  end)

  it("are dampers in series; that of a rigid partner does not count: exact force (200 seeds)", function()
    for seed = 1, 200 do
      local r = random(seed)
      local planar, rigid = seed % 2 == 0, seed % 3 == 1
      local k, c1, c2 = 10 ^ (4.5 + 0.5 * r()), 55 + 45 * r(), 55 + 45 * r()
      if seed % 3 == 0 then c2 = c1 end
      local a = delassus.material{ stiffness = k, damping = c1, friction = 0 }
      local b = delassus.material{ stiffness = rigid and math.huge or k, damping = c2, friction = 0 }
      if seed % 6 == 0 then b = a end
      local c, together = rigid and c1 or series(c1, c2), rigid and k or k / 2
      local world <close> = rested(planar, a, b, -1e-3, -0.5)
      local udot = world:accelerations()
      near((together * 1e-3 + c * 0.5) / MASS - G, udot[planar and 2 or 3], 1e-8 * G, "seed " .. seed)
    end
  end)

  it("make no jump where one becomes equal to the other", function()
    local function force(k)
      local a, b = delassus.material{ stiffness = 1e5 }, delassus.material{ stiffness = k }
      local world <close> = rested(true, a, b, -1e-3, 0)
      return world:accelerations()[2]
    end
    near(force(1e5), force(1e5 * (1 + 1e-12)), 1e-9 * G)
  end)

  it("are what world:pair says, where it does", function()
    local wood = delassus.material{ stiffness = 1e5, friction = 0 }
    local world <close> = rested(true, wood, wood, -1e-3, 0)
    world:pair{ wood, wood, stiffness = 3e5 }
    near(3e5 * 1e-3 / MASS - G, world:accelerations()[2], 1e-9 * G)
  end)
end)
