-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Meshes from files: STL (binary and text) and Wavefront OBJ, as plain shapes `{ kind = "mesh", vertices, faces }`.
-- @module delassus.load_mesh
local M = {}

-- Collects corners: equal ones once, coordinates rounded to the seven digits that such files hold.
local function collector(scale)
  local out, place = { kind = "mesh", vertices = {}, faces = {} }, {}
  local function corner(x, y, z)
    local p = {}
    for c, v in ipairs{ x, y, z } do
      p[c] = tonumber(("%.7g"):format(v * scale[c]))
      if not p[c] then
        error({ message = "holds a coordinate that is no finite number" }, 0)
      end
    end
    local key = ("%g %g %g"):format(p[1] + 0.0, p[2] + 0.0, p[3] + 0.0)
    if not place[key] then
      out.vertices[#out.vertices + 1] = p
      place[key] = #out.vertices
    end
    return place[key]
  end
  return out, corner
end

-- A face, left out where it has no area.
local function add(out, a, b, c)
  if a ~= b and b ~= c and c ~= a then out.faces[#out.faces + 1] = { a, b, c } end
end

-- Binary: 80 bytes, the number of triangles, of each the normal, three corners (4-byte floats) and two bytes.
local function binary_stl(text, scale)
  local out, corner = collector(scale)
  for i = 0, ("<I4"):unpack(text, 81) - 1 do
    local _, _, _, ax, ay, az, bx, by, bz, cx, cy, cz = ("<ffffffffffff"):unpack(text, 85 + 50 * i)
    add(out, corner(ax, ay, az), corner(bx, by, bz), corner(cx, cy, cz))
  end
  return out
end

local function text_stl(text, scale)
  local out, corner = collector(scale)
  local list = {}
  for x, y, z in text:gmatch("vertex%s+(%S+)%s+(%S+)%s+(%S+)") do
    x, y, z = tonumber(x), tonumber(y), tonumber(z)
    if not (x and y and z) then error({ message = "holds a vertex that is not three numbers" }, 0) end
    list[#list + 1] = corner(x, y, z)
    if #list == 3 then
      add(out, list[1], list[2], list[3])
      list = {}
    end
  end
  return out
end

local function stl(text, scale)
  local count = #text >= 84 and ("<I4"):unpack(text, 81)
  if count and #text >= 84 + 50 * count and not (text:find("^%s*solid") and text:find("endfacet", 1, true)) then
    return binary_stl(text, scale)
  end
  if not text:find("^%s*solid") then error({ message = "is no STL file" }, 0) end
  return text_stl(text, scale)
end

-- Corners of a face as numbers of vertices: "7", "7/1", "7//3", "-1" (the last).
local function obj_corner(word, vertices, line)
  local index = math.tointeger(tonumber(word:match("^(-?%d+)")))
  if index and index < 0 then index = #vertices + 1 + index end
  local at = index and vertices[index]
  if not at then error({ message = ("line %d: a face names the vertex '%s', which is not there"):format(line, word) }, 0) end
  return at
end

local function obj(text, scale)
  local out, corner = collector(scale)
  local vertices, number = {}, 0
  for line in (text .. "\n"):gmatch("([^\n]*)\n") do
    number = number + 1
    local tag, rest = line:match("^%s*(%a+)%s+(.*)")
    if tag == "v" then
      local x, y, z = rest:match("^(%S+)%s+(%S+)%s+(%S+)")
      x, y, z = tonumber(x), tonumber(y), tonumber(z)
      if not (x and y and z) then error({ message = ("line %d: a vertex is three numbers"):format(number) }, 0) end
      vertices[#vertices + 1] = corner(x, y, z)
    elseif tag == "f" then
      local list = {}
      for word in rest:gmatch("%S+") do list[#list + 1] = obj_corner(word, vertices, number) end
      for i = 2, #list - 1 do add(out, list[1], list[i], list[i + 1]) end
    end
  end
  return out
end

local readers = { stl = stl, obj = obj }

--- Reads a mesh.
-- @tparam string path of a ".stl" or ".obj" file
-- @tparam[opt] table scale three factors
-- @treturn table|nil the shape, or nil and a message
function M.read(path, scale)
  local reader = readers[(path:lower():match("%.(%w+)$"))]
  if not reader then return nil, path .. ": a mesh's name ends in .stl or .obj" end
  local file, message = io.open(path, "rb")
  if not file then return nil, message end
  local text = file:read("a")
  file:close()
  if not text then return nil, path .. ": cannot be read" end
  local ok, out = pcall(reader, text, scale or { 1, 1, 1 })
  if not ok then
    if type(out) ~= "table" then error(out, 0) end
    return nil, ("%s: %s"):format(path, out.message)
  end
  if #out.faces == 0 then return nil, path .. ": holds no triangle" end
  return out
end

--- The file that a model names: beside the model, or for "package://name/path" in a folder above it.
-- @treturn string|nil the path of a file that can be opened
function M.find(name, folder)
  local inside = name:match("^package://[^/]+/(.*)") or name:match("^package://(.*)") or name:gsub("^file://", "")
  local tries = inside:sub(1, 1) == "/" and { inside } or {}
  local above = folder
  for _ = 1, inside:sub(1, 1) == "/" and 0 or 4 do
    tries[#tries + 1] = above .. inside
    above = above .. "../"
  end
  for _, path in ipairs(tries) do
    local file = io.open(path, "rb")
    if file then
      file:close()
      return path
    end
  end
end

return M
