-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- The hand of a live view: a spring and damper between a point of a body and the mouse, for as long as it holds.
-- A spring of a world pulls along its line alone, and damps along it alone: a body would orbit the mouse. So there is
-- one a direction, from an anchor FAR away on the ground: to 1/FAR of the way it pulls and damps along that direction,
-- and the ledger has its work under `springs`.
-- @module delassus.view_hand
local core = require "delassus.core"
local rotation = require "delassus.rotation"

local M = {}

local FAR = 1e4 -- of the lengths at hand
local FOLLOW = 0.02 -- s of the world's time in which the spring's end follows the mouse

local Hand = {}
Hand.__index = Hand

local function keys_of(world)
  local set = {}
  for _, connection in ipairs(core.connections(world)) do set[connection.key] = true end
  return set
end

-- The mass that joints hold together with a body, kg: the hand carries all of it.
local function carried(world, body)
  local neighbours = {}
  for _, c in ipairs(core.connections(world)) do
    if c.joint and c.kind ~= "free" then
      for _, pair in ipairs{ { c.a, c.b }, { c.b, c.a } } do
        neighbours[pair[1]] = neighbours[pair[1]] or {}
        table.insert(neighbours[pair[1]], pair[2])
      end
    end
  end
  local sum, seen, list = 0, { [body] = true }, { body }
  while #list > 0 do
    local one = table.remove(list)
    sum = sum + one.mass
    for _, other in ipairs(neighbours[one] or {}) do
      if not seen[other] and other.type == "dynamic" then
        seen[other] = true
        list[#list + 1] = other
      end
    end
  end
  return sum
end

local function anchors(self)
  local out = {}
  for i = 1, #self.at do
    local anchor = table.move(self.at, 1, #self.at, 1, {})
    anchor[i] = anchor[i] - self.far
    out[i] = anchor
  end
  return out
end

-- A point of a body, in the world.
local function place_of(body, point)
  local at, turn = body.position, body.rotation
  if #point == 2 then
    local c, s = core.math.cos(turn), core.math.sin(turn)
    return { at[1] + c * point[1] - s * point[2], at[2] + s * point[1] + c * point[2] }
  end
  local arm = rotation.apply(turn, point)
  return { at[1] + arm[1], at[2] + arm[2], at[3] + arm[3] }
end

--- Takes hold of a body.
-- @param body dynamic
-- @tparam table point in the body's frame
-- @tparam number frequency Hz of the body's swings on the spring, which is critically damped
function M.hold(world, body, point, frequency)
  local at = place_of(body, point)
  local self = setmetatable({ world = world, body = body, at = {}, to = {}, springs = {}, keys = {} }, Hand)
  local reach = 1
  for i = 1, #at do
    self.at[i], self.to[i] = at[i], at[i]
    reach = math.max(reach, math.abs(at[i]))
  end
  self.far = FAR * reach
  local mass, rate = carried(world, body), 2 * math.pi * frequency
  local before = keys_of(world)
  for i, anchor in ipairs(anchors(self)) do
    self.springs[i] = world:spring{ world.ground, body, anchor_a = anchor, anchor_b = point, stiffness = mass * rate * rate,
      damping = 2 * mass * rate, length = self.far }
  end
  for key in next, keys_of(world) do
    if not before[key] then self.keys[key] = true end
  end
  return self
end

--- Where the mouse is now.
function Hand:move(to) self.to = to end

--- Before `time` s of steps: the spring's end goes towards the mouse.
function Hand:follow(time)
  local share = math.min(1, time / FOLLOW)
  for i = 1, #self.at do self.at[i] = self.at[i] + share * (self.to[i] - self.at[i]) end
  for i, anchor in ipairs(anchors(self)) do self.springs[i].anchor_a = anchor end
end

--- Lets go.
function Hand:release()
  for _, spring in ipairs(self.springs) do
    pcall(self.world.remove, self.world, spring) -- the body, or the world, may have gone before
  end
  self.springs = {}
end

return M
