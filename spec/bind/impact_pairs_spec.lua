-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- The sequential law where two bodies touch in several places: they are one pair, struck at once (EQUATIONS E.3).
local delassus = require "delassus"
local random = require "support.random"
local seeds = require "support.seeds"

--- A row of five that touch along x; the first comes with 1 m/s.
local function cradle(shape, e)
  local world = delassus.world{ planar = shape == "square", impact = "sequential", record = false,
    gravity = shape == "square" and { 0, 0 } or { 0, 0, 0 } }
  local row = {}
  for i = 1, 5 do
    local o = { position = { i, 0, 0 }, velocity = { i == 1 and 1 or 0, 0, 0 }, mass = 1, friction = 0.3, restitution = e }
    if shape == "square" then o.position[3], o.velocity[3] = nil, nil end
    if shape == "box" or shape == "square" then o.size = shape == "box" and { 1, 1, 1 } or { 1, 1 } else o.radius = 0.5 end
    if shape == "cylinder" or shape == "capsule" then
      o.length, o.rotation = 1, { axis = { 0, 0, 1 }, angle = math.pi / 2 }
    end
    row[i] = world[shape == "square" and "box" or shape](world, o)
  end
  world:step()
  return row, world
end

describe("the sequential law", function()
  it("makes a cradle of boxes, cylinders and capsules side by side as of balls", function()
    for _, shape in ipairs{ "sphere", "capsule", "cylinder", "box", "square" } do
      local row = cradle(shape, 1)
      for i = 1, 5 do
        assert.near(i == 5 and 1 or 0, row[i].velocity[1], 1e-10, shape .. " " .. i)
        local omega = row[i].angular_velocity
        assert.near(0, type(omega) == "number" and omega or omega:norm(), 1e-10, shape .. " " .. i)
      end
    end
  end)

  it("shares with a row what partly elastic pairs do, one after the other, and keeps the momentum", function()
    for _, shape in ipairs{ "sphere", "box", "square", "cylinder" } do
      local row, world = cradle(shape, 0.5)
      local v, sum = { 1, 0, 0, 0, 0 }, 0
      while true do -- the fastest pair first, ties by index
        local worst, at = 1e-10, nil
        for i = 1, 4 do
          if v[i] - v[i + 1] > worst * (1 + 1e-12) then worst, at = v[i] - v[i + 1], i end
        end
        if not at then break end
        local mean, apart = (v[at] + v[at + 1]) / 2, 0.5 * worst / 2
        v[at], v[at + 1] = mean - apart, mean + apart
      end
      for i = 1, 5 do
        sum = sum + row[i].velocity[1]
        assert.near(v[i], row[i].velocity[1], 1e-8, shape .. " " .. i)
      end
      assert.near(1, sum, 1e-12, shape)
      world:close()
    end
  end)

  -- Where there is but one pair both laws are Newton's; faces, edges and corners, with friction.
  it("is Newton's for one pair that touches in any places", function()
    for seed = 1, seeds(200) do
      local r = random(seed)
      local planar, mu, e = seed % 2 == 0, seed % 4 < 2 and 0 or 0.5 + 0.4 * r(), seed % 3 == 0 and 0 or 0.5 + 0.4 * r()
      local vx, vz, spin = 2 * r(), -2 + r(), seed % 5 == 0 and 0 or r()
      local found = {}
      for i, law in ipairs{ "newton", "sequential" } do
        local world <close> = delassus.world{ planar = planar, impact = law, record = false, tolerance = 1e-13,
          gravity = planar and { 0, 0 } or { 0, 0, 0 } }
        world:floor{ friction = mu, restitution = e }
        local box = world:box{ size = planar and { 1, 0.6 } or { 1, 0.8, 0.6 }, mass = 2, friction = mu, restitution = e,
          position = planar and { 0, 0.3 } or { 0, 0, 0.3 }, velocity = planar and { vx, vz } or { vx, 0.5 * vx, vz },
          angular_velocity = planar and spin or { spin, -0.5 * spin, 0.3 } }
        world:step()
        local omega = box.angular_velocity
        found[i] = { box.velocity:norm(), box.velocity[1], type(omega) == "number" and omega or omega[1],
          world:energy() }
      end
      local nearly = (planar or mu == 0) and 1e-7 or 1e-4 -- four corners with friction: not unique to the last digit
      -- where Newton's law would add energy the sequential one is curbed
      if found[1][4] <= found[2][4] * (1 + 1e-9) then
        for k = 1, 4 do assert.near(found[1][k], found[2][k], nearly, ("seed %d, %d"):format(seed, k)) end
      end
    end
  end)
end)
