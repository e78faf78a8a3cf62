--- Reads URDF robot descriptions into plain models (see `delassus.load`). Needs lua-expat.
-- @module delassus.load_urdf
local meshes = require "delassus.load_mesh"
local rotation = require "delassus.rotation"

local M = {}

--- Elements as tables: {tag, line, attributes by name, children in order}.
local function parse(text)
  local ok, lxp = pcall(require, "lxp")
  if not ok then return nil, "reading URDF needs lua-expat (Debian: lua-expat)" end
  local root = { children = {} }
  local open = { root }
  local parser
  parser = lxp.new {
    StartElement = function(_, tag, attributes)
      local element = { tag = tag, line = (parser:pos()), attributes = attributes, children = {} }
      table.insert(open[#open].children, element)
      open[#open + 1] = element
    end,
    EndElement = function() open[#open] = nil end,
  }
  local good, message, line, column = parser:parse(text)
  if good then good, message, line, column = parser:parse() end
  pcall(parser.close, parser) -- it raises where the text ended too early
  if not good then return nil, ("%d:%d: %s"):format(line or 0, column or 0, message) end
  return root
end

--- A reader raises {message} with the element's line; `read` turns that into nil, message.
local function fail(element, message, ...)
  error({ message = ("%d: <%s>: %s"):format(element.line, element.tag, message:format(...)) }, 0)
end

local function child(element, tag)
  for _, inner in ipairs(element.children) do
    if inner.tag == tag then return inner end
  end
end

local function attribute(element, name, default)
  local value = element.attributes[name]
  if value == nil then
    if default == nil then fail(element, "'%s' is required", name) end
    return default
  end
  return value
end

local function numbers(element, name, n, default)
  local text = element.attributes[name]
  if text == nil then
    if default == nil then fail(element, "'%s' is required", name) end
    return default
  end
  local list = {}
  for word in text:gmatch("%S+") do
    local x = tonumber(word)
    if not x or x ~= x or math.abs(x) == math.huge then fail(element, "'%s' holds '%s', not a number", name, word) end
    list[#list + 1] = x
  end
  if #list ~= n then fail(element, "'%s' must hold %d numbers, got %d", name, n, #list) end
  return list
end

local function number(element, name, default)
  local list = numbers(element, name, 1, default and { default })
  return list[1]
end

local function origin(element)
  local at = child(element, "origin")
  if not at then return { 0, 0, 0 }, rotation.identity end
  return numbers(at, "xyz", 3, { 0, 0, 0 }), rotation.from_rpy(numbers(at, "rpy", 3, { 0, 0, 0 }))
end

local function read_inertial(link, body)
  local inertial = child(link, "inertial")
  if not inertial then return end
  local com, turn = origin(inertial)
  local mass, inertia = child(inertial, "mass"), child(inertial, "inertia")
  if not mass or not inertia then fail(inertial, "needs <mass> and <inertia>") end
  body.mass = number(mass, "value")
  if body.mass < 0 then fail(mass, "'value' must be >= 0, got %g", body.mass) end
  body.com = com
  body.inertia = rotation.turn_inertia(turn, {
    number(inertia, "ixx"), number(inertia, "iyy"), number(inertia, "izz"),
    number(inertia, "ixy", 0), number(inertia, "ixz", 0), number(inertia, "iyz", 0) })
end

-- URDF's cylinders stand on z, ours lie on x.
local UPRIGHT = { math.sqrt(0.5), 0, -math.sqrt(0.5), 0 }

local readers = {}
function readers.box(g) return { kind = "box", size = numbers(g, "size", 3) } end
function readers.sphere(g) return { kind = "sphere", radius = number(g, "radius") } end
function readers.cylinder(g)
  return { kind = "cylinder", radius = number(g, "radius"), length = number(g, "length") }, UPRIGHT
end
readers.capsule = function(g)
  return { kind = "capsule", radius = number(g, "radius"), length = number(g, "length") }, UPRIGHT
end

local function read_collisions(link, body, model)
  for _, element in ipairs(link.children) do
    local geometry = element.tag == "collision" and child(element, "geometry")
    local form = geometry and geometry.children[1]
    if form and readers[form.tag] then
      local shape, turn = readers[form.tag](form)
      shape.position, shape.rotation = origin(element)
      if turn then shape.rotation = rotation.multiply(shape.rotation, turn) end
      table.insert(body.shapes, shape)
    elseif form then
      table.insert(model.ignored, ("link '%s': collision shape <%s>"):format(body.name, form.tag))
    end
  end
end

-- Red, green, blue of a material: its own, or of the one of that name at the robot.
local function colour_of(element, model)
  local material = child(element, "material")
  if not material then return nil end
  local colour = child(material, "color")
  if not colour then return model.colours[material.attributes.name] end
  local rgba = numbers(colour, "rgba", 4)
  return { rgba[1], rgba[2], rgba[3] }
end

-- The shape of a visual, or nil and why there is none.
local function visual_shape(form, folder)
  if readers[form.tag] then return readers[form.tag](form) end
  if form.tag ~= "mesh" then return nil, ("<%s>"):format(form.tag) end
  local name = attribute(form, "filename")
  local path = meshes.find(name, folder)
  if not path then return nil, ("mesh '%s' is not there"):format(name) end
  local shape, message = meshes.read(path, numbers(form, "scale", 3, { 1, 1, 1 }))
  return shape, nil, message
end

-- What is drawn in place of the collision shapes; what cannot be read is told as ignored.
local function read_visuals(link, body, model)
  for _, element in ipairs(link.children) do
    local geometry = element.tag == "visual" and child(element, "geometry")
    local form = geometry and geometry.children[1]
    if form then
      local shape, turn, message = visual_shape(form, model.folder)
      local position, orientation = origin(element)
      if shape then
        if turn then orientation = rotation.multiply(orientation, turn) end
        table.insert(body.visuals, { shape = shape, position = position, rotation = orientation,
          colour = colour_of(element, model) })
      else
        table.insert(model.ignored, ("link '%s': visual %s"):format(body.name, message or turn))
      end
    end
  end
end

local function read_link(link, model)
  local body = { name = attribute(link, "name"), mass = 0, com = { 0, 0, 0 }, inertia = { 0, 0, 0, 0, 0, 0 }, shapes = {},
    visuals = {} }
  if model.by_name[body.name] then fail(link, "the name '%s' is taken", body.name) end
  read_inertial(link, body)
  read_collisions(link, body, model)
  read_visuals(link, body, model)
  model.by_name[body.name] = body
  table.insert(model.bodies, body)
end

local kinds = { revolute = "revolute", continuous = "revolute", prismatic = "prismatic", fixed = "fixed",
  floating = "free", planar = "planar" }

local function read_joint(element, model)
  local joint = { name = attribute(element, "name") }
  if model.joints[joint.name] then fail(element, "the name '%s' is taken", joint.name) end
  model.joints[joint.name] = joint
  local given = attribute(element, "type")
  joint.kind = kinds[given]
  if not joint.kind then fail(element, "joint '%s' has the unknown type '%s'", joint.name, given) end
  local parent, inner = child(element, "parent"), child(element, "child")
  if not parent or not inner then fail(element, "joint '%s' needs <parent> and <child>", joint.name) end
  local body = model.by_name[attribute(inner, "link")]
  local carrier = model.by_name[attribute(parent, "link")]
  if not body then fail(inner, "there is no link '%s'", inner.attributes.link) end
  if not carrier then fail(parent, "there is no link '%s'", parent.attributes.link) end
  if body.joint then fail(element, "link '%s' has two parents", body.name) end
  local axis = given ~= "fixed" and given ~= "floating" and child(element, "axis")
  if axis then
    joint.axis = numbers(axis, "xyz", 3)
    if joint.axis[1] == 0 and joint.axis[2] == 0 and joint.axis[3] == 0 then fail(axis, "the axis is zero") end
  end
  local limit, dynamics, mimic = child(element, "limit"), child(element, "dynamics"), child(element, "mimic")
  if limit and (given == "revolute" or given == "prismatic") then
    joint.limits = { number(limit, "lower", 0), number(limit, "upper", 0) }
    if joint.limits[1] > joint.limits[2] then fail(limit, "'lower' is above 'upper'") end
  end
  if dynamics and given ~= "fixed" and given ~= "floating" then
    joint.damping, joint.friction = number(dynamics, "damping", 0), number(dynamics, "friction", 0)
  end
  if mimic then
    joint.mimic = { joint = attribute(mimic, "joint"), ratio = number(mimic, "multiplier", 1),
      offset = number(mimic, "offset", 0) }
  end
  body.position, body.rotation = origin(element)
  body.joint, body.parent = joint, carrier
end

--- Parents before children; the first is the root.
local function in_order(model, robot)
  local list, placed, roots = {}, {}, {}
  for _, body in ipairs(model.bodies) do
    if not body.parent then roots[#roots + 1] = body.name end
  end
  if #roots ~= 1 then
    fail(robot, "needs one root link, has %d%s", #roots, #roots > 1 and ": " .. table.concat(roots, ", ") or " (a loop)")
  end
  repeat
    local before = #list
    for _, body in ipairs(model.bodies) do
      if not placed[body] and (not body.parent or placed[body.parent]) then
        placed[body] = true
        list[#list + 1] = body
      end
    end
  until #list == before
  for _, body in ipairs(model.bodies) do
    if not placed[body] then fail(robot, "link '%s' hangs in a loop", body.name) end
  end
  model.bodies = list
end

--- Reads the text of a URDF file.
-- @tparam string text
-- @tparam[opt=""] string folder of the file, where its meshes are looked for
-- @treturn table|nil the model, or nil and a message with the line
function M.read(text, folder)
  local root, message = parse(text)
  if not root then return nil, message end
  local model = { bodies = {}, by_name = {}, joints = {}, ignored = {}, gravity = { 0, 0, -9.81 }, colours = {},
    folder = folder or "" }
  local ok, problem = pcall(function()
    local robot = root.children[1]
    if not robot or robot.tag ~= "robot" then
      error({ message = " not a URDF file: the outermost element must be <robot>" }, 0)
    end
    model.name = robot.attributes.name
    for _, element in ipairs(robot.children) do
      local colour = element.tag == "material" and child(element, "color")
      local rgba = colour and numbers(colour, "rgba", 4)
      if rgba then model.colours[attribute(element, "name")] = { rgba[1], rgba[2], rgba[3] } end
    end
    for _, element in ipairs(robot.children) do
      if element.tag:find("^xacro:") then fail(element, "the file is a xacro source: run xacro on it first") end
      if element.tag == "link" then read_link(element, model) end
    end
    for _, element in ipairs(robot.children) do
      if element.tag == "joint" then read_joint(element, model) end
    end
    if #model.bodies == 0 then fail(robot, "has no links") end
    in_order(model, robot)
  end)
  if ok then return model end
  if type(problem) == "table" then return nil, problem.message end
  error(problem, 0)
end

return M
