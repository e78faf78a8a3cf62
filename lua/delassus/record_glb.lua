-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Recordings as animated glTF 2.0 in one binary file (".glb"): a node and a mesh a body, under a root whose y is up, moved by
-- one animation (positions and unit quaternions of every frame). A body that is not there is shrunk to nothing.
-- @module delassus.record_glb
local json = require "delassus.json"
local pack = require "delassus.pack"
local surfaces = require "delassus.record_surface"
local triangles = require "delassus.triangles"

local FLOAT, UINT = 5126, 5125
local GROUND = { 0.69, 0.64, 0.56 }

-- The numbers of the file: buffer views and accessors of one buffer.
local Store = {}
Store.__index = Store

local function store() return setmetatable({ views = json.list(), accessors = json.list(), parts = {}, size = 0 }, Store) end

-- Adds packed numbers; answers the accessor's number. More: min, max.
function Store:add(bytes, component, kind, width, target, more)
  self.views[#self.views + 1] = { buffer = 0, byteOffset = self.size, byteLength = #bytes, target = target }
  self.parts[#self.parts + 1] = bytes
  self.size = self.size + #bytes
  local accessor = { bufferView = #self.views - 1, componentType = component, count = #bytes // (4 * width), type = kind }
  for key, value in next, more or {} do accessor[key] = value end
  self.accessors[#self.accessors + 1] = accessor
  return #self.accessors - 1
end

-- Least and greatest of each component, of the numbers as they are in the file.
local function bounds(bytes, width)
  local list, low, high = pack.unpack("f", bytes, 1, #bytes // 4), json.list(), json.list()
  for c = 1, width do low[c], high[c] = math.huge, -math.huge end
  for i, x in ipairs(list) do
    local c = (i - 1) % width + 1
    low[c], high[c] = math.min(low[c], x), math.max(high[c], x)
  end
  return { min = low, max = high }
end

-- Shades of wood by number; static bodies grey.
local function colour(body, i)
  local own = body.colour or body.visuals and body.visuals[1].colour
  if own then return own end
  if body.type == "static" or body.shape and body.shape.kind == "drum" then return GROUND end
  local share = i * 0.6180339887498949 % 1
  return { 0.80 + 0.10 * share, 0.60 + 0.14 * share, 0.40 + 0.13 * share }
end

local function material(body, i)
  local c = colour(body, i)
  return { doubleSided = true, pbrMetallicRoughness = { baseColorFactor = json.list{ c[1], c[2], c[3], 1 },
    metallicFactor = 0, roughnessFactor = 0.85 } }
end

local function add_mesh(doc, to, s, body, i)
  local positions = pack.f32(s.points)
  doc.materials[#doc.materials + 1] = material(body, i)
  doc.meshes[#doc.meshes + 1] = { name = body.name, primitives = json.list{ { attributes = {
    POSITION = to:add(positions, FLOAT, "VEC3", 3, 34962, bounds(positions, 3)),
    NORMAL = to:add(pack.f32(triangles.normals(s)), FLOAT, "VEC3", 3, 34962) },
    indices = to:add(pack.u32(s.faces), UINT, "SCALAR", 1, 34963), material = #doc.materials - 1 } } }
  return #doc.meshes - 1
end

-- Positions, quaternions (x, y, z, w) and sizes of body i, frame by frame, and whether it moves, and whether it is gone at times.
local function track(rec, poses, i)
  local at, turn, size, moves, gone = {}, {}, {}, false, false
  local last = { 0, 0, 0, 1, 0, 0, 0 }
  for k = 1, #poses do
    local p = { surfaces.pose(rec, poses[k], i) }
    local here = p[1] ~= nil
    if not here then p = last end
    local dot = p[4] * last[4] + p[5] * last[5] + p[6] * last[6] + p[7] * last[7]
    if dot < 0 then for c = 4, 7 do p[c] = -p[c] end end -- the shorter way between the frames
    for c = 1, 7 do moves = moves or k > 1 and p[c] ~= last[c] end
    gone = gone or not here
    table.move(p, 1, 3, 3 * k - 2, at)
    table.move({ p[5], p[6], p[7], p[4] }, 1, 4, 4 * k - 3, turn)
    local one = here and 1 or 0
    table.move({ one, one, one }, 1, 3, 3 * k - 2, size)
    last = p
  end
  return at, turn, size, moves, gone
end

local function add_node(doc, to, rec, poses, i, mesh, times)
  local at, turn, size, moves, gone = track(rec, poses, i)
  local node = { name = rec.bodies[i].name or "body " .. i, mesh = mesh, translation = json.list(table.move(at, 1, 3, 1, {})),
    rotation = json.list(table.move(turn, 1, 4, 1, {})) }
  doc.nodes[#doc.nodes + 1] = node
  local number, animation = #doc.nodes - 1, doc.animations[1]
  local function channel(path, kind, width, list, way)
    animation.samplers[#animation.samplers + 1] = { input = times, interpolation = way,
      output = to:add(pack.f32(list), FLOAT, kind, width) }
    animation.channels[#animation.channels + 1] = { sampler = #animation.samplers - 1, target = { node = number, path = path } }
  end
  if moves then
    channel("translation", "VEC3", 3, at, "LINEAR")
    channel("rotation", "VEC4", 4, turn, "LINEAR")
  end
  if gone then channel("scale", "VEC3", 3, size, "STEP") end
  return number
end

local function chunk(kind, bytes, filler)
  bytes = bytes .. filler:rep(-#bytes % 4)
  return ("<I4"):pack(#bytes) .. kind .. bytes
end

local function document(rec)
  local poses, to = surfaces.poses(rec), store()
  local doc = { asset = { version = "2.0", generator = "delassus" }, scene = 0, scenes = json.list{ { nodes = json.list{ 0 } } },
    nodes = json.list{ { name = rec.title or "world", children = json.list() } }, meshes = json.list(), materials = json.list(),
    animations = json.list{ { name = "recording", samplers = json.list(), channels = json.list() } } }
  if not rec.planar then doc.nodes[1].rotation = json.list{ -math.sqrt(0.5), 0, 0, math.sqrt(0.5) } end -- z up to y up
  local seconds, start = {}, rec:times()[1]
  for k, t in ipairs(rec:times()) do seconds[k] = t - start end
  local times_bytes = pack.f32(seconds)
  local times = to:add(times_bytes, FLOAT, "SCALAR", 1, nil, bounds(times_bytes, 1))
  for i, s in ipairs(surfaces.of(rec, poses)) do
    local mesh = s and add_mesh(doc, to, s, rec.bodies[i], i) or nil
    local children = doc.nodes[1].children
    children[#children + 1] = add_node(doc, to, rec, poses, i, mesh, times)
  end
  if #doc.nodes[1].children == 0 then doc.nodes[1].children = nil end
  if #doc.animations[1].channels == 0 then doc.animations = nil end
  if #doc.meshes == 0 then doc.meshes, doc.materials = nil, nil end
  doc.bufferViews, doc.accessors, doc.buffers = to.views, to.accessors, json.list{ { byteLength = to.size } }
  return doc, table.concat(to.parts)
end

--- Writes the file.
-- @treturn boolean|nil true, or nil and a message
return function(rec, path)
  local doc, bytes = document(rec)
  local body = chunk("JSON", json.utf8(json.encode(doc)), " ") .. chunk("BIN\0", bytes, "\0")
  local file, message = io.open(path, "wb")
  if not file then return nil, message end
  local ok, problem = file:write("glTF", ("<I4I4"):pack(2, 12 + #body), body)
  local closed, late = file:close()
  if not ok or not closed then return nil, ("%s: %s"):format(path, tostring(problem or late)) end
  return true
end
