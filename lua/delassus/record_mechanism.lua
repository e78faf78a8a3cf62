-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- What a recording holds of a mechanism beside its bodies' shapes: connections between bodies, and of a body its mass
-- centre, inertia and looks.
--
-- A connection is a table: `kind`, `name`, the bodies `a` and `b` by number (0: the ground), and
--
-- - a kind of joint (`core.joint_kinds`: "spherical", "revolute", ...): `frame_a`, `frame_b` (in the bodies:
--   `{ position =, rotation = }`), `axis` and `second` (directions in that frame, three numbers), `limits = {lo, hi}`;
-- - kind "spring", "rope": `point_a`, `point_b` (in the bodies), `length` (without force; at most);
-- - kind "contact" (made by hand): `point_a`, `point_b`, `normal` (in a).
--
-- `from`, `till`: the times between which it is there (s).
-- @module delassus.record_mechanism
local check = require "delassus.check"
local core = require "delassus.core"
local json = require "delassus.json"

local M = {}

local JOINTS = core.joint_kinds
local KINDS = table.move(JOINTS, 1, #JOINTS, 1, {})
for _, kind in ipairs{ "spring", "rope", "contact" } do KINDS[#KINDS + 1] = kind end
local IS_JOINT = {}
for _, kind in ipairs(JOINTS) do IS_JOINT[kind] = true end
local FIELDS = { "kind", "name", "a", "b", "frame_a", "frame_b", "axis", "second", "limits", "point_a", "point_b", "length",
  "normal", "from", "till" }

-- A list of n finite numbers, or nil.
local function numbers(name, key, value, n)
  if value == nil then return nil end
  local list = check.list(name, key, value)
  if #list ~= n then check.fail(name, "'%s' must hold %d numbers, got %d", key, n, #list) end
  for i = 1, n do check.number(name, ("%s[%d]"):format(key, i), list[i]) end
  return json.list(list)
end

local function frame(name, key, given, planar)
  if given == nil then given = {} end
  check.options(name .. ": " .. key, given, { "position", "rotation" })
  local turn = given.rotation
  if planar then turn = check.number(name, key .. ".rotation", turn, true)
  else turn = numbers(name, key .. ".rotation", turn, 4) end
  return { position = numbers(name, key .. ".position", given.position, planar and 2 or 3)
    or json.list(planar and { 0, 0 } or { 0, 0, 0 }), rotation = turn }
end

--- Checks a connection of a recording of `n` bodies.
-- @treturn table a copy
-- @raise what is wrong with it, in the name `name`
function M.connection(name, given, planar, n)
  check.options(name, given, FIELDS)
  local out = { kind = check.choice(name, "kind", given.kind, KINDS), name = check.string(name, "name", given.name, true) }
  for _, side in ipairs{ "a", "b" } do
    local body = given[side]
    if math.type(body) ~= "integer" or body < 0 or body > n then
      check.fail(name, "'%s' must be the number of a body (0 to %d), got %s", side, n, check.shown(body))
    end
    out[side] = body
  end
  out.from, out.till = check.number(name, "from", given.from, true), check.number(name, "till", given.till, true)
  if IS_JOINT[out.kind] then
    out.frame_a, out.frame_b = frame(name, "frame_a", given.frame_a, planar), frame(name, "frame_b", given.frame_b, planar)
    out.axis, out.second = numbers(name, "axis", given.axis, 3), numbers(name, "second", given.second, 3)
    out.limits = numbers(name, "limits", given.limits, 2)
    return out
  end
  local dim = planar and 2 or 3
  for _, key in ipairs{ "point_a", "point_b" } do
    out[key] = numbers(name, key, given[key], dim) or json.list(planar and { 0, 0 } or { 0, 0, 0 })
  end
  out.length, out.normal = check.number(name, "length", given.length, true), numbers(name, "normal", given.normal, dim)
  return out
end

--- What is known of a body beside its name, type and shape: `mass` (kg), `com`, `inertia` (about it: a number in the
-- plane, else 3 or 6), `colour` (red, green, blue from 0 to 1), `visuals`, a list of
-- `{ shape =, position =, rotation =, colour = }` that are drawn in place of the shape.
function M.details(name, given, planar, check_shape)
  local inertia = given.inertia
  if inertia ~= nil and type(inertia) ~= "number" then
    inertia = check.list(name, "inertia", inertia)
    inertia = numbers(name, "inertia", inertia, #inertia == 3 and 3 or 6)
  end
  local out = { mass = check.number(name, "mass", given.mass, true), com = numbers(name, "com", given.com, planar and 2 or 3),
    inertia = inertia, colour = numbers(name, "colour", given.colour, 3) }
  for i, visual in ipairs(given.visuals or {}) do
    local where = ("%s: visuals[%d]"):format(name, i)
    check.options(where, visual, { "shape", "position", "rotation", "colour" })
    check_shape(where, visual.shape, planar)
    out.visuals = out.visuals or json.list()
    out.visuals[i] = { shape = visual.shape, position = visual.position, rotation = visual.rotation,
      colour = numbers(where, "colour", visual.colour, 3) }
  end
  return out
end

M.DETAILS = { "mass", "com", "inertia", "colour", "visuals" }

-- --- of worlds ------------------------------------------------------------------------------------------------------

local function finite(list)
  if not list then return nil end
  for _, x in ipairs(list) do
    if x ~= x or math.abs(x) == math.huge then return nil end
  end
  return list
end

local function flat_frame(place)
  local q = place.rotation
  return { position = { place.position[1], place.position[2] }, rotation = 2 * math.atan(q[4], q[1]) }
end

--- A connection of a world (of `core.connections`) as recordings hold it; `number(body)` is the body's number.
function M.of_world(given, planar, number)
  local out = { kind = given.kind, a = number(given.a), b = number(given.b), point_a = given.point_a, point_b = given.point_b,
    length = given.length, normal = given.normal }
  if not given.joint then return out end
  out.name, out.axis, out.second, out.limits = given.joint.name, given.axis, given.second, finite(given.limits)
  out.frame_a = planar and flat_frame(given.frame_a) or given.frame_a
  out.frame_b = planar and flat_frame(given.frame_b) or given.frame_b
  return out
end

return M
