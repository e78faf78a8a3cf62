-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Finalizers (`__gc`) run inside of any call that allocates: what they close or would change may be in use by it.
local delassus = require "delassus"
local lcp = require "delassus.lcp"

--- Lets `act` run as a finalizer, within a full collection; answers what pcall answers.
local function in_finalizer(act)
  local answer
  setmetatable({}, { __gc = function() answer = table.pack(pcall(act)) end })
  collectgarbage()
  return table.unpack(answer, 1, answer.n)
end

--- Calls `call` with ever new garbage whose finalizers do `act`, while the collector works at every allocation.
local function among_finalizers(act, call)
  local ran = 0
  collectgarbage("incremental", 100, 400, 8)
  collectgarbage()
  for _ = 1, 50 do
    for _ = 1, 20 do setmetatable({}, { __gc = function() ran = ran + 1; pcall(act) end }) end
    call()
  end
  collectgarbage("incremental", 200, 100, 13)
  return ran
end

local function heap()
  local world = delassus.world{ planar = true, log = true, record = false }
  world:floor{}
  for k = 1, 5 do world:disk{ radius = 0.1, position = { 0.15 * k, 0.1 }, name = "disk " .. k } end
  world:step(2)
  return world
end

describe("a body", function()
  it("keeps the world that nobody else holds, to the bit of one that is held", function()
    local function dropped()
      local world = delassus.world{ record = false }
      return world:sphere{ radius = 0.1, density = 1000, position = { 0, 0, 1 } }
    end
    local ball, held = dropped(), delassus.world{ record = false }
    local other = held:sphere{ radius = 0.1, density = 1000, position = { 0, 0, 1 } }
    for _ = 1, 20 do
      collectgarbage()
      ball.world:step(5)
      held:step(5)
      assert.equal(other.position.z, ball.position.z)
    end
    assert.equal(held:hash(), ball.world:hash())
    assert.near(-9.81 * 0.1, ball.velocity.z, 1e-12) -- 100 steps of 1 ms
  end)
end)

describe("a finalizer", function()
  it("closes a world for everyone", function()
    local world = heap()
    local ball = world:find "disk 1"
    assert.is_true((in_finalizer(function() world:close() end)))
    assert.error_matches(function() world:step() end, "attempt to use a closed world")
    assert.error_matches(function() return ball.position end, "attempt to use a body of a closed world")
    assert.has_no_error(function() world:close() end) -- spec/support/memory/finalizers.lua counts the bytes
  end)

  it("may ask a world, and is told that it cannot change it", function()
    local world = heap()
    local ball, hash = world:find "disk 1", world:hash()
    local ok, time = in_finalizer(function() return world.time end)
    assert.is_true(ok)
    assert.equal(world.time, time)
    for name, act in pairs{
      ["world:step"] = function() world:step() end,
      ["world:disk"] = function() world:disk{ radius = 1 } end,
      ["world:remove"] = function() world:remove(ball) end,
      ["world:restore"] = function() world:restore(world:snapshot()) end,
      ["world.dt"] = function() world.dt = 1 end,
      ["body"] = function() ball.position = { 5, 5 } end,
    } do
      local done, message = in_finalizer(act)
      assert.is_false(done, name)
      assert.matches(name .. ": not possible in a finalizer: another call may be at work", message, 1, true)
      assert.equal(hash, world:hash())
    end
  end)

  it("is told the same by solvers, stacks and systems of equations", function()
    local solver = lcp.solver{ method = "lemke" }
    local stack = delassus.stack{ bodies = { { mass = 1, stiffness = 1e5, position = 1 } } }
    for _, act in ipairs{ function() solver:solve({ { 1 } }, { 1 }) end, function() stack:step() end } do
      local ok, message = in_finalizer(act)
      assert.is_false(ok)
      assert.matches("not possible in a finalizer", message, 1, true)
    end
    assert.has_no_error(function() solver:solve({ { 1 } }, { -1 }) end)
  end)

  it("harms no method that it interrupts, whatever it does", function()
    for _, method in ipairs{ "body", "contacts", "events", "snapshot", "options", "step" } do
      local world, _
      local ran = among_finalizers(function()
        world:close()
        world:step(3)
        world:remove(world.bodies[2])
      end, function()
        world = heap()
        local ok, message = pcall(function()
          if method == "body" then
            for k = 1, 20 do world:box{ size = { 0.1, 0.1 }, position = { k, 3 }, name = "box " .. k, group = "g" } end
          elseif method == "contacts" then
            for contact in world:contacts() do _ = tostring(contact) .. tostring(contact.point) end
          elseif method == "events" then
            for _, event in ipairs(world.events) do _ = tostring(event.contact) end
          elseif method == "snapshot" then
            world:restore(world:snapshot())
          elseif method == "options" then
            world:joint{ "revolute", world.ground, world.bodies[2], anchor = { 0, 0 } }
            world:spring{ world.bodies[3], world.bodies[4], stiffness = 10 }
          else
            world:on("contact", function(event) _ = tostring(event.a) end)
            world:step(4)
          end
        end)
        assert.is_true(ok or message:find("closed", 1, true) ~= nil, message)
      end)
      assert.is_true(ran > 100, method .. ": finalizers ran " .. ran .. " times")
    end
  end)
end)
