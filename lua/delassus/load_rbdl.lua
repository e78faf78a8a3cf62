--- Reads RBDL's Lua models into plain models (see `delassus.load`): the file is a chunk that returns a table. It runs in
-- a cage: no files, no system, no loading of code, and it is stopped after 1e7 instructions.
-- @module delassus.load_rbdl
local core = require "delassus.core"
local keeper = require "delassus.load_keeper"
local rotation = require "delassus.rotation"

local M = {}

local MOST = 1e7           -- instructions a model may take
local MEMORY = 64 * 2 ^ 20 -- bytes; a humanoid with its muscles takes less than one MB
local TIME = 2             -- s of processor time

--- Runs the chunk; nil, message where it fails or takes too long.
local function run(text, name)
  local ok, message = load(text, "=" .. name, "t", {}) -- its syntax alone
  if not ok then return nil, message end
  local model
  model, message = core.caged(MOST, MEMORY, TIME, keeper, text, name)
  if message == "stopped: too many instructions" then message = "stopped after 1e7 instructions" end
  -- What would take the machine, not the model's time alone, is no model: an error, as any lack of memory is.
  if message and message:find("^stopped: ") then error(("delassus.load: %s: %s"):format(name, message), 5) end
  return model, message
end

local function fail(message, ...) error({ message = message:format(...) }, 0) end

local function numbers(where, name, list, n, default)
  if list == nil and default then return default end
  if type(list) ~= "table" or #list ~= n then fail("%s: '%s' must be a list of %d numbers", where, name, n) end
  for i = 1, n do
    local x = list[i]
    if type(x) ~= "number" or x ~= x or math.abs(x) == math.huge then
      fail("%s: '%s'[%d] must be a finite number", where, name, i)
    end
  end
  return { table.unpack(list, 1, n) }
end

local function matrix(where, name, rows)
  if type(rows) ~= "table" or #rows ~= 3 then fail("%s: '%s' must be three rows of three numbers", where, name) end
  local out = {}
  for i = 1, 3 do out[i] = numbers(where, ("%s[%d]"):format(name, i), rows[i], 3) end
  return out
end

local turns = { x = { 1, 0, 0 }, y = { 0, 1, 0 }, z = { 0, 0, 1 } }

local function rotations(order)
  local motions = {}
  for letter in order:gmatch(".") do motions[#motions + 1] = { "rotate", turns[letter] } end
  return { kind = "chain", motions = motions }
end

local named = {
  JointTypeSpherical = function() return { kind = "spherical" } end,
  JointTypeEulerZYX = function() return rotations "zyx" end,
  JointTypeEulerXYZ = function() return rotations "xyz" end,
  JointTypeEulerYXZ = function() return rotations "yxz" end,
  JointTypeTranslationXYZ = function()
    return { kind = "chain", motions = { { "slide", turns.x }, { "slide", turns.y }, { "slide", turns.z } } }
  end,
  JointTypeFloatingBase = function() return { kind = "free" } end,
}

--- One to six rows, each a motion axis: pure turns and slides make a chain, others a joint of screws.
local function read_rows(where, rows)
  local motions, pure = {}, true
  local subspace = { {}, {}, {}, {}, {}, {} }
  if #rows > 6 then fail("%s: 'joint' has %d rows, at most 6 are possible", where, #rows) end
  for k, row in ipairs(rows) do
    local axis = numbers(where, ("joint[%d]"):format(k), row, 6)
    local turning = axis[1] ~= 0 or axis[2] ~= 0 or axis[3] ~= 0
    local sliding = axis[4] ~= 0 or axis[5] ~= 0 or axis[6] ~= 0
    if not turning and not sliding then fail("%s: joint[%d] is zero", where, k) end
    pure = pure and turning ~= sliding
    motions[k] = turning and { "rotate", { axis[1], axis[2], axis[3] } } or { "slide", { axis[4], axis[5], axis[6] } }
    for i = 1, 6 do subspace[i][k] = axis[i] end
  end
  if not pure then return { kind = "custom", subspace = subspace } end
  return { kind = "chain", motions = motions }
end

local function read_joint(where, joint)
  if joint == nil or (type(joint) == "table" and #joint == 0) then return { kind = "fixed" } end
  if type(joint) ~= "table" then fail("%s: 'joint' must be a table", where) end
  if type(joint[1]) == "string" then
    local make = named[joint[1]]
    if not make then fail("%s: unknown joint '%s'", where, joint[1]) end
    return make()
  end
  return read_rows(where, joint)
end

local function read_body(where, body, out)
  if body == nil then return end
  if type(body) ~= "table" then fail("%s: 'body' must be a table", where) end
  out.mass = body.mass == nil and 1 or body.mass
  if type(out.mass) ~= "number" or out.mass < 0 or out.mass ~= out.mass then fail("%s: 'mass' must be >= 0", where) end
  out.com = numbers(where, "com", body.com, 3, { 0, 0, 0 })
  local I = body.inertia and matrix(where, "inertia", body.inertia) or { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
  for i = 1, 3 do
    for j = 1, i - 1 do
      local size = math.max(math.abs(I[i][i]), math.abs(I[j][j]))
      if math.abs(I[i][j] - I[j][i]) > 1e-9 * size then
        fail("%s: 'inertia' is not symmetric: row %d, column %d holds %g, its mirror %g", where, i, j, I[i][j], I[j][i])
      end
    end
  end
  out.inertia = { I[1][1], I[2][2], I[3][3], I[1][2], I[1][3], I[2][3] }
end

local function read_frame(frame, k, model)
  local where = ("frames[%d]"):format(k)
  if type(frame) ~= "table" then fail("%s: must be a table", where) end
  if type(frame.name) ~= "string" then fail("%s: 'name' is required", where) end
  where = ("frame '%s'"):format(frame.name)
  if model.by_name[frame.name] or frame.name == "ROOT" then fail("%s: the name is taken", where) end
  local body = { name = frame.name, mass = 0, com = { 0, 0, 0 }, inertia = { 0, 0, 0, 0, 0, 0 }, shapes = {} }
  if frame.parent == nil then fail("%s: 'parent' is required ('ROOT' or the name of a frame before it)", where) end
  if frame.parent ~= "ROOT" then
    body.parent = model.by_name[frame.parent]
    if not body.parent then fail("%s: there is no parent '%s' before it", where, tostring(frame.parent)) end
  end
  read_body(where, frame.body, body)
  body.joint = read_joint(where, frame.joint)
  body.joint.name = frame.name
  local at = frame.joint_frame or {}
  body.position = numbers(where, "joint_frame.r", at.r, 3, { 0, 0, 0 })
  body.rotation = rotation.identity
  if at.E then
    local E = matrix(where, "joint_frame.E", at.E)
    local transposed = {}
    for i = 1, 3 do transposed[i] = { E[1][i], E[2][i], E[3][i] } end
    local q, off = rotation.from_matrix(transposed)
    if not q then fail("%s: 'joint_frame.E' is no rotation (off by %.1e)", where, off) end
    body.rotation = q
  end
  model.by_name[body.name] = body
  model.bodies[k] = body
end

--- Reads the text of an RBDL Lua model.
-- @treturn table|nil the model, or nil and a message
function M.read(text, name)
  local given, message = run(text, name)
  if not given then return nil, message end
  local model = { bodies = {}, by_name = {}, ignored = {}, rooted = true }
  local ok, problem = pcall(function()
    model.gravity = numbers("model", "gravity", given.gravity, 3, { 0, -9.81, 0 })
    if type(given.frames) ~= "table" or #given.frames == 0 then fail("model: 'frames' is required") end
    for k, frame in ipairs(given.frames) do read_frame(frame, k, model) end
    for _, part in ipairs { "constraint_sets", "millard2016_torque_muscles" } do
      if given[part] ~= nil then model.ignored[#model.ignored + 1] = part end
    end
  end)
  if not ok then return nil, type(problem) == "table" and problem.message or problem end
  return model
end

return M
