-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Sliders of a live view: a number between two ends, and what it sets: a property of an object, the same property of the
-- material of bodies, or whatever a function does with it.
-- @module delassus.view_slider
local check = require "delassus.check"
local core = require "delassus.core"

local M = {}

local NAME = "view:slider"
local KNOWN = { "name", "min", "max", "value", "set", "unit" }
local MATERIAL = { "friction", "restitution", "stiffness", "damping", "rolling_friction", "spinning_friction",
  "tangential_restitution" }

local function is_material(target)
  return type(target) == "userdata" and (debug.getmetatable(target) or {}).__name == "delassus.Material"
end

local function same(a, b)
  for _, field in ipairs(MATERIAL) do
    if a[field] ~= b[field] then return false end
  end
  return true
end

-- Materials are values: one with another number takes the place of the old one in the bodies that have it now.
local function of_material(world, material, field)
  local bodies = {}
  for _, body in ipairs(world.bodies) do
    if same(body.material, material) then bodies[#bodies + 1] = body end
  end
  return function(value)
    local options = {}
    for _, name in ipairs(MATERIAL) do options[name] = material[name] end
    options[field] = value
    local changed = core.material(options)
    for _, body in ipairs(bodies) do
      if body.world then body.material = changed end
    end
  end
end

-- What the short form { target, "field", min, max } sets, and the number that is there.
local function of_property(world, target, field)
  if type(target) ~= "table" and type(target) ~= "userdata" then
    check.fail(NAME, "its first value must be what it sets a property of, got %s", check.shown(target))
  end
  check.string(NAME, "second value", field)
  local now = target[field]
  if now ~= nil and type(now) ~= "number" then check.fail(NAME, "'%s' is no number, but %s", field, check.shown(now)) end
  if is_material(target) then return of_material(world, target, field), now end
  return function(value) target[field] = value end, now
end

--- Reads a slider's options: `{ target, "field", min, max }` or `{ name =, min =, max =, value =, set = }`; the names go
-- with the places.
-- @treturn table { name =, unit =, min =, max =, value =, set = function }
function M.read(world, given)
  local short, named = type(given) == "table" and given[1] ~= nil, given
  if short then
    named = {}
    for key, value in next, given do
      if math.type(key) ~= "integer" or key < 1 or key > 4 then named[key] = value end
    end
  end
  check.options(NAME, named, KNOWN)
  local out = { name = check.string(NAME, "name", given.name, short), unit = check.string(NAME, "unit", given.unit, true),
    min = check.number(NAME, "min", short and given[3] or given.min),
    max = check.number(NAME, "max", short and given[4] or given.max), set = given.set }
  if out.min >= out.max then
    check.fail(NAME, "'min' must be below 'max', got %s and %s", tostring(out.min), tostring(out.max))
  end
  local value = check.number(NAME, "value", given.value, true)
  if short then
    if out.set ~= nil then check.fail(NAME, "'set' and a property to set: one of them") end
    local now
    out.set, now = of_property(world, given[1], given[2])
    out.name, value = out.name or given[2], value or now
  end
  if type(out.set) ~= "function" then check.fail(NAME, "'set' must be a function, got %s", check.shown(out.set)) end
  out.value = math.max(out.min, math.min(out.max, value or out.min))
  return out
end

return M
