-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Chains, custom, free and driven joints, frames, gears, springs and gap functions of the C interface: the same bits as
-- through Lua, exact solutions, and what the header promises.
local delassus = require "delassus"
local host = require "support.c_host"

--- The scene of spec/support/mechanism_host.c.
local function scene(planar, formulation)
  local world <close> = delassus.world{ planar = planar, record = false }
  local ground = world.ground
  local function block(x, z)
    return world:box{ size = planar and { 0.4, 0.1 } or { 0.4, 0.1, 0.2 }, position = planar and { x, z } or { x, 0, z } }
  end
  local function square(c) return function(t) return c * t * t, 2 * c * t, 2 * c end end
  world:joint{ "chain", ground, block(0, 1), formulation = formulation, anchor = planar and { -0.2, 1 } or { -0.2, 0, 1 },
    motions = {
      { "slide", planar and { 1, 0 } or { 1, 0, 0 }, motion = square(0.3) },
      { "rotate", planar and { 0, 0, 1 } or { 0, 1, 0 } },
      { "slide", planar and { 3, 4 } or { 0, 0, 2 } },
    }, stiffness = 30, damping = 0.5 }
  if not planar then
    world:joint{ "custom", ground, block(2, 1), formulation = formulation, torque = { 0, 0.2 },
      subspace = delassus.matrix{ { 0, 0 }, { 0, 1 }, { 1, 0 }, { 0, 0.2 }, { 0, 0 }, { 0.1, 0 } } }
    local turned = { 0.8, 0, 0, 0.6 }
    world:joint{ "spherical", ground, block(4, 1), formulation = formulation,
      frame_a = { position = { 3.8, 0, 1 }, rotation = turned }, frame_b = { position = { -0.2, 0, 0 }, rotation = turned },
      limits = { cone = 0.5, twist = { -0.1, 0.2 } } }
  end
  local hinge = {}
  for i = 0, 1 do
    hinge[i] = world:joint{ "revolute", ground, block(6 + i, 1), formulation = formulation,
      frame_b = planar and { position = { -0.2, 0 }, rotation = 0.25 } or nil, axis = not planar and { 0, 1, 0 } or nil,
      torque = i == 0 and 4 or nil, motion = formulation == "penalty" and i == 1 and square(-0.7) or nil }
  end
  if formulation ~= "penalty" then world:gear{ hinge[0], hinge[1], ratio = -2, offset = 0.01 } end
  local a, b = block(0.5, 3), block(1, 4)
  local anchor = planar and { 0.2, 0 } or { 0.2, 0, 0 }
  world:spring{ a, b, stiffness = 2000, damping = 3, anchor_b = anchor }
  world:spring{ ground, b, stiffness = 2000, damping = 3, anchor_b = anchor, length = 0.5 }
  local up, g, first = planar and 1 or 2, {}, {}
  for i, body in ipairs{ a, b } do
    world:contact{ ground, body, friction = 0.1 * (i - 1), restitution = 0.3,
      gap = function(x)
        local q = first[i].q
        return x[q + up] - 0.5 * x[q] * x[q]
      end,
      gradient = function(x)
        local q, u = first[i].q, first[i].u
        for k in ipairs(g) do g[k] = 0 end
        g[u], g[u + up] = -x[q], 1
        return g
      end }
  end
  if not planar then
    local last = block(9, 1)
    world:joint{ "free", ground, last }
    world:joint{ "spherical", last, block(9.4, 1) }
  end
  for k = 1, #world:velocities() do g[k] = 0 end
  for i, body in ipairs{ a, b } do
    local q, u = world:index(body)
    first[i] = { q = q, u = u }
  end
  world:step(400)
  return world:hash()
end

describe("mechanisms of the C interface", function()
  teardown(host.remove)

  it("have the same bits as through Lua, in every formulation", function()
    local hashes = {}
    for _, planar in ipairs{ false, true } do
      for _, formulation in ipairs{ "auto", "reduced", "penalty", "rigid" } do
        hashes[#hashes + 1] = scene(planar, formulation ~= "auto" and formulation or nil)
      end
    end
    assert.equal(table.concat(hashes, "\n") .. "\n", host.run("mechanism_host", "scene"))
  end)

  it("are exact where the solution is known, tell mistakes, and stop for functions that misbehave", function()
    assert.equal("ok\n", host.run("mechanism_host"))
  end)
end)
