-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Joints of the C interface: the same bits as through Lua in every formulation, and what the header promises.
local delassus = require "delassus"
local host = require "support.c_host"
local seeds = require "support.seeds"

--- The scene of spec/support/joint_host.c.
local function scene(planar, formulation)
  local world <close> = delassus.world{ planar = planar, record = false }
  local function at(x) return planar and { x, 1 } or { x, 0, 1 } end
  local last = world.ground
  local kinds = { "revolute", "spherical", "universal", "prismatic" }
  for i = 0, 5 do
    local link = world:box{ size = planar and { 0.4, 0.1 } or { 0.4, 0.1, 0.1 }, position = at(0.2 + 0.4 * i) }
    local kind = planar and (i == 3 and "prismatic" or "revolute") or kinds[i % 4 + 1]
    local axis
    if kind == "prismatic" then
      axis = planar and { 1, 0 } or { 1, 0, 0 }
    elseif not planar and kind ~= "spherical" then
      axis = { 0, 1, 0 }
    end
    world:joint{ kind, last, link, formulation = formulation, anchor = at(0.4 * i), axis = axis,
      axis2 = kind == "universal" and { 0, 0, 1 } or nil,
      limits = kind == "prismatic" and { -0.05, 0.1 } or nil,
      motor = i == 0 and { speed = 0.5, max_torque = 20 } or nil,
      stiffness = i == 4 and 50 or nil, damping = i == 4 and 1 or nil, friction = i == 5 and 0.1 or nil }
    last = link
  end
  world:joint{ planar and "revolute" or "spherical", world.ground, last, anchor = at(2.4) }
  world:step(100)
  return world:hash()
end

describe("joints of the C interface", function()
  teardown(host.remove)

  it("give the same bits as through Lua, in every formulation", function()
    local hashes = {}
    for _, planar in ipairs{ false, true } do
      for _, formulation in ipairs{ "auto", "reduced", "penalty", "rigid" } do
        hashes[#hashes + 1] = scene(planar, formulation ~= "auto" and formulation or nil)
      end
    end
    assert.equal(table.concat(hashes, "\n") .. "\n", host.run("joint_host", "scene"))
  end)

  it("keep the promises of the header: mistakes, stale ids, steps that fail, torques and states by array", function()
    assert.equal("ok\n", host.run("joint_host"))
  end)

  it("and all the rest of it, in 500 random sequences of calls: refusals change nothing, ids are honest, same bits twice",
    function() assert.equal("ok\n", host.run("random_host", seeds(500))) end)
end)
