-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Recordings for ParaView: a collection ".pvd" and, in a folder of its name beside it, one ".vtp" (VTK PolyData, XML, the
-- numbers appended as raw bytes) a frame: the surfaces of the bodies where they are then, each cell with the number of its
-- body and the body's channels.
-- @module delassus.record_pvd
local pack = require "delassus.pack"
local surfaces = require "delassus.record_surface"

-- A file to be written and what it may say, or nil and a message.
local function write(path, text)
  local file, message = io.open(path, "wb")
  if not file then return nil, message end
  local ok, problem = file:write(text)
  local closed, late = file:close()
  if not ok or not closed then return nil, ("%s: %s"):format(path, tostring(problem or late)) end
  return true
end

-- Points of a surface where the body is.
local function moved(out, points, x, y, z, w, a, b, c)
  local n = #out
  for i = 1, #points, 3 do
    local px, py, pz = points[i], points[i + 1], points[i + 2]
    local tx, ty, tz = 2 * (b * pz - c * py), 2 * (c * px - a * pz), 2 * (a * py - b * px)
    out[n + i] = x + px + w * tx + b * tz - c * ty
    out[n + i + 1] = y + py + w * ty + c * tx - a * tz
    out[n + i + 2] = z + pz + w * tz + a * ty - b * tx
  end
end

local function escaped(text)
  return (text:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

-- The text of one frame.
local function polydata(rec, list, poses, frame)
  local points, faces, ends, of_body, values, first = {}, {}, {}, {}, {}, 0
  local channels = {}
  for c in ipairs(rec.channels) do channels[c], values[c] = pack.unpack("f", frame.channels[c], 1, frame.n), {} end
  for i, s in ipairs(list) do
    local pose = s and { surfaces.pose(rec, poses, i) }
    if pose and pose[1] then
      moved(points, s.points, table.unpack(pose))
      for f = 1, #s.faces do faces[#faces + 1] = first + s.faces[f] end
      for _ = 1, #s.faces // 3 do
        of_body[#of_body + 1], ends[#ends + 1] = i, 3 * (#ends + 1)
        for c in ipairs(channels) do values[c][#of_body] = channels[c][i] or 0 end
      end
      first = #points // 3
    end
  end
  local parts, at = {}, 0
  local function array(kind, name, width, bytes)
    parts[#parts + 1] = ("<I4"):pack(#bytes) .. bytes
    local tag = ('<DataArray type="%s" Name="%s" NumberOfComponents="%d" format="appended" offset="%d"/>'):format(kind,
      escaped(name), width, at)
    at = at + 4 + #bytes
    return tag
  end
  local cells = { array("Int32", "body", 1, pack.u32(of_body)) }
  for c, channel in ipairs(rec.channels) do
    cells[#cells + 1] = array("Float32", channel.unit and ("%s (%s)"):format(channel.name, channel.unit) or channel.name, 1,
      pack.f32(values[c]))
  end
  return table.concat{ '<?xml version="1.0"?>\n<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" ',
    'header_type="UInt32">\n',
    ('<PolyData><Piece NumberOfPoints="%d" NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="%d">\n'):format(
      #points // 3, #ends), "<PointData/>\n<CellData>", table.concat(cells, "\n"), "</CellData>\n<Points>",
    array("Float32", "Points", 3, pack.f32(points)), "</Points>\n<Polys>",
    array("Int32", "connectivity", 1, pack.u32(faces)), "\n",
    array("Int32", "offsets", 1, pack.u32(ends)), '</Polys>\n</Piece></PolyData>\n<AppendedData encoding="raw">_',
    table.concat(parts), "</AppendedData></VTKFile>\n" }
end

-- Makes a folder, but none that it would have to lie in; there is no function for that in Lua.
local function make_folder(path)
  local quoted = package.config:sub(1, 1) == "\\" and '"' .. path .. '"' or "'" .. path:gsub("'", "'\\''") .. "'"
  return os.execute((package.config:sub(1, 1) == "\\" and "mkdir %s >NUL 2>&1" or "mkdir -- %s 2>/dev/null"):format(quoted))
end

--- Writes the collection and its files.
-- @treturn boolean|nil true, or nil and a message
return function(rec, path)
  local folder = path:gsub("%.%w+$", "")
  local name = folder:match("[^/\\]+$")
  make_folder(folder)
  local poses = surfaces.poses(rec)
  local list = surfaces.of(rec, poses)
  local lines = { '<?xml version="1.0"?>', '<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">', "<Collection>" }
  for k, frame in ipairs(rec:kept()) do
    local file = ("%s_%05d.vtp"):format(name, k - 1)
    local ok, message = write(folder .. "/" .. file, polydata(rec, list, poses[k], frame))
    if not ok then return nil, message end
    lines[#lines + 1] = ('<DataSet timestep="%.17g" part="0" file="%s/%s"/>'):format(frame.time, escaped(name), escaped(file))
  end
  lines[#lines + 1] = "</Collection>\n</VTKFile>\n"
  return write(path, table.concat(lines, "\n"))
end
