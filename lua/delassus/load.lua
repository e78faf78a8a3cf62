--- `delassus.load(file, options)`: mechanisms from URDF files and RBDL's Lua models.
-- @module delassus.load
local core = require "delassus.core"
local rotation = require "delassus.rotation"

local rules = { root = { "fixed", "free" } }

local function read_file(path)
  local file, message = io.open(path, "rb")
  if not file then return nil, message end
  local text = file:read("a")
  file:close()
  if not text then return nil, path .. ": cannot be read" end
  return text
end

local function read_model(path)
  local text, message = read_file(path)
  if not text then return nil, message end
  local model
  if path:match("%.lua$") then
    model, message = require "delassus.load_rbdl".read(text, path)
    if message and message:sub(1, #path) ~= path then message = path .. ": " .. message end
  elseif path:match("%.urdf$") or path:match("%.xml$") then
    model, message = require "delassus.load_urdf".read(text, path:match("^.*[/\\]") or "")
    message = message and path .. (message:match "^%d" and ":" or ": ") .. message
  else
    return nil, path .. ": a model's name ends in .urdf or .lua"
  end
  return model, message
end

--- World pose of every body at the zero pose, from parents to children.
local function place(model)
  for _, body in ipairs(model.bodies) do
    local position, turn = body.position or { 0, 0, 0 }, body.rotation or rotation.identity
    if body.parent then
      local base = body.parent
      local moved = rotation.apply(base.world_rotation, position)
      for i = 1, 3 do moved[i] = moved[i] + base.world_position[i] end
      position, turn = moved, rotation.unit(rotation.multiply(base.world_rotation, turn))
    end
    body.world_position, body.world_rotation = position, turn
  end
end

local makers = {
  box = function(delassus, s) return delassus.box { size = s.size } end,
  sphere = function(delassus, s) return delassus.sphere { radius = s.radius } end,
  cylinder = function(delassus, s) return delassus.cylinder { radius = s.radius, length = s.length } end,
  capsule = function(delassus, s) return delassus.capsule { radius = s.radius, length = s.length } end,
}

local function shape_of(delassus, body)
  if #body.shapes == 0 then return nil end
  local parts = {}
  for i, s in ipairs(body.shapes) do
    parts[i] = { shape = makers[s.kind](delassus, s), position = s.position, rotation = s.rotation }
  end
  return delassus.compound(parts)
end

local function add_body(delassus, world, body, fixed)
  return world:body {
    name = body.name, type = fixed and "static" or nil, shape = shape_of(delassus, body),
    mass = not fixed and body.mass or nil, inertia = not fixed and body.inertia or nil,
    com = not fixed and body.com or nil, position = body.world_position, rotation = body.world_rotation,
  }
end

--- The joint of a body, its axis turned onto the frame's x.
local function add_joint(world, body, carrier, made)
  local joint = body.joint
  local turn = joint.axis and rotation.from_x(joint.axis) or rotation.identity
  return world:joint {
    joint.kind, carrier, made, name = joint.name, motions = joint.motions, subspace = joint.subspace, limits = joint.limits,
    damping = joint.damping, friction = joint.friction,
    frame_a = { position = body.position, rotation = rotation.multiply(body.rotation, turn) },
    frame_b = { position = { 0, 0, 0 }, rotation = turn },
  }
end

--- Calls make(...); what it raises is told with the thing's name.
local function told(kind, name, make, ...)
  local ok, result = pcall(make, ...)
  if ok then return result end
  error(("%s '%s': %s"):format(kind, name, (tostring(result):gsub("^[^:]+:%d+: ", ""))), 0)
end

local function build(model, options)
  local delassus = require "delassus"
  local world = delassus.world { gravity = model.gravity }
  local index = { bodies = {}, joints = {}, ignored = model.ignored }
  local fixed_root = not model.rooted and (options.root or "fixed") == "fixed"
  place(model)
  for k, body in ipairs(model.bodies) do
    local made = told("body", body.name, add_body, delassus, world, body, fixed_root and k == 1)
    if body.visuals and #body.visuals > 0 then require "delassus.looks".set(world, made, body.visuals) end
    index.bodies[body.name] = made
    if body.joint and body.joint.kind ~= "free" or body.parent then
      local carrier = body.parent and index.bodies[body.parent.name] or world.ground
      index.joints[body.joint.name] = told("joint", body.joint.name, add_joint, world, body, carrier, made)
    end
  end
  for _, joint in ipairs(model.followers or {}) do
    index.joints[joint.name].q = joint.mimic.ratio * index.joints[joint.mimic.joint].q + joint.mimic.offset
  end
  for _, joint in ipairs(model.followers or {}) do
    told("joint", joint.name, world.gear, world, { index.joints[joint.mimic.joint], index.joints[joint.name],
      ratio = joint.mimic.ratio })
  end
  return world, index
end

local ONE_DEGREE = { revolute = true, prismatic = true }

--- Joints that mimic others, leaders before them: model.followers. true, or nil and what is wrong with one.
local function order_followers(model)
  local joints, state = {}, {}
  for _, body in ipairs(model.bodies) do
    if body.joint then joints[body.joint.name] = body.joint end
  end
  model.followers = {}
  local function visit(joint)
    local mimic = joint.mimic
    if not mimic or state[joint] == "done" then return true end
    local leader = joints[mimic.joint]
    local wrong = not leader and "which is not there"
      or not ONE_DEGREE[leader.kind] and "which has no coordinate to follow"
      or not ONE_DEGREE[joint.kind] and "but has no coordinate of its own"
      or mimic.ratio == 0 and "with a multiplier of 0"
      or (leader == joint or state[joint] == "begun") and "and so itself"
    if wrong then return nil, ("joint '%s' mimics '%s', %s"):format(joint.name, mimic.joint, wrong) end
    state[joint] = "begun"
    local good, message = visit(leader)
    if not good then return nil, message end
    state[joint] = "done"
    table.insert(model.followers, joint)
    return true
  end
  for _, body in ipairs(model.bodies) do
    local good, message = true, nil
    if body.joint then good, message = visit(body.joint) end
    if not good then return nil, message end
  end
  return true
end

--- Reads a mechanism.
-- @tparam string path a ".urdf" file (needs lua-expat) or an RBDL ".lua" model
-- @tparam[opt] table options `root` = "fixed" (default) or "free": how the root link of a URDF stands in the world
-- @treturn world|nil the world, or nil and a message with file and line
-- @treturn table index: `bodies` and `joints` by name, `ignored`: what the file holds and the world does not
-- @usage local world, index = delassus.load("robot.urdf", { root = "fixed" })
local function load_model(path, options)
  if type(path) ~= "string" then core.raise("delassus.load", "expected a file name, got " .. tostring(path)) end
  options = options or {}
  core.check("delassus.load", options, rules)
  local model, message = read_model(path)
  if not model then return nil, message end
  local ok
  ok, message = order_followers(model)
  if not ok then return nil, path .. ": " .. message end
  local good, world, index = pcall(build, model, options)
  if not good then return nil, path .. ": " .. tostring(world):gsub("^[^:]+:%d+: ", "") end
  return world, index
end

return load_model
